/** What goes of the log of changes, and what every reader of it still needs however old it is. */
import { expect, test } from 'vitest'
import { signIn } from '../../test/accounts.ts'
import { captureLog, createTestApp } from '../../test/harness.ts'
import { addProduct } from '../../test/products.ts'
import { newId } from '../lib/ids.ts'
import { CHANGES_KEPT_DAYS, createChangesSweep } from './changes.service.ts'

const DAY_MS = 86_400_000
const souk = await createTestApp()
const { db, pool } = souk.database
const [plain, saved] = [
  await addProduct(souk, { slug: 'plain', category: 'lamps', title: 'Plain' }),
  await addProduct(souk, { slug: 'saved', category: 'lamps', title: 'Saved' }),
]
const ago = (days: number) => new Date(souk.clock.now().getTime() - days * DAY_MS)

const write = (productId: string, aspect: string, daysAgo: number) =>
  pool.query('insert into changes (at, product_id, aspect, after) values ($1, $2, $3, $4)', [
    ago(daysAgo),
    productId,
    aspect,
    JSON.stringify(daysAgo),
  ])

const sweep = () =>
  createChangesSweep({ db, clock: souk.clock }, { batchRows: 3 }).run(
    {},
    { log: captureLog().log, signal: new AbortController().signal, attempt: 1, jobId: newId() },
  )

const kept = async (productId: string) =>
  (
    await pool.query<{ what: string }>(
      `select aspect || ' ' || (after #>> '{}') as what from changes where product_id = $1 order by seq`,
      [productId],
    )
  ).rows.map(({ what }) => what)

test('old changes go, but not the last of a product’s offers, nor those since somebody saved it', async () => {
  const { user } = await person()
  await pool.query('delete from changes')
  await pool.query(
    `insert into saved_products (id, user_id, product_id, list, created_at) values ($1, $2, $3, 'mine', $4)`,
    [newId(), user, saved, ago(600)],
  )
  for (const product of [plain, saved])
    for (const daysAgo of [700, 500, CHANGES_KEPT_DAYS + 1, CHANGES_KEPT_DAYS - 1])
      await write(product, 'price', daysAgo)
  for (const daysAgo of [650, 620]) await write(plain, 'offers', daysAgo)
  await write(plain, 'embedded', 500)
  await Promise.all([sweep(), sweep()])
  expect(await kept(plain)).toEqual(['price 399', 'offers 620'])
  expect(await kept(saved)).toEqual(['price 500', 'price 401', 'price 399'])
})

async function person(): Promise<{ user: string }> {
  const { email } = await signIn(souk)
  const { rows } = await pool.query<{ id: string }>('select id from users where email = $1', [email])
  return { user: rows[0]?.id ?? '' }
}

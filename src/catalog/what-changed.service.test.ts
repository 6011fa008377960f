/** What changed, told from the log: the net of each thing, the newest first, however much happened. */
import { beforeEach, expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { addProduct } from '../../test/products.ts'
import { whatChanged } from './changes.service.ts'

const souk = await createTestApp()
const { pool } = souk.database
const add = (slug: string) => addProduct(souk, { slug, category: 'tents', title: slug })
const [busy, quiet] = [await add('busy'), await add('quiet')]
const at = (hour: number) => new Date(Date.UTC(2026, 9, 1, hour))
const since = at(0)

beforeEach(async () => void (await pool.query('truncate changes')))

const record = (productId: string, hour: number, before: unknown, after: unknown) =>
  pool.query(
    `insert into changes (at, product_id, category_id, aspect, before, after)
     select $1, id, category_id, 'price', $3, $4 from products where id = $2`,
    [at(hour), productId, JSON.stringify(before), JSON.stringify(after)],
  )

test('the newest change is told although thousands came before it, and the first "before" of those', async () => {
  await pool.query(
    `insert into changes (at, product_id, category_id, aspect, before, after)
     select $1::timestamptz + n * interval '1 second', id, category_id, 'price', to_jsonb(n), to_jsonb(n + 1)
     from products, generate_series(1, 6000) as n where id = $2`,
    [since, busy],
  )
  await record(quiet, 5, 10, 12)
  const told = await whatChanged(souk.ctx, { since, limit: 2 })
  expect(told.map(({ product, before, after, times }) => [product.slug, before, after, times])).toEqual([
    ['quiet', 10, 12, 1],
    ['busy', 1, 6_001, 6_000],
  ])
})

test('what came back to what it was is no change, and does not take the place of one', async () => {
  await record(busy, 1, 10, 12)
  await record(quiet, 2, 5, 6)
  await record(quiet, 3, 6, 5)
  const told = await whatChanged(souk.ctx, { since, limit: 1 })
  expect(told.map(({ product }) => product.slug)).toEqual(['busy'])
})

test('a change at or before the time asked for is not told', async () => {
  await record(busy, 0, 1, 2)
  expect(await whatChanged(souk.ctx, { since })).toEqual([])
})

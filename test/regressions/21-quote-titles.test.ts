/** A page of quotes costs as many queries with twenty requests as with one. */
import { expect, test } from 'vitest'
import { observeQueries } from '../../src/db/observe-queries.ts'
import { createBrowser } from '../accounts.ts'
import { createRfqWorld, STRANGER } from '../e2e/rfq.world.ts'
import { createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'

const world = await createRfqWorld({})
const PRODUCTS = 22
for (let n = 1; n <= PRODUCTS; n++)
  await addProduct(world, { category: 'stools', slug: `stool-${n}`, title: `Stool number ${n}`, price: 10 })

let queries = 0
observeQueries(world.database.pool, () => {
  queries += 1
})

async function buyer(requests: number) {
  const { ownerId, session } = await createOrg(world)
  for (let n = 1; n <= requests; n++) {
    world.clock.advance(1_000)
    const { rfqId } = await world.submit(
      { product_slug: `stools/stool-${n}` },
      { ...STRANGER, userId: ownerId },
    )
    const done = () =>
      world.database.pool.query(`select 1 from rfqs where id = $1 and state = 'completed'`, [rfqId])
    await expect.poll(async () => (await done()).rowCount, { timeout: 10_000 }).toBe(1)
  }
  const browser = createBrowser(world)
  browser.setCookie(session.cookie)
  await browser.get('/quotes')
  return async () => {
    const before = queries
    const html = await (await browser.get('/quotes')).text()
    return { html, queries: queries - before }
  }
}

test('each of twenty requests is listed by its title, for as many queries as one', async () => {
  const [one, many] = [await buyer(1), await buyer(PRODUCTS)]
  const few = await one()
  expect(few.html).toContain('Stool number 1')
  const all = await many()
  for (let n = PRODUCTS; n > PRODUCTS - 20; n--) expect(all.html).toContain(`Stool number ${n}<`)
  expect(all.html).toContain('rel="next"')
  expect(all.queries).toBe(few.queries)
})

/** What is written when rules are set: nothing, where they are so already. */
import { expect, test } from 'vitest'
import { audits } from '../../test/e2e/offers.world.ts'
import { sellerOf } from '../../test/e2e/tools.sellers.ts'
import { addProduct } from '../../test/products.ts'
import { createToolsWorld } from '../../test/tools.world.ts'

const OWN = 'stools/perch'
const world = await createToolsWorld()
const stool = { slug: 'perch', category: 'stools', title: 'The perch', list_price: 100 }
const productId = await addProduct(world, stool)

test('rules and floors that are so already leave no record and are not written again', async () => {
  const person = await sellerOf(world, [productId])
  const actions = () => audits(world, person.org)
  const set = (rules: Record<string, unknown>) =>
    world.call(person, 'set_pricing_rules', { product_slug: OWN, ...rules })
  const kept = async () => {
    const { rows } = await world.database.pool.query(
      'select rules, floors_box, updated_at from product_pricing where org_id = $1',
      [person.org.id],
    )
    return rows[0]
  }
  await set({ max_discount_pct: null, reserve_price_usd: null })
  expect(await actions()).toEqual([])
  const rules = { max_discount_pct: 20, lead_time_days: 3, reserve_price_usd: 61.37, min_margin_pct: null }
  await set(rules)
  const before = await kept()
  world.clock.advance(1_000)
  for (const again of [rules, { lead_time_days: 3 }, { reserve_price_usd: 61.37 }, { min_margin_pct: null }])
    expect((await set(again)).isError).toBe(false)
  expect(await kept()).toEqual(before)
  expect(await actions()).toHaveLength(1)
  await set({ ...rules, lead_time_days: 4 })
  expect(await kept()).toMatchObject({ floors_box: before.floors_box, rules: { lead_time_days: 4 } })
  await set({ reserve_price_usd: 61.38 })
  await set({ reserve_price_usd: null })
  expect((await kept()).floors_box).toBeNull()
  const slug = { product_slug: OWN }
  expect((await actions()).map(({ detail }) => detail)).toEqual(
    expect.arrayContaining([
      { ...slug, rules: ['lead_time_days', 'max_discount_pct'], limits: 'set' },
      { ...slug, rules: ['lead_time_days'] },
      { ...slug, rules: [], limits: 'set' },
    ]),
  )
  expect(await actions()).toHaveLength(4)
})

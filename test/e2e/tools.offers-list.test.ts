import { expect, test } from 'vitest'
import { createOfferToolsWorld } from './tools.offers.world.ts'

const world = await createOfferToolsWorld()
const { seller, make, shop, rows, clickOn } = world

test('the list counts clicks of the last thirty days and of all time', async () => {
  const person = await seller()
  const [old, quiet] = [await make(person), await make(person)]
  await world.call(person, 'update_offer', { offer_id: old, status: 'active' })
  const start = world.clock.now()
  await clickOn(old)
  world.clock.advance(31 * 86_400_000)
  await clickOn(old)
  await clickOn(old)
  const { data, text } = await world.call(person, 'list_offers')
  world.clock.set(start)
  expect(
    rows(data).map(({ offer_id, clicks_30_days, clicks_total }) => [offer_id, clicks_30_days, clicks_total]),
  ).toEqual([
    [quiet, 0, 0],
    [old, 2, 3],
  ])
  expect(text).toContain('3 clicks (2 in 30 days)')
})

test('the list is cut by status, product and end, and says how many there are', async () => {
  const person = await seller()
  const soon = await make(person, {
    expires_at: new Date(world.clock.now().getTime() + 86_400_000).toISOString(),
  })
  const other = await make(person, { product_slug: 'whistler' })
  await world.call(person, 'update_offer', { offer_id: other, status: 'active' })
  const listed = async (filter: Record<string, unknown>) => {
    const { data } = await world.call(person, 'list_offers', filter)
    return [rows(data).map(({ offer_id }) => offer_id), data.total, data.next_offset]
  }
  expect(await listed({})).toEqual([[other, soon], 2, null])
  expect(await listed({ limit: 1 })).toEqual([[other], 2, 1])
  expect(await listed({ limit: 1, offset: 1 })).toEqual([[soon], 2, null])
  expect(await listed({ offset: 2 })).toEqual([[], 2, null])
  expect(await listed({ status: 'active' })).toEqual([[other], 1, null])
  expect(await listed({ product_slug: 'kettles/gooseneck' })).toEqual([[soon], 1, null])
  expect(await listed({ product_slug: 'samovar' })).toEqual([[], 0, null])
  expect(await listed({ expiring_within_days: 2 })).toEqual([[soon], 1, null])
  expect(await listed({ expiring_within_days: 1 })).toEqual([[], 0, null])
})

test('a filter that cannot be is refused by name, and a product that is not there with what is near', async () => {
  const refused = async (filter: Record<string, unknown>) =>
    (await world.call(shop, 'list_offers', filter)).error
  expect(await refused({ status: 'live' })).toMatchObject({
    field: 'status',
    valid: expect.arrayContaining(['draft']),
  })
  expect(await refused({ limit: 51 })).toMatchObject({ field: 'limit', max: 50 })
  expect(await refused({ expiring_within_days: 366 })).toMatchObject({
    field: 'expiring_within_days',
    max: 365,
  })
  expect(await refused({ product_slug: 'kettles/gooseneckk' })).toMatchObject({
    ...{ kind: 'not_found', field: 'product_slug', valid: expect.arrayContaining(['kettles/gooseneck']) },
  })
})

test('a text has whole offers only and says how to get the others', async () => {
  const person = await seller()
  const long = `https://shop.example/${'x'.repeat(1_900)}`
  const ids: string[] = []
  for (let at = 0; at < 25; at++)
    ids.unshift(
      await make(person, { headline: `Deal ${at}`, detail: 'd'.repeat(200), destination_url: long }),
    )
  const { data, text } = await world.call(person, 'list_offers', { limit: 25 })
  expect(rows(data).map(({ offer_id }) => offer_id)).toEqual(ids)
  const shown = ids.filter((id) => text.includes(id))
  expect(shown.length).toBeGreaterThan(3)
  expect(shown).toEqual(ids.slice(0, shown.length))
  expect(text).toContain(`list_offers with offset ${shown.length}.`)
  const rest = await world.call(person, 'list_offers', { limit: 1, offset: shown.length })
  expect(rest.text).toContain(ids[shown.length])
})

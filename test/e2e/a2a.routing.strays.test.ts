import { describe, expect, test } from 'vitest'
import { MESSAGES_NOW } from '../../eval/messages.ts'
import { routeMessage } from '../../src/agents/a2a/routing/route-message.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { demoSearch } from '../demo-search.ts'

const search = await demoSearch()
const clock = manualClock(MESSAGES_NOW)
const route = (text: string) => routeMessage({ search, clock }, text)

describe('in a request for quote', () => {
  test.each([
    ['3 million units of the Tarnhollow Skein 2', '100,000 pieces'],
    ['the Tarnhollow Skein 2: twenty-five', '25 pieces'],
    ['the Tarnhollow Skein 2, qty -5', '5 pieces'],
    ['-5 Tarnhollow Skein 2', '5 pieces'],
    ['the Tarnhollow Skein 2 at 500 pieces and at 1000 pieces', '1,000 pieces'],
    ['10 Tarnhollow Skein 2, qty 12', '12 pieces'],
    ['3 packs of 10 Tarnhollow Skein 2', '3 pieces'],
    ['1e9 units of the Tarnhollow Skein 2', '1 piece'],
    ['a few Tarnhollow Skein 2', '1 piece'],
    ['the Tarnhollow Skein 2 (47)', '47 pieces'],
    ['the Tarnhollow Skein 2: 2', '2 pieces'],
    ['the Tarnhollow Skein 2, we are thinking of 2 to 3 hundred', '300 pieces'],
  ])('a number that cannot be taken as it stands is asked about: %s', async (said, option) => {
    const routed = await route(`quote ${said}`)
    expect(routed).toMatchObject({ kind: 'unclear', asked: { about: 'quantity' } })
    expect(routed.kind === 'unclear' && routed.options).toContain(option)
  })

  test.each([
    'by yesterday',
    'by 02/30/2027',
    'by 2025-01-01',
    'by February 30',
    'within 3-5 days',
    'by Q1',
    'before the summer',
    'two weeks ago',
  ])('a day that cannot be taken as it stands is asked about: %s', async (said) => {
    expect(await route(`quote 5 Tarnhollow Skein 2 ${said}`)).toMatchObject({
      kind: 'unclear',
      asked: { about: 'date', draft: { quantity: 5, date: { said: expect.any(String) } } },
    })
  })

  test.each([
    'to 12 Main Street, Austin, Texas 78701',
    'under $500 each, to Texas',
    'to Texas, with a 2 year warranty',
    'to Texas, PO 4411',
    'to Texas, a 3 kg one at 15% off',
    'to Texas at 5 pm',
  ])('numbers that count nothing are passed over: %s', async (said) => {
    expect(await route(`quote 5 Tarnhollow Skein 2 ${said}`)).toMatchObject({
      kind: 'skill',
      params: { quantity: 5, delivery_region: 'TX-US' },
    })
  })

  test('a product named twice, by title and by slug, is counted once', async () => {
    for (const count of ['50 x', '50'])
      expect(
        await route(`RFQ for ${count} Tarnhollow Skein 2 (tents/tarnhollow-skein-2), deliver to Oregon`),
      ).toMatchObject({ kind: 'skill', params: { quantity: 50, delivery_region: 'OR-US' } })
  })

  test('thousands are read, and 4K is not', async () => {
    expect(await route('quote 2k units of the Tarnhollow Skein 2')).toMatchObject({
      params: { quantity: 2000 },
    })
    expect(await route('quote for 4K monitors')).toMatchObject({ asked: { draft: { quantity: null } } })
  })
})

test.each([
  'do NOT request a quote for the Tarnhollow Skein 2, just tell me its price',
  "I don't want a quote for the Tarnhollow Skein 2, only its details",
])('a quote that is declined is not asked for: %s', async (text) =>
  expect(await route(text)).toMatchObject({ skill: 'product-lookup' }),
)

test('"don’t hesitate to quote" asks for one', async () =>
  expect(await route("don't hesitate to quote 5 Tarnhollow Skein 2")).toMatchObject({
    skill: 'request-for-quote',
    params: { quantity: 5 },
  }))

/** Questions and their answers: what was said stays, what is said now counts for more, and every talk ends. */
import { describe, expect, test } from 'vitest'
import { MESSAGES_NOW, readMessages } from '../../eval/messages.ts'
import type { Asked } from '../../src/agents/a2a/routing/questions.ts'
import { type Routed, routeMessage } from '../../src/agents/a2a/routing/route-message.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { demoSearch } from '../demo-search.ts'

const search = await demoSearch()
const clock = manualClock(MESSAGES_NOW)

/** The last of the turns, each read with what was asked before it, as it comes back from the database. */
async function talk(...turns: string[]): Promise<Routed> {
  let routed: Routed | null = null
  for (const turn of turns) {
    const asked = routed?.kind === 'unclear' ? (JSON.parse(JSON.stringify(routed.asked)) as Asked) : null
    if (routed?.kind === 'skill') throw new Error(`ended before "${turn}": ${JSON.stringify(routed)}`)
    routed = await routeMessage({ search, clock }, turn, asked)
  }
  if (!routed) throw new Error('nothing was said')
  return routed
}

const SKEIN = 'tents/tarnhollow-skein-2'
const quote = (params: Record<string, unknown>) => ({
  kind: 'skill',
  skill: 'request-for-quote',
  params: { product_slug: SKEIN, ...params },
})

describe('an answer', () => {
  test.each<[string[], Record<string, unknown>]>([
    [['Quote for 10 tents to Germany', 'Bavaria', SKEIN], { quantity: 10, delivery_region: 'BY-DE' }],
    [['Quote for 10 tents to Germany', SKEIN], { quantity: 10, delivery_region: 'Germany' }],
    [['I want 25 tents quoted for delivery to Texas', SKEIN], { quantity: 25, delivery_region: 'TX-US' }],
    [['quote me 20', 'tents', 'skein 2'], { quantity: 20 }],
    [['quote me 20', 'make it 30', SKEIN], { quantity: 30 }],
    [['quote me 5 Tarnhollow Skein 3 to Oregon', 'Skein 2'], { quantity: 5, delivery_region: 'OR-US' }],
  ])('keeps what was said before: %j', async (turns, params) =>
    expect(await talk(...turns)).toEqual(quote(params)),
  )

  test.each<[string[], Record<string, unknown>]>([
    [['quote for 2000000 of the Tarnhollow Skein 2', '500 pieces'], { quantity: 500 }],
    [['quote for 2000000 of the Tarnhollow Skein 2', '500'], { quantity: 500 }],
    [['quote for the Tarnhollow Skein 2: twenty-five', 'twenty-five'], { quantity: 25 }],
    [['quote the Tarnhollow Skein 2 to Germany'], { delivery_region: 'Germany' }],
    [['quote the Tarnhollow Skein 2 to CA', 'California, United States'], { delivery_region: 'CA-US' }],
    [['quote the Tarnhollow Skein 2 to CA', 'California'], { delivery_region: 'CA-US' }],
    [['quote the Tarnhollow Skein 2 to CA', 'Canada'], { delivery_region: 'Canada' }],
    [['quote the Tarnhollow Skein 2 to CA', 'USA'], { delivery_region: 'CA-US' }],
    [['quote the Tarnhollow Skein 2 to CA', 'Oregon'], { delivery_region: 'OR-US' }],
    [['quote the Tarnhollow Skein 2 to CA', 'Skip the delivery place'], {}],
    [['quote the Tarnhollow Skein 2 to CA', "doesn't matter"], {}],
    [['quote the Tarnhollow Skein 2 by 2025-01-01', 'by 2026-12-10'], { deadline_iso: '2026-12-10' }],
    [['quote the Tarnhollow Skein 2 by yesterday', '10 December'], { deadline_iso: '2026-12-10' }],
    [['quotes for 5 Skein 2 and 3 Stormkeep 3', 'the Skein 2'], { quantity: 5 }],
    [
      ['quote 5 Tarnhollow Skein 2 to DE by yesterday', 'Bavaria', 'next friday'],
      { quantity: 5, delivery_region: 'BY-DE', deadline_iso: '2026-11-20' },
    ],
  ])('counts for more than what it corrects: %j', async (turns, params) =>
    expect(await talk(...turns)).toEqual(quote(params)),
  )

  test('that names one of two products gets the quantity that was said of that one', async () => {
    const routed = await talk('quotes for 5 Skein 2 and 3 Stormkeep 3', 'the Stormkeep 3')
    expect(routed).toEqual(quote({ product_slug: 'tents/basecairn-stormkeep-3', quantity: 3 }))
  })

  test('is read after a first message of any length, and so is the end of that message', async () => {
    const long = 'We are a small company with many wishes. '.repeat(60)
    expect(await talk(`quote please. ${long}`, '12 of the Tarnhollow Skein 2 to Texas')).toEqual(
      quote({ quantity: 12, delivery_region: 'TX-US' }),
    )
    expect(await talk(`quote the Tarnhollow Skein 2. ${long} quantity 50`)).toEqual(quote({ quantity: 50 }))
  })

  test.each([
    ['the baby monitor', 'baby-monitors/wrenkin-pip'],
    ['Peppercrate', 'wireless-earbuds/peppercrate-pip'],
  ])('by a word that only one of the choices has is enough: %s', async (answer, slug) =>
    expect(await talk('tell me about the Pip', answer)).toMatchObject({ params: { product_slug: slug } }),
  )

  test('by the number that tells the choices apart is no quantity', async () => {
    const routed = await talk("I'd like a quote for 10 Nodvane Lintel routers to New York", '7')
    expect(routed).toEqual(
      quote({ product_slug: 'wifi-routers/nodvane-lintel-7', quantity: 10, delivery_region: 'NY-US' }),
    )
  })

  test('keeps what the other skills were asked with', async () => {
    expect(await talk('did the Pip change since Monday?', 'the baby monitor')).toMatchObject({
      skill: 'what-changed',
      params: { products: ['baby-monitors/wrenkin-pip'], since: '2026-11-09' },
    })
    expect(await talk('any promo codes?', 'tents')).toMatchObject({
      params: { category: 'tents', on_sale: true },
    })
    expect(await talk('list all vacuums', 'the robot ones')).toMatchObject({
      params: { category: 'robot-vacuums' },
    })
  })

  test.each([
    ['show me all your tents', 'category-browse'],
    ['tell me about the Voltbourne Metro 3', 'product-lookup'],
    ['any promo code for the Voltbourne Metro 3?', 'product-offers'],
    ['what changed in tents since Monday?', 'what-changed'],
    ['I need a quiet blender', 'product-recommendation'],
  ])('that clearly asks for something else is followed: %s', async (answer, skill) =>
    expect(await talk('quote me 20', answer)).toMatchObject({ kind: 'skill', skill }),
  )
})

describe('an option, sent back as it stands', () => {
  const more = [
    'quote for 2000000 of the Tarnhollow Skein 2',
    'quote Skein 2 and Stormkeep 3 to France by yesterday',
    'quote 5 Skein 2 and 3 Stormkeep 3 to Germany by 2025-01-01',
    'quote Tarnhollow Skein 2 at 500 pieces and at 1000 pieces to the UK',
    'quote a few Tarnhollow Skein 2 by Q1',
    'Quote for 10 tents to Germany by 02/30/2027',
    'I want 25 standing desks quoted for delivery to Texas',
    'quote me 5 Tarnhollow Skein 3',
    'quote Tarnhollow Skein 2, qty -5',
    'quote 2.5 Tarnhollow Skein 2',
    'did the Pip change since Monday?',
    'any coupons for the Pip?',
    'Updates on the Brontobyte',
    'quote the Pip: twenty-five',
    `quote please. ${'We have many wishes. '.repeat(100)}`,
  ]
  // Of strangers' messages, a2a.messages counts those that are taken for something else.
  const unclear = readMessages().flatMap(({ set, skill, message }) =>
    skill === 'unclear' && set !== 'strangers' ? [message] : [],
  )

  test.each([...new Set([...unclear, ...more])])('leads on within four turns: %s', async (first) => {
    const start = await talk(first)
    expect(start.kind).toBe('unclear')
    const walk = async (routed: Routed, heard: readonly string[]): Promise<void> => {
      if (routed.kind === 'skill') return
      expect(heard, first).not.toContain(routed.question)
      expect(heard.length, first).toBeLessThan(4)
      const asked = JSON.parse(JSON.stringify(routed.asked)) as Asked
      for (const option of routed.options)
        await walk(await routeMessage({ search, clock }, option, asked), [...heard, routed.question])
    }
    await walk(start, [])
  })
})

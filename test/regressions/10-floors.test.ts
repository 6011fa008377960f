/**
 * The reserve price and the margin cannot be worked out from answers: neither by asking for many quantities, nor by a
 * member who changes the offer's price and simulates.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Floors, ManagedRules } from '../../src/pricing/pricing.schema.ts'
import { quoteManaged } from '../../src/pricing/quote.ts'
import { type Body, createManagedWorld, PRICING, type Product, SIMULATE } from '../e2e/rfq.managed.world.ts'
import { addMember, type Credential, call, type TestOrg } from '../orgs.ts'

const world = await createManagedWorld()
const { product, managed, send, offer, prices } = world

const DEEP = [
  { min_qty: 10, discount_pct: 14.37 },
  { min_qty: 50, discount_pct: 33.33 },
  { min_qty: 100, discount_pct: 90 },
]
const QUANTITIES = [1, 9, 10, 49, 50, 99, 100, 1_000]

/** A seller with deep discounts, bounded by these limits. */
async function bounded(of: Product, limits: Body): Promise<TestOrg> {
  const org = await managed(of, { max_discount_pct: 90, ...limits })
  await send(org, 'PATCH', '/api/org/agent-integration/', {
    is_managed: true,
    managed_rules: { volume_discounts: DEEP },
  })
  return org
}

describe('a buyer who asks for many quantities', () => {
  test.each([
    [85.25, [86]],
    [85, [86]],
    [85.99, [86]],
    [99.99, [100]],
    [100, []],
    [100.01, []],
    [150, []],
  ])('with a reserve price of %d is never quoted under %j', async (reserve_price_usd, lowest) => {
    const stool = await product()
    await bounded(stool, { reserve_price_usd })
    expect(await prices(stool, { quantity: 1_000 })).toEqual(lowest)
  })

  test('gets the same answers for 70.01 and 70.99, at every quantity', async () => {
    const told: unknown[] = []
    for (const reserve_price_usd of [70, 70.01, 70.5, 70.99]) {
      const stool = await product()
      await bounded(stool, { reserve_price_usd })
      const answers = QUANTITIES.map(async (quantity) => {
        const [quote] = (await world.quotesFor(stool, { quantity })).quotes
        return [quote?.price_usd, quote?.list_price_usd, quote?.terms]
      })
      told.push(await Promise.all(answers))
    }
    for (const answers of told) expect(answers).toEqual(told[0])
    expect(told[0]).toContainEqual([71, 100, 'Volume price from 50 units.'])
  })

  test('reads no margin either: 30 and 30.7 without a reserve price give the same answers', async () => {
    const told: unknown[] = []
    for (const min_margin_pct of [30, 30.25, 30.7]) {
      const stool = await product()
      await bounded(stool, { min_margin_pct })
      told.push(await Promise.all(QUANTITIES.map((quantity) => prices(stool, { quantity }))))
    }
    expect(told[1]).toEqual(told[0])
    expect(told[2]).toEqual(told[0])
    expect(told[0]).toContainEqual([31])
  })
})

describe('an editor, who may change offers and not pricing', () => {
  /** All that the editor is told over many prices and quantities, by REST, page and record of requests. */
  async function trials(limits: Body, facts: Body = {}): Promise<string[]> {
    const stool = await product(facts)
    const org = await bounded(stool, limits)
    const editor: Credential = await addMember(world, org, 'editor')
    await offer(org, stool, { price_usd: 100 })
    const { body } = await call(world, editor, 'GET', '/api/offers/list/')
    const [{ id: offer_id }] = body.offers as [{ id: string }]
    const told: string[] = []
    const heard = (text: string) => told.push(text.replaceAll(/\/go\/[\w-]+|stool-\d+|Stool \d+/g, ''))
    for (const price_usd of [40, 69.99, 70, 70.01, 70.5, 71, 71.43, 83.17, 97.03, 100]) {
      const edited = await call(world, editor, 'PATCH', '/api/offers/edit/', { offer_id, price_usd })
      expect(edited.status).toBe(200)
      const answers = await Promise.all(
        [1, 10, 100].map(async (quantity) => {
          const asked = { product_slug: stool.slug, quantity }
          const simulated = await call(world, editor, 'POST', SIMULATE, asked)
          expect(simulated.status).toBe(200)
          return [simulated.body, await prices(stool, { quantity })]
        }),
      )
      for (const answer of answers) heard(JSON.stringify(answer))
    }
    const received = await call(world, editor, 'GET', '/api/org/rfqs/')
    const { rfqs } = received.body as { rfqs: Array<Record<string, unknown>> }
    // Of requests made at once, either may be the first.
    const records = rfqs.map(({ outcome, verdict, reason, answer, quantity }) =>
      JSON.stringify([quantity, outcome, verdict, reason, answer]),
    )
    for (const record of records.sort()) heard(record)
    expect((await call(world, editor, 'PATCH', PRICING, { product_slug: stool.slug })).status).toBe(403)
    return told.map((text) => text.replaceAll(/shop-\d+|org-\d+|"offer_expires_at":"[^"]*"/g, ''))
  }

  test.each([
    ['the catalog has a list price', {}],
    ['the catalog has no price, so that only the offer has one', { list_price: undefined }],
  ])('hears the same whichever limit of a step is set, where %s', async (_, facts) => {
    const [one, other] = await Promise.all([
      trials({ reserve_price_usd: 70 }, facts),
      trials({ reserve_price_usd: 70.93 }, facts),
    ])
    expect(other).toEqual(one)
    expect(one.some((text) => text.includes('"would":"quote"'))).toBe(true)
    expect(one.some((text) => text.includes('"would":"decline"'))).toBe(true)
  })

  test('hears the same whichever margin of a step is set', async () => {
    const [one, other] = await Promise.all([trials({ min_margin_pct: 62 }), trials({ min_margin_pct: 62.9 })])
    expect(other).toEqual(one)
  })
})

describe('whatever the rules', () => {
  const pct = (max: number) => fc.integer({ min: 0, max: max * 100 }).map((hundredths) => hundredths / 100)
  const cents = fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 50_000_000 }))
  const anyRules = fc.record({
    volumeDiscounts: fc.array(
      fc.record({ minQty: fc.integer({ min: 1, max: 200 }), discountPct: pct(100) }),
      { maxLength: 6 },
    ),
    maxDiscountPct: fc.option(pct(100)),
    leadTimeDays: fc.option(fc.integer({ min: 0, max: 365 })),
    returnPolicyDays: fc.option(fc.integer({ min: 0, max: 365 })),
    inStock: fc.option(fc.boolean()),
    deliveryRegions: fc.constant(null),
    shippingCostCents: fc.option(cents),
    priceCents: fc.constant(null),
    stock: fc.option(fc.integer({ min: 0, max: 250 })),
    freeShippingAboveCents: fc.option(cents),
    shippingByRegion: fc.constant([]),
  })
  const quantities = fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 1, maxLength: 12 })

  function answers(
    rules: Omit<ManagedRules, 'floors'>,
    floors: Floors,
    { stepsOfCents, bases, asked }: { stepsOfCents: number | null; bases: number[]; asked: number[] },
  ) {
    return bases.flatMap((basePriceCents) =>
      asked.map((quantity) =>
        quoteManaged({
          ...{ basePriceCents, listPriceCents: stepsOfCents, stepsOfCents, quantity },
          ...{ deliveryRegion: null, deadline: null, now: new Date('2026-11-16T10:00:00Z') },
          rules: { ...rules, floors },
        }),
      ),
    )
  }

  /** Thousands of times: the comparison that tells what differs is slow. */
  function expectSame(answered: ReturnType<typeof answers>, before: ReturnType<typeof answers>): void {
    if (!isDeepStrictEqual(answered, before)) expect(answered).toEqual(before)
  }

  test('two reserve prices inside one step of 1 % give the same answers, over any quantities and base prices', () => {
    const inOneStep = fc
      .record({ list: cents, step: fc.integer({ min: 0, max: 130 }), within: fc.tuple(fc.nat(), fc.nat()) })
      .map(({ list, step, within }) => {
        const [low, high] = [Math.ceil((list * step) / 100), Math.ceil((list * (step + 1)) / 100) - 1]
        const size = Math.max(1, high - low + 1)
        return { list, floors: within.map((at) => low + (at % size)) as [number, number] }
      })
    fc.assert(
      fc.property(
        inOneStep,
        anyRules,
        quantities,
        fc.array(cents, { maxLength: 3 }),
        ({ list, floors: [one, other] }, rules, asked, bases) => {
          const world = { stepsOfCents: list, bases: [list, ...bases], asked }
          const of = (reservePriceCents: number) =>
            answers(rules, { reservePriceCents, minMarginPct: null }, world)
          const told = of(one)
          expectSame(of(other), told)
          const isUnder = (quote: (typeof told)[number]) =>
            quote.kind !== 'decline' && quote.limited && quote.unitPriceCents <= Math.max(one, other)
          expect(told.filter(isUnder)).toEqual([])
        },
      ),
      { numRuns: 600 },
    )
  })

  test('two margins inside one step of 1 % give the same answers, over any quantities and base prices', () => {
    const hundredth = fc.integer({ min: 0, max: 99 })
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 99 }),
        fc.tuple(hundredth, hundredth),
        anyRules,
        quantities,
        fc.array(cents, { minLength: 1, maxLength: 4 }),
        (whole, [one, other], rules, asked, bases) => {
          const of = (part: number) => {
            const floors = { reservePriceCents: null, minMarginPct: (whole * 100 + part) / 100 }
            return answers(rules, floors, { stepsOfCents: null, bases, asked })
          }
          expectSame(of(other), of(one))
        },
      ),
      { numRuns: 1_000 },
    )
  })
})

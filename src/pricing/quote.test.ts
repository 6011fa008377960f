import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MAX_CENTS } from '../lib/money.ts'
import { type ManagedRules, NO_RULES, readVolumeDiscounts } from './pricing.schema.ts'
import { type ManagedQuoteInput, quoteManaged } from './quote.ts'

const RULES: ManagedRules = { ...NO_RULES, volumeDiscounts: [] }
const TIERS = [
  { minQty: 10, discountPct: 10 },
  { minQty: 100, discountPct: 30 },
]

function ask(rules: Partial<ManagedRules> = {}, more: Partial<ManagedQuoteInput> = {}) {
  return quoteManaged({
    basePriceCents: 10_000,
    listPriceCents: null,
    stepsOfCents: 10_000,
    quantity: 1,
    deliveryRegion: null,
    deadline: null,
    now: new Date('2026-11-16T10:00:00Z'),
    ...more,
    rules: { ...RULES, ...rules },
  })
}

function quoted(rules: Partial<ManagedRules> = {}, more: Partial<ManagedQuoteInput> = {}) {
  const quote = ask(rules, more)
  if (quote.kind !== 'quote') throw new Error(`declined: ${quote.reason}`)
  return quote
}

describe('the price', () => {
  test('without rules the base price is quoted, in stock, and nothing else is claimed', () => {
    expect(ask()).toEqual({
      kind: 'quote',
      unitPriceCents: 10_000,
      listPriceCents: null,
      inStock: true,
      stockLeft: null,
      shippingCostCents: null,
      shippingBy: null,
      estimatedShippingDays: null,
      meetsDeadline: null,
      terms: null,
      limited: false,
      steps: [{ label: 'Base price', unitPriceCents: 10_000 }],
    })
  })

  test.each([
    [9, 10_000],
    [10, 9_000],
    [99, 9_000],
    [100, 7_000],
  ])('for %d the best tier that applies gives %d cents', (quantity, cents) => {
    expect(quoted({ volumeDiscounts: TIERS }, { quantity }).unitPriceCents).toBe(cents)
  })

  test('a higher tier with a smaller discount does not take the better one away', () => {
    const volumeDiscounts = [
      { minQty: 10, discountPct: 20 },
      { minQty: 50, discountPct: 5 },
    ]
    expect(quoted({ volumeDiscounts }, { quantity: 60 }).unitPriceCents).toBe(8_000)
  })

  test('the largest discount allowed holds the tier', () => {
    const quote = quoted({ volumeDiscounts: TIERS, maxDiscountPct: 15 }, { quantity: 100 })
    expect(quote.steps).toEqual([
      { label: 'Base price', unitPriceCents: 10_000 },
      { label: '30% off from 100 units', unitPriceCents: 7_000 },
      { label: 'Discount capped at 15%', unitPriceCents: 8_500 },
    ])
    expect(quote.unitPriceCents).toBe(8_500)
  })

  test('half a cent rounds up, also where floating point would lose it', () => {
    const off = (discountPct: number) => ({ volumeDiscounts: [{ minQty: 1, discountPct }] })
    expect(quoted(off(50), { basePriceCents: 101 }).unitPriceCents).toBe(51)
    expect(quoted(off(0.05), { basePriceCents: 1_000 }).unitPriceCents).toBe(1_000)
    expect(quoted(off(0.29), { basePriceCents: 10_000 }).unitPriceCents).toBe(9_971)
    expect(quoted(off(100)).unitPriceCents).toBe(0)
  })

  test('a list price is shown only where it is above the price', () => {
    expect(quoted({}, { listPriceCents: 12_000 }).listPriceCents).toBe(12_000)
    expect(quoted({}, { listPriceCents: 9_000 }).listPriceCents).toBeNull()
    expect(quoted({ volumeDiscounts: TIERS }, { quantity: 10 }).listPriceCents).toBe(10_000)
  })
})

describe('floors', () => {
  test('the reserve price bounds a discount, at the next whole step above it', () => {
    const floors = { reservePriceCents: 8_000, minMarginPct: null }
    expect(quoted({ volumeDiscounts: TIERS, floors }, { quantity: 100 }).unitPriceCents).toBe(8_100)
  })

  test('a floor whose step passes the base price is a decline, one within the last step the base price', () => {
    for (const reservePriceCents of [10_000, 10_001, 11_000])
      expect(ask({ floors: { reservePriceCents, minMarginPct: null } })).toMatchObject({
        kind: 'decline',
        reason: 'no_price',
      })
    for (const reservePriceCents of [9_900, 9_999])
      expect(quoted({ floors: { reservePriceCents, minMarginPct: null } }).unitPriceCents).toBe(10_000)
  })

  test('steps are of the catalog’s price, not of the base price; without one they are of the power of ten above', () => {
    const floors = { reservePriceCents: 5_030, minMarginPct: null }
    const of = (stepsOfCents: number | null) =>
      quoted({ volumeDiscounts: TIERS, floors }, { basePriceCents: 6_500, quantity: 100, stepsOfCents })
        .unitPriceCents
    expect(of(12_000)).toBe(5_040)
    expect(of(null)).toBe(5_100)
  })

  test('the margin is the share of the price above the reserve price', () => {
    const floors = { reservePriceCents: 6_000, minMarginPct: 25 }
    expect(quoted({ volumeDiscounts: TIERS, floors }, { quantity: 100 }).unitPriceCents).toBe(8_100)
  })

  test('without a reserve price the margin is that share of the base price', () => {
    const floors = { reservePriceCents: null, minMarginPct: 80 }
    expect(quoted({ volumeDiscounts: TIERS, floors }, { quantity: 100 }).unitPriceCents).toBe(8_100)
  })

  test('a step between two cents is the upper one', () => {
    const floors = { reservePriceCents: 100, minMarginPct: 70 }
    const rules = { volumeDiscounts: [{ minQty: 1, discountPct: 100 }], floors }
    expect(quoted(rules, { basePriceCents: 350, stepsOfCents: 350 }).unitPriceCents).toBe(336)
    expect(quoted(rules, { basePriceCents: 355, stepsOfCents: 355 }).unitPriceCents).toBe(338)
  })

  test('limits that no price can meet are a decline', () => {
    const floors = { reservePriceCents: MAX_CENTS, minMarginPct: 50 }
    expect(ask({ floors })).toMatchObject({ kind: 'decline', reason: 'no_price' })
  })

  test('limits that were set and cannot be read are a decline, not an absence of limits', () => {
    expect(ask({ floors: null })).toMatchObject({ kind: 'decline', reason: 'limits_lost' })
  })
})

describe('delivery', () => {
  test.each([
    [['CA-US'], 'CA-US', 'quote'],
    [['US'], 'CA-US', 'quote'],
    [['CA'], 'CA-US', 'decline'],
    [['NY-US', 'DE'], 'CA-US', 'decline'],
    [['NY-US', 'DE'], 'BY-DE', 'quote'],
    [['US'], null, 'quote'],
    [[], 'CA-US', 'quote'],
    [null, 'CA-US', 'quote'],
    [['US'], 'US', 'quote'],
    [['NY-US'], 'US', 'quote'],
    [['Canada'], 'US', 'decline'],
    [['CA'], 'Canada', 'quote'],
  ])('served %j, wanted %s: %s', (deliveryRegions, deliveryRegion, kind) => {
    expect(ask({ deliveryRegions }, { deliveryRegion }).kind).toBe(kind)
  })

  test.each([
    [['NY-US', 'CA-US'], 'US', 'Delivers to New York, California only.'],
    [['NY-US', 'US'], 'US', null],
    [['NY-US'], 'NY-US', null],
    [['AL', 'AK', 'AZ', 'AR', 'CA'].map((state) => `${state}-US`), 'US', /Arkansas and 1 more only\.$/],
  ])('served %j, wanted %s: the terms say %s', (deliveryRegions, deliveryRegion, terms) => {
    const said = quoted({ deliveryRegions }, { deliveryRegion }).terms
    if (terms === null) expect(said).toBeNull()
    else expect(said).toMatch(terms)
  })

  test.each([
    [5, '2026-11-23T23:59:59.999Z', true],
    [5, '2026-11-23T00:00:00.000Z', true],
    [5, '2026-11-22T23:59:59.999Z', false],
    [0, '2026-11-15T23:59:59.999Z', false],
    [null, '2026-11-23T23:59:59.999Z', null],
  ])('with %s business days from a Monday, by %s: %s', (leadTimeDays, deadline, meets) => {
    const quote = quoted({ leadTimeDays }, { deadline: new Date(deadline) })
    expect(quote).toMatchObject({ meetsDeadline: meets, estimatedShippingDays: leadTimeDays })
  })

  const BY_REGION = [
    { region: 'US', costCents: 700, leadTimeDays: 4 },
    { region: 'CA-US', costCents: 500, leadTimeDays: null },
    { region: 'HI-US', costCents: 3_000, leadTimeDays: 12 },
  ]

  test.each([
    ['CA-US', 500, 'region', 3],
    ['HI-US', 3_000, 'region', 12],
    ['NY-US', 700, 'region', 4],
    ['US', 700, 'region', 4],
    ['BY-DE', 900, 'flat', 3],
    ['CA', 900, 'flat', 3],
    [null, 900, 'flat', 3],
  ])('shipping to %s is %d cents, by the most specific rule (%s)', (deliveryRegion, cents, by, days) => {
    for (const shippingByRegion of [BY_REGION, BY_REGION.toReversed()]) {
      const rules = { shippingByRegion, shippingCostCents: 900, leadTimeDays: 3 }
      expect(quoted(rules, { deliveryRegion })).toMatchObject({
        ...{ shippingCostCents: cents, shippingBy: by, estimatedShippingDays: days },
        terms: `Delivery within ${days} business days.`,
      })
    }
  })

  test('without a flat cost a region that is not listed has none stated', () => {
    expect(quoted({ shippingByRegion: BY_REGION }, { deliveryRegion: 'BY-DE' })).toMatchObject({
      ...{ shippingCostCents: null, shippingBy: null },
    })
  })

  test.each([
    [4, 500, 'region'],
    [5, 0, 'free_above'],
    [6, 0, 'free_above'],
  ])(
    'an order of %d units at $100 with free shipping from $500 ships for %d cents',
    (quantity, cents, by) => {
      const rules = { shippingByRegion: BY_REGION, freeShippingAboveCents: 50_000 }
      expect(quoted(rules, { quantity, deliveryRegion: 'CA-US' })).toMatchObject({
        ...{ shippingCostCents: cents, shippingBy: by },
      })
    },
  )

  test('free shipping goes by what the buyer pays, after the discount', () => {
    const rules = { volumeDiscounts: TIERS, freeShippingAboveCents: 95_000, shippingCostCents: 900 }
    expect(quoted(rules, { quantity: 10 }).shippingCostCents).toBe(900)
    expect(quoted(rules, { quantity: 11 }).shippingCostCents).toBe(0)
  })

  test.each([
    [{ stock: 5 }, 5, true, null],
    [{ stock: 5 }, 6, false, 'Only 5 in stock.'],
    [{ stock: 0 }, 1, false, null],
    [{ stock: 5, inStock: false }, 1, false, null],
    [{ stock: 5, inStock: true }, 6, false, 'Only 5 in stock.'],
    [{ stock: null }, 1_000, true, null],
  ])('with %j a request for %d is in stock: %s', (rules, quantity, inStock, terms) => {
    expect(quoted(rules, { quantity })).toMatchObject({ inStock, terms })
  })

  test('terms say what a buyer needs to know', () => {
    const rules = { volumeDiscounts: TIERS, leadTimeDays: 1, returnPolicyDays: 30 }
    expect(quoted(rules, { quantity: 10 }).terms).toBe(
      'Volume price from 10 units. Delivery within 1 business day. Returns within 30 days.',
    )
    expect(quoted({ returnPolicyDays: 0 }).terms).toBe('No returns.')
  })
})

const pct = (max: number) => fc.integer({ min: 0, max: max * 100 }).map((hundredths) => hundredths / 100)
const cents = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 0, max: MAX_CENTS }))
const anyRules: fc.Arbitrary<ManagedRules> = fc.record({
  volumeDiscounts: fc.array(fc.record({ minQty: fc.integer({ min: 1, max: 200 }), discountPct: pct(100) }), {
    maxLength: 6,
  }),
  maxDiscountPct: fc.option(pct(100)),
  leadTimeDays: fc.option(fc.integer({ min: 0, max: 365 })),
  returnPolicyDays: fc.option(fc.integer({ min: 0, max: 365 })),
  inStock: fc.option(fc.boolean()),
  deliveryRegions: fc.option(fc.subarray(['US', 'CA-US', 'DE'])),
  shippingCostCents: fc.option(cents),
  priceCents: fc.constant(null),
  stock: fc.option(fc.integer({ min: 0, max: 250 })),
  freeShippingAboveCents: fc.option(cents),
  shippingByRegion: fc.subarray([
    { region: 'US', costCents: 700, leadTimeDays: null },
    { region: 'CA-US', costCents: 500, leadTimeDays: 2 },
    { region: 'DE', costCents: 900, leadTimeDays: 9 },
  ]),
  floors: fc.option(fc.record({ reservePriceCents: fc.option(cents), minMarginPct: fc.option(pct(99.99)) })),
})
const anyInput: fc.Arbitrary<ManagedQuoteInput> = fc.record({
  basePriceCents: cents,
  listPriceCents: fc.option(cents),
  stepsOfCents: fc.option(cents),
  quantity: fc.integer({ min: 1, max: 250 }),
  deliveryRegion: fc.option(fc.constantFrom('CA-US', 'BY-DE')),
  deadline: fc.option(fc.date({ noInvalidDate: true })),
  now: fc.constant(new Date('2026-11-16T10:00:00Z')),
  rules: anyRules,
})

describe('whatever the rules', () => {
  test('no price is under a floor, counted exactly in big integers', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const quote = quoteManaged(input)
        const { floors } = input.rules
        if (quote.kind === 'decline' || floors === null) return quote.kind === 'decline'
        const { reservePriceCents, minMarginPct } = floors
        const price = BigInt(quote.unitPriceCents)
        const margin = BigInt(Math.round((minMarginPct ?? 0) * 100))
        if (reservePriceCents === null) return price * 10_000n >= BigInt(input.basePriceCents) * margin
        const reserve = BigInt(reservePriceCents)
        return price >= reserve && price * (10_000n - margin) >= reserve * 10_000n
      }),
      { numRuns: 500 },
    )
  })

  test('without floors the discount is never beyond the tier or the cap by more than half a cent', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const rules = { ...input.rules, floors: RULES.floors, deliveryRegions: null }
        const quote = quoteManaged({ ...input, rules })
        if (quote.kind === 'decline') return false
        const tiers = rules.volumeDiscounts.filter(({ minQty }) => minQty <= input.quantity)
        const best = Math.max(0, ...tiers.map(({ discountPct }) => discountPct))
        const exact = input.basePriceCents * (1 - Math.min(best, rules.maxDiscountPct ?? 100) / 100)
        return Math.abs(quote.unitPriceCents - exact) <= 0.5 + 1e-4
      }),
      { numRuns: 500 },
    )
  })

  test('a larger quantity never has a higher unit price', () => {
    fc.assert(
      fc.property(anyInput, fc.integer({ min: 1, max: 250 }), (input, more) => {
        const one = quoteManaged(input)
        const many = quoteManaged({ ...input, quantity: input.quantity + more })
        if (one.kind === 'decline' || many.kind === 'decline') return one.kind === many.kind
        return many.unitPriceCents <= one.unitPriceCents
      }),
      { numRuns: 500 },
    )
  })

  test('shipping is free from the order value on, else that of the most specific region, else the flat cost', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const quote = quoteManaged(input)
        if (quote.kind === 'decline') return
        const { rules, deliveryRegion, quantity } = input
        const listed = (region: string) => rules.shippingByRegion.find((entry) => entry.region === region)
        const entry =
          deliveryRegion === null
            ? undefined
            : (listed(deliveryRegion) ?? listed(deliveryRegion.split('-').at(-1) ?? ''))
        const isFree =
          rules.freeShippingAboveCents !== null &&
          quote.unitPriceCents * quantity >= rules.freeShippingAboveCents
        expect(quote.shippingCostCents).toBe(isFree ? 0 : (entry?.costCents ?? rules.shippingCostCents))
        expect(quote.estimatedShippingDays).toBe(entry?.leadTimeDays ?? rules.leadTimeDays)
      }),
      { numRuns: 500 },
    )
  })

  test('a larger order at the same unit price never pays more for shipping', () => {
    fc.assert(
      fc.property(anyInput, fc.integer({ min: 1, max: 250 }), (input, more) => {
        const one = quoteManaged(input)
        const many = quoteManaged({ ...input, quantity: input.quantity + more })
        if (one.kind === 'decline' || many.kind === 'decline') return true
        if (one.unitPriceCents !== many.unitPriceCents || one.shippingCostCents === null) return true
        return (many.shippingCostCents ?? 0) <= one.shippingCostCents
      }),
      { numRuns: 500 },
    )
  })

  test('what is asked for is in stock only if there is that much of it', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const quote = quoteManaged(input)
        const { stock, inStock } = input.rules
        if (quote.kind === 'quote')
          expect(quote.inStock).toBe(inStock !== false && (stock === null || stock >= input.quantity))
      }),
      { numRuns: 500 },
    )
  })

  test('the same question has the same answer: whole cents, short terms, steps that end at the price unless a floor is above it', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const quote = quoteManaged(input)
        expect(quoteManaged(structuredClone(input))).toEqual(quote)
        if (quote.kind === 'decline') return
        expect(Number.isInteger(quote.unitPriceCents) && quote.unitPriceCents <= MAX_CENTS).toBe(true)
        expect(quote.terms?.length ?? 0).toBeLessThanOrEqual(200)
        const last = quote.steps.at(-1)?.unitPriceCents ?? Number.NaN
        if (quote.limited) expect(last).toBeLessThan(quote.unitPriceCents)
        else expect(last).toBe(quote.unitPriceCents)
      }),
      { numRuns: 500 },
    )
  })

  test('no step depends on a floor', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        const bound = quoteManaged(input)
        const free = quoteManaged({ ...input, rules: { ...input.rules, floors: RULES.floors } })
        if (bound.kind === free.kind) expect(bound.steps).toEqual(free.steps)
      }),
      { numRuns: 500 },
    )
  })

  test('anyone who asks for many quantities learns no more from the terms than from the prices: the same price has the same terms', () => {
    fc.assert(
      fc.property(anyInput, fc.integer({ min: 1, max: 250 }), (input, quantity) => {
        // How many there are shows in an answer to a larger request, and no floor has a part in it.
        const counted = { ...input, rules: { ...input.rules, stock: null } }
        const [one, other] = [quoteManaged(counted), quoteManaged({ ...counted, quantity })]
        if (one.kind === 'decline' || other.kind === 'decline') return
        if (one.unitPriceCents === other.unitPriceCents) expect(one.terms).toBe(other.terms)
      }),
      { numRuns: 1_000 },
    )
  })

  test.each([
    ['a floor under the first tier', 9_500, [null, 10, 10]],
    ['a floor under the second tier', 8_000, [null, 10, 100]],
    ['a floor under the base price', 9_950, [null, null, null]],
  ])('with %s a volume price is named from where it begins', (_what, reservePriceCents, from) => {
    const floors = { reservePriceCents, minMarginPct: null }
    const terms = [1, 10, 100].map(
      (quantity) => quoted({ volumeDiscounts: TIERS, floors }, { quantity }).terms,
    )
    expect(terms).toEqual(from.map((units) => units && `Volume price from ${units} units.`))
  })

  test('a floor that binds shows as a step in the price and nowhere else, but for the note that one did', () => {
    const floors = { reservePriceCents: 7_777, minMarginPct: 12.34 }
    const quote = quoted({ volumeDiscounts: TIERS, floors }, { quantity: 100 })
    expect(quote).toMatchObject({ unitPriceCents: 8_900, limited: true })
    expect(quote.steps.at(-1)).toEqual({ label: '30% off from 100 units', unitPriceCents: 7_000 })
    expect(JSON.stringify(quote)).not.toMatch(/reserve|margin|floor|8872|88\.72|7777|77\.77|12\.34/i)
  })

  test('tiers as stored and read leniently keep the promise that more never costs more', () => {
    const volumeDiscounts = readVolumeDiscounts([{ min_qty: 5, discount_pct: 3.333 }, 'junk', { min_qty: 2 }])
    expect(quoted({ volumeDiscounts }, { quantity: 5 }).unitPriceCents).toBe(9_667)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arrivalDay,
  ProductRules,
  readVolumeDiscounts,
  VolumeDiscounts,
  withDefaults,
} from './pricing.schema.ts'

describe('rules as they are set', () => {
  test('every rule may be given, left out or cleared with null', () => {
    const rules = {
      max_discount_pct: 12.5,
      lead_time_days: 3,
      return_policy_days: 0,
      reserve_price_usd: 19.99,
      min_margin_pct: 99.99,
      in_stock: true,
      delivery_regions: ['CA-US'],
      shipping_cost_usd: 0,
      price_usd: 0.01,
      stock: 0,
      free_shipping_above_usd: 50,
      shipping_by_region: [{ region: 'CA-US', cost_usd: 5, lead_time_days: null }],
    }
    expect(ProductRules.parse(rules)).toEqual(rules)
    expect(ProductRules.parse({})).toEqual({})
    const cleared = Object.fromEntries(Object.keys(rules).map((name) => [name, null]))
    expect(ProductRules.parse(cleared)).toEqual(cleared)
  })

  test.each([
    ['max_discount_pct', 100.01],
    ['max_discount_pct', -1],
    ['max_discount_pct', 1.005],
    ['max_discount_pct', '10'],
    ['lead_time_days', 1.5],
    ['lead_time_days', 366],
    ['lead_time_days', -1],
    ['return_policy_days', 366],
    ['reserve_price_usd', 1.005],
    ['reserve_price_usd', -0.01],
    ['reserve_price_usd', 1e12],
    ['min_margin_pct', 100],
    ['min_margin_pct', -1],
    ['in_stock', 'yes'],
    ['delivery_regions', ['Atlantis']],
    ['delivery_regions', 'US'],
    ['shipping_cost_usd', 4.999],
    ['price_usd', 0],
    ['price_usd', 9.999],
    ['stock', -1],
    ['stock', 1.5],
    ['stock', 1e12],
    ['free_shipping_above_usd', -1],
    ['shipping_by_region', { 'CA-US': 5 }],
    ['shipping_by_region', [{ region: 'Atlantis', cost_usd: 5 }]],
    ['shipping_by_region', [{ region: 'US', cost_usd: -1 }]],
    ['shipping_by_region', [{ region: 'US' }]],
    [
      'shipping_by_region',
      [
        { region: 'US-CA', cost_usd: 5 },
        { region: 'CA-US', cost_usd: 6 },
      ],
    ],
  ])('%s %j is refused', (field, value) => {
    const result = ProductRules.safeParse({ [field]: value })
    expect(result.error?.issues[0]?.path[0]).toBe(field)
  })

  test('delivery regions are kept in one form, each once', () => {
    expect(ProductRules.parse({ delivery_regions: ['ca-us', 'US-CA', 'gb', 'uk'] }).delivery_regions).toEqual(
      ['CA-US', 'GB'],
    )
  })

  const entry = (region: string, cost_usd: number, lead_time_days: number | null = null) => ({
    ...{ region, cost_usd, lead_time_days },
  })

  test('a product takes what it does not say itself from the organization', () => {
    const defaults = {
      ...{ lead_time_days: 5, return_policy_days: 30, max_discount_pct: 10, delivery_regions: ['US'] },
      ...{ shipping_cost_usd: 9, free_shipping_above_usd: 50, shipping_by_region: [entry('HI-US', 30, 12)] },
    }
    expect(withDefaults({}, defaults)).toEqual(defaults)
    const own = { price_usd: 3, stock: 4, in_stock: true, return_policy_days: 0, delivery_regions: [] }
    expect(withDefaults(own, defaults)).toEqual({ ...defaults, ...own })
    expect(withDefaults(own, {})).toMatchObject({ ...own, shipping_cost_usd: null, shipping_by_region: [] })
  })

  test.each([
    [{ shipping_cost_usd: 40 }, { free: null, hawaii: entry('HI-US', 40, 12), flat: 40 }],
    [
      { shipping_cost_usd: 0, free_shipping_above_usd: 80 },
      { free: 80, hawaii: entry('HI-US', 0, 12), flat: 0 },
    ],
    [{ lead_time_days: 20 }, { free: 50, hawaii: entry('HI-US', 30), flat: 9 }],
    [{ shipping_by_region: [entry('US', 7)] }, { free: 50, hawaii: undefined, flat: 9 }],
    [{ shipping_by_region: [entry('CA-US', 7)] }, { free: 50, hawaii: entry('HI-US', 30, 12), flat: 9 }],
  ])('with %j its own shipping or lead time is not overruled by the organization’s', (own, expected) => {
    const effective = withDefaults(own, {
      ...{ shipping_cost_usd: 9, free_shipping_above_usd: 50, shipping_by_region: [entry('HI-US', 30, 12)] },
    })
    expect({
      free: effective.free_shipping_above_usd,
      hawaii: effective.shipping_by_region?.find(({ region }) => region === 'HI-US'),
      flat: effective.shipping_cost_usd,
    }).toEqual(expected)
  })

  test.each([
    [[{ min_qty: 0, discount_pct: 5 }]],
    [[{ min_qty: 1.5, discount_pct: 5 }]],
    [[{ min_qty: 1, discount_pct: 101 }]],
    [[{ min_qty: 1 }]],
    [{}],
    [Array.from({ length: 51 }, () => ({ min_qty: 1, discount_pct: 1 }))],
  ])('tiers %j are refused when they are set', (tiers) => {
    expect(VolumeDiscounts.safeParse(tiers).success).toBe(false)
  })
})

describe('tiers as they were stored', () => {
  test('what makes no sense is passed over, the rest is used, smallest quantity first', () => {
    const stored = [
      { min_qty: 50, discount_pct: 20, note: 'kept as given' },
      null,
      'ten percent',
      { min_qty: '10', discount_pct: 5 },
      { min_qty: 10, discount_pct: Number.NaN },
      { min_qty: 10, discount_pct: 110 },
      { min_qty: -3, discount_pct: 5 },
      [{ min_qty: 5, discount_pct: 5 }],
      { min_qty: 10, discount_pct: 7.126 },
      { min_qty: 10, discount_pct: 5 },
    ]
    expect(readVolumeDiscounts(stored)).toEqual([
      { minQty: 10, discountPct: 7.13 },
      { minQty: 50, discountPct: 20 },
    ])
  })

  test('anything at all can be read without an error, and every tier read is in range', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything(), fc.array(fc.jsonValue())), (stored) =>
        readVolumeDiscounts(stored).every(
          ({ minQty, discountPct }) =>
            Number.isInteger(minQty) && minQty >= 1 && discountPct >= 0 && discountPct <= 100,
        ),
      ),
    )
  })
})

describe('business days', () => {
  test.each([
    // 16 November 2026 is a Monday.
    ['2026-11-16T00:00:00Z', 0, '2026-11-16'],
    ['2026-11-16T23:59:59Z', 0, '2026-11-16'],
    ['2026-11-16T12:00:00Z', 4, '2026-11-20'],
    ['2026-11-16T12:00:00Z', 5, '2026-11-23'],
    ['2026-11-20T12:00:00Z', 1, '2026-11-23'],
    ['2026-11-21T12:00:00Z', 0, '2026-11-23'],
    ['2026-11-21T12:00:00Z', 1, '2026-11-23'],
    ['2026-11-22T12:00:00Z', 6, '2026-11-30'],
    ['2026-12-30T12:00:00Z', 3, '2027-01-04'],
    ['2026-11-16T12:00:00Z', 0.5, '2026-11-17'],
  ])('from %s, %d business days end on %s', (from, days, day) => {
    expect(arrivalDay(new Date(from), days).toISOString()).toBe(`${day}T00:00:00.000Z`)
  })
})

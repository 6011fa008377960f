import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { QuoteInput } from './index.d.ts'
import { decline, findAnswerProblems, isDecline, QuoteError, quote } from './src/index.js'
import { NOW } from './test-support.ts'

const GOOD: QuoteInput = { priceUsd: 649, inStock: true, claimUrl: 'https://shop.example/q/1' }
const at = { now: NOW }
const iso = (hours: number) => new Date(NOW + hours * 3_600_000).toISOString()

test('a decline is exactly the four fields of the interface', () => {
  expect(JSON.stringify(decline())).toBe(
    '{"price_usd":0,"in_stock":false,"claim_url":"","offer_expires_at":""}',
  )
  expect(isDecline(decline())).toBe(true)
  expect(findAnswerProblems(decline(), at)).toEqual([])
})

test('a quote goes out under the names of the interface, and holds 23 hours unless told', () => {
  const everything = {
    ...GOOD,
    shippingCostUsd: 0,
    listPriceUsd: 699,
    estimatedShippingDays: 4,
    offerId: '0b9f4f0e-58c5-4c0e-9a50-3f6f3c1f2a11',
    terms: 'Returns within 30 days',
  }
  expect(quote(everything, at)).toEqual({
    price_usd: 649,
    in_stock: true,
    claim_url: 'https://shop.example/q/1',
    offer_expires_at: iso(23),
    shipping_cost_usd: 0,
    list_price_usd: 699,
    estimated_shipping_days: 4,
    offer_id: '0b9f4f0e-58c5-4c0e-9a50-3f6f3c1f2a11',
    terms: 'Returns within 30 days',
  })
  expect(Object.keys(quote({ ...GOOD, terms: undefined }, at))).toHaveLength(4)
})

test('what leaves quote() is always valid by the text of the interface', () => {
  const amount = fc.double({ min: 0, max: 1e9, noNaN: true })
  const input = fc.record(
    {
      priceUsd: fc.double({ min: 0.01, max: 1e9, noNaN: true }),
      inStock: fc.boolean(),
      claimUrl: fc.webUrl({ validSchemes: ['https'] }),
      offerExpiresAt: fc.integer({ min: 1, max: 86_400_000 }).map((ms) => new Date(NOW + ms)),
      shippingCostUsd: amount,
      estimatedShippingDays: fc.nat(),
    },
    { requiredKeys: ['priceUsd', 'inStock', 'claimUrl'] },
  )
  fc.assert(
    fc.property(input, (given) => {
      const sent = JSON.parse(JSON.stringify(quote(given, at)))
      expect(sent.price_usd).toBeTypeOf('number')
      expect(Math.abs(sent.price_usd - given.priceUsd)).toBeLessThanOrEqual(0.005 + 1e-6)
      expect(sent.in_stock).toBe(given.inStock)
      expect(sent.claim_url).toMatch(/^https:\/\//)
      const left = new Date(sent.offer_expires_at).getTime() - NOW
      expect(left > 0 && left <= 86_400_000).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('money is rounded to cents', () => {
  expect(quote({ ...GOOD, priceUsd: 33.1 * 3, shippingCostUsd: 0.1 + 0.2 }, at)).toMatchObject({
    price_usd: 99.3,
    shipping_cost_usd: 0.3,
  })
})

test.each<[string, object, string]>([
  ['a negative price', { priceUsd: -1 }, 'price_usd'],
  ['a price of nothing', { priceUsd: 0 }, 'price_usd'],
  ['a price in words', { priceUsd: '649' }, 'price_usd'],
  ['no price', { priceUsd: undefined }, 'price_usd'],
  ['a price that is no number', { priceUsd: Number.NaN }, 'price_usd'],
  ['a price past all numbers', { priceUsd: 1e308 }, 'price_usd'],
  ['stock as a number', { inStock: 3 }, 'in_stock'],
  ['an http link', { claimUrl: 'http://shop.example/' }, 'claim_url'],
  ['no link', { claimUrl: '' }, 'claim_url'],
  ['a malformed link', { claimUrl: 'https://' }, 'claim_url'],
  ['an offer that is over', { offerExpiresAt: iso(0) }, 'in the future'],
  ['an offer over 24 hours', { offerExpiresAt: new Date(NOW + 86_400_001) }, 'at most 24 hours'],
  ['a time without a zone', { offerExpiresAt: '2026-03-01T20:00:00' }, 'with a zone'],
  ['a day that does not exist', { offerExpiresAt: new Date('never') }, 'offer_expires_at'],
  ['shipping below nothing', { shippingCostUsd: -1 }, 'shipping_cost_usd'],
  ['shipping as null', { shippingCostUsd: null }, 'shipping_cost_usd'],
  ['days in words', { estimatedShippingDays: 'soon' }, 'estimated_shipping_days'],
  ['an offer id that is no UUID', { offerId: '17' }, 'offer_id'],
  ['endless terms', { terms: 'a'.repeat(501) }, 'terms'],
  ['the wire’s name', { price_usd: 5 }, 'price_usd is no field of a quote'],
])('%s is refused where the quote is made', (_what, change, says) => {
  const make = () => quote({ ...GOOD, ...change } as QuoteInput, at)
  expect(make).toThrow(QuoteError)
  expect(make).toThrow(says)
})

test('everything that is wrong is told at once', () => {
  const make = () => quote({ priceUsd: -1, inStock: 'yes', claimUrl: 'x' } as unknown as QuoteInput, at)
  expect(make).toThrow(expect.objectContaining({ problems: expect.toSatisfy((all) => all.length === 3) }))
})

test('exactly 24 hours is allowed, and any zone', () => {
  expect(quote({ ...GOOD, offerExpiresAt: iso(24) }, at).offer_expires_at).toBe(iso(24))
  expect(quote({ ...GOOD, offerExpiresAt: '2026-03-01T20:00:00+02:00' }, at).offer_expires_at).toBe(iso(6))
})

test('a JSON-RPC envelope around the answer is named as such', () => {
  expect(findAnswerProblems({ jsonrpc: '2.0', id: 1, result: decline() }, at)).toEqual([
    expect.stringContaining('JSON-RPC envelope'),
  ])
  for (const none of [null, undefined, [], 'no', 5]) expect(findAnswerProblems(none, at)).toHaveLength(1)
})

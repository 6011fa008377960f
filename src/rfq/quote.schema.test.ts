import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FULL, NOW, read, readText, VALID } from '../../test/answers.ts'
import { readAnswer, restoreAnswer, writeAnswer } from './quote.schema.ts'

function quoteOf(value: unknown) {
  const result = read(value)
  if (result.kind !== 'quote') throw new Error(JSON.stringify(result))
  return result.answer
}

describe('a quote', () => {
  test('of the four required fields is enough', () => {
    expect(read(VALID)).toEqual({
      kind: 'quote',
      answer: {
        priceCents: 1999,
        inStock: true,
        claimUrl: 'https://shop.example/claim?id=7',
        offerExpiresAt: new Date('2026-11-16T22:00:00Z'),
        shippingCostCents: null,
        listPriceCents: null,
        estimatedShippingDays: null,
        offerId: null,
        terms: null,
      },
    })
  })

  test('may state everything, and what the contract does not know is passed over', () => {
    expect(quoteOf({ ...FULL, currency: 'EUR', nested: { price_usd: 1 } })).toMatchObject({
      shippingCostCents: 0,
      listPriceCents: 2450,
      estimatedShippingDays: 3,
      offerId: '0193a1b2-0000-7000-8000-00000000000a',
      terms: 'Ships from Reno.',
    })
  })

  test('null in an optional field is the same as leaving it out', () => {
    const nulls = {
      shipping_cost_usd: null,
      list_price_usd: null,
      estimated_shipping_days: null,
      offer_id: null,
      terms: null,
    }
    expect(read({ ...VALID, ...nulls })).toEqual(read(VALID))
  })

  test('out of stock with a price is a quote still', () => {
    expect(quoteOf({ ...VALID, in_stock: false }).inStock).toBe(false)
  })

  test('in stock at no price is invalid', () => {
    expect(read({ ...VALID, price_usd: 0 })).toMatchObject({ kind: 'invalid', field: 'price_usd' })
    expect(quoteOf({ ...VALID, price_usd: 0.01 }).priceCents).toBe(1)
  })

  test.each([
    [19.99, 1999],
    [1.005, 101],
    [17.991, 1799],
    [99.30000000000001, 9930],
    [0.505, 51],
    [1e2, 10_000],
    [100_000_000, 10_000_000_000],
  ])('price %d is %d cents', (price_usd, cents) => {
    expect(quoteOf({ ...VALID, price_usd }).priceCents).toBe(cents)
  })

  test('part of a business day is a day', () => {
    expect(quoteOf({ ...VALID, estimated_shipping_days: 2.1 }).estimatedShippingDays).toBe(3)
  })

  test('an offer_id that is no UUID is dropped, not the quote', () => {
    expect(quoteOf({ ...VALID, offer_id: 'SKU-7' }).offerId).toBeNull()
  })

  test('terms are one line of plain text of at most 200 characters', () => {
    expect(quoteOf({ ...VALID, terms: '<b>Free</b>\n\u202ereturns\u0000 <script>x()</script>' }).terms).toBe(
      'Free returns',
    )
    const long = quoteOf({ ...VALID, terms: 'word '.repeat(100) }).terms
    expect(long?.length).toBeLessThanOrEqual(200)
    expect(long).toMatch(/word…$/)
    expect(quoteOf({ ...VALID, terms: ' \u200b ' }).terms).toBeNull()
  })

  test('the last moment of the 24 hours is allowed, with any zone', () => {
    for (const offer_expires_at of [
      '2026-11-17T10:00:00.000Z',
      '2026-11-17T02:00:00-08:00',
      '2026-11-16T10:00:00.001',
    ])
      expect(read({ ...VALID, offer_expires_at }).kind).toBe('quote')
  })

  test('a byte order mark is passed over', () => {
    expect(readText(`\ufeff${JSON.stringify(VALID)}`).kind).toBe('quote')
  })

  test('written and read again as of the same moment it is equal', () => {
    const answer = quoteOf(FULL)
    expect(read(writeAnswer(answer))).toEqual({ kind: 'quote', answer })
    expect(writeAnswer(quoteOf(VALID))).toEqual({ ...VALID, offer_expires_at: '2026-11-16T22:00:00.000Z' })
  })
})

describe('a decline', () => {
  const decline = { price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }
  test.each([
    ['the shape of the contract', decline],
    ['nulls for empty strings', { ...decline, claim_url: null, offer_expires_at: null }],
    ['the strings left out', { price_usd: 0, in_stock: false }],
    ['with terms beside it', { ...decline, terms: 'Sold out' }],
    ['with a real link but no price', { ...VALID, price_usd: 0, in_stock: false }],
  ])('%s', (_, value) => expect(read(value)).toEqual({ kind: 'decline' }))

  test('is not an empty link beside a real price', () => {
    expect(read({ ...decline, price_usd: 5 })).toMatchObject({ kind: 'invalid', field: 'claim_url' })
    expect(read({ ...decline, in_stock: true })).toMatchObject({ kind: 'invalid', field: 'price_usd' })
  })

  test('is not one when the strings are something else', () => {
    expect(read({ ...decline, claim_url: 5 })).toMatchObject({ kind: 'invalid', field: 'claim_url' })
  })
})

describe('whatever is sent', () => {
  test('any bytes give one of the three answers, and never an error', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .record(
          Object.fromEntries(
            Object.entries(FULL).map(([field, good]) => [field, fc.oneof(fc.constant(good), fc.jsonValue())]),
          ),
          { requiredKeys: [] },
        )
        .map((value) => Buffer.from(JSON.stringify(value))),
    )
    fc.assert(
      fc.property(bytes, (body) => {
        const result = readAnswer(body, NOW)
        if (result.kind !== 'quote') return
        const { answer } = result
        expect(Number.isSafeInteger(answer.priceCents) && answer.priceCents >= 0).toBe(true)
        expect(answer.claimUrl).toMatch(/^https:\/\/[^/]/)
        expect(answer.offerExpiresAt.getTime()).toBeGreaterThan(NOW.getTime())
        const stored = JSON.stringify(writeAnswer(answer))
        expect(readAnswer(Buffer.from(stored), NOW)).toEqual(result)
        expect(restoreAnswer(JSON.parse(stored))).toEqual(answer)
      }),
      { numRuns: 1000 },
    )
  })

  test('every price in whole cents survives to the cent', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000_000_000 }), (cents) => {
        const answer = quoteOf({ ...VALID, price_usd: cents / 100, shipping_cost_usd: cents / 100 })
        return answer.priceCents === cents && restoreAnswer(writeAnswer(answer)).shippingCostCents === cents
      }),
    )
  })
})

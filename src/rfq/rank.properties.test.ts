import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Ranked, ReceivedQuote } from './quote.schema.ts'
import { rankQuotes } from './rank.ts'

// A Monday.
const NOW = new Date('2026-11-16T10:00:00Z')
const FRIDAY = new Date('2026-11-20T23:59:59.999Z')

function rank(quotes: ReceivedQuote[], { deadline }: { deadline: Date | null }): Ranked[] {
  return rankQuotes(quotes, { quantity: 2, deadline, now: NOW })
}

const order = (ranked: Ranked[]) => ranked.map(({ org }) => org.id)

/** Few values for each field, so that ties are common. */
const anyQuote: fc.Arbitrary<
  Omit<ReceivedQuote, 'id' | 'org'> & { verified: boolean; domain: string | null }
> = fc.record({
  answer: fc.record({
    inStock: fc.boolean(),
    priceCents: fc.integer({ min: 1, max: 3 }),
    shippingCostCents: fc.option(fc.integer({ min: 0, max: 2 })),
    estimatedShippingDays: fc.option(fc.constantFrom(0, 4, 5)),
    claimUrl: fc.constant('https://shop.example/claim'),
    offerExpiresAt: fc.constant(new Date('2026-11-16T22:00:00Z')),
    listPriceCents: fc.constant(null),
    offerId: fc.constant(null),
    terms: fc.constant(null),
  }),
  health: fc.record({
    status: fc.constantFrom('active', 'pending', 'unreachable'),
    failuresInARow: fc.integer({ min: 0, max: 1 }),
  }),
  verified: fc.boolean(),
  domain: fc.constantFrom('shop.example', 'other.example', null),
  responseMs: fc.integer({ min: 1, max: 2 }),
})
const anyQuotes: fc.Arbitrary<ReceivedQuote[]> = fc
  .array(anyQuote, { minLength: 1, maxLength: 12 })
  .map((quotes) =>
    quotes.map(({ verified, domain, ...quote }, index) => {
      const id = `org-${String(index).padStart(2, '0')}`
      return { ...quote, id, org: { id, name: id, orgType: 'retailer', verified, domain } }
    }),
  )
const anyDeadline = fc.constantFrom(null, FRIDAY)

describe('whatever the quotes', () => {
  test('the order does not depend on the order they came in, nor do the reasons', () => {
    fc.assert(
      fc.property(
        anyQuotes.chain((quotes) =>
          fc.tuple(fc.constant(quotes), fc.shuffledSubarray(quotes, { minLength: quotes.length })),
        ),
        anyDeadline,
        ([quotes, shuffled], deadline) => {
          expect(rank(shuffled, { deadline })).toEqual(rank(quotes, { deadline }))
        },
      ),
      { numRuns: 300 },
    )
  })

  test('every quote has one place, from 1 on, at least one reason, none twice; one at most has won', () => {
    fc.assert(
      fc.property(anyQuotes, anyDeadline, (quotes, deadline) => {
        const ranked = rank(quotes, { deadline })
        expect(ranked.map((entry) => entry.rank)).toEqual(quotes.map((_, index) => index + 1))
        expect(order(ranked).sort()).toEqual(quotes.map(({ org }) => org.id).sort())
        for (const { rankReasons } of ranked) {
          expect(rankReasons.length).toBeGreaterThan(0)
          expect(new Set(rankReasons).size).toBe(rankReasons.length)
        }
        const won = ranked.filter(({ lossReason }) => lossReason === null).map((entry) => entry.rank)
        expect(won).toEqual(quotes.some(({ answer }) => answer.inStock) ? [1] : [])
      }),
      { numRuns: 300 },
    )
  })

  test('each pair stands as the list of measures says, compared one by one', () => {
    const measures = (entry: Ranked, deadline: Date | null) => [
      Number(!entry.answer.inStock),
      Number(deadline !== null && entry.meetsDeadline !== true),
      Number(entry.answer.shippingCostCents === null),
      entry.totalCents,
      entry.answer.estimatedShippingDays ?? 1_000,
      ['active', 'pending', 'unreachable'].indexOf(entry.health.status),
      entry.health.failuresInARow,
      Number(!entry.org.verified),
      // All lead to shop.example.
      Number(entry.org.domain !== 'shop.example'),
      entry.responseMs,
    ]
    fc.assert(
      fc.property(anyQuotes, anyDeadline, (quotes, deadline) => {
        const ranked = rank(quotes, { deadline })
        for (const [index, lower] of ranked.entries())
          for (const upper of ranked.slice(0, index)) {
            const [above, below] = [measures(upper, deadline), measures(lower, deadline)]
            const at = above.findIndex((value, position) => value !== below[position])
            if (at === -1) expect(upper.org.id < lower.org.id).toBe(true)
            else expect(above[at]).toBeLessThan(below[at] ?? Number.NaN)
          }
      }),
      { numRuns: 300 },
    )
  })

  test('one more quote never changes the order of the others', () => {
    fc.assert(
      fc.property(anyQuotes, anyDeadline, (quotes, deadline) => {
        const all = order(rank(quotes, { deadline }))
        const [out, ...rest] = quotes
        expect(order(rank(rest, { deadline }))).toEqual(all.filter((id) => id !== out?.org.id))
      }),
    )
  })
})

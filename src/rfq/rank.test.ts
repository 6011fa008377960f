import { describe, expect, test } from 'vitest'
import type { ProducerAnswer, Ranked, ReceivedQuote } from './quote.schema.ts'
import { rankQuotes } from './rank.ts'

// A Monday.
const NOW = new Date('2026-11-16T10:00:00Z')
const FRIDAY = new Date('2026-11-20T23:59:59.999Z')

type Change = Partial<Omit<ReceivedQuote, 'answer' | 'org'>> & {
  answer?: Partial<ProducerAnswer>
  org?: Partial<ReceivedQuote['org']>
}

function quote(id: string, change: Change = {}): ReceivedQuote {
  return {
    id,
    responseMs: 100,
    health: { status: 'active', failuresInARow: 0 },
    ...change,
    org: { id, name: id, orgType: 'retailer', verified: true, domain: `${id}.example`, ...change.org },
    answer: {
      priceCents: 10_000,
      inStock: true,
      claimUrl: `https://${id}.example/claim`,
      offerExpiresAt: new Date('2026-11-16T22:00:00Z'),
      shippingCostCents: 0,
      listPriceCents: null,
      estimatedShippingDays: 3,
      offerId: null,
      terms: null,
      ...change.answer,
    },
  }
}

function rank(quotes: ReceivedQuote[], { quantity = 1, deadline = null as Date | null } = {}): Ranked[] {
  return rankQuotes(quotes, { quantity, deadline, now: NOW })
}

const order = (ranked: Ranked[]) => ranked.map(({ org }) => org.id)

describe('the order', () => {
  // Each pair differs in one measure, and the loser is better in every measure after it.
  const best: Change = {
    answer: { priceCents: 1, estimatedShippingDays: 0 },
    responseMs: 1,
  }
  const worst: Change = {
    answer: { priceCents: 90_000, estimatedShippingDays: 4 },
    health: { status: 'unreachable', failuresInARow: 9 },
    org: { verified: false },
    responseMs: 20_000,
  }
  const cases: Array<[string, Change, Change, string, string]> = [
    [
      'in stock before out of stock',
      { ...worst, answer: { priceCents: 90_000, estimatedShippingDays: null, shippingCostCents: null } },
      { ...best, answer: { ...best.answer, inStock: false } },
      'in stock; the next is not',
      'you were out of stock; the winner was not',
    ],
    [
      'in time before late',
      { ...worst, answer: { ...worst.answer, shippingCostCents: null } },
      { ...best, answer: { ...best.answer, estimatedShippingDays: 5 } },
      'arrives by your deadline; the next does not',
      'you deliver after the deadline; the winner meets it',
    ],
    [
      'in time before not stated',
      { ...worst, answer: { ...worst.answer, shippingCostCents: null } },
      { ...best, answer: { ...best.answer, estimatedShippingDays: null } },
      'arrives by your deadline; the next gives no delivery time',
      'you gave no delivery time; the winner meets the deadline',
    ],
    [
      'shipping stated before not stated',
      worst,
      { ...best, answer: { ...best.answer, shippingCostCents: null } },
      'states shipping cost; the next does not',
      'you gave no shipping cost; the winner did',
    ],
    [
      'the lower total',
      { ...worst, answer: { priceCents: 9_000, shippingCostCents: 690, estimatedShippingDays: 4 } },
      { ...best, answer: { priceCents: 8_000, shippingCostCents: 2_930, estimatedShippingDays: 0 } },
      '$12.40 cheaper in total than the next',
      'your total was 10–15% above the winner’s',
    ],
    [
      'the faster delivery',
      { ...worst, answer: { estimatedShippingDays: 1 } },
      { ...best, answer: { estimatedShippingDays: 3 } },
      'same total as the next, 2 business days faster',
      'price was not what decided: the winner delivers faster',
    ],
    [
      'the healthier integration by status',
      { org: { verified: false }, responseMs: 900, health: { status: 'pending', failuresInARow: 2 } },
      { health: { status: 'unreachable', failuresInARow: 0 } },
      'same price and delivery as the next, has answered more reliably',
      'price was not what decided: the winner has answered more reliably',
    ],
    [
      'the healthier integration by failures',
      { org: { verified: false }, responseMs: 900 },
      { health: { status: 'active', failuresInARow: 1 } },
      'same price and delivery as the next, has answered more reliably',
      'price was not what decided: the winner has answered more reliably',
    ],
    [
      'the verified organization',
      { responseMs: 900 },
      { org: { verified: false } },
      'same price and delivery as the next, from a verified organization',
      'price was not what decided: the winner is verified',
    ],
    [
      'a link that stays on the proved domain',
      { responseMs: 900 },
      { answer: { claimUrl: 'https://pay.example/claim' } },
      'same price and delivery as the next, whose link leaves its seller’s domain',
      'price was not what decided: the winner’s link stays on its own domain',
    ],
    [
      'the sooner answer',
      { responseMs: 99 },
      {},
      'same price and delivery as the next, answered sooner',
      'price was not what decided: the winner answered sooner',
    ],
    [
      'the smaller id',
      { answer: { claimUrl: 'https://z.example/' } },
      { answer: { claimUrl: 'https://a.example/' } },
      'identical to the next',
      'price was not what decided: you and the winner were equal in everything we compare',
    ],
  ]

  test.each(cases)('%s, and both are told why', (name, first, second, won, lost) => {
    const [a, b] = name === 'the smaller id' ? ['a', 'b'] : ['z', 'a']
    const ranked = rank([quote(b, second), quote(a, first)], { deadline: FRIDAY })
    expect(order(ranked)).toEqual([a, b])
    expect(ranked[0]?.rankReasons).toContain(won)
    expect(ranked.map(({ lossReason }) => lossReason)).toEqual([null, lost])
  })

  test('without a deadline delivery times only break ties', () => {
    const slow = quote('slow', { answer: { priceCents: 9_999, estimatedShippingDays: 300 } })
    expect(order(rank([quote('fast'), slow]))).toEqual(['slow', 'fast'])
  })

  test('the total is price × quantity plus shipping once', () => {
    const dear = quote('dear', { answer: { priceCents: 990, shippingCostCents: 500 } })
    const cheap = quote('cheap', { answer: { priceCents: 1_000, shippingCostCents: 0 } })
    expect(rank([dear, cheap]).map(({ totalCents }) => totalCents)).toEqual([1_000, 1_490])
    expect(order(rank([dear, cheap], { quantity: 100 }))).toEqual(['dear', 'cheap'])
    expect(rank([dear], { quantity: 100 })[0]?.totalCents).toBe(99_500)
  })

  test('a delivery on the day of the deadline is in time', () => {
    const on = (days: number) => quote('a', { answer: { estimatedShippingDays: days } })
    expect(rank([on(4)], { deadline: FRIDAY })[0]?.meetsDeadline).toBe(true)
    expect(rank([on(5)], { deadline: FRIDAY })[0]?.meetsDeadline).toBe(false)
    expect(rank([on(5)])[0]?.meetsDeadline).toBeNull()
    const midnight = new Date('2026-11-20T00:00:00Z')
    expect(rank([on(4)], { deadline: midnight })[0]?.meetsDeadline).toBe(true)
  })
})

describe('the reasons', () => {
  test('of each place speak of the next, of the one above and of what is missing', () => {
    const ranked = rank(
      [
        quote('cheap', { answer: { priceCents: 5_000, estimatedShippingDays: 20 } }),
        quote('gone', { answer: { inStock: false, estimatedShippingDays: null } }),
        quote('first', { answer: { priceCents: 10_000 } }),
        quote('second', { answer: { priceCents: 10_310 } }),
        quote('vague', { answer: { priceCents: 4_000, shippingCostCents: null, estimatedShippingDays: 20 } }),
      ],
      { deadline: FRIDAY },
    )
    expect(ranked.map(({ org, rankReasons }) => [org.id, rankReasons])).toEqual([
      ['first', ['arrives by your deadline', '$3.10 cheaper in total than the next']],
      ['second', ['arrives by your deadline; the next does not', '$3.10 more in total than the one above']],
      ['cheap', ['arrives after your deadline', 'states shipping cost; the next does not']],
      ['vague', ['arrives after your deadline', 'shipping cost not stated', 'in stock; the next is not']],
      ['gone', ['out of stock', 'delivery time not stated; it may miss your deadline']],
    ])
    expect(ranked.map(({ lossReason }) => lossReason)).toEqual([
      null,
      'your total was 0–5% above the winner’s',
      'you deliver after the deadline; the winner meets it',
      'you deliver after the deadline; the winner meets it',
      'you were out of stock; the winner was not',
    ])
  })

  test('compare prices before shipping where neither states it', () => {
    const ranked = rank([
      quote('a', { answer: { shippingCostCents: null } }),
      quote('b', { answer: { shippingCostCents: null, priceCents: 10_500 } }),
    ])
    expect(ranked[0]?.rankReasons).toEqual([
      'shipping cost not stated',
      '$5 cheaper before shipping than the next',
    ])
    expect(ranked[1]?.lossReason).toBe('your total was 5–10% above the winner’s')
  })

  test('one day is one business day, and a missing delivery time is said', () => {
    const ranked = rank([
      quote('b', { answer: { estimatedShippingDays: 2 } }),
      quote('a', { answer: { estimatedShippingDays: 1 } }),
      quote('c', { answer: { estimatedShippingDays: null } }),
    ])
    expect(ranked.map(({ rankReasons }) => rankReasons)).toEqual([
      ['same total as the next, 1 business day faster'],
      [
        'same total as the next, which gives no delivery time',
        'same total as the one above, 1 business day slower',
      ],
      ['same total as the one above, but no delivery time stated'],
    ])
  })

  test('a single quote is the only one', () => {
    expect(rank([quote('a')])[0]).toMatchObject({
      rank: 1,
      rankReasons: ['the only quote'],
      lossReason: null,
    })
  })

  test('first among those that have none to sell has not won', () => {
    const gone = { answer: { inStock: false } }
    const ranked = rank([quote('a', gone), quote('b', gone)])
    expect(ranked[0]?.lossReason).toBe('you were out of stock, and so was everyone')
    expect(ranked[1]?.lossReason).toBe(
      'price was not what decided: you and the winner were equal in everything we compare',
    )
  })

  test('no quotes give no ranking', () => expect(rank([])).toEqual([]))

  test('what the caller carries along stays with its quote', () => {
    const [only] = rankQuotes([{ ...quote('a'), id: 'q-1' }], { quantity: 1, deadline: null, now: NOW })
    expect(only?.id).toBe('q-1')
  })
})

import { expect, test } from 'vitest'
import type { ProducerAnswer, ReceivedQuote } from '../../../rfq/quote.schema.ts'
import { rankQuotes } from '../../../rfq/rank.ts'
import { adviceOn, decidedBy, type Measure } from './why.ts'

const NOW = new Date('2026-11-16T10:00:00Z')
const FRIDAY = new Date('2026-11-20T23:59:59.999Z')

type Change = Partial<Pick<ReceivedQuote, 'responseMs' | 'health'>> & {
  answer?: Partial<ProducerAnswer>
  verified?: boolean
  domain?: string
}

function quote(
  id: string,
  { answer, verified = true, domain = 'shop.example', ...change }: Change = {},
): ReceivedQuote {
  return {
    id,
    responseMs: 100,
    health: { status: 'active', failuresInARow: 0 },
    ...change,
    org: { id, name: id, orgType: 'retailer', verified, domain },
    answer: {
      priceCents: 10_000,
      inStock: true,
      claimUrl: 'https://shop.example/',
      offerExpiresAt: FRIDAY,
      shippingCostCents: 0,
      listPriceCents: null,
      estimatedShippingDays: 3,
      offerId: null,
      terms: null,
      ...answer,
    },
  }
}

const LOSSES: Array<[Measure | null, Change, Date | null]> = [
  ['stock', { answer: { inStock: false } }, null],
  ['deadline', { answer: { estimatedShippingDays: null } }, FRIDAY],
  ['deadline', { answer: { estimatedShippingDays: 9 } }, FRIDAY],
  ['shipping', { answer: { shippingCostCents: null } }, null],
  ['total', { answer: { priceCents: 10_001 } }, null],
  ['total', { answer: { shippingCostCents: 1 } }, null],
  ['days', { answer: { estimatedShippingDays: 4 } }, null],
  ['days', { answer: { estimatedShippingDays: null } }, null],
  ['health', { health: { status: 'unreachable', failuresInARow: 3 } }, null],
  ['verified', { verified: false }, null],
  ['link', { domain: 'other.example' }, null],
  ['speed', { responseMs: 101 }, null],
  [null, {}, null],
]

test.each(LOSSES)(
  'what the ranking says of a loss by %s is understood as that',
  (measure, change, deadline) => {
    const quotes = [quote('a'), quote('b', change)]
    const lossReason = rankQuotes(quotes, { quantity: 1, deadline, now: NOW })[1]?.lossReason ?? ''
    expect(lossReason).not.toBe('')
    expect(decidedBy(lossReason)).toBe(measure)
    expect(adviceOn(lossReason)).toMatch(/^[A-Z].*\.$/)
  },
)

test('both without a shipping cost, the dearer one lost by its price', () => {
  const quotes = [8_000, 9_000].map((priceCents) =>
    quote(`q${priceCents}`, { answer: { priceCents, shippingCostCents: null } }),
  )
  const lossReason = rankQuotes(quotes, { quantity: 2, deadline: null, now: NOW })[1]?.lossReason ?? ''
  expect(decidedBy(lossReason)).toBe('total')
})

test('first among those who are out of stock, the stock is what was missing', () => {
  const [first] = rankQuotes([quote('a', { answer: { inStock: false } })], {
    quantity: 1,
    deadline: null,
    now: NOW,
  })
  expect(decidedBy(first?.lossReason ?? '')).toBe('stock')
})

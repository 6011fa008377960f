import { expect, test } from 'vitest'
import type { ReceivedRfqRow } from '../../../rfq/inspector.service.ts'
import type { ProducerAnswer, ReceivedQuote } from '../../../rfq/quote.schema.ts'
import { rankQuotes } from '../../../rfq/rank.ts'
import { type Measure, outcomeWords } from './why.ts'

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

const LOST: ReceivedRfqRow = {
  ...{ id: 'r', productSlug: 'lamps/one', productTitle: 'One', quantity: 1, deliveryRegion: null },
  ...{
    deadlineIso: null,
    variant: null,
    state: 'completed',
    askedAt: NOW,
    kind: 'managed',
    tries: 1,
    verdict: 'quoted',
  },
  ...{ reason: null, responseMs: 1, answer: {}, rank: 2, quotes: 2, lossReason: null, loss: null },
  ...{ choice: null, clicks: 0, outcome: 'lost' },
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

test.each(LOSSES)('a loss by %s is stored as that, and has advice', (measure, change, deadline) => {
  const quotes = [quote('a'), quote('b', change)]
  const lost = rankQuotes(quotes, { quantity: 1, deadline, now: NOW })[1]
  expect(lost?.loss?.measure).toBe(measure ?? 'tie')
  const { sentences } = outcomeWords({
    ...LOST,
    loss: lost?.loss ?? null,
    lossReason: lost?.lossReason ?? null,
  })
  expect(sentences).toHaveLength(2)
  for (const said of sentences) expect(said).toMatch(/^[A-Z].*\.$/)
})

test('both without a shipping cost, the more expensive one lost by its price', () => {
  const quotes = [8_000, 9_000].map((priceCents) =>
    quote(`q${priceCents}`, { answer: { priceCents, shippingCostCents: null } }),
  )
  const lost = rankQuotes(quotes, { quantity: 2, deadline: null, now: NOW })[1]
  expect(lost?.loss).toEqual({ measure: 'total', gapBand: '10-15', help: 'price' })
  expect(lost?.lossReason).toBe('your total was 10–15% above the winner’s')
})

test('first among those who are out of stock, the stock is what was missing', () => {
  const [first] = rankQuotes([quote('a', { answer: { inStock: false } })], {
    quantity: 1,
    deadline: null,
    now: NOW,
  })
  expect(first?.loss?.measure).toBe('stock')
})

test('who was not chosen learns that, and nothing of the one who was', () => {
  const { headline, sentences } = outcomeWords({ ...LOST, rank: 1, choice: 'another' })
  expect([headline, ...sentences]).toEqual(['First, but not a win.', 'The buyer chose another quote.'])
})

import { describe, expect, test } from 'vitest'
import { adviceOf } from './advice.ts'
import { NO_LINK } from './managed.ts'
import { HELPS } from './quote.schema.ts'

const LOST = {
  outcome: 'lost',
  verdict: 'quoted',
  reason: null,
  kind: 'managed',
  choice: null,
  rank: 2,
  productSlug: 'stools/perch',
  loss: { measure: 'total', gapBand: '10-15', help: 'price' },
} as const

describe('what would have helped most', () => {
  test('is the price, in a band of 5 %, with the field where it is set', () => {
    expect(adviceOf(LOST)).toEqual({
      ...{ help: 'price', gapBand: '10-15', path: '/dashboard/pricing/stools/perch#field-price_usd' },
      text: 'A lower price would have helped most. Your total was 10–15% above the winner’s.',
    })
  })

  test.each(HELPS)('%s is named and leads somewhere, for rules and for agents', (help) => {
    for (const kind of ['managed', 'agent'] as const) {
      const advice = adviceOf({ ...LOST, kind, loss: { measure: 'total', gapBand: null, help } })
      expect(advice).toMatchObject({ help, text: expect.stringMatching(/\.$/) })
      expect(advice?.path).toMatch(
        kind === 'agent' || help === 'answer' ? /^\/dashboard\/agent$/ : /^\/dashboard\/pricing\/.*#field-/,
      )
    }
  })

  test.each([
    [{ outcome: 'failed', verdict: 'timeout', kind: 'agent' }, 'answer', '/dashboard/agent'],
    [{ outcome: 'declined', verdict: 'not_delivered' }, 'region', '#field-delivery_regions'],
    [{ outcome: 'declined', verdict: 'declined' }, 'price', '#field-price_usd'],
    [{ outcome: 'declined', verdict: 'declined', kind: 'agent' }, 'answer', '/dashboard/agent'],
    [{ outcome: 'declined', verdict: 'declined', reason: NO_LINK }, 'answer', '/dashboard/organization'],
    [{ outcome: 'lost', rank: 1, choice: 'another' }, 'price', '#field-price_usd'],
  ] as const)('%j: %s', (rfq, help, path) => {
    expect(adviceOf({ ...LOST, rank: null, loss: null, ...rfq })).toMatchObject({
      help,
      path: expect.stringContaining(path),
    })
  })

  test.each(['won', 'first', 'waiting', 'canceled'] as const)('%s needs none', (outcome) => {
    expect(adviceOf({ ...LOST, outcome })).toBeNull()
  })

  test('a loss from before causes were kept has none', () => {
    expect(adviceOf({ ...LOST, loss: null })).toBeNull()
  })
})

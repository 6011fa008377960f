/**
 * What a seller does next about requests that were not won: by product and by what would have helped most, the one with
 * the most at stake first. What was quoted is what is at stake; of other sellers nothing is told but what each request
 * tells already.
 */
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { Act } from '../orgs/producer.ts'
import { type Advice, adviceOf } from '../rfq/advice.ts'
import { listReceivedRfqs, type ReceivedRfqRow } from '../rfq/inspector.service.ts'

export type NextStepsContext = { db: Db; clock: Clock }

export type NextStep = Pick<Advice, 'help' | 'text' | 'path'> & {
  productSlug: string
  title: string
  requests: number
  atStakeCents: number
}

/** Of the last ones; what helped with older ones is past. */
const MOST_READ = 500

export async function getNextSteps(
  ctx: NextStepsContext,
  act: Pick<Act, 'caller'>,
  { from, to }: { from: string; to: string },
): Promise<NextStep[]> {
  const since = new Date(`${from}T00:00:00Z`)
  const received = await listReceivedRfqs(ctx, act, { since, limit: MOST_READ })
  return nextStepsOf(received.filter(({ askedAt }) => askedAt.toISOString().slice(0, 10) <= to))
}

export function nextStepsOf(received: readonly ReceivedRfqRow[]): NextStep[] {
  const steps = new Map<string, NextStep & { most: number }>()
  for (const rfq of received) {
    const advice = adviceOf(rfq)
    if (advice === null) continue
    const { help, text, path } = advice
    const stake = quotedCents(rfq)
    const key = `${rfq.productSlug} ${help}`
    const known = steps.get(key)
    steps.set(key, {
      ...{ help, productSlug: rfq.productSlug, title: rfq.productTitle },
      // The words are those of the request with the most at stake.
      ...(known && known.most >= stake
        ? { text: known.text, path: known.path, most: known.most }
        : { text, path, most: stake }),
      requests: (known?.requests ?? 0) + 1,
      atStakeCents: (known?.atStakeCents ?? 0) + stake,
    })
  }
  return [...steps.values()]
    .map(({ most: _, ...step }) => step)
    .toSorted(
      (a, b) =>
        b.atStakeCents - a.atStakeCents ||
        b.requests - a.requests ||
        a.productSlug.localeCompare(b.productSlug),
    )
}

/** What the buyer would have paid by its quote; 0 where it gave none. */
function quotedCents({ answer, quantity }: ReceivedRfqRow): number {
  const [price, shipping] = [answer?.price_usd, answer?.shipping_cost_usd]
  if (typeof price !== 'number') return 0
  return Math.round(100 * (price * quantity + (typeof shipping === 'number' ? shipping : 0)))
}

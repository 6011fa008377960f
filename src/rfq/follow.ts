/** Waiting for a request to end, and following it until then. All that do so on this node look together (see looks). */
import { joinAbort } from '../lib/abort.ts'
import type { Progress } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import { type Look, watchRfq } from './looks.ts'
import { type Quote, type ReceivedQuote, shownQuote } from './quote.schema.ts'
import type { Rfq } from './rfq.queries.ts'
import { getRfqTask, isReadable, noSuchRfq, type RfqTask, requireReadable, taskOf } from './rfq.service.ts'

/** The task when it has ended, or as it is after `ms`. */
export async function waitForRfq(
  ctx: RfqContext,
  { id, userId, ms, signal }: { id: string; userId: string | null; ms: number; signal?: AbortSignal },
): Promise<RfqTask> {
  await requireReadable(ctx, { id, userId })
  const over = joinAbort([signal], ms)
  try {
    for await (const look of watchRfq(ctx, { id, signal: over.signal })) {
      const rfq = readableOf(look, userId)
      if (rfq.state !== 'submitted') return taskOf(rfq, await look.ranked())
    }
  } finally {
    over.letGo()
  }
  return getRfqTask(ctx, { id, userId })
}

function readableOf({ rfq }: Look, userId: string | null): Rfq {
  if (rfq && isReadable(rfq, userId)) return rfq
  throw noSuchRfq()
}

/** A quote that has arrived, before it has a place and a signature. */
export type ArrivedQuote = Omit<Quote, 'rank' | 'rank_reasons' | 'signature' | 'claim_url'>
type RfqEvent =
  | { kind: 'quote'; quote: ArrivedQuote }
  /** How many sellers were asked and have answered, each time that it changes. */
  | ({ kind: 'progress' } & Progress)
  | { kind: 'ended'; task: RfqTask }

/** Answers as they arrive, then the ranked whole. */
export async function* streamRfq(
  ctx: RfqContext,
  { id, userId, signal }: { id: string; userId: string | null; signal?: AbortSignal },
): AsyncGenerator<RfqEvent> {
  await requireReadable(ctx, { id, userId })
  const seen = new Set<string>()
  let last = ''
  for await (const look of watchRfq(ctx, { id, signal })) {
    const rfq = readableOf(look, userId)
    for (const row of await look.quotes()) {
      if (seen.has(row.id)) continue
      seen.add(row.id)
      yield { kind: 'quote', quote: arrived(row, rfq.quantity) }
    }
    if (rfq.state === 'submitted') {
      const progress = await look.progress()
      const now = `${progress.answered} of ${progress.asked}`
      if (progress.asked > 0 && now !== last) yield { kind: 'progress', ...progress }
      last = now
    } else {
      yield { kind: 'ended', task: taskOf(rfq, await look.ranked()) }
      return
    }
  }
}

/** For the last answers to be ranked and written, and for a node that is busy. */
const GRACE_MS = 5_000

/** The same until one of the signals ends it, or the sellers' time is up and a little more. */
export async function* streamUntilLate(
  ctx: RfqContext,
  { id, userId, signals }: { id: string; userId: string | null; signals: AbortSignal[] },
): AsyncGenerator<RfqEvent> {
  const over = joinAbort(signals, ctx.rfqDeadlineMs + GRACE_MS)
  try {
    yield* streamRfq(ctx, { id, userId, signal: over.signal })
  } finally {
    over.letGo()
  }
}

function arrived(quote: ReceivedQuote, quantity: number): ArrivedQuote {
  const { claim_url: _, ...shown } = shownQuote(quote, quantity)
  return shown
}

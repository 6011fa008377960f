/**
 * One look at a request for everybody on this node who follows it. A request may have hundreds of readers, and each of
 * them looking by itself, at every piece of news and once a second, would be that many reads of the same rows. Who may
 * see what was found is for each reader to judge (see `isReadable`).
 */
import { createNews, type News } from '../lib/news.ts'
import { countProgress, findQuotes, type Progress } from './attempts.queries.ts'
import type { RfqContext } from './context.ts'
import type { Quote, ReceivedQuote } from './quote.schema.ts'
import { findRfq, type Rfq } from './rfq.queries.ts'
import { rankedOf } from './rfq.service.ts'

/** Quotes are read for the first caller who wants them: waiting for the end needs none before it. */
export type Look = {
  rfq: Rfq | null
  quotes(): Promise<ReceivedQuote[]>
  /** Empty until the request is complete. */
  ranked(): Promise<Quote[]>
  progress(): Promise<Progress>
}

type Watch = {
  readers: number
  /** How often it was looked at, and what was seen last. */
  count: number
  last: Look | null
  failure: { error: unknown } | null
  stop: AbortController
}

export type RfqLooks = { watches: Map<string, Watch>; done: News }

type Ctx = Pick<RfqContext, 'db' | 'news' | 'looks'>

/** News may be lost, so the one that looks for all does it by itself now and then. */
const LOOK_MS = 1_000

export function createRfqLooks(): RfqLooks {
  return { watches: new Map(), done: createNews() }
}

/** What is there now, and then each time that it was looked at again, until the signal says to stop. */
export async function* watchRfq(
  ctx: Ctx,
  { id, signal }: { id: string; signal?: AbortSignal },
): AsyncGenerator<Look> {
  const watch = ctx.looks.watches.get(id) ?? begin(ctx, id)
  watch.readers += 1
  let count = 0
  try {
    while (!signal?.aborted) {
      if (watch.failure) throw watch.failure.error
      if (watch.last === null || watch.count === count) {
        await ctx.looks.done.wait(id, LOOK_MS, signal)
        continue
      }
      count = watch.count
      yield watch.last
    }
  } finally {
    watch.readers -= 1
    if (watch.readers === 0) end(ctx, id, watch)
  }
}

function begin(ctx: Ctx, id: string): Watch {
  const watch = { readers: 0, count: 0, last: null, failure: null, stop: new AbortController() }
  ctx.looks.watches.set(id, watch)
  // A failure is kept in the watch, for its readers.
  keepLooking(ctx, id, watch).catch(() => {})
  return watch
}

/** Later callers start over, also after a failure. */
function end({ looks }: Ctx, id: string, watch: Watch): void {
  watch.stop.abort()
  if (looks.watches.get(id) === watch) looks.watches.delete(id)
}

async function keepLooking(ctx: Ctx, id: string, watch: Watch): Promise<void> {
  const { signal } = watch.stop
  try {
    while (!signal.aborted && (watch.last === null || watch.last.rfq?.state === 'submitted')) {
      // Before looking, so that what happens while looking is not missed.
      const news = ctx.news.wait(id, LOOK_MS, signal)
      watch.last = await look(ctx, id)
      watch.count += 1
      ctx.looks.done.tell(id)
      await news
    }
  } catch (error) {
    watch.failure = { error }
    end(ctx, id, watch)
    ctx.looks.done.tell(id)
  }
}

async function look({ db }: Ctx, id: string): Promise<Look> {
  const rfq = await findRfq(db, id)
  return {
    rfq,
    quotes: once(() => findQuotes(db, id)),
    ranked: once(async () => (rfq ? rankedOf(db, rfq) : [])),
    progress: once(() => countProgress(db, id)),
  }
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => (reading ??= read())
}

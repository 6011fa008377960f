/**
 * Carries a request for quote out: asks every producer of the product at once, writes down each answer as it comes, and
 * when all have answered or the deadline has passed, ranks and signs what was quoted. It is a leased job, so when a node
 * dies another one takes the request over: sellers who have answered are not asked again, the others are.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { getProfiles } from '../catalog/catalog.service.ts'
import { defineJob, type Job } from '../jobs/runner.ts'
import { inBackground } from '../lib/background.ts'
import { loggedId } from '../lib/secret-id.ts'
import { inSpan } from '../lib/tracing.ts'
import { type Answers, askEverybody } from './ask-everybody.ts'
import type { RfqContext } from './context.ts'
import { completeRfq, failRfq } from './end.ts'
import { findAsked } from './producers.service.ts'
import { findRfq, findRfqState } from './rfq.queries.ts'

export const RFQ_JOB = { kind: 'rfq.run', maxAttempts: 10, leaseMs: 9_000, places: 250 }

export function createRfqJob(ctx: RfqContext): Job {
  return defineJob({
    ...RFQ_JOB,
    payload: z.object({ rfqId: z.string() }),
    run: ({ rfqId }, { signal }) => runRfq(ctx, rfqId, signal),
    gaveUp: ({ rfqId }) => failRfq(ctx, rfqId),
  })
}

async function runRfq(ctx: RfqContext, rfqId: string, signal: AbortSignal): Promise<void> {
  const rfq = await findRfq(ctx.db, rfqId)
  if (rfq?.state !== 'submitted') return
  const [[profile], { asked, isFirst }] = await Promise.all([
    getProfiles(ctx, [rfq.productId]),
    findAsked(ctx, rfq),
  ])
  // Discontinued since it was asked for: the answers that are stored count, nobody else is asked.
  if (!profile || profile.discontinued) return completeRfq(ctx, rfqId, { profile: profile ?? null })
  const withdrawn = followCancellation(ctx, rfqId, signal)
  let answers: Answers
  try {
    const asking = { rfq, profile, asked, stop: signal, withdrawn: withdrawn.signal }
    const attributes = { 'souk.rfq.id': loggedId(rfqId), 'souk.rfq.producers': asked.length }
    answers = await inSpan('ask producers', { attributes }, () => askEverybody(ctx, asking))
  } finally {
    withdrawn.end()
  }
  // The lease is lost or the node stops: the request is another node's to finish.
  signal.throwIfAborted()
  const { received, sellers, signing } = answers
  await completeRfq(ctx, rfqId, { profile, received, signed: await signing, asked: isFirst ? sellers : null })
}

const LOOK_MS = 2_000
/** Every answer is news; so many of them are looked at once. */
const PAUSE_MS = 100

/** Aborts when the buyer withdraws the request, on whatever node they do it. */
function followCancellation(ctx: RfqContext, rfqId: string, stop: AbortSignal) {
  const withdrawn = new AbortController()
  const over = new AbortController()
  const until = AbortSignal.any([stop, over.signal])
  const follow = async () => {
    while (!until.aborted) {
      await ctx.news.wait(rfqId, LOOK_MS, until)
      await sleep(PAUSE_MS)
      if (until.aborted) return
      const state = await findRfqState(ctx.db, rfqId).catch(() => null)
      if (state !== null && state !== 'submitted') withdrawn.abort()
      if (withdrawn.signal.aborted) return
    }
  }
  inBackground(ctx.log, 'following a cancellation', follow())
  return { signal: withdrawn.signal, end: () => over.abort() }
}

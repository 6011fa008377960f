/**
 * How a request ends, whether completed, failed or canceled: its state, a job for everybody who wants to be told, and the
 * news to all nodes are one transaction, so that nobody is told of an end that did not happen and nobody is forgotten.
 * Whoever asks to be told locks the request first (see pushes.service), so it is either found here or finds it ended.
 */
import type { Tx } from '../db/database.ts'
import { enqueue } from '../jobs/runner.ts'
import { countSent, findPushes, type PushRow } from './pushes.queries.ts'
import { notifyRfq, type RfqEnd, saveEnd } from './rfq.queries.ts'

/** What it sends is A2A, so that face defines how it runs. */
export const PUSH_JOB = { kind: 'rfq.push', maxAttempts: 8, leaseMs: 15_000, places: 20 }

/** False when it had ended already. */
export async function endRfq(tx: Tx, end: RfqEnd): Promise<boolean> {
  if (!(await saveEnd(tx, end))) return false
  for (const push of await findPushes(tx, end.id)) await enqueuePush(tx, push)
  await notifyRfq(tx, end.id)
  return true
}

/** In all, however often one is set anew: each is a request to an address that anybody may have named. */
export const MAX_SENT = 10

/**
 * False when the task has sent all that it may. `made` tells a push from the one of the same name that it replaced, whose tries must
 * not count against it.
 */
export async function enqueuePush(tx: Tx, { rfq_id: rfqId, id: pushId, made }: PushRow): Promise<boolean> {
  if (!(await countSent(tx, { rfqId, max: MAX_SENT }))) return false
  await enqueue(tx, PUSH_JOB, { rfqId, pushId, made }, { dedupeKey: `${rfqId} ${made} ${pushId}` })
  return true
}

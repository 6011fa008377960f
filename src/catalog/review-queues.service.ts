/** How much waits for the operators, and since when. */
import type { Db } from '../db/database.ts'
import { findQueues, type Queue, type QueueName } from './review-queues.queries.ts'

export type { Queue, QueueName }

/** Nobody needs to know how many more there are. */
export const QUEUE_COUNTED_TO = 1_000

export async function countReviewQueues(ctx: { db: Db }): Promise<Record<QueueName, Queue>> {
  const queues = await findQueues(ctx.db, QUEUE_COUNTED_TO)
  return Object.fromEntries(queues.map((queue) => [queue.name, queue])) as Record<QueueName, Queue>
}

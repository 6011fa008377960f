/** How much waits for the operator's decision, by the page it waits on. */
import { countReviewQueues } from '../../../catalog/review-queues.service.ts'
import type { Db } from '../../../db/database.ts'
import type { Waiting } from '../nav.ts'
import { ADMIN } from '../paths.ts'

export async function countWaiting(ctx: { db: Db }): Promise<Waiting> {
  const queues = await countReviewQueues(ctx)
  return Object.fromEntries(Object.values(queues).map(({ name, waiting }) => [`${ADMIN}/${name}`, waiting]))
}

/** Removes what has run out, once an hour over all nodes: counts of past hours, and questions nobody came back to. */
import { z } from 'zod'
import type { Db } from '../../db/database.ts'
import { defineJob, type Job } from '../../jobs/runner.ts'
import type { Clock } from '../../lib/clock.ts'
import { deleteOldHours } from './hourly-limit.queries.ts'
import { deleteOldQuestions } from './questions.queries.ts'

const DAY_MS = 86_400_000
const KEEP_QUESTIONS_MS = 7 * DAY_MS

type Context = { db: Db; clock: Clock }

export function createA2aSweep(ctx: Context): Job {
  return defineJob({
    kind: 'a2a.sweep',
    payload: z.object({}),
    maxAttempts: 3,
    leaseMs: 60_000,
    everyMs: 3_600_000,
    async run(_payload, { log }) {
      log.debug(await sweepA2a(ctx), 'swept A2A rows')
    },
  })
}

export async function sweepA2a({ db, clock }: Context): Promise<{ hours: number; questions: number }> {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms)
  const hours = await deleteOldHours(db, ago(DAY_MS))
  const questions = await deleteOldQuestions(db, ago(KEEP_QUESTIONS_MS))
  return { hours, questions }
}

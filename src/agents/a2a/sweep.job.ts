/** Removes what has run out, once an hour over all nodes: counts of past hours, of every limit, and questions nobody came back to. */
import { forgetOldWindows } from '../../accounts/window-limit.service.ts'
import type { Db } from '../../db/database.ts'
import type { Job } from '../../jobs/runner.ts'
import { defineSweep } from '../../jobs/sweep.ts'
import { type Clock, DAY_MS } from '../../lib/clock.ts'
import { deleteOldQuestions } from './questions.queries.ts'

const KEEP_QUESTIONS_MS = 7 * DAY_MS

type Context = { db: Db; clock: Clock }

export function createA2aSweep(ctx: Context): Job {
  return defineSweep({ kind: 'a2a.sweep', every: 'hour', clockOf: ctx.db, run: () => sweepA2a(ctx) })
}

export async function sweepA2a({ db, clock }: Context): Promise<{ hours: number; questions: number }> {
  const ago = (ms: number) => new Date(clock.now().getTime() - ms)
  const hours = await forgetOldWindows({ db, clock })
  const questions = await deleteOldQuestions(db, ago(KEEP_QUESTIONS_MS))
  return { hours, questions }
}

/**
 * Runs sources. A source has one job at most that waits, at the time of its next run; claiming keeps two nodes from one
 * source. Now and then sources are looked for whose job is gone: an operator may have dropped it.
 */
import { z } from 'zod'
import { defineJob, type Job, schedule } from '../jobs/runner.ts'
import type { SourcesContext } from './context.ts'
import { giveUpRun, runSource } from './source-run.ts'
import { findForgotten } from './sources.queries.ts'
import { SOURCE_JOB } from './sources.service.ts'

const LOOK_MS = 15 * 60_000

export function createSourceJobs(ctx: SourcesContext): Job[] {
  return [
    defineJob({
      ...SOURCE_JOB,
      leaseMs: 30_000,
      // They mostly wait for others' servers.
      places: 2,
      payload: z.object({ sourceId: z.string() }),
      run: ({ sourceId }, { signal }) => runSource(ctx, sourceId, signal),
      gaveUp: ({ sourceId }) => giveUpRun(ctx, sourceId),
    }),
    defineJob({
      kind: 'sources.look',
      maxAttempts: 1,
      leaseMs: 60_000,
      everyMs: LOOK_MS,
      payload: z.object({}),
      async run() {
        const before = new Date(ctx.clock.now().getTime() - LOOK_MS)
        for (const id of await findForgotten(ctx.db, { kind: SOURCE_JOB.kind, before }))
          await schedule(ctx.db, SOURCE_JOB, { sourceId: id }, { dedupeKey: id, delayMs: 0 })
      },
    }),
  ]
}

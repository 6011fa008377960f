/** Work that takes away what has run out, once a period over all nodes. What it took is a line in the log, by kind. */
import { z } from 'zod'
import { defineJob, type Job } from './runner.ts'

const PERIODS = { hour: 3_600_000, day: 86_400_000 }

export function defineSweep(sweep: {
  kind: string
  every: keyof typeof PERIODS
  run(): Promise<Record<string, number>>
}): Job {
  return defineJob({
    kind: sweep.kind,
    payload: z.object({}),
    maxAttempts: 3,
    leaseMs: 60_000,
    everyMs: PERIODS[sweep.every],
    async run(_payload, { log }) {
      log.debug(await sweep.run(), `${sweep.kind}: swept`)
    },
  })
}

/**
 * The line of jobs, for `/metrics`. It takes a statement, so it is asked for at most every few seconds however often
 * somebody looks, and not waited for when the database is slow: then there is no figure, which says more than an old one.
 */

import type { Db } from '../db/database.ts'
import { withinTime } from '../db/within-time.ts'
import { inTime } from '../lib/abort.ts'
import { awaitLater } from '../lib/background.ts'
import { gauge } from '../lib/metrics.ts'
import { type KindMeasure, measureKinds } from './jobs.admin.queries.ts'

const KEPT_MS = 5_000
const LONGEST_MS = 1_000
const TOO_LONG = { message: 'counting the jobs took too long' }
const NONE = { waiting: 0, running: 0, failed: 0, lagSeconds: 0 }

/** `known`: what this program runs; a kind of which there is nothing is told as nothing. */
export function observeJobs(db: Db, known: ReadonlyArray<{ kind: string }>): void {
  let asked: { at: number; rows: Promise<KindMeasure[]> } | null = null

  function measure(): Promise<KindMeasure[]> {
    const now = performance.now()
    if (!asked || now - asked.at > KEPT_MS) {
      const counted = withinTime(db, TOO_LONG, measureKinds, LONGEST_MS)
      // The statement has a limit of its own; a connection may be waited for longer than anybody looks at figures.
      // The gauge's reader gets the failure; there may be no reader.
      const rows = awaitLater(
        inTime(counted, LONGEST_MS * 2, () => new Error(TOO_LONG.message)).then(withKnown),
      )
      asked = { at: now, rows }
    }
    return asked.rows
  }

  function withKnown(rows: KindMeasure[]): KindMeasure[] {
    const found = new Set(rows.map(({ kind }) => kind))
    const idle = known.filter(({ kind }) => !found.has(kind))
    return [...rows, ...idle.map(({ kind }) => ({ kind, ...NONE }))]
  }

  gauge('souk_jobs', 'Unfinished jobs of all nodes, by kind and state.', ['kind', 'state'], async () =>
    (await measure()).flatMap(({ kind, waiting, running, failed }) => [
      [[kind, 'waiting'], waiting],
      [[kind, 'running'], running],
      [[kind, 'failed'], failed],
    ]),
  )
  gauge(
    'souk_jobs_lag_seconds',
    'How long the oldest due job of all nodes has been waiting, by kind.',
    ['kind'],
    async () => (await measure()).map(({ kind, lagSeconds }) => [[kind], lagSeconds]),
  )
}

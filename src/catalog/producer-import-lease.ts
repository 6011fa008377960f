/**
 * One import at a time for an organization, on whatever node, and so many files an hour. Who imports has a lease, a
 * row that it renews as it goes; a node that died renews nothing, and after two minutes the organization is free
 * again. No transaction and no session of the database has to stay open for it, and nothing hangs on it but the load:
 * batches are right without it.
 */

import { countWithinLimit, type WindowContext } from '../accounts/window-limit.service.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { conflict } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { rateWords } from '../lib/rate-limit.ts'
import {
  hasImportLease,
  releaseImportLease,
  renewImportLease,
  takeImportLease,
} from './producer-import.queries.ts'

/** Longer than anything between two renewals: a download, a batch row by row. */
const DEAD_MS = 2 * 60_000

export type ImportLease = {
  orgId: string
  runId: string
  /** Before each piece of work. Throws when another import has taken over meanwhile. */
  renew(): Promise<void>
}

/** Whether an import of the organization runs, as far as its lease says. */
export async function isImporting({ db, clock }: { db: Db; clock: Clock }, orgId: string): Promise<boolean> {
  return hasImportLease(db, { orgId, deadBefore: new Date(clock.now().getTime() - DEAD_MS) })
}

export async function withImportLease<Result>(
  { db, clock, log }: { db: Db; clock: Clock; log: Log },
  orgId: string,
  work: (lease: ImportLease) => Promise<Result>,
): Promise<Result> {
  const run = { orgId, runId: newId() }
  const at = clock.now()
  const deadBefore = new Date(at.getTime() - DEAD_MS)
  if (!(await takeImportLease(db, { ...run, at, deadBefore })))
    throw conflict('an import of your organization is already running; try again in a minute', {
      retryAfterSeconds: 60,
    })
  const renew = async () => {
    if (await renewImportLease(db, { ...run, at: clock.now() })) return
    throw conflict('another import of your organization is running now; try again when it is done', {
      retryAfterSeconds: 60,
    })
  }
  try {
    return await work({ ...run, renew })
  } finally {
    await releaseImportLease(db, run).catch((err: unknown) =>
      log.warn({ err }, "the lease of a producer's import was not released"),
    )
  }
}

export type ImportLimitContext = WindowContext & { config: Pick<Config, 'limits'> }

/* How many files an organization may bring: each is fetched or stored, read to its end and compared with the catalog. */

/** Throws `rate_limited` when the organization has brought as many as it may. */
export function countImport(ctx: ImportLimitContext, orgId: string): Promise<void> {
  return countWithinLimit(ctx, {
    limit: 'import',
    who: `org ${orgId}`,
    rate: ctx.config.limits.import,
    said: (rate) => `${rateWords(rate, 'file', 'files')} were imported for this organization`,
  })
}

/** The backups that were taken of this database, and the last restore that was tried, for the operator. */
import type { Db } from '../db/database.ts'
import { type BackupDone, type DrillDone, findBackups, findDrill } from './records.queries.ts'

export type { BackupDone, DrillDone }

/** Newest first. */
export function listBackups(ctx: { db: Db }): Promise<BackupDone[]> {
  return findBackups(ctx.db)
}

/** Null before the first. */
export function lastDrill(ctx: { db: Db }): Promise<DrillDone | null> {
  return findDrill(ctx.db)
}

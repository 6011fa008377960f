/** The backups that were taken of this database, for the operator. */
import type { Db } from '../db/database.ts'
import { type BackupDone, findBackups } from './records.queries.ts'

export type { BackupDone }

/** Newest first. */
export function listBackups(ctx: { db: Db }): Promise<BackupDone[]> {
  return findBackups(ctx.db)
}

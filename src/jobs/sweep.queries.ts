/** SQL that every sweep may need. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

export async function readDatabaseTime(db: Kysely<Tables>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db)
  const [row] = rows
  if (!row) throw new Error('the database did not tell the time')
  return row.now
}

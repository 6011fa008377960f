/** The tables as the code sees them; the migrations are the truth, and a test compares the two. */
import type { Generated, JSONColumnType } from 'kysely'

type Json<T> = JSONColumnType<T & object, string, string>

export type JobState = 'waiting' | 'running' | 'done' | 'failed'

export type JobsTable = {
  id: string
  kind: string
  payload: Json<Record<string, unknown>>
  dedupe_key: string | null
  state: Generated<JobState>
  attempts: Generated<number>
  max_attempts: number
  run_at: Generated<Date>
  lease_id: string | null
  lease_until: Date | null
  last_error: string | null
  created_at: Generated<Date>
  finished_at: Date | null
}

export type ChangeAspect =
  | 'created'
  | 'price'
  | 'offers'
  | 'availability'
  | 'discontinued'
  | 'text'
  | 'removed'

export type ChangesTable = {
  seq: Generated<number>
  xid: Generated<string>
  at: Generated<Date>
  product_id: string | null
  category_id: string | null
  aspect: ChangeAspect
  before: unknown
  after: unknown
}

export type Tables = {
  jobs: JobsTable
  changes: ChangesTable
}

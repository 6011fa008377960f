/** SQL of what waits for the operators' decision; each count reads the index of what waits and stops at its limit. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all } from '../db/rows.ts'

export const QUEUES = ['enrichments', 'submissions', 'claims', 'renames', 'reports'] as const
export type QueueName = (typeof QUEUES)[number]
export type Queue = { name: QueueName; waiting: number; oldest: Date | null }

const WAITING = {
  enrichments: sql`enrichments where status = 'pending'`,
  submissions: sql`product_submissions where status = 'pending'`,
  claims: sql`product_relationships where status = 'pending'`,
  renames: sql`org_renames where status = 'pending'`,
  reports: sql`mistake_reports where closed_at is null`,
} satisfies Record<QueueName, unknown>

export function findQueues(db: Db, most: number) {
  const counts = QUEUES.map(
    (name) => sql`
      select ${sql.lit(name)}::text as name, count(*)::int as waiting, min(created_at) as oldest
      from (select created_at from ${WAITING[name]} order by created_at limit ${most}) waits`,
  )
  return all<Queue>(db)`${sql.join(counts, sql` union all `)}`
}

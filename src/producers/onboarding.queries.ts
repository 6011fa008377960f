/** SQL of how far an organization has come. Found by rfq_quotes_by_org. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

/** Whether a request of a buyer was ever answered in its name with a quote. */
export async function hasQuoted(db: Db, orgId: string): Promise<boolean> {
  const { rows } = await sql<{ quoted: boolean }>`
    select exists (select 1 from rfq_quotes where org_id = ${orgId}) as quoted`.execute(db)
  return rows[0]?.quoted ?? false
}

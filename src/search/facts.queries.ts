/** SQL of how far search has come. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export async function countProducts(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from shown_products`.execute(db)
  return rows[0]?.count ?? 0
}

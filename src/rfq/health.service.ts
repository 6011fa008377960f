/** How requests for quote are doing, for the operator's health page. */
import type { Db } from '../db/database.ts'
import { findRfqFacts, type RfqFacts } from './health.queries.ts'

export type { RfqFacts }

export function rfqFacts(ctx: { db: Db }): Promise<RfqFacts> {
  return findRfqFacts(ctx.db)
}

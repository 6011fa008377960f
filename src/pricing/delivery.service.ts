/** When products can be there, as their sellers state it. */
import type { Db } from '../db/database.ts'
import { findLeadDays } from './sellers.queries.ts'

/** By product id; who states nothing is missing. */
export function leadDays(ctx: { db: Db }, productIds: readonly string[]): Promise<Map<string, number>> {
  return findLeadDays(ctx.db, productIds)
}

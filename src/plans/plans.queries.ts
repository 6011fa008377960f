/** SQL of kept plans; every statement is scoped by the person they belong to. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { all, exists, hasChanged, one, run } from '../db/rows.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'
import type { KeptPlan } from './kept.ts'

/** Holds the person's row until the transaction ends, so that two plans kept at once count one after the other. */
export function lockOwner(tx: Tx, userId: string): Promise<boolean> {
  return exists(tx)`select 1 from users where id = ${userId} for no key update`
}

export function insertPlan(tx: Tx, plan: KeptPlan): Promise<void> {
  return run(tx)`
    insert into plans (id, user_id, revision, wish, asked, plan, budget_cents, total_cents, created_at, updated_at)
    values (${plan.id}, ${plan.userId}, ${plan.revision}, ${JSON.stringify(plan.wish)}::json,
      ${JSON.stringify(plan.asked)}::json, ${JSON.stringify(plan.plan)}::json, ${plan.plan.budgetCents},
      ${plan.totalCents}, ${plan.createdAt}, ${plan.updatedAt})`
}

const PLAN = sql`
  id, user_id as "userId", revision, wish, asked, plan, total_cents as "totalCents", created_at as "createdAt",
  updated_at as "updatedAt"`

/** Null for an unknown one and for somebody else's. */
export function findPlanRow(
  db: Db,
  { id, userId }: Pick<KeptPlan, 'id' | 'userId'>,
): Promise<KeptPlan | null> {
  return one<KeptPlan>(db)`select ${PLAN} from plans where id = ${id} and user_id = ${userId}`
}

/** Last changed first. */
export function findPlans(db: Db, userId: string, limit: number): Promise<KeptPlan[]> {
  return all<KeptPlan>(db)`
    select ${PLAN} from plans where user_id = ${userId} order by updated_at desc, id desc limit ${limit}`
}

/** Those after the latest so many. */
export function deletePlansBeyond(tx: Tx, userId: string, latest: number): Promise<void> {
  return run(tx)`
    delete from plans where id in (
      select id from plans where user_id = ${userId} order by updated_at desc, id desc offset ${latest})`
}

/** False when it was changed or deleted since this revision was read. */
export function updatePlan(
  tx: Tx,
  { id, userId, revision, plan, totalCents, updatedAt }: Omit<KeptPlan, 'wish' | 'asked' | 'createdAt'>,
): Promise<boolean> {
  return hasChanged(tx)`
    update plans set revision = revision + 1, plan = ${JSON.stringify(plan)}::json,
      budget_cents = ${plan.budgetCents}, total_cents = ${totalCents}, updated_at = ${updatedAt}
    where id = ${id} and user_id = ${userId} and revision = ${revision}`
}

export function deletePlanRow(tx: Tx, { id, userId }: Pick<KeptPlan, 'id' | 'userId'>): Promise<boolean> {
  return hasChanged(tx)`delete from plans where id = ${id} and user_id = ${userId}`
}

/** Those that nobody has changed since, along plans_by_age. */
export async function deleteOldPlans(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from plans where id in (
      select id from plans where updated_at < ${before} limit ${rows} for update skip locked)`.execute(db)
  return batchOf(numAffectedRows, rows)
}

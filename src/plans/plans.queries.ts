/** SQL of kept plans; every statement is scoped by the person they belong to. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'
import type { KeptPlan } from './kept.ts'

/** Holds the person's row until the transaction ends, so that two plans kept at once count one after the other. */
export async function lockOwner(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from users where id = ${userId} for no key update`.execute(tx)
  return rows.length > 0
}

export async function insertPlan(tx: Tx, plan: KeptPlan): Promise<void> {
  await sql`
    insert into plans (id, user_id, revision, wish, asked, plan, budget_cents, total_cents, created_at, updated_at)
    values (${plan.id}, ${plan.userId}, ${plan.revision}, ${JSON.stringify(plan.wish)}::json,
      ${JSON.stringify(plan.asked)}::json, ${JSON.stringify(plan.plan)}::json, ${plan.plan.budgetCents},
      ${plan.totalCents}, ${plan.createdAt}, ${plan.updatedAt})`.execute(tx)
}

const PLAN = sql`
  id, user_id as "userId", revision, wish, asked, plan, total_cents as "totalCents", created_at as "createdAt",
  updated_at as "updatedAt"`

/** Null for an unknown one and for somebody else's. */
export async function findPlanRow(
  db: Db,
  { id, userId }: Pick<KeptPlan, 'id' | 'userId'>,
): Promise<KeptPlan | null> {
  const { rows } = await sql<KeptPlan>`
    select ${PLAN} from plans where id = ${id} and user_id = ${userId}`.execute(db)
  return rows[0] ?? null
}

/** Last changed first. */
export async function findPlans(db: Db, userId: string, limit: number): Promise<KeptPlan[]> {
  const { rows } = await sql<KeptPlan>`
    select ${PLAN} from plans where user_id = ${userId} order by updated_at desc, id desc limit ${limit}`.execute(
    db,
  )
  return rows
}

/** Those after the latest so many. */
export async function deletePlansBeyond(tx: Tx, userId: string, latest: number): Promise<void> {
  await sql`
    delete from plans where id in (
      select id from plans where user_id = ${userId} order by updated_at desc, id desc offset ${latest})`.execute(
    tx,
  )
}

/** False when it was changed or deleted since this revision was read. */
export async function updatePlan(
  tx: Tx,
  { id, userId, revision, plan, totalCents, updatedAt }: Omit<KeptPlan, 'wish' | 'asked' | 'createdAt'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update plans set revision = revision + 1, plan = ${JSON.stringify(plan)}::json,
      budget_cents = ${plan.budgetCents}, total_cents = ${totalCents}, updated_at = ${updatedAt}
    where id = ${id} and user_id = ${userId} and revision = ${revision}`.execute(tx)
  return numAffectedRows === 1n
}

export async function deletePlanRow(
  tx: Tx,
  { id, userId }: Pick<KeptPlan, 'id' | 'userId'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from plans where id = ${id} and user_id = ${userId}`.execute(
    tx,
  )
  return numAffectedRows === 1n
}

/** Those that nobody has changed since, along plans_by_age. */
export async function deleteOldPlans(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from plans where id in (
      select id from plans where updated_at < ${before} limit ${rows} for update skip locked)`.execute(db)
  return batchOf(numAffectedRows, rows)
}

/** SQL of shared plans. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'

/** What a row holds; `shared` is parsed by the service. */
export type ShareRow = { id: string; planId: string; shared: unknown; createdAt: Date }

/** Holds the plan until the transaction ends; false when the person has no such plan. */
export async function lockPlan(tx: Tx, { id, userId }: { id: string; userId: string }): Promise<boolean> {
  const { rows } = await sql`
    select 1 from plans where id = ${id} and user_id = ${userId} for no key update`.execute(tx)
  return rows.length > 0
}

export async function insertPlanShare(tx: Tx, { id, planId, shared, createdAt }: ShareRow): Promise<void> {
  await sql`
    insert into plan_shares (id, plan_id, shared, created_at)
    values (${id}, ${planId}, ${JSON.stringify(shared)}::json, ${createdAt})`.execute(tx)
}

/** Those that work, newest first. */
export async function findPlanShares(db: Db, planId: string): Promise<ShareRow[]> {
  const { rows } = await sql<ShareRow>`
    select id, plan_id as "planId", shared, created_at as "createdAt" from plan_shares
    where plan_id = ${planId} and revoked_at is null order by created_at desc, id desc`.execute(db)
  return rows
}

export async function findPlanShare(db: Db, id: string): Promise<ShareRow | null> {
  const { rows } = await sql<ShareRow>`
    select id, plan_id as "planId", shared, created_at as "createdAt" from plan_shares
    where id = ${id} and revoked_at is null`.execute(db)
  return rows[0] ?? null
}

/** False when the plan has no such share. */
export async function revokePlanShare(
  tx: Tx,
  { id, planId, at }: { id: string; planId: string; at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update plan_shares set revoked_at = coalesce(revoked_at, ${at})
    where id = ${id} and plan_id = ${planId}`.execute(tx)
  return numAffectedRows === 1n
}

/** Along plan_shares_revoked. */
export async function deleteRevokedShares(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from plan_shares where id in (
      select id from plan_shares where revoked_at < ${before} limit ${rows} for update skip locked)`.execute(
    db,
  )
  return batchOf(numAffectedRows, rows)
}

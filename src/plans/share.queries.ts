/** SQL of shared plans. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { all, exists, hasChanged, one, run } from '../db/rows.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'

/** What a row holds; `shared` is parsed by the service. */
export type ShareRow = { id: string; planId: string; shared: unknown; createdAt: Date }

/** Holds the plan until the transaction ends; false when the person has no such plan. */
export function lockPlan(tx: Tx, { id, userId }: { id: string; userId: string }): Promise<boolean> {
  return exists(tx)`select 1 from plans where id = ${id} and user_id = ${userId} for no key update`
}

export function insertPlanShare(tx: Tx, { id, planId, shared, createdAt }: ShareRow): Promise<void> {
  return run(tx)`
    insert into plan_shares (id, plan_id, shared, created_at)
    values (${id}, ${planId}, ${JSON.stringify(shared)}::json, ${createdAt})`
}

/** Those that work, newest first. */
export function findPlanShares(db: Db, planId: string): Promise<ShareRow[]> {
  return all<ShareRow>(db)`
    select id, plan_id as "planId", shared, created_at as "createdAt" from plan_shares
    where plan_id = ${planId} and revoked_at is null order by created_at desc, id desc`
}

export function findPlanShare(db: Db, id: string): Promise<ShareRow | null> {
  return one<ShareRow>(db)`
    select id, plan_id as "planId", shared, created_at as "createdAt" from plan_shares
    where id = ${id} and revoked_at is null`
}

/** False when the plan has no such share. */
export function revokePlanShare(
  tx: Tx,
  { id, planId, at }: { id: string; planId: string; at: Date },
): Promise<boolean> {
  return hasChanged(tx)`
    update plan_shares set revoked_at = coalesce(revoked_at, ${at})
    where id = ${id} and plan_id = ${planId}`
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

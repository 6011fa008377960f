/** SQL of shared requests. */
import { sql } from 'kysely'
import { selected } from '../db/columns.ts'
import type { Db, Tx } from '../db/database.ts'
import { all, hasChanged, one, run } from '../db/rows.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'
import type { SharedRequest } from './share.service.ts'

export type ShareRow = { id: string; rfqId: string; shared: SharedRequest; createdAt: Date; expiresAt: Date }

const SHARE = selected(['id', 'createdAt', 'expiresAt'], 'rfq_shares')

export function insertShare(tx: Tx, share: ShareRow) {
  return run(tx)`
    insert into rfq_shares (id, rfq_id, shared, created_at, expires_at)
    values (${share.id}, ${share.rfqId}, ${JSON.stringify(share.shared)}::json, ${share.createdAt}, ${share.expiresAt})`
}

/** Those that work now, newest first. */
export function findShares(db: Db, rfqId: string, now: Date) {
  return all<Pick<ShareRow, 'id' | 'createdAt' | 'expiresAt'>>(db)`
    select ${SHARE} from rfq_shares
    where rfq_id = ${rfqId} and revoked_at is null and expires_at > ${now}
    order by created_at desc, id desc`
}

export function findShare(db: Db, id: string, now: Date) {
  return one<Pick<ShareRow, 'shared' | 'expiresAt'>>(db)`
    select shared, expires_at as "expiresAt" from rfq_shares
    where id = ${id} and revoked_at is null and expires_at > ${now}`
}

/** Of all requests of a person, also those that ended. */
export function findOwnShares(db: Db, userId: string) {
  return all<
    Pick<ShareRow, 'rfqId' | 'createdAt' | 'expiresAt'> & { shareId: string; revokedAt: Date | null }
  >(db)`
    select s.rfq_id as "rfqId", s.id as "shareId", s.created_at as "createdAt", s.expires_at as "expiresAt",
      s.revoked_at as "revokedAt"
    from rfq_shares s join rfqs r on r.id = s.rfq_id where r.user_id = ${userId} order by s.created_at, s.id`
}

/** False when this request has no such share. */
export function revokeShareRow(tx: Tx, { id, rfqId, at }: { id: string; rfqId: string; at: Date }) {
  return hasChanged(tx)`
    update rfq_shares set revoked_at = coalesce(revoked_at, ${at}) where id = ${id} and rfq_id = ${rfqId}`
}

/** Those that ended, along rfq_shares_by_end. */
export async function deleteEndedShares(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from rfq_shares where id in (
      select id from rfq_shares where expires_at < ${before} limit ${rows} for update skip locked)`.execute(
    db,
  )
  return batchOf(numAffectedRows, rows)
}

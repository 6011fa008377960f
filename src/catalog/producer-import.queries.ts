/** SQL of producers' imports: who imports now, which keys were used, and what an organization is to many products. */
import type { Db } from '../db/database.ts'
import { all, changed, exists, hasChanged, one, run } from '../db/rows.ts'
import type { RelationshipType } from './relationships.schema.ts'

type Run = { orgId: string; runId: string }

/** True when the organization is the caller's: nobody imports for it, or who did is dead. */
export function takeImportLease(
  db: Db,
  { orgId, runId, at, deadBefore }: Run & { at: Date; deadBefore: Date },
) {
  return hasChanged(db)`
    insert into org_import_leases (org_id, run_id, renewed_at) values (${orgId}, ${runId}, ${at})
    on conflict (org_id) do update set run_id = excluded.run_id, renewed_at = excluded.renewed_at
      where org_import_leases.renewed_at < ${deadBefore}`
}

export function hasImportLease(db: Db, { orgId, deadBefore }: { orgId: string; deadBefore: Date }) {
  return exists(db)`
    select 1 from org_import_leases where org_id = ${orgId} and renewed_at >= ${deadBefore}`
}

/** False when it is another's by now. */
export function renewImportLease(db: Db, { orgId, runId, at }: Run & { at: Date }) {
  return hasChanged(db)`
    update org_import_leases set renewed_at = ${at} where org_id = ${orgId} and run_id = ${runId}`
}

export function releaseImportLease(db: Db, { orgId, runId }: Run) {
  return run(db)`delete from org_import_leases where org_id = ${orgId} and run_id = ${runId}`
}

type Key = { orgId: string; key: string }

/** An import that was done with this key. */
export function findOrgImport(db: Db, { orgId, key }: Key) {
  return one<{ fingerprint: string; result: unknown }>(db)`
    select fingerprint, result from org_imports
    where org_id = ${orgId} and idempotency_key = ${key}`
}

/** Only by the run that still has the organization: one that was given up for dead writes nothing. */
export function insertOrgImport(
  db: Db,
  entry: Key & { runId: string; fingerprint: string; result: unknown; startedAt: Date; finishedAt: Date },
) {
  return run(db)`
    insert into org_imports (org_id, idempotency_key, fingerprint, result, started_at, finished_at)
    select ${entry.orgId}, ${entry.key}, ${entry.fingerprint}, ${JSON.stringify(entry.result)}::jsonb,
      ${entry.startedAt}::timestamptz, ${entry.finishedAt}::timestamptz
    from org_import_leases where org_id = ${entry.orgId} and run_id = ${entry.runId}
    on conflict do nothing`
}

export function deleteOldOrgImports(db: Db, before: Date) {
  return changed(db)`delete from org_imports where started_at < ${before}`
}

/** What an organization is to a product: verified if one of several relationships is; else its claims that wait. */
export type Standing = { verified: boolean; waiting: Array<{ id: string; type: RelationshipType }> }

export async function findStandings(db: Db, { orgId, productIds }: { orgId: string; productIds: string[] }) {
  const rows = await all<Standing & { productId: string }>(db)`
    select product_id as "productId", bool_or(status = 'verified') as verified,
      coalesce(json_agg(json_build_object('id', id, 'type', relationship_type) order by id)
        filter (where status = 'pending'), '[]') as waiting
    from product_relationships where org_id = ${orgId} and product_id = any(${productIds})
    group by product_id`
  return new Map(rows.map(({ productId, ...standing }) => [productId, standing]))
}

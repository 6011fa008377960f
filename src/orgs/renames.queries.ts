/** SQL of the names that verified organizations ask for. With the organization locked, but for reading. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type Rename = {
  id: string
  name: string
  status: 'pending' | 'declined'
  /** Why it was declined. */
  note: string | null
  createdAt: Date
}

const RENAME = sql`r.id, r.name, r.status, r.note, r.created_at as "createdAt"`

export async function findRename(db: Db, orgId: string): Promise<Rename | null> {
  const { rows } = await sql<Rename>`select ${RENAME} from org_renames r where r.org_id = ${orgId}`.execute(
    db,
  )
  return rows[0] ?? null
}

/** Takes the place of what was asked for before. */
export async function saveRename(
  db: Db,
  rename: { id: string; orgId: string; name: string; requestedBy: string | null; now: Date },
): Promise<void> {
  const { id, orgId, name, requestedBy, now } = rename
  await sql`
    insert into org_renames (org_id, id, name, requested_by, created_at)
    values (${orgId}, ${id}, ${name}, ${requestedBy}, ${now})
    on conflict (org_id) do update set id = excluded.id, name = excluded.name, requested_by = excluded.requested_by,
      created_at = excluded.created_at, status = 'pending', note = null, decided_at = null`.execute(db)
}

export async function deleteRename(db: Db, orgId: string): Promise<void> {
  await sql`delete from org_renames where org_id = ${orgId}`.execute(db)
}

export async function declineWaiting(
  db: Db,
  { orgId, note, now }: { orgId: string; note: string; now: Date },
): Promise<void> {
  await sql`
    update org_renames set status = 'declined', note = ${note}, decided_at = ${now}
    where org_id = ${orgId} and status = 'pending'`.execute(db)
}

export type WaitingRename = Pick<Rename, 'id' | 'name' | 'createdAt'> & {
  orgId: string
  orgName: string
  orgDomain: string | null
  orgVerified: boolean
}

/** The oldest first. */
export async function listWaitingRenames(db: Db, limit: number): Promise<WaitingRename[]> {
  const { rows } = await sql<WaitingRename>`
    select r.id, r.name, r.created_at as "createdAt", o.id as "orgId", o.name as "orgName", o.domain as "orgDomain",
      o.verification_status = 'verified' as "orgVerified"
    from org_renames r join orgs o on o.id = r.org_id
    where r.status = 'pending' order by r.created_at, r.id limit ${limit}`.execute(db)
  return rows
}

export async function orgOfRename(db: Db, id: string): Promise<string | null> {
  const { rows } = await sql<{ orgId: string }>`
    select org_id as "orgId" from org_renames where id = ${id} and status = 'pending'`.execute(db)
  return rows[0]?.orgId ?? null
}

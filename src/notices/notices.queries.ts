/** SQL of notices and of what people chose about them. */
import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { all, changed, column, exists, one, run, value } from '../db/rows.ts'
import { batchOf, type SweepBatch } from '../jobs/sweep.ts'

/** Whom mail may go to at all: the one place that says so. */
const REACHABLE = sql`u.email_verified_at is not null and u.deactivated_at is null and not u.demo`
/** Who is told of an organization's affairs. */
const TOLD_ROLES = sql`('owner', 'admin')`

export type NewNotice = {
  kind: string
  key: string
  payload: Record<string, unknown>
  at: Date
  dueAt: Date
  daily: boolean
  /** Whether the kind is on for who has chosen nothing. */
  on: boolean
  orgId: string | null
  /** Null: the owners and admins of the organization. */
  userIds: readonly string[] | null
}

/** One statement for all of them. Nobody is told of the same thing twice, nor of what they turned off. */
export function insertNotices(db: Db, notices: readonly NewNotice[]) {
  return changed(db)`
      insert into notices (user_id, org_id, kind, key, payload, daily, created_at, due_at)
      select distinct on (u.id, n.kind, n.key)
        u.id, n."orgId", n.kind, n.key, n.payload, n.daily, n.at, n."dueAt"
      from jsonb_to_recordset(${JSON.stringify(notices)}::jsonb) as n
          (kind text, key text, payload jsonb, at timestamptz, "dueAt" timestamptz, daily boolean, "on" boolean,
           "orgId" uuid, "userIds" jsonb)
        join lateral (
          select m.user_id as id from org_members m join orgs o on o.id = m.org_id
          where n."userIds" is null and m.org_id = n."orgId" and m.role in ${TOLD_ROLES} and o.deactivated_at is null
          union all
          select given.id::uuid from jsonb_array_elements_text(n."userIds") as given (id)) told on true
        join users u on u.id = told.id
        left join notice_settings s on s.user_id = u.id
      where ${REACHABLE} and coalesce((s.kinds ->> n.kind)::boolean, n."on")
      order by u.id, n.kind, n.key
      on conflict (user_id, kind, key) do nothing`
}

/** What was not sent yet and need not be told any more. */
export function deleteUnsent(db: Db, { userId, kind, key }: { userId: string; kind: string; key: string }) {
  return run(db)`
    delete from notices where user_id = ${userId} and kind = ${kind} and key = ${key} and sent_at is null`
}

/** Who waits longest first. */
export function findPeopleDue(db: Db, now: Date, limit: number) {
  return column<string>(db)`
    select user_id as "userId" from notices where sent_at is null and due_at <= ${now}
    group by user_id order by min(due_at) limit ${limit}`
}

export type WaitingNotice = {
  id: string
  kind: string
  payload: unknown
  daily: boolean
  createdAt: Date
  orgName: string | null
  /** Whether the person may be told: of their own affairs, or those of an organization they still run. */
  mayKnow: boolean
}

/**
 * All that wait for a person, the oldest first, held until the transaction ends; none while another node sends to them.
 * Rows alone would not do: two nodes could each get some of them, and the person two emails.
 */
export async function lockWaiting(tx: Tx, userId: string): Promise<WaitingNotice[]> {
  const held = await all<{ free: boolean }>(tx)`
    select pg_try_advisory_xact_lock(hashtextextended(${`notices ${userId}`}, 0)) as free`
  if (!held[0]?.free) return []
  return all<WaitingNotice>(tx)`
    select n.id, n.kind, n.payload, n.daily, n.created_at as "createdAt", o.name as "orgName",
      n.org_id is null or (o.deactivated_at is null and exists (
        select 1 from org_members m
        where m.org_id = n.org_id and m.user_id = n.user_id and m.role in ${TOLD_ROLES})) as "mayKnow"
    from notices n left join orgs o on o.id = n.org_id
    where n.user_id = ${userId} and n.sent_at is null
    order by n.created_at, n.id for update of n`
}

/** Where mail to the person goes; null when none may. */
export function findReachable(db: Db, userId: string) {
  return value<string>(db)`
    select u.email from users u where u.id = ${userId} and ${REACHABLE}`
}

export function deleteNotices(tx: Tx, ids: readonly string[]) {
  return run(tx)`delete from notices where id = any(${ids}::uuid[])`
}

export function markSent(tx: Tx, ids: readonly string[], at: Date) {
  return run(tx)`update notices set sent_at = ${at} where id = any(${ids}::uuid[])`
}

export function postponeNotices(tx: Tx, notices: ReadonlyArray<{ id: string; dueAt: Date }>) {
  return run(tx)`
    update notices n set due_at = l."dueAt"
    from jsonb_to_recordset(${JSON.stringify(notices)}::jsonb) as l (id uuid, "dueAt" timestamptz)
    where n.id = l.id`
}

export type SettingsRow = {
  kinds: Record<string, boolean>
  digest: 'instant' | 'daily'
  quietFrom: number | null
  quietTo: number | null
  timeZone: string
}

export function findSettings(db: Db, userId: string) {
  return one<SettingsRow>(db)`
    select kinds, digest, quiet_from as "quietFrom", quiet_to as "quietTo", time_zone as "timeZone"
    from notice_settings where user_id = ${userId}`
}

export async function saveSettings(
  tx: Tx,
  userId: string,
  { kinds, digest, quietFrom, quietTo, timeZone, at }: SettingsRow & { at: Date },
): Promise<void> {
  await run(tx)`
    insert into notice_settings (user_id, kinds, digest, quiet_from, quiet_to, time_zone, updated_at)
    values (${userId}, ${JSON.stringify(kinds)}::jsonb, ${digest}, ${quietFrom}, ${quietTo}, ${timeZone}, ${at})
    on conflict (user_id) do update set
      kinds = excluded.kinds, digest = excluded.digest, quiet_from = excluded.quiet_from,
      quiet_to = excluded.quiet_to, time_zone = excluded.time_zone, updated_at = excluded.updated_at`
  // What waits is looked at anew, by what holds now.
  await run(tx)`update notices set due_at = ${at} where user_id = ${userId} and sent_at is null`
}

/** These alone, whatever else is chosen. False when there is no such person. */
export function saveKinds(
  tx: Tx,
  userId: string,
  { kinds, at }: { kinds: Record<string, boolean>; at: Date },
) {
  return exists(tx)`
    insert into notice_settings (user_id, kinds, updated_at)
    select id, ${JSON.stringify(kinds)}::jsonb, ${at} from users where id = ${userId}
    on conflict (user_id) do update set
      kinds = notice_settings.kinds || excluded.kinds, updated_at = excluded.updated_at
    returning 1`
}

export type KeptNotice = { kind: string; payload: unknown; createdAt: Date; sentAt: Date | null }

export function findNotices(db: Db, userId: string) {
  return all<KeptNotice>(db)`
    select kind, payload, created_at as "createdAt", sent_at as "sentAt"
    from notices where user_id = ${userId} order by created_at desc, id`
}

export async function deleteSentNotices(db: Db, before: Date, rows: number): Promise<SweepBatch> {
  const { numAffectedRows } = await sql`
    delete from notices where id in (
      select id from notices where sent_at < ${before} order by sent_at limit ${rows})`.execute(db)
  return batchOf(numAffectedRows, rows)
}

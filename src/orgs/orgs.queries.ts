/**
 * SQL of the organizations themselves, of the names that verified ones ask for, and of what the operator sees of all.
 */
import { sql } from 'kysely'
import { columnsOf, given, named, type Row } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { containing, holds, type Searched } from '../db/like.ts'
import { all, exists, one, run, value } from '../db/rows.ts'
import type { Org, OrgRole } from './orgs.schema.ts'
import { ORG } from './producer.queries.ts'

type NewOrg = Omit<Org, 'verificationStatus' | 'verifiedAt' | 'deactivatedAt' | 'demo'>
const NEW_ORG = [
  'id',
  'name',
  'orgType',
  'domain',
  'websiteUrl',
  'shopifyShop',
  'verificationToken',
  'verifiedVia',
  'verificationStatus',
  'verifiedAt',
  'createdAt',
  'updatedAt',
] as const

/**
 * Verified if `verifiedVia` says how. False when another organization has the domain verified, even one that is being made
 * at this moment: the insert waits for it (index orgs_verified_domain).
 */
export function insertOrg(db: Db, org: NewOrg) {
  const verified = org.verifiedVia !== null
  const row = {
    ...org,
    verificationStatus: verified ? 'verified' : 'pending',
    verifiedAt: verified ? org.createdAt : null,
    updatedAt: org.createdAt,
  }
  return exists(db)`
    insert into orgs (${named(NEW_ORG)}) values (${given(NEW_ORG, row)})
    on conflict (domain) where verification_status = 'verified' and domain is not null do nothing
    returning 1`
}

/**
 * Actions on one organization happen one after the other, and wait for those that act for it (requireProducer holds it for
 * share). Take this before requireProducer in the same transaction, never after; and the person concerned, if their
 * account changes too, before this: deleting an account takes them in that order.
 */
export function lockOrg(db: Db, id: string) {
  return one<Org>(db)`select ${ORG} from orgs o where o.id = ${id} for no key update`
}

export type OrgChange = Partial<Omit<Org, 'id' | 'createdAt'>>

export async function updateOrg(db: Db, id: string, change: OrgChange, now: Date): Promise<void> {
  await db
    .updateTable('orgs')
    .set(columnsOf({ ...change, updatedAt: now }))
    .where('id', '=', id)
    .execute()
}

/** The refusal of updateOrg or insertOrg because another organization has the domain verified. */
export function isDomainTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'orgs_verified_domain'
}

export function findOrgById(db: Db, id: string) {
  return one<Org>(db)`select ${ORG} from orgs o where o.id = ${id}`
}

/** The verified one, if any, and all that claim it, demo organizations left out; the oldest first. */
export function findOrgsByDomain(db: Db, domain: string) {
  return all<Org>(db)`
    select ${ORG} from orgs o where o.domain = ${domain} and not o.demo order by o.created_at, o.id limit 100`
}

/** A demo organization is in nobody's way: see `stepAside`. */
export function isVerifiedElsewhere(db: Db, domain: string, orgId: string) {
  return exists(db)`
    select 1 from orgs
    where domain = ${domain} and verification_status = 'verified' and id <> ${orgId} and not demo`
}

/** The demo organization that holds a domain. */
export function findDemoOrg(db: Db, domain: string) {
  return value<string>(db)`
    select id from orgs where domain = ${domain} and demo and verification_status = 'verified'`
}

export function listOrgs(db: Db, limit: number) {
  return all<Org>(db)`
    select ${ORG} from orgs o order by o.created_at, o.id limit ${limit}`
}

/** One turn each `everyMs`, whatever the node: null when it is taken, else the moment until which to wait. */
export async function takeTurn(
  db: Db,
  { key, now, everyMs }: { key: string; now: Date; everyMs: number },
): Promise<{ waitUntil: Date } | null> {
  const rows = await all<unknown>(db)`
    insert into throttles as t (key, failures, last_failure_at, blocked_until)
    values (${key}, 1, ${now}, ${new Date(now.getTime() + everyMs)})
    on conflict (key) do update set last_failure_at = excluded.last_failure_at, blocked_until = excluded.blocked_until
    where t.blocked_until <= ${now}
    returning 1`
  if (rows.length === 1) return null
  const blocked = await all<{ until: Date }>(db)`
    select blocked_until as until from throttles where key = ${key}`
  return { waitUntil: blocked[0]?.until ?? now }
}

/** Names that verified organizations ask for. With the organization locked, but for reading. `note`: why it was declined. */
export type Rename = Pick<Row<'org_renames'>, 'id' | 'name' | 'status' | 'note' | 'createdAt'>

export function findRename(db: Db, orgId: string) {
  return one<Rename>(db)`
    select id, name, status, note, created_at as "createdAt" from org_renames where org_id = ${orgId}`
}

/** Takes the place of what was asked for before. */
export async function saveRename(
  db: Db,
  rename: { id: string; orgId: string; name: string; requestedBy: string | null; now: Date },
): Promise<void> {
  const { id, orgId, name, requestedBy, now } = rename
  await run(db)`
    insert into org_renames (org_id, id, name, requested_by, created_at)
    values (${orgId}, ${id}, ${name}, ${requestedBy}, ${now})
    on conflict (org_id) do update set id = excluded.id, name = excluded.name, requested_by = excluded.requested_by,
      created_at = excluded.created_at, status = 'pending', note = null, decided_at = null`
}

export function deleteRename(db: Db, orgId: string) {
  return run(db)`delete from org_renames where org_id = ${orgId}`
}

export function declineWaiting(db: Db, { orgId, note, now }: { orgId: string; note: string; now: Date }) {
  return run(db)`
    update org_renames set status = 'declined', note = ${note}, decided_at = ${now}
    where org_id = ${orgId} and status = 'pending'`
}

export type WaitingRename = Pick<Rename, 'id' | 'name' | 'createdAt'> & {
  orgId: string
  orgName: string
  orgDomain: string | null
  orgVerified: boolean
}

/** The oldest first. */
/** Oldest first; `search` is looked for in both names and the domain. */
export function listWaitingRenames(db: Db, { search = null, limit, offset = 0 }: Searched) {
  return all<WaitingRename>(db)`
    select r.id, r.name, r.created_at as "createdAt", o.id as "orgId", o.name as "orgName", o.domain as "orgDomain",
      o.verification_status = 'verified' as "orgVerified"
    from org_renames r join orgs o on o.id = r.org_id
    where r.status = 'pending' and ${holds(sql`concat_ws(' ', r.name, o.name, o.domain)`, search)}
    order by r.created_at, r.id limit ${limit} offset ${offset}`
}

export function orgOfRename(db: Db, id: string) {
  return value<string>(db)`
    select org_id as "orgId" from org_renames where id = ${id} and status = 'pending'`
}

export type OrgState = 'verified' | 'pending' | 'deactivated'

/** Newest first, after the organization `beforeId`. `search` is looked for in name, domain and Shopify shop. */
export function findOrgs(
  db: Db,
  input: { search: string | null; state: OrgState | null; beforeId: string | null; limit: number },
) {
  const { search, state, beforeId } = input
  const pattern = search === null ? null : containing(search.toLowerCase())
  const found = sql`(lower(name) like ${pattern} or domain like ${pattern} or lower(shopify_shop) like ${pattern})`
  const older = sql`(created_at, id) < (select b.created_at, b.id from orgs b where b.id = ${beforeId})`
  return all<Org>(db)`
    select ${ORG} from orgs o
    where ${pattern === null ? sql`true` : found} and ${inState(state)} and ${beforeId === null ? sql`true` : older}
    order by created_at desc, id desc limit ${input.limit}`
}

function inState(state: OrgState | null) {
  if (state === null) return sql`true`
  return state === 'deactivated'
    ? sql`deactivated_at is not null`
    : sql`deactivated_at is null and (verification_status = 'verified') = ${state === 'verified'}`
}

export type OrgCounts = { members: number; products: number; offers: number }

/** Products: those it has any relationship to, proved or not. */
export async function countOrgThings(db: Db, ids: string[]): Promise<Map<string, OrgCounts>> {
  const rows = await all<OrgCounts & { id: string }>(db)`
    select o.id,
      (select count(*) from org_members m where m.org_id = o.id) as members,
      (select count(distinct r.product_id) from product_relationships r where r.org_id = o.id) as products,
      (select count(*) from offers f where f.org_id = o.id) as offers
    from orgs o where o.id = any(${ids})`
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

export type PersonOrg = { userId: string; orgId: string; name: string; role: OrgRole }

export function findOrgsOfPeople(db: Db, userIds: string[]) {
  return all<PersonOrg>(db)`
    select m.user_id as "userId", o.id as "orgId", o.name, m.role
    from org_members m join orgs o on o.id = m.org_id
    where m.user_id = any(${userIds}) order by m.created_at desc, o.id desc`
}

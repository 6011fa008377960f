/** SQL of the organizations themselves. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { OrgsTable } from '../db/tables.producers.ts'
import type { Org, OrgType } from './orgs.schema.ts'
import { type OrgRow, orgFromRow } from './producer.queries.ts'

export type NewOrg = {
  id: string
  name: string
  orgType: OrgType
  domain: string | null
  websiteUrl: string | null
  shopifyShop: string | null
  verificationToken: string
  /** Null: pending. */
  verifiedVia: OrgsTable['verified_via']
  now: Date
}

/**
 * False when it was to be verified and another organization has the domain verified, even one that is being made at this
 * moment: the insert waits for it (index orgs_verified_domain).
 */
export async function insertOrg(db: Db, org: NewOrg): Promise<boolean> {
  const { rows } = await sql`
    insert into orgs (id, name, org_type, domain, website_url, shopify_shop, verification_token,
      verification_status, verified_via, verified_at, created_at, updated_at)
    values (${org.id}, ${org.name}, ${org.orgType}, ${org.domain}, ${org.websiteUrl}, ${org.shopifyShop},
      ${org.verificationToken}, ${org.verifiedVia === null ? 'pending' : 'verified'}, ${org.verifiedVia},
      ${org.verifiedVia === null ? null : org.now}, ${org.now}, ${org.now})
    on conflict (domain) where verification_status = 'verified' and domain is not null do nothing
    returning 1`.execute(db)
  return rows.length === 1
}

/**
 * Deeds on one organization happen one after the other, and wait for those that act for it (requireProducer holds it for
 * share). Take this before requireProducer in the same transaction, never after; and the person concerned, if their
 * account changes too, before this: deleting an account takes them in that order.
 */
export async function lockOrg(db: Db, id: string): Promise<Org | null> {
  const { rows } = await sql<OrgRow>`select * from orgs where id = ${id} for no key update`.execute(db)
  return rows[0] ? orgFromRow(rows[0]) : null
}

export type OrgChange = Partial<
  Pick<
    OrgRow,
    | 'name'
    | 'org_type'
    | 'domain'
    | 'website_url'
    | 'shopify_shop'
    | 'verification_status'
    | 'verified_via'
    | 'verified_at'
    | 'verification_token'
    | 'deactivated_at'
  >
>

export async function updateOrg(db: Db, id: string, change: OrgChange, now: Date): Promise<void> {
  await db
    .updateTable('orgs')
    .set({ ...change, updated_at: now })
    .where('id', '=', id)
    .execute()
}

/** The refusal of updateOrg or insertOrg because another organization has the domain verified. */
export function isDomainTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'orgs_verified_domain'
}

export async function findOrgById(db: Db, id: string): Promise<Org | null> {
  const { rows } = await sql<OrgRow>`select * from orgs where id = ${id}`.execute(db)
  return rows[0] ? orgFromRow(rows[0]) : null
}

/** The verified one, if any, and all that claim it; the oldest first. */
export async function findOrgsByDomain(db: Db, domain: string): Promise<Org[]> {
  const { rows } = await sql<OrgRow>`
    select * from orgs where domain = ${domain} order by created_at, id limit 100`.execute(db)
  return rows.map(orgFromRow)
}

export async function isVerifiedElsewhere(db: Db, domain: string, orgId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from orgs
    where domain = ${domain} and verification_status = 'verified' and id <> ${orgId}`.execute(db)
  return rows.length > 0
}

export async function listOrgs(db: Db, limit: number): Promise<Org[]> {
  const { rows } = await sql<OrgRow>`select * from orgs order by created_at, id limit ${limit}`.execute(db)
  return rows.map(orgFromRow)
}

/** One turn each `everyMs`, whatever the node: null when it is taken, else the moment until which to wait. */
export async function takeTurn(
  db: Db,
  { key, now, everyMs }: { key: string; now: Date; everyMs: number },
): Promise<{ waitUntil: Date } | null> {
  const { rows } = await sql`
    insert into throttles as t (key, failures, last_failure_at, blocked_until)
    values (${key}, 1, ${now}, ${new Date(now.getTime() + everyMs)})
    on conflict (key) do update set last_failure_at = excluded.last_failure_at, blocked_until = excluded.blocked_until
    where t.blocked_until <= ${now}
    returning 1`.execute(db)
  if (rows.length === 1) return null
  const { rows: blocked } = await sql<{ until: Date }>`
    select blocked_until as until from throttles where key = ${key}`.execute(db)
  return { waitUntil: blocked[0]?.until ?? now }
}

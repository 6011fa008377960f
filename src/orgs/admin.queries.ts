/** SQL of what the operator sees of organizations: found by what is known of them, and how much each has. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { containing } from '../db/like.ts'
import type { Org, OrgRole } from './orgs.schema.ts'
import { type OrgRow, orgFromRow } from './producer.queries.ts'

export type OrgState = 'verified' | 'pending' | 'deactivated'

/** Newest first, after the organization `beforeId`. `search` is looked for in name, domain and Shopify shop. */
export async function findOrgs(
  db: Db,
  input: { search: string | null; state: OrgState | null; beforeId: string | null; limit: number },
): Promise<Org[]> {
  const { search, state, beforeId } = input
  const pattern = search === null ? null : containing(search.toLowerCase())
  const found =
    pattern === null
      ? sql`true`
      : sql`(lower(name) like ${pattern} or domain like ${pattern} or lower(shopify_shop) like ${pattern})`
  const older =
    beforeId === null
      ? sql`true`
      : sql`(created_at, id) < (select b.created_at, b.id from orgs b where b.id = ${beforeId})`
  const { rows } = await sql<OrgRow>`
    select * from orgs where ${found} and ${inState(state)} and ${older}
    order by created_at desc, id desc limit ${input.limit}`.execute(db)
  return rows.map(orgFromRow)
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
  const { rows } = await sql<OrgCounts & { id: string }>`
    select o.id,
      (select count(*) from org_members m where m.org_id = o.id) as members,
      (select count(distinct r.product_id) from product_relationships r where r.org_id = o.id) as products,
      (select count(*) from offers f where f.org_id = o.id) as offers
    from orgs o where o.id = any(${ids})`.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

export type PersonOrg = { userId: string; orgId: string; name: string; role: OrgRole }

export async function findOrgsOfPeople(db: Db, userIds: string[]): Promise<PersonOrg[]> {
  const { rows } = await sql<PersonOrg>`
    select m.user_id as "userId", o.id as "orgId", o.name, m.role
    from org_members m join orgs o on o.id = m.org_id
    where m.user_id = any(${userIds}) order by m.created_at desc, o.id desc`.execute(db)
  return rows
}

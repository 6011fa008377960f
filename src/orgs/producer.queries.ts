/**
 * Finds the organization a caller acts for. Rows that carry the right to act are held until the deed is done; the
 * organization first, as in lockOrg, or a deed and a change of its right would wait for each other (rows are locked in
 * the order of the tables).
 */
import { type Selectable, type SqlBool, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { OrgRole, OrgsTable } from '../db/tables.producers.ts'
import { MADE_BY_MANAGER } from './link-tokens.queries.ts'
import type { Org } from './orgs.schema.ts'

export type OrgRow = Selectable<OrgsTable>
type NamedRow = Omit<OrgRow, 'updated_at'>

/** By name, so that the statements of every producer's request are prepared (see db/prepare-often). */
const ORG = sql`
  o.id, o.name, o.org_type, o.domain, o.website_url, o.shopify_shop, o.verification_status, o.verified_via,
  o.verified_at, o.verification_token, o.deactivated_at, o.created_at`

export function orgFromRow(row: NamedRow): Org {
  return {
    id: row.id,
    name: row.name,
    orgType: row.org_type,
    domain: row.domain,
    websiteUrl: row.website_url,
    shopifyShop: row.shopify_shop,
    verificationStatus: row.verification_status,
    verifiedVia: row.verified_via,
    verifiedAt: row.verified_at,
    verificationToken: row.verification_token,
    deactivatedAt: row.deactivated_at,
    createdAt: row.created_at,
  }
}

/** `orgId` if the person belongs to it; else, if allowed, the one they joined last. */
export type OrgChoice = { userId: string; orgId: string | null; elseNewest: boolean }

export async function findMemberOrg(
  db: Db,
  { hold, ...choice }: OrgChoice & { hold: boolean },
): Promise<{ org: Org; role: OrgRole } | null> {
  const { rows } = await sql<NamedRow & { role: OrgRole }>`
    select ${ORG}, m.role from orgs o join org_members m on m.org_id = o.id
    ${chosen(choice)}
    ${held(hold)}`.execute(db)
  return rows[0] ? { org: orgFromRow(rows[0]), role: rows[0].role } : null
}

/** `several`: the person belongs to others too. */
export type ActingOrg = {
  id: string
  name: string
  verified: boolean
  /** Only when it is proved. */
  domain: string | null
  several: boolean
}

export async function findActingOrg(db: Db, choice: OrgChoice): Promise<ActingOrg | null> {
  const { rows } = await sql<ActingOrg>`
    select o.id, o.name, o.verification_status = 'verified' as verified,
      case when o.verification_status = 'verified' then o.domain end as domain,
      exists (select 1 from org_members other where other.user_id = m.user_id and other.org_id <> m.org_id) as several
    from orgs o join org_members m on m.org_id = o.id
    ${chosen(choice)}`.execute(db)
  return rows[0] ?? null
}

/** One rule for what is done and for what is said of it. */
function chosen({ userId, orgId, elseNewest }: OrgChoice) {
  return sql`
    where m.user_id = ${userId} and (${elseNewest} or m.org_id = ${orgId})
    order by (m.org_id = ${orgId}) desc nulls last, m.created_at desc, m.org_id desc limit 1`
}

export async function findTokenOrg(
  db: Db,
  { tokenId, hold }: { tokenId: string; hold: boolean },
): Promise<Org | null> {
  const { rows } = await sql<NamedRow>`
    select ${ORG} from orgs o join link_tokens t on t.org_id = o.id
    where t.id = ${tokenId} and t.revoked_at is null and ${MADE_BY_MANAGER}
    ${held(hold)}`.execute(db)
  return rows[0] ? orgFromRow(rows[0]) : null
}

function held(hold: boolean) {
  return hold ? sql<SqlBool>`for share` : sql<SqlBool>``
}

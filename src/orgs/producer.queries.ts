/**
 * Finds the organization a caller acts for. Rows that carry the right to act are held until the action is done; the
 * organization first, as in lockOrg, or an action and a change of its right would wait for each other (rows are locked in
 * the order of the tables).
 */
import { type SqlBool, sql } from 'kysely'
import { selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, one } from '../db/rows.ts'
import { MADE_BY_MANAGER } from './link-tokens.queries.ts'
import { ORG_KEYS, type Org, type OrgRole } from './orgs.schema.ts'

/** By name, so that the statements of every producer's request are prepared (see db/prepare-often). */
export const ORG = selected(ORG_KEYS, 'o')

/** `orgId` if the person belongs to it; else, if allowed, the one they joined last. */
export type OrgChoice = { userId: string; orgId: string | null; elseNewest: boolean }

export async function findMemberOrg(
  db: Db,
  { hold, ...choice }: OrgChoice & { hold: boolean },
): Promise<{ org: Org; role: OrgRole } | null> {
  const rows = await all<Org & { role: OrgRole }>(db)`
    select ${ORG}, m.role from orgs o join org_members m on m.org_id = o.id
    ${chosen(choice)}
    ${held(hold)}`
  if (!rows[0]) return null
  const { role, ...org } = rows[0]
  return { org, role }
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

export function findActingOrg(db: Db, choice: OrgChoice) {
  return one<ActingOrg>(db)`
    select o.id, o.name, o.verification_status = 'verified' as verified,
      case when o.verification_status = 'verified' then o.domain end as domain,
      exists (select 1 from org_members other where other.user_id = m.user_id and other.org_id <> m.org_id) as several
    from orgs o join org_members m on m.org_id = o.id
    ${chosen(choice)}`
}

/** One rule for what is done and for what is said of it. */
function chosen({ userId, orgId, elseNewest }: OrgChoice) {
  return sql`
    where m.user_id = ${userId} and (${elseNewest} or m.org_id = ${orgId})
    order by (m.org_id = ${orgId}) desc nulls last, m.created_at desc, m.org_id desc limit 1`
}

export function findTokenOrg(db: Db, { tokenId, hold }: { tokenId: string; hold: boolean }) {
  return one<Org>(db)`
    select ${ORG} from orgs o join link_tokens t on t.org_id = o.id
    where t.id = ${tokenId} and t.revoked_at is null and ${MADE_BY_MANAGER}
    ${held(hold)}`
}

function held(hold: boolean) {
  return hold ? sql<SqlBool>`for share` : sql<SqlBool>``
}

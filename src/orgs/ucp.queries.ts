/** SQL of the last UCP check of each organization. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'

export type UcpCheckRow = {
  orgId: string
  supported: boolean
  profileUrl: string | null
  checkoutEndpoint: string | null
  details: Record<string, unknown>
  at: Date
}

/** When two checks end together, the later one stays. */
export async function saveUcpCheck(db: Db, check: UcpCheckRow): Promise<void> {
  await sql`
    insert into ucp_checks (org_id, ucp_supported, profile_url, checkout_endpoint, details, checked_at)
    values (${check.orgId}, ${check.supported}, ${check.profileUrl}, ${check.checkoutEndpoint},
      ${JSON.stringify(check.details)}::jsonb, ${check.at})
    on conflict (org_id) do update set
      ucp_supported = excluded.ucp_supported, profile_url = excluded.profile_url,
      checkout_endpoint = excluded.checkout_endpoint, details = excluded.details,
      checked_at = excluded.checked_at
    where ucp_checks.checked_at <= excluded.checked_at`.execute(db)
}

export async function findUcpCheck(db: Db, orgId: string): Promise<Omit<UcpCheckRow, 'orgId'> | null> {
  const { rows } = await sql<Omit<UcpCheckRow, 'orgId'>>`
    select ucp_supported as supported, profile_url as "profileUrl", checkout_endpoint as "checkoutEndpoint", details,
      checked_at as at
    from ucp_checks where org_id = ${orgId}`.execute(db)
  return rows[0] ?? null
}

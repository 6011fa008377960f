/** SQL of who answers requests for quotes of a product, and where to: as rfq/producers.queries.ts asks them. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, map } from '../db/rows.ts'

export type SellerRow = {
  productId: string
  orgId: string
  isManaged: boolean
  /** As its rules have them; null when it states none. */
  regions: unknown
}

/** Of these products or these organizations; of all for null. */
export function findSellers(db: Db, among: { productIds: string[]; orgIds: string[] } | null) {
  const wanted = among
    ? sql`(r.product_id = any(${among.productIds}::uuid[]) or r.org_id = any(${among.orgIds}::uuid[]))`
    : sql`true`
  return all<SellerRow>(db)`
    select distinct on (r.product_id, r.org_id) r.product_id as "productId", r.org_id as "orgId",
      i.is_managed as "isManaged", coalesce(nullif(p.rules -> 'delivery_regions', 'null'), i.pricing -> 'delivery_regions') as regions
    from product_relationships r join orgs o on o.id = r.org_id join agent_integrations i on i.org_id = r.org_id
      left join product_pricing p on p.org_id = r.org_id and p.product_id = r.product_id
    where r.status = 'verified' and o.deactivated_at is null and (i.is_managed or i.agent_card_url is not null)
      and ${wanted}`
}

/** The fewest days in which a managed seller states to deliver each product; a product nobody states is missing. */
export function findLeadDays(db: Db, productIds: readonly string[]) {
  return map<string, number>(db)`
    select r.product_id as "productId",
      min(coalesce((p.rules ->> 'lead_time_days')::int, (i.pricing ->> 'lead_time_days')::int)) as days
    from product_relationships r join orgs o on o.id = r.org_id join agent_integrations i on i.org_id = r.org_id
      left join product_pricing p on p.org_id = r.org_id and p.product_id = r.product_id
    where r.product_id = any(${productIds}::uuid[]) and r.status = 'verified' and o.deactivated_at is null
      and i.is_managed and coalesce(p.rules ->> 'lead_time_days', i.pricing ->> 'lead_time_days') is not null
    group by r.product_id`
}

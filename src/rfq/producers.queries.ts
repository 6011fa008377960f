/** Who is asked: every active organization with a verified relationship to the product. */
import type { Db } from '../db/database.ts'
import { all } from '../db/rows.ts'
import type { OrgType } from '../db/tables.producers.ts'

export type ProducerRow = {
  id: string
  name: string
  orgType: OrgType
  verified: boolean
  /** Proved; null where none is. */
  domain: string | null
  websiteUrl: string | null
  /** Comes with the demo catalog, and answers for its products alone. */
  demo: boolean
  /** Its own cheapest offer that is live now, names a price and is for all variants or for the one that is asked for. */
  offerPriceCents: number | null
  offerUrl: string | null
  offerExpiresAt: Date | null
}

export function findProducersOf(
  db: Db,
  /** `variantId`: of the one that is asked for; null for any. */
  { productId, variantId }: { productId: string; variantId: string | null },
  now: Date,
) {
  return all<ProducerRow>(db)`
    select o.id, o.name, o.org_type as "orgType", o.verification_status = 'verified' as verified,
      case when o.verification_status = 'verified' then o.domain end as domain,
      o.website_url as "websiteUrl", o.demo, offer.price_cents as "offerPriceCents", offer.destination_url as "offerUrl",
      offer.expires_at as "offerExpiresAt"
    from orgs o left join lateral (
      select f.price_cents, f.destination_url, f.expires_at from offers f
      where f.org_id = o.id and f.product_id = ${productId} and f.status = 'active' and f.price_cents is not null
        and (f.variant is null or f.variant = ${variantId})
        and (f.starts_at is null or f.starts_at <= ${now}) and (f.expires_at is null or f.expires_at > ${now})
      order by f.price_cents, f.id limit 1) offer on true
    where o.deactivated_at is null and exists (
      select 1 from product_relationships r
      where r.org_id = o.id and r.product_id = ${productId} and r.status = 'verified')
      and (not o.demo or exists (select 1 from demo_products d where d.id = ${productId}))
    order by o.id`
}

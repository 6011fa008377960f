/**
 * What the public may see of offers: those set active whose time has come or will come, of an organization that is
 * active and whose relationship to the product is verified. The one place that says so.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Variant } from '../catalog/catalog.schema.ts'
import { variantLabel } from '../catalog/chosen-variant.ts'
import type { OfferVariant, PromotedOffer } from '../catalog/promoted-offer.ts'
import type { Db } from '../db/database.ts'
import { all, column, map, one, run } from '../db/rows.ts'
import type { FoundLink } from './links.service.ts'

/** Everything but time: an offer that passes this is live whenever its window is open. */
const SHOWABLE = sql`o.status = 'active' and g.deactivated_at is null
  and (o.starts_at is null or o.expires_at is null or o.starts_at < o.expires_at)
  and exists (select 1 from product_relationships r
    where r.org_id = o.org_id and r.product_id = o.product_id and r.status = 'verified')`

const among = (column: RawBuilder<unknown>, productIds: string[] | null) =>
  productIds === null ? sql`true` : sql`${column} = any(${productIds})`

/** What is stored of the variant that an offer `o` of a product `p` is for, and the variant itself if it is still there. */
export const STORED_VARIANT = sql`case when o.variant is not null then json_build_object('id', o.variant,
  'name', o.variant_name, 'listed', (
    select v from jsonb_array_elements(p.variants) v where v ->> 'id' = o.variant limit 1)) end`
export type StoredVariant = { id: string; name: string; listed: Variant | null }

export function offerVariant({ id, name, listed }: StoredVariant): OfferVariant {
  return { id, name: listed ? variantLabel(listed) : name, isListed: listed !== null }
}

export type ShelvedOffer = PromotedOffer & { productId: string }

type NamedVariant = { variantId: string | null; variantName: string | null }

/** Live now or to come, lowest price first; of all products for null. Products are read only for offers of variants. */
export async function findShelved(db: Db, productIds: string[] | null, now: Date): Promise<ShelvedOffer[]> {
  const rows = await all<Omit<ShelvedOffer, 'variant'> & NamedVariant>(db)`
    select o.product_id as "productId", o.id, o.headline, o.detail, o.price_cents as "priceCents",
      o.list_price_cents as "listPriceCents", o.promo_code as "promoCode", o.offer_types as "offerTypes",
      o.starts_at as "startsAt", o.expires_at as "expiresAt", o.variant as "variantId", o.variant_name as "variantName",
      json_build_object('name', g.name, 'orgType', g.org_type, 'verified', g.verification_status = 'verified',
        'domain', case when g.verification_status = 'verified' then g.domain end, 'demo', g.demo) as seller
    from offers o join orgs g on g.id = o.org_id
    where ${SHOWABLE} and (o.expires_at is null or o.expires_at > ${now}) and ${among(sql`o.product_id`, productIds)}
    order by o.price_cents nulls last, o.id`
  const listed = await findListedVariants(db, rows)
  return rows.map(({ variantId: id, variantName: name, ...offer }) => ({
    ...offer,
    ...(id !== null && {
      variant: offerVariant({ id, name: name ?? id, listed: listed.get(`${offer.productId} ${id}`) ?? null }),
    }),
  }))
}

async function findListedVariants(
  db: Db,
  offers: ReadonlyArray<NamedVariant & { productId: string }>,
): Promise<Map<string, Variant>> {
  const named = offers.filter(({ variantId }) => variantId !== null)
  if (named.length === 0) return new Map()
  const rows = await all<{ productId: string; variant: Variant }>(db)`
    select p.id as "productId", v as variant from products p cross join lateral jsonb_array_elements(p.variants) v
    where p.id = any(${named.map(({ productId }) => productId)}::uuid[])
      and v ->> 'id' = any(${named.map(({ variantId }) => variantId)}::text[])`
  return new Map(rows.map(({ productId, variant }) => [`${productId} ${variant.id}`, variant]))
}

/** When what is shown of a product's offers last changed, by a write or by an end that passed. */
export async function findShelfChanges(db: Db, productIds: string[] | null, now: Date) {
  const rows = await all<{ productId: string; at: Date | null }>(db)`
    select p.id as "productId", greatest(
      (select max(c.at) from changes c where c.product_id = p.id and c.aspect = 'offers'),
      (select max(o.expires_at) from offers o join orgs g on g.id = o.org_id
        where o.product_id = p.id and o.expires_at <= ${now} and o.created_at < o.expires_at and ${SHOWABLE})) as at
    from ${productIds === null ? sql`(select distinct product_id as id from offers) p` : sql`unnest(${productIds}::uuid[]) p (id)`}`
  return new Map(rows.flatMap(({ productId, at }) => (at === null ? [] : [[productId, at]])))
}

export type EndingOffer = { id: string; orgId: string; productTitle: string; expiresAt: Date }

/** Live now and over by `until`, of those that were to be live for longer than that from the start. */
export function findEnding(db: Db, now: Date, until: Date) {
  return all<EndingOffer>(db)`
    select o.id, o.org_id as "orgId", p.title as "productTitle", o.expires_at as "expiresAt"
    from offers o join orgs g on g.id = o.org_id join shown_products p on p.id = o.product_id
    where ${SHOWABLE} and (o.starts_at is null or o.starts_at <= ${now})
      and o.expires_at > ${now} and o.expires_at <= ${until}
      and o.expires_at - greatest(o.created_at, o.starts_at) > ${until}::timestamptz - ${now}::timestamptz`
}

/** Products where the public sees, or will see, an offer of this organization, or would if it were active. */
export function findPromotedProducts(db: Db, orgId: string, now: Date) {
  return column<string>(db)`
    select distinct o.product_id as id from offers o join (select id, null as deactivated_at from orgs) g on g.id = o.org_id
    where o.org_id = ${orgId} and ${SHOWABLE} and (o.expires_at is null or o.expires_at > ${now})
    order by 1`
}

export function findProductCategories(db: Db, productIds: string[]) {
  return map<string, string>(db)`
    select id, category_id as "categoryId" from products where id = any(${productIds})`
}

/** What the log last said about each product's offers. */
export function findLastRecorded(db: Db, productIds: string[]) {
  return map<string, unknown>(db)`
    select distinct on (product_id) product_id as "productId", after from changes
    where product_id = any(${productIds}) and aspect = 'offers' order by product_id, at desc, seq desc`
}

/** Its destination while it is live. */
export function findOfferLinkRow(db: Db, id: string, now: Date) {
  return one<FoundLink>(db)`
    select 'offer' as kind, o.org_id as "orgId", o.product_id as "productId", p.slug as "productSlug",
      c.slug as "categorySlug", case when ${SHOWABLE} and (o.starts_at is null or o.starts_at <= ${now})
        and (o.expires_at is null or o.expires_at > ${now}) then o.destination_url end as destination
    from offers o join orgs g on g.id = o.org_id join shown_products p on p.id = o.product_id
      join categories c on c.id = p.category_id
    where o.id = ${id}`
}

export function insertLinkClick(
  db: Db,
  click: Pick<FoundLink, 'kind' | 'orgId' | 'productId'> & {
    id: string
    at: Date
    linkId: string
    userAgent: string | null
    queryId: string | null
  },
) {
  return run(db)`
    insert into link_clicks (id, at, kind, link_id, org_id, product_id, user_agent, query_id)
    values (${click.id}, ${click.at}, ${click.kind}, ${click.linkId}, ${click.orgId}, ${click.productId},
      ${click.userAgent}, ${click.queryId})`
}

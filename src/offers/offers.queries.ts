/** SQL of an organization's own offers. */
import { sql } from 'kysely'
import type { OfferVariant } from '../catalog/promoted-offer.ts'
import { given, named, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, count, run } from '../db/rows.ts'
import { OFFER, type OfferStatus, type OfferTerms } from './offer.model.ts'
import { offerVariant, STORED_VARIANT, type StoredVariant } from './shelves.queries.ts'

export type Offer = OfferTerms & {
  id: string
  orgId: string
  productId: string
  /** `<category>/<slug>` */
  productSlug: string
  productTitle: string
  /** The one it is for, as it is shown; null for all. */
  ofVariant: OfferVariant | null
  /** As last set; see `statusNow`. */
  status: OfferStatus
  createdAt: Date
  /** Later with every write, also of one moment, so that it tells which version somebody has seen. */
  updatedAt: Date
}

const FOUND = sql`
  select o.id, o.org_id as "orgId", o.product_id as "productId", c.slug || '/' || p.slug as "productSlug",
    p.title as "productTitle", ${STORED_VARIANT} as "ofVariant", ${selected(OFFER.keys, 'o')}, o.status, o.created_at as "createdAt", o.updated_at as "updatedAt"
  from offers o join products p on p.id = o.product_id join categories c on c.id = p.category_id`

type FoundOffer = Omit<Offer, 'ofVariant'> & { ofVariant: StoredVariant | null }

function found({ ofVariant, ...offer }: FoundOffer): Offer {
  return { ...offer, ofVariant: ofVariant && offerVariant(ofVariant) }
}

export function countUnexpired(db: Db, orgId: string, now: Date) {
  return count(db)`
    select count(*)::int as count from offers
    where org_id = ${orgId} and status <> 'expired' and (expires_at is null or expires_at > ${now})`
}

export function insertOffer(
  db: Db,
  offer: OfferTerms & Pick<Offer, 'id' | 'orgId' | 'productId' | 'status' | 'ofVariant'> & { at: Date },
) {
  return run(db)`
    insert into offers (id, org_id, product_id, status, created_at, updated_at, variant_name, ${named(OFFER.keys)})
    values (${offer.id}, ${offer.orgId}, ${offer.productId}, ${offer.status}, ${offer.at}, ${offer.at},
      ${offer.ofVariant?.name ?? null}, ${given(OFFER.keys, offer)})`
}

export async function findOwnOffer(db: Db, { id, orgId }: { id: string; orgId: string }) {
  const rows = await all<FoundOffer>(db)`${FOUND} where o.id = ${id} and o.org_id = ${orgId}`
  return rows.map(found)[0] ?? null
}

/** To the millisecond, which is all that a `Date` can tell. */
const nextVersion = (at: Date) => sql`greatest(${at}::timestamptz, updated_at + interval '1 millisecond')`

/** The whole row: it is the organization's turn, so nobody else writes it. When it is updated now. */
export async function updateOfferRow(
  db: Db,
  offer: OfferTerms & Pick<Offer, 'id' | 'status' | 'ofVariant'> & { at: Date },
): Promise<Date> {
  const rows = await all<{ updatedAt: Date }>(db)`
    update offers set (status, updated_at, variant_name, ${named(OFFER.keys)})
      = (${offer.status}, ${nextVersion(offer.at)}, ${offer.ofVariant?.name ?? null}, ${given(OFFER.keys, offer)})
    where id = ${offer.id} returning updated_at as "updatedAt"`
  return rows[0]?.updatedAt ?? offer.at
}

export function pauseActive(
  db: Db,
  { orgId, productIds, at }: { orgId: string; productIds: string[]; at: Date },
) {
  return run(db)`
    update offers set status = 'paused', updated_at = ${nextVersion(at)}
    where org_id = ${orgId} and product_id = any(${productIds}) and status = 'active'`
}

export type OfferFilter = {
  /** As it reads now. */
  status?: OfferStatus
  productId?: string
  expiresBefore?: Date
  /** A part of the headline or the promo code, in any case. */
  text?: string
  limit: number
  offset: number
}

/** Newest first. */
export async function findOffers(db: Db, orgId: string, filter: OfferFilter, now: Date): Promise<Offer[]> {
  const rows = await all<FoundOffer>(db)`
    ${FOUND} where ${asked(orgId, filter, now)}
    order by o.created_at desc, o.id desc limit ${filter.limit} offset ${filter.offset}`
  return rows.map(found)
}

/** On every page of them. */
export function countOffers(db: Db, orgId: string, filter: OfferFilter, now: Date) {
  return count(db)`
    select count(*)::int as count from offers o where ${asked(orgId, filter, now)}`
}

/**
 * Whose window meets the time from `from` to `until`, as it was last set: what was ended by hand is not among them,
 * because when it ended is not known. What starts at once starts when it is made.
 */
export async function findOffersBetween(
  db: Db,
  { orgId, from, until, limit }: { orgId: string; from: Date; until: Date; limit: number },
): Promise<Offer[]> {
  const rows = await all<FoundOffer>(db)`
    ${FOUND} where o.org_id = ${orgId} and o.status <> 'expired'
      and coalesce(o.starts_at, o.created_at) < ${until} and (o.expires_at is null or o.expires_at > ${from})
      and (o.expires_at is null or coalesce(o.starts_at, o.created_at) < o.expires_at)
    order by coalesce(o.starts_at, o.created_at), o.id limit ${limit}`
  return rows.map(found)
}

export type OfferedProduct = { productSlug: string; title: string }

export function findOfferedProducts(db: Db, { orgId, limit }: { orgId: string; limit: number }) {
  return all<OfferedProduct>(db)`
    select c.slug || '/' || p.slug as "productSlug", p.title from products p join categories c on c.id = p.category_id
    where p.id in (select product_id from offers where org_id = ${orgId})
    order by p.title, p.id limit ${limit}`
}

function asked(orgId: string, filter: OfferFilter, now: Date) {
  const { status = null, productId = null, expiresBefore = null, text = null } = filter
  return sql`o.org_id = ${orgId}
      and (${status}::text is null or ${status} = case when o.expires_at <= ${now} then 'expired' else o.status end)
      and (${productId}::uuid is null or o.product_id = ${productId})
      and (${expiresBefore}::timestamptz is null or (o.expires_at > ${now} and o.expires_at < ${expiresBefore}))
      and (${text}::text is null
        or position(lower(${text}) in lower(o.headline || ' ' || coalesce(o.promo_code, ''))) > 0)`
}

/** By offer, in all and since then; those never followed are absent. */
export async function countClicks(
  db: Db,
  { orgId, offerIds, since }: { orgId: string; offerIds: readonly string[]; since: Date },
): Promise<Map<string, { recent: number; ever: number }>> {
  if (offerIds.length === 0) return new Map()
  const rows = await all<{ id: string; recent: number; ever: number }>(db)`
    select link_id as id, count(*) filter (where at > ${since})::int as recent, count(*)::int as ever from link_clicks
    where link_id = any(${offerIds}::uuid[]) and kind = 'offer' and org_id = ${orgId} group by link_id`
  return new Map(rows.map(({ id, recent, ever }) => [id, { recent, ever }]))
}

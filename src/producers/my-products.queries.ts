/**
 * SQL of what an organization has in the catalog. Each function is one statement for any number of products, because
 * some have a thousand.
 */
import { sql } from 'kysely'
import type { VerificationStatus } from '../catalog/catalog.schema.ts'
import type { RelationshipStatus, RelationshipType } from '../catalog/relationships.schema.ts'
import type { Db } from '../db/database.ts'
import { all, one } from '../db/rows.ts'
import type { OfferStatus } from '../offers/offer.model.ts'
import type {
  IntegrationFacts,
  OfferFacts,
  ProductFacts,
  RejectedSubmission,
  RelationshipFacts,
} from './facts.ts'

type ProductFilter = {
  relationshipType: RelationshipType | null
  verificationStatus: RelationshipStatus | null
  /** Each stands in the title, the brand or the slug. */
  words: readonly string[]
}

/** Claimed last comes first. `total` is of all that match, whatever the page. */
export async function findMatching(
  db: Db,
  orgId: string,
  filter: ProductFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; ids: string[] }> {
  const { relationshipType: type, verificationStatus: status } = filter
  const patterns = filter.words.map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`)
  const worded = sql`
    and exists (
      select 1 from products p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id
      where p.id = r.product_id
        and concat_ws(' ', p.title, b.name, c.slug || '/' || p.slug) ilike all (${patterns}::text[]))`
  const rows = await all<{ total: number; ids: string[] }>(db)`
    with matching as materialized (
      select r.product_id as id, max(r.created_at) as at
      from product_relationships r
      where r.org_id = ${orgId}
        and (${type}::text is null or r.relationship_type = ${type})
        and (${status}::text is null or r.status = ${status})
        ${patterns.length > 0 ? worded : sql``}
      group by 1)
    select (select count(*)::int from matching) as total,
      array(select id from matching order by at desc, id desc limit ${limit} offset ${offset}) as ids`
  return rows[0] ?? { total: 0, ids: [] }
}

/** What waits or answers for the organization as a whole. */
export async function findOrgRow(
  db: Db,
  orgId: string,
): Promise<{ products: number; submissionsPending: number; integration: IntegrationFacts | null }> {
  const row = await one<
    { products: number; submissionsPending: number; configured: boolean } & IntegrationFacts
  >(db)`
    select
      (select count(distinct product_id)::int from product_relationships where org_id = o.id) as products,
      (select count(*)::int from product_submissions where org_id = o.id and status = 'pending')
        as "submissionsPending",
      i.org_id is not null as configured, i.is_managed as "isManaged", i.managed_rules as "managedRules",
      i.agent_card_url is not null as "hasCard", i.status, i.failures_in_a_row as "failuresInARow",
      i.skip_until as "skipUntil"
    from orgs o left join agent_integrations i on i.org_id = o.id
    where o.id = ${orgId}`
  if (!row) return { products: 0, submissionsPending: 0, integration: null }
  const { products, submissionsPending, configured, ...integration } = row
  return { products, submissionsPending, integration: configured ? integration : null }
}

/** Newest first. What was proposed again since is left out, whatever became of it. */
export function findRejectedSubmissions(
  db: Db,
  { orgId, since, limit }: { orgId: string; since: Date; limit: number },
) {
  return all<RejectedSubmission>(db)`
    select s.id, coalesce(s.product->>'title', '') as title, s.reviewed_at as at, s.review_note as note
    from (
      select distinct on (identity_key) id, status, reviewed_at from product_submissions
      where org_id = ${orgId} order by identity_key, created_at desc, id desc) newest
      join product_submissions s on s.id = newest.id
    where newest.status = 'rejected' and newest.reviewed_at > ${since}
    order by s.reviewed_at desc, s.id desc limit ${limit}`
}

type Key = { orgId: string; productIds: readonly string[] }

type ProfileRow = Omit<ProductFacts, 'relationships' | 'offers' | 'pricing' | 'enrichment'>

export function findProfiles(db: Db, productIds: readonly string[]): Promise<ProfileRow[]> {
  return all<ProfileRow & { verificationStatus: VerificationStatus }>(db)`
    select p.id, c.slug || '/' || p.slug as slug, p.title, b.name as brand, b.domain as "brandDomain", p.discontinued,
      p.price_low_cents as "priceLowCents", p.price_high_cents as "priceHighCents",
      p.list_price_cents as "listPriceCents", p.where_to_buy as "whereToBuy",
      coalesce(octet_length(p.description), 0) > 0 as "hasDescription", p.gtin, p.mpn, jsonb_array_length(p.specs) as specs,
      p.verification_status as "verificationStatus",
      jsonb_array_length(p.images) > 0 or (p.verification_status <> 'base' and exists (
        select 1 from enrichments e
        where e.product_id = p.id and e.status = 'approved' and jsonb_array_length(e.images) > 0)) as "hasImage"
    from products p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id
    where p.id = any(${productIds}::uuid[])`
}

export function findClaims(db: Db, { orgId, productIds }: Key) {
  return all<RelationshipFacts & { productId: string }>(db)`
    select product_id as "productId", id, relationship_type as type, status, evidence_url is not null as "hasEvidence",
      created_at as "createdAt"
    from product_relationships
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[])
    order by created_at, id`
}

/** Not the ones that were ended on purpose, nor those that ended before `since`. */
export function findOpenOffers(db: Db, { orgId, productIds }: Key, since: Date) {
  return all<OfferFacts & { productId: string }>(db)`
    select product_id as "productId", id, status, price_cents as "priceCents", list_price_cents as "listPriceCents",
      destination_url as "destinationUrl", starts_at as "startsAt", expires_at as "expiresAt",
      updated_at as "updatedAt", variant
    from offers
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[]) and status <> 'expired'
      and (expires_at is null or expires_at > ${since})
    order by created_at, id`
}

/** All of them, by how they read now. */
export function countOffers(db: Db, { orgId, productIds }: Key, now: Date) {
  return all<{ productId: string; status: OfferStatus; count: number }>(db)`
    select product_id as "productId", case when expires_at <= ${now} then 'expired' else status end as status,
      count(*)::int as count
    from offers
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[])
    group by 1, 2`
}

type ProposalRow = {
  productId: string
  waitingSince: Date | null
  /** Of the newest proposal that was not withdrawn. */
  lastStatus: 'pending' | 'approved' | 'rejected'
  lastReviewedAt: Date | null
  lastNote: string | null
}

export function findProposals(db: Db, { orgId, productIds }: Key) {
  return all<ProposalRow>(db)`
    select distinct on (product_id) product_id as "productId", status as "lastStatus",
      reviewed_at as "lastReviewedAt", review_note as "lastNote",
      min(created_at) filter (where status = 'pending') over (partition by product_id) as "waitingSince"
    from enrichments
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[]) and status <> 'withdrawn'
    order by product_id, created_at desc, id desc`
}

/** Whether a request of a buyer was ever answered in its name with a quote. Found by rfq_quotes_by_org. */
export async function hasQuoted(db: Db, orgId: string): Promise<boolean> {
  const rows = await all<{ quoted: boolean }>(db)`
    select exists (select 1 from rfq_quotes where org_id = ${orgId}) as quoted`
  return rows[0]?.quoted ?? false
}

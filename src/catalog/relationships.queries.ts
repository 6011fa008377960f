/** SQL of who sells or makes what, and of the numbers that tell whether a claim means the product it names. */
import { sql } from 'kysely'
import { insertRows } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { holds, type Searched } from '../db/like.ts'
import { all, column, count, exists, one, run, set } from '../db/rows.ts'
import type { Product } from './catalog.schema.ts'
import type { ProductNumbers } from './product-identity.ts'
import type {
  ProductSlug,
  RelationshipStatus,
  RelationshipType,
  VerifiedVia,
} from './relationships.schema.ts'

/** Held until the transaction ends. */
export function lockTurn(db: Db, orgId: string) {
  return run(db)`select pg_advisory_xact_lock(hashtextextended(${`products and offers of ${orgId}`}, 0))`
}

export type ProductRef = Pick<Product, 'id' | 'slug' | 'categoryId' | 'title' | 'discontinued'> & {
  category: string
  /** The last change of the product or of the category it names. */
  updatedAt: Date
}

export function findProductRef(db: Db, { category, slug }: ProductSlug) {
  return one<ProductRef>(db)`
    select p.id, p.slug, c.slug as category, c.id as "categoryId", p.title, p.discontinued,
      greatest(p.updated_at, c.updated_at) as "updatedAt"
    from shown_products p join categories c on c.id = p.category_id
    where p.slug = ${slug} and (${category}::text is null or c.slug = ${category})`
}

export function isDemoProduct(db: Db, id: string) {
  return exists(db)`select 1 from demo_products where id = ${id}`
}

export type Relationship = {
  id: string
  orgId: string
  productId: string
  /** `<category>/<slug>` */
  productSlug: string
  title: string
  type: RelationshipType
  status: RelationshipStatus
  verifiedVia: VerifiedVia | null
  verifiedAt: Date | null
  evidenceUrl: string | null
  createdAt: Date
}

/** Hidden products too: what an organization is to them stays its own, and must end when its proof does. */
const RELATIONSHIP = sql`
  select r.id, r.org_id as "orgId", r.product_id as "productId", c.slug || '/' || p.slug as "productSlug", p.title,
    r.relationship_type as type, r.status, r.verified_via as "verifiedVia", r.verified_at as "verifiedAt",
    r.evidence_url as "evidenceUrl", r.created_at as "createdAt"
  from product_relationships r join products p on p.id = r.product_id join categories c on c.id = p.category_id`

type NewRelationship = Pick<Relationship, 'id' | 'orgId' | 'productId' | 'type' | 'evidenceUrl'> & {
  /** Null for one that waits. */
  via: VerifiedVia | null
  at: Date
}

export async function insertRelationships(db: Db, rows: readonly NewRelationship[]): Promise<void> {
  if (rows.length === 0) return
  const made = rows.map(
    ({ id, orgId, productId, type: relationshipType, evidenceUrl, via: verifiedVia, at }) => ({
      ...{ id, orgId, productId, relationshipType, evidenceUrl, verifiedVia, createdAt: at },
      ...(verifiedVia === null
        ? { status: 'pending' as const }
        : { status: 'verified' as const, verifiedAt: at }),
    }),
  )
  await insertRows(db, 'product_relationships', made)
}

export function findClaim(db: Db, claim: { orgId: string; productId: string; type: RelationshipType }) {
  return one<Relationship>(db)`
    ${RELATIONSHIP} where r.org_id = ${claim.orgId} and r.product_id = ${claim.productId}
      and r.relationship_type = ${claim.type}`
}

export function findRelationship(db: Db, { id, orgId }: { id: string; orgId: string | null }) {
  return one<Relationship>(db)`
    ${RELATIONSHIP} where r.id = ${id} and (${orgId}::uuid is null or r.org_id = ${orgId})`
}

export function findPendingOf(db: Db, orgId: string) {
  return all<Relationship>(db)`
    ${RELATIONSHIP} where r.org_id = ${orgId} and r.status = 'pending' order by r.id`
}

export function countPending(db: Db, orgId: string) {
  return count(db)`
    select count(*)::int as count from product_relationships
    where org_id = ${orgId} and status = 'pending'`
}

export function findRelationships(db: Db, orgId: string) {
  return all<Relationship>(db)`
    ${RELATIONSHIP} where r.org_id = ${orgId} order by r.created_at desc, r.id desc`
}

export async function findRelationshipsPage(
  db: Db,
  { orgId, limit, offset }: { orgId: string; limit: number; offset: number },
): Promise<{ relationships: Relationship[]; total: number }> {
  const relationships = await all<Relationship>(db)`
    ${RELATIONSHIP} where r.org_id = ${orgId}
    order by r.created_at desc, r.id desc limit ${limit} offset ${offset}`
  const total = await count(db)`
    select count(*)::int as total from product_relationships where org_id = ${orgId}`
  return { relationships, total }
}

/** The organization's to one product, in the order they were claimed. */
export function findRelationshipsTo(db: Db, { orgId, productId }: { orgId: string; productId: string }) {
  return all<Relationship>(db)`
    ${RELATIONSHIP} where r.org_id = ${orgId} and r.product_id = ${productId}
    order by r.created_at, r.id`
}

export type PendingClaim = Relationship & {
  orgName: string
  orgDomain: string | null
  orgVerified: boolean
  /** Where the product's brand lives, when the catalog knows. */
  brandDomain: string | null
}

/** Oldest first; `search` is looked for in product and organization. */
export function findPendingClaims(
  db: Db,
  { search = null, type = null, limit, offset = 0 }: Searched & { type?: RelationshipType | null },
) {
  return all<PendingClaim>(db)`
    select claim.*, o.name as "orgName", o.domain as "orgDomain",
      o.verification_status = 'verified' as "orgVerified", b.domain as "brandDomain"
    from (${RELATIONSHIP} where r.status = 'pending' and (${type}::text is null or r.relationship_type = ${type})) claim join orgs o on o.id = claim."orgId"
      join products p on p.id = claim."productId" left join brands b on b.id = p.brand_id
    where ${holds(sql`concat_ws(' ', p.title, o.name, o.domain)`, search)}
    order by claim."createdAt", claim.id limit ${limit} offset ${offset}`
}

export function findVerified(db: Db, { orgId, productId }: { orgId: string; productId: string }) {
  return column<RelationshipType>(db)`
    select relationship_type as type from product_relationships
    where org_id = ${orgId} and product_id = ${productId} and status = 'verified'
    order by id`
}

/** Those of the products that the organization has a verified relationship to. */
export function findRelatedProducts(db: Db, { orgId, productIds }: { orgId: string; productIds: string[] }) {
  return set<string>(db)`
    select distinct product_id as id from product_relationships
    where org_id = ${orgId} and product_id = any(${productIds}) and status = 'verified'`
}

export function updateVerified(db: Db, ids: string[], via: VerifiedVia, at: Date) {
  return run(db)`
    update product_relationships set status = 'verified', verified_via = ${via}, verified_at = ${at}
    where id = any(${ids})`
}

export function updateUnverified(db: Db, ids: string[]) {
  return run(db)`
    update product_relationships set status = 'pending', verified_via = null, verified_at = null
    where id = any(${ids})`
}

export function updateEvidenceUrl(db: Db, id: string, evidenceUrl: string) {
  return run(db)`update product_relationships set evidence_url = ${evidenceUrl} where id = ${id}`
}

export function deleteRelationship(db: Db, id: string) {
  return run(db)`delete from product_relationships where id = ${id}`
}

/** What the catalog itself says about where products come from and where they are sold. */
export async function findEvidence(
  db: Db,
  { orgId, productIds }: { orgId: string; productIds: string[] },
): Promise<Map<string, { orgDomain: string | null; brandDomain: string | null; shopUrls: string[] }>> {
  const rows = await all<{
    productId: string
    orgDomain: string | null
    brandDomain: string | null
    shops: Array<{ url: string }>
  }>(db)`
    select p.id as "productId", b.domain as "brandDomain", p.where_to_buy as shops,
      case when o.verification_status = 'verified' then o.domain end as "orgDomain"
    from products p join orgs o on o.id = ${orgId} left join brands b on b.id = p.brand_id
    where p.id = any(${productIds})`
  return new Map(
    rows.map(({ productId, orgDomain, brandDomain, shops }) => [
      productId,
      { orgDomain, brandDomain, shopUrls: shops.map(({ url }) => url) },
    ]),
  )
}

export function findNumbers(db: Db, productId: string) {
  return one<ProductNumbers>(db)`
    select gtin, mpn from products where id = ${productId}`
}

/**
 * `<category>/<slug>` of the products that one of the numbers names. A part number is looked up brand by brand, which is
 * how products_by_mpn has them; two brands may use the same one.
 */
export function findByNumbers(
  db: Db,
  { gtins, mpn, limit }: { gtins: readonly string[]; mpn: string | null; limit: number },
) {
  return column<string>(db)`
    select c.slug || '/' || p.slug as slug
    from shown_products p join categories c on c.id = p.category_id
    where p.id in (
      select id from products where gtin = any(${gtins}::text[])
      union all
      select part.id from brands b join products part on part.brand_id = b.id
      where ${mpn}::text is not null and part.mpn is not null and lower(part.mpn) = lower(${mpn}::text))
    order by p.gtin = any(${gtins}::text[]) desc nulls last, slug
    limit ${limit}`
}

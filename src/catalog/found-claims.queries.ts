/** SQL of the products that the catalog itself connects with a domain, and of claims that were made together. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, run } from '../db/rows.ts'
import type { ProductRef } from './relationships.queries.ts'
import type { RelationshipType } from './relationships.schema.ts'

export type Candidate = Pick<ProductRef, 'id' | 'slug' | 'category' | 'title'> & {
  brandDomain: string | null
  /** Shop links that nobody of the organization brought. */
  shopUrls: string[]
}

/**
 * Products whose brand or shop links lie in the domain and that are not claimed yet, by title. `kin`: the organization and every other one that its
 * people belong to. A product that one of them proposed is left out, and so are links that one of them added.
 */
export function findClaimable(
  db: Db,
  { orgId, domain, limit }: { orgId: string; domain: string; limit: number },
) {
  return all<Candidate>(db)`
    with kin as (
      select ${orgId}::uuid as org_id
      union select theirs.org_id from org_members own join org_members theirs on theirs.user_id = own.user_id
        where own.org_id = ${orgId}),
    pointing as (
      select p.id from brands b join products p on p.brand_id = b.id
      where b.domain = ${domain} or right(b.domain, length(${domain}::text) + 1) = '.' || ${domain}::text
      union select id from products where shop_domains(where_to_buy) @> array[${domain}::text])
    select p.id, p.slug, c.slug as category, p.title, b.domain as "brandDomain",
      array(select shop ->> 'url' from jsonb_array_elements(p.where_to_buy) shop
        where not exists (
          select 1 from enrichments e, jsonb_array_elements(
            case jsonb_typeof(e.fields -> 'where_to_buy') when 'array' then e.fields -> 'where_to_buy' else '[]' end) added
          where e.product_id = p.id and e.status = 'approved' and e.org_id in (select org_id from kin)
            and added ->> 'url' = shop ->> 'url')) as "shopUrls"
    from shown_products p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id
    where p.id in (select id from pointing)
      and not exists (select 1 from product_relationships r where r.product_id = p.id and r.org_id = ${orgId})
      and not exists (select 1 from product_submissions s
        where s.product_id = p.id and s.org_id in (select org_id from kin))
    order by p.title, p.id limit ${limit}`
}

export function markBatch(db: Db, ids: readonly string[], batchId: string) {
  return run(db)`update product_relationships set batch_id = ${batchId} where id = any(${ids})`
}

export type ClaimBatch = { id: string; claims: number; products: number; at: Date }

/** What is left of each, newest first. */
export function findClaimBatches(db: Db, orgId: string, limit: number) {
  return all<ClaimBatch>(db)`
    select batch_id as id, count(*)::int as claims, count(distinct product_id)::int as products, min(created_at) as at
    from product_relationships where org_id = ${orgId} and batch_id is not null
    group by batch_id order by at desc, id desc limit ${limit}`
}

export type BatchedClaim = { id: string; productId: string; productSlug: string; type: RelationshipType }

const CLAIM = sql`
  select r.id, r.product_id as "productId", c.slug || '/' || p.slug as "productSlug", r.relationship_type as type
  from product_relationships r join products p on p.id = r.product_id join categories c on c.id = p.category_id`

export function findBatchedClaims(db: Db, { orgId, batchId }: { orgId: string; batchId: string }) {
  return all<BatchedClaim>(db)`
    ${CLAIM} where r.org_id = ${orgId} and r.batch_id = ${batchId} order by r.id`
}

export function findClaimsTo(
  db: Db,
  { orgId, productIds }: { orgId: string; productIds: readonly string[] },
) {
  return all<BatchedClaim>(db)`
    ${CLAIM} where r.org_id = ${orgId} and r.product_id = any(${productIds}::uuid[]) order by r.id`
}

export function deleteRelationships(db: Db, ids: readonly string[]) {
  return run(db)`delete from product_relationships where id = any(${ids})`
}

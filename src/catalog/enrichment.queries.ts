/**
 * SQL of what producers propose. Locks are always taken in one order (organization, proposal, relationship, product), so
 * that submitting, withdrawing, reviewing and a change of the organization cannot wait for each other in a circle.
 */
import { sql } from 'kysely'
import { insertRows, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { holds } from '../db/like.ts'
import { all, count, one, run } from '../db/rows.ts'
import type { OrgType, RelationshipType } from '../db/tables.producers.ts'
import type { ProductImage } from './catalog.schema.ts'
import type { EnrichmentStatus, Proposal } from './enrichment.schema.ts'

export type Enrichment = Proposal & {
  id: string
  orgId: string
  productId: string
  status: EnrichmentStatus
  reviewedAt: Date | null
  reviewNote: string | null
  createdAt: Date
  /** Came from an import: the next import replaces it while it waits. */
  fromImport: boolean
}

const OWN_KEYS = [
  'id',
  'orgId',
  'productId',
  'fields',
  'images',
  'evidence',
  'note',
  'confirmsProfile',
] as const
const KEYS = [...OWN_KEYS, 'status', 'reviewedAt', 'reviewNote', 'createdAt', 'fromImport'] as const
const ENRICHMENT = selected(KEYS satisfies ReadonlyArray<keyof Enrichment>, 'e')

/**
 * The part of a profile's query that looks for contributions: only where the status says that there are any. The one whose
 * proposal made the product has contributed all that it said; its images are the product's own.
 */
export const CONTRIBUTIONS = sql`
  case when p.verification_status <> 'base' then (
    select json_build_object(
      'images', json_agg(e.images order by e.reviewed_at, e.id),
      'orgs', json_agg(json_build_object('id', o.id, 'name', o.name, 'type', o.org_type, 'verifiedAt', o.verified_at,
        'domain', case when o.verification_status = 'verified' then o.domain end)
        order by e.reviewed_at, e.id) filter (where o.verification_status = 'verified' and o.deactivated_at is null))
    from (
      select id, org_id, images, reviewed_at from enrichments where product_id = p.id and status = 'approved'
      union all
      select id, org_id, '[]'::jsonb, reviewed_at from product_submissions where product_id = p.id and status = 'approved') e
    join orgs o on o.id = e.org_id) end`

export type ContributionsColumn = {
  images: ProductImage[][] | null
  orgs: Array<{
    id: string
    name: string
    type: OrgType
    verifiedAt: string | null
    domain: string | null
  }> | null
} | null

/**
 * The organization's verified relationships by product, held as they are; `update` lets one submission in at a time. A
 * product without one is not in the map.
 */
export async function holdVerifiedRelationships(
  db: Db,
  { orgId, productIds, hold }: { orgId: string; productIds: readonly string[]; hold: 'share' | 'update' },
): Promise<Map<string, RelationshipType[]>> {
  const rows = await all<{ productId: string; type: RelationshipType }>(db)`
    select product_id as "productId", relationship_type as type from product_relationships
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[]) and status = 'verified'
    order by id ${hold === 'update' ? sql`for update` : sql`for share`}`
  const held = Map.groupBy(rows, ({ productId }) => productId)
  return new Map([...held].map(([productId, types]) => [productId, types.map(({ type }) => type)]))
}

/** By product; one without any is not in the map. */
export async function findOpenEnrichments(
  db: Db,
  { orgId, productIds }: { orgId: string; productIds: readonly string[] },
): Promise<Map<string, Enrichment[]>> {
  const rows = await all<Enrichment>(db)`
    select ${ENRICHMENT} from enrichments e
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[]) and status = 'pending'`
  return Map.groupBy(rows, ({ productId }) => productId)
}

/** The open ones that came from an import, in the order of locks before the relationships they hang on. */
export function lockImportedEnrichments(
  db: Db,
  { orgId, productIds }: { orgId: string; productIds: readonly string[] },
) {
  return run(db)`
    select id from enrichments
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[]) and status = 'pending' and from_import
    order by id for update`
}

export async function withdrawEnrichments(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await run(db)`update enrichments set status = 'withdrawn' where id = any(${ids}::uuid[])`
}

type NewEnrichment = Proposal &
  Pick<Enrichment, 'id' | 'orgId' | 'productId' | 'createdAt' | 'status'> & {
    fromImport?: boolean
    review?: Review
  }
type Review = { by: string | null; at: Date; note: string | null }

export async function insertEnrichments(db: Db, entries: readonly NewEnrichment[]): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ fields, images, review, fromImport = false, ...entry }) => ({
    ...entry,
    ...{ fields: JSON.stringify(fields), images: JSON.stringify(images), fromImport },
    reviewedBy: review?.by ?? null,
    reviewedAt: review?.at ?? null,
    reviewNote: review?.note ?? null,
  }))
  await insertRows(db, 'enrichments', rows)
}

export function lockEnrichment(db: Db, id: string) {
  return one<Enrichment>(db)`
    select ${ENRICHMENT} from enrichments e where e.id = ${id} for update`
}

export type ProposingOrg = {
  id: string
  name: string
  orgType: OrgType
  domain: string | null
  verified: boolean
  deactivated: boolean
}

const ORG = sql`o.id, o.name, o.org_type as "orgType", o.domain, o.verification_status = 'verified' as verified, o.deactivated_at is not null as deactivated`

/** Whose proposal it is; renaming or deactivating it waits until the review is done. */
export function holdOrgOfEnrichment(db: Db, enrichmentId: string) {
  return one<ProposingOrg>(db)`
    select ${ORG} from orgs o where o.id = (select org_id from enrichments where id = ${enrichmentId})
      for share`
}

/** What was decided; after a partial approval the row holds what was approved, and the rest has a row of its own. */
export async function closeEnrichment(
  db: Db,
  id: string,
  outcome: { status: EnrichmentStatus; review?: Review; kept?: Proposal },
): Promise<void> {
  const { status, review, kept } = outcome
  await db
    .updateTable('enrichments')
    .set({
      status,
      ...(review && { reviewed_by: review.by, reviewed_at: review.at, review_note: review.note }),
      ...(kept && {
        fields: JSON.stringify(kept.fields),
        images: JSON.stringify(kept.images),
        confirms_profile: kept.confirmsProfile,
      }),
    })
    .where('id', '=', id)
    .execute()
}

export type ListedEnrichment = Enrichment & { productSlug: string }
type Page = { limit: number; offset: number }

/** An organization's own, newest first. */
export async function findOwnEnrichments(
  db: Db,
  { orgId, productId, limit, offset }: { orgId: string; productId: string | null } & Page,
): Promise<{ enrichments: ListedEnrichment[]; total: number }> {
  const whose = sql`e.org_id = ${orgId} and (${productId}::uuid is null or e.product_id = ${productId})`
  const enrichments = await all<ListedEnrichment>(db)`
    select ${ENRICHMENT}, c.slug || '/' || p.slug as "productSlug"
    from enrichments e join products p on p.id = e.product_id join categories c on c.id = p.category_id
    where ${whose} order by e.created_at desc, e.id desc limit ${limit} offset ${offset}`
  const total = await count(db)`select count(*) as total from enrichments e where ${whose}`
  return { enrichments, total }
}

export type QueuedEnrichment = Enrichment & { org: ProposingOrg }

/** What waits is reviewed in the order it came; of what is done, the newest is looked for. */
export async function findEnrichmentsByStatus(
  db: Db,
  { status, search = null, limit, offset }: { status: EnrichmentStatus; search?: string | null } & Page,
): Promise<{ enrichments: QueuedEnrichment[]; total: number }> {
  const from =
    search === null
      ? sql`enrichments e where e.status = ${status}`
      : sql`enrichments e join products p on p.id = e.product_id join orgs w on w.id = e.org_id
          where e.status = ${status} and ${holds(sql`concat_ws(' ', p.title, w.name)`, search)}`
  const order = status === 'pending' ? sql`e.created_at, e.id` : sql`e.created_at desc, e.id desc`
  const enrichments = await all<QueuedEnrichment>(db)`
    select ${ENRICHMENT}, (select to_jsonb(x) from (select ${ORG} from orgs o where o.id = e.org_id) x) as org
    from ${from} order by ${order} limit ${limit} offset ${offset}`
  const total = await count(db)`select count(*) as total from ${from}`
  return { enrichments, total }
}

/** One of any status. */
export function findQueuedEnrichment(db: Db, id: string) {
  return one<QueuedEnrichment>(db)`
    select ${ENRICHMENT}, (select to_jsonb(x) from (select ${ORG} from orgs o where o.id = e.org_id) x) as org
    from enrichments e where e.id = ${id}`
}

/** What shows this organization as a contributor is stale: its products' forms are made anew. */
export function touchEnrichedProducts(db: Db, orgId: string, at: Date) {
  return run(db)`
    with shown as (
      select p.id, p.category_id from products p
      where p.id in (
        select product_id from enrichments where org_id = ${orgId} and status = 'approved'
        union select product_id from product_submissions where org_id = ${orgId} and status = 'approved')
      order by p.id for update),
    touched as (update products p set updated_at = ${at} from shown where p.id = shown.id)
    insert into changes (at, product_id, category_id, aspect)
    select ${at}, id, category_id, 'text' from shown`
}

/**
 * SQL of proposed products, and of the products they may turn out to be. Locks are taken in one order: organization, its
 * turn (relationships.queries.ts), submission, the operators' turn, products.
 */
import { sql } from 'kysely'
import { insertRows } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { holds, type Searched } from '../db/like.ts'
import { all, count, one, run, set } from '../db/rows.ts'
import type { SubmissionStatus } from '../db/tables.ts'
import type { KnownProduct, Lookups } from './product-identity.ts'
import type { RelationshipType } from './relationships.schema.ts'
import type { StoredProduct } from './submissions.schema.ts'

export type Submission = {
  id: string
  orgId: string
  relationshipType: RelationshipType
  product: StoredProduct
  productUrl: string | null
  identityKey: string
  /** One more at each change of what it says. */
  version: number
  status: SubmissionStatus
  createdAt: Date
}

const SUBMISSION = sql`
  s.id, s.org_id as "orgId", s.relationship_type as "relationshipType", s.product, s.product_url as "productUrl",
  s.identity_key as "identityKey", s.version, s.status, s.created_at as "createdAt"`

/**
 * What the catalog has by one of the identifiers, or by a brand and a title or part number that may be read as the same.
 * Few rows whatever the brands have: each name is a probe of products_by_folded_title or products_by_folded_mpn.
 */
export function findLookalikes(db: Db, by: Lookups) {
  const [titled, numbered] = [by.titles, by.parts]
  return all<KnownProduct>(db)`
    select p.id, p.slug, c.slug as category, p.title, p.model, p.gtin, p.mpn, b.key as "brandKey"
    from products p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id
    where p.id in (
      select id from products where slug = any(${by.slugs})
      union select id from products where gtin = any(${by.gtins})
      union select p.id
        from unnest(${titled.map(({ brandKey }) => brandKey)}::text[], ${titled.map(({ title }) => title)}::text[])
            as stated (brand_key, title)
          join brands b on b.key = stated.brand_key
          join products p on p.brand_id = b.id and folded_name(p.title) = folded_name(stated.title)
      union select p.id
        from unnest(${numbered.map(({ brandKey }) => brandKey)}::text[], ${numbered.map(({ mpn }) => mpn)}::text[])
            as stated (brand_key, mpn)
          join brands b on b.key = stated.brand_key
          join products p on p.brand_id = b.id and folded_name(p.mpn) = folded_name(stated.mpn)
            and p.mpn is not null
      union select p.id
        from unnest(${by.brandlessTitles}::text[]) as stated (title)
          join products p on p.brand_id is null and folded_name(p.title) = folded_name(stated.title))
    order by p.id`
}

export function findTakenSlugs(db: Db, slugs: string[]) {
  return set<string>(db)`select slug from products where slug = any(${slugs})`
}

/** The organization's open proposals by what they propose. */
export async function findPendingSubmissions(
  db: Db,
  { orgId, identityKeys }: { orgId: string; identityKeys: string[] },
): Promise<Map<string, Submission>> {
  const rows = await all<Submission>(db)`
    select ${SUBMISSION} from product_submissions s
    where s.org_id = ${orgId} and s.identity_key = any(${identityKeys}) and s.status = 'pending'
    order by s.id for update`
  return new Map(rows.map((row) => [row.identityKey, row]))
}

export function countPendingSubmissions(db: Db, orgId: string) {
  return count(db)`
    select count(*) as count from product_submissions where org_id = ${orgId}
      and status = 'pending'`
}

type NewSubmission = Omit<Submission, 'version' | 'status' | 'createdAt'>

export async function insertSubmissions(db: Db, entries: readonly NewSubmission[], at: Date): Promise<void> {
  if (entries.length === 0) return
  const times = { createdAt: at, updatedAt: at }
  const rows = entries.map((entry) => ({ ...entry, product: JSON.stringify(entry.product), ...times }))
  await insertRows(db, 'product_submissions', rows)
}

export function updateSubmission(
  db: Db,
  entry: Pick<Submission, 'id' | 'product' | 'productUrl' | 'relationshipType'>,
  at: Date,
) {
  return run(db)`
    update product_submissions set product = ${JSON.stringify(entry.product)}::jsonb, product_url = ${entry.productUrl},
      relationship_type = ${entry.relationshipType}, version = version + 1, updated_at = ${at}
    where id = ${entry.id}`
}

export type SubmittingOrg = { id: string; name: string; deactivated: boolean }

/** Whose proposal it is; renaming or deactivating it waits until the review is done. */
export function holdOrgOfSubmission(db: Db, submissionId: string) {
  return one<SubmittingOrg>(db)`
    select o.id, o.name, o.deactivated_at is not null as deactivated from orgs o
    where o.id = (select org_id from product_submissions where id = ${submissionId}) for share`
}

export function lockSubmission(db: Db, id: string) {
  return one<Submission>(db)`
    select ${SUBMISSION} from product_submissions s where s.id = ${id} for update`
}

/** Held until the transaction ends: two proposals of one product without a number can be told apart only one by one. */
export function lockApprovals(db: Db) {
  return run(db)`select pg_advisory_xact_lock(hashtextextended('approving a submitted product', 0))`
}

export function closeSubmission(
  db: Db,
  id: string,
  outcome: {
    status: SubmissionStatus
    productId: string | null
    by: string | null
    at: Date
    note: string | null
  },
) {
  return run(db)`
    update product_submissions set status = ${outcome.status}, product_id = ${outcome.productId},
      reviewed_by = ${outcome.by}, reviewed_at = ${outcome.at}, review_note = ${outcome.note}, updated_at = ${outcome.at}
    where id = ${id}`
}

export type WaitingSubmission = Submission & {
  orgName: string
  orgDomain: string | null
  orgVerified: boolean
}

const WITH_ORG = sql`
  select ${SUBMISSION}, o.name as "orgName", o.domain as "orgDomain",
    o.verification_status = 'verified' as "orgVerified"
  from product_submissions s join orgs o on o.id = s.org_id`

/** What waits, oldest first, or what was decided, newest first. `search` is looked for in product and organization. */
export function findSubmissions(
  db: Db,
  { status = 'pending', search = null, limit, offset = 0 }: Searched & { status?: SubmissionStatus },
) {
  const order = status === 'pending' ? sql`s.created_at, s.id` : sql`s.created_at desc, s.id desc`
  return all<WaitingSubmission>(db)`
    ${WITH_ORG} where s.status = ${status} and ${holds(sql`concat_ws(' ', s.product->>'title', o.name)`, search)}
    order by ${order} limit ${limit} offset ${offset}`
}

/** One of any status. */
export function findSubmission(db: Db, id: string) {
  return one<WaitingSubmission>(db)`${WITH_ORG} where s.id = ${id}`
}

export type OwnSubmission = Submission & {
  /** `<category>/<slug>` of what an approval made. */
  productSlug: string | null
  reviewedAt: Date | null
  reviewNote: string | null
  updatedAt: Date
}

const OWN_SUBMISSION = sql`
  select ${SUBMISSION}, c.slug || '/' || p.slug as "productSlug", s.reviewed_at as "reviewedAt",
    s.review_note as "reviewNote", s.updated_at as "updatedAt"
  from product_submissions s left join products p on p.id = s.product_id left join categories c on c.id = p.category_id`

export function findOwnSubmission(db: Db, { orgId, id }: { orgId: string; id: string }) {
  return one<OwnSubmission>(db)`
    ${OWN_SUBMISSION} where s.org_id = ${orgId} and s.id = ${id}`
}

/** An organization's own, newest first. */
export async function findOwnSubmissions(
  db: Db,
  { orgId, limit, offset }: { orgId: string; limit: number; offset: number },
): Promise<{ submissions: OwnSubmission[]; total: number }> {
  const submissions = await all<OwnSubmission>(db)`
    ${OWN_SUBMISSION} where s.org_id = ${orgId}
    order by s.created_at desc, s.id desc limit ${limit} offset ${offset}`
  const total = await count(db)`
    select count(*)::int as total from product_submissions where org_id = ${orgId}`
  return { submissions, total }
}

export function markWithdrawn(db: Db, id: string, at: Date) {
  return run(db)`
    update product_submissions set status = 'withdrawn', updated_at = ${at} where id = ${id}`
}

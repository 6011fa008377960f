/** SQL of tidying the catalog: which products are meant, what hangs on them, and carrying that from one to another. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, column, count, one, run, set } from '../db/rows.ts'

/** What is given must all hold. */
export type Selection = {
  slugs?: readonly string[]
  /** The slug of the one they are in. */
  category?: string
  /** Whose file named them. */
  source?: string
  /** The import that wrote them. */
  importId?: string
}

export type Chosen = { id: string; slug: string; category: string }

export type ChosenState = Chosen & { isHidden: boolean; updatedAt: Date }

const CHOSEN = sql`
  select p.id, p.slug, c.slug as category from products p join categories c on c.id = p.category_id`

function isChosen({ slugs, category, source, importId }: Selection): RawBuilder<unknown> {
  const rules = [
    ...(slugs ? [sql`p.slug = any(${slugs}::text[])`] : []),
    ...(category === undefined ? [] : [sql`c.slug = ${category}`]),
    ...(source === undefined
      ? []
      : [sql`p.id in (select k.product_id from product_keys k where k.source = ${source})`]),
    ...(importId === undefined
      ? []
      : [
          sql`p.id in (select w.id from import_writes w where w.import_id = ${importId} and w.kind = 'product')`,
        ]),
  ]
  return sql.join(rules, sql` and `)
}

/** In the order of ids, behind the last one. */
export function findChosen(
  db: Db,
  selection: Selection,
  { after, limit }: { after: string | null; limit: number },
) {
  return all<Chosen>(db)`
    ${CHOSEN} where ${isChosen(selection)} and (${after}::uuid is null or p.id > ${after}::uuid)
    order by p.id limit ${limit}`
}

export function countChosen(db: Db, selection: Selection) {
  return count(db)`
    select count(*)::int as count from products p join categories c on c.id = p.category_id
    where ${isChosen(selection)}`
}

/** Hidden ones too. */
export function findChosenBySlug(db: Db, slug: string) {
  return one<ChosenState>(db)`
    select p.id, p.slug, c.slug as category, p.hidden_at is not null as "isHidden", p.updated_at as "updatedAt"
    from products p join categories c on c.id = p.category_id where p.slug = ${slug}`
}

/** Those that were not so before. */
export function updateHidden(db: Db, ids: string[], { hide, at }: { hide: boolean; at: Date }) {
  return set<string>(db)`
    update products set hidden_at = ${hide ? at : null}, updated_at = ${hide ? sql`updated_at` : at}
    where id = any(${ids}) and (hidden_at is null) = ${hide} returning id`
}

/** `saidBy` is kept as the source of their category. */
export async function updateCategoryOf(
  db: Db,
  ids: string[],
  { categoryId, at, saidBy }: { categoryId: string; at: Date; saidBy: string | null },
): Promise<void> {
  const said = saidBy === null ? {} : { category: { source: saidBy, verifiedAt: null } }
  await run(db)`
    update products set category_id = ${categoryId}, updated_at = ${at},
      provenance = provenance || ${JSON.stringify(said)}::jsonb
    where id = any(${ids})`
}

export type Hanging = {
  id: string
  rfqs: number
  claims: number
  offers: number
  pricing: number
  enrichments: number
  submissions: number
  saved: number
}

/** Of the products that people and organizations hang something on: how much. Counts of views are no such thing. */
export async function findHanging(db: Db, ids: string[]): Promise<Map<string, Hanging>> {
  const count = (table: string) =>
    sql`(select count(*)::int from ${sql.table(table)} t where t.product_id = p.id)`
  const rows = await all<Hanging>(db)`
    select * from (
      select p.id, ${count('rfqs')} as rfqs, ${count('product_relationships')} as claims, ${count('offers')} as offers,
        ${count('product_pricing')} as pricing, ${count('enrichments')} as enrichments,
        ${count('product_submissions')} as submissions, ${count('saved_products')} as saved
      from products p where p.id = any(${ids})) hanging
    where rfqs + claims + offers + pricing + enrichments + submissions + saved > 0`
  return new Map(rows.map((row) => [row.id, row]))
}

export function endOffers(db: Db, productIds: string[], at: Date) {
  return run(db)`
    update offers set status = 'expired', updated_at = greatest(${at}::timestamptz, updated_at + interval '1 millisecond')
    where product_id = any(${productIds}) and status <> 'expired'`
}

/** Whose turn it must be before something of theirs goes from one product to another, in the order of locking. */
export function findOrgsOn(db: Db, productIds: string[]) {
  return column<string>(db)`
    select org_id as id from product_relationships where product_id = any(${productIds})
    union select org_id from offers where product_id = any(${productIds})
    union select org_id from product_pricing where product_id = any(${productIds})
    order by 1`
}

export function lockSavers(db: Db, productIds: string[]) {
  return run(db)`
    select 1 from users where id in (select user_id from saved_products where product_id = any(${productIds}))
    order by id for no key update`
}

type Pair = { from: string; into: string }

/** All that hangs on one product hangs on the other then; where that has the same already, it keeps its own. */
export async function carryOver(db: Db, pair: Pair): Promise<void> {
  const { from, into } = pair
  await carryRelationships(db, pair)
  await dropSame(db, 'product_pricing', ['org_id'], pair)
  await dropSame(db, 'saved_products', ['user_id', 'list'], pair)
  await dropSame(db, 'search_rules', ['kind', 'query'], pair)
  await dropSame(db, 'search_judgements', ['query'], pair)
  await run(db)`
    update link_clicks set product_id = ${into} where product_id = ${from} and link_id in (
      select id from offers where product_id = ${from}
      union select q.id from rfq_quotes q join rfqs r on r.id = q.rfq_id
        where r.product_id = ${from})`
  for (const table of CARRIED)
    await run(db)`update ${sql.table(table)} set product_id = ${into} where product_id = ${from}`
  await run(db)`
    insert into product_reads as kept (product_id, day, face, agent, reads)
    select ${into}, day, face, agent, reads from product_reads where product_id = ${from}
    on conflict (product_id, day, face, agent) do update set reads = kept.reads + excluded.reads`
  await run(db)`
    insert into product_impressions as kept (product_id, day, impressions)
    select ${into}, day, impressions from product_impressions where product_id = ${from}
    on conflict (product_id, day)
      do update set impressions = kept.impressions + excluded.impressions`
}

const CARRIED = [
  'product_keys',
  'product_relationships',
  'enrichments',
  'offers',
  'product_pricing',
  'rfqs',
  'saved_products',
  'product_submissions',
  'mistake_reports',
  'search_rules',
  'search_judgements',
]

/** A verified claim takes the place of one that waits. */
async function carryRelationships(db: Db, pair: Pair): Promise<void> {
  await run(db)`
    delete from product_relationships t using product_relationships f
    where t.product_id = ${pair.into} and f.product_id = ${pair.from} and t.org_id = f.org_id
      and t.relationship_type = f.relationship_type and t.status = 'pending'
        and f.status = 'verified'`
  await dropSame(db, 'product_relationships', ['org_id', 'relationship_type'], pair)
}

async function dropSame(db: Db, table: string, by: string[], { from, into }: Pair): Promise<void> {
  const same = sql.join(
    by.map((column) => sql`f.${sql.ref(column)} = t.${sql.ref(column)}`),
    sql` and `,
  )
  await run(db)`
    delete from ${sql.table(table)} f using ${sql.table(table)} t
    where f.product_id = ${from} and t.product_id = ${into} and ${same}`
}

export type Twins = { title: string; brand: string | null; slugs: string[] }

/** Products of one brand and title, hidden ones too; the titles are compared as search does, by letters and digits. */
export async function findAllTwins(db: Db, { limit }: { limit: number }) {
  const rows = await all<Twins & { total: number }>(db)`
    select min(p.title) as title, min(b.name) as brand, array_agg(p.slug order by p.id) as slugs,
      (count(*) over ())::int as total
    from products p left join brands b on b.id = p.brand_id
    where folded_name(p.title) <> ''
    group by p.brand_id, folded_name(p.title) having count(*) > 1
    order by count(*) desc, 1, 3 limit ${limit}`
  return {
    total: rows[0]?.total ?? 0,
    twins: rows.map(({ title, brand, slugs }) => ({ title, brand, slugs })),
  }
}

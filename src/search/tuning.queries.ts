/** SQL of the operator's search rules and of the queries that the operator has judged. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { containing, type Searched } from '../db/like.ts'
import type { SearchRulesTable } from '../db/tables.search.ts'

export const RULE_KINDS = ['synonym', 'pin', 'boost'] as const
export type RuleKind = SearchRulesTable['kind']

export type StoredRule = {
  id: string
  kind: RuleKind
  query: string
  weight: number
  productId: string | null
  createdAt: Date
  /** What it is about; nulls for synonyms. */
  product: { slug: string; category: string; title: string } | null
  brand: string | null
  category: { slug: string; label: string } | null
}

export async function findRules(
  db: Db,
  {
    kind = null,
    search = null,
    id = null,
  }: { kind?: RuleKind | null; search?: string | null; id?: string | null },
): Promise<StoredRule[]> {
  const like = search === null ? null : containing(search.toLowerCase())
  const { rows } = await sql<StoredRule>`
    select r.id, r.kind, r.query, r.weight, r.product_id as "productId", r.created_at as "createdAt",
      case when p.id is not null then json_build_object('slug', p.slug, 'category', pc.slug, 'title', p.title) end as product,
      b.name as brand,
      case when c.id is not null then json_build_object('slug', c.slug, 'label', c.label) end as category
    from search_rules r left join products p on p.id = r.product_id left join categories pc on pc.id = p.category_id
      left join brands b on b.id = r.brand_id left join categories c on c.id = r.category_id
    where (${kind}::text is null or r.kind = ${kind}) and (${id}::uuid is null or r.id = ${id}::uuid)
      and (${like}::text is null or lower(concat_ws(' ', r.query, p.title, p.slug, b.name, c.label)) like ${like})
    order by r.kind, r.query, r.weight, r.id`.execute(db)
  return rows
}

export type NewRule = {
  id: string
  kind: RuleKind
  query: string
  weight: number
  productId: string | null
  brandId: string | null
  categoryId: string | null
  at: Date
}

export async function insertRule(db: Db, rule: NewRule): Promise<void> {
  const { id, kind, query, weight, productId, brandId, categoryId, at } = rule
  await sql`
    insert into search_rules (id, kind, query, weight, product_id, brand_id, category_id, created_at)
    values (${id}, ${kind}, ${query}, ${weight}, ${productId}, ${brandId}, ${categoryId}, ${at})`.execute(db)
}

export async function deleteRule(db: Db, id: string): Promise<boolean> {
  const { rows } = await sql`delete from search_rules where id = ${id} returning 1`.execute(db)
  return rows.length > 0
}

/** One change of the rules at a time: how many there are is counted under it. */
export async function lockRules(db: Db): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtext('search_rules'))`.execute(db)
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from search_rules`.execute(db)
  return rows[0]?.count ?? 0
}

/** The id of what a rule is about. */
export async function findTarget(
  db: Db,
  { kind, name }: { kind: 'product' | 'brand' | 'category'; name: string },
): Promise<string | null> {
  const [table, column] = (
    { product: ['products', 'slug'], brand: ['brands', 'key'], category: ['categories', 'slug'] } as const
  )[kind]
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.table(table)} where ${sql.ref(column)} = ${name}`.execute(db)
  return rows[0]?.id ?? null
}

export type Judgement = { query: string; slug: string; category: string; title: string; grade: number }

export type JudgementPage = Searched & { grade?: number | null }

export async function findJudgements(
  db: Db,
  { search = null, grade = null, limit, offset = 0 }: JudgementPage,
): Promise<Judgement[]> {
  const like = search === null ? null : containing(search.toLowerCase())
  const { rows } = await sql<Judgement>`
    select j.query, p.slug, c.slug as category, p.title, j.grade
    from search_judgements j join products p on p.id = j.product_id join categories c on c.id = p.category_id
    where (${like}::text is null or lower(j.query || ' ' || p.title) like ${like})
      and (${grade}::int is null or j.grade = ${grade})
    order by j.query, j.grade desc, p.slug limit ${limit} offset ${offset}`.execute(db)
  return rows
}

export async function countJudged(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct query)::int as count from search_judgements`.execute(db)
  return rows[0]?.count ?? 0
}

/** Returns how many were written; a slug that no product has is left out. */
export async function upsertJudgements(
  db: Db,
  judged: ReadonlyArray<{ query: string; slug: string; grade: number }>,
): Promise<number> {
  const { rows } = await sql`
    insert into search_judgements (query, product_id, grade)
    select distinct on (r.query, p.id) r.query, p.id, r.grade
    from json_to_recordset(${JSON.stringify(judged)}::json) as r(query text, slug text, grade smallint)
      join products p on p.slug = r.slug order by r.query, p.id, r.grade desc
    on conflict (query, product_id) do update set grade = excluded.grade returning 1`.execute(db)
  return rows.length
}

export async function deleteJudgement(db: Db, query: string, slug: string): Promise<boolean> {
  const { rows } = await sql`
    delete from search_judgements j using products p
    where p.id = j.product_id and j.query = ${query} and p.slug = ${slug} returning 1`.execute(db)
  return rows.length > 0
}

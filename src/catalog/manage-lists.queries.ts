/** SQL of the operator's lists of the catalog: everything in it, hidden or not. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { holds } from '../db/like.ts'
import { all, column, count, one, run } from '../db/rows.ts'
import type { Category, Product } from './catalog.schema.ts'
import type { Brand } from './upsert.queries.ts'

export const PRODUCT_STATES = ['shown', 'hidden', 'discontinued'] as const
export type ProductState = (typeof PRODUCT_STATES)[number]

export type ProductFilter = {
  search: string | null
  /** A slug. */
  category: string | null
  /** The key of a brand. */
  brand: string | null
  state: ProductState | null
  source: string | null
}

export type ManagedProduct = Pick<
  Product,
  'id' | 'slug' | 'title' | 'priceLowCents' | 'discontinued' | 'updatedAt'
> & { category: { slug: string; label: string }; brand: string | null; isHidden: boolean }

const FROM = sql`
  from products p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id`

const STATES: Record<ProductState, RawBuilder<unknown>> = {
  shown: sql`p.hidden_at is null and c.hidden_at is null and not p.discontinued`,
  hidden: sql`(p.hidden_at is not null or c.hidden_at is not null)`,
  discontinued: sql`p.discontinued`,
}

function matches({ search, category, brand, state, source }: ProductFilter): RawBuilder<unknown> {
  const rules = [
    holds(sql`concat_ws(' ', p.title, p.slug, b.name, p.gtin, p.mpn, p.sku)`, search),
    ...(category === null ? [] : [sql`c.slug = ${category}`]),
    ...(brand === null ? [] : [sql`b.key = ${brand}`]),
    ...(state === null ? [] : [STATES[state]]),
    ...(source === null
      ? []
      : [sql`p.id in (select k.product_id from product_keys k where k.source = ${source})`]),
  ]
  return sql.join(rules, sql` and `)
}

const ORDERS = {
  newest: sql`p.id desc`,
  title: sql`lower(p.title), p.id`,
  changed: sql`p.updated_at desc, p.id`,
}
export type ProductOrder = keyof typeof ORDERS

export function findManaged(
  db: Db,
  filter: ProductFilter,
  { order, limit, offset }: { order: ProductOrder; limit: number; offset: number },
) {
  return all<ManagedProduct>(db)`
    select p.id, p.slug, p.title, json_build_object('slug', c.slug, 'label', c.label) as category, b.name as brand,
      p.price_low_cents as "priceLowCents", (p.hidden_at is not null or c.hidden_at is not null) as "isHidden",
      p.discontinued, p.updated_at as "updatedAt"
    ${FROM} where ${matches(filter)} order by ${ORDERS[order]} limit ${limit} offset ${offset}`
}

/** Counts up to `most`. */
export function countManaged(db: Db, filter: ProductFilter, most: number) {
  return count(db)`
    select count(*)::int as count from (select 1 ${FROM} where ${matches(filter)} limit ${most}) found`
}

export function findManagedSlugs(db: Db, filter: ProductFilter, limit: number) {
  return column<string>(db)`
    select p.slug ${FROM} where ${matches(filter)} order by p.id limit ${limit}`
}

export type ManagedCategory = Category & { isHidden: boolean; products: number }

export const CATEGORY_STATES = ['shown', 'hidden', 'empty'] as const
export type CategoryState = (typeof CATEGORY_STATES)[number]

export function findManagedCategories(
  db: Db,
  {
    search,
    state,
    slug = null,
  }: { search: string | null; state: CategoryState | null; slug?: string | null },
) {
  return all<ManagedCategory>(db)`
    with counts as (select category_id, count(*)::int as products from products group by category_id)
    select c.id, c.slug, c.label, c.description, c.path, c.hidden_at is not null as "isHidden",
      coalesce(t.products, 0) as products, c.updated_at as "updatedAt"
    from categories c left join counts t on t.category_id = c.id
    where ${holds(sql`c.slug || ' ' || c.label || ' ' || array_to_string(c.path, ' ')`, search)}
      and (${slug}::text is null or c.slug = ${slug})
      and case ${state}::text when 'shown' then c.hidden_at is null when 'hidden' then c.hidden_at is not null
        when 'empty' then t.products is null else true end
    order by c.label, c.slug`
}

export type ManagedBrand = Omit<Brand, 'key'> & { products: number; createdAt: Date }

export const BRAND_STATES = ['with_domain', 'without_domain', 'empty'] as const
export type BrandState = (typeof BRAND_STATES)[number]

export function findManagedBrands(
  db: Db,
  { search, state }: { search: string | null; state: BrandState | null },
  { limit, offset }: { limit: number; offset: number },
) {
  return all<ManagedBrand>(db)`
    with counts as (
      select brand_id, count(*)::int as products from products where brand_id is not null group by brand_id)
    select b.id, b.name, b.domain, coalesce(t.products, 0) as products, b.created_at as "createdAt"
    from brands b left join counts t on t.brand_id = b.id
    where ${holds(sql`b.name || ' ' || coalesce(b.domain, '')`, search)}
      and case ${state}::text when 'with_domain' then b.domain is not null
        when 'without_domain' then b.domain is null when 'empty' then t.products is null else true end
    order by b.key limit ${limit} offset ${offset}`
}

/** In one order for everybody. */
export async function lockBrands(db: Db, ids: string[]): Promise<Map<string, Brand>> {
  const rows = await all<Brand>(db)`
    select id, key, name, domain from brands where id = any(${ids}) order by id for update`
  return new Map(rows.map((row) => [row.id, row]))
}

export function findBrand(db: Db, id: string) {
  return one<Brand>(db)`select id, key, name, domain from brands where id = ${id}`
}

export function findBrandByKey(db: Db, key: string) {
  return one<Brand>(db)`select id, key, name, domain from brands where key = ${key}`
}

export function updateBrand(db: Db, { id, key, name, domain }: Brand) {
  return run(db)`update brands set key = ${key}, name = ${name}, domain = ${domain} where id = ${id}`
}

export function deleteBrandRow(db: Db, id: string) {
  return run(db)`delete from brands where id = ${id}`
}

export function countOfBrand(db: Db, id: string) {
  return count(db)`
    select count(*)::int as count from products where brand_id = ${id}`
}

/** Part numbers that both brands have: their products cannot be one brand's. */
export function findSharedParts(db: Db, from: string, into: string, limit: number) {
  return column<string>(db)`
    select p.slug from products p join products q on q.brand_id = ${into} and lower(q.mpn) = lower(p.mpn)
    where p.brand_id = ${from} and p.mpn is not null order by p.slug limit ${limit}`
}

/** Every product of a brand shows it anew, under `into`; with a row in `changes` for each. Returns how many. */
export async function rebrandProducts(
  db: Db,
  { from, into, saidBy, at }: { from: Brand; into: Brand; saidBy: string | null; at: Date },
): Promise<number> {
  const said = saidBy === null ? {} : { brand: { source: saidBy, verifiedAt: null } }
  const rows = await all<{ count: number }>(db)`
    with touched as (
      update products set brand_id = ${into.id}, updated_at = ${at},
        provenance = provenance || ${JSON.stringify(said)}::jsonb
      where brand_id = ${from.id} returning id, category_id),
    told as (
      insert into changes (at, product_id, category_id, aspect, before, after)
      select ${at}, id, category_id, 'text', ${JSON.stringify({ brand: from.name })}::jsonb,
        ${JSON.stringify({ brand: into.name })}::jsonb from touched order by id)
    select count(*)::int as count from touched`
  if (into.id !== from.id)
    await run(db)`update search_rules set brand_id = ${into.id} where brand_id = ${from.id}`
  return rows[0]?.count ?? 0
}

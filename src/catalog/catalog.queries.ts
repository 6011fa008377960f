/** Reading the catalog. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Category } from './catalog.schema.ts'
import { CONTRIBUTIONS, type ContributionsColumn } from './enrichment.queries.ts'
import { contributionsFrom, type ProductRow, productFromRow } from './product-row.ts'
import type { ProductProfile } from './profile.ts'

type Db = Kysely<Tables>
type ProfileRow = ProductRow & {
  category_slug: string
  category_label: string
  brand_name: string | null
  brand_domain: string | null
  contributions: ContributionsColumn
}

/** Changed when the product or the category it names changed; a later column of one name wins over `p.*`. */
const PROFILE = sql`
  select p.*, greatest(p.updated_at, c.updated_at) as updated_at, c.slug as category_slug, c.label as category_label, b.name as brand_name, b.domain as brand_domain,
    ${CONTRIBUTIONS} as contributions
  from products p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id`

function profileFromRow(row: ProfileRow): ProductProfile {
  return {
    ...productFromRow(row),
    category: { slug: row.category_slug, label: row.category_label },
    brand: row.brand_name === null ? null : { name: row.brand_name, domain: row.brand_domain },
    ...contributionsFrom(row.contributions),
  }
}

export async function findProfile(db: Db, slug: string): Promise<ProductProfile | null> {
  const { rows } = await sql<ProfileRow>`${PROFILE} where p.slug = ${slug}`.execute(db)
  return rows[0] ? profileFromRow(rows[0]) : null
}

export async function findProfilesById(db: Db, ids: string[]): Promise<ProductProfile[]> {
  const { rows } = await sql<ProfileRow>`${PROFILE} where p.id = any(${ids})`.execute(db)
  return rows.map(profileFromRow)
}

/** A category's products, most reviewed first. */
export async function findCategoryProfiles(db: Db, categoryId: string): Promise<ProductProfile[]> {
  const { rows } = await sql<ProfileRow>`
    ${PROFILE} where p.category_id = ${categoryId} order by p.review_count desc nulls last, p.id`.execute(db)
  return rows.map(profileFromRow)
}

/** The whole catalog in slug order, `limit` at a time, after the given slug. */
export async function findProfilesAfter(db: Db, afterSlug: string, limit: number): Promise<ProductProfile[]> {
  const { rows } =
    await sql<ProfileRow>`${PROFILE} where p.slug > ${afterSlug} order by p.slug limit ${limit}`.execute(db)
  return rows.map(profileFromRow)
}

export async function findCategories(db: Db): Promise<Category[]> {
  const { rows } = await sql<Category>`
    select id, slug, label, description, updated_at as "updatedAt" from categories order by slug`.execute(db)
  return rows
}

export type CategorySummary = Category & {
  productCount: number
  priceLowCents: number | null
  priceHighCents: number | null
}

export async function findCategorySummaries(db: Db): Promise<CategorySummary[]> {
  const { rows } = await sql<CategorySummary>`
    select c.id, c.slug, c.label, c.description, greatest(c.updated_at, max(p.updated_at)) as "updatedAt",
      count(p.id)::int as "productCount", min(p.price_low_cents) as "priceLowCents", max(p.price_high_cents) as "priceHighCents"
    from categories c left join products p on p.category_id = c.id
    group by c.id order by c.label`.execute(db)
  return rows
}

export async function readSetting(db: Db, name: string): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select value from settings where name = ${name}`.execute(db)
  return rows[0]?.value ?? null
}

export async function writeSetting(db: Db, name: string, value: unknown): Promise<void> {
  await sql`
    insert into settings (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
    on conflict (name) do update set value = excluded.value, updated_at = now()`.execute(db)
}

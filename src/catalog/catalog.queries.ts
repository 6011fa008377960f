/** Reading the catalog as the outside sees it: without what is hidden. */

import { type RawBuilder, sql } from 'kysely'
import { selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, column, one, run, value } from '../db/rows.ts'
import { GONE_REASONS } from '../pictures/picture.address.ts'
import { type Category, PRODUCT_KEYS, type Product } from './catalog.schema.ts'
import { CONTRIBUTIONS, type ContributionsColumn } from './enrichment.queries.ts'
import { distinctImages } from './enrichment.schema.ts'
import { type IndexedTexts, type ProductProfile, UNREAD } from './profile.ts'

type ProfileRow = Product & {
  category: ProductProfile['category']
  brand: ProductProfile['brand']
  contributions: ContributionsColumn
  copies: ProductProfile['copies'] | null
  gone: string[] | null
}

/** A slug has one of so many spots (slug_spot in the database). */
const SPOTS = 65_536

const OF_PRODUCT = PRODUCT_KEYS.filter((key) => key !== 'updatedAt')

/** Looked for only where it names any. */
const ofPictures = (found: RawBuilder<unknown>) => sql`
  case when p.images <> '[]' or p.variants <> '[]' or p.verification_status <> 'base' then (${found}) end`
/** Our copies of its pictures by their addresses. */
const COPIES = ofPictures(sql`
  select json_object_agg(t.url, json_build_object(
    'hash', f.hash, 'width', f.width, 'height', f.height, 'widths', f.widths))
  from product_pictures t join picture_files f on f.hash = t.hash where t.product_id = p.id`)
const GONE = ofPictures(sql`
  select json_agg(url) from product_pictures
  where product_id = p.id and state = 'refused' and reason = any(${GONE_REASONS})`)

/** Changed when the product or the category it names changed. */
const profileFrom = (table: 'products' | 'shown_products') => sql`
  select ${selected(OF_PRODUCT, 'p')}, greatest(p.updated_at, c.updated_at) as "updatedAt",
    json_build_object('slug', c.slug, 'label', c.label) as category,
    case when b.id is not null then json_build_object('name', b.name, 'domain', b.domain) end as brand,
    ${CONTRIBUTIONS} as contributions, ${COPIES} as copies, ${GONE} as gone
  from ${sql.table(table)} p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id`
const PROFILE = profileFrom('shown_products')
const ANY_PROFILE = profileFrom('products')

/** As much of it as a search index reads: without what others added, where each fact is from, and pictures. */
const READ = OF_PRODUCT.filter((key) => !(UNREAD as readonly string[]).includes(key))
const TEXTS = sql`
  select ${selected(READ, 'p')}, greatest(p.updated_at, c.updated_at) as "updatedAt",
    json_build_object('slug', c.slug, 'label', c.label) as category,
    case when b.id is not null then json_build_object('name', b.name) end as brand
  from shown_products p join categories c on c.id = p.category_id left join brands b on b.id = p.brand_id`

export function findTexts(db: Db, ids: string[]) {
  return all<IndexedTexts>(db)`${TEXTS} where p.id = any(${ids})`
}

export function findIdsOfCategories(db: Db, categoryIds: string[]) {
  return column<string>(db)`select id from shown_products where category_id = any(${categoryIds})`
}

/** In slug order, behind one slug up to another; null is the end. */
export function findTextsBetween(db: Db, { after, upTo }: { after: string; upTo: string | null }) {
  return all<IndexedTexts>(db)`
    ${TEXTS} where p.slug > ${after} and (${upTo}::text is null or p.slug <= ${upTo}) order by p.slug`
}

/** Every so many slugs, in order. */
export function findEachSlug(db: Db, every: number) {
  return column<string>(db)`
    select slug from (select slug, row_number() over (order by slug) as place from shown_products) p
    where place % ${every} = 0 order by slug`
}

function profileFromRow({ contributions, copies, gone, ...product }: ProfileRow): ProductProfile {
  return {
    ...product,
    ...contributionsFrom(contributions),
    ...(copies !== null && { copies }),
    ...(gone !== null && { gone }),
  }
}

const MOST_ADDITIONAL_IMAGES = 24

/** What producers added, in the order of approval; each image and each organization once. */
function contributionsFrom(
  column: ContributionsColumn,
): Pick<ProductProfile, 'additionalImages' | 'enrichedBy'> {
  if (column === null) return {}
  const images = distinctImages(column.images?.flat() ?? []).slice(0, MOST_ADDITIONAL_IMAGES)
  const orgs = new Map(column.orgs?.map((org) => [org.id, org]))
  const enrichedBy = [...orgs.values()].map(({ name, type, verifiedAt, domain }) => ({
    orgName: name,
    orgType: type,
    verifiedAt: verifiedAt === null ? null : new Date(verifiedAt).toISOString(),
    domain,
  }))
  return {
    ...(images.length > 0 && { additionalImages: images }),
    ...(enrichedBy.length > 0 && { enrichedBy }),
  }
}

export async function findProfile(db: Db, slug: string): Promise<ProductProfile | null> {
  const row = await one<ProfileRow>(db)`${PROFILE} where p.slug = ${slug}`
  return row && profileFromRow(row)
}

export async function findProfilesById(db: Db, ids: string[]): Promise<ProductProfile[]> {
  const rows = await all<ProfileRow>(db)`${PROFILE} where p.id = any(${ids})`
  return rows.map(profileFromRow)
}

/** Hidden ones too: for what an operator decides about them. */
export async function findAnyProfilesById(db: Db, ids: string[]): Promise<ProductProfile[]> {
  const rows = await all<ProfileRow>(db)`${ANY_PROFILE} where p.id = any(${ids})`
  return rows.map(profileFromRow)
}

/** A category's products, most reviewed first, discontinued ones last. */
export async function findCategoryProfiles(db: Db, categoryId: string): Promise<ProductProfile[]> {
  const rows = await all<ProfileRow>(db)`
    ${PROFILE} where p.category_id = ${categoryId}
      order by p.discontinued, p.review_count desc nulls last, p.id`
  return rows.map(profileFromRow)
}

/** The whole catalog in slug order, `limit` at a time, after the given slug. */
export async function findProfilesAfter(db: Db, afterSlug: string, limit: number): Promise<ProductProfile[]> {
  const rows = await all<ProfileRow>(
    db,
  )`${PROFILE} where p.slug > ${afterSlug} order by p.slug limit ${limit}`
  return rows.map(profileFromRow)
}

export function findCategories(db: Db, { withHidden = false }: { withHidden?: boolean } = {}) {
  return all<Category>(db)`
    select id, slug, label, description, path, updated_at as "updatedAt" from categories
    ${withHidden ? sql`` : sql`where hidden_at is null`} order by slug`
}

export type CategorySummary = Category & {
  productCount: number
  priceLowCents: number | null
  priceHighCents: number | null
}

/** In the order of the home page. A category changed when it or one of its products did. */
export function findCategorySummaries(db: Db) {
  return all<CategorySummary & { reviews: number }>(db)`
    select c.id, c.slug, c.label, c.description, c.path, greatest(c.updated_at, max(p.updated_at)) as "updatedAt",
      count(p.id)::int as "productCount", min(p.price_low_cents) as "priceLowCents", max(p.price_high_cents) as "priceHighCents",
      coalesce(sum(p.review_count), 0)::float8 as reviews
    from categories c left join products p on p.category_id = c.id and p.hidden_at is null
    where c.hidden_at is null
    group by c.id order by c.label, c.slug`
}

/**
 * The same without the time of the products' changes, which takes looking at each of them: this is read from an index.
 * With `counted`, the products of other categories are not looked at, and are not in the totals.
 */
export function findCategoryTotals(db: Db, counted: string[] | null) {
  return all<CategorySummary>(db)`
    with totals as (
      select category_id, count(*)::int as count, min(price_low_cents) as low, max(price_high_cents) as high
      from products where hidden_at is null and (${counted}::uuid[] is null or category_id = any(${counted}::uuid[]))
      group by category_id)
    select c.id, c.slug, c.label, c.description, c.path, c.updated_at as "updatedAt",
      coalesce(t.count, 0) as "productCount", t.low as "priceLowCents", t.high as "priceHighCents"
    from categories c left join totals t on t.category_id = c.id
    where c.hidden_at is null order by c.label, c.slug`
}

export function readSetting(db: Db, name: string): Promise<unknown> {
  return value<unknown>(db)`select value from settings where name = ${name}`
}

/** Until the transaction ends, of settings that are not there yet too. */
export function lockSetting(db: Db, name: string) {
  return run(db)`select pg_advisory_xact_lock(hashtext(${`settings.${name}`}))`
}

export function writeSetting(db: Db, name: string, value: unknown) {
  return run(db)`
    insert into settings (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
    on conflict (name) do update set value = excluded.value, updated_at = now()`
}

/** Slugs are compared by their bytes in the four below, whatever the database's language, so that code can too. */
export type SlugRange = { categoryId: string; from: string; to: string | null }

/** Of one category, in slug order; `after` goes on behind the last one read. */
export async function findProfilesInRange(
  db: Db,
  { categoryId, from, to }: SlugRange,
  after: string | null,
  limit: number,
): Promise<ProductProfile[]> {
  const rows = await all<ProfileRow>(db)`
    ${PROFILE} where p.category_id = ${categoryId} and p.slug collate "C" >= ${from}
      and (${to}::text is null or p.slug collate "C" < ${to}) and (${after}::text is null or p.slug collate "C" > ${after})
    order by p.slug collate "C" limit ${limit}`
  return rows.map(profileFromRow)
}

/** What a product's address is made of, and when what stands there changed. */
export type ProductAddress = { id: string; slug: string; category: { slug: string }; updatedAt: Date }

/** As above, for who needs no more than this: a hundredth of the bytes. */
export async function findAddressesInRange(
  db: Db,
  { categoryId, from, to }: SlugRange,
  after: string | null,
  limit: number,
): Promise<ProductAddress[]> {
  const rows = await all<{ id: string; slug: string; category: string; updatedAt: Date }>(db)`
    select p.id, p.slug, c.slug as category, greatest(p.updated_at, c.updated_at) as "updatedAt"
    from shown_products p join categories c on c.id = p.category_id
    where p.category_id = ${categoryId} and p.slug collate "C" >= ${from}
      and (${to}::text is null or p.slug collate "C" < ${to}) and (${after}::text is null or p.slug collate "C" > ${after})
    order by p.slug collate "C" limit ${limit}`
  return rows.map(({ category, ...row }) => ({ ...row, category: { slug: category } }))
}

/**
 * About one slug in `every`, chosen by the slug alone: every node cuts the catalog at the same places, and a product that
 * comes or goes moves none of the other cuts. Of all categories for null. Nobody sees a cut, so hidden products cut too:
 * this is read from an index alone.
 */
export async function findCuts(
  db: Db,
  categoryIds: string[] | null,
  every: number,
): Promise<Map<string, string[]>> {
  const rows = await all<{ categoryId: string; slug: string }>(db)`
    select category_id as "categoryId", slug from products
    where slug_spot(slug) < ${Math.ceil(SPOTS / every)}
      and (${categoryIds}::uuid[] is null or category_id = any(${categoryIds}::uuid[]))
    order by category_id, slug collate "C"`
  const cuts = new Map<string, string[]>()
  for (const { categoryId, slug } of rows) {
    const found = cuts.get(categoryId)
    if (found) found.push(slug)
    else cuts.set(categoryId, [slug])
  }
  return cuts
}

export type ProductPlace = { id: string; categoryId: string; slug: string }

export function findPlaces(db: Db, ids: string[]) {
  return all<ProductPlace>(db)`
    select id, category_id as "categoryId", slug from shown_products where id = any(${ids})`
}

/** The names that specs of its products have, the most used first: of as many products as can be read in a moment. */
export function findSpecNames(db: Db, category: string, limit: number) {
  return column<string>(db)`
    select spec ->> 'name' as name
    from (select p.specs from products p join categories c on c.id = p.category_id
        where c.slug = ${category} order by p.id desc limit 500) few, jsonb_array_elements(few.specs) spec
    group by 1 order by count(*) desc, 1 limit ${limit}`
}

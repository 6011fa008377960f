/**
 * Writing products in batches: one statement a table whatever the number of rows, fed by one JSON parameter.
 * Everything here runs inside the caller's transaction.
 */

import { sql } from 'kysely'
import { named, selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, run } from '../db/rows.ts'
import type { ChangeAspect } from '../db/tables.ts'
import { createBreather } from '../lib/breathe.ts'
import { columnOf } from '../lib/entity.ts'
import { idsOf } from '../lib/ids.ts'
import { type Category, PRODUCT_COLUMNS, PRODUCT_KEYS, type Product } from './catalog.schema.ts'
import { keepCreated } from './imports.queries.ts'

const columns = named(PRODUCT_KEYS)
/** Products as one JSON parameter, a row `r` for each. Made a little at a time: a batch has megabytes of it. */
async function rowsOf(products: Product[]) {
  const breathe = createBreather()
  const texts: string[] = []
  for (const product of products) {
    texts.push(JSON.stringify(product))
    await breathe()
  }
  return sql`
  json_to_recordset(${`[${texts.join(',')}]`}::json) as r(${sql.join(
    PRODUCT_KEYS.map((key) => sql`${sql.id(key)} ${sql.raw(PRODUCT_COLUMNS[key])}`),
  )})`
}

/** Every column but the id, from a row called `r` that calls them so. */
export const productAssignments = (called: (key: string) => string) =>
  sql.join(
    PRODUCT_KEYS.filter((key) => key !== 'id').map(
      (key) => sql`${sql.id(columnOf(key))} = ${sql.ref(`r.${called(key)}`)}`,
    ),
  )

export async function insertProducts(db: Db, products: Product[]): Promise<void> {
  if (products.length === 0) return
  const values = sql.join(PRODUCT_KEYS.map((key) => sql.id(key)))
  await run(db)`insert into products (${columns}) select ${values} from ${await rowsOf(products)}`
}

export async function updateProducts(db: Db, products: Product[]): Promise<void> {
  if (products.length === 0) return
  const values = productAssignments((key) => key)
  await run(db)`update products p set ${values} from ${await rowsOf(products)} where p.id = r.id`
}

export type ChangeRecord = {
  productId: string | null
  categoryId: string | null
  aspect: ChangeAspect
  before: unknown
  after: unknown
}

export async function insertChanges(db: Db, changes: ChangeRecord[], at: Date): Promise<void> {
  if (changes.length === 0) return
  const rows = JSON.stringify(changes)
  await run(db)`
    insert into changes (at, product_id, category_id, aspect, before, after)
    select ${at}, "productId", "categoryId", aspect, before, after
    from json_to_recordset(${rows}::json)
      as r("productId" uuid, "categoryId" uuid, aspect text, before jsonb, after jsonb)`
}

export type Identifiers = {
  ids: string[]
  slugs: string[]
  gtins: string[]
  brandIds: string[]
  mpns: string[]
}

/** Every product that one of the identifiers names, locked so that two imports cannot overwrite each other unseen. */
export function lockProducts(
  db: Db,
  { ids = [], slugs = [], gtins = [], brandIds = [], mpns = [] }: Partial<Identifiers>,
) {
  return all<Product>(db)`
    select ${selected(PRODUCT_KEYS, 'products')} from products
    where id in (
      select unnest(${ids}::uuid[])
      union select id from products where slug = any(${slugs})
      union select id from products where gtin = any(${gtins})
      union select p.id from products p
        join unnest(${brandIds}::uuid[], ${mpns}::text[]) as part (brand_id, mpn)
          on p.brand_id = part.brand_id and lower(p.mpn) = part.mpn and p.mpn is not null)
    order by id
    for update`
}

export type Brand = { id: string; key: string; name: string; domain: string | null }

/** Makes the brands that are new, and gives a known brand the domain it did not have yet. */
export async function upsertBrands(db: Db, brands: Brand[], importId: string | null): Promise<Brand[]> {
  if (brands.length === 0) return []
  const known = await sql<Brand>`
    select id, key, name, domain from brands where key = any(${brands.map(({ key }) => key)})`.execute(db)
  const byKey = new Map(known.rows.map((brand) => [brand.key, brand]))
  const missing = brands.filter(({ key, domain }) => {
    const stored = byKey.get(key)
    return !stored || (stored.domain === null && domain !== null)
  })
  if (missing.length === 0) return known.rows
  if (importId)
    await run(db)`
      insert into import_writes (import_id, kind, id, before)
      select ${importId}, 'brand', b.id, to_jsonb(b) from brands b where key = any(${missing.map(({ key }) => key)})
      on conflict do nothing`
  const result = await sql<Brand>`
    insert into brands (id, key, name, domain)
    select id, key, name, domain
    from json_to_recordset(${JSON.stringify(missing)}::json) as r(id uuid, key text, name text, domain text)
    order by key
    on conflict (key) do update set domain = coalesce(brands.domain, excluded.domain)
    returning id, key, name, domain`.execute(db)
  for (const brand of result.rows) byKey.set(brand.key, brand)
  const own = new Set(idsOf(missing))
  const made = result.rows.flatMap(({ id }) => (own.has(id) ? [id] : []))
  if (importId) await keepCreated(db, importId, made, 'brand')
  return [...byKey.values()]
}

export async function upsertCategory(
  db: Db,
  category: Omit<Category, 'path' | 'updatedAt'> & { path: string[] | null; at: Date },
): Promise<{ category: Category; changed: boolean }> {
  const { id, slug, label, description, path, at } = category
  const result = await sql<Category & { changed: boolean }>`
    with changed as (
      insert into categories (id, slug, label, description, path, created_at, updated_at)
      values (${id}, ${slug}, ${label}, ${description}, coalesce(${path}::text[], '{}'), ${at}, ${at})
      on conflict (slug) do update set label = excluded.label, description = excluded.description,
          path = coalesce(${path}::text[], categories.path), updated_at = excluded.updated_at
        where (categories.label, categories.description, categories.path)
          is distinct from (excluded.label, excluded.description, coalesce(${path}::text[], categories.path))
      returning id, slug, label, description, path, updated_at as "updatedAt", true as changed)
    select * from changed
    union all
    select id, slug, label, description, path, updated_at, false from categories where slug = ${slug}
      and not exists (select 1 from changed)`.execute(db)
  const row = result.rows[0]
  if (!row) throw new Error(`category ${slug} vanished while it was written`)
  const { changed, ...stored } = row
  return { category: stored, changed }
}

/** SQL of looking at an import and of taking it back. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Product } from './catalog.schema.ts'
import { type ProductRow, productFromRow } from './product-row.ts'
import { productAssignments } from './upsert.queries.ts'

type Db = Kysely<Tables>

export type ImportRecord = {
  id: string
  source: string
  fileName: string | null
  state: 'running' | 'done' | 'undone'
  rows: number
  counts: Record<string, number>
  report: Record<string, unknown>
  startedAt: Date
  finishedAt: Date | null
  undoneAt: Date | null
}

const IMPORT = sql`
  select id, source, file_name as "fileName", state, last_row as rows, counts, report, started_at as "startedAt",
    finished_at as "finishedAt", undone_at as "undoneAt" from imports`

export async function findImports(db: Db, limit: number): Promise<ImportRecord[]> {
  const { rows } = await sql<ImportRecord>`${IMPORT} order by started_at desc, id limit ${limit}`.execute(db)
  return rows
}

export async function findImport(
  db: Db,
  id: string,
  { hold = false }: { hold?: boolean } = {},
): Promise<ImportRecord | null> {
  const { rows } =
    await sql<ImportRecord>`${IMPORT} where id = ${id} ${hold ? sql`for update` : sql``}`.execute(db)
  return rows[0] ?? null
}

/** `name` is a slug, or a brand's name; `under` the slug of a product's category. */
export type Written = {
  kind: 'product' | 'category' | 'brand'
  name: string
  title: string
  under: string | null
  isNew: boolean
}

/** What it wrote and is still there. */
export async function findWritten(db: Db, importId: string, limit: number): Promise<Written[]> {
  const { rows } = await sql<Written>`
    select w.kind, coalesce(p.slug, c.slug, b.name) as name, coalesce(p.title, c.label, b.name) as title,
      pc.slug as under, w.before is null as "isNew"
    from import_writes w
      left join products p on w.kind = 'product' and p.id = w.id
      left join categories pc on pc.id = p.category_id
      left join categories c on w.kind = 'category' and c.id = w.id
      left join brands b on w.kind = 'brand' and b.id = w.id
    where w.import_id = ${importId} and coalesce(p.slug, c.slug, b.name) is not null
    order by w.kind, name limit ${limit}`.execute(db)
  return rows
}

/** Everything that people and organizations hang on a product; counts of views are no such thing. */
const IN_USE = sql`
  exists (select 1 from product_relationships t where t.product_id = p.id)
  or exists (select 1 from enrichments t where t.product_id = p.id)
  or exists (select 1 from offers t where t.product_id = p.id)
  or exists (select 1 from product_pricing t where t.product_id = p.id)
  or exists (select 1 from rfqs t where t.product_id = p.id)
  or exists (select 1 from saved_products t where t.product_id = p.id)
  or exists (select 1 from product_submissions t where t.product_id = p.id)`

export type Undoable = { id: string; slug: string | null; isNew: boolean; why: string | null }

export async function lockWritten(db: Db, importId: string): Promise<void> {
  await sql`
    select 1 from import_writes w join products p on p.id = w.id
    where w.import_id = ${importId} and w.kind = 'product' order by p.id for update of p`.execute(db)
}

/** Each product that the import wrote, and why it cannot be taken back, where it cannot. */
export async function findUndoable(db: Db, importId: string): Promise<Undoable[]> {
  const { rows } = await sql<Undoable>`
    select w.id, p.slug, w.before is null as "isNew",
      case
        when p.id is null then 'it is gone'
        when p.version <> w.version then 'it has changed since'
        when exists (select 1 from product_keys k where k.product_id = p.id and k.import_id <> w.import_id and w.before is null)
          then 'another import brought it too'
        when w.before is null and (${IN_USE}) then 'it is in use: claimed, offered, asked for or saved'
        when w.before is not null and not exists (
            select 1 from categories c where c.id = (w.before ->> 'category_id')::uuid) then 'its category is gone'
        when exists (
            select 1 from products q
            where q.id <> p.id and (q.gtin = w.before ->> 'gtin' or q.slug = w.before ->> 'slug'
              or (q.brand_id = (w.before ->> 'brand_id')::uuid and lower(q.mpn) = lower(w.before ->> 'mpn')))
              and not exists (select 1 from import_writes o where o.import_id = w.import_id and o.kind = 'product' and o.id = q.id))
          then 'its number belongs to another product now'
      end as why
    from import_writes w left join products p on p.id = w.id
    where w.import_id = ${importId} and w.kind = 'product' order by w.id`.execute(db)
  return rows
}

/** How the products were before the import, for telling what changes. */
export async function productsBefore(db: Db, importId: string, ids: string[]): Promise<Product[]> {
  const { rows } = await sql<ProductRow>`
    select r.* from import_writes w cross join jsonb_populate_record(null::products, w.before) r
    where w.import_id = ${importId} and w.kind = 'product' and w.id = any(${ids})`.execute(db)
  return rows.map(productFromRow)
}

export async function restoreProducts(db: Db, importId: string, ids: string[]): Promise<void> {
  await sql`
    update products p set ${productAssignments}, version = r.version
    from import_writes w cross join jsonb_populate_record(null::products, w.before) r
    where w.import_id = ${importId} and w.kind = 'product' and w.id = any(${ids}) and p.id = w.id`.execute(db)
}

export async function deleteProducts(db: Db, ids: string[]): Promise<void> {
  await sql`delete from products where id = any(${ids})`.execute(db)
}

/** What the import called products, but for those that stay as it left them. */
export async function deleteKeys(db: Db, importId: string, keptIds: string[]): Promise<void> {
  await sql`delete from product_keys where import_id = ${importId} and product_id <> all(${keptIds})`.execute(
    db,
  )
}

export type KeptCategory = { slug: string }

/** Removes the categories that it made and that nothing is in; gives the others. */
export async function deleteMadeCategories(
  db: Db,
  importId: string,
): Promise<{ removed: string[]; kept: KeptCategory[] }> {
  const { rows } = await sql<{ id: string; slug: string; free: boolean }>`
    select c.id, c.slug, c.version = w.version and not exists (select 1 from products p where p.category_id = c.id) as free
    from import_writes w join categories c on c.id = w.id
    where w.import_id = ${importId} and w.kind = 'category' order by c.slug for update of c`.execute(db)
  const removed = rows.filter(({ free }) => free).map(({ id }) => id)
  await sql`delete from categories where id = any(${removed})`.execute(db)
  return { removed, kept: rows.filter(({ free }) => !free).map(({ slug }) => ({ slug })) }
}

/** Brands that it made and that no product has go; one that it gave a domain has none again. */
export async function restoreBrands(db: Db, importId: string): Promise<void> {
  await sql`
    delete from brands b using import_writes w
    where w.import_id = ${importId} and w.kind = 'brand' and w.id = b.id and w.before is null
      and not exists (select 1 from products p where p.brand_id = b.id)`.execute(db)
  await sql`
    update brands b set domain = w.before ->> 'domain' from import_writes w
    where w.import_id = ${importId} and w.kind = 'brand' and w.id = b.id and w.before is not null
      and not exists (
        select 1 from import_writes o join imports i on i.id = o.import_id
        where o.kind = 'brand' and o.id = b.id and o.import_id > w.import_id and i.state <> 'undone')`.execute(
    db,
  )
}

export async function countMadeCategories(db: Db, importId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from import_writes w join categories c on c.id = w.id
    where w.import_id = ${importId} and w.kind = 'category' and w.before is null`.execute(db)
  return rows[0]?.count ?? 0
}

/** With what came of it, beside what the import said at its end. */
export async function closeUndone(
  db: Db,
  importId: string,
  { at, undone }: { at: Date; undone: unknown },
): Promise<void> {
  await sql`
    update imports set state = 'undone', undone_at = ${at}, updated_at = now(),
      report = report || jsonb_build_object('undone', ${JSON.stringify(undone)}::jsonb)
    where id = ${importId}`.execute(db)
}

/**
 * SQL of imports: how far each came, what sources call products, what each import wrote, and taking one back.
 */

import { sql } from 'kysely'
import { selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { holds, type Searched } from '../db/like.ts'
import { all, column, count, map, one, run, set } from '../db/rows.ts'
import { columnOf } from '../lib/entity.ts'
import { conflict } from '../lib/errors.ts'
import { idsOf, newId } from '../lib/ids.ts'
import { type Category, PRODUCT_KEYS, type Product } from './catalog.schema.ts'
import type { Twin } from './import-files.schema.ts'
import { productAssignments } from './upsert.queries.ts'

export type ImportRun = { id: string; lastRow: number; counts: Record<string, number> }

/** The unfinished import of the same file, or a new one. */
export async function openImport(
  db: Db,
  { fingerprint, source, fileName }: { fingerprint: string; source: string; fileName: string | null },
): Promise<ImportRun> {
  const result = await sql<ImportRun>`
    insert into imports (id, fingerprint, source, file_name) values (${newId()}, ${fingerprint}, ${source}, ${fileName})
    on conflict (fingerprint) where state = 'running' do update set updated_at = now()
    returning id, last_row as "lastRow", counts`.execute(db)
  const run = result.rows[0]
  if (!run) throw new Error('the import could not be registered')
  return run
}

/** Written in the transaction of the batch it tells of. */
export async function saveImportPosition(
  db: Db,
  id: string,
  lastRow: number,
  counts: Record<string, number>,
): Promise<void> {
  const { numAffectedRows } = await sql`
    update imports set last_row = ${lastRow}, counts = ${JSON.stringify(counts)}::jsonb, updated_at = now()
    where id = ${id} and state = 'running'`.execute(db)
  if (numAffectedRows === 0n) throw conflict('this import was undone while it ran')
}

export function closeImport(db: Db, id: string, { at, report }: { at: Date; report: unknown }) {
  return run(db)`
    update imports set state = 'done', updated_at = now(), finished_at = ${at}, report = ${JSON.stringify(report)}::jsonb
    where id = ${id}`
}

/** The last one of this fingerprint, if it came to its end and stands. */
export async function findFinishedImport(db: Db, fingerprint: string) {
  const rows = await all<ImportRun & { report: unknown; state: string }>(db)`
    select id, last_row as "lastRow", counts, report, state from imports
    where fingerprint = ${fingerprint} order by started_at desc, id desc limit 1`
  const [last] = rows
  return last?.state === 'done' ? last : null
}

/** Products that the import made, each with another of the same brand and title; `total` counts no further than `most`. */
export async function findTwins(db: Db, importId: string, { shown, most }: { shown: number; most: number }) {
  const rows = await all<Twin>(db)`
    with made as (
      select p.id, p.slug, p.title, p.brand_id from import_writes w join products p on p.id = w.id
      where w.import_id = ${importId} and w.kind = 'product' and w.before is null)
    select m.slug, q.slug as other, m.title from made m join products q
      on q.brand_id = m.brand_id and folded_name(q.title) = folded_name(m.title) and q.id < m.id
    union all
    select m.slug, q.slug, m.title from made m join products q
      on m.brand_id is null and q.brand_id is null and folded_name(q.title) = folded_name(m.title) and q.id < m.id
    order by 1, 2 limit ${most}`
  return { total: rows.length, twins: rows.slice(0, shown) }
}

export type ProductKey = { key: string; productId: string }

/** Which product each key of a source means. */
export async function findKeys(db: Db, source: string, keys: string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  return map<string, string>(db)`
    select key, product_id as "productId" from product_keys where source = ${source}
      and key = any(${keys})`
}

/** Which of the products this source has an id for, a name apart, and which have a key of any source. */
export async function ownersWithKeys(
  db: Db,
  source: string,
  productIds: string[],
): Promise<{ ofSource: Set<string>; ofAny: Set<string> }> {
  if (productIds.length === 0) return { ofSource: new Set(), ofAny: new Set() }
  const rows = await all<{ id: string; own: boolean }>(db)`
    select product_id as id, bool_or(source = ${source} and key not like 'name:%') as own from product_keys
    where product_id = any(${productIds}) group by 1`
  return {
    ofSource: new Set(rows.flatMap(({ id, own }) => (own ? [id] : []))),
    ofAny: new Set(idsOf(rows)),
  }
}

export async function insertKeys(
  db: Db,
  { source, importId, keys }: { source: string; importId: string | null; keys: ProductKey[] },
): Promise<void> {
  if (keys.length === 0) return
  await run(db)`
    insert into product_keys (source, key, product_id, import_id)
    select ${source}, key, product_id, ${importId}
    from unnest(${keys.map(({ key }) => key)}::text[], ${keys.map(({ productId }) => productId)}::uuid[]) as k (key, product_id)
    on conflict do nothing`
}

/** Before products that the operator deletes go: what sources call them. */
export async function keepDeletedKeys(db: Db, productIds: string[], at: Date): Promise<void> {
  if (productIds.length === 0) return
  await run(db)`
    insert into deleted_keys (source, key, title, deleted_at)
    select k.source, k.key, p.title, ${at}::timestamptz from product_keys k join products p on p.id = k.product_id
    where p.id = any(${productIds})
    union
    select p.provenance -> 'title' ->> 'source', 'slug:' || p.slug, p.title, ${at} from products p
    where p.id = any(${productIds}) and p.provenance -> 'title' ->> 'source' is not null
    on conflict (source, key)
      do update set title = excluded.title, deleted_at = excluded.deleted_at`
}

/** The titles of deleted products, by what the source calls them. */
export async function findDeletedKeys(db: Db, source: string, keys: string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  return map<string, string>(db)`
    select key, title from deleted_keys where source = ${source} and key = any(${keys})`
}

export function forgetDeletedKeys(db: Db, source: string, keys: string[]) {
  return run(db)`delete from deleted_keys where source = ${source} and key = any(${keys})`
}

/** The categories of products that somebody placed by hand, by what the source calls them. */
export async function findPlaced(
  db: Db,
  { source, keys, by }: { source: string; keys: string[]; by: string },
): Promise<Map<string, Category>> {
  if (keys.length === 0) return new Map()
  const rows = await all<Category & { key: string }>(db)`
    select k.key, c.id, c.slug, c.label, c.description, c.path, c.updated_at as "updatedAt"
    from product_keys k join products p on p.id = k.product_id join categories c on c.id = p.category_id
    where k.source = ${source} and k.key = any(${keys})
      and p.provenance -> 'category' ->> 'source' = ${by}`
  return new Map(rows.map(({ key, ...category }) => [key, category]))
}

/** Which of the products the import has written already. */
export async function findWrittenBy(db: Db, importId: string, productIds: string[]): Promise<string[]> {
  if (productIds.length === 0) return []
  return column<string>(db)`
    select id from import_writes where import_id = ${importId} and kind = 'product'
      and id = any(${productIds})`
}

/** How products are before the import changes them. Of several changes by one import, the first counts. */
export async function keepBefore(db: Db, importId: string, productIds: string[]): Promise<void> {
  if (productIds.length === 0) return
  await run(db)`
    insert into import_writes (import_id, kind, id, before, version)
    select ${importId}, 'product', p.id, to_jsonb(p), p.version + 1 from products p where p.id = any(${productIds})
    on conflict (import_id, kind, id) do update set version = excluded.version`
}

export async function keepCreated(
  db: Db,
  importId: string,
  ids: string[],
  kind: 'product' | 'category' | 'brand' = 'product',
): Promise<void> {
  if (ids.length === 0) return
  await run(db)`
    insert into import_writes (import_id, kind, id, version)
    select ${importId}, ${kind}, id, 1 from unnest(${ids}::uuid[]) as id`
}

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

/** Newest first; `search` is looked for in the names of file and source. */
export function findImports(
  db: Db,
  { search = null, state = null, limit, offset = 0 }: Searched & { state?: ImportRecord['state'] | null },
) {
  return all<ImportRecord>(db)`
    ${IMPORT} where ${holds(sql`concat_ws(' ', file_name, source)`, search)}
      and (${state}::text is null or state = ${state})
    order by started_at desc, id limit ${limit} offset ${offset}`
}

export function findImport(db: Db, id: string, { hold = false }: { hold?: boolean } = {}) {
  return one<ImportRecord>(db)`${IMPORT} where id = ${id} ${hold ? sql`for update` : sql``}`
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
export function findWritten(db: Db, importId: string, limit: number) {
  return all<Written>(db)`
    select w.kind, coalesce(p.slug, c.slug, b.name) as name, coalesce(p.title, c.label, b.name) as title,
      pc.slug as under, w.before is null as "isNew"
    from import_writes w
      left join products p on w.kind = 'product' and p.id = w.id
      left join categories pc on pc.id = p.category_id
      left join categories c on w.kind = 'category' and c.id = w.id
      left join brands b on w.kind = 'brand' and b.id = w.id
    where w.import_id = ${importId} and coalesce(p.slug, c.slug, b.name) is not null
    order by w.kind, name limit ${limit}`
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

/** Which of the products people and organizations hold something on. */
export function findInUse(db: Db, ids: string[]) {
  return set<string>(db)`
    select p.id from products p where p.id = any(${ids}) and (${IN_USE})`
}

export type Undoable = { id: string; slug: string | null; isNew: boolean; why: string | null }

export function lockWritten(db: Db, importId: string) {
  return run(db)`
    select 1 from import_writes w join products p on p.id = w.id
    where w.import_id = ${importId} and w.kind = 'product' order by p.id for update of p`
}

/** Each product that the import wrote, and why it cannot be taken back, where it cannot. */
export function findUndoable(db: Db, importId: string) {
  return all<Undoable>(db)`
    select w.id, p.slug, w.before is null as "isNew",
      case
        when p.id is null then 'it is gone'
        when p.version <> w.version then 'it has changed since'
        when exists (select 1 from product_keys k where k.product_id = p.id and k.import_id <> w.import_id and w.before is null)
          then 'another import brought it too'
        when w.before is null and (${IN_USE}) then 'it is in use: claimed, offered, asked for or saved'
        when w.before is not null and not exists (
            select 1 from categories c where c.id = (w.before ->> 'category_id')::uuid) then 'its category is gone'
      end as why
    from import_writes w left join products p on p.id = w.id
    where w.import_id = ${importId} and w.kind = 'product' order by w.id`
}

/** Which of the products would take back a number or slug that belongs to one that is not among them. */
export function findTaken(db: Db, importId: string, ids: string[]) {
  return set<string>(db)`
    select w.id from import_writes w
    where w.import_id = ${importId} and w.kind = 'product' and w.before is not null and w.id = any(${ids}) and exists (
      select 1 from products q
      where q.id <> all(${ids}) and (q.gtin = w.before ->> 'gtin' or q.slug = w.before ->> 'slug'
        or (q.brand_id = (w.before ->> 'brand_id')::uuid and lower(q.mpn) = lower(w.before ->> 'mpn'))))`
}

/** How the products were before the import, for telling what changes. */
export function productsBefore(db: Db, importId: string, ids: string[]) {
  return all<Product>(db)`
    select ${selected(PRODUCT_KEYS, 'r')} from import_writes w cross join jsonb_populate_record(null::products, w.before) r
    where w.import_id = ${importId} and w.kind = 'product' and w.id = any(${ids})`
}

/** Which of the products were shown before the import and are hidden now, and the other way round. */
export function findHiddenSince(db: Db, importId: string, ids: string[]) {
  return all<{ id: string; wasHidden: boolean }>(db)`
    select p.id, w.before ->> 'hidden_at' is not null as "wasHidden"
    from import_writes w join products p on p.id = w.id
    where w.import_id = ${importId} and w.kind = 'product' and w.id = any(${ids})
      and (w.before ->> 'hidden_at' is null) <> (p.hidden_at is null)`
}

export type ProductNumbers = Pick<Product, 'id' | 'slug' | 'gtin' | 'mpn'>

/** Lets go of numbers and slugs that will change, and gives them: two products may be about to take each other's. */
export async function freeNumbers(db: Db, importId: string, ids: string[]): Promise<ProductNumbers[]> {
  const rows = await all<ProductNumbers>(db)`
    select p.id, p.slug, p.gtin, p.mpn
    from import_writes w join products p on p.id = w.id cross join jsonb_populate_record(null::products, w.before) r
    where w.import_id = ${importId} and w.kind = 'product' and w.id = any(${ids})
      and (p.gtin, p.brand_id, p.mpn, p.slug) is distinct from (r.gtin, r.brand_id, r.mpn, r.slug)`
  const freed = idsOf(rows)
  await run(db)`update products set gtin = null, mpn = null, slug = id::text where id = any(${freed})`
  return rows
}

export function restoreProducts(db: Db, importId: string, ids: string[]) {
  return run(db)`
    update products p set ${productAssignments(columnOf)}, version = r.version, hidden_at = r.hidden_at
    from import_writes w cross join jsonb_populate_record(null::products, w.before) r
    where w.import_id = ${importId} and w.kind = 'product' and w.id = any(${ids}) and p.id = w.id`
}

export function deleteProducts(db: Db, ids: string[]) {
  return run(db)`delete from products where id = any(${ids})`
}

/** What the import called products, but for those that stay as it left them. */
export function deleteKeys(db: Db, importId: string, keptIds: string[]) {
  return run(db)`delete from product_keys where import_id = ${importId}
    and product_id <> all(${keptIds})`
}

type KeptCategory = { slug: string }

/** Removes the categories that it made and that nothing is in; gives the others. */
export async function deleteMadeCategories(
  db: Db,
  importId: string,
): Promise<{ removed: string[]; kept: KeptCategory[] }> {
  const rows = await all<{ id: string; slug: string; free: boolean }>(db)`
    select c.id, c.slug, c.version = w.version and not exists (select 1 from products p where p.category_id = c.id) as free
    from import_writes w join categories c on c.id = w.id
    where w.import_id = ${importId} and w.kind = 'category' order by c.slug for update of c`
  const removed = rows.filter(({ free }) => free).map(({ id }) => id)
  await run(db)`delete from categories where id = any(${removed})`
  return { removed, kept: rows.filter(({ free }) => !free).map(({ slug }) => ({ slug })) }
}

/** Brands that it made and that no product has go; one that it gave a domain has none again. */
export async function restoreBrands(db: Db, importId: string): Promise<void> {
  await run(db)`
    delete from brands b using import_writes w
    where w.import_id = ${importId} and w.kind = 'brand' and w.id = b.id and w.before is null
      and not exists (select 1 from products p where p.brand_id = b.id)`
  await run(db)`
    update brands b set domain = w.before ->> 'domain' from import_writes w
    where w.import_id = ${importId} and w.kind = 'brand' and w.id = b.id and w.before is not null
      and not exists (
        select 1 from import_writes o join imports i on i.id = o.import_id
        where o.kind = 'brand' and o.id = b.id and o.import_id > w.import_id
          and i.state <> 'undone')`
}

export function countMadeCategories(db: Db, importId: string) {
  return count(db)`
    select count(*)::int as count from import_writes w join categories c on c.id = w.id
    where w.import_id = ${importId} and w.kind = 'category' and w.before is null`
}

/** With what came of it, beside what the import said at its end. */
export function closeUndone(db: Db, importId: string, { at, undone }: { at: Date; undone: unknown }) {
  return run(db)`
    update imports set state = 'undone', undone_at = ${at}, updated_at = now(),
      report = report || jsonb_build_object('undone', ${JSON.stringify(undone)}::jsonb)
    where id = ${importId}`
}

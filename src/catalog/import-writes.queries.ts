/** SQL of what sources call products, and of what each import wrote. In the caller's transaction. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Category } from './catalog.schema.ts'

type Db = Kysely<Tables>

export type ProductKey = { key: string; productId: string }

/** Which product each key of a source means. */
export async function findKeys(db: Db, source: string, keys: string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<ProductKey>`
    select key, product_id as "productId" from product_keys where source = ${source} and key = any(${keys})`.execute(
    db,
  )
  return new Map(rows.map(({ key, productId }) => [key, productId]))
}

/** Which of the products this source has an id for, a name apart, and which have a key of any source. */
export async function ownersWithKeys(
  db: Db,
  source: string,
  productIds: string[],
): Promise<{ ofSource: Set<string>; ofAny: Set<string> }> {
  if (productIds.length === 0) return { ofSource: new Set(), ofAny: new Set() }
  const { rows } = await sql<{ id: string; own: boolean }>`
    select product_id as id, bool_or(source = ${source} and key not like 'name:%') as own from product_keys
    where product_id = any(${productIds}) group by 1`.execute(db)
  return {
    ofSource: new Set(rows.flatMap(({ id, own }) => (own ? [id] : []))),
    ofAny: new Set(rows.map(({ id }) => id)),
  }
}

export async function insertKeys(
  db: Db,
  { source, importId, keys }: { source: string; importId: string | null; keys: ProductKey[] },
): Promise<void> {
  if (keys.length === 0) return
  await sql`
    insert into product_keys (source, key, product_id, import_id)
    select ${source}, key, product_id, ${importId}
    from unnest(${keys.map(({ key }) => key)}::text[], ${keys.map(({ productId }) => productId)}::uuid[]) as k (key, product_id)
    on conflict do nothing`.execute(db)
}

/** Before products that the operator deletes go: what sources call them. */
export async function keepDeletedKeys(db: Db, productIds: string[], at: Date): Promise<void> {
  if (productIds.length === 0) return
  await sql`
    insert into deleted_keys (source, key, title, deleted_at)
    select k.source, k.key, p.title, ${at}::timestamptz from product_keys k join products p on p.id = k.product_id
    where p.id = any(${productIds})
    union
    select p.provenance -> 'title' ->> 'source', 'slug:' || p.slug, p.title, ${at} from products p
    where p.id = any(${productIds}) and p.provenance -> 'title' ->> 'source' is not null
    on conflict (source, key) do update set title = excluded.title, deleted_at = excluded.deleted_at`.execute(
    db,
  )
}

/** The titles of deleted products, by what the source calls them. */
export async function findDeletedKeys(db: Db, source: string, keys: string[]): Promise<Map<string, string>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<{ key: string; title: string }>`
    select key, title from deleted_keys where source = ${source} and key = any(${keys})`.execute(db)
  return new Map(rows.map(({ key, title }) => [key, title]))
}

export async function forgetDeletedKeys(db: Db, source: string, keys: string[]): Promise<void> {
  await sql`delete from deleted_keys where source = ${source} and key = any(${keys})`.execute(db)
}

/** The categories of products that somebody placed by hand, by what the source calls them. */
export async function findPlaced(
  db: Db,
  { source, keys, by }: { source: string; keys: string[]; by: string },
): Promise<Map<string, Category>> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<Category & { key: string }>`
    select k.key, c.id, c.slug, c.label, c.description, c.path, c.updated_at as "updatedAt"
    from product_keys k join products p on p.id = k.product_id join categories c on c.id = p.category_id
    where k.source = ${source} and k.key = any(${keys}) and p.provenance -> 'category' ->> 'source' = ${by}`.execute(
    db,
  )
  return new Map(rows.map(({ key, ...category }) => [key, category]))
}

/** Which of the products the import has written already. */
export async function findWrittenBy(db: Db, importId: string, productIds: string[]): Promise<string[]> {
  if (productIds.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    select id from import_writes where import_id = ${importId} and kind = 'product' and id = any(${productIds})`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}

/** How products are before the import changes them. Of several changes by one import, the first counts. */
export async function keepBefore(db: Db, importId: string, productIds: string[]): Promise<void> {
  if (productIds.length === 0) return
  await sql`
    insert into import_writes (import_id, kind, id, before, version)
    select ${importId}, 'product', p.id, to_jsonb(p), p.version + 1 from products p where p.id = any(${productIds})
    on conflict (import_id, kind, id) do update set version = excluded.version`.execute(db)
}

export async function keepCreated(
  db: Db,
  importId: string,
  ids: string[],
  kind: 'product' | 'category' | 'brand' = 'product',
): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into import_writes (import_id, kind, id, version)
    select ${importId}, ${kind}, id, 1 from unnest(${ids}::uuid[]) as id`.execute(db)
}

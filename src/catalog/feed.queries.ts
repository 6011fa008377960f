/** SQL of feeds: which products the last file of a source had, and which are gone from it. */
import type { Db } from '../db/database.ts'
import { all, changed, column, count, one, run, set } from '../db/rows.ts'
import type { Gone } from './feed.service.ts'

/** Larger than that of every reading before it, on whichever node. */
export async function nextPass(db: Db): Promise<string> {
  const row = await one<{ pass: string }>(db)`select nextval('feed_passes')::text as pass`
  if (!row) throw new Error('the database numbered no reading')
  return row.pass
}

/** Products that the source has a key of and that were not noted yet. */
export function insertKeyed(db: Db, source: string, pass: string) {
  return run(db)`
    insert into feed_products (source, product_id, pass)
    select distinct ${source}, product_id, ${pass}::bigint from product_keys where source = ${source}
    on conflict do nothing`
}

/** Products that the import made, also those that have no key. */
export function insertMade(db: Db, source: string, importId: string, pass: string) {
  return run(db)`
    insert into feed_products (source, product_id, pass)
    select ${source}, w.id, ${pass}::bigint from import_writes w join products p on p.id = w.id
    where w.import_id = ${importId} and w.kind = 'product' and w.before is null
    on conflict do nothing`
}

/** How many of them this reading had not seen before. Never takes a product from a later reading. */
export function updateSeen(
  db: Db,
  { source, pass, keys, slugs }: { source: string; pass: string; keys: string[]; slugs: string[] },
) {
  return changed(db)`
    with meant as (
      select product_id as id from product_keys where source = ${source} and key = any(${keys})
      union
      select id from products where slug = any(${slugs}))
    update feed_products f set pass = ${pass}::bigint from meant
    where f.source = ${source} and f.product_id = meant.id and f.pass < ${pass}::bigint`
}

/** Products of rows that are named by a slug have no key: they are noted when a file has them. */
export async function insertSlugs(db: Db, source: string, slugs: string[]): Promise<void> {
  if (slugs.length === 0) return
  await run(db)`
    insert into feed_products (source, product_id)
    select ${source}, id from products
    where slug = any(${slugs}) and provenance -> 'title' ->> 'source' = ${source}
    on conflict do nothing`
}

export function countInFeed(db: Db, source: string) {
  return count(db)`
    select count(*)::int as count from feed_products where source = ${source} and gone_at is null`
}

export function countUnseen(db: Db, source: string, pass: string) {
  return count(db)`
    select count(*)::int as count from feed_products
    where source = ${source} and gone_at is null and pass < ${pass}::bigint`
}

export function findUnseen(db: Db, source: string, pass: string, limit: number) {
  return column<string>(db)`
    select product_id as id from feed_products
    where source = ${source} and gone_at is null and pass < ${pass}::bigint
    order by product_id limit ${limit}`
}

/** Those that the reading saw although they were gone, with what was done to them. */
export function findReturned(db: Db, source: string, pass: string, limit: number) {
  return all<{ id: string; goneAs: Gone | null }>(db)`
    select product_id as id, gone_as as "goneAs" from feed_products
    where source = ${source} and gone_at is not null and pass >= ${pass}::bigint
    order by product_id limit ${limit}`
}

export async function updateGone(
  db: Db,
  { source, ids, as, at }: { source: string; ids: string[]; as: Gone | null; at: Date | null },
): Promise<void> {
  if (ids.length === 0) return
  await run(db)`
    update feed_products set gone_at = ${at}, gone_as = ${as}
    where source = ${source} and product_id = any(${ids})`
}

/** Which of the products another source has too. */
export function findShared(db: Db, source: string, ids: string[]) {
  return set<string>(db)`
    select distinct product_id as id from product_keys
    where product_id = any(${ids}) and source <> ${source}`
}

/** The products of a source, its keys or its notes naming them. */
export function countProductsOf(db: Db, source: string) {
  return count(db)`
    select count(*)::int as count from (
      select product_id from product_keys where source = ${source}
      union select product_id from feed_products where source = ${source}) as its`
}

/** What was gone counts again, for a source that ends with all its products. */
export function reopenFeed(db: Db, source: string) {
  return run(db)`
    update feed_products set gone_at = null, gone_as = null
    where source = ${source} and gone_at is not null`
}

export function deleteFeed(db: Db, source: string) {
  return run(db)`delete from feed_products where source = ${source}`
}

/** Which of the products are hidden, or are not, and are to become so. */
export function findTurning(db: Db, ids: string[], hide: boolean) {
  return set<string>(db)`
    select id from products where id = any(${ids}) and (hidden_at is null) = ${hide}`
}

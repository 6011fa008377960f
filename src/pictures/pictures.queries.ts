/** SQL of pictures: what products name, what became of it, and which files are ours. */
import { LOCKS } from '../db/advisory-lock.ts'
import type { Db } from '../db/database.ts'
import { all, changed, column, exists, one, run, value } from '../db/rows.ts'
import { GONE_REASONS, type PictureCopy } from './picture.address.ts'

export type PictureState = 'waiting' | 'copied' | 'refused'

/** Forms name no more of a product's own pictures than these, and producers add at most 24. */
const OWN_PICTURES = 12
/** Variants mostly have one picture a color. */
const VARIANT_PICTURES = 24

/** Notes what the next products in the order of their ids name and is not known yet. Null behind the last product. */
export function noteNamedPictures(
  db: Db,
  { after, limit, at }: { after: string | null; limit: number; at: Date },
) {
  return value<string>(db)`
    with part as materialized (
      select id, images, variants from products where ${after}::uuid is null or id > ${after}::uuid order by id limit ${limit}),
    named as (
      select s.id, i.value ->> 'url' as url
        from part s cross join lateral jsonb_array_elements(s.images) with ordinality as i (value, place)
        where i.place <= ${OWN_PICTURES}
      union
      select s.id, v.url from part s cross join lateral (
        select i.value ->> 'image' as url from jsonb_array_elements(s.variants) with ordinality as i (value, place)
        where i.value ->> 'image' is not null group by 1 order by min(i.place) limit ${VARIANT_PICTURES}) v
      union
      select s.id, i.value ->> 'url'
        from part s join enrichments e on e.product_id = s.id and e.status = 'approved'
        cross join lateral jsonb_array_elements(e.images) as i (value)),
    noted as (
      insert into product_pictures (product_id, url_key, url, due_at, created_at)
      select id, md5(url), url, ${at}, ${at} from named where url ~* '^https?:'
      on conflict do nothing)
    select (select id from part order by id desc limit 1) as last`
}

export type DuePicture = { url: string; attempts: number }

/** One entry for an address, however many products name it. */
export function findDuePictures(db: Db, { at, limit }: { at: Date; limit: number }) {
  return all<DuePicture>(db)`
    select url, max(attempts)::int as attempts from (
      select url, attempts, due_at from product_pictures
      where state <> 'copied' and due_at <= ${at} order by due_at limit ${limit}) due
    group by url order by min(due_at)`
}

/** The file of the same address, copied for another product. */
export function findCopyOf(db: Db, url: string) {
  return value<string>(db)`
    select hash from product_pictures where url_key = md5(${url}) and url = ${url} and hash is not null
    limit 1`
}

/** Until the transaction ends, nobody else writes or deletes the files of this name. */
export function lockPicture(tx: Db, hash: string) {
  return run(tx)`select pg_advisory_xact_lock(${LOCKS.pictures}::int, hashtext(${hash}))`
}

export function hasPicture(db: Db, hash: string) {
  return exists(db)`select 1 from picture_files where hash = ${hash}`
}

export function insertPicture(
  tx: Db,
  { hash, width, height, widths, sizeBytes, at }: PictureCopy & { sizeBytes: number; at: Date },
) {
  return run(tx)`
    insert into picture_files (hash, width, height, widths, size_bytes, created_at)
    values (${hash}, ${width}, ${height}, ${widths}, ${sizeBytes}, ${at}) on conflict do nothing`
}

/** Locks products first, as deleting one does before it takes what hangs on it. */
export function markCopied(tx: Db, { url, hash, at }: { url: string; hash: string; at: Date }) {
  return run(tx)`
    with named as materialized (
      select p.id, p.category_id from products p
      where p.id in (select product_id from product_pictures where url_key = md5(${url}) and url = ${url})
      order by p.id for update),
    marked as (
      update product_pictures t set state = 'copied', hash = ${hash}, reason = null, attempts = 0
      from named where t.product_id = named.id and t.url_key = md5(${url}) and t.url = ${url}
        and t.hash is distinct from ${hash}
      returning t.product_id),
    touched as (
      update products p set updated_at = ${at} from marked where p.id = marked.product_id)
    insert into changes (at, product_id, category_id, aspect)
    select ${at}, named.id, named.category_id, 'text' from named join marked on marked.product_id = named.id`
}

/** Products whose picture turns out to be gone, or to be there after all, change. */
export async function markFailed(
  db: Db,
  failed: {
    url: string
    state: Exclude<PictureState, 'copied'>
    reason: string
    attempts: number
    dueAt: Date
    at: Date
  },
): Promise<void> {
  const { url, state, reason, attempts, dueAt, at } = failed
  const isGone = state === 'refused' && GONE_REASONS.includes(reason)
  await run(db)`
    with named as materialized (
      select p.id, p.category_id, t.state = 'refused' and t.reason = any(${GONE_REASONS}) as was_gone
      from products p join product_pictures t on t.product_id = p.id
      where t.url_key = md5(${url}) and t.url = ${url} and t.state <> 'copied'
      order by p.id for update of p),
    marked as (
      update product_pictures t
      set state = ${state}, reason = ${reason}, attempts = ${attempts}, due_at = ${dueAt}
      from named where t.product_id = named.id and t.url_key = md5(${url}) and t.url = ${url}
        and t.state <> 'copied'
      returning t.product_id),
    turned as (
      select named.* from named join marked on marked.product_id = named.id
      where coalesce(named.was_gone, false) <> ${isGone}),
    touched as (
      update products p set updated_at = ${at} from turned where p.id = turned.id)
    insert into changes (at, product_id, category_id, aspect)
    select ${at}, id, category_id, 'text' from turned`
}

/** Its files are gone: products show the original until it is fetched again. */
export function forgetCopies(tx: Db, { hash, at }: { hash: string; at: Date }) {
  return run(tx)`
    with named as materialized (
      select p.id, p.category_id from products p
      where p.id in (select product_id from product_pictures where hash = ${hash}) order by p.id for update),
    marked as (
      update product_pictures t set state = 'waiting', hash = null, reason = 'lost', due_at = ${at}
      from named where t.product_id = named.id and t.hash = ${hash} returning t.product_id),
    touched as (
      update products p set updated_at = ${at} from marked where p.id = marked.product_id)
    insert into changes (at, product_id, category_id, aspect)
    select distinct ${at}::timestamptz, named.id, named.category_id, 'text'
    from named join marked on marked.product_id = named.id`
}

/** What no product and no proposal names any more, of the rows behind `after`. */
export async function deleteUnnamed(
  db: Db,
  {
    after,
    before,
    limit,
  }: { after: { productId: string; urlKey: string } | null; before: Date; limit: number },
): Promise<{ deleted: number; last: { productId: string; urlKey: string } | null }> {
  const row = await one<{ deleted: number; productId: string | null; urlKey: string | null }>(db)`
    with part as materialized (
      select product_id, url_key, url, created_at from product_pictures
      where ${after === null} or (product_id, url_key) > (${after?.productId ?? null}::uuid, ${after?.urlKey ?? null})
      order by product_id, url_key limit ${limit}),
    gone as (
      delete from product_pictures t using part s
      where t.product_id = s.product_id and t.url_key = s.url_key and s.created_at < ${before}
        and not exists (
          select from products p cross join lateral jsonb_array_elements(p.images) i
          where p.id = s.product_id and i ->> 'url' = s.url)
        and not exists (
          select from products p cross join lateral jsonb_array_elements(p.variants) v
          where p.id = s.product_id and v ->> 'image' = s.url)
        and not exists (
          select from enrichments e cross join lateral jsonb_array_elements(e.images) i
          where e.product_id = s.product_id and e.status in ('approved', 'pending') and i ->> 'url' = s.url)
      returning 1)
    select (select count(*)::int from gone) as deleted, l.product_id as "productId", l.url_key as "urlKey"
    from (select 1) one left join lateral (
      select product_id, url_key from part order by product_id desc, url_key desc limit 1) l on true`
  const last = row?.productId && row.urlKey ? { productId: row.productId, urlKey: row.urlKey } : null
  return { deleted: row?.deleted ?? 0, last }
}

export function findUnusedPictures(db: Db, { before, limit }: { before: Date; limit: number }) {
  return column<string>(db)`
    select hash from picture_files f where created_at < ${before}
      and not exists (select from product_pictures t where t.hash = f.hash)
    limit ${limit}`
}

/** False when something uses it after all. */
export function deletePicture(tx: Db, hash: string) {
  return exists(tx)`
    delete from picture_files f where hash = ${hash}
      and not exists (select from product_pictures t where t.hash = f.hash)
    returning 1`
}

/** Of those whose name begins so. */
export function findPicturesUnder(db: Db, prefix: string) {
  return all<PictureCopy>(db)`
    select hash, width, height, widths from picture_files where hash >= ${prefix} and hash < ${`${prefix}g`}`
}

/** Where a picture came from, for a node that does not have its files. */
export function findOrigin(db: Db, hash: string) {
  return value<string>(db)`
    select url from product_pictures where hash = ${hash} limit 1`
}

export async function insertUploads(
  tx: Db,
  entries: ReadonlyArray<{ hash: string; width: number; bytes: Buffer }>,
): Promise<void> {
  for (const { hash, width, bytes } of entries)
    await run(tx)`
      insert into picture_uploads (hash, width, bytes) values (${hash}, ${width}, ${bytes})
      on conflict do nothing`
}

export function findUploads(db: Db, hash: string) {
  return all<{ width: number; bytes: Buffer }>(db)`
    select width, bytes from picture_uploads where hash = ${hash}`
}

/** What somebody uploaded for a product, by its address on this service. */
export function insertUploaded(
  tx: Db,
  { productId, url, hash, at }: { productId: string; url: string; hash: string; at: Date },
) {
  return run(tx)`
    insert into product_pictures (product_id, url_key, url, state, hash, due_at, created_at)
    values (${productId}, md5(${url}), ${url}, 'copied', ${hash}, ${at}, ${at})
    on conflict (product_id, url_key) do update set created_at = excluded.created_at`
}

export function countPictures(db: Db) {
  return all<{ state: PictureState; reason: string | null; count: number }>(db)`
    select state, reason, count(*)::int as count from product_pictures group by 1, 2 order by 1, 3 desc, 2`
}

export async function countFiles(db: Db): Promise<{ files: number; bytes: number }> {
  const rows = await all<{ files: number; bytes: number }>(db)`
    select count(*)::int as files, coalesce(sum(size_bytes), 0)::bigint as bytes from picture_files`
  return { files: rows[0]?.files ?? 0, bytes: Number(rows[0]?.bytes ?? 0) }
}

/** Fetches everything that was refused again, now. */
export function retryRefused(db: Db, at: Date) {
  return changed(db)`
    update product_pictures set state = 'waiting', attempts = 0, due_at = ${at} where state = 'refused'`
}

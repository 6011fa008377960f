/**
 * Writing what SOUK_SEARCH=postgres searches. Every write is made under one lock, with the counts that it changes and the
 * state of the whole in the same transaction, so that counts and products agree, whichever node writes and even if it is killed.
 */
import { sql } from 'kysely'
import { LOCKS } from '../../db/advisory-lock.ts'
import type { Db } from '../../db/database.ts'
import { column, exists, one, run } from '../../db/rows.ts'
import { KINDS } from './prepared.ts'

export type WordsState = {
  form: string
  position: string
  filledTo: string | null
  ready: boolean
  products: number
  totals: number[]
  having: number[]
}

/** Null when there is none, or one that was written in another database or restored into this. */
export function readState(db: Db): Promise<WordsState | null> {
  return one<WordsState>(db)`
    select form, position, filled_to as "filledTo", ready, products,
      field_words as totals, field_products as having
    from search_words_state
    where database = (select oid::text from pg_database where datname = current_database())
      and xmin::text = (xid::numeric % 4294967296)::text`
}

/** Until the transaction ends, no other node writes these tables. A request does not wait for it. */
export function underWordsLock<T>(db: Db, work: (tx: Db) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (tx) => {
    await run(tx)`select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)`
    await run(tx)`select pg_advisory_xact_lock(${sql.lit(LOCKS.words)})`
    return work(tx)
  })
}

export async function startOver(tx: Db, state: Pick<WordsState, 'form' | 'position'>): Promise<void> {
  await run(tx)`truncate search_words, search_products, search_counts, search_words_state`
  await run(tx)`drop index if exists search_words_names, search_words_words, search_counts_spellings`
  await run(tx)`
    insert into search_words_state (form, position, xid, database)
    values (${state.form}, ${state.position}, pg_current_xact_id()::text,
      (select oid::text from pg_database where datname = current_database()))`
}

/** After the first filling. An update changes the words of a product, and lists of pending entries are slow to search. */
export async function createWordIndexes(tx: Db): Promise<void> {
  // findByWords
  await run(tx)`
    create index if not exists search_words_names on search_words using gin (names) with (fastupdate = off)`
  await run(tx)`
    create index if not exists search_words_words on search_words using gin (words) with (fastupdate = off)`
}

export async function writeState(tx: Db, state: WordsState): Promise<void> {
  await run(tx)`
    update search_words_state set form = ${state.form}, position = ${state.position}, filled_to = ${state.filledTo},
      ready = ${state.ready}, products = ${state.products}, field_words = ${state.totals}::float8[],
      field_products = ${state.having}::float8[], xid = pg_current_xact_id()::text`
}

/** The next products by id. */
export function findIdsAfter(db: Db, id: string | null, limit: number): Promise<string[]> {
  return column<string>(db)`
    select id from products where ${id === null ? sql`true` : sql`id > ${id}`} order by id limit ${limit}`
}

export function findIdsOfOtherCategories(db: Db, slugs: string[]): Promise<string[]> {
  return column<string>(db)`select product_id from search_words where category <> all(${slugs}::text[])`
}

export async function findPreparedBefore(
  tx: Db,
  ids: string[],
): Promise<Map<string, { version: string; prepared: string }>> {
  const { rows } = await sql<{ id: string; version: string; prepared: string }>`
    select product_id as id, version, prepared from search_products where product_id = any(${ids}::uuid[])`.execute(
    tx,
  )
  return new Map(rows.map(({ id, ...rest }) => [id, rest]))
}

export type WordsRow = {
  id: string
  slug: string
  category: string
  brand: string | null
  priceLowCents: number | null
  priceHighCents: number | null
  rating: number | null
  reviews: number | null
  discontinued: boolean
  listed: boolean
  version: string
  prepared: string
  names: string
  words: string
}

export async function writeRows(tx: Db, rows: WordsRow[]): Promise<void> {
  if (rows.length === 0) return
  const of = <K extends keyof WordsRow>(key: K) => rows.map((row) => row[key])
  await run(tx)`
    insert into search_words (product_id, slug, category, brand, price_low_cents, price_high_cents, rating, reviews,
      discontinued, listed, version, names, words)
    select id, slug, category, brand, low, high, rating, reviews, discontinued, listed, version,
      names::tsvector, words::tsvector
    from unnest(${of('id')}::uuid[], ${of('slug')}::text[], ${of('category')}::text[], ${of('brand')}::text[],
      ${of('priceLowCents')}::bigint[], ${of('priceHighCents')}::bigint[], ${of('rating')}::float8[],
      ${of('reviews')}::integer[], ${of('discontinued')}::boolean[], ${of('listed')}::boolean[],
      ${of('version')}::text[], ${of('names')}::text[], ${of('words')}::text[])
      as r (id, slug, category, brand, low, high, rating, reviews, discontinued, listed, version, names, words)
    on conflict (product_id) do update set slug = excluded.slug, category = excluded.category,
      brand = excluded.brand, price_low_cents = excluded.price_low_cents,
      price_high_cents = excluded.price_high_cents, rating = excluded.rating, reviews = excluded.reviews,
      discontinued = excluded.discontinued, listed = excluded.listed, version = excluded.version,
      names = excluded.names, words = excluded.words`
  await run(tx)`
    insert into search_products (product_id, version, prepared)
    select * from unnest(${of('id')}::uuid[], ${of('version')}::text[], ${of('prepared')}::text[])
    on conflict (product_id) do update set version = excluded.version, prepared = excluded.prepared`
}

export async function deleteRows(tx: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await run(tx)`delete from search_words where product_id = any(${ids}::uuid[])`
  await run(tx)`delete from search_products where product_id = any(${ids}::uuid[])`
}

export type CountChange = { kind: string; key: string; by: number; written: string | null }

/** A count of none stays, so that a name that goes and comes is one row. */
export async function changeCounts(tx: Db, changes: CountChange[]): Promise<void> {
  if (changes.length === 0) return
  await run(tx)`
    insert into search_counts as c (key, kind, products, written)
    select * from unnest(${changes.map(({ key }) => key)}::text[], ${changes.map(({ kind }) => kind)}::text[],
      ${changes.map(({ by }) => by)}::integer[], ${changes.map(({ written }) => written)}::text[])
    on conflict (key, kind) do update set products = c.products + excluded.products,
      written = coalesce(excluded.written, c.written)`
}

/** Makes misspelled words findable by trigrams; false where the server does not have or does not allow them. */
export async function bringTrigrams(db: Db): Promise<boolean> {
  if (!(await hasOfferedTrigrams(db))) return false
  await underWordsLock(db, async (tx) => {
    await run(tx)`create extension if not exists pg_trgm`
    // findSpelledAlike
    await run(tx)`
      create index if not exists search_counts_spellings on search_counts using gin (key gin_trgm_ops)
      where kind = ${sql.lit(KINDS.spelling)}`
  })
  return true
}

export function hasOfferedTrigrams(db: Db): Promise<boolean> {
  return exists(db)`select 1 from pg_available_extensions where name = 'pg_trgm'`
}

export function hasTrigrams(db: Db): Promise<boolean> {
  return exists(
    db,
  )`select 1 from pg_class where relname = 'search_counts_spellings' and pg_table_is_visible(oid)`
}

/**
 * What a node that holds no catalog asks the database for. Each question has a bound on the rows that it reads and on those
 * that it gives, whatever the size of the catalog.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { all, column, count, one } from '../../db/rows.ts'
import { halfText } from '../vectors/half-text.ts'
import type { VectorTable } from '../vectors/pgvector-tables.queries.ts'
import { KINDS } from './prepared.ts'

type Sql = RawBuilder<unknown>

/** What filters ask of a product that its row here can tell. Names are in lower case. */
export type Within = {
  category?: string
  brands?: string[]
  excludeBrands?: string[]
  /** Products without a price are outside of it. */
  price?: { low: number; high: number | null }
  /** Products without a price are within it. */
  budget?: { low: number; high: number | null }
  minRating?: number
  excludeDiscontinued?: boolean
  only?: IdList
  /** Products that a shop lists are within, too. */
  listedOr?: IdList
}

export type IdList = { list: string[]; toJSON(): string }

export type Found = { id: string; version: string }

/** A word of a query and what may stand for it, as a text search query; how many products have it, and what that is worth. */
export type WordGroup = { query: string; documents: number; idf: number }

/** Of all that a condition finds, at most so many are compared. */
const COMPARED = 2_000
/** Of a long query, the rarest words. */
const MOST_GROUPS = 6
/** For D, C, B and A: as the weights of fields are to each other. */
const WEIGHTS = '{0.3, 0.4, 0.65, 1}'

/**
 * The products that have most of the words, rare ones and names first. Tried with all words, then with one less, until
 * there are enough.
 */
export async function findByWords(
  db: Db,
  groups: readonly WordGroup[],
  within: Within,
  limit: number,
): Promise<Found[]> {
  const known = groups.filter(({ documents }) => documents > 0)
  if (known.length === 0) return []
  const rare = known.toSorted((a, b) => b.idf - a.idf).slice(0, MOST_GROUPS)
  const found = new Map<string, Found & { score: number }>()
  const take = async (columnName: 'names' | 'words', some: string) => {
    for (const row of await findMatching(db, { column: columnName, some, groups: known, within }))
      if (row.score > (found.get(row.id)?.score ?? 0)) found.set(row.id, row)
  }
  await take('names', rare.map(({ query }) => query).join(' & '))
  for (let size = rare.length; size > 0 && found.size < limit; size--)
    await take(
      'words',
      anyOf(
        rare.map(({ query }) => query),
        size,
      ),
    )
  return [...found.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1)).slice(0, limit)
}

/** All choices of so many, each as "all of these". */
function anyOf(queries: readonly string[], size: number): string {
  const choose = (from: number, left: number): string[][] => {
    if (left === 0) return [[]]
    return queries
      .slice(from)
      .flatMap((query, at) => choose(from + at + 1, left - 1).map((rest) => [query, ...rest]))
  }
  return choose(0, size)
    .map((chosen) => `(${chosen.join(' & ')})`)
    .join(' | ')
}

function findMatching(
  db: Db,
  ask: { column: 'names' | 'words'; some: string; groups: readonly WordGroup[]; within: Within },
): Promise<Array<Found & { score: number }>> {
  const vector = sql.ref(ask.column)
  const score = sql.join(
    ask.groups.map(
      ({ query, idf }) => sql`ts_rank(${WEIGHTS}::real[], words, ${query}::tsquery) * ${idf}::float8`,
    ),
    sql` + `,
  )
  return all<Found & { score: number }>(db)`
    select id, version, ${score} as score from (
      select product_id as id, version, words from search_words
      where ${vector} @@ ${ask.some}::tsquery and ${holds(ask.within)} limit ${COMPARED}) found`
}

export function findMostReviewed(db: Db, within: Within, limit: number): Promise<Found[]> {
  return all<Found>(db)`
    select product_id as id, version from search_words where ${holds(within)}
    order by reviews desc nulls last, product_id limit ${limit}`
}

export function findInCategory(db: Db, within: Within, limit: number): Promise<Found[]> {
  return all<Found>(db)`
    select product_id as id, version from search_words where ${holds(within)} order by product_id limit ${limit}`
}

export type CategoryPrices = { slug: string; low: number | null; high: number | null }

export function findCategoryPrices(db: Db): Promise<CategoryPrices[]> {
  return all<CategoryPrices>(db)`
    select category as slug, min(price_low_cents)::float8 as low, max(price_high_cents)::float8 as high
    from search_words group by category`
}

export function countWithin(db: Db, within: Within): Promise<number> {
  return count(db)`select count(*)::int from search_words where ${holds(within)}`
}

export function findBySlugs(db: Db, slugs: string[]): Promise<Found[]> {
  return all<Found>(db)`select product_id as id, version from search_words where slug = any(${slugs}::text[])`
}

export function findByIds(db: Db, ids: string[]): Promise<Found[]> {
  return all<Found>(db)`
    select product_id as id, version from search_words where product_id = any(${ids}::uuid[])`
}

export type PreparedRow = Found & { prepared: string }

export function fetchPrepared(db: Db, ids: string[]): Promise<PreparedRow[]> {
  return all<PreparedRow>(db)`
    select product_id as id, version, prepared from search_products where product_id = any(${ids}::uuid[])`
}

export type CountRow = { kind: string; key: string; products: number; written: string | null }

export function fetchCounts(
  db: Db,
  wanted: ReadonlyArray<readonly [kind: string, key: string]>,
): Promise<CountRow[]> {
  return all<CountRow>(db)`
    select c.kind, c.key, c.products, c.written from search_counts c
    join unnest(${wanted.map(([kind]) => kind)}::text[], ${wanted.map(([, key]) => key)}::text[]) as w (kind, key)
      using (kind, key)`
}

export type Spelling = { surface: string; term: string }

/** Words as products write them. */
export function findSpellings(db: Db, surfaces: string[]): Promise<Spelling[]> {
  return all<Spelling>(db)`
    select key as surface, written as term from search_counts
    where kind = ${KINDS.spelling} and key = any(${surfaces}::text[])`
}

/** Of so many that share the most trigrams, one that is two letters away is hardly ever missing. */
const MOST_ALIKE = 100

export function findSpelledAlike(db: Db, word: string): Promise<Spelling[]> {
  return all<Spelling>(db)`
    select key as surface, written as term from search_counts
    where kind = ${sql.lit(KINDS.spelling)} and key % ${word} order by similarity(key, ${word}) desc limit ${MOST_ALIKE}`
}

export function findCategorySizes(db: Db): Promise<Array<{ slug: string; products: number }>> {
  return all<{ slug: string; products: number }>(db)`
    select key as slug, products from search_counts where kind = ${KINDS.category} and products > 0`
}

/** The rows of vectors of these products, by product. */
export async function findVectorRows(
  db: Db,
  { name }: VectorTable,
  ids: string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; row: number }>`
    select product_id as id, row_no as row from ${sql.table(name)} where product_id = any(${ids}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map(({ id, row }) => [id, row]))
}

export function countVectors(db: Db, { name }: VectorTable): Promise<number> {
  return count(db)`select count(*)::int from ${sql.table(name)}`
}

/** With its own vectors in place of a query's, a row's number. */
export type Near = { vector: Float32Array } | { row: number }

/** The nearest by both readings. */
export function findNear(
  db: Db,
  { name }: VectorTable,
  near: Near,
  within: Within,
  limit: number,
): Promise<Found[]> {
  const own = (of: string) =>
    'vector' in near
      ? sql`${halfText(near.vector)}::halfvec`
      : sql`(select ${sql.ref(of)} from ${sql.table(name)} where row_no = ${near.row})`
  const nearest = (of: string) => sql`
    (select w.product_id, w.version from ${sql.table(name)} m join search_words w using (product_id)
     where ${holds(within)} order by m.${sql.ref(of)} <#> ${own(of)} limit ${limit})`
  return db.transaction().execute(async (tx) => {
    await one(tx)`
      select set_config('hnsw.ef_search', '200', true), set_config('hnsw.iterative_scan', 'relaxed_order', true),
        set_config('hnsw.max_scan_tuples', '40000', true)`
    return all<Found>(tx)`
      select distinct product_id as id, version from (
        ${nearest('full_vector')} union all ${nearest('short_vector')}) found`
  })
}

/** How far the tables that are read here have come. */
export function readPosition(db: Db): Promise<string | null> {
  return column<string>(db)`select position from search_words_state`.then((rows) => rows[0] ?? null)
}

function holds(within: Within): Sql {
  const { category, brands, excludeBrands, price, budget, minRating, excludeDiscontinued, only, listedOr } =
    within
  const conditions = [
    ...(category === undefined ? [] : [sql`category = ${category}`]),
    ...(brands ? [sql`brand = any(${brands}::text[])`] : []),
    ...(excludeBrands ? [sql`(brand is null or brand <> all(${excludeBrands}::text[]))`] : []),
    ...(price
      ? [
          sql`(${price.high}::float8 is null or price_low_cents <= ${price.high}::float8)
          and price_high_cents >= ${price.low}::float8`,
        ]
      : []),
    ...(budget
      ? [
          sql`(${budget.high}::float8 is null or price_low_cents is null or price_low_cents <= ${budget.high}::float8)
            and (price_high_cents is null or price_high_cents >= ${budget.low}::float8)`,
        ]
      : []),
    ...(minRating === undefined ? [] : [sql`coalesce(rating, 0) >= ${minRating}`]),
    ...(excludeDiscontinued ? [sql`not discontinued`] : []),
    ...(only ? [sql`product_id = any(${only.list}::uuid[])`] : []),
    ...(listedOr ? [sql`(listed or product_id = any(${listedOr.list}::uuid[]))`] : []),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

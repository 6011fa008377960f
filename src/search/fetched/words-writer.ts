/**
 * Keeps the tables that SOUK_SEARCH=postgres searches in step with the catalog. Any node of that mode fills and follows
 * them: the first to get the lock writes, and the others find it done. The first filling goes page by page, so that it
 * goes on where it was left when nodes stop, and several nodes share it.
 */
import { getTexts, listCategories, listTouched } from '../../catalog/catalog.service.ts'
import { currentPosition } from '../../catalog/changes.follower.ts'
import type { IndexedTexts } from '../../catalog/profile.ts'
import type { Db } from '../../db/database.ts'
import { createBreather } from '../../lib/breathe.ts'
import type { Log } from '../../lib/log.ts'
import { lengthsIn } from '../lexical/bm25f.ts'
import { isSpelled } from '../lexical/dictionary.ts'
import { findChangedSince } from '../stored/index-marks.queries.ts'
import {
  countsOf,
  FORM,
  KINDS,
  LONGEST_KEY,
  type Prepared,
  prepareProduct,
  readPrepared,
  vectorsOf,
  writePrepared,
  writtenBy,
} from './prepared.ts'
import {
  bringTrigrams,
  type CountChange,
  changeCounts,
  createWordIndexes,
  deleteRows,
  findIdsAfter,
  findIdsOfOtherCategories,
  findPreparedBefore,
  hasOfferedTrigrams,
  readState,
  startOver,
  underWordsLock,
  type WordsRow,
  type WordsState,
  writeRows,
  writeState,
} from './words-tables.queries.ts'

type Context = { db: Db; log: Log }

export type WordsWriter = {
  /** Fills the tables if they are not of this catalog and this form. */
  fill(): Promise<void>
  /** Resolves when all that was committed before the call is in the tables. */
  catchUp(): Promise<void>
  stop(): void
}

const PAGE = 500
/** Many products share their words, and each is counted once a page. */
const FILL_PAGE = 2_000
const UNCORRECTED = 'words with two letters wrong are not corrected'
/** When more has changed than this, filling anew is as fast. */
const MOST_FOLLOWED = 200_000

export function createWordsWriter(ctx: Context): WordsWriter {
  let stopped = false
  const breathe = createBreather()

  async function ready(): Promise<boolean> {
    const state = await readState(ctx.db)
    return state?.form === FORM && state.ready
  }

  async function fill(): Promise<void> {
    if (!(await ready())) await fillAnew()
    await catchUp()
    try {
      if (!(await bringTrigrams(ctx.db)))
        ctx.log.warn(`the database has no extension "pg_trgm": ${UNCORRECTED}`)
    } catch (error) {
      ctx.log.warn({ err: error }, `the extension "pg_trgm" cannot be created: ${UNCORRECTED}`)
    }
  }

  async function fillAnew(): Promise<void> {
    const began = performance.now()
    await underWordsLock(ctx.db, async (tx) => {
      const state = await readState(tx)
      if (state?.form !== FORM) await startOver(tx, { form: FORM, position: await currentPosition(tx) })
    })
    for (;;) {
      if (stopped) throw new Error('the words of the catalog were being read')
      const state = await underWordsLock(ctx.db, fillPage)
      if (state.ready) {
        const ms = Math.round(performance.now() - began)
        ctx.log.info({ products: state.products, ms }, 'the words of the catalog are in the database')
        return
      }
    }
  }

  async function fillPage(tx: Db): Promise<WordsState> {
    const state = await readState(tx)
    if (state?.form !== FORM) throw new Error('the words of the catalog were begun anew')
    if (state.ready) return state
    const ids = await findIdsAfter(tx, state.filledTo, FILL_PAGE)
    await bringIds(tx, state, ids)
    const next = { ...state, filledTo: ids.at(-1) ?? state.filledTo, ready: ids.length < FILL_PAGE }
    if (next.ready) await createWordIndexes(tx)
    await writeState(tx, next)
    return next
  }

  async function catchUp(): Promise<void> {
    const position = await currentPosition(ctx.db)
    const known = await readState(ctx.db)
    // Truncated, or another form: a node that starts anew fills it.
    if (known?.form !== FORM || !known.ready) return
    const changed = await findChangedSince(ctx.db, known.position, MOST_FOLLOWED)
    if (!changed) return refill()
    const { products: ids, categories } = await listTouched(ctx, changed)
    if (categories.size > 0) {
      const slugs = (await listCategories(ctx)).map(({ slug }) => slug)
      for (const id of await findIdsOfOtherCategories(ctx.db, slugs)) ids.add(id)
    }
    const all = [...ids]
    for (let from = 0; from < all.length && !stopped; from += PAGE)
      await underWordsLock(ctx.db, async (tx) => {
        const state = await readState(tx)
        if (!state) return
        await bringIds(tx, state, all.slice(from, from + PAGE))
        await writeState(tx, state)
      })
    if (stopped) return
    await underWordsLock(ctx.db, async (tx) => {
      const state = await readState(tx)
      if (state && BigInt(state.position) < BigInt(position)) await writeState(tx, { ...state, position })
    })
  }

  async function refill(): Promise<void> {
    await underWordsLock(ctx.db, async (tx) =>
      startOver(tx, { form: FORM, position: await currentPosition(tx) }),
    )
    await fillAnew()
  }

  const bringIds = async (tx: Db, state: WordsState, ids: string[]) =>
    bring(tx, state, { ids, products: await getTexts({ db: tx }, ids), breathe })

  return {
    fill,
    catchUp,
    stop() {
      stopped = true
    },
  }
}

/** Writes what is not as the tables have it, and takes away what is no longer there. Changes the totals of `state`. */
async function bring(
  tx: Db,
  state: WordsState,
  {
    ids,
    products,
    breathe,
  }: { ids: string[]; products: IndexedTexts[]; breathe: () => Promise<void> | void },
): Promise<void> {
  const before = await findPreparedBefore(tx, ids)
  const counts = new Map<string, CountChange>()
  const rows: WordsRow[] = []
  for (const product of products) {
    const prepared = prepareProduct(product)
    await breathe()
    const { text, version } = writePrepared(prepared)
    const known = before.get(product.id)
    before.delete(product.id)
    if (known?.version === version) continue
    if (known) count(state, counts, readPrepared(known.prepared), -1)
    count(state, counts, prepared, 1)
    for (const [surface, term] of prepared.spellings)
      if (isSpelled(surface)) add(counts, KINDS.spelling, surface, 0, term)
    rows.push(rowOf(prepared, text, version))
  }
  for (const { prepared } of before.values()) count(state, counts, readPrepared(prepared), -1)
  await deleteRows(tx, [...before.keys()])
  await writeRows(tx, rows)
  // In one order, so that pages of the index are written once.
  const changes = [...counts.values()].filter(({ by, written }) => by !== 0 || written !== null)
  await changeCounts(
    tx,
    changes.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
  )
}

/** For those who only want to know. `products` is null until they are all there. */
export async function checkWords(db: Db): Promise<{ products: number | null; trigrams: boolean }> {
  const state = await readState(db)
  const isFilled = state?.form === FORM && state.ready
  return { products: isFilled ? state.products : null, trigrams: await hasOfferedTrigrams(db) }
}

/** Fills the tables with a catalog that is not in the database, to measure searches alone. */
export async function fillWords(db: Db, catalog: Iterable<IndexedTexts>): Promise<void> {
  await underWordsLock(db, async (tx) => startOver(tx, { form: FORM, position: await currentPosition(tx) }))
  const write = (products: IndexedTexts[], ready: boolean) =>
    underWordsLock(db, async (tx) => {
      const state = await readState(tx)
      if (!state) return
      await bring(tx, state, { ids: products.map(({ id }) => id), products, breathe: () => {} })
      if (ready) await createWordIndexes(tx)
      await writeState(tx, { ...state, ready })
    })
  let page: IndexedTexts[] = []
  for (const product of catalog) {
    page.push(product)
    if (page.length < FILL_PAGE) continue
    await write(page, false)
    page = []
  }
  await write(page, true)
  await bringTrigrams(db)
}

function count(state: WordsState, counts: Map<string, CountChange>, prepared: Prepared, by: 1 | -1): void {
  state.products += by
  for (const [at, words] of lengthsIn(prepared.lengths).entries()) {
    state.totals[at] = (state.totals[at] ?? 0) + by * words
    state.having[at] = (state.having[at] ?? 0) + (words > 0 ? by : 0)
  }
  for (const [kind, keys] of countsOf(prepared))
    for (const key of keys) if (key.length <= LONGEST_KEY) add(counts, kind, key, by, null)
  if (by === 1)
    for (const [kind, key, written] of writtenBy(prepared))
      if (key.length <= LONGEST_KEY) add(counts, kind, key, 0, written)
}

function add(
  counts: Map<string, CountChange>,
  kind: string,
  key: string,
  by: number,
  written: string | null,
): void {
  const known = counts.get(`${kind}${key}`)
  if (!known) {
    counts.set(`${kind}${key}`, { kind, key, by, written })
    return
  }
  known.by += by
  known.written = written ?? known.written
}

function rowOf(prepared: Prepared, text: string, version: string): WordsRow {
  const { id, slug, brand, priceLowCents, priceHighCents, rating, reviewCount, discontinued } = prepared.facts
  return {
    ...{ id, slug, priceLowCents, priceHighCents, rating, discontinued, version },
    category: prepared.category,
    brand: brand?.toLowerCase() ?? null,
    reviews: reviewCount,
    listed: prepared.listed,
    prepared: text,
    ...vectorsOf(prepared),
  }
}

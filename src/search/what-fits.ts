/**
 * Which candidates of a query answer it, and in which order they are listed: one function for every face. A product that
 * denies what was demanded is no answer; one that says it comes before one that is silent. Discontinued products come
 * last, but for one that is named.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { tokenize } from './lexical/tokenize.ts'
import { anySize } from './measures/measure-table.ts'
import { DENIED, judgeAll } from './obey.ts'
import { FEATURES } from './rank/features.ts'
import type { RankQuery } from './rank/query.ts'
import type { Ranked } from './rank/rank.ts'
import type { Sort } from './search.schema.ts'
import { sortSlots } from './sort.ts'

/** A product this likely to answer makes the answer good … */
const GOOD = 0.42
/** … and beside it one this likely is an answer, too. */
const FITS = 0.12
/** Where a category or a maker was chosen, the kind is settled. */
const NARROWED = 0.25

/** `fitting` are places among the ranked, in their order, those that say what was demanded first. */
export function whatFits(
  index: CatalogIndex,
  query: RankQuery,
  { slots, fit }: Ranked,
  isNarrowed: boolean,
): { match: 'good' | 'none'; fitting: number[] } {
  const ease = isNarrowed ? NARROWED : 1
  const verdicts = judgeAll(index, query.understood, slots)
  const places = Array.from(slots.keys()).filter((place) => verdicts[place] !== DENIED)
  const best = places.reduce((most, place) => Math.max(most, fit[place] as number), 0)
  if (best < GOOD * ease) return { match: 'none', fitting: [] }
  const fitting = places.filter((place) => (fit[place] as number) >= FITS * ease)
  const products = fitting.flatMap((place) => index.at(slots[place] ?? 0) ?? [])
  if (isOutOfRange(index, query, products)) return { match: 'none', fitting: [] }
  return {
    match: 'good',
    fitting: fitting.sort((a, b) => (verdicts[a] as number) - (verdicts[b] as number) || a - b),
  }
}

/** An order other than by relevance is one of what fits, because the cheapest of all candidates is hardly ever what was asked for. */
export function listInOrder(
  index: CatalogIndex,
  ranked: Ranked,
  fitting: readonly number[],
  { query, sort }: { query: string; sort: Sort },
): Uint32Array {
  const listed = Uint32Array.from(fitting, (place) => ranked.slots[place] ?? 0)
  return sort === 'relevance'
    ? discontinuedLast(index, listed, ranked, query)
    : sortSlots(index, listed, sort)
}

/** After all others; only the best match that the query names stays first: it is what was asked for. */
function discontinuedLast(
  index: CatalogIndex,
  slots: Uint32Array,
  ranked: Ranked,
  query: string,
): Uint32Array {
  const isDiscontinued = (slot: number) => index.columns.discontinued[slot] === 1
  if (!slots.some(isDiscontinued)) return slots
  const best = ranked.slots[0] ?? -1
  const isNamed = () => saysWhole(query, index.at(best)?.title ?? '') || namesBest(ranked, isDiscontinued)
  const named = isDiscontinued(best) && isNamed() ? best : null
  const isLast = (slot: number) => slot !== named && isDiscontinued(slot)
  const listed = Array.from(slots)
  return Uint32Array.from([...listed.filter((slot) => !isLast(slot)), ...listed.filter(isLast)])
}

function saysWhole(query: string, title: string): boolean {
  const said = new Set(tokenize(query).map(({ term }) => term))
  const words = tokenize(title)
  return words.length > 1 && words.every(({ term }) => said.has(term))
}

const [MODEL, BRAND, TITLE] = (['model', 'brand', 'titleCoverage'] as const).map((name) =>
  FEATURES.indexOf(name),
)

/** By its model, or by its brand with more words of its title than of any product that is still made. */
function namesBest({ slots, featuresAt }: Ranked, isDiscontinued: (slot: number) => boolean): boolean {
  const has = (place: number, feature = -1) => featuresAt(place)[feature] ?? 0
  if (has(0, MODEL) > 0) return true
  const said = has(0, TITLE)
  return has(0, BRAND) > 0 && slots.every((slot, at) => isDiscontinued(slot) || has(at, TITLE) < said)
}

/** Most of them state what is measured, and none has the size asked for. */
function isOutOfRange(
  index: CatalogIndex,
  { understood }: RankQuery,
  fitting: readonly IndexedProduct[],
): boolean {
  return understood.sizes.some((size) => {
    const judge = index.measures.judge(size)
    if (fitting.some((product) => judge(product).verdict === 'said')) return false
    const states = index.measures.judge(anySize(size.dimension, size.words))
    const stating = fitting.filter((product) => states(product).verdict === 'said').length
    return stating * 2 >= fitting.length
  })
}

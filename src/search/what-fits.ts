/**
 * Which candidates of a query are listed, and in which order: one function for every face. An order other than by
 * relevance is one of what fits, because the cheapest of all candidates is hardly ever what was asked for. Discontinued
 * products come last, but for one that is named.
 */
import type { CatalogIndex } from './catalog-index.ts'
import { tokenize } from './lexical/tokenize.ts'
import { FEATURES } from './rank/features.ts'
import type { Ranked } from './rank/rank.ts'
import type { Sort } from './search.schema.ts'
import { sortSlots } from './sort.ts'

type Wanted = {
  query: string
  sort: Sort
  /** Only what fits; undefined: whenever the list is sorted. */
  near: boolean | undefined
  /** False where words alone decide: then each candidate by relevance shares a word with the query, and counts as near. */
  byMeaning: boolean
}

export function listInOrder(
  index: CatalogIndex,
  ranked: Ranked,
  { query, sort, near, byMeaning }: Wanted,
): Uint32Array {
  const sorted = sort !== 'relevance'
  const listed = (near ?? sorted) && (byMeaning || sorted) ? nearOnes(ranked) : ranked.slots
  return sorted ? sortSlots(index, listed, sort) : discontinuedLast(index, listed, ranked, query)
}

/**
 * Of the best one's score, this share is still near. On the judged queries of the demo catalog it leaves 13 products of
 * the 50 first and keeps 95 of 100 relevant ones; at 0.6 it would be 89, at 0.45 every third would be of a wrong kind.
 */
const NEAR = 0.5

function nearOnes({ slots, scores }: Ranked): Uint32Array {
  const best = scores.reduce((highest, score) => Math.max(highest, score), 0)
  return slots.filter((_, at) => (scores[at] ?? 0) >= best * NEAR)
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

/**
 * What a question is, and how one answer to it is made: the products that the filters allow, ranked, the page cut from
 * them, and each shown with its reason. Nothing here waits unless the vectors are in the database.
 */
import type { CatalogIndex, IndexedProduct } from './catalog-index.ts'
import { explainQuery, explainResult } from './explain.ts'
import { countFacets } from './facets.ts'
import { allowedSlots, type Filters, type SaleLookup } from './filters.ts'
import { pageOf, tailSimilarity } from './page.ts'
import type { RankQuery } from './rank/query.ts'
import { type Ranked, rank, type Weights } from './rank/rank.ts'
import { reasonsFor } from './rank/reasons.ts'
import { toResult } from './result.ts'
import type { Explanation, Facets, SearchResult, Sort } from './search.schema.ts'
import { andThen, type MaybePromise } from './vectors/meaning-index.ts'
import { listInOrder } from './what-fits.ts'

export type Question = {
  query: string
  filters?: Filters
  limit: number
  offset?: number
  sort?: Sort
  /** Only what fits (what-fits.ts). Without a word on it, so is every order but that by relevance. */
  near?: boolean
  facets?: boolean
  explain?: boolean
}

/** An answer without its query_id, which every asking gets anew. */
export type Answer = {
  results: SearchResult[]
  productIds: string[]
  /** Products that the filters allow. */
  matching: number
  /** How many there are over all pages. */
  total: number
  /** Candidates that were left out as not near. */
  further: number
  mode: 'semantic' | 'keyword'
  facets?: Facets
  explain?: Explanation
}

/** Everything that makes two questions the same one. The free texts cannot run into each other or into the rest. */
export function keyOf(question: Question): string {
  const { query, filters = {}, limit, offset = 0, sort, near, facets, explain } = question
  const { category = '', brand, minPriceCents, maxPriceCents, onSale, excludeDiscontinued } = filters
  const options = `${limit},${offset},${sort ?? ''},${near},${!!facets},${!!explain}`
  const bounds = `${minPriceCents},${maxPriceCents},${!!onSale},${!!excludeDiscontinued}`
  return `${options},${bounds},${category.length},${category},${brand?.length},${brand},${query}`
}

export function answerTo(
  index: CatalogIndex,
  question: Question,
  query: RankQuery,
  by: { sales: SaleLookup; weights: Weights },
): MaybePromise<Answer> {
  const { filters = {}, limit, offset = 0, sort = 'relevance' } = question
  const allowed = allowedSlots(index, filters, query.understood, by.sales)
  return andThen(rank(index, query, by.weights, allowed), (found) => {
    const ranked = withoutGone(index, found)
    const order = listInOrder(index, ranked, {
      query: question.query,
      sort,
      near: question.near,
      byMeaning: query.vector !== null,
    })
    const matching = allowed ? count(allowed) : index.size
    // Counted now: a moment later one of them may be gone.
    const facets = question.facets ? countFacets(Array.from(order, index.at) as IndexedProduct[]) : null
    const whole = sort !== 'relevance'
    const wanted = { order, allowed, offset, limit, whole }
    return andThen(pageOf(index, query, wanted), (page) => {
      const behind = page.filter((slot) => !ranked.slots.includes(slot))
      return andThen(tailSimilarity(index, query, behind), (tail) => ({
        ...listResults(index, query, { page, ranked, tail, explain: question.explain, ...by }),
        matching,
        total: whole ? order.length : matching,
        further: ranked.slots.length - order.length,
        mode: query.vector ? ('semantic' as const) : ('keyword' as const),
        ...(facets && { facets }),
        ...(question.explain && { explain: explainQuery(query, order.length, matching, index) }),
      }))
    })
  })
}

type Listed = {
  page: number[]
  ranked: Ranked
  /** Of those behind the candidates, how near they are. */
  tail: Map<number, number>
  explain: boolean | undefined
  sales: SaleLookup
  weights: Weights
}

function listResults(
  index: CatalogIndex,
  { understood }: RankQuery,
  { page, ranked, tail, explain, sales, weights }: Listed,
): Pick<Answer, 'results' | 'productIds'> {
  const shown = page.flatMap((slot) => {
    const product = index.at(slot)
    return product ? [{ slot, product }] : []
  })
  const reasonOf = reasonsFor(
    index,
    understood,
    shown.map(({ product }) => product),
  )
  return {
    results: shown.map(({ slot, product }) => {
      const place = ranked.slots.indexOf(slot)
      const at = place < 0 ? undefined : place
      const similarity = at === undefined ? (tail.get(slot) ?? 0) : (ranked.similarity[at] ?? 0)
      return {
        ...toResult(product, similarity, sales),
        reason: reasonOf(product),
        ...(explain && { explain: explainResult(ranked, at, weights) }),
      }
    }),
    productIds: shown.map(({ product }) => product.id),
  }
}

/** Without those that were removed while the database was asked; in memory nothing comes between, and none are. */
function withoutGone(index: CatalogIndex, ranked: Ranked): Ranked {
  const { slots, scores, similarity, featuresAt } = ranked
  if (slots.every((slot) => index.at(slot) !== null)) return ranked
  const places = Array.from(slots.keys()).filter((place) => index.at(slots[place] ?? 0) !== null)
  const kept = <T extends Float32Array | Uint32Array>(values: T): T =>
    values.filter((_, place) => places.includes(place)) as T
  return {
    slots: kept(slots),
    scores: kept(scores),
    similarity: kept(similarity),
    featuresAt: (place) => featuresAt(places[place] ?? 0),
  }
}

function count(allowed: Uint8Array): number {
  let sum = 0
  for (const one of allowed) sum += one
  return sum
}

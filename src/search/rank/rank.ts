/**
 * From a query to an order. Three searches each give their best hundred: by the meaning of the whole product, by the
 * meaning of what it is and whom it is for, and by words. These candidates, never more for a deep page, are
 * ordered by the learned weights, so that every page is cut from one and the same list.
 */
import fs from 'node:fs'
import { projectFile } from '../../lib/paths.ts'
import type { CatalogIndex } from '../catalog-index.ts'
import type { QueryTerm } from '../lexical/lexical-index.ts'
import { pinnedSlots, type Tuned } from '../tuning.ts'
import type { Understood } from '../understand/understand.ts'
import { andThen, type Cosines, type MaybePromise } from '../vectors/meaning-index.ts'
import {
  computeFeatures,
  FEATURES,
  type FeatureName,
  type Features,
  featuresOf,
  scoreAll,
} from './features.ts'
import { type FitWeights, fitOf, goodFrom, loadFit } from './fit.ts'

/** A query as ranking sees it; prepare.ts makes it. */
export type RankQuery = {
  understood: Understood
  /** Of the query with its negations: products also say what they do without. */
  terms: QueryTerm[]
  /** The group of terms that names the thing asked for; -1 when none does. */
  head: number
  /** The same where words for sizes name nothing: the kind of the answer. `head` is what the weights were learned with. */
  thing: number
  /** It names no thing: a limit alone, or "something nice". */
  anything: boolean
  /** Written in a script that nothing here reads. */
  unreadable: boolean
  /** Null when no embedder answers: then words alone decide. */
  vector: Float32Array | null
  /** Of the query without what the product must lack; null when nothing is negated. */
  plainVector: Float32Array | null
  /** The operator's rules for it; absent where none apply. */
  tuned?: Tuned | null
  /** What words find of what is allowed, where that is known already. */
  byWords?: Uint32Array
}

/** What is to be ordered, with its cosines; null when words alone decide. */
export type Candidates = { slots: Uint32Array; cosines: Cosines | null }

export type Ranked = {
  /** Best first. */
  slots: Uint32Array
  scores: Float32Array
  similarity: Float32Array
  /** 0 to 1: how likely each answers the query. */
  fit: Float32Array
  /** From this fit on, the best makes a good answer. */
  goodFrom: number
  /** The features of the result at this place, in the order of FEATURES. */
  featuresAt(place: number): Float32Array
  /** What the operator's rules add to the score of the result at this place. */
  boostAt(place: number): number
}

export type Weights = Float32Array
/** What ranking learned: the order of candidates, and which of them are answers. */
export type Learned = { weights: Weights; fit: FitWeights }

const CANDIDATES = 100

/** In the order of FEATURES. A feature without a learned weight counts nothing. */
export function loadWeights(file = projectFile('src', 'search', 'rank', 'weights.json')): Weights {
  const { weights } = JSON.parse(fs.readFileSync(file, 'utf8')) as { weights: Record<string, number> }
  return Float32Array.from(FEATURES, (name) => weights[name] ?? 0)
}

export function loadLearned(): Learned {
  return { weights: loadWeights(), fit: loadFit() }
}

/** At once when the vectors are in this process. */
export function rank(
  index: CatalogIndex,
  query: RankQuery,
  { weights, fit }: Learned,
  allowed?: Uint8Array,
): MaybePromise<Ranked> {
  return andThen(findCandidates(index, query, allowed), (candidates) => {
    const { slots } = candidates
    const features = computeFeatures(index, query, candidates)
    const scores = scoreAll(features, weights, slots.length)
    const boosts = boostsOf(index, query.tuned, slots)
    for (const [at, boost] of boosts.entries()) scores[at] = (scores[at] as number) + boost
    const isEmbedded = (at: number) => query.vector !== null && index.at(slots[at] ?? 0)?.embedded === true
    const isNumbered = query.terms.some(
      ({ term, weight, group }) => weight === 1 && group <= 1 && /\d/.test(term),
    )
    const isAlone = !/\s/.test(query.understood.text.trim())
    const model = isNumbered ? (isAlone ? 'code' : 'name') : null
    const fits = fitOf(features, fit, isEmbedded, model, slots.length)
    const byScore: number[] = []
    for (let at = 0; at < slots.length; at++) byScore.push(at)
    byScore.sort((a, b) => (scores[b] as number) - (scores[a] as number) || byId(index, slots, a, b))
    return {
      ...inOrder(byScore, slots, scores, fits, features),
      boostAt: (place) => boosts[byScore[place] ?? -1] ?? 0,
    }
  })
}

/** What the operator's rules add to the score of each; nothing else of a product is touched. */
function boostsOf(index: CatalogIndex, tuned: Tuned | null | undefined, slots: Uint32Array): number[] {
  if (!tuned) return []
  return Array.from(slots, (slot) => {
    const product = index.at(slot)
    return product ? tuned.boostOf(product) : 0
  })
}

function inOrder(
  order: number[],
  slots: Uint32Array,
  scores: Float64Array,
  fits: Float32Array,
  features: Features,
): Omit<Ranked, 'boostAt'> {
  const ranked = {
    slots: new Uint32Array(order.length),
    scores: new Float32Array(order.length),
    similarity: new Float32Array(order.length),
    fit: new Float32Array(order.length),
  }
  for (let place = 0; place < order.length; place++) {
    const at = order[place] as number
    ranked.slots[place] = slots[at] as number
    ranked.scores[place] = scores[at] as number
    ranked.similarity[place] = features.similarity[at] ?? 0
    ranked.fit[place] = fits[at] as number
  }
  return {
    ...ranked,
    goodFrom: goodFrom(features),
    featuresAt: (place) => featuresOf(features, order[place] ?? 0),
  }
}

export function findCandidates(
  index: CatalogIndex,
  { vector, plainVector, terms, anything, tuned, byWords: known }: RankQuery,
  allowed?: Uint8Array,
): MaybePromise<Candidates> {
  const found =
    anything && !vector ? mostReviewed(index, allowed) : (known ?? findByWords(index, terms, allowed))
  // What is pinned is compared as any other is, if the filters allow it.
  const pinned = pinnedSlots(index, tuned).filter((slot) => !allowed || allowed[slot] === 1)
  const byWords = pinned.length === 0 ? found : Uint32Array.from(new Set([...found, ...pinned]))
  const gathered: MaybePromise<Candidates> = vector
    ? index.meaning.gather({ vector, plainVector }, CANDIDATES, byWords, allowed)
    : { slots: Uint32Array.from(byWords).sort(), cosines: null }
  return andThen(gathered, (candidates) => thoseThere(index, candidates))
}

/** Without those that were removed while the database was asked, or whose facts are in a file that is damaged. */
function thoseThere(index: CatalogIndex, candidates: Candidates): Candidates {
  const { slots, cosines } = candidates
  let missing = false
  for (let at = 0; at < slots.length; at++) missing ||= index.at(slots[at] as number) === null
  if (!missing) return candidates
  const isThere = Array.from(slots, (slot) => index.at(slot) !== null)
  const kept = <T extends Float32Array | Uint32Array>(values: T) =>
    values.filter((_, place) => isThere[place]) as T
  if (!cosines) return { slots: kept(slots), cosines }
  const { full, short, plain, passages } = cosines
  const byKind = Object.entries(passages).map(([kind, values]) => [kind, kept(values)])
  return {
    slots: kept(slots),
    cosines: {
      full: kept(full),
      short: kept(short),
      plain: plain && kept(plain),
      passages: Object.fromEntries(byKind) as Cosines['passages'],
    },
  }
}

export function findByWords(
  index: CatalogIndex,
  terms: readonly QueryTerm[],
  allowed: Uint8Array | undefined,
): Uint32Array {
  return index.words.search(terms, CANDIDATES, allowed).slots
}

function mostReviewed(index: CatalogIndex, allowed: Uint8Array | undefined): Uint32Array {
  index.fetched?.mostReviewed(allowed)
  const best: Array<{ slot: number; reviews: number; id: string }> = []
  for (let slot = 0; slot < index.slots; slot++) {
    if (index.columns.alive[slot] !== 1 || (allowed && allowed[slot] !== 1)) continue
    const reviews = index.columns.reviews[slot] || 0
    const last = best[CANDIDATES - 1]
    if (last && reviews < last.reviews) continue
    const one = { slot, reviews, id: index.idAt(slot) ?? '' }
    let place = best.length
    while (place > 0 && isBefore(one, best[place - 1] as typeof one)) place--
    best.splice(place, 0, one)
    best.length = Math.min(best.length, CANDIDATES)
  }
  return Uint32Array.from(best, ({ slot }) => slot)
}

function isBefore(a: { reviews: number; id: string }, b: { reviews: number; id: string }): boolean {
  return a.reviews === b.reviews ? a.id < b.id : a.reviews > b.reviews
}

/** Slots differ from node to node, ids do not. */
function byId(index: CatalogIndex, slots: Uint32Array, a: number, b: number): number {
  return (index.idAt(slots[a] ?? 0) ?? '') < (index.idAt(slots[b] ?? 0) ?? '') ? -1 : 1
}

/** What counted most for one result, for those who ask why. */
export function contributions(
  row: Float32Array,
  weights: Weights,
): Array<{ feature: FeatureName; value: number }> {
  return FEATURES.map((feature, at) => ({ feature, value: (row[at] ?? 0) * (weights[at] ?? 0) }))
    .filter(({ value }) => Math.abs(value) >= 0.05)
    .sort((a, b) => Math.abs(b.value) - Math.abs(a.value))
}

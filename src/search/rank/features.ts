/**
 * What speaks for and against each candidate, as numbers. The order of the results is a weighted sum of these; the
 * weights are learned from judged queries (weights.json) and nothing here knows a query, a product or a brand.
 * Cosines are taken against the mean of the candidates, because how similar everything is depends on the query;
 * keyword scores against the best. Some count differently when no title holds the query's words (`× titled`): a
 * need described in the shopper's own words meets sentences, a name meets titles.
 */
import { type CatalogIndex, type IndexedProduct, stemsOf } from '../catalog-index.ts'
import type { Field, QueryTerm } from '../lexical/lexical-index.ts'
import { PASSAGE_KINDS, type PassageKind } from '../product-text.ts'
import type { Understood } from '../understand/understand.ts'
import { budgetUse, priceFit, usualPrices } from './price-fit.ts'

const PLAIN_FEATURES = [
  'full',
  'short',
  'plain',
  'description',
  'verdict',
  'uses',
  'praise',
  'passage',
  'words',
  'coverage',
  'titleCoverage',
  'wordsCovered',
  'specs',
  'brand',
  'model',
  'category',
  'vote',
  'reviews',
  'rating',
  'discontinued',
  'notFor',
  'price',
  'budgetUse',
  'lacks',
  'says',
  'saysInSpecs',
  'saysInTitle',
  'avoidsLacking',
  'avoidsSaying',
] as const
const TITLED = ['full', 'short', 'passage', 'uses', 'verdict', 'praise', 'words', 'coverage'] as const
type PlainFeature = (typeof PLAIN_FEATURES)[number]
export type FeatureName = PlainFeature | `${(typeof TITLED)[number]} × titled`
export const FEATURES: readonly FeatureName[] = [
  ...PLAIN_FEATURES,
  ...TITLED.map((name) => `${name} × titled` as const),
]

/** For each plain feature the place of its twin × titled, or -1. */
const TITLED_BY_PLAIN = PLAIN_FEATURES.map((name) => FEATURES.indexOf(`${name} × titled` as FeatureName))
/** A column that says nothing of anyone. */
const NOTHING = new Float32Array(0)

/** A query as ranking sees it. */
export type RankQuery = {
  understood: Understood
  /** Of the query with its negations: products also say what they do without. */
  terms: QueryTerm[]
  /** Null when no embedder answers: then words alone decide. */
  vector: Float32Array | null
  /** Of the query without what the product must lack; null when nothing is negated. */
  plainVector: Float32Array | null
}

export type Features = {
  /** One column a plain feature, in the order of FEATURES; a value for each candidate. */
  plain: Float32Array[]
  /** How much of the query the best title holds: what the other features are these times. */
  titled: number
  /** 0 to 1: how near each product is to the query in meaning. */
  similarity: Float32Array
}

/** Brings centred cosines to the size of the other features. */
const STRETCH = 4
const VOTERS = 12
const MAX_NEGATED = 6

export function computeFeatures(index: CatalogIndex, query: RankQuery, slots: Uint32Array): Features {
  const products = Array.from(slots, (slot) => index.at(slot) as IndexedProduct)
  const { understood } = query
  const evidence = index.words.explain(query.terms, slots)
  const meaning = readMeaning(index, query, slots, products)
  const best = evidence.bm25.reduce((most, score) => Math.max(most, score), 1e-6)
  const words = evidence.bm25.map((score) => score / best)
  const wordsCovered = words.map((score, at) => score * (evidence.coverage[at] ?? 0))
  const usual = understood.price === null ? null : usualPrices(products)
  const brands = new Set(understood.brands)
  const models = new Set(understood.models.map((name) => name.toLowerCase()))
  const asked = new Set(stemsOf(understood.text))
  const votes = categoryVotes(
    products,
    wordsCovered.map((score, at) => score + (meaning.raw[at] ?? 0)),
  )
  const each = (value: (product: IndexedProduct) => number) => {
    const column = new Float32Array(products.length)
    for (let at = 0; at < column.length; at++) column[at] = value(products[at] as IndexedProduct)
    return column
  }
  const plain: Record<PlainFeature, Float32Array> = {
    ...meaning.features,
    words,
    coverage: evidence.coverage,
    titleCoverage: evidence.titleCoverage,
    wordsCovered,
    specs: evidence.specCoverage,
    brand: brands.size === 0 ? NOTHING : each(({ brand }) => (brand !== null && brands.has(brand) ? 1 : 0)),
    model:
      models.size === 0
        ? NOTHING
        : each(({ model, mpn }) => (isNamed(model, models) || isNamed(mpn, models) ? 1 : 0)),
    category: each(({ category }) => (understood.categories[0] === category.slug ? 1 : 0)),
    vote: each(({ category }) => votes.get(category.slug) ?? 0),
    reviews: each(({ reviewCount }) => Math.log1p(reviewCount ?? 0) / 10),
    rating: each(({ rating }) => (rating ?? 4) - 4),
    discontinued: each(({ discontinued }) => (discontinued ? 1 : 0)),
    notFor: each(({ notFor }) => shareHeld(asked, notFor)),
    price:
      understood.budget === null && usual === null
        ? NOTHING
        : each((product) => priceFit(understood, product, usual?.get(product.category.slug))),
    budgetUse: understood.budget === null ? NOTHING : each((product) => budgetUse(understood, product)),
    ...readNegation(index, understood, slots, products),
  }
  const titled = evidence.titleCoverage.reduce((most, covered) => Math.max(most, covered), 0)
  return {
    plain: PLAIN_FEATURES.map((name) => plain[name]),
    titled,
    similarity: query.vector ? meaning.similarity : evidence.coverage,
  }
}

/** All features of one candidate, in the order of FEATURES. */
export function featuresOf({ plain, titled }: Features, at: number): Float32Array {
  const row = new Float32Array(FEATURES.length)
  for (let feature = 0; feature < plain.length; feature++) row[feature] = plain[feature]?.[at] ?? 0
  for (const [index, name] of TITLED.entries())
    row[plain.length + index] = (row[PLAIN_FEATURES.indexOf(name)] ?? 0) * titled
  return row
}

/** The weighted sum of each candidate's features. What counts × titled is folded into the plain weights. */
export function scoreAll({ plain, titled }: Features, weights: Float32Array, count: number): Float64Array {
  const scores = new Float64Array(count)
  for (let feature = 0; feature < plain.length; feature++) {
    const twin = TITLED_BY_PLAIN[feature] as number
    const weight = (weights[feature] ?? 0) + (twin < 0 ? 0 : (weights[twin] ?? 0) * titled)
    const column = plain[feature] as Float32Array
    if (weight === 0 || column === NOTHING) continue
    for (let at = 0; at < count; at++) scores[at] = (scores[at] as number) + (column[at] as number) * weight
  }
  return scores
}

function isNamed(name: string | null, names: Set<string>): boolean {
  return name !== null && names.has(name.toLowerCase())
}

type Meaning = Record<
  'full' | 'short' | 'plain' | 'description' | 'verdict' | 'uses' | 'praise' | 'passage',
  Float32Array
>

type MeaningRead = { features: Meaning; raw: Float32Array; similarity: Float32Array }
const NO_MEANING: MeaningRead = {
  features: {
    full: NOTHING,
    short: NOTHING,
    plain: NOTHING,
    passage: NOTHING,
    description: NOTHING,
    verdict: NOTHING,
    uses: NOTHING,
    praise: NOTHING,
  },
  raw: NOTHING,
  similarity: NOTHING,
}

function readMeaning(
  index: CatalogIndex,
  { vector, plainVector }: RankQuery,
  slots: Uint32Array,
  products: IndexedProduct[],
): MeaningRead {
  if (!vector) return NO_MEANING
  const full = index.full.scores(vector, slots)
  const short = index.short.scores(vector, slots)
  const passages = bestPassages(index, vector, products)
  // A product that is not embedded yet is neither near nor far: centring leaves out what is not known.
  const known = (cosines: Float32Array) =>
    cosines.map((cosine, at) => (products[at]?.embedded ? cosine : Number.NaN))
  const knownFull = known(full)
  // One that is not described in sentences is judged by the whole.
  const passage = knownFull.map((cosine, at) => {
    const best = passages.any[at] as number
    return Number.isNaN(best) ? cosine : best
  })
  return {
    features: {
      full: centre(knownFull),
      short: centre(known(short)),
      plain: centre(plainVector ? known(index.full.scores(plainVector, slots)) : knownFull),
      passage: centre(passage),
      description: centre(passages.description),
      verdict: centre(passages.verdict),
      uses: centre(passages.uses),
      praise: centre(passages.praise),
    },
    raw: full.map((cosine, at) => cosine + (short[at] ?? 0)),
    similarity: full.map((cosine, at) => Math.min(1, Math.max(0, cosine, short[at] ?? 0))),
  }
}

/** For each kind of passage, and over all kinds, the best cosine of every candidate; NaN where it has none. */
function bestPassages(
  index: CatalogIndex,
  vector: Float32Array,
  products: IndexedProduct[],
): Record<PassageKind | 'any', Float32Array> {
  const unknown = () => new Float32Array(products.length).fill(Number.NaN)
  const best = {
    description: unknown(),
    verdict: unknown(),
    uses: unknown(),
    praise: unknown(),
    any: unknown(),
  }
  const byKind = PASSAGE_KINDS.map((kind) => best[kind])
  const count = products.reduce((sum, { passageKinds }) => sum + passageKinds.length, 0)
  const rows = new Uint32Array(count)
  let filled = 0
  for (const { passagesAt, passageKinds } of products)
    for (let row = 0; row < passageKinds.length; row++) rows[filled++] = passagesAt + row
  const scores = index.passages.scores(vector, rows)
  let next = 0
  for (let at = 0; at < products.length; at++) {
    const kinds = (products[at] as IndexedProduct).passageKinds
    for (let row = 0; row < kinds.length; row++) {
      const score = scores[next++] as number
      raise(byKind[kinds[row] as number] as Float32Array, at, score)
      raise(best.any, at, score)
    }
  }
  return best
}

function raise(best: Float32Array, at: number, score: number): void {
  if (!((best[at] as number) >= score)) best[at] = score
}

/** Against the mean of those that are known; the others are taken to be the mean. */
function centre(cosines: Float32Array): Float32Array {
  let sum = 0
  let known = 0
  for (let at = 0; at < cosines.length; at++) {
    const cosine = cosines[at] as number
    if (Number.isNaN(cosine)) continue
    sum += cosine
    known++
  }
  const mean = known === 0 ? 0 : sum / known
  return cosines.map((cosine) => (Number.isNaN(cosine) ? 0 : (cosine - mean) * STRETCH))
}

/** Which categories the first candidates are of: what most of them are is most likely what is meant. */
function categoryVotes(products: IndexedProduct[], scores: Float32Array): Map<string, number> {
  const isBefore = (a: number, b: number) =>
    (scores[a] as number) > (scores[b] as number) ||
    (scores[a] === scores[b] && (products[a]?.id ?? '') < (products[b]?.id ?? ''))
  const first: number[] = []
  for (let at = 0; at < products.length; at++) {
    let place = first.length
    while (place > 0 && isBefore(at, first[place - 1] as number)) place--
    if (place === VOTERS) continue
    first.splice(place, 0, at)
    first.length = Math.min(first.length, VOTERS)
  }
  const votes = new Map<string, number>()
  for (const at of first) {
    const slug = products[at]?.category.slug ?? ''
    votes.set(slug, (votes.get(slug) ?? 0) + 1 / first.length)
  }
  return votes
}

type Negation = Record<
  'lacks' | 'says' | 'saysInSpecs' | 'saysInTitle' | 'avoidsLacking' | 'avoidsSaying',
  Float32Array
>
const NO_NEGATION: Negation = {
  lacks: NOTHING,
  says: NOTHING,
  saysInSpecs: NOTHING,
  saysInTitle: NOTHING,
  avoidsLacking: NOTHING,
  avoidsSaying: NOTHING,
}
const OWN_WORDS: Field[] = ['title', 'specs', 'text']

/** For what is not wanted: how much of it a product says it does without, and how much it speaks of otherwise. */
function readNegation(
  index: CatalogIndex,
  { negated }: Understood,
  slots: Uint32Array,
  products: IndexedProduct[],
): Negation {
  const stems = (lack: boolean) =>
    stemsOf(negated.flatMap(({ kind, words }) => ((kind === 'lack') === lack ? words : [])).join(' '))
  const lacking = stems(true).slice(0, MAX_NEGATED)
  const avoided = stems(false).slice(0, MAX_NEGATED)
  if (lacking.length + avoided.length === 0) return NO_NEGATION
  /** The share of the terms that a product mentions in these fields and does not deny. */
  const saying = (terms: string[], fields: Field[]) => {
    const said = new Float32Array(slots.length)
    for (const term of terms) {
      const { coverage } = index.words.explain([{ term, weight: 1, group: 0, fields }], slots)
      for (let at = 0; at < said.length; at++)
        if ((coverage[at] as number) > 0 && !products[at]?.lacks.includes(term))
          said[at] = (said[at] as number) + 1 / terms.length
    }
    return said
  }
  const denying = (terms: string[]) => Float32Array.from(products, ({ lacks }) => share(terms, lacks))
  return {
    lacks: denying(lacking),
    says: saying(lacking, OWN_WORDS),
    saysInSpecs: saying(lacking, ['specs']),
    saysInTitle: saying(lacking, ['title']),
    avoidsLacking: denying(avoided),
    avoidsSaying: saying(avoided, OWN_WORDS),
  }
}

/** The same for a set of wanted words, where each word present is listed once. */
function shareHeld(wanted: ReadonlySet<string>, present: string[]): number {
  let found = 0
  for (let at = 0; at < present.length; at++) if (wanted.has(present[at] as string)) found++
  return found === 0 ? 0 : found / wanted.size
}

/** How much of what is wanted is there. */
function share(wanted: string[], present: string[]): number {
  if (wanted.length === 0 || present.length === 0) return 0
  let found = 0
  for (const word of wanted) if (present.includes(word)) found++
  return found / wanted.length
}

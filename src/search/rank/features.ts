/**
 * What speaks for and against each candidate, as numbers. The order of the results is a weighted sum of these; the
 * weights are learned from judged queries (weights.json) and nothing here knows a query, a product or a brand.
 * Cosines are taken against the mean of the candidates, because how similar everything is depends on the query;
 * keyword scores against the best. Some count differently when no title holds the query's words (`× titled`): a
 * need described in the shopper's own words meets sentences, a name meets titles.
 */
import { type CatalogIndex, type IndexedProduct, stemsOf } from '../catalog-index.ts'
import type { Evidence, Field, QueryTerm } from '../lexical/lexical-index.ts'
import { PASSAGE_KINDS } from '../product-text.ts'
import type { Understood } from '../understand/understand.ts'
import { priceFit, usualPrices } from './price-fit.ts'

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
  'lacks',
  'says',
  'saysInSpecs',
  'saysInTitle',
  'avoidsLacking',
  'avoidsSaying',
] as const
const TITLED = ['full', 'short', 'passage', 'uses', 'verdict', 'praise', 'words', 'coverage'] as const
export type FeatureName = (typeof PLAIN_FEATURES)[number] | `${(typeof TITLED)[number]} × titled`
export const FEATURES: readonly FeatureName[] = [
  ...PLAIN_FEATURES,
  ...TITLED.map((name) => `${name} × titled` as const),
]

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
  /** One row a candidate, in the order of FEATURES. */
  rows: Float32Array[]
  /** 0 to 1: how near the product is to the query in meaning. */
  similarity: Float32Array
  evidence: Evidence
}

type Row = Record<(typeof PLAIN_FEATURES)[number], number>

/** Brings centred cosines to the size of the other features. */
const STRETCH = 4
const VOTERS = 12
const MAX_NEGATED = 6

export function computeFeatures(index: CatalogIndex, query: RankQuery, slots: Uint32Array): Features {
  const products = Array.from(slots, (slot) => index.at(slot) as IndexedProduct)
  const { understood } = query
  const meaning = readMeaning(index, query, slots, products)
  const evidence = index.words.explain(query.terms, slots)
  const specs = index.words.explain(inFields(query.terms, ['specs']), slots).coverage
  const best = Math.max(1e-6, ...evidence.bm25)
  const titled = Math.max(0, ...evidence.titleCoverage)
  const words = evidence.bm25.map((score) => score / best)
  const votes = categoryVotes(
    products,
    products.map((_, at) => num(meaning.raw[at]) + num(words[at]) * num(evidence.coverage[at])),
  )
  const brands = new Set(understood.brands)
  const models = new Set(understood.models.map((name) => name.toLowerCase()))
  const asked = stemsOf(understood.text)
  const usual = understood.price === null ? null : usualPrices(products)
  const negation = readNegation(index, understood, slots, products)
  const rows = products.map((product, at) => {
    const coverage = num(evidence.coverage[at])
    const row: Row = {
      ...meaning.of(at),
      words: num(words[at]),
      coverage,
      titleCoverage: num(evidence.titleCoverage[at]),
      wordsCovered: num(words[at]) * coverage,
      specs: num(specs[at]),
      brand: product.brand !== null && brands.has(product.brand) ? 1 : 0,
      model: [product.model, product.mpn].some((name) => name !== null && models.has(name.toLowerCase()))
        ? 1
        : 0,
      category: understood.categories[0] === product.category.slug ? 1 : 0,
      vote: votes.get(product.category.slug) ?? 0,
      reviews: Math.log1p(product.reviewCount ?? 0) / 10,
      rating: (product.rating ?? 4) - 4,
      discontinued: product.discontinued ? 1 : 0,
      notFor: share(asked, product.notFor),
      price: priceFit(understood, product, usual?.get(product.category.slug)),
      ...negation(at),
    }
    return Float32Array.from([
      ...PLAIN_FEATURES.map((name) => row[name]),
      ...TITLED.map((name) => row[name] * titled),
    ])
  })
  return { rows, similarity: query.vector ? meaning.similarity : evidence.coverage, evidence }
}

type Meaning = Pick<
  Row,
  'full' | 'short' | 'plain' | 'description' | 'verdict' | 'uses' | 'praise' | 'passage'
>
type MeaningRead = { of(at: number): Meaning; raw: Float32Array; similarity: Float32Array }
const NO_MEANING: Meaning = {
  full: 0,
  short: 0,
  plain: 0,
  description: 0,
  verdict: 0,
  uses: 0,
  praise: 0,
  passage: 0,
}

function readMeaning(
  index: CatalogIndex,
  { vector, plainVector }: RankQuery,
  slots: Uint32Array,
  products: IndexedProduct[],
): MeaningRead {
  const zeros = new Float32Array(slots.length)
  if (!vector) return { of: () => NO_MEANING, raw: zeros, similarity: zeros }
  const embedded = Uint8Array.from(products, (product) => (product.embedded ? 1 : 0))
  const full = index.full.scores(vector, slots)
  const short = index.short.scores(vector, slots)
  const plain = plainVector ? index.full.scores(plainVector, slots) : full
  const kinds = bestPassages(index, vector, products)
  // A product that is not described in sentences is judged by the whole.
  const passage = full.map((cosine, at) =>
    kinds.reduce((best, kind) => Math.max(best, num(kind[at], -1)), -1) > -1
      ? Math.max(...kinds.map((kind) => num(kind[at], -1)))
      : cosine,
  )
  const centred = {
    full: centre(full, embedded),
    short: centre(short, embedded),
    plain: centre(plain, embedded),
    passage: centre(passage, embedded),
    description: centreKnown(kinds[0]),
    verdict: centreKnown(kinds[1]),
    uses: centreKnown(kinds[2]),
    praise: centreKnown(kinds[3]),
  }
  return {
    of: (at) => ({
      full: num(centred.full[at]),
      short: num(centred.short[at]),
      plain: num(centred.plain[at]),
      description: num(centred.description[at]),
      verdict: num(centred.verdict[at]),
      uses: num(centred.uses[at]),
      praise: num(centred.praise[at]),
      passage: num(centred.passage[at]),
    }),
    raw: full.map((cosine, at) => cosine + num(short[at])),
    similarity: full.map((cosine, at) => Math.min(1, Math.max(0, cosine, num(short[at])))),
  }
}

/** For each kind of passage the best cosine of every candidate; NaN where it has none. */
function bestPassages(index: CatalogIndex, vector: Float32Array, products: IndexedProduct[]): Float32Array[] {
  const best = PASSAGE_KINDS.map(() => new Float32Array(products.length).fill(Number.NaN))
  const count = products.reduce((sum, { passageKinds }) => sum + passageKinds.length, 0)
  const rows = new Uint32Array(count)
  let filled = 0
  for (const { passagesAt, passageKinds } of products)
    for (let row = 0; row < passageKinds.length; row++) rows[filled++] = passagesAt + row
  const scores = index.passages.scores(vector, rows)
  let next = 0
  for (const [at, { passageKinds }] of products.entries())
    for (const kind of passageKinds) {
      const ofKind = best[kind] as Float32Array
      const score = num(scores[next++])
      if (!(num(ofKind[at], Number.NaN) >= score)) ofKind[at] = score
    }
  return best
}

/** A product that is not embedded yet is neither near nor far: it counts as the mean. */
function centre(cosines: Float32Array, embedded: Uint8Array): Float32Array {
  return centreKnown(cosines.map((cosine, at) => (embedded[at] ? cosine : Number.NaN)))
}

function centreKnown(cosines: Float32Array | undefined): Float32Array {
  if (!cosines) return new Float32Array(0)
  let sum = 0
  let known = 0
  for (const cosine of cosines) {
    if (Number.isNaN(cosine)) continue
    sum += cosine
    known++
  }
  const mean = known === 0 ? 0 : sum / known
  return cosines.map((cosine) => (Number.isNaN(cosine) ? 0 : (cosine - mean) * STRETCH))
}

/** Which categories the first candidates are of: what most of them are is most likely what is meant. */
function categoryVotes(products: IndexedProduct[], scores: number[]): Map<string, number> {
  const first = products
    .map((product, at) => ({ product, score: num(scores[at]) }))
    .sort((a, b) => b.score - a.score || (a.product.id < b.product.id ? -1 : 1))
    .slice(0, VOTERS)
  const votes = new Map<string, number>()
  for (const { product } of first)
    votes.set(product.category.slug, (votes.get(product.category.slug) ?? 0) + 1 / first.length)
  return votes
}

type Negation = Pick<Row, 'lacks' | 'says' | 'saysInSpecs' | 'saysInTitle' | 'avoidsLacking' | 'avoidsSaying'>
const NO_NEGATION: Negation = {
  lacks: 0,
  says: 0,
  saysInSpecs: 0,
  saysInTitle: 0,
  avoidsLacking: 0,
  avoidsSaying: 0,
}

/** For what is not wanted: how much of it a product says it does without, and how much it speaks of otherwise. */
function readNegation(
  index: CatalogIndex,
  { negated }: Understood,
  slots: Uint32Array,
  products: IndexedProduct[],
): (at: number) => Negation {
  const stems = (lack: boolean) =>
    stemsOf(negated.flatMap(({ kind, words }) => ((kind === 'lack') === lack ? words : [])).join(' '))
  const lacking = stems(true).slice(0, MAX_NEGATED)
  const avoided = stems(false).slice(0, MAX_NEGATED)
  if (lacking.length + avoided.length === 0) return () => NO_NEGATION
  const mentions = (terms: string[], fields: Field[]) =>
    terms.map((term) => index.words.explain([{ term, weight: 1, group: 0, fields }], slots).coverage)
  const OWN_WORDS: Field[] = ['title', 'specs', 'text']
  const said = mentions(lacking, OWN_WORDS)
  const inSpecs = mentions(lacking, ['specs'])
  const inTitle = mentions(lacking, ['title'])
  const saidAvoided = mentions(avoided, OWN_WORDS)
  return (at) => {
    const lacks = products[at]?.lacks ?? []
    const saidPlainly = (terms: string[], found: Float32Array[]) =>
      mean(terms.map((term, word) => (lacks.includes(term) ? 0 : num(found[word]?.[at]) > 0 ? 1 : 0)))
    return {
      lacks: share(lacking, lacks),
      says: saidPlainly(lacking, said),
      saysInSpecs: saidPlainly(lacking, inSpecs),
      saysInTitle: saidPlainly(lacking, inTitle),
      avoidsLacking: share(avoided, lacks),
      avoidsSaying: saidPlainly(avoided, saidAvoided),
    }
  }
}

function inFields(terms: QueryTerm[], fields: Field[]): QueryTerm[] {
  return terms.map((term) => ({ ...term, fields }))
}

function share(wanted: string[], present: string[]): number {
  return mean(wanted.map((word) => (present.includes(word) ? 1 : 0)))
}

function mean(values: number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}

function num(value: number | undefined, otherwise = 0): number {
  return value ?? otherwise
}

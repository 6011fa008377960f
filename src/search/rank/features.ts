/**
 * What speaks for and against each candidate, as numbers. The order of the results is a weighted sum of these; the
 * weights are learned from judged queries (weights.json) and nothing here knows a query, a product or a brand.
 * Cosines are taken against the mean of the candidates, because how similar everything is depends on the query;
 * keyword scores against the best. Some count differently when no title holds the query's words (`× titled`): a
 * need described in the shopper's own words meets sentences, a name meets titles.
 */
import { type CatalogIndex, type IndexedProduct, stemsOf } from '../catalog-index.ts'
import { NOTHING, share } from './columns.ts'
import { readMeaning } from './meaning.ts'
import { readNegation } from './negation.ts'
import { budgetUse, priceFit, usualPrices } from './price-fit.ts'
import type { Candidates, RankQuery } from './query.ts'

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
export type Features = {
  /** One column a plain feature, in the order of FEATURES; a value for each candidate. */
  plain: Float32Array[]
  /** How much of the query the best title holds: what the other features are these times. */
  titled: number
  /** 0 to 1: how near each product is to the query in meaning. */
  similarity: Float32Array
}

const VOTERS = 12

export function computeFeatures(
  index: CatalogIndex,
  query: RankQuery,
  { slots, cosines }: Candidates,
): Features {
  const products = Array.from(slots, (slot) => index.at(slot) as IndexedProduct)
  const { understood } = query
  const evidence = index.words.explain(query.terms, slots)
  const meaning = readMeaning(cosines, products)
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
    notFor: each(({ notFor }) => share(asked, notFor)),
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
    similarity: cosines ? meaning.similarity : evidence.coverage,
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

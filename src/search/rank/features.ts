/**
 * What speaks for and against each candidate, as numbers. The order of the results is a weighted sum of these; the
 * weights are learned from judged queries (weights.json) and nothing here knows a query, a product or a brand.
 * Cosines are taken against the mean of the candidates, because how similar everything is depends on the query;
 * keyword scores against the best. Some count differently when no title holds the query's words (`× titled`): a
 * need described in the shopper's own words meets sentences, a name meets titles. Among imported rows the whole vector and
 * the words count a fixed amount more (`× imported`, see eval/learn.ts).
 */
import type { CatalogIndex, IndexedProduct } from '../catalog-index.ts'
import { standingOf } from '../kinds.ts'
import type { Field } from '../lexical/lexical-index.ts'
import { stemsOf } from '../lexical/tokenize.ts'
import type { Understood } from '../understand/understand.ts'
import type { Cosines } from '../vectors/meaning-index.ts'
import type { FitFeature } from './fit.ts'
import type { Candidates, RankQuery } from './rank.ts'

/** A column that says nothing of anyone. */
export const NOTHING = new Float32Array(0)

/** How much of what is wanted is among the words present, each of which is listed once. */
export function share(wanted: ReadonlySet<string>, present: string[]): number {
  let found = 0
  for (let at = 0; at < present.length; at++) if (wanted.has(present[at] as string)) found++
  return found === 0 ? 0 : found / wanted.size
}

/** A variant that counts less is hardly the same thing. */
const SAME_THING = 0.5

type Kind = Record<'is' | 'part' | 'isFor' | 'dear', Float32Array>

export function readKind(index: CatalogIndex, query: RankQuery, products: IndexedProduct[]): Kind {
  const kind: Kind = {
    is: new Float32Array(products.length),
    part: new Float32Array(products.length),
    isFor: new Float32Array(products.length),
    dear: new Float32Array(products.length),
  }
  const asked = askedThing(index, query)
  if (asked.size === 0) return kind
  const prices: number[] = []
  for (const [at, { titleWords, priceLowCents }] of products.entries()) {
    const standing = standingOf(index.kinds, titleWords, asked)
    if (!standing) continue
    kind.is[at] = standing.is
    kind.part[at] = standing.part
    kind.isFor[at] = standing.isFor
    if (priceLowCents) prices.push(priceLowCents)
  }
  const usual = prices.sort((a, b) => a - b)[prices.length >> 1]
  if (usual)
    for (const [at, { priceLowCents }] of products.entries())
      if (priceLowCents) kind.dear[at] = Math.max(-1, Math.min(1, Math.log2(priceLowCents / usual) / 4))
  return kind
}

/** The last word of the query that titles know as a name, before it says what the thing is for. */
function askedThing(index: CatalogIndex, { terms, head }: RankQuery): Set<number> {
  const asked = new Set<number>()
  for (const { term, weight, group } of terms) {
    if (group !== head || weight < SAME_THING) continue
    // An "ebike" is an electric bike, and titles end in "bike".
    const number = index.kinds.numberOf(term.slice(term.lastIndexOf(' ') + 1))
    if (number !== undefined) asked.add(number)
  }
  return asked
}

/**
 * How near the candidates are to the query in meaning: as a whole, in what they are for, and sentence by sentence. Each
 * cosine counts against the mean of the candidates, because how similar everything is depends on the query.
 */

/** Brings centred cosines to the size of the other features. */
const STRETCH = 4

type Meaning = Record<
  'full' | 'short' | 'plain' | 'description' | 'verdict' | 'uses' | 'praise' | 'passage',
  Float32Array
>

type MeaningRead = { features: Meaning; raw: Float32Array; similarity: Float32Array; passage: Float32Array }
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
  passage: NOTHING,
}

export function readMeaning(cosines: Cosines | null, products: IndexedProduct[]): MeaningRead {
  if (!cosines) return NO_MEANING
  const { full, short, plain, passages } = cosines
  const count = products.length
  // A product that is not embedded yet is neither near nor far: centring leaves out what is not known.
  const known = (cosines: Float32Array) => {
    const column = new Float32Array(count)
    for (let at = 0; at < count; at++)
      column[at] = (products[at] as IndexedProduct).embedded ? (cosines[at] as number) : Number.NaN
    return column
  }
  const knownFull = known(full)
  const passage = new Float32Array(count)
  const passageOr0 = new Float32Array(count)
  const raw = new Float32Array(count)
  const similarity = new Float32Array(count)
  for (let at = 0; at < count; at++) {
    const [ofFull, ofShort] = [full[at] as number, short[at] as number]
    const best = passages.any[at] as number
    // One that is not described in sentences is judged by the whole.
    const cosine = Number.isNaN(best) ? (knownFull[at] as number) : best
    passage[at] = cosine
    passageOr0[at] = Number.isNaN(cosine) ? 0 : cosine
    raw[at] = ofFull + ofShort
    similarity[at] = Math.min(1, Math.max(0, ofFull, ofShort))
  }
  return {
    features: {
      full: centre(knownFull),
      short: centre(known(short)),
      plain: centre(plain ? known(plain) : knownFull),
      passage: centre(passage),
      description: centre(passages.description),
      verdict: centre(passages.verdict),
      uses: centre(passages.uses),
      praise: centre(passages.praise),
    },
    passage: passageOr0,
    raw,
    similarity,
  }
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
  const centred = new Float32Array(cosines.length)
  for (let at = 0; at < cosines.length; at++) {
    const cosine = cosines[at] as number
    centred[at] = Number.isNaN(cosine) ? 0 : (cosine - mean) * STRETCH
  }
  return centred
}

const MAX_NEGATED = 6

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

export function readNegation(
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
  const denying = (terms: string[]) => {
    const wanted = new Set(terms)
    return Float32Array.from(products, ({ lacks }) => share(wanted, lacks))
  }
  return {
    lacks: denying(lacking),
    says: saying(lacking, OWN_WORDS),
    saysInSpecs: saying(lacking, ['specs']),
    saysInTitle: saying(lacking, ['title']),
    avoidsLacking: denying(avoided),
    avoidsSaying: saying(avoided, OWN_WORDS),
  }
}

/**
 * Who names a limit means to spend most of it: 1 at the limit, 0 at half of it, -1 at a quarter and below. Says nothing
 * of what costs more, which a firm limit leaves out anyway.
 */
export function budgetUse(
  { budget }: Pick<Understood, 'budget'>,
  { priceLowCents }: Pick<IndexedProduct, 'priceLowCents'>,
): number {
  const limit = budget?.approximate ? null : (budget?.maxCents ?? null)
  if (limit === null || priceLowCents === null || priceLowCents > limit) return 0
  return Math.max(-1, 1 - Math.log2(limit / Math.max(1, priceLowCents)))
}

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
  'notFor',
  'budgetUse',
  'lacks',
  'says',
  'saysInSpecs',
  'saysInTitle',
  'avoidsLacking',
  'avoidsSaying',
  'rankedByWords',
  'rankedByMeaning',
  'wordsApart',
  'fullApart',
  'shortApart',
  'is',
  'part',
  'isFor',
  'dear',
] as const
type PlainFeature = (typeof PLAIN_FEATURES)[number]
/** What a feature may also count times: 0 to 1, the same for all candidates of a query. */
const GATES = {
  /** How much of the query the best title holds. */
  titled: ['full', 'short', 'passage', 'uses', 'verdict', 'praise', 'words', 'coverage'],
  /** How few words the query has. */
  brief: [
    'full',
    'short',
    'passage',
    'words',
    'coverage',
    'titleCoverage',
    'wordsCovered',
    'specs',
    'vote',
    'rankedByWords',
    'rankedByMeaning',
    'wordsApart',
    'fullApart',
    'shortApart',
    'is',
    'part',
    'isFor',
    'dear',
  ],
  /** How many of the candidates are imported rows rather than written profiles. */
  imported: ['full', 'wordsCovered'],
} as const satisfies Record<string, readonly PlainFeature[]>
type Gate = keyof typeof GATES
export type FeatureName = PlainFeature | `${PlainFeature} × ${Gate}`
const GATED = (Object.keys(GATES) as Gate[]).flatMap((gate) =>
  GATES[gate].map((plain) => ({
    gate,
    plain: PLAIN_FEATURES.indexOf(plain),
    name: `${plain} × ${gate}` as const,
  })),
)
export const FEATURES: readonly FeatureName[] = [...PLAIN_FEATURES, ...GATED.map(({ name }) => name)]
export type Features = {
  /** One column a plain feature, in the order of FEATURES; a value for each candidate. */
  plain: Float32Array[]
  gates: Record<Gate, number>
  /** 0 to 1: how near each product is to the query in meaning. */
  similarity: Float32Array
  /** The share of candidates with a verdict, which only a written profile has. */
  profiled: number
  /** What fit.ts looks at: a value for each candidate, or one for all. */
  absolute: Record<FitFeature, Float32Array | number>
}

const VOTERS = 12

export function computeFeatures(
  index: CatalogIndex,
  query: RankQuery,
  { slots, cosines }: Candidates,
): Features {
  const products: IndexedProduct[] = []
  for (let at = 0; at < slots.length; at++) products.push(index.at(slots[at] as number) as IndexedProduct)
  const { understood } = query
  const evidence = index.words.explain(query.terms, slots)
  const meaning = readMeaning(cosines, products)
  const words = divided(evidence.bm25, Math.max(largest(evidence.bm25), 1e-6))
  const wordsCovered = product(words, evidence.coverage)
  const brands = new Set(understood.brands)
  const models = new Set(understood.models.map((name) => name.toLowerCase()))
  const asked = new Set(stemsOf(understood.text))
  const votes = categoryVotes(products, cosines ? sum(wordsCovered, meaning.raw) : wordsCovered)
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
    notFor: each(({ notFor }) => share(asked, notFor)),
    budgetUse: understood.budget === null ? NOTHING : each((product) => budgetUse(understood, product)),
    ...readNegation(index, understood, slots, products),
    rankedByWords: reciprocalRanks(evidence.bm25),
    rankedByMeaning: cosines ? reciprocalRanks(cosines.full) : NOTHING,
    wordsApart: standardised(evidence.bm25),
    fullApart: cosines ? standardised(cosines.full) : NOTHING,
    shortApart: cosines ? standardised(cosines.short) : NOTHING,
    ...readKind(index, query, products),
  }
  const named = largest(plain.is)
  const known = knownShare(index, query)
  const nearest = largest(meaning.similarity)
  const profiled = profiledAmong(products) / (products.length || 1)
  const gates = { titled: largest(evidence.titleCoverage), brief: brevity(query), imported: 1 - profiled }
  return {
    plain: PLAIN_FEATURES.map((name) => plain[name]),
    gates,
    similarity: cosines ? meaning.similarity : evidence.coverage,
    profiled,
    absolute: {
      one: 1,
      full: cosines?.full ?? NOTHING,
      short: cosines?.short ?? NOTHING,
      passage: meaning.passage,
      coverage: evidence.coverage,
      titleCoverage: evidence.titleCoverage,
      is: plain.is,
      part: plain.part,
      isFor: plain.isFor,
      category: plain.category,
      categoryMissed: understood.categories.length === 0 ? 0 : missed(plain.category),
      brandMissed: brands.size === 0 ? 0 : missed(plain.brand),
      model: plain.model,
      vote: plain.vote,
      known,
      nearest,
      named,
      ...gates,
      'short × brief': times(cosines?.short, gates.brief),
      'passage × brief': times(meaning.passage, gates.brief),
      'coverage × brief': times(evidence.coverage, gates.brief),
      'titleCoverage × brief': times(evidence.titleCoverage, gates.brief),
      'short × coverage': cosines ? product(cosines.short, evidence.coverage) : NOTHING,
      share: evidence.share,
      titleShare: evidence.titleShare,
      'share × brief': times(evidence.share, gates.brief),
      'short × share': cosines ? product(cosines.short, evidence.share) : NOTHING,
      'titled × brief': gates.titled * gates.brief,
      'known × brief': known * gates.brief,
      'nearest × brief': nearest * gates.brief,
      'vote × brief': times(plain.vote, gates.brief),
      'full × brief': times(cosines?.full, gates.brief),
      'is × category': product(plain.is, plain.category),
      // What the query names is in no title and no category.
      unnamed: query.head >= 0 && named === 0 && understood.categories.length === 0 ? 1 : 0,
    },
  }
}

function profiledAmong(products: readonly IndexedProduct[]): number {
  let count = 0
  for (let at = 0; at < products.length; at++) if ((products[at] as IndexedProduct).verdict !== null) count++
  return count
}

/** All features of one candidate, in the order of FEATURES. */
export function featuresOf({ plain, gates }: Features, at: number): Float32Array {
  const row = new Float32Array(FEATURES.length)
  for (let feature = 0; feature < plain.length; feature++) row[feature] = plain[feature]?.[at] ?? 0
  for (const [index, gated] of GATED.entries())
    row[plain.length + index] = (row[gated.plain] ?? 0) * gates[gated.gate]
  return row
}

/** The weighted sum of each candidate's features. What counts times a gate is folded into the plain weights. */
export function scoreAll({ plain, gates }: Features, weights: Float32Array, count: number): Float64Array {
  const folded = weights.slice(0, plain.length)
  for (const [index, { plain: at, gate }] of GATED.entries())
    folded[at] = (folded[at] as number) + (weights[plain.length + index] ?? 0) * gates[gate]
  const scores = new Float64Array(count)
  for (let feature = 0; feature < plain.length; feature++) {
    const weight = folded[feature] as number
    const column = plain[feature] as Float32Array
    if (weight === 0 || column === NOTHING) continue
    for (let at = 0; at < count; at++) scores[at] = (scores[at] as number) + (column[at] as number) * weight
  }
  return scores
}

// Written as loops: a callback for each of two hundred candidates costs more than what it does, and there are forty columns.

function times(values: Float32Array | undefined, factor: number): Float32Array {
  if (!values || factor === 0) return NOTHING
  const column = new Float32Array(values.length)
  for (let at = 0; at < column.length; at++) column[at] = (values[at] as number) * factor
  return column
}

function divided(values: Float32Array, by: number): Float32Array {
  const column = new Float32Array(values.length)
  for (let at = 0; at < column.length; at++) column[at] = (values[at] as number) / by
  return column
}

function product(a: Float32Array, b: Float32Array): Float32Array {
  const column = new Float32Array(a.length)
  for (let at = 0; at < column.length; at++) column[at] = (a[at] as number) * (b[at] as number)
  return column
}

function sum(a: Float32Array, b: Float32Array): Float32Array {
  const column = new Float32Array(a.length)
  for (let at = 0; at < column.length; at++) column[at] = (a[at] as number) + (b[at] as number)
  return column
}

function missed(same: Float32Array): Float32Array {
  const column = new Float32Array(same.length)
  for (let at = 0; at < column.length; at++) column[at] = 1 - (same[at] as number)
  return column
}

function largest(values: Float32Array): number {
  let most = 0
  for (let at = 0; at < values.length; at++) most = Math.max(most, values[at] as number)
  return most
}

/** The share of the query's words that some product holds, as written or nearly so. */
function knownShare(index: CatalogIndex, { terms }: RankQuery): number {
  const groups = new Map<number, boolean>()
  for (const { term, group } of terms)
    groups.set(group, groups.get(group) === true || index.words.documents(term) > 0)
  const known = groups.values().reduce((sum, isKnown) => sum + Number(isKnown), 0)
  return groups.size === 0 ? 0 : known / groups.size
}

/** How many standard deviations above the mean: what a small difference is worth depends on how far apart all are. */
function standardised(values: Float32Array): Float32Array {
  let total = 0
  for (let at = 0; at < values.length; at++) total += values[at] as number
  const mean = total / values.length
  let squares = 0
  for (let at = 0; at < values.length; at++) squares += ((values[at] as number) - mean) ** 2
  const deviation = Math.sqrt(squares / values.length) || 1
  const column = new Float32Array(values.length)
  for (let at = 0; at < column.length; at++) column[at] = ((values[at] as number) - mean) / deviation / 2
  return column
}

const RANK_SCALE = 10

/** 1 for the best, half of it at the tenth place; equal values share a place, so that the order of slots says nothing. */
function reciprocalRanks(values: Float32Array): Float32Array {
  const sorted = values.toSorted()
  const column = new Float32Array(values.length)
  for (let at = 0; at < column.length; at++) {
    const value = values[at] as number
    if (value !== 0) column[at] = RANK_SCALE / (RANK_SCALE + countAbove(sorted, value))
  }
  return column
}

function countAbove(ascending: Float32Array, value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] as number) <= value) low = middle + 1
    else high = middle
  }
  return ascending.length - low
}

/** 1 for a single word, 0 from six on. */
function brevity({ terms }: RankQuery): number {
  const words = terms.reduce((most, { group }) => Math.max(most, group + 1), 0)
  return Math.max(0, 1 - (words - 1) / 5)
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
    if (first.length < VOTERS) first.push(at)
    first.copyWithin(place + 1, place)
    first[place] = at
  }
  const votes = new Map<string, number>()
  for (const at of first) {
    const slug = products[at]?.category.slug ?? ''
    votes.set(slug, (votes.get(slug) ?? 0) + 1 / first.length)
  }
  return votes
}

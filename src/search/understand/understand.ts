/**
 * Reads a shopping query and says what it means. The order matters: money first, so that "no more than 80" is a cap
 * and not a negation; then a known product to compare with, the order, and sayings about price; then what is unwanted;
 * sizes, names and audience read what is left.
 * `text` is the query without all of these and without the things the product must lack: in a catalog that names only what
 * a product has, a search for those words finds exactly the wrong products. "Won't slip" and "gluten-free" stay, since
 * the right products say the same. Where products also say what they do without, `textWithNegations` finds better.
 * Pure, and linear in the length of the query.
 */
import { type Attribute, deniedBy, findAttributes } from './attributes.ts'
import { findAudience } from './audience.ts'
import { type Budget, type ForeignBudget, findBudget } from './budget.ts'
import { type BrandsExcluded, findExcludedBrands } from './excluded-brands.ts'
import { type ExcludedKind, sortOutKinds } from './excluded-kinds.ts'
import { findNames, isProductWord, lexiconOf, type Vocabulary } from './names.ts'
import { findNegations, type Negation } from './negation.ts'
import { type Note, notesOf } from './notes.ts'
import { findOrder, findPriceWords, type Order, type PriceLevel } from './order.ts'
import { findReference, type Reference, type ReferenceFound } from './reference.ts'
import { findSizes, type Size } from './sizes.ts'
import { type Range, sliceRange, type Token, takeOut, tokenize } from './tokens.ts'

export type { Vocabulary } from './names.ts'
export type Understood = {
  /** The query without money and without what the product must lack; empty when it held nothing else. */
  text: string
  /** The query without money only. */
  textWithNegations: string
  budget: Budget | null
  /** Money in another currency, which nothing here applies. */
  foreign: ForeignBudget | null
  price: PriceLevel | null
  negated: Negation[]
  /** Best first, as are models and categories. */
  brands: string[]
  models: string[]
  categories: string[]
  /** Makers that were ruled out; none of them is among the brands. */
  excludedBrands: string[]
  /** What the product must not be; what it must not have is in `negated`. */
  excludedKinds: ExcludedKind[]
  /** Who or what it is for, in the words of the query. */
  audience: string[]
  sizes: Size[]
  /** What its facts must confirm, or deny. */
  attributes: Attribute[]
  sale: boolean
  /** The order that was asked for. */
  order: Order | null
  /** The known product that the wish is measured by, in the words of the query. */
  reference: Reference | null
  notes: Note[]
}

export function understand(query: string, vocabulary: Vocabulary): Understood {
  const tokens = tokenize(query)
  const lexicon = lexiconOf(vocabulary)
  const isProduct = (word: string) => isProductWord(lexicon, word)
  const taken = new Uint8Array(tokens.length)

  const money = findBudget(query, tokens, isProduct, vocabulary)
  mark(taken, money.taken)
  const measure = findReference(tokens, taken, lexicon)
  mark(taken, measure?.taken ?? [])
  const order = findOrder(tokens, taken, lexicon)
  mark(taken, order ? [order] : [])
  const priceWords = findPriceWords(tokens, taken)
  mark(taken, priceWords.taken)
  const makers = [...otherMakers(measure), ...findExcludedBrands(tokens, taken, lexicon)]
  mark(taken, makers)
  const denials = findNegations(query, tokens, taken, isProduct)
  mark(taken, denials)
  const sizes = findSizes(query, tokens, taken)
  const names = findNames(tokens, taken, lexicon)
  const slugs = names.categories.map(({ slug }) => slug)
  const categoryAt = new Set(names.categories[0]?.at)
  const { kinds, negations } = sortOutKinds(query, tokens, denials, lexicon, slugs)
  const audience = findAudience(tokens, taken, (index) => categoryAt.has(index))

  const { priceRanges, saleRanges } = priceWords
  const named = [...names.brands, ...names.models, ...priceRanges, ...saleRanges, ...sizes, ...audience]
  const kindAt = names.categories[0]?.at ?? []
  const read = Uint8Array.from(taken, (one, at) => (one || categoryAt.has(at) ? 1 : 0))
  mark(read, named)
  const wished = findAttributes(query, tokens, read, kindAt, lexicon)
  const excludedBrands = [...new Set(makers.flatMap(({ brands }) => brands.map(({ name }) => name)))]
  const wanted = { ...names, brands: names.brands.filter(({ name }) => !excludedBrands.includes(name)) }
  const reference = measure?.relation === 'instead' && measure.brand ? null : measure
  const said = [...(measure?.taken ?? []), ...(order ? [order] : [])]
  const idle = [...money.taken, ...priceWords.taken, ...makers, ...said]
  const lacking = denials.filter(({ kind }) => kind === 'lack')
  const onlyKinds = denials.filter(({ from }) => !negations.some((one) => one.from === from))
  const findings = {
    money,
    order,
    reference,
    priceWords,
    makers,
    kinds,
    negations,
    sizes,
    attributes: wished,
    names: wanted,
    audience,
  }
  return {
    text: takeOut(query, tokens, [...idle, ...lacking, ...onlyKinds]),
    textWithNegations: takeOut(query, tokens, [...idle, ...onlyKinds]),
    budget: money.budget,
    foreign: money.foreignBudget,
    price: priceWords.price,
    negated: negations.map(({ phrase, words, kind }) => ({ phrase, words, kind })),
    brands: wanted.brands.map(({ name }) => name),
    models: names.models.map(({ name }) => name),
    categories: slugs,
    excludedBrands,
    excludedKinds: [
      ...makers.flatMap(({ models }) => models.map((range) => namedKind(query, tokens, range))),
      ...kinds.map(({ phrase, words }) => ({ phrase, words })),
    ],
    audience: audience.map((found) => found.audience),
    sizes: sizes.map(({ from: _from, to: _to, ...size }) => size),
    attributes: [
      ...wished.map(({ words, phrase, denied }) => ({ words, phrase, denied })),
      ...deniedBy(query, tokens, negations),
    ],
    sale: priceWords.sale,
    order: order?.order ?? null,
    reference: reference && { relation: reference.relation, name: sliceRange(query, tokens, reference.name) },
    notes: notesOf(query, tokens, findings, vocabulary.categories),
  }
}

/** "Alternatives to Norrlund" are things of any other maker. */
function otherMakers(measure: ReferenceFound | null): BrandsExcluded[] {
  if (measure?.relation !== 'instead' || !measure.brand) return []
  return [{ from: measure.from, to: measure.to, brands: [measure.brand], models: [] }]
}

/** One product that was ruled out by its name. */
function namedKind(query: string, tokens: readonly Token[], range: Range): ExcludedKind {
  const words = tokens.slice(range.from, range.to).filter(({ kind }) => kind !== 'mark')
  return { phrase: sliceRange(query, tokens, range), words: words.map(({ fold }) => fold) }
}

function mark(taken: Uint8Array, ranges: readonly Range[]): void {
  for (const { from, to } of ranges) taken.fill(1, from, to)
}

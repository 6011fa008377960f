/**
 * Says in words what was understood, each beside the words it was read from, in the order they were written. Shown
 * to people and agents, so that a wrong reading is seen and can be worded around.
 */
import { formatUsd } from '../../lib/money.ts'
import type { AttributeFound } from './attributes.ts'
import type { AudienceFound } from './audience.ts'
import { aroundCents, type Budget, type BudgetFound } from './budget.ts'
import type { BrandsExcluded } from './excluded-brands.ts'
import type { KindFound } from './excluded-kinds.ts'
import type { NamesFound, Vocabulary } from './names.ts'
import type { Negation, NegationFound } from './negation.ts'
import type { Order, OrderFound, PriceLevel, PriceWords } from './order.ts'
import type { ReferenceFound, Relation } from './reference.ts'
import type { Comparison, SizeFound } from './sizes.ts'
import { type Range, sliceRange, type Token } from './tokens.ts'

export type Note = { phrase: string; meaning: string }
export type Findings = {
  money: BudgetFound
  order: OrderFound | null
  reference: ReferenceFound | null
  priceWords: PriceWords
  makers: BrandsExcluded[]
  kinds: KindFound[]
  negations: NegationFound[]
  sizes: SizeFound[]
  attributes: AttributeFound[]
  names: NamesFound
  audience: AudienceFound[]
}

const COMPARISONS: Record<Comparison, string> = { eq: '', lt: 'at most ', gt: 'at least ' }
const PRICES: Record<PriceLevel, string> = { cheap: 'a low price', premium: 'the upper price range' }
const ORDERS: Record<Order, string> = {
  newest: 'Newest first',
  rating: 'Best rated first',
  popular: 'Most reviewed first',
  price_asc: 'Lowest price first',
  price_desc: 'Highest price first',
}
const RELATIONS: Record<Relation, string> = { cheaper: 'Cheaper than', instead: 'Instead of', like: 'Like' }

export function notesOf(
  query: string,
  tokens: readonly Token[],
  found: Findings,
  categories: Vocabulary['categories'],
): Note[] {
  const {
    money,
    order,
    reference,
    priceWords,
    makers,
    kinds,
    negations,
    sizes,
    attributes,
    names,
    audience,
  } = found
  const at = (range: Range, meaning: string) => ({
    phrase: sliceRange(query, tokens, range),
    meaning,
    from: range.from,
  })
  const best = names.categories[0]
  const category = categories.find(({ slug }) => slug === best?.slug)
  const categoryWords = (best?.at ?? []).toSorted((a, b) => a - b)
  const notes = [
    ...(money.foreignBudget?.rate ? [] : money.foreign.map((range) => at(range, unapplied(money)))),
    ...priceWords.priceRanges.slice(0, 1).map((range) => at(range, PRICES[priceWords.price ?? 'cheap'])),
    ...priceWords.saleRanges.slice(0, 1).map((range) => at(range, 'on sale')),
    ...(order ? [at(order, ORDERS[order.order])] : []),
    ...(reference
      ? [at(reference, referenceNote(sliceRange(query, tokens, reference.name), reference))]
      : []),
    ...makers.flatMap((found) => makersNotes(query, tokens, found).map((meaning) => at(found, meaning))),
    ...kinds.map((kind) => at(kind, `Not ${kind.article}${kind.phrase}`)),
    ...negations
      .filter(({ from }) => !kinds.some((kind) => kind.from === from))
      .map((negation) => at(negation, negationNote(negation))),
    ...sizes.map((size) => at(size, `${COMPARISONS[size.comparison]}${size.value} ${size.unit}`)),
    ...attributes.map((one) => at(one, `wanted: ${one.words.join(' ')}`)),
    ...names.brands.map((range) => at(range, 'a brand')),
    ...names.models.map((range) => at(range, 'a model')),
    ...audience.map((one) => at(one, `for ${one.audience}`)),
  ]
  if (money.budget)
    notes.push({
      phrase: money.budget.phrase,
      meaning: `${budgetNote(money.budget)}${rateNote(money)}`,
      from: money.taken[0]?.from ?? 0,
    })
  if (category)
    notes.push({
      phrase: categoryWords.map((from) => sliceRange(query, tokens, { from, to: from + 1 })).join(' '),
      meaning: `category: ${category.label}`,
      from: categoryWords[0] ?? 0,
    })
  return notes.sort((a, b) => a.from - b.from).map(({ phrase, meaning }) => ({ phrase, meaning }))
}

function referenceNote(name: string, { relation, brand }: ReferenceFound): string {
  return `${RELATIONS[relation]} ${brand ? '' : 'the '}${name}`
}

function makersNotes(query: string, tokens: readonly Token[], { brands, models }: BrandsExcluded): string[] {
  const names = brands.map(({ name }) => name).join(' or ')
  return [
    ...(names === '' ? [] : [`Not ${names}`]),
    ...models.map((range) => `Not the ${sliceRange(query, tokens, range)}`),
  ]
}

function unapplied({ foreignBudget }: BudgetFound): string {
  const currency = foreignBudget?.currency
  return currency
    ? `not applied: there is no exchange rate from ${currency} to US dollars`
    : 'not applied: only US dollar amounts are understood'
}

function rateNote({ foreignBudget }: BudgetFound): string {
  return foreignBudget?.rate ? ` (${foreignBudget.currency} at ${foreignBudget.rate})` : ''
}

function budgetNote(budget: Budget): string {
  const { minCents, maxCents, approximate } = budget
  const about = approximate ? 'about ' : ''
  if (minCents !== null && maxCents !== null) {
    const around = aroundCents(budget)
    const range = `${formatUsd(minCents)} to ${formatUsd(maxCents)}`
    return around === null ? `${about}${range}` : `about ${formatUsd(around)}: ${range}`
  }
  if (maxCents !== null) return `at most ${about}${formatUsd(maxCents)}`
  return `at least ${about}${formatUsd(minCents ?? 0)}`
}

function negationNote({ words, kind }: Negation): string {
  return kind === 'avoid' ? `avoid: ${words.join(' ')}` : `without: ${words.join(' ')}`
}

/**
 * Which skill a message in plain words asks for, and with what parameters. An agent that knows the contract sends
 * parameters in `metadata`; this is for those who write a sentence. Reading goes from what is certain to what is not:
 * slugs, then dates, places and quantities, then names; what is left decides whether it is a list, a fact or a need.
 * When an action lacks something, or a name fits several products, we ask: a wrong quote is worse than a question.
 * A need is never asked about, search answers it.
 */
import { findMentions } from '../../../bundles/mentions.ts'
import type { IndexedProduct } from '../../../search/catalog-index.ts'
import { termOf } from '../../../search/understand/lexicon.ts'
import type { Understood } from '../../../search/understand/understand.ts'
import type { A2aContext } from '../context.ts'
import type { SkillId } from '../skills/skill.ts'
import { categoriesOf, readBrowse } from './browse.ts'
import { contentAt } from './content.ts'
import { type DateFound, findDate } from './dates.ts'
import { findProducts, type ProductsFound } from './find-product.ts'
import { findExact } from './find-slug.ts'
import { isChange, isQuote, isSeeking, looksBack, mayOrder } from './intent.ts'
import { type Message, readMessage, take } from './message.ts'
import { findQuantityBefore, findSaidQuantity, isQuantity } from './quantities.ts'
import {
  askHowMany,
  askOffersOnWhat,
  askOneAtATime,
  askWhatFor,
  askWhichCategory,
  askWhichOf,
  askWhichProduct,
  askWhichState,
  sayNotFound,
  type Wanted,
} from './questions.ts'
import { findCountry, findRegion } from './regions.ts'
import { findSignals, type Signal, type SignalFound } from './signals.ts'

export type Routed =
  | { kind: 'skill'; skill: SkillId; params: Record<string, unknown> }
  | { kind: 'unclear'; question: string; options: string[] }

type Context = Pick<A2aContext, 'search' | 'clock'>

/** A message with everything that was found in it. */
type Reading = {
  message: Message
  understood: Understood
  signals: SignalFound[]
  said: ReadonlySet<Signal>
  /** Something is bought or priced. */
  trade: boolean
  products: ProductsFound
  date: DateFound | null
  region: string | null
  country: string | null
  quantity: number | null
}

const SUGGESTED = 5

export async function routeMessage(ctx: Context, text: string): Promise<Routed> {
  const reading = readWell(ctx, text)
  const { said, products } = reading
  if (isChange(said, reading.date !== null, hasSubject(reading))) return routeChanges(ctx, reading)
  const { named, ambiguous, near } = products
  const details = (reading.quantity ?? 1) > 1 || reading.region !== null || reading.date !== null
  const subject = named.length > 0 || ambiguous.length > 0
  if (isQuote(said) || (subject && (said.has('best-price') || (details && reading.trade))))
    return routeQuote(ctx, reading)
  if (said.has('alike') || products.loose) return recommend(reading)
  if (said.has('offer') && (subject || near.length > 0)) return oneProduct(reading, 'product-offers')
  const browse =
    named.length > 0
      ? null
      : readBrowse(ctx.search.index(), reading.message, reading.understood, reading.signals)
  if (browse?.kind === 'which') return askWhichCategory(browse.categories)
  if (browse) return skill('category-browse', browse.params)
  if (isEmpty(reading)) return said.has('offer') ? askOffersOnWhat() : askWhatFor()
  return routeLookup(ctx, reading)
}

/**
 * Places, dates and quantities are looked for only where something is bought, or a list of states would be read into every
 * wish. Two turns show only when the names are known: a number before a name is a purchase ("15 Skein 2"), and a
 * place may have been part of one.
 */
function readWell(ctx: Context, text: string): Reading {
  const reading = read(ctx, text, { trade: false, places: true })
  const { products, said, quantity, region } = reading
  const bought = !reading.trade && !said.has('lookup') && !said.has('alike') && (quantity ?? 1) > 1
  if (bought) return read(ctx, text, { trade: true, places: true })
  if (!region || products.named.length > 0) return reading
  const again = read(ctx, text, { trade: false, places: false })
  return again.products.named.length > 0 ? again : reading
}

function read(ctx: Context, text: string, options: { trade: boolean; places: boolean }): Reading {
  const index = ctx.search.index()
  const message = readMessage(text)
  const { tokens, taken } = message
  const understood = ctx.search.understand(message.text)
  const exact = findExact(index, message)
  take(message, ...exact.map(({ span }) => span))
  const signals = findSignals(tokens, taken)
  const said = new Set(signals.map(({ signal }) => signal))
  const past = looksBack(said)
  const trade = options.trade || isQuote(said) || said.has('best-price') || mayOrder(said)
  const places = trade && !past && options.places
  const date = past || trade ? findDate(tokens, taken, ctx.clock.now(), past ? 'past' : 'future') : null
  take(message, date)
  const region = places ? findRegion(message) : null
  const country = places && !region ? findCountry(message) : null
  take(message, region, country)
  const asked = trade || past || said.has('offer') || said.has('lookup')
  const find = () =>
    findProducts(index, message, { exact, categories: understood.categories, signals, asked })
  let products = find()
  // A name keeps its own "X1" and "12x"; where nothing was named, a quantity may have stood in the way.
  const count = past ? null : findSaidQuantity(tokens, withNames(taken, products))
  take(message, count)
  if (count && products.named.length === 0) products = find()
  const first = products.named[0] ?? null
  // A product may be called Quote, and a title hold "accessories".
  const outside = signals.filter(
    ({ from }) => !products.named.some(({ span }) => from >= span.from && from < span.to),
  )
  // "4 espresso machines" counts too, whichever of them it will be.
  const ofNames = withNames(taken, products)
  const kinds = trade ? findMentions(tokens, ofNames, index.vocabulary()) : []
  const before =
    count || past
      ? null
      : ((first && findQuantityBefore(tokens, taken, first.span)) ??
        firstOf(kinds, (kind) => findQuantityBefore(tokens, ofNames, kind)))
  take(message, before)
  return {
    message,
    understood,
    signals: outside,
    said: new Set(outside.map(({ signal }) => signal)),
    trade,
    products,
    date,
    region: region?.region ?? null,
    country: country && country.country !== 'US' ? country.country : null,
    quantity: count?.quantity ?? before?.quantity ?? null,
  }
}

/** What is taken, the names of products included. */
function withNames(taken: Uint8Array, { named }: ProductsFound): Uint8Array {
  const all = taken.slice()
  for (const { span } of named) all.fill(1, span.from, span.to)
  return all
}

function firstOf<T, Found>(items: T[], find: (item: T) => Found | null): Found | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}

function routeChanges(ctx: Context, reading: Reading): Routed {
  const { message, products, date, signals, said } = reading
  const { named, ambiguous, near } = products
  if (named.length === 0 && ambiguous.length > 0) return askWhichOf('follow', ambiguous)
  if (named.length === 0 && near.length > 0) return sayNotFound('follow', near)
  const since = date && { since: date.iso }
  if (named.length > 0)
    return skill('what-changed', { products: named.map(({ product }) => slugOf(product)), ...since })
  const category = categoryOf(ctx, reading)
  const subject = contentAt(message, signals).length > 0
  // "Updates on the Brontobyte" is about a thing that is not here, not about everything.
  if (!category && subject && /\b(on|about|of)\b/.test(message.text) && !said.has('browse') && !since)
    return sayNotFound('follow', [])
  return skill('what-changed', { ...(category && { category }), ...since })
}

async function routeQuote(ctx: Context, reading: Reading): Promise<Routed> {
  const { products, region, country, date, quantity } = reading
  const { named, ambiguous, near } = products
  const [first] = named
  if (named.length > 1) return askOneAtATime('get quotes for', productsOf(named))
  if (first) {
    if (country) return askWhichState(country)
    if (quantity !== null && !isQuantity(quantity)) return askHowMany()
    return skill('request-for-quote', {
      product_slug: slugOf(first.product),
      ...(quantity !== null && { quantity }),
      ...(region && { delivery_region: region }),
      ...(date && { deadline_iso: date.iso }),
    })
  }
  const understood = sayUnderstood(reading)
  if (ambiguous.length > 0) return askWhichOf('get quotes for', ambiguous, understood)
  if (near.length > 0) return sayNotFound('get quotes for', near)
  const category = categoryOf(ctx, reading)
  const found = category
    ? await ctx.search.candidates({ query: reading.message.text, category, limit: SUGGESTED })
    : []
  return askWhichProduct('get quotes for', productsOf(found), understood)
}

function oneProduct({ products }: Reading, to: 'product-offers' | 'product-lookup'): Routed {
  const { named, ambiguous, near } = products
  const wanted: Wanted = to === 'product-offers' ? 'find offers for' : 'look up'
  const [first] = named
  if (named.length > 1) return askOneAtATime(wanted, productsOf(named))
  if (first) return skill(to, { product_slug: slugOf(first.product) })
  return ambiguous.length > 0 ? askWhichOf(wanted, ambiguous) : sayNotFound(wanted, near)
}

function routeLookup(ctx: Context, reading: Reading): Routed {
  const { products, said, message, signals, understood } = reading
  const { named, ambiguous, near } = products
  const lookup = said.has('lookup')
  const around = contentAt(withNamesTaken(reading), signals).length
  if (named.length === 1 && (lookup || !isSeeking(said) || around === 0))
    return oneProduct(reading, 'product-lookup')
  if (named.length > 0) return recommend(reading)
  if ((ambiguous.length > 0 || near.length > 0) && (lookup || !isSeeking(said)))
    return oneProduct(reading, 'product-lookup')
  const { words } = ctx.search.index()
  const unknown = contentAt(message, signals).some((at) => !words.has(termAt(message, at)))
  const topic = understood.categories.length > 0 && !unknown
  return lookup && !topic && unknown ? sayNotFound('look up', []) : recommend(reading)
}

/** The category that all words left speak for, also behind a "for"; else the one that search reads from the sentence. */
function categoryOf(ctx: Context, { message, signals, understood }: Reading): string | undefined {
  const words = contentAt(message, signals).map((at) => message.tokens[at]?.fold ?? '')
  const [category, ...others] = categoriesOf(ctx.search.index(), words)
  return category && others.length === 0 ? category : understood.categories[0]
}

/** What follows the question, so that the answer need not repeat it. */
function sayUnderstood({ quantity, region, date }: Reading): string {
  const parts = [
    quantity !== null && `${quantity} ${quantity === 1 ? 'piece' : 'pieces'}`,
    region && `delivered to ${region}`,
    date && `by ${date.iso}`,
  ].filter((part) => typeof part === 'string')
  return parts.length > 0 ? ` So far I have: ${parts.join(', ')}.` : ''
}

function recommend({ message }: Reading): Routed {
  return skill('product-recommendation', { query: message.text })
}

function skill(id: SkillId, params: Record<string, unknown>): Routed {
  return { kind: 'skill', skill: id, params }
}

function hasSubject({ products, understood }: Reading): boolean {
  return products.named.length > 0 || products.ambiguous.length > 0 || understood.categories.length > 0
}

function isEmpty({ message, signals, products }: Reading): boolean {
  const { named, ambiguous, near } = products
  return named.length + ambiguous.length + near.length === 0 && contentAt(message, signals).length === 0
}

function withNamesTaken({ message, products }: Reading): Message {
  const copy = { ...message, taken: message.taken.slice() }
  take(copy, ...products.named.map(({ span }) => span))
  return copy
}

function termAt({ tokens }: Message, at: number): string {
  return termOf(tokens[at]?.fold ?? '')
}

function productsOf(found: ReadonlyArray<{ product: IndexedProduct }>): IndexedProduct[] {
  return found.map(({ product }) => product)
}

function slugOf({ category, slug }: IndexedProduct): string {
  return `${category.slug}/${slug}`
}

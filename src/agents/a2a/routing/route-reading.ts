/**
 * Where a message leads that stands by itself. What is bought, looked up or followed goes through a draft (draft.ts); what
 * is left decides whether it is a list, a fact or a need. A need is never asked about, search answers it.
 */
import { MAX_QUERY } from '../../../search/search.schema.ts'
import { termOf } from '../../../search/understand/names.ts'
import { categoriesOf, readBrowse } from './browse.ts'
import { contentAt } from './content.ts'
import { addReading, EMPTY_DRAFT, type Wanted } from './draft.ts'
import { isChange, isQuote, isSeeking } from './intent.ts'
import { type Message, take } from './message.ts'
import { proceed, skill } from './proceed.ts'
import { askOffersOnWhat, askWhatFor, askWhichCategory, sayNotFound } from './questions.ts'
import type { Context, Reading } from './reading.ts'
import type { Routed } from './route-message.ts'

/** A message that stands by itself. */
export async function routeReading(ctx: Context, reading: Reading): Promise<Routed> {
  const { said, products, message } = reading
  if (isChange(said, reading.date !== null, hasSubject(reading))) return routeChanges(ctx, reading)
  const { named, ambiguous, near } = products
  const details = reading.counted || reading.region !== null || reading.date !== null
  const subject = named.length > 0 || ambiguous.length > 0
  if (isQuote(said) || (subject && (said.has('best-price') || (details && reading.trade))))
    return proceedWith(ctx, 'request-for-quote', reading)
  if (said.has('alike') || products.loose) return recommend(message)
  if (said.has('offer') && (subject || near.length > 0)) return proceedWith(ctx, 'product-offers', reading)
  const browse =
    named.length > 0 ? null : readBrowse(ctx.search.index(), message, reading.understood, reading.signals)
  if (browse?.kind === 'which') return askWhichCategory(browse.categories, browse.params, message.text)
  if (browse) return skill('category-browse', browse.params)
  if (isEmpty(reading)) return said.has('offer') ? askOffersOnWhat() : askWhatFor()
  return routeLookup(ctx, reading)
}

function proceedWith(ctx: Context, wanted: Wanted, reading: Reading): Promise<Routed> {
  return proceed(ctx, wanted, addReading(EMPTY_DRAFT, reading, categoryOf(ctx, reading)))
}

async function routeChanges(ctx: Context, reading: Reading): Promise<Routed> {
  const { message, products, date, signals, said } = reading
  const { named, ambiguous, near } = products
  if (named.length + ambiguous.length + near.length > 0) return proceedWith(ctx, 'what-changed', reading)
  const since = date && { since: date.iso }
  const category = categoryOf(ctx, reading)
  const subject = contentAt(message, signals).length > 0
  // "Updates on the Brontobyte" is about a thing that is not here, not about everything.
  if (!category && subject && /\b(on|about|of)\b/.test(message.text) && !said.has('browse') && !since)
    return sayNotFound({ wanted: 'what-changed', draft: EMPTY_DRAFT }, [])
  return skill('what-changed', { ...(category && { category }), ...since })
}

async function routeLookup(ctx: Context, reading: Reading): Promise<Routed> {
  const { products, said, message, signals, understood } = reading
  const { named, ambiguous, near } = products
  const lookup = said.has('lookup')
  const around = contentAt(withNamesTaken(reading), signals).length
  if (named.length === 1 && (lookup || !isSeeking(said) || around === 0))
    return proceedWith(ctx, 'product-lookup', reading)
  if (named.length > 0) return recommend(message)
  if ((ambiguous.length > 0 || near.length > 0) && (lookup || !isSeeking(said)))
    return proceedWith(ctx, 'product-lookup', reading)
  const { words } = ctx.search.index()
  const unknown = contentAt(message, signals).some((at) => !words.has(termAt(message, at)))
  const topic = understood.categories.length > 0 && !unknown
  return lookup && !topic && unknown
    ? sayNotFound({ wanted: 'product-lookup', draft: EMPTY_DRAFT }, [])
    : recommend(message)
}

/** The category that all words left speak for, also behind a "for"; else the one that search reads from the sentence. */
export function categoryOf(ctx: Context, { message, signals, understood }: Reading): string | null {
  const words = contentAt(message, signals).map((at) => message.tokens[at]?.fold ?? '')
  const [category, ...others] = categoriesOf(ctx.search.index(), words)
  return (category && others.length === 0 ? category : understood.categories[0]) ?? null
}

function recommend({ text }: Message): Routed {
  return skill('product-recommendation', { query: text.slice(0, MAX_QUERY).toWellFormed().trim() })
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

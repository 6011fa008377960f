/**
 * A message with everything that was found in it. Reading goes from what is certain to what is not: slugs, then dates,
 * places and quantities, then names. An answer to a question of ours is read in its light: "Bavaria" is a place when a
 * place was asked for, and "500" a quantity.
 */

import { findMentions } from '../../../bundles/mentions.ts'
import { isoDay } from '../../../lib/clock.ts'
import { storedRegion } from '../../../lib/regions.ts'
import { foldAt, type Range, sliceRange } from '../../../search/understand/tokens.ts'
import type { Understood } from '../../../search/understand/understand.ts'
import type { AgentsContext } from '../../context.ts'
import { startOfDay } from './calendar.ts'
import { type DateFound, findDate, type Toward } from './dates.ts'
import type { About, PlaceDoubt, Wanted } from './draft.ts'
import { findProducts, type ProductsFound } from './find-product.ts'
import { findExact } from './find-slug.ts'
import { isQuote, looksBack, mayOrder } from './intent.ts'
import { type Message, readMessage, take } from './message.ts'
import { findQuantityBefore, findSaidQuantities, isQuantity, type QuantityFound } from './quantities.ts'
import { findRegion, type RegionFound } from './regions.ts'
import { findSignals, type Signal, type SignalFound } from './signals.ts'
import { findStrays, type Strays } from './strays.ts'

export type Context = Pick<AgentsContext, 'search' | 'clock'>

export type Reading = {
  message: Message
  understood: Understood
  signals: SignalFound[]
  said: ReadonlySet<Signal>
  /** Something is bought or priced. */
  trade: boolean
  products: ProductsFound
  date: DateFound | null
  /** As lib/regions.ts writes it. */
  region: string | null
  quantity: number | null
  /** More than one piece was spoken of, in whatever number. */
  counted: boolean
  /** What was said of each named product. */
  counts: Array<number | null>
  /** Said, and not to be taken as it stands. */
  doubts: { quantity?: { said: string; values: number[] }; place?: PlaceDoubt; date?: string }
}

/** The question this message answers. */
export type Hint = { wanted: Wanted; about: About; places: readonly string[] }
type How = { trade: boolean; places: boolean; hint: Hint | null }

/**
 * Places, dates and quantities are looked for only where something is bought, or a list of states would be read into every
 * wish. Two turns show only when the names are known: a number before a name is a purchase ("15 Skein 2"), and a
 * place may have been part of one.
 */
export function readWell(ctx: Context, text: string, hint: Hint | null = null): Reading {
  const reading = read(ctx, text, { trade: false, places: true, hint })
  const { products, said, counted, region, doubts } = reading
  if (!reading.trade && !said.has('lookup') && !said.has('alike') && counted)
    return read(ctx, text, { trade: true, places: true, hint })
  if ((!region && !doubts.place) || products.named.length > 0) return reading
  const again = read(ctx, text, { trade: false, places: false, hint })
  return again.products.named.length > 0 ? again : reading
}

function read(ctx: Context, text: string, { trade: bought, places: placed, hint }: How): Reading {
  const index = ctx.search.index()
  const message = readMessage(text)
  const { tokens, taken } = message
  const understood = ctx.search.understand(message.text)
  const exact = findExact(index, message)
  take(message, ...exact.map(({ span }) => span))
  const signals = findSignals(tokens, taken)
  const said = new Set(signals.map(({ signal }) => signal))
  const past = hint?.wanted === 'what-changed' || looksBack(said)
  const quoted = hint?.wanted === 'request-for-quote'
  const trade = bought || quoted || isQuote(said) || said.has('best-price') || mayOrder(said)
  const date = past || trade ? readDate(ctx, message, past ? 'past' : 'future', hint?.about === 'date') : null
  take(message, date)
  const places = trade && !past && placed
  const place = places ? readPlace(message, hint) : null
  take(message, place && withZip(message, place))
  const asked = trade || past || said.has('offer') || said.has('lookup')
  const find = () =>
    findProducts(index, message, { exact, categories: understood.categories, signals, asked })
  let products = find()
  // A name keeps its own "X1" and "12x"; where nothing was named, a quantity may have stood in the way.
  const labelled = past ? [] : findSaidQuantities(tokens, withNames(taken, products))
  take(message, ...labelled)
  if (labelled.length > 0 && products.named.length === 0) products = find()
  const { named, reference } = products
  // A product may be called Quote, and a title hold "accessories".
  const outside = signals.filter(({ from }) => !named.some(({ span }) => from >= span.from && from < span.to))
  const ofNames = withNames(taken, products)
  const before = past ? [] : named.map(({ span }) => findQuantityBefore(tokens, ofNames, span))
  // "4 espresso machines" counts too, whichever of them it will be.
  const kinds = trade && !past ? findMentions(tokens, ofNames, index.vocabulary()) : []
  const others = [...(past ? [] : [...(reference ? [reference] : []), ...products.again]), ...kinds].map(
    (range) => findQuantityBefore(tokens, ofNames, range),
  )
  const counts = [...labelled, ...before, ...others].filter((one) => one !== null)
  take(message, ...counts)
  const strays =
    trade && !past
      ? findStrays({ ...message, taken: withNames(taken, products) })
      : { numbers: [], date: null }
  const inFull = { message, products, hint, strays, place }
  return {
    message,
    understood,
    signals: outside,
    said: new Set(outside.map(({ signal }) => signal)),
    trade,
    products,
    date,
    region: place && place.regions.length === 1 ? (place.regions[0] ?? null) : null,
    counted: counts.some(({ quantity }) => quantity !== 1),
    counts: before.map((one) => one?.quantity ?? null),
    ...settle(ctx, inFull, { counts, before, date, past }),
  }
}

type Told = {
  message: Message
  products: ProductsFound
  hint: Hint | null
  strays: Strays
  place: RegionFound | null
}

/** One quantity and one day that can be quoted, or what is to be asked about them. */
function settle(
  ctx: Context,
  { message, products, hint, strays, place }: Told,
  found: {
    counts: QuantityFound[]
    before: Array<QuantityFound | null>
    date: DateFound | null
    past: boolean
  },
): Pick<Reading, 'quantity' | 'doubts'> {
  const { text, tokens } = message
  const doubts: Reading['doubts'] = {}
  if (place && place.regions.length > 1)
    doubts.place = { said: sliceRange(text, tokens, place), regions: place.regions }
  const passed = found.date && found.date.iso < isoDay(startOfDay(ctx.clock.now()))
  if (found.date && passed && !found.past) doubts.date = sliceRange(text, tokens, found.date)
  if (!found.date && strays.date !== null) doubts.date = strays.date
  const meantDay = hint?.about === 'date' && !found.date && strays.numbers.length > 0
  if (meantDay) doubts.date ??= strays.numbers[0]?.said
  const unread = meantDay ? [] : strays.numbers
  // Several products have a number each; which of them counts shows when one is chosen.
  const own = products.named.length > 1 ? found.before.filter((one) => one !== null) : []
  const counts = found.counts.filter((one) => !own.includes(one))
  const values = [
    ...new Set([...counts.map(({ quantity }) => quantity), ...unread.flatMap(({ value }) => value ?? [])]),
  ]
  const [only, ...more] = values
  const open = hint ? /^(product|quantity)$/.test(hint.about) : products.named.length === 0
  const alone = unread.length === 0 || (counts.length === 0 && unread.length === 1 && open)
  const clear = more.length === 0 && alone && (only === undefined ? unread.length === 0 : isQuantity(only))
  if (clear) return { quantity: only ?? null, doubts }
  const words = [...counts.map((range) => sliceRange(text, tokens, range)), ...unread.map(({ said }) => said)]
  doubts.quantity = { said: words.map((word) => `"${word}"`).join(' and '), values }
  return { quantity: null, doubts }
}

/** An answer to "by when?" needs no "by". */
function readDate(ctx: Context, message: Message, toward: Toward, asked: boolean): DateFound | null {
  const { text, tokens, taken } = message
  const now = ctx.clock.now()
  const found = findDate(tokens, taken, now, toward)
  if (found || !asked) return found
  const led = readMessage(`by ${text}`)
  return unled(findDate(led.tokens, led.taken, now, toward))
}

/** An answer to "where to?" needs no "to", and a country is enough to tell the places asked about apart. */
function readPlace(message: Message, hint: Hint | null): RegionFound | null {
  const found = findRegion(message)
  if (found || !hint || (hint.about !== 'place' && hint.places.length === 0)) return found
  const led = unled(findRegion(readMessage(`to ${message.text}`)))
  const fitting = hint.places.filter((place) => storedRegion(place)?.country === onlyCountry(led))
  return led && fitting.length === 1 ? { ...led, regions: fitting } : led
}

function onlyCountry(found: RegionFound | null): string | undefined {
  const [text, ...others] = found?.regions ?? []
  const region = text === undefined || others.length > 0 ? null : storedRegion(text)
  return region?.state === null ? region.country : undefined
}

/** The place of what was found behind a word of ours, in the message without it. */
function unled<Found extends Range>(found: Found | null): Found | null {
  return found && { ...found, from: Math.max(0, found.from - 1), to: found.to - 1 }
}

/** "Austin, Texas 78701" */
function withZip({ tokens }: Message, region: Range): Range {
  const at = foldAt(tokens, region.to) === ',' ? region.to + 1 : region.to
  return /^\d{5}$/.test(foldAt(tokens, at)) ? { from: region.from, to: at + 1 } : region
}

/** Tokens already read, including names that are not in the catalog. */
function withNames(taken: Uint8Array, { named, reference, again }: ProductsFound): Uint8Array {
  const all = taken.slice()
  for (const { from, to } of [...named.map(({ span }) => span), ...again]) all.fill(1, from, to)
  if (reference) all.fill(1, reference.from, reference.to)
  return all
}

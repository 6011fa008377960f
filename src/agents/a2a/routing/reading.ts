/**
 * A message with everything that was found in it. Reading goes from what is certain to what is not: slugs, then dates and
 * places, then names, then numbers. An answer to a question of ours is read in its light: "Bavaria" is a place when a place
 * was asked for, and "500" a quantity.
 */
import { findMentions } from '../../../bundles/mentions.ts'
import { isWithin } from '../../../lib/regions.ts'
import type { CatalogIndex } from '../../../search/catalog-index.ts'
import { lexiconOf, termOf } from '../../../search/understand/names.ts'
import { foldAt, type Range, sliceRange } from '../../../search/understand/tokens.ts'
import type { Understood } from '../../../search/understand/understand.ts'
import type { AgentsContext } from '../../context.ts'
import { findAmounts, settleAmounts } from './amounts.ts'
import { findDate } from './dates.ts'
import { type Message, readMessage, take } from './message.ts'
import { findExact, findProducts, type ProductsFound } from './names.ts'
import { contentAt, findSignals, type Signal } from './phrases.ts'
import { findPlace } from './places.ts'
import { type Asked, type Draft, slugOf } from './questions.ts'

export type Context = Pick<AgentsContext, 'search' | 'clock'>
export type Reading = {
  message: Message
  says(...signals: Signal[]): boolean
  said: ReadonlySet<Signal>
  understood: Understood
  products: ProductsFound
  /** The words about the thing itself, names of products aside. */
  content: string[]
  /** Something is bought or priced. */
  trade: boolean
  /** More than one piece was spoken of. */
  counted: boolean
  draft: Draft
}

/** A number before a name is a purchase, which shows only when the names are known: "15 Skein 2". */
export function readWell(ctx: Context, text: string, asked: Asked | null = null): Reading {
  const reading = read(ctx, text, asked, false)
  const { trade, counted, says } = reading
  return trade || !counted || says('lookup', 'alike') ? reading : read(ctx, text, asked, true)
}

function read(ctx: Context, text: string, asked: Asked | null, bought: boolean): Reading {
  const index = ctx.search.index()
  const message = readMessage(text)
  const { tokens, taken } = message
  const understood = ctx.search.understand(message.text)
  const slugs = findExact(index, message)
  const exact = slugs.map(({ span }) => span)
  const signals = findSignals(tokens, take(taken.slice(), ...exact))
  const said = new Set(signals.map(({ signal }) => signal))
  const says = (...some: Signal[]) => some.some((one) => said.has(one))
  const { about, wanted } = asked ?? {}
  const past = wanted === 'what-changed' || says('change') || (says('since') && !says('quote', 'order'))
  const buys = bought || wanted === 'request-for-quote'
  const trade = !past && (buys || says('quote', 'best', 'price', 'order', 'need', 'sellers'))
  const date = past || trade ? readDate(ctx, message, exact, past, about === 'date') : null
  const unsure = asked && typeof asked.draft.region === 'object' ? asked.draft.region : null
  const free = { ...message, taken: take(taken.slice(), date, ...exact) }
  const place = trade ? readPlace(free, about === 'place' || unsure !== null) : null
  const options = {
    exact: slugs,
    categories: understood.categories,
    asked: trade || past || says('offer', 'lookup'),
  }
  const find = (open: Uint8Array) =>
    findProducts(
      index,
      { ...message, taken: open },
      { ...options, content: contentAt(tokens, open, signals) },
    )
  // A place may be a part of a name.
  const whole = find(take(taken, date))
  const products = place && whole.named.length === 0 ? find(take(taken.slice(), place)) : whole
  const inName = place && products.spans.some(({ from, to }) => place.from < to && place.to > from)
  const region = inName ? null : place
  take(taken, region, ...products.spans)
  const kinds = trade ? findMentions(tokens, taken, index.vocabulary()) : []
  const amounts = past ? { sure: [], strays: [] } : findAmounts(message, [...products.spans, ...kinds])
  const several = products.named.length > 1
  const own = products.named.map(
    ({ span }) => amounts.sure.find(({ to }) => to <= span.from && span.from - to <= 3)?.value ?? null,
  )
  const sure = amounts.sure.filter(({ value }) => !several || !own.includes(value))
  const bare = asked ? about === 'product' || about === 'quantity' : products.named.length === 0
  const settled = settleAmounts(message, { sure, strays: trade ? amounts.strays : [] }, bare)
  take(taken, ...amounts.sure)
  const found = products.named.length > 0 ? products.named.map(({ product }) => product) : products.ambiguous
  const content = contentAt(tokens, taken, signals).map((at) => foldAt(tokens, at))
  const [category, ...others] = categoriesOf(index, content)
  const [one = null, ...more] = region?.regions ?? []
  // A country is enough to tell the places asked about apart.
  const fitting = unsure?.regions.filter((text) => one !== null && isWithin(text, one)) ?? []
  const only = fitting.length === 1 ? (fitting[0] ?? null) : one
  const draft: Draft = {
    products: found.map((product, at) => ({ slug: slugOf(product), quantity: (several && own[at]) || null })),
    several,
    near: products.near.map(slugOf),
    category: (others.length === 0 && category) || understood.categories[0] || null,
    words: message.text.slice(0, 300).toWellFormed(),
    quantity: about === 'date' && date ? null : settled,
    region:
      region && more.length > 0
        ? { said: sliceRange(message.text, tokens, region), regions: region.regions }
        : only,
    date: date && (date.iso ?? { said: date.said }),
  }
  const counted = amounts.sure.some(({ value }) => value !== 1)
  return { message, says, said, understood, products, content, trade, counted, draft }
}

/** An answer to "by when?" needs no "by". */
function readDate(ctx: Context, message: Message, exact: Range[], past: boolean, asked: boolean) {
  const open = { ...message, taken: take(message.taken.slice(), ...exact) }
  const toward = past ? 'past' : 'future'
  const led = asked ? readMessage(`by ${message.text}`) : null
  return findDate(open, ctx.clock.now(), toward) ?? (led && findDate(led, ctx.clock.now(), toward))
}

/** An answer to "where to?" needs no "to". */
function readPlace(message: Message, asked: boolean) {
  return findPlace(message) ?? (asked ? findPlace(readMessage(`to ${message.text}`)) : null)
}

/** The categories that every word speaks for, those it speaks loudest for alone; none when a word is no category's. */
export function categoriesOf(index: CatalogIndex, words: readonly string[]): string[] {
  const { stems } = lexiconOf(index.vocabulary())
  const votes = words.flatMap((word, at) => {
    if (/^sets?$/.test(word)) return []
    const terms = [word, word + (words[at + 1] ?? ''), (words[at - 1] ?? '') + word].map(termOf)
    return [terms.map((term) => stems.get(term)).find((slugs) => slugs) ?? new Map<string, number>()]
  })
  const scores = [...(votes[0]?.keys() ?? [])].flatMap((slug): Array<[string, number]> => {
    const weights = votes.map((slugs) => slugs.get(slug) ?? 0)
    return weights.includes(0) ? [] : [[slug, weights.reduce((sum, weight) => sum + weight, 0)]]
  })
  const best = Math.max(...scores.map(([, score]) => score))
  const loudest = scores.flatMap(([slug, score]) => (score === best ? [slug] : []))
  // "Monitors" is the whole name of one category and the last word of another.
  const whole = loudest.filter((slug) => slug.split('-').length === words.length)
  return whole.length === 1 ? whole : loudest
}

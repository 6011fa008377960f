/**
 * Which skill a message in plain words asks for, and with what parameters. An agent that knows the contract sends
 * parameters; this is for those who write a sentence. What is named and bought, looked up or followed leads there, a bare
 * kind of thing to its list, all else to search. When something is missing, fits several or was left unread, one question is
 * asked: a wrong quote is worse. The answer is read by itself and laid over what was understood before.
 */

import { DAY_MS, isoDay } from '../../../lib/clock.ts'
import { stemsOf } from '../../../search/lexical/tokenize.ts'
import { MAX_LIMIT, MAX_QUERY } from '../../../search/search.schema.ts'
import { termOf } from '../../../search/understand/names.ts'
import type { SkillId } from '../skills/skill.ts'
import { findAmounts } from './amounts.ts'
import type { Signal } from './phrases.ts'
import {
  type Asked,
  askCategory,
  askDate,
  askPlace,
  askProduct,
  askQuantity,
  askWhatFor,
  type Draft,
  EMPTY_DRAFT,
  productsOf,
  type Routed,
  slugOf,
  type Wanted,
} from './questions.ts'
import { type Context, categoriesOf, type Reading, readWell } from './reading.ts'

export type { Routed } from './questions.ts'

const WHICH = 'Which product should I …?'
const NOT_FOUND = "I couldn't find a product with that name to …."

export async function routeMessage(ctx: Context, text: string, asked: Asked | null = null): Promise<Routed> {
  return asked ? answer(ctx, text, asked) : route(ctx, readWell(ctx, text))
}

/** A message that stands by itself. */
async function route(ctx: Context, reading: Reading): Promise<Routed> {
  const { says, products, draft, content, understood, trade, counted } = reading
  const subject = draft.products.length > 0
  const about = subject || products.near.length > 0
  const since = says('since') && says('changeable', 'price', 'offer', 'sort') && !says('need')
  const topic = draft.date !== null || subject || understood.categories.length > 0
  if ((says('change') || (since && topic)) && !says('quote')) return routeChanges(ctx, reading)
  const details = counted || draft.region !== null || draft.date !== null
  const asksSellers = says('sellers') && (says('price', 'best', 'offer') || understood.order !== null)
  if (says('quote') || asksSellers || (subject && (says('best') || (trade && details))))
    return proceed(ctx, 'request-for-quote', draft)
  if (says('alike') || understood.reference || products.loose) return recommend(reading)
  if (says('offer') && about) return proceed(ctx, 'product-offers', draft)
  const browse = products.named.length > 0 ? null : readBrowse(ctx, reading)
  if (browse) return browse
  if (!about && content.length === 0)
    return says('offer') ? proceed(ctx, 'product-offers', EMPTY_DRAFT) : askWhatFor()
  const named = products.named.length === 1 && content.length === 0
  if (products.named.length < 2 && about && (says('lookup') || !says('need') || named))
    return proceed(ctx, 'product-lookup', draft)
  const unknown = !about && content.some((word) => !ctx.search.index().words.has(termOf(word)))
  const lookup = { wanted: 'product-lookup', draft: EMPTY_DRAFT } as const
  return says('lookup') && unknown ? askProduct(lookup, NOT_FOUND, []) : recommend(reading)
}

function routeChanges(ctx: Context, { draft, content, says, message }: Reading): Routed | Promise<Routed> {
  if (draft.products.length > 0 || draft.near.length > 0) return proceed(ctx, 'what-changed', draft)
  const { category, date } = draft
  const unknown = !category && !date && content.length > 0 && /\b(?:on|about|of)\b/.test(message.text)
  if (unknown && !says('browse'))
    return askProduct({ wanted: 'what-changed', draft: EMPTY_DRAFT }, NOT_FOUND, [])
  return skill('what-changed', {
    ...(category && { category }),
    ...(typeof date === 'string' && { since: date }),
  })
}

const IN_A_LIST = new Set<Signal>(['browse', 'offer', 'discontinued', 'categories', 'changeable', 'sort'])

/** A list is asked for when nothing is said beyond a kind of thing and an order: any wish more makes it a search. */
function readBrowse(
  ctx: Context,
  { said, says, understood, message: { text, tokens }, content }: Reading,
): Routed | null {
  const { budget, negated, sizes, excludedBrands, excludedKinds, brands, models, audience } = understood
  const wishes = [negated, sizes, excludedBrands, excludedKinds, brands, models, audience].flat()
  if (budget || wishes.length > 0 || [...said].some((signal) => !IN_A_LIST.has(signal))) return null
  if (says('changeable') && !/\bnew\b/i.test(text)) return null
  const { sure, strays } = findAmounts({ text, tokens, taken: new Uint8Array(tokens.length) }, [])
  const [limit = null, ...more] = [...sure, ...strays].map(({ value }) => value)
  if (more.length > 0 || (limit !== null && !(limit >= 1 && Number.isInteger(limit)))) return null
  const spelled = (['rating', 'popular'] as const).find((one) => text.toLowerCase().includes(one))
  const cheap = /\bcheap to\b/i.test(text) ? 'price_asc' : null
  const sort = understood.order ?? (says('changeable') ? 'newest' : (spelled ?? cheap))
  const params = {
    ...(sort && { sort }),
    ...((says('offer') || understood.sale) && { on_sale: true }),
    ...(says('discontinued') && { include_discontinued: true }),
    ...(limit && { limit: Math.min(limit, MAX_LIMIT) }),
  }
  const everything = says('browse') && /\b(?:everything|catalog|inventory|products|items)\b/i.test(text)
  if (content.length === 0) return says('categories') || everything ? skill('category-browse', {}) : null
  const [category, ...others] = categoriesOf(ctx.search.index(), content)
  if (!category || (others.length > 0 && !says('browse'))) return null
  const fitting = [category, ...others]
  return others.length > 0 ? askCategory(fitting, params) : skill('category-browse', { category, ...params })
}

function recommend({ message: { text } }: Reading): Routed {
  return skill('product-recommendation', { query: text.slice(0, MAX_QUERY).toWellFormed().trim() })
}

function skill(id: SkillId, params: Record<string, unknown>): Routed {
  return { kind: 'skill', skill: id, params }
}

/** What a draft leads to: the skill it is for, or the one thing that is asked next. */
async function proceed(ctx: Context, wanted: Wanted, draft: Draft): Promise<Routed> {
  const course = { wanted, draft }
  const { quantity, region, date, several, near, category } = draft
  const find = (slugs: string[]) => productsOf(ctx.search.index(), slugs)
  const found = find(draft.products.map(({ slug }) => slug))
  const [first, ...others] = found.map(slugOf)
  if (first && wanted === 'what-changed' && (several || others.length === 0))
    return skill(wanted, { products: found.map(slugOf), ...(typeof date === 'string' && { since: date }) })
  if (first && others.length > 0) {
    const fit = `${found.length} products match that name. Which one should I …?`
    return askProduct(course, several ? 'I can … one product at a time. Which one first?' : fit, found)
  }
  if (first && wanted !== 'request-for-quote') return skill(wanted, { product_slug: first })
  if (first) {
    const later = isoDay(new Date(ctx.clock.now().getTime() + 30 * DAY_MS))
    if (region !== null && typeof region === 'object') return askPlace(course, region)
    if (quantity !== null && typeof quantity === 'object') return askQuantity(course, quantity)
    if (date !== null && typeof date === 'object') return askDate(course, date, later)
    const order = { quantity, delivery_region: region, deadline_iso: date }
    const given = Object.entries(order).filter(([, value]) => value !== null)
    return skill(wanted, { product_slug: first, ...Object.fromEntries(given) })
  }
  if (near.length > 0) return askProduct(course, NOT_FOUND, find(near), 'These are the closest.')
  const query = { query: draft.words, category: category ?? '', limit: 5 }
  const some = wanted === 'request-for-quote' && category ? await ctx.search.candidates(query) : []
  return askProduct(
    course,
    WHICH,
    some.map(({ product }) => product),
    'Maybe one of these.',
  )
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase()
const EXPLICIT: Signal[] = ['quote', 'offer', 'lookup', 'change', 'browse', 'categories', 'need', 'alike']

/** An option as it stands, something else that is clearly asked for, or what was missing. */
async function answer(ctx: Context, text: string, asked: Asked): Promise<Routed> {
  const { wanted, about } = asked
  // A question may be older than this program.
  const draft = { ...EMPTY_DRAFT, ...asked.draft, near: asked.draft.near ?? [] }
  const own = readWell(ctx, text)
  const said = asked.options.find(
    ({ say, set, skill, wanted }) => plain(say) === plain(text) && (set ?? skill ?? wanted),
  )
  const option = said ?? pick(ctx, own, asked)
  if (option?.skill) return skill(option.skill, option.params ?? {})
  if (said)
    return option?.wanted
      ? proceed(ctx, option.wanted, draft)
      : proceed(ctx, wanted ?? 'product-lookup', { ...draft, ...said.set })
  const routed = await route(ctx, own)
  if (wanted === null) return routed
  const skips = /^(?:no|none|any|anytime|anywhere|whenever|skip|never ?mind|does(?:n't| not) matter)\b/
  if (plain(text).length < 60 && skips.test(plain(text)) && (about === 'place' || about === 'date'))
    return proceed(ctx, wanted, { ...draft, [about === 'place' ? 'region' : 'date']: null })
  const elsewhere = routed.kind === 'skill' && routed.skill !== wanted && !option ? routed : null
  if (elsewhere && own.says(...EXPLICIT) && (elsewhere.skill !== 'request-for-quote' || own.says('quote')))
    return elsewhere
  if (elsewhere?.skill === 'category-browse' && wanted === 'product-offers')
    return skill(elsewhere.skill, { ...elsewhere.params, on_sale: true })
  const reading = readWell(ctx, text, asked)
  const now = reading.draft
  const [product] = now.products.length === 1 ? now.products : []
  const known = draft.products.find(({ slug }) => slug === product?.slug)?.quantity ?? null
  // "The 7" told which of them, and not how many.
  const counts = (option && /\d/.test(text) && !reading.counted ? null : now.quantity) ?? known
  const news = Object.entries({
    ...now,
    quantity: counts,
    several: null,
    products: null,
    near: null,
    words: now.category && now.words,
  })
  const next = { ...draft, ...Object.fromEntries(news.filter(([, value]) => value !== null)) }
  const { products, several, near } = now
  const subject = products.length + near.length > 0 ? { products, several, near } : {}
  return proceed(ctx, wanted, {
    ...next,
    ...subject,
    ...(products.length === 1 ? {} : option?.set),
    ...(option?.set && counts !== null && { quantity: counts }),
  })
}

/** The one of the options that all words fit: "the baby monitor", "the 7", "the robot ones". */
function pick(ctx: Context, { message: { tokens }, content, products }: Reading, { options }: Asked) {
  const numbers = tokens.flatMap(({ kind, fold }) => (kind === 'number' ? [fold] : []))
  const names = products.spans.flatMap(({ from, to }) => (to - from === 1 ? (tokens[from]?.fold ?? []) : []))
  const terms = [...content, ...numbers, ...names].map(termOf)
  const fitting = options.filter(({ say, set, params }) => {
    const [product] = productsOf(
      ctx.search.index(),
      (set?.products ?? []).map(({ slug }) => slug),
    )
    const { title = '', brand, model, category } = product ?? {}
    const words = product ? `${title} ${brand} ${model} ${category?.label}` : say.replaceAll('-', ' ')
    const stems = new Set(stemsOf(words))
    return (product || params?.category) && terms.length > 0 && terms.every((term) => stems.has(term))
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

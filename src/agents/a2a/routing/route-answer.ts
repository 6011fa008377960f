/**
 * What an answer to a question of ours leads to. One of the options, sent back as it stands, means what it says. Other words
 * are read by themselves, in the light of what was asked, and laid over the draft; what they say counts for more than
 * what was said before. A turn that clearly asks for something else is followed there.
 */
import { type IndexedProduct, stemsOf } from '../../../search/catalog-index.ts'
import { MAX_QUERY } from '../../../search/search.schema.ts'
import { termOf } from '../../../search/understand/names.ts'
import { contentAt } from './content.ts'
import {
  type About,
  type Asked,
  addMeaning,
  addReading,
  type Means,
  productsOf,
  slugOf,
  type Wanted,
  withProduct,
} from './draft.ts'
import { isQuote, isSeeking } from './intent.ts'
import { proceed, skill } from './proceed.ts'
import { type Context, type Reading, readWell } from './reading.ts'
import type { Routed } from './route-message.ts'
import { categoryOf, routeReading } from './route-reading.ts'

type Course = Asked & { wanted: Wanted }

export async function routeAnswer(ctx: Context, text: string, asked: Asked): Promise<Routed> {
  const option = asked.options.find(({ say }) => plain(say) === plain(text))
  if (option) return choose(ctx, asked, option.means)
  const { wanted, about } = asked
  if (wanted === null) return about === 'category' ? whichCategory(ctx, text, asked) : alone(ctx, text)
  const course = { ...asked, wanted }
  const left = leavesOut(text, about)
  if (left) return proceed(ctx, wanted, addMeaning(asked.draft, left))
  const places = asked.draft.doubts.place?.regions ?? []
  const reading = readWell(ctx, text, { wanted, about, places })
  const elsewhere = await followed(ctx, text, course, reading)
  if (elsewhere) return elsewhere
  const draft = addReading(asked.draft, reading, categoryOf(ctx, reading))
  const picked = reading.products.named.length === 1 ? null : pick(ctx, reading, course)
  if (!picked) return proceed(ctx, wanted, draft)
  // "The 7" told which of them, and not how many.
  const { quantity, doubts } = /\d/.test(text) && !reading.counted ? asked.draft : draft
  const kept = { ...draft, quantity, doubts: { ...draft.doubts, quantity: doubts.quantity } }
  return proceed(ctx, wanted, withProduct(kept, picked))
}

function choose(ctx: Context, asked: Asked, means: Means): Promise<Routed> | Routed {
  if (means.kind === 'skill') return skill(means.skill, means.params)
  if (means.kind === 'wanted') return proceed(ctx, means.wanted, asked.draft)
  return asked.wanted ? proceed(ctx, asked.wanted, addMeaning(asked.draft, means)) : alone(ctx, '')
}

function alone(ctx: Context, text: string): Promise<Routed> {
  return routeReading(ctx, readWell(ctx, text))
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}

/** "None", "doesn't matter": nothing is to be said of what was asked. */
function leavesOut(text: string, about: About): Extract<Means, { kind: 'region' | 'date' }> | null {
  const says =
    /^(no|none|any|anytime|anywhere|whenever|skip|leave|without|never mind|nevermind|no matter|doesn't matter|does not matter|not important|no (date|deadline|place|preference))\b/
  if (!says.test(plain(text)) || text.length > 60) return null
  if (about === 'place') return { kind: 'region', region: null }
  return about === 'date' ? { kind: 'date', date: null } : null
}

/** Where the turn leads by itself, when that is clearly not what was asked about. */
async function followed(
  ctx: Context,
  text: string,
  course: Course,
  reading: Reading,
): Promise<Routed | null> {
  const own = readWell(ctx, text)
  const routed = await routeReading(ctx, own)
  const { said } = own
  const { wanted } = course
  if (routed.kind === 'unclear') {
    const other = routed.asked.wanted
    return other !== null && other !== wanted && isQuote(said) ? routed : null
  }
  if (routed.skill === wanted) return null
  const answers = isAnswer(reading, course) || pick(ctx, reading, course) !== null
  if (routed.skill === 'request-for-quote' || routed.skill === 'what-changed')
    return isOrder(own) ? routed : null
  if (routed.skill === 'product-offers') return routed
  if (routed.skill === 'product-lookup') return said.has('lookup') ? routed : null
  const listed = said.has('browse') || said.has('categories')
  if (routed.skill === 'category-browse' && listed) return routed
  if (answers) return null
  const described = contentAt(own.message, own.signals).length > 0
  if (routed.skill === 'product-recommendation') {
    const sought = isSeeking(said) || (course.about === 'product' && course.draft.products.length === 0)
    return described && sought && !categoryAnswers(ctx, reading, wanted) ? routed : null
  }
  if (wanted === 'product-offers') return skill(routed.skill, { ...routed.params, on_sale: true })
  const { category } = routed.params
  const since = course.draft.date
  if (wanted === 'what-changed') return skill(wanted, { category, ...(since && { since }) })
  return wanted === 'product-lookup' ? routed : null
}

/** A kind of thing is enough to suggest some of it. */
function categoryAnswers(ctx: Context, reading: Reading, wanted: Wanted): boolean {
  return wanted === 'request-for-quote' && !isSeeking(reading.said) && categoryOf(ctx, reading) !== null
}

function isOrder({ said, products }: Reading): boolean {
  return (
    isQuote(said) ||
    said.has('change') ||
    said.has('since') ||
    said.has('period') ||
    products.named.length > 0
  )
}

/** It speaks of what was asked for. */
function isAnswer(reading: Reading, { about, wanted }: Course): boolean {
  const { products, quantity, doubts, region, date } = reading
  if (about === 'product' && products.named.length + products.ambiguous.length + products.near.length > 0)
    return true
  if (wanted !== 'request-for-quote') return false
  return (
    quantity !== null ||
    doubts.quantity !== undefined ||
    region !== null ||
    doubts.place !== undefined ||
    date !== null ||
    doubts.date !== undefined
  )
}

/** The one of the choices offered that all words fit: "the baby monitor", "the 7". */
function pick(ctx: Context, { message, signals, products }: Reading, { options }: Course) {
  const choices = options.flatMap(({ means }) => (means.kind === 'product' ? [means.choice] : []))
  const fitting = new Set(products.ambiguous.map(slugOf))
  const byName = choices.filter(({ slug }) => fitting.has(slug))
  if (byName.length === 1) return byName[0] ?? null
  const { tokens, taken } = message
  const said = [
    ...contentAt(message, signals),
    ...tokens.flatMap(({ kind }, at) => (kind === 'number' && !taken[at] ? [at] : [])),
  ].map((at) => termOf(tokens[at]?.fold ?? ''))
  if (said.length === 0) return null
  const found = choices.filter(({ slug }) => {
    const [product] = productsOf(ctx.search.index(), [slug])
    const words = product ? termsOf(product) : new Set<string>()
    return said.every((term) => words.has(term))
  })
  return found.length === 1 ? (found[0] ?? null) : null
}

function termsOf({ title, brand, model, category }: IndexedProduct): Set<string> {
  return new Set(stemsOf(`${title} ${brand ?? ''} ${model ?? ''} ${category.label}`))
}

/** "The robot ones"; otherwise what was said before and now together is a need. */
async function whichCategory(ctx: Context, text: string, asked: Asked): Promise<Routed> {
  const own = readWell(ctx, text)
  const said = contentAt(own.message, own.signals).map((at) => termOf(own.message.tokens[at]?.fold ?? ''))
  const fitting = asked.options.filter(({ say }) => {
    const words = new Set(say.split('-').map(termOf))
    return said.length > 0 && said.every((term) => words.has(term))
  })
  const [only, ...others] = fitting
  if (only && others.length === 0) return choose(ctx, asked, only.means)
  const routed = await routeReading(ctx, own)
  if (routed.kind !== 'skill' || routed.skill !== 'product-recommendation' || isSeeking(own.said))
    return routed
  const query = `${asked.draft.words} ${own.message.text}`.slice(0, MAX_QUERY).toWellFormed().trim()
  return skill('product-recommendation', { query })
}

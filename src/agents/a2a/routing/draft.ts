/**
 * What is kept of a conversation between its turns: what was understood so far, and what was asked. The next message is
 * read by itself and laid over this, so that an answer counts for more than what it corrects. Plain data: it is stored
 * with the question.
 */
import { MAX_QUANTITY } from '../../../rfq/rfq.schema.ts'
import type { CatalogIndex, IndexedProduct } from '../../../search/catalog-index.ts'
import type { SkillId } from '../skills/skill.ts'
import { isQuantity } from './quantities.ts'
import type { Reading } from './reading.ts'

/** What is asked about a product; a list and a need are never drafted. */
export type Wanted = Extract<
  SkillId,
  'product-lookup' | 'request-for-quote' | 'product-offers' | 'what-changed'
>
/** A product by slug, with the quantity that was said of it. */
export type Choice = { slug: string; quantity: number | null }

export type Draft = {
  /** One when it is settled; several when one reference fits them, or several were named. */
  products: Choice[]
  /** Several were named, as opposed to one name that fits several. */
  several: boolean
  /** Close to what was named, which itself does not exist; null when nothing was named. */
  near: string[] | null
  category: string | null
  /** What was said of the thing, to suggest products by. */
  words: string
  quantity: number | null
  region: string | null
  /** A deadline, or the moment since when. */
  date: string | null
  /** Said, but not to be taken as it stands: nothing is done before they are answered. */
  doubts: {
    quantity?: { said: string; values: number[] }
    place?: PlaceDoubt
    date?: string
  }
}

/** What was said of the place, and the regions that it may mean. */
export type PlaceDoubt = { said: string; regions: string[] }

/** What an option means when it is sent back word for word. */
export type Means =
  | { kind: 'product'; choice: Choice }
  | { kind: 'quantity'; quantity: number }
  | { kind: 'region'; region: string | null }
  | { kind: 'date'; date: string | null }
  | { kind: 'wanted'; wanted: Wanted }
  | { kind: 'skill'; skill: SkillId; params: Record<string, unknown> }

export type About = 'anything' | 'product' | 'category' | 'quantity' | 'place' | 'date'
export type Asked = {
  about: About
  wanted: Wanted | null
  draft: Draft
  options: Array<{ say: string; means: Means }>
}

export const EMPTY_DRAFT: Draft = {
  products: [],
  several: false,
  near: null,
  category: null,
  words: '',
  quantity: null,
  region: null,
  date: null,
  doubts: {},
}

const MAX_WORDS = 300

/** What a turn says, laid over what was known. */
export function addReading(draft: Draft, reading: Reading, category: string | null): Draft {
  const { products, quantity, region, date, doubts } = reading
  const { named, ambiguous, near } = products
  const next: Draft = { ...draft, doubts: { ...draft.doubts } }
  const found = named.length > 0 ? named.map(({ product }) => product) : ambiguous
  if (found.length > 0) {
    const counts = named.length > 1 ? reading.counts : null
    next.products = found.map((product, at) => ({ slug: slugOf(product), quantity: counts?.[at] ?? null }))
    // "5 Skein 2 and 3 Stormkeep 3", then "the Stormkeep": three.
    const known = found.length === 1 && draft.products.find(({ slug }) => slug === next.products[0]?.slug)
    if (known && known.quantity !== null) next.quantity = known.quantity
    next.several = named.length > 1
    next.near = null
  } else if (near.length > 0 || draft.products.length === 0) next.near = near.map(slugOf)
  if (found.length === 0 && near.length > 0) next.products = []
  if (category) next.category = category
  if (draft.words === '' || category) next.words = reading.message.text.slice(0, MAX_WORDS).toWellFormed()
  if (quantity !== null || doubts.quantity) {
    next.quantity = quantity
    next.doubts.quantity = doubts.quantity
  }
  if (region !== null || doubts.place) {
    next.region = region
    next.doubts.place = doubts.place
  }
  if (date !== null || doubts.date) {
    next.date = doubts.date ? null : (date?.iso ?? null)
    next.doubts.date = doubts.date
  }
  return next
}

/** An option as if it had been read; the rest of the draft stays. */
export function addMeaning(draft: Draft, means: Exclude<Means, { kind: 'wanted' | 'skill' }>): Draft {
  const doubts = { ...draft.doubts }
  if (means.kind === 'product') return withProduct(draft, means.choice)
  if (means.kind === 'quantity') doubts.quantity = undefined
  if (means.kind === 'region') doubts.place = undefined
  if (means.kind === 'date') doubts.date = undefined
  const { kind, ...value } = means
  return { ...draft, ...value, doubts }
}

export function withProduct(draft: Draft, choice: Choice): Draft {
  const settled = { ...draft, products: [choice], several: false, near: null }
  // A quantity of its own settles what the sum of several left open.
  return choice.quantity === null
    ? settled
    : { ...settled, quantity: choice.quantity, doubts: { ...draft.doubts, quantity: undefined } }
}

/** Whole numbers near what was said, that can be quoted. */
export function quotable(values: readonly number[]): number[] {
  const near = values.flatMap((value) => [Math.floor(Math.abs(value)), Math.ceil(Math.abs(value))])
  const whole = near.map((value) => Math.min(Math.max(value, 1), MAX_QUANTITY)).filter(isQuantity)
  return [...new Set([...whole, 1])]
}

export function productsOf(index: CatalogIndex, slugs: readonly string[]): IndexedProduct[] {
  return slugs.flatMap((path) => {
    const slot = index.findBySlug(path.slice(path.indexOf('/') + 1))
    const product = slot === undefined ? null : index.at(slot)
    return product ? [product] : []
  })
}

export function slugOf({ category, slug }: IndexedProduct): string {
  return `${category.slug}/${slug}`
}

/** What was about to be done, when it could not be done as it stood. */
export function askedAfter(
  skill: SkillId,
  params: Record<string, unknown>,
  error: { kind: string; field?: string },
): Asked | null {
  if (skill !== 'request-for-quote') return null
  const { product_slug, quantity, delivery_region, deadline_iso } = params
  const late = error.field === 'deadline_iso'
  const gone = error.kind === 'not_found'
  const draft: Draft = {
    ...EMPTY_DRAFT,
    products: gone ? [] : [{ slug: String(product_slug), quantity: null }],
    quantity: typeof quantity === 'number' ? quantity : null,
    region: typeof delivery_region === 'string' ? delivery_region : null,
    date: typeof deadline_iso === 'string' && !late ? deadline_iso : null,
    doubts: late ? { date: String(deadline_iso) } : {},
  }
  return { about: late ? 'date' : 'product', wanted: skill, draft, options: [] }
}

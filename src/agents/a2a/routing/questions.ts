/**
 * What is asked back when a message leaves open what to do: what is missing, and how to say it. An option can be sent back
 * as it stands, and comes with what it means then: what it adds to what was understood so far, or another skill. All of it
 * is kept with the question, as plain data.
 */
import { choiceName, regionName, storedRegion } from '../../../lib/regions.ts'
import { MAX_QUANTITY } from '../../../rfq/rfq.schema.ts'
import type { CatalogIndex, IndexedProduct } from '../../../search/catalog-index.ts'
import type { SkillId } from '../skills/skill.ts'
import { type Doubt, quotable } from './amounts.ts'

export type Wanted = Extract<
  SkillId,
  'product-lookup' | 'request-for-quote' | 'product-offers' | 'what-changed'
>
/** What was said and cannot be taken as it stands is an object: nothing is done before it is asked about. */
export type Draft = {
  /** One when it is settled, each with the quantity that was said of it; several when one reference fits them. */
  products: Array<{ slug: string; quantity: number | null }>
  /** Several were named, as opposed to one name that fits several. */
  several: boolean
  /** Close to what was named, which itself does not exist. */
  near: string[]
  category: string | null
  /** What was said of the thing, to suggest products by. */
  words: string
  quantity: number | Doubt | null
  region: string | { said: string; regions: string[] } | null
  /** A deadline, or the moment since when. */
  date: string | { said: string } | null
}
type Option = {
  say: string
  set?: Partial<Draft>
  wanted?: Wanted
  skill?: SkillId
  params?: Record<string, unknown>
}
type About = 'anything' | 'product' | 'category' | 'quantity' | 'place' | 'date'
export type Asked = { about: About; wanted: Wanted | null; draft: Draft; options: Option[] }
export type Routed =
  | { kind: 'skill'; skill: SkillId; params: Record<string, unknown> }
  /** `asked` goes with the answer when it comes: without it, "Bavaria" is only a word. */
  | { kind: 'unclear'; question: string; options: string[]; asked: Asked }
type Course = { wanted: Wanted; draft: Draft }

const NOTHING = { products: [], several: false, near: [], category: null, words: '' }
export const EMPTY_DRAFT: Draft = { ...NOTHING, quantity: null, region: null, date: null }
const DOING: Record<Wanted, string> = {
  'product-lookup': 'look up',
  'request-for-quote': 'get quotes for',
  'product-offers': 'find offers for',
  'what-changed': 'follow',
}
const LIST: Option = { say: 'List the categories', skill: 'category-browse', params: {} }

export function askWhatFor(): Routed {
  const query = 'a quiet blender under $100'
  return ask(
    'anything',
    null,
    'What are you looking for? Tell me what you want to buy, or choose one of these.',
    [
      { say: `Describe a need: "${query}"`, skill: 'product-recommendation', params: { query } },
      { say: 'Look up a product by name', wanted: 'product-lookup' },
      LIST,
      { say: 'Find offers and promo codes on a product', wanted: 'product-offers' },
      { say: 'Request quotes: product, quantity, delivery state and date', wanted: 'request-for-quote' },
      { say: 'See what changed in the last week', skill: 'what-changed', params: {} },
    ],
  )
}

/** Without products to choose from it says how to name one. */
export function askProduct(
  course: Course,
  lead: string,
  choices: readonly IndexedProduct[],
  end = '',
): Routed {
  const howTo = 'Give its brand and model, part number or <category>/<slug>; or describe what it should do.'
  const options = choices.map((product): Option => {
    const slug = slugOf(product)
    const quantity = course.draft.products.find((one) => one.slug === slug)?.quantity ?? null
    const set = {
      products: [{ slug, quantity }],
      several: false,
      near: [],
      ...(quantity !== null && { quantity }),
    }
    return { say: `${product.title} (${slug})`, set }
  })
  const text = `${lead.replace('…', DOING[course.wanted])}${understood(course)} ${options.length > 0 ? end : howTo}`
  return ask('product', course, text.trim(), options.length > 0 ? options : [LIST])
}

export function askPlace(course: Course, { said, regions }: { said: string; regions: string[] }): Routed {
  const options = regions.map((region): Option => {
    const choice = storedRegion(region)
    return { say: choice ? choiceName(choice) : region, set: { region } }
  })
  const question = `Where should it be delivered? "${said}" can mean ${options.map(({ say }) => say).join(' or ')}.`
  return ask('place', course, question, [
    ...options,
    { say: 'Skip the delivery place', set: { region: null } },
  ])
}

export function askQuantity(course: Course, { said, values }: Doubt): Routed {
  const range = `A request has one quantity, 1 to ${MAX_QUANTITY.toLocaleString('en-US')} whole pieces.`
  const options = quotable(values).map((quantity) => ({ say: pieces(quantity), set: { quantity } }))
  return ask('quantity', course, `How many do you need? I read ${said}. ${range}`, options)
}

export function askDate(course: Course, { said }: { said: string }, suggested: string): Routed {
  const question = `When do you need it? "${said}" is not a future date I can read; give it as YYYY-MM-DD.`
  const skip = { say: 'Skip the date', set: { date: null } }
  return ask('date', course, question, [{ say: `By ${suggested}`, set: { date: suggested } }, skip])
}

export function askCategory(categories: readonly string[], params: Record<string, unknown>): Routed {
  const listOf = (category: string) => ({
    skill: 'category-browse' as const,
    params: { category, ...params },
  })
  const options = categories.map((category): Option => ({ say: category, ...listOf(category) }))
  return ask('category', null, 'Which category do you mean?', options)
}

/** What follows the question, so that the answer need not repeat it. */
function understood({ wanted, draft: { quantity, region, date } }: Course): string {
  const place = region !== null && (typeof region === 'string' ? regionName(region) : region.said)
  const parts = [
    typeof quantity === 'number' && pieces(quantity),
    place && `delivered to ${place}`,
    typeof date === 'string' && `${wanted === 'what-changed' ? 'since' : 'by'} ${date}`,
  ].filter(Boolean)
  return parts.length > 0 ? ` So far I have: ${parts.join(', ')}.` : ''
}

function ask(about: About, course: Course | null, question: string, options: Option[]): Routed {
  const asked = { about, wanted: course?.wanted ?? null, draft: course?.draft ?? EMPTY_DRAFT, options }
  return { kind: 'unclear', question, options: options.map(({ say }) => say), asked }
}

const pieces = (quantity: number) =>
  `${quantity.toLocaleString('en-US')} ${quantity === 1 ? 'piece' : 'pieces'}`

export function slugOf({ category, slug }: IndexedProduct): string {
  return `${category.slug}/${slug}`
}

export function productsOf(index: CatalogIndex, slugs: readonly string[]): IndexedProduct[] {
  return slugs.flatMap((path) => {
    const slot = index.findBySlug(path.slice(path.indexOf('/') + 1))
    return (slot === undefined ? null : index.at(slot)) ?? []
  })
}

type Trouble = { kind: string; field?: string }

/** What was about to be done, when it could not be done as it stood. */
export function askedAfter(
  id: SkillId,
  params: Record<string, unknown>,
  { kind, field }: Trouble,
): Asked | null {
  if (id !== 'request-for-quote') return null
  const { product_slug, quantity, delivery_region, deadline_iso } = params
  const late = field === 'deadline_iso'
  const draft: Draft = {
    ...EMPTY_DRAFT,
    products: kind === 'not_found' ? [] : [{ slug: String(product_slug), quantity: null }],
    quantity: typeof quantity === 'number' ? quantity : null,
    region: typeof delivery_region === 'string' ? delivery_region : null,
    date: typeof deadline_iso !== 'string' ? null : late ? { said: deadline_iso } : deadline_iso,
  }
  return { about: late ? 'date' : 'product', wanted: id, draft, options: [] }
}

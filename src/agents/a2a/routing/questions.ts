/**
 * What is asked back when a message leaves open what to do. The question says what is missing and how to say it; an
 * option is something that can be sent back as it stands, and comes with what it means then.
 */
import { choiceName, regionName, storedRegion } from '../../../lib/regions.ts'
import { MAX_QUANTITY } from '../../../rfq/rfq.schema.ts'
import type { IndexedProduct } from '../../../search/catalog-index.ts'
import {
  type About,
  type Asked,
  type Choice,
  type Draft,
  EMPTY_DRAFT,
  type PlaceDoubt,
  quotable,
  slugOf,
  type Wanted,
} from './draft.ts'
import type { Routed } from './route-message.ts'

type Unclear = Extract<Routed, { kind: 'unclear' }>
type Option = Asked['options'][number]
/** In whose course it is asked. */
type Course = { wanted: Wanted; draft: Draft }

const DOING: Record<Wanted, string> = {
  'product-lookup': 'look up',
  'request-for-quote': 'get quotes for',
  'product-offers': 'find offers for',
  'what-changed': 'follow',
}
const HOW_TO_NAME =
  'Give its brand and model, part number or <category>/<slug>; or describe what it should do.'
const LIST_CATEGORIES: Option = {
  say: 'List the categories',
  means: { kind: 'skill', skill: 'category-browse', params: {} },
}

export function askWhatFor(): Unclear {
  const need = 'a quiet blender under $100'
  return unclear(
    'What are you looking for? Tell me what you want to buy, or choose one of these.',
    'anything',
    null,
    [
      {
        say: `Describe a need: "${need}"`,
        means: { kind: 'skill', skill: 'product-recommendation', params: { query: need } },
      },
      { say: 'Look up a product by name', means: { kind: 'wanted', wanted: 'product-lookup' } },
      { ...LIST_CATEGORIES, say: 'List the categories, or browse one of them' },
      {
        say: 'Find offers and promo codes on a product',
        means: { kind: 'wanted', wanted: 'product-offers' },
      },
      {
        say: 'Request quotes: product, quantity, delivery state and date',
        means: { kind: 'wanted', wanted: 'request-for-quote' },
      },
      {
        say: 'See what changed in the last week',
        means: { kind: 'skill', skill: 'what-changed', params: {} },
      },
    ],
  )
}

export function askWhichProduct(course: Course, suggested: readonly IndexedProduct[]): Unclear {
  const lead = `Which product should I ${DOING[course.wanted]}?${understood(course)}`
  return suggested.length > 0
    ? unclear(
        `${lead} Maybe one of these.`,
        'product',
        course,
        suggested.map((one) => asOption(one)),
      )
    : unclear(`${lead} ${HOW_TO_NAME}`, 'product', course, [LIST_CATEGORIES])
}

export function askWhichOf(course: Course, fitting: readonly IndexedProduct[]): Unclear {
  const { wanted, draft } = course
  const quantities = new Map(draft.products.map(({ slug, quantity }) => [slug, quantity]))
  const options = fitting.map((product) => asOption(product, quantities.get(slugOf(product)) ?? null))
  return draft.several
    ? unclear(
        `I can ${DOING[wanted]} one product at a time. Which one first?${understood(course)}`,
        'product',
        course,
        options,
      )
    : unclear(
        `${fitting.length} products match that name. Which one should I ${DOING[wanted]}?${understood(course)}`,
        'product',
        course,
        options,
      )
}

export function sayNotFound(course: Course, near: readonly IndexedProduct[]): Unclear {
  const lead = `I couldn't find a product with that name to ${DOING[course.wanted]}.`
  return near.length > 0
    ? unclear(
        `${lead}${understood(course)} These are the closest.`,
        'product',
        course,
        near.map((one) => asOption(one)),
      )
    : unclear(`${lead}${understood(course)} ${HOW_TO_NAME}`, 'product', course, [LIST_CATEGORIES])
}

export function askWhichPlace(course: Course, { said, regions }: PlaceDoubt): Unclear {
  const options = regions.map((region): Option => {
    const choice = storedRegion(region)
    return { say: choice ? choiceName(choice) : region, means: { kind: 'region', region } }
  })
  const names = options.map(({ say }) => say).join(' or ')
  return unclear(`Where should it be delivered? "${said}" can mean ${names}.`, 'place', course, [
    ...options,
    { say: 'Skip the delivery place', means: { kind: 'region', region: null } },
  ])
}

export function askHowMany(course: Course, { said, values }: { said: string; values: number[] }): Unclear {
  const range = `A quote is for 1 to ${MAX_QUANTITY.toLocaleString('en-US')} whole pieces`
  const question =
    new Set(values).size > 1
      ? `How many do you need? I read ${said}, but a request has one quantity. ${range}.`
      : `How many do you need? I read ${said}. ${range}.`
  const options = quotable(values).map(
    (quantity): Option => ({
      say: pieces(quantity),
      means: { kind: 'quantity', quantity },
    }),
  )
  return unclear(question, 'quantity', course, options)
}

export function askWhen(course: Course, said: string, suggested: string): Unclear {
  return unclear(
    `When do you need it? "${said}" is not a future date I can read; give it as YYYY-MM-DD.`,
    'date',
    course,
    [
      { say: `By ${suggested}`, means: { kind: 'date', date: suggested } },
      { say: 'Skip the date', means: { kind: 'date', date: null } },
    ],
  )
}

export function askWhichCategory(
  categories: readonly string[],
  params: Record<string, unknown>,
  words: string,
): Unclear {
  const options = categories.map(
    (category): Option => ({
      say: category,
      means: { kind: 'skill', skill: 'category-browse', params: { category, ...params } },
    }),
  )
  const asked = unclear('Which category do you mean?', 'category', null, options)
  return { ...asked, asked: { ...asked.asked, draft: { ...EMPTY_DRAFT, words } } }
}

export function askOffersOnWhat(): Unclear {
  return unclear(
    "Offers for which product or category? Name a product, or a category to see what's on sale.",
    'product',
    { wanted: 'product-offers', draft: EMPTY_DRAFT },
    [LIST_CATEGORIES],
  )
}

/** What follows the question, so that the answer need not repeat it. */
function understood({ wanted, draft }: Course): string {
  const { quantity, region, date, doubts } = draft
  const parts = [
    quantity !== null && pieces(quantity),
    region && `delivered to ${regionName(region)}`,
    doubts.place && `delivered to ${doubts.place.said}`,
    date && `${wanted === 'what-changed' ? 'since' : 'by'} ${date}`,
  ].filter((part) => typeof part === 'string')
  return parts.length > 0 ? ` So far I have: ${parts.join(', ')}.` : ''
}

function unclear(question: string, about: About, course: Course | null, options: Option[]): Unclear {
  const { wanted = null, draft = EMPTY_DRAFT } = course ?? {}
  return {
    kind: 'unclear',
    question,
    options: options.map(({ say }) => say),
    asked: { about, wanted, draft, options },
  }
}

function asOption(product: IndexedProduct, quantity: number | null = null): Option {
  const choice: Choice = { slug: slugOf(product), quantity }
  return { say: `${product.title} (${choice.slug})`, means: { kind: 'product', choice } }
}

function pieces(quantity: number): string {
  return `${quantity.toLocaleString('en-US')} ${quantity === 1 ? 'piece' : 'pieces'}`
}

/**
 * Lists of products and of categories for a model, the same for every face that agents use. A list shows as many whole
 * items as the text has room for; how to get the rest differs from face to face, so each hands in its closing lines,
 * which are told how many items stand above them. Titles and verdicts are escaped lines of bounded length.
 */
import { canonicalSlug, type NamedProduct, productLine } from '../catalog/profile.ts'
import { fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { regionName } from '../lib/regions.ts'
import { inlineText } from '../lib/untrusted.ts'
import { counted } from '../lib/words.ts'
import type { Answer } from './answer.ts'
import type { ShipsTo, Sort } from './search.schema.ts'

/** What is said after so many items: what is left out, and what to do next. */
export type Closing = (shown: number) => string[]

type Item = NamedProduct & {
  verdict: string | null
  url: string
  rating?: number | null
  review_count?: number | null
  reason?: string
}

const ORDERS: Record<Sort, string> = {
  relevance: 'best match first',
  popular: 'most reviewed first',
  price_asc: 'lowest price first',
  price_desc: 'highest price first',
  rating: 'best rated first',
  newest: 'newest first',
}
const FAIR = 'promoted offers do not affect the order'

/** The parts of an answer that say how well it fits. */
export type Fit = Pick<Answer, 'match' | 'note' | 'obeyed'>

const MOST_NEAR_NAMED = 3
const NOTHING_FITS = 'No products match'

export function searchText(found: {
  results: Item[]
  /** What comes closest when nothing fits. */
  nearest: Item[]
  fit: Fit
  offset: number
  sort: Sort
  mode: 'semantic' | 'keyword'
  /** Before everything else. */
  notes: string[]
  closing: Closing
}): string {
  const { results, nearest, fit, offset, sort, mode, notes, closing } = found
  const byWords =
    mode === 'keyword' ? ['Matched by keywords only; semantic search is unavailable right now.'] : []
  const before = [...notes, ...byWords]
  if (fit.match !== 'good')
    return nearestText([...before, inlineText(missLine({ ...fit, nearest }), 700)], nearest, closing)
  const said = fit.note === null ? [] : [`Applied from the query: ${inlineText(fit.note, 600)}`]
  const order = orderOf(fit, sort)
  const head =
    results.length > 0
      ? [`${order.charAt(0).toUpperCase()}${order.slice(1)}; ${FAIR}.`, ...said]
      : offset > 0
        ? ['No more results.']
        : [`${NOTHING_FITS} these filters. Try removing one, or a wider price range.`]
  return productsText([...before, ...head], results, offset, closing)
}

/** What the filter `ships_to` says of `found` results and left out; for models and people alike. */
export function shipsToLines(shipsTo: ShipsTo | undefined, found = 1): string[] {
  if (!shipsTo) return []
  const { region, not_stated: open } = shipsTo
  const kept = `A seller of each result states that it delivers to ${regionName(region)}.`
  const none = `No seller of a match states that it delivers to ${regionName(region)}.`
  const others = `For ${counted(open, 'other product')} that ${open === 1 ? 'matches' : 'match'}, no seller states whether it delivers there.`
  return [[found > 0 ? kept : none, ...(open > 0 ? [others] : [])].join(' ')]
}

/** The query itself may ask for an order ("cheapest …"). */
function orderOf({ obeyed }: Fit, sort: Sort): string {
  const read = sort === 'relevance' && obeyed.find(({ id }) => id === 'order')
  return read ? read.label : ORDERS[sort]
}

/** Says first that nothing fits, so that a model does not take what follows for results. Not escaped. */
export function missLine({ note, nearest }: { note: string | null; nearest: readonly unknown[] }): string {
  if (nearest.length === 0) return `${NOTHING_FITS} these filters. Try removing one, or a wider price range.`
  return note?.startsWith('No ') ? note : `${NOTHING_FITS}. ${note ?? ''}`.trim()
}

/** The same in one line with the names of what comes closest, where there is no list for them. Not escaped. */
export function missText({ note, nearest }: Pick<Answer, 'note' | 'nearest'>): string {
  const near = nearest
    .slice(0, MOST_NEAR_NAMED)
    .map((product) => `${product.title} (${canonicalSlug(product)})`)
  return [missLine({ note, nearest }), ...(near.length > 0 ? [`Closest: ${near.join(', ')}`] : [])].join(' ')
}

/** Not numbered: these are no results. */
function nearestText(head: string[], nearest: readonly Item[], closing: Closing): string {
  const items = nearest.map((product) => productItem(product, '-'))
  const lead = items.length > 0 ? ['Closest matches, but not what was asked for:'] : []
  return fitItems(items.length, TEXT_ROOM, (shown) =>
    [...head, ...lead, ...items.slice(0, shown), ...closing(shown)].join('\n\n'),
  )
}

export function categoryText(page: {
  label: string
  total: number
  products: Item[]
  offset: number
  sort: Sort
  onSale: boolean
  available: boolean
  shipsTo: ShipsTo | undefined
  includeDiscontinued: boolean
  closing: Closing
}): string {
  const { label, total, products, offset, sort, onSale, available, includeDiscontinued, closing } = page
  const kept = [
    ...(onSale ? ['on sale now'] : []),
    ...(available ? ['listed or quoted by a seller'] : []),
    includeDiscontinued ? 'discontinued ones included' : 'discontinued ones left out',
  ]
  const head = `${counted(total, 'product')} (${kept.join(', ')}), ${ORDERS[sort]}; ${FAIR}.`
  const before = [`# ${inlineText(label)}`, head, ...shipsToLines(page.shipsTo, total)]
  return productsText(before, products, offset, closing)
}

/** `offset` numbers the items: the first of a second page is not the first of all. */
export function productsText(
  head: string[],
  products: readonly Item[],
  offset: number,
  closing: Closing,
): string {
  const items = products.map((product, at) => productItem(product, `${offset + at + 1}.`))
  return fitItems(items.length, TEXT_ROOM, (shown) =>
    [...head, ...items.slice(0, shown), ...closing(shown)].join('\n\n'),
  )
}

function productItem(product: Item, mark: string): string {
  const { verdict, reason, url, rating = null, review_count: reviews = null } = product
  const known = [
    ...(rating === null ? [] : [`rated ${rating} of 5`]),
    ...(reviews === null ? [] : [counted(reviews, 'review')]),
  ]
  return [
    `${mark} ${[productLine(product), ...known].join(' · ')}`,
    ...(verdict === null ? [] : [`   Verdict: ${inlineText(verdict, 400)}`]),
    ...(reason ? [`   Why: ${inlineText(reason, 300)}`] : []),
    `   ${url}`,
  ].join('\n')
}

export type CategoryLine = { slug: string; label: string; product_count: number; price_range: string | null }

export function categoriesText(list: {
  /** Of all, not only of these. */
  total: number
  categories: readonly CategoryLine[]
  /** How to see the products of one. */
  hint: string
  closing: Closing
}): string {
  const items = list.categories.map(({ slug, label, product_count, price_range }) => {
    const price = product_count === 0 ? [] : [price_range ?? 'prices unknown']
    return `- ${[`${slug}: ${inlineText(label)}`, counted(product_count, 'product'), ...price].join(' · ')}`
  })
  return fitItems(items.length, TEXT_ROOM, (shown) =>
    [
      `# ${list.total === 1 ? '1 category' : `${list.total} categories`}`,
      `Counts and prices include discontinued products. ${list.hint}`,
      items.slice(0, shown).join('\n'),
      ...list.closing(shown),
    ]
      .filter(Boolean)
      .join('\n\n'),
  )
}

/** Where pages are asked for by an offset: the rest of this page, and the pages after it. */
export function pageNote(left: number, shownUpTo: number, nextOffset: number | null): string[] {
  const are = left === 1 ? 'is' : 'are'
  if (left > 0)
    return [`${left} more of this page ${are} in the data; use offset ${shownUpTo} to see them here.`]
  return nextOffset === null ? [] : [`There are more: use offset ${nextOffset}.`]
}

/**
 * `POST /catalog/search`. Words go to the one search behind every face; filters without words are a list to browse. The
 * search takes one category and knows catalog prices only, UCP any number and offers too: so each category is searched
 * for itself, what only an offer brings in is a list beside them, all are read side by side, the best next product
 * first, and the cursor remembers how far into each of them the pages have come.
 */

import { sha256 } from '../../lib/crypto.ts'
import { invalid } from '../../lib/errors.ts'
import type { Answer } from '../../search/answer.ts'
import { requireWhole } from '../../search/catalog.ts'
import { allowedSlots, NO_SALES } from '../../search/filters.ts'
import { toQueryTerms } from '../../search/lexical/query-terms.ts'
import { nearCategories } from '../../search/near-categories.ts'
import { missText } from '../../search/results-text.ts'
import { DEFAULT_LIMIT, MAX_LIMIT, type SearchResult } from '../../search/search.schema.ts'
import { MAX_OFFSET } from '../../tools/params.ts'
import type { AgentsContext } from '../context.ts'
import { type Browse, categoryCheck, isWithin, type OfferPricesOf } from './browse.ts'
import {
  type Filters,
  fittingVariants,
  hasFilters,
  isNamed,
  type PriceBounds,
  readFilters,
} from './filters.ts'
import { profilesOf, toProduct, type UcpProduct, variantsOf } from './product.ts'
import { info, type Message } from './protocol.ts'
import type { SearchRequest } from './ucp.schema.ts'

type SearchAnswer = {
  products: UcpProduct[]
  pagination: { cursor?: string; has_next_page: boolean; total_count: number }
  messages?: Message[]
}

type SearchContext = AgentsContext & { browse: Browse; offerPrices: OfferPricesOf; ip: string | null }
type Wanted = Filters & { query: string; cursor: string | undefined; limit: number }
type Page = {
  productIds: string[]
  next: string | null
  total: number
  /** Why nothing was found. */
  miss?: string
}

export async function searchCatalog(ctx: SearchContext, request: SearchRequest): Promise<SearchAnswer> {
  const query = request.query?.trim() ?? ''
  if (query === '' && !hasFilters(request))
    throw invalid('query', 'send a query, or filters with categories or a price')
  const { filters, messages } = readFilters(request)
  const { categories, unknown } = knownCategories(ctx, filters)
  messages.push(...unknown)
  const { cursor, limit = DEFAULT_LIMIT } = request.pagination ?? {}
  const wanted = { ...filters, categories, query, cursor, limit: Math.min(limit, MAX_LIMIT) }
  const page = await findPage(ctx, wanted)
  if (page.miss !== undefined) messages.push(info('nothing_fits', page.miss))
  return {
    products: await productsOf(ctx, page.productIds, wanted),
    pagination: {
      ...(page.next !== null && { cursor: page.next }),
      has_next_page: page.next !== null,
      total_count: page.total,
    },
    ...(messages.length > 0 && { messages }),
  }
}

function knownCategories(
  { search }: AgentsContext,
  { categories: names }: Filters,
): { categories: string[] | null; unknown: Message[] } {
  if (names === null) return { categories: null, unknown: [] }
  const all = search.index().allCategories()
  const categories = all.filter((category) => isNamed(category, names)).map(({ slug }) => slug)
  const unknown = names
    .filter((name) => !all.some((category) => isNamed(category, [name])))
    .map((name) => {
      const near = nearCategories(search.index().categories(), name)
      const next = near.length > 0 ? `similar: ${near.join(', ')}` : 'see /llms.txt'
      return info('unknown_category', `${name}; ${next}`)
    })
  return { categories: categories.sort(), unknown }
}

async function findPage(ctx: SearchContext, wanted: Wanted): Promise<Page> {
  const { categories, query, cursor, limit } = wanted
  if (categories?.length === 0) return { productIds: [], next: null, total: 0 }
  const question = [query, categories, wanted.minCents, wanted.maxCents]
  if (query !== '') return searchPage(ctx, wanted, question)
  // At any depth: a page costs the same.
  const [offset = 0] = readCursor(cursor, question, { lists: 1, deepest: Number.POSITIVE_INFINITY })
  const { productIds, total } = ctx.browse({ ...wanted, offset })
  const next = offset + limit
  return { productIds, total, next: next < total ? writeCursor(question, [next]) : null }
}

async function searchPage(ctx: SearchContext, wanted: Wanted, question: unknown): Promise<Page> {
  const { categories, query, cursor, limit } = wanted
  const searches = categories ?? [null]
  const offsets = readCursor(cursor, question, { lists: searches.length + 1, deepest: MAX_OFFSET })
  const found: List[] = await Promise.all([
    ...searches.map(async (category, at) => {
      const { results, productIds, total, ...answer } = await ctx.search.search({
        query,
        filters: { ...(category !== null && { category }), ...searchedPrices(wanted) },
        limit,
        offset: offsets[at] ?? 0,
        face: 'ucp',
        ip: ctx.ip,
      })
      const products = productIds.map((id, place) => ({ id, likeness: likenessIn(results[place]) }))
      return { products, total, taken: 0, ...(answer.match !== 'good' && { miss: answer }) }
    }),
    findByOffer(ctx, wanted).then((all) => {
      const offset = offsets.at(-1) ?? 0
      return { products: all.slice(offset, offset + limit), total: all.length, taken: 0 }
    }),
  ])
  const productIds: string[] = []
  while (productIds.length < limit) {
    const best = found
      .filter(({ products, taken }) => taken < products.length)
      .reduce<List | null>(
        (leader, list) => (leader && likenessOf(leader) >= likenessOf(list) ? leader : list),
        null,
      )
    const product = best?.products[best.taken]
    if (!best || !product) break
    productIds.push(product.id)
    best.taken++
  }
  const after = found.map(({ taken }, at) => (offsets[at] ?? 0) + taken)
  // As deep as the search goes for anybody: what comes after ten thousand better ones is of no use.
  const more = productIds.length > 0 && found.some(({ total }, at) => (after[at] ?? 0) < total)
  const next = more && depthOf(after) <= MAX_OFFSET ? writeCursor(question, after) : null
  const total = found.reduce((sum, list) => sum + list.total, 0)
  // Named in a message, not listed: a platform takes what is listed for a find.
  const miss = total === 0 ? found.find((list) => list.miss)?.miss : undefined
  return { productIds, total, next, ...(miss && { miss: missText(miss) }) }
}

function likenessIn(result: SearchResult | undefined): number {
  return result?.discontinued ? DISCONTINUED : (result?.similarity ?? 0)
}

/** What it holds from where its last page ended; `taken` of it stand on this one. */
type List = { products: Alike[]; total: number; taken: number; miss?: Miss }
type Miss = Pick<Answer, 'note' | 'nearest'>

function likenessOf(list: List): number {
  return list.products[list.taken]?.likeness ?? 0
}

async function productsOf(ctx: AgentsContext, ids: string[], wanted: Filters): Promise<UcpProduct[]> {
  const { baseUrl } = ctx.config
  return (await profilesOf(ctx, ids)).flatMap((profile) => {
    const sold = variantsOf(profile, baseUrl)
    const fitting = fittingVariants(profile, sold, wanted)
    // It may have lost its price since the search.
    if (fitting.length === 0) return []
    return [toProduct(profile, { sold, shown: fitting.map(({ variant }) => variant), baseUrl })]
  })
}

/**
 * The search looks at catalog prices alone. These are the products that it passes over although a live offer sells them
 * within the price that is wanted, or is the only one who names a price: with their likeness to the words, best first,
 * so that they can be read side by side with what the search found.
 */
type Alike = { id: string; likeness: number }

/** Under every likeness: what is discontinued comes after everything that is not, from whichever list. */
const DISCONTINUED = -1

async function findByOffer(
  { search, offerPrices }: Pick<AgentsContext, 'search'> & { offerPrices: OfferPricesOf },
  wanted: PriceBounds & { query: string; categories: readonly string[] | null },
): Promise<Alike[]> {
  const index = search.index()
  requireWhole(index, 'searches by price')
  const asked = offerPrices(index)
  if (asked.size === 0) return []
  const understood = search.understand(wanted.query)
  const searched = allowedSlots(index, searchedPrices(wanted), understood, NO_SALES)
  // A budget in the words binds offers as it binds catalog prices.
  const { budget } = understood
  const isWanted = categoryCheck(index, wanted.categories)
  let found: Array<{ slot: number; id: string }> = []
  for (const [slot, prices] of asked) {
    const id = index.idAt(slot)
    if (id === null || searched?.[slot] !== 0 || !isWanted(slot)) continue
    if (prices.some((cents) => isWithin(cents, wanted) && (!budget || isWithin(cents, budget))))
      found.push({ slot, id })
  }
  const fitting = found.length > 0 ? await fittingButForPrice(search, wanted) : new Set()
  found = found.filter(({ id }) => fitting.has(id))
  if (found.length === 0) return []
  const slots = Uint32Array.from(found, ({ slot }) => slot)
  const words = understood.textWithNegations || wanted.query
  const vector = await search.embed(words)
  const near = vector && (await search.byMeaning(() => index.meaning.cosines(vector, slots)))
  const likeness = near
    ? [near.full, near.short]
    : [index.words.explain(toQueryTerms(words, index.words), slots).coverage]
  return found
    .map(({ id, slot }, at) => {
      const alike = Math.max(0, ...likeness.map((scores) => scores[at] ?? 0))
      return { id, likeness: index.at(slot)?.discontinued ? DISCONTINUED : alike }
    })
    .sort((a, b) => b.likeness - a.likeness || (a.id < b.id ? -1 : 1))
}

/** What would answer the words at another price: an offer for anything else is no answer. */
async function fittingButForPrice(
  search: AgentsContext['search'],
  { query, categories }: { query: string; categories: readonly string[] | null },
): Promise<Set<string>> {
  const answers = await Promise.all(
    (categories ?? [null]).map((category) =>
      search.search({
        ...{ query, limit: MAX_OFFSET, ignore: ['price'], face: 'ucp', unlogged: true },
        ...(category !== null && { filters: { category } }),
      }),
    ),
  )
  return new Set(answers.flatMap(({ productIds }) => productIds))
}

/** Always a filter: without a price a product cannot be shown, and 0 means unknown. */
function searchedPrices({ minCents, maxCents }: PriceBounds): {
  minPriceCents: number
  maxPriceCents?: number
} {
  return {
    minPriceCents: Math.max(1, minCents ?? 1),
    ...(maxCents !== null && { maxPriceCents: maxCents }),
  }
}

/**
 * Where the next page begins, for one list or for several that are read side by side. A cursor belongs to the question
 * that it came from: sent with another, it is refused, because it would skip products without anybody noticing.
 * `question`: everything that decides which products there are and in what order.
 */
export function writeCursor(question: unknown, offsets: readonly number[]): string {
  return Buffer.from([markOf(question), ...offsets].join('.')).toString('base64url')
}

/** `deepest`: how many products there may be before the page, over all lists; no cursor was given beyond that. */
function readCursor(
  cursor: string | undefined,
  question: unknown,
  { lists, deepest }: { lists: number; deepest: number },
): number[] {
  if (cursor === undefined) return Array<number>(lists).fill(0)
  const [mark, ...texts] = Buffer.from(cursor, 'base64url').toString('latin1').split('.')
  const offsets = texts.map((text) => (/^\d{1,8}$/.test(text) ? Number(text) : Number.NaN))
  const good = offsets.length === lists && depthOf(offsets) <= deepest
  if (good && mark === markOf(question)) return offsets
  throw invalid(
    'pagination.cursor',
    'pagination.cursor: is not valid for this query and these filters; leave it out to start over',
  )
}

function depthOf(offsets: readonly number[]): number {
  return offsets.reduce((sum, offset) => sum + offset, 0)
}

function markOf(question: unknown): string {
  return sha256(JSON.stringify(question)).toString('base64url').slice(0, 16)
}

/**
 * Products and categories as resources, for clients that let people attach them: a list of categories a page at a time,
 * templates for both, and completion of their parts. What is read is what get_product and list_category_products say, so
 * text of sellers and reviewers is fenced here too.
 */
import { profileText } from '../../catalog/profile.text.ts'
import { AppError } from '../../lib/errors.ts'
import { isRecord } from '../../lib/validate.ts'
import { listCategories, listCategoryProducts } from '../../search/browse.tools.ts'
import { profileOf } from '../../search/named-product.ts'
import { nearProducts } from '../../search/near-products.ts'
import { resolveProduct } from '../../search/resolve-name.ts'
import type { AgentsContext } from '../context.ts'
import { written, writtenToKeep } from './offered.ts'
import { completePrompt } from './prompts.ts'
import { CODES, type Exchange, type Method, RpcError, type RpcMessage } from './protocol.ts'

const CATEGORIES = 'souk://categories'
const CATEGORY = 'souk://categories/{category}'
const PRODUCT = 'souk://products/{category}/{slug}'
const OF_CATEGORY = /^souk:\/\/categories\/([^/]{1,100})$/
const OF_PRODUCT = /^souk:\/\/products\/([^/]{1,100})\/([^/]{1,200})$/
const MARKDOWN = 'text/markdown'
/** Of the older family; the newest calls it a wrong parameter. */
const NOT_FOUND = -32002
const PAGE = 100
const CURSOR = /^after:(\d{1,6})$/
export const MOST_COMPLETIONS = 100
/** Of one category, so many of the most reviewed are looked at. */
const COMPLETED_FROM = 1_000

const TEMPLATES = [
  {
    uriTemplate: PRODUCT,
    name: 'product',
    title: 'Product profile',
    description: 'Price, verdict, specs, reviews, shops and offers of one product',
    mimeType: MARKDOWN,
  },
  {
    uriTemplate: CATEGORY,
    name: 'category',
    title: 'Category',
    description: 'The most reviewed products of one category',
    mimeType: MARKDOWN,
  },
]

export function createResources(ctx: AgentsContext): Array<[string, Method]> {
  const index = () => ctx.search.index()

  const list: Method = ({ params = {} }, { family }) => {
    const from = offsetOf(params.cursor)
    const all = index()
      .categories()
      .toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    const shown = all.slice(from, from + PAGE)
    const resources = shown.map(({ slug, label }) => ({
      ...{ uri: `${CATEGORIES}/${slug}`, name: slug, title: label, mimeType: MARKDOWN },
      description: `The most reviewed products of ${label}`,
    }))
    const first = { uri: CATEGORIES, name: 'categories', title: 'All categories', mimeType: MARKDOWN }
    const next = from + PAGE < all.length ? { nextCursor: `after:${from + PAGE}` } : {}
    return writtenToKeep(family, { resources: [...(from === 0 ? [first] : []), ...resources], ...next })
  }

  async function textAt(uri: string, exchange: Exchange): Promise<string | null> {
    const call = {
      caller: exchange.actor,
      visit: exchange.visit,
      signal: exchange.signal,
      progress: () => {},
    }
    if (uri === CATEGORIES) return (await listCategories.run(ctx, call, {})).text
    const category = OF_CATEGORY.exec(uri)?.[1]
    if (category !== undefined) {
      if (index().categoryNumber(category) === undefined) return null
      const input = listCategoryProducts.input.parse({ category, limit: 50 })
      return (await listCategoryProducts.run(ctx, call, input)).text
    }
    const [, within, slug] = OF_PRODUCT.exec(uri) ?? []
    if (within === undefined || slug === undefined) return null
    const place = await resolveProduct(ctx, `${within}/${slug}`, { field: 'uri', exact: true })
    if (!place) return null
    const profile = await profileOf(ctx, place)
    ctx.reads.count({ productId: profile.id, face: 'tools', agent: exchange.actor.clientName })
    return profileText(profile, ctx.config.baseUrl)
  }

  const read: Method = async ({ params = {} }, exchange) => {
    const { uri } = params
    if (typeof uri !== 'string') throw new RpcError(CODES.invalidParams, 'params.uri: a text is required')
    const text = await textAt(uri, exchange).catch(absent)
    if (text === null) throw notFound(exchange, uri)
    return writtenToKeep(exchange.family, { contents: [{ uri, mimeType: MARKDOWN, text }] })
  }

  const complete: Method = async (message, { family }) => {
    const { ref, name, value, others } = asked(message)
    const values =
      ref.type === 'ref/prompt'
        ? await completePrompt(String(ref.name), { name, value }, (text) => productsLike(ctx, text))
        : await completePart(ctx, { name, value, category: others.category })
    const shown = values.slice(0, MOST_COMPLETIONS)
    return written(family, {
      completion: { values: shown, total: values.length, hasMore: values.length > shown.length },
    })
  }

  return [
    ['resources/list', list],
    ['resources/templates/list', (_, { family }) => writtenToKeep(family, { resourceTemplates: TEMPLATES })],
    ['resources/read', read],
    ['completion/complete', complete],
  ]
}

function absent(error: unknown): null {
  if (error instanceof AppError && error.kind === 'not_found') return null
  throw error
}

function notFound({ family }: Exchange, uri: string): RpcError {
  const code = family === 'legacy' ? NOT_FOUND : CODES.invalidParams
  return new RpcError(code, 'Resource not found; see resources/list and resources/templates/list', {
    data: { uri: uri.slice(0, 300) },
  })
}

function offsetOf(cursor: unknown): number {
  if (cursor == null || cursor === '') return 0
  const from = typeof cursor === 'string' ? CURSOR.exec(cursor)?.[1] : undefined
  if (from === undefined) throw new RpcError(CODES.invalidParams, 'params.cursor: is not valid')
  return Number(from)
}

const MAX_VALUE = 200

function asked({ params = {} }: RpcMessage) {
  const { ref, argument, context } = params
  const { name, value } = isRecord(argument) ? argument : {}
  const known =
    isRecord(ref) &&
    ((ref.type === 'ref/prompt' && typeof ref.name === 'string') ||
      (ref.type === 'ref/resource' && (ref.uri === PRODUCT || ref.uri === CATEGORY)))
  if (!known) throw new RpcError(CODES.invalidParams, 'params.ref: names no prompt and no template of ours')
  if (typeof name !== 'string' || typeof value !== 'string' || value.length > MAX_VALUE)
    throw new RpcError(CODES.invalidParams, 'params.argument: needs a name and a value')
  const given = isRecord(context) && isRecord(context.arguments) ? context.arguments : {}
  return { ref, name, value: value.trim().toLowerCase(), others: given }
}

/** Slugs that begin so first, then those that hold it. */
export function begunBy(slugs: readonly string[], value: string): string[] {
  const begins = slugs.filter((slug) => slug.startsWith(value))
  return [...begins, ...slugs.filter((slug) => !slug.startsWith(value) && slug.includes(value))]
}

async function completePart(
  ctx: AgentsContext,
  { name, value, category }: { name: string; value: string; category: unknown },
): Promise<string[]> {
  if (name === 'category') return begunBy(categorySlugs(ctx), value)
  if (name !== 'slug') return []
  if (typeof category !== 'string')
    return (await nearProducts(ctx.search, value)).map((near) => near.slice(near.indexOf('/') + 1))
  return begunBy(await slugsIn(ctx, category), value)
}

/** `<category>/<slug>`, for arguments that name a product in one. */
async function productsLike(ctx: AgentsContext, value: string): Promise<string[]> {
  const [category = '', slug] = value.split('/')
  if (slug !== undefined)
    return begunBy(await slugsIn(ctx, category), slug).map((one) => `${category}/${one}`)
  const near = value === '' ? [] : await nearProducts(ctx.search, value)
  return [...near, ...begunBy(categorySlugs(ctx), value).map((one) => `${one}/`)]
}

function categorySlugs({ search }: AgentsContext): string[] {
  return search
    .index()
    .categories()
    .map(({ slug }) => slug)
    .toSorted()
}

async function slugsIn({ search }: AgentsContext, category: string): Promise<string[]> {
  if (search.index().categoryNumber(category) === undefined) return []
  const limits = { limit: COMPLETED_FROM, offset: 0, sort: 'popular', includeDiscontinued: true } as const
  const { products } = await search.browse({ category, ...limits, onSale: false, available: false })
  return products.map(({ slug }) => slug)
}

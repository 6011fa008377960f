/**
 * Asking all sellers of a product and waiting for what they quote, in one call. A wish in words is searched for first: the
 * best match is asked about when something fits, and nobody when nothing does. A caller who waits here may hang up: the
 * request goes on and is read as a task later.
 */
import { getProfile } from '../catalog/catalog.service.ts'
import { canonicalSlug, productPath } from '../catalog/profile.ts'
import { type OfferLookup, offerLink } from '../catalog/promoted-offer.ts'
import { AppError } from '../lib/errors.ts'
import { centsToDollars } from '../lib/money.ts'
import { shownOrg } from '../orgs/shown-org.ts'
import { requireProductRef } from '../search/named-product.ts'
import type { SearchResult } from '../search/search.schema.ts'
import type { Search } from '../search/search.service.ts'
import type { RfqContext } from './context.ts'
import { streamUntilLate } from './follow.ts'
import type { RfqRequest } from './rfq.schema.ts'
import { type Asker, getRfqTask, type RfqTask, submitRfq } from './rfq.service.ts'

export type FindRetailersContext = RfqContext & {
  search: Pick<Search, 'index' | 'search'>
  offers: OfferLookup
}

export type Chosen = {
  /** `<category>/<slug>` */
  productSlug: string
  title: string
  /** Others that the query may mean; null where the asker named the product. */
  runnersUp: SearchResult[] | null
}

/** Nothing fits the query, so nobody is asked. */
export type NothingFits = { match: 'near' | 'none'; note: string | null; nearest: SearchResult[] }

const MOST_RUNNERS_UP = 3

export async function chooseProduct(
  ctx: FindRetailersContext,
  { query, productSlug }: { query: string; productSlug: string | undefined },
): Promise<Chosen | NothingFits> {
  if (productSlug !== undefined) {
    const product = await requireProductRef(ctx, { product_slug: productSlug })
    return { productSlug: canonicalSlug(product), title: product.title, runnersUp: null }
  }
  const { results, match, note, ...answer } = await ctx.search.search({
    query,
    filters: { excludeDiscontinued: true },
    limit: 1 + MOST_RUNNERS_UP,
    face: 'tools',
  })
  const [best, ...runnersUp] = results
  if (match === 'good' && best) return { productSlug: canonicalSlug(best), title: best.title, runnersUp }
  // Sellers are not asked for what is no longer made.
  const nearest = answer.nearest.filter(({ discontinued }) => !discontinued)
  if (match === 'good' || nearest.length === 0)
    throw new AppError(
      'not_found',
      'query: no product matches, so no seller was asked; use other words, or send a product_slug from search_products',
      { code: 'not_found', field: 'query' },
    )
  return { match, note, nearest }
}

export type Gathered = { task: RfqTask; arrived: number }

/** The task when it has ended, or as it is when the sellers' time is up and a little more. */
export async function gatherQuotes(
  ctx: RfqContext,
  asker: Asker,
  input: { request: RfqRequest; signal: AbortSignal; arrived(quotes: number): void },
): Promise<Gathered> {
  const { rfqId: id } = await submitRfq(ctx, asker, { request: input.request })
  const { userId } = asker
  let arrived = 0
  const following = { id, userId, signals: [input.signal] }
  for await (const event of streamUntilLate(ctx, following)) {
    if (event.kind === 'ended') return { task: event.task, arrived }
    arrived += 1
    input.arrived(arrived)
  }
  return { task: await getRfqTask(ctx, { id, userId }), arrived }
}

export type Elsewhere = { seller: string; url: string; price_usd: number | null; promoted: boolean }

/** `names`: of the sellers in this order, as a text shows them. */
export type SoldElsewhere = { url: string; sellers: Elsewhere[]; names: string[] }

/** Where else the product is sold: what sellers promote for it now, then the shops its profile names. */
export async function soldElsewhere(
  ctx: Pick<FindRetailersContext, 'db' | 'offers'> & { config: { baseUrl: string } },
  productSlug: string,
): Promise<SoldElsewhere> {
  const [category = '', slug = ''] = productSlug.split('/')
  const { baseUrl } = ctx.config
  const profile = await getProfile(ctx, { category, slug })
  const url = `${baseUrl}${productPath({ slug, category: { slug: category } })}`
  // Removed while its sellers were asked.
  if (!profile) return { url, sellers: [], names: [] }
  const offers = ctx.offers.of(profile.id)
  const promoted = offers.map((offer) => ({
    seller: offer.seller.name,
    url: offerLink(offer, baseUrl),
    price_usd: centsToDollars(offer.priceCents),
    promoted: true,
  }))
  const shops = profile.whereToBuy.map(({ name, url, priceCents }) => ({
    seller: name,
    url,
    price_usd: centsToDollars(priceCents),
    promoted: false,
  }))
  const names = [...offers.map(({ seller }) => shownOrg(seller)), ...shops.map(({ seller }) => seller)]
  return { url, sellers: [...promoted, ...shops], names }
}

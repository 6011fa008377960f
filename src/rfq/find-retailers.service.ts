/**
 * Asking all sellers of a product and waiting for what they quote, in one call. A wish in words is searched for first: the
 * best match is asked about when something fits, and nobody when nothing does. A caller who waits here may hang up: the
 * request goes on and is read as a task later.
 */
import { canonicalSlug } from '../catalog/profile.ts'
import { notFound } from '../lib/errors.ts'
import { counted } from '../lib/words.ts'
import { requireProductRef } from '../search/named-product.ts'
import type { SearchResult } from '../search/search.schema.ts'
import type { Search } from '../search/search.service.ts'
import type { RfqContext } from './context.ts'
import { streamUntilLate } from './follow.ts'
import { answersOf } from './outcome.ts'
import type { RfqRequest } from './rfq.schema.ts'
import { type Asker, getRfqTask, type RfqTask, submitRfq } from './rfq.service.ts'

export type FindRetailersContext = RfqContext & { search: Pick<Search, 'index' | 'reading' | 'search'> }

export type Found = {
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
): Promise<Found | NothingFits> {
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
    throw notFound(
      'query: no product matches, so no seller was asked; use other words, or send a product_slug from search_products',
      { field: 'query' },
    )
  return { match, note, nearest }
}

export type Gathered = { task: RfqTask; arrived: number }

type Following = {
  signal: AbortSignal
  progress(step: { done: number; total?: number; message: string }): void
}

/** The task when it has ended, or as it is when the sellers' time is up and a little more. */
export async function gatherQuotes(
  ctx: RfqContext,
  asker: Asker,
  { request, ...following }: Following & { request: RfqRequest },
): Promise<Gathered> {
  const { rfqId: id } = await submitRfq(ctx, asker, { request })
  return followQuotes(ctx, { id, userId: asker.userId, ...following })
}

export async function followQuotes(
  ctx: RfqContext,
  { id, userId, signal, progress }: Following & { id: string; userId: string | null },
): Promise<Gathered> {
  let arrived = 0
  for await (const event of streamUntilLate(ctx, { id, userId, signals: [signal] })) {
    if (event.kind === 'quote') arrived += 1
    else {
      const { answered, asked } = event.kind === 'ended' ? answersOf(event.task) : event
      if (asked && answered !== null)
        progress({
          done: answered,
          total: asked,
          message: `${answered} of ${counted(asked, 'seller')} answered`,
        })
    }
    if (event.kind === 'ended') return { task: event.task, arrived }
  }
  return { task: await getRfqTask(ctx, { id, userId }), arrived }
}

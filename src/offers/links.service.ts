/**
 * Attributed links: an id leads to an address that was stored for it, and the click is recorded. The address never
 * comes from the request, so a link cannot be bent to lead elsewhere. Each kind of link (offers here, quotes above)
 * brings a finder; the id decides which one answers.
 */
import { productPath } from '../catalog/profile.ts'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { isUuid, newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { isPublicHost } from '../lib/public-link.ts'
import { findOfferLinkRow, insertLinkClick } from './shelves.queries.ts'

export type LinksContext = { db: Db; clock: Clock; log: Log; config: { baseUrl: string } }

export type FoundLink = {
  kind: 'offer' | 'quote'
  orgId: string
  productId: string
  /** The product's page is where to go when it leads nowhere else. */
  productSlug: string
  categorySlug: string
  /** Where it leads now; null when it no longer does. */
  destination: string | null
}

/** `id` is a UUID. Null when no link of this kind has it. */
export type LinkFinder = (ctx: LinksContext, id: string) => Promise<FoundLink | null>

export const findOfferLink: LinkFinder = ({ db, clock }, id) => findOfferLinkRow(db, id, clock.now())

const LONGEST_USER_AGENT = 300

type Follow = {
  id: string
  queryId: string | null
  userAgent: string | null
  /** False for a look that is not a visit; asked of a link that leads somewhere. */
  counts: () => boolean
}

/** The address to go to; null when there is no such link. */
export async function followLink(
  ctx: LinksContext,
  finders: readonly LinkFinder[],
  { id, queryId, userAgent, counts }: Follow,
): Promise<string | null> {
  const link = isUuid(id) ? await firstFound(ctx, finders, id) : null
  if (!link) return null
  const { kind, orgId, productId, productSlug, categorySlug, destination } = link
  // Addresses that were stored before private ones were refused.
  if (destination === null || !isPublicHost(new URL(destination)))
    return `${ctx.config.baseUrl}${productPath({ slug: productSlug, category: { slug: categorySlug } })}`
  if (counts()) {
    const click = {
      ...{ id: newId(), at: ctx.clock.now(), kind, linkId: id, orgId, productId },
      userAgent: userAgent === null ? null : userAgent.slice(0, LONGEST_USER_AGENT).toWellFormed(),
      queryId: queryId !== null && isUuid(queryId) ? queryId : null,
    }
    // The shopper does not wait because the counting failed.
    await insertLinkClick(ctx.db, click).catch((error) =>
      ctx.log.error({ err: error, linkId: id }, 'a click could not be recorded'),
    )
  }
  return headerSafe(destination)
}

async function firstFound(ctx: LinksContext, finders: readonly LinkFinder[], id: string) {
  for (const find of finders) {
    const link = await find(ctx, id)
    if (link) return link
  }
  return null
}

/** As it was stored, unless a header cannot carry it: then the same address in ASCII. */
function headerSafe(address: string): string {
  return /^[!-~]+$/.test(address) ? address : new URL(address).href
}

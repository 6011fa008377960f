/**
 * What stands beside a seller's answer when a buyer compares: how many others would be asked, and listed prices below it.
 * For the seller who tries their answer out; other sellers' quotes are for those who ask them.
 */
import { getProfile } from '../catalog/catalog.service.ts'
import { findNamedProduct } from '../catalog/relationships.service.ts'
import { isWithinDomain } from '../lib/domains.ts'
import { type Act, requireProducer } from '../orgs/producer.ts'
import type { RfqContext } from './context.ts'
import { findProducersOf } from './producers.queries.ts'

export type BuyerView = {
  title: string
  seller: { name: string; domain: string | null }
  /** Sellers besides this one whom a request for this product goes to. */
  others: number
  /** The lowest price listed at a shop that is not the seller's; null where none is listed. */
  listed: { shop: string; priceCents: number } | null
}

/** Null when the product is gone. */
export async function viewAsBuyer(
  ctx: RfqContext,
  act: Pick<Act, 'caller'>,
  { productSlug }: { productSlug: string },
): Promise<BuyerView | null> {
  const { org } = await requireProducer(ctx, act.caller, 'read')
  const ref = await findNamedProduct(ctx, productSlug)
  const profile = ref && (await getProfile(ctx, ref))
  if (!profile) return null
  const sellers = await findProducersOf(ctx.db, { productId: profile.id, variantId: null }, ctx.clock.now())
  const domain = org.verificationStatus === 'verified' ? org.domain : null
  const [cheapest] = profile.whereToBuy
    .filter(({ url }) => domain === null || !isWithinDomain(URL.parse(url)?.hostname ?? '', domain))
    .flatMap(({ name, priceCents }) => (priceCents === null ? [] : [{ shop: name, priceCents }]))
    .toSorted((a, b) => a.priceCents - b.priceCents)
  return {
    title: profile.title,
    seller: { name: org.name, domain },
    others: sellers.filter(({ id }) => id !== org.id).length,
    listed: cheapest ?? null,
  }
}

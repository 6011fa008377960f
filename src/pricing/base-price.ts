/**
 * What managed pricing starts from: the seller's own price or a cheaper live offer, which buyers see anyway; else the
 * price at the seller's shop, else the catalog's. Only a proved domain is the seller's own: else anybody could quote by
 * another shop's price.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { isWithinDomain } from '../lib/domains.ts'

export const BASE_SOURCES = ['own_price', 'live_offer', 'own_shop', 'list_price', 'highest_price'] as const
export type BaseSource = (typeof BASE_SOURCES)[number]
export type BasePrice = { priceCents: number; source: BaseSource }

export type Priced = Pick<ProductProfile, 'priceHighCents' | 'listPriceCents' | 'whereToBuy'>

type Seller = {
  /** Proved; null where none is. */
  domain: string | null
  offerPriceCents: number | null
}

/** Null where nobody has said a price. */
export function basePriceOf(
  { domain, offerPriceCents }: Seller,
  ownPriceCents: number | null,
  product: Priced,
): BasePrice | null {
  const isOwn = ownPriceCents !== null && (offerPriceCents === null || ownPriceCents <= offerPriceCents)
  const candidates: Array<[BaseSource, number | null | undefined]> = [
    ['own_price', isOwn ? ownPriceCents : null],
    ['live_offer', offerPriceCents],
    ['own_shop', ownShopOf(domain, product)?.priceCents],
    ['list_price', product.listPriceCents],
    ['highest_price', product.priceHighCents],
  ]
  for (const [source, priceCents] of candidates) if (priceCents != null) return { priceCents, source }
  return null
}

/** Of several links to it, the first that names a price. */
export function ownShopOf(domain: string | null, { whereToBuy }: Pick<Priced, 'whereToBuy'>) {
  if (domain === null) return null
  const own = whereToBuy.filter(({ url }) => isWithinDomain(URL.parse(url)?.hostname ?? '', domain))
  return own.find(({ priceCents }) => priceCents !== null) ?? own[0] ?? null
}

/** What steps of limits are of: never a price that a member sets. */
export function stepsOf({ listPriceCents, priceHighCents }: Priced): number | null {
  return listPriceCents ?? priceHighCents
}

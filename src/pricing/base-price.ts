/**
 * What managed pricing starts from: the seller's own price or a cheaper live offer, which buyers see anyway; else the
 * price at the seller's shop, else the catalog's. Only a proved domain is the seller's own: else anybody could quote by
 * another shop's price. Where variants differ in price, the catalog's price of one stands for it alone, and no other price
 * of the product does.
 */
import type { Variant } from '../catalog/catalog.schema.ts'
import type { ProductProfile } from '../catalog/profile.ts'
import { isWithinDomain } from '../lib/domains.ts'

export const BASE_SOURCES = [
  'own_price',
  'live_offer',
  'variant_price',
  'own_shop',
  'list_price',
  'highest_price',
] as const
export type BaseSource = (typeof BASE_SOURCES)[number]
export type BasePrice = { priceCents: number; source: BaseSource }

export type Priced = Pick<
  ProductProfile,
  'priceLowCents' | 'priceHighCents' | 'listPriceCents' | 'whereToBuy'
>

/** The variant that is priced; `listed` is null where the catalog no longer has it. */
export type PricedVariant = { listed: Variant | null }

type Seller = {
  /** Proved; null where none is. */
  domain: string | null
  offerPriceCents: number | null
}

/** Whether a price of the product is that of each variant. */
export function isOnePrice({ priceLowCents, priceHighCents }: Priced): boolean {
  return priceLowCents === priceHighCents
}

/** Null where nobody has said a price. `ownPriceCents`: the seller's for the variant, or else for the product. */
export function basePriceOf(
  { domain, offerPriceCents }: Seller,
  ownPriceCents: number | null,
  product: Priced,
  variant: PricedVariant | null = null,
): BasePrice | null {
  const isOwn = ownPriceCents !== null && (offerPriceCents === null || ownPriceCents <= offerPriceCents)
  const candidates: ReadonlyArray<readonly [BaseSource, number | null | undefined]> = [
    ['own_price', isOwn ? ownPriceCents : null],
    ['live_offer', offerPriceCents],
    ...(variant === null || isOnePrice(product)
      ? ([
          ['own_shop', ownShopOf(domain, product)?.priceCents],
          ['list_price', product.listPriceCents],
          ['highest_price', product.priceHighCents],
        ] as const)
      : ([['variant_price', variant.listed?.listPriceCents ?? variant.listed?.priceCents]] as const)),
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

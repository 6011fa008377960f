/** A product's promoted offers as JSON (`/offers/{slug}.json`): for agents that look for a price. Pure. */
import { centsToDollars } from '../lib/money.ts'
import type { ProductOffers } from './profile.schema.ts'
import { productPath } from './profile.ts'
import { offerLink, type PromotedOffer } from './promoted-offer.ts'

type ProductWithOffers = {
  slug: string
  category: string
  title: string
  updatedAt: Date
  offers?: readonly PromotedOffer[]
}

export function renderOffersJson(product: ProductWithOffers, baseUrl: string): ProductOffers {
  const { slug, category, title, offers = [] } = product
  const url = `${baseUrl}${productPath({ slug, category: { slug: category } })}`
  return {
    product: { slug, category, title, url },
    offers: offers.map((offer) => ({
      id: offer.id,
      headline: offer.headline,
      detail: offer.detail,
      url: offerLink(offer, baseUrl),
      price_usd: dollars(offer.priceCents),
      list_price_usd: dollars(offer.listPriceCents),
      promo_code: offer.promoCode,
      offer_types: [...offer.offerTypes],
      starts_at: offer.startsAt?.toISOString() ?? null,
      expires_at: offer.expiresAt?.toISOString() ?? null,
      seller: {
        name: offer.seller.name,
        org_type: offer.seller.orgType,
        verified: offer.seller.verified,
        domain: offer.seller.domain,
      },
    })),
    updated_at: product.updatedAt.toISOString(),
  }
}

function dollars(cents: number | null): number | null {
  return cents === null ? null : centsToDollars(cents)
}

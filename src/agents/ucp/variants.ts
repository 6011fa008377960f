/**
 * What can be bought of a product, as UCP's variants: the product as shops sell it, at the catalog's price, and each
 * promoted offer that names a price, with its seller. The catalog knows no sizes or colours, so there are no options.
 * Cheapest first, and of equals the offer, because the first is what a platform features.
 */

import { canonicalSlug } from '../../catalog/product-words.ts'
import { availabilityOf, listedPrices, type PriceSpan, pricedOffers } from '../../catalog/profile.buying.ts'
import { type ProductProfile, productPath } from '../../catalog/profile.ts'
import { offerLink, type PromotedOffer, SHOWN_OFFERS } from '../../catalog/promoted-offer.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import { toUri } from './uri.ts'

export type Price = { amount: number; currency: 'USD' }

export type Variant = {
  id: string
  sku?: string
  barcodes?: Array<{ type: string; value: string }>
  title: string
  description: { plain: string }
  url: string
  price: Price
  list_price?: Price
  availability?: { available: boolean; status?: 'discontinued' }
  media?: Media[]
  metadata?: Record<string, unknown>
  seller?: { name: string; links: Array<{ type: string; url: string; title: string }> }
  /** In the answers of a lookup: what it was found by. */
  inputs?: Array<{ id: string; match: 'exact' | 'featured' }>
}

export type Media = { type: 'image'; url: string; alt_text?: string }

/** A variant and the cents that it may cost, which is what a price filter looks at. */
export type Sold = PriceSpan & { variant: Variant }

export function usd(amount: number): Price {
  return { amount, currency: 'USD' }
}

/** The name that every other face takes too, so that an agent can carry it over. */
export function productId({ category, slug }: { category: { slug: string }; slug: string }): string {
  return canonicalSlug({ category: category.slug, slug })
}

/** The offers of a product that are variants. */
export function shownOffers(
  offers: readonly PromotedOffer[],
): Array<{ offer: PromotedOffer; priceCents: number }> {
  return pricedOffers(offers).slice(0, SHOWN_OFFERS)
}

/** Empty when nobody knows a price: UCP has no word for that, and 0 would mean free. */
export function variantsOf(profile: ProductProfile, baseUrl: string): Sold[] {
  const offers = shownOffers(profile.offers ?? []).map(({ offer, priceCents }) =>
    offered(profile, offer, priceCents, baseUrl),
  )
  return [...offers, ...listed(profile, baseUrl)].sort((a, b) => a.lowCents - b.lowCents)
}

function listed(profile: ProductProfile, baseUrl: string): Sold[] {
  const span = listedPrices(profile)
  if (span === null) return []
  const { listPriceCents, title } = profile
  const variant: Variant = {
    id: `${productId(profile)}:listed`,
    ...identity(profile),
    title,
    description: { plain: descriptionOf(profile) },
    url: `${baseUrl}${productPath(profile)}`,
    price: usd(span.lowCents),
    ...listPrice(listPriceCents, span.lowCents),
    // What one seller promotes says nothing of the other shops.
    ...availability({ discontinued: profile.discontinued }),
    ...mediaOf(profile),
  }
  return [{ variant, ...span }]
}

function offered(profile: ProductProfile, offer: PromotedOffer, priceCents: number, baseUrl: string): Sold {
  const { headline, detail, promoCode, seller } = offer
  const url = offerLink(offer, baseUrl)
  const variant: Variant = {
    id: `${productId(profile)}:offer-${offer.id}`,
    ...identity(profile),
    title: `${profile.title}, offered by ${shownOrg(seller)}`,
    description: {
      plain: [headline, detail, promoCode && `Promo code: ${promoCode}`].filter(Boolean).join('\n'),
    },
    url,
    price: usd(priceCents),
    ...listPrice(offer.listPriceCents, priceCents),
    ...availability({ discontinued: profile.discontinued, offers: [offer] }),
    ...mediaOf(profile),
    metadata: promotion(offer),
    seller: { name: seller.name, links: [{ type: 'offer', url, title: headline }] },
  }
  return { variant, lowCents: priceCents, highCents: priceCents }
}

/** `sponsored` says that the seller put it here: shown, never hidden among the rest. */
export function promotion(offer: PromotedOffer): Record<string, unknown> {
  const { promoCode, offerTypes, startsAt, expiresAt, seller } = offer
  return {
    sponsored: true,
    offer_types: offerTypes,
    ...(promoCode !== null && { promo_code: promoCode }),
    ...(startsAt !== null && { starts_at: startsAt.toISOString() }),
    ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
    seller_type: seller.orgType,
    seller_verified: seller.verified,
  }
}

export function descriptionOf({ verdict, description, title }: ProductProfile): string {
  return [verdict, description].filter(Boolean).join('\n\n') || title
}

export function mediaOf({ images, additionalImages = [], title }: ProductProfile): { media?: Media[] } {
  const media = [...images, ...additionalImages].flatMap(({ url, alt }): Media[] => {
    const uri = toUri(url)
    return uri === null ? [] : [{ type: 'image', url: uri, alt_text: alt ?? title }]
  })
  return media.length > 0 ? { media } : {}
}

function identity({ sku, gtin }: ProductProfile): Pick<Variant, 'sku' | 'barcodes'> {
  return {
    ...(sku !== null && { sku }),
    ...(gtin !== null && { barcodes: [{ type: 'GTIN', value: gtin }] }),
  }
}

function listPrice(listCents: number | null, priceCents: number): Pick<Variant, 'list_price'> {
  return listCents !== null && listCents > priceCents ? { list_price: usd(listCents) } : {}
}

/** Nothing is said where nothing is known. */
function availability(known: Parameters<typeof availabilityOf>[0]): Pick<Variant, 'availability'> {
  switch (availabilityOf(known)) {
    case 'discontinued':
      return { availability: { available: false, status: 'discontinued' } }
    case 'available':
      return { availability: { available: true } }
    default:
      return {}
  }
}

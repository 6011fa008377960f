/**
 * The JSON forms of a profile: Schema.org's (interface 2.5), which omits unknown fields, and its live offers
 * (`/offers/{slug}.json`). Pure.
 */
import { centsToDollars, dollarsOf } from '../lib/money.ts'
import { demoMark } from '../orgs/shown-org.ts'
import type { ProductJsonLd, ProductOffers } from './profile.schema.ts'
import { offersPath, type ProductProfile, priceRange, productPath, shownImages } from './profile.ts'
import { offerLink, type PromotedOffer } from './promoted-offer.ts'

export function renderProductJsonLd(profile: ProductProfile, baseUrl: string): ProductJsonLd {
  const url = `${baseUrl}${productPath(profile)}`
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: profile.title,
    ...(profile.model !== null && { model: profile.model }),
    category: profile.category.label,
    url,
    ...(profile.brand !== null && { brand: { '@type': 'Brand', name: profile.brand.name } }),
    ...images(profile, baseUrl),
    ...(profile.description !== null && { description: profile.description }),
    ...(profile.gtin !== null && { gtin: profile.gtin }),
    ...(profile.mpn !== null && { mpn: profile.mpn }),
    ...(profile.sku !== null && { sku: profile.sku }),
    ...(profile.released !== null && { releaseDate: profile.released }),
    ...(profile.specs.length > 0 && {
      additionalProperty: profile.specs.map(({ name, value }) => ({ '@type': 'PropertyValue', name, value })),
    }),
    ...rating(profile),
    verificationStatus: profile.verificationStatus,
    ...(profile.verificationStatus !== 'manufacturer_verified' && {
      enrichmentEndpoint: `${baseUrl}/api/org/enrichment/`,
    }),
    ...enrichedBy(profile),
    offers: offers(profile, url),
    dateModified: profile.updatedAt.toISOString(),
    ...(profile.offers && { offersEndpoint: `${baseUrl}${offersPath(profile)}` }),
  }
}

function images(profile: ProductProfile, baseUrl: string): Pick<ProductJsonLd, 'image' | 'additionalImages'> {
  const {
    own: [first],
    added,
  } = shownImages(profile, baseUrl)
  return {
    ...(first && { image: first.url }),
    ...(added.length > 0 && { additionalImages: added.map(({ url }) => url) }),
  }
}

function enrichedBy({ enrichedBy: orgs = [] }: ProductProfile): Pick<ProductJsonLd, 'enrichedBy'> {
  const contributors = orgs.map(({ orgName, orgType, verifiedAt }) => ({ orgName, orgType, verifiedAt }))
  return contributors.length > 0 ? { enrichedBy: contributors } : {}
}

/** Schema.org requires a count above zero. */
function rating({ rating: value, reviewCount }: ProductProfile): Pick<ProductJsonLd, 'aggregateRating'> {
  if (value === null || !reviewCount) return {}
  return { aggregateRating: { '@type': 'AggregateRating', ratingValue: value, reviewCount, bestRating: 5 } }
}

function offers(profile: ProductProfile, url: string): ProductJsonLd['offers'] {
  const { priceLowCents, priceHighCents, whereToBuy, discontinued } = profile
  return {
    '@type': 'AggregateOffer',
    priceCurrency: 'USD',
    priceRange: priceRange(profile) ?? 'See sellers',
    url,
    ...(priceLowCents !== null && { lowPrice: centsToDollars(priceLowCents) }),
    ...(priceHighCents !== null && { highPrice: centsToDollars(priceHighCents) }),
    ...(whereToBuy.length > 0 && { offerCount: whereToBuy.length }),
    ...(discontinued && { availability: 'https://schema.org/Discontinued' }),
  }
}

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
      price_usd: dollarsOf(offer.priceCents),
      list_price_usd: dollarsOf(offer.listPriceCents),
      promo_code: offer.promoCode,
      offer_types: [...offer.offerTypes],
      starts_at: offer.startsAt?.toISOString() ?? null,
      expires_at: offer.expiresAt?.toISOString() ?? null,
      seller: {
        name: offer.seller.name,
        org_type: offer.seller.orgType,
        verified: offer.seller.verified,
        domain: offer.seller.domain,
        ...demoMark(offer.seller),
      },
    })),
    updated_at: product.updatedAt.toISOString(),
  }
}

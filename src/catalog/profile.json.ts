/**
 * The JSON forms of a profile: Schema.org's (interface 2.5), which omits unknown fields, and its live offers
 * (`/offers/{slug}.json`). Pure.
 */
import { centsToDollars, dollarsOf } from '../lib/money.ts'
import { demoMark } from '../orgs/shown-org.ts'
import type { Spec } from './catalog.schema.ts'
import { type ProductJsonLd, type ProductOffers, STOCK_TERMS } from './profile.schema.ts'
import { offersPath, type ProductProfile, priceRange, productPath, shownImages } from './profile.ts'
import { ownNumbers, type ShownVariant, variantsOf } from './profile.variants.ts'
import { offerLink, offerVariantData, type PromotedOffer } from './promoted-offer.ts'

/** Pages show the first variants; the form of its own has all. */
export function renderProductJsonLd(
  profile: ProductProfile,
  baseUrl: string,
  { mostVariants = Number.POSITIVE_INFINITY } = {},
): ProductJsonLd {
  const url = `${baseUrl}${productPath(profile)}`
  const { gtin, sku } = ownNumbers(profile)
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
    ...(gtin !== null && { gtin }),
    ...(profile.mpn !== null && { mpn: profile.mpn }),
    ...(sku !== null && { sku }),
    ...(profile.released !== null && { releaseDate: profile.released }),
    ...(profile.specs.length > 0 && {
      additionalProperty: profile.specs.map(toProperty),
    }),
    ...variantGroup(profile, baseUrl, mostVariants),
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

const OWN_PROPERTIES = { Color: 'color', Size: 'size' } as const

function variantGroup(
  profile: ProductProfile,
  baseUrl: string,
  most: number,
): Pick<ProductJsonLd, 'isVariantOf'> {
  const { axes, variants } = variantsOf(profile, baseUrl)
  if (variants.length === 0) return {}
  const propertyOf = (name: string) =>
    Object.hasOwn(OWN_PROPERTIES, name) ? OWN_PROPERTIES[name as keyof typeof OWN_PROPERTIES] : null
  const variesBy = axes.map(({ name }) => {
    const property = propertyOf(name)
    return property === null ? name : `https://schema.org/${property}`
  })
  const toVariant = (variant: ShownVariant) => {
    const { id, name, options, sku, gtin, image, priceCents, availability } = variant
    const url = `${baseUrl}${variant.path}`
    const others = options.filter((option) => propertyOf(option.name) === null)
    return {
      '@type': 'Product' as const,
      name: `${profile.title} - ${name}`,
      productID: id,
      url,
      ...(sku !== null && { sku }),
      ...(gtin !== null && { gtin }),
      ...(image !== null && { image }),
      ...Object.fromEntries(
        options.flatMap((option) => {
          const property = propertyOf(option.name)
          return property === null ? [] : [[property, option.value]]
        }),
      ),
      ...(others.length > 0 && { additionalProperty: others.map(toProperty) }),
      offers: {
        '@type': 'Offer' as const,
        priceCurrency: 'USD' as const,
        ...(priceCents !== null && { price: centsToDollars(priceCents) }),
        ...(availability !== null && { availability: STOCK_TERMS[availability] }),
        url,
      },
    }
  }
  return {
    isVariantOf: {
      '@type': 'ProductGroup',
      name: profile.title,
      productGroupID: profile.slug,
      ...(variesBy.length > 0 && { variesBy }),
      hasVariant: variants.slice(0, most).map(toVariant),
    },
  }
}

function toProperty({ name, value }: Spec) {
  return { '@type': 'PropertyValue' as const, name, value }
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
      ...offerVariantData(offer.variant),
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

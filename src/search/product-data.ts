/**
 * A profile as the data of a tool: the facts that name and price a product always, and each section when it was asked
 * for. A section that is absent was not asked for; what is not known within one is null or empty.
 */
import { z } from 'zod'
import { VARIANT_AVAILABILITIES } from '../catalog/catalog.schema.ts'
import { priceNow } from '../catalog/profile.buying.ts'
import { imagesOf, type ProfileSection, variantData } from '../catalog/profile.text.ts'
import { canonicalSlug, type ProductProfile, productPath, provenanceBySource } from '../catalog/profile.ts'
import { offerLink, offerVariantData, type PromotedOffer } from '../catalog/promoted-offer.ts'
import { centsToDollars } from '../lib/money.ts'
import { Demo } from '../orgs/shown-org.ts'

const Sections = z.object({
  summary: z.object({
    description: z.string().nullable(),
    best_for: z.array(z.string()),
    not_for: z.array(z.string()),
    gtin: z.string().nullable(),
    mpn: z.string().nullable(),
  }),
  verdict: z.string().nullable(),
  specs: z.array(z.object({ name: z.string(), value: z.string() })),
  variants: z
    .array(
      z.object({
        id: z.string(),
        name: z.string(),
        options: z.array(z.object({ name: z.string(), value: z.string() })),
        sku: z.string().nullable(),
        gtin: z.string().nullable(),
        price_usd: z.number().nullable(),
        list_price_usd: z.number().nullable(),
        availability: z.enum(VARIANT_AVAILABILITIES).nullable(),
        image: z.string().nullable(),
      }),
    )
    .describe('Sizes, colors and the like'),
  themes: z
    .array(
      z.object({
        theme: z.string(),
        sentiment: z.string(),
        share: z.number().nullable().describe('Of reviews, 0 to 1'),
        summary: z.string().nullable(),
      }),
    )
    .describe('What reviewers say'),
  images: z.array(z.object({ url: z.string(), alt: z.string().nullable() })),
  where_to_buy: z.array(z.object({ name: z.string(), url: z.string(), price_usd: z.number().nullable() })),
  offers: z
    .array(
      z.object({
        seller: z.string(),
        seller_verified: z.boolean(),
        seller_domain: z.string().nullable().describe('Its verified domain; null if none'),
        seller_demo: Demo,
        headline: z.string(),
        detail: z.string().nullable(),
        promo_code: z.string().nullable(),
        variant: z.string().optional().describe('The variant it is for; absent for all'),
        variant_listed: z.literal(false).optional(),
        price_usd: z.number().nullable(),
        list_price_usd: z.number().nullable(),
        expires_at: z.string().nullable(),
        url: z.string(),
      }),
    )
    .describe('Promoted now, lowest price first'),
  provenance: z.object({
    verification_status: z.string(),
    updated_at: z.string(),
    sources: z.array(
      z.object({ source: z.string(), verified_at: z.string().nullable(), fields: z.array(z.string()) }),
    ),
    enriched_by: z.array(z.string()),
  }),
} satisfies Record<ProfileSection, z.ZodType>)
type Sections = z.output<typeof Sections>

export const ProductData = z.object({
  product_slug: z.string(),
  category: z.string(),
  slug: z.string(),
  title: z.string(),
  url: z.string(),
  price_low_usd: z.number().nullable(),
  price_high_usd: z.number().nullable(),
  list_price_usd: z.number().nullable(),
  price_now_usd: z.number().nullable().describe('Lowest now: of a live offer, or else listed'),
  discontinued: z.boolean(),
  is_sponsored: z.boolean(),
  brand: z.string().nullable(),
  model: z.string().nullable(),
  rating: z.number().nullable().describe('Of 5'),
  review_count: z.int().nullable(),
  released: z.string().nullable(),
  ...Sections.partial().shape,
})
export type ProductData = z.output<typeof ProductData>

export function productData(
  profile: ProductProfile,
  sections: ReadonlySet<ProfileSection>,
  baseUrl: string,
): ProductData {
  const { slug, title, brand, model, rating, reviewCount, released, discontinued, offers = [] } = profile
  const category = profile.category.slug
  const asked = Object.entries(SECTIONS).filter(([section]) => sections.has(section as ProfileSection))
  return {
    product_slug: canonicalSlug({ category, slug }),
    category,
    slug,
    title,
    url: `${baseUrl}${productPath(profile)}`,
    price_low_usd: dollars(profile.priceLowCents),
    price_high_usd: dollars(profile.priceHighCents),
    list_price_usd: dollars(profile.listPriceCents),
    price_now_usd: dollars(priceNow(profile)?.cents ?? null),
    discontinued,
    is_sponsored: offers.length > 0,
    brand: brand?.name ?? null,
    model,
    rating,
    review_count: reviewCount,
    released,
    ...Object.fromEntries(asked.map(([section, read]) => [section, read(profile, baseUrl)])),
  }
}

const SECTIONS: { [Name in ProfileSection]: (profile: ProductProfile, baseUrl: string) => Sections[Name] } = {
  summary: ({ description, bestFor, notFor, gtin, mpn }) => ({
    description,
    best_for: bestFor,
    not_for: notFor,
    gtin,
    mpn,
  }),
  verdict: ({ verdict }) => verdict,
  specs: ({ specs }) => specs.map(({ name, value }) => ({ name, value })),
  variants: variantData,
  themes: ({ themes }) =>
    themes.map(({ theme, sentiment, share, summary }) => ({ theme, sentiment, share, summary })),
  images: (profile, baseUrl) => imagesOf(profile, baseUrl).map(({ url, alt }) => ({ url, alt })),
  where_to_buy: ({ whereToBuy }) =>
    whereToBuy.map(({ name, url, priceCents }) => ({ name, url, price_usd: dollars(priceCents) })),
  offers: ({ offers = [] }, baseUrl) => offers.map((offer) => toldOffer(offer, baseUrl)),
  provenance: (profile) => ({
    verification_status: profile.verificationStatus,
    updated_at: profile.updatedAt.toISOString(),
    sources: provenanceBySource(profile).map(({ source, verifiedAt, fields }) => ({
      source,
      verified_at: verifiedAt,
      fields,
    })),
    enriched_by: (profile.enrichedBy ?? []).map(({ orgName }) => orgName),
  }),
}

function toldOffer(offer: PromotedOffer, baseUrl: string): Sections['offers'][number] {
  return {
    seller: offer.seller.name,
    seller_verified: offer.seller.verified,
    seller_domain: offer.seller.domain,
    ...(offer.seller.demo && { seller_demo: true as const }),
    headline: offer.headline,
    detail: offer.detail,
    promo_code: offer.promoCode,
    ...offerVariantData(offer.variant),
    price_usd: dollars(offer.priceCents),
    list_price_usd: dollars(offer.listPriceCents),
    expires_at: offer.expiresAt?.toISOString() ?? null,
    url: offerLink(offer, baseUrl),
  }
}

function dollars(cents: number | null): number | null {
  return cents === null ? null : centsToDollars(cents)
}

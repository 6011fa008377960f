/**
 * A profile as a UCP product, with the variants that an answer shows of it. Pure. Amounts are the catalog's own cents,
 * which are the minor units that UCP counts in: nothing is computed, so nothing is rounded. What the schema has no field
 * for (the verdict, specs, who sells it) stands in `metadata`, in full only where one product was asked for.
 */
import { statedPrice } from '../../catalog/profile.buying.ts'
import { offersPath, type ProductProfile, productPath } from '../../catalog/profile.ts'
import { offerLink, SHOWN_OFFERS } from '../../catalog/promoted-offer.ts'
import { toUri } from './uri.ts'
import {
  descriptionOf,
  type Media,
  mediaOf,
  type Price,
  productId,
  promotion,
  type Sold,
  usd,
  type Variant,
} from './variants.ts'

export type PriceRange = { min: Price; max: Price }

export type UcpProduct = {
  id: string
  handle: string
  title: string
  description: { plain: string }
  url: string
  categories: Array<{ value: string; taxonomy: string }>
  price_range: PriceRange
  list_price_range?: PriceRange
  media?: Media[]
  variants: Variant[]
  rating?: { value: number; scale_min: number; scale_max: number; count?: number }
  metadata: Record<string, unknown>
  selected?: []
}

type Shown = {
  /** All there are: the ranges span them, whichever are shown. */
  sold: readonly Sold[]
  shown: readonly Variant[]
  baseUrl: string
  detail?: 'brief' | 'full'
}

/** `sold` and `shown` have at least one each. */
export function toProduct(profile: ProductProfile, { sold, shown, baseUrl, detail }: Shown): UcpProduct {
  return {
    id: productId(profile),
    handle: profile.slug,
    title: profile.title,
    description: { plain: descriptionOf(profile) },
    url: `${baseUrl}${productPath(profile)}`,
    categories: [{ value: profile.category.slug, taxonomy: 'merchant' }],
    price_range: {
      min: usd(Math.min(...sold.map(({ lowCents }) => lowCents))),
      max: usd(Math.max(...sold.map(({ highCents }) => highCents))),
    },
    ...listPriceRange(sold),
    ...mediaOf(profile),
    variants: [...shown],
    ...rating(profile),
    metadata: { ...brief(profile, baseUrl), ...(detail === 'full' && full(profile, baseUrl)) },
    ...(detail === 'full' && { selected: [] }),
  }
}

/** Only where something is reduced; what is not counts with the price it has. */
function listPriceRange(sold: readonly Sold[]): { list_price_range?: PriceRange } {
  if (!sold.some(({ variant }) => variant.list_price)) return {}
  const low = sold.map(({ variant, lowCents }) => variant.list_price?.amount ?? lowCents)
  const high = sold.map(({ variant, highCents }) => Math.max(variant.list_price?.amount ?? 0, highCents))
  return { list_price_range: { min: usd(Math.min(...low)), max: usd(Math.max(...high)) } }
}

function rating({ rating: value, reviewCount }: ProductProfile): Pick<UcpProduct, 'rating'> {
  if (value === null) return {}
  return {
    rating: { value, scale_min: 1, scale_max: 5, ...(reviewCount !== null && { count: reviewCount }) },
  }
}

function brief(profile: ProductProfile, baseUrl: string): Record<string, unknown> {
  const { brand, model, verdict, offers = [], category } = profile
  return {
    category_label: category.label,
    ...(brand !== null && { brand: brand.name }),
    ...(model !== null && { model }),
    ...(verdict !== null && { verdict }),
    verification_status: profile.verificationStatus,
    updated_at: profile.updatedAt.toISOString(),
    markdown_url: `${baseUrl}${productPath(profile)}.md`,
    sponsored: offers.length > 0,
    ...(offers.length > 0 && {
      offers_url: `${baseUrl}${offersPath(profile)}`,
      // Those without a price too, which are no variants: a gift, free shipping, a code.
      promotions: offers.slice(0, SHOWN_OFFERS).map((offer) => ({
        headline: offer.headline,
        seller: offer.seller.name,
        seller_domain: offer.seller.domain,
        url: offerLink(offer, baseUrl),
        ...promotion(offer),
      })),
    }),
  }
}

function full(profile: ProductProfile, baseUrl: string): Record<string, unknown> {
  const { released, mpn, bestFor, notFor, specs, themes, whereToBuy } = profile
  return {
    ...(released !== null && { released }),
    ...(mpn !== null && { mpn }),
    discontinued: profile.discontinued,
    best_for: bestFor,
    not_for: notFor,
    specs,
    review_themes: themes,
    where_to_buy: whereToBuy.map(({ name, url, priceCents }) => {
      const cents = statedPrice(priceCents)
      return { name, url: toUri(url) ?? url, ...(cents !== null && { price: usd(cents) }) }
    }),
    json_url: `${baseUrl}${productPath(profile)}.json`,
  }
}

/**
 * A profile as a UCP product, with the variants that an answer shows of it. Pure. Amounts are the catalog's own cents,
 * which are the minor units that UCP counts in: nothing is computed, so nothing is rounded. What the schema has no field
 * for (the verdict, specs, who sells it) stands in `metadata`, in full only where one product was asked for.
 */

import { getProfiles } from '../../catalog/catalog.service.ts'
import {
  availabilityOf,
  listedPrices,
  type PriceSpan,
  pricedOffers,
  statedPrice,
} from '../../catalog/profile.buying.ts'
import {
  canonicalSlug,
  offersPath,
  type ProductProfile,
  productPath,
  shownImages,
} from '../../catalog/profile.ts'
import {
  isOrderable,
  variantsOf as shownVariants,
  type VariantAvailability,
} from '../../catalog/profile.variants.ts'
import {
  offerLink,
  offerVariantData,
  offerVariantWords,
  type PromotedOffer,
  SHOWN_OFFERS,
  withOffers,
} from '../../catalog/promoted-offer.ts'
import { optionAxes } from '../../catalog/variants.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import type { AgentsContext } from '../context.ts'

type PriceRange = { min: Price; max: Price }

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
  options?: Array<{ name: string; values: Array<{ label: string }> }>
  variants: Variant[]
  rating?: { value: number; scale_min: number; scale_max: number; count?: number }
  metadata: Record<string, unknown>
  selected?: Option[]
}

type Shown = {
  /** All there are: the ranges span them, whichever are shown. */
  sold: readonly Sold[]
  shown: readonly Variant[]
  baseUrl: string
  detail?: 'brief' | 'full'
  /** What the answer was narrowed to. */
  selected?: Option[]
}

/** `sold` and `shown` have at least one each. */
export function toProduct(
  profile: ProductProfile,
  { sold, shown, baseUrl, detail, selected = [] }: Shown,
): UcpProduct {
  const axes = optionAxes(profile.variants)
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
    ...mediaOf(profile, baseUrl),
    ...(axes.length > 0 && {
      options: axes.map(({ name, values }) => ({ name, values: values.map((label) => ({ label })) })),
    }),
    variants: detail === 'full' ? [...shown] : shown.slice(0, MOST_IN_LIST),
    ...rating(profile),
    metadata: { ...brief(profile, baseUrl), ...(detail === 'full' && full(profile, baseUrl)) },
    ...(detail === 'full' && { selected }),
  }
}

/** A list of products shows so many variants of each; one product asked for has all. */
const MOST_IN_LIST = 12

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

/**
 * What can be bought of a product, as UCP's variants: each of its sizes and colours that has a price, or else the product
 * as shops sell it, at the catalog's price; and each promoted offer that names a price, with its seller. What cannot be
 * had comes last, then cheapest first, and of equals the offer, because the first is what a platform features.
 */
type Price = { amount: number; currency: 'USD' }

export type Variant = {
  id: string
  sku?: string
  barcodes?: Array<{ type: string; value: string }>
  title: string
  description: { plain: string }
  url: string
  price: Price
  list_price?: Price
  availability?: { available: boolean; status?: VariantAvailability | 'discontinued' }
  options?: Option[]
  media?: Media[]
  metadata?: Record<string, unknown>
  seller?: { name: string; links: Array<{ type: string; url: string; title: string }> }
  /** In the answers of a lookup: what it was found by. */
  inputs?: Array<{ id: string; match: 'exact' | 'featured' }>
}

export type Option = { name: string; label: string }

type Media = { type: 'image'; url: string; alt_text?: string }

/** A variant and the cents that it may cost, which is what a price filter looks at. */
export type Sold = PriceSpan & { variant: Variant }

function usd(amount: number): Price {
  return { amount, currency: 'USD' }
}

/** The name that every other face takes too, so that an agent can carry it over. */
function productId({ category, slug }: { category: { slug: string }; slug: string }): string {
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
  const variants = varied(profile, baseUrl)
  const isOut = ({ variant }: Sold) => Number(variant.availability?.available === false)
  return [...offers, ...(variants.length > 0 ? variants : listed(profile, baseUrl))].sort(
    (a, b) => isOut(a) - isOut(b) || a.lowCents - b.lowCents,
  )
}

function varied(profile: ProductProfile, baseUrl: string): Sold[] {
  return shownVariants(profile, baseUrl).variants.flatMap((one): Sold[] => {
    const {
      key,
      name,
      options,
      sku,
      gtin,
      priceCents,
      listPriceCents,
      availability: stock,
      image,
      path,
    } = one
    if (priceCents === null) return []
    const uri = image === null ? null : toUri(image)
    const variant: Variant = {
      id: `${productId(profile)}:variant-${key}`,
      ...identity({ sku, gtin }),
      title: `${profile.title}, ${name}`,
      description: { plain: descriptionOf(profile) },
      url: `${baseUrl}${path}`,
      price: usd(priceCents),
      ...listPrice(listPriceCents, priceCents),
      ...(profile.discontinued ? availability({ discontinued: true }) : stockOf(stock)),
      options: options.map((option) => ({ name: option.name, label: option.value })),
      ...(uri === null
        ? mediaOf(profile, baseUrl)
        : { media: [{ type: 'image' as const, url: uri, alt_text: `${profile.title}, ${name}` }] }),
    }
    return [{ variant, lowCents: priceCents, highCents: priceCents }]
  })
}

function stockOf(stock: VariantAvailability | null): Pick<Variant, 'availability'> {
  const available = isOrderable(stock)
  return available === null || stock === null ? {} : { availability: { available, status: stock } }
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
    ...mediaOf(profile, baseUrl),
  }
  return [{ variant, ...span }]
}

function offered(profile: ProductProfile, offer: PromotedOffer, priceCents: number, baseUrl: string): Sold {
  const { headline, detail, promoCode, seller, variant: only } = offer
  const url = offerLink(offer, baseUrl)
  const variant: Variant = {
    id: `${productId(profile)}:offer-${offer.id}`,
    ...identity(profile),
    title: `${profile.title}, offered by ${shownOrg(seller)}`,
    description: {
      plain: [
        ...(only ? [`For ${offerVariantWords(only)}`] : []),
        ...[headline, detail, promoCode && `Promo code: ${promoCode}`],
      ]
        .filter(Boolean)
        .join('\n'),
    },
    url,
    price: usd(priceCents),
    ...listPrice(offer.listPriceCents, priceCents),
    ...availability({ discontinued: profile.discontinued, offers: [offer] }),
    ...mediaOf(profile, baseUrl),
    metadata: promotion(offer),
    seller: { name: seller.name, links: [{ type: 'offer', url, title: headline }] },
  }
  return { variant, lowCents: priceCents, highCents: priceCents }
}

/** `sponsored` says that the seller put it here: shown, never hidden among the rest. */
function promotion(offer: PromotedOffer): Record<string, unknown> {
  const { promoCode, offerTypes, startsAt, expiresAt, seller } = offer
  return {
    sponsored: true,
    offer_types: offerTypes,
    ...(promoCode !== null && { promo_code: promoCode }),
    ...offerVariantData(offer.variant),
    ...(startsAt !== null && { starts_at: startsAt.toISOString() }),
    ...(expiresAt !== null && { expires_at: expiresAt.toISOString() }),
    seller_type: seller.orgType,
    seller_verified: seller.verified,
    ...(seller.demo && { seller_demo: true }),
  }
}

function descriptionOf({ verdict, description, title }: ProductProfile): string {
  return [verdict, description].filter(Boolean).join('\n\n') || title
}

function mediaOf(profile: ProductProfile, baseUrl: string): { media?: Media[] } {
  const { own, added } = shownImages(profile, baseUrl)
  const media = [...own, ...added].flatMap(({ url, alt }): Media[] => {
    const uri = toUri(url)
    return uri === null ? [] : [{ type: 'image', url: uri, alt_text: alt ?? profile.title }]
  })
  return media.length > 0 ? { media } : {}
}

function identity({ sku, gtin }: Pick<ProductProfile, 'sku' | 'gtin'>): Pick<Variant, 'sku' | 'barcodes'> {
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

/**
 * An address as RFC 3986 wants it, which the protocol's schemas ask for. Browsers take more than that: `|` and `[` may
 * stand in a path as they are, and people paste such addresses into feeds.
 */
export function toUri(address: string): string | null {
  const url = URL.parse(address)
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return null
  const fragment = url.hash === '' ? '' : `#${strict(url.hash.slice(1)).replaceAll('#', '%23')}`
  return `${url.origin}${strict(url.pathname + url.search)}${fragment}`
}

function strict(text: string): string {
  return text.replace(/%(?![\da-f]{2})/gi, '%25').replace(/["<>\\^`{|}[\]]/g, encodeURIComponent)
}

/** Profiles by id in the order asked for, each with what sellers promote at this moment. Those removed are left out. */
export async function profilesOf(
  ctx: Pick<AgentsContext, 'db' | 'offers'>,
  ids: string[],
): Promise<ProductProfile[]> {
  if (ids.length === 0) return []
  return (await getProfiles(ctx, ids)).map((profile) => withOffers(profile, ctx.offers))
}

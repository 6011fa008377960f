/**
 * The two product feeds. `/feeds/products.jsonl` has one JSON object a line, by the column names of OpenAI's product feed
 * (file upload, flat form); what is not known has no key. `/feeds/google.tsv` has the columns of Google Merchant Center,
 * tab-separated, with an empty cell for what is not known. A product with variants is a row for each, with the id of their group.
 *
 * Souk is not the merchant: it passes on what sellers and feeds state, and where nobody has stated a thing the value is
 * null, never a likely one. docs/feeds.md has the reasons.
 */
import { availabilityOf, listedPrices, pricedOffers, statedPrice } from '../../../catalog/profile.buying.ts'
import { DEMO_NOTICE } from '../../../catalog/profile.markdown.ts'
import { type ProductProfile, productPath, shownImages } from '../../../catalog/profile.ts'
import { type ShownVariant, type VariantAvailability, variantsOf } from '../../../catalog/profile.variants.ts'
import type { PromotedOffer } from '../../../catalog/promoted-offer.ts'
import { sha256 } from '../../../lib/crypto.ts'
import { cleanLine, shorten } from '../../../lib/text.ts'
import { shownName } from '../../../orgs/shown-org.ts'
import type { Listing, ListingSite } from './listing.ts'

const MAX_TITLE = 150
const MAX_NAME = 70
const MAX_DESCRIPTION = 5_000

/** Nothing can be bought at Souk, so checkout is off, and the invented products of the demo catalog are for no search. */
export const OPENAI_FEED: Listing = {
  path: '/feeds/products.jsonl',
  contentType: 'application/jsonl; charset=utf-8',
  head: () => '',
  entry: (site, profile) =>
    feedRows(site, profile)
      .map((facts) => `${JSON.stringify(feedItem(site, profile, facts), (_, value) => value ?? undefined)}\n`)
      .join(''),
}

function feedItem(site: ListingSite, profile: ProductProfile, facts: Facts) {
  const { title, description, link, brand, gtin, mpn, photos, deal, variant } = facts
  return {
    item_id: shortId(facts.id, MAX_ITEM_ID),
    group_id: variant && shortId(profile.slug, MAX_ITEM_ID),
    listing_has_variations: variant && true,
    item_group_title: variant && feedText(profile.title, MAX_TITLE),
    variant_dict: variant && optionRecord(variant),
    title,
    description,
    url: link,
    brand,
    image_url: photos.main,
    price: facts.price,
    sale_price: facts.salePrice,
    // The one column for which "unknown" is a value.
    availability: facts.availability === 'preorder' ? 'pre_order' : (facts.availability ?? 'unknown'),
    offer_id: deal.offerId,
    gtin,
    mpn,
    product_category: feedText(profile.category.label, MAX_TITLE),
    additional_image_urls: photos.more.length > 0 ? photos.more : null,
    seller_name: feedText(deal.seller?.name ?? null, MAX_NAME),
    seller_url: deal.seller?.url ?? null,
    review_count: profile.reviewCount,
    star_rating: profile.rating,
    is_eligible_search: !site.demo,
    is_eligible_checkout: false,
  }
}

const MAX_ITEM_ID = 100
const MAX_ID = 50
const DIGEST = 10
const MAX_TYPE = 750
const MAX_OPTION = 100
const MAX_DETAIL_NAME = 140
const MAX_DETAIL_VALUE = 1_000
/** Half width and full width: spreadsheets take both. */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/

/**
 * A cell never holds a tab or a line break; one with a quotation mark is quoted and the mark doubled. People open such
 * files in spreadsheets, so a text that would be a formula there begins with an apostrophe; prices, ids and addresses
 * never begin so.
 */
export const GOOGLE_FEED: Listing = {
  path: '/feeds/google.tsv',
  contentType: 'text/tab-separated-values; charset=utf-8',
  head: () => `${Object.keys(GOOGLE_COLUMNS).join('\t')}\n`,
  entry: (site, profile) => {
    const rows = feedRows(site, profile).map((facts) =>
      Object.values(GOOGLE_COLUMNS).map((of) => cell(of(facts, profile) ?? '')),
    )
    return rows.map((cells) => `${cells.join('\t')}\n`).join('')
  },
}

type Column = (facts: Facts, profile: ProductProfile) => string | null

const GOOGLE_COLUMNS: Record<string, Column> = {
  id: ({ id }) => shortId(id, MAX_ID),
  title: ({ title }) => title,
  description: ({ description }) => description,
  link: ({ link }) => link,
  image_link: ({ photos }) => photos.main,
  additional_image_link: ({ photos }) => photos.more.join(','),
  availability: ({ availability }) => availability,
  price: ({ price }) => price,
  sale_price: ({ salePrice }) => salePrice,
  sale_price_effective_date: ({ deal }) => saleDates(deal),
  brand: ({ brand }) => brand,
  gtin: ({ gtin }) => gtin,
  mpn: ({ mpn }) => safePartNumber(mpn),
  // "no" would say that the maker gave it none; that we have none says nothing.
  identifier_exists: ({ brand, mpn, gtin }) =>
    gtin !== null || (brand !== null && safePartNumber(mpn) !== null) ? 'yes' : null,
  product_type: (_, { category }) => feedText(category.label, MAX_TYPE),
  product_detail: ({ specs }) => specs.flatMap(productDetail).join(','),
  item_group_id: ({ variant }, { slug }) => variant && shortId(slug, MAX_ID),
  color: ({ variant }) => optionIn(variant, 'Color'),
  size: ({ variant }) => optionIn(variant, 'Size'),
  material: ({ variant }) => optionIn(variant, 'Material'),
  pattern: ({ variant }) => optionIn(variant, 'Pattern'),
}

function optionIn(variant: ShownVariant | null, name: string): string | null {
  return feedText(variant?.options.find((option) => option.name === name)?.value ?? null, MAX_OPTION)
}

/** By the names in lower case, as the specification writes them. */
function optionRecord({ options }: ShownVariant): Record<string, string> {
  return Object.fromEntries(
    options.flatMap(({ name, value }) => {
      const [called, said] = [feedText(name.toLowerCase(), MAX_NAME), feedText(value, MAX_OPTION)]
      return called === null || said === null || called === '__proto__' ? [] : [[called, said]]
    }),
  )
}

/** A longer one is cut and made unique by a digest after a character no slug has. */
function shortId(id: string, max: number): string {
  if (id.length <= max) return id
  return `${id.slice(0, max - DIGEST - 1)}_${sha256(id).toString('hex').slice(0, DIGEST)}`
}

/** Altered by an apostrophe it would be the number of something else as well. */
function safePartNumber(mpn: string | null): string | null {
  return mpn === null || FORMULA.test(mpn) ? null : mpn
}

function saleDates({ saleWindow }: Deal): string | null {
  if (saleWindow === null) return null
  const minute = (date: Date) => `${date.toISOString().slice(0, 16)}+0000`
  return `${minute(saleWindow.from)}/${minute(saleWindow.until)}`
}

/** Section, name and value stand between colons, details between commas: neither may be in a text. */
function productDetail({ name, value }: ProductProfile['specs'][number]): string[] {
  const parts = [detailText(name, MAX_DETAIL_NAME), detailText(value, MAX_DETAIL_VALUE)]
  return parts.some((part) => part === null || part.includes(':'))
    ? []
    : [`Specifications:${parts.join(':')}`]
}

function detailText(text: string, max: number): string | null {
  const said = feedText(text, max)
  return said === null
    ? null
    : said
        .replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')
        .replaceAll(',', ';')
        .replaceAll('"', '″')
}

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return safe.includes('"') ? `"${safe.replaceAll('"', '""')}"` : safe
}

type Facts = ReturnType<typeof feedFacts>

/** One for the product, or one for each of its variants. */
function feedRows(site: ListingSite, profile: ProductProfile): Facts[] {
  const { axes, variants } = variantsOf(profile, site.baseUrl)
  if (variants.length === 0) return [feedFacts(site, profile)]
  // A promoted offer is of the product; a row is of one variant at its own price.
  const whole = feedFacts(site, { ...profile, offers: [] })
  const names = new Set(axes.map(({ name }) => name))
  const shared = profile.specs.filter(({ name }) => !names.has(name))
  return variants.map((variant) => {
    const { key, name, gtin, image, path, options, availability, priceCents } = variant
    const main = image === null ? null : webAddress(image)
    const { photos } = whole
    const others = [photos.main, ...photos.more].flatMap((url) => (url === null || url === main ? [] : [url]))
    return {
      ...whole,
      id: `${profile.slug}_${key}`,
      title: feedText(`${profile.title} - ${name}`, MAX_TITLE) ?? whole.title,
      link: `${site.baseUrl}${path}`,
      gtin: feedText(gtin, MAX_NAME),
      // The maker's number is that of the model, not of one variant.
      mpn: null,
      photos: main === null ? photos : { main, more: others.slice(0, 10) },
      availability,
      price: feedPrice(priceCents) ?? whole.price,
      specs: [...shared, ...options],
      variant,
    }
  })
}

/** What both feeds say of a product in the same words. */
function feedFacts({ baseUrl, demo }: ListingSite, profile: ProductProfile) {
  const deal = dealOf(profile)
  return {
    // The slug outlives a rebuilt database.
    id: profile.slug,
    variant: null as ShownVariant | null,
    specs: profile.specs,
    title: feedText(profile.title, MAX_TITLE) ?? profile.slug,
    description: descriptionOf(profile, demo),
    link: `${baseUrl}${productPath(profile)}`,
    brand: feedText(profile.brand?.name ?? null, MAX_NAME),
    gtin: feedText(profile.gtin, MAX_NAME),
    mpn: partNumber(profile.mpn),
    photos: photosOf(profile, baseUrl),
    availability: stockOf(profile),
    deal,
    price: feedPrice(deal.priceCents),
    salePrice: feedPrice(deal.salePriceCents),
  }
}

type Deal = {
  seller: { name: string; url: string | null } | null
  /** Of the promoted offer that the price is from. */
  offerId: string | null
  priceCents: number | null
  /** Below the price, by the seller's own statement; null when nothing is reduced. */
  salePriceCents: number | null
  saleWindow: { from: Date; until: Date } | null
}

/**
 * One seller with that seller's price: the cheapest promoted offer, else the cheapest shop. A sale is only what an
 * offer states with both prices; our own price range is other sellers' and proves no reduction.
 */
function dealOf(profile: ProductProfile): Deal {
  const { offers = [], whereToBuy } = profile
  const [priced] = pricedOffers(offers)
  if (priced) {
    const { priceCents, offer } = priced
    const { id, listPriceCents, startsAt, expiresAt } = offer
    const isReduced = listPriceCents !== null && priceCents < listPriceCents
    return {
      seller: sellerOf(offer),
      offerId: id,
      priceCents: isReduced ? listPriceCents : priceCents,
      salePriceCents: isReduced ? priceCents : null,
      saleWindow: isReduced && startsAt && expiresAt ? { from: startsAt, until: expiresAt } : null,
    }
  }
  const [shop] = [...whereToBuy].sort((a, b) => rankPrice(a.priceCents) - rankPrice(b.priceCents))
  const [offer] = offers
  return {
    seller: shop ? { name: shop.name, url: webAddress(shop.url) } : offer ? sellerOf(offer) : null,
    offerId: !shop && offer ? offer.id : null,
    priceCents: statedPrice(shop?.priceCents ?? null) ?? listedPrices(profile)?.lowCents ?? null,
    salePriceCents: null,
    saleWindow: null,
  }
}

/** The address is the domain that the seller has proved: a feed has no room for it beside the name. */
function sellerOf({ seller: { name, domain } }: PromotedOffer): Deal['seller'] {
  return { name: shownName(name), url: domain === null ? null : `https://${domain}/` }
}

/** In the feeds' words, which know no product that is no longer made. */
function stockOf(profile: ProductProfile): VariantAvailability | null {
  const availability = availabilityOf(profile)
  return availability && STOCK[availability]
}

const STOCK = { available: 'in_stock', discontinued: 'out_of_stock' } as const

function descriptionOf({ description, verdict }: ProductProfile, demo: boolean): string | null {
  const said = description ?? verdict ?? ''
  return feedText(demo ? `${DEMO_NOTICE} ${said}` : said, MAX_DESCRIPTION)
}

/** One line of plain text; null when nothing of it is left. */
function feedText(text: string | null, max: number): string | null {
  return text === null ? null : shorten(cleanLine(text), max) || null
}

/** Whole or not at all: a cut number is the number of something else. */
function partNumber(mpn: string | null): string | null {
  const said = feedText(mpn, Number.POSITIVE_INFINITY)
  return said === null || said.length > MAX_NAME ? null : said
}

/** "79.99 USD" */
function feedPrice(cents: number | null): string | null {
  return cents === null ? null : `${(cents / 100).toFixed(2)} USD`
}

/** Normalised; null for anything that is no address of the web. Commas separate addresses in lists. */
function webAddress(text: string): string | null {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url.href.replaceAll(',', '%2C') : null
}

/** The first of a product's own pictures, and the others with those of producers. Drawings of ours are no photos. */
function photosOf(profile: ProductProfile, baseUrl: string): { main: string | null; more: string[] } {
  const { own, added } = shownImages(profile, baseUrl)
  const [main = null, ...others] = own.flatMap(({ url }) => webAddress(url) ?? [])
  return { main, more: [...others, ...added.flatMap(({ url }) => webAddress(url) ?? [])].slice(0, 10) }
}

function rankPrice(cents: number | null): number {
  return statedPrice(cents) ?? Number.MAX_SAFE_INTEGER
}

/**
 * `/feeds/google.tsv`: the columns of Google Merchant Center, tab-separated, one line a product, an empty cell for what is
 * not known. A cell never holds a tab or a line break; one with a quotation mark is quoted and the mark doubled. People
 * open such files in spreadsheets, so a text that would be a formula there begins with an apostrophe; prices, ids and
 * addresses never begin so.
 */
import { type ProductProfile, productPath } from '../../../catalog/profile.ts'
import { sha256 } from '../../../lib/crypto.ts'
import {
  type Deal,
  dealOf,
  descriptionOf,
  feedPrice,
  feedText,
  MAX_NAME,
  MAX_TITLE,
  partNumber,
  photosOf,
  stockOf,
} from './feed.values.ts'
import type { Listing, ListingSite } from './listing.ts'

const COLUMNS = [
  'id',
  'title',
  'description',
  'link',
  'image_link',
  'additional_image_link',
  'availability',
  'price',
  'sale_price',
  'sale_price_effective_date',
  'brand',
  'gtin',
  'mpn',
  'identifier_exists',
  'product_type',
  'product_detail',
] as const

type Row = Record<(typeof COLUMNS)[number], string | null>

const MAX_ID = 50
const DIGEST = 10
const MAX_TYPE = 750
const MAX_DETAIL_NAME = 140
const MAX_DETAIL_VALUE = 1_000
/** Half width and full width: spreadsheets take both. */
const FORMULA = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/

export const GOOGLE_FEED: Listing = {
  path: '/feeds/google.tsv',
  contentType: 'text/tab-separated-values; charset=utf-8',
  head: () => `${COLUMNS.join('\t')}\n`,
  entry: (site, profile) => {
    const row = feedRow(site, profile)
    return `${COLUMNS.map((column) => cell(row[column] ?? '')).join('\t')}\n`
  },
}

function feedRow({ baseUrl, demo }: ListingSite, profile: ProductProfile): Row {
  const deal = dealOf(profile)
  const photos = photosOf(profile)
  const brand = feedText(profile.brand?.name ?? null, MAX_NAME)
  const mpn = safePartNumber(profile.mpn)
  const isIdentified = profile.gtin !== null || (brand !== null && mpn !== null)
  return {
    id: googleId(profile.slug),
    title: feedText(profile.title, MAX_TITLE) ?? profile.slug,
    description: descriptionOf(profile, demo),
    link: `${baseUrl}${productPath(profile)}`,
    image_link: photos.main,
    additional_image_link: photos.more.join(','),
    availability: stockOf(profile),
    price: feedPrice(deal.priceCents),
    sale_price: feedPrice(deal.salePriceCents),
    sale_price_effective_date: saleDates(deal),
    brand,
    gtin: feedText(profile.gtin, MAX_NAME),
    mpn,
    // "no" would say that the maker gave it none; that we have none says nothing.
    identifier_exists: isIdentified ? 'yes' : null,
    product_type: feedText(profile.category.label, MAX_TYPE),
    product_detail: profile.specs.flatMap(productDetail).join(','),
  }
}

/** The slug, because it outlives a rebuilt database. A longer one is cut and told apart by a digest after a character no slug has. */
function googleId(slug: string): string {
  if (slug.length <= MAX_ID) return slug
  return `${slug.slice(0, MAX_ID - DIGEST - 1)}_${sha256(slug).toString('hex').slice(0, DIGEST)}`
}

/** Altered by an apostrophe it would be the number of something else as well. */
function safePartNumber(mpn: string | null): string | null {
  const said = partNumber(mpn)
  return said === null || FORMULA.test(said) ? null : said
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

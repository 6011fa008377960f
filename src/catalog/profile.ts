/** A product profile. Every form (HTML, Markdown, JSON-LD, feeds, tool text) is a pure function of it. */
import type { OrgType } from '../db/tables.producers.ts'
import { formatPriceRange } from '../lib/money.ts'
import { inlineText } from '../lib/untrusted.ts'
import { formatDate } from '../lib/words.ts'
import { shownName, shownOrg } from '../orgs/shown-org.ts'
import { copyPath, type PictureCopy } from '../pictures/picture.address.ts'
import { FIELD_NAMES, type Product, type ProductImage } from './catalog.schema.ts'
import { type Drawable, drawingOf, drawingPath, drawnWords } from './drawing.ts'
import type { PromotedOffer } from './promoted-offer.ts'

export type ProductProfile = Product & {
  category: { slug: string; label: string }
  brand: { name: string; domain: string | null } | null
  /** Approved images from producers; absent if there are none. */
  additionalImages?: ProductImage[]
  /** Our copies of its images, by their addresses; absent if there are none. */
  copies?: Record<string, PictureCopy>
  /** Addresses of its images whose hosts say that there is nothing; absent if there are none. */
  gone?: string[]
  /** Verified organizations with an approved enrichment; absent if there are none. */
  enrichedBy?: Contributor[]
  /** Live offers, lowest price first; absent if there are none. */
  offers?: readonly PromotedOffer[]
}

/** What a search index reads of it. */
export type IndexedTexts = Omit<Product, (typeof UNREAD)[number]> &
  Pick<ProductProfile, 'category'> & { brand: { name: string; domain?: string | null } | null }

export const UNREAD = [
  ...(['categoryId', 'brandId', 'verificationStatus', 'provenance', 'createdAt'] as const),
  ...(['images', 'listPriceCents'] as const),
] satisfies Array<keyof Product>

/** Where an image is shown from: our copy if there is one, or else its own address. */
export function shownUrl({ copies }: ProductProfile, { url }: ProductImage, baseUrl: string): string {
  const copy = copyOf({ copies }, url)
  return copy ? `${baseUrl}${copyPath(copy.hash)}` : url
}

export function copyOf({ copies }: Pick<ProductProfile, 'copies'>, url: string): PictureCopy | null {
  return copies && Object.hasOwn(copies, url) ? (copies[url] ?? null) : null
}

/** Its own images, then those that producers added, each where it is shown from. */
export function shownImages(
  profile: ProductProfile,
  baseUrl: string,
): { own: ProductImage[]; added: ProductImage[] } {
  const shown = (image: ProductImage) => ({ ...image, url: shownUrl(profile, image, baseUrl) })
  return { own: profile.images.map(shown), added: (profile.additionalImages ?? []).map(shown) }
}

/** `domain` is null unless it is verified. */
export type Contributor = {
  orgName: string
  orgType: OrgType
  verifiedAt: string | null
  domain: string | null
}

/** `/p/<category>/<slug>` */
export function productPath(product: { slug: string; category: { slug: string } }): string {
  return `/p/${product.category.slug}/${product.slug}`
}

/** `<category>/<slug>` */
export function slugOf(product: { slug: string; category: { slug: string } }): string {
  return canonicalSlug({ category: product.category.slug, slug: product.slug })
}

export function offersPath(product: { slug: string }): string {
  return `/offers/${product.slug}.json`
}

export function categoryPath(category: { slug: string }): string {
  return `/c/${category.slug}`
}

export function priceRange(product: Pick<Product, 'priceLowCents' | 'priceHighCents'>): string | null {
  return formatPriceRange(product.priceLowCents, product.priceHighCents)
}

/** A price stated in another currency: "€599, about $647, at 1.08 (November 3, 2026)". Null for dollars. */
export function originalPriceWords(product: Product): string | null {
  const original = product.provenance.price?.original
  if (!original) return null
  const { currency, low, high, rate, ratedAt } = original
  const said = [...new Set([low, high])].map((amount) => formatMoney(amount, currency)).join(' – ')
  const dollars = priceRange(product)
  if (rate === null || dollars === null) return `${said} (no exchange rate available)`
  return `${said}, about ${dollars}, at ${rate}${ratedAt === null ? '' : ` (${formatDate(ratedAt)})`}`
}

function formatMoney(amount: number, currency: string): string {
  const plain = amount.toLocaleString('en-US')
  if (!/^[A-Z]{3}$/.test(currency)) return `${plain} ${currency}`
  const fractionDigits = Number.isInteger(amount) ? { maximumFractionDigits: 0 } : {}
  return amount.toLocaleString('en-US', { style: 'currency', currency, ...fractionDigits })
}

type Branded = { brand: { name: string } | null }

/** The drawing of a product: its kind in its own colour, or else in the brand's. */
export function picturePath(product: Drawable & Branded): string {
  return drawingPath(drawingOf(product), brandSlug(product))
}

/** The drawing of a category. */
export function categoryPicturePath(category: { slug: string }): string {
  return `/pictures/${category.slug}/plain.svg`
}

function brandSlug({ brand }: Branded): string {
  return brand
    ? brand.name
        .normalize('NFC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-+|-+$/g, '') || 'plain'
    : 'plain'
}

/** "Drawing of over-ear headphones in navy for Arvo Lull 2; no photograph yet" */
export function pictureAlt(product: ProductProfile): string {
  const drawing = drawingOf(product)
  const colour = drawing.colour ? ` in ${drawing.colour}` : ''
  return `Drawing of ${drawnWords(drawing)}${colour} for ${product.title}; no photograph yet`
}

const FIELD_ORDER = ['brand', 'category', ...Object.values(FIELD_NAMES)]

/** "Acme · acme.example, verified" */
export function contributorWords({ orgName, verifiedAt, domain }: Contributor): string {
  return shownOrg({ name: orgName, verified: verifiedAt !== null, domain })
}

/** A source in one short line. A verified one is an organization, shown with its domain if only one has that name. */
export function sourceWords({ enrichedBy = [] }: ProductProfile, source: string, verified: boolean): string {
  const named = verified ? enrichedBy.filter(({ orgName }) => orgName === source) : []
  const [contributor] = named
  return contributor && named.length === 1 ? contributorWords(contributor) : shownName(source)
}

/** The fields of each source. */
export function provenanceBySource({
  provenance,
}: ProductProfile): Array<{ source: string; verifiedAt: string | null; fields: string[] }> {
  const groups = new Map<string, { source: string; verifiedAt: string | null; fields: string[] }>()
  const fields = Object.keys(provenance).sort((a, b) => FIELD_ORDER.indexOf(a) - FIELD_ORDER.indexOf(b))
  for (const field of fields) {
    const said = provenance[field]
    if (!said) continue
    const key = `${said.verifiedAt} ${said.source}`
    const group = groups.get(key) ?? { ...said, fields: [] }
    group.fields.push(field)
    groups.set(key, group)
  }
  return [...groups.values()]
}

/** `<category>/<slug>` */
export function canonicalSlug({ category, slug }: { category: string; slug: string }): string {
  return `${category}/${slug}`
}

export type NamedProduct = {
  slug: string
  category: string
  title: string
  price_range: string | null
  is_sponsored: boolean
  discontinued: boolean
}

/** The first line of a product in a list: name, slug, and what a buyer must know first. */
export function productLine(product: NamedProduct): string {
  const facts = [
    `**${inlineText(product.title, 200)}**`,
    canonicalSlug(product),
    product.price_range ?? 'price unknown',
    ...(product.discontinued ? ['**discontinued**'] : []),
    ...(product.is_sponsored ? ['has a promoted offer'] : []),
  ]
  return facts.join(' · ')
}

/**
 * A product as it is shown: one value from which every form (HTML, Markdown, JSON-LD, feeds, tool text) is a pure
 * function, so that the forms cannot disagree.
 */
import type { OrgType } from '../db/tables.producers.ts'
import { formatPriceRange } from '../lib/money.ts'
import { inlineText } from '../lib/untrusted.ts'
import { shownName, shownOrg } from '../orgs/shown-org.ts'
import { FIELD_NAMES, type Product, type ProductImage } from './catalog.schema.ts'
import type { PromotedOffer } from './promoted-offer.ts'

export type ProductProfile = Product & {
  category: { slug: string; label: string }
  brand: { name: string; domain: string | null } | null
  /** Producers' images that were approved; absent where there are none, as in nearly every profile. */
  additionalImages?: ProductImage[]
  /** The verified organizations whose enrichments were approved; absent where there are none. */
  enrichedBy?: Contributor[]
  /** What sellers promote at this moment, lowest price first; absent where nobody does. */
  offers?: readonly PromotedOffer[]
}

/** `domain`: only when it is proved. */
export type Contributor = {
  orgName: string
  orgType: OrgType
  verifiedAt: string | null
  domain: string | null
}

/** `/p/<category>/<slug>`, the address everything else hangs on. */
export function productPath(product: { slug: string; category: { slug: string } }): string {
  return `/p/${product.category.slug}/${product.slug}`
}

/** `<category>/<slug>`, as forms and links name a product. */
export function slugOf(product: { slug: string; category: { slug: string } }): string {
  return canonicalSlug({ category: product.category.slug, slug: product.slug })
}

/** Where a product's promoted offers are, as JSON. */
export function offersPath(product: { slug: string }): string {
  return `/offers/${product.slug}.json`
}

export function categoryPath(category: { slug: string }): string {
  return `/c/${category.slug}`
}

export function priceRange(product: Pick<Product, 'priceLowCents' | 'priceHighCents'>): string | null {
  return formatPriceRange(product.priceLowCents, product.priceHighCents)
}

/** A price that was stated in other money: "€599, about $647, at 1.08 (November 3, 2026)". Null for dollars. */
export function originalPriceWords(product: Product): string | null {
  const original = product.provenance.price?.original
  if (!original) return null
  const { currency, low, high, rate, ratedAt } = original
  const said = [...new Set([low, high])].map((amount) => formatMoney(amount, currency)).join(' – ')
  const dollars = priceRange(product)
  if (rate === null || dollars === null) return `${said}; what that is in dollars is not known`
  return `${said}, about ${dollars}, at ${rate}${ratedAt === null ? '' : ` (${formatDay(ratedAt)})`}`
}

function formatMoney(amount: number, currency: string): string {
  const plain = amount.toLocaleString('en-US')
  if (!/^[A-Z]{3}$/.test(currency)) return `${plain} ${currency}`
  const fractionDigits = Number.isInteger(amount) ? { maximumFractionDigits: 0 } : {}
  return amount.toLocaleString('en-US', { style: 'currency', currency, ...fractionDigits })
}

function formatDay(iso: string): string {
  return new Date(iso).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })
}

/** The category's drawing in the brand's colours: an illustration, never claimed to be a photo of the product. */
export function picturePath(product: ProductProfile): string {
  return `/pictures/${product.category.slug}/${encodeURIComponent(brandSlug(product))}.svg`
}

function brandSlug({ brand }: ProductProfile): string {
  return brand
    ? brand.name
        .normalize('NFC')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}]+/gu, '-')
        .replace(/^-+|-+$/g, '') || 'plain'
    : 'plain'
}

export function pictureAlt(product: ProductProfile): string {
  return `Illustration for ${product.title}`
}

const FIELD_ORDER = ['brand', 'category', ...Object.values(FIELD_NAMES)]

/** "Acme · acme.example, verified", as buyers see who added to a profile. */
export function contributorWords({ orgName, verifiedAt, domain }: Contributor): string {
  return shownOrg({ name: orgName, verified: verifiedAt !== null, domain })
}

/**
 * Who said something, in one short line. What was verified came from an organization, which is shown with its domain
 * while one contributor alone has this name.
 */
export function sourceWords({ enrichedBy = [] }: ProductProfile, source: string, verified: boolean): string {
  const named = verified ? enrichedBy.filter(({ orgName }) => orgName === source) : []
  const [contributor] = named
  return contributor && named.length === 1 ? contributorWords(contributor) : shownName(source)
}

/** Who said which fields, grouped: a profile has twenty fields and usually one or two sources. */
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

/** The form of a slug that is clear wherever it is sent. */
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

/** What a product in a list begins with: its name, how to ask for it, and what a buyer must know first. */
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

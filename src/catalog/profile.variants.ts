/**
 * The variants of a profile as every form shows them: what can be chosen, and each one's name, numbers, price, stock and
 * picture. Pure. A price of 0 is no price, and of a product that is no longer made nothing is in stock, as everywhere.
 */
import { sha256 } from '../lib/crypto.ts'
import type { Variant } from './catalog.schema.ts'
import { isSameGtin } from './product-identity.ts'
import { statedPrice } from './profile.buying.ts'
import { type ProductProfile, productPath, shownUrl } from './profile.ts'
import { optionAxes, variantName } from './variants.ts'

export type VariantAvailability = NonNullable<Variant['availability']>

export type ShownVariant = ReturnType<typeof shownVariant>

type Shown = {
  /** In the order of the source: Color (Red, Blue), Size (S, M). */
  axes: { name: string; values: string[] }[]
  variants: ShownVariant[]
}

export function variantsOf(profile: ProductProfile, baseUrl: string): Shown {
  return {
    axes: optionAxes(profile.variants),
    variants: profile.variants.map((variant) => shownVariant(profile, variant, baseUrl)),
  }
}

/** Of the product's page with one selected. */
export function variantPath(profile: ProductProfile, id: string): string {
  return `${productPath(profile)}?${new URLSearchParams({ variant: id })}`
}

function shownVariant(profile: ProductProfile, variant: Variant, baseUrl: string) {
  const { id, options, sku, gtin, image, availability } = variant
  const priceCents = statedPrice(variant.priceCents)
  const list = variant.listPriceCents
  return {
    id,
    /** Names it where only plain characters may stand; the id itself if it has no others. */
    key: /^[\w.-]{1,100}$/.test(id) ? id : `~${sha256(id).toString('hex').slice(0, 20)}`,
    name: variantName(variant),
    options,
    sku,
    gtin,
    priceCents,
    /** Null unless it is above the price. */
    listPriceCents: list !== null && priceCents !== null && list > priceCents ? list : null,
    /** Null if nobody says. */
    availability: profile.discontinued ? 'out_of_stock' : (availability ?? null),
    /** Where its picture is shown from; null if it has none of its own. */
    image: image === undefined ? null : shownUrl(profile, { url: image, alt: null }, baseUrl),
    /** Of the page that shows it. */
    path: variantPath(profile, id),
  }
}

/** The numbers of the product as a whole: shops give it those of its first variant too. */
export function ownNumbers({ gtin, sku, variants }: ProductProfile): {
  gtin: string | null
  sku: string | null
} {
  return {
    gtin: variants.some((variant) => isSameGtin(variant.gtin, gtin)) ? null : gtin,
    sku: variants.some((variant) => variant.sku === sku) ? null : sku,
  }
}

/** Whether it can be ordered; null if nobody says. */
export function isOrderable(availability: VariantAvailability | null): boolean | null {
  return availability === null ? null : availability !== 'out_of_stock'
}

export function availabilityWords(availability: VariantAvailability | null): string {
  return availability === null ? 'Not stated' : WORDS[availability]
}

const WORDS: Record<VariantAvailability, string> = {
  in_stock: 'In stock',
  out_of_stock: 'Out of stock',
  preorder: 'Preorder',
  backorder: 'Backorder',
}

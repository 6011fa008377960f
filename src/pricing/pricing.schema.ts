/**
 * The words of managed pricing: what a producer may set, as it goes over the wire, and what the quote reads, in
 * cents. In a change of rules an absent field stays as it is and null clears it. Percentages have at most two
 * decimals, so that every price is computed in whole numbers. reserve_price_usd and min_margin_pct are write-only:
 * nothing that reads rules back may carry them. Business days are here because the pure quote and the pure ranking
 * both count with them.
 */

import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { DAY_MS } from '../lib/clock.ts'
import { type FromWire, fromWire } from '../lib/entity.ts'
import { dollarsToCents } from '../lib/money.ts'
import { RegionInput, storedRegion } from '../lib/regions.ts'

export const MAX_TIERS = 50
export const MAX_DAYS = 365

const percent = z.number().min(0).max(100).refine(hasTwoDecimals, 'must have at most two decimals')
const margin = percent.max(99.99)
const dollars = z
  .number()
  .min(0)
  .refine((amount) => dollarsToCents(amount) !== null, 'must be dollars with at most two decimals')
const days = z.number().int().min(0).max(MAX_DAYS)

export const VolumeDiscount = z.object({
  min_qty: z.number().int().min(1).describe('Smallest quantity that gets the discount'),
  discount_pct: percent.describe('Percent off the base price'),
})
export const VolumeDiscounts = z.array(VolumeDiscount).max(MAX_TIERS)

export const ProductRules = z.object({
  max_discount_pct: percent.nullish().describe('Maximum discount in percent'),
  lead_time_days: days.nullish().describe('Business days until delivery'),
  return_policy_days: days.nullish().describe('Days to return it; 0 for no returns'),
  reserve_price_usd: dollars.nullish().describe('Every quote is above this price. Write-only'),
  min_margin_pct: margin
    .nullish()
    .describe('Minimum margin above the reserve price, as a share of the price. Write-only'),
  in_stock: z.boolean().nullish(),
  delivery_regions: z
    .array(RegionInput)
    .max(300)
    .transform((regions) => [...new Set(regions)])
    .nullish()
    .describe(
      'States and countries it is delivered to, such as CA-US, Ontario or Germany; none given means everywhere',
    ),
  shipping_cost_usd: dollars.nullish().describe('For the whole order; 0 for free shipping'),
})
export type ProductRules = z.output<typeof ProductRules>

/** As they are stored: a code alone is a country's there, and whatever is no region stays as it is. */
export const StoredRules = ProductRules.extend({
  delivery_regions: z.array(z.string().transform((text) => storedRegion(text)?.text ?? text)).nullish(),
})

/** Write-only. */
export const FLOORS = ['reserve_price_usd', 'min_margin_pct'] as const
export type StoredFloors = Pick<ProductRules, (typeof FLOORS)[number]>
export type ShownRules = Omit<ProductRules, (typeof FLOORS)[number]>
export const SHOWN_RULES = Object.keys(ProductRules.shape).filter(
  (name) => !FLOORS.some((floor) => floor === name),
)

const forProduct = <Name extends keyof ProductRules>(name: Name, words: string) =>
  ProductRules.shape[name].describe(`With product_slug. ${words}`) as (typeof ProductRules.shape)[Name]

/** One call for both kinds of rules, as the tool takes it: which may stand together is the service's to say. */
export const PricingChange = z
  .object({
    product_slug: ProductSlugInput.optional().describe(
      "<category>/<slug>, or the slug alone: sets this product's rules; none: the organization's",
    ),
    volume_discounts: VolumeDiscounts.nullish().describe(
      'Without product_slug. All tiers; replaces earlier ones; null clears them',
    ),
    max_discount_pct: forProduct('max_discount_pct', 'Maximum discount in percent; null: no cap'),
    lead_time_days: forProduct('lead_time_days', 'Business days until delivery; null: not stated'),
    return_policy_days: forProduct(
      'return_policy_days',
      'Days to return it; 0: no returns; null: not stated',
    ),
    reserve_price_usd: forProduct(
      'reserve_price_usd',
      'Every quote is above it, by up to 1% of the list price. Write-only: never shown again; null: none',
    ),
    min_margin_pct: forProduct(
      'min_margin_pct',
      'Minimum margin above the reserve price, as a share of the price. Write-only: never shown again; null: none',
    ),
  })
  .transform(({ product_slug, volume_discounts, ...rules }) => ({
    productSlug: product_slug ?? null,
    volumeDiscounts: volume_discounts,
    rules,
  }))
export type PricingChange = z.output<typeof PricingChange>

export type VolumeTier = { minQty: number; discountPct: number }
export type Floors = FromWire<StoredFloors>

/**
 * What a product's own rules come to; null for what is not set. If stock is not stated it counts as in stock: a seller who
 * uses rules says when it is sold out. No regions means all regions.
 */
export type ProductPricing = FromWire<ShownRules> & {
  /** Null when they are set and cannot be opened: then nothing is quoted, because it could be below them. */
  floors: Floors | null
}

/** What one product is quoted by: the organization's tiers and the product's own rules. */
export type ManagedRules = ProductPricing & { volumeDiscounts: readonly VolumeTier[] }

export function readRules(stored: ShownRules, floors: StoredFloors | null): ProductPricing {
  return {
    ...fromWire<FromWire<ShownRules>>(stored, SHOWN_RULES),
    floors: floors && fromWire(floors, FLOORS),
  }
}

/** Of a product for which none were set. */
export const NO_RULES = readRules({}, {})

export const DECLINE_TEXTS = {
  region_not_served: 'Not delivered to this region.',
  no_price: 'No price can be quoted: the limits for this product are above its price.',
  limits_lost: 'The limits for this product can no longer be read: set them again.',
} as const
export type DeclineReason = keyof typeof DECLINE_TEXTS

/**
 * The tiers that can be used of whatever was stored, smallest quantity first. The organization's rules are kept as
 * they were given (interface, rule on managed_rules), so entries that make no sense are passed over here.
 */
export function readVolumeDiscounts(stored: unknown): VolumeTier[] {
  if (!Array.isArray(stored)) return []
  const best = new Map<number, number>()
  for (const entry of stored) {
    const tier = StoredTier.safeParse(entry)
    if (!tier.success) continue
    const { min_qty, discount_pct } = tier.data
    const discountPct = Math.round(discount_pct * 100) / 100
    best.set(min_qty, Math.max(best.get(min_qty) ?? 0, discountPct))
  }
  return [...best]
    .map(([minQty, discountPct]) => ({ minQty, discountPct }))
    .sort((a, b) => a.minQty - b.minQty)
}

const StoredTier = z.object({ min_qty: z.number().int().min(1), discount_pct: z.number().min(0).max(100) })

function hasTwoDecimals(value: number): boolean {
  return Math.abs(value * 100 - Math.round(value * 100)) < 1e-7
}

/**
 * The day (00:00 UTC) on which something `businessDays` away arrives, counted Monday to Friday after today.
 * Nothing arrives on a weekend: none to wait from a Saturday is the Monday after it. Holidays are not known.
 */
export function arrivalDay(from: Date, businessDays: number): Date {
  let day = Math.floor(from.getTime() / DAY_MS) * DAY_MS
  let left = Math.ceil(businessDays)
  while (left > 0 || isWeekend(day)) {
    day += DAY_MS
    if (left > 0 && !isWeekend(day)) left--
  }
  return new Date(day)
}

function isWeekend(dayMs: number): boolean {
  const weekday = new Date(dayMs).getUTCDay()
  return weekday === 0 || weekday === 6
}

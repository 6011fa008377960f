/**
 * The words of managed pricing: what a producer may set, as it goes over the wire, and what the quote reads, in
 * cents. In a change of rules an absent field stays as it is and null clears it. An organization sets some of them for
 * all its products; a product's own come first. Percentages have at most two
 * decimals, so that every price is computed in whole numbers. reserve_price_usd and min_margin_pct are write-only:
 * nothing that reads rules back may carry them. Business days are here because the pure quote and the pure ranking
 * both count with them.
 */

import { z } from 'zod'
import { MAX_VARIANT, VARIANT } from '../catalog/chosen-variant.ts'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { DAY_MS } from '../lib/clock.ts'
import { type FromWire, fromWire } from '../lib/entity.ts'
import { dollarsToCents } from '../lib/money.ts'
import { isWithin, RegionInput, storedRegion } from '../lib/regions.ts'

export const MAX_TIERS = 50
export const MAX_DAYS = 365
const MAX_REGIONS = 300
const MAX_STOCK = 1_000_000_000
const MAX_VARIANT_PRICES = 500

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

const REGION_SHIPPING = {
  region: RegionInput.describe('A state or country'),
  cost_usd: dollars.describe('For the whole order; 0 for free shipping'),
  lead_time_days: days.nullish().describe('Business days until delivery there, where it differs'),
}
const RegionShipping = z
  .object(REGION_SHIPPING)
  .transform(({ lead_time_days, ...entry }) => ({ ...entry, lead_time_days: lead_time_days ?? null }))

const units = z.number().int().min(0).max(MAX_STOCK)
const VARIANT_PRICE = {
  price_usd: dollars.min(0.01).describe('Your price for one of this variant'),
  stock: units.nullish().describe('Units of this variant you have, 0 for none; null: as the product'),
}
/** `variant` is however the variant is named, until the service has found it: then its id, and `name` as it is shown. */
const VariantPrice = z
  .object({ variant: z.string().trim().min(1).max(MAX_VARIANT).describe(VARIANT), ...VARIANT_PRICE })
  .transform(({ stock, ...entry }) => ({ ...entry, name: entry.variant, stock: stock ?? null }))

export const ProductRules = z.object({
  price_usd: dollars
    .min(0.01)
    .nullish()
    .describe('Your price for one, which quotes start from; a live offer below it comes first'),
  stock: units
    .nullish()
    .describe('Units you have; a request for more is quoted as out of stock; null: not counted'),
  in_stock: z.boolean().nullish().describe('False: quoted as out of stock, whatever stock says'),
  variant_prices: z
    .array(VariantPrice)
    .max(MAX_VARIANT_PRICES)
    .nullish()
    .describe(
      'Prices of some variants. price_usd applies to every variant that has none here. Replaces earlier ones',
    ),
  max_discount_pct: percent.nullish().describe('Maximum discount in percent; null: no cap'),
  lead_time_days: days.nullish().describe('Business days until delivery; null: not stated'),
  return_policy_days: days.nullish().describe('Days to return it; 0: no returns; null: not stated'),
  delivery_regions: z
    .array(RegionInput)
    .max(MAX_REGIONS)
    .transform((regions) => [...new Set(regions)])
    .nullish()
    .describe(
      'States and countries it is delivered to, such as CA-US, Ontario or Germany; empty: everywhere',
    ),
  shipping_cost_usd: dollars
    .nullish()
    .describe('For the whole order, where no region says otherwise; 0: free; null: not stated'),
  free_shipping_above_usd: dollars.nullish().describe('An order worth this much or more ships free'),
  shipping_by_region: z
    .array(RegionShipping)
    .max(MAX_REGIONS)
    .superRefine((entries, { addIssue }) => {
      for (const [row, { region }] of entries.entries())
        if (entries.findIndex((entry) => entry.region === region) < row)
          addIssue({ code: 'custom', path: [row, 'region'], message: 'another row already has this region' })
    })
    .nullish()
    .describe('Shipping to some regions. The most specific region applies: CA-US before US'),
  reserve_price_usd: dollars
    .nullish()
    .describe(
      'Every quote is above it, by up to 1% of the list price. Write-only: never shown again; null: none',
    ),
  min_margin_pct: margin
    .nullish()
    .describe(
      'Minimum margin above the reserve price, as a share of the price. Write-only: never shown again; null: none',
    ),
})
export type ProductRules = z.output<typeof ProductRules>

/** Write-only. */
export const FLOORS = ['reserve_price_usd', 'min_margin_pct'] as const
export type StoredFloors = Pick<ProductRules, (typeof FLOORS)[number]>
export type ShownRules = Omit<ProductRules, (typeof FLOORS)[number]>
export const SHOWN_RULES = Object.keys(ProductRules.shape).filter(
  (name) => !FLOORS.some((floor) => floor === name),
)

/** What an organization may set for all its products: the rest is a product's alone. */
export const OrgRules = ProductRules.pick({
  max_discount_pct: true,
  lead_time_days: true,
  return_policy_days: true,
  delivery_regions: true,
  shipping_cost_usd: true,
  free_shipping_above_usd: true,
  shipping_by_region: true,
})
export type OrgRules = z.output<typeof OrgRules>

const storedText = z.string().transform((text) => storedRegion(text)?.text ?? text)
const storedRegions = {
  delivery_regions: z.array(storedText).nullish(),
  shipping_by_region: z
    .array(z.object({ ...REGION_SHIPPING, region: storedText, lead_time_days: days.nullable() }))
    .nullish(),
}

/** As they are stored: a code alone is a country's there, and whatever is no region stays as it is. */
export const StoredRules = ProductRules.extend({
  ...storedRegions,
  variant_prices: z
    .array(
      z.object({
        ...{ variant: z.string(), name: z.string(), price_usd: z.number(), stock: z.number().nullable() },
      }),
    )
    .nullish(),
})
export const StoredOrgRules = OrgRules.extend(storedRegions)
export const ORG_RULES = Object.keys(OrgRules.shape) as Array<keyof OrgRules>

/** One call for both kinds of rules, as REST and the tool take it: which may stand together is the service's to say. */
export const PricingChange = ProductRules.extend({
  product_slug: ProductSlugInput.optional().describe(
    `<category>/<slug>, or the slug alone: sets this product's rules. None: sets what applies to every product without a rule of its own, which volume_discounts and ${ORG_RULES.join(', ')} may be`,
  ),
  volume_discounts: VolumeDiscounts.nullish().describe(
    'Without product_slug. All tiers; replaces earlier ones; null clears them',
  ),
  confirm: z
    .boolean()
    .nullish()
    .describe('True: saves limits that are above the price, so that nothing is quoted'),
}).transform(({ product_slug, volume_discounts, confirm, ...rules }) => ({
  productSlug: product_slug ?? null,
  volumeDiscounts: volume_discounts,
  confirmed: confirm ?? false,
  rules,
}))
export type PricingChange = z.output<typeof PricingChange>

export type VolumeTier = { minQty: number; discountPct: number }
export type Floors = FromWire<StoredFloors>
/** `variant` is its id. */
export type VariantPricing = {
  variant: string
  name: string
  priceCents: number
  stock: number | null
}
export type ShippingEntry = { region: string; costCents: number; leadTimeDays: number | null }

/**
 * What one product's rules come to; null for what is not set. If stock is not stated it counts as in stock: a seller who
 * uses rules says when it is sold out. No regions means all regions.
 */
export type ProductPricing = Omit<FromWire<ShownRules>, 'shippingByRegion' | 'variantPrices'> & {
  variantPrices: readonly VariantPricing[]
  shippingByRegion: readonly ShippingEntry[]
  /** Null when they are set and cannot be opened: then nothing is quoted, because it could be below them. */
  floors: Floors | null
}

/** What one product is quoted by: the organization's tiers and the product's own rules. */
export type ManagedRules = Omit<ProductPricing, 'variantPrices'> & { volumeDiscounts: readonly VolumeTier[] }

export function readRules(stored: ShownRules, floors: StoredFloors | null): ProductPricing {
  return {
    ...fromWire<FromWire<ShownRules>>(stored, SHOWN_RULES),
    shippingByRegion: (stored.shipping_by_region ?? []).map((entry) => fromWire(entry, Object.keys(entry))),
    variantPrices: (stored.variant_prices ?? []).map((entry) => fromWire(entry, Object.keys(entry))),
    floors: floors && fromWire(floors, FLOORS),
  }
}

/**
 * A product's rules with the organization's where it has none. Its own flat shipping cost replaces every shipping cost of
 * the organization, and its own lead time every lead time: what is said of one product is truer than what is said of all.
 */
export function withDefaults(own: ShownRules, defaults: OrgRules): ShownRules {
  const inherited = Object.fromEntries(ORG_RULES.map((name) => [name, own[name] ?? defaults[name] ?? null]))
  const { shipping_cost_usd: flat, lead_time_days: lead, shipping_by_region: listed } = own
  const others = (defaults.shipping_by_region ?? [])
    .filter(({ region }) => !listed?.some((entry) => isWithin(region, entry.region)))
    .map((entry) => ({
      ...entry,
      cost_usd: flat ?? entry.cost_usd,
      lead_time_days: lead == null ? entry.lead_time_days : null,
    }))
  return {
    ...own,
    ...inherited,
    ...(flat != null && { free_shipping_above_usd: own.free_shipping_above_usd ?? null }),
    shipping_by_region: [...(listed ?? []), ...others],
  }
}

/** Of a product for which none were set. */
export const NO_RULES = readRules({}, {})

export const DECLINE_TEXTS = {
  region_not_served: 'Not delivered to this region.',
  no_price: 'The pricing rules for this product leave no price to quote.',
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

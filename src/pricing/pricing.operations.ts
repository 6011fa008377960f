/**
 * Rules of managed pricing by REST and by tool. The organization's rules and one product's have the same answer, because a
 * quote is computed by both. The floors can be set and are never part of an answer; owners and admins are told that there
 * are some, others are not told even that.
 */
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { toWire } from '../lib/entity.ts'
import { fitBlocks, fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { regionName } from '../lib/regions.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { defineOperation } from '../operations/define-operation.ts'
import type { Act } from '../orgs/producer.ts'
import { MAX_OFFSET, nextOffset } from '../tools/params.ts'
import { ORG_RULES, type OrgRules, PricingChange, SHOWN_RULES, type ShownRules } from './pricing.schema.ts'
import {
  type FloorFacts,
  getPricingRules as getRules,
  type OwnRules,
  type PricedProducts,
  type PricingContext,
  type PricingRules,
  pagePricedProducts,
  setPricingRules as setRules,
} from './pricing.service.ts'

const OrgRulesData = z.object({
  max_discount_pct: z.number().nullable(),
  lead_time_days: z.int().nullable().describe('Business days'),
  return_policy_days: z.int().nullable(),
  delivery_regions: z.array(z.string()).nullable().describe('Empty: everywhere'),
  shipping_cost_usd: z.number().nullable().describe('For the whole order'),
  free_shipping_above_usd: z.number().nullable(),
  shipping_by_region: z
    .array(z.object({ region: z.string(), cost_usd: z.number(), lead_time_days: z.int().nullable() }))
    .nullable(),
})
const ProductRulesData = z.object({
  price_usd: z.number().nullable(),
  stock: z.int().nullable(),
  in_stock: z.boolean().nullable(),
  variant_prices: z
    .array(
      z.object({
        variant: z.string().describe('Its id'),
        name: z.string(),
        price_usd: z.number(),
        stock: z.int().nullable(),
      }),
    )
    .nullable(),
  ...OrgRulesData.shape,
})
const FloorsData = z.object({
  is_set: z.boolean(),
  set_at: z.string().nullable(),
  set_by: z.string().nullable(),
  held_up: z.int().describe('Requests of the last 30 days whose quote the limits raised or stopped'),
  last_held_up_at: z.string().nullable(),
})

const Output = z.object({
  is_managed: z.boolean().describe('Whether these rules are used for quotes now'),
  volume_discounts: z
    .array(z.object({ min_qty: z.int(), discount_pct: z.number() }))
    .describe("The organization's, for every product"),
  default_rules: OrgRulesData.describe("The organization's, where a product has no rule of its own"),
  other_rules: z.record(z.string(), z.unknown()).describe('Stored as sent; not used for quotes'),
  product_slug: z.string().nullable(),
  product_rules: ProductRulesData.nullable(),
  effective_rules: ProductRulesData.nullable().describe('product_rules with the defaults: what quotes use'),
  floors: FloorsData.nullable().describe(
    'Whether reserve price or margin are set, never what they are; null for editors and viewers',
  ),
})

const BY_PRODUCT = z.object({
  product_slug: ProductSlugInput.optional().describe(
    "<category>/<slug>, or the slug alone, of one of your products; none: the organization's rules",
  ),
})
const REST = { openapi: false, caller: 'session or link token' } as const
/** What one organization is shown is not for a cache between it and us. */
const NO_STORE = 'no-store'

export const getPricingRules = defineOperation({
  right: 'read',
  run: (ctx: PricingContext, { caller }: Act, { product_slug }: z.output<typeof BY_PRODUCT>) =>
    getRules(ctx, { caller }, product_slug ?? null),
  rest: [
    {
      ...{ ...REST, method: 'get', path: '/api/org/pricing/', input: BY_PRODUCT, cache: NO_STORE },
      answer: { status: 200, of: rulesWire },
    },
  ],
  tool: {
    name: 'get_pricing_rules',
    title: 'Pricing rules',
    description:
      "Shows the rules Souk uses to quote for your organization: volume discounts and defaults for all products and, with product_slug, that product's price, stock, shipping and other rules. Reserve price and margin are write-only. Change rules with set_pricing_rules; see their effect with simulate_quote.",
    audience: 'producers',
    effects: { readOnly: true },
    input: BY_PRODUCT,
    output: Output,
    answer: (rules) => answer(rules),
  },
})

export const setPricingRules = defineOperation({
  right: 'manage',
  async run(ctx: PricingContext, act: Act, change: PricingChange) {
    const changed = await setRules(ctx, act, change)
    return { changed, rules: await getRules(ctx, act, change.productSlug) }
  },
  rest: [
    {
      ...{ ...REST, method: 'patch', path: '/api/org/pricing/', input: PricingChange },
      answer: { status: 200, of: () => ({ ok: true }) },
    },
  ],
  tool: {
    name: 'set_pricing_rules',
    title: 'Set pricing rules',
    description:
      "Sets rules for managed quotes: volume_discounts and defaults for all products without product_slug; one product's price, stock, shipping, delivery and limits with it. Fields you leave out stay; null clears. Reserve price and margin limit every quote and are never shown again. Owners and admins only. Test with simulate_quote.",
    audience: 'producers',
    effects: { readOnly: false, destructive: true, idempotent: true },
    input: PricingChange,
    output: Output,
    answer: ({ changed, rules }) =>
      answer(rules, changed ? 'Saved. Current rules:' : 'Nothing was changed. Current rules:'),
  },
})

const PAGE = z.object({
  q: z.string().trim().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset: z.coerce.number().int().min(0).max(MAX_OFFSET).default(0),
})

const listPricedProducts = defineOperation({
  right: 'read',
  run: async (ctx: PricingContext, { caller }: Act, input: z.output<typeof PAGE>) => ({
    ...(await pagePricedProducts(ctx, { caller }, { ...input, search: input.q ?? null })),
    ...{ offset: input.offset },
  }),
  rest: [
    {
      ...{ ...REST, method: 'get', path: '/api/org/pricing/products/', input: PAGE, cache: NO_STORE },
      answer: { status: 200, of: pageWire },
    },
  ],
})

export const PRICING_OPERATIONS = [getPricingRules, setPricingRules, listPricedProducts]

function pageWire({ products, total, offset }: PricedProducts & { offset: number }) {
  return {
    products: products.map((product) => ({
      ...{ product_slug: product.productSlug, title: product.title },
      ...ownWire(product),
    })),
    ...{ total, next_offset: nextOffset(total, { offset, shown: products.length }) },
  }
}

function ownWire({ rules, effective, floors }: OwnRules) {
  return {
    rules,
    effective_rules: inFull(effective),
    ...(floors && { floors: toWire(floors) }),
  }
}

function rulesWire({ isManaged, volumeDiscounts, defaults, otherRules, product }: PricingRules) {
  return {
    is_managed: isManaged,
    volume_discounts: volumeDiscounts.map(toWire),
    default_rules: defaultsInFull(defaults),
    other_rules: otherRules,
    product_slug: product?.productSlug ?? null,
    rules: null,
    ...(product && ownWire(product)),
  }
}

function answer(rules: PricingRules, intro = '') {
  const { isManaged, volumeDiscounts, defaults, otherRules, product } = rules
  const data: z.input<typeof Output> = {
    is_managed: isManaged,
    volume_discounts: volumeDiscounts.map(toWire),
    default_rules: defaultsInFull(defaults),
    other_rules: otherRules,
    product_slug: product?.productSlug ?? null,
    product_rules: product && inFull(product.rules),
    effective_rules: product && inFull(product.effective),
    floors: product?.floors ? toWire(product.floors) : null,
  }
  return { text: rulesText(data, rules, intro), data }
}

type Rules = z.input<typeof Output>

function inFull(rules: ShownRules): NonNullable<Rules['product_rules']> {
  const unset = Object.fromEntries(SHOWN_RULES.map((name) => [name, null]))
  return { ...(unset as NonNullable<Rules['product_rules']>), ...rules }
}

function defaultsInFull(rules: OrgRules): Rules['default_rules'] {
  const unset = Object.fromEntries(ORG_RULES.map((name) => [name, null]))
  return { ...(unset as Rules['default_rules']), ...rules }
}

function rulesText(data: Rules, { defaults, product }: PricingRules, intro: string): string {
  const next =
    data.product_slug === null
      ? 'Next: set_pricing_rules to change them; get_pricing_rules with product_slug for one product.'
      : `Next: simulate_quote for ${data.product_slug} to see what a buyer would get.`
  const end = `Reserve price and margin are stored but never shown.\n\n${next}`
  const blocks = [
    () => intro,
    () =>
      data.is_managed
        ? 'Managed pricing is on: Souk quotes with these rules.'
        : 'Managed pricing is off: these rules are not used until set_agent_integration with is_managed true.',
    () => (product === null ? '' : productBlock(product)),
    () => (product === null ? `## Defaults for all products\n${sharedLines(defaults, null).join('\n')}` : ''),
    (room: number) => tiersBlock(data.volume_discounts, room),
    () => (data.product_slug === null ? otherBlock(data.other_rules) : ''),
  ]
  return `${fitBlocks(TEXT_ROOM - end.length - 2, blocks)}\n\n${end}`
}

const SHOWN_REGIONS = 20

/** What holds for the product, and which of it is the organization's default. */
function productBlock({
  productSlug,
  rules,
  effective,
  floors,
}: NonNullable<PricingRules['product']>): string {
  const { price_usd, stock, in_stock, variant_prices } = rules
  const lines = [
    `- Price: ${said(price_usd, usd, 'not set; quotes start from your live offer, your shop or the list price')}`,
    `- In stock: ${said(in_stock, (yes) => (yes ? 'yes' : 'no'), 'yes, unless the product is discontinued')}`,
    `- Stock: ${said(stock, (units) => counted(units, 'unit'), 'not counted')}`,
    ...variantLines(variant_prices ?? []),
    ...sharedLines(effective, rules),
    ...(floors ? [`- Limits: ${floorWords(floors)}`] : []),
  ]
  return `## Rules of ${productSlug}\n${lines.join('\n')}`
}

const SHOWN_VARIANTS = 20

function variantLines(prices: NonNullable<ShownRules['variant_prices']>): string[] {
  const more = prices.length - SHOWN_VARIANTS
  return [
    ...prices.slice(0, SHOWN_VARIANTS).map(({ name, price_usd, stock }) => {
      const left = stock === null ? '' : `, ${counted(stock, 'unit')}`
      return `- Price of variant ${inlineText(name, 80)}: ${usd(price_usd)}${left}`
    }),
    ...(more > 0 ? [`- ${counted(more, 'more price')} of variants in the data`] : []),
  ]
}

/** `own` marks which of them the organization's defaults gave. */
function sharedLines(rules: OrgRules, own: OrgRules | null): string[] {
  const regions = (rules.delivery_regions ?? []).map(regionName)
  const listed = (rules.shipping_by_region ?? []).map(
    ({ region, cost_usd, lead_time_days: days }) =>
      `${regionName(region)}: ${usd(cost_usd)}${days === null ? '' : ` in ${counted(days, 'business day')}`}`,
  )
  const lines: Array<[keyof OrgRules, string]> = [
    ['max_discount_pct', `Maximum discount: ${said(rules.max_discount_pct, (pct) => `${pct}%`, 'no cap')}`],
    ['lead_time_days', `Lead time: ${said(rules.lead_time_days, (days) => counted(days, 'business day'))}`],
    [
      'return_policy_days',
      `Returns: ${said(rules.return_policy_days, (days) => (days === 0 ? 'none' : counted(days, 'day')))}`,
    ],
    ['shipping_cost_usd', `Shipping for the order: ${said(rules.shipping_cost_usd, usd)}`],
    [
      'free_shipping_above_usd',
      `Free shipping from: ${said(rules.free_shipping_above_usd, usd, 'no order value')}`,
    ],
    ['shipping_by_region', `Shipping by region: ${some(listed, 'none')}`],
    ['delivery_regions', `Delivered to: ${some(regions, 'everywhere')}`],
  ]
  return lines.map(([name, text]) => {
    const value = rules[name]
    const isSet = Array.isArray(value) ? value.length > 0 : value != null
    return `- ${text}${own && isSet && own[name] == null ? ' (default)' : ''}`
  })
}

function some(items: readonly string[], none: string): string {
  const more = items.length - SHOWN_REGIONS
  return `${items.slice(0, SHOWN_REGIONS).join('; ') || none}${more > 0 ? `; and ${more} more in the data` : ''}`
}

function floorWords({ isSet, setAt, setBy, heldUp }: FloorFacts): string {
  if (!isSet) return 'none set'
  const when = setAt === null ? '' : ` on ${setAt.toISOString().slice(0, 10)}`
  const who = setBy === null ? '' : ` by ${inlineText(setBy, 80)}`
  return `set${when}${who}; they held up ${counted(heldUp, 'request')} in the last 30 days`
}

function said<T>(value: T | null | undefined, words: (value: T) => string, none = 'not stated'): string {
  return value === null || value === undefined ? none : words(value)
}

const OTHER_ROOM = 1_500

/** The names are as much somebody's words as the values. */
function otherBlock(rules: Record<string, unknown>): string {
  if (Object.keys(rules).length === 0) return ''
  const lines = [{ label: 'Rules', text: JSON.stringify(rules), max: OTHER_ROOM }]
  return `## Other stored rules, not used for quotes\n${untrusted('members of your organization', lines)}`
}

function tiersBlock(tiers: Rules['volume_discounts'], room: number): string {
  if (tiers.length === 0) return 'The organization has no volume discounts.'
  const lines = tiers.map(
    ({ min_qty, discount_pct }) => `- from ${counted(min_qty, 'unit')}: ${discount_pct}% off`,
  )
  return fitItems(lines.length, Math.min(room, TIERS_ROOM), (shown) =>
    [
      '## Volume discounts for all products',
      ...lines.slice(0, shown),
      ...(shown < lines.length ? [`${counted(lines.length - shown, 'more tier')} in the data.`] : []),
    ].join('\n'),
  )
}

/** Leaves room for what comes after: fifty tiers fit. */
const TIERS_ROOM = 2_500

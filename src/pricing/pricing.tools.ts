/**
 * Rules of managed pricing as tools. The organization's tiers and one product's rules have the same answer, because a
 * quote is computed by both. The floors can be set and are never part of an answer, not even whether there are any.
 */
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { toWire } from '../lib/entity.ts'
import { fitBlocks, fitItems, TEXT_ROOM } from '../lib/fit-text.ts'
import { untrusted } from '../lib/untrusted.ts'
import { counted, usd } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { PricingChange, SHOWN_RULES, type ShownRules } from './pricing.schema.ts'
import {
  getPricingRules as getRules,
  type PricingContext,
  type PricingRules,
  setPricingRules as setRules,
} from './pricing.service.ts'

const Output = z.object({
  is_managed: z.boolean().describe('Whether these rules are used for quotes now'),
  volume_discounts: z
    .array(z.object({ min_qty: z.int(), discount_pct: z.number() }))
    .describe("The organization's, for every product"),
  other_rules: z.record(z.string(), z.unknown()).describe('Stored as sent; not used for quotes'),
  product_slug: z.string().nullable(),
  product_rules: z
    .object({
      max_discount_pct: z.number().nullable(),
      lead_time_days: z.int().nullable().describe('Business days'),
      return_policy_days: z.int().nullable(),
      in_stock: z.boolean().nullable(),
      delivery_regions: z.array(z.string()).nullable().describe('Empty: everywhere'),
      shipping_cost_usd: z.number().nullable().describe('For the whole order'),
    })
    .nullable(),
})

const GetInput = z.object({
  product_slug: ProductSlugInput.optional().describe(
    "<category>/<slug>, or the slug alone, of one of your products; none: the organization's rules",
  ),
})

export const getPricingRules = defineTool<PricingContext, typeof GetInput, typeof Output>({
  name: 'get_pricing_rules',
  title: 'Pricing rules',
  description:
    "Shows the rules Souk uses to quote for your organization: its volume discounts and, with product_slug, that product's rules. Reserve price and margin are write-only. Change rules with set_pricing_rules; see their effect with simulate_quote.",
  audience: 'producers',
  effects: { readOnly: true },
  input: GetInput,
  output: Output,
  async run(ctx, { caller }, { product_slug }) {
    return answer(await getRules(ctx, { caller }, product_slug ?? null))
  },
})

export const setPricingRules = defineTool<PricingContext, typeof PricingChange, typeof Output>({
  name: 'set_pricing_rules',
  title: 'Set pricing rules',
  description:
    "Sets rules for managed quotes: the organization's volume_discounts without product_slug, one product's other rules with it. Fields you leave out stay; null clears. Reserve price and margin limit every quote and are never shown again. Owners and admins only. Test with simulate_quote.",
  audience: 'producers',
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: PricingChange,
  output: Output,
  async run(ctx, { caller, visit }, change) {
    const changed = await setRules(ctx, { caller, visit }, change)
    const intro = changed ? 'Saved. Current rules:' : 'Nothing was changed. Current rules:'
    return answer(await getRules(ctx, { caller }, change.productSlug), intro)
  },
})

function answer({ isManaged, volumeDiscounts, otherRules, product }: PricingRules, intro = '') {
  const data: z.input<typeof Output> = {
    is_managed: isManaged,
    volume_discounts: volumeDiscounts.map(toWire),
    other_rules: otherRules,
    product_slug: product?.productSlug ?? null,
    product_rules: product && inFull(product.rules),
  }
  return { text: rulesText(data, product?.rules ?? null, intro), data }
}

type Rules = z.input<typeof Output>

function inFull(rules: ShownRules): NonNullable<Rules['product_rules']> {
  const unset = Object.fromEntries(SHOWN_RULES.map((name) => [name, null]))
  return { ...(unset as NonNullable<Rules['product_rules']>), ...rules }
}

function rulesText(data: Rules, product: ShownRules | null, intro: string): string {
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
    () => (product === null ? '' : productBlock(data.product_slug ?? '', product)),
    (room: number) => tiersBlock(data.volume_discounts, room),
    () => (data.product_slug === null ? otherBlock(data.other_rules) : ''),
  ]
  return `${fitBlocks(TEXT_ROOM - end.length - 2, blocks)}\n\n${end}`
}

const SHOWN_REGIONS = 40

function productBlock(slug: string, rules: ShownRules): string {
  const { max_discount_pct, lead_time_days, return_policy_days, in_stock, delivery_regions } = rules
  const regions = delivery_regions ?? []
  const more = regions.length - SHOWN_REGIONS
  const lines = [
    `- Maximum discount: ${said(max_discount_pct, (pct) => `${pct}%`, 'no cap')}`,
    `- Lead time: ${said(lead_time_days, (days) => counted(days, 'business day'))}`,
    `- Returns: ${said(return_policy_days, (days) => (days === 0 ? 'none' : counted(days, 'day')))}`,
    `- In stock: ${said(in_stock, (stock) => (stock ? 'yes' : 'no'), 'yes, unless the product is discontinued')}`,
    `- Shipping for the order: ${said(rules.shipping_cost_usd, usd)}`,
    `- Delivered to: ${regions.slice(0, SHOWN_REGIONS).join(', ') || 'everywhere'}${more > 0 ? `, and ${more} more in the data` : ''}`,
  ]
  return `## Rules of ${slug}\n${lines.join('\n')}`
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

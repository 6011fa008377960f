/**
 * A rehearsal of a quote as a tool, for the producer's own eyes: the same function as the REST route. It says besides
 * whether managed pricing is on, because a simulation looks the same while it is off.
 */
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import { toWire } from '../lib/entity.ts'
import { paragraphs } from '../lib/fit-text.ts'
import { centsToDollars } from '../lib/money.ts'
import { regionName } from '../lib/regions.ts'
import { inlineText, untrusted } from '../lib/untrusted.ts'
import { usd } from '../lib/words.ts'
import { getIntegration } from '../orgs/integration.service.ts'
import { BASE_SOURCES, type BaseSource } from '../pricing/base-price.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { RfqContext } from './context.ts'
import { totalOf } from './quote.schema.ts'
import { deliveryWords, shippingWords } from './quotes-text.ts'
import { MAX_QUANTITY, RfqRequest } from './rfq.schema.ts'
import { type Simulated, simulateQuote as simulate } from './simulate.service.ts'

const Input = RfqRequest.extend({
  product_slug: RfqRequest.shape.product_slug
    .refine(
      (text) => ProductSlugInput.safeParse(text).success,
      "must be a product's slug, or <category>/<slug>",
    )
    .describe('<category>/<slug>, or the slug alone, of one of your products'),
  quantity: z.int().min(1).max(MAX_QUANTITY).describe('Quantity'),
})

const Output = z.object({
  would: z.enum(['quote', 'decline']),
  reason: z.string().nullable().describe('Why it would decline'),
  unit_price_usd: z.number().nullable(),
  total_usd: z.number().nullable().describe('Price × quantity, plus shipping where it is stated'),
  list_price_usd: z.number().nullable(),
  in_stock: z.boolean().nullable(),
  stock_left: z.int().nullable().describe('Units you have, where that is fewer than were asked for'),
  shipping_cost_usd: z.number().nullable(),
  shipping_by: z
    .enum(['flat', 'region', 'free_above'])
    .nullable()
    .describe('Which shipping rule gave the cost'),
  estimated_shipping_days: z.int().nullable().describe('Business days'),
  meets_deadline: z.boolean().nullable(),
  valid_until: z.string().nullable(),
  claim_url: z.string().nullable().describe('Where a buyer would be sent'),
  terms: z.string().nullable(),
  base_price_source: z.enum(BASE_SOURCES).nullable().describe('Where the first price comes from'),
  steps: z
    .array(z.object({ label: z.string(), unit_price_usd: z.number() }))
    .describe('Calculation steps; empty for editors and viewers'),
  limited_by_floor: z
    .boolean()
    .nullable()
    .describe('Whether your price limit applied; null for editors and viewers'),
  is_managed: z.boolean().describe('False: managed pricing is off, so buyers do not get this quote'),
})
type Data = z.input<typeof Output>

export const simulateQuote = defineTool<RfqContext, typeof Input, typeof Output>({
  name: 'simulate_quote',
  title: 'Simulate a quote',
  description:
    'Shows what managed pricing would quote a buyer now for a product, quantity and region, with the calculation for owners and admins. Nothing is stored or sent. Use it after set_pricing_rules, or to explain a price.',
  audience: 'producers',
  effects: { readOnly: true },
  input: Input,
  output: Output,
  async run(ctx, { caller }, request) {
    const simulated = await simulate(ctx, { caller }, request)
    const { isManaged } = await getIntegration(ctx, { caller })
    const data = dataOf(simulated, request.quantity, isManaged)
    return { text: textOf(data, request), data }
  },
})

function dataOf(simulated: Simulated, quantity: number, isManaged: boolean): Data {
  const { quote, calculation } = simulated
  const answer = simulated.kind === 'quote' ? simulated.answer : null
  const given = answer && quote?.kind === 'quote' ? quote : null
  const totalCents = answer && totalOf(answer, quantity)
  return {
    would: simulated.kind,
    reason: simulated.kind === 'decline' ? simulated.reason : null,
    unit_price_usd: centsToDollars(answer?.priceCents),
    total_usd: centsToDollars(totalCents),
    list_price_usd: centsToDollars(answer?.listPriceCents),
    in_stock: answer?.inStock ?? null,
    stock_left: given?.stockLeft ?? null,
    shipping_cost_usd: centsToDollars(answer?.shippingCostCents),
    shipping_by: given?.shippingBy ?? null,
    estimated_shipping_days: answer?.estimatedShippingDays ?? null,
    meets_deadline: given?.meetsDeadline ?? null,
    valid_until: answer?.offerExpiresAt.toISOString() ?? null,
    claim_url: answer?.claimUrl ?? null,
    terms: answer?.terms ?? null,
    base_price_source: simulated.base?.source ?? null,
    steps: (calculation?.steps ?? []).map(toWire),
    limited_by_floor: calculation?.limited ?? null,
    is_managed: isManaged,
  }
}

/** The slug was read as one by now, and so was the region: both are plain. */
function textOf(data: Data, { product_slug, quantity, delivery_region, variant }: RfqRequest): string {
  const which = variant === null ? '' : ` (${inlineText(variant)})`
  const to = delivery_region === null ? '' : ` to ${regionName(delivery_region)}`
  return paragraphs([
    `# Simulated quote: ${quantity.toLocaleString('en-US')} × ${product_slug}${which}${to}`,
    data.would === 'quote' ? quoteLine(data, quantity) : `**Would decline.** ${data.reason}`,
    stepsText(data),
    data.terms === null ? '' : `Terms: ${data.terms}`,
    data.claim_url === null
      ? ''
      : untrusted('members of your organization or the catalog', [
          { label: 'Where the buyer is sent', text: data.claim_url },
        ]),
    data.is_managed
      ? 'Managed pricing is on: buyers get this answer now.'
      : 'Managed pricing is off, so buyers do not get this quote. Next: set_agent_integration with is_managed true.',
    `Nothing was stored or sent. ${data.base_price_source === null ? '' : `The base price is ${SOURCE_WORDS[data.base_price_source]}. `}Change price, stock and shipping with set_pricing_rules; an active offer (list_offers) below your price comes first.`,
  ])
}

const SOURCE_WORDS: Record<BaseSource, string> = {
  own_price: 'the price you set',
  live_offer: 'your active offer',
  own_shop: 'the price at your shop',
  list_price: 'the list price',
  variant_price: "the catalog's price for this variant",
  highest_price: 'the highest known price',
}

function stepsText({ would, steps, limited_by_floor }: Data): string {
  const said = steps.map(({ label, unit_price_usd }) => `${label}: ${usd(unit_price_usd)}`)
  if (limited_by_floor)
    said.push(would === 'quote' ? 'Limited by your price limit' : 'Stopped by your price limit')
  return said.map((step, at) => `${at + 1}. ${step}`).join('\n')
}

const SHIPPING_WORDS = { flat: '', region: ' (for this region)', free_above: ' (by the order value)' }

function quoteLine(data: Data, quantity: number): string {
  const { unit_price_usd, total_usd, list_price_usd, shipping_cost_usd, estimated_shipping_days: days } = data
  const facts = [
    `**${usd(unit_price_usd ?? 0)}${quantity > 1 ? ' each' : ''}**`,
    `${usd(total_usd ?? 0)} in total, ${shippingWords(shipping_cost_usd)}${shipping_cost_usd === null ? '' : ' included'}${data.shipping_by === null ? '' : SHIPPING_WORDS[data.shipping_by]}`,
    ...(list_price_usd === null ? [] : [`list ${usd(list_price_usd)}`]),
    data.in_stock
      ? 'in stock'
      : `**out of stock**${data.stock_left === null ? '' : ` (you have ${data.stock_left})`}: listed last`,
    deliveryWords(days),
    ...(data.meets_deadline === null
      ? []
      : [data.meets_deadline ? 'meets the deadline' : '**misses the deadline**']),
    `valid until ${data.valid_until}`,
  ]
  return facts.join(' · ')
}

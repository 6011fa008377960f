/**
 * What a producer's model learns of the requests its organization received: what was asked, what we answered, and why
 * that won or lost. Of the others it learns how many they were, never who, nor what they offered.
 */
import { z } from 'zod'
import { ProductSlugInput } from '../catalog/relationships.schema.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { fitItems, paragraphs, TEXT_ROOM } from '../lib/fit-text.ts'
import { regionName } from '../lib/regions.ts'
import { inlineText } from '../lib/untrusted.ts'
import { counted, durationWords, usd } from '../lib/words.ts'
import { defineTool } from '../tools/define-tool.ts'
import { limit, offset, page } from '../tools/params.ts'
import {
  COUNTED_TO,
  LOOKED_AT,
  OUTCOMES,
  pageReceivedRfqs,
  type ReceivedPage,
  type ReceivedRfqRow,
  wireReceived,
} from './inspector.service.ts'
import { HELPS, MEASURE_NAMES } from './quote.schema.ts'
import { shippingWords } from './quotes-text.ts'
import { Since } from './rfq.schema.ts'

const Input = z.object({
  since: Since.optional().describe('Received at or after this ISO 8601 date or time, such as 2026-12-01'),
  product_slug: ProductSlugInput.optional().describe('Only for this product: <category>/<slug>, or the slug'),
  outcome: z
    .enum(OUTCOMES)
    .optional()
    .describe(
      'Only with this outcome; won: the buyer chose you; first: ranked first; failed: your answer was not valid',
    ),
  limit,
  offset,
})

const Rfq = z.object({
  rfq_id: z.string(),
  product_slug: z.string(),
  quantity: z.int(),
  delivery_region: z.string().nullable(),
  deadline_iso: z.string().nullable(),
  variant: z.string().optional().describe('The variant that was asked for; absent for any'),
  asked_at: z.string(),
  outcome: z.enum(OUTCOMES),
  verdict: z.string().nullable().describe('Outcome of your answer'),
  reason: z.string().nullable(),
  response_ms: z.int().nullable(),
  price_usd: z.number().nullable().describe('Your price per piece'),
  shipping_cost_usd: z.number().nullable(),
  rank: z.int().nullable(),
  quotes: z.int().describe('How many sellers quoted, including you'),
  loss_reason: z.string().nullable(),
  decided_by: z.enum(MEASURE_NAMES).nullable().describe('What set you apart from the winner'),
  advice: z
    .object({
      help: z.enum(HELPS),
      gap_band: z.string().nullable(),
      text: z.string(),
      path: z.string().describe('Page of the dashboard where people change it'),
    })
    .nullable()
    .describe('The kind of change that would have helped most; null where nothing was lost'),
  choice: z.enum(['yours', 'another']).nullable().describe('Whose quote the buyer chose; null: none yet'),
  clicks: z.int(),
})
type Rfq = z.output<typeof Rfq>

const Output = z.object({
  rfqs: z.array(Rfq),
  ...page,
  total: z.int().max(COUNTED_TO).describe('Total number, counted up to 1,000'),
  total_capped: z
    .boolean()
    .describe('True: there may be more; filtering by outcome covers the newest 10,000'),
})

type Context = { db: Db; clock: Clock; config: Pick<Config, 'keep'> }

export const listRfqs = defineTool<Context, typeof Input, typeof Output>({
  name: 'list_rfqs',
  title: 'List received RFQs',
  description:
    'Lists requests for quote you received, newest first, with your answer, its rank and why it won or lost. Filter by since, product_slug or outcome. Use get_agent_integration to fix a failing agent, set_pricing_rules to change your quotes.',
  audience: 'producers',
  effects: { readOnly: true },
  input: Input,
  output: Output,
  async run(ctx, call, input) {
    const { product_slug: productSlug, ...filter } = input
    const found = await pageReceivedRfqs(ctx, call, { ...filter, productSlug })
    const rfqs = found.rfqs.map(wire)
    return {
      text: paragraphs([
        listText(rfqs, found, { offset: input.offset, outcome: input.outcome ?? null }),
        forgottenWords(ctx, input.since),
      ]),
      data: {
        rfqs,
        total: found.total,
        total_capped: found.capped,
        next_offset: found.more && rfqs.length > 0 ? input.offset + rfqs.length : null,
      },
    }
  },
})

/** Said to those who ask for what may be gone. */
function forgottenWords({ clock, config }: Context, since: Date | undefined): string {
  const days = config.keep.attempts
  const isKept = days === null || !since || since.getTime() >= clock.now().getTime() - days * DAY_MS
  return isKept ? '' : `Requests that ended more than ${counted(days, 'day')} ago are deleted.`
}

function wire(row: ReceivedRfqRow): Rfq {
  const { price_usd: price, shipping_cost_usd: shipping } = row.answer ?? {}
  return Rfq.parse({
    ...wireReceived(row),
    price_usd: typeof price === 'number' ? price : null,
    shipping_cost_usd: typeof shipping === 'number' ? shipping : null,
  })
}

function listText(
  rfqs: Rfq[],
  { total, capped, more }: Omit<ReceivedPage, 'rfqs'>,
  { offset, outcome }: { offset: number; outcome: string | null },
): string {
  const many = capped ? `${total.toLocaleString('en-US')}+ requests` : counted(total, 'request')
  const asked = `${many} for quote${outcome === null ? '' : ` that ended as ${outcome}`}`
  if (total === 0 && capped) return `${asked}: none among the newest ${LOOKED_AT.toLocaleString('en-US')}.`
  if (rfqs.length === 0)
    return total === 0
      ? `${asked}. You get requests for products with a verified relationship (list_my_products) once an agent or managed pricing is set up (get_agent_integration).`
      : `${asked}; none at offset ${offset}.`
  return fitItems(rfqs.length, TEXT_ROOM, (shown) => {
    return paragraphs([
      `# ${asked}, newest first`,
      rfqs.slice(0, shown).map(rfqLine).join('\n'),
      more || shown < rfqs.length ? `Next: list_rfqs with offset ${offset + shown}.` : '',
      rfqs.slice(0, shown).some((rfq) => rfq.outcome === 'failed')
        ? 'Failed answers: see get_agent_integration for fixes.'
        : '',
    ])
  })
}

const UNEXPLAINED: ReadonlySet<Rfq['outcome']> = new Set(['won', 'first', 'lost', 'waiting'])

function rfqLine(rfq: Rfq): string {
  const place = rfq.rank === null ? '' : ` (rank ${rfq.rank} of ${rfq.quotes})`
  const ours = [
    rfq.price_usd === null ? '' : `your price ${usd(rfq.price_usd)}`,
    rfq.price_usd === null ? '' : shippingWords(rfq.shipping_cost_usd),
    rfq.response_ms === null ? '' : `${durationWords(rfq.response_ms)}`,
    rfq.clicks === 0 ? '' : counted(rfq.clicks, 'click'),
  ]
  const why = rfq.loss_reason ?? (UNEXPLAINED.has(rfq.outcome) ? null : rfq.reason)
  const facts = [
    rfq.asked_at,
    `${rfq.quantity} × ${rfq.product_slug}`,
    rfq.variant === undefined ? '' : `variant ${inlineText(rfq.variant)}`,
    rfq.delivery_region === null ? '' : `to ${inlineText(regionName(rfq.delivery_region), 60)}`,
    rfq.deadline_iso === null ? '' : `by ${inlineText(rfq.deadline_iso, 60)}`,
    `**${rfq.outcome}**${place}`,
    ...ours,
    why === null ? '' : `why: ${inlineText(why, 300)}`,
    rfq.advice === null ? '' : `helps most: ${rfq.advice.help}`,
  ]
  return `- ${facts.filter(Boolean).join(' · ')} · ${rfq.rfq_id}`
}

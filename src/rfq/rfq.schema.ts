/**
 * The words of the whole RFQ feature: what a buyer asks, what a producer's answer is once it has been checked, what
 * a buyer gets, and what can become of each attempt. Inside: camelCase, cents, dates. At the edge: the contract's
 * names and dollars.
 */
import { z } from 'zod'
import { readRegion } from '../pricing/pricing.schema.ts'

export const MAX_QUANTITY = 100_000
export const MAX_TERMS = 200
export const MAX_ANSWER_BYTES = 64 * 1024
export const MAX_OFFER_MS = 24 * 60 * 60 * 1000

/** Agents often send null or an empty string for what they do not know: both count as not given. */
const deliveryRegion = z
  .string()
  .max(60)
  .nullish()
  .transform((text, context) => {
    if (!text?.trim()) return null
    const region = readRegion(text)
    if (region?.includes('-')) return region
    context.addIssue({ code: 'custom', message: 'must be STATE-COUNTRY, such as CA-US' })
    return z.NEVER
  })

const deadline = z
  .string()
  .max(60)
  .nullish()
  .transform((text, context) => {
    const iso = text?.trim()
    if (!iso) return null
    if (isDay(iso) || readInstant(iso)) return iso
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date, such as 2026-12-01' })
    return z.NEVER
  })

export const RfqRequest = z.object({
  product_slug: z.string().trim().min(1).max(200).describe('<category>/<slug>, or the slug alone'),
  quantity: z.number().int().min(1).max(MAX_QUANTITY).default(1),
  delivery_region: deliveryRegion.describe('STATE-COUNTRY, such as CA-US'),
  deadline_iso: deadline.describe('Latest acceptable delivery date, ISO 8601'),
})
export type RfqRequest = z.output<typeof RfqRequest>

/** The last moment of the day the buyer wrote, whatever hour or zone stands beside it: a delivery has a date. */
export function deadlineOf(deadlineIso: string): Date {
  return new Date(`${deadlineIso.slice(0, 10)}T23:59:59.999Z`)
}

/** An ISO 8601 date that exists in the calendar. */
export function isDay(text: string): boolean {
  return text.length === 10 && readInstant(`${text}T00:00Z`) !== null
}

const INSTANT =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$/

/** An ISO 8601 date and time that exists in the calendar; without a zone it is UTC, like all times here. */
export function readInstant(text: string): Date | null {
  const match = INSTANT.exec(text)
  if (!match) return null
  const [, day, hour, minute, second = '00', fraction = '', zone = 'Z'] = match
  // Date accepts 30 February and makes it 2 March.
  const midnight = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(midnight.getTime()) || midnight.toISOString().slice(0, 10) !== day) return null
  return new Date(`${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`)
}

/** A day, from its beginning, or a moment of it. */
export const Since = z
  .string()
  .max(60)
  .transform((text, context): Date => {
    const since = readInstant(text.trim().length === 10 ? `${text.trim()}T00:00Z` : text.trim())
    if (since) return since
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date, such as 2026-12-01' })
    return z.NEVER
  })

/** A producer's answer after every check of interface 2.10. */
export type ProducerAnswer = {
  priceCents: number
  inStock: boolean
  claimUrl: string
  offerExpiresAt: Date
  shippingCents: number | null
  listPriceCents: number | null
  /** Whole business days. */
  estimatedShippingDays: number | null
  offerId: string | null
  terms: string | null
}

export type QuotingOrg = {
  id: string
  name: string
  orgType: 'manufacturer' | 'retailer' | 'distributor'
  verified: boolean
  /** Proved; null where none is. */
  domain: string | null
}

/** An answer as the ranking sees it. Health is that of before this request. */
export type ReceivedQuote = {
  org: QuotingOrg
  answer: ProducerAnswer
  responseMs: number
  health: { status: 'active' | 'pending' | 'unreachable'; failuresInARow: number }
}

export type Ranked<Received extends ReceivedQuote = ReceivedQuote> = Received & {
  rank: number
  rankReasons: string[]
  /** Price × quantity, plus shipping where it is stated. */
  totalCents: number
  /** Null without a deadline, and where no delivery time is stated. */
  meetsDeadline: boolean | null
  /** Where its link leads, if that is not the seller's proved domain. */
  claimHost: string | null
  /** For the producer; null for the winner. */
  lossReason: string | null
}

/** As the buyer gets it: what the producer left out is left out. */
export const Quote = z.object({
  rank: z.number().int().min(1),
  rank_reasons: z.array(z.string()),
  org: z.object({
    name: z.string(),
    org_type: z.enum(['manufacturer', 'retailer', 'distributor']),
    verified: z.boolean(),
    // Quotes that were signed before this was told have none.
    domain: z.string().nullable().optional().describe('The domain it has proved to own; null: none'),
  }),
  price_usd: z.number().min(0).describe('For one'),
  total_usd: z.number().min(0).describe('Price × quantity, plus shipping where it is stated'),
  in_stock: z.boolean(),
  claim_url: z.string().describe('Where to buy at this price'),
  claim_host: z
    .string()
    .optional()
    .describe('The host that claim_url leads to, where it is not on the domain of the seller'),
  offer_expires_at: z.string(),
  shipping_cost_usd: z.number().min(0).optional().describe('For the whole order; not stated when absent'),
  list_price_usd: z.number().min(0).optional(),
  estimated_shipping_days: z.number().int().min(0).optional().describe('Business days'),
  offer_id: z.string().optional(),
  terms: z.string().optional().describe('Written by the seller'),
  signature: z.string().describe('Compact JWS over this quote and what it was asked for'),
})
export type Quote = z.output<typeof Quote>

/** What the signature covers: the quote, and what makes it this one and no other. */
export const QuotePromise = Quote.omit({ signature: true }).extend({
  issuer: z.string(),
  issued_at: z.string(),
  rfq_id: z.string(),
  product_slug: z.string(),
  quantity: z.number().int().min(1),
})
export type QuotePromise = z.output<typeof QuotePromise>

/** What can become of asking one producer, in words that its people can act on. */
export const VERDICT_TEXTS = {
  quoted: 'Answered with a quote.',
  out_of_stock: 'Answered with a quote, out of stock: listed last.',
  declined: 'Answered that it cannot fulfil this request.',
  invalid: 'The answer is not in the form agreed, so it was dropped.',
  not_json: 'The answer is not a JSON document.',
  too_large: 'The answer is over 64 KB, so it was dropped.',
  redirect: 'Answered with a redirect; redirects are not followed.',
  bad_status: 'Answered with a status other than 200.',
  timeout: 'Did not answer before the deadline.',
  unreachable: 'No connection could be made.',
  refused_address: 'The address may not be called: it is not a public https address.',
  retry: 'Could not be reached at first, so it was asked once more.',
  skipped: 'Not asked: it failed many times in a row just before.',
  canceled: 'The buyer withdrew the request.',
} as const
export type AttemptVerdict = keyof typeof VERDICT_TEXTS

const BLAMELESS: ReadonlySet<AttemptVerdict> = new Set([
  'quoted',
  'out_of_stock',
  'declined',
  'retry',
  'skipped',
  'canceled',
])

/** Whether the attempt counts towards the failures in a row that make an integration unreachable. */
export function isFailure(verdict: AttemptVerdict): boolean {
  return !BLAMELESS.has(verdict)
}

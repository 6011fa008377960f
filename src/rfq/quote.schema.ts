/**
 * A quote: as a producer answers it (interface 2.10), as it is ranked, and as a buyer gets it. `ANSWER` names the fields of
 * an answer and reads them; what is stored, signed and shown follows from it. Inside: camelCase, cents, dates. At the
 * edge: the contract's names and dollars.
 *
 * Reading is strict where a promise could be read in two ways, a key given twice or a date that does not exist, and
 * lenient only where the meaning is beyond doubt:
 * - a byte order mark is passed over; null in an optional field is the same as leaving it out;
 * - amounts are rounded half up to the cent, unless that would change them by more than one percent;
 * - part of a business day is a day; an offer_id that is no UUID is dropped and the quote kept;
 * - out of stock at price 0 is a decline, whether the two strings are empty, null or missing; in stock at 0 is bait.
 * offer_expires_at must lie after now and at most 24 hours from now, with no slack: a producer counts from when it
 * answered, which is always before we read it. Reasons never repeat what the producer wrote.
 */
import { z } from 'zod'
import { DAY_MS } from '../lib/clock.ts'
import { foreignHost } from '../lib/domains.ts'
import { fromWire, toWire, type Wire, wireNameOf } from '../lib/entity.ts'
import { isUuid } from '../lib/ids.ts'
import { centsToDollars, MAX_CENTS } from '../lib/money.ts'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import { Demo } from '../orgs/shown-org.ts'
import { readInstant } from './rfq.schema.ts'

const MAX_TERMS = 200
export const MAX_ANSWER_BYTES = 64 * 1024
export const MAX_OFFER_MS = DAY_MS
const MAX_URL = 2048
const MAX_SHIPPING_DAYS = 3650

type Reader<Value> = (value: unknown, field: string, now: Date) => Value

const required =
  <Value>(read: Reader<Value>): Reader<Value> =>
  (value, field, now) => {
    if (value === undefined) throw new Refusal(`${field} is missing`, field)
    return read(value, field, now)
  }
const optional =
  <Value>(read: Reader<Value>): Reader<Value | null> =>
  (value, field, now) =>
    value === undefined ? null : read(value, field, now)

const ANSWER = {
  priceCents: required(amount),
  inStock: required(boolean),
  claimUrl: required(httpsUrl),
  offerExpiresAt: required(expiry),
  shippingCostCents: optional(amount),
  listPriceCents: optional(amount),
  /** Whole business days. */
  estimatedShippingDays: optional(wholeDays),
  offerId: optional(uuid),
  terms: optional(shortLine),
}
type Key = keyof typeof ANSWER
const KEYS = Object.keys(ANSWER) as Key[]
const NAMES = KEYS.map(wireNameOf)

/** A producer's answer after every check. */
export type ProducerAnswer = { [Name in Key]: ReturnType<(typeof ANSWER)[Name]> }

/** As the buyer gets it: what the producer left out is left out. */
export const Quote = z.object({
  // Quotes that were signed before they had one are given theirs when read.
  quote_id: z.string().describe('Names this quote when you choose it'),
  rank: z.number().int().min(1),
  rank_reasons: z.array(z.string()),
  org: z.object({
    name: z.string(),
    org_type: z.enum(['manufacturer', 'retailer', 'distributor']),
    verified: z.boolean(),
    // Quotes that were signed before this was told have none.
    domain: z.string().nullable().optional().describe('Its verified domain; null if none'),
    demo: Demo,
  }),
  price_usd: z.number().min(0).describe('Per piece'),
  total_usd: z.number().min(0).describe('Price × quantity, plus shipping where it is stated'),
  in_stock: z.boolean(),
  claim_url: z.string().describe('Where to buy at this price'),
  claim_host: z.string().optional().describe("The host of claim_url, if it is not on the seller's domain"),
  offer_expires_at: z.string(),
  shipping_cost_usd: z.number().min(0).optional().describe('For the whole order; not stated when absent'),
  list_price_usd: z.number().min(0).optional(),
  estimated_shipping_days: z.number().int().min(0).optional().describe('Business days'),
  offer_id: z.string().optional(),
  terms: z.string().optional().describe('Written by the seller'),
  signature: z.string().describe('Compact JWS over this quote and its request'),
})
export type Quote = z.output<typeof Quote>

/** What the signature covers: the quote, and what makes it this one and no other. */
export const QuotePromise = Quote.omit({ signature: true }).extend({
  // Quotes that were signed before they had an id have none.
  quote_id: z.string().optional(),
  // A quote that its buyer shows to others is signed without these.
  rank_reasons: z.array(z.string()).optional(),
  claim_url: z.string().optional(),
  issuer: z.string(),
  issued_at: z.string(),
  rfq_id: z.string(),
  product_slug: z.string(),
  quantity: z.number().int().min(1),
  // Only where the buyer asked for one.
  variant: z.string().optional(),
})
export type QuotePromise = z.output<typeof QuotePromise>

/** An answer by the contract's names. */
export type WireAnswer = Pick<Quote, keyof Wire<ProducerAnswer>>

/** An answer as the ranking sees it. */
export type ReceivedQuote = {
  id: string
  org: {
    id: string
    name: string
    orgType: Quote['org']['org_type']
    verified: boolean
    /** Proved; null where none is. */
    domain: string | null
    /** Of the demo catalog's sellers; absent for real ones. */
    demo?: true
  }
  answer: ProducerAnswer
  responseMs: number
  /** Before this request. */
  health: { status: 'active' | 'pending' | 'unreachable'; failuresInARow: number }
}

export type Ranked = ReceivedQuote & {
  rank: number
  rankReasons: string[]
  totalCents: number
  /** Null without a deadline, and where no delivery time is stated. */
  meetsDeadline: boolean | null
  /** Where its link leads, if that is not the seller's proved domain. */
  claimHost: string | null
  /** For the producer; null for the winner. */
  loss: Loss | null
  lossReason: string | null
}

/** What quotes are compared by, in the order of rank.ts. */
export const MEASURE_NAMES = [
  'stock',
  'deadline',
  'shipping',
  'total',
  'days',
  'health',
  'verified',
  'link',
  'speed',
  'tie',
] as const
export type MeasureName = (typeof MEASURE_NAMES)[number]

/** The kind of change that would have helped a producer most. */
export const HELPS = ['price', 'shipping', 'delivery', 'stock', 'region', 'answer'] as const
export type Help = (typeof HELPS)[number]

/** Why a quote is not the first. `gapBand`: how far its total is above the winner's, such as "5-10" percent. */
export type Loss = { measure: MeasureName; gapBand: string | null; help: Help }

/** Price × quantity, plus shipping where it is stated. */
export function totalOf(
  { priceCents, shippingCostCents }: Pick<ProducerAnswer, 'priceCents' | 'shippingCostCents'>,
  quantity: number,
): number {
  return priceCents * quantity + (shippingCostCents ?? 0)
}

/** What a buyer is shown of a quote before it has a place. */
export function shownQuote(
  { id, org: { id: _, ...seller }, answer }: ReceivedQuote,
  quantity: number,
  claimHost = foreignHost(answer.claimUrl, seller.domain),
) {
  return {
    quote_id: id,
    org: toWire(seller),
    total_usd: centsToDollars(totalOf(answer, quantity)),
    ...writeAnswer(answer),
    ...(claimHost !== null && { claim_host: claimHost }),
  }
}

/** By the contract's names, in dollars, absent fields left out. Read as of the same moment, it is equal. */
export function writeAnswer(answer: ProducerAnswer): WireAnswer {
  const said = Object.entries(toWire(answer)).filter(([, value]) => value !== null)
  return Object.fromEntries(said) as WireAnswer
}

/** What `writeAnswer` wrote, which was checked when it arrived and needs no second look. */
export function restoreAnswer(wire: WireAnswer): ProducerAnswer {
  return fromWire(wire, NAMES)
}

type InvalidAnswer = {
  kind: 'invalid'
  verdict: 'invalid' | 'not_json' | 'too_large'
  /** A sentence for the producer. */
  reason: string
  field: string | null
}
export type ReadAnswer = { kind: 'quote'; answer: ProducerAnswer } | { kind: 'decline' } | InvalidAnswer

export function readAnswer(body: Buffer, now: Date): ReadAnswer {
  try {
    return readFields(readObject(body), now)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

class Refusal extends Error {
  readonly answer: InvalidAnswer
  constructor(reason: string, field: string | null = null, verdict: InvalidAnswer['verdict'] = 'invalid') {
    super(reason)
    this.answer = { kind: 'invalid', verdict, reason, field }
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true })

function readObject(body: Buffer): Record<string, unknown> {
  if (body.length > MAX_ANSWER_BYTES) throw new Refusal('the answer is over 64 KB', null, 'too_large')
  let text: string
  let value: unknown
  try {
    text = UTF8.decode(body)
    value = JSON.parse(text)
  } catch {
    throw new Refusal('the answer is not JSON in UTF-8', null, 'not_json')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal('the answer must be one JSON object')
  if (!('price_usd' in value) && ('jsonrpc' in value || 'result' in value))
    throw new Refusal('the answer must be the bare object, not inside a JSON-RPC envelope')
  const twice = repeatedKey(text)
  if (twice !== null) throw new Refusal(`${twice} is given twice`, twice)
  return value as Record<string, unknown>
}

/** JSON.parse keeps the last of equal keys without a word. The text is known to be valid JSON. */
function repeatedKey(text: string): string | null {
  const seen = new Set<string>()
  let depth = 0
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    const token = match[0]
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (depth === 1 && match[1] !== undefined) {
      const key = String(JSON.parse(token.slice(0, -match[1].length)))
      if (NAMES.includes(key) && seen.has(key)) return key
      seen.add(key)
    }
  }
  return null
}

function readFields(given: Record<string, unknown>, now: Date): ReadAnswer {
  const read = (key: Key, by: Reader<unknown> = ANSWER[key]) =>
    by(given[wireNameOf(key)] ?? undefined, wireNameOf(key), now)
  const [priceCents, inStock] = [read('priceCents'), read('inStock')]
  if (priceCents === 0 && inStock)
    throw new Refusal('price_usd must be above 0 where in_stock is true', 'price_usd')
  if (priceCents === 0) {
    read('claimUrl', optional(string))
    read('offerExpiresAt', optional(string))
    return { kind: 'decline' }
  }
  const answer = Object.fromEntries(KEYS.map((key) => [key, read(key)])) as ProducerAnswer
  return { kind: 'quote', answer }
}

function string(value: unknown, field: string): string {
  if (typeof value !== 'string') throw new Refusal(`${field} must be a string`, field)
  return value
}

function boolean(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw new Refusal(`${field} must be true or false`, field)
  return value
}

/** JSON can write 1e999, which is read as Infinity. */
function number(value: unknown, field: string, max: number): number {
  if (typeof value !== 'number') throw new Refusal(`${field} must be a number`, field)
  if (value < 0) throw new Refusal(`${field} must not be negative`, field)
  if (!(value <= max)) throw new Refusal(`${field} is too large`, field)
  return value
}

function amount(value: unknown, field: string): number {
  const dollars = number(value, field, MAX_CENTS / 100)
  const cents = roundToCents(dollars)
  if (Math.abs(cents / 100 - dollars) > dollars * 0.01)
    throw new Refusal(`${field} must be in dollars and whole cents`, field)
  return cents
}

/** Half up on the decimals as written: 1.005 * 100 is 100.49999999999999. */
function roundToCents(dollars: number): number {
  const [whole = '0', decimals = ''] = dollars < 1e-6 ? ['0'] : String(dollars).split('.')
  const cents = Number(whole) * 100 + Number(decimals.slice(0, 2).padEnd(2, '0'))
  return decimals.charAt(2) >= '5' ? cents + 1 : cents
}

function wholeDays(value: unknown, field: string): number {
  return Math.ceil(number(value, field, MAX_SHIPPING_DAYS))
}

function httpsUrl(value: unknown, field: string): string {
  const text = string(value, field)
  // The URL parser forgives blanks, backslashes and too many or too few slashes; a link to pay at is not guessed.
  const url = /^https:\/\/(?!\/)[^\s\\\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null
  if (!url) throw new Refusal(`${field} must be an https:// address`, field)
  if (url.username || url.password)
    throw new Refusal(`${field} must not contain a user name or password`, field)
  if (!isPublicHost(url)) throw new Refusal(`${field} ${NOT_PUBLIC}`, field)
  if (url.href.length > MAX_URL) throw new Refusal(`${field} must be at most ${MAX_URL} characters`, field)
  return url.href
}

function expiry(value: unknown, field: string, now: Date): Date {
  const at = readInstant(string(value, field))
  if (!at) throw new Refusal(`${field} must be an ISO 8601 date and time`, field)
  if (at <= now) throw new Refusal(`${field} is in the past`, field)
  if (at.getTime() - now.getTime() > MAX_OFFER_MS)
    throw new Refusal(`${field} must be at most 24 hours from now`, field)
  return at
}

function uuid(value: unknown, field: string): string | null {
  const text = string(value, field)
  return isUuid(text) ? text.toLowerCase() : null
}

function shortLine(value: unknown, field: string): string | null {
  return shorten(cleanLine(string(value, field)), MAX_TERMS) || null
}

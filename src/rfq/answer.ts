/**
 * Reads a producer's answer (interface 2.10). It is strict where a promise could be read in two ways, a key given
 * twice or a date that does not exist, and lenient only where the meaning is beyond doubt:
 * - a byte order mark is passed over; null in an optional field is the same as leaving it out;
 * - amounts are rounded half up to the cent, unless that would change them by more than one percent;
 * - part of a business day is a day; an offer_id that is no UUID is dropped and the quote kept;
 * - out of stock at price 0 is a decline, whether the two strings are empty, null or missing; in stock at 0 is bait.
 * offer_expires_at must lie after now and at most 24 hours from now, with no slack: a producer counts from when it
 * answered, which is always before we read it. Reasons never repeat what the producer wrote.
 */
import { isUuid } from '../lib/ids.ts'
import { centsToDollars, MAX_CENTS } from '../lib/money.ts'
import { isPublicHost, NOT_PUBLIC } from '../lib/public-link.ts'
import { cleanLine, shorten } from '../lib/text.ts'
import {
  MAX_ANSWER_BYTES,
  MAX_OFFER_MS,
  MAX_TERMS,
  type ProducerAnswer,
  type Quote,
  readInstant,
} from './rfq.schema.ts'

export type InvalidAnswer = {
  kind: 'invalid'
  verdict: 'invalid' | 'not_json' | 'too_large'
  /** A sentence for the producer. */
  reason: string
  field: string | null
}
export type ReadAnswer = { kind: 'quote'; answer: ProducerAnswer } | { kind: 'decline' } | InvalidAnswer

const MAX_URL = 2048
const MAX_SHIPPING_DAYS = 3650
const FIELDS = [
  'price_usd',
  'in_stock',
  'claim_url',
  'offer_expires_at',
  'shipping_cost_usd',
  'list_price_usd',
  'estimated_shipping_days',
  'offer_id',
  'terms',
] as const
export type WireAnswer = Pick<Quote, (typeof FIELDS)[number]>
type Field = (typeof FIELDS)[number]
type Fields = Record<Field, unknown>

const UTF8 = new TextDecoder('utf-8', { fatal: true })

export function readAnswer(body: Buffer, now: Date): ReadAnswer {
  try {
    return readFields(readObject(body), now)
  } catch (error) {
    if (error instanceof Refusal) return error.answer
    throw error
  }
}

/** By the contract's names, in dollars, absent fields left out. Read as of the same moment, it is equal. */
export function writeAnswer(answer: ProducerAnswer): WireAnswer {
  const wire: WireAnswer = {
    price_usd: centsToDollars(answer.priceCents),
    in_stock: answer.inStock,
    claim_url: answer.claimUrl,
    offer_expires_at: answer.offerExpiresAt.toISOString(),
  }
  if (answer.shippingCents !== null) wire.shipping_cost_usd = centsToDollars(answer.shippingCents)
  if (answer.listPriceCents !== null) wire.list_price_usd = centsToDollars(answer.listPriceCents)
  if (answer.estimatedShippingDays !== null) wire.estimated_shipping_days = answer.estimatedShippingDays
  if (answer.offerId !== null) wire.offer_id = answer.offerId
  if (answer.terms !== null) wire.terms = answer.terms
  return wire
}

/** What `writeAnswer` wrote, which was checked when it arrived and needs no second look. */
export function restoreAnswer(wire: WireAnswer): ProducerAnswer {
  const cents = (dollars: number | undefined) => (dollars === undefined ? null : Math.round(dollars * 100))
  return {
    priceCents: Math.round(wire.price_usd * 100),
    inStock: wire.in_stock,
    claimUrl: wire.claim_url,
    offerExpiresAt: new Date(wire.offer_expires_at),
    shippingCents: cents(wire.shipping_cost_usd),
    listPriceCents: cents(wire.list_price_usd),
    estimatedShippingDays: wire.estimated_shipping_days ?? null,
    offerId: wire.offer_id ?? null,
    terms: wire.terms ?? null,
  }
}

class Refusal extends Error {
  readonly answer: InvalidAnswer
  constructor(reason: string, field: string | null = null, verdict: InvalidAnswer['verdict'] = 'invalid') {
    super(reason)
    this.answer = { kind: 'invalid', verdict, reason, field }
  }
}

function readObject(body: Buffer): Fields {
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
  const given: Partial<Fields> = value
  if (!('price_usd' in given) && ('jsonrpc' in given || 'result' in given))
    throw new Refusal('the answer must be the bare object, not inside a JSON-RPC envelope')
  const twice = repeatedKey(text)
  if (twice !== null) throw new Refusal(`${twice} is given twice`, twice)
  return Object.fromEntries(FIELDS.map((field) => [field, given[field] ?? undefined])) as Fields
}

/** JSON.parse keeps the last of equal keys without a word. The text is known to be valid JSON. */
function repeatedKey(text: string): Field | null {
  const seen = new Set<string>()
  let depth = 0
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    const token = match[0]
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') depth--
    else if (depth === 1 && match[1] !== undefined) {
      const key: unknown = JSON.parse(token.slice(0, -match[1].length))
      const field = FIELDS.find((name) => name === key)
      if (field && seen.has(field)) return field
      seen.add(String(key))
    }
  }
  return null
}

function readFields(fields: Fields, now: Date): ReadAnswer {
  const priceCents = required(fields, 'price_usd', amount)
  const inStock = required(fields, 'in_stock', boolean)
  if (!inStock && priceCents === 0) {
    optional(fields, 'claim_url', string)
    optional(fields, 'offer_expires_at', string)
    return { kind: 'decline' }
  }
  if (priceCents === 0) throw new Refusal('price_usd must be above 0 where in_stock is true', 'price_usd')
  return {
    kind: 'quote',
    answer: {
      priceCents,
      inStock,
      claimUrl: required(fields, 'claim_url', httpsUrl),
      offerExpiresAt: required(fields, 'offer_expires_at', (value, field) => expiry(value, field, now)),
      shippingCents: optional(fields, 'shipping_cost_usd', amount),
      listPriceCents: optional(fields, 'list_price_usd', amount),
      estimatedShippingDays: optional(fields, 'estimated_shipping_days', wholeDays),
      offerId: optional(fields, 'offer_id', uuid),
      terms: optional(fields, 'terms', shortLine),
    },
  }
}

type Reader<Value> = (value: unknown, field: Field) => Value

function required<Value>(fields: Fields, field: Field, read: Reader<Value>): Value {
  if (fields[field] === undefined) throw new Refusal(`${field} is missing`, field)
  return read(fields[field], field)
}

function optional<Value>(fields: Fields, field: Field, read: Reader<Value>): Value | null {
  return fields[field] === undefined ? null : read(fields[field], field)
}

function string(value: unknown, field: Field): string {
  if (typeof value !== 'string') throw new Refusal(`${field} must be a string`, field)
  return value
}

function boolean(value: unknown, field: Field): boolean {
  if (typeof value !== 'boolean') throw new Refusal(`${field} must be true or false`, field)
  return value
}

/** JSON can write 1e999, which is read as Infinity. */
function number(value: unknown, field: Field, max: number): number {
  if (typeof value !== 'number') throw new Refusal(`${field} must be a number`, field)
  if (value < 0) throw new Refusal(`${field} must not be negative`, field)
  if (!(value <= max)) throw new Refusal(`${field} is too large`, field)
  return value
}

function amount(value: unknown, field: Field): number {
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

function wholeDays(value: unknown, field: Field): number {
  return Math.ceil(number(value, field, MAX_SHIPPING_DAYS))
}

function httpsUrl(value: unknown, field: Field): string {
  const text = string(value, field)
  // The URL parser forgives blanks, backslashes and too many or too few slashes; a link to pay at is not guessed.
  const url = /^https:\/\/(?!\/)[^\s\\\p{Cc}]+$/iu.test(text) ? URL.parse(text) : null
  if (!url) throw new Refusal(`${field} must be an https:// address`, field)
  if (url.username || url.password) throw new Refusal(`${field} must not hold a user name or password`, field)
  if (!isPublicHost(url)) throw new Refusal(`${field} ${NOT_PUBLIC}`, field)
  if (url.href.length > MAX_URL) throw new Refusal(`${field} must be at most ${MAX_URL} characters`, field)
  return url.href
}

function expiry(value: unknown, field: Field, now: Date): Date {
  const at = readInstant(string(value, field))
  if (!at) throw new Refusal(`${field} must be an ISO 8601 date and time`, field)
  if (at <= now) throw new Refusal(`${field} is in the past`, field)
  if (at.getTime() - now.getTime() > MAX_OFFER_MS)
    throw new Refusal(`${field} must be at most 24 hours from now`, field)
  return at
}

function uuid(value: unknown, field: Field): string | null {
  const text = string(value, field)
  return isUuid(text) ? text.toLowerCase() : null
}

function shortLine(value: unknown, field: Field): string | null {
  return shorten(cleanLine(string(value, field)), MAX_TERMS) || null
}

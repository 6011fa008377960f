/**
 * The answer: a quote or a decline, in the exact shape of the interface ("The producer's answer"). `quote` speaks
 * camelCase like the rest of the kit and writes the wire's names; whatever leaves is checked by the same list of
 * problems that `souk-rfq-test` reports, because the service drops an invalid answer without a word to the buyer.
 */

/** @import { Answer, QuoteInput } from '../index.d.ts' */

const HOUR_MS = 3_600_000
const LONGEST_TERMS = 500
const LONGEST_URL = 2_000
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

/** Wire name by the name in `quote`; the order is the order on the wire. */
const WIRE_NAMES = Object.freeze({
  priceUsd: 'price_usd',
  inStock: 'in_stock',
  claimUrl: 'claim_url',
  offerExpiresAt: 'offer_expires_at',
  shippingCostUsd: 'shipping_cost_usd',
  listPriceUsd: 'list_price_usd',
  estimatedShippingDays: 'estimated_shipping_days',
  offerId: 'offer_id',
  terms: 'terms',
})

export class QuoteError extends Error {
  /** @param {readonly string[]} problems */
  constructor(problems) {
    super(`this quote would be refused: ${problems.join('; ')}`)
    this.name = 'QuoteError'
    this.problems = problems
  }
}

/**
 * @param {QuoteInput} input
 * @param {{ now?: number }} [at]
 * @returns {Answer}
 */
export function quote(input, { now = Date.now() } = {}) {
  const fields = { offerExpiresAt: new Date(now + 23 * HOUR_MS), ...withoutUndefined(input) }
  const unknown = Object.keys(fields).filter((name) => !(name in WIRE_NAMES))
  /** @type {Record<string, unknown>} */
  const answer = {}
  for (const [name, wireName] of Object.entries(WIRE_NAMES)) {
    const value = /** @type {Record<string, unknown>} */ (fields)[name]
    if (value !== undefined) answer[wireName] = onTheWire(name, value)
  }
  const problems = [
    ...unknown.map((name) => `${name} is no field of a quote (${Object.keys(WIRE_NAMES).join(', ')})`),
    ...findAnswerProblems(answer, { now }),
  ]
  if (isDecline(answer)) problems.push('to decline, return decline()')
  if (problems.length > 0) throw new QuoteError(problems)
  return /** @type {Answer} */ (/** @type {unknown} */ (answer))
}

/**
 * "I cannot fulfil this", which is not an error: HTTP 200 and these four fields (interface 7).
 * @returns {Answer}
 */
export function decline() {
  return { price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }
}

/** @param {unknown} answer */
export function isDecline(answer) {
  const { price_usd, in_stock, claim_url, offer_expires_at } = /** @type {Partial<Answer>} */ (answer ?? {})
  return price_usd === 0 && in_stock === false && claim_url === '' && offer_expires_at === ''
}

/**
 * @param {unknown} answer
 * @param {{ now?: number }} [at]
 * @returns {string[]}
 */
export function findAnswerProblems(answer, { now = Date.now() } = {}) {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer))
    return ['the answer must be a JSON object']
  if ('jsonrpc' in answer) return ['the answer must be the bare object, not inside a JSON-RPC envelope']
  if (isDecline(answer)) return []
  const given = /** @type {Record<string, unknown>} */ (answer)
  /** @type {string[]} */
  const problems = []
  /** @type {(field: string, good: boolean, must: string) => void} */
  const expect = (field, good, must) => {
    if (!good) problems.push(`${field} ${must}, but it is ${shown(given[field])}`)
  }
  expect('price_usd', isAmount(given.price_usd), 'must be a number of at least 0')
  if (given.in_stock === true)
    expect('price_usd', given.price_usd !== 0, 'must be above 0 where in_stock is true')
  expect('in_stock', typeof given.in_stock === 'boolean', 'must be true or false')
  expect(
    'claim_url',
    isHttpsUrl(given.claim_url),
    `must be an https:// URL of at most ${LONGEST_URL} characters`,
  )
  expect('offer_expires_at', isInstant(given.offer_expires_at), 'must be an ISO 8601 time with a zone')
  if (isInstant(given.offer_expires_at)) {
    const left = Date.parse(given.offer_expires_at) - now
    expect('offer_expires_at', left > 0, 'must be in the future')
    expect('offer_expires_at', left <= 24 * HOUR_MS, 'must be at most 24 hours from now')
  }
  for (const field of ['shipping_cost_usd', 'list_price_usd', 'estimated_shipping_days'])
    if (given[field] !== undefined)
      expect(field, isAmount(given[field]), 'must be a number of at least 0, or be left out')
  if (given.offer_id !== undefined)
    expect('offer_id', typeof given.offer_id === 'string' && UUID.test(given.offer_id), 'must be a UUID')
  if (given.terms !== undefined)
    expect('terms', isShort(given.terms), `must be a string of at most ${LONGEST_TERMS} characters`)
  return problems
}

/**
 * Arithmetic leaves 33.1 * 3 at 99.30000000000001; nobody can pay that.
 * @param {string} name
 * @param {unknown} value
 */
function onTheWire(name, value) {
  if (name.endsWith('Usd') && isAmount(value)) return Math.round(value * 100) / 100
  if (name !== 'offerExpiresAt') return value
  const at = value instanceof Date ? value : isInstant(value) ? new Date(value) : null
  return at === null || Number.isNaN(at.getTime()) ? value : at.toISOString()
}

/** @param {object} input */
function withoutUndefined(input) {
  return Object.fromEntries(Object.entries(input ?? {}).filter(([, value]) => value !== undefined))
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isAmount(value) {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isInstant(value) {
  return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value))
}

/** @param {unknown} value */
function isHttpsUrl(value) {
  return (
    typeof value === 'string' &&
    value.startsWith('https://') &&
    value.length <= LONGEST_URL &&
    URL.canParse(value)
  )
}

/** @param {unknown} value */
function isShort(value) {
  return typeof value === 'string' && value.length <= LONGEST_TERMS
}

/** @param {unknown} value */
function shown(value) {
  if (value === undefined) return 'missing'
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}

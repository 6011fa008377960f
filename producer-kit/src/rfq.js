/**
 * Reads a request for quote: a JSON-RPC `message/send` whose metadata carry the facts (interface, "The request to a
 * producer"). Strict where a wrong value would give a wrong price (product, quantity, deadline), and lenient with
 * fields it does not know: the service may add some.
 */

/** @import { Rfq } from '../index.d.ts' */

export const SKILL = 'respond-to-rfq'

export class RfqError extends Error {
  /**
   * @param {string} message
   * @param {{ status?: number, code?: string, field?: string }} [more]
   */
  constructor(message, { status = 400, code = 'invalid_rfq', field } = {}) {
    super(message)
    this.name = 'RfqError'
    this.status = status
    this.code = code
    /** @type {string | undefined} */
    this.field = field
  }
}

/**
 * @param {unknown} body
 * @returns {Rfq}
 */
export function parseRfq(body) {
  const rpc = asObject(
    typeof body === 'string' || body instanceof Uint8Array ? parseJson(body) : body,
    'body',
  )
  if (rpc.jsonrpc !== '2.0') throw wrong('jsonrpc', 'must be "2.0"')
  if (rpc.method !== 'message/send') throw wrong('method', 'must be "message/send"')
  const message = asObject(asObject(rpc.params, 'params').message, 'params.message')
  const metadata = asObject(message.metadata, 'params.message.metadata')
  if (metadata.skill !== SKILL) throw wrong('skill', `must be "${SKILL}"`)
  return {
    rfqId: required(metadata, 'rfq_id'),
    messageId: optional(message, 'messageId'),
    productSlug: productSlugOf(metadata),
    quantity: quantityOf(metadata),
    // Empty when the buyer named none.
    deliveryRegion: optional(metadata, 'delivery_region') || null,
    deadline: deadlineOf(metadata),
    text: textOf(message.parts),
    requestor: optional(metadata, 'requestor'),
  }
}

/** @param {string | Uint8Array} raw */
function parseJson(raw) {
  try {
    return JSON.parse(typeof raw === 'string' ? raw : new TextDecoder('utf-8', { fatal: true }).decode(raw))
  } catch {
    throw new RfqError('the body is not valid JSON in UTF-8', { field: 'body' })
  }
}

/**
 * @param {unknown} value
 * @param {string} field
 * @returns {Record<string, unknown>}
 */
function asObject(value, field) {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(field, 'must be an object')
  return /** @type {Record<string, unknown>} */ (value)
}

/** @param {Record<string, unknown>} metadata */
function productSlugOf(metadata) {
  const slug = required(metadata, 'product_slug')
  if (!/^[^/\s]+\/[^/\s]+$/.test(slug)) throw wrong('product_slug', 'must have the form <category>/<slug>')
  return slug
}

/** @param {Record<string, unknown>} metadata */
function quantityOf({ quantity = 1 }) {
  if (typeof quantity !== 'number' || !Number.isSafeInteger(quantity) || quantity < 1)
    throw wrong('quantity', 'must be a whole number of at least 1')
  return quantity
}

/** @param {Record<string, unknown>} metadata */
function deadlineOf(metadata) {
  const text = optional(metadata, 'deadline_iso')
  if (text === null) return null
  const deadline = new Date(text)
  if (!/^\d{4}-\d{2}-\d{2}(T|$)/.test(text) || Number.isNaN(deadline.getTime()))
    throw wrong('deadline_iso', 'must be an ISO 8601 date')
  return deadline
}

/** @param {unknown} parts */
function textOf(parts) {
  if (!Array.isArray(parts)) throw wrong('params.message.parts', 'must be an array')
  return parts
    .filter((part) => typeof part?.text === 'string')
    .map((part) => part.text)
    .join('\n')
}

/**
 * @param {Record<string, unknown>} from
 * @param {string} field
 */
function required(from, field) {
  const value = optional(from, field)
  if (!value) throw wrong(field, 'must be a non-empty string')
  return value
}

/**
 * @param {Record<string, unknown>} from
 * @param {string} field
 * @returns {string | null}
 */
function optional(from, field) {
  const value = from[field] ?? null
  if (value !== null && typeof value !== 'string') throw wrong(field, 'must be a string')
  return value
}

/**
 * @param {string} field
 * @param {string} what
 */
function wrong(field, what) {
  return new RfqError(`${field} ${what}`, { field })
}

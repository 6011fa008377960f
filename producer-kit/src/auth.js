/**
 * Who is asking: the two proofs a Souk service can send with a request for quote, a bearer token or an HMAC
 * signature. Secrets are compared by their hashes, so that neither the place of the first difference nor the length
 * shows in the time it takes. The signature covers the bytes as they came: a body that was parsed and written again
 * is another body.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** @import { Auth } from '../index.d.ts' */

const WINDOW_MS = 300_000
const SHORTEST_SECRET = 16

/** @param {{ secret: string, rawBody: Uint8Array | string, now?: number }} input */
export function signRequest({ secret, rawBody, now = Date.now() }) {
  const timestamp = String(Math.floor(now / 1000))
  return { 'X-Service-Signature': hmacHex(secret, timestamp, rawBody), 'X-Service-Timestamp': timestamp }
}

/**
 * @param {{
 *   secret: string | readonly string[], timestamp: string | null | undefined,
 *   signature: string | null | undefined, rawBody: Uint8Array | string, now?: number
 * }} input
 */
export function verifySignature(input) {
  return whyNotSigned(input) === null
}

/**
 * The reason in words, or null when the signature is good.
 * @param {Parameters<typeof verifySignature>[0]} input
 * @returns {string | null}
 */
export function whyNotSigned({ secret, timestamp, signature, rawBody, now = Date.now() }) {
  if (!timestamp) return 'the header X-Service-Timestamp is missing'
  if (!signature) return 'the header X-Service-Signature is missing'
  if (!/^\d{1,15}$/.test(timestamp)) return 'X-Service-Timestamp must be Unix seconds, digits only'
  if (!/^[0-9a-f]{64}$/i.test(signature)) return 'X-Service-Signature must be 64 hexadecimal digits'
  const skew = Math.round(now / 1000 - Number(timestamp))
  if (Math.abs(skew) * 1000 > WINDOW_MS)
    return `X-Service-Timestamp is more than 300 seconds from now: ${skewWords(skew)}`
  const given = signature.toLowerCase()
  return matchesAny(secret, (one) => equal(hmacHex(one, timestamp, rawBody), given))
    ? null
    : 'the signature does not fit this body and timestamp'
}

/**
 * What it means when a fresh request seems old or early: two clocks disagree.
 * @param {number} skewSeconds how far this clock is ahead of the other
 */
export function skewWords(skewSeconds) {
  const off = `${Math.abs(skewSeconds)} s ${skewSeconds > 0 ? 'ahead of' : 'behind'}`
  return `unless the request is a replay, this server's clock is ${off} the service's (clock skew); synchronize it by NTP`
}

/** @param {{ token: string | readonly string[], authorization: string | null | undefined }} input */
export function verifyBearer({ token, authorization }) {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1]
  return given !== undefined && matchesAny(token, (one) => equal(one, given))
}

/**
 * Secrets are checked when the handler is made, not when the first request fails: an empty environment variable
 * must never become a key everybody knows.
 * @param {Auth} auth
 */
export function assertUsableAuth(auth) {
  const type = auth?.type
  if (type === 'none') return
  if (type !== 'bearer' && type !== 'hmac')
    throw new TypeError("auth.type must be 'bearer', 'hmac' or 'none'")
  const [name, secrets] = type === 'bearer' ? ['auth.token', auth.token] : ['auth.secret', auth.secret]
  const list = listOf(secrets ?? '')
  if (list.length === 0 || list.some((one) => typeof one !== 'string' || one.length < SHORTEST_SECRET))
    throw new TypeError(`${name} must be a string of at least ${SHORTEST_SECRET} characters`)
  if (type === 'bearer' && !list.every(fitsInHeader))
    throw new TypeError('auth.token must be printable ASCII without spaces, or no header can carry it')
}

/** @param {string} token */
export function fitsInHeader(token) {
  return /^[\x21-\x7e]+$/.test(token)
}

/**
 * @param {string | readonly string[]} secrets
 * @param {(secret: string) => boolean} matches
 */
function matchesAny(secrets, matches) {
  let found = false
  for (const secret of listOf(secrets)) if (secret && matches(secret)) found = true
  return found
}

/**
 * @param {string | readonly string[]} value
 * @returns {readonly string[]}
 */
function listOf(value) {
  return typeof value === 'string' ? [value] : value
}

/**
 * @param {string} secret
 * @param {string} timestamp
 * @param {Uint8Array | string} rawBody
 */
function hmacHex(secret, timestamp, rawBody) {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex')
}

/**
 * @param {string} a
 * @param {string} b
 */
function equal(a, b) {
  return timingSafeEqual(createHash('sha256').update(a).digest(), createHash('sha256').update(b).digest())
}

/**
 * The quote as a buyer gets it, and the signature that lets the buyer prove later what was promised. The signature
 * covers every field of the quote and also what it answers: request, product, quantity, when, and by which service.
 * A quote past its expiry still verifies: that it has expired is a fact about the promise, not a flaw in the proof.
 */

import { parseJson } from '../lib/bounded-json.ts'
import { toWire } from '../lib/entity.ts'
import { canonicalJson, type Jwks, type JwsFault, type SigningKey, signJws, verifyJws } from '../lib/jws.ts'
import { type Quote, QuotePromise, type Ranked, shownQuote } from './quote.schema.ts'

export const QUOTE_TYP = 'souk-quote+jws'

type QuoteContext = {
  /** The service's public address. */
  issuer: string
  issuedAt: Date
  rfqId: string
  productSlug: string
  quantity: number
  /** The name of the variant that was asked for; absent for any. */
  variant?: string
  /** The attributed link that leads to the producer's own. */
  claimUrl: string
}

export async function buildQuote(ranked: Ranked, context: QuoteContext, key: SigningKey): Promise<Quote> {
  const { claimUrl, ...about } = context
  const { rank, rankReasons } = ranked
  const { quote_id, ...shown } = shownQuote(ranked, context.quantity, ranked.claimHost)
  const quote = { quote_id, ...toWire({ rank, rankReasons }), ...shown, claim_url: claimUrl }
  return { ...quote, signature: await signQuote({ ...quote, ...toWire(about) }, key) }
}

export function signQuote(promise: QuotePromise, key: SigningKey): Promise<string> {
  return signJws(canonicalJson(promise), QUOTE_TYP, key)
}

/**
 * The signatures in what somebody kept of a quote: one by itself, or JSON that has some anywhere in it, such as a quote,
 * a list of quotes, a tool's answer or a task. Each once, in the order of the text; empty if there are none.
 */
export function signaturesIn(kept: string): string[] {
  const text = kept.trim()
  const json = /^[{["]/.test(text) ? parseJson(text) : text
  // Mail programs break long lines, and a signature has no white space of its own.
  if (typeof json === 'string') return json.trim() === '' ? [] : [json.replace(/\s+/g, '')]
  const found = new Set<string>()
  // A stack of our own: JSON may be nested more deeply than functions can call each other.
  const left = [json]
  while (left.length > 0) {
    const value = left.pop()
    if (typeof value !== 'object' || value === null) continue
    const { signature } = value as { signature?: unknown }
    if (typeof signature === 'string' && signature.trim() !== '') found.add(signature.trim())
    for (const inner of Object.values(value).reverse()) left.push(inner)
  }
  return [...found]
}

export type QuoteProof =
  | { ok: true; kid: string; promise: QuotePromise; expired: boolean }
  | { ok: false; reason: JwsFault; message: string }

const FAULT_TEXTS: Record<JwsFault, string> = {
  malformed: 'This is not a signed quote.',
  wrong_algorithm: 'Signed with an algorithm other than EdDSA.',
  wrong_type: 'This is signed, but it is not a quote.',
  unknown_key: 'Signed with a key that this service has not published.',
  bad_signature: 'The signature does not match: the quote was changed, or signed with another key.',
}

export function verifyQuote(jws: string, jwks: Jwks, now: Date): QuoteProof {
  const verified = verifyJws(jws, QUOTE_TYP, jwks)
  if (!verified.ok) return { ok: false, reason: verified.reason, message: FAULT_TEXTS[verified.reason] }
  const promise = QuotePromise.safeParse(parseJson(verified.payload.toString('utf8')))
  if (!promise.success) return { ok: false, reason: 'malformed', message: FAULT_TEXTS.malformed }
  const expired = new Date(promise.data.offer_expires_at) <= now
  return { ok: true, kid: verified.kid, promise: promise.data, expired }
}

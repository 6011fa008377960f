/**
 * The request as it goes to a producer's agent (interface 2.9) and the headers that prove it is ours (part 5).
 * The bytes are made once: what is signed is what is sent, and a retry sends the same bytes under a fresh
 * timestamp. delivery_region is always STATE-COUNTRY or empty, as the contract has it: empty when the buyer named no
 * state, because a made-up one would bring wrong shipping costs. A country alone stands in the sentence, as does the
 * variant that the buyer named: the contract has no field for it.
 */
import type { ChosenVariant } from '../catalog/chosen-variant.ts'
import { hmacSha256Hex } from '../lib/crypto.ts'
import { type Region, regionName, storedRegion } from '../lib/regions.ts'
import { cleanLine } from '../lib/text.ts'

export type RfqMessage = {
  /** As sellers know it. */
  rfqId: string
  messageId: string
  /** Canonical, `<category>/<slug>`. */
  productSlug: string
  quantity: number
  /** As readRegion writes it. */
  deliveryRegion: string | null
  deadlineIso: string | null
  /** The one that was asked for; absent for any. */
  variant?: ChosenVariant | null
  /** The URL of this service's agent card. */
  requestor: string
}

/** Rule 8: the domain root of the card's address, whatever the card's own path. */
export function rfqEndpoint(cardUrl: string): string {
  const url = URL.parse(cardUrl)
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error('an agent card has an https address')
  return `${url.origin}/message:send`
}

export function encodeRfqMessage(message: RfqMessage): Buffer {
  const { rfqId, messageId, productSlug, quantity, deliveryRegion, deadlineIso, requestor } = message
  const region = deliveryRegion === null ? null : storedRegion(deliveryRegion)
  return encodeAgentMessage({
    id: rfqId,
    messageId,
    text: sentence(message, region),
    metadata: {
      skill: 'respond-to-rfq',
      rfq_id: rfqId,
      product_slug: productSlug,
      quantity,
      delivery_region: region?.state ? region.text : '',
      ...(deadlineIso !== null && { deadline_iso: deadlineIso }),
      requestor,
    },
  })
}

type AgentMessage = { id: string; messageId?: string; text: string; metadata: Record<string, unknown> }

/** A message to a producer's agent, in the form of interface 2.9. */
export function encodeAgentMessage({ id, messageId = id, text, metadata }: AgentMessage): Buffer {
  const message = { messageId, role: 'user', parts: [{ kind: 'text', text }], metadata }
  const sent = { jsonrpc: '2.0', id, method: 'message/send', params: { message } }
  return Buffer.from(JSON.stringify(sent), 'utf8')
}

function sentence(
  { quantity, productSlug, variant = null, deliveryRegion, deadlineIso }: RfqMessage,
  region: Region | null,
): string {
  const place = region?.state ? region.text : deliveryRegion && regionName(deliveryRegion)
  const where = place === null ? '' : ` to ${place}`
  const when = deadlineIso === null ? '' : ` by ${deadlineIso}`
  const delivery = where || when ? `, delivered${where}${when}` : ''
  return `Please quote ${quantity} × ${productSlug}${variantWords(variant)}${delivery}.`
}

/** The name stands in quotation marks, which nothing in it can end. */
export function variantWords(variant: ChosenVariant | null): string {
  if (variant === null) return ''
  const { name, id, sku, gtin } = variant
  const numbers = [
    ...(id === name ? [] : [`id ${quoted(id)}`]),
    ...(sku === null || sku === id || sku === name ? [] : [`SKU ${quoted(sku)}`]),
    ...(gtin === null ? [] : [`GTIN ${gtin}`]),
  ]
  return `, variant ${quoted(name)}${numbers.length > 0 ? ` (${numbers.join(', ')})` : ''}`
}

function quoted(text: string): string {
  return `"${cleanLine(text).replace(/["\u201c\u201d]/g, "'")}"`
}

export const SIGNATURE_HEADER = 'X-Service-Signature'
export const TIMESTAMP_HEADER = 'X-Service-Timestamp'

type SignInput = {
  authType: 'none' | 'bearer' | 'hmac'
  secret: string | null
  rawBody: string | Uint8Array
  now: Date
}

/** Throws when a required secret is missing: a request is never sent bare in place of signed. */
export function signHeaders({ authType, secret, rawBody, now }: SignInput): Record<string, string> {
  if (authType === 'none') return {}
  if (!secret) throw new Error(`auth_type ${authType} without a secret`)
  if (authType === 'bearer') return { Authorization: `Bearer ${secret}` }
  const timestamp = Math.floor(now.getTime() / 1000).toString()
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), Buffer.from(rawBody)])
  return { [SIGNATURE_HEADER]: hmacSha256Hex(secret, signed), [TIMESTAMP_HEADER]: timestamp }
}

const SHOWN = new Set(['accept', 'content-length', 'content-type', 'user-agent', 'x-service-timestamp'])

/** For records and logs: only headers known to be harmless keep their value; a signature could be replayed. */
export function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SHOWN.has(name.toLowerCase()) ? value : '[hidden]',
    ]),
  )
}

const KEPT_DIGITS = 8

/** Of a signature what is kept: enough to compare it with another, too little to be accepted anywhere. */
export function beginningOf(signature: string): string {
  return signature.slice(0, KEPT_DIGITS)
}

/** What is kept of the headers that we sent. */
export function keptHeaders(sent: Record<string, string>): Record<string, string> {
  const signature = sent[SIGNATURE_HEADER]
  return {
    ...withoutSecrets(sent),
    ...(signature !== undefined && { [SIGNATURE_HEADER]: `${beginningOf(signature)}…` }),
  }
}

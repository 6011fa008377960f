/**
 * The types of souk-producer-kit. The code is plain JavaScript, so that it runs as published on Node 20 without a
 * build; these declarations are written by hand, and `types.check.ts` makes the compiler compare the two.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Several secrets are for changing one: accept the new and the old until the new one is registered. */
export type Auth =
  | { type: 'none' }
  | { type: 'bearer'; token: string | readonly string[] }
  | { type: 'hmac'; secret: string | readonly string[] }

export interface Rfq {
  /** The same id may come again (a retry); it then wants the same answer. */
  rfqId: string
  messageId: string | null
  /** `<category>/<slug>`. */
  productSlug: string
  quantity: number
  /** STATE-COUNTRY, such as `CA-US`. */
  deliveryRegion: string | null
  /** The latest acceptable delivery date. */
  deadline: Date | null
  /**
   * The request in words, with the variant if the buyer named one: `…, variant "Red / M" (id "v1", SKU "RJ-RM")`.
   * Written by a stranger: show it, never obey it.
   */
  text: string
  /** URL of the asking service's agent card. */
  requestor: string | null
}

/** What goes over the wire, spelled as the interface spells it. */
export interface Answer {
  price_usd: number
  in_stock: boolean
  claim_url: string
  offer_expires_at: string
  shipping_cost_usd?: number
  list_price_usd?: number
  estimated_shipping_days?: number
  offer_id?: string
  terms?: string
}

export interface QuoteInput {
  /** Dollars for ONE unit; rounded to cents. */
  priceUsd: number
  inStock: boolean
  /** Where the buyer buys at this price; https. */
  claimUrl: string
  /** At most 24 hours from now; 23 hours from now when left out. A string needs a zone (`Z` or `+02:00`). */
  offerExpiresAt?: Date | string
  /** Dollars for the WHOLE order; 0 for free shipping. Offers that leave it out rank lower. */
  shippingCostUsd?: number
  /** Dollars for one unit before any discount. */
  listPriceUsd?: number
  /** Business days. */
  estimatedShippingDays?: number
  /** A UUID of yours, to find the offer again. */
  offerId?: string
  /** Short, shown to the buyer; at most 500 characters. */
  terms?: string
}

export interface CardInput {
  name: string
  description: string
  /** The shop's address. */
  url?: string
  version?: string
  skills?: ReadonlyArray<Record<string, unknown>>
  [field: string]: unknown
}

export interface RfqHandlerOptions {
  auth: Auth
  /** Served at /.well-known/agent-card.json; the skill `respond-to-rfq` is added when it is missing. */
  card: CardInput
  /** Return `quote(…)` or `decline()`. What it throws becomes a decline, and goes to `onError`. */
  quote: (rfq: Rfq) => Answer | Promise<Answer>
  /** Told of everything that went wrong on your side. Writes to the console when left out. */
  onError?: (error: Error, rfq: Rfq | null) => void
  /** Told of requests that were refused (wrong signature, bad body, too large). Silent when left out. */
  onRefused?: (error: RfqError) => void
  /** Give a repeated RFQ its first answer again. In this process's memory; off when left out. */
  remember?: boolean | { max?: number; forMs?: number }
  /** Decline when `quote` takes longer; 20 seconds when left out (the service waits 25). */
  timeoutMs?: number
  /** The clock, in milliseconds; for tests. */
  now?: () => number
}

export interface RfqHttpRequest {
  method: string
  /** With or without a query. */
  path: string
  headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The bytes exactly as they came, or a function that reads them when they are needed. */
  rawBody: Uint8Array | string | (() => Promise<Uint8Array | string>)
}

export interface RfqHttpResponse {
  status: number
  headers: Record<string, string>
  body: string
}

/** Resolves to undefined for other paths. */
export type RfqHandler = (request: RfqHttpRequest) => Promise<RfqHttpResponse | undefined>

export declare function createRfqHandler(options: RfqHandlerOptions): RfqHandler

/** For `http.createServer`. Paths of others go to `otherwise`, or are 404. */
export declare function toNode(
  handler: RfqHandler,
  otherwise?: (request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void

/** For `app.use`, before any body parser. Paths of others go on to `next`. */
export declare function toExpress(
  handler: RfqHandler,
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void

/** For `app.use`. Paths of others go on to `next`. */
export declare function toHono(
  handler: RfqHandler,
): (context: { req: { raw: Request } }, next: () => Promise<void>) => Promise<Response | undefined>

/** For everything that takes `(Request) => Response`. Paths of others are 404. */
export declare function toFetch(handler: RfqHandler): (request: Request) => Promise<Response>

/** For body parsers that must come first: `express.json({ verify: keepRawBody })`. */
export declare function keepRawBody(request: object, response: unknown, bytes: Uint8Array): void

/** Throws QuoteError, naming everything that is wrong. */
export declare function quote(input: QuoteInput, at?: { now?: number }): Answer

export declare function decline(): Answer

/** What the service would refuse in an answer, in plain words; empty when it is good. A decline is good. */
export declare function findAnswerProblems(answer: unknown, at?: { now?: number }): string[]

export declare function isDecline(answer: unknown): boolean

/** Takes the raw body or the parsed one. Throws RfqError. */
export declare function parseRfq(body: unknown): Rfq

/** True when the signature fits and the timestamp is within 300 seconds of `now` (milliseconds), either way. */
export declare function verifySignature(input: {
  secret: string | readonly string[]
  timestamp: string | null | undefined
  signature: string | null | undefined
  rawBody: Uint8Array | string
  now?: number
}): boolean

export declare function verifyBearer(input: {
  token: string | readonly string[]
  /** The whole header, `Bearer …`. */
  authorization: string | null | undefined
}): boolean

/** The two headers the service sends; for tests of your own. */
export declare function signRequest(input: { secret: string; rawBody: Uint8Array | string; now?: number }): {
  'X-Service-Signature': string
  'X-Service-Timestamp': string
}

/** Why a request was refused: the status, `code` and `field` of the response. */
export declare class RfqError extends Error {
  constructor(message: string, more?: { status?: number; code?: string; field?: string })
  readonly status: number
  readonly code: string
  readonly field: string | undefined
}

/** Why an answer of yours would be refused by the service. */
export declare class QuoteError extends Error {
  constructor(problems: readonly string[])
  readonly problems: readonly string[]
}

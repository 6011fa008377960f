/**
 * What a buyer learns of a request beside each quote, and the one form in which every face says it: who was asked and what
 * became of it, where the product is listed for less, how far the totals are apart, and what was chosen. Sellers and
 * listings are kept as they were when the request was completed, so that a request read again says the same.
 */
import { z } from 'zod'
import type { ProductProfile } from '../catalog/profile.ts'
import { type OfferLookup, offerLink, type PromotedOffer } from '../catalog/promoted-offer.ts'
import { toWire } from '../lib/entity.ts'
import { centsToDollars } from '../lib/money.ts'
import { demoMark } from '../orgs/shown-org.ts'
import { Quote } from './quote.schema.ts'
import type { RfqTask } from './rfq.service.ts'
import { publicOutcome } from './verdicts.ts'

const SELLER_OUTCOMES = [
  'quoted',
  'declined',
  'out_of_stock',
  'not_delivered_there',
  'timed_out',
  'invalid',
] as const
export type SellerOutcome = (typeof SELLER_OUTCOMES)[number]

export const AskedSeller = z.object({
  ...Quote.shape.org.shape,
  outcome: z.enum(SELLER_OUTCOMES),
  reason: z.string().describe('The outcome in words'),
})
export type AskedSeller = z.output<typeof AskedSeller>

export const Listing = z.object({
  seller: z.string(),
  url: z.string(),
  price_usd: z.number().nullable().describe('Per piece, as listed; not confirmed by the seller'),
  variant: z.string().optional().describe('The variant it is for; absent for all'),
  promoted: z.boolean().describe('True for a promoted offer, false for a shop that lists the product'),
  org: Quote.shape.org.optional().describe('Who promotes it; absent for a shop'),
})
export type Listing = z.output<typeof Listing>

export type StoredOutcome = { sellers: AskedSeller[]; listed: Listing[] }

export type AskedRow = PromotedOffer['seller'] & { orgId: string; verdict: string | null }

export function askedSellers(rows: readonly AskedRow[]): AskedSeller[] {
  return rows.map(({ verdict, orgId: _, ...seller }) => ({ ...orgData(seller), ...publicOutcome(verdict) }))
}

function orgData({ demo, ...org }: PromotedOffer['seller']): Quote['org'] {
  return { ...toWire(org), ...demoMark({ demo }) }
}

/** What sellers promote for it now, then the shops its profile names. */
export function listingsOf(
  profile: Pick<ProductProfile, 'id' | 'whereToBuy'>,
  { offers, baseUrl, variantId }: { offers: OfferLookup; baseUrl: string; variantId: string | null },
): Listing[] {
  // An offer for one variant says nothing of the others.
  const fitting = offers
    .of(profile.id)
    .filter(({ variant }) => !variant || variantId === null || variant.id === variantId)
  const promoted = fitting.map((offer) => ({
    seller: offer.seller.name,
    url: offerLink(offer, baseUrl),
    price_usd: centsToDollars(offer.priceCents),
    ...(offer.variant && { variant: offer.variant.name }),
    promoted: true,
    org: orgData(offer.seller),
  }))
  const shops = profile.whereToBuy.map(({ name, url, priceCents }) => ({
    seller: name,
    url,
    price_usd: centsToDollars(priceCents),
    promoted: false,
  }))
  return [...promoted, ...shops]
}

/**
 * All of them when nobody has it in stock, else those whose price is below that of the best quote. Prices are compared
 * before shipping, which a listing does not state.
 */
export function worthKnowing(listings: readonly Listing[], quotes: readonly Quote[]): Listing[] {
  const best = bestOf(quotes)
  if (!best) return [...listings]
  return listings
    .filter(({ price_usd }) => price_usd !== null && price_usd < best.price_usd)
    .sort((a, b) => (a.price_usd ?? 0) - (b.price_usd ?? 0))
}

/** The first, if it can be bought. */
function bestOf(quotes: readonly Quote[]): Quote | null {
  const [first] = quotes
  return first?.in_stock ? first : null
}

const CHOICE_NOTE = 'A choice is not an order: buy at claim_url before the quote expires.'

export const Chosen = z.object({
  quote_id: z.string(),
  chosen_at: z.string(),
  total_usd: z.number(),
  claim_url: z.string(),
  offer_expires_at: z.string(),
  note: z.string(),
})

/** The facts of a request, the same in every face. */
export const RequestFacts = z.object({
  rfq_id: z.string().describe('Names the request to sellers; opens nothing'),
  state: z.enum(['submitted', 'completed', 'canceled', 'failed']),
  product_slug: z.string(),
  product_title: z.string(),
  quantity: z.int(),
  delivery_region: z.string().nullable(),
  deadline_iso: z.string().nullable(),
  variant: z
    .string()
    .optional()
    .describe('The variant that was asked for, by the name it had; absent for any'),
  asked: z.int().nullable().describe('How many sellers were asked; null if no longer known'),
  answered: z.int().nullable().describe('How many of them have answered, in time and validly'),
  total_quotes: z.int().describe('How many sellers quoted'),
  quotes: z.array(Quote).describe('Best first'),
  sellers: z.array(AskedSeller).nullable().describe('Everyone who was asked, and what became of it'),
  listed_elsewhere: z
    .array(Listing)
    .describe('Listed prices below the best quote, not confirmed; all listings when nobody has it in stock'),
  spread: z
    .object({ low_usd: z.number(), high_usd: z.number() })
    .nullable()
    .describe('Lowest and highest total of the quotes in stock'),
  best_expires_at: z.string().nullable().describe('When the best quote expires'),
  why_first: z.string().nullable().describe('What sets the best quote apart from the next'),
  chosen: Chosen.nullable().describe('The quote that the buyer chose'),
})
export type RequestFacts = z.output<typeof RequestFacts>

export function factsOf(task: RfqTask): RequestFacts {
  const { sessionId: rfqId, state, productSlug, productTitle, quantity, deliveryRegion, deadlineIso } = task
  const { quotes, outcome, variant } = task
  const best = bestOf(quotes)
  const totals = quotes.filter(({ in_stock }) => in_stock).map(({ total_usd }) => total_usd)
  return {
    ...toWire({ rfqId, state, productSlug, productTitle, quantity, deliveryRegion, deadlineIso }),
    ...(variant && { variant: variant.name }),
    ...answersOf(task),
    total_quotes: quotes.length,
    quotes,
    sellers: outcome?.sellers ?? (state === 'completed' ? null : []),
    listed_elsewhere: outcome?.listed ?? [],
    spread: totals.length === 0 ? null : { low_usd: Math.min(...totals), high_usd: Math.max(...totals) },
    best_expires_at: best?.offer_expires_at ?? null,
    why_first: quotes[0]?.rank_reasons.join('; ') ?? null,
    chosen: chosenOf(task),
  }
}

/** Follows the lowest and highest total: some may be without the shipping that a seller did not state. */
export function spreadNote({ quotes }: Pick<RequestFacts, 'quotes'>): string {
  const open = quotes.some((quote) => quote.in_stock && quote.shipping_cost_usd === undefined)
  return open ? ', before shipping where it is not stated' : ''
}

/** A seller whose answer was late or wrong has not answered. */
export function answersOf({ outcome, progress }: Pick<RfqTask, 'outcome' | 'progress'>): {
  asked: number | null
  answered: number | null
} {
  if (!outcome) return progress ?? { asked: null, answered: null }
  const silent = outcome.sellers.filter(({ outcome }) => outcome === 'timed_out' || outcome === 'invalid')
  return { asked: outcome.sellers.length, answered: outcome.sellers.length - silent.length }
}

function chosenOf({ quotes, chosenQuoteId, chosenAt }: RfqTask): RequestFacts['chosen'] {
  const quote = quotes.find(({ quote_id }) => quote_id === chosenQuoteId)
  if (!quote || chosenAt === null) return null
  const { quote_id, total_usd, claim_url, offer_expires_at } = quote
  return {
    ...{ quote_id, chosen_at: chosenAt.toISOString(), total_usd, claim_url, offer_expires_at },
    note: CHOICE_NOTE,
  }
}

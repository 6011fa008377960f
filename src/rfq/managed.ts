/**
 * Quotes that the service gives in a producer's name: from its own price (a live offer, else its shop's listed price,
 * else the product's list price) by its rules. A buyer must be sent somewhere, so a producer with no https address of
 * its own declines. Only a proved domain is its own: else anybody could quote by another shop's price.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { isWithinDomain } from '../lib/domains.ts'
import {
  DECLINE_TEXTS,
  NO_RULES,
  type ProductPricing,
  readVolumeDiscounts,
} from '../pricing/pricing.schema.ts'
import { type ManagedQuote, quoteManaged } from '../pricing/quote.ts'
import type { ProducerRow } from './producers.queries.ts'
import { MAX_OFFER_MS, type ProducerAnswer, readAnswer, writeAnswer } from './quote.schema.ts'
import { deadlineOf } from './rfq.schema.ts'

type ManagedProducer = {
  org: Pick<ProducerRow, 'domain' | 'websiteUrl' | 'offerPriceCents' | 'offerUrl' | 'offerExpiresAt'>
  /** The organization's own rules, of which only the tiers matter here. */
  orgRules: Record<string, unknown> | null
  productRules: ProductPricing | null
}

type ManagedAsk = {
  profile: Pick<ProductProfile, 'priceHighCents' | 'listPriceCents' | 'whereToBuy' | 'discontinued'>
  quantity: number
  deliveryRegion: string | null
  deadlineIso: string | null
  now: Date
}

export type ManagedAnswer =
  | { kind: 'quote'; answer: ProducerAnswer; quote: ManagedQuote }
  | { kind: 'decline'; reason: string; quote: ManagedQuote | null }

export function answerManaged(producer: ManagedProducer, ask: ManagedAsk): ManagedAnswer {
  const shop = ownShop(producer, ask)
  const basePriceCents =
    producer.org.offerPriceCents ??
    shop?.priceCents ??
    ask.profile.listPriceCents ??
    ask.profile.priceHighCents
  if (basePriceCents === null)
    return {
      kind: 'decline',
      reason: 'There is no base price: create an offer for the product.',
      quote: null,
    }
  const claimUrl = claimUrlOf(producer, shop?.url ?? null)
  if (claimUrl === null) return { kind: 'decline', reason: 'There is no https link for buyers.', quote: null }
  const rules = producer.productRules ?? NO_RULES
  const quote = quoteManaged({
    basePriceCents,
    listPriceCents: ask.profile.listPriceCents,
    stepsOfCents: ask.profile.listPriceCents ?? ask.profile.priceHighCents,
    quantity: ask.quantity,
    deliveryRegion: ask.deliveryRegion,
    deadline: ask.deadlineIso === null ? null : deadlineOf(ask.deadlineIso),
    now: ask.now,
    rules: {
      ...rules,
      inStock: rules.inStock ?? !ask.profile.discontinued,
      volumeDiscounts: readVolumeDiscounts(producer.orgRules?.volume_discounts),
    },
  })
  if (quote.kind === 'decline') return { kind: 'decline', reason: DECLINE_TEXTS[quote.reason], quote }
  const answer: ProducerAnswer = {
    priceCents: quote.unitPriceCents,
    inStock: quote.inStock,
    claimUrl,
    offerExpiresAt: expiryOf(producer, ask.now),
    shippingCostCents: quote.shippingCostCents,
    listPriceCents: quote.listPriceCents,
    estimatedShippingDays: quote.estimatedShippingDays,
    offerId: null,
    terms: quote.terms,
  }
  // Held to what producers' own answers are held to.
  const read = readAnswer(Buffer.from(JSON.stringify(writeAnswer(answer))), ask.now)
  if (read.kind === 'quote') return { kind: 'quote', answer: read.answer, quote }
  return {
    kind: 'decline',
    reason: read.kind === 'invalid' ? read.reason : 'Out of stock, without a price.',
    quote,
  }
}

/** A day, but not beyond the offer whose price it starts from. */
function expiryOf({ org }: ManagedProducer, now: Date): Date {
  const end = Math.min(
    now.getTime() + MAX_OFFER_MS,
    org.offerExpiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  )
  return new Date(end)
}

/** Of several links to it, the first that names a price. */
function ownShop({ org }: ManagedProducer, { profile }: ManagedAsk) {
  const { domain } = org
  if (domain === null) return null
  const own = profile.whereToBuy.filter(({ url }) => isWithinDomain(URL.parse(url)?.hostname ?? '', domain))
  return own.find(({ priceCents }) => priceCents !== null) ?? own[0] ?? null
}

function claimUrlOf({ org }: ManagedProducer, shopUrl: string | null): string | null {
  const own = [org.offerUrl, shopUrl, org.websiteUrl, org.domain && `https://${org.domain}/`]
  return own.find((url) => url?.startsWith('https://')) ?? null
}

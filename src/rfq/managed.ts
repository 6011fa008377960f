/**
 * Quotes that the service gives in a producer's name, from its base price by its rules. A buyer must be sent somewhere, so
 * a producer with no https address of its own declines.
 */
import type { ProductProfile } from '../catalog/profile.ts'
import { type BasePrice, basePriceOf, isOnePrice, ownShopOf, stepsOf } from '../pricing/base-price.ts'
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
  /** As they are stored; only the tiers matter here. */
  orgRules: Record<string, unknown> | null
  /** The product's, with the organization's where it has none. */
  productRules: ProductPricing | null
}

type ManagedAsk = {
  profile: Pick<
    ProductProfile,
    'priceLowCents' | 'priceHighCents' | 'listPriceCents' | 'whereToBuy' | 'discontinued' | 'variants'
  >
  /** Of the one that is asked for; null for any. */
  variantId: string | null
  quantity: number
  deliveryRegion: string | null
  deadlineIso: string | null
  now: Date
}

export const NO_LINK = 'There is no https link for buyers.'

export type ManagedAnswer = (
  | { kind: 'quote'; answer: ProducerAnswer; quote: ManagedQuote }
  | { kind: 'decline'; reason: string; quote: ManagedQuote | null }
) & {
  /** Null where there is none. */
  base: BasePrice | null
}

export function answerManaged(producer: ManagedProducer, ask: ManagedAsk): ManagedAnswer {
  const rules = producer.productRules ?? NO_RULES
  const { profile, variantId } = ask
  const own = rules.variantPrices.find(({ variant }) => variant === variantId)
  const listed = profile.variants.find(({ id }) => id === variantId) ?? null
  const variant = variantId === null ? null : { listed }
  const base = basePriceOf(producer.org, own?.priceCents ?? rules.priceCents, profile, variant)
  if (base === null)
    return {
      kind: 'decline',
      reason:
        variant === null
          ? 'There is no base price: set a price for the product, or create an offer.'
          : 'There is no price for this variant: set one, or a price for all variants of the product.',
      ...{ quote: null, base },
    }
  const claimUrl = claimUrlOf(producer, ask, base)
  if (claimUrl === null) return { kind: 'decline', reason: NO_LINK, quote: null, base }
  const quote = quoteManaged({
    basePriceCents: base.priceCents,
    listPriceCents:
      variant === null || isOnePrice(profile) ? profile.listPriceCents : (listed?.listPriceCents ?? null),
    stepsOfCents: stepsOf(ask.profile),
    quantity: ask.quantity,
    deliveryRegion: ask.deliveryRegion,
    deadline: ask.deadlineIso === null ? null : deadlineOf(ask.deadlineIso),
    now: ask.now,
    rules: {
      ...rules,
      inStock:
        rules.inStock ??
        (own?.stock != null || !(profile.discontinued || listed?.availability === 'out_of_stock')),
      stock: own?.stock ?? rules.stock,
      volumeDiscounts: readVolumeDiscounts(producer.orgRules?.volume_discounts),
    },
  })
  if (quote.kind === 'decline') return { kind: 'decline', reason: DECLINE_TEXTS[quote.reason], quote, base }
  const answer: ProducerAnswer = {
    priceCents: quote.unitPriceCents,
    inStock: quote.inStock,
    claimUrl,
    offerExpiresAt: expiryOf(producer, base, ask.now),
    shippingCostCents: quote.shippingCostCents,
    listPriceCents: quote.listPriceCents,
    estimatedShippingDays: quote.estimatedShippingDays,
    offerId: null,
    terms: quote.terms,
  }
  // Held to what producers' own answers are held to.
  const read = readAnswer(Buffer.from(JSON.stringify(writeAnswer(answer))), ask.now)
  if (read.kind === 'quote') return { kind: 'quote', answer: read.answer, quote, base }
  return {
    kind: 'decline',
    reason: read.kind === 'invalid' ? read.reason : 'Out of stock, without a price.',
    ...{ quote, base },
  }
}

/** A day, but not beyond the offer whose price it starts from. */
function expiryOf({ org }: ManagedProducer, { source }: BasePrice, now: Date): Date {
  const offerEnd = source === 'live_offer' ? org.offerExpiresAt?.getTime() : undefined
  return new Date(Math.min(now.getTime() + MAX_OFFER_MS, offerEnd ?? Number.POSITIVE_INFINITY))
}

/** The offer's address comes first only while its price is the one that is quoted: it names the price. */
function claimUrlOf({ org }: ManagedProducer, { profile }: ManagedAsk, { source }: BasePrice): string | null {
  const shopUrl = ownShopOf(org.domain, profile)?.url
  const site = [shopUrl, org.websiteUrl, org.domain && `https://${org.domain}/`]
  const own = source === 'live_offer' ? [org.offerUrl, ...site] : [...site, org.offerUrl]
  return own.find((url) => url?.startsWith('https://')) ?? null
}

/**
 * What a profile says about buying the product, for every form that has a field for it: what counts as a price, and
 * whether it can be had. Nothing is guessed. Feeds and shops write 0 where they know no price, and nobody tells us
 * about stock, so 0 is no price and that a shop lists a product says nothing of whether it has it.
 */
import { formatPriceRange, formatUsd } from '../lib/money.ts'
import type { Product } from './catalog.schema.ts'
import type { PromotedOffer } from './promoted-offer.ts'

export type PriceSpan = { lowCents: number; highCents: number }

/** Null for 0: that would say "free". */
export function statedPrice(cents: number | null): number | null {
  return cents !== null && cents > 0 ? cents : null
}

/** What it costs in shops; null when nobody states a price. An end that is no price is left out. */
export function listedPrices({
  priceLowCents,
  priceHighCents,
}: Pick<Product, 'priceLowCents' | 'priceHighCents'>): PriceSpan | null {
  const [low, high] = [statedPrice(priceLowCents), statedPrice(priceHighCents)]
  const lowCents = low ?? high
  return lowCents === null ? null : { lowCents, highCents: high ?? lowCents }
}

/** In their order. An offer without a price (a gift, a code) is still an offer, but none that can be compared. */
export function pricedOffers(
  offers: readonly PromotedOffer[],
): Array<{ offer: PromotedOffer; priceCents: number }> {
  return offers.flatMap((offer) => {
    const priceCents = statedPrice(offer.priceCents)
    return priceCents === null ? [] : [{ offer, priceCents }]
  })
}

export type PriceNow = {
  cents: number
  /** What it cost before; null unless that was more. */
  wasCents: number | null
  /** The live offer that has this price; null if shops list it. */
  offer: PromotedOffer | null
}

/** The lowest price it can be bought at now: a live offer's, or else the listed one. Null when nobody states a price. */
export function priceNow(
  product: Pick<Product, 'priceLowCents' | 'priceHighCents' | 'listPriceCents'> & {
    offers?: readonly PromotedOffer[]
  },
): PriceNow | null {
  const listed = priceNowCents(product, null)
  const [best] = pricedOffers(product.offers ?? []).sort((a, b) => a.priceCents - b.priceCents)
  const cents = priceNowCents(product, best?.priceCents ?? null)
  if (cents === null) return null
  const offer = best && cents !== listed ? best.offer : null
  const before = offer ? (listed ?? offer.listPriceCents) : product.listPriceCents
  return { cents, wasCents: before !== null && before > cents ? before : null, offer }
}

/** The same where only the lowest price of its live offers is known. */
export function priceNowCents(
  product: Pick<Product, 'priceLowCents' | 'priceHighCents'>,
  bestOfferCents: number | null,
): number | null {
  const listed = listedPrices(product)?.lowCents ?? null
  if (listed === null || bestOfferCents === null) return listed ?? bestOfferCents
  return Math.min(listed, bestOfferCents)
}

/** "$649 – $699 (list $749); now $609 with an offer until 2026-11-20", for texts. Null when nobody states a price. */
export function priceWords(product: Parameters<typeof priceNow>[0]): string | null {
  const now = priceNow(product)
  if (now === null) return null
  const { priceLowCents, priceHighCents, listPriceCents } = product
  const range = formatPriceRange(priceLowCents, priceHighCents) ?? 'not listed'
  const list = listPriceCents === null ? '' : ` (list ${formatUsd(listPriceCents)})`
  if (now.offer === null) return `${range}${list}`
  const { expiresAt } = now.offer
  const until = expiresAt === null ? '' : ` until ${expiresAt.toISOString().slice(0, 10)}`
  return `${range}${list}; now ${formatUsd(now.cents)} with an offer${until}`
}

export type Availability = 'available' | 'discontinued'

/**
 * What is no longer made is discontinued, whatever is promoted: so say all forms. What a seller with a verified
 * relationship promotes at this moment can be ordered there. Of everything else nothing is known.
 */
export function availabilityOf({
  discontinued,
  offers = [],
}: Pick<Product, 'discontinued'> & { offers?: readonly PromotedOffer[] }): Availability | null {
  if (discontinued) return 'discontinued'
  return offers.length > 0 ? 'available' : null
}

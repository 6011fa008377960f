/**
 * What a profile says about buying the product, for every form that has a field for it: what counts as a price, and
 * whether it can be had. Nothing is guessed. Feeds and shops write 0 where they know no price, and nobody tells us
 * about stock, so 0 is no price and that a shop lists a product says nothing of whether it has it.
 */
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

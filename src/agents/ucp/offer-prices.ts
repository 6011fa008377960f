/**
 * What live offers ask for products, by their slots: few products are promoted, so whoever looks for a price passes over
 * these and not over the catalog. Made anew when an offer changes, starts or ends; slots that came since are looked at
 * as they come. A slot that was given up stays until then: ask the index whether it is alive.
 */
import type { CatalogIndex } from '../../search/catalog-index.ts'
import type { UcpContext } from './context.ts'
import { isInPrice, type PriceBounds } from './filters.ts'
import { shownOffers } from './variants.ts'

/** Only prices of offers that are shown as variants. */
export type OfferPrices = ReadonlyMap<number, readonly number[]>

export type OfferPricesOf = (index: CatalogIndex) => OfferPrices

type Known = { version: number; slots: number; prices: Map<number, number[]> }

export function createOfferPrices(
  offers: Pick<UcpContext['offers'], 'of' | 'isSponsored' | 'version'>,
): OfferPricesOf {
  const known = new WeakMap<CatalogIndex, Known>()
  return (index) => {
    const version = offers.version()
    const last = known.get(index)
    const current = last?.version === version ? last : { version, slots: 0, prices: new Map() }
    for (let slot = current.slots; slot < index.slots; slot++) {
      const id = index.at(slot)?.id
      if (id === undefined || !offers.isSponsored(id)) continue
      const prices = shownOffers(offers.of(id)).map(({ priceCents }) => priceCents)
      if (prices.length > 0) current.prices.set(slot, prices)
    }
    current.slots = index.slots
    known.set(index, current)
    return current.prices
  }
}

export function isWithin(cents: number, bounds: PriceBounds): boolean {
  return isInPrice({ lowCents: cents, highCents: cents }, bounds)
}

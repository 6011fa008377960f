/**
 * What both product feeds say of a product in the same words: who sells it for how much, whether it can be bought, and
 * plain text within bounds. Souk is not the merchant: it passes on what sellers and feeds state, and where nobody has
 * stated a thing the value is null, never a likely one. docs/feeds.md has the reasons.
 */

import { availabilityOf, listedPrices, pricedOffers, statedPrice } from '../../../catalog/profile.buying.ts'
import { DEMO_NOTICE } from '../../../catalog/profile.markdown.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import type { PromotedOffer } from '../../../catalog/promoted-offer.ts'
import { cleanLine, shorten } from '../../../lib/text.ts'
import { shownName } from '../../../orgs/shown-org.ts'

export type Deal = {
  seller: { name: string; url: string | null } | null
  /** Of the promoted offer that the price is from. */
  offerId: string | null
  priceCents: number | null
  /** Below the price, by the seller's own statement; null when nothing is reduced. */
  salePriceCents: number | null
  saleWindow: { from: Date; until: Date } | null
}

export const MAX_TITLE = 150
export const MAX_NAME = 70
const MAX_DESCRIPTION = 5_000

/**
 * One seller with that seller's price: the cheapest promoted offer, else the cheapest shop. A sale is only what an
 * offer states with both prices; our own price range is other sellers' and proves no reduction.
 */
export function dealOf(profile: ProductProfile): Deal {
  const { offers = [], whereToBuy } = profile
  const [priced] = pricedOffers(offers)
  if (priced) {
    const { priceCents, offer } = priced
    const { id, listPriceCents, startsAt, expiresAt } = offer
    const isReduced = listPriceCents !== null && priceCents < listPriceCents
    return {
      seller: sellerOf(offer),
      offerId: id,
      priceCents: isReduced ? listPriceCents : priceCents,
      salePriceCents: isReduced ? priceCents : null,
      saleWindow: isReduced && startsAt && expiresAt ? { from: startsAt, until: expiresAt } : null,
    }
  }
  const [shop] = [...whereToBuy].sort((a, b) => rankPrice(a.priceCents) - rankPrice(b.priceCents))
  const [offer] = offers
  return {
    seller: shop ? { name: shop.name, url: webAddress(shop.url) } : offer ? sellerOf(offer) : null,
    offerId: !shop && offer ? offer.id : null,
    priceCents: statedPrice(shop?.priceCents ?? null) ?? listedPrices(profile)?.lowCents ?? null,
    salePriceCents: null,
    saleWindow: null,
  }
}

/** The address is the domain that the seller has proved: a feed has no room for it beside the name. */
function sellerOf({ seller: { name, domain } }: PromotedOffer): Deal['seller'] {
  return { name: shownName(name), url: domain === null ? null : `https://${domain}/` }
}

/** In the feeds' words, which know no product that is no longer made. */
export function stockOf(profile: ProductProfile): 'in_stock' | 'out_of_stock' | null {
  const availability = availabilityOf(profile)
  return availability && STOCK[availability]
}

const STOCK = { available: 'in_stock', discontinued: 'out_of_stock' } as const

export function descriptionOf({ description, verdict }: ProductProfile, demo: boolean): string | null {
  const said = description ?? verdict ?? ''
  return feedText(demo ? `${DEMO_NOTICE} ${said}` : said, MAX_DESCRIPTION)
}

/** One line of plain text; null when nothing of it is left. */
export function feedText(text: string | null, max: number): string | null {
  return text === null ? null : shorten(cleanLine(text), max) || null
}

/** Whole or not at all: a cut number is the number of something else. */
export function partNumber(mpn: string | null): string | null {
  const said = feedText(mpn, Number.POSITIVE_INFINITY)
  return said === null || said.length > MAX_NAME ? null : said
}

/** "79.99 USD" */
export function feedPrice(cents: number | null): string | null {
  return cents === null ? null : `${(cents / 100).toFixed(2)} USD`
}

/** Normalised; null for anything that is no address of the web. Commas separate addresses in lists. */
function webAddress(text: string): string | null {
  const url = URL.parse(text)
  return url && /^https?:$/.test(url.protocol) ? url.href.replaceAll(',', '%2C') : null
}

/** The first of a product's own pictures, and the others with those of producers. Drawings of ours are no photos. */
export function photosOf({ images, additionalImages = [] }: ProductProfile): {
  main: string | null
  more: string[]
} {
  const [main = null, ...others] = images.flatMap(({ url }) => webAddress(url) ?? [])
  return {
    main,
    more: [...others, ...additionalImages.flatMap(({ url }) => webAddress(url) ?? [])].slice(0, 10),
  }
}

function rankPrice(cents: number | null): number {
  return statedPrice(cents) ?? Number.MAX_SAFE_INTEGER
}

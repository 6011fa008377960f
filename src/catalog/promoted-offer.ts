/**
 * A promoted offer as the forms of a profile show it, whoever keeps it. The catalog knows its shape and what makes it a
 * sale; the offers feature above fills it in.
 */
import type { OrgType } from '../db/tables.producers.ts'

export type PromotedOffer = {
  id: string
  headline: string
  detail: string | null
  priceCents: number | null
  listPriceCents: number | null
  promoCode: string | null
  offerTypes: readonly string[]
  startsAt: Date | null
  expiresAt: Date | null
  /** `domain`: only when it is proved. */
  seller: { name: string; orgType: OrgType; verified: boolean; domain: string | null }
}

/** How many a page or a text shows; the JSON form has them all. */
export const SHOWN_OFFERS = 10

const LOWERS_PRICE = new Set(['percentage_off', 'fixed_amount_off', 'bogo'])

/** Whether it makes the product cheaper; a free gift or free shipping alone does not. */
export function isSale({
  priceCents,
  listPriceCents,
  offerTypes,
}: Pick<PromotedOffer, 'priceCents' | 'listPriceCents' | 'offerTypes'>): boolean {
  if (priceCents !== null && listPriceCents !== null && priceCents < listPriceCents) return true
  return offerTypes.some((type) => LOWERS_PRICE.has(type))
}

/** The seller's address for the click: recorded, then redirected (302) to the offer's own destination. */
export function offerLink(offer: { id: string }, baseUrl: string): string {
  return `${baseUrl}/go/${offer.id}`
}

const TYPE_WORDS: Record<string, string> = {
  percentage_off: 'percentage off',
  fixed_amount_off: 'money off',
  free_shipping: 'free shipping',
  bogo: 'buy one, get one',
  bundle: 'bundle',
  free_gift: 'free gift',
}

export function offerTypeWords(type: string): string {
  return Object.hasOwn(TYPE_WORDS, type) ? (TYPE_WORDS[type] ?? type) : type.replaceAll('_', ' ')
}

/** What is live at this moment, for whoever shows a product. */
export type OfferLookup = {
  of(productId: string): readonly PromotedOffer[]
  changedAt(productId: string): Date | null
}

/** With what is promoted now; a change of that is a change of every form that shows it. */
export function withOffers<T extends { id: string; updatedAt: Date }>(
  product: T,
  lookup: OfferLookup,
): T & { offers?: readonly PromotedOffer[] } {
  const changedAt = lookup.changedAt(product.id)
  if (changedAt === null) return product
  const offers = lookup.of(product.id)
  const updatedAt = new Date(Math.max(product.updatedAt.getTime(), changedAt.getTime()))
  return { ...product, updatedAt, ...(offers.length > 0 && { offers }) }
}

/**
 * A promoted offer as the forms of a profile show it, by whatever feature it is kept. The catalog knows its shape,
 * what makes it a sale and its text for a model; the offers feature above fills it in.
 */
import type { OrgType } from '../db/tables.producers.ts'
import { formatUsd } from '../lib/money.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { shownOrg, standingOf } from '../orgs/shown-org.ts'

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
  /** The one it is for; absent for all. */
  variant?: OfferVariant
  /** `domain` is null unless it is verified. */
  seller: { name: string; orgType: OrgType; verified: boolean; domain: string | null; demo?: boolean }
}

/** The variant that an offer is for. One that the catalog dropped keeps the name it had. */
export type OfferVariant = { id: string; name: string; isListed: boolean }

/** "Red / M", or "Red / M, no longer listed". */
export function offerVariantWords({ name, isListed }: OfferVariant): string {
  return isListed ? name : `${name}, no longer listed`
}

/** As data says it, beside the rest of the offer. */
export function offerVariantData(variant: OfferVariant | undefined): {
  variant?: string
  variant_listed?: false
} {
  if (!variant) return {}
  return { variant: variant.name, ...(!variant.isListed && { variant_listed: false }) }
}

/** The most that a page or text shows; the JSON form has all. */
export const SHOWN_OFFERS = 10

const LOWERS_PRICE = new Set(['percentage_off', 'fixed_amount_off', 'bogo'])

/** True if it lowers the price; a free gift or free shipping alone does not. */
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

/** Where nothing is promoted. */
export const NO_OFFERS: OfferLookup = { of: () => [], changedAt: () => null }

/** What is live at this moment, for who shows a product. */
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

/**
 * Promoted offers for a model: what we know of each (price, the seller's proved domain, dates, link) as a list, then the
 * sellers' names and words by number in one fence.
 */
export function offersText(offers: readonly PromotedOffer[], baseUrl: string): string {
  if (offers.length === 0) return ''
  const lines = offers.map((offer, at) => `${at + 1}. ${offerFacts(offer, baseUrl)}`)
  return `${lines.join('\n')}\n\n${untrusted('the sellers', offers.flatMap(sellersWords))}`
}

function offerFacts(offer: PromotedOffer, baseUrl: string): string {
  const { priceCents, listPriceCents, offerTypes, startsAt, expiresAt, seller, variant } = offer
  const facts = [
    ...(variant ? [`for ${inlineText(offerVariantWords(variant), 160)}`] : []),
    priceCents === null ? 'price not stated' : formatUsd(priceCents),
    ...(listPriceCents === null ? [] : [`list ${formatUsd(listPriceCents)}`]),
    `from ${inlineText(standingOf(seller))} (${seller.orgType})`,
    ...offerTypes.map((type) => inlineText(offerTypeWords(type), 40)),
    ...(startsAt === null ? [] : [`since ${startsAt.toISOString()}`]),
    expiresAt === null ? 'no end date' : `until ${expiresAt.toISOString()}`,
    offerLink(offer, baseUrl),
  ]
  return facts.join(' · ')
}

function sellersWords(offer: PromotedOffer, at: number): UntrustedLine[] {
  const { headline, detail, promoCode, seller } = offer
  return [
    { label: `Offer ${at + 1} seller`, text: shownOrg(seller) },
    { label: `Offer ${at + 1} headline`, text: headline, max: 100 },
    ...(detail === null ? [] : [{ label: `Offer ${at + 1} detail`, text: detail, max: 250 }]),
    ...(promoCode === null ? [] : [{ label: `Offer ${at + 1} promo code`, text: promoCode, max: 100 }]),
  ]
}

/**
 * Promoted offers for a model: what we know of each (price, the seller's proved domain, dates, link) as a list, then the
 * sellers' names and words by number in one fence.
 */

import { formatUsd } from '../lib/money.ts'
import { inlineText, type UntrustedLine, untrusted } from '../lib/untrusted.ts'
import { shownOrg, standingOf } from '../orgs/shown-org.ts'
import { offerLink, offerTypeWords, type PromotedOffer } from './promoted-offer.ts'

export function offersText(offers: readonly PromotedOffer[], baseUrl: string): string {
  if (offers.length === 0) return ''
  const lines = offers.map((offer, at) => `${at + 1}. ${offerFacts(offer, baseUrl)}`)
  return `${lines.join('\n')}\n\n${untrusted('the sellers', offers.flatMap(sellersWords))}`
}

function offerFacts(offer: PromotedOffer, baseUrl: string): string {
  const { priceCents, listPriceCents, offerTypes, startsAt, expiresAt, seller } = offer
  const facts = [
    priceCents === null ? 'price not stated' : formatUsd(priceCents),
    ...(listPriceCents === null ? [] : [`list ${formatUsd(listPriceCents)}`]),
    `from ${inlineText(standingOf(seller))} (${seller.orgType})`,
    ...offerTypes.map((type) => inlineText(offerTypeWords(type), 40)),
    ...(startsAt === null ? [] : [`since ${startsAt.toISOString()}`]),
    expiresAt === null ? 'no end stated' : `until ${expiresAt.toISOString()}`,
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

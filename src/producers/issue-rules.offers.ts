/** What can be wrong with one offer. Within a severity, issues come in the order of this table. */
import { formatPriceRange, formatUsd } from '../lib/money.ts'
import { statusNow } from '../offers/offer.model.ts'
import { isLive, type OfferFacts } from './facts.ts'
import { day, daysBetween, type OfferRule } from './issue-rule.ts'

const SOON_DAYS = 7
const OLD_DRAFT_DAYS = 3
/** Half as low, or half as much again, is more often a slip than a bargain. */
const FAR = 0.5

export const OFFER_RULES: readonly OfferRule[] = [
  {
    id: 'offer_above_list_price',
    severity: 'error',
    fix: 'update_offer with a lower price_usd, or with the right list_price_usd.',
    find: (offer, product, now) => {
      const list = offer.listPriceCents ?? product.listPriceCents
      return shown(offer, now) && offer.priceCents !== null && list !== null && offer.priceCents > list
        ? `Its price, ${formatUsd(offer.priceCents)}, is above the list price, ${formatUsd(list)}.`
        : null
    },
  },
  {
    id: 'offer_expired',
    severity: 'warning',
    fix: 'update_offer with a later expires_at, or with status expired.',
    find: ({ status, expiresAt }, _, now) =>
      status === 'active' && expiresAt !== null && expiresAt <= now
        ? `It is set to active but ended on ${day(expiresAt)}, so buyers don't see it.`
        : null,
  },
  {
    id: 'offer_expires_soon',
    severity: 'warning',
    fix: 'update_offer with a later expires_at to extend it.',
    find: (offer, _, now) =>
      isLive(offer, now) && offer.expiresAt !== null && daysBetween(now, offer.expiresAt) <= SOON_DAYS
        ? `It ends on ${day(offer.expiresAt)}.`
        : null,
  },
  {
    id: 'offer_not_https',
    severity: 'warning',
    fix: 'update_offer with a destination_url that starts with https://.',
    find: (offer, _, now) =>
      shown(offer, now) && !/^https:/i.test(offer.destinationUrl)
        ? 'Its link does not use https, so quotes never use it.'
        : null,
  },
  {
    id: 'offer_price_far_from_profile',
    severity: 'warning',
    fix: 'update_offer if price_usd is wrong; submit_enrichment with fields.price if the profile is wrong.',
    find: (offer, { priceLowCents, priceHighCents }, now) => {
      if (
        !shown(offer, now) ||
        offer.priceCents === null ||
        priceLowCents === null ||
        priceHighCents === null
      )
        return null
      const far =
        offer.priceCents < priceLowCents * (1 - FAR) || offer.priceCents > priceHighCents * (1 + FAR)
      const range = formatPriceRange(priceLowCents, priceHighCents)
      return far ? `Its price, ${formatUsd(offer.priceCents)}, is far from the profile's, ${range}.` : null
    },
  },
  {
    id: 'offer_without_price',
    severity: 'suggestion',
    fix: 'update_offer with price_usd.',
    find: (offer, _, now) => (shown(offer, now) && offer.priceCents === null ? 'It has no price.' : null),
  },
  {
    id: 'offer_left_draft',
    severity: 'suggestion',
    fix: 'update_offer with status active to publish it, or expired to end it.',
    find: (offer, _, now) =>
      statusNow(offer, now) === 'draft' && daysBetween(offer.updatedAt, now) >= OLD_DRAFT_DAYS
        ? `It has been a draft since ${day(offer.updatedAt)}, so buyers don't see it.`
        : null,
  },
]

/** Live, or will be by itself. */
function shown(offer: OfferFacts, now: Date): boolean {
  return statusNow(offer, now) === 'active'
}

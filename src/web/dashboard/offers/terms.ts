/** What an offer says, in words: for who may only read it, and to lay two versions side by side. */
import { offerTypeWords } from '../../../catalog/promoted-offer.ts'
import { formatUsd } from '../../../lib/money.ts'
import type { OfferTerms } from '../../../offers/offers.schema.ts'
import { momentWords } from '../../components/moment.tsx'

export const TERM_LABELS: Record<keyof OfferTerms, string> = {
  headline: 'Headline',
  detail: 'Detail',
  destinationUrl: 'Destination',
  priceCents: 'Price',
  listPriceCents: 'List price',
  startsAt: 'Starts',
  expiresAt: 'Ends',
  promoCode: 'Promo code',
  offerTypes: 'Kind of saving',
}

export const TERM_KEYS = Object.keys(TERM_LABELS) as Array<keyof OfferTerms>

export function termText(terms: OfferTerms, key: keyof OfferTerms): string {
  switch (key) {
    case 'priceCents':
    case 'listPriceCents': {
      const cents = terms[key]
      return cents === null ? 'Not stated' : formatUsd(cents)
    }
    case 'startsAt':
      return terms.startsAt === null ? 'At once' : momentWords(terms.startsAt)
    case 'expiresAt':
      return terms.expiresAt === null ? 'No end' : momentWords(terms.expiresAt)
    case 'offerTypes':
      return terms.offerTypes.length === 0 ? 'None' : terms.offerTypes.map(offerTypeWords).join(', ')
    default:
      return terms[key] ?? 'None'
  }
}

/** What an offer says, in words: for who may only read it, and to lay two versions side by side. */
import { offerTypeWords } from '../../../catalog/promoted-offer.ts'
import { formatUsd } from '../../../lib/money.ts'
import type { OfferTerms } from '../../../offers/offer.model.ts'
import { momentWords } from '../../components/moment.tsx'

export function termText(terms: OfferTerms, key: keyof OfferTerms): string {
  const value = terms[key]
  if (value instanceof Date) return momentWords(value)
  if (typeof value === 'number') return formatUsd(value)
  if (Array.isArray(value)) return value.map(offerTypeWords).join(', ') || 'None'
  return value ?? ABSENT[key] ?? 'None'
}

/** What an offer is that does not say it. */
const ABSENT: Partial<Record<keyof OfferTerms, string>> = {
  priceCents: 'Not stated',
  listPriceCents: 'Not stated',
  startsAt: 'At once',
  expiresAt: 'No end',
}

/**
 * Which offers are listed, as it stands in the address. Whatever an address or a form holds is read as one of the few
 * things it can mean, and an address is only ever written from that: a form may carry it along, and leads nowhere else.
 */
import { OFFER_STATUSES, type OfferStatus } from '../../../offers/offer.model.ts'
import { pageNumber } from '../../kit/paging.tsx'
import { OFFERS_PATH, offerPath } from '../paths.ts'

export const PREVIEW_PATH = `${OFFERS_PATH}/preview`
export const CALENDAR_PATH = `${OFFERS_PATH}/calendar`
export const PAGE_SIZE = 25
/** What a list to choose from may hold; a shop with more knows what it sells by name. */
export const MOST_CHOICES = 300

export const statusPath = (id: string) => `${offerPath(id)}/status`
export const calendarPath = (month: string) => `${CALENDAR_PATH}?month=${month}`

export const WITHIN_DAYS = [7, 30] as const
export type OffersFilter = {
  status: OfferStatus | null
  /** As it was written: `<category>/<slug>` or the slug alone. */
  product: string | null
  endsWithin: (typeof WITHIN_DAYS)[number] | null
  page: number
}

export const EVERYTHING: OffersFilter = { status: null, product: null, endsWithin: null, page: 1 }
const LONGEST_SLUG = 300

export function readFilter(given: URLSearchParams): OffersFilter {
  const product = (given.get('product') ?? '').trim().slice(0, LONGEST_SLUG)
  return {
    status: OFFER_STATUSES.find((status) => status === given.get('status')) ?? null,
    product: product === '' ? null : product,
    endsWithin: WITHIN_DAYS.find((days) => String(days) === given.get('ends')) ?? null,
    page: pageNumber(given.get('page') ?? undefined),
  }
}

export function filterQuery({ status, product, endsWithin, page }: OffersFilter): string {
  return new URLSearchParams({
    ...(status !== null && { status }),
    ...(product !== null && { product }),
    ...(endsWithin !== null && { ends: String(endsWithin) }),
    ...(page > 1 && { page: String(page) }),
  }).toString()
}

export function listPath(filter: OffersFilter, more: Record<string, string> = {}): string {
  const query = [filterQuery(filter), new URLSearchParams(more).toString()].filter(Boolean).join('&')
  return query === '' ? OFFERS_PATH : `${OFFERS_PATH}?${query}`
}

export const isFiltered = ({ status, product, endsWithin }: OffersFilter) =>
  status !== null || product !== null || endsWithin !== null

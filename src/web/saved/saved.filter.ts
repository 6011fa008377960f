/**
 * What of the saved products is shown, as it stands in the address. Whatever an address holds is read as one of the few
 * things it can mean, and an address is only ever written from that: a form may carry it along, and leads nowhere else.
 */
import { cleanLine } from '../../lib/text.ts'

export const SAVED_PATH = '/saved'
export const PAGE_SIZE = 20

export const SINCE = { saved: null, '7': 7, '30': 30 } as const
export type Since = keyof typeof SINCE

export type SavedFilter = { list: string | null; onlyChanged: boolean; since: Since; page: number }

const DAY_MS = 86_400_000
const MAX_PAGE = 1_000

export function readFilter(given: URLSearchParams): SavedFilter {
  const list = cleanLine((given.get('list') ?? '').slice(0, 200))
  const since = given.get('since') ?? ''
  const page = /^\d{1,4}$/.test(given.get('page') ?? '') ? Number(given.get('page')) : 1
  return {
    list: list === '' ? null : list,
    onlyChanged: given.get('changed') === '1',
    since: since === '7' || since === '30' ? since : 'saved',
    page: Math.min(Math.max(page, 1), MAX_PAGE),
  }
}

/** Null: since each was saved. */
export function sinceMoment(since: Since, now: Date): Date | null {
  const days = SINCE[since]
  return days === null ? null : new Date(now.getTime() - days * DAY_MS)
}

/** Without the question mark; what a form carries along. */
export function filterQuery({ list, onlyChanged, since, page }: SavedFilter): string {
  return new URLSearchParams({
    ...(list !== null && { list }),
    ...(onlyChanged && { changed: '1' }),
    ...(since !== 'saved' && { since }),
    ...(page > 1 && { page: String(page) }),
  }).toString()
}

export function savedPath(filter: SavedFilter, more: Record<string, string> = {}): string {
  const query = [filterQuery(filter), new URLSearchParams(more).toString()].filter(Boolean).join('&')
  return query === '' ? SAVED_PATH : `${SAVED_PATH}?${query}`
}

export const EVERYTHING: SavedFilter = { list: null, onlyChanged: false, since: 'saved', page: 1 }

/** Where a product is saved, named as `category/slug`. */
export function addPath(named: string, more: Record<string, string> = {}): string {
  return `${SAVED_PATH}/add?${new URLSearchParams({ p: named, ...more })}`
}

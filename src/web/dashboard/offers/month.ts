/** A month of the calendar, and where in it an offer's time lies. All in UTC. */
import type { Offer } from '../../../offers/offers.service.ts'
import { formatDate } from '../../format.ts'

export type Month = {
  /** "2026-11" */
  key: string
  from: Date
  until: Date
  days: number
}

const DAY_MS = 86_400_000
const [FIRST_YEAR, LAST_YEAR] = [1970, 2199]

/** The month that an address names; the present one for anything else. */
export function readMonth(asked: string | undefined, now: Date): Month {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(asked ?? '')
  const year = Number(match?.[1])
  return match && year >= FIRST_YEAR && year <= LAST_YEAR
    ? monthOf(new Date(Date.UTC(year, Number(match[2]) - 1)))
    : monthOf(now)
}

export function monthOf(at: Date): Month {
  const [from, until] = [0, 1].map((plus) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + plus))
  const [start, end] = [from ?? 0, until ?? 0]
  return {
    key: new Date(start).toISOString().slice(0, 7),
    ...{ from: new Date(start), until: new Date(end), days: (end - start) / DAY_MS },
  }
}

export function monthAfter({ from }: Month, plus: 1 | -1): Month {
  return monthOf(new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + plus)))
}

export const monthName = ({ key }: Month) => formatDate(key) ?? key

export type Bar = { start: number; width: number; before: boolean; after: boolean }

/** In percent of the month; `before` and `after`: it goes on beyond it. What starts at once starts when it is made. */
export function barOf(
  { startsAt, createdAt, expiresAt }: Pick<Offer, 'startsAt' | 'createdAt' | 'expiresAt'>,
  month: Month,
): Bar {
  const begins = startsAt ?? createdAt
  const start = shareOf(begins, month)
  return {
    start,
    // What runs for an hour is still to be seen.
    width: Math.max((expiresAt === null ? 100 : shareOf(expiresAt, month)) - start, 1),
    before: begins < month.from,
    after: expiresAt === null || expiresAt > month.until,
  }
}

/** Where a moment lies, in percent; outside of it, at its edge. */
export function shareOf(at: Date, { from, until }: Month): number {
  const share = (at.getTime() - from.getTime()) / (until.getTime() - from.getTime())
  return Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 100
}

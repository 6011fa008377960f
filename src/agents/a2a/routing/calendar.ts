/** Steps in the calendar, all at 00:00 UTC. */
import { DAY_MS } from '../../../lib/clock.ts'

export type Unit = 'day' | 'week' | 'fortnight' | 'month' | 'year'

export function step(from: Date, unit: Unit, amount: number): Date {
  if (unit === 'month') return addMonths(from, amount)
  if (unit === 'year') return addMonths(from, amount * 12)
  return addDays(from, amount * (unit === 'week' ? 7 : unit === 'fortnight' ? 14 : 1))
}

export function startOf(today: Date, unit: Unit, ahead: number): Date {
  if (unit === 'month') return addMonths(utc(today.getUTCFullYear(), today.getUTCMonth(), 1), ahead)
  if (unit === 'year') return utc(today.getUTCFullYear() + ahead, 0, 1)
  return unit === 'week' ? addDays(mondayOf(today), 7 * ahead) : step(today, unit, ahead)
}

/** A week ends for deliveries with its Friday; on a weekend that is the Friday to come. */
export function endOf(today: Date, unit: Unit | undefined, ahead: number): Date | null {
  if (unit === 'month' || unit === 'year') return addDays(startOf(today, unit, ahead + 1), -1)
  if (unit !== 'week') return null
  const friday = addDays(mondayOf(today), 4)
  return addDays(friday < today ? addDays(friday, 7) : friday, friday < today ? 0 : 7 * ahead)
}

export function addBusinessDays(from: Date, amount: number): Date {
  let day = from
  for (let left = Math.abs(amount); left > 0; ) {
    day = addDays(day, Math.sign(amount))
    if (day.getUTCDay() % 6 !== 0) left--
  }
  return day
}

export function realDay(year: number, month: number, day: number): Date | null {
  if (year < 1000 || year > 9999 || !Number.isInteger(day)) return null
  const date = utc(year, month, day)
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date : null
}

export function thanksgiving(year: number): Date {
  const first = utc(year, 10, 1)
  return addDays(first, ((4 - first.getUTCDay() + 7) % 7) + 21)
}

export const utc = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day))
export const addDays = (from: Date, days: number) => new Date(from.getTime() + days * DAY_MS)
export const startOfDay = (moment: Date) => new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS)

export function mondayOf(day: Date): Date {
  return addDays(day, -((day.getUTCDay() + 6) % 7))
}

/** The 31st of a month that has none is its last day. */
export function addMonths(from: Date, months: number): Date {
  const first = utc(from.getUTCFullYear(), from.getUTCMonth() + months, 1)
  const last = addDays(utc(first.getUTCFullYear(), first.getUTCMonth() + 1, 1), -1).getUTCDate()
  return addDays(first, Math.min(from.getUTCDate(), last) - 1)
}

/**
 * Dates as people say them, read against a given day in UTC: "by December 1", "within two weeks", "next Friday", "since
 * Monday". A day without a year is the next such day when a deadline is asked for, and the last such day when a past
 * moment is. "Next Friday" is the Friday of the week after this one, weeks beginning on Monday.
 * Words that also mean something else ("may", "sat", "1/2") count only behind a word that leads to a date.
 */
import { DAY_MS, HOUR_MS, isoDay } from '../../../lib/clock.ts'
import { readNumber } from '../../../search/understand/budget.ts'
import {
  foldAt,
  isGlued,
  phraseAt,
  type Range,
  type Token,
  wordSet,
} from '../../../search/understand/tokens.ts'
import {
  addBusinessDays,
  addDays,
  addMonths,
  endOf,
  mondayOf,
  realDay,
  startOf,
  startOfDay,
  step,
  utc,
} from './calendar.ts'
import { FEASTS, LEADS, LED_BY, MONTHS, STRICT, UNITS, WEEKDAYS } from './date-words.ts'

export type Toward = 'future' | 'past'
export type DateFound = Range & { iso: string }
type Read = { day: Date; to: number; instant?: boolean } | null

/** Nothing is delivered, and nothing was recorded, further away than this. */
const FARTHEST_DAYS = 3_660
/** The first date of the message outside the taken tokens; `iso` is a day, or a time when hours were named. */
export function findDate(
  tokens: readonly Token[],
  taken: Uint8Array,
  now: Date,
  toward: Toward,
): DateFound | null {
  const today = startOfDay(now)
  for (let from = 0; from < tokens.length; from++) {
    if (taken[from]) continue
    const read = readAt(tokens, from, { now, today, toward })
    if (!read || Math.abs(read.day.getTime() - now.getTime()) > FARTHEST_DAYS * DAY_MS) continue
    const iso = read.instant ? `${read.day.toISOString().slice(0, 19)}Z` : isoDay(read.day)
    return { iso, from: leadAt(tokens, taken, from), to: read.to }
  }
  return null
}

/** The words that led to the date go with it: "over the past", "no later than". */
function leadAt(tokens: readonly Token[], taken: Uint8Array, date: number): number {
  let from = date
  while (from > 0 && !taken[from - 1] && LED_BY.has(foldAt(tokens, from - 1))) from--
  return from
}

type Asked = { now: Date; today: Date; toward: Toward }

function readAt(tokens: readonly Token[], at: number, asked: Asked): Read {
  const lead = foldAt(tokens, at - 1)
  const led = LEADS.has(lead)
  return (
    readIso(tokens, at) ??
    readNumeric(tokens, at, asked, STRICT.has(lead)) ??
    readDayAndMonth(tokens, at, asked, led) ??
    readFeast(tokens, at, asked, led) ??
    readWeekday(tokens, at, asked, led) ??
    readNamedSpan(tokens, at, asked) ??
    readCount(tokens, at, asked)
  )
}

/** 2026-12-01, with or without a time behind it. */
function readIso(tokens: readonly Token[], at: number): Read {
  const [year, month, day] = [0, 2, 4].map((step) => tokens[at + step]?.value ?? null)
  const joined = [1, 2, 3, 4].every((step) => isGlued(tokens, at + step))
  if (!joined || year === null || month === null || day === null) return null
  if (foldAt(tokens, at + 1) !== foldAt(tokens, at + 3) || !/^[-/]$/.test(foldAt(tokens, at + 1))) return null
  const read = year !== undefined && year >= 1000 ? realDay(year, (month ?? 0) - 1, day ?? 0) : null
  if (!read) return null
  let to = at + 5
  // "T17:00:00Z": a delivery and a record have a date; the hour is passed over.
  if (foldAt(tokens, to).startsWith('t') && isGlued(tokens, to)) while (isGlued(tokens, to)) to++
  return { day: read, to }
}

/** 12/1 and 12/1/2026 have the month first, as in the United States, unless that is no month; 1.12.2026 the day. */
function readNumeric(tokens: readonly Token[], at: number, asked: Asked, led: boolean): Read {
  // The tokens of 24.12.2026 are 24.12 and .2026.
  const dotted = /^(\d{1,2})\.(\d{1,2})$/.exec(foldAt(tokens, at))
  const dottedYear = isGlued(tokens, at + 1) ? /^\.(\d{4}|\d{2})$/.exec(foldAt(tokens, at + 1)) : null
  if (dotted && dottedYear) {
    const day = realDay(fullYear(Number(dottedYear[1])), Number(dotted[2]) - 1, Number(dotted[1]))
    return day && { day, to: at + 2 }
  }
  const [first, second] = [tokens[at]?.value, tokens[at + 2]?.value]
  if (!first || !second || foldAt(tokens, at + 1) !== '/') return null
  if (!isGlued(tokens, at + 1) || !isGlued(tokens, at + 2)) return null
  const [month, day] = first > 12 ? [second, first] : [first, second]
  const withYear = foldAt(tokens, at + 3) === '/' && isGlued(tokens, at + 3) && isGlued(tokens, at + 4)
  if (withYear) {
    const read = realDay(fullYear(tokens[at + 4]?.value), month - 1, day)
    return read && { day: read, to: at + 5 }
  }
  const read = led ? nearDay(asked, month - 1, day) : null
  return read && { day: read, to: at + 3 }
}

/** "1 December", "the 1st of December", "December 1st, 2026", "December 2026", "in December". */
function readDayAndMonth(tokens: readonly Token[], at: number, asked: Asked, led: boolean): Read {
  const first = readDayNumber(tokens, at)
  if (first) {
    const of = foldAt(tokens, first.to) === 'of' ? first.to + 1 : first.to
    const month = MONTHS.get(foldAt(tokens, of))
    if (month === undefined)
      return first.ordinal && (led || foldAt(tokens, at - 1) === 'the') ? dayOfMonth(asked, first) : null
    return withYear(tokens, of + 1, asked, month, first.value)
  }
  const month = MONTHS.get(foldAt(tokens, at))
  if (month === undefined) return null
  const dot = foldAt(tokens, at + 1) === '.' ? at + 2 : at + 1
  const the = foldAt(tokens, dot) === 'the' ? dot + 1 : dot
  const second = readDayNumber(tokens, the)
  if (second && second.value <= 31) return withYear(tokens, second.to, asked, month, second.value)
  if (!led) return null
  const year = readYear(tokens, dot)
  // A month as a deadline is over with its last day.
  const start = year ? utc(year.value, month, 1) : nearMonth(asked, month)
  const day = asked.toward === 'future' ? addDays(addMonths(start, 1), -1) : start
  return { day, to: year?.to ?? at + 1 }
}

function readDayNumber(
  tokens: readonly Token[],
  at: number,
): { value: number; to: number; ordinal: boolean } | null {
  const value = tokens[at]?.value ?? null
  if (value === null || !Number.isInteger(value) || value < 1 || value > 31) return null
  const ordinal = /^(st|nd|rd|th)$/.test(foldAt(tokens, at + 1)) && isGlued(tokens, at + 1)
  return { value, to: ordinal ? at + 2 : at + 1, ordinal }
}

function readYear(tokens: readonly Token[], at: number): { value: number; to: number } | null {
  const from = foldAt(tokens, at) === ',' ? at + 1 : at
  const value = tokens[from]?.value ?? null
  return value !== null && /^(19|20)\d\d$/.test(foldAt(tokens, from)) ? { value, to: from + 1 } : null
}

function withYear(tokens: readonly Token[], at: number, asked: Asked, month: number, day: number): Read {
  const year = readYear(tokens, at)
  const read = year ? realDay(year.value, month, day) : nearDay(asked, month, day)
  return read && { day: read, to: year?.to ?? at }
}

/** "by the 20th" */
function dayOfMonth(asked: Asked, { value, to }: { value: number; to: number }): Read {
  const step = asked.toward === 'future' ? 1 : -1
  for (let months = 0; months < 4; months++) {
    const month = addMonths(utc(asked.today.getUTCFullYear(), asked.today.getUTCMonth(), 1), months * step)
    const day = realDay(month.getUTCFullYear(), month.getUTCMonth(), value)
    if (day && isToward(asked, day)) return { day, to }
  }
  return null
}

function readFeast(tokens: readonly Token[], at: number, asked: Asked, led: boolean): Read {
  const feast = led ? phraseAt(FEASTS, tokens, at) : null
  if (!feast) return null
  const said = readYear(tokens, feast.to)
  if (said) return { day: feast.meaning(said.value), to: said.to }
  const year = asked.today.getUTCFullYear()
  const days = [year - 1, year, year + 1].map(feast.meaning)
  const day =
    asked.toward === 'future'
      ? days.find((one) => one >= asked.today)
      : days.findLast((one) => one <= asked.today)
  return day ? { day, to: feast.to } : null
}

function readWeekday(tokens: readonly Token[], at: number, asked: Asked, led: boolean): Read {
  const weekday = WEEKDAYS.get(foldAt(tokens, at))
  if (weekday === undefined || (!led && foldAt(tokens, at).length < 6)) return null
  const before = foldAt(tokens, at - 1)
  const ahead = (weekday - asked.today.getUTCDay() + 7) % 7
  if (asked.toward === 'past') return { day: addDays(asked.today, ahead === 0 ? -7 : ahead - 7), to: at + 1 }
  if (before !== 'next') return { day: addDays(asked.today, ahead || 7), to: at + 1 }
  const monday = addDays(mondayOf(asked.today), 7)
  return { day: addDays(monday, (weekday + 6) % 7), to: at + 1 }
}

/** "today", "this week", "last month", "the end of the month". */
function readNamedSpan(tokens: readonly Token[], at: number, { today, toward }: Asked): Read {
  const word = foldAt(tokens, at)
  if (word === 'today' || word === 'tonight') return { day: today, to: at + 1 }
  if (word === 'tomorrow') return toward === 'future' ? { day: addDays(today, 1), to: at + 1 } : null
  if (word === 'yesterday') return toward === 'past' ? { day: addDays(today, -1), to: at + 1 } : null
  if (word === 'end' && foldAt(tokens, at + 1) === 'of' && toward === 'future') {
    const the = /^(the|this|next)$/.test(foldAt(tokens, at + 2)) ? at + 3 : at + 2
    const unit = UNITS.get(foldAt(tokens, the))
    const day = unit && unit !== 'hour' ? endOf(today, unit, foldAt(tokens, at + 2) === 'next' ? 1 : 0) : null
    if (day) return { day, to: the + 1 }
    // "the end of November" is read where the month stands.
    return null
  }
  const unit = UNITS.get(foldAt(tokens, at + 1))
  const to = at + 2
  if (!unit || unit === 'hour' || !/^(this|next|last|past)$/.test(word)) return null
  // "in the last week" is a span up to now; "last week" the week before this one.
  const rolling = word === 'past' || (word === 'last' && foldAt(tokens, at - 1) === 'the')
  if (rolling) return toward === 'past' ? { day: step(today, unit, -1), to } : null
  if (toward === 'past')
    return word === 'next' ? null : { day: startOf(today, unit, word === 'last' ? -1 : 0), to }
  const end = word === 'last' ? null : endOf(today, unit, word === 'next' ? 1 : 0)
  return end && { day: end, to }
}

const FORWARD = wordSet('within in than next under after')
const BACK = wordSet('last past previous in within over during since')

/** "within two weeks", "in the last 30 days", "three days ago". */
function readCount(tokens: readonly Token[], at: number, { now, today, toward }: Asked): Read {
  const count = readAmount(tokens, at)
  const unitAt = count && (/^(business|working)$/.test(foldAt(tokens, count.to)) ? count.to + 1 : count.to)
  const unit = unitAt ? UNITS.get(foldAt(tokens, unitAt)) : undefined
  if (!count || !unitAt || !unit || count.value > 5_000) return null
  const ago = foldAt(tokens, unitAt + 1) === 'ago'
  const lead = foldAt(tokens, at - 1)
  const leads = lead === 'the' || lead === 'next' ? [lead, foldAt(tokens, at - 2)] : [lead]
  if (toward === 'past' ? !ago && !leads.some((word) => BACK.has(word)) : ago || !leads.some(isForward))
    return null
  const amount = Math.ceil(count.value) * (toward === 'past' ? -1 : 1)
  const to = ago ? unitAt + 2 : unitAt + 1
  if (unit === 'hour' && toward === 'past')
    return { day: new Date(now.getTime() + amount * HOUR_MS), to, instant: true }
  if (unit === 'hour') return { day: startOfDay(new Date(now.getTime() + amount * HOUR_MS)), to }
  if (unit === 'day' && unitAt > count.to) return { day: addBusinessDays(today, amount), to }
  return { day: step(today, unit, amount), to }
}

const isForward = (word: string) => FORWARD.has(word)

function readAmount(tokens: readonly Token[], at: number): { value: number; to: number } | null {
  const word = foldAt(tokens, at)
  const small = /^(couple|few)$/.exec(word === 'a' ? foldAt(tokens, at + 1) : word)
  if (small) {
    const next = word === 'a' ? at + 2 : at + 1
    return { value: small[0] === 'couple' ? 2 : 3, to: foldAt(tokens, next) === 'of' ? next + 1 : next }
  }
  if (word === 'a' || word === 'an') return { value: 1, to: at + 1 }
  return readNumber(tokens, at)
}

function isToward({ today, toward }: Asked, day: Date): boolean {
  return toward === 'future' ? day >= today : day <= today
}

function nearDay(asked: Asked, month: number, day: number): Date | null {
  const year = asked.today.getUTCFullYear()
  // Four years on, there is a 29 February again.
  const years = Array.from({ length: 9 }, (_, index) =>
    asked.toward === 'future' ? year + index : year - index,
  )
  return years.map((one) => realDay(one, month, day)).find((one) => one && isToward(asked, one)) ?? null
}

function nearMonth({ today, toward }: Asked, month: number): Date {
  const year = today.getUTCFullYear()
  const now = today.getUTCMonth()
  if (toward === 'future') return utc(month < now ? year + 1 : year, month, 1)
  return utc(month > now ? year - 1 : year, month, 1)
}

function fullYear(value: number | null | undefined): number {
  return value === null || value === undefined ? 0 : value < 100 ? 2000 + value : value
}

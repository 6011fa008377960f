/**
 * Dates as people say them, read against a given day in UTC: "by December 1", "within two weeks", "next Friday", "since
 * Monday". A day without a year is the next such day when a deadline is asked for, and the last such day when a past moment
 * is. What has the form of a date and is none that can be taken ("February 30", "by Q1") is found too, so that it is asked
 * about: a quote without its date would be wrong.
 */
import { DAY_MS, isoDay } from '../../../lib/clock.ts'
import type { Range } from '../../../search/understand/tokens.ts'
import type { Message } from './message.ts'

export type Toward = 'future' | 'past'
/** `iso` is a day, or a time when hours were named; null when it cannot be taken. */
export type DateFound = Range & { said: string; iso: string | null }
type Asked = { now: Date; today: Date; past: boolean }
type Groups = Record<string, string | undefined>

const MONTH =
  '(?<mon>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?'
const WEEKDAY =
  '(?<wd>sun|mon|tues?|wed|thu(?:rs?)?|fri|sat|sunday|monday|tuesday|wednesday|thursday|friday|saturday)\\b'
const LEAD = '\\b(?:by|before|until|till|since|on|in|for|due|deadline:?|no later than)\\s{1,3}(?:the\\s)?'
const YEAR = '(?:,?\\s(?<y>20\\d\\d)\\b)?'
const DAY = '(?<d>\\d{1,2})(?:st|nd|rd|th)?'
const NUMBERS = 'a couple of|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve'.split('|')
const COUNT = `(?<n>\\d{1,3}(?:\\s?[-–]\\s?\\d{1,3})?|${NUMBERS.join('|')})`
const UNIT = '(?<u>(?:business |working )?days?|hours?|weeks?|fortnights?|months?|years?)\\b'
const SPAN =
  '\\b(?:within|in|over|during|past|last|next)\\s(?:the\\s)?(?:next\\s|last\\s|past\\s|less than\\s)?'

/** The first in the message counts; of those at one place, the first of these. */
const FORMS: Array<[string, (groups: Groups, asked: Asked) => Date | null]> = [
  ['\\b(?<y>\\d{4})-(?<m>\\d\\d)-(?<d>\\d\\d)(?:T[\\d:.]{1,12}Z?)?(?![\\w-])', numeric],
  ['\\b(?<d>\\d{1,2})\\.(?<m>\\d{1,2})\\.(?<y>\\d{4})\\b', numeric],
  ['\\b(?<m>\\d{1,2})/(?<d>\\d{1,2})/(?<y>\\d{4})\\b', american],
  [`${LEAD}(?<m>\\d{1,2})/(?<d>\\d{1,2})\\b(?!/)`, american],
  [`(?:${LEAD})?\\b${DAY}(?:\\sof)?\\s${MONTH}${YEAR}`, dayOfMonth],
  [`(?:${LEAD})?\\b${MONTH}\\s(?:the\\s)?${DAY}\\b${YEAR}`, dayOfMonth],
  [`${LEAD}(?:end of )?${MONTH}${YEAR}`, wholeMonth],
  [`${LEAD}(?<d>\\d{1,2})(?:st|nd|rd|th)\\b`, nextOfMonth],
  [`\\b(?<which>next|this|last|by|before|until|since|on)\\s${WEEKDAY}`, weekday],
  [`${SPAN}${COUNT}\\s${UNIT}`, span],
  [`\\b(?:in|over)\\sthe\\s(?:last|past)\\s${UNIT}`, ({ u }, asked) => span({ n: 'a', u }, asked)],
  [`\\b${COUNT}\\s${UNIT}\\sago\\b`, (groups, asked) => (asked.past ? span(groups, asked) : null)],
  ['\\bend of (?:the |this )?(?<next>next )?(?<u>week|month|year)\\b', endOfUnit],
  ['\\b(?<which>this|next|last|past) (?<u>week|month|year)\\b', unit],
  ['\\b(?<named>today|tomorrow|yesterday)\\b', named],
  [`${LEAD}(?:christmas|xmas)\\b`, (_, asked) => near(asked, 11, 25)],
  [
    `(?:${LEAD}|\\bwithin\\s)(?:q[1-4]|spring|summer|autumn|fall|winter|easter|thanksgiving|halloween|new year|eod|eow|eom|quarter)\\b`,
    () => null,
  ],
]
const ALL = FORMS.map(([form, read]) => ({ form: new RegExp(form, 'giu'), read }))
const TRIES = 20

export function findDate(message: Message, now: Date, toward: Toward): DateFound | null {
  const { text, tokens, taken } = message
  const asked = { now, today: new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS), past: toward === 'past' }
  let first: (DateFound & { start: number }) | null = null
  for (const { form, read } of ALL) {
    form.lastIndex = 0
    for (let tries = 0; tries < TRIES; tries++) {
      const match = form.exec(text)
      if (!match || (first && match.index >= first.start)) break
      const end = match.index + match[0].length
      const from = tokens.findIndex((token) => token.end > match.index)
      const to = tokens.findLastIndex((token) => token.start < end) + 1
      if (taken.subarray(from, to).includes(1) || /^may$/i.test(match[0])) continue
      const day = read(lower(match.groups), asked)
      const hours = /\bhours?\b/i.test(match[0])
      const far = day !== null && Math.abs(day.getTime() - now.getTime()) > 3_660 * DAY_MS
      const iso = day && !far ? (hours ? `${day.toISOString().slice(0, 19)}Z` : isoDay(day)) : null
      const late = iso !== null && !asked.past && iso.slice(0, 10) < isoDay(asked.today)
      first = { said: match[0], iso: late ? null : iso, from, to, start: match.index }
      break
    }
  }
  return first
}

function lower(groups: Groups = {}): Groups {
  return Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, text?.toLowerCase()]))
}

const at = (year: number, month: number, day: number) => new Date(Date.UTC(year, month, day))
const addDays = (from: Date, days: number) => new Date(from.getTime() + days * DAY_MS)

function real(year: number, month: number, day: number): Date | null {
  const date = at(year, month, day)
  return date.getUTCMonth() === month && date.getUTCDate() === day ? date : null
}

/** The next such day from today on, or the last one up to today; February 29 may be years away. */
function near({ today, past }: Asked, month: number, day: number): Date | null {
  for (let step = 0; step <= 8; step++) {
    const date = real(today.getUTCFullYear() + (past ? -step : step), month, day)
    if (date && (past ? date <= today : date >= today)) return date
  }
  return null
}

function numeric({ y, m, d }: Groups): Date | null {
  return real(Number(y), Number(m) - 1, Number(d))
}

/** The month first, unless that is no month. */
function american({ y, m, d }: Groups, asked: Asked): Date | null {
  const [month, day] = Number(m) > 12 ? [Number(d), Number(m)] : [Number(m), Number(d)]
  return y === undefined ? near(asked, month - 1, day) : real(Number(y), month - 1, day)
}

const monthOf = (name = '') =>
  'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ').indexOf(name.slice(0, 3))

function dayOfMonth({ mon, d, y }: Groups, asked: Asked): Date | null {
  return y === undefined ? near(asked, monthOf(mon), Number(d)) : real(Number(y), monthOf(mon), Number(d))
}

/** A month as a deadline is over with its last day. */
function wholeMonth({ mon, y }: Groups, asked: Asked): Date | null {
  const month = monthOf(mon)
  if (asked.past) return y === undefined ? near(asked, month, 1) : at(Number(y), month, 1)
  const year = asked.today.getUTCFullYear() + (month < asked.today.getUTCMonth() ? 1 : 0)
  return at(y === undefined ? year : Number(y), month + 1, 0)
}

/** "by the 20th" */
function nextOfMonth({ d }: Groups, { today, past }: Asked): Date | null {
  for (let step = 0; step < 4; step++) {
    const date = real(...monthFrom(today, past ? -step : step), Number(d))
    if (date && (past ? date <= today : date >= today)) return date
  }
  return null
}

function monthFrom(today: Date, months: number): [year: number, month: number] {
  const first = at(today.getUTCFullYear(), today.getUTCMonth() + months, 1)
  return [first.getUTCFullYear(), first.getUTCMonth()]
}

const mondayOf = (day: Date) => addDays(day, -((day.getUTCDay() + 6) % 7))

/** "Next Friday" is the Friday of the week after this one, weeks beginning on Monday. */
function weekday({ wd = '', which }: Groups, { today, past }: Asked): Date {
  const day = 'sun mon tue wed thu fri sat'.split(' ').indexOf(wd.slice(0, 3))
  const ahead = (day - today.getUTCDay() + 7) % 7
  if (past) return addDays(today, ahead === 0 ? -7 : ahead - 7)
  return which === 'next' ? addDays(mondayOf(today), 7 + ((day + 6) % 7)) : addDays(today, ahead || 7)
}

function span({ n = '', u = '' }: Groups, { now, today, past }: Asked): Date | null {
  const words = ['a couple of', 'two'].includes(n) ? 2 : Math.max(1, NUMBERS.indexOf(n) - 2)
  const count = (/^\d/.test(n) ? Number(n) : n === 'twelve' ? 12 : words) * (past ? -1 : 1)
  if (!Number.isInteger(count)) return null
  if (u.startsWith('hour')) return new Date(now.getTime() + (count * DAY_MS) / 24)
  if (u.startsWith('month') || u.startsWith('year')) {
    const [year, month] = monthFrom(today, u.startsWith('year') ? count * 12 : count)
    return at(year, month, Math.min(today.getUTCDate(), at(year, month + 1, 0).getUTCDate()))
  }
  if (!/^(?:business|working)/.test(u))
    return addDays(today, count * (u.startsWith('week') ? 7 : u.startsWith('fortnight') ? 14 : 1))
  let day = today
  for (let left = Math.abs(count); left > 0; left -= day.getUTCDay() % 6 === 0 ? 0 : 1)
    day = addDays(day, Math.sign(count))
  return day
}

/** A week ends for deliveries with its Friday; on a weekend that is the Friday to come. */
function endOfUnit({ u, next }: Groups, { today }: Asked): Date {
  const more = next === undefined ? 0 : 1
  if (u === 'year') return at(today.getUTCFullYear() + more, 11, 31)
  if (u === 'month') return at(today.getUTCFullYear(), today.getUTCMonth() + 1 + more, 0)
  const friday = addDays(mondayOf(today), 4)
  return addDays(friday, 7 * (friday < today ? 1 : more))
}

function unit(groups: Groups, asked: Asked): Date | null {
  const { which, u } = groups
  const { today, past } = asked
  if (!past)
    return which === 'last' || which === 'past'
      ? null
      : endOfUnit({ u, next: which === 'next' ? '' : undefined }, asked)
  if (which === 'next') return null
  const before = which === 'this' ? 0 : 1
  if (u === 'year') return at(today.getUTCFullYear() - before, 0, 1)
  if (u === 'month') return at(today.getUTCFullYear(), today.getUTCMonth() - before, 1)
  return addDays(mondayOf(today), -7 * before)
}

function named({ named: word }: Groups, { today, past }: Asked): Date | null {
  const days = { today: 0, tomorrow: 1, yesterday: -1 }[word ?? ''] ?? 0
  return (past ? days <= 0 : days >= 0) ? addDays(today, days) : null
}

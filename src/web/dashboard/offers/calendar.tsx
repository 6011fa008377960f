/**
 * A month of offers: a line for each, with a bar over the days that it runs. All in UTC. The dates beside the bar say
 * the same, so screen readers skip it. It is SVG because its length is data and pages carry no inline style.
 */
import type { Offer } from '../../../offers/offers.service.ts'
import { Day } from '../../components/moment.tsx'
import { formatDate, isoDay } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Empty, LinkButton, State } from '../../kit/parts.tsx'
import type { Visitor } from '../guard.tsx'
import { NEW_OFFER_PATH, OFFERS_PATH, offerPath } from '../paths.ts'
import { standingOf } from './standing.ts'

export const CALENDAR_PATH = `${OFFERS_PATH}/calendar`
export const MOST_LINES = 100
const calendarPath = (month: string) => `${CALENDAR_PATH}?month=${month}`

type CalendarProps = {
  visitor: Visitor
  month: Month
  /** One more than are drawn tells that there are more. */
  offers: readonly Offer[]
  related: ReadonlySet<string>
  now: Date
}

export function calendarPage(props: CalendarProps): Page {
  const { visitor, month, offers, now } = props
  const name = monthName(month)
  return {
    title: `Offers in ${name}`,
    lead: 'When each offer runs. Days are in UTC.',
    actions: <LinkButton to={OFFERS_PATH} label="List" />,
    body: [
      <Months month={month} now={now} />,
      offers.length === 0 ? (
        <Empty to={visitor.may('edit') ? NEW_OFFER_PATH : undefined} label="New offer">
          No offers run in {name}.
        </Empty>
      ) : (
        <>
          <Key month={month} now={now} />
          <Lines {...props} />
          {offers.length > MOST_LINES && (
            <p class="soft">
              Only the first {MOST_LINES} are drawn. <a href={OFFERS_PATH}>See all offers in the list</a>
            </p>
          )}
        </>
      ),
      <p class="soft">
        Offers that you ended early are left out. An offer without a start is drawn from the day you made it.
      </p>,
    ],
  }
}

/** A line for each end of the time that an offer runs. */
export function Runs({ startsAt, expiresAt }: Pick<Offer, 'startsAt' | 'expiresAt'>) {
  return (
    <ul>
      {startsAt !== null && (
        <li>
          from <Day at={startsAt} />
        </li>
      )}
      <li>
        {expiresAt === null ? (
          'no end'
        ) : (
          <>
            until <Day at={expiresAt} />
          </>
        )}
      </li>
    </ul>
  )
}

function Months({ month, now }: { month: Month; now: Date }) {
  const [before, after] = [monthAfter(month, -1), monthAfter(month, 1)]
  return (
    <nav class="line" aria-label="Months">
      <a href={calendarPath(before.key)} rel="prev">
        <span aria-hidden="true">← </span>
        {monthName(before)}
      </a>
      {monthOf(now).key !== month.key && <a href={CALENDAR_PATH}>This month</a>}
      <a href={calendarPath(after.key)} rel="next">
        {monthName(after)}
        <span aria-hidden="true"> →</span>
      </a>
    </nav>
  )
}

const LOOKS = { active: 'run', paused: 'run held', draft: 'run plan', expired: 'run held' }
const KEY = [
  ['run', 'Live'],
  ['run held', 'Paused or not live'],
  ['run plan', 'Draft'],
] as const

function Key({ month, now }: { month: Month; now: Date }) {
  return (
    <ul class="line row-note" aria-label="What the bars mean">
      {KEY.map(([look, words]) => (
        <li>
          <svg class="swatch" width="32" height="14" aria-hidden="true">
            <rect class={look} x="1" y="1" width="30" height="12" rx="3" />
          </svg>{' '}
          {words}
        </li>
      ))}
      {todayIn(month, now) !== null && (
        <li>
          <svg class="swatch days" width="6" height="14" aria-hidden="true">
            <line class="today" x1="3" x2="3" y1="0" y2="14" />
          </svg>{' '}
          Today
        </li>
      )}
    </ul>
  )
}

function Lines({ month, offers, related, now }: CalendarProps) {
  return (
    <table class="data calendar">
      <caption class="hidden">Offers that run in {monthName(month)}</caption>
      <thead>
        <tr>
          <th scope="col">Offer</th>
          <th scope="col">State</th>
          <th scope="col">Runs</th>
          <th scope="col" class="span">
            <span class="hidden">Drawn over the month</span>
            <Days month={month} now={now} />
          </th>
        </tr>
      </thead>
      <tbody>
        {offers.slice(0, MOST_LINES).map((offer) => {
          const isRelated = related.has(offer.productId)
          const standing = standingOf(offer, { now, related: isRelated })
          const look = isRelated ? LOOKS[offer.status] : LOOKS.paused
          return (
            <tr>
              <th scope="row">
                <a href={offerPath(offer.id)}>{offer.headline}</a>
                <span class="row-note">{offer.productTitle}</span>
              </th>
              <td data-label="State">
                <State tone={standing.tone}>{standing.word}</State>
              </td>
              <td data-label="Runs">
                <Runs {...offer} />
              </td>
              <td class="span">
                <Line offer={offer} month={month} now={now} look={look} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

/** The first day of each seven, and today. */
function Days({ month, now }: { month: Month; now: Date }) {
  const today = todayIn(month, now)
  return (
    <svg class="days" width="100%" height="18" aria-hidden="true">
      {weeksOf(month).map((day) => (
        <text x={`${(day / month.days) * 100 + 0.5}%`} y="13">
          {day + 1}
        </text>
      ))}
      {today !== null && <line class="today" x1={today} x2={today} y1="0" y2="18" />}
    </svg>
  )
}

type LineProps = { offer: Offer; month: Month; now: Date; look: string }

function Line({ offer, month, now, look }: LineProps) {
  const { start, width, before, after } = barOf(offer, month)
  const today = todayIn(month, now)
  return (
    <svg class="days" width="100%" height="24" aria-hidden="true">
      {weeksOf(month).map((day) => (
        <line x1={`${(day / month.days) * 100}%`} x2={`${(day / month.days) * 100}%`} y1="0" y2="24" />
      ))}
      <rect class={look} x={`${start}%`} y="5" width={`${width}%`} height="14" rx={before && after ? 0 : 3} />
      {today !== null && <line class="today" x1={today} x2={today} y1="0" y2="24" />}
    </svg>
  )
}

function weeksOf({ days }: Month): number[] {
  return [0, 7, 14, 21, 28].filter((day) => day < days)
}

/** At noon of it, so that the mark stands on the day and not between two. */
function todayIn(month: Month, now: Date): string | null {
  if (monthOf(now).key !== month.key) return null
  return `${shareOf(new Date(`${isoDay(now)}T12:00:00Z`), month)}%`
}

export type Month = {
  /** "2026-11" */
  key: string
  from: Date
  until: Date
  days: number
}

const DAY_MS = 86_400_000
const [FIRST_YEAR, LAST_YEAR] = [1970, 2199]

/** The month that an address names, or this month. */
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

const monthName = ({ key }: Month) => formatDate(key) ?? key

type Bar = { start: number; width: number; before: boolean; after: boolean }

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
function shareOf(at: Date, { from, until }: Month): number {
  const share = (at.getTime() - from.getTime()) / (until.getTime() - from.getTime())
  return Math.round(Math.min(Math.max(share, 0), 1) * 10_000) / 100
}

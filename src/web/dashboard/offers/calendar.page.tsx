/**
 * A month of offers: one line each, with a bar over the days that it runs. The dates beside it say the same, so the bar
 * is hidden from screen readers; it is SVG because its length is data and the page may carry no inline style.
 */
import type { Offer } from '../../../offers/offers.service.ts'
import { isoDay } from '../../format.ts'
import { Empty, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { NEW_OFFER_PATH, OFFERS_PATH, offerPath } from '../paths.ts'
import { Runs } from './list.page.tsx'
import { barOf, type Month, monthAfter, monthName, monthOf, shareOf } from './month.ts'
import { CALENDAR_PATH, calendarPath } from './offers.filter.ts'
import { standingOf } from './standing.ts'

export const MOST_LINES = 100

type CalendarPageProps = {
  site: Site
  visitor: Visitor
  month: Month
  /** At most one more than are drawn, which tells that there are more. As last set. */
  offers: readonly Offer[]
  related: ReadonlySet<string>
  now: Date
}

export function renderCalendar(props: CalendarPageProps): string {
  const { site, visitor, month, offers, now } = props
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title={`Offers in ${monthName(month)}`}
      lead="What runs when. Days are in UTC."
      at={OFFERS_PATH}
      actions={
        <a class="button plain" href={OFFERS_PATH}>
          List
        </a>
      }
    >
      <Months month={month} now={now} />
      {offers.length === 0 ? (
        <Empty>
          <p>Nothing runs in {monthName(month)}.</p>
          {visitor.may('edit') && (
            <p>
              <a class="button" href={NEW_OFFER_PATH}>
                New offer
              </a>
            </p>
          )}
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
      )}
      <p class="soft">
        An offer that was ended by hand is not drawn, and one without a start is drawn from when it was made.
      </p>
    </DashboardPage>,
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
  ['run', 'Runs'],
  ['run held', 'Paused or not shown'],
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

function Lines({ month, offers, related, now }: CalendarPageProps) {
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

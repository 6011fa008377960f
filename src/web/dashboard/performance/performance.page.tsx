/**
 * /dashboard/performance: what was shown, read, asked for and won over some days. The chart is by day whatever the table
 * is by. Of other sellers nothing is told but the organization's own place among their prices.
 */
import {
  type Figures as Counts,
  GROUPS,
  type Group,
  missingWords,
  type Performance,
  winRate,
} from '../../../producers/performance.service.ts'
import { formatCount, formatDate, formatShare } from '../../format.ts'
import { Field, Hidden } from '../../kit/fields.tsx'
import { Empty, Panel, Stats } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { ATTENTION_PATH, PERFORMANCE_PATH, PRODUCTS_PATH } from '../paths.ts'
import { AskedChart, SeenChart } from './day-chart.tsx'
import { type Ask, addressOf, CSV_PATH, RANGES } from './performance.ask.ts'
import { CAPTIONS, PerformanceTable, rankWords } from './performance.table.tsx'

type PerformanceProps = {
  site: Site
  visitor: Visitor
  ask: Ask
  /** Null when it was asked for wrongly. */
  found: { byDay: Performance; rows: Performance } | null
}

const TABS: Record<Group, string> = {
  day: 'By day',
  product: 'By product',
  agent: 'By agent',
  query: 'By search',
}

export function renderPerformance({ site, visitor, ask, found }: PerformanceProps): string {
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Performance"
      lead={
        found &&
        `${formatDate(found.rows.from)} to ${formatDate(found.rows.to)}, days in UTC. Products with a proved claim count.`
      }
      at={PERFORMANCE_PATH}
      actions={
        found && (
          <a class="button plain" href={addressOf(CSV_PATH, ask)} download>
            Download CSV
          </a>
        )
      }
      errors={ask.state.errors}
    >
      <Days ask={ask} />
      {found && <Found ask={ask} {...found} />}
    </DashboardPage>,
  )
}

function Days({ ask }: { ask: Ask }) {
  return (
    <div class="fields">
      <nav aria-label="Days">
        <ul class="chips">
          {RANGES.map((days) => (
            <li>
              <a
                class="chip"
                href={addressOf(PERFORMANCE_PATH, ask, { days })}
                aria-current={days === ask.days ? 'page' : undefined}
              >
                {days === 365 ? 'A year' : `${days} days`}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <form class="filters" method="get" action={PERFORMANCE_PATH}>
        <Hidden name="by" value={ask.by} />
        <Field state={ask.state} name="from" label="From" type="date" autocomplete="off" value={ask.from} />
        <Field state={ask.state} name="to" label="To" type="date" autocomplete="off" value={ask.to} />
        <p>
          <button class="button plain" type="submit">
            Show these days
          </button>
        </p>
      </form>
    </div>
  )
}

function Found({ ask, byDay, rows }: { ask: Ask; byDay: Performance; rows: Performance }) {
  return (
    <>
      <Totals totals={rows.totals} />
      {rows.missing.map((one) => (
        <p class="aside">{missingWords(one, formatDate(one.since) ?? one.since)}</p>
      ))}
      <div class="side-by-side">
        <Panel title="Found" id="found">
          <SeenChart performance={byDay} />
        </Panel>
        <Panel title="Asked" id="asked">
          <AskedChart performance={byDay} />
        </Panel>
      </div>
      <section class="fields measured" aria-labelledby="rows-title">
        <h2 id="rows-title">{CAPTIONS[ask.by]}</h2>
        <nav aria-label="Figures by">
          <ul class="chips">
            {GROUPS.map((by) => (
              <li>
                <a
                  class="chip"
                  href={`${addressOf(PERFORMANCE_PATH, ask, { by })}#rows-title`}
                  aria-current={by === ask.by ? 'page' : undefined}
                >
                  {TABS[by]}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <Rows by={ask.by} found={rows} />
      </section>
    </>
  )
}

function Totals({ totals }: { totals: Counts }) {
  const rate = winRate(totals)
  const items = [
    ['Impressions', formatCount(totals.impressions), 'times a search showed a product of yours'],
    ['Agent reads', formatCount(totals.reads), 'times an agent read a profile'],
    ['Requests', formatCount(totals.rfqs), 'for a quote that reached you'],
    ['Quotes', formatCount(totals.quotes), 'that you gave'],
    ['Wins', formatCount(totals.wins), 'quotes that came first'],
    ['Win rate', rate === null ? 'None' : formatShare(rate), 'wins of your quotes'],
    [
      'Price rank',
      rankWords(totals) ?? 'None',
      'your average place by total price, and among how many quotes; 1 is the cheapest',
    ],
    ['Clicks', formatCount(totals.clicks), 'on links of your offers and quotes'],
  ] as const
  return (
    <div class="measured">
      <Stats items={items.map(([label, value, note]) => ({ label, value, note }))} />
    </div>
  )
}

const NOTHING: Record<Group, string> = {
  day: 'Nothing happened in these days.',
  product: 'Nothing happened to a product of yours in these days.',
  agent: 'No agent read a profile of yours in these days.',
  query: 'No search showed a product of yours in these days.',
}

function Rows({ by, found }: { by: Group; found: Performance }) {
  const { rows, groups } = found
  if (rows.length === 0)
    return (
      <Empty>
        <p>{NOTHING[by]}</p>
        <p class="line">
          <a href={PRODUCTS_PATH}>See your products</a>
          <a href={ATTENTION_PATH}>See what needs attention</a>
        </p>
      </Empty>
    )
  return (
    <>
      {by === 'query' && (
        <p class="soft">What fewer than 3 people searched for is counted, and not told in words.</p>
      )}
      <PerformanceTable by={by} rows={rows} />
      {groups > rows.length && (
        <p class="row-note">
          The first {formatCount(rows.length)} of {formatCount(groups)}; the CSV has more.
        </p>
      )}
    </>
  )
}

/**
 * /dashboard/performance: what was shown, read, asked for and won over some days, and the same figures as a file. The
 * charts are by day whatever the table is by. Of other sellers only the organization's own place by price is shown.
 */

import type { Child } from 'hono/jsx'
import { STATUS } from '../../../http/error-response.ts'
import { type Cell, writeCsv } from '../../../lib/csv.ts'
import { AppError } from '../../../lib/errors.ts'
import { formatUsd } from '../../../lib/money.ts'
import { regionName } from '../../../lib/regions.ts'
import { getNextSteps, type NextStep } from '../../../producers/next-steps.service.ts'
import {
  type Figures,
  GROUPS,
  type Group,
  getPerformance,
  lastDays,
  MOST_DAYS,
  missingWords,
  type Performance,
  type PerformanceRow,
  winRate,
} from '../../../producers/performance.service.ts'
import { isDay } from '../../../rfq/rfq.schema.ts'
import { Chips } from '../../components/chips.tsx'
import { countOf, formatCount, formatDate, formatShare, sentence } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Field, type FormState, Hidden, UNTOUCHED } from '../../kit/fields.tsx'
import { DataTable, Empty, Panel, Stats, Submit } from '../../kit/parts.tsx'
import { sendCsv } from '../../page.http.ts'
import { formatMs } from '../attempts/readable.ts'
import type { Dashboard, DashboardDeps, Visitor } from '../guard.tsx'
import { ATTENTION_PATH, ownProductPath, PERFORMANCE_PATH, PRODUCTS_PATH } from '../paths.ts'
import { AskedChart, PlaceChart, SeenChart } from './day-chart.tsx'

const CSV_PATH = `${PERFORMANCE_PATH}.csv`
const ROWS_SHOWN = 50
/** The chart has all days; a table of a year would be too long on a narrow screen. */
const DAYS_SHOWN = 31
const ROWS_IN_FILE = 5_000
const RANGES = [7, 30, 90, 365] as const
const USUAL = 30

type GroupWords = { tab: string; first: string; caption: string; empty: string }

const WORDS: Record<Group, GroupWords> = {
  day: {
    ...{ tab: 'By day', first: 'Day', caption: 'By day, newest first' },
    empty: 'No activity in this period.',
  },
  product: {
    ...{ tab: 'By product', first: 'Product', caption: 'By product, most seen first' },
    empty: 'No activity for your products in this period.',
  },
  region: {
    ...{ tab: 'By region', first: 'Deliver to', caption: 'By place of delivery, most asked first' },
    empty: 'No requests for quotes in this period.',
  },
  client: {
    ...{ tab: 'By client', first: 'Asked by', caption: 'By who asked for the buyer' },
    empty: 'No requests for quotes in this period.',
  },
  agent: {
    ...{ tab: 'By agent', first: 'Agent', caption: 'Reads by agent, as they call themselves' },
    empty: 'No agent read your products in this period.',
  },
  query: {
    ...{ tab: 'By search', first: 'Search', caption: 'Searches that showed your products' },
    empty: 'No search showed your products in this period.',
  },
}

type Counts = Partial<Figures>
type FigureColumn = {
  label: string
  /** Its name in the file. */
  name: string
  cell: (row: Counts) => Cell
  /** How the page shows it; null where another column does. */
  show?: ((row: Counts) => string | null) | null
  /** What the total counts. */
  note?: string
}

const count = (figure: keyof Figures, label: string, name: string = figure, note?: string): FigureColumn => ({
  ...{ label, name, note, cell: (row) => row[figure] ?? null },
})
const rateOf = ({ wins = 0, quotes = 0 }: Counts) => winRate({ wins, quotes })

const FIGURES: FigureColumn[] = [
  count('impressions', 'Impressions', 'impressions', 'times a search showed your products'),
  count('reads', 'Agent reads', 'agent_reads', 'times an agent read a profile'),
  count('rfqs', 'Requests', 'requests', 'for a quote from you'),
  count('quotes', 'Quotes', 'quotes', 'you gave'),
  count('rankedFirst', 'Ranked first', 'ranked_first', 'quotes that came first'),
  count('wins', 'Wins', 'wins', 'quotes that a buyer chose'),
  {
    ...{ label: 'Win rate', name: 'win_rate', note: 'of your quotes won' },
    cell: (row) => (rateOf(row) === null ? null : Math.round((rateOf(row) ?? 0) * 1000) / 1000),
    show: (row) => (rateOf(row) === null ? null : formatShare(rateOf(row) ?? 0)),
  },
  {
    ...{ label: 'Value won', name: 'won_usd', note: 'what the quotes that buyers chose came to' },
    cell: ({ wonCents }) => (wonCents === undefined ? null : wonCents / 100),
    show: ({ wonCents }) => (wonCents === undefined ? null : formatUsd(wonCents)),
  },
  {
    ...count('responseMs', 'Response time', 'response_ms', 'your average time to a quote'),
    show: ({ responseMs }) => (responseMs == null ? null : formatMs(responseMs)),
  },
  {
    ...count('priceRank', 'Price rank', 'price_rank', 'your average place by total price; 1 is the cheapest'),
    show: ({ priceRank, priceRankOf }) =>
      priceRank == null || priceRankOf == null ? null : `${priceRank} of ${priceRankOf}`,
  },
  { ...count('priceRankOf', 'Quotes compared', 'price_rank_of'), show: null },
  count('clicks', 'Clicks', 'clicks', 'on links of your offers and quotes'),
]
/** What requests have; searches and reads name no place and no client. */
const ASKED = FIGURES.filter(({ name }) => !['impressions', 'agent_reads', 'clicks'].includes(name))
const COLUMNS: Record<Group, FigureColumn[]> = {
  ...{ day: FIGURES, product: FIGURES, region: ASKED, client: ASKED },
  agent: [count('reads', 'Reads', 'agent_reads')],
  query: [count('impressions', 'Impressions')],
}

const onPage = (by: Group) => COLUMNS[by].filter(({ show }) => show !== null)

function shown({ cell, show }: FigureColumn, row: Counts): string | null {
  const value = show ? show(row) : cell(row)
  return typeof value === 'number' ? formatCount(value) : value
}

type Ask = {
  by: Group
  /** Null when days were named. */
  days: number | null
  from: string
  to: string
  /** What was typed, and what is wrong with it. */
  state: FormState
}

export function mountPerformance(dashboard: Dashboard, { ctx }: Pick<DashboardDeps, 'ctx'>): void {
  const read = (visitor: Visitor, { from, to }: Ask, groupBy: Group, limit: number) =>
    getPerformance(ctx, visitor, { from, to, groupBy, limit })

  dashboard.page(PERFORMANCE_PATH, 'read', async ({ c, visitor }) => {
    const ask = readAsk(c.req.query(), ctx.clock.now())
    if (Object.keys(ask.state.errors).length > 0) return { ...pageOf(ask, null), status: 400 }
    try {
      const byDay = await read(visitor, ask, 'day', MOST_DAYS)
      const newest = { ...byDay, rows: byDay.rows.slice(0, DAYS_SHOWN) }
      const rows = ask.by === 'day' ? newest : await read(visitor, ask, ask.by, ROWS_SHOWN)
      return pageOf(ask, { byDay, rows, steps: await getNextSteps(ctx, visitor, ask) })
    } catch (error) {
      if (!(error instanceof AppError) || error.field === undefined) throw error
      // The service names its field, which on the page the words are beside.
      const errors = { [error.field]: sentence(error.message.replace(/^\w+: /, '')) }
      const state = { values: { from: ask.from, to: ask.to }, errors }
      return { ...pageOf({ ...ask, state }, null), status: STATUS[error.kind] }
    }
  })

  dashboard.page(CSV_PATH, 'read', async ({ c, visitor }) => {
    const ask = readAsk(c.req.query(), ctx.clock.now())
    const [[field, message] = []] = Object.entries(ask.state.errors)
    if (message !== undefined) throw new AppError('invalid', `${field}: ${message}`, { field })
    const { from, to, rows } = await read(visitor, ask, ask.by, ROWS_IN_FILE)
    const name = `souk-performance-by-${ask.by}-${from}-to-${to}.csv`
    return sendCsv(c, name, writeCsv(cellsOf(ask.by, rows)))
  })
}

/** Days that are named win over a range; a missing first or last day is filled in. */
function readAsk(query: Record<string, string>, now: Date): Ask {
  const by = GROUPS.find((group) => group === query.by) ?? 'day'
  const typed = { from: query.from?.trim() ?? '', to: query.to?.trim() ?? '' }
  if (typed.from === '' && typed.to === '') {
    const days = RANGES.find((range) => String(range) === query.days) ?? USUAL
    return { by, days, ...lastDays(now, days), state: UNTOUCHED }
  }
  const wrong = Object.entries(typed).filter(([, day]) => day !== '' && !isDay(day))
  if (wrong.length > 0) {
    const errors = Object.fromEntries(wrong.map(([name]) => [name, 'Enter a date such as 2026-12-01.']))
    return { by, days: null, ...lastDays(now, USUAL), state: { values: typed, errors } }
  }
  const to = typed.to || lastDays(now, 1).to
  const from = typed.from || lastDays(new Date(`${to}T00:00:00Z`), USUAL).from
  const turned = { values: typed, errors: { from: 'The first day must be before the last.' } }
  return { by, days: null, from, to, state: from > to ? turned : UNTOUCHED }
}

/** The address of the same figures with something else asked for. */
function addressOf(path: string, ask: Ask, change: Partial<Pick<Ask, 'by' | 'days'>> = {}): string {
  const { by, days, from, to } = { ...ask, ...change }
  const span: Record<string, string> = days === null ? { from, to } : { days: String(days) }
  return `${path}?${new URLSearchParams({ by, ...span })}`
}

type Shown = { byDay: Performance; rows: Performance; steps: NextStep[] }

/** `found` is null when the question was wrong. */
function pageOf(ask: Ask, found: Shown | null): Page {
  return {
    title: 'Performance',
    lead:
      found &&
      `${formatDate(found.rows.from)} to ${formatDate(found.rows.to)}, in UTC. Only products with a verified claim count.`,
    errors: ask.state.errors,
    actions: found && (
      <a class="button plain" href={addressOf(CSV_PATH, ask)} download>
        Download CSV
      </a>
    ),
    body: [
      <div class="fields">
        <nav aria-label="Days">
          <Chips
            chips={RANGES.map((days) => ({
              ...{ words: days === 365 ? '1 year' : `${days} days`, here: days === ask.days },
              href: addressOf(PERFORMANCE_PATH, ask, { days }),
            }))}
          />
        </nav>
        <form class="filters" method="get" action={PERFORMANCE_PATH}>
          <Hidden name="by" value={ask.by} />
          <Field state={ask.state} name="from" label="From" type="date" autocomplete="off" value={ask.from} />
          <Field state={ask.state} name="to" label="To" type="date" autocomplete="off" value={ask.to} />
          <Submit line kind="plain">
            Apply
          </Submit>
        </form>
      </div>,
      found && <Found ask={ask} {...found} />,
    ],
  }
}

function Found({ ask, byDay, rows: found, steps }: { ask: Ask } & Shown) {
  const { by } = ask
  const { rows, groups, totals } = found
  return (
    <>
      <div class="measured">
        <Stats
          items={onPage('day').map((column) => ({
            ...{ label: column.label, value: shown(column, totals) ?? 'None', note: column.note },
          }))}
        />
      </div>
      {found.missing.map((one) => (
        <p class="aside">{missingWords(one, formatDate(one.since) ?? one.since)}</p>
      ))}
      <div class="side-by-side">
        <Panel title="Found" id="found">
          <SeenChart performance={byDay} />
        </Panel>
        <Panel title="Asked" id="asked">
          <AskedChart performance={byDay} />
        </Panel>
        <Panel
          title="Your price against the market"
          id="market"
          lead="Only days on which a quote of yours was compared with others."
        >
          <PlaceChart performance={byDay} />
        </Panel>
        <NextSteps steps={steps} />
      </div>
      <section class="fields measured" aria-labelledby="rows-title">
        <h2 id="rows-title">{WORDS[by].caption}</h2>
        <nav aria-label="Group by">
          <Chips
            chips={GROUPS.map((group) => ({
              ...{ words: WORDS[group].tab, here: group === by },
              href: `${addressOf(PERFORMANCE_PATH, ask, { by: group })}#rows-title`,
            }))}
          />
        </nav>
        {rows.length === 0 ? (
          <Empty>
            <p>{WORDS[by].empty}</p>
            <p class="line">
              <a href={PRODUCTS_PATH}>See your products</a>
              <a href={ATTENTION_PATH}>See what needs attention</a>
            </p>
          </Empty>
        ) : (
          <>
            {by === 'query' && (
              <p class="soft">To protect privacy, we only show searches made by at least 3 people.</p>
            )}
            <DataTable
              caption={WORDS[by].caption}
              columns={[
                { label: WORDS[by].first },
                ...onPage(by).map(({ label }) => ({ label, kind: 'number' as const })),
              ]}
              rows={rows.map((row) => [
                nameOf(by, row),
                ...onPage(by).map((column) => shown(column, row) ?? '–'),
              ])}
            />
            {groups > rows.length && (
              <p class="row-note">
                Showing {formatCount(rows.length)} of {formatCount(groups)}. Download the CSV for more.
              </p>
            )}
          </>
        )}
      </section>
    </>
  )
}

const STEPS_SHOWN = 5

function NextSteps({ steps }: { steps: NextStep[] }) {
  return (
    <Panel title="What to do next" id="next" lead="By what you quoted in requests that you didn’t win.">
      {steps.length === 0 ? (
        <p>No request of this period was lost for a reason you could change.</p>
      ) : (
        <ol class="rows">
          {steps.slice(0, STEPS_SHOWN).map(({ title, text, path, requests, atStakeCents }) => (
            <li>
              <p>
                <a href={path}>{title}</a>
                <span class="row-note">
                  {text} {countOf(requests, 'request')} not won
                  {atStakeCents > 0 && `, ${formatUsd(atStakeCents)} quoted`}.
                </span>
              </p>
            </li>
          ))}
        </ol>
      )}
    </Panel>
  )
}

function nameOf(by: Group, { key, title }: PerformanceRow): Child {
  if (key === null) return 'Searched by fewer than 3 people each'
  if (by === 'day') return formatDate(key)
  if (by === 'region' && key !== 'Not stated') return regionName(key)
  return by === 'product' ? <a href={ownProductPath(key)}>{title ?? key}</a> : key
}

/** The first row names the columns. */
function cellsOf(by: Group, rows: PerformanceRow[]): Cell[][] {
  const titled = (title: Cell): Cell[] => (by === 'product' ? [title] : [])
  return [
    [WORDS[by].first.toLowerCase(), ...titled('title'), ...COLUMNS[by].map(({ name }) => name)],
    ...rows.map((row) => [
      row.key ?? '(asked by fewer than 3 people each)',
      ...titled(row.title ?? null),
      ...COLUMNS[by].map(({ cell }) => cell(row)),
    ]),
  ]
}

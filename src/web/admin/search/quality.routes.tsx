/** /admin/search: how well searches were answered, and the queries worth a look. */
import type { Child } from 'hono/jsx'
import { productPath } from '../../../catalog/profile.ts'
import {
  QUALITY_DAYS,
  type QueryLine,
  type SearchTotals,
  searchQuality,
} from '../../../search/quality.service.ts'
import { Moment } from '../../components/moment.tsx'
import { SEARCH_PATH } from '../../components/search-box.tsx'
import { formatCount, formatShare } from '../../format.ts'
import { type Column, Stats, TablePanel } from '../../kit/parts.tsx'
import type { Admin, AdminDeps } from '../guard.ts'
import { SEARCH_QUALITY } from '../nav.ts'

const USUAL_DAYS = 30

const LISTS = [
  { list: 'top', title: 'Top queries', lead: 'What people and agents search for.' },
  {
    list: 'unclicked',
    title: 'Results, but no click',
    lead: 'Website searches whose results nobody opened.',
  },
  { list: 'slow', title: 'Slowest', lead: 'By the slowest answer to each query.' },
] as const

export function mountSearchQuality(admin: Admin, { ctx }: AdminDeps): void {
  admin.page(SEARCH_QUALITY, async ({ c }) => {
    const asked = QUALITY_DAYS.find((days) => String(days) === c.req.query('days')) ?? USUAL_DAYS
    const { days, totals, lists, vain } = await searchQuality(ctx, asked)
    return {
      title: 'Search quality',
      lead: 'First pages of results, for people and agents. We only see clicks on the website.',
      actions: QUALITY_DAYS.map((choice) => (
        <a
          class="button plain"
          href={`${SEARCH_QUALITY}?days=${choice}`}
          aria-current={choice === days ? 'true' : undefined}
        >
          {daysWords(choice)}
        </a>
      )),
      body: [
        <QualityStats totals={totals} note={daysWords(days)} />,
        <Queries
          title="No results"
          lead="What the catalog lacks, or calls by another name."
          none="Every search found something."
          columns={[...numbers('Times', 'With filters'), 'Last search', 'Closest product']}
          lines={vain}
          cells={({ times, filtered, lastAt, closest }) => [
            formatCount(times),
            formatCount(filtered),
            <Moment at={lastAt} />,
            closest ? <a href={productPath(closest)}>{closest.title}</a> : '',
          ]}
        />,
        LISTS.map(({ list, title, lead }) => (
          <Queries
            title={title}
            lead={lead}
            none={list === 'unclicked' ? 'No such searches.' : 'No searches yet.'}
            columns={numbers('Searches', 'Without results', 'Clicked', 'Slowest')}
            lines={lists[list]}
            cells={({ searches, empty, clicked, slowestMs }: QueryLine) => [
              formatCount(searches),
              formatCount(empty),
              formatCount(clicked),
              milliseconds(slowestMs),
            ]}
          />
        )),
      ],
    }
  })
}

export function QualityStats({ totals, note }: { totals: SearchTotals; note?: string }) {
  const items = [
    { label: 'Searches', value: formatCount(totals.searches), note },
    { label: 'Without results', value: shareOf(totals.empty, totals.searches) },
    {
      ...{ label: 'With a click', value: shareOf(totals.clicked, totals.clickable) },
      note: `of ${formatCount(totals.clickable)} on the website`,
    },
    { label: 'Median time', value: milliseconds(totals.medianMs) },
    { label: '95th percentile', value: milliseconds(totals.p95Ms) },
  ]
  return <Stats items={items} />
}

const numbers = (...labels: string[]) => labels.map((label): Column => ({ label, kind: 'number' }))

type QueriesProps<Line> = {
  title: string
  lead: string
  none: string
  columns: Array<Column | string>
  lines: Line[]
  cells: (line: Line) => Child[]
}

/** Queries as links to their results, with what is said of each. */
function Queries<Line extends { query: string }>(props: QueriesProps<Line>) {
  const { columns, lines, cells, ...panel } = props
  return (
    <TablePanel
      {...panel}
      columns={['Query', ...columns]}
      rows={lines.map((line) => [
        <a href={`${SEARCH_PATH}?${new URLSearchParams({ q: line.query })}`}>{line.query}</a>,
        ...cells(line),
      ])}
    />
  )
}

function daysWords(days: number): string {
  return days === 1 ? 'Last 24 hours' : `Last ${days} days`
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? 'None yet' : formatShare(part / whole)
}

function milliseconds(ms: number | null): string {
  if (ms === null) return 'None yet'
  return `${formatCount(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))}\u00a0ms`
}

/** /admin/search: how well searches were answered of late, and the questions worth a look, each one press away. */
import { productPath } from '../../../catalog/profile.ts'
import {
  QUALITY_DAYS,
  type QueryLine,
  type QueryList,
  type SearchQuality,
  searchQuality,
  type VainLine,
} from '../../../search/quality.service.ts'
import { Moment } from '../../components/moment.tsx'
import { SEARCH_PATH } from '../../components/search-box.tsx'
import { formatCount, formatShare } from '../../format.ts'
import { DataTable, Empty, Panel, Stats } from '../../kit/parts.tsx'
import { sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { SEARCH_QUALITY } from '../paths.ts'

const USUAL_DAYS = 30

export function mountSearchQuality(admin: Admin, { site, ctx }: AdminDeps): void {
  admin.get(SEARCH_QUALITY, async (c, operator) => {
    const days = QUALITY_DAYS.find((one) => String(one) === c.req.query('days')) ?? USUAL_DAYS
    return sendPage(c, renderQuality(site, operator, await searchQuality(ctx, days)))
  })
}

const LISTS: ReadonlyArray<{ list: QueryList; title: string; lead: string; none: string }> = [
  {
    list: 'top',
    title: 'Asked most',
    lead: 'What people and agents look for.',
    none: 'Nobody has searched.',
  },
  {
    list: 'unclicked',
    title: 'Results, but no click',
    lead: 'On the website: what was found was not what was meant.',
    none: 'There is none.',
  },
  { list: 'slow', title: 'Slowest', lead: 'By the slowest answer to each.', none: 'Nobody has searched.' },
]

function renderQuality(site: AdminDeps['site'], operator: Operator, quality: SearchQuality): string {
  const { days, totals, lists, vain } = quality
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Search quality"
      lead="First pages of results only, by people and agents alike. Clicks are known of the website alone."
      at={SEARCH_QUALITY}
      actions={QUALITY_DAYS.map((one) => (
        <a
          class="button plain"
          href={`${SEARCH_QUALITY}?days=${one}`}
          aria-current={one === days ? 'true' : undefined}
        >
          {daysWords(one)}
        </a>
      ))}
    >
      <Stats
        items={[
          { label: 'Searches', value: formatCount(totals.searches), note: daysWords(days) },
          { label: 'Without results', value: shareOf(totals.empty, totals.searches) },
          {
            label: 'With a click',
            value: shareOf(totals.clicked, totals.clickable),
            note: `of ${formatCount(totals.clickable)} on the website`,
          },
          { label: 'Median time', value: milliseconds(totals.medianMs) },
          { label: '95th percentile', value: milliseconds(totals.p95Ms) },
        ]}
      />
      <Panel title="Looked for in vain" lead="What the catalog lacks, or calls by another name.">
        {vain.length === 0 ? <Empty>Every search found something.</Empty> : <Vain lines={vain} />}
      </Panel>
      {LISTS.map(({ list, title, lead, none }) => (
        <Panel title={title} lead={lead}>
          {lists[list].length === 0 ? <Empty>{none}</Empty> : <Queries title={title} lines={lists[list]} />}
        </Panel>
      ))}
    </AdminPage>,
  )
}

function Queries({ title, lines }: { title: string; lines: QueryLine[] }) {
  return (
    <DataTable
      caption={title}
      columns={[
        { label: 'Query' },
        { label: 'Searches', kind: 'number' },
        { label: 'Without results', kind: 'number' },
        { label: 'Clicked', kind: 'number' },
        { label: 'Slowest', kind: 'number' },
      ]}
      rows={lines.map((line) => [
        <SearchLink query={line.query} />,
        formatCount(line.searches),
        formatCount(line.empty),
        formatCount(line.clicked),
        milliseconds(line.slowestMs),
      ])}
    />
  )
}

function Vain({ lines }: { lines: VainLine[] }) {
  return (
    <DataTable
      caption="Looked for in vain"
      columns={[
        { label: 'Query' },
        { label: 'Times', kind: 'number' },
        { label: 'With filters', kind: 'number' },
        { label: 'Last asked' },
        { label: 'What came closest' },
      ]}
      rows={lines.map(({ query, times, filtered, lastAt, closest }) => [
        <SearchLink query={query} />,
        formatCount(times),
        formatCount(filtered),
        <Moment at={lastAt} />,
        closest ? <a href={productPath(closest)}>{closest.title}</a> : '',
      ])}
    />
  )
}

function SearchLink({ query }: { query: string }) {
  return <a href={`${SEARCH_PATH}?${new URLSearchParams({ q: query })}`}>{query}</a>
}

function daysWords(days: number): string {
  return days === 1 ? 'Last 24 hours' : `Last ${days} days`
}

function shareOf(part: number, whole: number): string {
  return whole === 0 ? 'none yet' : formatShare(part / whole)
}

function milliseconds(ms: number | null): string {
  return ms === null
    ? 'none yet'
    : `${formatCount(ms < 10 ? Math.round(ms * 10) / 10 : Math.round(ms))}\u00a0ms`
}

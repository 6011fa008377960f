/** The figures as a table and as the cells of a file, from one list of columns, so that the two cannot differ. */
import type { Child } from 'hono/jsx'
import type { Cell } from '../../../lib/csv.ts'
import {
  type Figures,
  type Group,
  type PerformanceRow,
  winRate,
} from '../../../producers/performance.service.ts'
import { formatCount, formatDate, formatShare } from '../../format.ts'
import { DataTable } from '../../kit/parts.tsx'
import { ownProductPath } from '../paths.ts'

type Told = {
  label: string
  /** Of the column in the file. */
  name: string
  cell(row: Partial<Figures>): Cell
  show?(row: Partial<Figures>): string | null
  /** On the page it stands in another column. */
  inFileOnly?: true
}

const count = (figure: keyof Figures, label: string, name: string): Told => ({
  label,
  name,
  cell: (row) => row[figure] ?? null,
})

const COLUMNS: Record<Group, Told[]> = {
  ...ofEach(
    ['day', 'product'],
    [
      count('impressions', 'Impressions', 'impressions'),
      count('reads', 'Agent reads', 'agent_reads'),
      count('rfqs', 'Requests', 'requests'),
      count('quotes', 'Quotes', 'quotes'),
      count('wins', 'Wins', 'wins'),
      {
        label: 'Win rate',
        name: 'win_rate',
        cell: (row) => roundShare(rateOf(row)),
        show: (row) => {
          const rate = rateOf(row)
          return rate === null ? null : formatShare(rate)
        },
      },
      { ...count('priceRank', 'Price rank', 'price_rank'), show: rankWords },
      { ...count('priceRankOf', 'Quotes compared', 'price_rank_of'), inFileOnly: true },
      count('clicks', 'Clicks', 'clicks'),
    ],
  ),
  agent: [count('reads', 'Reads', 'agent_reads')],
  query: [count('impressions', 'Impressions', 'impressions')],
}

function ofEach<Name extends string, Value>(names: readonly Name[], value: Value): Record<Name, Value> {
  return Object.fromEntries(names.map((name) => [name, value])) as Record<Name, Value>
}

const FIRST: Record<Group, string> = { day: 'Day', product: 'Product', agent: 'Agent', query: 'Search' }

export const CAPTIONS: Record<Group, string> = {
  day: 'By day, newest first',
  product: 'By product, the most seen first',
  agent: 'Reads by agent, as they call themselves',
  query: 'Searches that showed your products',
}

export function PerformanceTable({ by, rows }: { by: Group; rows: PerformanceRow[] }) {
  const columns = COLUMNS[by].filter(({ inFileOnly }) => !inFileOnly)
  return (
    <DataTable
      caption={CAPTIONS[by]}
      columns={[{ label: FIRST[by] }, ...columns.map(({ label }) => ({ label, kind: 'number' as const }))]}
      rows={rows.map((row) => [nameOf(by, row), ...columns.map((column) => shown(column, row))])}
    />
  )
}

function shown({ cell, show }: Told, row: PerformanceRow): string {
  const value = show ? show(row) : cell(row)
  if (value === null) return '–'
  return typeof value === 'number' ? formatCount(value) : value
}

function nameOf(by: Group, { key, title }: PerformanceRow): Child {
  if (key === null) return 'Asked by fewer than 3 people each'
  if (by === 'day') return formatDate(key)
  return by === 'product' ? <a href={ownProductPath(key)}>{title ?? key}</a> : key
}

/** The first row names the columns. */
export function cellsOf(by: Group, rows: PerformanceRow[]): Cell[][] {
  const columns = COLUMNS[by]
  const titled = (title: Cell): Cell[] => (by === 'product' ? [title] : [])
  return [
    [FIRST[by].toLowerCase(), ...titled('title'), ...columns.map(({ name }) => name)],
    ...rows.map((row) => [
      row.key ?? '(asked by fewer than 3 people each)',
      ...titled(row.title ?? null),
      ...columns.map(({ cell }) => cell(row)),
    ]),
  ]
}

function rateOf({ wins = 0, quotes = 0 }: Partial<Figures>): number | null {
  return winRate({ wins, quotes })
}

function roundShare(share: number | null): number | null {
  return share === null ? null : Math.round(share * 1000) / 1000
}

/** "1.4 of 3.2": on average, so both may have a fraction. */
export function rankWords({ priceRank, priceRankOf }: Partial<Figures>): string | null {
  return priceRank == null || priceRankOf == null ? null : `${priceRank} of ${priceRankOf}`
}

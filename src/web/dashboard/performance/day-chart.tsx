/**
 * Figures by day as a chart. A day on which nothing happened has no row, and is drawn as nothing. More days than a season
 * has are drawn as weeks, because the ups and downs of each would hide what they come to.
 */
import { daysOf, type Performance } from '../../../producers/performance.service.ts'
import { Chart } from '../../kit/chart.tsx'

/** By day. */
type ByDay = { performance: Performance }
type Counted = 'impressions' | 'reads' | 'rfqs' | 'wins'

const MOST_DAYS_DRAWN = 92
const WEEK = 7

export function SeenChart({ performance }: ByDay) {
  const { valuesOf, ...drawn } = drawnOf(performance)
  return (
    <Chart
      id="seen-chart"
      title="Seen and read"
      {...drawn}
      series={[
        { label: 'Impressions', values: valuesOf('impressions') },
        { label: 'Agent reads', values: valuesOf('reads') },
      ]}
      empty="No search has shown and no agent has read a product of yours in these days. Only products with a proved claim count; a whole profile is found more often."
    />
  )
}

export function AskedChart({ performance }: ByDay) {
  const { valuesOf, ...drawn } = drawnOf(performance)
  return (
    <Chart
      id="asked-chart"
      title="Requests and wins"
      {...drawn}
      series={[
        { label: 'Requests', values: valuesOf('rfqs') },
        { label: 'Wins', values: valuesOf('wins') },
      ]}
      empty="Nobody asked you for a quote in these days. Requests come for products with a proved claim once somebody answers for them: Souk by your rules, or your agent."
    />
  )
}

function drawnOf({ from, to, rows }: Performance) {
  const days = daysOf(from, to)
  const rowOf = new Map(rows.map((row) => [row.key, row]))
  const size = days.length > MOST_DAYS_DRAWN ? WEEK : 1
  const spans = days.flatMap((_, index) => (index % size === 0 ? [days.slice(index, index + size)] : []))
  const sum = (span: string[], figure: Counted) =>
    span.reduce((total, day) => total + (rowOf.get(day)?.[figure] ?? 0), 0)
  return {
    days: spans.map(([first = '']) => first),
    per: size === WEEK ? ('week' as const) : ('day' as const),
    valuesOf: (figure: Counted) => spans.map((span) => sum(span, figure)),
  }
}

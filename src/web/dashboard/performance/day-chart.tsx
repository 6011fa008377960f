/**
 * Figures by day as a chart. A day without activity has no row and is drawn as nothing. More days than a season has are
 * drawn as weeks, because the ups and downs of each day would hide the trend.
 */
import { daysOf, type Performance } from '../../../producers/performance.service.ts'
import { Chart } from '../../kit/chart.tsx'

/** By day. */
type ByDay = { performance: Performance }
type Counted = 'impressions' | 'reads' | 'rfqs' | 'wins'

const MOST_DAYS_DRAWN = 92
const WEEK = 7

export function SeenChart({ performance }: ByDay) {
  return (
    <Chart
      id="seen-chart"
      title="Seen and read"
      {...drawnOf(performance, ['impressions', 'Impressions'], ['reads', 'Agent reads'])}
      empty="No search showed your products and no agent read them in this period. Only products with a verified claim count. Complete profiles are found more often."
    />
  )
}

export function AskedChart({ performance }: ByDay) {
  return (
    <Chart
      id="asked-chart"
      title="Requests and wins"
      {...drawnOf(performance, ['rfqs', 'Requests'], ['wins', 'Wins'])}
      empty="No requests for quotes in this period. To get requests, claim your products and turn on managed pricing or register an agent."
    />
  )
}

/** Only days on which a quote was compared: a place has no value on the others. Of a week it is the average of its days. */
export function PlaceChart({ performance }: ByDay) {
  const { per, rowOf, spans: all } = spansOf(performance)
  const spans = all.filter((span) => span.some((day) => rowOf.get(day)?.priceRank != null))
  const days = spans.map(([first = '']) => first)
  const series = (figure: 'priceRankOf' | 'priceRank', label: string) => ({
    label,
    values: spans.map((span) => {
      const known = span.flatMap((day) => rowOf.get(day)?.[figure] ?? [])
      return known.length === 0
        ? 0
        : Math.round((10 * known.reduce((sum, one) => sum + one, 0)) / known.length) / 10
    }),
  })
  return (
    <Chart
      id="place-chart"
      title="Place by total price; 1 is the cheapest"
      {...{ days, per }}
      series={[series('priceRankOf', 'Quotes compared'), series('priceRank', 'Your place')]}
      empty="No quote of yours was compared with others in this period."
    />
  )
}

type Drawn = [figure: Counted, label: string]

function spansOf({ from, to, rows }: Performance) {
  const days = daysOf(from, to)
  const rowOf = new Map(rows.map((row) => [row.key, row]))
  const size = days.length > MOST_DAYS_DRAWN ? WEEK : 1
  const spans = days.flatMap((_, index) => (index % size === 0 ? [days.slice(index, index + size)] : []))
  return {
    days: spans.map(([first = '']) => first),
    per: size === WEEK ? ('week' as const) : ('day' as const),
    ...{ spans, rowOf },
  }
}

function drawnOf(performance: Performance, bars: Drawn, line: Drawn) {
  const { days, per, spans, rowOf } = spansOf(performance)
  const series = ([figure, label]: Drawn) => ({
    label,
    values: spans.map((span) => span.reduce((total, day) => total + (rowOf.get(day)?.[figure] ?? 0), 0)),
  })
  return {
    ...{ days, per },
    series: [series(bars), series(line)] as Parameters<typeof Chart>[0]['series'],
  }
}

/**
 * A chart by hour, day or week, drawn on the server: the first series as bars, or as an area where there are too many days for bars, and
 * a second one as a line over it, so that the two are told apart by shape and not by colour alone. Only the plot is
 * stretched to the width; its words are text beside it, which keeps its size on a narrow screen. The same figures are in
 * a table below, and that is what a screen reader gets; the drawing has a name that says so.
 */
import { formatCount, formatDate } from '../format.ts'
import { areaOf, barsOf, gridAt, lineOf, PLOT, ticksTo } from './chart.shape.ts'
import { DataTable, Empty } from './parts.tsx'

type Series = { label: string; values: number[] }

type ChartProps = {
  /** Unique on its page. */
  id: string
  title: string
  /** "2026-11-01", in order, without a gap; of weeks the first day of each, of hours "2026-11-01T13". */
  days: string[]
  per?: Per
  /** `level`: what each value is of its time, such as a size; a sum of them means nothing. */
  of?: 'count' | 'level'
  /** Each with a value for every one of them; NaN where nothing is known. */
  series: [Series] | [Series, Series]
  /** Said when there is nothing to draw: why, and what would change it. */
  empty: string
}

type Per = 'hour' | 'day' | 'week'

/** More than these are no longer told apart as bars. */
const MOST_BARS = 62

export function Chart(props: ChartProps) {
  const { id, title, days } = props
  const series = props.series.map(withoutGaps) as ChartProps['series']
  const most = Math.max(0, ...series.flatMap(({ values }) => values))
  if (most === 0)
    return (
      <Empty>
        <p>{props.empty}</p>
      </Empty>
    )
  const ticks = ticksTo(most)
  const top = ticks.at(-1) ?? 1
  return (
    <figure class="chart">
      <Legend title={title} series={series} />
      <div class="chart-ticks" aria-hidden="true">
        {ticks.toReversed().map((tick) => (
          <span>{formatCount(tick)}</span>
        ))}
      </div>
      <svg
        class="chart-plot"
        viewBox={`0 0 ${PLOT.width} ${PLOT.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-labelledby={`${id}-name`}
      >
        <title id={`${id}-name`}>{nameOf(props)}</title>
        {ticks.map((tick) => (
          <path class="chart-grid" d={`M0 ${gridAt(tick, top)}H${PLOT.width}`} />
        ))}
        <Drawn days={days} series={series} top={top} />
        <Slots {...props} />
      </svg>
      <div class="chart-days" aria-hidden="true">
        {shownDays(days).map((day) => (
          <span>{day}</span>
        ))}
      </div>
      <Data {...props} />
    </figure>
  )
}

function Legend({ title, series }: Pick<ChartProps, 'title' | 'series'>) {
  return (
    <figcaption class="line">
      <strong>{title}</strong>
      {series.map(({ label }, index) => (
        <span class="chart-key">
          <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            {index === 0 ? (
              <rect class="chart-bar" x="2" y="2" width="12" height="12" />
            ) : (
              <path class="chart-line" d="M0 8H16" />
            )}
          </svg>
          {label}
        </span>
      ))}
    </figcaption>
  )
}

function Drawn({
  days,
  series: [first, second],
  top,
}: Pick<ChartProps, 'days' | 'series'> & { top: number }) {
  return (
    <>
      {days.length > MOST_BARS ? (
        <path class="chart-area" d={areaOf(first.values, top)} />
      ) : (
        barsOf(first.values, top)
          .filter(({ height }) => height > 0)
          .map((bar) => <rect class="chart-bar" {...bar} />)
      )}
      {second && <path class="chart-line" d={lineOf(second.values, top)} />}
    </>
  )
}

/** A day's figures where the pointer is. */
function Slots({ days, series, per }: ChartProps) {
  const width = PLOT.width / days.length
  return (
    <>
      {days.map((day, index) => (
        <rect
          class="chart-slot"
          x={Math.round(index * width * 100) / 100}
          width={Math.round(width * 100) / 100}
          height={PLOT.height}
        >
          <title>{`${per === 'week' ? 'Week from ' : ''}${slotWords(day)}: ${series
            .map(({ label, values }) => `${label} ${valueWords(values[index])}`)
            .join(', ')}`}</title>
        </rect>
      ))}
    </>
  )
}

function Data({ title, days, series, per = 'day' }: ChartProps) {
  const rows = days.map((day, index) => [
    slotWords(day),
    ...series.map(({ values }) => valueWords(values[index])),
  ])
  return (
    <details class="chart-data">
      <summary>
        Data<span class="hidden"> of the chart: {title}</span>
      </summary>
      <DataTable
        caption={`${title}, by ${per}`}
        columns={[
          { label: PER_LABELS[per] },
          ...series.map(({ label }) => ({ label, kind: 'number' as const })),
        ]}
        rows={rows}
      />
    </details>
  )
}

const PER_LABELS: Record<Per, string> = { hour: 'Hour (UTC)', day: 'Day', week: 'Week from' }

function nameOf({ title, days, series, per = 'day', of = 'count' }: ChartProps): string {
  const sums = series.map(({ label, values }) => {
    const known = values.filter((value) => !Number.isNaN(value))
    const sum = of === 'level' ? Math.max(0, ...known) : known.reduce((total, value) => total + value, 0)
    return `${label} ${formatCount(sum)}`
  })
  const [first = '', last = ''] = [days[0], days.at(-1)]
  return `${title}, by ${per} from ${slotWords(first)} to ${slotWords(last)}: ${of === 'level' ? 'at most' : 'in total'} ${sums.join(', ')}. The table below has each ${per}.`
}

function slotWords(slot: string): string {
  const [day = '', hour] = slot.split('T')
  return hour === undefined ? formatDate(day) : `${formatDate(day)}, ${hour}:00`
}

function valueWords(value = 0): string {
  return Number.isNaN(value) ? 'No data' : formatCount(value)
}

/** Drawn as nothing. */
function withoutGaps({ label, values }: Series): Series {
  return { label, values: values.map((value) => (Number.isNaN(value) ? 0 : value)) }
}

/** The first, the middle and the last; fewer where there are not as many. */
export function shownDays(days: readonly string[]): string[] {
  const places = [...new Set([0, Math.floor((days.length - 1) / 2), days.length - 1])]
  const withYear = days[0]?.slice(0, 4) !== days.at(-1)?.slice(0, 4)
  return places.map((place) => shortDay(days[place] ?? '', withYear))
}

function shortDay(slot: string, withYear: boolean): string {
  const [day = '', hour] = slot.split('T')
  const time = hour === undefined ? '' : ` ${hour}:00`
  const words = new Date(`${day}T00:00:00Z`).toLocaleDateString('en-US', {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
    ...(withYear && { year: 'numeric' }),
  })
  return words + time
}

/** /admin/health/history: how the service was doing over time, from samples of each minute, kept for 30 days. */
import { HEALTH_DAYS, healthOverTime, type Slot, type Step } from '../../../jobs/health.job.ts'
import { writeCsv } from '../../../lib/csv.ts'
import { formatCount } from '../../format.ts'
import { Chart } from '../../kit/chart.tsx'
import { LinkButton, Panel } from '../../kit/parts.tsx'
import { sendCsv } from '../../page.http.ts'
import type { Admin, AdminDeps } from '../guard.ts'
import { HEALTH, HEALTH_HISTORY } from '../nav.ts'

const SPANS = {
  day: { label: 'Last 24 hours', step: 'hour', slots: 24 },
  week: { label: 'Last 7 days', step: 'hour', slots: 168 },
  month: { label: `Last ${HEALTH_DAYS} days`, step: 'day', slots: HEALTH_DAYS },
} as const satisfies Record<string, { label: string; step: Step; slots: number }>

type Side = 'mean' | 'most'
/** Bars are means; a line over them is the most there was. */
type HealthChart = [title: string, bars: [string, string], line: [string, string, Side] | null]

const SEARCHES: HealthChart = ['Searches per minute', ['searches', 'Mean'], ['searches', 'Most', 'most']]
const CHARTS: HealthChart[] = [
  SEARCHES,
  ['Search time, 95th percentile, ms', ['search_ms', 'Mean'], ['search_ms', 'Most', 'most']],
  ['Open requests for quotes', ['requests', 'Mean'], ['requests', 'Most', 'most']],
  ['Jobs due', ['jobs_due', 'Mean'], ['jobs_due', 'Most', 'most']],
  ['Oldest due job, seconds', ['jobs_late_s', 'Mean'], ['jobs_late_s', 'Most', 'most']],
  ['Failed jobs', ['jobs_failed', 'Mean'], null],
  ['Database, MB', ['database_mb', 'Mean'], null],
  ['Database connections', ['connections', 'Mean'], ['connections', 'Most', 'most']],
  ['Products in the index', ['products', 'Mean'], null],
  ['Index behind the catalog, seconds', ['behind_s', 'Mean'], ['behind_s', 'Most', 'most']],
  ['Memory of the sampling node, MB', ['memory_mb', 'Mean'], ['memory_mb', 'Most', 'most']],
  ['Event loop delay of the sampling node, ms', ['loop_ms', 'Mean'], ['loop_ms', 'Most', 'most']],
]

export function mountHealthHistory(admin: Admin, { ctx }: AdminDeps): void {
  admin.page(HEALTH_HISTORY, async ({ c }) => {
    const asked = c.req.query('span') ?? 'day'
    const span = Object.hasOwn(SPANS, asked) ? (asked as keyof typeof SPANS) : 'day'
    const { step, slots: count, label } = SPANS[span]
    const slots = await healthOverTime(ctx, { step, slots: count })
    if (c.req.query('format') === 'csv') return sendCsv(c, `souk-health-${span}.csv`, csvOf(slots))
    const missing = slots.filter(({ samples }) => samples === 0).length
    return {
      title: 'Health over time',
      lead: `${label}. ${missing === 0 ? '' : `${formatCount(missing)} of ${count} ${step}s have no samples: nothing ran, or it was before sampling began.`}`,
      actions: [
        Object.entries(SPANS).map(([name, { label: words }]) => (
          <a
            class="button plain"
            href={`${HEALTH_HISTORY}?span=${name}`}
            aria-current={name === span ? 'true' : undefined}
          >
            {words}
          </a>
        )),
        <LinkButton to={HEALTH} label="Now" />,
        <a class="button plain" href={`${HEALTH_HISTORY}?span=${span}&format=csv`} download>
          Download CSV
        </a>,
      ],
      body: CHARTS.map((chart) => (
        <Panel title={chart[0]}>
          <HealthChart {...{ chart, slots, step }} />
        </Panel>
      )),
    }
  })
}

/** How busy the service was, for the first page. */
export async function SearchesToday({ ctx }: Pick<AdminDeps, 'ctx'>) {
  const { step, slots: count } = SPANS.day
  return (
    <HealthChart chart={SEARCHES} slots={await healthOverTime(ctx, { step, slots: count })} step={step} />
  )
}

function HealthChart(props: { chart: HealthChart; slots: readonly Slot[]; step: Step }) {
  const { slots, step } = props
  const [title, [bars, label], line] = props.chart
  const first = { label, values: valuesOf(slots, bars, 'mean') }
  return (
    <Chart
      id={`health-${bars.replaceAll('_', '-')}`}
      title={title}
      per={step}
      of="level"
      days={slots.map(({ at }) => at.toISOString().slice(0, step === 'hour' ? 13 : 10))}
      series={
        line === null ? [first] : [first, { label: line[1], values: valuesOf(slots, line[0], line[2]) }]
      }
      empty="Nothing above 0 in this time."
    />
  )
}

function valuesOf(slots: readonly Slot[], name: string, side: Side): number[] {
  return slots.map((slot) => Math.round((slot[side][name] ?? Number.NaN) * 10) / 10)
}

function csvOf(slots: readonly Slot[]): string {
  const names = [...new Set(slots.flatMap(({ mean }) => Object.keys(mean)))].sort()
  const columns = names.flatMap((name) => [`${name}_mean`, `${name}_max`])
  const rows = slots.map(({ at, samples, mean, most }) => [
    ...[at.toISOString(), samples],
    ...names.flatMap((name) => [mean[name] ?? null, most[name] ?? null]),
  ])
  return writeCsv([['at', 'samples', ...columns], ...rows])
}

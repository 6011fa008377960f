/** What was measured at each size, as a picture for the docs. */
import os from 'node:os'
import { type Chart, drawChart, type Panel } from '../chart.ts'
import { type Growth, type GrowthRow, inFull } from './rows.ts'

type Measured = { products: number; growth: Growth }

const PANELS: Array<{ title: string; unit: string; series: Record<string, (growth: Growth) => number> }> = [
  {
    title: 'Start, from the command on',
    unit: 'seconds',
    series: { first: (growth) => growth.fillSeconds, again: (growth) => growth.searchingSeconds },
  },
  {
    title: 'Memory of the node',
    unit: 'MB',
    series: { 'once it searches': (growth) => growth.rssMb, peak: (growth) => growth.peakMb },
  },
  {
    title: 'A new search, one at a time',
    unit: 'milliseconds',
    series: { median: (growth) => growth.p50Ms, '99 of 100': (growth) => growth.p99Ms },
  },
  {
    title: 'Import beside the running node',
    unit: 'products a second',
    series: { rate: (growth) => growth.importPerSecond },
  },
  {
    title: 'Until a change shows, on the page',
    unit: 'milliseconds',
    series: { median: (growth) => growth.page.medianMs, worst: (growth) => growth.page.worstMs },
  },
  {
    title: 'Until a change shows, in a search',
    unit: 'milliseconds',
    series: { median: (growth) => growth.search.medianMs, worst: (growth) => growth.search.worstMs },
  },
]

export function drawGrowth(rows: GrowthRow[], machine = thisMachine()): string {
  const measured = rows.flatMap((row) => ('growth' in row ? [row] : []))
  if (measured.length === 0) throw new Error('there is nothing to draw: no size could be measured')
  const failed = rows.flatMap((row) =>
    'failed' in row ? [`${inFull(row.products)} products: ${shorten(row.failed)}`] : [],
  )
  const panels = PANELS.map(({ title, unit, series }): Panel => {
    const lines = Object.entries(series).map(([name, value]) => ({
      name,
      points: measured.map(({ products, growth }) => ({ x: products, y: value(growth) })),
    }))
    return { title, unit, series: lines }
  })
  const chart: Chart = {
    title: 'One node of Souk as its catalog grows',
    description: [...panels.map((panel) => inWords(panel, measured)), ...failed].join(' '),
    xLabel: 'products in the catalog',
    panels,
    notes: [`Both axes are logarithmic. ${machine}.`, ...failed],
  }
  return drawChart(chart)
}

function inWords({ title, unit, series }: Panel, measured: Measured[]): string {
  const sizes = measured.map(({ products }, at) => {
    const values = series.map(({ name, points }) => `${name} ${Number((points[at]?.y ?? 0).toPrecision(3))}`)
    return `${values.join(', ')} at ${inFull(products)} products`
  })
  return `${title}, in ${unit}: ${sizes.join('; ')}.`
}

function thisMachine(): string {
  const [cpu] = os.cpus()
  const model = cpu?.model.trim() ?? 'unknown'
  const memory = `${Math.round(os.totalmem() / 2 ** 30)} GB`
  return `${os.cpus().length} × ${model}, ${memory}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`
}

/** As much as fits into a line of the picture. */
function shorten(words: string): string {
  return words.length > 110 ? `${words.slice(0, 109)}…` : words
}

/** What one size told, as rows: for the tables that are printed, the figures that are judged, and the chart. */
import type { Figure } from '../figures.ts'
import { printTable } from '../measure.ts'
import type { Shown, Start } from './ask.ts'
import { IMPORTED } from './import.ts'
import type { Memory } from './node.ts'

/** What any node tells, with or without products. */
export type Idle = Start & Memory & { p50Ms: number; p99Ms: number; cpuMs: number }
export type Growth = Idle & {
  /** Of the start before, which filled the index from the database. */
  fillSeconds: number
  /** Beyond what a node takes without products; null where these are lost in what differs between any two starts. */
  bytesEach: number | null
  importPerSecond: number
  page: Shown
  search: Shown
}
export type GrowthRow = { products: number; growth: Growth } | { products: number; failed: string }

export function printGrowth(empty: Idle, rows: GrowthRow[]): void {
  const measured = rows.flatMap((row) => ('growth' in row ? [row] : []))
  printTable(
    'Growth: one node, from its command on, first and started again, and new queries one at a time',
    [
      'products',
      'first s',
      'ready s',
      'searching s',
      'RSS MB',
      'peak MB',
      'KB each',
      'p50 ms',
      'p99 ms',
      'CPU ms',
    ],
    [
      ['none', '', ...idleCells(empty, null)],
      ...measured.map(({ products, growth }) => [
        inFull(products),
        growth.fillSeconds.toFixed(2),
        ...idleCells(growth, growth.bytesEach),
      ]),
    ],
  )
  printTable(
    `Growth: import of ${inFull(IMPORTED)} more beside it (whole command), and a change from its commit on`,
    ['products', 'import/s', 'on page ms', 'at worst', 'found ms', 'at worst'],
    measured.map(({ products, growth: { importPerSecond, page, search } }) => [
      inFull(products),
      Math.round(importPerSecond).toLocaleString('en'),
      ...[page.medianMs, page.worstMs, search.medianMs, search.worstMs].map((ms) => ms.toFixed(0)),
    ]),
  )
  const failed = rows.flatMap((row) => ('failed' in row ? [[inFull(row.products), row.failed]] : []))
  if (failed.length > 0) printTable('Growth: sizes that could not be measured', ['products', 'why'], failed)
}

function idleCells(idle: Idle, bytesEach: number | null): string[] {
  const { readySeconds, searchingSeconds, rssMb, peakMb, p50Ms, p99Ms, cpuMs } = idle
  return [
    readySeconds.toFixed(2),
    searchingSeconds.toFixed(2),
    rssMb.toFixed(0),
    peakMb.toFixed(0),
    bytesEach === null ? '' : (bytesEach / 1_000).toFixed(1),
    ...[p50Ms, p99Ms, cpuMs].map((ms) => ms.toFixed(1)),
  ]
}

/** `scale.ready_seconds_10k` and its like. */
export function figuresOf(row: GrowthRow): Array<[string, Figure]> {
  if ('failed' in row) return []
  const { readySeconds, searchingSeconds, rssMb, peakMb, bytesEach, p50Ms, p99Ms, cpuMs } = row.growth
  const { fillSeconds, importPerSecond, page, search } = row.growth
  const figures = {
    fill_seconds: fillSeconds,
    ready_seconds: readySeconds,
    searching_seconds: searchingSeconds,
    rss_mb: rssMb,
    peak_mb: peakMb,
    ...(bytesEach !== null && { bytes_each: bytesEach }),
    p50_ms: p50Ms,
    p99_ms: p99Ms,
    cpu_ms: cpuMs,
    import_per_second: importPerSecond,
    page_ms: page.medianMs,
    page_worst_ms: page.worstMs,
    found_ms: search.medianMs,
    found_worst_ms: search.worstMs,
  }
  const size = inShort(row.products).toLowerCase()
  return Object.entries(figures).map(([name, value]) => [`scale.${name}_${size}`, { value, spread: 0 }])
}

export function inFull(products: number): string {
  return products.toLocaleString('en')
}

/** 1k, 2.5k, 1M. */
export function inShort(count: number): string {
  if (count >= 1e6) return `${count / 1e6}M`
  return count >= 1e3 ? `${count / 1e3}k` : String(count)
}

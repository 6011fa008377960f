/** Rounds of every contender in turn, so that noise falls on all alike; medians with their spread. */
import type { Figure } from './figures.ts'
import { type LoadResult, load } from './load.ts'
import { type Contender, cpuMs } from './processes.ts'

export type Entry = { name: string; contender: Contender; request: string }
export type Row = {
  name: string
  perSecond: number
  cpuMicros: number
  p50Ms: number
  p99Ms: number
  ofFirst: Figure
  /** Requests a second, round by round. */
  rates: number[]
}

export async function compare(
  entries: Entry[],
  options: { rounds: number; seconds: number; connections: number },
): Promise<Row[]> {
  const { rounds, seconds, connections } = options
  const run = ({ contender, request }: Entry, length: number) =>
    load({ port: contender.port, request, connections, seconds: length })
  for (const entry of entries) await run(entry, seconds)
  const results: Array<Array<LoadResult & { cpu: number }>> = []
  for (let round = 0; round < rounds; round++) {
    const row: Array<LoadResult & { cpu: number }> = []
    for (const entry of entries) {
      const before = cpuMs(entry.contender.pid)
      const result = await run(entry, seconds)
      row.push({ ...result, cpu: ((cpuMs(entry.contender.pid) - before) * 1000) / result.requests })
    }
    results.push(row)
  }
  return entries.map(({ name }, index) => {
    const column = results.flatMap((row) => row[index] ?? [])
    const rates = column.map(({ perSecond }) => perSecond)
    return {
      name,
      rates,
      perSecond: median(rates),
      cpuMicros: median(column.map((result) => result.cpu)),
      p50Ms: median(column.map((result) => result.p50Ms)),
      p99Ms: median(column.map((result) => result.p99Ms)),
      ofFirst: ratioOf(
        rates,
        results.map((row) => row[0]?.perSecond ?? Number.NaN),
      ),
    }
  })
}

/** What slows the machine for a while slows a whole round: so the ratio is taken within each. */
export function ratioOf(ours: number[], theirs: number[]): Figure {
  return figureOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))
}

export function figureOf(values: number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b)
  const quarter = Math.floor(sorted.length / 4)
  return {
    value: median(sorted),
    spread: ((sorted.at(-1 - quarter) ?? 0) - (sorted[quarter] ?? 0)) / 2,
  }
}

/** Rates beside those of the first, which is the bare server. */
export function printRates(title: string, rows: Row[]): void {
  printTable(
    title,
    ['', 'requests/s', 'of bare', 'spread', 'CPU µs', 'p50 ms', 'p99 ms'],
    rows.map((row) => [
      row.name,
      Math.round(row.perSecond).toLocaleString('en'),
      `${Math.round(row.ofFirst.value * 100)} %`,
      `± ${Math.round(row.ofFirst.spread * 100)} %`,
      row.cpuMicros.toFixed(1),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
    ]),
  )
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

export type Table = { title: string; head: string[]; rows: string[][] }

/** Those printed since they were last taken, for the document. */
let printed: Table[] = []

export function takeTables(): Table[] {
  const taken = printed
  printed = []
  return taken
}

export function printTable(title: string, head: string[], rows: string[][]): void {
  printed.push({ title, head, rows })
  const widths = head.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  console.log(
    `\n${title}\n${line(head)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}\n${rows.map(line).join('\n')}`,
  )
}

/** Rounds of every contender in turn, so that noise falls on all alike; medians with their spread. */
import { type LoadResult, load } from './load.ts'
import { type Contender, cpuMs } from './processes.ts'

export type Entry = { name: string; contender: Contender; request: string }
export type Row = {
  name: string
  perSecond: number
  cpuMicros: number
  p50Ms: number
  p99Ms: number
  ofFirst: number
  spread: number
}

/** A ratio is the median of the ratios within each round: what slows the machine for a while slows a whole round. */
export async function compare(
  entries: Entry[],
  options: { rounds: number; seconds: number; connections: number },
): Promise<Row[]> {
  const { rounds, seconds, connections } = options
  const run = ({ contender, request }: Entry, length: number) =>
    load({ port: contender.port, request, connections, seconds: length })
  for (const entry of entries) await run(entry, 1)
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
    const ratios = results
      .map((row) => (row[index]?.perSecond ?? 0) / (row[0]?.perSecond ?? 1))
      .sort((a, b) => a - b)
    const quarter = Math.floor(ratios.length / 4)
    return {
      name,
      perSecond: median(column.map((result) => result.perSecond)),
      cpuMicros: median(column.map((result) => result.cpu)),
      p50Ms: median(column.map((result) => result.p50Ms)),
      p99Ms: median(column.map((result) => result.p99Ms)),
      ofFirst: median(ratios),
      spread: (ratios.at(-1 - quarter) ?? 0) - (ratios[quarter] ?? 0),
    }
  })
}

/** Rates beside those of the first, which is the bare server. */
export function printRates(title: string, rows: Row[]): void {
  printTable(
    title,
    ['', 'requests/s', 'of bare', 'spread', 'CPU µs', 'p50 ms', 'p99 ms'],
    rows.map((row) => [
      row.name,
      Math.round(row.perSecond).toLocaleString('en'),
      `${Math.round(row.ofFirst * 100)} %`,
      `± ${Math.round(row.spread * 50)} %`,
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

export function printTable(title: string, head: string[], rows: string[][]): void {
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

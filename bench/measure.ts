/** Rounds of every contender in turn, so that noise falls on all alike; medians with their spread. */
import { type LoadResult, load } from './load.ts'
import { type Contender, cpuMs } from './processes.ts'

export type Entry = { name: string; contender: Contender; request: string }
export type Row = {
  name: string
  perSecond: number
  spread: number
  cpuMicros: number
  p50Ms: number
  p99Ms: number
}

export async function compare(
  entries: Entry[],
  options: { rounds: number; seconds: number; connections: number },
): Promise<Row[]> {
  const samples = new Map<string, Array<LoadResult & { cpu: number }>>(
    entries.map((entry) => [entry.name, []]),
  )
  for (const entry of entries)
    await load({ ...options, port: entry.contender.port, request: entry.request, seconds: 0.5 })
  for (let round = 0; round < options.rounds; round++) {
    for (const { name, contender, request } of entries) {
      const before = cpuMs(contender.pid)
      const result = await load({ ...options, port: contender.port, request })
      samples.get(name)?.push({ ...result, cpu: ((cpuMs(contender.pid) - before) * 1000) / result.requests })
    }
  }
  return [...samples].map(([name, results]) => ({
    name,
    perSecond: median(results.map((result) => result.perSecond)),
    spread:
      (Math.max(...results.map((r) => r.perSecond)) - Math.min(...results.map((r) => r.perSecond))) /
      median(results.map((r) => r.perSecond)),
    cpuMicros: median(results.map((result) => result.cpu)),
    p50Ms: median(results.map((result) => result.p50Ms)),
    p99Ms: median(results.map((result) => result.p99Ms)),
  }))
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

/**
 * What a node's memory does over time. The heap is weighed after a full collection that is asked for (heap-probe.mjs in the
 * node answers SIGUSR2), because between two of them it says little; the resident size comes from the system.
 *
 * The rule: a line is laid through the second half of the samples, when caches are warm. Memory is flat when that line
 * rises by at most one percent of its level a minute, or by less than the samples scatter around it.
 */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

export type MemorySample = { atMs: number; rssMb: number; heapMb: number; bufferMb: number }
export type Trend = {
  samples: number
  levelMb: number
  perMinuteMb: number
  scatterMb: number
  flat: boolean
}

const MB = 1024 * 1024
const PROBE_LIMIT_MS = 5_000
const FLAT_SHARE = 0.01

/** Asks the probe of a process; null when it did not answer in time, as a node that is too busy does. */
export async function weigh(pid: number, probeFile: string): Promise<MemorySample | null> {
  const before = linesOf(probeFile).length
  process.kill(pid, 'SIGUSR2')
  const deadline = Date.now() + PROBE_LIMIT_MS
  while (Date.now() < deadline) {
    await sleep(20)
    const line = linesOf(probeFile)[before]
    if (line === undefined) continue
    const { heapUsed, external, rss } = JSON.parse(line) as Record<'heapUsed' | 'external' | 'rss', number>
    return { atMs: Date.now(), rssMb: rss / MB, heapMb: heapUsed / MB, bufferMb: external / MB }
  }
  return null
}

function linesOf(file: string): string[] {
  return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}

export function trendOf(samples: readonly MemorySample[], of: (sample: MemorySample) => number): Trend {
  const half = samples.slice(Math.floor(samples.length / 2))
  const points = half.map((sample) => ({
    x: (sample.atMs - (half[0]?.atMs ?? 0)) / 60_000,
    y: of(sample),
  }))
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [meanX, meanY] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread
  const residual = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0)
  const scatter = Math.sqrt(residual / points.length)
  const minutes = (points.at(-1)?.x ?? 0) - (points[0]?.x ?? 0)
  return {
    samples: points.length,
    levelMb: meanY,
    perMinuteMb: slope,
    scatterMb: scatter,
    // With fewer than three points there is no line to speak of.
    flat: points.length >= 3 && (slope <= meanY * FLAT_SHARE || slope * minutes <= scatter),
  }
}

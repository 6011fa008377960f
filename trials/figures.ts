/** What traffic came to: for each act how many requests ended how, and how long they took, in buckets that grow by a tenth. */

export type Ending = 'ok' | 'refused' | 'shed' | 'failed' | 'lost'

export type ActFigures = Record<Ending, number> & { count: number; latencies: Map<number, number> }

export type Figures = {
  seconds: number
  /** Requests of all acts together. */
  all: ActFigures
  acts: Record<string, ActFigures>
}

const GROWTH = Math.log(1.1)

/** Shed: told to come back later. Refused: any other 4xx. Failed: any other 5xx. Lost: no answer. */
export function endingOf(status: number): Ending {
  if (status === 0) return 'lost'
  if (status === 429 || status === 503) return 'shed'
  if (status >= 500) return 'failed'
  return status >= 400 ? 'refused' : 'ok'
}

export function newFigures(): ActFigures {
  return { count: 0, ok: 0, refused: 0, shed: 0, failed: 0, lost: 0, latencies: new Map() }
}

export function countRequest(figures: ActFigures, ending: Ending, ms: number): void {
  figures.count++
  figures[ending]++
  const bucket = Math.round(Math.log(Math.max(ms, 0.01)) / GROWTH)
  figures.latencies.set(bucket, (figures.latencies.get(bucket) ?? 0) + 1)
}

/** The latency that this share of all requests was under, in milliseconds, to within a twentieth. */
export function percentileMs({ latencies, count }: ActFigures, share: number): number {
  let left = count * share
  const buckets = [...latencies].sort(([a], [b]) => a - b)
  for (const [bucket, requests] of buckets) {
    left -= requests
    if (left <= 0) return Math.exp(bucket * GROWTH)
  }
  return Math.exp((buckets.at(-1)?.[0] ?? 0) * GROWTH)
}

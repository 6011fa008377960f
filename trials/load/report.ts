/**
 * What a trial of load has to say: a table, and verdicts that name their rule, each with `holds` or `does not hold`. Nothing is
 * left to the reader's goodwill: a trial in which the generator was the limit, or too little was measured, does not hold.
 */
import { percentileMs } from '../figures.ts'
import { type MemorySample, type Trend, trendOf } from './memory.ts'
import { KINDS, type PhaseFigures, type Second, type StepFigures, sumOf } from './phase.ts'
import type { CpuMs } from './processes.ts'
import { LATE_MS, type Ramp } from './ramp.ts'

export type Verdict = { holds: boolean; what: string; found: string }

/** How long somebody may wait at twice the rate who is not turned away. */
const OVERLOADED_P99_MS = 2_000
const RECOVERED_SECONDS = 10
const OTHERS_PERCENT = 15
/** Memory at twice the rate, compared with the same node's at the rate that holds. */
const SURGE_MEMORY = 1.5
/** Of the answers in a stretch of seconds that may be slow or refused when it counts as good again. */
const GOOD_SHARE = 0.02
const STRETCH_SECONDS = 5

export function writeTable(step: StepFigures | undefined, seconds: number): string {
  if (!step) return ''
  const head = ['', 'requests', 'a second', 'p50 ms', 'p99 ms', '4xx', '429 or 503', 'failed', 'lost']
  const rows = KINDS.map((kind) => {
    const of = step.kinds[kind]
    return [
      kind,
      of.count,
      (of.count / seconds).toFixed(1),
      percentileMs(of, 0.5).toFixed(1),
      percentileMs(of, 0.99).toFixed(1),
      of.refused,
      of.shed,
      of.failed,
      of.lost,
    ].map(String)
  })
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
  return [head, ...rows].map(line).join('\n')
}

export function judgeRamp({ rate, generatorWasTheLimit, stages }: Ramp): Verdict {
  const first = stages.find(({ held }) => !held)
  return {
    holds: rate > 0 && first !== undefined && !generatorWasTheLimit,
    what: `a rate was found that the service bears, and it was the service that set it (the generator less than ${LATE_MS} ms late)`,
    found: `${rate.toFixed(1)} acts a second; first not borne: ${first ? `${first.rate.toFixed(1)} (${first.why})` : 'none'}; the generator was ${first?.generatorLateMs.toFixed(0) ?? 0} ms late at p99 then`,
  }
}

export function judgeHold({ steps, skipped, late }: PhaseFigures, boundMs: number): Verdict {
  const sum = sumOf(steps[0])
  return {
    holds:
      sum.requests > 0 &&
      sum.p99Ms <= boundMs &&
      sum.failed === 0 &&
      sum.shed <= sum.requests / 1000 &&
      skipped === 0,
    what: `held: p99 of reads, searches and tools at most ${boundMs} ms, nothing failed, at most one in a thousand turned away`,
    found: `${sum.requests} requests, p50 ${sum.p50Ms.toFixed(1)} ms, p99 ${sum.p99Ms.toFixed(1)} ms, ${sum.shed} turned away, ${sum.failed} failed, ${sum.limited} over a caller's own limit, ${skipped} not sent; the generator ${percentileMs(late, 0.99).toFixed(0)} ms late at p99`,
  }
}

/** In percent of the machine's cores. `machine` is everybody's share together. */
export function judgeMachine(cpu: CpuMs, generator: number, cores: number): Verdict {
  const others = Math.max(0, cpu.machine - cpu.nodes - cpu.database - cpu.agents - generator) / cores
  return {
    holds: others <= OTHERS_PERCENT,
    what: `the machine was there for the trial: others used at most ${OTHERS_PERCENT} % of it`,
    found: `${others.toFixed(0)} % of ${cores} core(s)`,
  }
}

const RULE = 'by at most one percent of its level a minute, or less than it scatters'

export function judgeMemory(samples: readonly MemorySample[][]): Verdict[] {
  const about = (what: string, of: (sample: MemorySample) => number): Verdict => {
    const trends = samples.map((ofNode) => trendOf(ofNode, of))
    return {
      holds: trends.length > 0 && trends.every(({ flat }) => flat),
      what: `${what} is flat: over the second half it grows ${RULE}`,
      found: trends.map(wordsOf).join('; '),
    }
  }
  return [
    about('the heap after a full collection', ({ heapMb }) => heapMb),
    about('resident memory', ({ rssMb }) => rssMb),
  ]
}

function wordsOf({ samples, levelMb, perMinuteMb, scatterMb }: Trend): string {
  const sign = perMinuteMb < 0 ? '' : '+'
  return `${levelMb.toFixed(0)} MB, ${sign}${perMinuteMb.toFixed(2)} MB a minute, scatter ${scatterMb.toFixed(1)} MB, of ${samples} samples`
}

export type Surge = {
  figures: PhaseFigures
  overSeconds: number
  heldMb: number
  peakMb: number
  boundMs: number
}

export function judgeSurge({ figures, overSeconds, heldMb, peakMb, boundMs }: Surge): Verdict[] {
  const [over, after] = [figures.steps[0], figures.steps[1]]
  const [sum, later] = [sumOf(over), sumOf(after)]
  const unsaid = (over?.unsaid ?? 0) + (after?.unsaid ?? 0)
  const recovered = recoveredAfter(figures.seconds, overSeconds)
  return [
    {
      holds:
        sum.shed + sum.limited > 0 &&
        unsaid === 0 &&
        sum.failed + later.failed === 0 &&
        figures.skipped === 0,
      what: 'at twice the rate it turns away with 429 or 503 and the time to come back, and fails in no other way',
      found: `${sum.requests} requests, ${sum.shed + sum.limited} turned away, ${unsaid} of them without a time, ${sum.failed + later.failed} failed or lost, ${figures.skipped} not sent`,
    },
    {
      holds: sum.p99Ms <= OVERLOADED_P99_MS,
      what: `who is served at twice the rate is served within ${OVERLOADED_P99_MS} ms (p99)`,
      found: `p50 ${sum.p50Ms.toFixed(1)} ms, p99 ${sum.p99Ms.toFixed(1)} ms`,
    },
    {
      holds: peakMb > 0 && peakMb <= heldMb * SURGE_MEMORY,
      what: `memory at twice the rate stays under ${SURGE_MEMORY} times what it was`,
      found: `${heldMb.toFixed(0)} MB before, ${peakMb.toFixed(0)} MB at most`,
    },
    {
      holds: recovered !== null && recovered <= RECOVERED_SECONDS,
      what: `back at the rate it recovers within ${RECOVERED_SECONDS} s (from then on, of any ${STRETCH_SECONDS} s at most two in a hundred over ${boundMs} ms, turned away or failed)`,
      found: recovered === null ? 'not in the time that it was given' : `after ${recovered} s`,
    },
  ]
}

/**
 * Seconds from the end of the surge until every later stretch was good; null when the last one was not. By stretches of a
 * few seconds, because a single one has so few answers that one late moment of any node makes it a bad one.
 */
export function recoveredAfter(seconds: readonly (Second | undefined)[], overSeconds: number): number | null {
  const later = seconds.slice(overSeconds)
  const starts = Math.max(0, later.length - STRETCH_SECONDS + 1)
  const isBad = (start: number) => badShare(later.slice(start, start + STRETCH_SECONDS)) > GOOD_SHARE
  const bad = Array.from({ length: starts }, (_, start) => start).findLastIndex(isBad)
  return starts === 0 || bad === starts - 1 ? null : bad + 1
}

function badShare(seconds: ReadonlyArray<Second | undefined>): number {
  let [answers, bad] = [0, 0]
  for (const second of seconds) {
    answers += second?.answers ?? 0
    bad += second ? second.shed + second.failed + second.slow : 0
  }
  return answers === 0 ? 0 : bad / answers
}

/** Of each second after the surge, how many in a hundred were late or not served. */
export function writeRecovery(seconds: readonly (Second | undefined)[], overSeconds: number): string {
  const shares = seconds.slice(overSeconds).map((second) => `${Math.round(badShare([second]) * 100)}`)
  return `  after it, in percent of each second's answers: ${shares.join(' ')} slow or not served`
}

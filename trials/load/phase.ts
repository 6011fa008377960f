/** What the generator is told and what it answers with; both go between processes as they are. */
import { fork } from 'node:child_process'
import path from 'node:path'
import { type ActFigures, percentileMs } from '../figures.ts'
import { removeAtExit, signalIfThere } from '../leftovers.ts'
import type { Lost } from '../lost.ts'
import type { People } from '../people.ts'

export const KINDS = ['reads', 'search', 'tools', 'requests for quote', 'offers'] as const
export type Kind = (typeof KINDS)[number]

export type Setting = { people: People; addresses: string[] }

export type Step = {
  /** Acts that begin a second, whether or not earlier ones have ended. */
  rate: number
  seconds: number
}
export type Phase = { steps: Step[]; seed: number; boundMs: number }

export type StepFigures = {
  kinds: Record<Kind, ActFigures>
  /** Reads, searches and tools that were answered: what somebody waits for. */
  interactive: ActFigures
  /** Answers of 429 or 503 without the time to come back. */
  unsaid: number
  /** Answers of 429: a caller's own limit, not the service's. */
  limited: number
}

/** By the second in which requests were sent. */
export type Second = { answers: number; shed: number; failed: number; slow: number }

export type PhaseFigures = {
  steps: StepFigures[]
  seconds: Second[]
  /** Acts that were not begun, because too many were under way. */
  skipped: number
  lost: Lost[]
  late: ActFigures
  cpuMs: number
  wallMs: number
}

export type Generator = { run(phase: Phase): Promise<PhaseFigures>; stop(): void }

export function startGenerator(setting: Setting): Generator {
  const child = fork(path.join(import.meta.dirname, 'generator.ts'), { serialization: 'advanced' })
  const { pid } = child
  const strike = removeAtExit(() => pid !== undefined && signalIfThere(pid, 'SIGKILL'))
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code, signal) => {
      strike()
      reject(new Error(`the generator ended by itself (${code ?? signal})`))
    })
  })
  ended.catch(() => {})
  child.send(setting)
  return {
    run(phase) {
      child.send(phase)
      const answered = new Promise<PhaseFigures>((resolve) => {
        child.once('message', (figures) => resolve(figures as PhaseFigures))
      })
      return Promise.race([answered, ended])
    },
    stop: () => child.disconnect(),
  }
}

export type Sum = {
  requests: number
  shed: number
  limited: number
  failed: number
  p50Ms: number
  p99Ms: number
}

/** Everything that one step came to; the times are those of `interactive`. */
export function sumOf(step: StepFigures | undefined): Sum {
  if (!step) return { requests: 0, shed: 0, limited: 0, failed: 0, p50Ms: 0, p99Ms: 0 }
  const of = (read: (figures: ActFigures) => number) =>
    KINDS.reduce((sum, kind) => sum + read(step.kinds[kind]), 0)
  return {
    requests: of(({ count }) => count),
    shed: of(({ shed }) => shed) - step.limited,
    limited: step.limited,
    failed: of(({ failed, lost }) => failed + lost),
    p50Ms: percentileMs(step.interactive, 0.5),
    p99Ms: percentileMs(step.interactive, 0.99),
  }
}

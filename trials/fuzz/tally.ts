/** What was sent and answered, counted by face, status and mutation, and remembered by the number of the request. */
import type { Answer, Attempt, Face } from './attempt.ts'

const REMEMBERED = 4_000

export type Tally = {
  note(number: number, attempt: Attempt, answer: Answer, tookMs: number): void
  /** Where the time of the hands went: seconds and times, most first. */
  slowest(): Array<[operation: string, seconds: number, times: number]>
  sent(): number
  faces(): ReadonlyMap<Face, ReadonlyMap<string, number>>
  mutations(): ReadonlyMap<string, number>
  /** Operations that were sent as they should be, by somebody for whom they are, and never answered well. */
  neverWell(): string[]
  outcome(number: number): { operation: string; status: number } | null
  outcomes(): Iterable<[number, string, number]>
  /** One of the last few thousand. */
  attempt(number: number): Attempt | undefined
}

export function createTally(): Tally {
  const faces = new Map<Face, Map<string, number>>()
  const mutations = new Map<string, number>()
  const good = new Map<string, { tries: number; well: number }>()
  const operations: string[] = []
  const statuses: number[] = []
  const spent = new Map<string, [number, number]>()
  const recent = new Map<number, Attempt>()
  let sent = 0
  const bump = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)
  return {
    note(number, attempt, { status }, tookMs) {
      sent++
      const { face, operation } = attempt
      const [seconds, times] = spent.get(operation) ?? [0, 0]
      spent.set(operation, [seconds + tookMs / 1000, times + 1])
      const ofFace = faces.get(face) ?? new Map<string, number>()
      faces.set(face, ofFace)
      bump(ofFace, status === 0 ? 'none' : `${Math.floor(status / 100)}xx`)
      bump(ofFace, String(status))
      for (const name of attempt.mutations) bump(mutations, name)
      operations[number] = operation
      statuses[number] = status
      recent.set(number, attempt)
      recent.delete(number - REMEMBERED)
      if (attempt.mutations.length > 0 || attempt.raw) return
      const tried = good.get(operation) ?? { tries: 0, well: 0 }
      good.set(operation, { tries: tried.tries + 1, well: tried.well + (status > 0 && status < 400 ? 1 : 0) })
    },
    sent: () => sent,
    slowest: () =>
      [...spent]
        .map(([operation, [seconds, times]]): [string, number, number] => [operation, seconds, times])
        .sort(([, one], [, other]) => other - one)
        .slice(0, 12),
    faces: () => faces,
    mutations: () => mutations,
    neverWell: () =>
      [...good].flatMap(([operation, { tries, well }]) => (well === 0 ? [`${operation} (${tries})`] : [])),
    outcome(number) {
      const operation = operations[number]
      return operation === undefined ? null : { operation, status: statuses[number] ?? 0 }
    },
    *outcomes() {
      for (const [number, operation] of operations.entries())
        if (operation !== undefined) yield [number, operation, statuses[number] ?? 0]
    },
    attempt: (number) => recent.get(number),
  }
}

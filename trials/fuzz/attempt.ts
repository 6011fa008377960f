/** What the fuzzer sends, what comes back, and what a maker of requests is handed. */
import type { People } from '../people.ts'
import type { Random } from '../random.ts'
import type { Caller } from './callers.ts'
import type { Known } from './known.ts'

export type Face = 'rest' | 'tools' | 'a2a' | 'oauth' | 'pages' | 'wire'

export type Attempt = {
  face: Face
  /** The same for all requests of a kind, whatever is in their path: findings are told apart by it. */
  operation: string
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | null
  caller: Caller
  /** What was done to a request that was good; none for one that still is. */
  mutations: string[]
  /** Sent as it is over a connection of its own, where an HTTP client would refuse to. */
  raw?: Buffer
}

export type Answer = {
  /** 0: there was none. */
  status: number
  /** Why there was none. */
  cause?: string
  headers: Record<string, string[]>
  body: Buffer
  /** A stream that was still open was left after a while. */
  cut: boolean
  requestId: string
}

export const textOf = ({ body }: Pick<Answer, 'body'>): string => body.toString('utf8')

export function jsonOf(answer: Pick<Answer, 'body'>): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOf(answer))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

export type Dice = {
  random: Random
  /** True with this chance. */
  chance(share: number): boolean
  /** A whole number below. */
  below(count: number): number
  pick<T>(list: readonly T[]): T
}

export type Turn = Dice & {
  people: People
  /** Those whom it is no pity to lose: who is signed out, deleted or shut off is one of them. */
  spare: People
  known: Known
  /** A word that nobody else has. */
  word(): string
  send(attempt: Attempt): Promise<Answer>
  /** Says that a rule between several requests was broken. */
  breach(attempt: Attempt, what: string): void
}

/** One request or several that belong together. */
export type Maker = { face: Face; weight: number; run(turn: Turn): Promise<unknown> }

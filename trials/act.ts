/** What an act of the traffic is, and what it is handed: chance, people, a way to send requests and one to journal writes. */
import type { Journal, State, Subject } from './journal.ts'
import type { MailServer } from './mail-server.ts'
import type { People, Person } from './people.ts'
import type { Random } from './random.ts'

export type Request = {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  headers?: Record<string, string>
  /** An object goes as JSON, URLSearchParams as a form. */
  body?: Record<string, unknown> | URLSearchParams
  /** Whose network it comes from; without one, from nobody's in particular. */
  ip?: string
  /** Under which the server's records are found; a missing one is created. */
  requestId?: string
}

export type Answer = {
  /** 0: there was none; the connection broke or the time was up. */
  status: number
  /** Why there was none. */
  cause?: string
  header(name: string): string | undefined
  setCookies: string[]
  text: string
  /** The body as an object; an empty one when it is no JSON. */
  json(): Record<string, unknown>
  requestId: string
}

/** What a write means, noted before it is sent. */
export type Intent = {
  subject: Subject | null
  next: State
  audited: string | null
  /** Whose action it is. */
  by: string
  /** What to keep of the answer when it was acknowledged. */
  said?: (answer: Answer) => Record<string, unknown>
}

export type ToolAnswer = Answer & {
  /** Done, refused by the tool, or nobody knows. */
  outcome: 'acknowledged' | 'refused' | 'unknown'
  data: Record<string, unknown>
}

export type Turn = {
  random: Random
  pick<T>(list: readonly T[]): T
  people: People
  mail: MailServer | null
  journal: Journal
  /** A word that no other act of this run uses. */
  word(): string
  send(request: Request): Promise<Answer>
  write(intent: Intent, request: Request): Promise<Answer>
  /** A tool of the tool server; with an intent, a write. */
  tool(
    person: Pick<Person, 'userId' | 'token' | 'ip'>,
    name: string,
    args: Record<string, unknown>,
    intent?: Intent,
  ): Promise<ToolAnswer>
}

export type Act = {
  name: string
  /** How often, compared with the others. */
  weight: number
  run(turn: Turn): Promise<void>
}

export const asJson = (cookieOrBearer: { cookie: string } | { bearer: string }): Record<string, string> =>
  'cookie' in cookieOrBearer
    ? { cookie: cookieOrBearer.cookie }
    : { authorization: `Bearer ${cookieOrBearer.bearer}` }

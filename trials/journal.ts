/**
 * What a trial has asked for and what it was told. Every write is noted before it is sent, and again when its answer came:
 *
 *   acknowledged  the server said yes; it must be there for ever
 *   refused       it said no; nothing of it may be there
 *   unknown       the connection broke, the time was up or the answer was a 5xx: it happened whole or not at all
 *
 * A write changes one subject (an offer, a saved product, an account …). A subject is changed by one write at a time, and
 * after an unknown one by none until an audit has looked, because the server may still be at it. So a subject has a short
 * list of states that are possible, and what the database holds must be one of them.
 */
export type SubjectKind =
  | 'account'
  | 'session'
  | 'saved'
  | 'offer'
  | 'enrichment'
  | 'claim'
  | 'pricing'
  | 'token'
  | 'invitation'
  | 'import'

/** The facts that matter; null: it is not there. */
export type State = Record<string, string | number | boolean | null> | null

export type Subject = {
  kind: SubjectKind
  /** What tells it apart before the server has given it an id. */
  key: string
  /** The server's id, once it is known. */
  id: string | null
  /** Its owner: a person's or an organization's id. */
  owner: string
  /** More that acts need to know of it, such as its product. */
  notes: Record<string, string>
  possible: State[]
  busy: boolean
  /** Its last write is unknown. */
  unsure: boolean
}

export type Outcome = 'sent' | 'acknowledged' | 'refused' | 'unknown'

export type Write = {
  /** As the server was sent it, so that its records can be found. */
  requestId: string
  act: string
  subject: Subject | null
  /** What the subject is afterwards. */
  next: State
  /** What it was before, as far as it was certain. */
  before: State | undefined
  /** The action of its one record in the audit log; null when it has none. */
  audited: string | null
  by: string
  sentAtMs: number
  /** 0 until its answer came, or could not come any more. */
  endedAtMs: number
  outcome: Outcome
  status: number
  /** From the answer: ids and the like. */
  said: Record<string, unknown>
}

/** How often somebody was served something that is counted against a limit. */
export type Tally = { served: number; unknown: number; refused: number }

export type Journal = {
  writes: Write[]
  subjects: Map<string, Subject>
  /** By what is counted and whose it is, such as `tools <user id>`. */
  tallies: Map<string, Tally>
  /** A new subject, which does not exist yet. */
  invent(kind: SubjectKind, key: string, owner: string, notes?: Record<string, string>): Subject
  find(kind: SubjectKind, key: string): Subject | undefined
  /** Those of a kind that a write may change now. */
  free(kind: SubjectKind): Subject[]
  begin(write: Pick<Write, 'requestId' | 'act' | 'subject' | 'next' | 'audited' | 'by'>): Write
  end(write: Write, outcome: Exclude<Outcome, 'sent'>, status: number, said?: Record<string, unknown>): void
  count(what: string, how: keyof Tally): void
}

export function createJournal(): Journal {
  const writes: Write[] = []
  const subjects = new Map<string, Subject>()
  const byKind = new Map<SubjectKind, Subject[]>()
  const tallies = new Map<string, Tally>()
  return {
    writes,
    subjects,
    tallies,
    invent(kind, key, owner, notes = {}) {
      const subject = { kind, key, id: null, owner, notes, possible: [null], busy: false, unsure: false }
      subjects.set(`${kind} ${key}`, subject)
      const siblings = byKind.get(kind)
      if (siblings) siblings.push(subject)
      else byKind.set(kind, [subject])
      return subject
    },
    find: (kind, key) => subjects.get(`${kind} ${key}`),
    free: (kind) =>
      (byKind.get(kind) ?? []).filter(
        ({ busy, unsure, possible }) => !busy && !unsure && possible[0] !== null,
      ),
    begin(given) {
      const { subject } = given
      if (subject?.busy || subject?.unsure) throw new Error(`${subject.kind} ${subject.key} is not free`)
      if (subject) subject.busy = true
      const before = subject?.possible.length === 1 ? subject.possible[0] : undefined
      const sent = { sentAtMs: Date.now(), endedAtMs: 0, outcome: 'sent' as const, status: 0, said: {} }
      const write: Write = { ...given, before, ...sent }
      writes.push(write)
      return write
    },
    end(write, outcome, status, said = {}) {
      Object.assign(write, { outcome, status, said, endedAtMs: Date.now() })
      const { subject, next } = write
      if (!subject) return
      subject.busy = false
      if (outcome === 'acknowledged') subject.possible = [next]
      if (outcome === 'unknown') {
        subject.possible = [...subject.possible, next]
        subject.unsure = true
      }
    },
    count(what, how) {
      const tally = tallies.get(what) ?? { served: 0, unknown: 0, refused: 0 }
      tally[how]++
      tallies.set(what, tally)
    },
  }
}

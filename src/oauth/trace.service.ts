/**
 * The operator's answer to "my client does not connect": the last exchanges, step by step, with the reason of each
 * refusal. Rows are written behind the answer, several at a time; when the database cannot keep up or is away they
 * are dropped, because a trace must never slow or fail what it describes. It holds no secret: callers hand in client
 * ids, hosts and our own words, never a code, token, verifier or state.
 */
import type { Db } from '../db/database.ts'
import type { Searched } from '../db/like.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { Log } from '../lib/log.ts'
import { findTrace, insertTrace, type TraceOutcome, type TraceRow, trimTrace } from './trace.queries.ts'

export type { TraceOutcome, TraceRow }

export const TRACE_OUTCOMES: readonly TraceOutcome[] = ['ok', 'refused', 'failed']
const KEEP_ROWS = 5_000
const KEEP_MS = 14 * 86_400_000
const MAX_WAITING = 1_000
const MAX_TEXT = 300
/** So that a flood between two sweeps cannot grow the table far past its size. */
const TRIM_EVERY = 500

export type TraceEntry = Omit<TraceRow, 'id' | 'at' | 'detail'> & {
  detail?: Record<string, string | number | boolean | null>
}

export type Trace = {
  record(entry: TraceEntry): void
  /** Resolves when everything recorded so far is written or given up. */
  settled(): Promise<void>
}

type Deps = { db: Db; clock: Clock; log: Log }

export function createTrace(deps: Deps): Trace {
  let waiting: TraceRow[] = []
  let writing: Promise<void> | null = null
  let sinceTrim = 0

  function record(entry: TraceEntry): void {
    if (waiting.length >= MAX_WAITING) return
    waiting.push(asRow(entry, deps.clock.now()))
    writing ??= write().finally(() => {
      writing = null
    })
  }

  async function write(): Promise<void> {
    // After the answers of this turn of the event loop, so that what comes together is written together.
    await new Promise((resolve) => setImmediate(resolve))
    while (waiting.length > 0) {
      const rows = waiting
      waiting = []
      try {
        await insertTrace(deps.db, rows)
        sinceTrim += rows.length
        if (sinceTrim >= TRIM_EVERY) {
          sinceTrim = 0
          await sweepTrace(deps)
        }
      } catch (error) {
        deps.log.warn({ err: error, lost: rows.length }, 'the OAuth trace could not be written')
      }
    }
  }

  async function settled(): Promise<void> {
    while (writing) await writing
  }

  return { record, settled }
}

export async function listTrace(
  ctx: { db: Db },
  filter: { clientId?: string | null; outcome?: TraceOutcome | null } & Partial<Searched> = {},
): Promise<TraceRow[]> {
  const { clientId = null, outcome = null, search = null, limit = 200, offset = 0 } = filter
  return await findTrace(ctx.db, { clientId: cut(clientId), outcome, search, limit, offset })
}

export async function sweepTrace({ db, clock }: { db: Db; clock: Clock }): Promise<number> {
  return await trimTrace(db, { rows: KEEP_ROWS, since: new Date(clock.now().getTime() - KEEP_MS) })
}

function asRow(entry: TraceEntry, at: Date): TraceRow {
  return {
    ...entry,
    id: newId(),
    at,
    clientId: cut(entry.clientId),
    reason: cut(entry.reason),
    detail: entry.detail ?? {},
    userAgent: cut(entry.userAgent),
  }
}

/** PostgreSQL takes no NUL in text; lone surrogates would not survive either. */
function cut(text: string | null): string | null {
  return text === null ? null : text.slice(0, MAX_TEXT).toWellFormed().replaceAll('\0', '')
}

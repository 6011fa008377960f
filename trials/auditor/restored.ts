/**
 * A backup that was taken under traffic, once it is restored, is the database at one moment. What was acknowledged before
 * the backup began is in it, what was sent after it ended is not, and of the writes to one subject it holds the first few
 * without a gap, with the state that the last of them left and one record each. Requests under way and jobs that were
 * running are as legal in it as they were at that moment.
 */
import { isDeepStrictEqual } from 'node:util'
import type pg from 'pg'
import type { Journal, Subject, Write } from '../journal.ts'
import type { AuditContext } from './check.ts'
import { RECORDS_POINT } from './records.ts'
import { RFQS } from './rfqs.ts'
import { readStates } from './states.ts'
import { STATUSES } from './statuses.ts'

export type TakenBackup = {
  beganMs: number
  endedMs: number
  /** How many writes the journal had when the traffic began. */
  writesBefore: number
}

/** What may be so at a moment, and what came after it. */
const OF_THE_MOMENT = /without a live lease|has not ended|was acknowledged and is not there|was never told/

/** `ctx.pool` is that of the restored database; the journal is that of the one it was taken from. */
export async function auditRestored(ctx: AuditContext, taken: TakenBackup): Promise<string[]> {
  const legal = await Promise.all([RECORDS_POINT, STATUSES, RFQS].map((check) => check.run(ctx)))
  return [
    ...legal.flat().filter((text) => !OF_THE_MOMENT.test(text)),
    ...(await auditMoment(ctx.pool, ctx.journal, taken)),
  ]
}

async function auditMoment(pool: pg.Pool, journal: Journal, taken: TakenBackup): Promise<string[]> {
  const { rows } = await pool.query<{ key: string; count: number }>(
    `select request_id || ' ' || action as key, count(*)::int as count
     from audit_log where request_id is not null group by 1`,
  )
  const counts = new Map(rows.map(({ key, count }) => [key, count]))
  const countOf = (write: Write) => counts.get(`${write.requestId} ${write.audited}`) ?? 0
  const audited = journal.writes.slice(taken.writesBefore).filter((write) => write.audited !== null)
  const states = await readStates(pool)
  const bySubject = Map.groupBy(
    audited.filter((write) => write.subject),
    (write) => write.subject as Subject,
  )
  return [
    ...audited.flatMap((write) => wrongTime(write, countOf(write), taken)),
    ...[...bySubject].flatMap(([subject, writes]) =>
      wrongState(subject, writes, countOf, states.get(subject.kind)?.get(subject.key)?.state ?? null),
    ),
  ]
}

function wrongTime(write: Write, records: number, { beganMs, endedMs }: TakenBackup): string[] {
  const { act, requestId, outcome, sentAtMs, endedAtMs } = write
  const what = `${act} (request ${requestId})`
  if (outcome === 'acknowledged' && endedAtMs < beganMs && records !== 1)
    return [`${what} was acknowledged before the backup began and has ${records} records in it`]
  if (sentAtMs > endedMs && records > 0) return [`${what} was sent after the backup had ended and is in it`]
  return outcome === 'refused' && records > 0 ? [`${what} was refused and is in it`] : []
}

function wrongState(
  subject: Subject,
  writes: Write[],
  countOf: (write: Write) => number,
  actual: Write['next'],
): string[] {
  const done = writes.filter(({ outcome }) => outcome === 'acknowledged')
  // An import is several rows under one record, and one whose answer was lost says nothing.
  const [first] = done
  if (!first || subject.kind === 'import' || writes.some(({ outcome }) => outcome === 'unknown')) return []
  const held = done.findIndex((write) => countOf(write) === 0)
  const there = held < 0 ? done : done.slice(0, held)
  const what = `${subject.kind} ${subject.key}`
  if (done.slice(there.length).some((write) => countOf(write) > 0))
    return [`${what} has a later write in the backup, and not an earlier one`]
  const last = there.at(-1)
  // Null is a state as well: it was taken away.
  const wanted = last ? last.next : first.before
  if (wanted === undefined || isDeepStrictEqual(wanted, actual)) return []
  return [`${what} is ${JSON.stringify(actual)} in the backup, and its records say ${JSON.stringify(wanted)}`]
}

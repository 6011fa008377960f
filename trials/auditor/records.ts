/**
 * The audit log is complete: an acknowledged action has exactly one record, a refused one has none, and one whose answer was
 * lost has one exactly when it happened. Records are found by the id that the request was sent with.
 */
import { isDeepStrictEqual } from 'node:util'
import type { State, Write } from '../journal.ts'
import { type Check, findTexts } from './check.ts'
import { readStates } from './states.ts'

export const RECORDS: Check = {
  name: 'records',
  async run({ pool, journal }) {
    const { rows } = await pool.query<{ key: string; count: number }>(
      `select request_id || ' ' || action as key, count(*)::int as count
       from audit_log where request_id is not null group by 1`,
    )
    const counts = new Map(rows.map(({ key, count }) => [key, count]))
    const kinds = await readStates(pool)
    return journal.writes.flatMap((write) => {
      if (write.audited === null) return []
      const found = counts.get(`${write.requestId} ${write.audited}`) ?? 0
      const actual = write.subject
        ? (kinds.get(write.subject.kind)?.get(write.subject.key)?.state ?? null)
        : undefined
      const wanted = recordsOf(write, actual)
      if (wanted.includes(found)) return []
      const subject = write.subject ? ` of ${write.subject.kind} ${write.subject.key}` : ''
      return `${write.act}${subject} (request ${write.requestId}, ${write.outcome}, ${write.status}) has ${found} records ${write.audited}, not ${wanted.join(' or ')}`
    })
  },
}

/** How many there may be. */
function recordsOf(write: Write, actual: State | undefined): number[] {
  if (write.outcome === 'acknowledged') return [1]
  if (write.outcome === 'refused') return [0]
  // While it is the last write on its subject, the subject tells whether it happened.
  const tells =
    write.subject?.unsure && write.before !== undefined && !isDeepStrictEqual(write.before, write.next)
  const isLast = tells && isDeepStrictEqual(write.subject?.possible.at(-1), write.next)
  if (!isLast || actual === undefined) return [0, 1]
  return isDeepStrictEqual(actual, write.next) ? [1] : [0]
}

/** By the name of the detail: the table that it points into. Claims are not here, because they are deleted for good. */
const POINTS: Record<string, string> = {
  offer_id: 'offers',
  task_id: 'rfqs',
  enrichment_id: 'enrichments',
  token_id: 'link_tokens',
  invitation_id: 'org_invitations',
  submission_id: 'product_submissions',
}

/** A record points to something that is there; the actions of trials delete nothing that it could point to. */
export const RECORDS_POINT: Check = {
  name: 'records point',
  async run({ pool }) {
    const lost = await Promise.all(
      Object.entries(POINTS).map(([detail, table]) =>
        findTexts(
          pool,
          `select a.action || ' (request ' || coalesce(a.request_id, 'unknown') || ') points to ${detail} ' || (a.detail->>'${detail}') || ', which is not there' as text
           from audit_log a where a.detail->>'${detail}' is not null
             and not exists (select 1 from ${table} t where t.id = (a.detail->>'${detail}')::uuid)`,
        ),
      ),
    )
    const nobody = await findTexts(
      pool,
      `select a.action || ' (request ' || coalesce(a.request_id, 'unknown') || ') is of somebody who is not there' as text
       from audit_log a
       where (a.user_id is not null and not exists (select 1 from users u where u.id = a.user_id))
          or (a.org_id is not null and not exists (select 1 from orgs o where o.id = a.org_id))`,
    )
    return [...lost.flat(), ...nobody]
  },
}

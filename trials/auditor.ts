/**
 * The auditor: after a storm, when nodes and database are well and jobs are drained, it holds what the database and the
 * nodes say against the journal, and lists every breach. It forgives nothing that it cannot explain.
 */
import type { AuditContext, Breach, Check } from './auditor/check.ts'
import { FRESHNESS } from './auditor/freshness.ts'
import { MAILS } from './auditor/mails.ts'
import { QUOTAS } from './auditor/quotas.ts'
import { RECORDS, RECORDS_POINT } from './auditor/records.ts'
import { RFQS } from './auditor/rfqs.ts'
import { STATES, settle } from './auditor/states.ts'
import { STATUSES } from './auditor/statuses.ts'
import { WHOLE } from './auditor/whole.ts'

export const CHECKS: readonly Check[] = [
  STATES,
  RECORDS,
  RECORDS_POINT,
  WHOLE,
  RFQS,
  QUOTAS,
  STATUSES,
  MAILS,
  FRESHNESS,
]

/** Breaches of every check. What was unknown until now is settled by it, so that the next storm may go on from there. */
export async function audit(ctx: AuditContext): Promise<Breach[]> {
  const breaches: Breach[] = []
  for (const check of CHECKS) {
    // A check that cannot be made is no proof of anything.
    const found = await check.run(ctx).catch((error: Error) => [`could not be made: ${error.stack}`])
    breaches.push(...found.map((what) => ({ check: check.name, what })))
  }
  const busy = [...ctx.journal.subjects.values()].filter((subject) => subject.busy)
  breaches.push(
    ...busy.map(({ kind, key }) => ({ check: 'journal', what: `${kind} ${key} is still being written` })),
  )
  await settle(ctx.pool, ctx.journal)
  return breaches
}

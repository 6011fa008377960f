/** The history as a file for spreadsheets. */
import { writeCsv } from '../../../lib/csv.ts'
import { kindOf } from '../../../orgs/history.service.ts'
import type { ToldEntry } from './entry.ts'

const COLUMNS = ['at', 'who', 'who_kind', 'who_id', 'kind', 'action', 'what', 'details'] as const

export function writeHistoryCsv(entries: readonly ToldEntry[]): string {
  const rows = entries.map(({ at, who, actor, action, what, facts }) => [
    at.toISOString(),
    who,
    actor.kind,
    actor.id ?? '',
    kindOf(action) ?? '',
    action,
    what,
    facts.map(({ name, value }) => `${name}: ${value}`).join('; '),
  ])
  return writeCsv([COLUMNS, ...rows])
}

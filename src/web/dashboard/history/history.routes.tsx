/** The organization's history as a page and as a file, with the same filters as the API's. */
import type { Context } from 'hono'
import { AuditQuery, listHistory, listHistoryActors } from '../../../orgs/history.service.ts'
import { isoDay } from '../../format.ts'
import type { FormState } from '../../kit/fields.tsx'
import { asSentences } from '../../kit/parts.tsx'
import { sendCsv, sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { HISTORY_PATH } from '../paths.ts'
import { createTeller } from './entry.ts'
import { writeHistoryCsv } from './history.csv.ts'
import { CSV_MAX, CSV_PATH, FILTERS, renderHistory } from './history.page.tsx'

export function mountHistory(dashboard: Dashboard, { site, ctx }: DashboardDeps): void {
  dashboard.get(HISTORY_PATH, 'oversee', async (c, visitor) => {
    const { query, state } = readFilter(c)
    const actors = await listHistoryActors(ctx, visitor.caller)
    const page = { site, visitor, actors, state, isLater: c.req.query('before') !== undefined }
    if (!query) return sendPage(c, renderHistory({ ...page, entries: [], next: null }), { status: 400 })
    const { entries, next } = await listHistory(ctx, visitor.caller, query)
    return sendPage(c, renderHistory({ ...page, entries: entries.map(createTeller(actors)), next }))
  })

  dashboard.get(CSV_PATH, 'oversee', async (c, visitor) => {
    const { query } = readFilter(c)
    // The page tells what is wrong with the filter.
    if (!query) return c.redirect(`${HISTORY_PATH}${new URL(c.req.url).search}`, 303)
    const actors = await listHistoryActors(ctx, visitor.caller)
    const { before: _all, ...filter } = query
    const { entries } = await listHistory(ctx, visitor.caller, { ...filter, limit: CSV_MAX })
    const text = writeHistoryCsv(entries.map(createTeller(actors)))
    return sendCsv(c, `souk-history-${isoDay(ctx.clock.now())}.csv`, text)
  })
}

/** A form that is sent with an empty field means no filter. `query` is null when something is wrong with it. */
function readFilter(c: Context): { query: AuditQuery | null; state: FormState } {
  const values: Record<string, string> = {}
  for (const name of FILTERS) {
    const value = c.req.query(name)
    if (value) values[name] = value
  }
  const read = AuditQuery.safeParse({ ...values, before: c.req.query('before') || undefined })
  if (read.success) return { query: read.data, state: { values, errors: {} } }
  const errors: Record<string, string> = {}
  for (const { path, code, message } of read.error.issues) {
    const name = FILTERS.find((filter) => filter === path[0]) ?? ''
    errors[name] ??= code === 'invalid_value' ? 'choose one of these' : message
  }
  return { query: null, state: { values, errors: asSentences(errors) } }
}

/** /dashboard/performance and the same figures as a file. Both read what the address asks for in the same way. */
import type { Context } from 'hono'
import type { HttpEnv } from '../../../http/env.ts'
import { STATUS } from '../../../http/error-response.ts'
import { writeCsv } from '../../../lib/csv.ts'
import { AppError } from '../../../lib/errors.ts'
import { type Group, getPerformance, MOST_DAYS } from '../../../producers/performance.service.ts'
import { sentence } from '../../format.ts'
import { sendCsv, sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import type { Visitor } from '../page.tsx'
import { PERFORMANCE_PATH } from '../paths.ts'
import { type Ask, CSV_PATH, readAsk } from './performance.ask.ts'
import { renderPerformance } from './performance.page.tsx'
import { cellsOf } from './performance.table.tsx'

const ROWS_SHOWN = 50
/** The chart has them all; a table of a year would be a very long page on a narrow screen. */
const DAYS_SHOWN = 31
const ROWS_IN_FILE = 5_000

export function mountPerformance(
  dashboard: Dashboard,
  { site, ctx }: Pick<DashboardDeps, 'site' | 'ctx'>,
): void {
  dashboard.get(PERFORMANCE_PATH, 'read', async (c, visitor) => {
    const ask = readAsk(c.req.query(), ctx.clock.now())
    if (Object.keys(ask.state.errors).length > 0) return refuse(c, visitor, ask, 400)
    try {
      const byDay = await read(visitor, ask, 'day', MOST_DAYS)
      const newest = { ...byDay, rows: byDay.rows.slice(0, DAYS_SHOWN) }
      const rows = ask.by === 'day' ? newest : await read(visitor, ask, ask.by, ROWS_SHOWN)
      return sendPage(c, renderPerformance({ site, visitor, ask, found: { byDay, rows } }))
    } catch (error) {
      if (!(error instanceof AppError) || error.field === undefined) throw error
      return refuse(c, visitor, wrong(ask, error), STATUS[error.kind])
    }
  })

  dashboard.get(CSV_PATH, 'read', async (c, visitor) => {
    const ask = readAsk(c.req.query(), ctx.clock.now())
    const [[field, message] = []] = Object.entries(ask.state.errors)
    if (message !== undefined) throw new AppError('invalid', `${field}: ${message}`, { field })
    const { from, to, rows } = await read(visitor, ask, ask.by, ROWS_IN_FILE)
    const name = `souk-performance-by-${ask.by}-${from}-to-${to}.csv`
    return sendCsv(c, name, writeCsv(cellsOf(ask.by, rows)))
  })

  const read = (visitor: Visitor, { from, to }: Ask, groupBy: Group, limit: number) =>
    getPerformance(ctx, visitor, { from, to, groupBy, limit })

  const refuse = (
    c: Context<HttpEnv>,
    visitor: Visitor,
    ask: Ask,
    status: 400 | (typeof STATUS)[AppError['kind']],
  ) => sendPage(c, renderPerformance({ site, visitor, ask, found: null }), { status })
}

/** The services' refusals name their field, which on a page they stand beside. */
function wrong(ask: Ask, { field = '', message }: AppError): Ask {
  const text = sentence(message.replace(/^\w+: /, ''))
  return { ...ask, state: { values: { from: ask.from, to: ask.to }, errors: { [field]: text } } }
}

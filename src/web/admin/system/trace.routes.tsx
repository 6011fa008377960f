/** /admin/oauth: the last OAuth exchanges: which client, which step, and why it was refused. */
import { listTrace, TRACE_OUTCOMES, type TraceRow } from '../../../oauth/trace.service.ts'
import { Moment } from '../../components/moment.tsx'
import { humanized } from '../../format.ts'
import { choice, column, defineList, named, typed, uncounted } from '../../kit/list.tsx'
import { noted, State } from '../../kit/parts.tsx'
import type { Admin, AdminDeps } from '../guard.ts'
import { OAUTH_TRACE } from '../nav.ts'

const LIST = defineList(OAUTH_TRACE, 'exchange', {
  search: 'Step, reason or client',
  pageSize: 100,
  filters: { client: typed('Client'), outcome: choice('Outcome', named(TRACE_OUTCOMES)) },
})

export function mountTrace(admin: Admin, { oauth: ctx }: AdminDeps): void {
  admin.list<TraceRow, typeof LIST.filters>(LIST, async ({ asked }) => {
    const { q, filters, limit, offset } = asked
    const part = { search: q || null, clientId: filters.client || null, outcome: filters.outcome || null }
    return {
      title: 'OAuth trace',
      lead: 'What apps did when they connected, and why they were refused.',
      ...uncounted(await listTrace(ctx, { ...part, limit: limit + 1, offset }), asked),
      order: 'Newest first',
      columns: [
        column.text('Step', 'step'),
        {
          label: 'Outcome',
          csv: ({ outcome, reason }) => [outcome, reason].filter(Boolean).join(': '),
          cell: ({ outcome, reason }) =>
            noted(
              <State tone={outcome === 'ok' ? 'good' : 'bad'}>{humanized(outcome)}</State>,
              reason && <span class="finding">{reason}</span>,
            ),
        },
        column.text(
          'Client',
          'clientId',
          ({ clientId }) =>
            clientId && (
              <a class="finding" href={`${OAUTH_TRACE}?${new URLSearchParams({ client: clientId })}`}>
                {clientId}
              </a>
            ),
        ),
        column.text('Details', detailOf, (row) => (
          <div class="finding">
            {noted(detailOf(row), [row.ip, row.userAgent].filter(Boolean).join(' · '))}
          </div>
        )),
        { label: 'Time', cell: ({ at }) => <Moment at={at} />, csv: ({ at }) => at },
      ],
      empty: <p>No exchanges yet. They appear when the first app connects.</p>,
    }
  })
}

function detailOf({ detail }: TraceRow): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${value}`)
    .join(', ')
}

/** /admin/oauth: the last OAuth exchanges, as the operator sees them. */
import { listTrace, TRACE_OUTCOMES, type TraceOutcome, type TraceRow } from '../../../oauth/trace.service.ts'
import { Field, Select, UNTOUCHED } from '../../kit/fields.tsx'
import { Empty } from '../../kit/parts.tsx'
import { sendPage } from '../../page.http.ts'
import type { Site } from '../../site.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { OAUTH_TRACE } from '../paths.ts'

export function mountTrace(admin: Admin, { oauth: ctx, site }: AdminDeps): void {
  admin.get(OAUTH_TRACE, async (c, operator) => {
    const clientId = c.req.query('client')?.trim() || null
    const outcome = TRACE_OUTCOMES.find((name) => name === c.req.query('outcome')) ?? null
    const rows = await listTrace(ctx, { clientId, outcome })
    return sendPage(c, renderTracePage({ rows, clientId, outcome, operator }, site))
  })
}

type TracePage = {
  rows: TraceRow[]
  clientId: string | null
  outcome: TraceOutcome | null
  operator: Operator
}

function renderTracePage({ rows, clientId, outcome, operator }: TracePage, site: Site): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="OAuth trace"
      lead="The last exchanges, newest first: which client, which step, and why it was refused."
      at={OAUTH_TRACE}
    >
      <form method="get" action={OAUTH_TRACE} class="filters">
        <Field state={UNTOUCHED} name="client" label="Client" autocomplete="off" value={clientId ?? ''} />
        <Select
          state={UNTOUCHED}
          name="outcome"
          label="Outcome"
          options={[['', 'any'], ...TRACE_OUTCOMES.map((name) => [name, name] as const)]}
          value={outcome ?? ''}
        />
        <p>
          <button class="button plain" type="submit">
            Show
          </button>
        </p>
      </form>
      {rows.length === 0 && (
        <Empty>Nothing was recorded. Exchanges come with the first app that connects.</Empty>
      )}
      <ol class="rows">
        {rows.map((row) => (
          <Exchange row={row} />
        ))}
      </ol>
    </AdminPage>,
  )
}

/** A list, not a table: ids, reasons and browsers' names are long, and an operator may be looking from a telephone. */
function Exchange({ row }: { row: TraceRow }) {
  const detail = Object.entries(row.detail).map(([name, value]) => `${name}: ${value}`)
  return (
    <li>
      <p>
        <strong>{row.step}</strong>{' '}
        <span class={row.outcome === 'ok' ? 'soft' : 'failed'}>{row.outcome}</span>
        {row.reason && `, ${row.reason}`}
        <span class="row-note">
          <time datetime={row.at.toISOString()}>
            {row.at.toISOString().replace('T', ' ').slice(0, 19)} UTC
          </time>
          {row.clientId !== null && (
            <>
              {' · '}
              <a href={`${OAUTH_TRACE}?${new URLSearchParams({ client: row.clientId })}`}>{row.clientId}</a>
            </>
          )}
          {detail.length > 0 && ` · ${detail.join(', ')}`}
        </span>
        <span class="row-note">{[row.ip, row.userAgent].filter(Boolean).join(' · ')}</span>
      </p>
    </li>
  )
}

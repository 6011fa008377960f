/** /admin/oauth: the operator's view of the last OAuth exchanges. For everybody else there is no such page. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import type { OauthContext } from '../../oauth/context.ts'
import { listTrace, TRACE_OUTCOMES, type TraceOutcome, type TraceRow } from '../../oauth/trace.service.ts'
import { sendPage } from '../account/account.http.ts'
import { findSignedIn } from '../account/signed-in.ts'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'

const PATH = '/admin/oauth'

export function mountTrace(
  app: Hono<HttpEnv>,
  { oauth: ctx, site }: { oauth: OauthContext; site: Site },
): void {
  app.get(PATH, async (c) => {
    const session = await findSignedIn(c, ctx)
    if (!session?.actor.user.isAdmin) return c.notFound()
    const clientId = c.req.query('client')?.trim() || null
    const outcome = TRACE_OUTCOMES.find((name) => name === c.req.query('outcome')) ?? null
    const rows = await listTrace(ctx, { clientId, outcome })
    return sendPage(c, renderTracePage({ rows, clientId, outcome }, site))
  })
}

type TracePage = { rows: TraceRow[]; clientId: string | null; outcome: TraceOutcome | null }

export function renderTracePage({ rows, clientId, outcome }: TracePage, site: Site): string {
  return String(
    <Layout site={site} title="OAuth trace · Souk" description="The last OAuth exchanges." path={null}>
      <header class="page-head">
        <h1>OAuth trace</h1>
        <p class="lead">
          The last exchanges, newest first: which client, which step, and why it was refused.
        </p>
      </header>
      <form method="get" action={PATH} class="line">
        <label>
          Client <input name="client" value={clientId ?? ''} size={40} autocomplete="off" />
        </label>
        <label>
          Outcome{' '}
          <select name="outcome">
            <option value="">any</option>
            {TRACE_OUTCOMES.map((name) => (
              <option value={name} selected={name === outcome}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <button type="submit">Show</button>
      </form>
      {rows.length === 0 ? <p>Nothing was recorded.</p> : <TraceTable rows={rows} />}
    </Layout>,
  )
}

function TraceTable({ rows }: { rows: TraceRow[] }) {
  return (
    <table>
      <thead>
        <tr>
          {['Time (UTC)', 'Client', 'Step', 'Outcome', 'Reason', 'Detail', 'From'].map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <td>{row.at.toISOString().replace('T', ' ').slice(0, 19)}</td>
            <td>
              {row.clientId !== null && (
                <a href={`${PATH}?${new URLSearchParams({ client: row.clientId })}`}>{row.clientId}</a>
              )}
            </td>
            <td>{row.step}</td>
            <td>{row.outcome}</td>
            <td>{row.reason}</td>
            <td>
              {Object.entries(row.detail)
                .map(([name, value]) => `${name}: ${value}`)
                .join(', ')}
            </td>
            <td>
              {row.ip} <span class="host">{row.userAgent}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** /admin/oauth: the operator's view of the last OAuth exchanges. For everybody else there is no such page. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import type { OauthContext } from '../../oauth/context.ts'
import { listTrace, TRACE_OUTCOMES, type TraceOutcome, type TraceRow } from '../../oauth/trace.service.ts'
import { Layout } from '../layout.tsx'
import { sendPage } from '../page.http.ts'
import { findSignedIn } from '../signed-in.ts'
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
      <form method="get" action={PATH} class="fields">
        <div class="field">
          <label for="trace-client">Client</label>
          <input
            id="trace-client"
            name="client"
            value={clientId ?? ''}
            autocomplete="off"
            spellcheck={false}
          />
        </div>
        <div class="field">
          <label for="trace-outcome">Outcome</label>
          <select id="trace-outcome" name="outcome">
            <option value="">any</option>
            {TRACE_OUTCOMES.map((name) => (
              <option value={name} selected={name === outcome}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <p>
          <button class="button plain" type="submit">
            Show
          </button>
        </p>
      </form>
      {rows.length === 0 && <p>Nothing was recorded.</p>}
      <ol class="rows">
        {rows.map((row) => (
          <Exchange row={row} />
        ))}
      </ol>
    </Layout>,
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
              <a href={`${PATH}?${new URLSearchParams({ client: row.clientId })}`}>{row.clientId}</a>
            </>
          )}
          {detail.length > 0 && ` · ${detail.join(', ')}`}
        </span>
        <span class="row-note">{[row.ip, row.userAgent].filter(Boolean).join(' · ')}</span>
      </p>
    </li>
  )
}

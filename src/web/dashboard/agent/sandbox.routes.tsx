/**
 * Trying an agent that runs on this very machine: /dashboard/agent/sandbox for people, POST /dev/try-agent for
 * `souk-rfq-test`. Both exist only under the conditions of /dev/outbox, so that nobody else can make this service call a
 * port of the machine it runs on.
 */

import type { Hono } from 'hono'
import { readJson } from '../../../http/body.ts'
import type { HttpEnv } from '../../../http/env.ts'
import { respondEnvelope } from '../../../http/error-response.ts'
import { isFromAnotherSite } from '../../../http/same-origin.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { formatUsd } from '../../../lib/money.ts'
import {
  LOCAL_SELLER,
  RANKED_AMONG,
  SLOW_MS,
  Trial,
  type Tried,
  tryAgent,
  writeTried,
} from '../../../rfq/trial.service.ts'
import { isOutboxOpen } from '../../account/outbox.routes.tsx'
import { sentence } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { FormPanel, type FormSpec, formOf } from '../../kit/form.tsx'
import { optionsOf } from '../../kit/list.tsx'
import { DataTable, Empty, LinkButton, Panel, State } from '../../kit/parts.tsx'
import { Attempt, attemptOfTest } from '../attempts/attempt.tsx'
import { formatMs } from '../attempts/readable.ts'
import type { Dashboard, DashboardDeps, VisitorSeen } from '../guard.tsx'
import { AGENT_PATH, SANDBOX_PATH } from '../paths.ts'
import { REQUEST_FIELDS } from '../request.form.ts'

const TRY_PATH = '/dev/try-agent'

const FORM: FormSpec = {
  address: {
    ...{ kind: 'text', label: 'Your agent', required: true, max: 100, empty: 'text' },
    hint: 'A port of this computer, such as 127.0.0.1:8787. It needs no certificate.',
  },
  product_slug: {
    ...REQUEST_FIELDS.product_slug,
    kind: 'product',
    label: 'Product',
    required: true,
    hint: undefined,
  },
  quantity: { kind: 'number', label: 'Quantity', min: 1 },
  delivery_region: { kind: 'region', label: 'Deliver to', max: 60 },
  auth_type: {
    ...{ kind: 'choice', label: 'Authentication' },
    options: optionsOf({ none: 'None', hmac: 'HMAC signature', bearer: 'Bearer token' }),
  },
  secret: { kind: 'secret', label: 'Secret', hint: 'Used for this request only, and not stored.' },
}
const START = {
  address: '127.0.0.1:8787',
  product_slug: 'espresso-machines/grindel-unison-54',
  quantity: '2',
}

export function mountSandbox(app: Hono<HttpEnv>, dashboard: Dashboard, { ctx, config }: DashboardDeps): void {
  async function show({ c, state }: VisitorSeen, tried: Tried | null = null): Promise<Page> {
    const isOpen = isOutboxOpen(c, config)
    return {
      title: 'Agent sandbox',
      lead: 'Try an agent that runs on this computer. No domain, certificate or claim is needed, and no buyer sees it.',
      actions: <LinkButton to={AGENT_PATH} label="Back to agent" />,
      body: !isOpen ? (
        <Empty>
          The sandbox works when Souk runs on your own computer, without a mail server and at a loopback
          address. <a href="/docs/producers">How to start it there</a>
        </Empty>
      ) : (
        <>
          {tried && <Outcome tried={tried} deadlineMs={ctx.rfqDeadlineMs} />}
          <FormPanel
            title={tried ? 'Try again' : 'Send a test request'}
            action={SANDBOX_PATH}
            label="Ask for a quote"
            of={FORM}
            state={{ ...state, values: { ...START, ...state.values } }}
          />
          <Panel title="No agent yet?">
            <p>
              Start an example in Node or Python, then press the button. <a href="/docs/producers">How to</a>
            </p>
          </Panel>
        </>
      ),
    }
  }

  dashboard.page(SANDBOX_PATH, 'edit', (seen) => show(seen))

  dashboard.action(SANDBOX_PATH, {
    schema: formOf(FORM, Trial),
    async act({ c, visitor, input }) {
      if (!visitor.may('edit')) throw new AppError('forbidden', 'your role is read-only')
      if (!isOutboxOpen(c, config)) throw notFound('the sandbox is not open here, so nothing was sent')
      const tried = await tryAgent(ctx, input, c.req.raw.signal)
      const { host, port } = input.address
      const values = {
        ...{ address: `${host}:${port}`, product_slug: tried.tested.productSlug ?? '' },
        ...{ quantity: String(input.quantity), delivery_region: input.delivery_region ?? '' },
        auth_type: input.auth_type,
      }
      return show({ c, visitor, state: { values, errors: {} } }, tried)
    },
  })

  app.post(TRY_PATH, async (c) => {
    // A page of another site can make this machine's browser send here, and must not make us knock at ports.
    if (isFromAnotherSite(c, config.baseUrl))
      throw new AppError('forbidden', 'this request came from another site, so nothing was sent')
    if (!isOutboxOpen(c, config)) return c.notFound()
    try {
      const trial = await readJson(c, Trial)
      return c.json(writeTried(await tryAgent(ctx, trial, c.req.raw.signal)))
    } catch (error) {
      if (error instanceof AppError) return respondEnvelope(c, error)
      throw error
    }
  })
}

function Outcome({ tried, deadlineMs }: { tried: Tried; deadlineMs: number }) {
  const { tested, cardProblem, isSlow, ranked } = tried
  const attempt = attemptOfTest(tested)
  return (
    <>
      <Panel title="Result">
        {cardProblem !== null && (
          <p class="aside">
            <strong>Agent card:</strong> {sentence(cardProblem)}
          </p>
        )}
        {isSlow && (
          <p class="aside">
            Your agent took longer than {formatMs(SLOW_MS)}. Buyers’ agents wait for every answer: aim for one
            second.
          </p>
        )}
        {attempt && (
          <Attempt attempt={attempt} title={tested.productSlug ?? 'Test'} deadlineMs={deadlineMs} />
        )}
      </Panel>
      {ranked.length > 0 && (
        <Panel title="Ranked" lead={RANKED_AMONG}>
          <DataTable
            caption="Quotes in order"
            columns={['Seller', { label: 'Rank', kind: 'number' }, { label: 'Total', kind: 'number' }, 'Why']}
            rows={ranked.map(({ rank, org, totalCents, rankReasons }) => [
              org.id === LOCAL_SELLER ? <State tone="good">Your agent</State> : `${org.name} (demo)`,
              String(rank),
              formatUsd(totalCents),
              rankReasons.map(sentence).join(' '),
            ])}
          />
        </Panel>
      )}
    </>
  )
}

/**
 * What a request tells of an agent is stored before the request reads `completed`: anyone who polls the task and then looks at
 * the agent sees what this very request did to it, on every face.
 */
import { expect, test } from 'vitest'
import { answerWith, createRfqWorld, PRODUCT } from '../e2e/rfq.world.ts'
import { call } from '../orgs.ts'
import { withTools } from '../tools.world.ts'

const now = () => world.clock.now()
const world = withTools(
  await createRfqWorld({
    good: { respond: (...args) => answerWith(now, { price_usd: 90 })(...args) },
    dear: { respond: (...args) => answerWith(now, { price_usd: 120 })(...args) },
    bad: { respond: (_received, response) => void response.writeHead(200).end('oops') },
  }),
)
const { pool } = world.database
const RPC = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }

async function rpc(method: string, params: unknown) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await world.app.request('/a2a/', { method: 'POST', headers: RPC, body })
  return ((await response.json()) as { result: { task?: { id: string }; status?: { state: string } } }).result
}

/** Polls as a buyer does; the moment it reads completed, nothing is waited for any more. */
async function completed(): Promise<void> {
  const metadata = { skill: 'request-for-quote', product_slug: PRODUCT }
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'x' }], metadata }
  const { task } = await rpc('SendMessage', { message })
  const readState = async () => (await rpc('GetTask', { id: task?.id }))?.status?.state
  await expect.poll(readState, { timeout: 15_000, interval: 1 }).toBe('TASK_STATE_COMPLETED')
}

async function health(): Promise<Record<string, unknown>> {
  const { rows } = await pool.query(
    `select o.name, i.status, i.failures_in_a_row as failures, i.last_checked_at is not null as checked
     from agent_integrations i join orgs o on o.id = i.org_id`,
  )
  return Object.fromEntries(rows.map(({ name, ...rest }) => [name, rest]))
}

const orgOf = (name: string) => {
  const found = world.producers[name]
  if (!found) throw new Error(`there is no ${name}`)
  return found.org
}

test('when the task reads completed, status and health of every agent count this request', async () => {
  for (const failures of [1, 2, 3]) {
    await completed()
    expect(await health()).toEqual({
      good: { status: 'active', failures: 0, checked: true },
      dear: { status: 'active', failures: 0, checked: true },
      bad: { status: failures < 3 ? 'pending' : 'unreachable', failures, checked: true },
    })
  }
})

test('and so do its page, its tools, its inspector and its figures', async () => {
  const before = await figures('good')
  await completed()
  const seen = await call(world, orgOf('bad').session, 'GET', '/api/org/agent-integration/')
  expect(seen.body).toMatchObject({ status: 'unreachable' })
  const token = await world.tokenFor(orgOf('bad').ownerId)
  const report = await world.call({ token }, 'get_agent_integration')
  expect(report.data).toMatchObject({ failures_in_a_row: 4 })
  const lost = await call(world, orgOf('dear').session, 'GET', '/api/org/rfqs/?limit=1')
  expect(lost.body.rfqs).toMatchObject([
    { state: 'completed', outcome: 'lost', rank: 2, loss_reason: 'your total was 30–35% above the winner’s' },
  ])
  const after = await figures('good')
  expect([
    after.rfqs - before.rfqs,
    after.quotes - before.quotes,
    after.ranked_first - before.ranked_first,
  ]).toEqual([1, 1, 1])
})

async function figures(name: string): Promise<{ rfqs: number; quotes: number; ranked_first: number }> {
  const token = await world.tokenFor(orgOf(name).ownerId)
  const { data } = await world.call({ token }, 'get_performance')
  return data.totals as { rfqs: number; quotes: number; ranked_first: number }
}

test('an answer that cannot be counted is not stored either, so the request is not complete without it', async () => {
  await pool.query(
    'alter table agent_integrations add constraint broken check (last_checked_at is null) not valid',
  )
  const { rfqId } = await world.submit()
  await expect
    .poll(
      async () =>
        (await pool.query(`select 1 from jobs where kind = 'rfq.run' and last_error is not null`)).rowCount,
      {
        timeout: 15_000,
      },
    )
    .toBeGreaterThan(0)
  const { rows } = await pool.query(
    `select r.state, (select count(*)::int from rfq_attempts a where a.rfq_id = r.id and a.verdict is not null) as answers
     from rfqs r where r.id = $1`,
    [rfqId],
  )
  expect(rows).toEqual([{ state: 'submitted', answers: 0 }])
  await pool.query('alter table agent_integrations drop constraint broken')
})

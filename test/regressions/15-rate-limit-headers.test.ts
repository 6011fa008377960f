/**
 * The headers of the daily quota, held against the quota itself: one account walks through every status that the tool
 * server answers with, and what each answer says is left must be what the next request that is served says, plus one.
 */
import { expect, test } from 'vitest'
import { createToolQuota } from '../../src/agents/mcp/quota.ts'
import { ask, createProtocolWorld, META, MODERN } from '../e2e/tools.protocol.world.ts'
import { BASE_URL, SILENT } from '../harness.ts'

const world = await createProtocolWorld()
const { pool, db } = world.database
const PATHS = ['/mcp', '/mcp/', '/sse', '/sse/', '/mcp/connector', '/mcp/connector/']
const RESET = Date.parse('2026-11-02T00:00:00Z') / 1000

type Sent = { method?: string; headers?: Record<string, string>; body?: string; path?: string }

function send(token: string | null, { method = 'POST', headers = {}, body, path = '/mcp/' }: Sent) {
  return world.app.request(`${BASE_URL}${path}`, {
    method,
    headers: {
      accept: 'application/json, text/event-stream',
      ...(method === 'POST' && { 'content-type': 'application/json' }),
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(method === 'POST' && { body: body ?? JSON.stringify(ask('ping')) }),
  })
}

function said(answer: Response): number {
  expect(Number(answer.headers.get('x-ratelimit-reset'))).toBe(RESET)
  const remaining = answer.headers.get('x-ratelimit-remaining')
  expect(remaining).toMatch(/^\d+$/)
  return Number(remaining)
}

/** Counts one, and says what is left after it. */
const next = async (token: string, path?: string) => {
  const answer = await send(token, { path })
  expect(answer.status).toBe(200)
  return said(answer)
}

const modern = (method: string) => ({
  headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method },
  body: JSON.stringify(ask(method, { _meta: META })),
})

const WALK: Array<[what: string, status: number, counts: boolean, sent: Sent]> = [
  ['GET', 405, false, { method: 'GET' }],
  ['DELETE', 405, false, { method: 'DELETE' }],
  ['PUT', 405, false, { method: 'PUT' }],
  ['a preflight', 204, false, { method: 'OPTIONS', headers: { origin: 'https://agent.example' } }],
  ['a page of another host', 403, false, { headers: { host: 'evil.example' } }],
  ['a page over plain http', 403, false, { headers: { origin: 'http://evil.example' } }],
  [
    'GET of a page over plain http',
    403,
    false,
    { method: 'GET', headers: { origin: 'http://evil.example' } },
  ],
  ['a body that is no JSON', 400, true, { body: '{' }],
  ['a body that is empty', 400, true, { body: '' }],
  ['a body of another type', 415, true, { headers: { 'content-type': 'text/plain' } }],
  ['a body that is too large', 413, true, { body: ' '.repeat(4 * 1024 * 1024 + 1) }],
  ['a body that is nested too deeply', 400, true, { body: '['.repeat(50_000) }],
  ['a malformed message', 400, true, { body: '{"jsonrpc":"1.0"}' }],
  ['too large a batch', 400, true, { body: JSON.stringify(Array(21).fill(ask('ping'))) }],
  ['a batch', 200, true, { body: JSON.stringify([ask('ping'), ask('ping')]) }],
  [
    'a notification',
    202,
    true,
    { body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }) },
  ],
  ['an unknown method', 200, true, { body: JSON.stringify(ask('no/such')) }],
  ['an unknown method of the newest revision', 404, true, modern('no/such')],
  ['an unknown version', 400, true, { headers: { 'mcp-protocol-version': '1999-01-01' } }],
  ['a missing header', 400, true, { ...modern('tools/list'), headers: { 'mcp-protocol-version': MODERN } }],
  ['an unknown tool', 200, true, { body: JSON.stringify(ask('tools/call', { name: 'no_such_tool' })) }],
  ['events only', 200, true, { headers: { accept: 'text/event-stream' } }],
]

test.each(PATHS)('on %s every answer says what is left after it', async (path) => {
  const { token } = await world.person()
  let left = await next(token, path)
  expect(left).toBe(499)
  for (const [what, status, counts, sent] of WALK) {
    const answer = await send(token, { path, ...sent })
    expect({ what, status: answer.status }).toEqual({ what, status })
    if (counts) left--
    expect({ what, left: said(answer) }).toEqual({ what, left })
    expect({ what, next: await next(token, path) }).toEqual({ what, next: left - 1 })
    left--
  }
})

test('refusals before the first request of the day say what the account has left, not what a new one has', async () => {
  const { token, userId } = await world.person()
  await pool.query(`insert into tool_days (user_id, day, taken) values ($1, '2026-11-01', 460)`, [userId])
  expect(said(await send(token, { method: 'GET' }))).toBe(40)
  expect(said(await send(token, { headers: { host: 'evil.example' } }))).toBe(40)
  expect(await next(token)).toBe(39)
})

test.each<[what: string, spoil: (userId: string) => Promise<unknown>]>([
  ['is revoked', (id) => pool.query('update oauth_families set revoked_at = now() where user_id = $1', [id])],
  [
    'has run out',
    (id) =>
      pool.query(
        `update oauth_access_tokens t set expires_at = '2026-11-01T11:00:00Z' from oauth_families f
         where f.id = t.family_id and f.user_id = $1 and t.token_hash = (
           select t2.token_hash from oauth_access_tokens t2 join oauth_families f2 on f2.id = t2.family_id
           where f2.user_id = $1 order by f2.created_at, f2.id limit 1)`,
        [id],
      ),
  ],
  [
    'is for another service',
    (id) =>
      pool.query('update oauth_families set resource = $2 where user_id = $1', [
        id,
        'https://other.example/mcp',
      ]),
  ],
])('a token that %s is refused with what its account has left', async (_what, spoil) => {
  const { token, userId } = await world.person()
  for (let n = 0; n < 7; n++) await next(token)
  await spoil(userId)
  for (const method of ['POST', 'GET', 'OPTIONS']) {
    const refused = await send(token, { method })
    expect(refused.status).toBe(method === 'POST' ? 401 : method === 'GET' ? 405 : 204)
    expect(said(refused)).toBe(493)
  }
  const fresh = await world.tokenFor(userId)
  expect(await next(fresh)).toBe(492)
})

test('without a token, or with one that never was, the figures are those of a new account', async () => {
  for (const token of [null, 'souk_at_never', 'x'.repeat(5_000)])
    expect(said(await send(token, {}))).toBe(500)
})

test('over the quota every status says 0, and after midnight 500 again', async () => {
  const { token, userId } = await world.person()
  await pool.query(`insert into tool_days (user_id, day, taken) values ($1, '2026-11-01', 499)`, [userId])
  expect(await next(token)).toBe(0)
  const over = await send(token, {})
  expect([over.status, said(over)]).toEqual([429, 0])
  for (const [, status, counts, sent] of WALK) {
    const answer = await send(token, sent)
    expect([answer.status, said(answer)]).toEqual([counts ? 429 : status, 0])
  }
  world.clock.set('2026-11-02T00:00:00Z')
  const answer = await send(token, { method: 'GET' })
  expect(answer.headers.get('x-ratelimit-remaining')).toBe('500')
  expect(Number(answer.headers.get('x-ratelimit-reset'))).toBe(RESET + 86_400)
  world.clock.set('2026-11-01T12:00:00Z')
})

test('an answer that takes long says what is left when it is given', async () => {
  const { token } = await world.person()
  expect(await next(token)).toBe(499)
  // The call waits for this table; meanwhile others are counted.
  const gate = await pool.connect()
  try {
    await gate.query('begin; lock table saved_products in access exclusive mode')
    const slow = send(token, {
      body: JSON.stringify(ask('tools/call', { name: 'list_saved_products', arguments: {} })),
    })
    await expect
      .poll(
        async () =>
          (
            await pool.query(
              // Databases that are copies of one template share the numbers of their tables.
              `select 1 from pg_locks l join pg_database d on d.oid = l.database
               where d.datname = current_database() and relation = 'saved_products'::regclass and not granted`,
            )
          ).rowCount,
        { timeout: 15_000, interval: 10 },
      )
      // It reads the table twice at once: as many as two wait.
      .toBeGreaterThan(0)
    for (let n = 0; n < 5; n++) await next(token)
    await gate.query('commit')
    expect(said(await slow)).toBe(493)
    expect(await next(token)).toBe(492)
  } finally {
    gate.release()
  }
})

test('what a node tells of an account that another node serves is what the database has', async () => {
  const { token, userId } = await world.person()
  const other = createToolQuota({ db, pool, clock: world.clock, log: SILENT })
  for (let n = 0; n < 30; n++) await other.spend(userId)
  await other.stop()
  expect(said(await send(token, { method: 'GET' }))).toBe(470)
  expect(await next(token)).toBe(469)
})

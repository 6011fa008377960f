/**
 * A producer tries its own agent through the tool server: real signed requests to real servers, judged as real answers
 * are, that leave nothing behind for buyers, statistics or the agent's record of failures.
 */
import { createHmac } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createOrg, relate } from '../orgs.ts'
import { HOSTILE, outsideFences } from '../skills.world.ts'
import { withTools } from '../tools.world.ts'
import { answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

const SECRET = 'a shared secret of the producer'
const TOKEN = 'a-bearer-token-of-the-producer'
const answers: Record<string, Respond> = {}
const saying =
  (name: string): Respond =>
  (...args) =>
    (answers[name] ?? answerWith(() => world.clock.now()))(...args)

const world = withTools(
  await createRfqWorld({
    hmac: { respond: saying('hmac'), auth: { type: 'hmac', secret: SECRET } },
    bearer: { respond: saying('bearer'), auth: { type: 'bearer', secret: TOKEN } },
    open: { respond: saying('open') },
  }),
)
const { pool } = world.database

beforeEach(async () => {
  for (const name of Object.keys(answers)) delete answers[name]
  await pool.query(`delete from audit_log where action = 'integration.tested'`)
  await pool.query(
    `update agent_integrations set status = 'pending', failures_in_a_row = 0, last_checked_at = null`,
  )
})

function producer(name: string) {
  const found = world.producers[name]
  if (!found) throw new Error(`there is no ${name}`)
  return found
}
const ownerOf = async (name: string) => ({ token: await world.tokenFor(producer(name).org.ownerId) })
const tryOut = async (name: string) =>
  world.call(await ownerOf(name), 'get_agent_integration', { run_test: true })
const rowOf = async (name: string) =>
  (await pool.query('select * from agent_integrations where org_id = $1', [producer(name).org.id])).rows[0]

test('a test is one signed request as a real one, and no request is kept of it', async () => {
  const { text, data } = await tryOut('hmac')
  const [received, ...more] = producer('hmac').received
  expect(more).toEqual([])
  const body = JSON.parse(received?.body ?? '')
  const { rfq_id } = data.test as { rfq_id: string }
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    id: rfq_id,
    method: 'message/send',
    params: {
      message: {
        role: 'user',
        metadata: {
          skill: 'respond-to-rfq',
          rfq_id,
          product_slug: PRODUCT,
          quantity: 1,
          delivery_region: 'CA-US',
        },
      },
    },
  })
  const stamp = received?.headers['x-service-timestamp']
  const signature = createHmac('sha256', SECRET).update(`${stamp}.${received?.body}`).digest('hex')
  expect(received?.headers['x-service-signature']).toBe(signature)
  expect(data.test).toMatchObject({
    kind: 'agent',
    response_status: 200,
    verdict: 'quoted',
    fix: null,
    answer: { price_usd: 100, shipping_cost_usd: 5 },
  })
  expect(text + JSON.stringify(data)).not.toContain(signature)
  expect(text + JSON.stringify(data)).not.toContain(SECRET)
  const { rows } = await pool.query(
    'select (select count(*)::int from rfqs) as rfqs, (select count(*)::int from rfq_attempts) as attempts, (select count(*)::int from rfq_quotes) as quotes',
  )
  expect(rows).toEqual([{ rfqs: 0, attempts: 0, quotes: 0 }])
})

test('a good answer makes an agent active, and a bad one is not held against it', async () => {
  answers.open = (_received, response) => void response.writeHead(500).end('broken')
  for (let n = 0; n < 4; n++)
    expect((await tryOut('open')).data.test).toMatchObject({ verdict: 'bad_status' })
  expect(await rowOf('open')).toMatchObject({
    status: 'pending',
    failures_in_a_row: 0,
    last_checked_at: null,
  })
  delete answers.open
  await pool.query(`update agent_integrations set status = 'unreachable', failures_in_a_row = 5`)
  expect((await tryOut('open')).data).toMatchObject({ status: 'active', failures_in_a_row: 0 })
})

test('one try is made, even where a real request would be sent once more', async () => {
  const before = producer('open').received.length
  answers.open = (_received, response) => void response.writeHead(503).end()
  const { data } = await tryOut('open')
  expect(data.test).toMatchObject({ verdict: 'bad_status', response_status: 503 })
  expect(producer('open').received).toHaveLength(before + 1)
})

test('what is wrong with an answer is said, with what to do about it', async () => {
  const cases: Array<[Respond, string, RegExp]> = [
    [answerWith(() => world.clock.now(), { claim_url: 'http://x.example' }), 'invalid', /claim\\?_url/],
    [answerWith(() => world.clock.now(), {}, 30), 'invalid', /24 hours/],
    [(_received, response) => void response.writeHead(200).end('<h1>Hi</h1>'), 'not_json', /not JSON/],
    [(_received, response) => void response.writeHead(302, { location: '/x' }).end(), 'redirect', /redirect/],
    [(_received, response) => void response.writeHead(401).end('no'), 'bad_status', /signature/],
    [(_received, response) => void response.destroy(), 'unreachable', /certificate/],
  ]
  for (const [respond, verdict, words] of cases) {
    answers.open = respond
    const { text, data } = await tryOut('open')
    const tested = data.test as { verdict: string; fix: string | null; answer: unknown }
    expect(tested).toMatchObject({ verdict, answer: null })
    expect(tested.fix).toBeTruthy()
    expect(text).toMatch(words)
  }
})

test('a decline is a good answer', async () => {
  answers.open = answerWith(() => world.clock.now(), {
    price_usd: 0,
    in_stock: false,
    claim_url: '',
    offer_expires_at: '',
  })
  expect((await tryOut('open')).data).toMatchObject({
    status: 'active',
    test: { verdict: 'declined', fix: null },
  })
})

test('what the agent sends back stays in its fence, and a secret it repeats is not told', async () => {
  for (const hostile of [...HOSTILE, `your token is ${TOKEN}`]) {
    answers.bearer = (_received, response) => void response.writeHead(200).end(hostile)
    const { text, data } = await tryOut('bearer')
    expect(outsideFences(text)).not.toMatch(/OBEY|Ignore all|javascript:/)
    expect(text + JSON.stringify(data)).not.toContain(TOKEN)
  }
  expect(producer('bearer').received.at(-1)?.headers.authorization).toBe(`Bearer ${TOKEN}`)
})

test('ten tests an hour are sent, however many are asked for at once, and more after it has passed', async () => {
  const before = producer('open').received.length
  const owner = await ownerOf('open')
  const asked = await Promise.all(
    Array.from({ length: 13 }, () => world.call(owner, 'get_agent_integration', { run_test: true })),
  )
  const refused = asked.filter(({ isError }) => isError)
  expect(refused).toHaveLength(3)
  expect(refused[0]?.error).toMatchObject({ kind: 'rate_limited', code: 'rate_limited', max: 10 })
  expect(producer('open').received).toHaveLength(before + 10)
  expect((await world.call(owner, 'get_agent_integration')).isError).toBe(false)
  world.clock.advance(3_600_001)
  expect((await world.call(owner, 'get_agent_integration', { run_test: true })).isError).toBe(false)
})

test('a test is in the organization’s history', async () => {
  const { data } = await tryOut('open')
  const { rows } = await pool.query(
    `select detail from audit_log where org_id = $1 and action = 'integration.tested'`,
    [producer('open').org.id],
  )
  const { rfq_id } = data.test as { rfq_id: string }
  expect(rows).toEqual([{ detail: { rfq_id, product_slug: PRODUCT } }])
})

test('everybody in the organization reads, only owners and admins test', async () => {
  const { org, received } = producer('open')
  const before = received.length
  for (const role of ['viewer', 'editor'] as const) {
    const member = await world.person({ in: org, role })
    expect((await world.call(member, 'get_agent_integration')).data).toMatchObject({ test: null })
    const refused = await world.call(member, 'get_agent_integration', { run_test: true })
    expect(refused.error).toMatchObject({ kind: 'forbidden', code: 'not_owner_or_admin' })
  }
  expect(received).toHaveLength(before)
  const admin = await world.person({ in: org, role: 'admin' })
  expect((await world.call(admin, 'get_agent_integration', { run_test: true })).isError).toBe(false)
  expect((await world.call(await world.person(), 'get_agent_integration')).isError).toBe(true)
})

test('with managed pricing a test is the simulated quote, and nothing is sent', async () => {
  const shop = await createOrg(world, { name: 'Managed' })
  await relate(world, shop, world.product)
  const owner = { token: await world.tokenFor(shop.ownerId) }
  await world.call(owner, 'set_agent_integration', { is_managed: true })
  const { data, text } = await world.call(owner, 'get_agent_integration', { run_test: true })
  expect(data).toMatchObject({
    is_managed: true,
    status: 'active',
    test: { kind: 'managed', verdict: 'quoted', endpoint: null, answer: { price_usd: 130 } },
  })
  expect(text).toContain('$130')
})

test('with nothing to test, or no product to test with, it says what to do', async () => {
  const shop = await createOrg(world, { name: 'New' })
  const owner = { token: await world.tokenFor(shop.ownerId) }
  const none = await world.call(owner, 'get_agent_integration', { run_test: true })
  expect(none.data).toMatchObject({ test: { kind: 'none', verdict: null }, agent_card_url: null })
  expect(none.text).toContain('set_agent_integration')
  await world.call(owner, 'set_agent_integration', { is_managed: true })
  const bare = await world.call(owner, 'get_agent_integration', { run_test: true })
  expect(bare.data).toMatchObject({ test: { kind: 'none' } })
  expect(bare.text).toContain('claim_product')
})

test('the last five answers are told, newest first, with what to do, and nobody else’s', async () => {
  answers.open = (_received, response) => void response.writeHead(404).end()
  for (let n = 0; n < 6; n++) {
    world.clock.advance(60_000)
    await world.ask({ quantity: n + 1 })
  }
  const owner = await ownerOf('open')
  await expect.poll(async () => (await rowOf('open')).failures_in_a_row, { timeout: 20_000 }).toBe(6)
  const { data, text } = await world.call(owner, 'get_agent_integration')
  const last = data.last_attempts as Array<{ asked_at: string; verdict: string; fix: string; ms: number }>
  expect(last).toHaveLength(5)
  expect(last.map(({ verdict }) => verdict)).toEqual(Array(5).fill('bad_status'))
  expect(last.map(({ asked_at }) => asked_at)).toEqual(
    last
      .map(({ asked_at }) => asked_at)
      .sort()
      .reverse(),
  )
  expect(data).toMatchObject({ status: 'unreachable', failures_in_a_row: 6 })
  expect(text).toContain('POST /message:send')
  expect(data.advice).toContain(last[0]?.fix)
})

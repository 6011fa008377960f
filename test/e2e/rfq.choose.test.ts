/** Choosing a quote: once, by its buyer, while it stands; and who learns of it. */
import { expect, test } from 'vitest'
import { createAcceptedJob } from '../../src/rfq/accepted.job.ts'
import { chooseQuote } from '../../src/rfq/choose.service.ts'
import type { RfqTask } from '../../src/rfq/rfq.service.ts'
import { signIn } from '../accounts.ts'
import { call } from '../orgs.ts'
import { answerWith, createRfqWorld, STRANGER } from './rfq.world.ts'

const HOUR_MS = 3_600_000
const now = () => world.clock.now()
let broken = false
const world = await createRfqWorld(
  {
    acme: {
      skills: ['quote-accepted'],
      auth: { type: 'hmac', secret: 'a secret of acme' },
      respond: (received, response, count) => {
        if (broken) response.writeHead(400).end()
        else answerWith(now, { price_usd: 100, shipping_cost_usd: 5 })(received, response, count)
      },
    },
    bolt: { respond: (...args) => answerWith(now, { price_usd: 80 })(...args), skills: [] },
    dull: { respond: (...args) => answerWith(now, { price_usd: 60, in_stock: false })(...args) },
  },
  { jobs: (ctx) => [createAcceptedJob(ctx)] },
)
const { rfq, producers, ask } = world
const { pool } = world.database

const quoteOf = (task: RfqTask, name: string) => {
  const quote = task.quotes.find(({ org }) => org.name === name)
  if (!quote) throw new Error(name)
  return { quote_id: quote.quote_id, total_usd: quote.total_usd }
}
const post = (task: RfqTask, body: unknown, init: RequestInit = {}) =>
  world.app.request(`http://souk.test/api/rfq/${task.rfqId}/choose/`, {
    method: 'POST',
    body: JSON.stringify(body),
    ...init,
    headers: { 'content-type': 'application/json', ...init.headers },
  })
const refused = async (answer: Response | Promise<Response>) => {
  const response = await answer
  const body = (await response.json()) as { error: string; code?: string; field?: string }
  return [response.status, body.code, body.field, body.error]
}
const messages = (name: string) =>
  (producers[name]?.received ?? [])
    .filter(({ body }) => body.includes('quote-accepted'))
    .map(({ body, headers }) => ({ headers, ...JSON.parse(body).params.message.metadata }))

test('a choice is recorded once, gives the claim link, and says that it is not an order', async () => {
  const task = await ask({ quantity: 2 })
  const acme = quoteOf(task, 'acme')
  const first = await post(task, acme)
  const chosen = (await first.json()) as { chosen: Record<string, unknown> }
  expect([first.status, first.headers.get('referrer-policy'), first.headers.get('x-robots-tag')]).toEqual([
    200,
    'no-referrer',
    'noindex, nofollow',
  ])
  expect(chosen.chosen).toMatchObject({
    ...acme,
    chosen_at: now().toISOString(),
    claim_url: expect.stringContaining(`/go/${acme.quote_id}`),
    note: expect.stringContaining('not an order'),
  })
  expect(acme.total_usd).toBe(205)
  world.clock.advance(25 * HOUR_MS)
  expect((await post(task, acme)).status).toBe(200)
  expect(await refused(post(task, quoteOf(task, 'bolt')))).toEqual([
    409,
    'conflict',
    'quote_id',
    'another quote of this request was already chosen',
  ])
  const read = (await (await world.app.request(`/api/rfq/${task.rfqId}`)).json()) as { chosen: unknown }
  expect(read.chosen).toEqual(chosen.chosen)
})

test('what cannot be chosen says why, and nothing is recorded', async () => {
  const task = await ask()
  const bolt = quoteOf(task, 'bolt')
  expect(await refused(post(task, quoteOf(task, 'dull')))).toEqual([
    409,
    'conflict',
    'quote_id',
    'this seller is out of stock; choose another quote',
  ])
  expect((await refused(post(task, { ...bolt, total_usd: 1 }))).slice(0, 3)).toEqual([
    409,
    'conflict',
    'total_usd',
  ])
  expect(
    (await refused(post(task, { ...bolt, quote_id: quoteOf(await ask(), 'bolt').quote_id }))).slice(0, 3),
  ).toEqual([404, 'not_found', 'quote_id'])
  expect((await refused(post({ ...task, rfqId: task.sessionId }, bolt)))[0]).toBe(404)
  expect((await refused(post(task, { quote_id: 7 })))[0]).toBe(400)
  await pool.query('update orgs set deactivated_at = now() where id = $1', [producers.bolt?.org.id])
  expect((await refused(post(task, bolt)))[3]).toBe('this seller no longer sells here; choose another quote')
  await pool.query('update orgs set deactivated_at = null where id = $1', [producers.bolt?.org.id])
  world.clock.advance(25 * HOUR_MS)
  expect((await refused(post(task, bolt)))[3]).toMatch(
    /^this quote expired at 2026-.*; request quotes again$/,
  )
  const { rows } = await pool.query('select chosen_quote_id from rfqs where id = $1', [task.rfqId])
  expect(rows).toEqual([{ chosen_quote_id: null }])
})

test('of many choices at the same time one stands', async () => {
  const task = await ask()
  const choices = [...Array(6).keys()].map((n) => quoteOf(task, n % 2 === 0 ? 'acme' : 'bolt'))
  const statuses = (await Promise.all(choices.map((choice) => post(task, choice)))).map(
    ({ status }) => status,
  )
  expect(statuses.filter((status) => status === 200)).toHaveLength(3)
  expect(statuses.filter((status) => status === 409)).toHaveLength(3)
  const { rows } = await pool.query(
    `select count(*)::int as jobs from jobs j join rfq_quotes q on q.id::text = j.payload ->> 'quoteId'
     where j.kind = 'rfq.accepted' and q.rfq_id = $1`,
    [task.rfqId],
  )
  expect(rows).toEqual([{ jobs: 1 }])
})

test('a signed-in buyer’s request is theirs alone, by session and by access token', async () => {
  const [ada, eve] = [await signIn(world, { verified: true }), await signIn(world, { verified: true })]
  const { rows } = await pool.query('select id from users where email = $1', [ada.email])
  const task = await world.submit({}, { ...STRANGER, userId: rows[0].id })
  const read = async (headers: Record<string, string>) =>
    (await world.app.request(`http://souk.test/api/rfq/${task.rfqId}/`, { headers })).status
  expect(await read({})).toBe(404)
  expect(await read({ cookie: eve.cookie })).toBe(404)
  expect(await read({ cookie: ada.cookie })).toBe(200)
  const evil = { headers: { cookie: ada.cookie, origin: 'https://evil.example' } }
  expect((await post(task, { quote_id: task.rfqId, total_usd: 1 }, evil)).status).toBe(403)
  expect(await read({ authorization: 'Bearer nonsense' })).toBe(401)
})

test('the seller learns of it by one signed message, if its card declares the skill; the others learn only that', async () => {
  const task = await ask({ quantity: 3 })
  const before = messages('acme').length
  await chooseQuote(rfq, { id: task.rfqId, userId: null, visit: STRANGER.visit, ...quoteOf(task, 'acme') })
  await expect.poll(() => messages('acme').length, { timeout: 10_000 }).toBe(before + 1)
  const said = messages('acme').at(-1)
  expect(said).toMatchObject({
    skill: 'quote-accepted',
    rfq_id: task.sessionId,
    quote_id: quoteOf(task, 'acme').quote_id,
    quantity: 3,
    total_usd: 305,
  })
  expect(said.headers['x-service-signature']).toMatch(/^[0-9a-f]{64}$/)
  expect(JSON.stringify(said)).not.toContain(task.rfqId)
  const seen = async (name: string) =>
    (await call(world, producers[name]?.org.session ?? null, 'GET', `/api/org/rfqs/${task.sessionId}`)).body
  expect(await seen('acme')).toMatchObject({ outcome: 'won', choice: 'yours', rank: 2 })
  const lost = await seen('bolt')
  expect(lost).toMatchObject({ outcome: 'lost', choice: 'another', rank: 1, decided_by: null })
  expect(JSON.stringify(lost)).not.toMatch(/acme|305/)
  const { rows: notices } = await pool.query(
    `select kind, payload from notices where org_id = $1 and key = $2`,
    [producers.acme?.org.id, quoteOf(task, 'acme').quote_id],
  )
  expect(notices).toEqual([
    {
      kind: 'quote_chosen',
      payload: { product_title: 'Lume One', rfq_id: task.sessionId, quantity: 3, total_cents: 30_500 },
    },
  ])
  const history = await call(world, producers.acme?.org.session ?? null, 'GET', '/api/org/audit/')
  expect(JSON.stringify(history.body)).toContain('rfq.won')
})

test('an agent without the skill is sent nothing, and one that refuses the message keeps its status', async () => {
  const [first, second] = [await ask(), await ask()]
  await chooseQuote(rfq, { id: first.rfqId, userId: null, visit: STRANGER.visit, ...quoteOf(first, 'bolt') })
  broken = true
  await chooseQuote(rfq, {
    id: second.rfqId,
    userId: null,
    visit: STRANGER.visit,
    ...quoteOf(second, 'acme'),
  })
  const done = async () =>
    (
      await pool.query(
        `select count(*)::int as left from jobs where kind = 'rfq.accepted' and state <> 'done'`,
      )
    ).rows[0].left
  await expect.poll(done, { timeout: 10_000 }).toBe(0)
  broken = false
  expect(messages('bolt')).toEqual([])
  const { rows } = await pool.query(
    'select status, failures_in_a_row from agent_integrations where org_id = $1',
    [producers.acme?.org.id],
  )
  expect(rows).toEqual([{ status: 'active', failures_in_a_row: 0 }])
})

test('a request has at most ten links that work, each revocable, and none leads to the request', async () => {
  const task = await ask()
  const at = `http://souk.test/api/rfq/${task.rfqId}/shares/`
  const share = () =>
    world.app.request(at, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
  const made = await Promise.all(Array.from({ length: 12 }, share))
  expect(made.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(made.filter(({ status }) => status === 409)).toHaveLength(2)
  const [first] = made.filter(({ status }) => status === 201)
  const { share_id: id } = ((await first?.json()) ?? {}) as { share_id: string }
  const shared = await world.app.request(`/api/shared-rfq/${id}`)
  const text = await shared.text()
  expect([shared.status, text.includes('"rank":1')]).toEqual([200, true])
  expect(text).not.toMatch(/claim|terms|quote_id|rank_reasons/)
  for (const secret of [task.rfqId, ...task.quotes.map(({ quote_id }) => quote_id)])
    expect(text).not.toContain(secret)
  const gone = await world.app.request(`${at}${id}`, { method: 'DELETE' })
  expect(gone.status).toBe(200)
  expect((await world.app.request(`/api/shared-rfq/${id}`)).status).toBe(404)
  expect((await share()).status).toBe(201)
})

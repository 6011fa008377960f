/** Trying an agent on one's own machine: what is sent and ranked, and that nobody else can make the service knock there. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { createTestApp, testConfig } from '../harness.ts'
import { createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'

const BASE = 'http://localhost:3999'
const ON_MACHINE = { ip: '127.0.0.1', baseUrl: BASE }
const config = testConfig({ SOUK_BASE_URL: BASE, HOST: '127.0.0.1' })
const souk = await createTestApp({ config })
const received: Array<{ path: string; signature: unknown; body: string }> = []
let answer: Record<string, unknown> = {}
const agent = createServer(async (request, response) => {
  const body = await text(request)
  received.push({
    path: `${request.method} ${request.url}`,
    signature: request.headers['x-service-signature'],
    body,
  })
  const card = { skills: [{ id: 'respond-to-rfq', description: 'Quotes' }] }
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(request.method === 'GET' ? card : answer))
})
let port = 0

beforeAll(async () => {
  await addProduct(souk, { category: 'lamps', slug: 'arc', title: 'Arc', list_price: 90 })
  await souk.catchUp()
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve))
  port = (agent.address() as AddressInfo).port
  answer = {
    ...{ price_usd: 80, in_stock: true, claim_url: 'https://shop.example/arc', shipping_cost_usd: 4 },
    offer_expires_at: new Date(souk.clock.now().getTime() + 3_600_000).toISOString(),
  }
})
afterAll(() => void agent.close())

type Asked = { host?: string; ip?: string; headers?: Record<string, string>; body?: Record<string, unknown> }

async function ask({ host = 'localhost:3999', ip = '127.0.0.1', headers = {}, body = {} }: Asked = {}) {
  received.length = 0
  const response = await souk.app.request(
    `${BASE}/dev/try-agent`,
    {
      method: 'POST',
      headers: { host, accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ address: `127.0.0.1:${port}`, product_slug: 'lamps/arc', quantity: 2, ...body }),
    },
    { incoming: { socket: { remoteAddress: ip } } },
  )
  return {
    status: response.status,
    body: (await response.json().catch(() => ({}))) as Record<string, unknown>,
  }
}

test('a request goes out as a real one does, and the answer comes back ranked', async () => {
  const secret = 'a-secret-of-sixteen'
  const tried = await ask({ body: { auth_type: 'hmac', secret } })
  expect(tried).toMatchObject({
    status: 200,
    body: {
      ...{ verdict: 'quoted', card_problem: null, slow: false },
      quotes: [{ rank: 1, yours: true, price_usd: 80, total_usd: 164 }],
    },
  })
  expect(received.map(({ path }) => path)).toEqual(['GET /.well-known/agent-card.json', 'POST /message:send'])
  expect(received[1]?.signature).toMatch(/^[0-9a-f]{64}$/)
  expect(JSON.parse(received[1]?.body ?? '').params.message.metadata).toMatchObject({
    ...{ skill: 'respond-to-rfq', product_slug: 'lamps/arc', quantity: 2 },
  })
  expect(JSON.stringify(tried.body)).not.toContain(secret)
  const { rows } = await souk.database.pool.query('select 1 from rfqs union all select 1 from rfq_attempts')
  expect(rows).toEqual([])
})

test('what the agent gets wrong is named, by the rules that real answers are read by', async () => {
  answer = { ...answer, claim_url: 'http://shop.example' }
  const { body } = await ask()
  expect(body).toMatchObject({ verdict: 'invalid', quotes: [] })
  expect(String(body.reason)).toContain('claim_url')
  answer = { ...answer, claim_url: 'https://shop.example/arc' }
})

test.each<[string, Asked]>([
  ['another machine asks', { ip: '192.0.2.7' }],
  ['a proxy stands in between', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ['the name asked for is another', { host: 'rebound.example' }],
])('it is not there when %s', async (_, asked) => {
  expect((await ask(asked)).status).toBe(404)
  expect(received).toEqual([])
})

test('a page of another site cannot make this machine knock', async () => {
  const sites: Array<Record<string, string>> = [
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
  ]
  for (const headers of sites) expect((await ask({ headers })).status).toBe(403)
  expect(received).toEqual([])
})

test.each([
  '10.0.0.1:80',
  '169.254.169.254:80',
  'shop.example:8787',
  'https://127.0.0.1:8787',
  '127.0.0.1',
  '127.0.0.1:22',
  'user@127.0.0.1:8787',
  '[::ffff:10.0.0.1]:8787',
  'file:///etc/passwd',
])('%s is no port of this computer for web servers', async (address) => {
  expect(await ask({ body: { address } })).toMatchObject({ status: 400, body: { field: 'address' } })
  expect(received).toEqual([])
})

test('the sandbox shows the same to a seller, keeps what was typed, and forgets the secret', async () => {
  const org = await createOrg(souk)
  const browser = createBrowser(souk, ON_MACHINE)
  browser.setCookie(org.session.cookie)
  const path = '/dashboard/agent/sandbox'
  const form = {
    org_id: org.id,
    address: `localhost:${port}`,
    product_slug: 'arc',
    quantity: '3',
    auth_type: 'hmac',
  }
  const host = { host: 'localhost:3999' }
  const done = await (await browser.post(path, { ...form, secret: 'a-secret-of-sixteen' }, host)).text()
  expect(done).toContain('Your agent')
  expect(done).toContain('$244')
  expect(done).toContain('value="3"')
  expect(done).not.toContain('a-secret-of-sixteen')
  const refused = await browser.post(path, { ...form, quantity: '0' }, host)
  expect([refused.status, (await refused.text()).includes(`localhost:${port}`)]).toEqual([400, true])
  const outside = createBrowser(souk, { ip: '192.0.2.9', baseUrl: BASE })
  outside.setCookie(org.session.cookie)
  received.length = 0
  expect((await outside.post(path, { ...form, auth_type: 'none' }, host)).status).toBe(404)
  expect(received).toEqual([])
})

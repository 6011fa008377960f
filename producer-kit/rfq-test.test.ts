import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test, vi } from 'vitest'
import { createRfqHandler, decline, quote, toNode } from './src/index.js'
import { type Finding, type TestOptions, testProducer } from './src/rfq-test.js'
import { CARD, listen, SECRET, TOKEN } from './test-support.ts'

const PRODUCT = 'espresso-machines/grindel-unison-54'

async function findings(url: URL, options: Partial<TestOptions> = {}): Promise<Finding[]> {
  const found: Finding[] = []
  await testProducer({ url, product: PRODUCT, ...options }, (finding) => found.push(finding))
  return found
}

const problems = (found: Finding[]) => found.filter(({ level }) => level === 'problem').map((one) => one.text)
const warnings = (found: Finding[]) => found.filter(({ level }) => level === 'warning').map((one) => one.text)

type Respond = (rfq: { product_slug: string; rfq_id: string }, response: ServerResponse) => void
type Flaw = {
  card?: unknown
  verified?: (request: IncomingMessage, body: string) => boolean
  respond?: Respond
}

const goodQuote = () =>
  quote({ priceUsd: 649, inStock: true, claimUrl: 'https://shop.example/q', shippingCostUsd: 0 })
const reply = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const respondWell: Respond = (rfq, response) =>
  reply(response, 200, rfq.product_slug === PRODUCT ? goodQuote() : decline())

/** A producer written without the kit, right in all but the flaw it is given. */
function handmade({ card, verified = () => true, respond = respondWell }: Flaw) {
  return async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'GET')
      return reply(response, 200, card ?? { skills: [{ id: 'respond-to-rfq', description: 'Quotes' }] })
    const body = await text(request)
    if (!verified(request, body)) return reply(response, 401, { error: 'no' })
    return respond(JSON.parse(body).params.message.metadata, response)
  }
}

/** The interface's rule, with each part open to be left out. */
function verify({ over = (body: string) => body, window = true } = {}) {
  return (request: IncomingMessage, body: string) => {
    const timestamp = String(request.headers['x-service-timestamp'])
    if (window && !(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false
    const expected = createHmac('sha256', SECRET)
      .update(`${timestamp}.${over(body)}`)
      .digest('hex')
    return request.headers['x-service-signature'] === expected
  }
}

test.each<['bearer' | 'hmac' | 'none', Partial<TestOptions>]>([
  ['bearer', { bearer: TOKEN }],
  ['hmac', { hmac: SECRET }],
  ['none', {}],
])('a producer built with the kit has no problem with %s', async (type, options) => {
  const auth =
    type === 'none' ? { type } : type === 'bearer' ? { type, token: TOKEN } : { type, secret: SECRET }
  const handler = createRfqHandler({
    auth,
    card: CARD,
    quote: (rfq) => (rfq.productSlug === PRODUCT ? goodQuote() : decline()),
  })
  const found = await findings(await listen(toNode(handler)), options)
  expect(problems(found)).toEqual([])
  expect(found.filter(({ level }) => level === 'good').length).toBeGreaterThanOrEqual(4)
  expect(JSON.stringify(found)).not.toContain(SECRET)
})

test('a producer without the kit that follows the interface has no problem either', async () => {
  const url = await listen(handmade({ verified: verify() }))
  expect(problems(await findings(url, { hmac: SECRET }))).toEqual([])
  const card = new URL('/cards/mine.json', url)
  expect(problems(await findings(card, { hmac: SECRET }))).toEqual([])
})

test.each<[string, Flaw, Partial<TestOptions>, string[]]>([
  [
    'verifies over JSON that it wrote again',
    { verified: verify({ over: (body) => JSON.stringify(JSON.parse(body)) }) },
    { hmac: SECRET },
    ['a signed body with unusual spacing was answered 401'],
  ],
  [
    'does not look at the timestamp',
    { verified: verify({ window: false }) },
    { hmac: SECRET },
    ['a timestamp 10 minutes old was answered 200', 'a timestamp 10 minutes ahead was answered 200'],
  ],
  [
    'compares only the start of the token',
    { verified: (request) => Boolean(request.headers.authorization?.startsWith(`Bearer ${TOKEN}`)) },
    { bearer: TOKEN },
    ['a token with more behind it was answered 200'],
  ],
  [
    'asks for a token but takes any',
    { verified: (request) => request.headers.authorization !== undefined },
    { bearer: TOKEN },
    ['a wrong token was answered 200', 'a token with more behind it was answered 200'],
  ],
  [
    'checks the fields but not the signature',
    { verified: (request) => request.headers['x-service-signature']?.length === 64 },
    { hmac: SECRET },
    [
      'a signature with a wrong secret was answered 200',
      'a body changed after signing was answered 200',
      'a timestamp 10 minutes old was answered 200',
      'a timestamp 10 minutes ahead was answered 200',
      'an old signature under a new timestamp was answered 200',
    ],
  ],
  [
    'answers 404 for a product it does not have',
    {
      respond: (rfq, response) =>
        rfq.product_slug === PRODUCT ? respondWell(rfq, response) : reply(response, 404, {}),
    },
    {},
    ['an unknown product: answered 404: {}'],
  ],
  [
    'refuses the secret it was given',
    { verified: () => false },
    { hmac: SECRET },
    [`a quote for ${PRODUCT}: answered 401: {"error":"no"}`],
  ],
  [
    'lacks the skill in its card',
    { card: { skills: [{ id: 'other' }] } },
    {},
    [expect.stringContaining('has the id "respond-to-rfq"')],
  ],
  [
    'has a skill without description',
    { card: { skills: [{ id: 'respond-to-rfq' }] } },
    {},
    [expect.stringContaining('needs a description')],
  ],
])('a producer that %s is told so, and nothing else', async (_what, flaw, options, expected) => {
  const url = await listen(handmade(flaw))
  expect(problems(await findings(url, options))).toEqual(expected)
})

test.each<[string, object, string]>([
  ['a JSON-RPC envelope', { jsonrpc: '2.0', id: 1, result: decline() }, 'JSON-RPC envelope'],
  ['a price in words', { price_usd: '649' }, 'price_usd must be a number'],
  ['an http link', { claim_url: 'http://shop.example' }, 'claim_url must be an https://'],
  [
    'an offer for a week',
    { offer_expires_at: new Date(Date.now() + 7 * 86_400_000).toISOString() },
    'at most 24 hours',
  ],
  ['half a decline', { price_usd: 0, in_stock: false, claim_url: '' }, 'claim_url'],
])('an answer with %s is named', async (_what, change, says) => {
  const respond: Respond = (_rfq, response) => reply(response, 200, { ...goodQuote(), ...change })
  const found = problems(await findings(await listen(handmade({ respond }))))
  expect(found[0]).toContain(says)
})

test('redirects, pages and silence are problems, not answers', async () => {
  const redirect: Respond = (_rfq, response) => response.writeHead(308, { location: '/else' }).end()
  const page: Respond = (_rfq, response) => response.end('<html>')
  const silence: Respond = () => {}
  const huge: Respond = (_rfq, response) => response.end(' '.repeat(70_000))
  const first = async (respond: Respond) =>
    problems(await findings(await listen(handmade({ respond })), { deadlineMs: 300 }))[0]
  expect(await first(redirect)).toContain('answered 308')
  expect(await first(page)).toContain('not JSON: <html>')
  expect(await first(silence)).toContain('no answer within 0.3 seconds')
  expect(await first(huge)).toContain('over 65536 bytes')
})

test('a server that is not there is one problem, in words', async () => {
  const found = await findings(new URL('http://127.0.0.1:1/'))
  expect(problems(found)).toEqual([expect.stringContaining('nothing listens there')])
})

test.each([
  [-400, 'behind', 'problem'],
  [400, 'ahead of', 'problem'],
  [60, 'ahead of', 'warning'],
] as const)('a server whose clock is %s s off is told so as clock skew', async (off, way, level) => {
  const respond: Respond = (rfq, response) => {
    response.setHeader('Date', new Date(Date.now() + off * 1_000).toUTCString())
    respondWell(rfq, response)
  }
  const found = await findings(await listen(handmade({ respond })))
  const told = found.filter(({ text }) => text.includes('clock skew'))
  expect(told).toHaveLength(1)
  expect(told[0]).toMatchObject({ level, advice: expect.stringContaining('NTP') })
  // Headers name whole seconds, and a busy machine takes a few between writing and reading one.
  const [, seconds] = new RegExp(`is (\\d+) s ${way}`).exec(told[0]?.text ?? '') ?? []
  expect(Math.abs(Number(seconds) - Math.abs(off))).toBeLessThan(10)
})

test('an answer slower than 5 seconds is a warning that says so', async () => {
  const real = performance.now.bind(performance)
  let asked = 0
  vi.spyOn(performance, 'now').mockImplementation(() => real() + asked * 5_100)
  const respond: Respond = (rfq, response) => {
    asked++
    respondWell(rfq, response)
  }
  const found = await findings(await listen(handmade({ respond })))
  expect(warnings(found)).toContainEqual(expect.stringMatching(/took 5\d{3} ms, over 5 s/))
})

test('what works but costs rank or trust is a warning', async () => {
  let price = 600
  const respond: Respond = (_rfq, response) => {
    price += 1
    const { shipping_cost_usd: _left, ...answer } = goodQuote()
    reply(response, 200, { ...answer, price_usd: price })
  }
  const found = await findings(await listen(handmade({ respond })))
  expect(problems(found)).toEqual([])
  expect(warnings(found)).toEqual(
    expect.arrayContaining([
      'the address is http',
      expect.stringContaining('no shipping_cost_usd'),
      'the same rfq_id got another price the second time',
      'a product that does not exist was quoted',
      'anybody can ask this endpoint for quotes',
    ]),
  )
})

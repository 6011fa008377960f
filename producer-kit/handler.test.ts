import { expect, test, vi } from 'vitest'
import type { Answer, Auth, RfqHandlerOptions } from './index.d.ts'
import { createRfqHandler, decline, quote, signRequest } from './src/index.js'
import { CARD, NOW, rfqBody, SECRET, TOKEN } from './test-support.ts'

const good = () => quote({ priceUsd: 649, inStock: true, claimUrl: 'https://shop.example/q' }, { now: NOW })

function shop(options: Partial<RfqHandlerOptions> = {}) {
  const errors: Error[] = []
  const handler = createRfqHandler({
    auth: { type: 'none' },
    card: CARD,
    quote: good,
    now: () => NOW,
    onError: (error) => errors.push(error),
    ...options,
  })
  const send = async (rawBody: string | Uint8Array, headers: Record<string, string> = {}) => {
    const response = await handler({ method: 'POST', path: '/message:send', headers, rawBody })
    if (!response) throw new Error('not answered')
    return { ...response, json: JSON.parse(response.body) }
  }
  return { handler, send, errors }
}

test('the card declares the skill, keeps the shop’s own fields, and names no A2A transport', async () => {
  const { handler } = shop({
    card: { ...CARD, provider: { organization: 'Shop Inc' }, skills: [{ id: 'returns' }] },
  })
  for (const path of ['/.well-known/agent-card.json', '/.well-known/agent.json?x=1']) {
    const response = await handler({ method: 'GET', path, headers: {}, rawBody: '' })
    expect(response?.status).toBe(200)
    const card = JSON.parse(response?.body ?? '')
    expect(card).toMatchObject({
      name: 'Shop',
      provider: { organization: 'Shop Inc' },
      skills: [{ id: 'returns' }, {}],
    })
    expect(card.skills[1]).toMatchObject({ id: 'respond-to-rfq', description: expect.stringMatching(/./) })
    for (const field of ['preferredTransport', 'supportedInterfaces']) expect(card).not.toHaveProperty(field)
  }
})

test('a card without a name, or with the skill but no description, stops the handler from being made', () => {
  const make = (card: object) => () => shop({ card: card as never })
  expect(make({ description: 'x' })).toThrow('card.name')
  expect(make({ ...CARD, skills: [{ id: 'respond-to-rfq' }] })).toThrow('needs a description')
})

test('a quote is answered bare, with 200, and never cached', async () => {
  const response = await shop().send(rfqBody())
  expect(response.status).toBe(200)
  expect(response.headers['content-type']).toMatch('application/json')
  expect(response.headers['cache-control']).toBe('no-store')
  expect(response.json).toEqual(good())
})

test('paths of others are left to others, and other methods are told which one is served', async () => {
  const { handler } = shop()
  const ask = (method: string, path: string) => handler({ method, path, headers: {}, rawBody: rfqBody() })
  for (const path of ['/', '/message', '/message:sent', '/shop/message:send', '/message:send/'])
    expect(await ask('POST', path)).toBeUndefined()
  expect(await ask('GET', '/message:send')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  expect(await ask('POST', '/.well-known/agent.json')).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD' },
  })
  expect(await ask('POST', '/message%3Asend')).toMatchObject({ status: 200 })
})

const auths: [Auth['type'], Auth, (body: string) => Record<string, string>][] = [
  ['bearer', { type: 'bearer', token: TOKEN }, () => ({ authorization: `Bearer ${TOKEN}` })],
  [
    'hmac',
    { type: 'hmac', secret: SECRET },
    (body) => signRequest({ secret: SECRET, rawBody: body, now: NOW }),
  ],
]

test.each(auths)(
  'with %s, the shop’s code never sees a request without the right proof',
  async (_type, auth, prove) => {
    const ask = vi.fn(good)
    const refused: string[] = []
    const { send } = shop({ auth, quote: ask, onRefused: (error) => refused.push(error.message) })
    const body = rfqBody()
    const forged: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong-token-of-mine' },
      signRequest({ secret: 'some-other-secret-here', rawBody: body, now: NOW }),
      signRequest({ secret: SECRET, rawBody: body, now: NOW - 301_000 }),
      signRequest({ secret: SECRET, rawBody: `${body} `, now: NOW }),
    ]
    for (const headers of forged) {
      expect(await send(body, headers)).toMatchObject({ status: 401, json: { code: 'unauthenticated' } })
    }
    expect(ask).not.toHaveBeenCalled()
    expect(refused).toHaveLength(forged.length)
    expect(await send(body, prove(body))).toMatchObject({ status: 200, json: { price_usd: 649 } })
    expect(ask).toHaveBeenCalledOnce()
  },
)

test('refusals say why, and never what the secret is', async () => {
  const { send } = shop({ auth: { type: 'hmac', secret: SECRET } })
  const body = rfqBody()
  const old = await send(body, signRequest({ secret: SECRET, rawBody: body, now: NOW - 400_000 }))
  expect(old.json.error).toContain('more than 300 seconds')
  const forged = await send(body, signRequest({ secret: 'some-other-secret-here', rawBody: body, now: NOW }))
  expect(forged.json.error).toContain('does not fit')
  expect(old.body + forged.body).not.toContain(SECRET)
})

test('proof comes before reading: a forged body that is no RFQ is 401, a genuine one is 400', async () => {
  const { send } = shop({ auth: { type: 'hmac', secret: SECRET } })
  expect(await send('nonsense')).toMatchObject({ status: 401 })
  const headers = signRequest({ secret: SECRET, rawBody: 'nonsense', now: NOW })
  expect(await send('nonsense', headers)).toMatchObject({
    status: 400,
    json: { code: 'invalid_rfq', field: 'body' },
  })
})

test('a body over 64 KB is 413', async () => {
  const { send } = shop()
  expect(await send(' '.repeat(65_537))).toMatchObject({ status: 413, json: { code: 'body_too_large' } })
  expect(await send(rfqBody().padEnd(65_000))).toMatchObject({ status: 200 })
})

test.each<[string, RfqHandlerOptions['quote'], string]>([
  ['throws', () => Promise.reject(new Error('database is down')), 'database is down'],
  [
    'throws at once',
    () => {
      throw new Error('typo')
    },
    'typo',
  ],
  [
    'makes a bad quote',
    () => quote({ priceUsd: -1, inStock: true, claimUrl: 'https://a.example' }),
    'price_usd',
  ],
  ['forgets to return', (() => undefined) as never, 'must be a JSON object'],
  ['answers by hand, and wrongly', () => ({ ...good(), claim_url: 'http://shop.example' }), 'claim_url'],
  ['never finishes', () => new Promise<Answer>(() => {}), 'took over 50 ms'],
])('shop code that %s gives a decline with 200, and onError hears of it', async (_what, ask, says) => {
  const { send, errors } = shop({ quote: ask, timeoutMs: 50 })
  const response = await send(rfqBody())
  expect(response.status).toBe(200)
  expect(response.json).toEqual(decline())
  expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(says)])
})

test('an onError that throws changes nothing for the service', async () => {
  const silenced = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { send } = shop({
    quote: () => Promise.reject(new Error('first')),
    onError: () => {
      throw new Error('second')
    },
  })
  expect(await send(rfqBody())).toMatchObject({ status: 200, json: decline() })
  expect(silenced).toHaveBeenCalledOnce()
})

function counting(options: Partial<RfqHandlerOptions>) {
  let price = 0
  return shop({
    quote: async (): Promise<Answer> => {
      price += 1
      return { ...good(), price_usd: price }
    },
    ...options,
  })
}

test('a repeated RFQ gets its first answer again when the kit remembers, also while that is in the making', async () => {
  const body = rfqBody({ rfq_id: 'same' })
  const { send } = counting({ remember: true })
  const [first, second] = await Promise.all([send(body), send(body)])
  expect([first.json.price_usd, second.json.price_usd, (await send(body)).json.price_usd]).toEqual([1, 1, 1])
  expect((await send(rfqBody({ rfq_id: 'same', quantity: 9 }))).json.price_usd).toBe(2)
  const forgetful = counting({})
  await forgetful.send(body)
  expect((await forgetful.send(body)).json.price_usd).toBe(2)
})

test('the memory is bounded, runs out, and never gives an offer that is over', async () => {
  let now = NOW
  const bounded = counting({ remember: { max: 2 } })
  for (const id of ['a', 'b', 'c']) await bounded.send(rfqBody({ rfq_id: id }))
  expect((await bounded.send(rfqBody({ rfq_id: 'c' }))).json.price_usd).toBe(3)
  expect((await bounded.send(rfqBody({ rfq_id: 'a' }))).json.price_usd).toBe(4)

  const short = counting({ remember: { forMs: 1_000 }, now: () => now })
  await short.send(rfqBody({ rfq_id: 'a' }))
  now += 1_000
  expect((await short.send(rfqBody({ rfq_id: 'a' }))).json.price_usd).toBe(2)

  const soon = new Date(now + 5_000).toISOString()
  const expiring = shop({
    remember: true,
    now: () => now,
    quote: () => ({
      ...good(),
      offer_expires_at: now < Date.parse(soon) ? soon : new Date(now + 1_000).toISOString(),
    }),
  })
  expect((await expiring.send(rfqBody({ rfq_id: 'a' }))).json.offer_expires_at).toBe(soon)
  now += 5_000
  expect((await expiring.send(rfqBody({ rfq_id: 'a' }))).json.offer_expires_at).not.toBe(soon)
})

test('a failure is not remembered', async () => {
  let broken = true
  const { send } = shop({
    remember: true,
    quote: () => (broken ? Promise.reject(new Error('down')) : good()),
  })
  const body = rfqBody()
  expect((await send(body)).json).toEqual(decline())
  broken = false
  expect((await send(body)).json).toEqual(good())
})

/** The request as its asker and its producers see it: task, quotes, proof, links, the inspector. */
import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { streamRfq } from '../../src/rfq/follow.ts'
import { verifyQuote } from '../../src/rfq/quote-signature.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { cancelRfq, getRfqTask, listRfqTasks, submitRfq } from '../../src/rfq/rfq.service.ts'
import { call, createOrg } from '../orgs.ts'
import { answerWith, createRfqWorld, PRODUCT, STRANGER } from './rfq.world.ts'

/** While held, `slow` thinks until it is released. */
let gate = Promise.resolve()
function holdSlow(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>()
  gate = promise
  return () => {
    resolve()
    gate = Promise.resolve()
  }
}
const world = await createRfqWorld({
  acme: { respond: (...args) => answerWith(() => world.clock.now())(...args) },
  bolt: { respond: (...args) => answerWith(() => world.clock.now(), { price_usd: 80 })(...args) },
  slow: {
    respond: async (...args) => {
      await gate
      answerWith(() => world.clock.now(), { price_usd: 120 })(...args)
    },
  },
})
const { rfq, producers, ask } = world
const org = (name: string) => {
  const producer = producers[name]
  if (!producer) throw new Error(name)
  return producer.org
}

test('the task is there at once, and every quote of it can be proved by the published key', async () => {
  const submitted = await world.submit({ quantity: 3 })
  expect(submitted).toMatchObject({ state: 'submitted', productSlug: PRODUCT, quantity: 3, quotes: [] })
  const task = await world.finish(submitted.rfqId)
  expect(task.quotes.map(({ org }) => org.name).slice(0, 2)).toEqual(['bolt', 'acme'])
  const jwks = await call(world, null, 'GET', '/.well-known/jwks.json')
  for (const quote of task.quotes) {
    const proof = verifyQuote(quote.signature, jwks.body as never, world.clock.now())
    expect(proof).toMatchObject({ ok: true, expired: false })
    if (!proof.ok) return
    const { signature: _, ...shown } = quote
    expect(proof.promise).toMatchObject({
      ...shown,
      rfq_id: task.sessionId,
      product_slug: PRODUCT,
      quantity: 3,
    })
  }
  const [first] = task.quotes
  const forged = first?.signature.replace(/^[^.]+\.[^.]+/, (parts) => `${parts.slice(0, -2)}AA`) ?? ''
  expect(verifyQuote(forged, jwks.body as never, world.clock.now()).ok).toBe(false)
})

test('a rotated key signs no more, but what it signed can still be proved', async () => {
  const before = await ask()
  await rfq.signingKeys.rotate()
  const after = await ask()
  const jwks = (await call(world, null, 'GET', '/.well-known/jwks.json')).body as never
  const kids = [before, after].map((task) => {
    const proof = verifyQuote(task.quotes[0]?.signature ?? '', jwks, world.clock.now())
    return proof.ok ? proof.kid : proof.reason
  })
  expect(new Set(kids).size).toBe(2)
  expect((jwks as { keys: Array<{ d?: string }> }).keys).toHaveLength(2)
  expect(JSON.stringify(jwks)).not.toContain('"d"')
})

test('quotes are streamed as they arrive, before the slow one has answered', async () => {
  const finishSlow = holdSlow()
  const { rfqId } = await world.submit()
  const arrived: string[] = []
  for await (const event of streamRfq(rfq, { id: rfqId, userId: null })) {
    if (event.kind === 'ended') {
      expect(event.task.quotes).toHaveLength(3)
      break
    }
    if (event.kind === 'progress') continue
    arrived.push(event.quote.org.name)
    if (arrived.length === 2) finishSlow()
  }
  expect(new Set(arrived.slice(0, 2))).toEqual(new Set(['acme', 'bolt']))
  expect(arrived[2]).toBe('slow')
})

test('a withdrawn request ends at once, for the buyer and for producers that were still thinking', async () => {
  const finishSlow = holdSlow()
  const { rfqId } = await world.submit()
  for await (const event of streamRfq(rfq, { id: rfqId, userId: null })) if (event.kind === 'quote') break
  expect(await cancelRfq(rfq, { id: rfqId, userId: null })).toBe(true)
  expect(await cancelRfq(rfq, { id: rfqId, userId: null })).toBe(false)
  expect(await getRfqTask(rfq, { id: rfqId, userId: null })).toMatchObject({ state: 'canceled', quotes: [] })
  await expect
    .poll(async () => (await world.verdicts(rfqId)).slow?.verdict, { timeout: 5_000 })
    .toBe('canceled')
  finishSlow()
})

test('the same message twice is one request', async () => {
  const request = RfqRequest.parse({ product_slug: PRODUCT })
  const messageId = newId()
  const tasks = await Promise.all(
    Array.from({ length: 5 }, () => submitRfq(rfq, STRANGER, { request, messageId })),
  )
  expect(new Set(tasks.map(({ rfqId }) => rfqId)).size).toBe(1)
  await world.finish(tasks[0]?.rfqId ?? '')
})

test('the same message id with another request in it is another message', async () => {
  const ask = (quantity: number) =>
    submitRfq(rfq, STRANGER, {
      request: RfqRequest.parse({ product_slug: PRODUCT, quantity }),
      messageId: '1',
    })
  const tasks = await Promise.all([ask(1), ask(2), ask(2)])
  expect(new Set(tasks.map(({ rfqId }) => rfqId)).size).toBe(2)
})

test('a task of somebody signed in is not there for others, and is listed for its owner alone', async () => {
  const { ownerId } = org('acme')
  const { rfqId } = await world.submit({}, { ...STRANGER, userId: ownerId })
  await expect(getRfqTask(rfq, { id: rfqId, userId: null })).rejects.toMatchObject({ kind: 'not_found' })
  await expect(getRfqTask(rfq, { id: rfqId, userId: org('bolt').ownerId })).rejects.toMatchObject({
    kind: 'not_found',
  })
  await expect(cancelRfq(rfq, { id: rfqId, userId: null })).rejects.toMatchObject({ kind: 'not_found' })
  expect((await listRfqTasks(rfq, { userId: ownerId, limit: 10 })).map((task) => task.rfqId)).toEqual([rfqId])
  expect(await listRfqTasks(rfq, { userId: org('bolt').ownerId, limit: 10 })).toEqual([])
})

test.each([
  [{ product_slug: 'no-such-thing' }, { kind: 'not_found', field: 'product_slug' }],
  [{ deadline_iso: '2020-01-01' }, { kind: 'invalid', field: 'deadline_iso' }],
])('a request that cannot be carried out is refused and stores nothing: %j', async (change, error) => {
  const count = async () => (await world.database.pool.query('select count(*) from rfqs')).rows[0].count
  const before = await count()
  await expect(world.submit(change)).rejects.toMatchObject(error)
  expect(await count()).toBe(before)
})

test('a product nobody sells gets an empty list at once', async () => {
  const { addProduct } = await import('../products.ts')
  await addProduct(world, { slug: 'lonely', category: 'desk-lamps', title: 'Lonely' })
  expect(await world.ask({ product_slug: 'lonely' })).toMatchObject({ state: 'completed', quotes: [] })
})

test('a quote’s link leads to the producer and is counted; when the offer has ended it leads to the product', async () => {
  const task = await ask()
  const [first] = task.quotes
  const path = new URL(first?.claim_url ?? '').pathname
  const followed = await world.app.request(path)
  expect([followed.status, followed.headers.get('location')]).toEqual([302, 'https://bolt.example/claim'])
  const seen = await call(world, org('bolt').session, 'GET', `/api/org/rfqs/${task.sessionId}`)
  expect(seen.body).toMatchObject({ outcome: 'first', rank: 1, clicks: 1 })
  world.clock.advance(24 * 3_600_000)
  const ended = await world.app.request(path)
  expect(ended.headers.get('location')).toContain(`/p/${PRODUCT}`)
})

test('a producer sees its own part of a request and nothing of the others', async () => {
  const task = await ask({ quantity: 2, delivery_region: 'ca-us' })
  const path = `/api/org/rfqs/${task.sessionId}`
  const lost = await call(world, org('acme').bearer, 'GET', path)
  expect(lost.body).toMatchObject({
    outcome: 'lost',
    rank: 2,
    quotes: 3,
    loss_reason: 'your total was 20–25% above the winner’s',
    delivery_region: 'CA-US',
    attempts: [{ verdict: 'quoted', response_status: 200, kind: 'agent' }],
  })
  expect(JSON.stringify(lost.body)).not.toMatch(/bolt|slow/)
  const stranger = await createOrg(world)
  expect((await call(world, stranger.session, 'GET', path)).status).toBe(404)
  expect((await call(world, stranger.session, 'GET', '/api/org/rfqs/')).body).toEqual({ rfqs: [] })
  expect((await call(world, null, 'GET', path)).status).toBe(401)
  const listed = await call(world, org('acme').session, 'GET', '/api/org/rfqs/?outcome=lost&limit=1')
  expect(listed.body).toMatchObject({ rfqs: [{ rfq_id: task.sessionId, product_slug: PRODUCT }] })
})

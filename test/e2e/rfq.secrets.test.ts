/** Requests prove that they are ours, and nothing that proves it is left lying around. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type * as ProducerKit from '../../producer-kit/index.d.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { call } from '../orgs.ts'
import { answerWith, createRfqWorld, type Received } from './rfq.world.ts'

const kit: typeof ProducerKit = await import(projectFile('producer-kit', 'src', 'index.js'))
const BEARER = 'planted-bearer-7f3a9c1e5b'
const HMAC = 'planted-hmac-0d4e8b2a6c'
const ECHOED = 'planted-echo-5c1d7e9f3a'
let world: Awaited<ReturnType<typeof createRfqWorld>>
let rfqId: string

beforeAll(async () => {
  const good = answerWith(() => world.clock.now())
  world = await createRfqWorld({
    bearer: { respond: good, auth: { type: 'bearer', secret: BEARER } },
    hmac: { respond: good, auth: { type: 'hmac', secret: HMAC } },
    none: { respond: good },
    echo: {
      auth: { type: 'bearer', secret: ECHOED },
      respond: ({ headers }, response) =>
        void response
          .writeHead(200, { 'X-Echo': String(headers.authorization), 'Content-Type': `text/${ECHOED}` })
          .end(JSON.stringify({ headers, claim_url: headers.authorization })),
    },
  })
  rfqId = (await world.ask()).sessionId
})

const received = (name: string): Received => {
  const [one] = world.producers[name]?.received ?? []
  if (!one) throw new Error(`${name} was not asked`)
  return one
}

/** From the interface's text alone: hex of HMAC-SHA256 over `<timestamp>.<raw body>`, at most 300 s old. */
function independentlyVerified({ headers, body }: Received, secret: string, nowSeconds: number): boolean {
  const timestamp = String(headers['x-service-timestamp'])
  const given = Buffer.from(String(headers['x-service-signature']), 'hex')
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest()
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    Math.abs(nowSeconds - Number(timestamp)) <= 300
  )
}

test('an HMAC request is accepted by a verifier written from the interface, and by the kit', () => {
  const one = received('hmac')
  const nowSeconds = Math.floor(world.clock.now().getTime() / 1000)
  expect(independentlyVerified(one, HMAC, nowSeconds)).toBe(true)
  expect(verifyByKit(one, 0)).toBe(true)
})

function verifyByKit({ headers, body }: Received, laterMs: number): boolean {
  return kit.verifySignature({
    secret: HMAC,
    timestamp: String(headers['x-service-timestamp']),
    signature: String(headers['x-service-signature']),
    rawBody: body,
    now: world.clock.now().getTime() + laterMs,
  })
}

test('the kit refuses one flipped byte, an old timestamp and a body that was written anew', () => {
  const one = received('hmac')
  expect(verifyByKit({ ...one, body: one.body.replace('message', 'messagf') }, 0)).toBe(false)
  expect(verifyByKit(one, 301_000)).toBe(false)
  expect(verifyByKit({ ...one, body: JSON.stringify(JSON.parse(one.body), null, 1) }, 0)).toBe(false)
})

test('a bearer request carries its token, and one without authentication carries none', () => {
  expect(kit.verifyBearer({ token: BEARER, authorization: received('bearer').headers.authorization })).toBe(
    true,
  )
  expect(received('none').headers.authorization).toBeUndefined()
  expect(received('none').headers['x-service-signature']).toBeUndefined()
  expect(received('hmac').headers.authorization).toBeUndefined()
})

test('no secret is in the database, the log or the inspector, not even one that a producer sent back', async () => {
  const seen = [await world.dump(), world.logged.text()]
  for (const { org } of Object.values(world.producers)) {
    for (const path of ['/api/org/rfqs/', `/api/org/rfqs/${rfqId}`, '/api/org/audit/']) {
      const answer = await call(world, org.session, 'GET', path)
      seen.push(JSON.stringify(answer.body))
    }
  }
  expect(seen.join('\n')).toContain(rfqId)
  for (const secret of [BEARER, HMAC, ECHOED]) expect(seen.join('\n').includes(secret)).toBe(false)
})

/**
 * Sellers' own agents, as an HTTPS server on loopback with names that only the allow list knows. One answers at once;
 * one answers when it is let, so that a test can look at what is shown while it has not; and one belongs to nobody yet:
 * it has a card to register, wants the token that it was registered with, and answers what the test wants.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll } from 'vitest'
import { parseOutboundAllow } from '../src/lib/outbound.allow.ts'
import { createOutbound, type Outbound } from '../src/lib/outbound.ts'
import { serve } from './loopback.ts'
import { createTestCa } from './tls.ts'

export type SellerAgents = {
  outbound: Outbound
  quick: { host: string }
  slow: { host: string; hold(): void; release(): void }
  /** `mood` is what it answers with; one without a price is not an answer by the rules. */
  free: { host: string; token: string; mood: Record<string, unknown> }
}

const QUICK = 'fernhill.example'
const SLOW = 'brasswick.example'
const FREE = 'tidewater.example'
const TOKEN = 'violet-harbour-kettle-731'
const CARD = {
  protocolVersion: '0.3.0',
  name: 'Tidewater quotes',
  url: `https://${FREE}/a2a`,
  skills: [
    { id: 'respond-to-rfq', name: 'Quotes', description: 'Answers requests for quotes', tags: ['rfq'] },
  ],
}
const HOSTS = [QUICK, SLOW, FREE]
const JSON_TYPE = { 'Content-Type': 'application/json' }
const DAY_MS = 86_400_000

export async function startSellerAgents(now: () => Date): Promise<SellerAgents> {
  const authority = createTestCa()
  const gate = createGate()
  const free: SellerAgents['free'] = {
    host: FREE,
    token: TOKEN,
    mood: { price_usd: 399, shipping_cost_usd: 0 },
  }
  const server = await serve(async (request, response) => {
    const { hostname } = new URL(`https://${request.headers.host}`)
    request.resume()
    if (hostname === FREE && request.url === '/.well-known/agent-card.json')
      return void response.writeHead(200, JSON_TYPE).end(JSON.stringify(CARD))
    if (request.method !== 'POST' || request.url !== '/message:send')
      return void response.writeHead(404).end()
    if (hostname === SLOW) await gate.passed()
    if (hostname === FREE && request.headers.authorization !== `Bearer ${TOKEN}`)
      response.writeHead(401).end()
    else if (hostname === FREE) answer(response, hostname, free.mood)
    else if (hostname === SLOW)
      answer(response, hostname, { price_usd: 405, shipping_cost_usd: 0, note: 'Ships direct' })
    else answer(response, hostname, { price_usd: 412.5, shipping_cost_usd: 9, estimated_shipping_days: 2 })
  }, authority.certFor(HOSTS))
  afterAll(async () => {
    gate.release()
    await server.close()
  })

  function answer(
    response: ServerResponse<IncomingMessage>,
    hostname: string,
    terms: Record<string, unknown>,
  ): void {
    const body = {
      in_stock: true,
      claim_url: `https://${hostname}/claim`,
      offer_expires_at: new Date(now().getTime() + DAY_MS).toISOString(),
      estimated_shipping_days: 5,
      ...terms,
    }
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(body))
  }

  return {
    outbound: createOutbound({
      allow: parseOutboundAllow(HOSTS.map((host) => `${host}=127.0.0.1:${server.port}`).join(',')),
      ca: authority.ca,
      resolve: async (name) => {
        throw new Error(`no test asks the world for ${name}`)
      },
    }),
    quick: { host: QUICK },
    slow: { host: SLOW, hold: gate.hold, release: gate.release },
    free,
  }
}

/** Open until it is held. */
export function createGate() {
  let release = () => {}
  let passed: Promise<void> = Promise.resolve()
  return {
    /** Anyone who waits since an earlier time goes on: nobody else would let them. */
    hold() {
      release()
      passed = new Promise((resolve) => {
        release = resolve
      })
    },
    release: () => release(),
    passed: () => passed,
  }
}

/**
 * The agents of the two demo sellers that answer for themselves: a small server on loopback that speaks what every seller's
 * agent speaks (interface 2.9 and 2.10), behind the same authentication. One answers right away; the other takes some
 * seconds and sometimes declines. What they answer follows from the request alone, so that the same request gets the same
 * answer. Each node runs its own while the sellers are there, and its outbound guard knows where: see `inside` in lib/outbound.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../db/database.ts'
import { inBackground } from '../lib/background.ts'
import { parseJson } from '../lib/bounded-json.ts'
import { type Clock, DAY_MS } from '../lib/clock.ts'
import { equalInConstantTime, hmacSha256Hex, type SecretBox, sha256 } from '../lib/crypto.ts'
import type { Log } from '../lib/log.ts'
import { centsToDollars } from '../lib/money.ts'
import type { Inside } from '../lib/outbound.allow.ts'
import { storedRegion } from '../lib/regions.ts'
import { RFQ_SKILL } from '../orgs/agent-card.ts'
import { findIntegrations } from '../orgs/integration-health.service.ts'
import { SIGNATURE_HEADER, TIMESTAMP_HEADER } from '../rfq/request.ts'
import { findListed } from './sellers.queries.ts'
import { areSellersLoaded } from './sellers.service.ts'
import { agentHost, DEMO_SELLERS, type DemoSeller } from './sellers.ts'

const CARD = '/.well-known/agent-card.json'
const SEND = '/message:send'
const MAX_BODY = 64 * 1024
const SIGNATURE_AGE_MS = 5 * 60_000
const SLOWEST_MS = 2_500

type Context = { db: Db; clock: Clock; log: Log; integrationSecrets: SecretBox }

export type DemoAgents = {
  /** Where this node reaches them; empty while they do not run. */
  inside(): readonly Inside[]
  /** Begins them once the sellers are there, and ends them when the sellers are gone. */
  follow(): Promise<void>
  stop(): Promise<void>
}

type Running = { inside: readonly Inside[]; end(): Promise<void> }

export function createDemoAgents(ctx: Context): DemoAgents {
  let running: Running | null = null
  let stopped = false
  let turn: Promise<void> = Promise.resolve()

  async function change(): Promise<void> {
    const isWanted = !stopped && (await areSellersLoaded(ctx))
    if (isWanted === (running !== null)) return
    const ended = running
    running = isWanted ? await startAgents(ctx) : null
    await ended?.end()
  }

  /** One after the other, so that the last one goes by what was there last. */
  function follow(): Promise<void> {
    const done = turn.catch(() => {}).then(change)
    turn = done
    return done
  }

  return {
    inside: () => running?.inside ?? [],
    follow,
    async stop() {
      stopped = true
      await follow()
    },
  }
}

async function startAgents(ctx: Context): Promise<Running> {
  const sellers = new Map(
    DEMO_SELLERS.filter(({ agent }) => agent !== null).map((one) => [agentHost(one), one]),
  )
  const stopping = new AbortController()
  const server = createServer((request, response) => {
    const seller = sellers.get(request.headers.host ?? '')
    const answered = seller
      ? respond(ctx, seller, request, response, stopping.signal)
      : Promise.resolve(send(response, 404, { error: 'there is no such agent' }))
    inBackground(ctx.log, 'answering as a demo seller', answered)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve, reject) => {
    server.once('listening', resolve)
    server.once('error', reject)
  })
  // They never keep a process that has nothing else to do.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    inside: [...sellers.keys()].map((host) => ({ host, address: '127.0.0.1', port, paths: [CARD, SEND] })),
    async end() {
      stopping.abort()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function respond(
  ctx: Context,
  seller: DemoSeller,
  request: IncomingMessage,
  response: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const path = request.url ?? ''
  if (request.method === 'GET' && path === CARD) return send(response, 200, cardOf(seller))
  if (request.method !== 'POST' || path !== SEND) return send(response, 404, { error: 'not found' })
  const body = await readBody(request)
  if (body === null) return send(response, 413, { error: 'the request is too large' })
  if (!(await isOurs(ctx, seller, request, body))) return send(response, 401, { error: 'not authenticated' })
  const asked = readAsked(body)
  if (!asked) return send(response, 400, { error: `the request is not a ${RFQ_SKILL} message` })
  const given = answerOf(
    seller,
    asked,
    await findListed(ctx.db, { ...asked, domain: seller.domain }),
    ctx.clock,
  )
  try {
    await sleep(given.afterMs, undefined, { signal: stopping })
  } catch {
    return
  }
  send(response, 200, given.answer)
}

function send(response: ServerResponse, status: number, value: unknown): void {
  if (response.destroyed) return
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request) {
      bytes += chunk.length
      if (bytes > MAX_BODY) return null
      chunks.push(chunk)
    }
  } catch {
    // The caller has hung up.
    return null
  }
  return Buffer.concat(chunks)
}

/** By the secret that the seller registered, which its team may change. */
async function isOurs(
  ctx: Context,
  seller: DemoSeller,
  request: IncomingMessage,
  body: Buffer,
): Promise<boolean> {
  const integration = (await findIntegrations(ctx, [seller.id])).get(seller.id)
  const secret = integration?.secret ?? null
  const header = (name: string) => String(request.headers[name.toLowerCase()] ?? '')
  if (!integration || secret === null) return integration?.authType === 'none'
  if (integration.authType === 'bearer')
    return equalInConstantTime(header('authorization'), `Bearer ${secret}`)
  const timestamp = header(TIMESTAMP_HEADER)
  const age = Math.abs(ctx.clock.now().getTime() - Number(timestamp) * 1_000)
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body])
  return (
    age < SIGNATURE_AGE_MS && equalInConstantTime(header(SIGNATURE_HEADER), hmacSha256Hex(secret, signed))
  )
}

type Asked = { category: string; slug: string; quantity: number; region: string | null; deadline: string }

function readAsked(body: Buffer): Asked | null {
  const message = parseJson(body.toString('utf8')) as {
    params?: { message?: { metadata?: Record<string, unknown> } }
  } | null
  const { skill, product_slug, quantity, delivery_region, deadline_iso } =
    message?.params?.message?.metadata ?? {}
  const [category = '', slug = ''] = String(product_slug ?? '').split('/')
  if (skill !== RFQ_SKILL || slug === '' || typeof quantity !== 'number' || !(quantity >= 1)) return null
  const region = typeof delivery_region === 'string' ? (storedRegion(delivery_region)?.text ?? null) : null
  return { category, slug, quantity, region, deadline: String(deadline_iso ?? '') }
}

const DECLINE = { price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }
const DELIVERED_TO = /(^|-)(US|CA|Canada)$/

export type AgentAnswer = { afterMs: number; answer: Record<string, unknown> }

/** Exported for tests: what one of the two answers, and after how long. */
export function answerOf(
  { agent, domain, tiers, terms }: DemoSeller,
  { slug, quantity, region, deadline }: Asked,
  listed: { priceCents: number; url: string } | null,
  clock: Clock,
): AgentAnswer {
  const hash = sha256([domain, slug, quantity, region, deadline].join('|')).readUInt32BE(0)
  const isSlow = agent?.pace === 'slow'
  // Quick enough to seem prompt, and different from one to the next.
  const afterMs = isSlow ? 300 + (hash % (SLOWEST_MS - 300)) : hash % 40
  const declines = listed === null || (isSlow && hash % 5 === 0)
  if (declines || (region !== null && !DELIVERED_TO.test(region))) return { afterMs, answer: DECLINE }
  const tier = tiers.filter(({ min_qty }) => min_qty <= quantity).at(-1)
  // Within three percent of what its shop lists.
  const pct = 97 + (hash % 5) - (tier?.discount_pct ?? 0)
  const priceCents = Math.round((listed.priceCents * pct) / 100)
  const isFree = terms.freeFromCents !== null && priceCents * quantity >= terms.freeFromCents
  return {
    afterMs,
    answer: {
      price_usd: centsToDollars(priceCents),
      in_stock: hash % 23 !== 0,
      claim_url: listed.url,
      offer_expires_at: new Date(clock.now().getTime() + DAY_MS / 2).toISOString(),
      shipping_cost_usd: isFree ? 0 : centsToDollars(terms.shippingCents),
      estimated_shipping_days: terms.leadDays[0] + (hash % 3),
      terms: `Returns within ${terms.returnDays} days.`,
    },
  }
}

function cardOf(seller: DemoSeller): Record<string, unknown> {
  return {
    protocolVersion: '0.3.0',
    name: `${seller.name} (demo)`,
    description: 'Answers requests for quotes. Comes with the demo catalog.',
    url: `https://${agentHost(seller)}${SEND}`,
    version: '1.0.0',
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['application/json'],
    skills: [
      {
        id: RFQ_SKILL,
        name: 'Quotes',
        description: 'Answers requests for quotes for what the shop sells.',
        tags: [],
      },
    ],
  }
}

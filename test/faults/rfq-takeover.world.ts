/**
 * Two real nodes on one database and a few producers over HTTPS. Each producer has a port for each node, and each node
 * is pinned to its own, so a producer knows which node asked: who must be killed and who took over can be told apart
 * without looking into the nodes.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { createAccountsContext } from '../../src/accounts/context.ts'
import { NO_OFFERS } from '../../src/catalog/promoted-offer.ts'
import { manualClock, systemClock } from '../../src/lib/clock.ts'
import { hmacSha256Hex, newToken } from '../../src/lib/crypto.ts'
import { newId } from '../../src/lib/ids.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { createOrgsContext, NO_ORG_HOOKS } from '../../src/orgs/context.ts'
import { createRfqContext, type RfqContext } from '../../src/rfq/context.ts'
import { captureLog, createTestDatabase, type TestDatabase, testConfig } from '../harness.ts'
import { serve } from '../loopback.ts'
import { addProduct } from '../products.ts'
import { type ServerProcess, startSouk } from '../server-process.ts'
import { createTestCa, type TestCa } from '../tls.ts'

export const PRODUCT = 'desk-lamps/lume-one'
const SECRET = 'one secret for both nodes and long enough for that'
const HMAC_SECRET = 'what the signing producer shares with us'
export const NODES = ['first', 'second'] as const
export type NodeName = (typeof NODES)[number]

export type Ask = {
  node: NodeName
  producer: string
  rfqId: string
  body: string
  signed: boolean
  /** Null until the producer has answered; for ever, when its node hung up before. */
  answeredAt: number | null
}

/** A message that a quote of the producer was chosen. */
export type Accepted = { producer: string; messageId: string; quoteId: string }

type Plan = { delayMs: number; priceUsd: number; hmac?: boolean }

export async function createTakeoverWorld(plans: Record<string, Plan>, { deadlineMs = 20_000 } = {}) {
  const database = await createTestDatabase()
  const authority = createTestCa()
  const asks: Ask[] = []
  const accepted: Accepted[] = []
  const pins = await openProducers(plans, authority, { asks, accepted })
  const config = testConfig()
  const accounts = createAccountsContext({
    db: database.db,
    clock: systemClock,
    log: captureLog().log,
    config,
    secret: SECRET,
  })
  // It only writes requests down; nothing goes out from here.
  const outbound = createOutbound({ allow: [] })
  const rfq = createRfqContext(
    createOrgsContext(accounts, {
      outbound,
      resolveTxt: async () => [],
      secret: SECRET,
      orgHooks: NO_ORG_HOOKS,
    }),
    { secret: SECRET, rfqDeadlineMs: deadlineMs, offers: NO_OFFERS },
  )
  await insertProducers(plans, database, rfq)
  const caFile = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'souk-ca-')), 'ca.pem')
  fs.writeFileSync(caFile, authority.ca)
  afterAll(() => fs.rmSync(path.dirname(caFile), { recursive: true, force: true }))
  const [first, second] = await Promise.all(
    NODES.map((node) =>
      startNode({
        DATABASE_URL: database.url,
        SOUK_BASE_URL: config.baseUrl,
        SOUK_SECRET: SECRET,
        SOUK_RFQ_DEADLINE_MS: String(deadlineMs),
        SOUK_OUTBOUND_ALLOW: pins[node].join(','),
        NODE_EXTRA_CA_CERTS: caFile,
      }),
    ),
  )
  if (!first || !second) throw new Error('two nodes were asked for')
  const nodes: Record<NodeName, ServerProcess> = { first, second }
  return { database, rfq, asks, accepted, nodes }
}

async function startNode(env: Record<string, string>): Promise<ServerProcess> {
  const node = await startSouk(env)
  afterAll(async () => {
    node.kill('SIGTERM')
    await node.ended
  })
  return node
}

async function openProducers(
  plans: Record<string, Plan>,
  authority: TestCa,
  { asks, accepted }: { asks: Ask[]; accepted: Accepted[] },
): Promise<Record<NodeName, string[]>> {
  const pins: Record<NodeName, string[]> = { first: [], second: [] }
  for (const [producer, plan] of Object.entries(plans)) {
    const tls = authority.certFor([hostOf(producer)])
    for (const node of NODES) {
      const server = await serve(async (request, response) => {
        if (request.method === 'GET') {
          response.writeHead(200, { 'Content-Type': 'application/json' }).end(CARD)
          return
        }
        const chunks: Buffer[] = []
        for await (const chunk of request) chunks.push(chunk as Buffer)
        const body = Buffer.concat(chunks).toString('utf8')
        const { messageId, metadata } = JSON.parse(body).params.message
        if (metadata.skill === 'quote-accepted') {
          accepted.push({ producer, messageId, quoteId: metadata.quote_id })
          response.writeHead(200).end()
          return
        }
        const signature = hmacSha256Hex(HMAC_SECRET, `${request.headers['x-service-timestamp']}.${body}`)
        const ask: Ask = {
          node,
          producer,
          rfqId: metadata.rfq_id,
          body,
          signed: request.headers['x-service-signature'] === signature,
          answeredAt: null,
        }
        asks.push(ask)
        await sleep(plan.delayMs)
        if (response.destroyed) return
        ask.answeredAt = performance.now()
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(answer(plan))
      }, tls)
      afterAll(() => server.close())
      pins[node].push(`${hostOf(producer)}=127.0.0.1:${server.port}`)
    }
  }
  return pins
}

const CARD = JSON.stringify({
  skills: ['respond-to-rfq', 'quote-accepted'].map((id) => ({ id, description: id })),
})

function answer({ priceUsd }: Plan): string {
  return JSON.stringify({
    price_usd: priceUsd,
    in_stock: true,
    claim_url: 'https://shop.example/claim',
    offer_expires_at: new Date(Date.now() + 20 * 3_600_000).toISOString(),
    shipping_cost_usd: 5,
  })
}

async function insertProducers(
  plans: Record<string, Plan>,
  database: TestDatabase,
  rfq: RfqContext,
): Promise<void> {
  const { db } = database
  const product = await addProduct(
    { ctx: { ...rfq, clock: manualClock(systemClock.now()) }, database },
    { category: 'desk-lamps', slug: 'lume-one', title: 'Lume One', list_price: 130 },
  )
  const at = systemClock.now()
  for (const [name, { hmac }] of Object.entries(plans)) {
    const [id, domain] = [newId(), hostOf(name)]
    await db
      .insertInto('orgs')
      .values({
        id,
        name,
        org_type: 'retailer',
        domain,
        website_url: null,
        shopify_shop: null,
        verification_status: 'verified',
        verified_via: 'operator',
        verified_at: at,
        verification_token: newToken('souk_domain'),
        deactivated_at: null,
      })
      .execute()
    await db
      .insertInto('product_relationships')
      .values({
        id: newId(),
        org_id: id,
        product_id: product,
        relationship_type: 'sells',
        status: 'verified',
        verified_via: 'operator',
        evidence_url: null,
        created_at: at,
        verified_at: at,
      })
      .execute()
    await db
      .insertInto('agent_integrations')
      .values({
        org_id: id,
        agent_card_url: `https://${domain}/.well-known/agent-card.json`,
        managed_rules: null,
        auth_type: hmac ? 'hmac' : 'none',
        secret_box: hmac ? rfq.integrationSecrets.seal(HMAC_SECRET) : null,
        last_response_ms: null,
        last_checked_at: null,
        skip_until: null,
      })
      .execute()
  }
}

function hostOf(producer: string): string {
  return `${producer}.example`
}

/**
 * Producers' own agents and a buyer's address for push notifications, over HTTPS on loopback, under names that only the
 * allow list of the nodes knows. What an agent answers depends on the request's id alone, so that a request that is asked
 * again gets the same answer, as from a real shop; a few of the answers are late, invalid or declined.
 */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sha256 } from '../src/lib/crypto.ts'
import { serve } from '../test/loopback.ts'
import { createTestCa } from '../test/tls.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const HOUR_MS = 3_600_000
export const BUYER_HOST = 'buyer.trial.example'

export type Agents = {
  /** For the nodes: pins and the authority that signed the certificates. */
  env: Record<string, string>
  /** How often each request for quote was asked, by host and id. */
  asked(): ReadonlyMap<string, number>
  /** Ids of tasks whose end was told to the buyer's address. */
  pushed(): ReadonlySet<string>
  close(): Promise<void>
}

export async function startAgents(options: { dir: string; hosts: string[] }): Promise<Agents> {
  const hosts = [...options.hosts, BUYER_HOST]
  const authority = createTestCa()
  const asked = new Map<string, number>()
  const pushed = new Set<string>()
  const server = await serve(async (request, response) => {
    const { hostname } = new URL(`https://${request.headers.host}`)
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
    } catch {
      return // the node that asked is gone
    }
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}')
    if (hostname === BUYER_HOST) {
      pushed.add(idOfTask(body))
      return void response.writeHead(200).end()
    }
    const rfqId = String(body.params?.message?.metadata?.rfq_id)
    asked.set(`${hostname} ${rfqId}`, (asked.get(`${hostname} ${rfqId}`) ?? 0) + 1)
    const luck = sha256(`${hostname} ${rfqId}`)[0] ?? 0
    await sleep(luck)
    if (response.destroyed) return
    if (luck % 16 === 1) return void response.writeHead(503).end()
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(luck % 16 === 2 ? DECLINE : quote(luck)))
  }, authority.certFor(hosts))
  const caFile = path.join(options.dir, 'ca.pem')
  fs.writeFileSync(caFile, authority.ca)
  return {
    env: {
      SOUK_OUTBOUND_ALLOW: hosts.map((host) => `${host}=127.0.0.1:${server.port}`).join(','),
      NODE_EXTRA_CA_CERTS: caFile,
    },
    asked: () => asked,
    pushed: () => pushed,
    close: () => server.close(),
  }
}

const DECLINE = { price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }

function quote(luck: number): Record<string, unknown> {
  return {
    price_usd: 100 + luck,
    in_stock: luck % 8 !== 3,
    claim_url: 'https://shop.trial.example/claim',
    // Clocks of nodes may be an hour off either way, and the rule is: in the future, by a day at most.
    offer_expires_at: new Date(Date.now() + 12 * HOUR_MS).toISOString(),
    shipping_cost_usd: luck % 2 === 0 ? 5 : 0,
    estimated_shipping_days: 1 + (luck % 5),
  }
}

/** A notification is the task itself in 0.3, and wrapped in an event in 1.0. */
function idOfTask(body: { id?: unknown; task?: { id?: unknown } }): string {
  return String(body.task?.id ?? body.id)
}

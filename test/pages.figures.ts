/** What takes days to happen, as rows: how products were seen and asked for, and requests that did not go well. */
import { newId } from '../src/lib/ids.ts'
import { createQueryLog } from '../src/search/query-log.ts'
import type { TestOrg } from './orgs.ts'
import type { PagesWorld } from './pages.world.ts'

const DAY_MS = 86_400_000

/** Two weeks of searches, reads and clicks, more on some days than on others. */
export async function addFigures(world: PagesWorld, of: { org: TestOrg; products: string[] }): Promise<void> {
  const { pool, db } = world.database
  const log = createQueryLog({ db, log: world.logged.log })
  const ask = (query: string, productIds: string[], at: Date, ms = 12) =>
    log.add({
      ...{ id: newId(), at, query, filters: {}, sessionId: newId(), face: 'tools', mode: 'semantic' },
      ...{ productIds, offset: 0, ms },
    })
  for (let day = 0; day < 14; day++) {
    const at = new Date(world.clock.now().getTime() - day * DAY_MS)
    for (let n = 0; n < 2 + (day % 4); n++) ask('quiet burr grinder for espresso', [...of.products], at)
    if (day % 5 === 0) ask('espresso machine that fits under a shelf', of.products.slice(1), at, 340)
    if (day % 6 === 0) ask('pasta extruder with bronze dies', [], at)
    for (const [index, product] of of.products.entries())
      await pool.query(
        `insert into product_reads (product_id, day, face, agent, reads)
         values ($1, $2, 'tools', 'Claude', $3), ($1, $2, 'a2a', 'A shopping agent with a long name', 1)`,
        [product, at.toISOString().slice(0, 10), 1 + ((day + index) % 3)],
      )
    if (day % 3 === 0)
      await pool.query(
        `insert into link_clicks (id, at, kind, link_id, org_id, product_id) values ($1, $2, 'offer', $1, $3, $4)`,
        [newId(), at, of.org.id, of.products[0]],
      )
  }
  await log.settled()
}

const ENDPOINT = 'https://fernhill.example/message:send'
const SENT = { 'content-type': 'application/json', 'user-agent': 'Souk' }
const ANSWER = {
  price_usd: 412.5,
  in_stock: true,
  shipping_cost_usd: 9,
  estimated_shipping_days: 2,
  claim_url: 'https://fernhill.example/claim',
  offer_expires_at: '2026-11-02T12:00:00Z',
}

type Tried = { verdict: string; reason: string; status: number; body: string; ms: number }
const BUSY: Tried = {
  verdict: 'retry',
  reason: 'the agent answered 503, so the request was sent again',
  status: 503,
  body: 'busy',
  ms: 120,
}
const ANSWERED: Tried = {
  verdict: 'quoted',
  reason: 'the answer counts as a quote',
  status: 200,
  body: JSON.stringify(ANSWER),
  ms: 480,
}
const BROKEN: Tried = {
  verdict: 'not_json',
  reason: 'the answer is not JSON',
  status: 200,
  body: '<!doctype html><title>Fernhill Supply</title><p>Welcome to our shop',
  ms: 95,
}

/** Requests to an organization's own agent: lost at the second try, and failed. */
export async function addReceived(world: PagesWorld, of: { org: TestOrg; product: string }) {
  const { pool } = world.database
  const asked = async (tries: Tried[]) => {
    const [id, sessionId, at] = [newId(), newId(), world.clock.now()]
    await pool.query(
      `insert into rfqs (id, session_id, context_id, product_id, quantity, delivery_region, face, state, created_at,
         finished_at)
       values ($1, $2, gen_random_uuid(), $3, 2, 'CA-US', 'a2a', 'completed', $4, $4)`,
      [id, sessionId, of.product, at],
    )
    const body = JSON.stringify({ rfq_id: sessionId, quantity: 2, delivery_region: 'CA-US' })
    for (const [index, { verdict, reason, status, body: answer, ms }] of tries.entries())
      await pool.query(
        `insert into rfq_attempts (rfq_id, org_id, try, kind, endpoint, auth_type, request_headers, request_body,
           started_at, finished_at, response_status, response_headers, response_body, response_ms, verdict, reason)
         values ($1, $2, $3, 'agent', $4, 'none', $5, $6, $7, $7, $8, '{"content-type": "application/json"}', $9, $10,
           $11, $12)`,
        [
          ...[id, of.org.id, index + 1, ENDPOINT, JSON.stringify(SENT), body, at],
          ...[status, answer, ms, verdict, reason],
        ],
      )
    return { id, sessionId }
  }
  const lost = await asked([BUSY, ANSWERED])
  const failed = await asked([BROKEN])
  // What both quoted once before, at its places of then.
  await pool.query(
    `insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms, rank, loss_reason, quote)
     select gen_random_uuid(), $1, org_id, answer, health, $2, 480, case org_id when $4 then 2 else 1 end,
       case org_id when $4 then '$24 more in total than the winner' end, quote
     from rfq_quotes where rfq_id = $3 and org_id in ($4, $5)`,
    [lost.id, world.clock.now(), world.seeds.tasks.quoted.rfqId, of.org.id, world.sellers.slow.id],
  )
  return { lost: lost.sessionId, failed: failed.sessionId }
}

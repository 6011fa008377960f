/**
 * A node dies while buyers choose: kill -9 of one of two nodes that both get choices of different quotes of the same
 * requests. Each request must end with one choice, and its seller must learn of that one, by one notice and by a message
 * that says the same each time it is sent.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { getRfqTask, type RfqTask, submitRfq } from '../../src/rfq/rfq.service.ts'
import { createTakeoverWorld, type NodeName, PRODUCT } from './rfq-takeover.world.ts'

const RFQS = 30
const { database, rfq, accepted, nodes } = await createTakeoverWorld({
  near: { delayMs: 0, priceUsd: 90 },
  far: { delayMs: 0, priceUsd: 100, hmac: true },
})
const { pool } = database

/** Notices go to owners with a confirmed address. */
async function insertOwners(): Promise<void> {
  const { rows } = await pool.query<{ id: string; name: string }>('select id, name from orgs')
  for (const { id, name } of rows) {
    const userId = newId()
    await pool.query(
      `insert into users (id, email, email_key, name, email_verified_at) values ($1, $2, $2, $3, now())`,
      [userId, `owner@${name}.example`, name],
    )
    await pool.query(`insert into org_members (org_id, user_id, role) values ($1, $2, 'owner')`, [id, userId])
  }
}

async function completed(): Promise<RfqTask[]> {
  const visit = { ip: null, userAgent: null, requestId: null }
  const asker = { userId: null, clientId: null, face: 'a2a' as const, visit }
  const request = RfqRequest.parse({ product_slug: PRODUCT })
  const ids = await Promise.all(
    Array.from({ length: RFQS }, async () => (await submitRfq(rfq, asker, { request })).rfqId),
  )
  const look = (id: string) => getRfqTask(rfq, { id, userId: null })
  const left = async () => (await Promise.all(ids.map(look))).filter(({ state }) => state === 'submitted')
  await expect.poll(async () => (await left()).length, { timeout: 30_000 }).toBe(0)
  return Promise.all(ids.map(look))
}

/** Null when the node is gone before it answers. A node that has too much to do says so, and is asked again. */
async function choose(node: NodeName, task: RfqTask, rank: number): Promise<number | null> {
  const quote = task.quotes[rank - 1]
  const body = JSON.stringify({ quote_id: quote?.quote_id, total_usd: quote?.total_usd })
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body }
  for (;;) {
    const status = await fetch(`${nodes[node].address}/api/rfq/${task.rfqId}/choose/`, init).then(
      (answer) => answer.status,
      () => null,
    )
    if (status !== 503) return status
    await sleep(100)
  }
}

test('each request has one choice, and its seller learns of that one', { timeout: 120_000 }, async () => {
  await insertOwners()
  const tasks = await completed()
  let chosen = 0
  const killed = (async () => {
    while (chosen < RFQS / 3) await sleep(1)
    nodes.first.kill('SIGKILL')
    await nodes.first.ended
  })()
  const statuses = await Promise.all(
    tasks.map(async (task, at) => {
      await sleep(at * 4)
      const [first, second] = await Promise.all([choose('first', task, 1), choose('second', task, 2)])
      chosen += 1
      // A buyer who got no answer asks the node that is left.
      return [first ?? (await choose('second', task, 1)), second]
    }),
  )
  await killed
  for (const pair of statuses) expect(pair.toSorted()).toEqual([200, 409])

  // The leases of the dead node run out.
  await pool.query(`update jobs set lease_until = now() - interval '1 s' where state = 'running'`)
  const open = async () =>
    (await pool.query(`select 1 from jobs where kind = 'rfq.accepted' and state in ('waiting', 'running')`))
      .rowCount
  await expect.poll(open, { timeout: 30_000 }).toBe(0)

  const { rows } = await pool.query<{
    quote: string
    seller: string
    notices: number
    others: number
    audits: number
  }>(
    `select r.chosen_quote_id as quote, o.name as seller,
       (select count(*)::int from notices n where n.key = q.id::text and n.org_id = q.org_id) as notices,
       (select count(*)::int from notices n join rfq_quotes x on x.id::text = n.key
        where x.rfq_id = r.id and x.id <> q.id) as others,
       (select count(*)::int from audit_log a where a.action = 'rfq.won' and a.org_id = q.org_id
        and a.detail ->> 'quote_id' = q.id::text) as audits
     from rfqs r join rfq_quotes q on q.id = r.chosen_quote_id join orgs o on o.id = q.org_id`,
  )
  expect(rows).toHaveLength(RFQS)
  for (const { quote, seller, ...told } of rows) {
    expect(told, quote).toEqual({ notices: 1, others: 0, audits: 1 })
    const messages = accepted.filter(({ quoteId }) => quoteId === quote)
    expect(messages.length, quote).toBeGreaterThan(0)
    expect(new Set(messages.map(({ producer, messageId }) => `${producer} ${messageId}`))).toEqual(
      new Set([`${seller} ${quote}`]),
    )
  }
  expect(new Set(accepted.map(({ quoteId }) => quoteId)).size).toBe(RFQS)
})

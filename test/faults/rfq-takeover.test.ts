/**
 * A node dies with requests for quote in its hands: kill -9 of one of two nodes while producers are thinking. The other
 * node must finish every request, and asking again must stay within what producers are promised: the same request, at
 * most once more, and only where the first time was cut off.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Jwks } from '../../src/lib/jws.ts'
import { verifyQuote } from '../../src/rfq/quote-signature.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { type Asker, getRfqTask, type RfqTask, submitRfq } from '../../src/rfq/rfq.service.ts'
import { type Ask, createTakeoverWorld, NODES, type NodeName, PRODUCT } from './rfq-takeover.world.ts'

const RFQS = 50
const PLANS = {
  quick: { delayMs: 0, priceUsd: 100 },
  signing: { delayMs: 30, priceUsd: 90, hmac: true },
  steady: { delayMs: 150, priceUsd: 110 },
  slow: { delayMs: 800, priceUsd: 80 },
}
const PRODUCERS = Object.keys(PLANS)
const STRANGER: Asker = {
  userId: null,
  clientId: null,
  face: 'a2a',
  visit: { ip: null, userAgent: null, requestId: null },
}

const { database, rfq, asks, nodes } = await createTakeoverWorld(PLANS)

/** What the slow producer has been asked by a node and has not answered yet. */
function underWay(node: NodeName): Ask[] {
  return asks.filter((ask) => ask.node === node && ask.producer === 'slow' && ask.answeredAt === null)
}

/** Kills the node that is found in the middle of several requests when at least half of all are submitted. */
async function killInTheMiddle(
  submitted: () => number,
): Promise<{ victim: NodeName; cut: Ask[]; held: Lease[] }> {
  for (;;) {
    const victim = NODES.find((node) => underWay(node).length >= 5)
    if (victim && submitted() >= RFQS / 2) {
      nodes[victim].kill('SIGKILL')
      expect(await nodes[victim].ended).toBe('SIGKILL')
      // Those that were answered while it died may or may not have been heard.
      return { victim, cut: underWay(victim), held: await leases() }
    }
    await sleep(5)
  }
}

async function submitAll(ids: string[]): Promise<void> {
  for (let n = 0; n < RFQS; n++) {
    const request = RfqRequest.parse({ product_slug: PRODUCT, quantity: n + 1 })
    ids.push((await submitRfq(rfq, STRANGER, { request })).rfqId)
    await sleep(25)
  }
}

const lookAll = (ids: string[]) => Promise.all(ids.map((id) => getRfqTask(rfq, { id, userId: null })))

async function finished(ids: string[]): Promise<RfqTask[]> {
  const until = Date.now() + 60_000
  for (;;) {
    const tasks = await lookAll(ids)
    if (tasks.every(({ state }) => state !== 'submitted') || Date.now() > until) return tasks
    await sleep(50)
  }
}

type Lease = { id: string; rfqId: string }

async function leases(): Promise<Lease[]> {
  const { rows } = await database.pool.query<Lease>(
    `select j.lease_id as id, r.session_id as "rfqId" from jobs j join rfqs r on r.id::text = j.payload->>'rfqId'
     where j.kind = 'rfq.run' and j.state = 'running'`,
  )
  return rows
}

/**
 * Makes the time pass that the dead node's leases have left: nine seconds. Its own are those of the moment of its death that
 * are still there when the other has finished everything else, whatever came later included.
 */
async function letLeasesRunOut(held: Lease[], ids: string[]): Promise<void> {
  for (;;) {
    const left = (await lookAll(ids)).filter(({ state }) => state === 'submitted')
    const leased = await leases()
    const isHeld = (rfqId: string) =>
      held.some(({ id }) => leased.some((one) => one.id === id && one.rfqId === rfqId))
    if (left.every(({ sessionId }) => isHeld(sessionId))) break
    await sleep(50)
  }
  await database.pool.query(
    `update jobs set lease_until = now() - interval '1 s' where state = 'running' and lease_id = any($1)`,
    [held.map(({ id }) => id)],
  )
}

type Try = { rfqId: string; producer: string; try: number; verdict: string | null }

async function findTries(): Promise<Map<string, Try[]>> {
  const { rows } = await database.pool.query<Try>(
    `select r.session_id as "rfqId", o.name as producer, a.try, a.verdict
     from rfq_attempts a join rfqs r on r.id = a.rfq_id join orgs o on o.id = a.org_id order by a.try`,
  )
  return Map.groupBy(rows, keyOf)
}

const keyOf = ({ rfqId, producer }: { rfqId: string; producer: string }) => `${rfqId} ${producer}`

test('kill -9 of a node in the middle of 50 requests: the other completes all of them, and asks again only what was cut off', {
  timeout: 120_000,
}, async () => {
  const ids: string[] = []
  const [{ victim, cut, held }] = await Promise.all([killInTheMiddle(() => ids.length), submitAll(ids)])
  const survivor: NodeName = victim === 'first' ? 'second' : 'first'
  await letLeasesRunOut(held, ids)
  const tasks = await finished(ids)

  expect(Map.groupBy(tasks, ({ state }) => state).get('completed')).toHaveLength(RFQS)
  const published = await fetch(`${nodes[survivor].address}/.well-known/jwks.json`)
  const jwks = (await published.json()) as Jwks
  for (const task of tasks) {
    expect(task.quotes.map(({ org, rank }) => [org.name, rank])).toEqual([
      ['slow', 1],
      ['signing', 2],
      ['quick', 3],
      ['steady', 4],
    ])
    for (const { signature, ...shown } of task.quotes) {
      const { sessionId, quantity } = task
      const proof = verifyQuote(signature, jwks, new Date())
      expect(proof).toMatchObject({ ok: true, expired: false })
      expect(proof.ok && proof.promise).toMatchObject({ ...shown, rfq_id: sessionId, quantity })
    }
  }

  const heard = Map.groupBy(asks, keyOf)
  const tries = await findTries()
  expect(heard.size).toBe(RFQS * PRODUCERS.length)
  for (const [key, times] of heard) {
    const written = tries.get(key) ?? []
    expect(times.length, key).toBeLessThanOrEqual(2)
    expect(written.at(-1)?.verdict, key).toBe('quoted')
    // What has a verdict was not asked again; what was being asked may have died before its row was written.
    expect(
      written.slice(0, -1).every(({ verdict }) => verdict === null),
      key,
    ).toBe(true)
    if (times.length === 1) continue
    expect(
      times.map(({ node }) => node),
      key,
    ).toEqual([victim, survivor])
    expect(times[1]?.body, key).toBe(times[0]?.body)
  }
  expect(cut.length).toBeGreaterThan(0)
  for (const ask of cut) expect(heard.get(keyOf(ask)), keyOf(ask)).toHaveLength(2)
  expect(asks.filter(({ producer, signed }) => producer === 'signing' && !signed)).toEqual([])

  const { rows: health } = await database.pool.query(
    'select distinct status, failures_in_a_row as failures from agent_integrations',
  )
  expect(health, 'a node that dies is no failure of a producer').toEqual([{ status: 'active', failures: 0 }])
})

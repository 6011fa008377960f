/**
 * Two real nodes on one PostgreSQL behind a balancer, each restarted in turn while people go on: they read, search, call
 * tools, save, make offers, ask for quotes and listen to the answers arriving. Nobody may notice.
 */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { type Agents, startAgents } from '../../trials/agents.ts'
import { type Balancer, startBalancer } from '../../trials/balancer.ts'
import { BASE_URL, SECRET } from '../../trials/cluster.ts'
import { createJournal, type Journal } from '../../trials/journal.ts'
import { makeTrialFolder } from '../../trials/leftovers.ts'
import { createNode, type TrialNode } from '../../trials/node.ts'
import { addressOf, type People, producerDomain, seedPeople } from '../../trials/people.ts'
import { runTraffic } from '../../trials/traffic.ts'
import { createTrialDatabase } from '../server-process.ts'

const PRODUCERS = 3
const KINDS = ['read', 'search', 'tool', 'saved', 'rfq', 'offer']
/** Few enough that one node bears them on a machine that is busy with other tests: who is turned away has failed, too. */
const MOST_AT_ONCE = 3
const ACTS_PER_SECOND = 30
/** Ten times what the balancer needs to see it. */
const DRAIN_MS = 1_000

const database = await createTrialDatabase()
const folder = makeTrialFolder()
const agents: Agents = await startAgents({
  dir: folder.dir,
  hosts: Array.from({ length: PRODUCERS }, (_, n) => producerDomain(n + 1)),
})
const balancer: Balancer = await startBalancer()
const people: People = await seedPeople(database.db, { shoppers: 12, producers: PRODUCERS })
const nodes: TrialNode[] = []
for (const name of ['node-1', 'node-2'])
  nodes.push(
    await createNode({
      name,
      dir: folder.dir,
      env: {
        ...agents.env,
        DATABASE_URL: database.url,
        SOUK_BASE_URL: BASE_URL,
        SOUK_SECRET: SECRET,
        SOUK_CATALOG: 'none',
        SOUK_TRUST_PROXY: '1',
        SOUK_LIMITS: 'search=off,suggest=off,rfq=off,import=off,signup=off,register=off,mistakes=off',
        SOUK_DRAIN_MS: String(DRAIN_MS),
        SOUK_RFQ_DEADLINE_MS: '3000',
      },
    }),
  )

afterAll(async () => {
  await Promise.all([...nodes.map((node) => node.stop()), balancer.close(), agents.close()])
  folder.remove()
})

const isServed = (node: TrialNode) => balancer.ready().includes(node.address)

function callA2a(method: string, params: object, network: number): Promise<Response> {
  return fetch(`${balancer.address}/a2a/`, {
    method: 'POST',
    headers: {
      'A2A-Version': '1.0',
      'Content-Type': 'application/json',
      'X-Forwarded-For': addressOf(5, network),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
}

/**
 * A request for quote whose answers are listened to as they arrive. A node that goes may end a stream early, but in good
 * order; its listener then asks for the task, as the protocol tells clients to. Answers with how it ended.
 */
async function watchQuote(n: number): Promise<string> {
  const { category, slug } = people.products[n % people.products.length] ?? {}
  const message = {
    messageId: `watched-${n}`,
    role: 'ROLE_USER',
    parts: [{ text: 'a quote, please' }],
    metadata: { skill: 'request-for-quote', product_slug: `${category}/${slug}` },
  }
  try {
    const stream = await callA2a('SendStreamingMessage', { message }, n)
    let text = await stream.text()
    const id = /"id":"([0-9a-f-]{36})"/.exec(text)?.[1]
    const deadline = Date.now() + 20_000
    while (id && lastState(text) === 'TASK_STATE_SUBMITTED' && Date.now() < deadline) {
      await sleep(100)
      text = await (await callA2a('GetTask', { id }, n)).text()
    }
    return `${stream.status} ${lastState(text) ?? text.slice(0, 200)}`
  } catch (error) {
    return `broken: ${error instanceof Error ? (error.cause ?? error.message) : error}`
  }
}

const lastState = (text: string) => text.match(/TASK_STATE_\w+/g)?.at(-1)

async function watchQuotes(until: AbortSignal): Promise<string[]> {
  const ends: string[] = []
  while (!until.aborted) ends.push(await watchQuote(ends.length))
  return ends
}

async function restart(node: TrialNode): Promise<void> {
  expect(await node.stop(), fs.readFileSync(node.logFile, 'utf8').slice(-3_000)).toBe(0)
  await node.start()
  await node.whenReady()
  await expect.poll(() => isServed(node), { timeout: 20_000, interval: 20 }).toBe(true)
}

test('each node is restarted in turn, and no request fails, no stream breaks and no acknowledged write is lost', {
  timeout: 120_000,
}, async () => {
  await Promise.all(nodes.map((node) => node.start()))
  await Promise.all(nodes.map((node) => node.whenReady()))
  for (const node of nodes) balancer.add(node.address)
  await expect.poll(() => nodes.every(isServed), { timeout: 20_000 }).toBe(true)

  const journal = createJournal()
  const over = new AbortController()
  const failures: string[] = []
  const traffic = runTraffic({
    addresses: () => [balancer.address],
    people,
    journal,
    mix: { account: 0 },
    seed: 7,
    rate: ACTS_PER_SECOND,
    mostAtOnce: MOST_AT_ONCE,
    until: over.signal,
    onAnswer({ status, cause, act, method, path, text }) {
      if (status === 0 || status >= 500)
        failures.push(`${act}: ${method} ${path} ${status} ${cause ?? text.slice(0, 200)}`)
    },
  })
  const streams = watchQuotes(over.signal)
  for (const node of nodes) await restart(node)
  over.abort()
  const [figures, ends] = await Promise.all([traffic, streams])

  expect(failures, balancer.counts.changes.join('\n')).toEqual([])
  expect(balancer.counts.failures).toEqual([])
  expect(balancer.counts.answered).toBeGreaterThanOrEqual(figures.all.count)
  const done = Object.entries(figures.acts).filter(([, { ok }]) => ok > 0)
  expect(new Set(done.map(([name]) => name.split('.')[0])).isSupersetOf(new Set(KINDS))).toBe(true)
  expect(ends.length).toBeGreaterThan(3)
  expect(ends.filter((end) => end !== '200 TASK_STATE_COMPLETED')).toEqual([])
  await expectAllWritten(journal)
  expect(nodes.flatMap((node) => node.deaths())).toEqual([])
  for (const node of nodes) expect(linesAbove(node, 40)).toEqual([])
})

/** A action and its line in the log are one transaction, so who finds the one has the other. */
async function expectAllWritten({ writes }: Journal): Promise<void> {
  const acknowledged = writes.filter(({ outcome, audited }) => outcome === 'acknowledged' && audited !== null)
  expect(acknowledged.length).toBeGreaterThan(10)
  expect(writes.filter(({ outcome }) => outcome === 'unknown')).toEqual([])
  const { rows } = await database.pool.query<{ request_id: string }>(
    'select distinct request_id from audit_log',
  )
  const found = new Set(rows.map((row) => row.request_id))
  expect(acknowledged.filter(({ requestId }) => !found.has(requestId))).toEqual([])
  await expect
    .poll(
      async () =>
        (await database.pool.query(`select count(*)::int as n from rfqs where state = 'submitted'`)).rows[0]
          .n,
      { timeout: 20_000 },
    )
    .toBe(0)
}

/** What a node has to complain of, as serious as this or more. */
function linesAbove(node: TrialNode, level: number): string[] {
  return fs
    .readFileSync(node.logFile, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && JSON.parse(line).level > level)
}

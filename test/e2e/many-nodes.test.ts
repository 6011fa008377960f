/**
 * Two real nodes on one real PostgreSQL: what one writes the other shows, what is counted is counted once, and what both
 * show is the same to the byte. Then the database is taken away: each face says so in its own form, what needs no database
 * goes on, and everything comes back by itself.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { importProducts } from '../../src/catalog/import.service.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { type Cluster, startCluster } from '../../trials/cluster.ts'
import { type People, type Person, type Producer, seedPeople } from '../../trials/people.ts'
import { SILENT } from '../harness.ts'
import { preparedTrialDir } from '../server-process.ts'
import { ask, bearer, callTool, DESK, REFUSALS, searchFor, statusOf } from './many-nodes.world.ts'

/** Far more than it takes; a node that only looked from time to time would still be in time. */
const SOON = { timeout: 15_000, interval: 50 }

let cluster: Cluster
let people: People
let producer: Producer
let [first, second] = ['', '']

beforeAll(async () => {
  // Processes are killed here, never the machine: what PostgreSQL has handed to it is safe without waiting for the disk.
  cluster = await startCluster({
    nodes: 2,
    settings: { fsync: 'off' },
    from: await preparedTrialDir(),
  })
  people = await seedPeople(cluster.database.db, { shoppers: 4, producers: 3 })
  const seller = people.producers.find(({ sells }) => sells.includes(DESK))
  if (!seller) throw new Error('nobody sells the desk')
  producer = seller
  ;[first = '', second = ''] = cluster.addresses()
}, 60_000)
afterAll(() => cluster?.close())

function shopper(n: number): Person {
  const found = people.shoppers[n]
  if (!found) throw new Error('more shoppers are needed')
  return found
}

/** As an operator's import does it. */
function bringProduct(slug: string, title: string) {
  const row = { slug, category: 'kettles', title, description: `${title}, made for trials.`, price: 90 }
  const bytes = (async function* () {
    yield Buffer.from(JSON.stringify(row))
  })()
  const ctx = { db: cluster.database.db, clock: systemClock, log: SILENT }
  return importProducts(ctx, bytes, { format: 'jsonl', source: slug, fingerprint: slug })
}

describe('what one node writes, the other shows', () => {
  test('a product, on its page and in search', async () => {
    await bringProduct('samovar-of-trials', 'Brass samovar of trials')
    for (const node of [first, second]) {
      await expect.poll(() => statusOf(node, '/p/kettles/samovar-of-trials'), SOON).toBe(200)
      await expect
        .poll(async () => (await searchFor(node, 'brass samovar')).text, SOON)
        .toContain('samovar-of-trials')
    }
  })

  test('an offer, from the moment that it is acknowledged on one', async () => {
    const headers = bearer(producer.bearer)
    const created = await ask(first, '/api/offers/create', {
      headers,
      json: {
        product_slug: DESK,
        headline: 'A tenth off for trials',
        destination_url: `https://${producer.domain}/deal`,
      },
    })
    expect(created.status, created.text).toBe(201)
    const { offer_id } = JSON.parse(created.text)
    const set = (status: string, node: string) =>
      ask(node, '/api/offers/update', { method: 'PATCH', headers, json: { offer_id, status } })
    const shown = async (node: string) =>
      (await ask(node, `/p/${DESK}.md`)).text.includes('A tenth off for trials')
    expect((await set('active', first)).status).toBe(200)
    expect(await shown(first)).toBe(true)
    await expect.poll(() => shown(second), SOON).toBe(true)
    expect((await set('paused', second)).status).toBe(200)
    expect(await shown(second)).toBe(false)
    await expect.poll(() => shown(first), SOON).toBe(false)
  })

  test('that a session is over, at once', async () => {
    const headers = { Cookie: shopper(0).cookie }
    for (const node of [first, second]) expect(await statusOf(node, '/account', { headers })).toBe(200)
    expect(await statusOf(first, '/auth/signout', { headers, form: {} })).toBe(303)
    for (const node of [first, second]) expect(await statusOf(node, '/account', { headers })).not.toBe(200)
  })

  test('that a token is revoked', async () => {
    const { userId, cookie } = shopper(1)
    // Both remember it as good.
    for (const node of [first, second]) expect((await callTool(node, shopper(1))).status).toBe(200)
    const { rows } = await cluster.database.pool.query(`select id from oauth_grants where user_id = $1`, [
      userId,
    ])
    const form = { grant_id: rows[0].id }
    expect(await statusOf(first, '/account/grants/revoke', { headers: { Cookie: cookie }, form })).toBe(303)
    for (const node of [first, second])
      await expect.poll(async () => (await callTool(node, shopper(1))).status, SOON).toBe(401)
  })
})

describe('what is counted or done once is so over both', () => {
  test('of 520 tool calls that a person spreads over both nodes, 500 are served', async () => {
    const statuses: number[] = []
    const caller = async (n: number) => {
      for (let calls = 0; calls < 65; calls++)
        statuses.push((await callTool(calls % 2 === n % 2 ? first : second, shopper(2))).status)
    }
    await Promise.all(Array.from({ length: 8 }, (_, n) => caller(n)))
    // A node gives back within seconds what it had taken and was not asked for; nobody is refused for good before that.
    const served = () => statuses.filter((status) => status === 200).length
    await expect
      .poll(async () => {
        for (const node of [first, second]) statuses.push((await callTool(node, shopper(2))).status)
        return served()
      }, SOON)
      .toBe(500)
    for (const node of [first, second]) expect((await callTool(node, shopper(2))).status).toBe(429)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
  }, 40_000)

  test('each periodic job has run once, though both nodes have asked for it', async () => {
    const runs = async () =>
      (
        await cluster.database.pool.query<{ kind: string; n: number; attempts: number; open: number }>(
          `select kind, count(*)::int as n, sum(attempts)::int as attempts,
             count(*) filter (where state <> 'done')::int as open
           from jobs where dedupe_key = 'periodic' group by kind`,
        )
      ).rows
    await expect.poll(async () => (await runs()).some(({ open }) => open > 0), SOON).toBe(false)
    const kinds = await runs()
    expect(kinds.length).toBeGreaterThan(3)
    expect(kinds.filter(({ n, attempts }) => n !== 1 || attempts !== 1)).toEqual([])
  })

  test('the same page is the same to the byte, under the same ETag', async () => {
    const paths = [
      '/',
      '/c/kettles',
      `/p/${DESK}`,
      `/p/${DESK}.md`,
      `/p/${DESK}.json`,
      '/llms.txt',
      '/sitemap.xml',
    ]
    for (const path of paths) {
      const look = async (node: string) => {
        const { status, headers, text } = await ask(node, path)
        return { path, status, etag: headers.get('etag'), text }
      }
      await expect.poll(async () => (await look(first)).text === (await look(second)).text, SOON).toBe(true)
      const [one, other] = [await look(first), await look(second)]
      expect(one).toEqual(other)
      expect(one).toMatchObject({ status: 200, etag: expect.stringMatching(/^(W\/)?".+"$/) })
    }
  })
})

describe('the database goes away', () => {
  const who = () => ({ shopper: shopper(3), producer })
  const PAGES = ['/', '/c/kettles', `/p/${DESK}`, `/p/${DESK}.md`]

  beforeAll(async () => {
    for (const node of [first, second]) {
      for (const path of PAGES) expect(await statusOf(node, path)).toBe(200)
      expect((await callTool(node, shopper(3))).status).toBe(200)
    }
    await cluster.postgres.kill()
  })
  afterAll(() => cluster.postgres.start())

  test('pages that were shown and searches go on, nodes are alive but not ready', async () => {
    for (const node of [first, second]) {
      for (const path of PAGES) expect(await statusOf(node, path), path).toBe(200)
      const found = await searchFor(node, 'a lamp for a desk, please')
      expect(found.status, found.text).toBe(200)
      expect(JSON.parse(found.text).results.length).toBeGreaterThan(0)
      expect(await statusOf(node, '/healthz')).toBe(200)
      const ready = await ask(node, '/readyz')
      expect([ready.status, JSON.parse(ready.text)]).toEqual([
        503,
        { status: 'not ready', reason: 'the database does not answer' },
      ])
    }
  })

  test.each(REFUSALS)('%s is refused for now, in its own form', async (_, send, isItsForm) => {
    for (const node of [first, second]) {
      // A token that was good a moment ago is not looked up again, so what counts is the lasting answer.
      await expect.poll(async () => (await send(node, who())).status, SOON).toBe(503)
      const { headers, text } = await send(node, who())
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(isItsForm(text), text).toBe(true)
    }
  })

  test('when it is back, everything works again, and no node was restarted', async () => {
    const pids = cluster.nodes.map((node) => node.pid())
    await cluster.postgres.start()
    await cluster.whenReady()
    for (const node of [first, second]) {
      for (const [what, send] of REFUSALS)
        await expect
          .poll(async () => (await send(node, who())).status, { ...SOON, message: what })
          .toBeLessThan(500)
      await expect.poll(async () => (await callTool(node, shopper(3))).status, SOON).toBe(200)
    }
    // What comes by the log of changes does so again.
    await bringProduct('kettle-after-the-fall', 'Copper kettle after the fall')
    for (const node of [first, second])
      await expect
        .poll(async () => (await searchFor(node, 'copper kettle after the fall')).text, SOON)
        .toContain('kettle-after-the-fall')
    expect(cluster.nodes.map((node) => node.pid())).toEqual(pids)
    expect(cluster.nodes.flatMap((node) => node.deaths())).toEqual([])
  })
})

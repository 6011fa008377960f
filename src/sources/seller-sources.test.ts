/** A seller's source: a stranger's address, rows that are proposals, and an end when the seller may not any more. */
import { createServer } from 'node:http'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { addMember, createOrg, type TestOrg } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import type { SessionActor } from '../accounts/actor.ts'
import { findPerson } from '../accounts/people.service.ts'
import { parseOutboundAllow } from '../lib/outbound.allow.ts'
import { openSocket } from '../lib/outbound.connect.ts'
import { createOutbound, type OutboundRequest } from '../lib/outbound.ts'
import type { Act } from '../orgs/producer.ts'
import type { SourcesContext } from './context.ts'
import { runSource } from './source-run.ts'
import { SourceInput } from './sources.schema.ts'
import { addSource, askRun, decide, getSource, listRuns, listSources } from './sources.service.ts'

let body = ''
const server = createServer((_, response) => void response.end(body))
await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
const { port } = server.address() as { port: number }

const dialled: string[] = []
const guarded = createOutbound({
  allow: parseOutboundAllow(`127.0.0.1:${port}, feeds.example=127.0.0.1:${port}`),
  resolve: async () => ['10.0.0.7'],
  open: (address, at) => {
    dialled.push(`${address} ${at}`)
    return openSocket(address, at)
  },
})
const requested: OutboundRequest[] = []
/** The server is no public one: the wish for public addresses is noted, and ends here. */
const outbound = {
  ...guarded,
  request: (input: OutboundRequest) => {
    requested.push(input)
    return guarded.request({ ...input, url: `http://127.0.0.1:${port}/feed.csv`, publicOnly: false })
  },
}
const souk = await createTestApp({ outbound })
const { pool } = souk.database
const ctx: SourcesContext = souk.sources
const running = new AbortController().signal
await addProduct(souk, {
  slug: 'spout-one',
  category: 'kettles',
  title: 'Spout Kettle One',
  gtin: '4006381333931',
})
afterAll(() => void server.close())
beforeEach(() => {
  requested.length = 0
  dialled.length = 0
})

async function actOf({ id }: TestOrg, userId: string): Promise<Act> {
  const user = await findPerson(ctx, userId)
  if (!user) throw new Error('who?')
  const caller: SessionActor = { kind: 'session', user, sessionId: '', selectedOrgId: id }
  return { caller, visit: { ip: null, userAgent: null, requestId: null } }
}
const rows = (count: number) =>
  ['title,category,price', ...Array.from({ length: count }, (_, at) => `Pot ${at},kettles,${at + 5}`)].join(
    '\n',
  )
const input = (more: Record<string, unknown> = {}) =>
  SourceInput.parse({ name: 'Feed', url: 'https://shop.example/feed.csv', every_minutes: 60, ...more })

async function newSource(more: Record<string, unknown> = {}) {
  const org = await createOrg(souk)
  const act = await actOf(org, org.ownerId)
  const id = await addSource(ctx, act, input(more))
  const run = async (content: string) => {
    body = content
    await pool.query('update sources set next_run_at = $2 where id = $1', [id, souk.clock.now()])
    await runSource(ctx, id, running)
    return getSource(ctx, act, id)
  }
  const waiting = async () => {
    const { rows: found } = await pool.query(
      "select count(*)::int as count from product_submissions where org_id = $1 and status = 'pending'",
      [org.id],
    )
    return found[0].count
  }
  return { org, act, id, run, waiting }
}

test('its rows are proposals, and nothing reaches the catalog', async () => {
  const { run, waiting } = await newSource()
  const before = await pool.query('select count(*)::int as count from products')
  const source = await run(`${rows(3)}\nSpout Kettle One,kettles,50`)
  expect(source.last).toMatchObject({ outcome: 'changed', rows: 4, counts: { submitted: 3, claimed: 1 } })
  expect(source.last?.message).toBe('4 rows: 3 new products proposed, 1 product claimed.')
  expect(await waiting()).toBe(3)
  expect((await pool.query('select count(*)::int as count from products')).rows).toEqual(before.rows)
  expect(requested[0]).toMatchObject({ publicOnly: true, redirects: 5 })
  // The same again is no news.
  const again = await run(`${rows(3)}\nSpout Kettle One,kettles,50`)
  expect([again.last?.outcome, await waiting()]).toEqual(['unchanged', 3])
})

test('a feed that shrinks waits for the seller', async () => {
  const { id, act, run, waiting } = await newSource()
  await run(rows(10))
  const source = await run(rows(5))
  expect([source.waiting?.outcome, source.waiting?.message]).toEqual([
    'shrunk',
    '5 of 10 rows (50 %) are missing from the new file. The catalog stays as it was.',
  ])
  await decide(ctx, act, { id, runId: source.waiting?.id ?? '', approve: true })
  await runSource(ctx, id, running)
  expect([(await getSource(ctx, act, id)).goodRows, await waiting()]).toEqual([5, 10])
})

test.each([
  ['https://127.0.0.1:PORT/feed.csv'],
  ['https://feeds.example/feed.csv'],
  ['https://inside.example/feed.csv'],
  ['https://169.254.169.254/'],
])('%s is refused without a packet, whatever the operator has opened', async (url) => {
  const { act, id } = await newSource({ url: url.replace('PORT', String(port)) })
  await runSource({ ...ctx, outbound: guarded }, id, running)
  const { last } = await getSource(ctx, act, id)
  expect(last?.outcome).toBe('failed')
  expect(last?.message).toContain('The catalog stays as it was.')
  expect(dialled).toEqual([])
})

test.each<[what: string, change: (org: TestOrg) => Promise<unknown>, message: string]>([
  [
    'its domain is not verified any more',
    ({ id }) =>
      pool.query(
        "update orgs set verification_status = 'pending', verified_via = null, verified_at = null where id = $1",
        [id],
      ),
    'The organization’s domain is not verified.',
  ],
  [
    'it is deactivated',
    ({ id }) => pool.query('update orgs set deactivated_at = now() where id = $1', [id]),
    'The organization is deactivated.',
  ],
  [
    'who set it up is a viewer now',
    ({ id, ownerId }) =>
      pool.query("update org_members set role = 'viewer' where org_id = $1 and user_id = $2", [id, ownerId]),
    'The person who set up this source may no longer edit for the organization.',
  ],
])('a source stops when %s', async (_what, change, message) => {
  const { org, id, waiting } = await newSource()
  await change(org)
  body = rows(3)
  await runSource(ctx, id, running)
  const { rows: sources } = await pool.query('select stopped, next_run_at from sources where id = $1', [id])
  expect(sources).toEqual([{ stopped: message, next_run_at: null }])
  expect([requested.length, await waiting()]).toEqual([0, 0])
  const { rows: jobs } = await pool.query("select 1 from jobs where dedupe_key = $1 and state = 'waiting'", [
    id,
  ])
  expect(jobs).toEqual([])
})

test('another organization does not have it; an unverified one has none; five are enough', async () => {
  const { org, id, act } = await newSource()
  const other = await createOrg(souk)
  const stranger = await actOf(other, other.ownerId)
  for (const work of [
    () => getSource(ctx, stranger, id),
    () => askRun(ctx, stranger, id),
    () => listRuns(ctx, stranger, id),
    () => decide(ctx, stranger, { id, runId: id, approve: true }),
  ])
    await expect(work()).rejects.toThrow('no such source')
  expect(await listSources(ctx, stranger)).toEqual([])
  const unverified = await createOrg(souk, { verified: false })
  await expect(addSource(ctx, await actOf(unverified, unverified.ownerId), input())).rejects.toThrow('verify')
  const viewer = await addMember(souk, org, 'viewer')
  await expect(addSource(ctx, await actOf(org, viewer.userId), input())).rejects.toThrow('read-only')
  for (let count = 2; count <= 5; count++) await addSource(ctx, act, input({ name: `Feed ${count}` }))
  await expect(addSource(ctx, act, input({ name: 'Feed 6' }))).rejects.toThrow('5 sources already')
})

test.each([
  [{ url: 'http://shop.example/feed' }, 'https'],
  [{ url: null, every_minutes: null }, 'address'],
  [{ every_minutes: 15 }, 'every hour'],
])('%j is refused', async (more, why) => {
  const org = await createOrg(souk)
  await expect(addSource(ctx, await actOf(org, org.ownerId), input(more))).rejects.toThrow(why)
})

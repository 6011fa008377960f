/** What a node tells of itself: exact counts at all four guards, ids in its log, and figures while its database hangs. */
import fs from 'node:fs'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { projectFile } from '../../src/lib/paths.ts'
import { SILENT } from '../harness.ts'
import { type Observed, startObserved } from '../observed.world.ts'
import { sampleValue } from '../prometheus-text.ts'

const SOON = { timeout: 20_000, interval: 50 }
const JSON_TYPE = { 'Content-Type': 'application/json' }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`

let node: Observed
let product = ''

beforeAll(async () => {
  node = await startObserved()
  const first = node.people.products[0]
  product = `/p/${first?.category}/${first?.slug}`
  await vi.waitFor(async () => expect((await node.ask('/readyz')).status).toBe(200), SOON)
}, 60_000)

const search = (query: string, headers: Record<string, string> = {}) =>
  node.ask('/api/search/', {
    method: 'POST',
    headers: { ...JSON_TYPE, ...headers },
    body: JSON.stringify({ query }),
  })

describe('counts', () => {
  test('are exact at all four guards, by the pattern of the route and never by the path', async () => {
    const count = async ([method, route, status]: (typeof watched)[number]) =>
      sampleValue(await node.metrics(), 'souk_http_requests_total', { method, route, status: String(status) })
    const watched = [
      ['GET', '/p/:category/:slug', 200],
      ['HEAD', '/p/:category/:slug', 200],
      ['GET', '/p/:category/:slug', 304],
      ['GET', '/p/:category/:slug', 404],
      ['POST', '/api/search', 200],
      ['POST', '/mcp', 200],
      ['POST', '/mcp', 401],
      ['GET', '/healthz', 200],
      ['GET', 'other', 404],
      ['other', 'other', 404],
    ] as const
    const before = await Promise.all(watched.map((one) => count(one)))
    // The first is made by the router, those after it are prepared.
    const { headers } = await node.ask(`${product}.json`)
    for (let n = 0; n < 3; n++) await node.ask(`${product}.json`)
    await node.ask(`${product}.json`, { method: 'HEAD' })
    await node.ask(`${product}.json`, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    await node.ask('/p/nowhere/nothing-1.json')
    await search('a desk to stand at')
    for (let n = 0; n < 4; n++) await search('a desk to stand at')
    await node.call('list_categories', {})
    await node.ask('/mcp/', { method: 'POST', headers: JSON_TYPE, body: '{}' })
    await node.ask('/healthz')
    await node.ask('/nobody/was-here')
    await node.ask('/nobody/was-here', { method: 'PROPFIND' })
    const after = await Promise.all(watched.map((one) => count(one)))
    expect(after.map((value, at) => value - (before[at] ?? 0))).toEqual([4, 1, 1, 1, 5, 1, 1, 1, 1, 1])
    const families = await node.metrics()
    const routes = families.get('souk_http_requests_total')?.samples.map(({ labels }) => labels.route) ?? []
    expect(routes.join(' ')).not.toMatch(/desk|nobody|nothing/)
    const reads = { method: 'GET', route: '/p/:category/:slug', status: '200' }
    expect(sampleValue(families, 'souk_http_request_duration_seconds_count', reads)).toBe(
      sampleValue(families, 'souk_http_requests_total', reads),
    )
    // This one.
    expect(sampleValue(families, 'souk_http_requests_in_flight')).toBe(1)
  })

  test('of tools are by name and outcome, and a name that no tool has is unknown', async () => {
    const before = await node.metrics()
    await node.call('list_categories', {})
    await node.call('get_product', { slug: 'no-such-product' })
    await node.call('no_such_tool_4711', {})
    const after = await node.metrics()
    const grown = (tool: string, outcome: string) =>
      sampleValue(after, 'souk_tool_calls_total', { tool, outcome }) -
      sampleValue(before, 'souk_tool_calls_total', { tool, outcome })
    expect(grown('list_categories', 'ok')).toBe(1)
    expect(grown('get_product', 'refused')).toBe(1)
    expect(grown('unknown', 'refused')).toBe(1)
    expect(sampleValue(after, 'souk_tool_calls_total', { tool: 'no_such_tool_4711' })).toBe(0)
  })

  test('of searches tell those that were remembered from those that were worked out', async () => {
    // An answer is forgotten when the index changes, as it does while its products are being embedded.
    let tries = 0
    await vi.waitFor(async () => {
      const query = `something quiet for the office ${++tries}`
      const before = await node.metrics()
      for (let n = 0; n < 3; n++) await search(query)
      const after = await node.metrics()
      const grown = (remembered: string) =>
        sampleValue(after, 'souk_searches_total', { face: 'rest', remembered }) -
        sampleValue(before, 'souk_searches_total', { face: 'rest', remembered })
      expect([grown('false'), grown('true')]).toEqual([1, 2])
    }, 20_000)
  })

  test('of requests for quote are by what became of them, with every producer that was asked', async () => {
    const before = await node.metrics()
    const answer = await node.call('find_retailers', {
      query: 'a desk',
      product_slug: product.slice('/p/'.length),
    })
    expect(answer.status).toBe(200)
    await vi.waitFor(async () => {
      const now = await node.metrics()
      const ended = (families: typeof now) => sampleValue(families, 'souk_rfqs_total')
      const asked = (families: typeof now) => sampleValue(families, 'souk_rfq_attempts_total')
      expect(ended(now) - ended(before)).toBe(1)
      expect(asked(now) - asked(before)).toBeGreaterThanOrEqual(1)
      const ran = (families: typeof now) =>
        sampleValue(families, 'souk_job_duration_seconds_count', { kind: 'rfq.run', outcome: 'done' })
      expect(ran(now) - ran(before)).toBe(1)
    }, SOON)
  })

  test('and gauges tell what the node has', async () => {
    const families = await node.metrics()
    expect(sampleValue(families, 'souk_index_products')).toBe(node.people.products.length)
    expect(sampleValue(families, 'souk_index_bytes')).toBeGreaterThan(0)
    expect(families.get('souk_index_embedded')?.samples).toHaveLength(1)
    expect(families.get('souk_embedding_pending')?.samples.map(({ labels }) => labels.stage)).toEqual([
      'whole',
      'sentences',
    ])
    expect(sampleValue(families, 'souk_db_pool_connections')).toBeGreaterThan(0)
    expect(sampleValue(families, 'souk_db_pool_size')).toBe(10)
    expect(
      sampleValue(families, 'souk_db_query_duration_seconds_count', { operation: 'select' }),
    ).toBeGreaterThan(0)
    expect(families.get('souk_jobs')?.samples).toContainEqual({
      name: 'souk_jobs',
      labels: { kind: 'mail.send', state: 'waiting' },
      value: 0,
    })
    expect(families.get('souk_index_age_seconds')?.samples).toHaveLength(1)
    expect(families.get('souk_jobs_lag_seconds')?.samples.length).toBeGreaterThan(5)
  })
})

describe('the log', () => {
  test('names the request and the trace at every guard, and the caller as soon as it is known', async () => {
    const [shopper, producer] = [node.people.shoppers[0], node.people.producers[0]]
    const traceparent = TRACEPARENT
    const answers = [
      await node.ask(`${product}.json`, { headers: { traceparent } }),
      await search('a desk to stand at', { traceparent }),
      await node.call('list_categories', {}, { traceparent }),
      await node.ask('/account', {
        headers: { cookie: shopper?.cookie ?? '', traceparent },
        redirect: 'manual',
      }),
      await node.ask('/api/org', {
        headers: { Authorization: `Bearer ${producer?.bearer}`, traceparent },
      }),
    ]
    await vi.waitFor(() => {
      const lines = answers.map((answer) => node.lineOf(answer))
      for (const line of lines) expect(line).toMatchObject({ level: 'info', traceId: TRACE })
      expect(lines.map((line) => line?.userId)).toEqual([
        undefined,
        undefined,
        shopper?.userId,
        shopper?.userId,
        undefined,
      ])
      expect(lines[4]?.orgId).toBe(producer?.orgId)
    }, SOON)
  })

  test('a traceparent that is not valid is nobody’s trace', async () => {
    const ids = [
      '00-0-0-01',
      `ff-${TRACE}-00f067aa0ba902b7-01`,
      `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      'x"}\\n',
    ]
    for (const traceparent of ids)
      expect(node.lineOf(await node.ask('/healthz', { headers: { traceparent } }))).not.toHaveProperty(
        'traceId',
      )
  })

  // One goes through the query builder, the other through the pool itself, whose answers come in nobody's turn.
  test.for([
    ['sessions', '/account'],
    ['migrations', '/readyz'],
  ])('a slow statement on %s, deep inside, carries the ids of its request', async ([table, path = '']) => {
    const other = await node.direct.pool.connect()
    await other.query('begin')
    await other.query(`lock table ${table} in access exclusive mode`)
    const cookie = node.people.shoppers[0]?.cookie ?? ''
    const asked = node.ask(path, { headers: { cookie }, redirect: 'manual' })
    await new Promise((resolve) => setTimeout(resolve, 400))
    await other.query('commit')
    other.release()
    const requestId = (await asked).headers.get('x-request-id')
    const lines = node.logged.lines().filter(({ msg }) => msg === 'slow query')
    expect(lines).toContainEqual(
      expect.objectContaining({ requestId, sql: expect.stringContaining(table ?? '') }),
    )
  })

  test('has no token, no mail address and no query in it', () => {
    const text = node.logged.text()
    const { shoppers, producers } = node.people
    for (const secret of [...shoppers, ...producers].flatMap(({ token, email, cookie }) => [
      token,
      email,
      cookie,
    ]))
      expect(text).not.toContain(secret)
    expect(text).not.toMatch(/desk to stand|quiet for the office/)
  })
})

test('every metric is described in the documentation, and the dashboard asks for none that does not exist', async () => {
  const families = await node.metrics()
  const docs = fs.readFileSync(projectFile('docs', 'observability.md'), 'utf8')
  const ours = [...families.keys()].filter((name) => name.startsWith('souk_'))
  expect(ours.filter((name) => !docs.includes(`\`${name}\``))).toEqual([])
  const described = [...docs.matchAll(/`(souk_\w+)`/g)].map(([, name = '']) => name)
  expect(described.filter((name) => !families.has(name))).toEqual([])
  const { panels } = JSON.parse(
    fs.readFileSync(projectFile('deploy', 'grafana', 'souk.json'), 'utf8'),
  ) as Board
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  expect(expressions.length).toBeGreaterThan(25)
  for (const expr of expressions) checkExpression(expr, families)
})

test('while the database hangs the figures are told all the same, and say so', async () => {
  // Of one that is well nothing is to be seen: it was declared last.
  const other = openDatabase(node.direct.connection, SILENT, { watched: true })
  onTestFinished(other.close)
  node.guard.shut()
  const answer = await node.ask('/metrics')
  expect(answer.status).toBe(200)
  await vi.waitFor(async () => {
    const families = await node.metrics()
    expect(sampleValue(families, 'souk_db_away')).toBe(1)
    expect(families.get('souk_jobs')?.samples).toEqual([])
    expect(sampleValue(families, 'souk_http_requests_total')).toBeGreaterThan(0)
  }, SOON)
  node.guard.openAgain()
  await vi.waitFor(async () => expect(sampleValue(await node.metrics(), 'souk_db_away')).toBe(0), SOON)
}, 60_000)

type Board = { panels: Array<{ targets?: Array<{ expr: string }> }> }

/** Counters are only ever seen as rates, and quantiles only of buckets kept apart by their bound. */
function checkExpression(expr: string, families: Awaited<ReturnType<Observed['metrics']>>): void {
  for (const [name] of expr.matchAll(/\b(?:souk|nodejs|process)_\w+/g)) {
    const part = /_(?:bucket|sum|count)$/.exec(name)
    const base = part ? name.slice(0, part.index) : name
    const family = families.get(name) ?? families.get(base)
    expect(family, `${name} in ${expr}`).toBeDefined()
    const grows = family?.type === 'counter' || family?.type === 'histogram'
    if (grows)
      expect(expr, name).toMatch(
        new RegExp(`(?:rate|increase)\\(${name}(?:\\{[^}]*\\})?\\[\\$__rate_interval\\]\\)`),
      )
    else expect(expr, name).not.toMatch(/rate\(|increase\(/)
  }
  const quantiles = expr.split('histogram_quantile(').length - 1
  const kept = [
    ...expr.matchAll(/histogram_quantile\([\d.]+, sum by \((?:\w+, )*le(?:, \w+)*\) \(rate\(\w+_bucket/g),
  ]
  expect(kept.length, expr).toBe(quantiles)
  expect(expr.split('(').length, expr).toBe(expr.split(')').length)
}

/** Spans, from a real server to a collector that reads what arrives. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startTracing, stopTracing } from '../../src/lib/tracing.ts'
import { SILENT } from '../harness.ts'
import { type Observed, startObserved } from '../observed.world.ts'
import { type ReceivedSpan, startOtlpReceiver } from '../otlp-receiver.ts'

const SOON = { timeout: 20_000, interval: 50 }
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

let node: Observed
let collector: Awaited<ReturnType<typeof startOtlpReceiver>>

beforeAll(async () => {
  collector = await startOtlpReceiver()
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', collector.endpoint)
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=one')
  vi.stubEnv('OTEL_EXPORTER_OTLP_COMPRESSION', 'gzip')
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=trial')
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '50')
  await startTracing(SILENT)
  node = await startObserved()
  await vi.waitFor(async () => expect((await node.ask('/readyz')).status).toBe(200), SOON)
}, 60_000)
afterAll(() => vi.unstubAllEnvs())

/** Those of one trace, once the one that is asked for is among them. */
async function spansOf(traceId: string, wanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan[]> {
  return vi.waitFor(() => {
    const spans = collector.spans.filter((span) => span.traceId === traceId)
    if (!spans.some(wanted)) throw new Error('not there yet')
    return spans
  }, SOON)
}

test('a call of a tool is one tree: the request under the caller’s span, the tool, its statements', async () => {
  const first = node.people.products[0]
  const traceparent = `00-${TRACE}-${PARENT}-01`
  const given = { query: 'a desk', product_slug: `${first?.category}/${first?.slug}` }
  const answer = await node.call('find_retailers', given, { traceparent })
  expect(answer.status).toBe(200)
  const spans = await spansOf(TRACE, ({ kind }) => kind === 2)
  const request = spans.find(({ kind }) => kind === 2)
  expect(request).toMatchObject({
    name: 'POST /mcp',
    parentId: PARENT,
    status: 0,
    attributes: {
      'http.request.method': 'POST',
      'http.route': '/mcp',
      'http.response.status_code': 200,
      'url.path': '/mcp',
    },
    resource: { 'service.name': 'souk', 'deployment.environment.name': 'trial' },
  })
  const tool = spans.find(({ name }) => name === 'tools/call find_retailers')
  expect(tool).toMatchObject({
    parentId: request?.spanId,
    attributes: { 'gen_ai.tool.name': 'find_retailers' },
  })
  const statements = spans.filter(({ parentId, kind }) => parentId === tool?.spanId && kind === 3)
  expect(statements.length).toBeGreaterThan(0)
  for (const { attributes } of statements) expect(attributes['db.system.name']).toBe('postgresql')
  const texts = spans.map(({ attributes }) => attributes['db.query.text']).join('\n')
  expect(texts).toMatch(/\$1/)
  expect(texts).not.toContain(first?.slug)
  expect(node.lineOf(answer)).toMatchObject({ traceId: TRACE, spanId: request?.spanId })
})

test('a job is a trace of its own, with everybody it asks', async () => {
  const job = await vi.waitFor(() => {
    const found = collector.spans.find(({ name }) => name === 'job rfq.run')
    if (!found) throw new Error('not there yet')
    return found
  }, SOON)
  expect(job).toMatchObject({ kind: 5, parentId: '', attributes: { 'souk.job.kind': 'rfq.run' } })
  const spans = await spansOf(job.traceId, ({ name }) => name === 'ask producers')
  const fanOut = spans.find(({ name }) => name === 'ask producers')
  expect(fanOut).toMatchObject({ parentId: job.spanId, attributes: { 'souk.rfq.id': expect.any(String) } })
  // It was refused, which is what a span that failed looks like.
  const asked = spans.find(({ parentId, name }) => parentId === fanOut?.spanId && name === 'POST')
  expect(asked).toMatchObject({
    kind: 3,
    status: 2,
    attributes: { 'server.address': '127.0.0.1' },
  })
})

test('a prepared page and a remembered search are spans, too', async () => {
  const first = node.people.products[0]
  for (let n = 0; n < 2; n++) {
    await node.ask(`/p/${first?.category}/${first?.slug}.json`)
    const body = JSON.stringify({ query: 'a desk' })
    await node.ask('/api/search/', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
  }
  await vi.waitFor(() => {
    const names = collector.spans.map(({ name }) => name)
    expect(names.filter((name) => name === 'GET /p/:category/:slug')).toHaveLength(2)
    expect(names.filter((name) => name === 'POST /api/search')).toHaveLength(2)
    expect(names.filter((name) => name === 'search')).toHaveLength(1)
  }, SOON)
})

test('what somebody types for suggestions is in no span, line or figure', async () => {
  await node.ask('/api/suggest/?q=qzxtyped')
  await vi.waitFor(() => expect(collector.spans.map(({ name }) => name)).toContain('GET /api/suggest'), SOON)
  const metrics = await (await node.ask('/metrics')).text()
  expect(metrics).toContain('route="/api/suggest"')
  expect([JSON.stringify(collector.spans), node.logged.text(), metrics].join('\n')).not.toContain('qzx')
})

test('what the collector gets comes as the variables say, and a caller that is not sampled is left out', async () => {
  const [first] = collector.requests
  expect(first).toMatchObject({
    url: '/v1/traces',
    headers: { 'x-tenant': 'one', 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
  })
  const quiet = 'a'.repeat(32)
  const answer = await node.ask('/healthz', { headers: { traceparent: `00-${quiet}-${PARENT}-00` } })
  expect(node.lineOf(answer)).toMatchObject({ traceId: quiet })
  await node.ask('/nowhere/at-all')
  await stopTracing()
  expect(collector.spans.some(({ traceId }) => traceId === quiet)).toBe(false)
  // The last request was sent at the stop, and its path is no name.
  expect(collector.spans.filter(({ kind }) => kind === 2).at(-1)).toMatchObject({
    name: 'GET other',
    attributes: { 'http.response.status_code': 404 },
  })
})

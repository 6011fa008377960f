/** A real node that gets several times what it can do: it turns some away at once, serves the others, and recovers. */
import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { afterAll, expect, test, vi } from 'vitest'

const COST_MS = 4
const PER_SECOND = 750
const FOR_MS = 900

type Kind = 'stranger' | 'known' | 'midway' | 'health'
type Answer = { kind: Kind; status: number; headers: IncomingHttpHeaders; body: string; ms: number }

const ASKED: Record<Kind, { method: string; path: string; headers: Record<string, string> }> = {
  stranger: { method: 'GET', path: '/api/things', headers: {} },
  known: { method: 'POST', path: '/mcp', headers: { authorization: 'Bearer x', 'content-length': '0' } },
  midway: { method: 'POST', path: '/api/oauth/token', headers: { 'content-length': '0' } },
  health: { method: 'GET', path: '/healthz', headers: {} },
}
const MIX: Kind[] = [
  'stranger',
  'stranger',
  'stranger',
  'known',
  'stranger',
  'stranger',
  'midway',
  'stranger',
]

const agent = new Agent({ keepAlive: true, maxSockets: 900 })
const workers: Worker[] = []
afterAll(async () => {
  agent.destroy()
  await Promise.all(workers.map((worker) => worker.terminate()))
})

async function startNode(guarded: boolean) {
  const workerData = { costMs: COST_MS, guarded }
  const worker = new Worker(new URL('./overload.node.ts', import.meta.url), { workerData })
  workers.push(worker)
  const [{ port }] = (await once(worker, 'message')) as [AddressInfo]
  const ask = (kind: Kind, path = ASKED[kind].path) =>
    new Promise<Answer>((resolve, reject) => {
      const started = performance.now()
      const sent = request({ ...ASKED[kind], path, host: '127.0.0.1', port, agent }, (response) => {
        let body = ''
        response.on('data', (chunk) => {
          body += chunk
        })
        response.on('end', () => {
          const { statusCode: status = 0, headers } = response
          resolve({ kind, status, headers, body, ms: performance.now() - started })
        })
      })
      sent.once('error', reject)
      sent.end()
    })
  return { ask, stop: () => worker.terminate() }
}

/** Comes at its own pace, whether answers come or not. */
async function overload({ ask }: Awaited<ReturnType<typeof startNode>>): Promise<Answer[]> {
  const asked: Array<Promise<Answer>> = []
  const started = performance.now()
  for (let passed = 0; passed < FOR_MS; passed = performance.now() - started) {
    while (asked.length < (passed * PER_SECOND) / 1_000) {
      asked.push(ask(asked.length % 40 === 0 ? 'health' : (MIX[asked.length % MIX.length] ?? 'stranger')))
    }
    await sleep(5)
  }
  return Promise.all(asked)
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

test('a node that gets several times what it can do sheds, serves the others well, and recovers', async () => {
  const open = await startNode(false)
  const unguarded = await overload(open)
  await open.stop()
  const node = await startNode(true)
  const answers = await overload(node)

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 503]))
  const shed = answers.filter(({ status }) => status === 503)
  for (const { headers } of shed) expect(headers['retry-after']).toMatch(/^[1-5]$/)
  expect(new Set(shed.map(({ headers }) => headers['retry-after'])).size).toBeGreaterThan(1)
  const told = shed.find(({ kind }) => kind === 'stranger')?.body ?? ''
  expect(JSON.parse(told)).toEqual({ error: expect.stringContaining('the service is very busy') })

  const share = (kind: Kind) =>
    shed.filter((one) => one.kind === kind).length / answers.filter((one) => one.kind === kind).length
  expect(share('health')).toBe(0)
  expect(share('stranger')).toBeGreaterThan(share('midway'))

  const served = answers.filter(({ status }) => status === 200).map(({ ms }) => ms)
  expect(median(served)).toBeLessThan(median(unguarded.map(({ ms }) => ms)))

  await vi.waitFor(
    async () => {
      const { body } = await node.ask('stranger', '/pressure')
      expect(JSON.parse(body)).toMatchObject({ shedding: false })
    },
    { timeout: 20_000, interval: 50 },
  )
  for (let n = 0; n < 20; n++) expect((await node.ask('stranger')).status).toBe(200)
}, 60_000)

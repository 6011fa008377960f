/**
 * Real clients over a real port: that of A2A 1.0, the same library's client for 0.3, and the library as it was in the
 * days of 0.3. Each reads the card, uses every skill, and takes a request for quote through polling, streaming, cancelling
 * and being told.
 */
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { createPushJob } from '../../src/agents/a2a/push.job.ts'
import { SKILL_IDS } from '../../src/agents/a2a/skills/skill.ts'
import { listenFirst } from '../listen-first.ts'
import { serve } from '../loopback.ts'
import { createTestCa } from '../tls.ts'
import { HOOK, openCompat, openCurrent, openOld, openRest } from './a2a.real-clients.ts'
import { createA2aWorld, METHODS, RFQ, versionOf, WIRES, writeMessage } from './a2a.world.ts'
import { PRODUCT } from './rfq.world.ts'

const authority = createTestCa()
const told: Array<{ headers: Record<string, unknown>; body: string }> = []
const hook = await serve(
  async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    told.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') })
    response.writeHead(204).end()
  },
  authority.certFor(['hook.example']),
)
afterAll(() => hook.close())

const world = await createA2aWorld({
  authority,
  allow: [`hook.example=127.0.0.1:${hook.port}`],
  jobs: (ctx) => [createPushJob(ctx)],
})
beforeEach(world.forgetHours)

const { news, waiting, untilNobodyWaits } = world.watchedNews()
const { baseUrl, answerWith } = await listenFirst()
answerWith(world.mounted({ news, config: { ...world.a2a.config, baseUrl, mcpUrl: baseUrl } }))

const QUICK: Array<[string, Record<string, unknown>]> = [
  ['product-recommendation', { query: 'a desk lamp' }],
  ['product-lookup', { product_slug: PRODUCT }],
  ['category-browse', { category: 'desk-lamps' }],
  ['product-offers', { product_slug: PRODUCT }],
  ['what-changed', { since: '2026-10-01' }],
]

describe.each([
  ['of 1.0', openCurrent],
  ['of 1.0 by HTTP+JSON', openRest],
  ['of 1.0 speaking 0.3', openCompat],
  ['of 0.3', openOld],
])('the client %s', async (_name, open) => {
  const client = await open(baseUrl)

  test('finds the six skills on the card', () => {
    expect(client.skills).toEqual([...SKILL_IDS])
  })

  test.each(QUICK)('%s answers at once with a message that carries data', async (skill, params) => {
    const answer = await client.send({ skill, ...params })
    expect(answer.kind).toBe('message')
    expect(answer.data).toBeTypeOf('object')
    if (skill !== 'what-changed') expect(JSON.stringify(answer.data)).toContain('lume-one')
  })

  test('a request for quote is submitted, and completed when it is asked for again', async () => {
    const release = world.holdSlow()
    const { id, state } = await client.send(RFQ)
    expect(state).toBe('submitted')
    release()
    await expect.poll(async () => (await client.get(id)).state, { timeout: 10_000 }).toBe('completed')
    const { data } = await client.get(id)
    expect(data).toMatchObject({
      rfq_id: expect.not.stringContaining(id),
      product_slug: PRODUCT,
      quotes: [{ rank: 1 }, { rank: 2 }, { rank: 3 }],
    })
  })

  test('a stream is read to its end', async () => {
    const kinds: string[] = []
    for await (const kind of client.stream(RFQ)) kinds.push(kind)
    expect(kinds).toEqual(['task', ...Array.from({ length: 4 }, () => 'artifactUpdate'), 'statusUpdate'])
  })

  test('a request is canceled, and a second time is refused', async () => {
    const release = world.holdSlow()
    const { id } = await client.send(RFQ)
    expect(await client.cancel(id)).toMatchObject({ id, state: 'canceled' })
    await expect(client.cancel(id)).rejects.toThrow(/ended|cannot be canceled/)
    release()
  })

  test.each(['with the message', 'afterwards'])('is told of the end when it asks for it %s', async (when) => {
    const release = world.holdSlow()
    const { id } = await client.send(RFQ, when === 'with the message')
    if (when === 'afterwards') expect(await client.tellMe(id)).toBe(HOOK)
    release()
    await expect.poll(() => told.find(({ body }) => body.includes(id)), { timeout: 10_000 }).toBeDefined()
    const { headers, body } = told.find((one) => one.body.includes(id)) ?? { headers: {}, body: '{}' }
    expect(headers['x-a2a-notification-token']).toBe('it-is-us')
    const task = JSON.parse(body) as Record<string, unknown>
    if (open === openCurrent || open === openRest)
      expect(task).toMatchObject({ task: { id, status: { state: 'TASK_STATE_COMPLETED' } } })
    else expect(task).toMatchObject({ kind: 'task', id, status: { state: 'completed' } })
  })
})

test.each(WIRES)('anyone who hangs up while waiting or reading leaves nobody waiting: %s', async (wire) => {
  const version = versionOf(wire)
  const release = world.holdSlow()
  const configuration = version === '0.3' ? { blocking: true } : { returnImmediately: false }
  for (const verb of ['send', 'stream'] as const) {
    // From here on, who waits is this one.
    await untilNobodyWaits()
    const message = writeMessage(version, { text: 'x', metadata: RFQ })
    const gone = new AbortController()
    const params = { message, configuration }
    const [path, body] =
      wire === 'HTTP+JSON'
        ? [`message:${verb}`, params]
        : ['', { jsonrpc: '2.0', id: 1, method: METHODS[version][verb], params }]
    const asked = fetch(`${baseUrl}/a2a/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      signal: gone.signal,
      body: JSON.stringify(body),
    }).then((response) => response.text())
    await expect.poll(waiting, { timeout: 5_000 }).toBeGreaterThan(0)
    gone.abort()
    await expect(asked).rejects.toThrow()
    await untilNobodyWaits()
  }
  release()
})

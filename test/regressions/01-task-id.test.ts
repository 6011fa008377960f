/**
 * The id of a buyer's task reads, follows and cancels it. Sellers know the request by another id, which opens nothing:
 * else a rival could read the other quotes and undercut them.
 */
import { afterEach, describe, expect, test } from 'vitest'
import { exportRfqs } from '../../src/rfq/rfq.service.ts'
import { createA2aWorld, METHODS, STATES, VERSIONS, type Version } from '../e2e/a2a.world.ts'
import { call } from '../orgs.ts'
import { withTools } from '../tools.world.ts'

const world = withTools(await createA2aWorld())
const { pool } = world.database

function producer(name: string) {
  const found = world.producers[name]
  if (!found) throw new Error(`there is no ${name}`)
  return found
}

/** What the rival was sent last, as text and as what it says. */
async function sentToRival(count: number) {
  const { received } = producer('slow')
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(count)
  const last = received.at(-1)
  const text = `${last?.body}\n${JSON.stringify(last?.headers)}`
  const message = JSON.parse(last?.body ?? '{}')
  return { text, id: message.id, ...message.params.message } as {
    text: string
    id: string
    messageId: string
    metadata: { rfq_id: string }
  }
}

let release = () => {}
afterEach(() => release())

/** A stranger's request that is under way: the rival has been asked and has not answered. */
async function underWay(version: Version) {
  await world.forgetHours()
  const before = producer('slow').received.length
  release = world.holdSlow()
  const task = await world.submitted(version)
  return { task, sent: await sentToRival(before + 1) }
}

/** All that one line of a JSON-RPC answer can say of a task. */
async function refusedAs(version: Version, verb: keyof (typeof METHODS)['1.0'], params: unknown) {
  const response = await world.post({ jsonrpc: '2.0', id: 1, method: METHODS[version][verb], params })
  return response.text()
}

describe.each(VERSIONS)('A2A %s', (version) => {
  test('no id that a seller is sent reads, follows, cancels or watches the task', async () => {
    const { task, sent } = await underWay(version)
    expect(sent.id).toBe(sent.metadata.rfq_id)
    const known = new Set([sent.id, sent.messageId, sent.metadata.rfq_id])
    for (const id of known)
      for (const form of [id, id.toUpperCase()]) {
        const push = { id: 'p', url: 'https://rival.example/hook' }
        const calls = {
          get: { id: form },
          subscribe: { id: form },
          cancel: { id: form },
          setPush:
            version === '0.3' ? { taskId: form, pushNotificationConfig: push } : { taskId: form, ...push },
          listPushes: version === '0.3' ? { id: form } : { taskId: form },
        } as const
        for (const [verb, params] of Object.entries(calls)) {
          const said = await refusedAs(version, verb as keyof typeof calls, params)
          expect(said, verb).toContain('-32001')
          expect(said, verb).not.toContain('price_usd')
        }
        const page = await world.app.request(`/quotes/${form}`)
        expect(page.status).toBe(404)
      }
    release()
    await expect
      .poll(async () => (await world.get(version, task.id)).status.state, { timeout: 10_000 })
      .toBe(STATES[version].completed)
  })

  test('nothing that a seller is sent holds the id of the task or of its conversation', async () => {
    const { task, sent } = await underWay(version)
    for (const id of [task.id, task.contextId]) expect(sent.text.toLowerCase()).not.toContain(id)
    // Random by its version, so made from nothing.
    expect(sent.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  })

  test('the quotes and their signatures name the request as the seller knows it', async () => {
    const { task, sent } = await underWay(version)
    release()
    await expect
      .poll(async () => (await world.get(version, task.id)).status.state, { timeout: 10_000 })
      .toBe(STATES[version].completed)
    const { artifacts } = await world.get(version, task.id)
    const [text, data] = artifacts?.[0]?.parts ?? []
    const { rfq_id, quotes } = (data?.data ?? {}) as { rfq_id: string; quotes: Array<{ signature: string }> }
    expect(rfq_id).toBe(sent.metadata.rfq_id)
    expect(text?.text).toContain(rfq_id)
    const artifact = JSON.stringify(artifacts)
    expect(artifact).not.toContain(task.id)
    expect(quotes).toHaveLength(3)
    for (const { signature } of quotes) {
      const payload = Buffer.from(signature.split('.')[1] ?? '', 'base64url').toString('utf8')
      expect(JSON.parse(payload)).toMatchObject({ rfq_id })
      expect(payload).not.toContain(task.id)
    }
  })

  test('quotes that arrive one by one name it so too', async () => {
    await world.forgetHours()
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: METHODS[version].stream,
      params: {
        message: {
          ...(version === '0.3' && { kind: 'message' }),
          messageId: crypto.randomUUID(),
          role: version === '0.3' ? 'user' : 'ROLE_USER',
          parts: [version === '0.3' ? { kind: 'text', text: 'x' } : { text: 'x' }],
          metadata: { skill: 'request-for-quote', product_slug: 'desk-lamps/lume-one' },
        },
      },
    }
    const before = producer('slow').received.length
    const ids = new Set<string>()
    for await (const event of world.events(await world.post(message, { version })))
      for (const [, id] of JSON.stringify(event).matchAll(/"rfq_id":"([^"]+)"/g)) ids.add(id ?? '')
    expect([...ids]).toEqual([(await sentToRival(before + 1)).metadata.rfq_id])
  })
})

test('nothing that a seller can read of a request holds the id of the task', async () => {
  const { task, sent } = await underWay('1.0')
  const rival = producer('slow').org
  const rfqId = sent.metadata.rfq_id
  const token = await world.tokenFor(rival.ownerId)
  const browse = (path: string) => call(world, rival.session, 'GET', path)
  const looked = async () => [
    await browse('/api/org/rfqs/'),
    await browse(`/api/org/rfqs/?before=${rfqId}`),
    await browse(`/api/org/rfqs/${rfqId}`),
    await browse('/api/org/audit/'),
    await browse('/api/org/agent-integration/'),
    await browse('/dashboard'),
    await browse('/dashboard/rfqs'),
    await browse('/dashboard/agent'),
    await browse('/dashboard/history'),
    await browse('/dashboard/performance'),
    await world.call({ token }, 'list_rfqs'),
    await world.call({ token }, 'get_agent_integration'),
    await world.call({ token }, 'get_performance'),
  ]
  const during = await looked()
  release()
  await expect
    .poll(async () => (await world.get('1.0', task.id)).status.state, { timeout: 10_000 })
    .toBe(STATES['1.0'].completed)
  const after = [...(await looked()), await browse(`/dashboard/rfqs/${rfqId}`)]
  for (const seen of [...during, ...after]) {
    const text = JSON.stringify(seen)
    expect(text.toLowerCase()).not.toContain(task.id)
    expect(text.toLowerCase()).not.toContain(task.contextId)
  }
  for (const path of [
    '/api/org/rfqs/',
    `/api/org/rfqs/${rfqId}`,
    '/dashboard/rfqs',
    `/dashboard/rfqs/${rfqId}`,
  ])
    expect(JSON.stringify(await browse(path)), path).toContain(rfqId)
  for (const path of [`/api/org/rfqs/${task.id}`, `/dashboard/rfqs/${task.id}`])
    expect((await browse(path)).status, path).toBe(404)
})

test('a page of requests goes on from the id that the seller has', async () => {
  const { task } = await underWay('0.3')
  release()
  await expect
    .poll(async () => (await world.get('0.3', task.id)).status.state, { timeout: 10_000 })
    .toBe(STATES['0.3'].completed)
  const rival = producer('slow').org
  const ids = async (query: string) => {
    const { body } = await call(world, rival.session, 'GET', `/api/org/rfqs/?${query}`)
    return { ids: (body.rfqs as Array<{ rfq_id: string }>).map(({ rfq_id }) => rfq_id), next: body.next }
  }
  const all = await ids('')
  expect(all.ids.length).toBeGreaterThan(2)
  const first = await ids('limit=1')
  expect(first).toEqual({ ids: all.ids.slice(0, 1), next: all.ids[0] })
  expect((await ids(`before=${first.next}`)).ids).toEqual(all.ids.slice(1))
})

test('the address a shopper is led to learns nothing of the task', async () => {
  const { task } = await underWay('1.0')
  release()
  await expect
    .poll(async () => (await world.get('1.0', task.id)).status.state, { timeout: 10_000 })
    .toBe(STATES['1.0'].completed)
  const page = await world.app.request(`/quotes/${task.id}`)
  const html = await page.text()
  const links = [...html.matchAll(/href="([^"]*\/go\/[^"]+)"/g)].map(([, href]) => href ?? '')
  expect(links.length).toBeGreaterThan(0)
  for (const link of links) {
    const led = await world.app.request(link, { headers: { referer: `http://localhost/quotes/${task.id}` } })
    expect(led.status).toBe(302)
    expect(JSON.stringify([...led.headers])).not.toContain(task.id)
    expect(led.headers.get('referrer-policy')).toBe('strict-origin')
  }
})

test('the person who asked finds both ids in what is exported', async () => {
  const { rows: people } = await pool.query('select user_id from org_members limit 1')
  const userId = String(people[0]?.user_id)
  const token = await world.tokenFor(userId)
  const task = await world.submitted('1.0', { token })
  await expect
    .poll(async () => (await world.get('1.0', task.id, { token })).status.state, { timeout: 10_000 })
    .toBe(STATES['1.0'].completed)
  const { rows } = await pool.query('select session_id as "rfqId" from rfqs where user_id = $1', [userId])
  const { quote_requests } = await exportRfqs(world.rfq, userId)
  expect(quote_requests).toMatchObject([{ task_id: task.id, rfq_id: rows[0]?.rfqId }])
})

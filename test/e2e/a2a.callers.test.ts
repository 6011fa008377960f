/** Whose task it is, who may call with what token, how often, and what is listed for whom. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sweepA2a } from '../../src/agents/a2a/sweep.job.ts'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, METHODS, RFQ, STATES, type Task, VERSIONS, writeMessage } from './a2a.world.ts'

const world = await createA2aWorld()
const { rpc, send, raw } = world
beforeEach(world.forgetHours)
const [ada, bob] = [await world.person(), await world.person()]

describe.each(VERSIONS)('A2A %s', (version) => {
  const old = version === '0.3'
  const push = { id: 'p', url: 'https://acme.example/told' }
  /** Every way to reach a task by its id. */
  const reaches = (id: string) =>
    [
      ['get', { id }],
      ['cancel', { id }],
      ['setPush', old ? { taskId: id, pushNotificationConfig: push } : { taskId: id, ...push }],
      ['getPush', old ? { id, pushNotificationConfigId: 'p' } : { taskId: id, id: 'p' }],
      ['listPushes', old ? { id } : { taskId: id }],
      ['deletePush', old ? { id, pushNotificationConfigId: 'p' } : { taskId: id, id: 'p' }],
      ['send', { message: writeMessage(version, { text: 'hi', taskId: id }) }],
      ['stream', { message: writeMessage(version, { text: 'hi', taskId: id }) }],
    ] as const
  const subscribe = async (id: string, token?: string) => {
    const body = { jsonrpc: '2.0', id: 7, method: METHODS[version].subscribe, params: { id } }
    return (await world.post(body, { ...(token && { token }) })).text()
  }

  test.each(['request', 'question'])('somebody’s %s is not there for anybody else', async (what) => {
    const message = what === 'request' ? { text: 'x', metadata: RFQ } : { text: 'hi' }
    const { task } = await send(version, message, { token: ada.token })
    const id = task?.id ?? ''
    for (const token of [bob.token, undefined]) {
      for (const [verb, params] of reaches(id))
        expect(await rpc(version, verb, params, { ...(token && { token }) })).toMatchObject({
          error: { code: -32001, message: 'there is no such task' },
        })
      expect(await subscribe(id, token)).toContain('-32001')
    }
    expect(await world.get(version, id, { token: ada.token })).toMatchObject({ id })
  })

  test('a stranger’s task is read by anyone who knows its id, and listed for nobody', async () => {
    const { id } = await world.submitted(version)
    const asked = (await send(version, { text: 'hi' })).task?.id ?? ''
    for (const token of [undefined, ada.token])
      for (const one of [id, asked])
        expect(await world.get(version, one, { ...(token && { token }), ip: '198.51.100.9' })).toMatchObject({
          id: one,
        })
    for (const token of [undefined, ada.token]) {
      const { result } = await raw(
        { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} },
        { ...(token && { token }) },
      )
      expect(JSON.stringify(result)).not.toContain(id)
      expect(JSON.stringify(result)).not.toContain(asked)
    }
  })

  test('the same message id of two people is two tasks', async () => {
    const message = { text: 'x', metadata: RFQ, messageId: newId() }
    const ids = await Promise.all(
      [{ token: ada.token }, { token: bob.token }, {}].map(
        async (how) => (await send(version, message, how)).task?.id,
      ),
    )
    expect(new Set(ids).size).toBe(3)
  })

  test('a token that is not good is 401 with the way to a good one, never a stranger', async () => {
    const expired = await world.person({ expired: true })
    const foreign = await world.person({ resource: 'https://elsewhere.example/mcp' })
    for (const authorization of [
      'Bearer nonsense',
      `Bearer ${expired.token}`,
      `Bearer ${foreign.token}`,
      `Basic ${ada.token}`,
      'Bearer',
    ]) {
      const answer = await rpc(version, 'get', { id: newId() }, { headers: { Authorization: authorization } })
      expect(answer).toMatchObject({ status: 401, id: 7, error: { code: -32041 } })
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="invalid_token", error_description="the token is not valid, has expired or is for another service", resource_metadata="http://souk.test/.well-known/oauth-protected-resource/mcp/", scope="mcp"',
      )
    }
  })

  test('a token that was bound to no resource is good', async () => {
    const carol = await world.person({ resource: null })
    expect((await send(version, { text: 'hi' }, { token: carol.token })).task).toBeDefined()
  })

  test('a network may send 60 messages an hour, exactly, however many come at once', async () => {
    const ip = '203.0.113.5'
    const answers = await Promise.all(
      Array.from({ length: 75 }, () => send(version, { text: 'hi', messageId: 'same' }, { ip })),
    )
    const refused = answers.filter(({ error }) => error !== undefined)
    expect(refused).toHaveLength(15)
    for (const { status, error, headers } of refused) {
      expect([status, error?.code]).toEqual([429, -32029])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3_600)
    }
    const body = {
      jsonrpc: '2.0',
      id: 7,
      method: METHODS[version].stream,
      params: { message: writeMessage(version, { text: 'hi' }) },
    }
    expect((await world.post(body, { ip })).status).toBe(429)
    // Reading is not counted, another network and somebody with a token are not kept from sending.
    expect((await rpc(version, 'get', { id: newId() }, { ip })).status).toBe(200)
    expect((await rpc(version, 'cancel', { id: newId() }, { ip })).status).toBe(200)
    expect((await send(version, { text: 'hi' }, { ip: '203.0.113.6' })).task).toBeDefined()
    expect((await send(version, { text: 'hi' }, { ip, token: ada.token })).task).toBeDefined()
    world.clock.advance(3_600_000)
    expect((await send(version, { text: 'hi' }, { ip })).task).toBeDefined()
  })
})

test('the addresses of one IPv6 network count as one', async () => {
  const answers = await Promise.all(
    Array.from({ length: 62 }, (_, n) =>
      send('1.0', { text: 'hi' }, { ip: `2001:db8:1:2::${(n + 1).toString(16)}` }),
    ),
  )
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
})

test('somebody signed in may send 600 an hour', async () => {
  const dora = await world.person()
  await send('1.0', { text: 'hi' }, { token: dora.token })
  const { rowCount } = await world.database.pool.query('update a2a_hours set messages = 599')
  expect(rowCount).toBe(1)
  expect((await send('1.0', { text: 'hi' }, { token: dora.token })).status).toBe(200)
  expect((await send('1.0', { text: 'hi' }, { token: dora.token })).status).toBe(429)
})

test('who sent what is not to be read from the counts', async () => {
  await send('1.0', { text: 'hi' }, { ip: '203.0.113.77' })
  await send('1.0', { text: 'hi' }, { token: ada.token })
  const { rows } = await world.database.pool.query('select network from a2a_hours')
  expect(rows).toHaveLength(2)
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`203\\.0\\.113|${ada.id}`))
})

test('hours of yesterday and questions of last week are swept away, younger ones stay', async () => {
  const { task } = await send('1.0', { text: 'hi' })
  world.clock.advance(6 * 86_400_000)
  const young = await send('1.0', { text: 'hi' })
  await sweepA2a(world.a2a)
  expect(await world.get('1.0', task?.id ?? '')).toBeDefined()
  const { rows } = await world.database.pool.query('select count(*)::int as count from a2a_hours')
  expect(rows).toEqual([{ count: 1 }])
  world.clock.advance(86_400_001)
  expect(await sweepA2a(world.a2a)).toMatchObject({ hours: 1 })
  expect((await rpc('1.0', 'get', { id: task?.id })).error.code).toBe(-32001)
  expect(await world.get('1.0', young.task?.id ?? '')).toBeDefined()
})

describe('listing', () => {
  const how = { token: '', version: '1.0' as const }
  type Page = { tasks: Task[]; nextPageToken: string; pageSize: number; totalSize: number }
  const list = async (params: Record<string, unknown> = {}) => {
    const { result, error } = await raw({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params }, how)
    return { ...(result as unknown as Page), code: error?.code }
  }
  const contextId = newId()
  const ids: string[] = []
  beforeAll(async () => {
    how.token = (await world.person()).token
    for (let n = 0; n < 7; n++) {
      world.clock.advance(1_000)
      const message = n % 2 === 0 ? { text: 'x', metadata: RFQ } : { text: 'hi' }
      const { task } = await send('1.0', { ...message, ...(n < 3 && { contextId }) }, how)
      ids.unshift(task?.id ?? '')
      if (n % 2 === 0) await rpc('1.0', 'cancel', { id: task?.id }, how)
    }
  })

  test('gives an owner all tasks of both kinds, last changed first, without artifacts', async () => {
    const page = await list()
    expect(page.tasks.map(({ id }) => id)).toEqual(ids)
    expect(page).toMatchObject({ nextPageToken: '', pageSize: 50, totalSize: 7 })
    expect(page.tasks.every(({ artifacts }) => artifacts === undefined)).toBe(true)
  })

  test('goes on from page to page without a gap or a repetition', async () => {
    const seen: string[] = []
    let pageToken = ''
    do {
      const page = await list({ pageSize: 2, ...(pageToken && { pageToken }) })
      expect(page.totalSize).toBe(7)
      seen.push(...page.tasks.map(({ id }) => id))
      pageToken = page.nextPageToken
    } while (pageToken !== '')
    expect(seen).toEqual(ids)
  })

  test('tasks of the same moment are all found across pages', async () => {
    const twin = await world.person()
    const mine = { token: twin.token, version: '1.0' as const }
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        send('1.0', n % 2 ? { text: 'hi' } : { text: 'x', metadata: RFQ }, mine),
      ),
    )
    for (const { task } of made) await rpc('1.0', 'cancel', { id: task?.id }, mine)
    const seen = new Set<string>()
    let pageToken = ''
    do {
      const { result } = await raw(
        { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: { pageSize: 1, pageToken } },
        mine,
      )
      const page = result as unknown as Page
      for (const { id } of page.tasks) seen.add(id)
      pageToken = page.nextPageToken
    } while (pageToken !== '' && seen.size < 10)
    expect(seen).toEqual(new Set(made.map(({ task }) => task?.id)))
  })

  test('filters by context, state and time', async () => {
    expect((await list({ contextId })).tasks.map(({ id }) => id)).toEqual(ids.slice(4))
    expect(await list({ contextId: 'not one of ours' })).toMatchObject({ tasks: [], totalSize: 0 })
    const asked = await list({ status: STATES['1.0'].asked })
    expect([asked.totalSize, asked.tasks.map(({ id }) => id)]).toEqual([3, ids.filter((_, n) => n % 2 === 1)])
    expect(await list({ status: STATES['1.0'].canceled })).toMatchObject({ totalSize: 4 })
    expect(await list({ status: 'TASK_STATE_WORKING' })).toMatchObject({ tasks: [], totalSize: 0 })
    const third = (await list()).tasks[2]?.status.timestamp
    expect((await list({ statusTimestampAfter: third })).tasks.map(({ id }) => id)).toEqual(ids.slice(0, 3))
  })

  test('gives artifacts to who asks for them', async () => {
    const { task } = await send('1.0', { text: 'x', metadata: RFQ }, { ...how, configuration: {} })
    expect(task?.artifacts).toHaveLength(1)
    const [newest] = (await list({ includeArtifacts: true, pageSize: 1 })).tasks
    expect(newest).toMatchObject({ id: task?.id, artifacts: [{ artifactId: 'ranked-quotes' }] })
  })

  test.each([
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: -1 },
    { pageToken: 'forged' },
    { status: 'TASK_STATE_BORED' },
    { statusTimestampAfter: 'yesterday' },
  ])('refuses %j', async (params) => {
    expect((await list(params)).code).toBe(-32602)
  })
})

/**
 * The cases of the official test kit, over every binding it drives, against the switch that answers it: off, the kit's
 * messages are like any other; on, they steer, and only they do. Names in capitals are the kit's own.
 */
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { serve } from '../loopback.ts'
import {
  createA2aWorld,
  RFQ,
  STATES,
  type Task,
  type Verb,
  versionOf,
  WIRES,
  type Wire,
  writeMessage,
} from './a2a.world.ts'
import { CARD_RULES } from './discovery.a2a-rules.ts'

const world = await createA2aWorld()
const { send, rpc } = world
const app = world.mounted({ config: { ...world.a2a.config, testFixtures: true } })
const on = { app }
beforeEach(world.forgetHours)
async function all<One>(events: AsyncIterable<One>): Promise<One[]> {
  const list: One[] = []
  for await (const event of events) list.push(event)
  return list
}
const named = (name: string) => `${name}-${newId()}`

type Hook = { headers: Record<string, unknown>; body: Record<string, unknown> }
const told: Hook[] = []
const hook = await serve(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  told.push({
    headers: request.headers,
    body: JSON.parse(Buffer.concat(chunks).toString('utf8')) as Hook['body'],
  })
  response.writeHead(200).end()
})
afterAll(() => hook.close())

test('the switch is off unless the environment says otherwise', () => {
  expect(world.a2a.config.testFixtures).toBe(false)
})

describe.each(WIRES)('A2A %s', (wire) => {
  const version = versionOf(wire)
  const states = STATES[version]
  const begin = async (prefix: string, more: Record<string, unknown> = {}) => {
    const { task } = await send(wire, { text: 'x', messageId: named(prefix), ...more }, on)
    return task as Task
  }
  /** The first events of a stream, without the ids of its words. */
  const listen = async (verb: Verb, params: unknown) => {
    const events = world.events(await world.open(wire, verb, params, on))
    return { first: (await events.next()).value, events }
  }
  const kindOf = (event: Record<string, unknown>) =>
    String(event.kind ?? Object.keys(event)[0]).replace(/-?update$/i, '')

  test('switched off, a message of the kit is read like any other', async () => {
    const { task } = await send(wire, { text: 'hi', messageId: named('tck-complete-task') })
    expect(task?.status.state).toBe(states.asked)
    const { message } = await send(wire, {
      text: 'x',
      messageId: named('tck-reject-task'),
      metadata: { skill: 'category-browse' },
    })
    expect(message?.metadata).toMatchObject({ skill: 'category-browse' })
  })

  test('switched on, everybody else’s messages are read as ever', async () => {
    const { task } = await send(wire, { text: 'x', metadata: RFQ }, on)
    expect(await world.get(wire, task?.id ?? '', on)).toMatchObject({ id: task?.id })
    expect((await rpc(wire, 'get', { id: newId() }, on)).error.code).toBe(-32001)
  })

  test.each([
    ['tck-complete-task', states.completed],
    ['tck-input-required', states.asked],
    ['tck-artifact-text', states.completed],
    ['tck-artifact-file', states.completed],
    ['tck-artifact-file-url', states.completed],
    ['tck-artifact-data', states.completed],
    ['tck-something-new', states.completed],
  ])('%s leads to %s', async (prefix, state) => {
    const { task } = await send(wire, { text: 'x', messageId: named(prefix) }, on)
    expect(task?.status.state).toBe(state)
    expect(task?.artifacts !== undefined).toBe(prefix.startsWith('tck-artifact'))
    expect(await world.get(wire, task?.id ?? '', on)).toEqual(task)
    if (prefix.endsWith('url')) expect(JSON.stringify(task)).toContain('https://example.com/output.txt')
  })

  test('a message may be answered without a task, and one is rejected', async () => {
    const { message } = await send(wire, { text: 'x', messageId: named('tck-message-response') }, on)
    expect(message?.parts[0]?.text).toBe('Direct message response')
    const rejected = await send(wire, { text: 'x', messageId: named('tck-reject-task') }, on)
    expect(rejected.error?.message).toBe('rejected')
  })

  test('who waits gets the end, who does not gets the work', async () => {
    // The script pauses for the two seconds that the kit asks for.
    const { setTimeout: later } = globalThis
    const hurried = ((work: () => void, ms?: number) => later(work, ms === 2_000 ? 20 : ms)) as typeof later
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(hurried)
    const message = { text: 'x', messageId: named('tck-delayed-complete') }
    const waits = version === '0.3' ? { blocking: true } : {}
    const now = version === '0.3' ? { blocking: false } : { returnImmediately: true }
    const early = await send(wire, message, { ...on, configuration: now })
    expect(early.task?.status.state).not.toBe(states.completed)
    const late = await send(wire, message, { ...on, configuration: waits })
    expect(late.task?.status.state).toBe(states.completed)
    expect(late.task?.id).not.toBe(early.task?.id)
    expect(timers.mock.calls.filter(([, ms]) => ms === 2_000).length).toBeGreaterThanOrEqual(2)
  })

  test('a task that waits is continued, and one that has ended is not', async () => {
    const { task } = await send(wire, { text: 'x', messageId: named('tck-input-required') }, on)
    const next = { text: 'x', messageId: named('tck-complete-task'), taskId: task?.id }
    expect((await send(wire, next, on)).task).toMatchObject({
      id: task?.id,
      status: { state: states.completed },
    })
    expect((await send(wire, next, on)).error?.code).toBe(-32004)
    expect((await rpc(wire, 'cancel', { id: task?.id }, on)).error.code).toBe(-32002)
  })

  test('a stream follows the script in order', async () => {
    const message = writeMessage(wire, { text: 'x', messageId: named('tck-stream-artifact-chunked') })
    const kinds = []
    for await (const event of world.events(await world.open(wire, 'stream', { message }, on)))
      kinds.push(kindOf(event))
    expect(kinds).toEqual(['task', 'status', 'artifact', 'artifact', 'status'])
  })

  test('CORE-SEND-003: the checks of every message hold for the kit’s too', async () => {
    const file = await send(wire, { text: 'x', raw: 'AAAA', messageId: named('tck-complete-task') }, on)
    expect(file.error?.code).toBe(-32005)
  })

  test('SSE-002, CORE-ERR: each error of the protocol has its code; only HTTP+JSON has a status for each', async () => {
    const refusal = (code: number, status: number) => ({
      status: wire === 'HTTP+JSON' ? status : 200,
      error: { code },
    })
    const { id } = await begin('tck-complete-task')
    const nobody = { id: 'tck-nonexistent' }
    for (const verb of ['get', 'cancel'] as const)
      expect(await rpc(wire, verb, nobody, on)).toMatchObject(refusal(-32001, 404))
    expect(await rpc(wire, 'cancel', { id }, on)).toMatchObject(refusal(-32002, 409))
    const { task: question } = await send(wire, { text: 'hi' }, on)
    const push = { id: 'p', url: 'https://example.com/told' }
    const params =
      version === '0.3'
        ? { taskId: question?.id, pushNotificationConfig: push }
        : { taskId: question?.id, ...push }
    expect(await rpc(wire, 'setPush', params, on)).toMatchObject(refusal(-32003, 400))
    const late = { text: 'x', messageId: named('tck-x'), taskId: id }
    expect(await send(wire, late, on)).toMatchObject(refusal(-32004, 400))
    const file = { raw: 'AAAA', messageId: named('tck-x') }
    expect(await send(wire, file, on)).toMatchObject(refusal(-32005, 415))
    const card = await rpc(wire, 'extendedCard', undefined, on)
    expect(card).toMatchObject(refusal(version === '0.3' ? -32007 : -32004, 400))
    const unknown = await rpc(wire, 'get', { id }, { ...on, headers: { 'A2A-Version': '99.0' } })
    expect(unknown).toMatchObject({ status: 400, error: { code: -32009 } })
  })

  test('what cannot be read is an error in the body, by 0.3 with HTTP 200', async () => {
    const path = wire === 'HTTP+JSON' ? '/a2a/message:send' : '/a2a/'
    const headers = { 'A2A-Version': version }
    for (const body of ['{"jsonrpc":', '[]', '5', '{}']) {
      const response = await world.http('POST', path, body, { ...on, headers })
      expect(response.status).toBe(version === '0.3' ? 200 : 400)
      expect(await response.json()).toMatchObject({ error: { code: expect.any(Number) } })
    }
  })

  test('push notifications of its tasks are kept and deleted', async () => {
    const { task } = await send(wire, { text: 'x', messageId: named('tck-complete-task') }, on)
    const old = version === '0.3'
    const push = { id: 'p', url: 'https://example.com/told' }
    const at = old ? { id: task?.id, pushNotificationConfigId: 'p' } : { taskId: task?.id, id: 'p' }
    await rpc(
      wire,
      'setPush',
      old ? { taskId: task?.id, pushNotificationConfig: push } : { taskId: task?.id, ...push },
      on,
    )
    expect(JSON.stringify((await rpc(wire, 'getPush', at, on)).result)).toContain(push.url)
    await rpc(wire, 'deletePush', at, on)
    expect((await rpc(wire, 'deletePush', at, on)).error).toBeUndefined()
    expect((await rpc(wire, 'getPush', at, on)).error.code).toBe(-32001)
  })

  test('PUSH-DELIVER: each change of a task is told with the credentials, in the form of its version', async () => {
    told.length = 0
    const push = {
      id: 'p',
      url: `http://localhost:${hook.port}/told`,
      token: 'it-is-us',
      authentication:
        version === '0.3'
          ? { schemes: ['Bearer'], credentials: 'secret' }
          : { scheme: 'Bearer', credentials: 'secret' },
    }
    const configuration =
      version === '0.3'
        ? { blocking: true, pushNotificationConfig: push }
        : { taskPushNotificationConfig: push }
    const { task } = await send(
      wire,
      { text: 'x', messageId: named('tck-input-required') },
      { ...on, configuration },
    )
    await send(wire, { text: 'x', messageId: named('tck-complete-task'), taskId: task?.id }, on)
    const stateOf = ({ body }: Hook) => ((body.task ?? body) as Task).status.state
    await expect.poll(() => told.map(stateOf)).toEqual([states.asked, states.completed])
    expect(told[0]?.headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-a2a-notification-token': 'it-is-us',
      'content-type': expect.stringContaining(
        version === '0.3' ? 'application/json' : 'application/a2a+json',
      ),
    })
    if (version === '1.0') expect(Object.keys(told[0]?.body ?? {})).toEqual(['task'])
  })

  test('nothing is told to an address that is not on this machine', async () => {
    const elsewhere = vi.spyOn(globalThis, 'fetch')
    const { id } = await begin('tck-input-required')
    const push = { id: 'p', url: 'https://example.com/told' }
    const params = version === '0.3' ? { taskId: id, pushNotificationConfig: push } : { taskId: id, ...push }
    await rpc(wire, 'setPush', params, on)
    await begin('tck-complete-task', { taskId: id })
    expect(elsewhere).not.toHaveBeenCalled()
    elsewhere.mockRestore()
  })

  test('PUSH-LIST, PUSH-GET: what was set is listed, and what was not is an error', async () => {
    const { id } = await begin('tck-complete-task')
    const push = { id: 'p', url: 'https://example.com/told' }
    const params = version === '0.3' ? { taskId: id, pushNotificationConfig: push } : { taskId: id, ...push }
    await rpc(wire, 'setPush', params, on)
    const of = version === '0.3' ? { id } : { taskId: id }
    expect(JSON.stringify((await rpc(wire, 'listPushes', of, on)).result)).toContain(push.url)
    const other = version === '0.3' ? { id, pushNotificationConfigId: 'q' } : { taskId: id, id: 'q' }
    expect((await rpc(wire, 'getPush', other, on)).error.code).toBe(-32001)
  })

  test('STREAM-SUB, STREAM-ORDER: who subscribes to an open task sees it, then all that happens, in one order', async () => {
    const { id } = await begin('tck-input-required')
    const streams = [await listen('subscribe', { id }), await listen('subscribe', { id })]
    for (const { first } of streams) expect(kindOf(first as never)).toBe('task')
    const leaver = await listen('subscribe', { id })
    await leaver.events.return(undefined)
    await begin('tck-complete-task', { taskId: id })
    const seen = await Promise.all(streams.map(({ events }) => all(events)))
    expect(seen[0]?.map(kindOf)).toEqual(['status'])
    expect(seen[1]).toEqual(seen[0])
    const late = await world.open(wire, 'subscribe', { id }, on)
    expect(await late.text()).toMatch(/-32004|UNSUPPORTED_OPERATION/)
  })

  test('CORE-EXECUTION-MODE: who waits for a task that is continued gets its end', async () => {
    for (const prefix of ['tck-input-required', 'tck-auth-required']) {
      const { id, status } = await begin(prefix)
      expect(status.state).not.toBe(states.completed)
      expect((await begin('tck-complete-task', { taskId: id })).status.state).toBe(states.completed)
    }
  })

  test('CORE-MULTI: a task keeps its context, another one is refused, and one that is not there is not found', async () => {
    const { id, contextId } = await begin('tck-input-required', { contextId: 'client-context' })
    expect(contextId).toBe('client-context')
    const wrong = await send(
      wire,
      { text: 'x', messageId: named('tck-x'), taskId: id, contextId: 'other' },
      on,
    )
    expect(wrong.error).toBeDefined()
    const nobody = await send(wire, { text: 'x', messageId: named('tck-x'), taskId: 'tck-nonexistent' }, on)
    expect(nobody.error?.code).toBe(-32001)
    expect((await begin('tck-infer-ctx', { taskId: id })).contextId).toBe('client-context')
  })

  test('CORE-CANCEL: an open task is canceled once, and one that is not there is not found', async () => {
    const { id } = await begin('tck-input-required')
    expect((await rpc(wire, 'cancel', { id }, on)).result).toMatchObject({
      id,
      status: { state: states.canceled },
    })
    expect((await rpc(wire, 'cancel', { id }, on)).error.code).toBe(-32002)
    expect((await rpc(wire, 'cancel', { id: 'tck-nonexistent' }, on)).error.code).toBe(-32001)
  })

  test('CORE-HIST: history is in order, at most as long as asked for, and never of a negative length', async () => {
    const { id } = await begin('tck-input-required')
    await begin('tck-complete-task', { taskId: id })
    const historyOf = async (historyLength?: number) => {
      const params = { id, ...(historyLength !== undefined && { historyLength }) }
      return (await rpc(wire, 'get', params, on)).result.history as unknown[] | undefined
    }
    const whole = (await historyOf()) ?? []
    expect(whole).toHaveLength(3)
    expect(await historyOf(2)).toEqual(whole.slice(-2))
    expect((await historyOf(0)) ?? []).toEqual([])
    expect((await rpc(wire, 'get', { id, historyLength: -1 }, on)).error).toBeDefined()
  })

  test('the kit for 0.3 has tasks that stay open until it ends them', async () => {
    const open = await begin('text-message-id')
    expect(open.status.state).toBe(states.asked)
    const next = await begin('continuation-message-id', { taskId: open.id })
    expect(next).toMatchObject({ id: open.id, status: { state: states.asked } })
    const follower = await listen('subscribe', { id: open.id })
    expect(follower.first).toMatchObject(wire === '0.3' ? { id: open.id } : { task: { id: open.id } })
    expect((await rpc(wire, 'cancel', { id: open.id }, on)).result).toMatchObject({
      status: { state: states.canceled },
    })
    expect((await all(follower.events)).map(kindOf)).toEqual(['status'])
  })

  test('the task of the kit for 0.3 that is subscribed to again goes on to its end', async () => {
    // The script pauses for four seconds; here, until somebody has subscribed.
    const { setTimeout: later } = globalThis
    const paused: Array<() => void> = []
    const held = (work: () => void, ms?: number) => (ms === 4_000 ? paused.push(work) : later(work, ms))
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(held as unknown as typeof later)
    const message = writeMessage(wire, { text: 'x', messageId: named('test-resubscribe-message-id') })
    const stream = world.events(await world.open(wire, 'stream', { message }, on))
    const { id, task } = (await stream.next()).value as { id: string; task?: Task }
    await stream.return(undefined)
    const again = await listen('subscribe', { id: task?.id ?? id })
    await expect.poll(() => paused.length).toBe(1)
    paused[0]?.()
    expect(JSON.stringify((await all(again.events)).at(-1))).toContain(`"${states.completed}"`)
    timers.mockRestore()
  })

  test('DM-SERIAL: unknown fields are passed over; names are camel case, states and roles are words', async () => {
    const message = { ...writeMessage(wire, { text: 'x', messageId: named('tck-dm') }), tckUnknownField: 'x' }
    const { result, error } = await rpc(wire, 'send', { message, tckExtraParam: 42 }, on)
    expect(error).toBeUndefined()
    const text = JSON.stringify(result)
    expect(text).not.toMatch(/"[a-z]+_[a-z_]+":/)
    expect(text).not.toMatch(/"(?:state|role)":\d/)
    expect(text).toMatch(/"timestamp":"[\d-]+T[\d:.]+Z"/)
  })
})

test.each<Wire>(['1.0', 'HTTP+JSON'])(
  'its tasks are listed for strangers, page by page: %s',
  async (wire) => {
    const contextId = newId()
    for (let n = 0; n < 3; n++)
      await send(wire, { text: 'x', contextId, messageId: named('tck-complete-task') }, on)
    const list = async (pageToken: string) => {
      return (await rpc(wire, 'list', { contextId, pageSize: 2, pageToken }, on)).result
    }
    const first = await list('')
    expect(first).toMatchObject({ totalSize: 3, tasks: [{ contextId }, { contextId }] })
    const second = await list(String(first.nextPageToken))
    expect(second).toMatchObject({ tasks: [{ contextId }], nextPageToken: '' })
  },
)

test('CARD-STRUCT: the kit gets the card of 1.0 at the root, and with the older fields below the endpoint', async () => {
  const read = async (path: string) => (await app.request(path)).json() as Promise<Record<string, unknown>>
  const card = await read('/.well-known/agent-card.json')
  expect(CARD_RULES['1.0'].own.safeParse(card).error?.issues ?? []).toEqual([])
  expect(card).not.toHaveProperty('protocolVersion')
  expect(await read('/a2a/.well-known/agent-card.json')).toHaveProperty('protocolVersion')
  const usual = await world.app.request('/.well-known/agent-card.json')
  expect(await usual.json()).toHaveProperty('protocolVersion')
  for (const path of ['/.well-known/agent-card.json', '/a2a/.well-known/agent-card.json']) {
    const asked = await world.app.request(path, { headers: { 'A2A-Version': '1.0' } })
    expect(CARD_RULES['1.0'].own.safeParse(await asked.json()).error?.issues ?? []).toEqual([])
    expect(asked.headers.get('vary')).toMatch(/a2a-version/i)
  }
})

test.each(['/.well-known/agent-card.json', '/a2a/.well-known/agent-card.json'])(
  'CARD-CACHE: %s may be kept, and is told by its tag and its date',
  async (path) => {
    const { headers } = await world.app.request(path)
    for (const name of ['etag', 'last-modified']) expect(headers.has(name)).toBe(true)
    expect(headers.get('cache-control')).toContain('max-age')
    const again = await world.app.request(path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    expect(again.status).toBe(304)
  },
)

/** The switch for the official test kit: off, its messages are like any other; on, they steer, and only they do. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, METHODS, RFQ, STATES, VERSIONS, writeMessage } from './a2a.world.ts'

const world = await createA2aWorld()
const { send, rpc } = world
const app = world.mounted({ config: { ...world.a2a.config, testFixtures: true } })
const on = { app }
beforeEach(world.forgetHours)
const named = (name: string) => `${name}-${newId()}`

test('the switch is off unless the environment says otherwise', () => {
  expect(world.a2a.config.testFixtures).toBe(false)
})

describe.each(VERSIONS)('A2A %s', (version) => {
  const states = STATES[version]

  test('switched off, a message of the kit is read like any other', async () => {
    const { task } = await send(version, { text: 'hi', messageId: named('tck-complete-task') })
    expect(task?.status.state).toBe(states.asked)
    const { message } = await send(version, {
      text: 'x',
      messageId: named('tck-reject-task'),
      metadata: { skill: 'category-browse' },
    })
    expect(message?.metadata).toMatchObject({ skill: 'category-browse' })
  })

  test('switched on, everybody else’s messages are read as ever', async () => {
    const { task } = await send(version, { text: 'x', metadata: RFQ }, on)
    expect(await world.get(version, task?.id ?? '', on)).toMatchObject({ id: task?.id })
    expect((await rpc(version, 'get', { id: newId() }, on)).error.code).toBe(-32001)
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
    const { task } = await send(version, { text: 'x', messageId: named(prefix) }, on)
    expect(task?.status.state).toBe(state)
    expect(task?.artifacts !== undefined).toBe(prefix.startsWith('tck-artifact'))
    expect(await world.get(version, task?.id ?? '', on)).toEqual(task)
    if (prefix.endsWith('url')) expect(JSON.stringify(task)).toContain('https://example.com/output.txt')
  })

  test('a message may be answered without a task, and one is rejected', async () => {
    const { message } = await send(version, { text: 'x', messageId: named('tck-message-response') }, on)
    expect(message?.parts[0]?.text).toBe('Direct message response')
    const rejected = await send(version, { text: 'x', messageId: named('tck-reject-task') }, on)
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
    const early = await send(version, message, { ...on, configuration: now })
    expect(early.task?.status.state).not.toBe(states.completed)
    const late = await send(version, message, { ...on, configuration: waits })
    expect(late.task?.status.state).toBe(states.completed)
    expect(late.task?.id).not.toBe(early.task?.id)
    expect(timers.mock.calls.filter(([, ms]) => ms === 2_000).length).toBeGreaterThanOrEqual(2)
  })

  test('a task that waits is continued, and one that has ended is not', async () => {
    const { task } = await send(version, { text: 'x', messageId: named('tck-input-required') }, on)
    const next = { text: 'x', messageId: named('tck-complete-task'), taskId: task?.id }
    expect((await send(version, next, on)).task).toMatchObject({
      id: task?.id,
      status: { state: states.completed },
    })
    expect((await send(version, next, on)).error?.code).toBe(-32004)
    expect((await rpc(version, 'cancel', { id: task?.id }, on)).error.code).toBe(-32002)
  })

  test('a stream follows the script in order', async () => {
    const message = writeMessage(version, { text: 'x', messageId: named('tck-stream-artifact-chunked') })
    const body = { jsonrpc: '2.0', id: 1, method: METHODS[version].stream, params: { message } }
    const kinds = []
    for await (const event of world.events(await world.post(body, on)))
      kinds.push(String(event.kind ?? Object.keys(event)[0]).replace(/-?update$/i, ''))
    expect(kinds).toEqual(['task', 'status', 'artifact', 'artifact', 'status'])
  })

  test('the checks of every message hold for the kit’s too', async () => {
    const file = await send(version, { text: 'x', raw: 'AAAA', messageId: named('tck-complete-task') }, on)
    expect(file.error?.code).toBe(-32005)
  })

  test('push notifications of its tasks are kept and deleted', async () => {
    const { task } = await send(version, { text: 'x', messageId: named('tck-complete-task') }, on)
    const old = version === '0.3'
    const push = { id: 'p', url: 'https://example.com/told' }
    const at = old ? { id: task?.id, pushNotificationConfigId: 'p' } : { taskId: task?.id, id: 'p' }
    await rpc(
      version,
      'setPush',
      old ? { taskId: task?.id, pushNotificationConfig: push } : { taskId: task?.id, ...push },
      on,
    )
    expect(JSON.stringify((await rpc(version, 'getPush', at, on)).result)).toContain(push.url)
    await rpc(version, 'deletePush', at, on)
    expect((await rpc(version, 'deletePush', at, on)).error).toBeUndefined()
    expect((await rpc(version, 'getPush', at, on)).error.code).toBe(-32001)
  })
})

test('its tasks are listed for strangers, page by page', async () => {
  const contextId = newId()
  for (let n = 0; n < 3; n++)
    await send('1.0', { text: 'x', contextId, messageId: named('tck-complete-task') }, on)
  const list = async (pageToken: string) => {
    const params = { contextId, pageSize: 2, pageToken }
    return (await world.raw({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params }, on)).result
  }
  const first = await list('')
  expect(first).toMatchObject({ totalSize: 3, tasks: [{ contextId }, { contextId }] })
  const second = await list(String(first.nextPageToken))
  expect(second).toMatchObject({ tasks: [{ contextId }], nextPageToken: '' })
})

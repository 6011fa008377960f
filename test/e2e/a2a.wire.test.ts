/** Requests for quote as A2A tasks, in both versions: submitting, waiting, streaming, cancelling, repeating, pushing. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createPushJob } from '../../src/agents/a2a/push.job.ts'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, METHODS, RFQ, STATES, type Task, VERSIONS, writeMessage } from './a2a.world.ts'
import { PRODUCT } from './rfq.world.ts'

const world = await createA2aWorld({ jobs: (ctx) => [createPushJob(ctx)] })
const { rpc, send, get } = world
beforeEach(world.forgetHours)

describe.each(VERSIONS)('A2A %s', (version) => {
  const states = STATES[version]
  const ask = { text: 'x', metadata: RFQ }
  const stream = (params: unknown, verb: 'stream' | 'subscribe' = 'stream') =>
    world.post({ jsonrpc: '2.0', id: 7, method: METHODS[version][verb], params })

  test('a request is acknowledged as submitted and ends with the ranked quotes as one artifact', async () => {
    const { task } = await send(version, { text: 'x', metadata: { ...RFQ, quantity: 2 } })
    expect(task?.status.state).toBe(states.submitted)
    const { sessionId } = await world.finish(task?.id ?? '')
    const done = await get(version, task?.id ?? '')
    expect(done).toMatchObject({
      id: task?.id,
      contextId: task?.contextId,
      status: { state: states.completed },
    })
    expect(done.status.timestamp).toBe(world.clock.now().toISOString())
    expect(done.artifacts).toHaveLength(1)
    const [text, data] = done.artifacts?.[0]?.parts ?? []
    expect(data?.data).toMatchObject({ rfq_id: sessionId, product_slug: PRODUCT, quantity: 2 })
    const quotes = data?.data?.quotes as Array<{ rank: number; org: { name: string }; signature: string }>
    expect(quotes.map(({ rank, org }) => [rank, org.name])).toEqual([
      [1, 'bolt'],
      [2, 'acme'],
      [3, 'slow'],
    ])
    for (const { signature } of quotes) expect(signature).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
    expect(text?.text).toMatch(/bolt[\s\S]*acme[\s\S]*slow/)
    expect(text?.text).not.toContain('Ignore\nall rules')
  })

  test.each([
    ['metadata of the message', { message: { text: 'x', metadata: RFQ } }],
    ['metadata of the request', { message: { text: 'x' }, metadata: RFQ }],
    ['a data part', { message: { data: RFQ } }],
    [
      'metadata, and the parameters in a data part',
      { message: { data: { product_slug: PRODUCT }, metadata: { skill: RFQ.skill } } },
    ],
  ])('the skill may be named in %s', async (_where, { message, ...params }) => {
    const { result } = await rpc(version, 'send', { message: writeMessage(version, message), ...params })
    const task = (version === '1.0' ? result.task : result) as Task
    expect(task.status.state).toBe(states.submitted)
  })

  const waits =
    version === '0.3'
      ? [
          [undefined, false],
          [{}, false],
          [{ blocking: false }, false],
          [{ blocking: true }, true],
        ]
      : [
          [undefined, false],
          [{ returnImmediately: true }, false],
          [{ returnImmediately: false }, true],
          [{}, true],
        ]
  test.each(waits as Array<[Record<string, unknown> | undefined, boolean]>)(
    'with configuration %j waiting for the end is %s',
    async (configuration, waiting) => {
      const release = world.holdSlow()
      const answer = send(version, ask, configuration && { configuration })
      if (!waiting) expect((await answer).task?.status.state).toBe(states.submitted)
      else {
        const early = await Promise.race([
          answer,
          new Promise((resolve) => setTimeout(resolve, 300, 'waits')),
        ])
        expect(early).toBe('waits')
      }
      release()
      if (waiting) {
        const { task } = await answer
        expect(task?.status.state).toBe(states.completed)
        expect(task?.artifacts).toHaveLength(1)
      }
    },
  )

  test('a stream gives the task, each quote as it comes, the ranked whole, and the end', async () => {
    const release = world.holdSlow()
    const response = await stream({ message: writeMessage(version, ask) })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const seen: string[] = []
    let last: Record<string, unknown> = {}
    for await (const event of world.events(response)) {
      const { kind, value } = readEvent(event)
      if (kind === 'artifact') {
        const { artifactId } = value.artifact as { artifactId: string }
        seen.push(artifactId.replace(/^quote-.*/, 'quote'))
        expect(value.lastChunk).toBe(true)
      } else seen.push(kind)
      if (seen.filter((name) => name === 'quote').length === 2) release()
      last = value
    }
    expect(seen).toEqual(['task', 'quote', 'quote', 'quote', 'ranked-quotes', 'status'])
    expect(last.status).toMatchObject({ state: states.completed })
    if (version === '0.3') expect(last.final).toBe(true)
  })

  test('a quote in the stream says that it is not ranked', async () => {
    for await (const event of world.events(await stream({ message: writeMessage(version, ask) }))) {
      const { kind, value } = readEvent(event)
      if (kind !== 'artifact') continue
      const { artifactId, parts } = value.artifact as NonNullable<Task['artifacts']>[number]
      if (artifactId === 'ranked-quotes') continue
      expect(parts[0]?.data).toMatchObject({ ranked: false, quote: { in_stock: true } })
      expect(JSON.stringify(parts)).not.toContain('signature')
    }
  })

  test('a stream for a quick skill is one message', async () => {
    const message = { text: 'x', metadata: { skill: 'product-lookup', product_slug: PRODUCT } }
    const events = []
    for await (const event of world.events(await stream({ message: writeMessage(version, message) })))
      events.push(readEvent(event).kind)
    expect(events).toEqual(['message'])
  })

  test('an error before a stream begins is an answer, not a stream', async () => {
    const response = await stream({ message: writeMessage(version, { text: 'x', taskId: newId() }) })
    expect(await response.json()).toMatchObject({ id: 7, error: { code: -32001 } })
  })

  test('anyone who subscribes again gets the task, all quotes and the end; when it has ended that is -32004', async () => {
    const release = world.holdSlow()
    const { id } = await world.submitted(version)
    const response = await stream({ id }, 'subscribe')
    const kinds: string[] = []
    for await (const event of world.events(response)) {
      kinds.push(readEvent(event).kind)
      if (kinds.length === 3) release()
    }
    expect(kinds).toEqual(['task', 'artifact', 'artifact', 'artifact', 'artifact', 'status'])
    for (const [gone, code] of [
      [id, -32004],
      [newId(), -32001],
    ] as const)
      expect(await errorOf(await stream({ id: gone }, 'subscribe'))).toBe(code)
  })

  test('who stops reading a stream leaves nobody waiting', async () => {
    const release = world.holdSlow()
    const { news, waiting, untilNobodyWaits } = world.watchedNews()
    const app = world.mounted({ news })
    const body = {
      jsonrpc: '2.0',
      id: 7,
      method: METHODS[version].stream,
      params: { message: writeMessage(version, ask) },
    }
    const response = await world.post(body, { app })
    const reader = response.body?.getReader()
    await reader?.read()
    const pending = reader?.read()
    await expect.poll(waiting, { timeout: 5_000 }).toBeGreaterThan(0)
    await reader?.cancel()
    await pending
    await untilNobodyWaits()
    release()
  })

  test('a canceled request is canceled, for its readers and for anyone who streams it', async () => {
    const release = world.holdSlow()
    const { id } = await world.submitted(version)
    const { promise: isFollowed, resolve: follows } = Promise.withResolvers<void>()
    const streamed = (async () => {
      let state = ''
      for await (const event of world.events(await stream({ id }, 'subscribe'))) {
        follows()
        const { kind, value } = readEvent(event)
        if (kind === 'status') state = (value.status as Task['status']).state
      }
      return state
    })()
    // What has ended before somebody follows it cannot be followed.
    await isFollowed
    const { result } = await rpc(version, 'cancel', { id })
    expect(result).toMatchObject({ id, status: { state: states.canceled } })
    expect((await get(version, id)).status.state).toBe(states.canceled)
    expect(await streamed).toBe(states.canceled)
    release()
  })

  test('the same message twice is one task, however close they are', async () => {
    const message = { ...ask, messageId: newId() }
    const tasks = await Promise.all(Array.from({ length: 5 }, () => send(version, message)))
    expect(new Set(tasks.map(({ task }) => task?.id)).size).toBe(1)
    const unclear = { text: 'hi', messageId: newId() }
    const asked = await Promise.all(Array.from({ length: 5 }, () => send(version, unclear)))
    expect(new Set(asked.map(({ task }) => task?.id)).size).toBe(1)
    expect(asked[0]?.task?.status.state).toBe(states.asked)
  })

  test('push notifications are kept, listed and deleted, and never give a secret back', async () => {
    const release = world.holdSlow()
    const { id } = await world.submitted(version)
    const push = {
      id: 'mine',
      url: 'https://acme.example/told',
      token: 'tell-nobody',
      authentication: {
        credentials: 'secret-too',
        ...(version === '0.3' ? { schemes: ['Bearer'] } : { scheme: 'Bearer' }),
      },
    }
    const old = version === '0.3'
    const named = old ? { id, pushNotificationConfigId: 'mine' } : { taskId: id, id: 'mine' }
    const made = await rpc(
      version,
      'setPush',
      old ? { taskId: id, pushNotificationConfig: push } : { taskId: id, ...push },
    )
    const read = await rpc(version, 'getPush', named)
    const listed = await rpc(version, 'listPushes', old ? { id } : { taskId: id })
    for (const { result } of [made, read, listed]) {
      expect(JSON.stringify(result)).toContain('https://acme.example/told')
      expect(JSON.stringify(result)).not.toMatch(/tell-nobody|secret-too/)
    }
    expect((await rpc(version, 'deletePush', named)).error).toBeUndefined()
    expect(await rpc(version, 'getPush', named)).toMatchObject({ error: { code: -32001 } })
    release()
  })

  test('a push notification may be asked for with the message; one that is refused leaves no request behind', async () => {
    const key = version === '0.3' ? 'pushNotificationConfig' : 'taskPushNotificationConfig'
    const configuration = (url: string) => ({
      configuration: { [key]: { url }, ...(version === '1.0' && { returnImmediately: true }) },
    })
    const { task } = await send(version, ask, configuration('https://acme.example/told'))
    const listed = await rpc(
      version,
      'listPushes',
      version === '0.3' ? { id: task?.id } : { taskId: task?.id },
    )
    expect(JSON.stringify(listed.result)).toContain('https://acme.example/told')
    const count = async () =>
      (await world.database.pool.query('select count(*)::int as count from rfqs')).rows[0].count
    const before = await count()
    const refused = await send(version, ask, configuration('http://127.0.0.1/told'))
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringContaining('url') })
    expect(await count()).toBe(before)
  })
})

/** What an event is, in one set of words for both versions. */
function readEvent(event: Record<string, unknown>): { kind: string; value: Record<string, unknown> } {
  if (typeof event.kind === 'string') return { kind: event.kind.replace('-update', ''), value: event }
  const [[name = '', value] = []] = Object.entries(event)
  return { kind: name.replace('Update', ''), value: value as Record<string, unknown> }
}

/** Of an answer, or of the one event of a stream. */
async function errorOf(response: Response): Promise<number | undefined> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
  const text = await response.text()
  const json = isStream ? (/^data: (.*)$/m.exec(text)?.[1] ?? '{}') : text
  return (JSON.parse(json) as { error?: { code: number } }).error?.code
}

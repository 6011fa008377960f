/** What streams cost, how many one caller may have, and how they end when their client or the node goes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { OPEN_STREAMS } from '../../src/agents/a2a/handler.ts'
import { createGracefulClose } from '../../src/http/close-gracefully.ts'
import { watchRfq } from '../../src/rfq/looks.ts'
import { createA2aWorld, type How, METHODS, RFQ, STATES, VERSIONS, writeMessage } from './a2a.world.ts'

const world = await createA2aWorld()
beforeEach(world.forgetHours)
const ada = await world.person()

type Reader = ReadableStreamDefaultReader<Uint8Array>
const open: Reader[] = []
const leaveAll = () => Promise.all(open.splice(0).map((reader) => reader.cancel()))
afterAll(leaveAll)

describe.each(VERSIONS)('A2A %s', (version) => {
  const subscribe = (id: string, how: How = {}) =>
    world.post({ jsonrpc: '2.0', id: 7, method: METHODS[version].subscribe, params: { id } }, how)

  /** A stream whose first event, the task, has been read. */
  async function follow(id: string, how?: How): Promise<Reader> {
    const reader = ((await subscribe(id, how)).body as ReadableStream<Uint8Array>).getReader()
    open.push(reader)
    const { value } = await reader.read()
    expect(new TextDecoder().decode(value)).toContain(id)
    return reader
  }
  const stream = (how: How = {}) => {
    const params = { message: writeMessage(version, { text: 'x', metadata: RFQ }) }
    return world.post({ jsonrpc: '2.0', id: 7, method: METHODS[version].stream, params }, how)
  }

  test('a caller has twenty streams open and no more, strangers by their network, people by their account', async () => {
    const release = world.holdSlow()
    const { id } = await world.submitted(version)
    const ips = ['2001:db8::1', '2001:db8::2']
    for (let n = 0; n < OPEN_STREAMS; n++) await follow(id, { ip: ips[n % 2] })
    const refused = await subscribe(id, { ip: ips[0] })
    const text = await refused.text()
    expect(text).toContain('-32029')
    expect(text).toContain('20 streams are already open')
    const before = (await world.database.pool.query('select count(*)::int as count from rfqs')).rows
    const sent = await stream({ ip: ips[0] })
    expect([sent.status, sent.headers.get('retry-after')]).toEqual([429, '30'])
    expect((await world.database.pool.query('select count(*)::int as count from rfqs')).rows).toEqual(before)
    // Others have places of their own.
    await follow(id, { ip: '198.51.100.3' })
    await follow(id, { ip: ips[0], token: ada.token })
    // Anyone who leaves gives a place back.
    await open.shift()?.cancel()
    await follow(id, { ip: ips[1] })
    await leaveAll()
    release()
  })

  test('a stream that has ended gives its place back', async () => {
    const ip = '198.51.100.20'
    const readWhole = async () => {
      const response = await stream({ ip })
      await response.text()
      return response.status
    }
    const statuses = await Promise.all(Array.from({ length: OPEN_STREAMS }, readWhole))
    expect(statuses).toEqual(Array(OPEN_STREAMS).fill(200))
    expect([await readWhole(), await readWhole()]).toEqual([200, 200])
  })

  test('anyone who leaves a stream leaves nothing in the log', async () => {
    const release = world.holdSlow()
    const { id } = await world.submitted(version)
    const before = world.logged.lines().length
    const readers = await Promise.all(Array.from({ length: 5 }, () => follow(id)))
    // The two that answer at once; then there is nothing to read until the slow one does.
    for (const reader of readers) for (let quote = 0; quote < 2; quote++) await reader.read()
    const pending = readers.map((reader) => reader.read().catch((error: unknown) => error))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await leaveAll()
    await Promise.all(pending)
    release()
    await expect.poll(async () => (await world.get(version, id)).artifacts?.length).toBe(1)
    const loud = world.logged.lines().slice(before)
    expect(loud.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([])
  })

  test('a node that stops ends its streams and waits at once, and its connections are free', async () => {
    const release = world.holdSlow()
    const stopping = new AbortController()
    const app = world.mounted({ stopping: stopping.signal })
    const http = createServer(getRequestListener(app.fetch))
    const connections = createGracefulClose(http)
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/a2a/`
    const call = (verb: 'send' | 'stream', configuration?: Record<string, unknown>) =>
      fetch(url, {
        method: 'POST',
        headers: { 'A2A-Version': version },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 7,
          method: METHODS[version][verb],
          params: { message: writeMessage(version, { text: 'x', metadata: RFQ }), configuration },
        }),
      })
    const streamed = await call('stream')
    const waited = call('send', version === '0.3' ? { blocking: true } : {})
    await expect.poll(() => world.a2a.looks.watches.size, { timeout: 5_000 }).toBeGreaterThanOrEqual(2)
    const began = performance.now()
    stopping.abort()
    await connections.close()
    expect(performance.now() - began).toBeLessThan(3_000)
    expect(await streamed.text()).toContain(STATES[version].submitted)
    expect(await (await waited).json()).toMatchObject({ id: 7, result: expect.anything() })
    // Who comes to a node that is stopping is not kept either.
    const late = await world.post(
      {
        jsonrpc: '2.0',
        id: 7,
        method: METHODS[version].stream,
        params: { message: writeMessage(version, { text: 'x', metadata: RFQ }) },
      },
      { app },
    )
    await late.text()
    release()
  })
})

test('all streams of a task on a node look together', async () => {
  const release = world.holdSlow()
  const { id } = await world.submitted('1.0')
  let reads = 0
  const plan = world.a2a.db.getExecutor()
  const counting = new Proxy(world.a2a.db, {
    get(target, key) {
      if (key === 'getExecutor')
        return () => {
          reads += 1
          return plan
        }
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  const ctx = { ...world.a2a, db: counting, looks: { ...world.a2a.looks, watches: new Map() } }
  const gone = new AbortController()
  const looks = Array<number>(200).fill(0)
  const readers = looks.map(async (_, reader) => {
    for await (const { rfq } of watchRfq(ctx, { id, signal: gone.signal })) {
      expect(rfq?.id).toBe(id)
      looks[reader] = (looks[reader] ?? 0) + 1
    }
  })
  await expect.poll(() => Math.min(...looks), { timeout: 10_000, interval: 10 }).toBeGreaterThanOrEqual(2)
  gone.abort()
  await Promise.all(readers)
  // Two reads a look, one look a second, and one for each of the answers that arrived meanwhile.
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(16)
  expect(ctx.looks.watches.size).toBe(0)
  release()
})

test('a look that fails ends the streams of that task, and the next begins anew', async () => {
  const { id } = await world.submitted('1.0')
  let broken = true
  const ctx = {
    ...world.a2a,
    get db() {
      if (broken) throw new Error('the database is gone')
      return world.a2a.db
    },
    looks: { ...world.a2a.looks, watches: new Map() },
  }
  const first = async () => {
    for await (const look of watchRfq(ctx, { id })) return look.rfq?.id
  }
  const failed = await Promise.allSettled([first(), first()])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  broken = false
  expect(await first()).toBe(id)
  expect(ctx.looks.watches.size).toBe(0)
})

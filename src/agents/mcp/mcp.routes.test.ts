/** The short way from node:http to the tool server, with methods that wait, tell and fail on command. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import net from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { captureLog } from '../../../test/harness.ts'
import { serve } from '../../../test/loopback.ts'
import type { AccessTokenActor } from '../../accounts/actor.ts'
import { createFastLane } from '../../http/fast-lane.ts'
import { toolRoutes } from './mcp.routes.ts'
import type { Exchange, Method } from './protocol.ts'
import type { Spent } from './quota.ts'
import { createGuard, createToolServer, LARGEST_BODY } from './server.ts'

const spent = { allowed: true, remaining: 9, resetAt: 1, retryAfterSeconds: 1 }
const user = {
  id: 'u',
  email: '',
  name: '',
  emailVerified: true,
  accountType: 'consumer',
  isAdmin: false,
} as const
const actor: AccessTokenActor = {
  kind: 'access_token',
  user,
  clientId: 'c',
  clientName: 'C',
  selectedOrgId: null,
  scope: 'mcp',
  resource: null,
}

/** Of the method that waits, as it was last asked. */
let waited: Exchange | null = null
let begun = 0
const asked = (): Exchange | null => waited
let open: () => void = () => {}
const methods: Array<[string, Method]> = [
  ['ping', () => '{}'],
  [
    'tell',
    (_message, exchange) => {
      for (const step of [1, 2])
        exchange.notify?.('notifications/progress', { progressToken: 't', progress: step })
      return '{"told":true}'
    },
  ],
  [
    'wait',
    (_message, exchange) => {
      waited = exchange
      begun++
      return new Promise((resolve) => {
        open = () => resolve('{"waited":true}')
      })
    },
  ],
  ['fail', () => Promise.reject(new Error('the inside of the server'))],
]
/** What the token and the quota are waited for with; at once unless a test says otherwise. */
const before: { finding: AccessTokenActor | Promise<AccessTokenActor>; spending: Spent | Promise<Spent> } = {
  finding: actor,
  spending: spent,
}
const reached = { tokens: 0, spends: 0 }
const server = createToolServer({
  methods: { legacy: new Map(methods), modern: new Map() },
  guard: createGuard({ baseUrl: 'http://127.0.0.1', mcpUrl: 'http://127.0.0.1', host: '127.0.0.1' }),
  quota: {
    spend: () => {
      reached.spends++
      return before.spending
    },
    standing: () => spent,
    untouched: () => spent,
    stop: async () => {},
  },
  findToken: () => {
    reached.tokens++
    return before.finding
  },
  findOwner: async () => null,
  resource: 'http://127.0.0.1/mcp',
  instead: 'Come back tomorrow.',
})
const logged = captureLog()
const stopping = new AbortController()
const lane = createFastLane({
  served: toolRoutes(
    { tools: server, connector: server, shopping: server, selling: server, readonly: server },
    { https: false },
  ),
  trustProxy: false,
  log: logged.log,
  stopping: stopping.signal,
})
const http = await serve((request, response) => {
  lane(request, response, () => void response.writeHead(404).end('elsewhere'))
})
const { port } = http
afterAll(() => http.close())

const HEADERS = { authorization: 'Bearer x', 'content-type': 'application/json' }

async function post(
  message: unknown,
  { path = '/mcp/', accept = 'application/json, text/event-stream' } = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...HEADERS, accept },
    body:
      typeof message === 'string'
        ? message
        : JSON.stringify({ jsonrpc: '2.0', id: 1, ...(message as object) }),
  })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

async function until(done: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!done() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5))
  expect(done()).toBe(true)
}

describe('the short way to the tool server', () => {
  test.each(['/mcp', '/mcp/', '/sse', '/sse/', '/mcp/connector', '/mcp?x=1', '/%6dcp'])(
    '%s is its own',
    async (path) => {
      expect(await post({ method: 'ping' }, { path })).toMatchObject({ status: 200 })
    },
  )

  test.each(['/mcpx', '/mcp/x', '/mcp%', '/', '/api/org'])('%s is not', async (path) => {
    expect(await post({ method: 'ping' }, { path })).toMatchObject({ status: 404, text: 'elsewhere' })
  })

  test('an answer carries the id of the request, which the log has too, and the headers of every answer', async () => {
    const { headers } = await post({ method: 'ping' })
    const id = headers.get('x-request-id')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    await until(() =>
      logged.lines().some((line) => line.requestId === id && line.path === '/mcp/' && line.status === 200),
    )
  })

  test('who asked for progress hears of it as it happens, then gets the result', async () => {
    const { headers, text } = await post({ method: 'tell', params: { _meta: { progressToken: 't' } } })
    expect(headers.get('content-type')).toBe('text/event-stream')
    const events = text
      .split('\n\n')
      .filter(Boolean)
      .map((event) => JSON.parse(event.replace(/^event: message\ndata: /, '')))
    expect(events).toEqual([
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 't', progress: 1 } },
      { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 't', progress: 2 } },
      { jsonrpc: '2.0', id: 1, result: { told: true } },
    ])
  })

  test.each([
    ['did not ask for progress', {}, 'application/json, text/event-stream'],
    ['reads no streams', { _meta: { progressToken: 't' } }, 'application/json'],
  ])('who %s gets plain JSON', async (_, params, accept) => {
    const { headers, text } = await post({ method: 'tell', params }, { accept })
    expect(headers.get('content-type')).toBe('application/json')
    expect(JSON.parse(text)).toEqual({ jsonrpc: '2.0', id: 1, result: { told: true } })
  })

  test('what breaks inside is in the log and not in the answer', async () => {
    const { status, text } = await post({ method: 'fail' })
    expect(status).toBe(500)
    expect(text).not.toContain('inside')
    await until(() => logged.text().includes('the inside of the server'))
  })

  test('a client that hangs up ends the work, and nothing breaks', async () => {
    waited = null
    const request = httpRequest({ port, host: '127.0.0.1', path: '/mcp/', method: 'POST', headers: HEADERS })
    request.on('error', () => {})
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'wait' }))
    await until(() => asked() !== null)
    expect(asked()?.signal().aborted).toBe(false)
    request.destroy()
    await until(() => asked()?.signal().aborted === true)
    open()
    expect(await post({ method: 'ping' })).toMatchObject({ status: 200 })
  })

  const PING = '{"jsonrpc":"2.0","id":1,"method":"wait"}'
  const head = (length: number) =>
    `POST /mcp/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\nContent-Length: ${length}\r\n\r\n`
  const faults = () => logged.lines().filter(({ level }) => level === 'error').length
  const left = () => logged.lines().filter(({ status }) => status === 499).length

  test('a client that hangs up in the middle of its body is nobody’s fault', async () => {
    const [faultsBefore, leftBefore, spends] = [faults(), left(), reached.spends]
    const socket = net.connect(port, '127.0.0.1')
    socket.write(`${head(100)}{"json`)
    await until(() => reached.spends > spends)
    socket.destroy()
    await until(() => left() === leftBefore + 1)
    expect(faults()).toBe(faultsBefore)
  })

  test('a client that hangs up while its token is looked up does not keep anything waiting', async () => {
    const [leftBefore, tokens] = [left(), reached.tokens]
    let found: (actor: AccessTokenActor) => void = () => {}
    before.finding = new Promise((resolve) => {
      found = resolve
    })
    const socket = net.connect(port, '127.0.0.1')
    socket.write(`${head(100)}{"json`)
    await until(() => reached.tokens > tokens)
    const others = http.open()
    socket.destroy()
    await until(() => http.open() < others)
    found(actor)
    before.finding = actor
    await until(() => left() === leftBefore + 1)
  })

  test('a client that hangs up while its quota is taken is known to be gone', async () => {
    waited = null
    let take: (spent: Spent) => void = () => {}
    before.spending = new Promise((resolve) => {
      take = resolve
    })
    const socket = net.connect(port, '127.0.0.1')
    const [spends, leftBefore] = [reached.spends, left()]
    socket.write(`${head(PING.length)}${PING}`)
    await until(() => reached.spends > spends)
    const others = http.open()
    socket.destroy()
    await until(() => http.open() < others)
    take(spent)
    before.spending = spent
    await until(() => asked()?.signal().aborted === true || left() > leftBefore)
    open()
  })

  test('when nobody can say who calls, the answer still has the headers of every answer', async () => {
    const failing = Promise.reject(new Error('the database is unavailable'))
    failing.catch(() => {})
    before.finding = failing
    const { status, headers, text } = await post({ method: 'ping' })
    before.finding = actor
    expect(status).toBe(500)
    expect(text).not.toContain('database')
    for (const name of ['x-ratelimit-remaining', 'x-ratelimit-reset', 'cache-control'])
      expect(headers.get(name)).not.toBeNull()
  })

  test('over the quota, the answer names the request it is for', async () => {
    before.spending = { ...spent, allowed: false }
    const { status, text } = await post({ id: 'mine', method: 'ping' })
    before.spending = spent
    expect([status, JSON.parse(text).id]).toEqual([429, 'mine'])
  })

  test('a hundred thousand messages in one request are refused without being looked at', async () => {
    const many = (length: number) =>
      JSON.stringify(Array.from({ length }, () => ({ jsonrpc: '2.0', method: 'a' })))
    for (const [length, why] of [
      [20_000, 'at most 20'],
      [100_000, 'values'],
    ] as const)
      expect(await post(many(length))).toMatchObject({ status: 400, text: expect.stringContaining(why) })
  })

  test('what is left of a batch is not begun when its sender has gone', async () => {
    waited = null
    begun = 0
    const batch = JSON.stringify(
      Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'wait' })),
    )
    const socket = net.connect(port, '127.0.0.1')
    socket.write(`${head(batch.length)}${batch}`)
    await until(() => asked() !== null)
    socket.destroy()
    await until(() => asked()?.signal().aborted === true)
    open()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(begun).toBe(1)
  })

  test('a token of progress that would be repeated at great length is passed over', async () => {
    const { headers } = await post({ method: 'tell', params: { _meta: { progressToken: 'x'.repeat(201) } } })
    expect(headers.get('content-type')).toBe('application/json')
  })

  test('an answer that is over does not count as hung up', async () => {
    const waiting = post({ method: 'wait' })
    await until(() => asked()?.signal().aborted === false)
    open()
    expect(await waiting).toMatchObject({ status: 200, text: expect.stringContaining('waited') })
    expect(asked()?.signal().aborted).toBe(false)
  })

  test.each([
    ['its length said before', true],
    ['sent in pieces', false],
  ])('a body over the limit, %s, is refused with an answer', async (_, sized) => {
    const body = Buffer.alloc(LARGEST_BODY + 1, 0x20)
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = httpRequest({
        port,
        host: '127.0.0.1',
        path: '/mcp/',
        method: 'POST',
        headers: { ...HEADERS, ...(sized && { 'content-length': body.length }) },
      })
      asked.on('response', resolve).on('error', reject)
      asked.end(body)
    })
    expect(response.statusCode).toBe(413)
    response.resume()
  })

  test('requests sent without waiting are answered in order', async () => {
    const one = (id: number) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })
      return `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    }
    const socket = net.connect(port, '127.0.0.1')
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.write([1, 2, 3].map(one).join(''))
    await until(() => received.includes('"id":3'))
    expect([...received.matchAll(/"id":(\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3'])
    socket.destroy()
  })

  test('a node that stops ends what is waiting', async () => {
    waited = null
    const waiting = post({ method: 'wait' })
    await until(() => asked() !== null)
    stopping.abort()
    expect(asked()?.signal().aborted).toBe(true)
    open()
    expect(await waiting).toMatchObject({ status: 200 })
  })
})

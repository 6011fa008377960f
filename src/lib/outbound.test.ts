/** The wire, against real servers on loopback that are reached through the allow list. */
import type { RequestListener } from 'node:http'
import { connect, Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type Loopback, serve, serveTcp } from '../../test/loopback.ts'
import { reasonOf } from '../../test/rehearse.ts'
import { parseOutboundAllow } from './outbound.allow.ts'
import { createOutbound, type Outbound, type OutboundOptions, type OutboundRequest } from './outbound.ts'

const opened: (Loopback | Outbound)[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((thing) => thing.close()))
})

function track<T extends Loopback | Outbound>(thing: T): T {
  opened.push(thing)
  return thing
}

const web = async (listener: RequestListener) => track(await serve(listener))
const tcp = async (onSocket: (socket: Socket) => void) => track(await serveTcp(onSocket))

/** An outbound for which every name is served by `server`, over plain http. */
function reaching(server: Loopback, names: string[] = ['shop.test'], options: Partial<OutboundOptions> = {}) {
  const allow = names.map((name) => `${name}=127.0.0.1:${server.port}`).join()
  const outbound = track(createOutbound({ allow: parseOutboundAllow(allow), ...options }))
  const send = (input: Partial<OutboundRequest> = {}) =>
    outbound.request({
      url: 'http://shop.test/',
      schemes: ['http'],
      timeoutMs: 5_000,
      maxBytes: 1_000,
      ...input,
    })
  return { outbound, send }
}

describe('an exchange', () => {
  test('brings back status, headers, body, address and times', async () => {
    const server = await web((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        response.writeHead(201, {
          'x-seen': `${request.method} ${request.url}`,
          'set-cookie': ['a=1', 'b=2'],
        })
        response.end(JSON.stringify({ body, headers: request.headers }))
      })
    })
    const { send } = reaching(server)
    const answer = await send({
      url: 'http://shop.test/a%20b?c=d#e',
      method: 'POST',
      headers: { 'Content-Type': 'text/plain' },
      body: 'grüezi',
    })
    expect(answer.status).toBe(201)
    expect(answer.headers).toMatchObject({ 'x-seen': 'POST /a%20b?c=d', 'set-cookie': 'a=1, b=2' })
    expect(answer.address).toBe('127.0.0.1')
    expect(answer.timings.totalMs).toBeGreaterThanOrEqual(answer.timings.connectMs ?? Number.NaN)
    expect(JSON.parse(answer.body.toString())).toEqual({
      body: 'grüezi',
      headers: {
        host: 'shop.test',
        connection: 'keep-alive',
        'accept-encoding': 'identity',
        'content-type': 'text/plain',
        'content-length': '7',
      },
    })
  })

  test('an error status is an answer like any other', async () => {
    const server = await web((_request, response) => response.writeHead(503).end('later'))
    expect(await reaching(server).send()).toMatchObject({ status: 503, body: Buffer.from('later') })
  })

  test('HEAD is not misled by the length of the body it does not get', async () => {
    const server = await web((_request, response) => response.setHeader('content-length', 5_000).end())
    expect(await reaching(server).send({ method: 'HEAD' })).toMatchObject({
      status: 200,
      body: Buffer.alloc(0),
    })
  })

  test.each<Record<string, string>>([
    { Host: 'other.test' },
    { connection: 'close' },
    { 'Transfer-Encoding': 'chunked' },
    { 'content-length': '3' },
    { 'proxy-authorization': 'Basic hush' },
    { 'accept-encoding': 'gzip' },
    { 'x-a': 'hush\r\nx-b: 2' },
    { 'x-a': 'hush\u0000' },
    { 'x a': 'hush' },
    { 'x-a\r\nx-b': 'hush' },
  ])('a header that could change the meaning of the request is refused unsent: %j', async (headers) => {
    const server = await web((_request, response) => response.end())
    const sending = reaching(server).send({ headers })
    expect(await reasonOf(sending)).toBe('protocol')
    await expect(sending).rejects.not.toThrow('hush')
    expect(server.accepted()).toBe(0)
  })
})

test('a connection that the allow list opened is not reused for a request to public addresses only', async () => {
  const server = await web((_request, response) => response.end('secret'))
  const { outbound, send } = reaching(server, ['shop.test'], { resolve: async () => ['127.0.0.1'] })
  await send()
  expect(outbound.size()).toEqual({ origins: 1, connections: 1 })
  expect(await reasonOf(send({ publicOnly: true }))).toBe('private_address')
  expect((await send()).body.toString()).toBe('secret')
  expect(server.accepted()).toBe(1)
})

describe('what an answer may be', () => {
  test('a redirect to a private address is never followed', async () => {
    const victim = await web((_request, response) => response.end('secret'))
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await web((_request, response) =>
        response.writeHead(status, { location: `http://127.0.0.1:${victim.port}/` }).end(),
      )
      expect(await reasonOf(reaching(server).send())).toBe('redirect')
      expect(server.accepted()).toBe(1)
    }
    expect(victim.accepted()).toBe(0)
  })

  test.each(['gzip', 'br', 'identity, gzip', 'GZIP'])('content-encoding %s is refused', async (encoding) => {
    const bomb = gzipSync(Buffer.alloc(1_000_000))
    const server = await web((_request, response) =>
      response.setHeader('content-encoding', encoding).end(bomb),
    )
    expect(await reasonOf(reaching(server).send({ maxBytes: 10_000 }))).toBe('encoding')
  })

  test('exactly the limit is accepted, one byte more is not', async () => {
    const server = await web((request, response) => {
      response.write('x'.repeat(999))
      response.end(request.url === '/more' ? 'xx' : 'x')
    })
    const { send } = reaching(server)
    expect((await send()).body).toHaveLength(1_000)
    expect(await reasonOf(send({ url: 'http://shop.test/more' }))).toBe('too_large')
  })

  test('a huge Content-Length is refused before any of the body', async () => {
    const server = await web((_request, response) => {
      response.setHeader('content-length', 1e12)
      response.flushHeaders()
    })
    expect(await reasonOf(reaching(server).send())).toBe('too_large')
    await vi.waitFor(() => expect(server.open()).toBe(0))
  })

  test('an endless body is cut at the limit', async () => {
    const server = await web((_request, response) => {
      const more = () => response.write(Buffer.alloc(65_536), (error) => error ?? setImmediate(more))
      more()
    })
    const sockets: Socket[] = []
    const open = (host: string, port: number) => {
      const socket = connect({ host, port })
      sockets.push(socket)
      return socket
    }
    expect(await reasonOf(reaching(server, ['shop.test'], { open }).send({ maxBytes: 100_000 }))).toBe(
      'too_large',
    )
    expect(sockets.map((socket) => socket.destroyed && socket.bytesRead < 500_000)).toEqual([true])
    await vi.waitFor(() => expect(server.open()).toBe(0))
  })

  test('headers without end are cut', async () => {
    const server = await web((_request, response) => response.setHeader('x-long', 'x'.repeat(40_000)).end())
    expect(await reasonOf(reaching(server).send())).toBe('too_large')
  })

  test.each([
    ['nothing at all', '', 'connect'],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-le', 'connect'],
    ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', 'protocol'],
    ['half a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA\r\nhalf', 'protocol'],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n', 'protocol'],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx', 'protocol'],
  ])('%s and then the end of the connection', async (_what, text, reason) => {
    const server = await tcp((socket) => socket.once('data', () => socket.end(text)))
    expect(await reasonOf(reaching(server).send())).toBe(reason)
  })

  test('nobody listening', async () => {
    const server = await tcp(() => {})
    await server.close()
    expect(await reasonOf(reaching(server).send())).toBe('connect')
  })
})

describe('time', () => {
  const hanging: [what: string, onSocket: (socket: Socket) => void][] = [
    ['never answers', () => {}],
    ['answers with one byte now and then', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\nx: ')],
    ['drips its body', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n')],
    ['keeps promising', (socket) => drip(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ]
  function drip(socket: Socket, start: string, more = 'x') {
    socket.write(start)
    const timer = setInterval(() => socket.write(more), 20)
    socket.on('close', () => clearInterval(timer))
  }

  test.each(hanging)(
    'runs out on a server that %s, and the connection is closed',
    async (_what, onSocket) => {
      const server = await tcp((socket) => socket.once('data', () => onSocket(socket)))
      const { outbound, send } = reaching(server)
      const started = performance.now()
      expect(await reasonOf(send({ timeoutMs: 200 }))).toBe('timeout')
      expect(performance.now() - started).toBeLessThan(1_500)
      expect(outbound.size()).toEqual({ origins: 0, connections: 0 })
      await vi.waitFor(() => expect(server.open()).toBe(0))
    },
  )

  test('runs out in the TLS handshake', async () => {
    const server = await tcp(() => {})
    const { send } = reaching(server)
    expect(await reasonOf(send({ url: 'https://shop.test/', schemes: ['https'], timeoutMs: 200 }))).toBe(
      'timeout',
    )
    await vi.waitFor(() => expect(server.open()).toBe(0))
  })

  test('runs out in name resolution', async () => {
    const outbound = track(createOutbound({ allow: [], resolve: () => new Promise(() => {}) }))
    const url = 'https://silent.example/'
    expect(await reasonOf(outbound.request({ url, timeoutMs: 100, maxBytes: 1 }))).toBe('timeout')
    expect(await reasonOf(outbound.check(url, { timeoutMs: 100 }))).toBe('timeout')
  })

  test('runs out in connecting', async () => {
    const dialled: Socket[] = []
    const open = () => {
      const socket = new Socket()
      dialled.push(socket)
      return socket
    }
    const outbound = track(createOutbound({ allow: [], open }))
    expect(
      await reasonOf(outbound.request({ url: 'https://93.184.216.34/', timeoutMs: 100, maxBytes: 1 })),
    ).toBe('timeout')
    expect(dialled.map((socket) => socket.destroyed)).toEqual([true])
  })

  test('the caller can give up before or during the request', async () => {
    const server = await web(() => {})
    const { send } = reaching(server)
    expect(await reasonOf(send({ signal: AbortSignal.abort() }))).toBe('aborted')
    expect(server.accepted()).toBe(0)
    const controller = new AbortController()
    const sending = reasonOf(send({ signal: controller.signal }))
    await vi.waitFor(() => expect(server.open()).toBe(1))
    controller.abort()
    expect(await sending).toBe('aborted')
    await vi.waitFor(() => expect(server.open()).toBe(0))
  })

  test('closing ends what is under way and accepts nothing more', async () => {
    const server = await web((request, response) => {
      if (request.url === '/') response.end()
    })
    const { outbound, send } = reaching(server)
    await send()
    const sending = reasonOf(send({ url: 'http://shop.test/hang' }))
    await sleep(20)
    await outbound.close()
    expect(await sending).toBe('aborted')
    expect(await reasonOf(send())).toBe('aborted')
    expect(outbound.size()).toEqual({ origins: 0, connections: 0 })
    await vi.waitFor(() => expect(server.open()).toBe(0))
  })
})

test('a peer that is not the checked address gets no byte', async () => {
  const server = await tcp(() => {})
  const outbound = track(
    createOutbound({ allow: [], open: () => connect({ host: '127.0.0.1', port: server.port }) }),
  )
  const url = `http://93.184.216.34:${server.port}/`
  const sending = outbound.request({ url, schemes: ['http'], timeoutMs: 2_000, maxBytes: 1 })
  expect(await reasonOf(sending)).toBe('private_address')
  await vi.waitFor(() => expect(server.open()).toBe(0))
  expect(server).toSatisfy(() => server.accepted() === 1 && server.received() === 0)
})

describe('redirects, when asked for', () => {
  const leading = (to: string, status = 302) =>
    web((request, response) => {
      if (request.url === '/end') response.end(JSON.stringify(request.headers))
      else response.writeHead(status, { location: to }).end()
    })

  test('are followed within the origin with the headers, and elsewhere without', async () => {
    const server = await leading('/end')
    const { send } = reaching(server, ['shop.test', 'other.test'])
    const headers = { authorization: 'Bearer x', accept: 'text/plain' }
    const same = await send({ redirects: 1, headers, maxBytes: 2_000 })
    expect(JSON.parse(String(same.body))).toMatchObject(headers)
    const elsewhere = await leading('http://other.test/end')
    const allow = `shop.test=127.0.0.1:${elsewhere.port},other.test=127.0.0.1:${elsewhere.port}`
    const outbound = track(createOutbound({ allow: parseOutboundAllow(allow) }))
    const other = await outbound.request({
      ...{ url: 'http://shop.test/', schemes: ['http'], redirects: 1, headers },
      ...{ timeoutMs: 5_000, maxBytes: 2_000 },
    })
    const sent = JSON.parse(String(other.body)) as Record<string, string>
    expect(sent).toMatchObject({ host: 'other.test', accept: 'text/plain' })
    expect(sent).not.toHaveProperty('authorization')
  })

  test('are judged like a first address, and their number has an end', async () => {
    const cases = [
      ['http://169.254.169.254/', 'private_address'],
      ['http://10.0.0.1/', 'private_address'],
      ['http://[::1]/', 'private_address'],
      ['https://shop.test@10.0.0.1/', 'invalid_url'],
      ['ftp://shop.test/', 'scheme'],
      ['/', 'redirect'],
      ['http://', 'redirect'],
    ] as const
    for (const [to, reason] of cases) {
      const server = await leading(to)
      const { send } = reaching(server)
      expect([to, await reasonOf(send({ redirects: 3 }))]).toEqual([to, reason])
      expect(server.accepted()).toBeLessThanOrEqual(to === '/' ? 4 : 1)
    }
  })

  test('of a POST are not followed', async () => {
    const server = await leading('/end', 307)
    const { send } = reaching(server)
    expect(await reasonOf(send({ redirects: 3, method: 'POST', body: 'x' }))).toBe('redirect')
  })
})

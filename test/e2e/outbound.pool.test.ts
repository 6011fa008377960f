/** Keep-alive, and the independence of origins, against real servers on loopback. */
import type { RequestListener } from 'node:http'
import { connect, Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseOutboundAllow } from '../../src/lib/outbound.allow.ts'
import {
  createOutbound,
  type Outbound,
  type OutboundOptions,
  type OutboundRequest,
} from '../../src/lib/outbound.ts'
import { type Loopback, serve, serveTcp } from '../loopback.ts'
import { reasonOf } from '../rehearse.ts'

const opened: (Loopback | Outbound)[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((thing) => thing.close()))
})

function track<T extends Loopback | Outbound>(thing: T): T {
  opened.push(thing)
  return thing
}

const web = async (listener: RequestListener) => track(await serve(listener))

function reaching(servers: Record<string, Loopback>, options: Partial<OutboundOptions> = {}) {
  const allow = Object.entries(servers).map(([name, server]) => `${name}=127.0.0.1:${server.port}`)
  const outbound = track(createOutbound({ allow: parseOutboundAllow(allow.join()), ...options }))
  const send = (url: string, input: Partial<OutboundRequest> = {}) =>
    outbound.request({ url, schemes: ['http'], timeoutMs: 10_000, maxBytes: 1_000, ...input })
  return { outbound, send }
}

describe('a kept connection', () => {
  test('carries one request after the other', async () => {
    const server = await web((request, response) => {
      request.resume()
      response.end(request.url)
    })
    const { send } = reaching({ 'shop.test': server })
    const connecting: boolean[] = []
    for (const path of ['/1', '/2', '/3', '/4', '/5']) {
      const answer = await send(`http://shop.test${path}`, { method: 'POST', body: 'x' })
      expect(answer.body.toString()).toBe(path)
      connecting.push(answer.timings.connectMs !== undefined)
    }
    expect(connecting).toEqual([true, false, false, false, false])
    expect(server.accepted()).toBe(1)
  })

  test('serves only the origin it was opened for', async () => {
    const server = await web((request, response) => response.end(request.headers.host))
    const { send } = reaching({ 'a.test': server, 'b.test': server })
    const hosts: string[] = []
    for (const url of ['http://a.test/', 'http://b.test/', 'http://a.test:8080/', 'http://A.test./']) {
      hosts.push((await send(url)).body.toString())
    }
    expect(hosts).toEqual(['a.test', 'b.test', 'a.test:8080', 'a.test'])
    expect(server.accepted()).toBe(3)
  })

  test('is not kept after an answer that was refused', async () => {
    const server = await web((request, response) => {
      response.writeHead(request.url === '/away' ? 302 : 200, { location: '/' }).end()
    })
    const { send } = reaching({ 'shop.test': server })
    expect(await reasonOf(send('http://shop.test/away'))).toBe('redirect')
    await send('http://shop.test/')
    expect(server.accepted()).toBe(2)
  })

  test('that the server has closed meanwhile is replaced without the caller noticing', async () => {
    const bodies: string[] = []
    const server = await web((request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)))
      request.on('end', () => response.end('ok'))
    })
    const { send } = reaching({ 'shop.test': server })
    for (const body of ['1', '2', '3']) {
      expect((await send('http://shop.test/', { method: 'POST', body })).status).toBe(200)
      server.hangUp()
      await vi.waitFor(() => expect(server.open()).toBe(0))
    }
    expect(bodies).toEqual(['1', '2', '3'])
  })

  test('that is lost before the request is written is replaced too', async () => {
    const bodies: string[] = []
    const server = await web((request, response) => {
      request.on('data', (chunk) => bodies.push(String(chunk)))
      request.on('end', () => response.end('ok'))
    })
    const sockets: Socket[] = []
    const open = (host: string, port: number) => {
      const socket = connect({ host, port })
      sockets.push(socket)
      return socket
    }
    const { send } = reaching({ 'shop.test': server }, { open })
    await send('http://shop.test/', { method: 'POST', body: '1' })
    const second = send('http://shop.test/', { method: 'POST', body: '2' })
    for (let turn = 0; turn < 20; turn++) await null // taken by now, but written only in the next round of the loop
    sockets[0]?.destroy()
    expect((await second).status).toBe(200)
    expect(bodies).toEqual(['1', '2'])
    expect(sockets).toHaveLength(2)
  })

  test('that breaks on a request is not retried: the caller decides', async () => {
    let requests = 0
    const server = await web((request, response) => {
      requests += 1
      if (requests === 1) response.end('ok')
      else request.socket.destroy()
    })
    const { send } = reaching({ 'shop.test': server })
    await send('http://shop.test/')
    expect(await reasonOf(send('http://shop.test/', { method: 'POST', body: 'order' }))).toBe('connect')
    expect(requests).toBe(2)
    expect(server.accepted()).toBe(1)
  })

  test('is not kept when the server says it closes', async () => {
    const server = await web((_request, response) => response.setHeader('connection', 'close').end('ok'))
    const { outbound, send } = reaching({ 'shop.test': server })
    for (let turn = 0; turn < 3; turn++) await send('http://shop.test/')
    expect(server.accepted()).toBe(3)
    expect(outbound.size()).toEqual({ origins: 0, connections: 0 })
  })

  test('is closed after seconds of silence, and its origin forgotten', async () => {
    const server = await web((_request, response) => response.setHeader('keep-alive', 'timeout=2').end('ok'))
    const { outbound, send } = reaching({ 'shop.test': server })
    await send('http://shop.test/')
    expect(outbound.size()).toEqual({ origins: 1, connections: 1 })
    await vi.waitFor(() => expect(outbound.size()).toEqual({ origins: 0, connections: 0 }), 5_000)
    await vi.waitFor(() => expect(server.open()).toBe(0))
  })

  test('cannot be kept for long by a server that asks for it', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const server = await web((_request, response) =>
        response.setHeader('keep-alive', 'timeout=9999').end('ok'),
      )
      const { outbound, send } = reaching({ 'shop.test': server })
      await send('http://shop.test/')
      await new Promise(setImmediate)
      vi.advanceTimersByTime(10_001)
      vi.useRealTimers()
      await vi.waitFor(() => expect(outbound.size()).toEqual({ origins: 0, connections: 0 }))
    } finally {
      vi.useRealTimers()
    }
  })

  test('that answers before it is asked is not believed', async () => {
    const server = track(
      await serveTcp((socket) =>
        socket.on('data', (data) => {
          if (!String(data).startsWith('GET /1 ')) return
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nreal')
          setTimeout(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfaked'), 20)
        }),
      ),
    )
    const { outbound, send } = reaching({ 'shop.test': server })
    expect((await send('http://shop.test/1')).body.toString()).toBe('real')
    await vi.waitFor(() => expect(outbound.size().connections).toBe(0))
    expect(await reasonOf(send('http://shop.test/2', { timeoutMs: 100 }))).toBe('timeout')
  })
})

describe('many at once', () => {
  test('100 origins are asked at the same time', async () => {
    let waiting: (() => void)[] = []
    const server = await web((request, response) => {
      waiting.push(() => response.end(request.headers.host))
      // Nobody is answered before all have asked.
      if (waiting.length === 100) for (const answer of waiting) answer()
    })
    const names = Array.from({ length: 100 }, (_, index) => `p${index}.test`)
    const { outbound, send } = reaching(Object.fromEntries(names.map((name) => [name, server])))
    const answers = await Promise.all(names.map((name) => send(`http://${name}/`)))
    expect(answers.map((answer) => answer.body.toString())).toEqual(names)
    expect(outbound.size()).toEqual({ origins: 100, connections: 100 })
    waiting = []
    server.hangUp()
    await vi.waitFor(() => expect(outbound.size()).toEqual({ origins: 0, connections: 0 }))
  })

  test('200 requests to one hanging origin delay no other', async () => {
    const hanging = await web(() => {})
    const server = await web((_request, response) => response.end('ok'))
    const names = Array.from({ length: 50 }, (_, index) => `p${index}.test`)
    const { outbound, send } = reaching({
      'hang.test': hanging,
      ...Object.fromEntries(names.map((name) => [name, server])),
    })
    // Those that do not get a connection give up first.
    const stuck = Array.from({ length: 200 }, (_, index) =>
      reasonOf(send('http://hang.test/', { timeoutMs: index < 128 ? 2_000 : 1_500 })),
    )
    let finished = false
    void Promise.race(stuck).then(() => {
      finished = true
    })
    const answers = await Promise.all(names.map((name) => send(`http://${name}/`)))
    expect(answers.every((answer) => answer.status === 200)).toBe(true)
    expect(finished).toBe(false)
    expect(new Set(await Promise.all(stuck))).toEqual(new Set(['timeout']))
    expect(outbound.size().connections).toBeLessThanOrEqual(50)
    expect(outbound.size().origins).toBe(outbound.size().connections)
    await vi.waitFor(() => expect(hanging.open()).toBe(0))
  })

  test.each([
    ['answers', 1_000_000],
    ['answers and failures', 5],
    ['failures', 1],
  ])('requests above the limit of one origin wait, and %s pass the turn on', async (_what, failEvery) => {
    const fails = (path = '') => (Number(path.slice(1)) + 1) % failEvery === 0
    const server = await web((request, response) => {
      if (fails(request.url)) request.socket.destroy()
      else response.end(request.url)
    })
    const { outbound, send } = reaching({ 'shop.test': server })
    const paths = Array.from({ length: 300 }, (_, index) => `/${index}`)
    let most = 0
    const results = await Promise.all(
      paths.map(async (path) => {
        const sending = send(`http://shop.test${path}`)
        const result = await sending.then(
          (answer) => answer.body.toString(),
          (error) => error.reason,
        )
        most = Math.max(most, outbound.size().connections)
        return result
      }),
    )
    expect(results).toEqual(paths.map((path) => (fails(path) ? 'connect' : path)))
    expect(most).toBeLessThanOrEqual(128)
  })

  test('an address that does not answer is passed over for the next', async () => {
    const server = await web((_request, response) => response.end('ok'))
    const dialled: string[] = []
    const outbound = track(
      createOutbound({
        allow: parseOutboundAllow(`twin.test:${server.port}`),
        resolve: async () => ['127.0.0.3', '127.0.0.2', '127.0.0.1'],
        open: (address, port) => {
          dialled.push(address)
          if (address === '127.0.0.3') return new Socket() // as if packets were lost
          if (address === '127.0.0.2') return new Socket().destroy(new Error('refused'))
          return connect({ host: address, port })
        },
      }),
    )
    const answer = await outbound.request({
      url: `http://twin.test:${server.port}/`,
      timeoutMs: 3_000,
      maxBytes: 10,
    })
    expect(answer.address).toBe('127.0.0.1')
    expect(dialled).toEqual(['127.0.0.3', '127.0.0.2', '127.0.0.1'])
  })
})

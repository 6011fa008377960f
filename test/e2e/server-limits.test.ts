/** Slow, many and strange clients on raw sockets: each ends in bounded time, and the service goes on for others. */
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createLimitedServer, SERVER_LIMITS, type ServerLimits } from '../../src/http/server-limits.ts'

const QUICK: ServerLimits = {
  ...SERVER_LIMITS,
  headersMs: 150,
  checkMs: 30,
  keepAliveMs: 150,
  bodyWindowMs: 150,
  bodyWindowBytes: 1_000,
  unreadMs: 200,
  headerBytes: 4_096,
  headerLines: 50,
}
const HEAD = 'GET /small HTTP/1.1\r\nHost: souk.test\r\n'
const LARGE = Buffer.alloc(32 * 1024 * 1024, 'x')

const open: Array<() => void> = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

const answers: RequestListener = async (request, response) => {
  if (request.url === '/large') return void response.end(LARGE)
  if (request.url === '/late') {
    await sleep(3 * QUICK.unreadMs)
    return void response.end('late')
  }
  let size = 0
  try {
    for await (const chunk of request) size += (chunk as Buffer).length
  } catch {
    return
  }
  response.end(`${request.url} ${size}`)
}

async function start(change: Partial<ServerLimits> = {}) {
  const server = createLimitedServer({ ...QUICK, ...change }, answers)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  function dial(): Socket & { said(): string; gone: Promise<unknown> } {
    const socket = connect(port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    open.push(() => socket.destroy())
    const gone = new Promise((resolve) => socket.once('close', resolve))
    return Object.assign(socket, { said: () => Buffer.concat(chunks).toString('latin1'), gone })
  }
  /** What a good client gets meanwhile. */
  const serves = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/small`, { headers: { connection: 'close' } })
    expect([answer.status, await answer.text()]).toEqual([200, '/small 0'])
  }
  return { dial, serves, server }
}

describe('a client that', () => {
  test.each<[what: string, begin: string, more: string | null]>([
    ['connects and says nothing', '', null],
    ['sends its head byte by byte', 'GET / HTTP/1.1\r\nHost: a\r\n', 'X'],
    ['sends half a head and stops', HEAD, null],
  ])('%s is told 408 and hung up on', async (_what, begin, more) => {
    const { dial, serves } = await start()
    const socket = dial()
    socket.write(begin)
    const drip = more === null ? undefined : setInterval(() => socket.write(more), 20)
    await serves()
    await socket.gone
    clearInterval(drip)
    expect(socket.said()).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*Connection: close/)
  })

  test('sends its body byte by byte is told 408 and hung up on', async () => {
    const { dial, serves } = await start()
    const socket = dial()
    socket.write('POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n')
    const drip = setInterval(() => socket.write('x'), 20)
    await serves()
    await socket.gone
    clearInterval(drip)
    expect(socket.said()).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('sends a large body steadily over a thin line is heard to the end, however long it takes', async () => {
    const { dial } = await start({ bodyWindowMs: 800 })
    const socket = dial()
    const pieces = 20
    socket.write(
      `POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: ${pieces * 2_000}\r\nConnection: close\r\n\r\n`,
    )
    for (let n = 0; n < pieces; n++) {
      socket.write('x'.repeat(2_000))
      await sleep(100)
    }
    await socket.gone
    expect(socket.said()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\/small 40000/)
  })

  test.each([
    ['a huge header', `X-Huge: ${'x'.repeat(8_000)}\r\n\r\n`],
    ['too many headers', `${Array.from({ length: 60 }, (_, n) => `X-${n}: 1\r\n`).join('')}\r\n`],
  ])('sends %s is told 431 and hung up on', async (_what, rest) => {
    const { dial, serves } = await start()
    const socket = dial()
    socket.write(HEAD + rest)
    await socket.gone
    expect(socket.said()).toMatch(/^HTTP\/1\.1 431 [\s\S]*Connection: close/i)
    await serves()
  })

  test('speaks no HTTP is told 400 and nothing of our insides', async () => {
    const { dial, serves } = await start()
    const socket = dial()
    socket.write('\u0016\u0003\u0001 hello\r\n\r\n')
    await socket.gone
    expect(socket.said()).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*Connection: close[\s\S]*\r\n\r\nBad Request\n$/,
    )
    await serves()
  })

  test('stops reading a large answer is cut off, and one that waits for ours is not', async () => {
    const { dial, serves, server } = await start()
    const reader = dial()
    reader.pause()
    reader.write('GET /large HTTP/1.1\r\nHost: a\r\n\r\n')
    const waiting = dial()
    waiting.write('GET /late HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await waiting.gone
    expect(waiting.said()).toMatch(/^HTTP\/1\.1 200 [\s\S]*late$/)
    const count = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)))
    await vi.waitFor(async () => expect(await count()).toBe(0), { timeout: 20_000 })
    await serves()
  })

  test('reads a large answer slowly gets all of it', async () => {
    // All in all it stands still for longer than the limit; a single time for so much less that a busy machine does not matter.
    const { dial } = await start({ unreadMs: 3_000 })
    const reader = dial()
    reader.write('GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    // In steps that the system's own buffers do not hide from the sender.
    for (let step = 1; step <= 4; step++) {
      while (reader.bytesRead < step * 7_000_000) await once(reader, 'data')
      reader.pause()
      await sleep(800)
      reader.resume()
    }
    await reader.gone
    expect(reader.bytesRead).toBeGreaterThan(LARGE.length)
  })

  test('keeps its connection without using it is let go', async () => {
    const { dial } = await start()
    const socket = dial()
    socket.write(`${HEAD}\r\n`)
    await socket.gone
    expect(socket.said()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\/small 0/)
  })

  test('sends many requests at once gets the answers in their order', async () => {
    const { dial } = await start()
    const socket = dial()
    const paths = Array.from({ length: 100 }, (_, n) => `/${n}`)
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''))
    await socket.gone
    expect(
      socket
        .said()
        .match(/^\/\d+ 0/gm)
        ?.map((line) => line.slice(0, -2)),
    ).toEqual(paths)
  })
})

describe('connections', () => {
  test('five hundred that say nothing do not keep others out, and are let go', async () => {
    const { dial, serves } = await start({ headersMs: 400 })
    const idle = Array.from({ length: 500 }, dial)
    await Promise.all(idle.map((socket) => once(socket, 'connect')))
    await serves()
    await Promise.all(idle.map(({ gone }) => gone))
    await serves()
  })

  test.each<[what: string, change: Partial<ServerLimits>]>([
    ['one address', { connectionsEach: 5 }],
    ['all together', { connections: 5, connectionsEach: null }],
  ])('more than %s may have are closed at once; when some end there is room again', async (_what, change) => {
    const { dial, serves } = await start({ ...change, headersMs: 60_000 })
    const held = Array.from({ length: 5 }, dial)
    await Promise.all(held.map((socket) => once(socket, 'connect')))
    await vi.waitFor(
      async () => {
        const over = dial()
        await over.gone
        expect(over.said()).toBe('')
      },
      { timeout: 10_000 },
    )
    for (const socket of held) socket.destroy()
    await vi.waitFor(serves, { timeout: 10_000 })
  })
})

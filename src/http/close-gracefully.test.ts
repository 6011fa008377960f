import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { createGracefulClose } from './close-gracefully.ts'

async function serve(listener: RequestListener) {
  const http = createServer({ keepAliveTimeout: 60_000 }, listener)
  const connections = createGracefulClose(http)
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return { connections, port, address: `http://127.0.0.1:${port}` }
}

/** One connection, used by hand. */
async function connect(port: number) {
  const socket = net.connect(port, '127.0.0.1')
  let received = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text
  })
  // A connection that is cut is told by what did not arrive.
  socket.on('error', () => {})
  const closed = once(socket, 'close')
  await once(socket, 'connect')
  return {
    ask: () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
    received: () => received,
    closed,
    end: () => socket.destroy(),
  }
}

describe('draining', () => {
  test('goes on taking connections and requests, and every answer lets go of its connection', async () => {
    const { connections, port, address } = await serve((_, response) => void response.end('whole'))
    const kept = await connect(port)
    kept.ask()
    await expect.poll(kept.received).toContain('whole')
    expect(kept.received()).toMatch(/connection: keep-alive/i)
    const drained = connections.drain(500)
    const fresh = await fetch(address)
    expect([await fresh.text(), fresh.headers.get('connection')]).toEqual(['whole', 'close'])
    kept.ask()
    await kept.closed
    expect(kept.received().match(/whole/g)).toHaveLength(2)
    expect(kept.received()).toMatch(/connection: close/i)
    await drained
    await connections.close()
  })

  test('an answer that was being worked on when it began lets go of its connection too', async () => {
    const asked = Promise.withResolvers<() => void>()
    const { connections, address } = await serve((_, response) =>
      asked.resolve(() => void response.end('whole')),
    )
    const underWay = fetch(address)
    const answer = await asked.promise
    await connections.drain(0)
    answer()
    const response = await underWay
    expect([await response.text(), response.headers.get('connection')]).toEqual(['whole', 'close'])
    await connections.close()
  })

  test('leaves a stream alone', async () => {
    const { connections, address } = await serve((_, response) => {
      response.write('first ')
      setTimeout(() => response.end('last'), 400)
    })
    const stream = await fetch(address)
    await connections.drain(200)
    const closed = connections.close()
    expect(await stream.text()).toBe('first last')
    await closed
  })
})

describe('closing', () => {
  test('lets a request under way finish, refuses new ones, and does not wait for idle or unused connections', async () => {
    const { connections, port, address } = await serve(
      (_, response) => void setTimeout(() => response.end('whole'), 300),
    )
    const [idle, unused] = [await connect(port), await connect(port)]
    idle.ask()
    await expect.poll(idle.received).toContain('whole')
    const underWay = fetch(address)
    await sleep(100)
    const closed = connections.close(20_000)
    await expect(fetch(address)).rejects.toThrow()
    expect(await (await underWay).text()).toBe('whole')
    // The limit would be over the time that a test has.
    await Promise.all([closed, idle.closed, unused.closed])
  }, 15_000)

  test('a request on its way in a kept-alive connection is answered, also when nobody looks until it is late', async () => {
    const { connections, port } = await serve((_, response) => void response.end('whole'))
    const [prompt, late] = [await connect(port), await connect(port)]
    for (const connection of [prompt, late]) {
      connection.ask()
      await expect.poll(connection.received).toContain('whole')
    }
    const closed = connections.close()
    prompt.ask()
    await prompt.closed
    late.ask()
    // The process is busy until the last call is over: the timer is due, and the request is not read.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    await late.closed
    for (const connection of [prompt, late]) {
      expect(connection.received().match(/whole/g)).toHaveLength(2)
      expect(connection.received()).toMatch(/connection: close/i)
    }
    await closed
  })

  test('cuts what is still running at the limit', async () => {
    const { connections, address } = await serve(() => {})
    const hanging = fetch(address).catch((error: Error) => error)
    await sleep(50)
    await connections.close(100)
    expect(await hanging).toBeInstanceOf(Error)
  })
})

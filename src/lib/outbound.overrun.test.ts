/**
 * What a server may make us read that is neither head nor body of an answer: the parser forgets it at once, so no limit
 * of theirs stops it, and only all that the connection brings can be counted.
 */
import type { Socket } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { type Loopback, serve, serveTcp } from '../../test/loopback.ts'
import { reasonOf } from '../../test/rehearse.ts'
import { createTestCa } from '../../test/tls.ts'
import { parseOutboundAllow } from './outbound.allow.ts'
import { createOutbound, type Outbound } from './outbound.ts'

const authority = createTestCa()
const PROMISES = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'.repeat(500)
const opened: (Loopback | Outbound)[] = []
afterEach(async () => {
  await Promise.all(opened.splice(0).map((thing) => thing.close()))
})

function reaching(server: Loopback, scheme: 'http' | 'https' = 'http') {
  opened.push(server)
  const allow = parseOutboundAllow(`shop.test=127.0.0.1:${server.port}`)
  const outbound = createOutbound({ allow, ca: authority.ca })
  opened.push(outbound)
  const send = (maxBytes: number) =>
    outbound.request({ url: `${scheme}://shop.test/`, schemes: [scheme], timeoutMs: 5_000, maxBytes })
  return { outbound, send }
}

function flood(socket: Socket | null, more: string): void {
  socket?.write(more, (error) => error ?? setImmediate(() => flood(socket, more)))
}

test.each([
  ['promises of an answer', '', PROMISES],
  ['words after the status', 'HTTP/1.1 200 ', 'so '.repeat(5_000)],
  ['notes on a chunk', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;', 'x'.repeat(15_000)],
  ['empty lines', '', '\r\n'.repeat(8_000)],
])('%s without end are cut, and the connection is closed', async (_what, start, more) => {
  const server = await serveTcp((socket) =>
    socket.once('data', () => {
      socket.write(start)
      flood(socket, more)
    }),
  )
  const { outbound, send } = reaching(server)
  expect(await reasonOf(send(1_000))).toBe('too_large')
  expect(outbound.size().connections).toBe(0)
  await vi.waitFor(() => expect(server.open()).toBe(0))
})

test('the same over TLS', async () => {
  const server = await serve(
    (_request, { socket }) => flood(socket, PROMISES),
    authority.certFor(['shop.test']),
  )
  expect(await reasonOf(reaching(server, 'https').send(1_000))).toBe('too_large')
})

test('a body in chunks of one byte is taken as long as the body is within the limit, answer after answer', async () => {
  const body = 'x'.repeat(20_000)
  const chunks = '1\r\nx\r\n'.repeat(body.length)
  const answer = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`
  const server = await serveTcp((socket) => socket.on('data', () => socket.write(answer)))
  const { send } = reaching(server)
  for (let count = 0; count < 5; count++) expect((await send(body.length)).body.toString()).toBe(body)
  expect(server.accepted()).toBe(1)
})

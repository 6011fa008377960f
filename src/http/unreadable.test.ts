import http from 'node:http'
import net from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll, expect, test } from 'vitest'
import { captureLog } from '../../test/harness.ts'
import { createUnreadableAnswer } from './error-response.ts'

const { log, lines } = captureLog()
const app = new Hono().get('/', (c) => c.text('fine'))
app.get('/broken', () => {
  throw new Error('a secret reason')
})
app.onError((error) => {
  throw error
})
const server = http.createServer(
  getRequestListener(app.fetch, { errorHandler: createUnreadableAnswer({ https: false, log }) }),
)
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
afterAll(() => server.close())

async function say(head: string): Promise<string> {
  const socket = net.connect((server.address() as net.AddressInfo).port, '127.0.0.1')
  socket.end(`${head}\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

test.each([
  'GET / HTTP/1.1\r\nHost: a b',
  'GET / HTTP/1.1\r\nHost: localhost:99999',
  'GET / HTTP/1.1\r\nHost:',
  'GET /\\x HTTP/1.1\r\nHost: localhost',
])('%j is refused like everything else', async (head) => {
  const text = await say(head)
  expect(text).toMatch(/^HTTP\/1\.1 400 /)
  expect(text).toMatch(/x-request-id: [\da-f-]{36}/i)
  expect(text).toContain(`{"error":"the request's address or Host header is not valid"}`)
})

test('what broke on our side is told to the log alone', async () => {
  const before = lines().length
  const text = await say('GET /broken HTTP/1.1\r\nHost: localhost')
  expect(text).toMatch(/^HTTP\/1\.1 500 /)
  expect(text).not.toContain('secret reason')
  expect(JSON.stringify(lines().slice(before))).toContain('a secret reason')
})

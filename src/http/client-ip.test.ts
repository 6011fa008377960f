import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { isLoopback } from '../lib/loopback.ts'
import { clientIp } from './client-ip.ts'

async function ipOf(remoteAddress: string | undefined, forwarded: string | undefined, trustProxy: boolean) {
  const app = new Hono().get('/', (c) => c.json(clientIp(c, trustProxy)))
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const response = await app.request('/', { headers }, { incoming: { socket: { remoteAddress } } })
  return response.json()
}

test.each([
  ['192.0.2.1', undefined, false, '192.0.2.1'],
  ['::ffff:192.0.2.1', undefined, false, '192.0.2.1'],
  ['2001:DB8::1', undefined, false, '2001:db8::1'],
  ['fe80::1%eth0', undefined, false, 'fe80::1'],
  ['192.0.2.1', '203.0.113.5', false, '192.0.2.1'],
  ['192.0.2.1', '203.0.113.5', true, '203.0.113.5'],
  ['192.0.2.1', '10.0.0.1, 203.0.113.5', true, '203.0.113.5'],
  ['192.0.2.1', '203.0.113.5:4711', true, '203.0.113.5'],
  ['192.0.2.1', '[2001:db8::5]:4711', true, '2001:db8::5'],
  ['192.0.2.1', undefined, true, '192.0.2.1'],
  ['192.0.2.1', 'unknown', true, null],
  [undefined, undefined, false, null],
])('socket %j, forwarded for %j, trusted %j: %j', async (socket, forwarded, trusted, ip) => {
  expect(await ipOf(socket, forwarded, trusted)).toBe(ip)
})

test('only this machine is loopback', () => {
  for (const host of ['localhost', '127.0.0.1', '127.9.9.9', '::1', '[::1]', 'LOCALHOST'])
    expect([host, isLoopback(host)]).toEqual([host, true])
  for (const host of [
    '0.0.0.0',
    '::',
    '127.0.0.1.evil.example',
    '127.evil.example',
    '10.0.0.1',
    'localhost.evil',
    '',
  ])
    expect([host, isLoopback(host)]).toEqual([host, false])
})

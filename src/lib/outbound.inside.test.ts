/** Servers of this process are reached by their own names and paths, and by nobody's leave but the service's own. */
import { expect, test } from 'vitest'
import { serve } from '../../test/loopback.ts'
import { reasonOf } from '../../test/rehearse.ts'
import { parseOutboundAllow } from './outbound.allow.ts'
import { createOutbound } from './outbound.ts'

const received: string[] = []
const server = await serve((request, response) => {
  received.push(`${request.headers.host} ${request.method} ${request.url}`)
  response.writeHead(200).end('{}')
})
const agent = {
  ...{ host: 'agent.shop.example', address: '127.0.0.1', port: server.port, paths: ['/message:send'] },
}
const inside = () => [agent]
const resolve = async (name: string): Promise<string[]> => {
  throw Object.assign(new Error(name), { code: 'ENOTFOUND' })
}
const limits = { timeoutMs: 2_000, maxBytes: 100 }

test('its name leads to it, over plain http although the address says https', async () => {
  const outbound = createOutbound({ allow: [], inside, resolve })
  const url = 'https://agent.shop.example/message:send'
  await outbound.check(url)
  const answer = await outbound.request({ url, method: 'POST', body: '{}', ...limits })
  expect([answer.status, received]).toEqual([200, ['agent.shop.example POST /message:send']])
  await outbound.close()
})

test.each([
  ['another path', 'https://agent.shop.example/', 'dns'],
  ['a path with more', 'https://agent.shop.example/message:send?x=1', 'dns'],
  ['another port', 'https://agent.shop.example:8443/message:send', 'dns'],
  ['http', 'http://agent.shop.example/message:send', 'scheme'],
  ['a name below', 'https://x.agent.shop.example/message:send', 'dns'],
  ['the domain', 'https://shop.example/message:send', 'dns'],
  ['its address', `https://127.0.0.1:${server.port}/message:send`, 'private_address'],
])('%s does not', async (_, url, reason) => {
  const before = received.length
  const outbound = createOutbound({ allow: [], inside, resolve })
  expect(await reasonOf(outbound.request({ url, ...limits }))).toBe(reason)
  expect(received).toHaveLength(before)
  await outbound.close()
})

test('a stranger’s address does not lead to it, nor the operator’s allow list to plain http', async () => {
  const before = received.length
  const outbound = createOutbound({ allow: [], inside, resolve })
  const url = 'https://agent.shop.example/message:send'
  await outbound.request({ url, ...limits })
  expect(await reasonOf(outbound.request({ url, publicOnly: true, ...limits }))).toBe('dns')
  const allow = parseOutboundAllow(`agent.shop.example=127.0.0.1:${server.port}`)
  const pinned = createOutbound({ allow, resolve })
  expect(await reasonOf(pinned.request({ url, ...limits }))).toBe('tls')
  expect(received).toHaveLength(before + 1)
  await Promise.all([outbound.close(), pinned.close()])
})

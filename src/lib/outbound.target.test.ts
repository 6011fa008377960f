/** The default resolver, against a name server on loopback. */
import { createSocket } from 'node:dgram'
import { afterEach, expect, test } from 'vitest'
import { serve } from '../../test/loopback.ts'
import { reasonOf } from '../../test/rehearse.ts'
import { parseOutboundAllow } from './outbound.allow.ts'
import { createDnsResolve } from './outbound.target.ts'
import { createOutbound } from './outbound.ts'

const V6 = '2606:2800:220:1::1'
const V6_HEX = '26062800022000010000000000000001'

let server: { address: string; queries: string[]; close(): void } | undefined
afterEach(() => {
  server?.close()
  server = undefined
})

/** Has one AAAA record besides the A records of `names`; says NXDOMAIN for others, nothing for silent.test. */
async function nameServer(names: Record<string, string[]>) {
  const socket = createSocket('udp4')
  const queries: string[] = []
  socket.on('message', (query, from) => {
    const labels: string[] = []
    let at = 12
    for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + size))
      at += size + 1
    }
    const name = labels.join('.').toLowerCase()
    const wantsV4 = query.readUInt16BE(at + 1) === 1
    queries.push(`${name} ${wantsV4 ? 'A' : 'AAAA'}`)
    if (name === 'silent.test') return
    const known = names[name]
    const v6 = known?.length ? [V6] : []
    const addresses = wantsV4 ? (known ?? []) : v6
    const head = Buffer.from(query.subarray(0, 12))
    head.writeUInt16BE(known ? 0x8180 : 0x8183, 2)
    head.writeUInt16BE(addresses.length, 6)
    head.writeUInt16BE(0, 10)
    const answers = addresses.map((address) =>
      wantsV4
        ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)])
        : Buffer.from(`c00c001c00010000003c0010${V6_HEX}`, 'hex'),
    )
    socket.send(Buffer.concat([head, query.subarray(12, at + 5), ...answers]), from.port, from.address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  server = { address: `127.0.0.1:${socket.address().port}`, queries, close: () => socket.close() }
  return server
}

test('all addresses of a name are asked for anew each time, in both families', async () => {
  const { address, queries } = await nameServer({ 'two.test': ['93.184.216.34', '10.0.0.1'] })
  const resolve = createDnsResolve([address])
  expect((await resolve('two.test')).sort()).toEqual(['10.0.0.1', V6, '93.184.216.34'])
  expect((await resolve('two.test')).sort()).toEqual(['10.0.0.1', V6, '93.184.216.34'])
  expect(queries.sort()).toEqual(['two.test A', 'two.test A', 'two.test AAAA', 'two.test AAAA'])
})

test('a name without address, an unknown name and a silent server are told apart from a private address', async () => {
  const { address } = await nameServer({ 'two.test': ['93.184.216.34', '10.0.0.1'], 'none.test': [] })
  const outbound = createOutbound({ allow: [], resolve: createDnsResolve([address]) })
  expect(await reasonOf(outbound.check('https://two.test/'))).toBe('private_address')
  expect(await reasonOf(outbound.check('https://none.test/'))).toBe('dns')
  expect(await reasonOf(outbound.check('https://unknown.test/'))).toBe('dns')
  expect(await reasonOf(outbound.check('https://silent.test/', { timeoutMs: 100 }))).toBe('timeout')
})

test('a name the operator vouched for is looked up as the system does it, /etc/hosts included', async () => {
  const shop = await serve((_request, response) => response.end('ok'))
  const outbound = createOutbound({ allow: parseOutboundAllow(`localhost:${shop.port}`) })
  try {
    const url = `http://localhost:${shop.port}/`
    expect(await outbound.request({ url, timeoutMs: 2_000, maxBytes: 10 })).toMatchObject({ status: 200 })
  } finally {
    await outbound.close()
    await shop.close()
  }
})

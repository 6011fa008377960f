/**
 * What may not be reached, is not: proved by counting dialled addresses, never by an error from the network.
 * The resolver and the dialling are doubles here, so no packet leaves the process.
 */
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { rehearse } from '../../test/rehearse.ts'
import { parseOutboundAllow } from './outbound.allow.ts'
import type { OutboundReason } from './outbound.errors.ts'
import { createOutbound } from './outbound.ts'

const PUBLIC = '93.184.216.34'
const NAMES: Record<string, string[]> = {
  'public.example': [PUBLIC],
  'twice.example': [PUBLIC, '93.184.216.35'],
  'six.example': ['2606:2800:220:1::1'],
  'loop.example': ['127.0.0.1'],
  'ten.example': ['10.1.2.3'],
  'metadata.example': ['169.254.169.254'],
  'mixed.example': [PUBLIC, '192.168.1.1'],
  'mixed-last.example': ['2606:2800:220:1::1', PUBLIC, '::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'zoned.example': ['fe80::1%eth0'],
  'nonsense.example': ['localhost'],
  'empty.example': [],
}

const HOSTILE: [url: string, reason: OutboundReason][] = [
  // IPv4, plainly and in disguise
  ['https://127.0.0.1/', 'private_address'],
  ['https://127.0.0.1:8443/', 'private_address'],
  ['https://127.1/', 'private_address'],
  ['https://127.0.1/', 'private_address'],
  ['https://2130706433/', 'private_address'],
  ['https://0x7f000001/', 'private_address'],
  ['https://0X7F.0x0.0x0.0x1/', 'private_address'],
  ['https://017700000001/', 'private_address'],
  ['https://0177.0.0.01/', 'private_address'],
  ['https://127.0.0.1./', 'private_address'],
  ['https://0/', 'private_address'],
  ['https://0.0.0.0/', 'private_address'],
  ['https://10.0.0.1/', 'private_address'],
  ['https://100.64.0.1/', 'private_address'],
  ['https://169.254.169.254/latest/meta-data/', 'private_address'],
  ['https://2852039166/', 'private_address'],
  ['https://172.16.0.1/', 'private_address'],
  ['https://172.31.255.255/', 'private_address'],
  ['https://192.0.0.1/', 'private_address'],
  ['https://192.0.2.1/', 'private_address'],
  ['https://192.88.99.1/', 'private_address'],
  ['https://192.168.0.1/', 'private_address'],
  ['https://198.18.0.1/', 'private_address'],
  ['https://198.51.100.1/', 'private_address'],
  ['https://203.0.113.1/', 'private_address'],
  ['https://224.0.0.1/', 'private_address'],
  ['https://240.0.0.1/', 'private_address'],
  ['https://255.255.255.255/', 'private_address'],
  ['https://１２７.０.０.１/', 'private_address'],
  ['https://①②⑦.0.0.1/', 'private_address'],
  ['https://127。0。0。1/', 'private_address'],
  ['https://127．0．0．1/', 'private_address'],
  ['https://%31%32%37.0.0.1/', 'private_address'],
  ['https://127%2e0%2e0%2e1/', 'private_address'],
  ['https:\\\\127.0.0.1\\', 'private_address'],
  ['https:127.0.0.1/', 'private_address'],
  ['https://127.0.\n0.1/', 'private_address'],
  ['https://256.0.0.1/', 'invalid_url'],
  ['https://127.0.0.1%00.public.example/', 'invalid_url'],
  // IPv6
  ['https://[::]/', 'private_address'],
  ['https://[::1]/', 'private_address'],
  ['https://[0:0:0:0:0:0:0:1]/', 'private_address'],
  ['https://[::ffff:127.0.0.1]/', 'private_address'],
  ['https://[::FFFF:7F00:1]/', 'private_address'],
  ['https://[0:0:0:0:0:ffff:10.0.0.1]/', 'private_address'],
  ['https://[::ffff:93.184.216.34]/', 'private_address'],
  ['https://[::127.0.0.1]/', 'private_address'],
  ['https://[::ffff:0:127.0.0.1]/', 'private_address'],
  ['https://[64:ff9b::127.0.0.1]/', 'private_address'],
  ['https://[64:ff9b:1::a00:1]/', 'private_address'],
  ['https://[2002:7f00:1::]/', 'private_address'],
  ['https://[2001:0:5ef5:79fd::1]/', 'private_address'],
  ['https://[2001:20::1]/', 'private_address'],
  ['https://[2001:db8::1]/', 'private_address'],
  ['https://[3fff::1]/', 'private_address'],
  ['https://[5f00::1]/', 'private_address'],
  ['https://[100::1]/', 'private_address'],
  ['https://[fc00::1]/', 'private_address'],
  ['https://[fd12:3456::1]/', 'private_address'],
  ['https://[fe80::1]/', 'private_address'],
  ['https://[fec0::1]/', 'private_address'],
  ['https://[ff02::1]/', 'private_address'],
  ['https://[fe80::1%25eth0]/', 'invalid_url'],
  // Names
  ['https://localhost/', 'private_address'],
  ['https://localhost./', 'private_address'],
  ['https://LOCALHOST/', 'private_address'],
  ['https://ⓛocalhost/', 'private_address'],
  ['https://localhost%2e/', 'private_address'],
  ['https://a.localhost/', 'private_address'],
  ['https://printer.local/', 'private_address'],
  ['https://metadata.google.internal./', 'private_address'],
  ['https://router.home.arpa/', 'private_address'],
  ['https://abc.onion/', 'private_address'],
  ['https://intranet/', 'private_address'],
  ['https://loop.example/', 'private_address'],
  ['https://LOOP.example./', 'private_address'],
  ['https://ten.example/', 'private_address'],
  ['https://metadata.example/', 'private_address'],
  ['https://mixed.example/', 'private_address'],
  ['https://mixed-last.example/', 'private_address'],
  ['https://mapped.example/', 'private_address'],
  ['https://zoned.example/', 'private_address'],
  ['https://nonsense.example/', 'private_address'],
  ['https://empty.example/', 'dns'],
  ['https://unknown.example/', 'dns'],
  ['https://public.example../', 'invalid_url'],
  ['https://pub..lic.example/', 'invalid_url'],
  [`https://${'a'.repeat(64)}.example/`, 'invalid_url'],
  // The rest of the URL
  ['https://public.example@127.0.0.1/', 'invalid_url'],
  ['https://user:secret@public.example/', 'invalid_url'],
  ['https://127.0.0.1\\@public.example/', 'private_address'],
  ['https://127.0.0.1#@public.example/', 'private_address'],
  ['http://127.0.0.1/', 'private_address'],
  ['http://localhost/', 'private_address'],
  ['http://home.arpa/', 'private_address'],
  ['http://public.example/', 'scheme'],
  ['ftp://public.example/', 'scheme'],
  ['file:///etc/passwd', 'scheme'],
  ['gopher://public.example/', 'scheme'],
  ['javascript:alert(1)', 'scheme'],
  ['//public.example/', 'invalid_url'],
  ['public.example', 'invalid_url'],
  ['', 'invalid_url'],
  ['https://public.example:25/', 'invalid_url'],
  ['https://public.example:6667/', 'invalid_url'],
  ['https://public.example:0/', 'invalid_url'],
  ['https://public.example:65536/', 'invalid_url'],
]

describe('a hostile URL is refused without a connection', () => {
  test.each(HOSTILE)('%j: %s', async (url, reason) => {
    const { request, check, dialled } = rehearse({ names: NAMES })
    expect(await request(url)).toBe(reason)
    expect(await check(url)).toBe(reason)
    expect(dialled).toEqual([])
  })

  test('http gains nothing against private addresses when the caller accepts it', async () => {
    const { request, dialled } = rehearse({ names: NAMES })
    for (const [url, reason] of HOSTILE.filter(([, reason]) => reason === 'private_address')) {
      expect(await request(url.replace('https:', 'http:'), ['https', 'http'])).toBe(reason)
    }
    expect(dialled).toEqual([])
  })

  test('a name refused on its face is not even resolved', async () => {
    const { request, resolved } = rehearse({ names: NAMES })
    for (const host of [
      'localhost',
      'a.localhost.',
      'x.internal',
      'x.local',
      'x.home.arpa',
      'x.onion',
      'nas',
    ]) {
      await request(`https://${host}/`)
    }
    expect(resolved).toEqual([])
  })
})

describe('what is public is dialled at the checked address', () => {
  test.each([
    ['https://public.example/', [`${PUBLIC} 443`]],
    ['https://PUBLIC.example.:8443/', [`${PUBLIC} 8443`]],
    ['https://twice.example/', [`${PUBLIC} 443`, '93.184.216.35 443']],
    ['https://six.example/', ['2606:2800:220:1::1 443']],
    ['https://93.184.216.34/', [`${PUBLIC} 443`]],
    ['https://0x5db8d822/', [`${PUBLIC} 443`]],
    ['https://[2606:2800:220:0001:0::1]/', ['2606:2800:220:1::1 443']],
  ])('%s', async (url, expected) => {
    const { request, check, dialled } = rehearse({ names: NAMES })
    expect(await check(url)).toBe('none')
    expect(dialled).toEqual([])
    expect(await request(url)).toBe('connect')
    expect(dialled).toEqual(expected)
  })

  test('plain http only when the caller accepts it', async () => {
    const { request, dialled } = rehearse({ names: NAMES })
    expect(await request('http://public.example/')).toBe('scheme')
    expect(await request('http://public.example/', ['https', 'http'])).toBe('connect')
    expect(dialled).toEqual([`${PUBLIC} 80`])
  })
})

describe('a name that changes its answer', () => {
  test('is resolved once for a connection, and the second answer is never used', async () => {
    let calls = 0
    const { request, dialled, resolved } = rehearse({
      resolve: async () => (calls++ === 0 ? [PUBLIC] : ['127.0.0.1']),
    })
    expect(await request('https://rebind.example/')).toBe('connect')
    expect(resolved).toHaveLength(1)
    expect(await request('https://rebind.example/')).toBe('private_address')
    expect(dialled).toEqual([`${PUBLIC} 443`])
  })

  test('gains nothing from having passed a check', async () => {
    let calls = 0
    const { request, check, dialled } = rehearse({
      resolve: async () => (calls++ === 0 ? [PUBLIC] : ['127.0.0.1']),
    })
    expect(await check('https://rebind.example/')).toBe('none')
    expect(await request('https://rebind.example/')).toBe('private_address')
    expect(dialled).toEqual([])
  })
})

describe('the allow list opens what it says and no more', () => {
  const allow = parseOutboundAllow('127.0.0.1:4900, [::1]:4900, nas:8080, shop.example=10.0.0.7:4901')

  test.each([
    ['http://127.0.0.1:4900/', ['127.0.0.1 4900']],
    ['https://127.0.0.1:4900/', ['127.0.0.1 4900']],
    ['http://2130706433:4900/', ['127.0.0.1 4900']],
    ['http://[0::1]:4900/', ['::1 4900']],
    ['http://NAS:8080/', ['192.168.0.9 8080']],
    ['https://inside.example:4900/', ['127.0.0.1 4900']],
    ['https://shop.example/', ['10.0.0.7 4901']],
    ['https://shop.example.:8443/', ['10.0.0.7 4901']],
  ])('%s is dialled', async (url, expected) => {
    const { request, dialled } = rehearse({
      allow,
      resolve: async (name) => (name === 'nas' ? ['192.168.0.9'] : ['127.0.0.1']),
    })
    expect(await request(url)).toBe('connect')
    expect(dialled).toEqual(expected)
  })

  test.each([
    ['https://127.0.0.1/', 'private_address'],
    ['https://127.0.0.1:4901/', 'private_address'],
    ['https://127.0.0.2:4900/', 'private_address'],
    ['https://[::ffff:127.0.0.1]:4900/', 'private_address'],
    ['https://localhost:4900/', 'private_address'],
    ['https://nas/', 'private_address'],
    ['https://inside.example/', 'private_address'],
    ['https://10.0.0.7:4901/', 'private_address'],
    ['https://www.shop.example/', 'private_address'],
    ['http://shop.example/', 'scheme'],
    ['http://inside.example:4900/', 'scheme'],
  ])('%s is not', async (url, reason) => {
    const { request, dialled } = rehearse({ allow, resolve: async () => ['127.0.0.1'] })
    expect(await request(url)).toBe(reason)
    expect(dialled).toEqual([])
  })
})

test('a message tells an outsider neither the path, nor a header, nor what a name resolves to', async () => {
  const outbound = createOutbound({
    allow: [],
    resolve: async () => ['10.9.8.7'],
    open: () => new Socket().destroy(new Error('rehearsal')),
  })
  const failing = outbound.request({
    url: 'https://ten.example/private-path?token=hush',
    headers: { authorization: 'Bearer hush' },
    timeoutMs: 1_000,
    maxBytes: 10,
  })
  await expect(failing).rejects.toThrow('ten.example')
  const error: unknown = await failing.catch((caught) => caught)
  const shown = JSON.stringify(error, Object.getOwnPropertyNames(error)).replace(/"stack":"[^"]*"/, '')
  expect(shown).not.toMatch(/hush|private-path|10\.9\.8\.7/)
})

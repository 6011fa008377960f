/**
 * Random addresses in random spellings, over HTTP: every blocked one is refused, every public one
 * dialled. Nothing is really dialled.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rehearse } from '../../test/rehearse.ts'

describe('for any address', () => {
  const v4Blocked = [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
    '255.255.255.255/32 168.63.129.16/32',
  ].flatMap((line) => line.split(' '))
  const v6Blocked = [
    '::/128 ::1/128 ::/96 ::ffff:0:0/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/32 2001::/23 2001:db8::/32',
    '2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/10 fec0::/10 ff00::/8',
  ].flatMap((line) => line.split(' '))

  const v4In = (cidr: string) => {
    const [network = '', prefix = ''] = cidr.split('/')
    const base = network.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
    return fc.nat({ max: 2 ** (32 - Number(prefix)) - 1 }).map((offset) => base + offset)
  }
  const v6In = (cidr: string) => {
    const [network = '', prefix = ''] = cidr.split('/')
    const [head = '', tail = ''] = network.split('::')
    const start = head === '' ? [] : head.split(':')
    const end = tail === '' ? [] : tail.split(':')
    const groups = [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end]
    const base = groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n)
    return fc
      .bigInt({ min: 0n, max: (1n << BigInt(128 - Number(prefix))) - 1n })
      .map((offset) => base | offset)
  }

  const octets = (value: number) => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
  const v4Spellings: ((value: number) => string)[] = [
    (value) => octets(value).join('.'),
    (value) => `${octets(value).join('.')}.`,
    (value) => String(value),
    (value) => `0x${value.toString(16)}`,
    (value) => `0${value.toString(8)}`,
    (value) =>
      octets(value)
        .map((octet) => `0${octet.toString(8)}`)
        .join('.'),
    (value) =>
      octets(value)
        .map((octet) => `0X${octet.toString(16).toUpperCase()}`)
        .join('.'),
    (value) => `${value >>> 24}.${value & 0xffffff}`,
    (value) => `${value >>> 24}.0x${((value >>> 16) & 255).toString(16)}.${value & 0xffff}`,
    (value) => octets(value).join('。'),
    (value) => [...octets(value).join('.')].map((char) => (char === '.' ? '.' : `%3${char}`)).join(''),
    (value) =>
      octets(value)
        .join('.')
        .replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  ]
  const v6Embeddings: ((dotted: string) => string)[] = [
    (dotted) => `[::ffff:${dotted}]`,
    (dotted) => `[0:0::FFFF:${dotted}]`,
    (dotted) => `[::${dotted}]`,
    (dotted) => `[::ffff:0:${dotted}]`,
    (dotted) => `[64:ff9b::${dotted}]`,
    (dotted) => `[0064:ff9b:1::${dotted}]`,
    (dotted) => `[2002:${hexPair(dotted)}::1]`,
  ]
  const hexPair = (dotted: string) => {
    const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
  }
  const groupsOf = (value: bigint) =>
    Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 0xffffn))
  const v6Spellings: ((value: bigint) => string)[] = [
    (value) =>
      groupsOf(value)
        .map((group) => group.toString(16))
        .join(':'),
    (value) =>
      groupsOf(value)
        .map((group) => group.toString(16).padStart(4, '0').toUpperCase())
        .join(':'),
    (value) =>
      groupsOf(value)
        .map((group) => group.toString(16))
        .join(':')
        .replace(/(^|:)0(:0)+(:|$)/, '::'),
    (value) => {
      const head = groupsOf(value)
        .slice(0, 6)
        .map((group) => group.toString(16))
      return `${head.join(':')}:${octets(Number(value & 0xffffffffn)).join('.')}`
    },
  ]

  test('a blocked IPv4 address is refused however it is spelt', async () => {
    const { request, dialled } = rehearse()
    const hosts = fc
      .tuple(fc.constantFrom(...v4Blocked).chain(v4In), fc.constantFrom(...v4Spellings))
      .map(([value, spell]) => spell(value))
    await fc.assert(
      fc.asyncProperty(hosts, async (host) => {
        expect(await request(`https://${host}/`)).toBe('private_address')
      }),
      { numRuns: 600 },
    )
    expect(dialled).toEqual([])
  })

  test('an IPv4 address wrapped in IPv6 is refused, public or not', async () => {
    const { request, dialled } = rehearse()
    const hosts = fc
      .tuple(fc.ipV4(), fc.constantFrom(...v6Embeddings))
      .map(([dotted, embed]) => embed(dotted))
    await fc.assert(
      fc.asyncProperty(hosts, async (host) => {
        expect(await request(`https://${host}/`)).toBe('private_address')
      }),
      { numRuns: 300 },
    )
    expect(dialled).toEqual([])
  })

  test('a blocked IPv6 address is refused however it is spelt, in a URL or as the answer of a name', async () => {
    let answer = ''
    const { request, dialled } = rehearse({ resolve: async () => [answer] })
    const addresses = fc
      .tuple(fc.constantFrom(...v6Blocked).chain(v6In), fc.constantFrom(...v6Spellings))
      .map(([value, spell]) => spell(value))
    await fc.assert(
      fc.asyncProperty(addresses, async (address) => {
        answer = address
        expect(await request(`https://[${address}]/`)).toBe('private_address')
        expect(await request('https://name.example/')).toBe('private_address')
      }),
      { numRuns: 600 },
    )
    expect(dialled).toEqual([])
  })

  test('a public one is dialled, in its one canonical spelling', async () => {
    const { request, dialled } = rehearse()
    const v4 = fc
      .tuple(
        fc
          .constantFrom('1.0.0.0/8', '9.0.0.0/8', '93.184.0.0/16', '172.32.0.0/11', '223.0.0.0/8')
          .chain(v4In),
      )
      .chain(([value]) =>
        fc.constantFrom(...v4Spellings).map((spell) => [spell(value), octets(value).join('.')] as const),
      )
    const v6 = fc
      .tuple(
        fc.constantFrom('2001:200::/23', '2003::/16', '2606:4700::/32', '2a00::/12').chain(v6In),
        fc.constantFrom(...v6Spellings),
      )
      .map(([value, spell]) => {
        const canonical = new URL(
          `http://[${groupsOf(value)
            .map((group) => group.toString(16))
            .join(':')}]`,
        )
        return [`[${spell(value)}]`, canonical.hostname.slice(1, -1)] as const
      })
    await fc.assert(
      fc.asyncProperty(fc.oneof(v4, v6), async ([host, expected]) => {
        dialled.length = 0
        expect(await request(`https://${host}/`)).toBe('connect')
        expect(dialled).toEqual([`${expected} 443`])
      }),
      { numRuns: 300 },
    )
  })
})

/** Discovery profiles of every revision, and of none. */
import { describe, expect, test } from 'vitest'
import { readUcpProfile } from './ucp-profile.ts'

const CHECKOUT = 'dev.ucp.shopping.checkout'

/** 2026-01-11: a service is one object with a transport a key. */
const first = (service: object, names = [CHECKOUT, 'dev.ucp.shopping.order']) => ({
  ucp: {
    version: '2026-01-11',
    services: { 'dev.ucp.shopping': { version: '2026-01-11', spec: 'https://ucp.dev/spec', ...service } },
    capabilities: names.map((name) => ({ name, version: '2026-01-11' })),
  },
  payment: {},
})

/** From 2026-01-23: a list of endpoints, capabilities by name. */
const later = (endpoints: unknown, version = '2026-01-23', names = [CHECKOUT]) => ({
  ucp: {
    version,
    services: { 'dev.ucp.shopping': endpoints },
    capabilities: Object.fromEntries(names.map((name) => [name, [{ version }]])),
    ...(version >= '2026-08-25' ? { keys: [] } : { signing_keys: [] }),
  },
})

const entry = (transport: string, endpoint: unknown, version = '2026-01-23') => ({
  version,
  transport,
  endpoint,
})
const endpointOf = (profile: unknown) => {
  const read = readUcpProfile(profile)
  return read.supported ? read.checkoutEndpoint : `not supported: ${read.reason}`
}

describe('what it says', () => {
  test('2026-01-11', () => {
    const profile = first({
      rest: { endpoint: 'https://shop.example/ucp/v1' },
      mcp: { endpoint: 'https://m.example' },
    })
    expect(readUcpProfile(profile)).toEqual({
      supported: true,
      version: '2026-01-11',
      capabilities: [CHECKOUT, 'dev.ucp.shopping.order'],
      checkoutEndpoint: 'https://shop.example/ucp/v1/checkout-sessions',
    })
  })

  test.each(['2026-01-23', '2026-08-25'])('%s', (version) => {
    const endpoints = [entry('mcp', 'https://m.example/mcp'), entry('rest', 'https://shop.example/ucp/')]
    expect(readUcpProfile(later(endpoints, version, [CHECKOUT, 'com.acme.gifts']))).toEqual({
      supported: true,
      version,
      capabilities: [CHECKOUT, 'com.acme.gifts'],
      checkoutEndpoint: 'https://shop.example/ucp/checkout-sessions',
    })
  })

  test('without a service or a capability it is still UCP', () => {
    const bare = { ucp: { version: '2026-01-23', services: {} } }
    expect(readUcpProfile(bare)).toMatchObject({ supported: true, capabilities: [], checkoutEndpoint: null })
  })
})

describe('where checkout is', () => {
  test.each<[string, unknown, string | null]>([
    [
      'nowhere without the capability',
      later([entry('rest', 'https://s.example')], '2026-01-23', ['dev.ucp.shopping.order']),
      null,
    ],
    [
      'nowhere without the capability, first revision',
      first({ rest: { endpoint: 'https://s.example' } }, []),
      null,
    ],
    [
      'at REST before all',
      later([
        entry('a2a', 'https://a.example'),
        entry('mcp', 'https://m.example'),
        entry('rest', 'https://r.example'),
      ]),
      'https://r.example/checkout-sessions',
    ],
    [
      'at MCP without REST',
      later([entry('a2a', 'https://a.example/card'), entry('mcp', 'https://m.example/mcp')]),
      'https://m.example/mcp',
    ],
    [
      'at the card with neither',
      later([entry('a2a', 'https://a.example/card.json')]),
      'https://a.example/card.json',
    ],
    ['first revision, MCP', first({ mcp: { endpoint: 'https://m.example/mcp' } }), 'https://m.example/mcp'],
    ['first revision, A2A', first({ a2a: { endpoint: 'https://a.example/c' } }), 'https://a.example/c'],
    ['not embedded', first({ embedded: { endpoint: 'https://e.example' } }), null],
    [
      'not over plain http',
      later([entry('rest', 'http://r.example'), entry('mcp', 'https://m.example/')]),
      'https://m.example/',
    ],
    ['not in a script', later([entry('rest', 'javascript:alert(1)')]), null],
    ['not with a password', later([entry('rest', 'https://a:b@r.example/')]), null],
    ['not at what is no URL', later([entry('rest', 5), entry('mcp', '/mcp'), entry('a2a', null)]), null],
    [
      'at the second when the first is no URL',
      later([entry('rest', ''), entry('rest', 'https://r.example/b')]),
      'https://r.example/b/checkout-sessions',
    ],
    [
      "in the profile's own version",
      later([entry('rest', 'https://r.example/old', '2026-01-11'), entry('rest', 'https://r.example/new')]),
      'https://r.example/new/checkout-sessions',
    ],
    [
      'without query and fragment',
      later([entry('rest', 'https://r.example/ucp/?a=1#b')]),
      'https://r.example/ucp/checkout-sessions',
    ],
    [
      'with a service that is one entry',
      later(entry('rest', 'https://r.example')),
      'https://r.example/checkout-sessions',
    ],
    ['not at an endless address', later([entry('mcp', `https://m.example/${'x'.repeat(2_048)}`)]), null],
    [
      'not in a service of another name',
      {
        ucp: {
          version: '2026-01-23',
          services: { other: [entry('rest', 'https://r.example')] },
          capabilities: { [CHECKOUT]: [] },
        },
      },
      null,
    ],
    ['not in a service that is text', later('https://r.example'), null],
    ['not in entries that are none', later([null, 'x', []]), null],
  ])('%s', (_where, profile, expected) => {
    expect(endpointOf(profile)).toBe(expected)
  })
})

describe('what is no profile', () => {
  test.each<[string, unknown]>([
    ['null', null],
    ['text', 'ucp'],
    ['a list', [first({})]],
    ['an empty object', {}],
    ['ucp as text', { ucp: '2026-01-11' }],
    ['ucp as a list', { ucp: [] }],
    ['no version', { ucp: { services: {} } }],
    ['a version as a number', { ucp: { version: 20260111, services: {} } }],
    ['a version of another form', { ucp: { version: '1.0', services: {} } }],
    ['a day that does not exist', { ucp: { version: '2026-02-30', services: {} } }],
    ['a version with more behind it', { ucp: { version: '2026-01-11x', services: {} } }],
    ['no services', { ucp: { version: '2026-01-11' } }],
    ['services as a list', { ucp: { version: '2026-01-11', services: [] } }],
    ['services null', { ucp: { version: '2026-01-11', services: null } }],
    ['what only a prototype has', Object.create({ ucp: { version: '2026-01-11', services: {} } })],
  ])('%s', (_what, value) => {
    const read = readUcpProfile(value)
    expect(read).toEqual({ supported: false, reason: expect.stringMatching(/./) })
  })
})

test('capabilities that are kept are few, short and plain, each once; the one that decides counts wherever it stands', () => {
  const names = [...Array.from({ length: 500 }, (_, n) => `a.capability-${n}`), CHECKOUT]
  const many = readUcpProfile(later([entry('rest', 'https://r.example')], '2026-01-23', names))
  expect(many).toMatchObject({ checkoutEndpoint: 'https://r.example/checkout-sessions' })
  expect(many.supported && many.capabilities.length).toBe(100)
  const odd = ['a\0b', '<b>', 'x'.repeat(101), '', 'fine', 'fine', ' spaced']
  const strange = readUcpProfile(first({}, odd))
  expect(strange.supported && strange.capabilities).toEqual(['fine'])
})

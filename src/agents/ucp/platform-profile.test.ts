import { expect, test } from 'vitest'
import { platformProfile } from '../../../test/ucp/platform-profile.ts'
import { isBound, readPlatformProfile } from './platform-profiles.ts'

test.each([
  ['dev.ucp.shopping.checkout', 'https://ucp.dev/x.json', true],
  ['dev.ucp.shopping.checkout', 'https://shopping.ucp.dev/x.json', true],
  ['com.example.pay', 'https://pay.example.com/x.json', true],
  ['com.example.pay', 'https://EXAMPLE.com./x.json', true],
  ['com.example.pay', 'https://example.com:8443/x.json', true],
  ['com.example.pay', 'https://cdn.example.com/x.json', false],
  ['com.examplecorp.pay', 'https://example.com/x.json', false],
  ['dev.ucp.shopping.checkout', 'https://evil.example/ucp.dev/x.json', false],
  ['dev.ucp.shopping.checkout', 'https://ucp.dev@evil.example/x.json', false],
  ['dev.ucp.shopping.checkout', 'http://ucp.dev/x.json', false],
  ['dev.ucp.shopping.checkout', 'https://dev/x.json', false],
  ['1.0.0.127.x', 'https://127.0.0.1/x.json', false],
  ['dev.ucp.shopping.checkout', 'not a url', false],
])('the schema of %s at %s is from its owner: %s', (name, schema, bound) => {
  expect(isBound(name, schema)).toBe(bound)
})

test('a capability whose schema is from somebody else does not count', () => {
  const [search] = platformProfile().ucp.capabilities['dev.ucp.shopping.catalog.search']
  const capabilities = {
    'dev.ucp.shopping.catalog.search': [{ ...search, schema: 'https://evil.example/x.json' }],
    'dev.ucp.shopping.catalog.lookup': platformProfile().ucp.capabilities['dev.ucp.shopping.catalog.lookup'],
  }
  expect(readPlatformProfile(platformProfile({ capabilities }))).toEqual({
    speaks: new Set(['dev.ucp.shopping.catalog.lookup']),
  })
})

test('of a profile nothing is kept but which of our capabilities it speaks', () => {
  const { capabilities } = platformProfile().ucp
  const [search] = capabilities['dev.ucp.shopping.catalog.search']
  const others = Array.from({ length: 500 }, (_, at) => [`dev.ucp.other${at}`, [search]] as const)
  const [entry] = capabilities['dev.ucp.shopping.catalog.lookup']
  const profile = platformProfile({
    capabilities: {
      ...Object.fromEntries(others),
      'dev.ucp.shopping.catalog.search': [{ ...search, version: '2026-04-08' }, search],
      'dev.ucp.shopping.catalog.lookup': [{ ...entry, version: '2026-04-08' }],
    },
  })
  expect(readPlatformProfile(profile)).toEqual({ speaks: new Set(['dev.ucp.shopping.catalog.search']) })
})

test('what is said of a malformed profile is short, however long the name of what is wrong', () => {
  const read = readPlatformProfile(platformProfile({ capabilities: { ['x'.repeat(100_000)]: 1 } }))
  expect(read).toMatchObject({ code: 'profile_malformed' })
  expect(JSON.stringify(read).length).toBeLessThan(500)
})

test('another release is told from a broken profile, whatever shape the rest has', () => {
  const old = { ucp: { version: '2026-01-11', services: { x: {} }, capabilities: [{ name: 'x' }] } }
  expect(readPlatformProfile(old)).toMatchObject({ status: 422, code: 'version_unsupported' })
})

test.each<[string, unknown]>([
  ['no object', []],
  ['nothing', null],
  ['no ucp', {}],
  ['a version that is no date', { ucp: { ...platformProfile().ucp, version: 'draft' } }],
  ['services that are a list', platformProfile({ services: [] })],
  ['a service without transport', platformProfile({ services: { a: [{ version: '2026-08-25' }] } })],
  ['no payment handlers', platformProfile({ payment_handlers: undefined })],
  ['capabilities in the form of the first release', platformProfile({ capabilities: [{ name: 'x' }] })],
  ['a capability without schema', platformProfile({ capabilities: { 'a.b': [{ version: '2026-08-25' }] } })],
  ['keys that are none', { ...platformProfile(), keys: [{ kty: 'EC' }] }],
])('a profile with %s is malformed', (_, value) => {
  expect(readPlatformProfile(value)).toMatchObject({ status: 422, code: 'profile_malformed' })
})

/** Which version is spoken: header × method × query parameter, and the card in its three forms. */
import { AgentCard } from '@a2a-js/sdk'
import { isLegacyAgentCard, parseLegacyAgentCard } from '@a2a-js/sdk/compat/v0_3/client'
import { describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { BASE_URL } from '../harness.ts'
import { createA2aWorld, METHODS, type Version } from './a2a.world.ts'

const world = await createA2aWorld()
const { raw } = world

const NONE = ''
/** How an answer shows its version: a task that is not there says so in both, with more detail in 1.0. */
async function spokenIn(method: string, headers: Record<string, string>, path = '/a2a/') {
  const { error } = await raw({ jsonrpc: '2.0', id: 1, method, params: { id: newId() } }, { headers, path })
  if (error.code !== -32001) return error.code
  return error.data === undefined ? '0.3' : '1.0'
}

test.each<[string, Version, unknown]>([
  [NONE, '0.3', '0.3'],
  [NONE, '1.0', '1.0'],
  ['0.3', '0.3', '0.3'],
  ['0.3.0', '0.3', '0.3'],
  ['1.0', '1.0', '1.0'],
  ['1.0.4', '1.0', '1.0'],
  [' 1.0 ', '1.0', '1.0'],
  ['1.0', '0.3', -32601],
  ['0.3', '1.0', -32601],
  ['2.0', '1.0', -32009],
  ['2.0', '0.3', -32009],
  ['0.2', '0.3', -32009],
])('header %j with a method of %s is answered in or with %s', async (header, of, expected) => {
  const headers: Record<string, string> = header === NONE ? {} : { 'A2A-Version': header }
  expect(await spokenIn(METHODS[of].get, headers)).toBe(expected)
})

test('an empty header counts as none', async () => {
  expect(await spokenIn('tasks/get', { 'A2A-Version': '' })).toBe('0.3')
  expect(await spokenIn('GetTask', { 'A2A-Version': '' })).toBe('1.0')
})

test('the version may stand in the query where a header cannot be set, and the header wins', async () => {
  expect(await spokenIn('tasks/get', {}, '/a2a/?A2A-Version=1.0')).toBe(-32601)
  expect(await spokenIn('GetTask', {}, '/a2a?A2A-Version=9.9')).toBe(-32009)
  expect(await spokenIn('GetTask', { 'A2A-Version': '1.0' }, '/a2a/?A2A-Version=0.3')).toBe('1.0')
})

test('an unknown method without a header is an error of 1.0', async () => {
  expect(await spokenIn('Nothing', {})).toBe(-32601)
})

test('listing tasks is of 1.0 alone', async () => {
  expect(
    await raw({ jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }, { version: '0.3' }),
  ).toMatchObject({
    error: { code: -32601 },
  })
})

test('with and without the trailing slash is the same, and another method than POST is 405', async () => {
  expect(await spokenIn('GetTask', {}, '/a2a')).toBe('1.0')
  const read = await world.app.request('/a2a/')
  expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
})

describe.each([
  '/.well-known/agent-card.json',
  '/.well-known/agent.json',
  '/a2a/.well-known/agent-card.json',
  '/a2a/.well-known/agent.json',
])('the card at %s', (path) => {
  const read = async (headers: Record<string, string> = {}) => await world.app.request(path, { headers })
  const card = async (version?: string) =>
    (await (await read(version ? { 'A2A-Version': version } : {})).json()) as Record<string, unknown>

  test('has six skills, optional OAuth and the pointer to the tool server in every form', async () => {
    for (const version of [undefined, '0.3', '1.0']) {
      const one = await card(version)
      expect(one).toMatchObject({ name: 'Souk', version: '1.0.0' })
      expect((one.skills as Array<{ id: string }>).map(({ id }) => id)).toEqual([
        'product-recommendation',
        'product-lookup',
        'category-browse',
        'product-offers',
        'request-for-quote',
        'what-changed',
      ])
      expect(one.capabilities).toMatchObject({
        streaming: true,
        pushNotifications: true,
        extensions: [{ params: { url: `${BASE_URL}/mcp/` } }],
      })
      const text = JSON.stringify(one)
      expect(text).toContain(`${BASE_URL}/oauth/authorize/`)
      expect(text).toContain(`${BASE_URL}/api/oauth/token/`)
    }
  })

  test('without a header is both versions in one, and each version’s reader finds its own', async () => {
    const hybrid = await card()
    const url = `${BASE_URL}/a2a/`
    expect(hybrid).toMatchObject({
      protocolVersion: '0.3.0',
      url,
      preferredTransport: 'JSONRPC',
      additionalInterfaces: [{ url, transport: 'JSONRPC' }],
      security: [{}, { oauth2: ['mcp'] }],
      supportedInterfaces: [
        { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { url: url.replace(/\/$/, ''), protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
        { url, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      ],
      securityRequirements: [{}, { schemes: { oauth2: { list: ['mcp'] } } }],
    })
    const current = AgentCard.fromJSON(hybrid)
    expect(current.supportedInterfaces.map(({ protocolVersion }) => protocolVersion)).toEqual([
      '1.0',
      '1.0',
      '0.3',
    ])
    expect(current.securitySchemes.oauth2?.scheme?.$case).toBe('oauth2SecurityScheme')
    const old = parseLegacyAgentCard(hybrid)
    expect(old.supportedInterfaces[0]).toMatchObject({ url, protocolBinding: 'JSONRPC' })
    expect(old.securitySchemes.oauth2?.scheme?.$case).toBe('oauth2SecurityScheme')
  })

  test('is of one version alone when that is asked for', async () => {
    const current = await card('1.0')
    for (const field of ['protocolVersion', 'url', 'preferredTransport', 'additionalInterfaces', 'security'])
      expect(current).not.toHaveProperty(field)
    expect(isLegacyAgentCard(current)).toBe(false)
    const old = await card('0.3.0')
    for (const field of ['supportedInterfaces', 'securityRequirements']) expect(old).not.toHaveProperty(field)
    expect(isLegacyAgentCard(old)).toBe(true)
    expect(old.securitySchemes).toMatchObject({ oauth2: { type: 'oauth2' } })
    expect(await card('7.0')).toEqual(await card())
  })

  test('is cached by version: ETag, 304, Vary', async () => {
    const [hybrid, current] = [await read(), await read({ 'A2A-Version': '1.0' })]
    expect(hybrid.headers.get('vary')).toContain('A2A-Version')
    expect(hybrid.headers.get('cache-control')).toBe('public, max-age=300')
    const etag = hybrid.headers.get('etag') ?? ''
    expect(etag).not.toBe(current.headers.get('etag'))
    const again = await read({ 'If-None-Match': etag })
    expect([again.status, await again.text()]).toEqual([304, ''])
    expect(again.headers.get('vary')).toContain('A2A-Version')
    expect((await read({ 'If-None-Match': etag, 'A2A-Version': '1.0' })).status).toBe(200)
  })

  test('may be read by any page', async () => {
    expect((await read({ Origin: 'https://any.example' })).headers.get('access-control-allow-origin')).toBe(
      '*',
    )
  })
})

test('any page may call: the preflight allows what the protocol sends', async () => {
  const preflight = await world.app.request('/a2a/', {
    method: 'OPTIONS',
    headers: {
      Origin: 'https://any.example',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'a2a-version, authorization, content-type',
    },
  })
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
  expect(preflight.headers.get('access-control-allow-methods')).toContain('POST')
  const allowed = (preflight.headers.get('access-control-allow-headers') ?? '').toLowerCase()
  for (const header of ['a2a-version', 'a2a-extensions', 'authorization', 'content-type'])
    expect(allowed).toContain(header)
  const refused = await world.post('nonsense', { headers: { Origin: 'https://any.example' } })
  expect(refused.headers.get('access-control-allow-origin')).toBe('*')
})

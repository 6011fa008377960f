/** Dynamic registration (RFC 7591): what is refused and why, and what a client is given when it is not. */
import { describe, expect, test } from 'vitest'
import { testConfig } from '../harness.ts'
import { createOauthWorld, errorOf, REDIRECT } from './oauth.world.ts'

const world = await createOauthWorld()
const { nothingIssued } = world

describe('a client is not registered', () => {
  test.each<[string, unknown, string]>([
    ['javascript', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['javascript in disguise', { redirect_uris: ['java\nscript:alert(1)'] }, 'invalid_redirect_uri'],
    ['javascript in capitals', { redirect_uris: ['JavaScript:alert(1)'] }, 'invalid_redirect_uri'],
    ['data', { redirect_uris: ['data:text/html,x'] }, 'invalid_redirect_uri'],
    ['file', { redirect_uris: ['file:///etc/passwd'] }, 'invalid_redirect_uri'],
    ['blob', { redirect_uris: ['blob:https://client.example/x'] }, 'invalid_redirect_uri'],
    ['vbscript', { redirect_uris: ['vbscript:x'] }, 'invalid_redirect_uri'],
    ['about', { redirect_uris: ['about:blank'] }, 'invalid_redirect_uri'],
    ['plain http on a public host', { redirect_uris: ['http://client.example/cb'] }, 'invalid_redirect_uri'],
    [
      'plain http on a look-alike',
      { redirect_uris: ['http://localhost.evil.example/'] },
      'invalid_redirect_uri',
    ],
    ['plain http on a private host', { redirect_uris: ['http://10.0.0.1/cb'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: [`${REDIRECT}#x`] }, 'invalid_redirect_uri'],
    ['a user name', { redirect_uris: ['https://a@client.example/'] }, 'invalid_redirect_uri'],
    ['an invalid host', { redirect_uris: ['https://a;script-src-elem/cb'] }, 'invalid_redirect_uri'],
    ['a slash too many', { redirect_uris: ['https:///client.example/cb'] }, 'invalid_redirect_uri'],
    ['a wildcard', { redirect_uris: ['https://*.client.example/'] }, 'invalid_redirect_uri'],
    ['a relative address', { redirect_uris: ['/callback'] }, 'invalid_redirect_uri'],
    ['one bad among good', { redirect_uris: [REDIRECT, 'data:,x'] }, 'invalid_redirect_uri'],
    ['none', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['no list', { client_name: 'x' }, 'invalid_redirect_uri'],
    ['a text for a list', { redirect_uris: REDIRECT }, 'invalid_redirect_uri'],
    ['too many', { redirect_uris: Array(21).fill(REDIRECT) }, 'invalid_redirect_uri'],
    ['too long', { redirect_uris: [`${REDIRECT}?${'x'.repeat(1_000)}`] }, 'invalid_redirect_uri'],
    ['another flow', { redirect_uris: [REDIRECT], grant_types: ['implicit'] }, 'invalid_client_metadata'],
    ['another response', { redirect_uris: [REDIRECT], response_types: ['token'] }, 'invalid_client_metadata'],
    ['a name that is no text', { redirect_uris: [REDIRECT], client_name: 5 }, 'invalid_client_metadata'],
    ['a body that is no JSON', '{', 'invalid_client_metadata'],
    ['a body that is no object', [], 'invalid_client_metadata'],
  ])('%s', async (_what, body, error) => {
    const answer = await nothingIssued(() => world.postJson('/api/oauth/register/', body))
    expect([answer.status, await errorOf(answer)]).toEqual([400, error])
  })

  test('more in a moment from one network than it may, until some time has passed', async () => {
    const fresh = await createOauthWorld({ config: testConfig({ SOUK_LIMITS: 'register=6/minute' }) })
    for (let n = 0; n < 6; n++) await fresh.register()
    const answer = await fresh.postJson('/api/oauth/register/', { redirect_uris: [REDIRECT] })
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answer.headers.get('ratelimit-policy')).toBe('"register";q=6;w=60')
    expect(answer.headers.get('ratelimit')).toBe('"register";r=0;t=60')
    expect((await fresh.counts()).clients).toBe(6)
    fresh.clock.advance(10_000)
    expect((await fresh.postJson('/register', { redirect_uris: [REDIRECT] })).status).toBe(201)
  })
})

describe('a client is registered', () => {
  test.each([
    ['https', 'https://client.example/callback?tenant=1'],
    ['loopback by address', 'http://127.0.0.1:33418/'],
    ['loopback by IPv6 address', 'http://[::1]/cb'],
    ['loopback by name', 'http://localhost:3000/oauth/callback'],
    ['a scheme of its own', 'cursor://anysphere.cursor-retrieval/oauth/callback'],
    ['a scheme that is a domain', 'com.example.app:/callback'],
  ])('with %s', async (_what, uri) => {
    const answer = await world.postJson('/api/oauth/register/', { redirect_uris: [uri], client_name: 'Good' })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await answer.json()).toEqual({
      client_id: expect.stringMatching(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      ),
      client_id_issued_at: world.clock.now().getTime() / 1000,
      client_name: 'Good',
      redirect_uris: [uri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'mcp',
    })
  })

  test('and told what it gets when it asks for more: no secret, our scope', async () => {
    const answer = await world.postJson('/register', {
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'openid mcp',
      grant_types: ['authorization_code', 'implicit'],
      unknown: { nested: true },
    })
    const client = (await answer.json()) as Record<string, unknown>
    expect(client).toMatchObject({ token_endpoint_auth_method: 'none', scope: 'mcp' })
    expect(client).not.toHaveProperty('client_secret')
    expect(client.client_name).toBe('App at client.example')
  })

  test('with a name that is plain text, however it was written', async () => {
    const answer = await world.postJson('/api/oauth/register', {
      redirect_uris: [REDIRECT],
      client_name: `<b>Nice</b>\u202e\u0000 client ${'x'.repeat(500)}`,
      client_uri: 'javascript:alert(1)',
    })
    const client = (await answer.json()) as { client_name: string }
    expect(client.client_name).toMatch(/^Nice client x+…$/)
    expect(client.client_name.length).toBeLessThanOrEqual(80)
    expect(client).not.toHaveProperty('client_uri')
  })
})

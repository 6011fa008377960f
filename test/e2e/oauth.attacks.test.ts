/**
 * The attack table: each row breaks one thing of a request that is otherwise good, and is refused for that reason. After
 * every row the tables are counted: a refusal that has issued something is no refusal.
 */
import { describe, expect, test } from 'vitest'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import { BASE_URL } from '../harness.ts'
import {
  type Changes,
  createOauthWorld,
  errorOf,
  pkce,
  REDIRECT,
  requestFor,
  withChanges,
} from './oauth.world.ts'

const world = await createOauthWorld()
const person = await world.addPerson()
const OTHER = 'https://other.example/mcp'

const { nothingIssued, auditOf } = world

describe('a bad authorization request is refused at the redirect address, with state and iss', async () => {
  const clientId = await world.register()
  const { challenge } = pkce()
  // Anyone who has never allowed this client there is asked before they go (oauth.attacks.leaving.test.ts).
  await world.obtainCode({ clientId, cookie: person.cookie, challenge })
  test.each<[string, Changes, string]>([
    ['missing PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['no PKCE method, which would mean plain', { code_challenge_method: null }, 'invalid_request'],
    ['a method in the wrong case', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a challenge that is too short', { code_challenge: challenge.slice(1) }, 'invalid_request'],
    ['a challenge with padding', { code_challenge: `${challenge}=` }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['a mixed flow', { response_type: 'code token' }, 'unsupported_response_type'],
    ['no response type', { response_type: null }, 'invalid_request'],
    ['an answer in the fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['a scope that does not exist', { scope: 'admin' }, 'invalid_scope'],
    ['a scope that is no scope', { scope: 'mcp "' }, 'invalid_scope'],
    ['another resource', { resource: OTHER }, 'invalid_target'],
    ['another resource beside ours', { resource: [`${BASE_URL}/mcp`, OTHER] }, 'invalid_target'],
    ['a resource above ours', { resource: BASE_URL }, 'invalid_target'],
    ['a resource with a fragment', { resource: `${BASE_URL}/mcp#x` }, 'invalid_target'],
    ['a resource with a query', { resource: `${BASE_URL}/mcp?x=1` }, 'invalid_target'],
    ['a resource with a user name', { resource: 'http://me@souk.test/mcp' }, 'invalid_target'],
    ['a duplicate challenge', { code_challenge: [challenge, challenge] }, 'invalid_request'],
    ['a duplicate scope', { scope: ['mcp', 'mcp'] }, 'invalid_request'],
    ['a duplicate of an unknown parameter', { extra: ['1', '2'] }, 'invalid_request'],
    ['prompt none with another', { prompt: 'none consent' }, 'invalid_request'],
  ])('%s', async (_what, changes, error) => {
    const params = withChanges(requestFor(clientId, challenge), changes)
    const answer = await nothingIssued(() => world.authorize(params, person.cookie))
    expect(answer.status).toBe(303)
    const location = new URL(answer.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(REDIRECT)
    expect(Object.fromEntries(location.searchParams)).toEqual({
      error,
      error_description: expect.any(String),
      state: 'st4te',
      iss: BASE_URL,
    })
  })

  test('a duplicate state is refused and neither is echoed', async () => {
    const params = withChanges(requestFor(clientId, challenge), { state: ['a', 'b'] })
    const answer = await nothingIssued(() => world.authorize(params, person.cookie))
    const { searchParams } = new URL(answer.headers.get('location') ?? '')
    expect(searchParams.get('error')).toBe('invalid_request')
    expect(searchParams.has('state')).toBe(false)
  })

  test.each([
    ['nobody signed in', 'login_required', undefined],
    ['no consent', 'consent_required', person.cookie],
  ])('prompt none with %s', async (_what, error, cookie) => {
    const local = 'http://127.0.0.1/cb'
    const request = requestFor(await world.register([local]), challenge, local)
    const answer = await nothingIssued(() =>
      world.authorize(withChanges(request, { prompt: 'none' }), cookie),
    )
    expect(new URL(answer.headers.get('location') ?? '').searchParams.get('error')).toBe(error)
  })
})

describe('until client and redirect are good, nobody is redirected anywhere', async () => {
  const web = await world.register([REDIRECT])
  const local = await world.register([
    'http://127.0.0.1/cb',
    'http://localhost:3000/cb',
    'com.example.app:/cb',
  ])
  const { challenge } = pkce()
  const registered: Record<string, string> = { web, local }
  test.each<[string, string, Changes]>([
    ['a longer path (prefix match)', 'web', { redirect_uri: `${REDIRECT}/evil` }],
    ['a shorter path', 'web', { redirect_uri: 'https://client.example/' }],
    ['a longer host (prefix match)', 'web', { redirect_uri: 'https://client.example.evil.example/callback' }],
    ['a subdomain', 'web', { redirect_uri: 'https://evil.client.example/callback' }],
    ['the path in another case', 'web', { redirect_uri: 'https://client.example/Callback' }],
    ['the host in another case', 'web', { redirect_uri: 'https://CLIENT.example/callback' }],
    ['the scheme in another case', 'web', { redirect_uri: 'HTTPS://client.example/callback' }],
    ['a trailing slash', 'web', { redirect_uri: `${REDIRECT}/` }],
    ['a user name', 'web', { redirect_uri: 'https://client.example@evil.example/callback' }],
    ['a user name before the right host', 'web', { redirect_uri: 'https://a@client.example/callback' }],
    ['a fragment', 'web', { redirect_uri: `${REDIRECT}#x` }],
    ['an empty fragment', 'web', { redirect_uri: `${REDIRECT}#` }],
    ['an encoded letter', 'web', { redirect_uri: 'https://client.example/%63allback' }],
    ['dots in the path', 'web', { redirect_uri: 'https://client.example/x/../callback' }],
    ['encoded dots', 'web', { redirect_uri: 'https://client.example/%2e%2e/callback' }],
    ['a backslash', 'web', { redirect_uri: 'https://evil.example\\@client.example/callback' }],
    ['a query', 'web', { redirect_uri: `${REDIRECT}?next=https://evil.example` }],
    ['another port on the web', 'web', { redirect_uri: 'https://client.example:8443/callback' }],
    ['the default port written out', 'web', { redirect_uri: 'https://client.example:443/callback' }],
    ['plain http', 'web', { redirect_uri: 'http://client.example/callback' }],
    ['a line break', 'web', { redirect_uri: `${REDIRECT}\r\nX-Evil: 1` }],
    ['javascript', 'web', { redirect_uri: 'javascript:alert(1)' }],
    ['none', 'web', { redirect_uri: null }],
    ['two', 'web', { redirect_uri: [REDIRECT, 'https://evil.example/'] }],
    ['the same one twice', 'web', { redirect_uri: [REDIRECT, REDIRECT] }],
    ['another loopback path', 'local', { redirect_uri: 'http://127.0.0.1:4000/other' }],
    ['the other loopback name', 'local', { redirect_uri: 'http://[::1]:4000/cb' }],
    ['a loopback address of another machine', 'local', { redirect_uri: 'http://127.0.0.2:4000/cb' }],
    ['a host that starts like loopback', 'local', { redirect_uri: 'http://127.0.0.1.evil.example/cb' }],
    [
      'a host behind a loopback user name',
      'local',
      { redirect_uri: 'http://127.0.0.1:4000@evil.example/cb' },
    ],
    ['an invalid loopback port', 'local', { redirect_uri: 'http://127.0.0.1:99999/cb' }],
    ['another app scheme', 'local', { redirect_uri: 'com.example.evil:/cb' }],
    ['a client nobody registered', 'web', { client_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2' }],
    ['a client id that is nothing', 'web', { client_id: 'nothing' }],
    ['no client id', 'web', { client_id: null }],
    ['two client ids', 'web', { client_id: [web, local] }],
    [
      'another error besides (open redirect)',
      'web',
      { redirect_uri: 'https://evil.example/', response_type: 'x' },
    ],
    ['an unknown client and another error', 'web', { client_id: 'x', redirect_uri: 'https://evil.example/' }],
  ])('%s', async (_what, client, changes) => {
    const params = withChanges(requestFor(registered[client] ?? '', challenge), changes)
    if (client === 'local' && !('redirect_uri' in changes)) throw new Error('the row changes nothing')
    const answer = await nothingIssued(() => world.authorize(params, person.cookie))
    expect(answer.status).toBe(400)
    expect(answer.headers.get('location')).toBeNull()
    const html = await answer.text()
    expect(html).toContain('We can’t connect this app')
    expect(html).not.toContain('evil')
  })
})

describe('a bad token request gets nothing', () => {
  test.each<[string, Changes, string, number?]>([
    ['a wrong verifier', { code_verifier: pkce().verifier }, 'invalid_grant'],
    ['a verifier of 42 characters', { code_verifier: 'a'.repeat(42) }, 'invalid_request'],
    ['a verifier of 129 characters', { code_verifier: 'a'.repeat(129) }, 'invalid_request'],
    ['a verifier of another alphabet', { code_verifier: `${'a'.repeat(43)}+` }, 'invalid_request'],
    ['no verifier', { code_verifier: null }, 'invalid_request'],
    ['two verifiers', { code_verifier: ['a'.repeat(43), 'a'.repeat(43)] }, 'invalid_request'],
    ['another redirect', { redirect_uri: `${REDIRECT}/` }, 'invalid_grant'],
    ['no redirect', { redirect_uri: null }, 'invalid_request'],
    ['another resource', { resource: OTHER }, 'invalid_target'],
    ['an unknown code', { code: 'souk_code_x' }, 'invalid_grant'],
    ['no code', { code: null }, 'invalid_request'],
    ['no client', { client_id: null }, 'invalid_request'],
    ['an unknown client', { client_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2' }, 'invalid_client', 401],
    ['a client that is nothing', { client_id: 'nothing' }, 'invalid_client', 401],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['no grant type', { grant_type: null }, 'invalid_request'],
    ['a parameter twice', { extra: ['1', '1'] }, 'invalid_request'],
  ])('%s', async (_what, changes, error, status = 400) => {
    const { form } = await world.readyToRedeem()
    const answer = await nothingIssued(() => world.token(withChanges(form, changes)))
    expect([answer.status, await errorOf(answer)]).toEqual([status, error])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    // None of these used the code up: its owner can still redeem it.
    expect((await world.token(new URLSearchParams(form))).status).toBe(200)
  })

  test('a code redeemed by another client', async () => {
    const { form } = await world.readyToRedeem()
    const other = await world.register()
    const answer = await nothingIssued(() => world.token(withChanges(form, { client_id: other })))
    expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_grant'])
  })

  test('a code older than a minute', async () => {
    const { form, person: owner } = await world.readyToRedeem()
    world.clock.advance(60_000)
    const answer = await nothingIssued(() => world.token(new URLSearchParams(form)))
    expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_grant'])
    expect(await auditOf(owner.id)).not.toContain('token.code_reused')
  })

  test('a code used a second time, and what the first use issued is revoked', async () => {
    const { redeemed, tokens, form, person: owner } = await world.connected()
    expect(await findAccessToken(world.oauth, tokens.access_token)).not.toBeNull()
    const answer = await nothingIssued(() => world.token(new URLSearchParams(redeemed)))
    expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_grant'])
    expect(await findAccessToken(world.oauth, tokens.access_token)).toBeNull()
    expect(await errorOf(await world.token(new URLSearchParams(form)))).toBe('invalid_grant')
    expect(await auditOf(owner.id)).toContain('token.code_reused')
  })

  test('a body that is JSON, and a body without a type', async () => {
    const { form } = await world.readyToRedeem()
    for (const headers of [{ 'Content-Type': 'application/json' }, { 'Content-Type': '' }]) {
      const answer = await nothingIssued(async () =>
        world.app.request('/api/oauth/token/', { method: 'POST', headers, body: JSON.stringify(form) }),
      )
      expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_request'])
    }
  })

  test('a client that authenticates with Basic', async () => {
    const { form } = await world.readyToRedeem()
    const answer = await nothingIssued(() =>
      world.postForm('/api/oauth/token/', new URLSearchParams(form), { Authorization: 'Basic eDp5' }),
    )
    expect([answer.status, await errorOf(answer)]).toEqual([401, 'invalid_client'])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Basic /)
  })

  test('a body over the limit', async () => {
    const params = new URLSearchParams({ grant_type: 'x'.repeat(70_000) })
    const answer = await nothingIssued(() => world.token(params))
    expect([answer.status, await errorOf(answer)]).toEqual([413, 'invalid_request'])
  })
})

describe('a bad refresh gets nothing', () => {
  test.each<[string, Changes, string]>([
    ['an unknown token', { refresh_token: 'souk_rt_x' }, 'invalid_grant'],
    ['no token', { refresh_token: null }, 'invalid_request'],
    ['another resource', { resource: OTHER }, 'invalid_target'],
    ['another scope', { scope: 'admin' }, 'invalid_scope'],
    ['no client', { client_id: null }, 'invalid_request'],
  ])('%s', async (_what, changes, error) => {
    const { form } = await world.connected()
    const answer = await nothingIssued(() => world.token(withChanges(form, changes)))
    expect([answer.status, await errorOf(answer)]).toEqual([400, error])
    expect((await world.token(new URLSearchParams(form))).status).toBe(200)
  })

  test('by another client, and its owner can go on', async () => {
    const { form } = await world.connected()
    const other = await world.register()
    const answer = await nothingIssued(() => world.token(withChanges(form, { client_id: other })))
    expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_grant'])
    expect((await world.token(new URLSearchParams(form))).status).toBe(200)
  })

  test('an access token in its place', async () => {
    const { form, tokens } = await world.connected()
    const answer = await nothingIssued(() =>
      world.token(withChanges(form, { refresh_token: tokens.access_token })),
    )
    expect(await errorOf(answer)).toBe('invalid_grant')
  })

  test('a second time within 30 s: refused, and the family lives on', async () => {
    const { form, person: owner } = await world.connected()
    const next = (await (await world.token(new URLSearchParams(form))).json()) as { access_token: string }
    world.clock.advance(30_000)
    const answer = await nothingIssued(() => world.token(new URLSearchParams(form)))
    expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_grant'])
    expect(await findAccessToken(world.oauth, next.access_token)).not.toBeNull()
    expect(await auditOf(owner.id)).not.toContain('token.refresh_reused')
  })

  test('a second time after 30 s: refused, and the family is revoked', async () => {
    const { form, tokens, person: owner } = await world.connected()
    const next = (await (await world.token(new URLSearchParams(form))).json()) as Record<string, string>
    world.clock.advance(30_001)
    const answer = await nothingIssued(() => world.token(new URLSearchParams(form)))
    expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_grant'])
    expect(await findAccessToken(world.oauth, tokens.access_token)).toBeNull()
    expect(await findAccessToken(world.oauth, next.access_token ?? '')).toBeNull()
    const last = await world.token(withChanges(form, { refresh_token: next.refresh_token ?? '' }))
    expect(await errorOf(last)).toBe('invalid_grant')
    expect(await auditOf(owner.id)).toContain('token.refresh_reused')
  })

  test('a refresh token after 30 days', async () => {
    const { form } = await world.connected()
    world.clock.advance(30 * 86_400_000)
    const answer = await nothingIssued(() => world.token(new URLSearchParams(form)))
    expect(await answer.json()).toEqual({
      error: 'invalid_grant',
      error_description: 'the refresh token has expired',
    })
  })
})

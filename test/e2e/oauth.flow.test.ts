/** The dance when everything is right: what is granted, what is remembered and what can be taken back. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { exportGrants, listGrants, revokeAllGrants, revokeGrant } from '../../src/oauth/grants.service.ts'
import { findAccessToken } from '../../src/oauth/tokens.service.ts'
import { BASE_URL } from '../harness.ts'
import {
  type Changes,
  createOauthWorld,
  hiddenFields,
  pkce,
  REDIRECT,
  RESOURCE,
  requestFor,
  withChanges,
} from './oauth.world.ts'

const world = await createOauthWorld()
const visit = { ip: null, userAgent: null, requestId: null }

describe('authorize', () => {
  test('somebody who is not signed in is sent to sign in and would come back to this request', async () => {
    const params = new URLSearchParams(requestFor(await world.register(), pkce().challenge))
    const answer = await world.authorize(params)
    expect(answer.status).toBe(303)
    const location = new URL(answer.headers.get('location') ?? '', BASE_URL)
    expect(location.pathname).toBe('/auth/signin')
    expect(location.searchParams.get('return_to')).toBe(`/oauth/authorize/?${params}`)
  })

  test('a request that is too long to come back to is refused, not lost at the sign-in', async () => {
    const local = 'http://127.0.0.1:4000/cb'
    const request = requestFor(await world.register([local]), pkce().challenge, local)
    const answer = await world.authorize(withChanges(request, { state: 's'.repeat(8_000) }))
    const { origin, searchParams } = new URL(answer.headers.get('location') ?? '', BASE_URL)
    expect([origin, searchParams.get('error')]).toEqual(['http://127.0.0.1:4000', 'invalid_request'])
    const kept = await world.authorize(withChanges(request, { state: 's'.repeat(7_000) }))
    expect(kept.headers.get('location')).toContain('/auth/signin?return_to=')
  })

  test('a person is asked once for a client and a redirect address', async () => {
    const { cookie } = await world.addPerson()
    const other = 'https://client.example/second'
    const clientId = await world.register([REDIRECT, other])
    const request = (redirectUri: string, changes: Changes = {}) =>
      world.authorize(withChanges(requestFor(clientId, pkce().challenge, redirectUri), changes), cookie)
    await world.obtainCode({ clientId, cookie, challenge: pkce().challenge })
    const again = await request(REDIRECT)
    expect(again.status).toBe(303)
    expect(again.headers.get('location')).toMatch(/^https:\/\/client\.example\/callback\?code=souk_code_/)
    expect((await request(other)).status).toBe(200)
    expect((await request(REDIRECT, { prompt: 'consent' })).status).toBe(200)
    expect((await request(REDIRECT, { prompt: 'none' })).status).toBe(303)
    await world.obtainCode({ clientId, cookie, challenge: pkce().challenge, redirectUri: other })
    expect((await request(REDIRECT)).status).toBe(303)
    expect((await request(other)).status).toBe(303)
  })

  test('another person is asked for the same client', async () => {
    const clientId = await world.register()
    const [one, two] = [await world.addPerson(), await world.addPerson()]
    await world.obtainCode({ clientId, cookie: one.cookie, challenge: pkce().challenge })
    const params = new URLSearchParams(requestFor(clientId, pkce().challenge))
    expect((await world.authorize(params, two.cookie)).status).toBe(200)
  })

  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:49321/cb'],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1/cb'],
    ['http://localhost:3118/cb', 'http://localhost:61000/cb'],
    ['http://[::1]/cb', 'http://[::1]:8080/cb'],
  ])(
    'an app registered at %s may listen at %s, and is not asked about again for its port',
    async (known, used) => {
      const { cookie } = await world.addPerson()
      const clientId = await world.register([known])
      await world.obtainCode({ clientId, cookie, challenge: pkce().challenge, redirectUri: used })
      const params = new URLSearchParams(requestFor(clientId, pkce().challenge, known))
      expect((await world.authorize(params, cookie)).headers.get('location')).toContain(`${known}?code=`)
    },
  )

  test.each<[string, Changes, string]>([
    ['the scopes clients add on their own', { scope: 'mcp offline_access openid' }, 'mcp'],
    ['no scope', { scope: null }, 'mcp'],
    ['the resource without slash', { resource: RESOURCE }, RESOURCE],
    ['the resource with slash', { resource: `${RESOURCE}/` }, RESOURCE],
    ['both', { resource: [RESOURCE, `${RESOURCE}/`] }, RESOURCE],
    ['the path of the older revision', { resource: `${BASE_URL}/sse/` }, RESOURCE],
    ['no resource', { resource: null }, 'null'],
    ['an empty parameter, which counts as absent', { response_mode: '' }, 'mcp'],
    ['a parameter nobody knows', { audience: 'x' }, 'mcp'],
  ])('a request with %s is granted', async (_what, changes, expected) => {
    const { form } = await world.readyToRedeem(changes)
    const answer = await world.token(new URLSearchParams(form))
    expect(answer.status).toBe(200)
    const { access_token } = (await answer.json()) as { access_token: string }
    const actor = await findAccessToken(world.oauth, access_token)
    expect([actor?.scope, String(actor?.resource)]).toContain(expected)
  })

  test('a registered query is kept, an app scheme is answered, state comes back as it was', async () => {
    const { cookie } = await world.addPerson()
    for (const uri of ['https://client.example/cb?tenant=%41', 'com.example.app:/cb', 'cursor://app/cb']) {
      const clientId = await world.register([uri])
      const params = withChanges(requestFor(clientId, pkce().challenge, uri), { state: 'ä b&c=d/"<' })
      const page = await world.authorize(params, cookie)
      const policy = page.headers.get('content-security-policy') ?? ''
      expect(policy).toContain(
        `form-action 'self' ${uri.startsWith('https:') ? 'https:' : `${uri.split(':')[0]}: https:`};`,
      )
      const fields = hiddenFields(await page.text())
      fields.set('decision', 'allow')
      const location = (await world.decide(fields, cookie)).headers.get('location') ?? ''
      expect(location.startsWith(uri + (uri.includes('?') ? '&' : '?'))).toBe(true)
      const answered = new URL(location).searchParams
      expect(answered.get('state')).toBe('ä b&c=d/"<')
      expect(answered.get('iss')).toBe(BASE_URL)
    }
  })

  test('the page says who asks, who is signed in and where the answer goes, and markup in a name stays text', async () => {
    const { cookie, id } = await world.addPerson()
    const clientId = await world.register(['http://127.0.0.1/cb'], 'Tom & "Jerry"')
    const params = new URLSearchParams(requestFor(clientId, pkce().challenge, 'http://127.0.0.1:5555/cb'))
    const html = await (await world.authorize(params, cookie)).text()
    expect(html).toContain('Tom &amp; &quot;Jerry&quot;')
    expect(html).toContain('we haven’t verified it')
    expect(html).toContain('an app on this computer (127.0.0.1:5555)')
    expect(html).toContain(`${id}@people.example`)
    expect(html).toContain('action="/auth/signout"')
  })
})

describe('tokens', () => {
  test('the answer has what the contract names, and the token speaks for the person for an hour', async () => {
    const { form, person, clientId } = await world.readyToRedeem()
    const answer = await world.token(new URLSearchParams(form))
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const tokens = (await answer.json()) as Record<string, string>
    expect(tokens).toEqual({
      access_token: expect.stringMatching(/^souk_at_[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^souk_rt_[\w-]{43}$/),
      scope: 'mcp',
    })
    const token = tokens.access_token ?? ''
    expect(await findAccessToken(world.oauth, token)).toMatchObject({
      kind: 'access_token',
      user: { id: person.id, email: `${person.id}@people.example`, isAdmin: false },
      clientId,
      scope: 'mcp',
      resource: RESOURCE,
    })
    world.clock.advance(3_600_000 - 1)
    expect(await findAccessToken(world.oauth, token)).not.toBeNull()
    world.clock.advance(1)
    expect(await findAccessToken(world.oauth, token)).toBeNull()
  })

  test('no token, code or verifier stands in any table as it is', async () => {
    const { tokens, redeemed } = await world.connected()
    await world.oauth.trace.settled()
    const { rows } = await sql<{ all: string }>`
      select concat((select json_agg(c) from oauth_codes c), (select json_agg(t) from oauth_refresh_tokens t),
        (select json_agg(t) from oauth_access_tokens t), (select json_agg(t) from oauth_trace t),
        (select json_agg(a) from audit_log a)) as all`.execute(world.database.db)
    const text = (rows[0]?.all ?? '') + world.logged.text()
    expect(text).toContain('oauth/token')
    for (const secret of [tokens.access_token, tokens.refresh_token, redeemed.code, redeemed.code_verifier])
      expect(text).not.toContain(secret)
  })

  test('a deleted person has no token', async () => {
    const { tokens, person } = await world.connected()
    await world.database.db.deleteFrom('users').where('id', '=', person.id).execute()
    expect(await findAccessToken(world.oauth, tokens.access_token)).toBeNull()
  })

  test('revoking an access token ends it alone, revoking a refresh token ends the family', async () => {
    const { tokens, form, clientId, person } = await world.connected()
    const revoke = (token: string, client = clientId) =>
      world.postForm('/api/oauth/revoke/', new URLSearchParams({ token, client_id: client }))
    const next = (await (await world.token(new URLSearchParams(form))).json()) as Record<string, string>
    const [second = '', last = ''] = [next.access_token, next.refresh_token]
    expect((await revoke(tokens.access_token)).status).toBe(200)
    expect(await findAccessToken(world.oauth, tokens.access_token)).toBeNull()
    expect(await findAccessToken(world.oauth, second)).not.toBeNull()

    expect((await revoke(last, await world.register())).status).toBe(400)
    expect(await findAccessToken(world.oauth, second)).not.toBeNull()
    expect((await revoke(last)).status).toBe(200)
    expect(await findAccessToken(world.oauth, second)).toBeNull()
    expect((await world.token(withChanges(form, { refresh_token: last }))).status).toBe(400)
    expect((await revoke('souk_rt_unknown')).status).toBe(200)
    expect((await revoke(last)).status).toBe(200)
    expect(await world.auditOf(person.id)).toEqual(['grant.given', 'token.revoked'])
  })
})

describe('grants', () => {
  test('a grant is listed, exported, and taken back with every token under it', async () => {
    const { person, tokens, form, clientId } = await world.connected()
    const [grant, ...more] = await listGrants(world.oauth, person.id)
    expect(more).toEqual([])
    expect(grant).toMatchObject({
      clientId,
      clientName: 'Test client',
      clientHost: 'client.example',
      scope: 'mcp',
    })
    expect(await exportGrants(world.oauth, person.id)).toMatchObject({
      connected_apps: [{ client_id: clientId }],
    })

    const stranger = await world.addPerson()
    const post = (cookie: string) =>
      world.postForm('/account/grants/revoke', new URLSearchParams({ grant_id: grant?.id ?? '' }), {
        Origin: BASE_URL,
        cookie,
      })
    expect((await post(stranger.cookie)).status).toBe(404)
    expect(await findAccessToken(world.oauth, tokens.access_token)).not.toBeNull()
    expect((await post(person.cookie)).status).toBe(303)
    expect(await findAccessToken(world.oauth, tokens.access_token)).toBeNull()
    expect((await world.token(new URLSearchParams(form))).status).toBe(400)
    expect(await listGrants(world.oauth, person.id)).toEqual([])
    expect(await world.auditOf(person.id)).toEqual(['grant.given', 'grant.revoked'])
    const params = new URLSearchParams(requestFor(clientId, pkce().challenge))
    expect((await world.authorize(params, person.cookie)).status).toBe(200)
  })

  test('a code that was on its way when the grant was taken back is worth nothing', async () => {
    const { person, form } = await world.readyToRedeem()
    const [grant] = await listGrants(world.oauth, person.id)
    await revokeGrant(world.oauth, { userId: person.id, grantId: grant?.id ?? '', visit })
    expect((await world.token(new URLSearchParams(form))).status).toBe(400)
  })

  test('all grants go at once when the account is secured', async () => {
    const { person, tokens } = await world.connected()
    expect(await revokeAllGrants(world.oauth, person.id)).toBe(1)
    expect(await findAccessToken(world.oauth, tokens.access_token)).toBeNull()
    expect(await revokeAllGrants(world.oauth, person.id)).toBe(0)
  })

  test('a revocation from another site is refused', async () => {
    const { cookie } = await world.addPerson()
    const answer = await world.postForm('/account/grants/revoke', new URLSearchParams({ grant_id: 'x' }), {
      cookie,
    })
    expect(answer.status).toBe(403)
  })
})

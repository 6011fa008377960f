/**
 * Registering the card of an agent of one's own, over HTTP: what is kept, what a body must be, and who may.
 * Cards come from a server over TLS on loopback; where a refusal must come before any fetch, what reached it is counted.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { signIn } from '../accounts.ts'
import { addMember, type Credential, createOrg } from '../orgs.ts'
import { CARD, createIntegrationWorld, INTEGRATION, REGISTER } from './integration.world.ts'

const world = await createIntegrationWorld()
const { acme, site } = world
const URL_OF_CARD = 'https://agent.acme.example/.well-known/agent-card.json'
const SECRET = 'kettle-harbour-violet-731'

const register = (who: Credential, body: unknown) => world.send(who, 'POST', REGISTER, body)
const refused = (who: Credential, body: unknown) => world.nothingChanged(() => register(who, body))

beforeEach(() => {
  site.serving(CARD)
  site.requests.length = 0
  site.asked.length = 0
})

describe('a good card', () => {
  test.each([
    ['session', acme.session, 'user'],
    ['link token', acme.bearer, 'link_token'],
  ])('is registered by %s, fetched once, and waits for its first answer', async (_who, who, by) => {
    const before = await world.auditOf(acme)
    const answer = await register(who, { agent_card_url: URL_OF_CARD })
    expect([answer.status, answer.body]).toEqual([200, { ok: true, validated: true }])
    expect(site.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /.well-known/agent-card.json',
    ])
    expect(site.requests[0]?.headers).toMatchObject({ accept: 'application/json' })
    expect(site.asked[0]).toMatchObject({ timeoutMs: 5_000, maxBytes: 256 * 1024 })
    expect((await world.send(who, 'GET', INTEGRATION)).body).toEqual({
      is_managed: false,
      managed_rules: null,
      agent_card_url: URL_OF_CARD,
      auth_type: 'none',
      status: 'pending',
      last_response_ms: null,
      last_checked_at: null,
    })
    expect((await world.auditOf(acme)).slice(before.length)).toEqual([
      {
        action: 'integration.card_registered',
        detail: { card_host: 'agent.acme.example', auth_type: 'none' },
        by,
      },
    ])
  })

  test('of A2A 1.0 is accepted as one of 0.3 is, without the trailing slash too', async () => {
    const { skills, name } = CARD
    const supportedInterfaces = [
      { url: 'https://acme.example/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
    ]
    site.serving({ name, supportedInterfaces, skills })
    const answer = await world.send(acme.session, 'POST', REGISTER.slice(0, -1), {
      agent_card_url: 'https://acme.example/card.json',
    })
    expect(answer.status).toBe(200)
  })

  test('replaces the one before, its secret, its failures and managed answering; the rules stay', async () => {
    await register(acme.session, { agent_card_url: URL_OF_CARD, auth_type: 'bearer', bearer_token: SECRET })
    await world.send(acme.session, 'PATCH', INTEGRATION, { is_managed: true, managed_rules: { a: 1 } })
    await world.database.db
      .updateTable('agent_integrations')
      .set({
        failures_in_a_row: 12,
        skip_until: new Date(),
        last_response_ms: 9,
        last_checked_at: new Date(),
      })
      .where('org_id', '=', acme.id)
      .execute()
    const next = 'https://acme.example/other.json'
    await register(acme.session, { agent_card_url: next, auth_type: 'hmac', hmac_secret: SECRET })
    const row = await world.rowOf(acme)
    expect(row).toMatchObject({
      is_managed: false,
      managed_rules: { a: 1 },
      agent_card_url: next,
      auth_type: 'hmac',
      status: 'pending',
      failures_in_a_row: 0,
      skip_until: null,
      last_response_ms: null,
      last_checked_at: null,
    })
    expect(world.orgs.integrationSecrets.open(row?.secret_box ?? '')).toBe(SECRET)
    await register(acme.session, { agent_card_url: next })
    expect(await world.rowOf(acme)).toMatchObject({ auth_type: 'none', secret_box: null })
  })

  test('may be at a port of its own, and loses only its fragment', async () => {
    await register(acme.session, { agent_card_url: 'https://agent.acme.example:8443/card.json?v=1#top' })
    expect((await world.rowOf(acme))?.agent_card_url).toBe('https://agent.acme.example:8443/card.json?v=1')
  })
})

describe('400, before the role is looked at and before anything is asked of anybody', () => {
  const outsider = { agent_card_url: URL_OF_CARD }
  test.each<[string, unknown, Record<string, unknown>]>([
    ['no card URL', {}, { field: 'agent_card_url', error: 'agent_card_url: is required' }],
    ['a card URL that is no text', { agent_card_url: 7 }, { field: 'agent_card_url' }],
    ['an invalid card URL', { agent_card_url: 'acme' }, { field: 'agent_card_url' }],
    ['a relative URL', { agent_card_url: '/card.json' }, { field: 'agent_card_url' }],
    ['a URL with a line break', { agent_card_url: 'https://acme.exa\nmple/' }, { field: 'agent_card_url' }],
    ['a URL with backslashes', { agent_card_url: 'https:\\\\acme.example' }, { field: 'agent_card_url' }],
    [
      'plain http',
      { agent_card_url: 'http://agent.acme.example/card.json' },
      { field: 'agent_card_url', error: 'agent_card_url: must start with https://' },
    ],
    ['another scheme', { agent_card_url: 'file:///etc/passwd' }, { field: 'agent_card_url' }],
    ['a user name', { agent_card_url: 'https://me:pw@acme.example/' }, { field: 'agent_card_url' }],
    ['a port of mail', { agent_card_url: 'https://acme.example:25/' }, { field: 'agent_card_url' }],
    [
      'a very long URL',
      { agent_card_url: `https://acme.example/${'x'.repeat(2_048)}` },
      { field: 'agent_card_url', max: 2_048 },
    ],
    [
      'an unknown auth_type',
      { ...outsider, auth_type: 'basic' },
      { field: 'auth_type', valid: ['none', 'bearer', 'hmac'] },
    ],
    [
      'bearer without its token',
      { ...outsider, auth_type: 'bearer', hmac_secret: SECRET },
      { field: 'bearer_token', error: 'bearer_token: is required' },
    ],
    [
      'a bearer token of 15 characters',
      { ...outsider, auth_type: 'bearer', bearer_token: 'x'.repeat(15) },
      { field: 'bearer_token', error: 'bearer_token: must be at least 16 characters' },
    ],
    [
      'a bearer token over 4096',
      { ...outsider, auth_type: 'bearer', bearer_token: 'x'.repeat(4_097) },
      { field: 'bearer_token', max: 4_096 },
    ],
    [
      'a bearer token with a line break',
      { ...outsider, auth_type: 'bearer', bearer_token: `${SECRET}\r\nX-Evil: 1` },
      { field: 'bearer_token' },
    ],
    [
      'a bearer token with a space',
      { ...outsider, auth_type: 'bearer', bearer_token: `${SECRET} ${SECRET}` },
      { field: 'bearer_token' },
    ],
    ['hmac without its secret', { ...outsider, auth_type: 'hmac' }, { field: 'hmac_secret' }],
    [
      'an hmac secret of 15 characters',
      { ...outsider, auth_type: 'hmac', hmac_secret: 'x'.repeat(15) },
      { field: 'hmac_secret', error: 'hmac_secret: must be at least 16 characters' },
    ],
    [
      'half a character',
      { ...outsider, auth_type: 'hmac', hmac_secret: `${SECRET}\ud800` },
      { field: 'hmac_secret' },
    ],
    ['a body that is no JSON', '{"agent_card_url":', { error: 'the body is not valid JSON' }],
    ['a list', [], { error: 'the body must be a JSON object' }],
  ])('%s', async (_what, body, expected) => {
    const viewer = await addMember(world, acme, 'viewer')
    const before = site.server.accepted()
    for (const who of [viewer, acme.session, acme.bearer]) {
      const answer = await refused(who, body)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject(expected)
      expect(JSON.stringify(answer.body)).not.toContain(SECRET)
    }
    expect([site.server.accepted(), site.requests]).toEqual([before, []])
  })

  test('secrets of exactly 16 and 4096 characters are long and short enough', async () => {
    for (const [auth_type, field] of [
      ['bearer', 'bearer_token'],
      ['hmac', 'hmac_secret'],
    ])
      for (const length of [16, 4_096]) {
        const body = { agent_card_url: URL_OF_CARD, auth_type, [field ?? '']: 'x'.repeat(length) }
        expect((await register(acme.session, body)).status).toBe(200)
      }
  })

  test('the secret of another way to authenticate is not looked at, nor kept', async () => {
    const body = { agent_card_url: URL_OF_CARD, auth_type: 'none', bearer_token: 'short', hmac_secret: 5 }
    expect((await register(acme.session, body)).status).toBe(200)
    expect((await world.rowOf(acme))?.secret_box).toBeNull()
  })
})

describe('who may', () => {
  const body = { agent_card_url: URL_OF_CARD }

  test.each<[string, Credential]>([
    ['nobody', null],
    ['an unknown session', { cookie: 'souk_session=souk_session_nothing' }],
    ['an unknown token', { bearer: 'souk_link_nothing' }],
    ['a token of another kind', { bearer: 'souk_at_nothing' }],
  ])('401: %s, whatever the body', async (_who, who) => {
    for (const sent of [body, '{']) {
      const answer = await refused(who, sent)
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
    }
  })

  test('401: a revoked link token', async () => {
    const org = await createOrg(world)
    await world.database.db
      .updateTable('link_tokens')
      .set({ revoked_at: new Date() })
      .where('id', '=', org.tokenId)
      .execute()
    expect((await refused(org.bearer, body)).status).toBe(401)
  })

  test.each(['viewer', 'editor'] as const)('403: a session that is %s', async (role) => {
    const answer = await refused(await addMember(world, acme, role), body)
    expect([answer.status, answer.body.code]).toEqual([403, 'not_owner_or_admin'])
    expect(site.requests).toEqual([])
  })

  test('an admin may', async () => {
    expect((await register(await addMember(world, acme, 'admin'), body)).status).toBe(200)
  })

  test('404: a person without an organization', async () => {
    const person = await signIn(world, { verified: true })
    const answer = await refused({ cookie: person.cookie }, body)
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  })

  test('403: a deactivated organization', async () => {
    const org = await createOrg(world, { deactivated: true })
    for (const who of [org.session, org.bearer])
      expect((await refused(who, body)).body.code).toBe('org_deactivated')
  })

  test.each([
    ['whose domain is not verified', { domain: 'agent.acme.example', verified: false }],
    ['that is verified but has no domain', { domain: null, verified: true }],
  ])('403: an organization %s, by session and by token', async (_what, options) => {
    const org = await createOrg(world, options)
    for (const who of [org.session, org.bearer]) {
      const answer = await refused(who, body)
      expect([answer.status, answer.body.code]).toEqual([403, 'org_unverified'])
    }
    expect(site.requests).toEqual([])
  })

  test.each([
    'https://evilacme.example/card.json',
    'https://acme.example.evil.example/card.json',
    'https://example/card.json',
    'https://acme.example.org/card.json',
    'https://xn--cme-5cd.example/card.json',
    'https://127.0.0.1/card.json',
    'https://[::1]/card.json',
    'https://localhost/card.json',
  ])('403: %s is outside of acme.example, and nothing is asked', async (url) => {
    const before = site.server.accepted()
    for (const who of [acme.session, acme.bearer]) {
      const answer = await refused(who, { agent_card_url: url })
      expect([answer.status, answer.body.code]).toEqual([403, 'domain_mismatch'])
    }
    expect([site.server.accepted(), site.requests]).toEqual([before, []])
  })
})

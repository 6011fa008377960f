/** Managed answering and its rules, over HTTP, by session and by link token. */
import { beforeEach, describe, expect, test } from 'vitest'
import { signIn } from '../accounts.ts'
import { addMember, type Credential, createOrg } from '../orgs.ts'
import { CARD, createIntegrationWorld, INTEGRATION, REGISTER } from './integration.world.ts'

const world = await createIntegrationWorld()
const { acme, site } = world
const { db } = world.database

const get = (who: Credential) => world.send(who, 'GET', INTEGRATION)
const patch = (who: Credential, body: unknown) => world.send(who, 'PATCH', INTEGRATION, body)
const refused = (who: Credential, body: unknown) => world.nothingChanged(() => patch(who, body))
const lastAction = async () => (await world.auditOf(acme)).at(-1)

beforeEach(async () => {
  await db.deleteFrom('agent_integrations').execute()
  site.serving(CARD)
})

const NOTHING = {
  is_managed: false,
  managed_rules: null,
  agent_card_url: null,
  auth_type: 'none',
  status: 'pending',
  last_response_ms: null,
  last_checked_at: null,
}

describe('reading', () => {
  test('an organization that has said nothing has the defaults, and exactly these fields', async () => {
    for (const who of [acme.session, acme.bearer]) {
      const answer = await get(who)
      expect([answer.status, answer.body]).toEqual([200, NOTHING])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
  })

  test('every member reads; of a deactivated organization too', async () => {
    for (const role of ['owner', 'admin', 'editor', 'viewer'] as const)
      expect((await get(await addMember(world, acme, role))).status).toBe(200)
    expect((await get((await createOrg(world, { deactivated: true })).session)).status).toBe(200)
  })

  test('times are ISO, milliseconds a number', async () => {
    await patch(acme.session, { is_managed: false })
    const at = new Date('2026-11-01T10:00:00.000Z')
    await db.updateTable('agent_integrations').set({ last_response_ms: 41, last_checked_at: at }).execute()
    const expected = { last_response_ms: 41, last_checked_at: '2026-11-01T10:00:00.000Z' }
    expect((await get(acme.bearer)).body).toMatchObject(expected)
  })

  test('what rules should never hold is not read out, even if it were stored', async () => {
    const managed_rules = JSON.stringify({ a: { reserve_price_usd: 1, b: [{ min_margin_pct: 2, c: 3 }] } })
    await db.insertInto('agent_integrations').values({ org_id: acme.id, managed_rules }).execute()
    expect((await get(acme.session)).body.managed_rules).toEqual({ a: { b: [{ c: 3 }] } })
  })

  test.each<[string, Credential]>([
    ['nobody', null],
    ['a wrong cookie', { cookie: 'souk_session=x' }],
    ['a wrong token', { bearer: 'souk_link_x' }],
  ])('401: %s, to read and to change, whatever the body', async (_who, who) => {
    for (const answer of [await get(who), await refused(who, { is_managed: true }), await refused(who, '{')])
      expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
  })

  test('403: a person without an organization, to read and to change', async () => {
    const { cookie } = await signIn(world, { verified: true })
    for (const answer of [await get({ cookie }), await refused({ cookie }, { is_managed: true })])
      expect([answer.status, answer.body.code]).toEqual([403, 'not_a_producer'])
  })

  test("one organization's settings are not another's", async () => {
    const other = await createOrg(world)
    await patch(acme.session, { is_managed: true, managed_rules: { ours: 1 } })
    await patch(other.bearer, { is_managed: false, managed_rules: { theirs: 1 } })
    expect((await get(acme.bearer)).body).toMatchObject({ is_managed: true, managed_rules: { ours: 1 } })
    expect((await get(other.session)).body).toMatchObject({ is_managed: false, managed_rules: { theirs: 1 } })
  })
})

describe('changing', () => {
  test.each([
    ['session', acme.session, 'user'],
    ['link token', acme.bearer, 'link_token'],
  ])('by %s: one answer, one record', async (_who, who, by) => {
    const before = (await world.auditOf(acme)).length
    const answer = await patch(who, { is_managed: true, managed_rules: { volume_discounts: [] } })
    expect([answer.status, answer.body]).toEqual([200, { ok: true }])
    const records = (await world.auditOf(acme)).slice(before)
    const detail = { is_managed: true, managed_rules: 'set', agent_card: 'kept' }
    expect(records).toEqual([{ action: 'integration.changed', detail, by }])
  })

  test('managed is active at once, and pending again when it ends, with a card or without', async () => {
    await patch(acme.session, { is_managed: true })
    expect((await get(acme.session)).body).toMatchObject({ is_managed: true, status: 'active' })
    await patch(acme.session, { is_managed: false })
    expect((await get(acme.session)).body).toMatchObject({ is_managed: false, status: 'pending' })
    await world.send(acme.session, 'POST', REGISTER, { agent_card_url: 'https://acme.example/c' })
    await patch(acme.session, { is_managed: true })
    expect((await get(acme.session)).body).toMatchObject({
      status: 'active',
      agent_card_url: 'https://acme.example/c',
    })
    await patch(acme.session, { is_managed: false })
    expect((await get(acme.session)).body).toMatchObject({
      status: 'pending',
      agent_card_url: 'https://acme.example/c',
    })
  })

  test('is no way to clear the count of failures', async () => {
    await world.send(acme.session, 'POST', REGISTER, { agent_card_url: 'https://acme.example/c' })
    await db.updateTable('agent_integrations').set({ failures_in_a_row: 7, status: 'unreachable' }).execute()
    for (const is_managed of [false, true, false]) {
      await patch(acme.session, { is_managed })
      const status = is_managed ? 'active' : 'unreachable'
      expect(await world.rowOf(acme)).toMatchObject({ failures_in_a_row: 7, status })
    }
  })

  test('of rules alone leaves an agent that answers active', async () => {
    await world.send(acme.session, 'POST', REGISTER, { agent_card_url: 'https://acme.example/c' })
    await db.updateTable('agent_integrations').set({ status: 'active' }).execute()
    await patch(acme.session, { is_managed: false, managed_rules: { volume_discounts: [] } })
    expect((await get(acme.session)).body.status).toBe('active')
    await patch(acme.session, { is_managed: false, agent_card_url: null })
    expect((await get(acme.session)).body.status).toBe('pending')
  })

  test('rules are kept as given: deep, odd and unknown fields too', async () => {
    const managed_rules = JSON.parse(`{
      "volume_discounts": [{ "min_qty": 10, "discount_pct": 5 }, "not a tier", null],
      "max_discount_pct": 12.5, "lead_time_days": 3, "return_policy_days": null,
      "nested": { "list": [[1, [2, { "é": "ü 🙂" }]]] }, "": "empty key",
      "__proto__": { "polluted": true }, "constructor": { "prototype": { "polluted": true } }, "toString": 1
    }`)
    expect((await patch(acme.session, { is_managed: true, managed_rules })).status).toBe(200)
    const { body } = await get(acme.session)
    expect(JSON.parse(JSON.stringify(body.managed_rules))).toEqual(managed_rules)
    expect(Object.hasOwn(body.managed_rules as object, '__proto__')).toBe(true)
    expect('polluted' in {}).toBe(false)
  })

  test('rules that are absent stay, null takes them away', async () => {
    await patch(acme.session, { is_managed: true, managed_rules: { a: 1 } })
    await patch(acme.session, { is_managed: false })
    expect((await get(acme.session)).body.managed_rules).toEqual({ a: 1 })
    expect((await lastAction())?.detail).toMatchObject({ managed_rules: 'kept' })
    await patch(acme.session, { is_managed: false, managed_rules: null })
    expect((await get(acme.session)).body.managed_rules).toBeNull()
    expect((await lastAction())?.detail).toMatchObject({ managed_rules: 'cleared' })
  })

  test('a card that is set to null goes with its secret and its health; unset, it stays', async () => {
    const bearer_token = 'sixteen-characters'
    const agent_card_url = 'https://acme.example/c'
    await world.send(acme.session, 'POST', REGISTER, { agent_card_url, auth_type: 'bearer', bearer_token })
    await db
      .updateTable('agent_integrations')
      .set({ failures_in_a_row: 10, skip_until: new Date() })
      .execute()
    await patch(acme.session, { is_managed: true })
    expect(await world.rowOf(acme)).toMatchObject({ agent_card_url, auth_type: 'bearer' })
    await patch(acme.session, { is_managed: false, agent_card_url: null })
    expect((await get(acme.session)).body).toEqual(NOTHING)
    expect(await world.rowOf(acme)).toMatchObject({
      secret_box: null,
      failures_in_a_row: 0,
      skip_until: null,
    })
    expect((await lastAction())?.detail).toMatchObject({ agent_card: 'cleared' })
  })

  test('clearing where there is nothing is fine', async () => {
    expect((await patch(acme.session, { is_managed: false, agent_card_url: null })).status).toBe(200)
    expect((await get(acme.session)).body).toEqual(NOTHING)
  })

  test('changes that come together are each made whole, with a record each', async () => {
    const before = (await world.auditOf(acme)).length
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        patch(n % 2 ? acme.session : acme.bearer, { is_managed: n % 2 === 0, managed_rules: { n } }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const { body } = await get(acme.session)
    const { n } = body.managed_rules as { n: number }
    expect(body).toMatchObject({ is_managed: n % 2 === 0, status: n % 2 === 0 ? 'active' : 'pending' })
    expect((await world.auditOf(acme)).length - before).toBe(10)
  })
})

describe('400, also for those who may not', () => {
  const nest = (depth: number): unknown => (depth === 0 ? 1 : { a: nest(depth - 1) })
  test.each<[string, unknown, Record<string, unknown>]>([
    ['is_managed missing', {}, { field: 'is_managed', error: 'is_managed: is required' }],
    ['is_managed as text', { is_managed: 'true' }, { field: 'is_managed' }],
    ['is_managed null', { is_managed: null }, { field: 'is_managed' }],
    ['is_managed a number', { is_managed: 1 }, { field: 'is_managed' }],
    ['rules as a list', { is_managed: true, managed_rules: [] }, { field: 'managed_rules' }],
    ['rules as text', { is_managed: true, managed_rules: '{}' }, { field: 'managed_rules' }],
    ...[{}, null, 'x', 5].map((volume_discounts): [string, unknown, Record<string, unknown>] => [
      `volume_discounts ${JSON.stringify(volume_discounts)}`,
      { is_managed: true, managed_rules: { volume_discounts } },
      { field: 'managed_rules.volume_discounts', error: 'managed_rules.volume_discounts: must be an array' },
    ]),
    [
      'rules over 32 KB',
      { is_managed: true, managed_rules: { a: 'x'.repeat(32 * 1024) } },
      { field: 'managed_rules', max: 32 * 1024 },
    ],
    ['rules 33 deep', { is_managed: true, managed_rules: nest(33) }, { field: 'managed_rules' }],
    [
      'a character no database holds',
      { is_managed: true, managed_rules: { a: ['\0'] } },
      { field: 'managed_rules' },
    ],
    [
      'half a character as a key',
      { is_managed: true, managed_rules: { '\ud800': 1 } },
      { field: 'managed_rules' },
    ],
    [
      'a card URL',
      { is_managed: false, agent_card_url: 'https://acme.example/c' },
      { field: 'agent_card_url' },
    ],
    ['an empty card URL', { is_managed: false, agent_card_url: '' }, { field: 'agent_card_url' }],
    ['no JSON', '{', { error: 'the body is not valid JSON' }],
    ['nothing', '', { error: 'the body is empty; JSON is expected' }],
    ['a list', [], { error: 'the body must be a JSON object' }],
  ])('%s', async (_what, body, expected) => {
    const stranger = await signIn(world, { verified: true })
    const viewer = await addMember(world, acme, 'viewer')
    for (const who of [viewer, { cookie: stranger.cookie }, acme.session, acme.bearer]) {
      const answer = await refused(who, body)
      expect(answer.status).toBe(400)
      expect(answer.body).toMatchObject(expected)
    }
  })

  test('a card URL is told where it belongs', async () => {
    const { body } = await refused(acme.session, {
      is_managed: false,
      agent_card_url: 'https://acme.example/',
    })
    expect(body.error).toContain('/api/org/register-agent-card/')
  })

  test('nesting that would break a recursion is an answer, not a crash', async () => {
    const deep = `{"is_managed":true,"managed_rules":{"a":${'['.repeat(60_000)}${']'.repeat(60_000)}}}`
    expect((await refused(acme.session, deep)).status).toBe(400)
  })

  test('32 levels and 32 KB are not too much', async () => {
    expect((await patch(acme.session, { is_managed: true, managed_rules: nest(32) })).status).toBe(200)
    const room = 32 * 1024 - JSON.stringify({ a: '' }).length
    const managed_rules = { a: 'x'.repeat(room) }
    expect((await patch(acme.session, { is_managed: true, managed_rules })).status).toBe(200)
  })
})

describe('403', () => {
  test.each(['viewer', 'editor'] as const)('a session that is %s', async (role) => {
    const answer = await refused(await addMember(world, acme, role), { is_managed: true })
    expect([answer.status, answer.body.code]).toEqual([403, 'not_owner_or_admin'])
  })

  test('an admin may', async () => {
    expect((await patch(await addMember(world, acme, 'admin'), { is_managed: true })).status).toBe(200)
  })

  test('a deactivated organization', async () => {
    const org = await createOrg(world, { deactivated: true })
    for (const who of [org.session, org.bearer])
      expect((await refused(who, { is_managed: true })).body.code).toBe('org_deactivated')
  })

  test('a cookie that comes from another site', async () => {
    const answer = await world.nothingChanged(() =>
      world.send(
        acme.session,
        'PATCH',
        INTEGRATION,
        { is_managed: true },
        { origin: 'https://evil.example' },
      ),
    )
    expect(answer.status).toBe(403)
  })
})

/** `/api/org/` and `/api/org/select/`, by session and by link token; and who is nobody on all routes. */
import { describe, expect, test } from 'vitest'
import { addMember, createOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask, row, actions } = world
const ORG = '/api/org/'
const VERIFY = '/api/org/verify-domain/'

test('nobody is 401 on every route of the organization, before the body is read', async () => {
  for (const [method, path] of [
    ['GET', ORG],
    ['PATCH', ORG],
    ['POST', '/api/org/select/'],
    ['POST', VERIFY],
    ['GET', '/api/org/audit/'],
    ['GET', '/api/org/team/'],
    ['PATCH', '/api/org/team/'],
    ['POST', '/api/org/invitations/accept/'],
    ['GET', '/api/org/link-tokens/'],
    ['POST', '/api/org/link-tokens/'],
    ['DELETE', '/api/org/link-tokens/'],
  ] as const)
    for (const who of [null, { bearer: 'souk_link_made-up' }, { cookie: 'souk_session=made-up' }]) {
      const answer = await ask(who, method, path, method === 'GET' ? undefined : '{')
      expect([path, answer.status, answer.body.code]).toEqual([path, 401, 'unauthenticated'])
    }
})

test('a link token is nobody where only a session will do', async () => {
  const { bearer } = await createOrg(world)
  for (const [method, path] of [
    ['POST', '/api/org/select/'],
    ['POST', '/api/org/invitations/accept/'],
    ['GET', '/api/org/link-tokens/'],
    ['POST', '/api/org/link-tokens/'],
    ['DELETE', '/api/org/link-tokens/'],
  ] as const)
    expect([path, (await ask(bearer, method, path, method === 'GET' ? undefined : '{')).status]).toEqual([
      path,
      401,
    ])
})

test('who belongs to no organization is told how to become a producer', async () => {
  const nobody = await world.person('nobody@people.example')
  for (const [method, path, body] of [
    ['GET', ORG, undefined],
    ['PATCH', ORG, {}],
    ['POST', VERIFY, {}],
    ['GET', '/api/org/team/', undefined],
    ['PATCH', '/api/org/team/', { email: 'x@people.example', role: 'viewer' }],
    ['GET', '/api/org/audit/', undefined],
    ['POST', '/api/org/link-tokens/', { name: 'x' }],
  ] as const) {
    const answer = await ask(nobody, method, path, body)
    expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'not_a_producer'])
  }
})

describe('reading the organization', () => {
  test('a session sees it and all organizations of the person, a link token only its own', async () => {
    const org = await createOrg(world, {
      name: 'One',
      domain: 'one.example',
      shopifyShop: 'one.myshopify.com',
    })
    world.clock.advance(1000)
    const newer = await world.register(org.session, { name: 'Two' })
    await ask(org.session, 'POST', '/api/org/select/', { org_id: org.id })
    const bySession = await ask(org.session, 'GET', ORG)
    expect(bySession.status).toBe(200)
    const view = {
      org_id: org.id,
      name: 'One',
      org_type: 'retailer',
      domain: 'one.example',
      website_url: null,
      shopify_shop: 'one.myshopify.com',
      verification_status: 'verified',
      verified_via: 'operator',
      verified_at: expect.stringMatching(/Z$/),
      active: true,
      created_at: expect.stringMatching(/Z$/),
    }
    expect(bySession.body).toEqual({
      ...view,
      role: 'owner',
      organizations: [
        { org_id: newer.org_id, name: 'Two', role: 'owner', selected: false },
        { org_id: org.id, name: 'One', role: 'owner', selected: true },
      ],
    })
    expect((await ask(org.bearer, 'GET', '/api/org')).body).toEqual({
      ...view,
      role: null,
      organizations: [{ org_id: org.id, name: 'One', role: null, selected: true }],
    })
    expect(JSON.stringify(bySession.body)).not.toContain('souk_domain_')
  })

  test('a deactivated one is still read, by every role, and not changed', async () => {
    const org = await createOrg(world, { deactivated: true })
    const viewer = await addMember(world, org, 'viewer')
    for (const who of [org.session, org.bearer, viewer])
      expect((await ask(who, 'GET', ORG)).body).toMatchObject({ active: false })
    for (const who of [org.session, org.bearer]) {
      const answer = await ask(who, 'PATCH', ORG, { name: 'New' })
      expect([answer.status, answer.body.code]).toEqual([403, 'org_deactivated'])
    }
  })
})

describe('choosing the organization a session acts for', () => {
  test('a member chooses for this session only', async () => {
    const org = await createOrg(world)
    const other = await world.register(org.session, { name: 'Other' })
    expect((await ask(org.session, 'GET', ORG)).body.org_id).toBe(other.org_id)
    const answer = await ask(org.session, 'POST', '/api/org/select/', { org_id: org.id })
    expect([answer.status, answer.body]).toEqual([200, { ok: true }])
    expect((await ask(org.session, 'GET', ORG)).body.org_id).toBe(org.id)
    expect(await actions(org.id)).toEqual([])
  })

  test('an organization one does not belong to is 404, as is one that does not exist', async () => {
    const org = await createOrg(world)
    const foreign = await createOrg(world)
    for (const org_id of [foreign.id, '0190a5b0-0000-7000-8000-000000000001', 'no id', '']) {
      const answer = await ask(org.session, 'POST', '/api/org/select/', { org_id })
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
    expect((await ask(org.session, 'POST', '/api/org/select/', {})).status).toBe(400)
    expect((await ask(org.session, 'GET', ORG)).body.org_id).toBe(org.id)
  })
})

describe('editing the organization', () => {
  test('what is given changes, null takes it away, the rest stays, and it is one record', async () => {
    const org = await createOrg(world, { shopifyShop: 'old.myshopify.com', verified: false })
    const before = await row(org.id)
    const answer = await ask(org.session, 'PATCH', ORG, {
      name: 'New name',
      website_url: 'https://new.example/',
      shopify_shop: null,
      colour: 'green',
    })
    expect([answer.status, answer.body]).toEqual([200, { ok: true, verification_status: 'pending' }])
    expect(await row(org.id)).toEqual({
      ...before,
      name: 'New name',
      website_url: 'https://new.example/',
      shopify_shop: null,
      updated_at: world.clock.now(),
    })
    expect(await world.history(org.id)).toMatchObject([
      {
        action: 'org.edited',
        actor_kind: 'user',
        detail: { changed: ['name', 'website_url', 'shopify_shop'] },
      },
    ])
  })

  test('a body that changes nothing is 200 and leaves no record', async () => {
    const org = await createOrg(world, { name: 'Same', domain: 'same.example' })
    const before = await row(org.id)
    for (const body of [{}, { name: ' Same ', domain: 'https://www.same.example/', org_type: 'retailer' }])
      expect((await ask(org.session, 'PATCH', ORG, body)).status).toBe(200)
    expect(await row(org.id)).toEqual(before)
    expect(await actions(org.id)).toEqual([])
  })

  test('a new domain is pending again, with a new token, and tells anyone who shows the organization', async () => {
    const org = await createOrg(world)
    const before = await row(org.id)
    world.told.calls.length = 0
    const answer = await ask(org.session, 'PATCH', ORG, { domain: 'elsewhere.example' })
    expect(world.told.calls).toEqual([`lost ${org.id}`, `changed ${org.id}`])
    expect(answer.body).toEqual({ ok: true, verification_status: 'pending' })
    const after = await row(org.id)
    expect(after).toMatchObject({
      domain: 'elsewhere.example',
      verification_status: 'pending',
      verified_via: null,
      verified_at: null,
    })
    expect(after.verification_token).not.toBe(before.verification_token)
    expect(await world.history(org.id)).toMatchObject([
      { action: 'org.edited', actor_kind: 'user', actor_id: org.ownerId },
    ])
  })

  test('a link token changes nothing of it: not the name, not the domain that its agent is trusted by', async () => {
    const org = await createOrg(world)
    const before = await row(org.id)
    for (const body of [{ name: 'By plugin' }, { domain: 'taken-over.example' }, { domain: null }, {}]) {
      const answer = await ask(org.bearer, 'PATCH', ORG, body)
      expect(answer).toMatchObject({ status: 403, body: { code: 'not_owner_or_admin' } })
    }
    expect(await row(org.id)).toEqual(before)
    expect(await world.history(org.id)).toEqual([])
  })

  test('the org_type of a verified organization stays; of a pending one it changes', async () => {
    const verified = await createOrg(world)
    const refused = await ask(verified.session, 'PATCH', ORG, {
      org_type: 'manufacturer',
      name: 'Not this either',
    })
    expect([refused.status, refused.body.code, refused.body.field]).toEqual([409, 'conflict', 'org_type'])
    expect((await row(verified.id)).name).not.toBe('Not this either')
    const pending = await createOrg(world, { verified: false })
    expect((await ask(pending.session, 'PATCH', ORG, { org_type: 'manufacturer' })).status).toBe(200)
    expect((await row(pending.id)).org_type).toBe('manufacturer')
  })

  test('a bad body is 400 for everybody, a good one 403 for who is neither owner nor admin', async () => {
    const org = await createOrg(world)
    for (const role of ['editor', 'viewer'] as const) {
      const member = await addMember(world, org, role)
      expect((await ask(member, 'PATCH', ORG, { domain: 'localhost' })).body).toMatchObject({
        field: 'domain',
      })
      const answer = await ask(member, 'PATCH', ORG, { name: 'Mine' })
      expect([answer.status, answer.body.code]).toEqual([403, 'not_owner_or_admin'])
    }
    const admin = await addMember(world, org, 'admin')
    expect((await ask(admin, 'PATCH', ORG, { name: 'Ours' })).status).toBe(200)
  })
})

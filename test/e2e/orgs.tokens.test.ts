/** Link tokens: shown once, only to signed-in owners and admins, and worth nothing once revoked. */
import { expect, test } from 'vitest'
import { addMember, createOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask } = world
const TOKENS = '/api/org/link-tokens/'

test('a token is shown once, acts for its organization, and is listed by name and last characters', async () => {
  const org = await createOrg(world)
  const made = await ask(org.session, 'POST', TOKENS, { name: '  Shop   plugin ' })
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    id: expect.any(String),
    token: expect.stringMatching(/^souk_link_[\w-]{43}$/),
    name: 'Shop plugin',
  })
  expect(made.headers.get('cache-control')).toBe('no-store')
  const token = String(made.body.token)
  expect((await ask({ bearer: token }, 'GET', '/api/org/')).body.org_id).toBe(org.id)
  const listed = await ask(org.session, 'GET', TOKENS)
  expect(listed.body.tokens).toContainEqual({
    id: made.body.id,
    name: 'Shop plugin',
    hint: token.slice(-4),
    created_at: world.clock.now().toISOString(),
    created_by: { user_id: org.ownerId, name: 'Ada', email: expect.stringMatching(/^owner-/) },
    last_used_at: world.clock.now().toISOString(),
  })
  expect(JSON.stringify(listed.body)).not.toContain('souk_link_')
  const { rows } = await world.database.pool.query<{ row: string }>(
    'select t::text as row from link_tokens t',
  )
  expect(rows.some(({ row }) => row.includes(token))).toBe(false)
})

test('a revoked token is 401 from then on, is listed no more, and is revoked once', async () => {
  const org = await createOrg(world)
  const byBody = await ask(org.session, 'POST', TOKENS, { name: 'one' })
  const byQuery = await ask(org.session, 'POST', TOKENS, { name: 'two' })
  const first = await ask(org.session, 'DELETE', TOKENS, { id: byBody.body.id })
  expect([first.status, first.body]).toEqual([200, { ok: true }])
  expect((await ask(org.session, 'DELETE', `${TOKENS}?id=${byQuery.body.id}`)).status).toBe(200)
  for (const { body } of [byBody, byQuery])
    expect((await ask({ bearer: String(body.token) }, 'GET', '/api/org/')).status).toBe(401)
  expect((await ask(org.session, 'GET', TOKENS)).body.tokens).toMatchObject([{ id: org.tokenId }])
  expect((await ask(org.session, 'DELETE', TOKENS, { id: byBody.body.id })).status).toBe(404)
  expect(await world.actions(org.id)).toEqual([
    'token.created',
    'token.created',
    'token.revoked',
    'token.revoked',
  ])
})

test('another organization’s token, an unknown id and no id at all are 404 or 400, and revoke nothing', async () => {
  const org = await createOrg(world)
  const foreign = await createOrg(world)
  for (const id of [foreign.tokenId, '0190a5b0-0000-7000-8000-000000000001', "'; drop table orgs"]) {
    const answer = await ask(org.session, 'DELETE', TOKENS, { id })
    expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
  }
  expect((await ask(org.session, 'DELETE', TOKENS, {})).body).toMatchObject({ field: 'id' })
  expect((await ask(org.session, 'DELETE', TOKENS)).status).toBe(400)
  expect((await ask(foreign.bearer, 'GET', '/api/org/')).status).toBe(200)
})

test('editors and viewers are 403, after the body was found good', async () => {
  const org = await createOrg(world)
  for (const role of ['editor', 'viewer'] as const) {
    const member = await addMember(world, org, role)
    expect((await ask(member, 'POST', TOKENS, { name: '' })).body).toMatchObject({ field: 'name' })
    for (const [method, body] of [
      ['GET', undefined],
      ['POST', { name: 'x' }],
      ['DELETE', { id: org.tokenId }],
    ] as const)
      expect((await ask(member, method, TOKENS, body)).body.code).toBe('not_owner_or_admin')
  }
  const admin = await addMember(world, org, 'admin')
  expect((await ask(admin, 'POST', TOKENS, { name: 'x' })).status).toBe(201)
})

test('a name has 1 to 60 characters', async () => {
  const org = await createOrg(world)
  expect((await ask(org.session, 'POST', TOKENS, { name: 'x'.repeat(60) })).status).toBe(201)
  expect((await ask(org.session, 'POST', TOKENS, { name: 'x'.repeat(61) })).body).toMatchObject({
    field: 'name',
    max: 60,
  })
  expect((await ask(org.session, 'POST', TOKENS, {})).body).toMatchObject({ field: 'name' })
})

test('an organization has at most 20 live tokens, even when many are asked for at once', async () => {
  const org = await createOrg(world)
  const answers = await Promise.all(
    Array.from({ length: 25 }, (_, n) => ask(org.session, 'POST', TOKENS, { name: `token ${n}` })),
  )
  const count = (status: number) => answers.filter((answer) => answer.status === status).length
  expect([count(201), count(409)]).toEqual([19, 6])
  await ask(org.session, 'DELETE', TOKENS, { id: org.tokenId })
  expect((await ask(org.session, 'POST', TOKENS, { name: 'again' })).status).toBe(201)
})

test('a token of a deactivated organization reads on and works again when it is reactivated', async () => {
  const org = await createOrg(world, { deactivated: true })
  expect((await ask(org.bearer, 'GET', '/api/org/')).status).toBe(200)
  const manage = () => ask(org.bearer, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
  expect((await manage()).body.code).toBe('org_deactivated')
  await world.database.db.updateTable('orgs').set({ deactivated_at: null }).where('id', '=', org.id).execute()
  expect((await manage()).status).toBe(200)
})

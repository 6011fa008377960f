import { describe, expect, test } from 'vitest'
import { runAdmin } from '../../test/admin-command.ts'
import { createTestApp } from '../../test/harness.ts'
import { type Credential, call, createOrg } from '../../test/orgs.ts'
import { deactivateOrg, reactivateOrg, unverifyOrg, verifyOrg } from './admin.service.ts'
import { NO_ORG_HOOKS } from './context.ts'

const souk = await createTestApp()
const { db } = souk.database
const told: string[] = []
const ctx = {
  db,
  clock: souk.clock,
  orgHooks: {
    ...NO_ORG_HOOKS,
    domainVerified: async (_tx: unknown, id: string) => void told.push(`verified ${id}`),
    domainLost: async (_tx: unknown, id: string) => void told.push(`lost ${id}`),
    changed: async (_tx: unknown, id: string) => void told.push(`changed ${id}`),
  },
}
const row = (id: string) => db.selectFrom('orgs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const history = (id: string) =>
  db
    .selectFrom('audit_log')
    .select(['action', 'actor_kind', 'actor_id', 'detail'])
    .where('org_id', '=', id)
    .orderBy('id')
    .execute()

const admin = (...args: string[]) => runAdmin(souk, ...args)

describe('verifying', () => {
  test('by domain, however it is written: recorded as the operator’s, and whatever hangs on it is told', async () => {
    const org = await createOrg(souk, { domain: 'by-domain.example', verified: false })
    expect(await verifyOrg(ctx, 'https://WWW.by-domain.example/')).toMatchObject({ org: { id: org.id } })
    expect(await row(org.id)).toMatchObject({
      verification_status: 'verified',
      verified_via: 'operator',
      verified_at: souk.clock.now(),
    })
    expect(await history(org.id)).toEqual([
      {
        action: 'org.verified',
        actor_kind: 'operator',
        actor_id: null,
        detail: { domain: 'by-domain.example', via: 'operator' },
      },
    ])
    expect(told).toEqual([`verified ${org.id}`, `changed ${org.id}`])
    await expect(verifyOrg(ctx, 'by-domain.example')).rejects.toMatchObject({ kind: 'conflict' })
    await expect(verifyOrg(ctx, org.id)).rejects.toMatchObject({ kind: 'conflict' })
    expect(await history(org.id)).toHaveLength(1)
  })

  test('when several claim a domain nothing is done until one is named by its id', async () => {
    const first = await createOrg(souk, { domain: 'several.example', verified: false })
    const second = await createOrg(souk, { domain: 'several.example', verified: false })
    const { several } = await verifyOrg(ctx, 'several.example')
    expect(several?.map(({ id }) => id).sort()).toEqual([first.id, second.id].sort())
    expect((await row(first.id)).verification_status).toBe('pending')
    expect(await verifyOrg(ctx, second.id)).toMatchObject({ org: { id: second.id } })
    await expect(verifyOrg(ctx, first.id)).rejects.toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('Another organization'),
    })
    expect((await row(first.id)).verification_status).toBe('pending')
  })

  test('an unknown domain, an unknown id, a name that is neither, and an organization without a domain are refused', async () => {
    const bare = await createOrg(souk, { domain: null, verified: false })
    for (const [which, kind] of [
      ['unknown.example', 'not_found'],
      ['0190a5b0-0000-7000-8000-000000000001', 'not_found'],
      ['localhost', 'invalid'],
      [bare.id, 'conflict'],
    ] as const)
      await expect(verifyOrg(ctx, which)).rejects.toMatchObject({ kind })
  })
})

test('a deactivated organization writes nothing until it is reactivated; its tokens live on', async () => {
  const org = await createOrg(souk)
  told.length = 0
  expect(await deactivateOrg(ctx, org.id)).toMatchObject({ changed: true })
  expect(await deactivateOrg(ctx, org.id)).toMatchObject({ changed: false })
  const change = (who: Credential) =>
    call(souk, who, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
  for (const who of [org.session, org.bearer]) expect((await change(who)).body.code).toBe('org_deactivated')
  expect((await call(souk, org.bearer, 'GET', '/api/org/')).body.active).toBe(false)
  expect(await reactivateOrg(ctx, org.id)).toMatchObject({ changed: true })
  expect((await change(org.bearer)).status).toBe(200)
  expect((await history(org.id)).map(({ action, actor_kind }) => `${action} ${actor_kind}`)).toEqual([
    'org.deactivated operator',
    'org.reactivated operator',
    'integration.changed link_token',
  ])
  expect(told).toEqual([`changed ${org.id}`, `changed ${org.id}`])
  await expect(deactivateOrg(ctx, 'no id')).rejects.toMatchObject({ kind: 'not_found' })
})

test('a domain whose holder is gone is freed for its owner; what the holder proved by it is unproved', async () => {
  const holder = await createOrg(souk, { domain: 'held.example', deactivated: true })
  const owner = await createOrg(souk, { domain: 'held.example', verified: false })
  await expect(verifyOrg(ctx, owner.id)).rejects.toMatchObject({ kind: 'conflict' })
  await db
    .insertInto('agent_integrations')
    .values({ org_id: holder.id, agent_card_url: 'https://held.example/card' })
    .execute()
  const before = await row(holder.id)
  told.length = 0
  await unverifyOrg(ctx, holder.id)
  expect(told).toEqual([`lost ${holder.id}`, `changed ${holder.id}`])
  const after = await row(holder.id)
  expect(after).toMatchObject({ verification_status: 'pending', verified_via: null, verified_at: null })
  expect(after.verification_token).not.toBe(before.verification_token)
  const integration = await call(souk, holder.session, 'GET', '/api/org/agent-integration/')
  expect(integration.body).toMatchObject({ agent_card_url: null, status: 'pending' })
  expect(await history(holder.id)).toEqual([
    { action: 'org.unverified', actor_kind: 'operator', actor_id: null, detail: { domain: 'held.example' } },
  ])
  await expect(unverifyOrg(ctx, holder.id)).rejects.toMatchObject({ kind: 'conflict' })
  await expect(unverifyOrg(ctx, 'no id')).rejects.toMatchObject({ kind: 'not_found' })
  expect(await verifyOrg(ctx, owner.id)).toMatchObject({ org: { id: owner.id } })
})

describe('the command', () => {
  test('lists organizations, verifies, deactivates and reactivates', async () => {
    const org = await createOrg(souk, { name: 'Listed', domain: 'listed.example', verified: false })
    expect(await admin('verify-org', 'listed.example')).toMatchObject({
      code: 0,
      err: `Listed (${org.id}) is now verified for listed.example.\n`,
    })
    expect(await admin('deactivate-org', org.id)).toMatchObject({
      code: 0,
      err: 'Listed is now deactivated.\n',
    })
    const { code, out } = await admin('orgs')
    expect(code).toBe(0)
    expect(
      out
        .split('\n')
        .find((line) => line.startsWith(org.id))
        ?.split('\t'),
    ).toEqual([
      org.id,
      'retailer',
      'verified',
      'operator',
      'deactivated',
      'listed.example',
      expect.stringMatching(/Z$/),
      'Listed',
    ])
    expect(await admin('reactivate-org', org.id)).toMatchObject({ code: 0, err: 'Listed is active again.\n' })
    expect(await admin('unverify-org', org.id)).toMatchObject({
      code: 0,
      err: 'Listed is no longer verified; any organization can now verify listed.example.\n',
    })
    expect((await row(org.id)).verification_status).toBe('pending')
    expect((await row(org.id)).deactivated_at).toBeNull()
  })

  test('prints those that claim a domain and asks for the id', async () => {
    const first = await createOrg(souk, { domain: 'claimed.example', verified: false })
    const second = await createOrg(souk, { domain: 'claimed.example', verified: false })
    await expect(admin('verify-org', 'claimed.example')).rejects.toThrow(
      new RegExp(
        `several organizations claim claimed\\.example; choose one by its id:[^]*${first.id}[^]*${second.id}`,
      ),
    )
  })

  test('without its argument it says how it is used', async () => {
    expect(await admin('verify-org')).toMatchObject({
      code: 2,
      err: expect.stringContaining('verify-org DOMAIN'),
    })
  })
})

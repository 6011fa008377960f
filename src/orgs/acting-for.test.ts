import { expect, test } from 'vitest'
import { addMember, createOrg, type TestOrg } from '../../test/orgs.ts'
import { createToolsWorld } from '../../test/tools.world.ts'
import { findAccessToken } from '../oauth/tokens.service.ts'
import { actingFor, actingOrg } from './producer.ts'

const world = await createToolsWorld()
const { db } = world.database

async function join(org: TestOrg, userId: string): Promise<void> {
  world.clock.advance(1_000)
  await db
    .insertInto('org_members')
    .values({ org_id: org.id, user_id: userId, role: 'viewer', created_at: world.clock.now() })
    .execute()
}

async function leave(org: TestOrg, userId: string): Promise<void> {
  await db.deleteFrom('org_members').where('org_id', '=', org.id).where('user_id', '=', userId).execute()
}

async function actorOf(userId: string, selectedOrgId: string | null) {
  const actor = await findAccessToken(world.oauth, await world.tokenFor(userId))
  if (!actor) throw new Error('no token')
  return { ...actor, selectedOrgId }
}

test('who belongs to none or one is told no name', async () => {
  const nobody = await world.person()
  expect(await actingFor(world.orgs, await actorOf(nobody.userId, null))).toBeNull()
  const org = await createOrg(world, { name: 'Only' })
  const { userId } = await addMember(world, org, 'viewer')
  for (const selected of [null, org.id])
    expect(await actingFor(world.orgs, await actorOf(userId, selected))).toBeNull()
})

test('who belongs to several is told the selected one, or the newest when none is', async () => {
  const [first, second] = [
    await createOrg(world, { name: 'First' }),
    await createOrg(world, { name: 'Second' }),
  ]
  await join(second, first.ownerId)
  const named = async (selected: string | null) =>
    actingFor(world.orgs, await actorOf(first.ownerId, selected))
  expect(await named(null)).toBe('Second')
  expect(await named(first.id)).toBe('First')
  expect(await named(second.id)).toBe('Second')
})

test('a token whose organization was left acts for none, however many others there are', async () => {
  const orgs = [await createOrg(world), await createOrg(world), await createOrg(world)] as const
  const [left, ...others] = orgs
  const { userId } = await addMember(world, left, 'viewer')
  for (const org of others) await join(org, userId)
  const actor = await actorOf(userId, left.id)
  expect(await actingOrg(world.orgs, actor)).toMatchObject({ id: left.id, several: true })
  await leave(left, userId)
  expect(await actingOrg(world.orgs, actor)).toBeNull()
  expect(await actingFor(world.orgs, actor)).toBeNull()
})

test('a session whose organization was left goes on with the newest', async () => {
  const [left, stays] = [await createOrg(world), await createOrg(world, { name: 'Stays' })]
  const { userId } = await addMember(world, left, 'viewer')
  await join(stays, userId)
  await leave(left, userId)
  const { user } = await actorOf(userId, null)
  const session = { kind: 'session', user, sessionId: 's', selectedOrgId: left.id } as const
  expect(await actingOrg(world.orgs, session)).toEqual({
    id: stays.id,
    name: 'Stays',
    verified: true,
    domain: expect.stringMatching(/^shop-\d+\.example$/),
    several: false,
  })
})

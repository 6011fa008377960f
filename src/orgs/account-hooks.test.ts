import { expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../../test/accounts.ts'
import { createTestApp } from '../../test/harness.ts'
import { addMember, call, createOrg } from '../../test/orgs.ts'
import { NO_ORG_HOOKS } from './context.ts'

const changed: string[] = []
const souk = await createTestApp()
const told = {
  ...souk.orgs,
  orgHooks: { ...NO_ORG_HOOKS, changed: async (_tx: unknown, id: string) => void changed.push(id) },
}
const { app } = await createTestApp({ database: souk.database, orgs: told })
const world = { ...souk, app }
const { db } = souk.database

function browserOf(cookie: string) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}
const end = (cookie: string) =>
  browserOf(cookie).post('/account/delete', { password: PASSWORD, confirm: 'delete' })
const fates = async (cookie: string) => (await browserOf(cookie).get('/account/delete')).text()
const row = (id: string) => db.selectFrom('orgs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const history = (id: string) =>
  db
    .selectFrom('audit_log')
    .select(['action', 'detail', 'actor_kind', 'actor_id'])
    .where('org_id', '=', id)
    .orderBy('id')
    .execute()
const roles = async (id: string) =>
  (await db.selectFrom('org_members').select(['user_id', 'role']).where('org_id', '=', id).execute()).map(
    ({ user_id, role }) => `${user_id} ${role}`,
  )

test('an organization with another owner stays as it is', async () => {
  const org = await createOrg(world, { name: 'Shared' })
  const other = await addMember(world, org, 'owner')
  await addMember(world, org, 'admin')
  expect(await fates(org.session.cookie)).toContain(
    '<strong>Shared</strong>: it stays with its other owners.',
  )
  expect((await end(org.session.cookie)).status).toBe(200)
  expect((await row(org.id)).deactivated_at).toBeNull()
  expect(await roles(org.id)).toContain(`${other.userId} owner`)
  expect(await history(org.id)).toMatchObject([
    { action: 'token.revoked' },
    {
      action: 'team.removed',
      actor_id: org.ownerId,
      detail: { user_id: org.ownerId, role: 'owner', reason: 'account_deleted' },
    },
  ])
  expect(changed).not.toContain(org.id)
})

test('with no other owner, the admin who served longest inherits it', async () => {
  const org = await createOrg(world, { name: 'Inherited' })
  souk.clock.advance(1000)
  const editor = await addMember(world, org, 'editor')
  souk.clock.advance(1000)
  const elder = await addMember(world, org, 'admin')
  souk.clock.advance(1000)
  const younger = await addMember(world, org, 'admin')
  expect(await fates(org.session.cookie)).toContain('its longest-serving admin becomes its owner.')
  expect((await end(org.session.cookie)).status).toBe(200)
  expect((await roles(org.id)).sort()).toEqual(
    [`${elder.userId} owner`, `${younger.userId} admin`, `${editor.userId} editor`].sort(),
  )
  expect((await row(org.id)).deactivated_at).toBeNull()
  expect(await history(org.id)).toMatchObject([
    { action: 'token.revoked' },
    { action: 'team.removed' },
    {
      action: 'team.role_changed',
      detail: { user_id: elder.userId, from: 'admin', to: 'owner', reason: 'last_owner_left' },
    },
  ])
})

test('a deactivated account is no other owner and inherits nothing', async () => {
  const org = await createOrg(world, { name: 'Left' })
  const owner = await addMember(world, org, 'owner')
  souk.clock.advance(1000)
  const elder = await addMember(world, org, 'admin')
  souk.clock.advance(1000)
  const younger = await addMember(world, org, 'admin')
  const at = souk.clock.now()
  await db
    .updateTable('users')
    .set({ deactivated_at: at })
    .where('id', 'in', [owner.userId, elder.userId])
    .execute()
  expect(await fates(org.session.cookie)).toContain('its longest-serving admin becomes its owner.')
  expect((await end(org.session.cookie)).status).toBe(200)
  expect(await roles(org.id)).toContain(`${younger.userId} owner`)
  expect(await roles(org.id)).toContain(`${elder.userId} admin`)
})

test('with neither, it is deactivated, and whatever shows it is told', async () => {
  const org = await createOrg(world, { name: 'Alone' })
  const editor = await addMember(world, org, 'editor')
  expect(await fates(org.session.cookie)).toContain('<strong>Alone</strong>: it is deactivated')
  expect((await end(org.session.cookie)).status).toBe(200)
  expect((await row(org.id)).deactivated_at).toEqual(souk.clock.now())
  expect(changed).toContain(org.id)
  expect((await history(org.id)).map(({ action }) => action)).toEqual([
    'token.revoked',
    'team.removed',
    'org.deactivated',
  ])
  const answer = await call(world, editor, 'PATCH', '/api/org/', { name: 'Mine' })
  expect(answer.body.code).toBe('org_deactivated')
})

test('who is not an owner leaves without a trace in the rights of others', async () => {
  const org = await createOrg(world)
  const admin = await addMember(world, org, 'admin')
  expect(await fates(admin.cookie)).toContain('own an organization, so no shop')
  await end(admin.cookie)
  expect(await roles(org.id)).toEqual([`${org.ownerId} owner`])
  expect((await history(org.id)).map(({ action }) => action)).toEqual(['team.removed'])
})

test('invitations end with the account that sent them', async () => {
  const org = await createOrg(world)
  const admin = await addMember(world, org, 'admin')
  const invite = (who: { cookie: string }, email: string) =>
    call(world, who, 'PATCH', '/api/org/team/', { email, role: 'admin' })
  await invite(admin, 'alt@people.example')
  await invite(org.session, 'kept@people.example')
  await end(admin.cookie)
  const { body } = await call(world, org.session, 'GET', '/api/org/team/')
  expect(body.invitations).toMatchObject([{ email: 'kept@people.example' }])
})

test('the data a person downloads names their organizations and roles', async () => {
  const org = await createOrg(world, { name: 'Mine' })
  const data = await (await browserOf(org.session.cookie).get('/account/export')).json()
  expect(data).toMatchObject({
    organizations: [
      { org_id: org.id, name: 'Mine', role: 'owner', joined_at: souk.clock.now().toISOString() },
    ],
    connected_apps: [],
  })
})

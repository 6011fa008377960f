/** What happens at the same moment, on real PostgreSQL: however requests interleave, each promise holds, none is a 500. */
import { afterEach, expect, test, vi } from 'vitest'
import { findSession } from '../../src/accounts/sessions.service.ts'
import { findLinkToken } from '../../src/orgs/link-tokens.service.ts'
import { type Caller, requireProducer } from '../../src/orgs/producer.ts'
import { addMember, createOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask, person, roleOf } = world
const TEAM = '/api/org/team/'
const statuses = (answers: Array<{ status: number }>) => answers.map(({ status }) => status).sort()

afterEach(() => {
  expect(world.logged.text()).not.toMatch(/deadlock|request failed/)
})

async function emailOf(userId: string): Promise<string> {
  const user = await world.database.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return user.email
}

test('of 20 who register one domain at once, exactly one has it verified, and all have an organization', async () => {
  const people = []
  for (let n = 0; n < 20; n++) people.push(await person(`racer-${n}@race.example`))
  const answers = await Promise.all(
    people.map((who) =>
      ask(who, 'POST', '/api/org/register/', { name: 'Race', org_type: 'retailer', domain: 'race.example' }),
    ),
  )
  expect(statuses(answers)).toEqual(Array(20).fill(201))
  const verified = answers.filter(({ body }) => body.verification_status === 'verified')
  expect(verified).toHaveLength(1)
  expect(answers.filter(({ body }) => body.skipped_verification)).toEqual(verified)
})

test('one person who registers 25 times at once owns 20', async () => {
  const eager = await person('eager@people.example')
  const answers = await Promise.all(
    Array.from({ length: 25 }, () =>
      ask(eager, 'POST', '/api/org/register/', { name: 'Mine', org_type: 'retailer' }),
    ),
  )
  expect(statuses(answers)).toEqual([...Array(20).fill(201), ...Array(5).fill(409)])
})

test('two owners who demote or remove each other at once leave one', async () => {
  const org = await createOrg(world)
  const other = await addMember(world, org, 'owner')
  const [first, second] = [await emailOf(org.ownerId), await emailOf(other.userId)]
  for (let round = 0; round < 15; round++) {
    const role = round % 2 === 0 ? 'viewer' : 'none'
    const answers = await Promise.all([
      ask(org.session, 'PATCH', TEAM, { email: second, role }),
      ask(other, 'PATCH', TEAM, { email: first, role }),
    ])
    expect(statuses(answers)).toEqual([200, 403])
    const roles = [await roleOf(org.id, org.ownerId), await roleOf(org.id, other.userId)]
    expect(roles.filter((held) => held === 'owner')).toHaveLength(1)
    for (const userId of [org.ownerId, other.userId])
      await world.database.pool.query(
        `insert into org_members (org_id, user_id, role) values ($1, $2, 'owner')
         on conflict (org_id, user_id) do update set role = 'owner'`,
        [org.id, userId],
      )
  }
})

test('two owners who step down at once leave one', async () => {
  const org = await createOrg(world)
  const other = await addMember(world, org, 'owner')
  const answers = await Promise.all([
    ask(org.session, 'PATCH', TEAM, { email: await emailOf(org.ownerId), role: 'viewer' }),
    ask(other, 'PATCH', TEAM, { email: await emailOf(other.userId), role: 'viewer' }),
  ])
  expect(statuses(answers)).toEqual([200, 409])
})

test('an invitation that is accepted 8 times at once is accepted once', async () => {
  const org = await createOrg(world)
  for (let round = 0; round < 5; round++) {
    const email = `guest-${round}@people.example`
    await ask(org.session, 'PATCH', TEAM, { email, role: 'editor' })
    const token = new URL(await world.mailbox.link(email), 'http://souk.test').searchParams.get('token')
    const guest = await person(email)
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => ask(guest, 'POST', '/api/org/invitations/accept/', { token })),
    )
    expect(statuses(answers)).toEqual([200, ...Array(7).fill(404)])
    expect(await roleOf(org.id, guest.id)).toBe('editor')
  }
  const joined = (await world.actions(org.id)).filter((action) => action === 'team.joined')
  expect(joined).toHaveLength(5)
})

test('an invitation that is accepted and taken back at once is one or the other', async () => {
  const org = await createOrg(world)
  for (let round = 0; round < 8; round++) {
    const email = `torn-${round}@people.example`
    await ask(org.session, 'PATCH', TEAM, { email, role: 'editor' })
    const token = new URL(await world.mailbox.link(email), 'http://souk.test').searchParams.get('token')
    const guest = await person(email)
    const [accepted, taken] = await Promise.all([
      ask(guest, 'POST', '/api/org/invitations/accept/', { token }),
      ask(org.session, 'PATCH', TEAM, { email, role: 'none' }),
    ])
    // Taking back after the guest has joined removes the member: either way nobody is in the team.
    expect(taken.status).toBe(200)
    expect([200, 404]).toContain(accepted.status)
    expect(await roleOf(org.id, guest.id)).toBeNull()
    expect(await world.accountType(guest.id)).toBe('consumer')
  }
})

test('one address that two admins invite at once has one open invitation', async () => {
  const org = await createOrg(world)
  const admin = await addMember(world, org, 'admin')
  for (let round = 0; round < 4; round++) {
    const email = `twice-${round}@people.example`
    const answers = await Promise.all(
      [org.session, admin, org.session, admin].map((who) =>
        ask(who, 'PATCH', TEAM, { email, role: 'viewer' }),
      ),
    )
    expect(statuses(answers)).toEqual([200, 200, 200, 200])
  }
  expect((await ask(org.session, 'GET', TEAM)).body.invitations).toHaveLength(4)
})

test('a token that is revoked while it is used does all of an action or nothing, and nothing afterwards', async () => {
  const org = await createOrg(world)
  for (let round = 0; round < 15; round++) {
    const { body: made } = await ask(org.session, 'POST', '/api/org/link-tokens/', { name: `round ${round}` })
    const bearer = { bearer: String(made.token) }
    const [revoked, ...used] = await Promise.all([
      ask(org.session, 'DELETE', '/api/org/link-tokens/', { id: made.id }),
      ...Array.from({ length: 4 }, (_, n) =>
        ask(bearer, 'PATCH', '/api/org/agent-integration/', { is_managed: n % 2 === 0 }),
      ),
    ])
    expect(revoked?.status).toBe(200)
    expect(used.every(({ status }) => status === 200 || status === 401)).toBe(true)
    const afterwards = await ask(bearer, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
    expect(afterwards.status).toBe(401)
    const history = await world.history(org.id)
    const byToken = history.filter(({ actor_id }) => actor_id === made.id)
    expect(byToken).toHaveLength(used.filter(({ status }) => status === 200).length)
  }
})

test('actions under way and a change of the right to do them wait for each other in no circle', async () => {
  const org = await createOrg(world)
  const member = await addMember(world, org, 'editor')
  const email = await emailOf(member.userId)
  const caller = await findSession(world.accounts, member.cookie.split('=')[1] ?? '')
  if (!caller) throw new Error('not signed in')
  /** As a feature does it: the right is held while the action is done; a token may be revoked by then. */
  const act = (who: Caller) =>
    world.database.db
      .transaction()
      .execute((tx) => requireProducer({ db: tx }, who, 'edit'))
      .catch((error) => expect(error).toMatchObject({ kind: 'unauthenticated' }))
  for (let round = 0; round < 40; round++) {
    const role = round % 2 === 0 ? 'admin' : 'editor'
    const token = await ask(org.session, 'POST', '/api/org/link-tokens/', { name: 'short-lived' })
    const byToken = await findLinkToken(world.ctx, String(token.body.token))
    if (!byToken) throw new Error('no token')
    const [changed, revoked] = await Promise.all([
      ask(org.session, 'PATCH', TEAM, { email, role }),
      ask(org.session, 'DELETE', '/api/org/link-tokens/', { id: token.body.id }),
      ...Array.from({ length: 12 }, (_, n) => act(n % 2 === 0 ? caller : byToken)),
    ])
    expect([changed?.status, revoked?.status]).toEqual([200, 200])
  }
})

test('an account that ends while its owner is removed or changes the team ends, and no request fails', async () => {
  for (let round = 0; round < 8; round++) {
    const org = await createOrg(world)
    const leaver = await person(`leaver-${round}@people.example`)
    await world.database.pool.query(
      `insert into org_members (org_id, user_id, role) values ($1, $2, 'owner')`,
      [org.id, leaver.id],
    )
    const [ended, ...answers] = await Promise.all([
      leaver.browser.post('/account/delete', { password: 'violet kettle 7 harbour', confirm: 'delete' }),
      ask(org.session, 'PATCH', TEAM, { email: leaver.email, role: 'none' }),
      ask(org.session, 'PATCH', TEAM, { email: leaver.email, role: 'viewer' }),
      ask(leaver, 'PATCH', TEAM, { email: `friend-${round}@people.example`, role: 'viewer' }),
      ask(leaver, 'POST', '/api/org/link-tokens/', { name: 'last' }),
    ])
    expect(ended?.status).toBe(200)
    expect(answers.every(({ status }) => status < 500)).toBe(true)
    expect(await roleOf(org.id, leaver.id)).toBeNull()
    expect(await roleOf(org.id, org.ownerId)).toBe('owner')
  }
})

test('deleting an account never waits for an action that waits for the account: the person is locked first, then the organization', async () => {
  const org = await createOrg(world)
  const member = await addMember(world, org, 'editor')
  const email = 'first-locked@people.example'
  await ask(org.session, 'PATCH', TEAM, { email, role: 'editor' })
  const token = new URL(await world.mailbox.link(email), 'http://souk.test').searchParams.get('token')
  const guest = await person(email)
  const memberEmail = await emailOf(member.userId)
  for (const [userId, act] of [
    [member.userId, () => ask(org.session, 'PATCH', TEAM, { email: memberEmail, role: 'none' })],
    [guest.id, () => ask(guest, 'POST', '/api/org/invitations/accept/', { token })],
  ] as const) {
    const client = await world.database.pool.connect()
    try {
      await client.query('begin')
      await client.query('select 1 from users where id = $1 for no key update', [userId])
      const waiting = act()
      await vi.waitFor(async () => {
        const { rows } = await world.database.pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        expect(rows).toHaveLength(1)
      }, 5_000)
      await client.query('select 1 from orgs where id = $1 for no key update nowait', [org.id])
      await client.query('commit')
      expect((await waiting).status).toBe(200)
    } finally {
      client.release()
    }
  }
})

/** The team: who may change whom, and what follows for the person and for the organization. */
import { describe, expect, test } from 'vitest'
import { findPerson } from '../../src/accounts/people.service.ts'
import { setTeamMember } from '../../src/orgs/team.service.ts'
import { addMember, createOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask, roleOf } = world
const TEAM = '/api/org/team/'

async function emailOf(userId: string): Promise<string> {
  const user = await world.database.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  return user.email
}
const set = async (who: Parameters<typeof ask>[0], userId: string, role: string) =>
  ask(who, 'PATCH', TEAM, { email: await emailOf(userId), role })

describe('seeing the team', () => {
  test('every member and a link token see members, owners first, and open invitations', async () => {
    const org = await createOrg(world)
    const viewer = await addMember(world, org, 'viewer')
    const admin = await addMember(world, org, 'admin')
    await ask(org.session, 'PATCH', TEAM, { email: 'New@people.example', role: 'editor' })
    for (const who of [org.session, org.bearer, viewer, admin]) {
      const answer = await ask(who, 'GET', TEAM)
      expect(answer.status).toBe(200)
      const joined_at = expect.stringMatching(/Z$/)
      expect(answer.body).toEqual({
        members: [
          { user_id: org.ownerId, email: await emailOf(org.ownerId), name: 'Ada', role: 'owner', joined_at },
          {
            user_id: admin.userId,
            email: await emailOf(admin.userId),
            name: 'Ada',
            role: 'admin',
            joined_at,
          },
          {
            user_id: viewer.userId,
            email: await emailOf(viewer.userId),
            name: 'Ada',
            role: 'viewer',
            joined_at,
          },
        ],
        invitations: [
          {
            id: expect.any(String),
            email: 'New@people.example',
            role: 'editor',
            expires_at: new Date(world.clock.now().getTime() + 7 * 86_400_000).toISOString(),
          },
        ],
      })
    }
  })

  test('an invitation that has run out is not listed', async () => {
    const org = await createOrg(world)
    await ask(org.session, 'PATCH', TEAM, { email: 'late@people.example', role: 'viewer' })
    await world.database.db
      .updateTable('org_invitations')
      .set({ expires_at: world.clock.now() })
      .where('org_id', '=', org.id)
      .execute()
    expect((await ask(org.session, 'GET', TEAM)).body.invitations).toEqual([])
  })
})

describe('changing a member', () => {
  test('a new role holds at once, invites nobody, and is one record', async () => {
    const org = await createOrg(world)
    const member = await addMember(world, org, 'viewer')
    const answer = await set(org.session, member.userId, 'editor')
    expect([answer.status, answer.body]).toEqual([200, { ok: true, invited: false }])
    expect(await roleOf(org.id, member.userId)).toBe('editor')
    await set(org.session, member.userId, 'editor')
    expect(await world.history(org.id)).toMatchObject([
      {
        action: 'team.role_changed',
        actor_id: org.ownerId,
        detail: { user_id: member.userId, from: 'viewer', to: 'editor' },
      },
    ])
  })

  test('the address is found however it is written', async () => {
    const org = await createOrg(world)
    const member = await addMember(world, org, 'viewer')
    const email = ` ${(await emailOf(member.userId)).toUpperCase()} `
    expect((await ask(org.session, 'PATCH', TEAM, { email, role: 'admin' })).body).toEqual({
      ok: true,
      invited: false,
    })
    expect(await roleOf(org.id, member.userId)).toBe('admin')
  })

  test('who is removed acts for it no more: session, selection and account type follow', async () => {
    const org = await createOrg(world)
    const member = await addMember(world, org, 'editor')
    await ask(member, 'POST', '/api/org/select/', { org_id: org.id })
    expect((await set(org.session, member.userId, 'none')).body).toEqual({ ok: true, invited: false })
    expect((await ask(member, 'GET', '/api/org/')).body.code).toBe('not_a_producer')
    expect(await world.accountType(member.userId)).toBe('consumer')
    const { rows } = await world.database.pool.query(
      'select selected_org_id from sessions where user_id = $1',
      [member.userId],
    )
    expect(rows).toEqual([{ selected_org_id: null }])
    expect(await world.actions(org.id)).toEqual(['team.removed'])
  })

  test('who belongs to another organization too stays a producer, and acts for that one', async () => {
    const org = await createOrg(world)
    const member = await addMember(world, org, 'editor')
    const own = await world.register(member, { name: 'Own' })
    await ask(member, 'POST', '/api/org/select/', { org_id: org.id })
    await set(org.session, member.userId, 'none')
    expect(await world.accountType(member.userId)).toBe('producer')
    expect((await ask(member, 'GET', '/api/org/')).body.org_id).toBe(own.org_id)
  })

  test('only an owner makes or unmakes an owner, invitations included', async () => {
    const org = await createOrg(world)
    const admin = await addMember(world, org, 'admin')
    const viewer = await addMember(world, org, 'viewer')
    for (const [userId, role] of [
      [org.ownerId, 'viewer'],
      [org.ownerId, 'none'],
      [viewer.userId, 'owner'],
      [admin.userId, 'owner'],
    ] as const)
      expect((await set(admin, userId, role)).status).toBe(403)
    expect((await ask(admin, 'PATCH', TEAM, { email: 'boss@people.example', role: 'owner' })).status).toBe(
      403,
    )
    await ask(org.session, 'PATCH', TEAM, { email: 'boss@people.example', role: 'owner' })
    for (const role of ['viewer', 'none'])
      expect((await ask(admin, 'PATCH', TEAM, { email: 'boss@people.example', role })).status).toBe(403)
    expect((await set(admin, viewer.userId, 'admin')).status).toBe(200)
    expect((await set(org.session, admin.userId, 'owner')).status).toBe(200)
    expect((await set(admin, org.ownerId, 'editor')).status).toBe(200)
    expect(await roleOf(org.id, org.ownerId)).toBe('editor')
  })

  test('who loses a right loses the invitations given by it: nobody comes back by one of their own', async () => {
    const org = await createOrg(world)
    const owner = await addMember(world, org, 'owner')
    const invited = async () =>
      ((await ask(org.session, 'GET', TEAM)).body.invitations as Array<{ email: string }>).map(
        ({ email }) => email,
      )
    await ask(org.session, 'PATCH', TEAM, { email: 'theirs@people.example', role: 'admin' })
    await ask(owner, 'PATCH', TEAM, { email: 'alt-owner@people.example', role: 'owner' })
    await ask(owner, 'PATCH', TEAM, { email: 'alt-admin@people.example', role: 'admin' })
    await set(org.session, owner.userId, 'admin')
    expect(await invited()).toEqual(['theirs@people.example', 'alt-admin@people.example'])
    await set(org.session, owner.userId, 'none')
    expect(await invited()).toEqual(['theirs@people.example'])
    const last = (await world.history(org.id)).filter(({ action }) => /role_changed|removed/.test(action))
    expect(last.map(({ detail }) => detail)).toMatchObject([
      { from: 'owner', to: 'admin', invitations_revoked: 1 },
      { role: 'admin', invitations_revoked: 1 },
    ])
  })

  test('the last owner stays', async () => {
    const org = await createOrg(world)
    for (const role of ['admin', 'none']) {
      const answer = await set(org.session, org.ownerId, role)
      expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    }
    expect(await roleOf(org.id, org.ownerId)).toBe('owner')
    expect(await world.actions(org.id)).toEqual([])
  })

  test('a link token changes no team, whatever the body asks', async () => {
    const org = await createOrg(world)
    const member = await addMember(world, org, 'viewer')
    for (const role of ['owner', 'none']) {
      const answer = await set(org.bearer, member.userId, role)
      expect([answer.status, answer.body.code]).toEqual([403, 'not_owner_or_admin'])
    }
    expect((await ask(org.bearer, 'PATCH', TEAM, { email: 'no address', role: 'owner' })).status).toBe(400)
    expect(await roleOf(org.id, member.userId)).toBe('viewer')
  })

  test('an app that acts for a person has that person’s right', async () => {
    const org = await createOrg(world)
    const viewer = await addMember(world, org, 'viewer')
    const visit = { ip: null, userAgent: null, requestId: null }
    const appOf = async (userId: string) => {
      const user = await findPerson(world.accounts, userId)
      if (!user) throw new Error('no such person')
      const caller = {
        kind: 'access_token',
        user,
        clientId: 'x',
        clientName: 'X',
        selectedOrgId: null,
        scope: 'mcp',
        resource: null,
      } as const
      return { caller, visit }
    }
    const input = { email: await emailOf(viewer.userId), role: 'editor' } as const
    await expect(setTeamMember(world.orgs, await appOf(viewer.userId), input)).rejects.toMatchObject({
      code: 'not_owner_or_admin',
    })
    expect(await setTeamMember(world.orgs, await appOf(org.ownerId), input)).toEqual({ outcome: 'changed' })
    expect(await roleOf(org.id, viewer.userId)).toBe('editor')
  })

  test('editors and viewers change nobody, not even themselves', async () => {
    const org = await createOrg(world)
    for (const role of ['editor', 'viewer'] as const) {
      const member = await addMember(world, org, role)
      expect((await set(member, member.userId, 'admin')).body.code).toBe('not_owner_or_admin')
      expect((await ask(member, 'PATCH', TEAM, { email: 'x@people.example', role: 'viewer' })).status).toBe(
        403,
      )
      expect(
        (await ask(member, 'PATCH', TEAM, { email: 'x@people.example', role: 'king' })).body,
      ).toMatchObject({
        field: 'role',
        valid: ['owner', 'admin', 'editor', 'viewer', 'none'],
      })
    }
  })

  test('another organization’s member and invitation are 404', async () => {
    const org = await createOrg(world)
    const foreign = await createOrg(world)
    await ask(foreign.session, 'PATCH', TEAM, { email: 'theirs@people.example', role: 'viewer' })
    for (const email of [await emailOf(foreign.ownerId), 'theirs@people.example', 'unknown@people.example']) {
      const answer = await ask(org.session, 'PATCH', TEAM, { email, role: 'none' })
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
    expect(await roleOf(foreign.id, foreign.ownerId)).toBe('owner')
    expect((await ask(foreign.session, 'GET', TEAM)).body.invitations).toHaveLength(1)
  })
})

describe('inviting', () => {
  test('a new invitation replaces the open one, and none takes it back', async () => {
    const org = await createOrg(world)
    const email = 'again@people.example'
    const first = await ask(org.session, 'PATCH', TEAM, { email, role: 'viewer' })
    expect([first.status, first.body]).toEqual([200, { ok: true, invited: true }])
    const old = await world.mailbox.link(email)
    await ask(org.session, 'PATCH', TEAM, { email, role: 'admin' })
    expect((await ask(org.session, 'GET', TEAM)).body.invitations).toMatchObject([{ email, role: 'admin' }])
    expect((await world.app.request(`http://souk.test${old}`)).status).toBe(410)
    const taken = await ask(org.session, 'PATCH', TEAM, { email, role: 'none' })
    expect([taken.status, taken.body]).toEqual([200, { ok: true, invited: false }])
    expect((await ask(org.session, 'GET', TEAM)).body.invitations).toEqual([])
    expect((await world.app.request(`http://souk.test${await world.mailbox.link(email)}`)).status).toBe(410)
    expect(await world.actions(org.id)).toEqual(['team.invited', 'team.invited', 'team.invitation_revoked'])
  })

  test('the mail has no words of the inviter’s, and names the domain only if it is proved', async () => {
    const proved = await createOrg(world, { name: 'CHEAP PILLS', domain: 'proved.example' })
    const claimed = await createOrg(world, {
      name: 'CHEAP PILLS',
      domain: 'claimed.example',
      verified: false,
    })
    await ask(proved.session, 'PATCH', TEAM, { email: 'p@people.example', role: 'viewer' })
    await ask(claimed.session, 'PATCH', TEAM, { email: 'c@people.example', role: 'viewer' })
    const [toP] = await world.mailbox.mails('p@people.example')
    const [toC] = await world.mailbox.mails('c@people.example')
    expect(toP?.subject).toBe("Souk: You're invited to join a team")
    expect(toP?.text).toContain('The organization that owns proved.example invited you')
    expect(toP?.text).toMatch(/^http:\/\/souk\.test\/org\/join\?token=souk_invite_[\w-]{43}$/m)
    expect(toC?.text).toContain('An organization invited you')
    expect(`${toP?.text}${toP?.html}${toC?.text}${toC?.html}`).not.toMatch(/PILLS|claimed\.example/)
  })

  test('one address gets no flood of mails: 429', async () => {
    const org = await createOrg(world)
    const answers = []
    for (let n = 0; n < 11; n++)
      answers.push(await ask(org.session, 'PATCH', TEAM, { email: 'flood@people.example', role: 'viewer' }))
    expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
    expect(await world.mailbox.mails('flood@people.example')).toHaveLength(10)
    expect((await ask(org.session, 'GET', TEAM)).body.invitations).toHaveLength(1)
  })

  test('a team has at most 200 members and invitations', async () => {
    const org = await createOrg(world)
    await world.database.pool.query(
      `insert into org_invitations (id, org_id, email, email_key, role, token_hash, expires_at)
       select gen_random_uuid(), $1, n || '@x.example', n || '@x.example', 'viewer', 'hash ' || n, $2
       from generate_series(1, 198) n`,
      [org.id, new Date(world.clock.now().getTime() + 1000)],
    )
    const invite = (email: string) => ask(org.session, 'PATCH', TEAM, { email, role: 'viewer' })
    expect((await invite('last@people.example')).status).toBe(200)
    expect((await invite('more@people.example')).body).toMatchObject({ code: 'conflict', max: 200 })
    expect((await invite('last@people.example')).status).toBe(200)
  })
})

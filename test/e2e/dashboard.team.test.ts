/** The team's page: who sees what, inviting, roles, removing and leaving; and what an old page must not do. */
import { describe, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { textOf } from '../html.ts'
import { addMember, createOrg, type TestOrg } from '../orgs.ts'
import { actionsOf, formsOf, read } from './dashboard.agent.world.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { roleOf } = world
const PAGE = '/dashboard/team'

function browserOf({ cookie }: { cookie: string }) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}

async function emailOf(userId: string): Promise<string> {
  const { db } = world.database
  const user = await db.selectFrom('users').select('email').where('id', '=', userId).executeTakeFirstOrThrow()
  return user.email
}

/** Somebody of the team, with how they act on the page. */
async function member(org: TestOrg, role: 'owner' | 'admin' | 'editor' | 'viewer') {
  const added = await addMember(world, org, role)
  return { ...added, email: await emailOf(added.userId), browser: browserOf(added) }
}

describe('inviting', () => {
  test('sends a mail, and the invitation is shown until it ends or is withdrawn', async () => {
    const org = await createOrg(world)
    const owner = browserOf(org.session)
    const email = 'new-here@people.example'
    const answer = await owner.post(`${PAGE}/invite`, { org_id: org.id, email, role: 'viewer' })
    expect(answer.headers.get('location')).toBe(`${PAGE}?done=invited`)
    expect((await world.mailbox.mails(email)).length).toBe(1)
    const { html } = await read(owner.get(`${PAGE}?done=invited`))
    expect(html).toContain('Invite sent.')
    expect(textOf(html)).toContain(`${email} Viewer Invited; open until November 8, 2026`)
    world.clock.advance(61_000)
    const again = formsOf(html).find(({ fields }) => fields.email === email && fields.role === 'viewer')
    expect((await owner.post(again?.action ?? '', again?.fields)).status).toBe(303)
    expect((await world.mailbox.mails(email)).length).toBe(2)
    const withdrawn = await owner.post(`${PAGE}/withdraw`, { org_id: org.id, email })
    expect(withdrawn.headers.get('location')).toBe(`${PAGE}?done=withdrawn`)
    expect(textOf((await read(owner.get(PAGE))).html)).not.toContain(email)
  })

  test('an address that cannot be one is refused beside its field, with what was typed', async () => {
    const org = await createOrg(world)
    const { status, html } = await read(
      browserOf(org.session).post(`${PAGE}/invite`, { org_id: org.id, email: 'no address', role: 'viewer' }),
    )
    expect(status).toBe(400)
    expect(html).toContain('id="field-email-error">Enter an email like name@example.com.')
    expect(html).toContain('value="no address"')
    expect(html).toMatch(/<option value="viewer" selected=""/)
  })

  test('anyone who is a member already keeps their role', async () => {
    const org = await createOrg(world)
    const admin = await member(org, 'admin')
    const fields = { org_id: org.id, email: admin.email.toUpperCase(), role: 'viewer' }
    const { status, html } = await read(browserOf(org.session).post(`${PAGE}/invite`, fields))
    expect(status).toBe(409)
    expect(html).toContain('This person is already a member (admin); nothing was changed')
    expect(await roleOf(org.id, admin.userId)).toBe('admin')
  })

  test('withdrawing the invitation of who has joined meanwhile does not remove them', async () => {
    const org = await createOrg(world)
    const joined = await member(org, 'editor')
    const fields = { org_id: org.id, email: joined.email }
    expect((await browserOf(org.session).post(`${PAGE}/withdraw`, fields)).status).toBe(409)
    expect(await roleOf(org.id, joined.userId)).toBe('editor')
  })
})

describe('members', () => {
  test('are shown with name, address and role, and only to members', async () => {
    const org = await createOrg(world)
    const viewer = await member(org, 'viewer')
    const { status, html } = await read(viewer.browser.get(PAGE))
    expect(status).toBe(200)
    expect(textOf(html)).toContain(`Ada ${await emailOf(org.ownerId)} Owner`)
    expect(textOf(html)).toContain(`Ada (you) ${viewer.email} Viewer`)
    expect(actionsOf(html)).toEqual([`${PAGE}/leave`])
    const foreign = await createOrg(world)
    expect((await read(browserOf(foreign.session).get(PAGE))).html).not.toContain(viewer.email)
  })

  test.each(['editor', 'viewer'] as const)('anyone who is %s changes nobody', async (role) => {
    const org = await createOrg(world)
    const [actor, other] = [await member(org, role), await member(org, 'editor')]
    for (const [path, fields] of [
      ['invite', { email: 'friend@people.example', role: 'owner' }],
      ['role', { email: other.email, role: 'viewer' }],
      ['remove', { email: other.email }],
      ['withdraw', { email: 'friend@people.example' }],
    ] as const)
      expect((await actor.browser.post(`${PAGE}/${path}`, { org_id: org.id, ...fields })).status).toBe(403)
    expect(await roleOf(org.id, other.userId)).toBe('editor')
    expect(await world.actions(org.id)).toEqual([])
  })

  test('an admin changes roles and removes, but is not offered what takes an owner, and cannot do it', async () => {
    const org = await createOrg(world)
    const [admin, editor] = [await member(org, 'admin'), await member(org, 'editor')]
    const owner = await emailOf(org.ownerId)
    const { html } = await read(admin.browser.get(PAGE))
    expect(html.slice(html.indexOf('<table'))).not.toContain('<option value="owner"')
    expect(formsOf(html).some(({ fields }) => fields.email === owner)).toBe(false)
    const forced = await read(
      admin.browser.post(`${PAGE}/role`, { org_id: org.id, email: owner, role: 'viewer' }),
    )
    expect([forced.status, forced.html.includes('Only an owner can add or remove owners')]).toEqual([
      403,
      true,
    ])
    const promoted = { org_id: org.id, email: editor.email, role: 'owner' }
    expect((await admin.browser.post(`${PAGE}/role`, promoted)).status).toBe(403)
    const changed = await admin.browser.post(`${PAGE}/role`, { ...promoted, role: 'viewer' })
    expect(changed.headers.get('location')).toBe(`${PAGE}?done=changed`)
    expect(await roleOf(org.id, editor.userId)).toBe('viewer')
    expect((await admin.browser.post(`${PAGE}/remove`, promoted)).headers.get('location')).toBe(
      `${PAGE}?done=removed`,
    )
    expect(await roleOf(org.id, editor.userId)).toBeNull()
  })

  test('a role changed on an old page does not invite who was removed meanwhile', async () => {
    const org = await createOrg(world)
    const gone = await member(org, 'editor')
    const owner = browserOf(org.session)
    const fields = { org_id: org.id, email: gone.email }
    await owner.post(`${PAGE}/remove`, fields)
    const { status, html } = await read(owner.post(`${PAGE}/role`, { ...fields, role: 'admin' }))
    expect([status, html.includes('They are no longer on the team; nothing was changed')]).toEqual([
      409,
      true,
    ])
    expect(await world.mailbox.mails(gone.email)).toEqual([])
  })

  test('somebody of another organization is nobody here', async () => {
    const [org, foreign] = [await createOrg(world), await createOrg(world)]
    const theirs = await member(foreign, 'editor')
    const fields = { org_id: org.id, email: theirs.email, role: 'viewer' }
    for (const path of ['role', 'remove'])
      expect((await browserOf(org.session).post(`${PAGE}/${path}`, fields)).status).toBe(409)
    expect(await roleOf(foreign.id, theirs.userId)).toBe('editor')
  })
})

describe('leaving', () => {
  test('takes a member out at once, with what they invited to, and is in the history', async () => {
    const org = await createOrg(world, { name: 'Left Behind' })
    const admin = await member(org, 'admin')
    await admin.browser.post(`${PAGE}/invite`, {
      org_id: org.id,
      email: 'my-friend@people.example',
      role: 'admin',
    })
    const { html } = await read(admin.browser.get(PAGE))
    expect(html).toContain('Leave this organization')
    const answer = await admin.browser.post(`${PAGE}/leave`, { org_id: org.id })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard'])
    expect(await roleOf(org.id, admin.userId)).toBeNull()
    expect(await world.accountType(admin.userId)).toBe('consumer')
    expect((await admin.browser.get(PAGE)).status).toBe(403)
    expect((await world.history(org.id)).at(-1)).toMatchObject({
      action: 'team.left',
      actor_id: admin.userId,
      detail: { user_id: admin.userId, role: 'admin', invitations_revoked: 1 },
    })
    expect((await read(browserOf(org.session).get(PAGE))).html).not.toContain('my-friend@people.example')
  })

  test('the last owner is told why not, and cannot be made to', async () => {
    const org = await createOrg(world)
    await member(org, 'admin')
    const owner = browserOf(org.session)
    const { html } = await read(owner.get(PAGE))
    expect(html).toContain('so you can&#39;t leave. Make another member an owner first.')
    expect(actionsOf(html)).not.toContain(`${PAGE}/leave`)
    const forced = await read(owner.post(`${PAGE}/leave`, { org_id: org.id }))
    expect([forced.status, forced.html.includes('You are the last owner')]).toEqual([409, true])
    const demoted = { org_id: org.id, email: await emailOf(org.ownerId), role: 'viewer' }
    expect((await owner.post(`${PAGE}/role`, demoted)).status).toBe(409)
    expect(await roleOf(org.id, org.ownerId)).toBe('owner')
  })

  test('of two owners who leave at the same moment, one stays', async () => {
    const org = await createOrg(world)
    const second = await member(org, 'owner')
    const leave = { org_id: org.id }
    const answers = await Promise.all([
      browserOf(org.session).post(`${PAGE}/leave`, leave),
      second.browser.post(`${PAGE}/leave`, leave),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409])
    const roles = [await roleOf(org.id, org.ownerId), await roleOf(org.id, second.userId)]
    expect(roles.filter((role) => role === 'owner')).toHaveLength(1)
  })

  test('a deactivated organization can be left', async () => {
    const org = await createOrg(world, { deactivated: true })
    const viewer = await member(org, 'viewer')
    expect((await viewer.browser.post(`${PAGE}/leave`, { org_id: org.id })).status).toBe(303)
    expect(await roleOf(org.id, viewer.userId)).toBeNull()
  })

  test('by the API it takes a session and the organization’s id: another’s is not found', async () => {
    const [org, foreign] = [await createOrg(world), await createOrg(world)]
    const viewer = await member(org, 'viewer')
    const leave = (id: string) => world.ask(viewer, 'POST', '/api/org/leave/', { org_id: id })
    expect((await world.ask(org.bearer, 'POST', '/api/org/leave/', { org_id: org.id })).status).toBe(401)
    expect((await world.ask(viewer, 'POST', '/api/org/leave/', {})).status).toBe(400)
    for (const id of [foreign.id, 'nonsense']) expect((await leave(id)).body.code).toBe('not_found')
    expect(await roleOf(org.id, viewer.userId)).toBe('viewer')
    expect((await leave(org.id)).body).toEqual({ ok: true })
    expect(await roleOf(org.id, viewer.userId)).toBeNull()
  })
})

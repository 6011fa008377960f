/** Joining by the link in an invitation: who may, and what everybody else is told to do. */
import { describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD } from '../accounts.ts'
import { createOrg, type TestOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask, person, mailbox } = world
const ACCEPT = '/api/org/invitations/accept/'
const DAY = 86_400_000

let invited = 0
async function invite(org: TestOrg, { role = 'editor', email = `invited-${++invited}@people.example` } = {}) {
  const answer = await ask(org.session, 'PATCH', '/api/org/team/', { email, role })
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body))
  const link = await mailbox.link(email)
  return { email, link, token: new URL(link, 'http://souk.test').searchParams.get('token') ?? '' }
}
const pageOf = async (response: Response) => ({ status: response.status, html: await response.text() })

describe('the page', () => {
  test('shows the invited person who invites, as what, and joins by one press', async () => {
    const org = await createOrg(world, { name: 'Ovenbird <Sons>', domain: 'ovenbird.example' })
    const { email, link, token } = await invite(org)
    const guest = await person(email)
    const { status, html } = await pageOf(await guest.browser.get(link))
    expect(status).toBe(200)
    expect(html).toContain('Ovenbird &lt;Sons&gt;')
    expect(html).toContain('<strong>editor</strong>')
    expect(html).toMatch(/Invited by Ada, owner-\d+@example\.com\./)
    expect(html).toContain('Verified domain: ovenbird.example.')
    expect(html).toContain('action="/org/join"')
    const answer = await guest.browser.post('/org/join', { token })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard?done=joined'])
    expect(await world.roleOf(org.id, guest.id)).toBe('editor')
    expect(await world.accountType(guest.id)).toBe('producer')
    expect((await ask(guest, 'GET', '/api/org/')).body).toMatchObject({ org_id: org.id, role: 'editor' })
    const [, joined] = await world.history(org.id)
    expect(joined).toMatchObject({
      action: 'team.joined',
      actor_id: guest.id,
      detail: { user_id: guest.id, role: 'editor' },
    })
    const again = await pageOf(await guest.browser.get(link))
    expect(again.status).toBe(410)
    expect(again.html).toContain('This invitation was already used.')
    expect((await guest.browser.post('/org/join', { token })).status).toBe(410)
  })

  test('asks who is not signed in to sign in or up, and brings them back', async () => {
    const org = await createOrg(world)
    const { email, link, token } = await invite(org)
    const browser = createBrowser(world)
    const { status, html } = await pageOf(await browser.get(link))
    expect(status).toBe(200)
    const returnTo = `return_to=${encodeURIComponent(link)}`
    expect(html).toContain(`/auth/signin?${returnTo}`)
    expect(html).toContain(`/auth/signup?${returnTo}`)
    expect(html).not.toContain('action="/org/join"')
    expect((await browser.post('/org/join', { token })).status).toBe(401)
    await browser.post('/auth/signup', { email, password: PASSWORD, name: 'Guest', return_to: link })
    const back = await browser.get(await mailbox.link(email))
    expect(back.headers.get('location')).toBe(link)
    expect((await browser.post('/org/join', { token })).status).toBe(303)
  })

  test('tells who is signed in as somebody else, and offers another account', async () => {
    const org = await createOrg(world, { verified: false })
    const { email, link, token } = await invite(org)
    const other = await person('somebody-else@people.example')
    const { html } = await pageOf(await other.browser.get(link))
    expect(html).toContain(`You’re signed in as ${other.email}, but this invitation is for ${email}.`)
    expect(html).toContain('action="/auth/signout"')
    expect(html).toContain('has no verified domain')
    expect((await other.browser.post('/org/join', { token })).status).toBe(403)
    expect(await world.roleOf(org.id, other.id)).toBeNull()
  })

  test('tells whose address is not confirmed to confirm it', async () => {
    const org = await createOrg(world)
    const { email, link, token } = await invite(org)
    const guest = await person(email, { verified: false })
    expect((await pageOf(await guest.browser.get(link))).html).toContain('Verify your email first.')
    expect((await guest.browser.post('/org/join', { token })).status).toBe(403)
    expect(await world.roleOf(org.id, guest.id)).toBeNull()
  })

  test('an unknown token is 404, one that has run out 410', async () => {
    const org = await createOrg(world)
    const { link, token, email } = await invite(org)
    const guest = await person(email)
    for (const path of ['/org/join', '/org/join?token=', '/org/join?token=souk_invite_x'])
      expect((await guest.browser.get(path)).status).toBe(404)
    expect((await guest.browser.post('/org/join', { token: 'souk_invite_x' })).status).toBe(404)
    world.clock.advance(7 * DAY)
    const { status, html } = await pageOf(await guest.browser.get(link))
    expect([status, html.includes('has expired')]).toEqual([410, true])
    expect((await guest.browser.post('/org/join', { token })).status).toBe(410)
    expect(await world.roleOf(org.id, guest.id)).toBeNull()
  })

  test('a post from another site joins nothing, and the page is kept by nobody', async () => {
    const org = await createOrg(world)
    const { email, token, link } = await invite(org)
    const guest = await person(email)
    expect(
      (await guest.browser.post('/org/join', { token }, { origin: 'https://evil.example' })).status,
    ).toBe(403)
    expect(await world.roleOf(org.id, guest.id)).toBeNull()
    const page = await guest.browser.get(link)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
  })

  test('nobody joins a deactivated organization', async () => {
    const org = await createOrg(world)
    const { email, token } = await invite(org)
    const guest = await person(email)
    await world.database.db
      .updateTable('orgs')
      .set({ deactivated_at: world.clock.now() })
      .where('id', '=', org.id)
      .execute()
    expect((await guest.browser.post('/org/join', { token })).status).toBe(403)
    expect((await ask(guest, 'POST', ACCEPT, { token })).body.code).toBe('org_deactivated')
    expect(await world.roleOf(org.id, guest.id)).toBeNull()
  })
})

describe('the API', () => {
  test('accepts for a session, once', async () => {
    const org = await createOrg(world)
    const { email, token } = await invite(org, { role: 'owner' })
    const guest = await person(email)
    const answer = await ask(guest, 'POST', ACCEPT, { token })
    expect([answer.status, answer.body]).toEqual([200, { org_id: org.id, role: 'owner' }])
    expect((await ask(guest, 'POST', ACCEPT, { token })).body).toMatchObject({
      code: 'not_found',
      field: 'token',
    })
    expect(await world.actions(org.id)).toEqual(['team.invited', 'team.joined'])
  })

  test('another person’s invitation is 403, an unconfirmed address EMAIL_UNVERIFIED_CODE, an unknown token 404', async () => {
    const org = await createOrg(world)
    const { token, email } = await invite(org)
    const other = await person('other@people.example')
    expect((await ask(other, 'POST', ACCEPT, { token })).status).toBe(403)
    const guest = await person(email, { verified: false })
    expect((await ask(guest, 'POST', ACCEPT, { token })).body.code).toBe('EMAIL_UNVERIFIED_CODE')
    expect((await ask(guest, 'POST', ACCEPT, { token: 'x' })).status).toBe(404)
    expect((await ask(guest, 'POST', ACCEPT, {})).status).toBe(400)
  })
})

/** A deactivated account: no way leads in, nobody outside can tell, and what is not the person's own goes on. */
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { deactivateAccount, reactivateAccount, revokeAdmin } from '../../src/accounts/admin.service.ts'
import { createSession, findSession } from '../../src/accounts/sessions.service.ts'
import { signInWithPassword } from '../../src/accounts/signin.service.ts'
import { revokeAllGrants } from '../../src/oauth/grants.service.ts'
import { createOrgAccountHooks } from '../../src/orgs/account-hooks.ts'
import { comparableHeaders, createBrowser, createMailbox, PASSWORD, signIn } from '../accounts.ts'
import { runAdmin } from '../admin-command.ts'
import { addMember, call, createOrg } from '../orgs.ts'
import { createOauthWorld, pkce, REDIRECT } from './oauth.world.ts'

const world = await createOauthWorld()
const mailbox = createMailbox(world)
const { db } = world.database
const VISIT = { ip: null, userAgent: null, requestId: null }
const ctx = {
  ...world.accounts,
  hooks: {
    ...world.accounts.hooks,
    revokeAccess: async (tx: typeof db, userId: string) =>
      void (await revokeAllGrants({ ...world.oauth, db: tx }, userId)),
    onDeactivate: createOrgAccountHooks(world.orgs).onDeactivate,
  },
}

const idOf = async (email: string) =>
  (await db.selectFrom('users').select('id').where('email_key', '=', email).executeTakeFirstOrThrow()).id

async function face(response: Response) {
  return { status: response.status, headers: comparableHeaders(response), body: await response.text() }
}

const listTools = (bearer: string) =>
  world.app.request('/mcp', {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      Authorization: `Bearer ${bearer}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })

/** Somebody with everything that lets one in: a password, a session, links in mails, a code and tokens. */
async function somebody(email: string) {
  const person = await signIn(world, { email, verified: true })
  const clientId = await world.register()
  const redeem = async () => {
    const { verifier, challenge } = pkce()
    const code = await world.obtainCode({ clientId, cookie: person.cookie, challenge })
    const common = { grant_type: 'authorization_code', redirect_uri: REDIRECT, client_id: clientId }
    return new URLSearchParams({ ...common, code, code_verifier: verifier })
  }
  const tokens = (await (await world.token(await redeem())).json()) as Record<string, string>
  const unredeemed = await redeem()
  await createBrowser(world).post('/auth/magic', { email })
  const magic = await mailbox.link(email)
  await createBrowser(world).post('/auth/reset', { email })
  const reset = await mailbox.link(email)
  return { ...person, clientId, unredeemed, magic, reset, access: tokens.access_token ?? '', tokens }
}

describe('a deactivated account', () => {
  test('lets nobody in by password, session, link, code or token, from that moment on', async () => {
    const eve = await somebody('eve@example.com')
    const browser = createBrowser(world)
    browser.setCookie(eve.cookie)
    expect((await browser.get('/account')).status).toBe(200)
    expect((await listTools(eve.access)).status).toBe(200)
    expect(await runAdmin(world, 'deactivate-user', 'Eve@example.com')).toMatchObject({ code: 0 })

    expect((await browser.get('/account')).status).toBe(303)
    expect((await call(world, { cookie: eve.cookie }, 'GET', '/api/org/')).status).toBe(401)
    expect((await listTools(eve.access)).status).toBe(401)
    const refreshed = await world.token(
      new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: eve.tokens.refresh_token ?? '',
        client_id: eve.clientId,
      }),
    )
    expect([refreshed.status, await refreshed.json()]).toMatchObject([400, { error: 'invalid_grant' }])
    expect((await world.token(eve.unredeemed)).status).toBe(400)
    expect((await createBrowser(world).get(eve.magic)).status).toBe(400)
    const token = new URL(eve.reset, 'http://x').searchParams.get('token') ?? ''
    const set = await createBrowser(world).post('/auth/reset', { token, password: 'one more good 42' })
    expect(set.status).toBe(400)
    const again = await browser.post('/auth/signin', { email: 'eve@example.com', password: PASSWORD })
    expect(again.status).toBe(401)
    expect(
      (await sql`select 1 from sessions where user_id = ${await idOf('eve@example.com')}`.execute(db)).rows,
    ).toEqual([])
  })

  test('is answered as one with another password, to the letter, and so is every other question', async () => {
    await signIn(world, { email: 'mallory@example.com', verified: true })
    await signIn(world, { email: 'other@example.com', verified: true })
    await runAdmin(world, 'deactivate-user', 'mallory@example.com')
    const ask = async (path: string, email: string, password: string) => {
      const { body, ...rest } = await face(
        await createBrowser(world).post(path, { email, password, name: '' }),
      )
      return { ...rest, body: body.replaceAll(email, 'EMAIL') }
    }
    const wrong = await ask('/auth/signin', 'other@example.com', 'not the password')
    expect(await ask('/auth/signin', 'mallory@example.com', PASSWORD)).toEqual(wrong)
    for (const path of ['/auth/magic', '/auth/reset', '/auth/signup', '/auth/verify'])
      expect(await ask(path, 'mallory@example.com', PASSWORD)).toEqual(
        await ask(path, 'other@example.com', PASSWORD),
      )
    const mails = (await mailbox.mails('mallory@example.com')).slice(1)
    expect(new Set(mails.map(({ subject }) => subject))).toEqual(
      new Set(['Souk: Your account is deactivated']),
    )
    expect(mails.length).toBe((await mailbox.mails('other@example.com')).length - 1)
    expect(mails.map(({ text, html }) => text + html).join()).not.toContain('token=')
  })

  test('is opened again for its password, and for nothing that was given out before', async () => {
    const ada = await somebody('ada@example.com')
    await runAdmin(world, 'deactivate-user', 'ada@example.com')
    expect((await runAdmin(world, 'users')).out).toContain('ada@example.com\tconsumer\tdeactivated\t')
    await runAdmin(world, 'reactivate-user', 'ada@example.com')
    const browser = createBrowser(world)
    browser.setCookie(ada.cookie)
    expect((await browser.get('/account')).status).toBe(303)
    expect((await listTools(ada.access)).status).toBe(401)
    expect((await world.token(ada.unredeemed)).status).toBe(400)
    expect((await createBrowser(world).get(ada.magic)).status).toBe(400)
    const signedIn = await browser.post('/auth/signin', { email: 'ada@example.com', password: PASSWORD })
    expect(signedIn.status).toBe(303)
    expect(await (await browser.get('/account/history')).text()).toContain('Account deactivated')
  })

  test('leaves its organization and what others made for that as they were; its own link tokens end', async () => {
    const org = await createOrg(world)
    const other = await addMember(world, org, 'admin')
    const made = await call(world, other, 'POST', '/api/org/link-tokens/', { name: 'another’s' })
    await deactivateAccount(ctx, org.ownerId)
    expect((await call(world, org.session, 'GET', '/api/org/')).status).toBe(401)
    expect((await call(world, org.bearer, 'GET', '/api/org/')).status).toBe(401)
    const self = await call(world, { bearer: String(made.body.token) }, 'GET', '/api/org/')
    expect(self).toMatchObject({ status: 200, body: { org_id: org.id } })
  })

  test('is not left alone with its organization: the last owner who can act stays', async () => {
    const org = await createOrg(world)
    const other = await addMember(world, org, 'owner')
    await deactivateAccount(ctx, other.userId)
    const leave = () => call(world, org.session, 'POST', '/api/org/leave/', { org_id: org.id })
    expect((await leave()).body).toMatchObject({
      code: 'conflict',
      error: expect.stringContaining('last owner'),
    })
    await reactivateAccount(ctx, other.userId)
    expect((await leave()).status).toBe(200)
  })

  test('lets nobody in by an invitation that it had sent, until it is opened again', async () => {
    const org = await createOrg(world)
    const admin = await addMember(world, org, 'admin')
    await call(world, admin, 'PATCH', '/api/org/team/', { email: 'second@example.com', role: 'admin' })
    const path = await mailbox.link('second@example.com')
    const token = new URL(path, 'http://souk.test').searchParams.get('token')
    const second = await signIn(world, { email: 'second@example.com', verified: true })
    const accept = () => call(world, second, 'POST', '/api/org/invitations/accept/', { token })
    await deactivateAccount(ctx, admin.userId)
    expect(await accept()).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining('withdrawn') },
    })
    expect((await second.browser.get(path)).status).toBe(410)
    await reactivateAccount(ctx, admin.userId)
    expect(await accept()).toMatchObject({ status: 200, body: { org_id: org.id, role: 'admin' } })
  })

  test('gets no session from a sign-in that was under way', async () => {
    await signIn(world, { email: 'quick@example.com', verified: true })
    const userId = await idOf('quick@example.com')
    const tries = Array.from({ length: 4 }, () =>
      signInWithPassword(ctx, {
        email: 'quick@example.com',
        password: PASSWORD,
        visit: VISIT,
        replaces: null,
      }).catch(() => null),
    )
    await deactivateAccount(ctx, userId)
    for (const signedIn of await Promise.all(tries))
      if (signedIn) expect(await findSession(ctx, signedIn.token)).toBeNull()
    await expect(createSession(ctx, { userId, visit: VISIT, replaces: null })).rejects.toThrow('sign in')
    expect((await sql`select 1 from sessions where user_id = ${userId}`.execute(db)).rows).toEqual([])
  })
})

describe('operators', () => {
  const by = (id: string) => ({ actor: { kind: 'user' as const, id }, visit: VISIT })

  test('who deactivate each other at once leave one, who cannot be deactivated', async () => {
    const [one, two] = [await world.addPerson({ admin: true }), await world.addPerson({ admin: true })]
    const results = await Promise.allSettled([
      deactivateAccount(ctx, one.id, by(two.id)),
      deactivateAccount(ctx, two.id, by(one.id)),
    ])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const last = results[0]?.status === 'fulfilled' ? two : one
    await expect(deactivateAccount(ctx, last.id)).rejects.toThrow('last operator')
    await expect(deactivateAccount(ctx, last.id, by(last.id))).rejects.toThrow('your own account')
    await expect(revokeAdmin(ctx, last.id, by(last.id))).rejects.toThrow('your own operator role')
    const gone = last === one ? two : one
    await expect(reactivateAccount(ctx, gone.id, by(gone.id))).rejects.toThrow('no longer an operator')
  })

  test('are made and unmade on the command line, which says who stays one by configuration', async () => {
    const { email } = await signIn(world, { email: 'op@example.com' })
    expect((await runAdmin(world, 'verify-user', email)).err).toContain('is now confirmed')
    expect((await runAdmin(world, 'make-admin', email)).err).not.toContain('not confirmed')
    expect((await runAdmin(world, 'users')).out).toMatch(
      /^op@example.com\tconsumer\tconfirmed\toperator\t\S+Z\tAda$/m,
    )
    expect((await runAdmin(world, 'revoke-admin', email)).err).toContain('is no longer an operator')
    const named = { ...ctx, config: { ...ctx.config, adminEmails: [email] } }
    expect(await revokeAdmin(named, email)).toEqual({ changed: false, named: true })
    await expect(runAdmin(world, 'deactivate-user', 'nobody@example.com')).rejects.toThrow('no account has')
  })
})

/** The operator's pages about people and organizations. */
import { beforeAll, describe, expect, test } from 'vitest'
import { listAudit } from '../../src/accounts/audit.service.ts'
import { newId } from '../../src/lib/ids.ts'
import { createBrowser, PASSWORD, signIn } from '../accounts.ts'
import { createTestApp, testConfig } from '../harness.ts'
import { addMember, call, createOrg } from '../orgs.ts'

const souk = await createTestApp({ config: testConfig({ SOUK_ADMIN_EMAILS: 'named@example.com' }) })
const { db } = souk.database
let operator: Awaited<ReturnType<typeof signInOperator>>

const idOf = async (email: string) =>
  (await db.selectFrom('users').select('id').where('email_key', '=', email).executeTakeFirstOrThrow()).id

async function signInOperator(email: string) {
  const { cookie } = await signIn(souk, { email, verified: true })
  const id = await idOf(email)
  await db.updateTable('users').set({ is_admin: true }).where('id', '=', id).execute()
  const browser = createBrowser(souk)
  browser.setCookie(cookie)
  const text = async (path: string) => (await browser.get(path)).text()
  const act = async (path: string, act: string) => {
    const response = await browser.post(path, { act })
    const location = response.headers.get('location')
    return { status: response.status, page: location ? await text(location) : await response.text() }
  }
  return { id, cookie, browser, text, act }
}

beforeAll(async () => {
  operator = await signInOperator('op@example.com')
})

describe('the pages about people', () => {
  test('are not there for anybody else, nor are their forms', async () => {
    const org = await createOrg(souk)
    const paths = [
      '/admin/users',
      `/admin/users/${operator.id}`,
      '/admin/organizations',
      `/admin/organizations/${org.id}`,
    ]
    for (const path of paths) {
      const nobody = createBrowser(souk)
      const owner = createBrowser(souk)
      owner.setCookie(org.session.cookie)
      for (const browser of [nobody, owner]) {
        expect([path, (await browser.get(path)).status]).toEqual([path, 404])
        if (!/[-\d]/.test(path)) continue
        const { status } = await browser.post(path, { act: 'deactivate' })
        // Somebody whose session ended is led to sign in; who is no operator then finds nothing.
        expect([path, status]).toEqual([path, browser === nobody ? 303 : 404])
      }
    }
    const foreign = { origin: 'https://evil.example' }
    const path = `/admin/organizations/${org.id}`
    expect((await operator.browser.post(path, { act: 'deactivate' }, foreign)).status).toBe(403)
    expect((await call(souk, org.session, 'GET', '/api/org/')).body).toMatchObject({ active: true })
  })

  test('find accounts by part of the address or the name, in any state, page by page', async () => {
    await signIn(souk, { email: 'grace.hopper@example.com', name: 'Grace & Hopper' })
    const found = await operator.text('/admin/users?q=HOPPER')
    expect(found).toContain('grace.hopper@example.com')
    expect(found).toContain('Grace &amp; Hopper')
    expect(found).toContain('Email not confirmed')
    expect(found).not.toContain('op@example.com')
    expect(await operator.text('/admin/users?q=%25')).toContain('No users match')
    expect(await operator.text('/admin/users?state=operator')).toContain('op@example.com')
    expect(await operator.text('/admin/users?state=operator')).not.toContain('grace.hopper')

    const at = new Date('2026-10-01T00:00:00Z')
    await db
      .insertInto('users')
      .values(
        Array.from({ length: 60 }, (_, n) => {
          const email = `many-${String(n).padStart(2, '0')}@many.example`
          return {
            id: newId(),
            email,
            email_key: email,
            password_hash: null,
            email_verified_at: at,
            created_at: at,
          }
        }),
      )
      .execute()
    const pages: string[] = []
    for (let path: string | null = '/admin/users?q=many.example'; path !== null; ) {
      const page = await operator.text(path)
      pages.push(page)
      path = /href="([^"]+)" rel="next"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? null
    }
    const listed = pages.flatMap((page) =>
      [...page.matchAll(/>(many-\d\d@many\.example)</g)].map(([, one]) => one),
    )
    expect([pages.length, listed.length, new Set(listed).size]).toEqual([2, 60, 60])
    const file = await operator.text('/admin/users?q=many.example&format=csv')
    expect(file.match(/many-\d\d@many\.example/g)).toHaveLength(60)
  })

  test('take any text to look for, even one that nothing can be called', async () => {
    for (const list of ['users', 'organizations'])
      for (const text of ['%00', 'op%00', '%25', '_', '%5C', '%27'])
        expect([list, text, (await operator.browser.get(`/admin/${list}?q=${text}`)).status]).toEqual([
          list,
          text,
          200,
        ])
  })

  test('tell an account’s facts and no secret', async () => {
    const org = await createOrg(souk, { name: 'Fact Shop' })
    const { email, cookie } = await signIn(souk, { email: 'facts@example.com', verified: true })
    const { password_hash } = await db
      .selectFrom('users')
      .select('password_hash')
      .where('email_key', '=', email)
      .executeTakeFirstOrThrow()
    const page = await operator.text(`/admin/users/${await idOf(email)}`)
    expect(page).toContain('Password or email link')
    expect(page).toContain('Signin')
    for (const secret of [password_hash ?? '', cookie.split('=')[1] ?? '']) expect(page).not.toContain(secret)
    const owner = await operator.text(`/admin/users/${org.ownerId}`)
    expect(owner).toContain(`href="/admin/organizations/${org.id}"`)
    expect(owner).toContain('Email link only')
    for (const path of ['/admin/users/nobody', `/admin/users/${org.id}`])
      expect((await operator.browser.get(path)).status).toBe(404)
  })

  test('close an account and its apps at once, open it again, and both are in its history', async () => {
    const { email, cookie } = await signIn(souk, { email: 'close@example.com', verified: true })
    const id = await idOf(email)
    const path = `/admin/users/${id}`
    await db
      .insertInto('oauth_grants')
      .values({
        id: newId(),
        user_id: id,
        client_id: 'client',
        client_name: 'Helper',
        client_host: 'client.example',
        scope: 'mcp',
        redirect_uris: [],
        revoked_at: null,
      })
      .execute()
    expect(await operator.text(path)).toContain('<dt>Connected apps</dt><dd>1</dd>')
    const closed = await operator.act(path, 'deactivate')
    expect([closed.status, closed.page.includes('They are signed out everywhere')]).toEqual([303, true])
    const browser = createBrowser(souk)
    browser.setCookie(cookie)
    expect((await browser.get('/account')).status).toBe(303)
    expect((await browser.post('/auth/signin', { email, password: PASSWORD })).status).toBe(401)
    expect(await operator.text('/admin/users?state=deactivated')).toContain(email)
    expect(closed.page).toContain('<dt>Connected apps</dt><dd>0</dd>')
    await operator.act(path, 'reactivate')
    expect((await browser.post('/auth/signin', { email, password: PASSWORD })).status).toBe(303)
    const history = await listAudit(souk.accounts, { userId: id })
    const actions = history.filter(({ action }) => /^account\.(de|re)activated$/.test(action))
    expect(actions.map(({ action, actor }) => [action, actor])).toEqual([
      ['account.reactivated', { kind: 'user', id: operator.id }],
      ['account.deactivated', { kind: 'user', id: operator.id }],
    ])
  })

  test('let operators be made and unmade, but nobody do it to themselves', async () => {
    const { email, cookie } = await signIn(souk, { email: 'second@example.com' })
    const path = `/admin/users/${await idOf(email)}`
    expect((await operator.act(path, 'verify')).page).toContain('Email confirmed.')
    await operator.act(path, 'make_admin')
    const second = createBrowser(souk)
    second.setCookie(cookie)
    expect((await second.get('/admin/users')).status).toBe(200)
    await operator.act(path, 'revoke_admin')
    expect((await second.get('/admin/users')).status).toBe(404)
    const own = await operator.text(`/admin/users/${operator.id}`)
    expect(own).not.toContain('value="deactivate"')
    for (const act of ['deactivate', 'revoke_admin']) {
      const refused = await operator.act(`/admin/users/${operator.id}`, act)
      expect([refused.status, refused.page.includes('You cannot')]).toEqual([409, true])
    }
    const { email: named } = await signIn(souk, { email: 'named@example.com' })
    const page = await operator.text(`/admin/users/${await idOf(named)}`)
    expect(page).toContain('confirming it makes them an operator')
  })
})

describe('the pages about organizations', () => {
  test('show who belongs to one and what proves its domain, and its state can be changed', async () => {
    const org = await createOrg(souk, { name: 'Acme Lamps', domain: 'lamps.example', verified: false })
    const editor = await addMember(souk, org, 'editor')
    const path = `/admin/organizations/${org.id}`
    expect(await operator.text('/admin/organizations?q=lamps.ex')).toContain('Acme Lamps')
    expect(await operator.text('/admin/organizations?q=Acme&state=verified')).not.toContain('Acme Lamps')
    const page = await operator.text(path)
    expect(page).toContain(`href="/admin/users/${editor.userId}"`)
    expect((await operator.act(path, 'verify')).page).toContain('Domain verified.')
    const again = await operator.act(path, 'verify')
    expect([again.status, again.page.includes('is already verified')]).toEqual([409, true])
    expect((await operator.act(path, 'deactivate')).page).toContain('no longer live')
    const refused = await call(souk, org.session, 'PATCH', '/api/org/', { name: 'New name' })
    expect(refused).toMatchObject({ status: 403, body: { code: 'org_deactivated' } })
    await operator.act(path, 'reactivate')
    await operator.act(path, 'unverify')
    expect((await call(souk, org.session, 'GET', '/api/org/')).body).toMatchObject({
      active: true,
      verification_status: 'pending',
    })
    const history = await listAudit(souk.orgs, { orgId: org.id })
    expect(history.map(({ action, actor }) => [action, actor.id])).toEqual(
      ['org.unverified', 'org.reactivated', 'org.deactivated', 'org.verified'].map((action) => [
        action,
        operator.id,
      ]),
    )
  })

  test('name an organization by its id only, and nothing happens to one that is not there', async () => {
    await createOrg(souk, { domain: 'taken.example', verified: false })
    for (const path of ['/admin/organizations/taken.example', `/admin/organizations/${operator.id}`]) {
      expect((await operator.browser.get(path)).status).toBe(404)
      expect((await operator.act(path, 'verify')).status).toBe(404)
    }
    const one = await createOrg(souk)
    expect((await operator.act(`/admin/organizations/${one.id}`, 'explode')).status).toBe(400)
  })
})

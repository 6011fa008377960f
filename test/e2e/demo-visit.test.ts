/** Visits to the demo: who may make one, what it may do, and when it ends. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createOperatorLink, DEMO_ACCOUNTS } from '../../src/accounts/demo.service.ts'
import { queueMail } from '../../src/accounts/mail.job.ts'
import { loadDemoSellers } from '../../src/demo/sellers.service.ts'
import { DEMO_SELLERS } from '../../src/demo/sellers.ts'
import { createSecretBox } from '../../src/lib/crypto.ts'
import { INTEGRATION_SECRETS } from '../../src/orgs/integration.service.ts'
import { createDemoDatabase, createTestApp, testConfig } from '../harness.ts'
import { addProduct } from '../products.ts'

const BASE = 'http://localhost:3000'
const OWN = { host: 'localhost:3000' }
const database = await createDemoDatabase()
const { pool } = database
const config = testConfig({ SOUK_BASE_URL: BASE })
const world = await createTestApp({ database, demo: true, config })
const integrationSecrets = createSecretBox(
  'a secret for tests, of at least 32 characters',
  INTEGRATION_SECRETS.purpose,
)
await loadDemoSellers({ db: database.db, clock: world.clock, integrationSecrets })
beforeEach(() => pool.query('delete from users where not demo'))

const SOCKET = (address: string) => ({ incoming: { socket: { remoteAddress: address } } })

type Ask = { form?: Record<string, string>; cookie?: string; headers?: Record<string, string>; ip?: string }

async function ask(path: string, { form, cookie, headers = {}, ip = '127.0.0.1' }: Ask = {}) {
  return world.app.request(
    `${BASE}${path}`,
    {
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      headers: {
        ...OWN,
        accept: 'text/html',
        ...(form && { origin: BASE, 'content-type': 'application/x-www-form-urlencoded' }),
        ...(cookie && { cookie }),
        ...headers,
      },
    },
    SOCKET(ip),
  )
}

const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''

async function visit(): Promise<string> {
  const entered = await ask('/demo/seller', { form: {} })
  expect([entered.status, entered.headers.get('location')]).toEqual([303, '/dashboard'])
  return cookieOf(entered)
}

async function visitAsOperator(): Promise<string> {
  const token = await createOperatorLink(world.accounts)
  return cookieOf(await ask('/demo/operator', { form: { token } }))
}

describe('the dashboard as a demo seller', () => {
  test('one click leads from the sign-in page to the dashboard', async () => {
    expect(await (await ask('/auth/signin')).text()).toContain('Visit the dashboard as a demo seller')
    const cookie = await visit()
    const page = await ask('/dashboard', { cookie })
    const html = await page.text()
    expect(page.status).toBe(200)
    expect(html).toContain(DEMO_SELLERS[0]?.name)
    expect(html).toContain('Demo')
    for (const path of [
      'performance',
      'products',
      'offers',
      'pricing',
      'rfqs',
      'agent',
      'team',
      'tokens',
      'history',
    ])
      expect([path, (await ask(`/dashboard/${path}`, { cookie })).status]).toEqual([path, 200])
  })

  test.each([
    ['from another address', { ip: '192.0.2.7' }],
    ['by another name', { headers: { host: 'evil.example' } }],
    ['through a proxy', { headers: { 'x-forwarded-for': '127.0.0.1' } }],
  ])('%s there is no such thing, nor a visit that began here', async (_, how) => {
    expect((await ask('/demo/seller', { form: {}, ...how })).status).toBe(404)
    const cookie = await visit()
    expect((await ask('/dashboard', { cookie, ...how })).status).toBe(303)
  })

  test('another site cannot make the click', async () => {
    const refused = await ask('/demo/seller', { form: {}, headers: { origin: 'https://evil.example' } })
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
  })

  test('it can change the offers of the demo seller', async () => {
    const cookie = await visit()
    const orgId = DEMO_SELLERS[0]?.id ?? ''
    const { rows } = await pool.query(
      `select id from offers where org_id = $1 and status = 'active' limit 1`,
      [orgId],
    )
    const path = `/dashboard/offers/${rows[0].id}/status`
    expect((await ask(path, { cookie, form: { org_id: orgId, status: 'paused' } })).status).toBe(303)
    const { rows: after } = await pool.query('select status from offers where id = $1', [rows[0].id])
    expect(after).toEqual([{ status: 'paused' }])
  })

  test.each([
    '/dashboard/tokens/create',
    '/dashboard/team/invite',
    '/dashboard/organization/edit',
    '/dashboard/organization/verify',
    '/dashboard/agent',
    '/dashboard/import',
    '/dashboard/products/new',
  ])('it cannot post to %s', async (path) => {
    const cookie = await visit()
    const form = { org_id: DEMO_SELLERS[0]?.id ?? '', name: 'x', email: 'a@example.com', role: 'owner' }
    expect((await ask(path, { cookie, form })).status).toBe(403)
  })

  test('it is nobody everywhere else', async () => {
    const cookie = await visit()
    expect((await ask('/account', { cookie })).status).toBe(303)
    expect((await ask('/admin', { cookie })).status).toBe(404)
    expect((await ask('/api/org/', { cookie, headers: { accept: 'application/json' } })).status).toBe(401)
    const form = { name: 'Mine', org_type: 'retailer' }
    const toSignIn = await ask('/dashboard/organization/new', { cookie, form })
    expect(toSignIn.headers.get('location')).toMatch(/^\/auth\/signin/)
    const registered = await world.app.request(`${BASE}/api/org/register/`, {
      method: 'POST',
      headers: { ...OWN, cookie, origin: BASE, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Mine', org_type: 'retailer' }),
    })
    expect(registered.status).toBe(401)
  })

  test('it ends with the first real account, and with the first real product', async () => {
    const cookie = await visit()
    await pool.query(
      `insert into users (id, email, email_key) values (gen_random_uuid(), 'a@example.com', 'a@example.com')`,
    )
    expect((await ask('/dashboard', { cookie })).status).toBe(303)
    expect((await ask('/demo/seller', { form: {} })).status).toBe(404)
    expect(await (await ask('/auth/signin')).text()).not.toContain('demo seller')
    await pool.query('delete from users where not demo')
    expect((await ask('/dashboard', { cookie })).status).toBe(200)
    await addProduct(world, { slug: 'real-kettle', category: 'kettles', title: 'A real kettle' })
    expect((await ask('/dashboard', { cookie })).status).toBe(303)
    await pool.query(`delete from products where slug = 'real-kettle'`)
  })
})

describe('the operator by a link', () => {
  test('it shows a button, and works once', async () => {
    const token = await createOperatorLink(world.accounts)
    const { rows } = await pool.query(
      `select value::text as kept from settings where name = 'demo_operator_link'`,
    )
    expect(rows[0].kept).not.toContain(token)
    const shown = await ask(`/demo/operator?token=${token}`)
    expect([shown.status, shown.headers.get('set-cookie')]).toEqual([200, null])
    const entered = await ask('/demo/operator', { form: { token } })
    expect(entered.headers.get('location')).toBe('/admin')
    expect((await ask('/admin', { cookie: cookieOf(entered) })).status).toBe(200)
    expect((await ask('/demo/operator', { form: { token } })).status).toBe(404)
    expect((await ask(`/demo/operator?token=${token}`)).status).toBe(404)
  })

  test('it expires after 15 minutes', async () => {
    const token = await createOperatorLink(world.accounts)
    world.clock.advance(15 * 60_000)
    expect((await ask('/demo/operator', { form: { token } })).status).toBe(404)
  })

  test('it reads everything and changes nothing', async () => {
    const cookie = await visitAsOperator()
    for (const path of ['users', 'organizations'])
      expect([path, (await ask(`/admin/${path}`, { cookie })).status]).toEqual([path, 200])
    const org = DEMO_SELLERS[1]?.id
    const refused = await ask(`/admin/organizations/${org}`, { cookie, form: { act: 'deactivate' } })
    expect(refused.status).toBe(403)
    expect((await ask('/dashboard', { cookie })).status).toBe(303)
    expect((await ask('/account', { cookie })).status).toBe(303)
  })

  test('operators see which accounts and organizations are of the demo', async () => {
    const cookie = await visitAsOperator()
    expect(await (await ask('/admin/users', { cookie })).text()).toMatch(/seller@demo\.invalid[\s\S]*Demo/)
    expect(await (await ask('/admin/organizations', { cookie })).text()).toMatch(/Marlowe Market[\s\S]*Demo/)
  })
})

test('accounts of the demo get no mail', async () => {
  const waiting = async () => (await pool.query(`select 1 from jobs where kind = 'mail.send'`)).rows.length
  const before = await waiting()
  const letter = { kind: 'magic', link: `${BASE}/x`, expiresAt: null } as const
  await queueMail(world.accounts, { ...letter, to: DEMO_ACCOUNTS.seller.email })
  await ask('/auth/magic', { form: { email: DEMO_ACCOUNTS.seller.email } })
  expect(await waiting()).toBe(before)
})

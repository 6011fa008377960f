/** `POST /api/org/register/`: every row of the error table, and when a domain counts as proved at once. */
import { describe, expect, test } from 'vitest'
import { findSession } from '../../src/accounts/sessions.service.ts'
import { registerOrg } from '../../src/orgs/register.service.ts'
import { createOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask, person, pool } = { ...world, pool: world.database.pool }
const REGISTER = '/api/org/register/'
const GOOD = { name: 'Acme', org_type: 'manufacturer' }
const ada = await person('ada@people.example')

async function countOrgs(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*) as count from orgs')
  return rows[0]?.count ?? -1
}

describe('400', () => {
  const long = { name: 'x'.repeat(256) }
  test.each([
    ['no name', { org_type: 'retailer' }, { field: 'name' }],
    ['an empty name', { ...GOOD, name: '  ' }, { field: 'name' }],
    ['a name of markup only', { ...GOOD, name: '<b></b>' }, { field: 'name' }],
    ['a name that is a number', { ...GOOD, name: 7 }, { field: 'name' }],
    ['a name of 256 characters', { ...GOOD, ...long }, { field: 'name', max: 255 }],
    ['no org_type', { name: 'Acme' }, { field: 'org_type' }],
    [
      'an org_type of our own invention',
      { ...GOOD, org_type: 'bazaar' },
      { field: 'org_type', valid: ['manufacturer', 'retailer', 'distributor'] },
    ],
    ['an IP address as domain', { ...GOOD, domain: '127.0.0.1' }, { field: 'domain' }],
    ['a single label as domain', { ...GOOD, domain: 'acme' }, { field: 'domain' }],
    ['a domain with a user name', { ...GOOD, domain: 'https://a@acme.example' }, { field: 'domain' }],
    ['a domain that is no text', { ...GOOD, domain: ['acme.example'] }, { field: 'domain' }],
    ['a website_url that is a path', { ...GOOD, website_url: '/shop' }, { field: 'website_url' }],
    ['a website_url that runs', { ...GOOD, website_url: 'javascript:alert(1)' }, { field: 'website_url' }],
    [
      'a website_url with a password',
      { ...GOOD, website_url: 'https://a:b@acme.example/' },
      { field: 'website_url' },
    ],
    ['a shop elsewhere', { ...GOOD, shopify_shop: 'acme.example' }, { field: 'shopify_shop' }],
  ])('%s is refused with its field', async (_what, body, envelope) => {
    const before = await countOrgs()
    const answer = await ask(ada, 'POST', REGISTER, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: expect.stringMatching(/\w/), ...envelope })
    expect(await countOrgs()).toBe(before)
  })

  test('a body that is not JSON is refused', async () => {
    expect(await ask(ada, 'POST', REGISTER, '{"name":')).toMatchObject({ status: 400 })
    expect(await ask(ada, 'POST', REGISTER, '[]')).toMatchObject({ status: 400 })
  })
})

test('401: nobody, a stale cookie and a link token are refused before the body is read', async () => {
  const org = await createOrg(world)
  for (const who of [null, { cookie: 'souk_session=souk_session_nobody' }, org.bearer, { bearer: 'x' }]) {
    const answer = await ask(who, 'POST', REGISTER, '{')
    expect(answer.status).toBe(401)
    expect(answer.body).toEqual({ error: expect.any(String), code: 'unauthenticated' })
  }
})

test('403: who has not confirmed the mail address is told so, after the body was found good', async () => {
  const bob = await person('bob@people.example', { verified: false })
  const answer = await ask(bob, 'POST', REGISTER, GOOD)
  expect(answer.status).toBe(403)
  expect(answer.body).toEqual({ error: expect.any(String), code: 'EMAIL_UNVERIFIED_CODE' })
  expect((await ask(bob, 'POST', REGISTER, { name: 'Acme' })).status).toBe(400)
  expect(await world.accountType(bob.id)).toBe('consumer')
})

test.each([
  ['creating the organization', 'orgs'],
  ['making its owner', 'org_members'],
  ['updating the account type', 'users'],
])(
  '500: a database error while %s is an envelope without details, and nothing is left',
  async (_what, table) => {
    const carol = await person(`carol-${table}@people.example`)
    await pool.query(
      `create function fail() returns trigger language plpgsql as $$ begin raise exception 'secret detail'; end $$`,
    )
    await pool.query(
      `create trigger fail before insert or update on ${table} for each row execute function fail()`,
    )
    const before = await countOrgs()
    try {
      const answer = await ask(carol, 'POST', REGISTER, GOOD)
      expect(answer.status).toBe(500)
      expect(answer.body).toEqual({ error: expect.any(String), code: 'internal' })
      expect(JSON.stringify(answer.body)).not.toContain('secret detail')
      expect(answer.headers.get('x-request-id')).toMatch(/\w/)
    } finally {
      await pool.query('drop function fail cascade')
    }
    expect(await countOrgs()).toBe(before)
    expect(await world.accountType(carol.id)).toBe('consumer')
  },
)

test('403: a post that another site made the browser send is refused', async () => {
  const headers = { 'sec-fetch-site': 'cross-site' }
  const { app } = world
  const answer = await app.request(`http://souk.test${REGISTER}`, {
    method: 'POST',
    headers: { ...headers, cookie: ada.cookie, 'content-type': 'application/json' },
    body: JSON.stringify(GOOD),
  })
  expect(answer.status).toBe(403)
})

describe('201', () => {
  test('the caller becomes its owner and a producer, the session acts for it, and it is recorded once', async () => {
    const dora = await person('dora@people.example')
    const first = await world.register(dora, { name: '  Dora  &  Daughters ' })
    expect(first).toEqual({
      org_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      verification_status: 'pending',
      skipped_verification: false,
      pending_reason: 'no_domain',
      next_step: expect.stringContaining("Set the organization's domain"),
    })
    expect(await world.roleOf(first.org_id, dora.id)).toBe('owner')
    expect(await world.accountType(dora.id)).toBe('producer')
    expect((await world.row(first.org_id)).name).toBe('Dora & Daughters')
    const second = await world.register(dora, { name: 'Second' })
    expect((await ask(dora, 'GET', '/api/org/')).body).toMatchObject({ org_id: second.org_id, role: 'owner' })
    const history = await world.history(first.org_id)
    expect(history).toMatchObject([
      {
        action: 'org.registered',
        actor_kind: 'user',
        actor_id: dora.id,
        detail: { org_type: 'retailer', domain: null, verification_status: 'pending' },
      },
    ])
  })

  test('works with and without the trailing slash, and with null for what is absent', async () => {
    const body = { ...GOOD, domain: null, website_url: null, shopify_shop: null }
    expect((await ask(ada, 'POST', '/api/org/register', body)).status).toBe(201)
  })

  test('what is given is kept in one spelling', async () => {
    const { org_id } = await world.register(ada, {
      name: 'Acme',
      domain: 'https://WWW.Bücher-Laden.example:443/impressum',
      website_url: 'https://Acme.example/a b',
      shopify_shop: 'https://ACME-Shop.myshopify.com/admin',
    })
    expect(await world.row(org_id)).toMatchObject({
      domain: 'xn--bcher-laden-thb.example',
      website_url: 'https://acme.example/a%20b',
      shopify_shop: 'acme-shop.myshopify.com',
      verification_status: 'pending',
    })
  })

  test('the domain of the caller’s own confirmed address is verified at once', async () => {
    const eva = await person('eva@eva-works.example')
    const registered = await world.register(eva, { name: 'Eva', domain: 'https://www.Eva-Works.example/' })
    expect(registered).toMatchObject({ verification_status: 'verified', skipped_verification: true })
    expect(await world.row(registered.org_id)).toMatchObject({
      domain: 'eva-works.example',
      verification_status: 'verified',
      verified_via: 'email_domain',
      verified_at: world.clock.now(),
    })
  })

  test.each([
    ['a freemail domain', 'frida@gmail.com', 'gmail.com'],
    ['a domain above that of the address', 'gus@mail.gus.example', 'gus.example'],
    ['a domain below that of the address', 'hal@hal.example', 'shop.hal.example'],
    ['the domain whose www host the address is at', 'ida@www.ida.example', 'ida.example'],
    ['a domain that only ends alike', 'jo@evil-jo.example', 'jo.example'],
  ])('%s is not proved by the address', async (_what, email, domain) => {
    const registered = await world.register(await person(email), { name: 'X', domain })
    expect(registered).toMatchObject({ verification_status: 'pending', skipped_verification: false })
    expect(await world.row(registered.org_id)).toMatchObject({
      domain,
      verified_via: null,
      verified_at: null,
    })
  })

  test('a domain that another organization has verified is only claimed', async () => {
    const kim = await person('kim@shared.example')
    const lee = await person('lee@shared.example')
    expect((await world.register(kim, { name: 'Kim', domain: 'shared.example' })).verification_status).toBe(
      'verified',
    )
    expect((await world.register(lee, { name: 'Lee', domain: 'shared.example' })).verification_status).toBe(
      'pending',
    )
  })

  test('a person owns at most 20 organizations', async () => {
    const max = await person('max@people.example')
    for (let n = 0; n < 20; n++) await world.register(max, { name: `Shop ${n}` })
    const answer = await ask(max, 'POST', REGISTER, GOOD)
    expect([answer.status, answer.body.code, answer.body.max]).toEqual([409, 'conflict', 20])
  })

  test('a session that ended meanwhile makes no organization', async () => {
    const nia = await person('nia@people.example')
    const before = await countOrgs()
    const caller = await findSession(world.accounts, nia.cookie.split('=')[1] ?? '')
    if (!caller) throw new Error('not signed in')
    await pool.query('delete from sessions where user_id = $1', [nia.id])
    const visit = { ip: null, userAgent: null, requestId: null }
    await expect(
      registerOrg(world.orgs, { caller, visit }, { name: 'Late', org_type: 'retailer' }),
    ).rejects.toMatchObject({ kind: 'unauthenticated' })
    expect(await countOrgs()).toBe(before)
  })
})

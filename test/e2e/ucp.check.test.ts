/**
 * The UCP check, over HTTP. The domain and the shop are servers over TLS on loopback that are reached by
 * name; which one was asked, and how often, is read from what reached them.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { all, one, run } from '../../src/db/rows.ts'
import { signIn } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { addMember, type Credential, call, createOrg, type TestOrg } from '../orgs.ts'
import { rehearse } from '../rehearse.ts'
import { createSite, UCP_CHECK } from './integration.world.ts'

const SHOP = 'acme-shop.myshopify.com'
const site = await createSite(['acme.example', SHOP])
const souk = await createTestApp({ outbound: site.outbound })
const { db } = souk.database
const both = await createOrg(souk, { domain: 'acme.example', shopifyShop: SHOP })
const shopOnly = await createOrg(souk, { domain: null, verified: false, shopifyShop: SHOP })

const PROFILE = {
  ucp: {
    version: '2026-01-23',
    services: {
      'dev.ucp.shopping': [
        { version: '2026-01-23', transport: 'rest', endpoint: 'https://acme.example/ucp' },
      ],
    },
    capabilities: { 'dev.ucp.shopping.checkout': [{ version: '2026-01-23' }] },
  },
}
const NOT_FOUND = { ucp_supported: false, profile_url: null, checkout_endpoint: null }
const FOUND = (host: string) => ({
  ucp_supported: true,
  profile_url: `https://${host}/.well-known/ucp`,
  checkout_endpoint: 'https://acme.example/ucp/checkout-sessions',
})

const check = (who: Credential, app = souk) => call(app, who, 'POST', UCP_CHECK)
const stored = (org: TestOrg) =>
  one<{ details: unknown; checked_at: Date }>(db)`select * from ucp_checks where org_id = ${org.id}`
const records = () => db.selectFrom('audit_log').selectAll().where('action', '=', 'ucp.checked').execute()

/** What each host answers; one that is not named answers 404. */
function hosts(
  answers: Record<string, { status?: number; body?: unknown; headers?: Record<string, string> }>,
) {
  site.respondWith((request, response) => {
    const { status = 200, body = '', headers = {} } = answers[request.headers.host ?? ''] ?? { status: 404 }
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}
const asked = () => site.requests.map(({ method, headers, url }) => `${method} ${headers.host}${url}`)

beforeEach(async () => {
  site.requests.length = 0
  site.asked.length = 0
  delete site.limits.timeoutMs
  await run(db)`delete from ucp_checks`
  await db.deleteFrom('audit_log').where('action', '=', 'ucp.checked').execute()
})

describe('where it asks', () => {
  test('the verified domain; when that speaks UCP, the shop is left alone', async () => {
    hosts({ 'acme.example': { body: PROFILE }, [SHOP]: { body: PROFILE } })
    const answer = await check(both.session)
    expect([answer.status, answer.body]).toEqual([200, FOUND('acme.example')])
    expect(asked()).toEqual(['GET acme.example/.well-known/ucp'])
    expect(site.asked[0]).toMatchObject({ timeoutMs: 5_000, maxBytes: 256 * 1024 })
  })

  test('then the shop', async () => {
    hosts({ 'acme.example': { status: 404 }, [SHOP]: { body: PROFILE } })
    expect((await check(both.session)).body).toEqual(FOUND(SHOP))
    expect(asked()).toEqual(['GET acme.example/.well-known/ucp', `GET ${SHOP}/.well-known/ucp`])
  })

  test('the shop alone, when there is no domain: it needs no verification', async () => {
    hosts({ [SHOP]: { body: PROFILE } })
    expect((await check(shopOnly.session)).body).toEqual(FOUND(SHOP))
  })

  test.each([
    'evil.example',
    'acme-shop.myshopify.com.evil.example',
    'my.acme.myshopify.com',
    'x@y',
    '127.0.0.1',
    'a b',
  ])('a shop named %s is never asked', async (shopifyShop) => {
    const org = await createOrg(souk, { domain: null, verified: false, shopifyShop })
    const before = site.server.accepted()
    const answer = await check(org.session)
    expect([answer.status, answer.body]).toEqual([200, NOT_FOUND])
    expect([site.asked, site.server.accepted()]).toEqual([[], before])
  })
})

describe('what it keeps', () => {
  test('the result, when, and what each probe met in words; one record', async () => {
    hosts({ 'acme.example': { status: 503 }, [SHOP]: { body: PROFILE } })
    await check(both.session)
    expect(await stored(both)).toEqual({
      org_id: both.id,
      ...FOUND(SHOP),
      details: {
        probes: [
          {
            url: 'https://acme.example/.well-known/ucp',
            outcome: 'no profile: the server answered with status 503',
            version: null,
            capabilities: [],
          },
          {
            url: `https://${SHOP}/.well-known/ucp`,
            outcome: 'a UCP profile',
            version: '2026-01-23',
            capabilities: ['dev.ucp.shopping.checkout'],
          },
        ],
      },
      checked_at: souk.clock.now(),
    })
    expect(await records()).toMatchObject([
      {
        actor_kind: 'user',
        actor_id: both.ownerId,
        org_id: both.id,
        detail: { ucp_supported: true, profile_url: `https://${SHOP}/.well-known/ucp` },
      },
    ])
  })

  test('"not found" replaces what was found before', async () => {
    hosts({ 'acme.example': { body: PROFILE } })
    await check(both.session)
    souk.clock.advance(1_000)
    hosts({})
    expect((await check(both.session)).body).toEqual(NOT_FOUND)
    expect(await stored(both)).toMatchObject({ ...NOT_FOUND, checked_at: souk.clock.now() })
    expect((await records()).length).toBe(2)
  })

  test.each<[string, () => void, RegExp]>([
    [
      'a redirect',
      () => hosts({ [SHOP]: { status: 301, headers: { location: `https://${SHOP}/x` } } }),
      /redirect/,
    ],
    ['a page', () => hosts({ [SHOP]: { body: '<html>' } }), /not JSON/],
    ['another document', () => hosts({ [SHOP]: { body: { ucp: {} } } }), /not a UCP profile: ucp.version/],
    ['too much', () => hosts({ [SHOP]: { body: 'x'.repeat(256 * 1024 + 1) } }), /over \d+ bytes/],
    ['a lost connection', () => site.respondWith((request) => request.socket.destroy()), /no profile: /],
  ])('%s is "not found", with the reason', async (_what, arrange, reason) => {
    arrange()
    const answer = await check(shopOnly.session)
    expect([answer.status, answer.body]).toEqual([200, NOT_FOUND])
    expect(JSON.stringify((await stored(shopOnly))?.details)).toMatch(reason)
  })

  test('so is one that does not answer in time', async () => {
    site.respondWith(() => {})
    site.limits.timeoutMs = 150
    expect((await check(shopOnly.session)).body).toEqual(NOT_FOUND)
    expect(JSON.stringify((await stored(shopOnly))?.details)).toContain('did not answer within')
    site.server.hangUp()
  })

  test('so is a domain at a private address, where nobody knocks', async () => {
    const rehearsal = rehearse({ names: { 'inside.example': ['10.0.0.5'] } })
    const other = await createTestApp({ outbound: rehearsal.outbound, database: souk.database })
    const org = await createOrg(other, { domain: 'inside.example' })
    const answer = await check(org.session, other)
    expect([answer.status, answer.body]).toEqual([200, NOT_FOUND])
    expect([rehearsal.resolved, rehearsal.dialled]).toEqual([['inside.example'], []])
    expect(JSON.stringify((await stored(org))?.details)).not.toContain('10.0.0.5')
  })
})

describe('who may', () => {
  async function refused(who: Credential): Promise<[number, unknown]> {
    const before = site.server.accepted()
    const answer = await check(who)
    expect(answer.body.error).toEqual(expect.stringMatching(/./))
    expect([site.asked, site.server.accepted()]).toEqual([[], before])
    expect(await all(db)`select * from ucp_checks`).toEqual([])
    expect(await records()).toEqual([])
    return [answer.status, answer.body.code]
  }

  test.each<[string, Credential]>([
    ['nobody', null],
    ['a wrong cookie', { cookie: 'souk_session=x' }],
    ['a good link token', both.bearer],
    ['a wrong token', { bearer: 'souk_link_x' }],
  ])('401: %s', async (_who, who) => {
    expect(await refused(who)).toEqual([401, 'unauthenticated'])
  })

  test('401: a link token beside a good cookie', async () => {
    const answer = await call(souk, both.bearer, 'POST', UCP_CHECK, undefined, both.session)
    expect([answer.status, answer.body.code]).toEqual([401, 'unauthenticated'])
  })

  test('403: a person without an organization', async () => {
    const { cookie } = await signIn(souk, { verified: true })
    expect(await refused({ cookie })).toEqual([403, 'not_a_producer'])
  })

  test('403: a viewer; an editor may', async () => {
    expect((await refused(await addMember(souk, both, 'viewer')))[0]).toBe(403)
    hosts({})
    expect((await check(await addMember(souk, both, 'editor'))).status).toBe(200)
  })

  test('403: a deactivated organization', async () => {
    const org = await createOrg(souk, { deactivated: true })
    expect(await refused(org.session)).toEqual([403, 'org_deactivated'])
  })

  test.each([undefined, SHOP])('403: a domain that is not verified, with shop %s', async (shopifyShop) => {
    const org = await createOrg(souk, { domain: 'unproved.example', verified: false, shopifyShop })
    expect(await refused(org.session)).toEqual([403, 'domain_unverified'])
  })

  test('404: neither domain nor shop', async () => {
    const org = await createOrg(souk, { domain: null, verified: false })
    expect(await refused(org.session)).toEqual([404, 'not_found'])
  })
})

test('an organization that changes during the check keeps no result of what it was', async () => {
  const org = db.updateTable('orgs').where('id', '=', shopOnly.id)
  site.respondWith((_request, response) => {
    void org
      .set({ shopify_shop: 'other.myshopify.com' })
      .execute()
      .then(() => response.end(JSON.stringify(PROFILE)))
  })
  const answer = await check(shopOnly.session)
  await org.set({ shopify_shop: SHOP }).execute()
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  expect([await stored(shopOnly), await records()]).toEqual([null, []])
})

test('checks that come together all answer, and leave one result', async () => {
  hosts({ 'acme.example': { body: PROFILE } })
  const answers = await Promise.all(Array.from({ length: 6 }, () => check(both.session)))
  expect(answers.map(({ body }) => body)).toEqual(Array(6).fill(FOUND('acme.example')))
  expect(await stored(both)).toMatchObject(FOUND('acme.example'))
  expect((await records()).length).toBe(6)
})

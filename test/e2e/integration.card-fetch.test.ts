/**
 * What a card's address and the card itself must be, over HTTP: over TLS on loopback, and with names that
 * resolve where nobody may be sent. What reached the server, or would have been dialled, is counted.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Outbound } from '../../src/lib/outbound.ts'
import { createTestApp } from '../harness.ts'
import { addMember, type Credential, call, createOrg } from '../orgs.ts'
import { rehearse } from '../rehearse.ts'
import { CARD, createIntegrationWorld, REGISTER } from './integration.world.ts'

const world = await createIntegrationWorld()
const { acme, site } = world
const URL_OF_CARD = 'https://agent.acme.example/.well-known/agent-card.json'
const SECRET = 'kettle-harbour-violet-731'

const register = (who: Credential, body: unknown) => world.send(who, 'POST', REGISTER, body)
const refused = (who: Credential, body: unknown) => world.nothingChanged(() => register(who, body))

beforeEach(() => {
  site.serving(CARD)
  site.requests.length = 0
  site.asked.length = 0
  delete site.limits.timeoutMs
})

describe('422, for what is there', () => {
  const body = { agent_card_url: URL_OF_CARD, auth_type: 'hmac', hmac_secret: SECRET }
  const skill = (fields: object) => ({ ...CARD, skills: [{ id: 'respond-to-rfq', ...fields }] })

  test.each<[string, () => void, string, RegExp]>([
    ['status 404', () => site.serving(CARD, 404), 'card_unreachable', /status 404/],
    ['status 500', () => site.serving(CARD, 500), 'card_unreachable', /status 500/],
    [
      'a redirect, even to a good card',
      () => site.serving(CARD, 302, { Location: URL_OF_CARD }),
      'card_unreachable',
      /redirect/,
    ],
    [
      'over 256 KB',
      () => site.serving({ ...CARD, pad: 'x'.repeat(256 * 1024) }),
      'card_unreachable',
      /over \d+ bytes/,
    ],
    ['no JSON', () => site.serving('<html>'), 'card_unreachable', /not JSON/],
    ['an empty body', () => site.serving(''), 'card_unreachable', /not JSON/],
    [
      'a lost connection',
      () => site.respondWith((request) => request.socket.destroy()),
      'card_unreachable',
      /./,
    ],
    ['no object', () => site.serving([]), 'card_lacks_skill', /no skills list/],
    ['no skills', () => site.serving({ name: 'x' }), 'card_lacks_skill', /no skills list/],
    [
      'skills by name',
      () => site.serving({ skills: { 'respond-to-rfq': {} } }),
      'card_lacks_skill',
      /no skills list/,
    ],
    [
      'other skills',
      () => site.serving({ skills: [null, 'respond-to-rfq', { id: 'talk' }] }),
      'card_lacks_skill',
      /id respond-to-rfq/,
    ],
    ['no description', () => site.serving(skill({})), 'card_lacks_skill', /no description/],
    [
      'an empty description',
      () => site.serving(skill({ description: ' ' })),
      'card_lacks_skill',
      /no description/,
    ],
    [
      'a description of another kind',
      () => site.serving(skill({ description: 1 })),
      'card_lacks_skill',
      /no desc/,
    ],
  ])('%s', async (_what, arrange, code, reason) => {
    arrange()
    for (const who of [acme.session, acme.bearer]) {
      const answer = await refused(who, body)
      expect([answer.status, answer.body.code]).toEqual([422, code])
      expect(answer.body.field).toBe('agent_card_url')
      expect(answer.body.error).toMatch(reason)
    }
    expect(site.requests.length).toBe(2)
  })

  test('a card that does not come in time', async () => {
    site.respondWith((_request, response) => void response.writeHead(200).write('{'))
    site.limits.timeoutMs = 150
    const answer = await refused(acme.session, body)
    expect([answer.status, answer.body.code]).toEqual([422, 'card_unreachable'])
    expect(answer.body.error).toContain('did not answer within')
    expect(site.asked[0]?.timeoutMs).toBe(5_000)
    site.server.hangUp()
  })

  test('a certificate of another name', async () => {
    const answer = await refused(acme.session, { agent_card_url: 'https://wrong.acme.example/card.json' })
    expect([answer.status, answer.body.code]).toEqual([422, 'card_unreachable'])
    expect(answer.body.error).toContain('certificate')
    expect(site.requests).toEqual([])
  })

  test('256 KB exactly is read', async () => {
    const room = 256 * 1024 - JSON.stringify({ ...CARD, pad: '' }).length
    site.serving({ ...CARD, pad: 'x'.repeat(room) })
    expect((await register(acme.session, body)).status).toBe(200)
  })
})

describe('422, for where it is: nobody is ever knocked at', () => {
  const names = {
    'private.shop.example': ['10.0.0.5'],
    'mixed.shop.example': ['93.184.216.34', '192.168.1.1'],
    'loop.shop.example': ['127.0.0.1'],
    'meta.shop.example': ['169.254.169.254'],
    'six.shop.example': ['::1'],
    'mapped.shop.example': ['::ffff:10.0.0.1'],
  }
  const rehearsal = rehearse({ names })
  const fetched: string[] = []
  const outbound: Outbound = {
    ...rehearsal.outbound,
    request(input) {
      fetched.push(input.url)
      return rehearsal.outbound.request(input)
    },
  }

  test.each([
    ...Object.keys(names).map((host) => [host, 'private_address'] as const),
    ['nowhere.shop.example', 'card_unreachable'] as const,
  ])('%s: %s', async (host, code) => {
    const other = await createTestApp({ outbound, database: world.database })
    const shop = await createOrg(other, { domain: host })
    for (const who of [shop.session, shop.bearer]) {
      const answer = await call(other, who, 'POST', REGISTER, { agent_card_url: `https://${host}/card.json` })
      expect([answer.status, answer.body.code]).toEqual([422, code])
      expect(answer.body.error).not.toMatch(/10\.0\.0\.5|192\.168|169\.254|127\.0/)
    }
    expect(rehearsal.resolved).toContain(host)
    expect([fetched, rehearsal.dialled]).toEqual([[], []])
    expect(await world.rowOf(shop)).toBeUndefined()
  })

  test('a name that turns private between the check and the fetch is not connected to', async () => {
    let asked = 0
    const turning = rehearse({
      resolve: async () => (++asked === 1 ? ['93.184.216.34'] : ['10.0.0.5']),
    })
    const other = await createTestApp({ outbound: turning.outbound, database: world.database })
    const shop = await createOrg(other, { domain: 'rebind.example' })
    const answer = await call(other, shop.session, 'POST', REGISTER, {
      agent_card_url: 'https://rebind.example/card.json',
    })
    expect([answer.status, answer.body.code]).toEqual([422, 'private_address'])
    expect([asked, turning.dialled]).toEqual([2, []])
  })
})

describe('what changes while the card is being fetched', () => {
  const during = (change: () => Promise<unknown>) =>
    site.respondWith((_request, response) => {
      void change().then(() => response.end(JSON.stringify(CARD)))
    })
  const { db } = world.database

  test('the domain is no longer verified: refused, nothing kept', async () => {
    const acmeOnly = db.updateTable('orgs').where('id', '=', acme.id)
    during(() =>
      acmeOnly.set({ verification_status: 'pending', verified_at: null, verified_via: null }).execute(),
    )
    const answer = await refused(acme.session, { agent_card_url: URL_OF_CARD })
    await acmeOnly.set({ verification_status: 'verified', verified_at: new Date() }).execute()
    expect([answer.status, answer.body.code]).toEqual([403, 'org_unverified'])
  })

  test('the domain is another one: refused, nothing kept', async () => {
    const acmeOnly = db.updateTable('orgs').where('id', '=', acme.id)
    during(() => acmeOnly.set({ domain: 'elsewhere.example' }).execute())
    const answer = await refused(acme.session, { agent_card_url: URL_OF_CARD })
    await acmeOnly.set({ domain: 'acme.example' }).execute()
    expect([answer.status, answer.body.code]).toEqual([403, 'domain_mismatch'])
  })

  test('the caller is no longer admin: refused, nothing kept', async () => {
    const admin = await addMember(world, acme, 'admin')
    during(() =>
      db.updateTable('org_members').set({ role: 'viewer' }).where('user_id', '=', admin.userId).execute(),
    )
    const answer = await refused(admin, { agent_card_url: URL_OF_CARD })
    expect([answer.status, answer.body.code]).toEqual([403, 'not_owner_or_admin'])
  })

  test('the caller left for another organization of theirs: refused, nothing kept for either', async () => {
    const admin = await addMember(world, acme, 'admin')
    const other = await createOrg(world, { domain: 'acme-too.example' })
    during(async () => {
      await db.deleteFrom('org_members').where('user_id', '=', admin.userId).execute()
      await db
        .insertInto('org_members')
        .values({ org_id: other.id, user_id: admin.userId, role: 'owner', created_at: new Date() })
        .execute()
    })
    const answer = await refused(admin, { agent_card_url: URL_OF_CARD })
    expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
    const kept = db.selectFrom('agent_integrations').select('org_id').where('org_id', '=', other.id)
    expect(await kept.execute()).toEqual([])
  })

  test('no transaction is open meanwhile', async () => {
    let open = -1
    during(async () => {
      const { rows } = await world.database.pool.query<{ n: number }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`,
      )
      open = Number(rows[0]?.n)
    })
    expect((await register(acme.session, { agent_card_url: URL_OF_CARD })).status).toBe(200)
    expect(open).toBe(0)
  })
})

test('registrations that come together end in one of them, whole, with a record each', async () => {
  const before = (await world.auditOf(acme)).length
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      register(acme.session, {
        agent_card_url: `https://agent.acme.example/card-${n}.json`,
        auth_type: 'bearer',
        bearer_token: `token-of-number-${n}`,
      }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  const row = await world.rowOf(acme)
  const n = /card-(\d)/.exec(row?.agent_card_url ?? '')?.[1]
  expect(world.orgs.integrationSecrets.open(row?.secret_box ?? '')).toBe(`token-of-number-${n}`)
  expect((await world.auditOf(acme)).length - before).toBe(8)
})

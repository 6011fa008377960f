/** Proving a domain (`POST /api/org/verify-domain/`): what proves it, what does not, what happens meanwhile. */
import { beforeEach, expect, test } from 'vitest'
import { OutboundError } from '../../src/lib/outbound.errors.ts'
import { addMember, createOrg, type TestOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask, row, actions } = world
const ORG = '/api/org/'
const VERIFY = '/api/org/verify-domain/'

const claim = (options: Parameters<typeof createOrg>[1] = {}) =>
  createOrg(world, { domain: 'acme.example', verified: false, ...options })
const tokenOf = async (org: TestOrg) => (await row(org.id)).verification_token
const later = () => world.clock.advance(5_000)

beforeEach(async () => {
  world.txt.clear()
  world.files.respond = world.NOTHING
  world.files.asked = 0
  world.during.lookup = async () => {}
  await world.database.db.updateTable('orgs').set({ domain: null }).execute()
})

test('says what to put where, tries at once, and tells why it did not work yet', async () => {
  const org = await claim()
  const token = await tokenOf(org)
  const answer = await ask(org.session, 'POST', VERIFY)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual({
    verification_status: 'pending',
    dns_record: `souk-verification=${token}`,
    file_url: 'https://acme.example/.well-known/souk-verification.txt',
    file_body: token,
    checked: {
      dns: 'acme.example has no TXT records',
      file: 'https://acme.example/.well-known/souk-verification.txt answered 404',
    },
  })
  expect(await actions(org.id)).toEqual([])
})

test('a TXT record proves it, for a session and for a link token', async () => {
  for (const by of ['session', 'bearer'] as const) {
    const domain = by === 'session' ? 'acme.example' : 'rival.example'
    const org = await claim({ domain })
    world.txt.set(domain, ['v=spf1 -all', ` souk-verification=${await tokenOf(org)} `])
    const answer = await ask(org[by], 'POST', VERIFY)
    expect(answer.body).toMatchObject({
      verification_status: 'verified',
      checked: { dns: `${domain} has the TXT record` },
    })
    expect(await row(org.id)).toMatchObject({ verified_via: 'dns', verified_at: world.clock.now() })
    expect(await world.history(org.id)).toMatchObject([
      {
        action: 'org.verified',
        actor_kind: by === 'session' ? 'user' : 'link_token',
        detail: { domain, via: 'dns' },
      },
    ])
    const again = await ask(org[by], 'POST', VERIFY)
    expect([again.status, again.body.verification_status]).toEqual([200, 'verified'])
    expect(await actions(org.id)).toEqual(['org.verified'])
  }
  expect(world.files.asked).toBe(0)
})

test.each([
  ['the token', (token: string) => `\n${token}\r\n`],
  ['the line', (token: string) => `# ours\r\nsouk-verification=${token}\n`],
])('a file that holds %s proves it', async (_what, body) => {
  const org = await claim()
  const token = await tokenOf(org)
  world.files.respond = (request, response) => {
    expect([request.method, request.url, request.headers.host]).toEqual([
      'GET',
      '/.well-known/souk-verification.txt',
      'acme.example',
    ])
    response.end(body(token))
  }
  expect((await ask(org.session, 'POST', VERIFY)).body.verification_status).toBe('verified')
  expect(await row(org.id)).toMatchObject({ verified_via: 'file' })
})

test.each<[string, Parameters<typeof Object.assign>[1], RegExp]>([
  ['holds the token within other words', { body: (token: string) => `x${token}` }, /does not have the token/],
  ['is not found', { status: 404, body: (token: string) => token }, /answered 404/],
  ['is elsewhere', { status: 302, headers: { location: 'https://rival.example/' } }, /redirect/i],
  ['is over 4 KB', { body: (token: string) => `${token}\n${'x'.repeat(4096)}` }, /acme\.example/],
])('a file that %s proves nothing', async (_what, given, words) => {
  const org = await claim()
  const token = await tokenOf(org)
  const {
    status = 200,
    headers = {},
    body = () => '',
  } = given as {
    status?: number
    headers?: Record<string, string>
    body?: (token: string) => string
  }
  world.files.respond = (_request, response) => void response.writeHead(status, headers).end(body(token))
  const answer = await ask(org.session, 'POST', VERIFY)
  expect(answer.body).toMatchObject({
    verification_status: 'pending',
    checked: { file: expect.stringMatching(words) },
  })
  expect(world.files.asked).toBe(1)
})

test('another organization’s token, an old one, and DNS that fails prove nothing and are told apart', async () => {
  const org = await claim()
  const rival = await claim()
  world.txt.set('acme.example', [`souk-verification=${await tokenOf(rival)}`])
  const answer = await ask(org.session, 'POST', VERIFY)
  expect(answer.body).toMatchObject({
    verification_status: 'pending',
    checked: { dns: expect.stringContaining('a different token') },
  })
  expect(JSON.stringify(answer.body)).not.toContain(await tokenOf(rival))
  later()
  world.txt.set('acme.example', ['v=spf1 -all'])
  expect((await ask(org.session, 'POST', VERIFY)).body.checked).toMatchObject({
    dns: expect.stringContaining('none that starts with'),
  })
  later()
  world.txt.set('acme.example', new OutboundError('dns', 'The TXT records of acme.example could not be read'))
  expect((await ask(org.session, 'POST', VERIFY)).body).toMatchObject({
    verification_status: 'pending',
    checked: { dns: 'The TXT records of acme.example could not be read' },
  })
})

test('what hangs on the domain is told in the same transaction: if that fails, nothing is verified', async () => {
  const org = await claim()
  world.txt.set('acme.example', [`souk-verification=${await tokenOf(org)}`])
  world.told.fails = true
  const failed = await ask(org.session, 'POST', VERIFY).finally(() => {
    world.told.fails = false
  })
  expect([failed.status, failed.body.code]).toEqual([500, 'internal'])
  expect((await row(org.id)).verification_status).toBe('pending')
  expect(await actions(org.id)).toEqual([])
  later()
  world.told.calls.length = 0
  expect((await ask(org.session, 'POST', VERIFY)).body.verification_status).toBe('verified')
  expect(world.told.calls).toEqual([`verified ${org.id}`, `changed ${org.id}`])
})

test('without a domain there is nothing to prove, and it says what to do', async () => {
  const org = await claim({ domain: null })
  const answer = await ask(org.session, 'POST', VERIFY)
  expect([answer.status, answer.body.field]).toEqual([400, 'domain'])
  expect(answer.body.error).toContain('PATCH /api/org/')
})

test('a domain that another organization has verified is 409, and nobody is asked', async () => {
  await claim({ verified: true })
  const org = await claim()
  const answer = await ask(org.session, 'POST', VERIFY)
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  expect(world.files.asked).toBe(0)
})

test('tries more often than every 5 seconds are 429 with the time to wait, per organization', async () => {
  const org = await claim()
  const other = await claim({ domain: 'rival.example' })
  expect((await ask(org.session, 'POST', VERIFY)).status).toBe(200)
  world.clock.advance(2_500)
  const answer = await ask(org.bearer, 'POST', VERIFY)
  expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
    429,
    'rate_limited',
    '3',
  ])
  expect((await ask(other.session, 'POST', VERIFY)).status).toBe(200)
  world.clock.advance(2_500)
  expect((await ask(org.session, 'POST', VERIFY)).status).toBe(200)
  expect(world.files.asked).toBe(3)
})

test('of 10 tries at once one goes out', async () => {
  const org = await claim()
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(org.bearer, 'POST', VERIFY)))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(429)])
  expect(world.files.asked).toBe(1)
})

test('a domain that is changed while it is looked at is not verified', async () => {
  const org = await claim()
  world.txt.set('acme.example', [`souk-verification=${await tokenOf(org)}`])
  world.during.lookup = async () => {
    world.during.lookup = async () => {}
    await ask(org.session, 'PATCH', ORG, { domain: 'rival.example' })
  }
  const answer = await ask(org.bearer, 'POST', VERIFY)
  expect([answer.status, answer.body.code]).toEqual([409, 'conflict'])
  expect(await row(org.id)).toMatchObject({ domain: 'rival.example', verification_status: 'pending' })
})

test('who is demoted while it is looked at verifies nothing', async () => {
  const org = await claim()
  const admin = await addMember(world, org, 'admin')
  world.txt.set('acme.example', [`souk-verification=${await tokenOf(org)}`])
  world.during.lookup = async () => {
    await world.database.db
      .updateTable('org_members')
      .set({ role: 'viewer' })
      .where('user_id', '=', admin.userId)
      .execute()
  }
  expect((await ask(admin, 'POST', VERIFY)).body.code).toBe('not_owner_or_admin')
  expect(await row(org.id)).toMatchObject({ verification_status: 'pending' })
})

test('two organizations that prove one domain at once: one has it, the other is 409', async () => {
  for (let round = 0; round < 10; round++) {
    const racers = [await claim({ domain: 'third.example' }), await claim({ domain: 'third.example' })]
    const records = await Promise.all(racers.map(async (org) => `souk-verification=${await tokenOf(org)}`))
    world.txt.set('third.example', records)
    const answers = await Promise.all(racers.map((org) => ask(org.bearer, 'POST', VERIFY)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    await world.database.db.updateTable('orgs').set({ domain: null }).execute()
  }
})

test('an editor may not, an admin may', async () => {
  const org = await claim()
  expect((await ask(await addMember(world, org, 'editor'), 'POST', VERIFY)).body.code).toBe(
    'not_owner_or_admin',
  )
  expect((await ask(await addMember(world, org, 'admin'), 'POST', VERIFY)).status).toBe(200)
})

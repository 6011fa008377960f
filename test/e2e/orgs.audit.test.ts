/** The organization's history, and that neither it nor the log holds what must stay secret. */
import { expect, test } from 'vitest'
import { addMember, createOrg } from '../orgs.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const { ask } = world
const AUDIT = '/api/org/audit/'

type Entry = { id: string; at: string; actor: Record<string, unknown>; action: string; detail: unknown }
const entriesOf = (body: Record<string, unknown>) => body.entries as Entry[]

test('says who did what, newest first, to owners, admins and link tokens, and not where from', async () => {
  const org = await createOrg(world)
  const admin = await addMember(world, org, 'admin')
  const site = (name: string) => ({ website_url: `https://${name}.example/` })
  await ask(org.session, 'PATCH', '/api/org/', site('first'))
  world.clock.advance(1000)
  await ask(org.bearer, 'PATCH', '/api/org/agent-integration/', { is_managed: true })
  world.clock.advance(1000)
  await ask(admin, 'PATCH', '/api/org/', site('third'))
  const answer = await ask(org.session, 'GET', AUDIT)
  expect(answer.status).toBe(200)
  const entry = (actor: unknown, action: string, detail: unknown) => ({
    id: expect.any(String),
    at: expect.stringMatching(/Z$/),
    actor,
    action,
    detail,
  })
  const edited = (name: string, actor: unknown) =>
    entry(actor, 'org.edited', { changed: ['website_url'], ...site(name) })
  expect(answer.body).toEqual({
    entries: [
      edited('third', { kind: 'user', id: admin.userId, name: 'Ada' }),
      entry(
        { kind: 'link_token', id: org.tokenId, name: 'plugin' },
        'integration.changed',
        expect.objectContaining({ is_managed: true }),
      ),
      edited('first', { kind: 'user', id: org.ownerId, name: 'Ada' }),
    ],
  })
  for (const who of [org.bearer, admin]) expect((await ask(who, 'GET', AUDIT)).body).toEqual(answer.body)
  const editor = await addMember(world, org, 'editor')
  expect((await ask(editor, 'GET', AUDIT)).body.code).toBe('not_owner_or_admin')
  expect(JSON.stringify(answer.body)).not.toMatch(/"ip"|192\.0\.2/)
})

test('comes in pages that together are the whole, each entry once', async () => {
  const org = await createOrg(world)
  for (let n = 0; n < 7; n++)
    await ask(org.session, 'PATCH', '/api/org/', { website_url: `https://n${n}.example/` })
  const whole = entriesOf((await ask(org.session, 'GET', AUDIT)).body)
  expect(whole).toHaveLength(7)
  const pages: Entry[] = []
  let path: string | null = `${AUDIT}?limit=3`
  const sizes: number[] = []
  while (path !== null) {
    const { body } = await ask(org.session, 'GET', path)
    sizes.push(entriesOf(body).length)
    pages.push(...entriesOf(body))
    path = typeof body.next === 'string' ? `${AUDIT}?limit=3&before=${body.next}` : null
  }
  expect(sizes).toEqual([3, 3, 1])
  expect(pages).toEqual(whole)
  for (const query of ['limit=0', 'limit=101', 'limit=many', 'before=yesterday'])
    expect([query, (await ask(org.session, 'GET', `${AUDIT}?${query}`)).status]).toEqual([query, 400])
})

test('another organization’s history is not shown, and who left is only an id', async () => {
  const org = await createOrg(world)
  const foreign = await createOrg(world)
  const admin = await addMember(world, org, 'admin')
  await ask(foreign.session, 'PATCH', '/api/org/', { website_url: 'https://theirs.example/' })
  await ask(admin, 'PATCH', '/api/org/', { website_url: 'https://ours.example/' })
  const user = await world.database.db
    .selectFrom('users')
    .select('email')
    .where('id', '=', admin.userId)
    .executeTakeFirstOrThrow()
  await ask(org.session, 'PATCH', '/api/org/team/', { email: user.email, role: 'none' })
  const entries = entriesOf((await ask(org.session, 'GET', AUDIT)).body)
  expect(entries.map(({ action }) => action)).toEqual(['team.removed', 'org.edited'])
  expect(entries[1]?.actor).toEqual({ kind: 'user', id: admin.userId })
  expect(JSON.stringify(entries)).not.toContain('Theirs')
})

test('no token, no address and no verification secret is in the history, the log or the jobs', async () => {
  const owner = await world.person('secret-owner@people.example')
  const { org_id: orgId } = await world.register(owner, { name: 'Secrets', domain: 'acme.example' })
  const { body: made } = await ask(owner, 'POST', '/api/org/link-tokens/', { name: 'plugin' })
  await ask({ bearer: String(made.token) }, 'GET', '/api/org/')
  const { body: proof } = await ask(owner, 'POST', '/api/org/verify-domain/')
  await ask(owner, 'PATCH', '/api/org/', { domain: 'rival.example' })
  world.clock.advance(5_000)
  const { body: second } = await ask(owner, 'POST', '/api/org/verify-domain/')
  world.txt.set('rival.example', [String(second.dns_record)])
  world.clock.advance(5_000)
  await ask(owner, 'POST', '/api/org/verify-domain/')
  await ask(owner, 'PATCH', '/api/org/team/', { email: 'stranger@people.example', role: 'viewer' })
  const { rows: waiting } = await world.database.pool.query<{ row: string }>(
    'select j::text as row from jobs j',
  )
  const link = await world.mailbox.link('stranger@people.example')
  const invitation = new URL(link, 'http://souk.test').searchParams.get('token') ?? ''
  const guest = await world.person('stranger@people.example')
  await guest.browser.get(link)
  await ask(guest, 'POST', '/api/org/invitations/accept/', { token: invitation })
  await ask(owner, 'DELETE', '/api/org/link-tokens/', { id: made.id })
  await ask({ bearer: String(made.token) }, 'GET', '/api/org/')
  await world.app.request(`http://souk.test/auth/signin?return_to=${encodeURIComponent(link)}`)
  expect(await world.actions(orgId)).toEqual([
    'org.registered',
    'token.created',
    'org.edited',
    'org.verified',
    'team.invited',
    'team.joined',
    'token.revoked',
  ])
  const secrets = [made.token, proof.file_body, second.file_body, invitation].map(String)
  expect(secrets.every((secret) => /^souk_(link|domain|invite)_[\w-]{43}$/.test(secret))).toBe(true)
  const { rows } = await world.database.pool.query<{ row: string }>('select a::text as row from audit_log a')
  const written = {
    audit: rows.map(({ row }) => row).join('\n'),
    log: world.logged.text(),
    jobs: waiting.map(({ row }) => row).join('\n'),
  }
  expect(written.log).toContain('/api/org/link-tokens')
  expect(written.jobs).toContain('mail.send')
  for (const [where, text] of Object.entries(written))
    for (const secret of [
      ...secrets,
      'stranger@people.example',
      'souk_link_',
      'souk_domain_',
      'souk_invite_',
    ])
      expect([where, secret, text.includes(secret)]).toEqual([where, secret, false])
})

/** Link tokens end with their maker's right to make them, and do what an editor may and no more. */
import { describe, expect, test } from 'vitest'
import { createBrowser, PASSWORD, signIn } from '../accounts.ts'
import { runAdmin } from '../admin-command.ts'
import { createOrgsWorld } from '../e2e/orgs.world.ts'
import { textOf } from '../html.ts'
import { addMember, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { withTools } from '../tools.world.ts'

const orgs = await createOrgsWorld()
const world = { ...withTools(orgs), person: orgs.person }
const { ask } = world
const { pool } = world.database
const TOKENS = '/api/org/link-tokens/'
const TEAM = '/api/org/team/'
const ORG = '/api/org/'

async function emailOf(userId: string): Promise<string> {
  const { rows } = await pool.query<{ email: string }>('select email from users where id = $1', [userId])
  return rows[0]?.email ?? ''
}

/** A member with a token of their own. */
async function maker(org: TestOrg, role: 'owner' | 'admin' = 'admin') {
  const person = await addMember(world, org, role)
  const made = await ask(person, 'POST', TOKENS, { name: `of ${role}` })
  expect(made.status).toBe(201)
  return {
    ...person,
    email: await emailOf(person.userId),
    tokenId: String(made.body.id),
    link: { bearer: String(made.body.token) },
  }
}

const works = async (link: { bearer: string }) => (await ask(link, 'GET', ORG)).status === 200

function browserOf({ cookie }: { cookie: string }) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}

const page = async (who: { cookie: string }, path: string) =>
  textOf(await (await browserOf(who).get(path)).text())

/** The records of one token's end. */
async function ends(orgId: string, tokenId: string) {
  const entries = await world.history(orgId)
  return entries.filter(({ action, detail }) => action === 'token.revoked' && detail.token_id === tokenId)
}

describe('a token ends, with a record, when its maker', () => {
  test('is removed, and tokens of others stay', async () => {
    const org = await createOrg(world)
    const admin = await maker(org)
    const removed = await ask(org.session, 'PATCH', TEAM, { email: admin.email, role: 'none' })
    expect(removed.body).toEqual({ ok: true, invited: false, link_tokens_revoked: 1 })
    expect([await works(admin.link), await works(org.bearer)]).toEqual([false, true])
    expect(await ends(org.id, admin.tokenId)).toMatchObject([
      { actor_id: org.ownerId, detail: { name: 'of admin', reason: 'maker_removed' } },
    ])
  })

  test.each(['editor', 'viewer'] as const)('becomes %s, for good', async (role) => {
    const org = await createOrg(world)
    const owner = await maker(org, 'owner')
    const set = (to: string) => ask(org.session, 'PATCH', TEAM, { email: owner.email, role: to })
    expect((await set('admin')).body).toEqual({ ok: true, invited: false })
    expect(await works(owner.link)).toBe(true)
    expect((await set(role)).body).toMatchObject({ link_tokens_revoked: 1 })
    expect(await works(owner.link)).toBe(false)
    await set('owner')
    expect(await works(owner.link)).toBe(false)
    expect(await ends(org.id, owner.tokenId)).toMatchObject([{ detail: { reason: 'maker_demoted' } }])
  })

  test('leaves', async () => {
    const org = await createOrg(world)
    const admin = await maker(org)
    const left = await ask(admin, 'POST', '/api/org/leave/', { org_id: org.id })
    expect(left.status).toBe(200)
    expect(await works(admin.link)).toBe(false)
    expect(await ends(org.id, admin.tokenId)).toMatchObject([{ detail: { reason: 'maker_left' } }])
  })

  test('is deactivated by the command or on the operator’s page, and being reactivated gives none back', async () => {
    const org = await createOrg(world)
    const [one, two] = [await maker(org), await maker(org)]
    await runAdmin(world, 'deactivate-user', one.email)
    const operator = await world.person('operator-of-tokens@people.example')
    await pool.query('update users set is_admin = true where id = $1', [operator.id])
    const shown = await page(operator, `/admin/users/${two.userId}`)
    expect(shown).toContain('1 link token they made stops working')
    const posted = await browserOf(operator).post(`/admin/users/${two.userId}`, { act: 'deactivate' })
    expect(posted.status).toBe(303)
    for (const { email, tokenId, link } of [one, two]) {
      expect(await works(link)).toBe(false)
      expect(await ends(org.id, tokenId)).toMatchObject([
        { detail: { via: 'operator', because: 'maker_deactivated' } },
      ])
      await runAdmin(world, 'reactivate-user', email)
      expect(await works(link)).toBe(false)
    }
    expect(await works(org.bearer)).toBe(true)
  })

  test('deletes the account, which the page says before', async () => {
    const org = await createOrg(world)
    const { browser, email, cookie } = await signIn(world, { verified: true })
    const { rows } = await pool.query<{ id: string }>('select id from users where email_key = $1', [email])
    await pool.query(`insert into org_members (org_id, user_id, role) values ($1, $2, 'admin')`, [
      org.id,
      rows[0]?.id,
    ])
    const made = await ask({ cookie }, 'POST', TOKENS, { name: 'mine' })
    const shown = textOf(await (await browser.get('/account/delete')).text())
    expect(shown).toContain('1 link token you created stops working')
    const deleted = await browser.post('/account/delete', { password: PASSWORD, confirm: 'delete' })
    expect(deleted.status).toBe(200)
    expect(await works({ bearer: String(made.body.token) })).toBe(false)
    expect(await ends(org.id, String(made.body.id))).toMatchObject([
      { detail: { reason: 'account_deleted' } },
    ])
  })

  test('is demoted at the moment the token is made: no token of an editor works', async () => {
    const org = await createOrg(world)
    for (let round = 0; round < 12; round++) {
      const admin = await addMember(world, org, 'admin')
      const email = await emailOf(admin.userId)
      const [made, demoted] = await Promise.all([
        ask(admin, 'POST', TOKENS, { name: 'quick' }),
        ask(org.session, 'PATCH', TEAM, { email, role: round % 2 ? 'none' : 'editor' }),
      ])
      expect(demoted.status).toBe(200)
      expect([201, 403, 409]).toContain(made.status)
      if (made.status === 201) expect(await works({ bearer: String(made.body.token) })).toBe(false)
    }
  })

  test('lost the right by other means, such as an older node: such a token does nothing', async () => {
    const org = await createOrg(world)
    const [demoted, gone] = [await maker(org), await maker(org)]
    await pool.query(`update org_members set role = 'editor' where user_id = $1`, [demoted.userId])
    await pool.query('delete from org_members where user_id = $1', [gone.userId])
    expect([await works(demoted.link), await works(gone.link), await works(org.bearer)]).toEqual([
      false,
      false,
      true,
    ])
  })
})

describe('before it happens, it is said how many tokens end', () => {
  test('on the team’s page, for removing, changing the role and leaving; not to editors', async () => {
    const org = await createOrg(world)
    const admin = await maker(org)
    await ask(admin, 'POST', TOKENS, { name: 'another' })
    const shown = await page(org.session, '/dashboard/team')
    expect(shown).toContain('Invites they sent and 2 link tokens they created stop working.')
    expect(shown).toContain('As editor or viewer, they lose the 2 link tokens they created.')
    expect(await page(admin, '/dashboard/team')).toContain('2 link tokens you created stop working')
    const editor = await addMember(world, org, 'editor')
    expect(await page(editor, '/dashboard/team')).not.toContain('link tokens they created')
  })

  test('by the tools: the description says what ends, the list how many, the answer how many ended', async () => {
    const owner = await world.person('tool-owner@people.example')
    const { org_id } = await world.register(owner, { name: 'Kettle Shop' })
    const token = await world.tokenFor(owner.id)
    const admin = await addMember(world, { id: org_id } as TestOrg, 'admin')
    await ask(admin, 'POST', TOKENS, { name: 'plugin' })
    const email = await emailOf(admin.userId)
    const listed = await world.call({ token }, 'list_team_members')
    expect(listed.data.members).toContainEqual(expect.objectContaining({ email, link_tokens: 1 }))
    expect(listed.text).toContain('1 link token')
    const answer = await world.rpc(token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { result } = (await answer.json()) as {
      result: { tools: Array<{ name: string; description: string }> }
    }
    const tool = result.tools.find(({ name }) => name === 'set_team_member')
    expect(tool?.description).toContain('revokes the link tokens')
    const set = await world.call({ token }, 'set_team_member', { email, role: 'viewer' })
    expect(set.data).toEqual({ email, role: 'viewer', outcome: 'changed', link_tokens_revoked: 1 })
    expect(set.text).toContain('1 link token they created was revoked')
    const viewer = await world.call({ token: await world.tokenFor(admin.userId) }, 'list_team_members')
    expect(JSON.stringify(viewer.data)).not.toContain('link_tokens')
  })
})

test('the list and the page show who made a token and when it was last used', async () => {
  const org = await createOrg(world)
  const admin = await maker(org)
  expect(await works(admin.link)).toBe(true)
  const { tokens } = (await ask(org.session, 'GET', TOKENS)).body as { tokens: Array<{ id: string }> }
  expect(tokens.find(({ id }) => id === admin.tokenId)).toMatchObject({
    created_by: { user_id: admin.userId, name: 'Ada', email: admin.email },
    last_used_at: world.clock.now().toISOString(),
  })
  expect(await page(org.session, '/dashboard/tokens')).toMatch(/just now November \d+, 2026 by Ada/)
})

describe('a link token does what an editor may', () => {
  test('and what the interface gives a bearer besides; the rest is 403 and changes nothing', async () => {
    const org = await createOrg(world, { name: 'Acme' })
    const product = { slug: 'kettles/acme-kettle' }
    const row = {
      slug: 'acme-kettle',
      category: 'kettles',
      title: 'Acme Kettle',
      price: { low: 40, high: 40 },
    }
    await relate(world, org, await addProduct(world, row))
    const say = async (method: string, path: string, body?: unknown) => {
      const { status, body: answer } = await ask(org.bearer, method, path, body)
      return [status, answer.code]
    }
    for (const [path, body] of [
      [ORG, { name: 'Not Acme' }],
      [ORG, { website_url: 'https://evil.example/' }],
      ['/api/org/pricing/', { product_slug: product.slug, reserve_price_usd: 1 }],
      [TEAM, { email: 'friend@people.example', role: 'viewer' }],
    ] as const)
      expect(await say('PATCH', path, body)).toEqual([403, 'not_owner_or_admin'])
    expect((await world.row(org.id)).name).toBe('Acme')
    expect(await world.actions(org.id)).toEqual([])
    expect(await say('PATCH', '/api/org/agent-integration/', { is_managed: true })).toEqual([200, undefined])
    expect(await say('GET', '/api/org/audit/')).toEqual([200, undefined])
    expect(await say('POST', '/api/org/verify-domain/')).toEqual([200, undefined])
    const simulated = await ask(org.bearer, 'POST', '/api/org/pricing/simulate/', {
      product_slug: product.slug,
    })
    expect(simulated.body).toMatchObject({ steps: [] })
  })
})

/** The page of link tokens: a token is seen once, works until it is revoked, and is for owners and admins only. */
import { expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { createTestApp } from '../harness.ts'
import { textOf } from '../html.ts'
import { addMember, call, createOrg, type TestOrg } from '../orgs.ts'
import { actionsOf, formsOf, read } from './dashboard.agent.world.ts'

const world = await createTestApp()
const PAGE = '/dashboard/tokens'
const TOKEN = /souk_link_[\w-]{43}/

function browserOf({ cookie }: { cookie: string }) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}

const liveTokens = async (org: TestOrg) =>
  (
    await world.database.db
      .selectFrom('link_tokens')
      .select('name')
      .where('org_id', '=', org.id)
      .where('revoked_at', 'is', null)
      .execute()
  ).map(({ name }) => name)

test('a new token is shown once, with no copy kept, and acts for the organization', async () => {
  const org = await createOrg(world)
  const admin = browserOf(await addMember(world, org, 'admin'))
  const made = await read(admin.post(`${PAGE}/create`, { org_id: org.id, name: ' Shop   plugin ' }))
  expect(made.status).toBe(200)
  expect(made.headers.get('cache-control')).toBe('no-store')
  expect(made.html).toContain('You won&#39;t see it again.')
  expect(made.html).toContain('data-copy="new-token"')
  const [token = ''] = TOKEN.exec(made.html) ?? []
  expect((await call(world, { bearer: token }, 'GET', '/api/org/')).body).toMatchObject({ org_id: org.id })
  const { html } = await read(admin.get(PAGE))
  expect(html).not.toMatch(TOKEN)
  expect(textOf(html)).toMatch(
    new RegExp(`Shop plugin … ?${token.slice(-4)} just now November 1, 2026 by Ada`),
  )
  expect(world.logged.text()).not.toContain(token)
})

test('a revoked token is refused, and another’s is not there to revoke', async () => {
  const [org, foreign] = [await createOrg(world), await createOrg(world)]
  const owner = browserOf(org.session)
  const { html } = await read(owner.get(PAGE))
  expect(html).toContain('You can&#39;t undo this.')
  const revoke = formsOf(html).find(({ action }) => action === `${PAGE}/revoke`)
  expect(revoke?.fields).toEqual({ org_id: org.id, id: org.tokenId })
  for (const id of [foreign.tokenId, 'nonsense']) {
    const refused = await read(owner.post(`${PAGE}/revoke`, { org_id: org.id, id }))
    expect([
      refused.status,
      refused.html.includes('The organization has no link token with this id.'),
    ]).toEqual([404, true])
  }
  const answer = await owner.post(`${PAGE}/revoke`, revoke?.fields)
  expect(answer.headers.get('location')).toBe(`${PAGE}?done=revoked`)
  expect((await call(world, org.bearer, 'GET', '/api/org/')).status).toBe(401)
  expect(await liveTokens(foreign)).toEqual(['plugin'])
  expect((await read(owner.get(`${PAGE}?done=revoked`))).html).toContain('No tokens yet.')
})

test.each(['editor', 'viewer'] as const)(
  'anyone who is %s sees no tokens, makes none and revokes none',
  async (role) => {
    const org = await createOrg(world)
    const member = browserOf(await addMember(world, org, role))
    for (const answer of [
      member.get(PAGE),
      member.post(`${PAGE}/create`, { org_id: org.id, name: 'mine' }),
      member.post(`${PAGE}/create`, { org_id: org.id, name: '' }),
      member.post(`${PAGE}/revoke`, { org_id: org.id, id: org.tokenId }),
    ]) {
      const { status, html } = await read(answer)
      expect([400, 403]).toContain(status)
      expect(html).toContain('An owner or admin of')
      expect(html).not.toContain(org.tokenId)
      expect(html).not.toMatch(TOKEN)
    }
    expect(await liveTokens(org)).toEqual(['plugin'])
  },
)

test('a token without a name is refused beside the field', async () => {
  const org = await createOrg(world)
  const { status, html } = await read(
    browserOf(org.session).post(`${PAGE}/create`, { org_id: org.id, name: ' ' }),
  )
  expect(status).toBe(400)
  expect(html).toContain('id="field-name-error">Enter a name.')
  expect(await liveTokens(org)).toEqual(['plugin'])
})

test('a form shown for one organization makes no token for another', async () => {
  const [org, other] = [await createOrg(world), await createOrg(world)]
  const answer = await browserOf(org.session).post(`${PAGE}/create`, { org_id: other.id, name: 'stray' })
  expect(answer.status).toBe(409)
  expect([await liveTokens(org), await liveTokens(other)]).toEqual([['plugin'], ['plugin']])
})

test('a deactivated organization’s tokens are shown, and nothing is offered', async () => {
  const org = await createOrg(world, { deactivated: true })
  const { status, html } = await read(browserOf(org.session).get(PAGE))
  expect([status, html.includes('plugin')]).toEqual([200, true])
  expect(actionsOf(html)).toEqual([])
})

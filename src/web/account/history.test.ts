import { beforeAll, expect, test } from 'vitest'
import { signIn } from '../../../test/accounts.ts'
import { createTestApp } from '../../../test/harness.ts'
import { listAudit, recordAudit } from '../../accounts/audit.service.ts'
import { findSession } from '../../accounts/sessions.service.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
beforeAll(async () => {
  souk = await createTestApp()
})

const tokenOf = (cookie: string) => cookie.split('=')[1] ?? ''
const record = async (userId: string, action: string, detail = {}) =>
  recordAudit(souk.database.db, {
    actor: { kind: 'system', id: null },
    action,
    at: souk.clock.now(),
    userId,
    detail,
  })
const own = async () => {
  const { browser, cookie } = await signIn(souk)
  const id = (await findSession(souk.accounts, tokenOf(cookie)))?.user.id ?? ''
  const titles = async (path = '/account/history') => {
    const page = await (await browser.get(path)).text()
    const next = /href="(\/account\/history\?before=[^"]+)"/.exec(page)?.[1]
    return { titles: [...page.matchAll(/<strong>([^<]+)<\/strong><span/g)].map(([, text]) => text), next }
  }
  return { browser, id, titles }
}

test('the history says in a sentence what became of each app, which is named as text', async () => {
  const { id, titles } = await own()
  const app = 'Tom &amp; &lt;b&gt;Jerry&lt;/b&gt;'
  const sentences = {
    'grant.given': `You allowed ${app} to use Souk as you`,
    'grant.denied': `You did not allow ${app} to use Souk as you`,
    'grant.revoked': `You disconnected ${app}`,
    'grant.all_revoked': 'All apps were disconnected to secure your account',
    'token.revoked': `${app} signed itself out`,
    'token.code_reused': `${app} was signed out: its sign-in code was used twice, maybe by a thief`,
    'token.refresh_reused': `${app} was signed out: its old key was used again, maybe by a thief`,
  }
  for (const action of Object.keys(sentences)) await record(id, action, { client_name: 'Tom & <b>Jerry</b>' })
  await record(id, 'token.revoked')
  const [nameless, ...shown] = (await titles()).titles
  expect(nameless).toBe('An app signed itself out')
  expect(shown.slice(0, 7).toReversed()).toEqual(Object.values(sentences))
})

test('the history shows fifty at a time and leads to the older ones, losing none', async () => {
  const { id, titles } = await own()
  for (let nth = 0; nth < 60; nth++) await record(id, `test.${nth}`)
  const first = await titles()
  const second = await titles(first.next)
  expect([first.titles.length, second.next]).toEqual([50, undefined])
  const all = [...first.titles, ...second.titles].filter((text) => text?.startsWith('Test '))
  expect(all).toEqual(Array.from({ length: 60 }, (_, nth) => `Test ${59 - nth}`))
})

test('the history names what was saved and removed', async () => {
  const { id, titles } = await own()
  for (const action of ['saved.added', 'saved.removed'])
    await record(id, action, { product_slug: 'tents/dome' })
  expect((await titles()).titles.slice(0, 2)).toEqual(['Removed tents/dome from a list', 'Saved tents/dome'])
})

test('the history is nobody else’s, whatever id stands in the address', async () => {
  const [mine, theirs] = [await own(), await own()]
  await record(theirs.id, 'test.private')
  const [entry] = await listAudit(souk.accounts, { userId: theirs.id })
  souk.clock.advance(1)
  for (const before of [entry?.id, theirs.id, 'not-an-id'])
    expect((await mine.titles(`/account/history?before=${before}`)).titles).not.toContain('Test private')
})

test('the history tells of wrong passwords given on the account’s pages', async () => {
  const { browser, titles } = await own()
  await browser.post('/account/password', { current: 'not it at all', password: 'copper walrus 31 meadow' })
  expect((await titles()).titles[0]).toBe('Wrong password entered on an account page')
})

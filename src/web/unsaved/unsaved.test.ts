import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Browser, createBrowser, createMailbox, signIn } from '../../../test/accounts.ts'
import { BASE_URL, createTestApp } from '../../../test/harness.ts'
import { createOrg } from '../../../test/orgs.ts'
import { createSweepJob } from '../../accounts/sweep.job.ts'
import { newId } from '../../lib/ids.ts'
import { isSecretField } from '../kit/answer-form.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
beforeEach(async () => {
  souk = await createTestApp()
})

const TITLE = 'You were signed out before this was saved'
const MINUTE = 60_000

/** Where a form leads that was sent without a session, through the page to sign in. */
function wayOf(response: Response): string {
  expect(response.status).toBe(303)
  const to = new URL(response.headers.get('location') ?? '', BASE_URL)
  expect(to.pathname).toBe('/auth/signin')
  return to.searchParams.get('return_to') ?? ''
}

type Person = Awaited<ReturnType<typeof signIn>>

/** Sends the form in a browser whose session has ended, on every device. */
async function sendLate(person: Person, path: string, fields: Record<string, string>): Promise<string> {
  const { browser, email } = person
  await browser.get('/account')
  await souk.database.pool.query(
    'delete from sessions where user_id = (select id from users where email = $1)',
    [email],
  )
  return wayOf(await browser.post(path, fields))
}

async function signBackIn({ email, password }: Person, browser: Browser, returnTo: string): Promise<string> {
  const answer = await browser.post('/auth/signin', { email, password, return_to: returnTo })
  expect(answer.status).toBe(303)
  return answer.headers.get('location') ?? ''
}

/** The hidden fields of the form that sends it. */
function hidden(html: string, action: string): Record<string, string> {
  const form = html.split(`action="${action}"`)[1]?.split('</form>')[0] ?? ''
  return Object.fromEntries(
    [...form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      value
        .replaceAll('&quot;', '"')
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    ]),
  )
}

/** An organization that the person has come to own. */
async function orgOf({ email }: Person) {
  const org = await createOrg(souk)
  await souk.database.pool.query(
    `insert into org_members (org_id, user_id, role, created_at) select $1, id, 'owner', now() from users where email = $2`,
    [org.id, email],
  )
  return org
}

const rows = async () =>
  (await souk.database.pool.query<{ id: string; box: string }>('select id, box from unsaved_forms')).rows
const nameOf = async ({ email }: Person) =>
  (await souk.database.pool.query('select name from users where email = $1', [email])).rows[0].name

describe('a form that was sent after its session had ended', () => {
  test('leads through sign-in to a page with what was typed, and is saved by its button and not before', async () => {
    const ada = await signIn(souk)
    const typed = 'Ada "the first", Zoë & co'
    const way = await sendLate(ada, '/account/name', { name: typed })
    expect(way).toMatch(/^\/unsaved\/[\da-f-]{36}$/)
    expect(wayOf(await ada.browser.get(way))).toBe(way)
    expect(await signBackIn(ada, ada.browser, way)).toBe(way)
    const shown = await ada.browser.get(way)
    const html = await shown.text()
    expect([shown.status, shown.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(html).toContain(TITLE)
    expect(await nameOf(ada)).toBe('Ada')
    const saved = await ada.browser.post('/account/name', hidden(html, '/account/name'))
    expect(saved.headers.get('location')).toContain('done=name')
    expect(await nameOf(ada)).toBe(typed)
  })

  test('is read back with the labels and choices of its page', async () => {
    const ada = await signIn(souk, { verified: true })
    const org = await orgOf(ada)
    const fields = {
      org_id: org.id,
      product_slug: '',
      headline: 'Half <script>off',
      offer_types: 'percentage_off',
      'lines.0.value': 'x',
    }
    const way = await sendLate(ada, '/dashboard/offers/new', fields)
    await signBackIn(ada, ada.browser, way)
    const html = await (await ada.browser.get(way)).text()
    expect(html).toMatch(/<dt>Headline<\/dt><dd>Half &lt;script&gt;off<\/dd>/)
    expect(html).not.toMatch(new RegExp(`<dd>${org.id}`))
    expect(hidden(html, '/dashboard/offers/new')).toEqual(fields)
  })

  test('comes back by an emailed link too, and goes by the way to sign in that other forms take', async () => {
    const ada = await signIn(souk)
    const way = await sendLate(ada, '/account/name', { name: 'By mail' })
    await ada.browser.post('/auth/magic', { email: ada.email, return_to: way })
    const followed = await ada.browser.get(await createMailbox(souk).link(ada.email))
    expect(followed.headers.get('location')).toBe(way)
    expect(await (await ada.browser.get(way)).text()).toContain('By mail')
  })

  test('is kept for a browser whose session nobody knows any more: its cookies are gone', async () => {
    const ada = await signIn(souk)
    const bare = createBrowser(souk)
    const way = wayOf(await bare.post('/account/name', { name: 'Without cookies' }))
    await signBackIn(ada, bare, way)
    expect(await (await bare.get(way)).text()).toContain('Without cookies')
  })

  test('is discarded by a button, and leads back to where it stood', async () => {
    const ada = await signIn(souk)
    const way = await sendLate(ada, '/account/name', { name: 'Never mind' })
    await signBackIn(ada, ada.browser, way)
    const left = await ada.browser.post(`${way}/discard`)
    expect([left.status, left.headers.get('location')]).toEqual([303, '/account'])
    expect(await rows()).toEqual([])
    expect((await ada.browser.get(way)).status).toBe(404)
    expect((await ada.browser.post(`${way}/discard`)).status).toBe(404)
  })

  test('is judged anew: what the person may not do any more is refused when the button is pressed', async () => {
    const ada = await signIn(souk, { verified: true })
    const org = await orgOf(ada)
    const fields = { org_id: org.id, headline: 'Half off' }
    const way = await sendLate(ada, '/dashboard/offers/new', fields)
    await souk.database.pool.query('delete from org_members where org_id = $1', [org.id])
    await signBackIn(ada, ada.browser, way)
    const html = await (await ada.browser.get(way)).text()
    const sent = await ada.browser.post('/dashboard/offers/new', hidden(html, '/dashboard/offers/new'))
    expect(sent.status).toBe(403)
  })

  test('leaves an operator’s form to who may send it', async () => {
    const eve = await signIn(souk)
    const way = await sendLate(eve, '/admin/tuning', { kind: 'synonym', words: 'sofa, couch' })
    await signBackIn(eve, eve.browser, way)
    const html = await (await eve.browser.get(way)).text()
    const answer = await eve.browser.post('/admin/tuning', hidden(html, '/admin/tuning'))
    expect(answer.status).toBe(404)
  })

  test('that nobody typed in, or a script sent, leads where it always led', async () => {
    const ada = await signIn(souk)
    expect(await sendLate(ada, '/account/grants/revoke', { grant_id: newId() })).toBe('/account')
    expect(wayOf(await ada.browser.post('/account/name', { name: ' ' }))).toBe('/account')
    const byScript = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' }
    expect(wayOf(await ada.browser.post('/account/name', { name: 'Preview' }, byScript))).toBe('/account')
    expect(wayOf(await ada.browser.post('/saved/undo', { token: 'x', note: 'y' }))).toBe('/saved')
    expect(await rows()).toEqual([])
  })
})

describe('what is never kept', () => {
  test('passwords are asked for again, and stand nowhere', async () => {
    const ada = await signIn(souk)
    const way = await sendLate(ada, '/account/delete', {
      password: 'violet kettle 7 harbour',
      confirm: 'delete',
    })
    const [row] = await rows()
    expect(souk.accounts.secrets.unsaved.open(row?.box ?? '')).not.toContain('violet')
    await signBackIn(ada, ada.browser, way)
    const html = await (await ada.browser.get(way)).text()
    expect(html).toContain('enter them again')
    expect(html).toMatch(/<input[^>]*type="password" name="password"[^>]*required/)
    expect(hidden(html, '/account/delete')).toEqual({ confirm: 'delete' })
  })

  test('files have to be chosen again, and the other fields of their form are kept', async () => {
    const ada = await signIn(souk, { verified: true })
    const org = await orgOf(ada)
    await ada.browser.get('/account')
    ada.browser.setCookie(null)
    const body = new FormData()
    body.set('org_id', org.id)
    body.set('url', 'https://shop.example/feed.csv')
    body.set('file', new File([randomBytes(100_000)], 'autumn.csv'))
    const request = new Request(`${BASE_URL}/dashboard/import`, { method: 'POST', body })
    const bytes = Buffer.from(await request.arrayBuffer())
    const sent = await souk.app.request(`${BASE_URL}/dashboard/import`, {
      method: 'POST',
      body: bytes,
      headers: {
        origin: BASE_URL,
        'content-type': request.headers.get('content-type') ?? '',
        'content-length': String(bytes.length),
      },
    })
    const way = wayOf(sent)
    const cookie = sent.headers.getSetCookie().find((line) => line.startsWith('souk_browser='))
    await signBackIn(ada, ada.browser, way)
    const html = await (
      await ada.browser.get(way, { cookie: `${ada.browser.cookie()}; ${cookie?.split(';')[0]}` })
    ).text()
    expect(html).toContain('choose them again')
    expect(html).toMatch(/enctype="multipart\/form-data"/)
    expect(html).toMatch(/<input[^>]*type="file" name="file"/)
    expect(hidden(html, '/dashboard/import')).toEqual({
      org_id: org.id,
      url: 'https://shop.example/feed.csv',
    })
  })

  test('every field of a password or a secret, in any page, is known by its name', () => {
    const pages = fs.globSync('src/web/**/*.tsx').map((file) => fs.readFileSync(file, 'utf8'))
    const names = pages.flatMap((text) => [
      ...[...text.matchAll(/(\w+): \{\s*(?:\.\.\.\{ )?kind: 'secret'/g)].map(([, name = '']) => name),
      ...[...text.matchAll(/\bname="(\w+)"[^<>]*type="password"|type="password"[^<>]*\bname="(\w+)"/g)].map(
        ([, one, other]) => one ?? other ?? '',
      ),
      ...[...text.matchAll(/<CurrentPasswordField[^>]*name="(\w+)"/g)].map(([, name = '']) => name),
    ])
    expect(names).toEqual(expect.arrayContaining(['secret', 'credentials', 'password', 'current']))
    expect(names.filter((name) => !isSecretField(name))).toEqual([])
    expect(['promo_code', 'keywords', 'headline', 'compass', 'pinned'].filter(isSecretField)).toEqual([])
  })
})

describe('an attacker', () => {
  test('on another site leaves nothing, whatever the browser says of it', async () => {
    const ada = await signIn(souk)
    await ada.browser.get('/account')
    ada.browser.setCookie(null)
    const elsewhere: Array<Record<string, string>> = [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'null' },
    ]
    for (const from of elsewhere) {
      const headers = { origin: '', ...from }
      const answer = await ada.browser.post('/account/name', { name: 'Mallory' }, headers)
      expect([answer.status, answer.headers.get('location')]).toEqual([403, null])
    }
    expect(await rows()).toEqual([])
  })

  test('in another browser, or signed in to another account, sees nothing of it and discards nothing', async () => {
    const [ada, eve] = [await signIn(souk), await signIn(souk)]
    const way = await sendLate(ada, '/account/name', { name: 'Only mine' })
    const elsewhere = createBrowser(souk)
    await signBackIn(ada, elsewhere, way)
    const here = ada.browser
    const seen = [await elsewhere.get(way)]
    await signBackIn(eve, here, way)
    seen.push(await here.get(way), await eve.browser.get(way), await here.post(`${way}/discard`))
    for (const page of seen) {
      expect(page.status).toBe(404)
      expect(await page.text()).not.toContain('Only mine')
    }
    expect(await rows()).toHaveLength(1)
    await signBackIn(ada, here, way)
    expect(await (await here.get(way)).text()).toContain('Only mine')
  })

  test('who changes or moves a box opens nothing', async () => {
    const [ada, eve] = [await signIn(souk), await signIn(souk)]
    const way = await sendLate(ada, '/account/name', { name: 'Only mine' })
    const theirs = await sendLate(eve, '/account/name', { name: 'Of Eve' })
    const { pool } = souk.database
    const [own, other] = [way, theirs].map((path) => path.split('/')[2])
    await pool.query(
      'update unsaved_forms set box = (select box from unsaved_forms where id = $2) where id = $1',
      [own, other],
    )
    await signBackIn(ada, ada.browser, way)
    expect((await ada.browser.get(way)).status).toBe(404)
    await pool.query(`update unsaved_forms set box = overlay(box placing 'AA' from 30)`)
    await signBackIn(eve, eve.browser, theirs)
    expect((await eve.browser.get(theirs)).status).toBe(404)
  })

  test('who sends many fills nothing: a network has 60 an hour, all together keep the newest 1,000, each has 64 KB', async () => {
    const { browser } = await signIn(souk)
    browser.setCookie(null)
    const large = { one: 'x'.repeat(30_000), two: '\u00e9'.repeat(20_000) }
    expect(wayOf(await browser.post('/account/name', large))).toBe('/account')
    const ways = []
    for (let n = 0; n < 62; n++) ways.push(wayOf(await browser.post('/account/name', { name: `n${n}` })))
    expect(ways.filter((way) => way.startsWith('/unsaved/'))).toHaveLength(60)
    expect(ways.at(-1)).toBe('/account')
    await souk.database.pool.query(
      `insert into unsaved_forms select gen_random_uuid(), 'x', now() + n * interval '1 s', now() from generate_series(1, 1200) n`,
    )
    const elsewhere = createBrowser(souk, { ip: '198.51.100.7' })
    wayOf(await elsewhere.post('/account/name', { name: 'One more' }))
    expect(await rows()).toHaveLength(1_000)
  })
})

test('it runs out after 30 minutes, and the hourly sweep takes it away', async () => {
  const ada = await signIn(souk)
  const way = await sendLate(ada, '/account/name', { name: 'Late' })
  await signBackIn(ada, ada.browser, way)
  const start = souk.clock.now().getTime()
  souk.clock.set(new Date(start + 30 * MINUTE - 1))
  expect((await ada.browser.get(way)).status).toBe(200)
  souk.clock.set(new Date(start + 30 * MINUTE))
  expect((await ada.browser.get(way)).status).toBe(404)
  expect(await rows()).toHaveLength(1)
  const { db } = souk.database
  await createSweepJob({ db, clock: souk.clock }).run(
    {},
    {
      ...{ signal: AbortSignal.timeout(5_000), attempt: 1, jobId: newId(), log: souk.accounts.log },
    },
  )
  expect(await rows()).toEqual([])
})

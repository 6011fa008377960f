/** Registering an organization, changing it, proving its domain, and switching between several, in a browser without scripts. */
import { describe, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { asText, unescapeHtml } from '../html.ts'
import { addMember, createOrg, type TestOrg } from '../orgs.ts'
import { actionsOf, fact, formsOf, read } from './dashboard.agent.world.ts'
import { createOrgsWorld } from './orgs.world.ts'

const world = await createOrgsWorld()
const PAGE = '/dashboard/organization'
const NEW = '/dashboard/organization/new'
const SWITCH = '/dashboard/switch'

function browserOf({ cookie }: { cookie: string }) {
  const browser = createBrowser(world)
  browser.setCookie(cookie)
  return browser
}

async function addTo(org: TestOrg, userId: string) {
  world.clock.advance(1_000)
  const row = { org_id: org.id, user_id: userId, role: 'owner' as const, created_at: world.clock.now() }
  await world.database.db.insertInto('org_members').values(row).execute()
}

describe('registering', () => {
  test('a stranger is asked to sign in, and brought back', async () => {
    const stranger = createBrowser(world)
    const looked = await stranger.get(NEW)
    expect([looked.status, looked.headers.get('location')]).toEqual([
      303,
      `/auth/signin?return_to=${encodeURIComponent(NEW)}`,
    ])
    // To what was typed.
    const sent = await stranger.post(NEW, { name: 'X' })
    expect(sent.status).toBe(303)
    expect(sent.headers.get('location')).toMatch(/^\/auth\/signin\?return_to=%2Funsaved%2F[\da-f-]{36}$/)
  })

  test('who has not confirmed the address is told why, can have the mail again, and registers nothing', async () => {
    const { browser, id } = await world.person('waits@people.example', { verified: false })
    const { status, html } = await read(browser.get(NEW))
    expect(status).toBe(200)
    expect(html).toContain('Confirm your email first')
    expect(formsOf(html)).toEqual([{ action: '/auth/verify', fields: { return_to: NEW } }])
    const forced = await read(browser.post(NEW, { name: 'Forced', org_type: 'retailer' }))
    expect(forced.status).toBe(403)
    expect(await world.accountType(id)).toBe('consumer')
  })

  test('a mail address at the domain proves it at once, and the way leads to the dashboard', async () => {
    const { browser, email } = await world.person('ada@own-domain.example')
    expect((await read(browser.get(NEW))).html).toContain('yours is at own-domain.example')
    const answer = await browser.post(NEW, {
      name: 'Own & Sons',
      org_type: 'manufacturer',
      domain: 'https://www.own-domain.example/shop',
      website_url: '',
      shopify_shop: '',
    })
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/dashboard/start?done=registered'])
    const { html } = await read(browser.get(PAGE))
    expect(html).toContain('Own &amp; Sons')
    expect(asText(html)).toContain(
      'own-domain.example is yours: verified by the email of the person who registered it on November 1, 2026.',
    )
    expect(email).toBe('ada@own-domain.example')
  })

  test('what is wrong stands beside its field, what was typed stays, and nothing is made', async () => {
    const { browser, id } = await world.person('typo@people.example')
    const typed = {
      name: ' ',
      org_type: 'shop',
      domain: 'not a domain',
      website_url: 'ftp://x',
      shopify_shop: '?',
    }
    const { status, html } = await read(browser.post(NEW, typed))
    expect(status).toBe(400)
    for (const words of [
      'Name is required.',
      'Choose a type.',
      'Domain must be a domain such as acme.example.',
      'Website must be an http or https URL.',
      'Shopify shop must be a shop such as acme.myshopify.com.',
    ])
      expect(html).toContain(`<p class="field-error" id="field-${fieldOf(html, words)}-error">${words}</p>`)
    expect(formsOf(html)[0]?.fields).toMatchObject({ domain: 'not a domain', website_url: 'ftp://x' })
    expect(await world.accountType(id)).toBe('consumer')
  })

  test('a post from another site registers nothing', async () => {
    const { browser, id } = await world.person('lured@people.example')
    const answer = await browser.post(
      NEW,
      { name: 'Lured', org_type: 'retailer' },
      { origin: 'https://evil.example' },
    )
    expect(answer.status).toBe(403)
    expect(await world.accountType(id)).toBe('consumer')
  })
})

function fieldOf(html: string, words: string): string | undefined {
  return html.match(new RegExp(`id="field-(\\w+)-error">${words.replaceAll(/[.?]/g, '\\$&')}`))?.[1]
}

describe('the profile', () => {
  test('an admin changes it, and an emptied field is cleared', async () => {
    const org = await createOrg(world, { name: 'Before', verified: false, shopifyShop: 'old.myshopify.com' })
    const admin = browserOf(await addMember(world, org, 'admin'))
    const answer = await admin.post(`${PAGE}/edit`, {
      org_id: org.id,
      name: 'After',
      org_type: 'distributor',
      website_url: 'https://after.example',
      shopify_shop: '',
    })
    expect(answer.headers.get('location')).toBe(`${PAGE}?done=saved`)
    const { html } = await read(admin.get(`${PAGE}?done=saved`))
    expect(html).toContain('Profile saved.')
    expect([fact(html, 'Type'), fact(html, 'Website'), fact(html, 'Shopify shop')]).toEqual([
      'Distributor',
      'https://after.example/',
      'None',
    ])
  })

  test.each(['editor', 'viewer'] as const)(
    'anyone who is %s sees it, without the proof and without forms',
    async (role) => {
      const org = await createOrg(world, { name: 'Readable', domain: 'readable.example', verified: false })
      const member = browserOf(await addMember(world, org, role))
      const { status, html } = await read(member.get(PAGE))
      expect(status).toBe(200)
      expect(html).toContain('An owner or admin of Readable can change this.')
      expect(html).not.toContain((await world.row(org.id)).verification_token)
      expect(actionsOf(html)).toEqual([])
      for (const path of ['edit', 'domain', 'verify']) {
        const refused = await read(
          member.post(`${PAGE}/${path}`, { org_id: org.id, name: 'Taken', domain: 'taken.example' }),
        )
        expect([path, refused.status]).toEqual([path, 403])
        expect(refused.html).not.toContain((await world.row(org.id)).verification_token)
      }
      expect(await world.row(org.id)).toMatchObject({ name: 'Readable', domain: 'readable.example' })
    },
  )

  test('a form shown for another organization changes nothing', async () => {
    const org = await createOrg(world, { name: 'Mine' })
    const other = await createOrg(world, { name: 'Theirs' })
    const answer = await browserOf(org.session).post(`${PAGE}/edit`, { org_id: other.id, name: 'Hers' })
    expect(answer.status).toBe(409)
    expect([(await world.row(org.id)).name, (await world.row(other.id)).name]).toEqual(['Mine', 'Theirs'])
  })
})

describe('the domain', () => {
  test('the record and the file are shown, what was found is told, and the record verifies', async () => {
    const org = await createOrg(world, { domain: 'acme.example', verified: false })
    const owner = browserOf(org.session)
    const { verification_token: token } = await world.row(org.id)
    const { html } = await read(owner.get(PAGE))
    expect(html).toContain(`<code id="dns-record">souk-verification=${token}</code>`)
    expect(html).toContain(
      '<code id="file-url">https://acme.example/.well-known/souk-verification.txt</code>',
    )
    expect(html).toContain(`<code id="file-body">${token}</code>`)
    for (const id of ['dns-record', 'file-url', 'file-body']) expect(html).toContain(`data-copy="${id}"`)
    const looked = await read(owner.post(`${PAGE}/verify`, { org_id: org.id }))
    expect(looked.status).toBe(200)
    expect(looked.headers.get('cache-control')).toBe('no-store')
    const words = unescapeHtml(looked.html)
    expect(words).toContain('DNS: acme.example has no TXT records')
    expect(words).toContain('File: https://acme.example/.well-known/souk-verification.txt answered 404')
    const soon = await read(owner.post(`${PAGE}/verify`, { org_id: org.id }))
    expect([soon.status, soon.html.includes('try again in 5 seconds')]).toEqual([429, true])
    world.clock.advance(5_000)
    world.txt.set('acme.example', [`souk-verification=${token}`])
    const found = await owner.post(`${PAGE}/verify`, { org_id: org.id })
    expect(found.headers.get('location')).toBe(`${PAGE}?done=verified#domain`)
    const after = await read(owner.get(`${PAGE}?done=verified`))
    expect(after.html).toContain('Domain verified.')
    expect(asText(after.html)).toContain('acme.example is yours: verified by a DNS record')
    expect(after.html).not.toContain(token)
  })

  test('giving up a proved domain says what goes with it, and takes a second press', async () => {
    const org = await createOrg(world, { domain: 'old-domain.example' })
    const owner = browserOf(org.session)
    const { html } = await read(owner.get(PAGE))
    const confirm = /<details class="confirm">.*?<\/details>/s.exec(html)?.[0] ?? ''
    expect(confirm).toContain('Your organization isn&#39;t verified until the new domain is.')
    expect(confirm).toContain('card and secret are removed')
    const [form] = formsOf(confirm)
    expect(form).toEqual({
      action: `${PAGE}/domain`,
      fields: { org_id: org.id, gives_up: 'old-domain.example', domain: 'old-domain.example' },
    })
    const wrong = await read(owner.post(`${PAGE}/domain`, { ...form?.fields, domain: '10.0.0.1' }))
    expect(wrong.status).toBe(400)
    expect(wrong.html).toContain('<details class="confirm" open="">')
    expect(wrong.html).toContain('value="10.0.0.1"')
    const unseen = await read(owner.post(`${PAGE}/domain`, { org_id: org.id, domain: 'new.example' }))
    expect(unseen.status).toBe(409)
    expect(unseen.html).toContain('The domain old-domain.example was verified since you opened this page')
    expect(await world.row(org.id)).toMatchObject({ verification_status: 'verified' })
    const changed = await owner.post(`${PAGE}/domain`, { ...form?.fields, domain: 'new.example' })
    expect(changed.headers.get('location')).toBe(`${PAGE}?done=domain#domain`)
    expect(await world.row(org.id)).toMatchObject({ domain: 'new.example', verification_status: 'pending' })
    const removed = await owner.post(`${PAGE}/domain`, { org_id: org.id, domain: '' })
    expect(removed.headers.get('location')).toBe(`${PAGE}?done=removed#domain`)
    const last = await read(owner.get(PAGE))
    expect(last.html).toContain('No domain yet.')
    const none = await read(owner.post(`${PAGE}/verify`, { org_id: org.id }))
    expect([none.status, none.html.includes('Enter your domain first.')]).toEqual([400, true])
  })

  test('a domain that another organization has proved is refused beside its field', async () => {
    await createOrg(world, { domain: 'proved-by-them.example' })
    const org = await createOrg(world, { domain: 'proved-by-them.example', verified: false })
    const { status, html } = await read(browserOf(org.session).post(`${PAGE}/verify`, { org_id: org.id }))
    expect(status).toBe(409)
    expect(html).toContain('id="field-domain-error"')
    expect(html).toContain('Another organization has verified')
  })
})

describe('switching', () => {
  test('leads back to the page one was on, for the other organization', async () => {
    const [first, second] = [
      await createOrg(world, { name: 'First' }),
      await createOrg(world, { name: 'Second' }),
    ]
    await addTo(second, first.ownerId)
    const browser = browserOf(first.session)
    const { html } = await read(browser.get(PAGE))
    const switches = formsOf(html).filter(({ action }) => action === SWITCH)
    expect(switches).toEqual([{ action: SWITCH, fields: { org_id: first.id, at: PAGE } }])
    const answer = await browser.post(SWITCH, switches[0]?.fields)
    expect([answer.status, answer.headers.get('location')]).toEqual([303, PAGE])
    expect(fact((await read(browser.get(PAGE))).html, 'Name')).toBe('First')
    for (const at of ['https://evil.example', '//evil.example', '/account', ''])
      expect((await browser.post(SWITCH, { org_id: second.id, at })).headers.get('location')).toBe(
        '/dashboard',
      )
  })

  test('to another’s organization is 404, and one acts for the same as before', async () => {
    const [mine, theirs] = [await createOrg(world, { name: 'Mine' }), await createOrg(world)]
    const browser = browserOf(mine.session)
    for (const id of [theirs.id, 'nonsense', '']) {
      const { status, html } = await read(browser.post(SWITCH, { org_id: id, at: PAGE }))
      expect([status, html.includes('Organization not found')]).toEqual([404, true])
    }
    expect(fact((await read(browser.get(PAGE))).html, 'Name')).toBe('Mine')
  })

  test('takes a session, and a form of ours', async () => {
    const org = await createOrg(world)
    const fields = { org_id: org.id, at: PAGE }
    const stranger = await createBrowser(world).post(SWITCH, fields)
    expect(stranger.headers.get('location')).toBe(`/auth/signin?return_to=${encodeURIComponent(PAGE)}`)
    const lured = await browserOf(org.session).post(SWITCH, fields, { origin: 'https://evil.example' })
    expect(lured.status).toBe(403)
  })
})

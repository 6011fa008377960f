/** /dashboard and /dashboard/attention: what is true of an organization, and the way to the page that fixes it. */
import { describe, expect, test } from 'vitest'
import { createBrowser, signIn } from '../accounts.ts'
import { addMember, createOrg, relate } from '../orgs.ts'
import { createFiguresWorld, readPage } from './dashboard.figures.world.ts'

const world = await createFiguresWorld()
const { pool } = world.database
const PAGE = '/dashboard'
const ALL = '/dashboard/attention'

/** The steps as [state, title]. */
const stepsOf = (html: string) =>
  [...html.matchAll(/<span class="state \w+">(Done|Next|To do)<\/span><div><p><strong>(.*?)<\/strong>/g)].map(
    ([, state, title]) => [state, title],
  )
const issuesOf = (html: string) =>
  html
    .match(/<ul>.*?<\/ul>/gs)
    ?.join('')
    .split('<li>')
    .slice(1) ?? []

describe('somebody without an organization', () => {
  test('is asked to sign in and brought back', async () => {
    for (const path of [PAGE, ALL]) {
      const answer = await createBrowser(world).get(path)
      const there = `/auth/signin?return_to=${encodeURIComponent(path)}`
      expect([answer.status, answer.headers.get('location')]).toEqual([303, there])
    }
  })

  test('is told what this is and where to start', async () => {
    const { browser } = await signIn(world)
    const { status, html, words } = await readPage(browser.get(PAGE))
    expect(status).toBe(200)
    expect(words).toContain('You don&#39;t belong to an organization yet')
    expect(stepsOf(html).slice(0, 3)).toEqual([
      ['Next', 'Confirm your email'],
      ['To do', 'Register your organization'],
      ['To do', 'Verify your domain'],
    ])
    expect(html).toContain('<a class="button" href="/account">')
    expect(html).not.toContain('href="/dashboard/products"')
    await pool.query('update users set email_verified_at = now()')
    const after = await readPage(browser.get(PAGE))
    expect(after.html).toContain('<a class="button" href="/dashboard/organization/new">')
    expect((await browser.get(ALL)).status).toBe(403)
  })
})

describe('the checklist', () => {
  test('says what is done, leads to what is next, and folds away when all is', async () => {
    const org = await createOrg(world, { name: 'Fresh & Co', verified: false })
    const owner = world.browserOf(org.session)
    const { html } = await readPage(owner.get(PAGE))
    expect(stepsOf(html)).toEqual([
      ['Done', 'Confirm your email'],
      ['Done', 'Register your organization'],
      ['Next', 'Verify your domain'],
      ['To do', 'Claim your products'],
      ['To do', 'Answer requests'],
      ['To do', 'Send a test request'],
    ])
    expect(html).toContain('2 of 6 steps done')
    expect(html).toContain('<a class="button" href="/dashboard/organization">')
    await pool.query(
      `update orgs set verification_status = 'verified', verified_via = 'operator', verified_at = now() where id = $1`,
      [org.id],
    )
    await relate(world, org, await world.product('checklist'))
    await world.integrate(org, { status: 'pending' })
    const pending = await readPage(owner.get(PAGE))
    expect(pending.words).toContain('This step is done once your agent answers a test')
    await pool.query(`update agent_integrations set status = 'active' where org_id = $1`, [org.id])
    const done = await readPage(owner.get(PAGE))
    expect(done.html).toContain('<details class="folded"><summary>All 6 steps to start selling are done')
    expect(stepsOf(done.html).map(([state]) => state)).toEqual(Array(6).fill('Done'))
  })
})

describe('what needs attention', () => {
  test('stands worst first, in words for people, with a link to where it is fixed', async () => {
    const org = await createOrg(world, { verified: false })
    const bare = await world.product('bare')
    await pool.query(`update products set title = 'Bare <b>Lamp</b>' where id = $1`, [bare])
    await relate(world, org, bare)
    const { html, words } = await readPage(world.browserOf(org.session).get(PAGE))
    const [, attention = ''] = html.split('id="attention"')
    expect(
      [...attention.matchAll(/<h3><span class="state \w+">(\w+)<\/span><span class="count">(\d+)/g)].map(
        ([, name]) => name,
      ),
    ).toEqual(['Errors', 'Warnings', 'Suggestions'])
    expect(attention).toContain('<a href="/dashboard/organization">Verify your domain</a>')
    expect(attention).toContain('href="/dashboard/products/lamps/bare"')
    expect(attention).toContain('Bare &lt;b&gt;Lamp&lt;/b&gt;')
    expect(attention).not.toContain('<b>')
    expect(words).not.toMatch(/submit_enrichment|claim_product|update_offer|\/api\//)
  })

  test('is cut at ten, and the rest is in pages, of one severity or of all', async () => {
    const org = await createOrg(world)
    for (let n = 1; n <= 12; n++) await relate(world, org, await world.product(`many-${n}`, `Lamp ${n}`))
    const browser = world.browserOf(org.session)
    const overview = await readPage(browser.get(PAGE))
    const [, attention = ''] = overview.html.split('id="attention"')
    expect(issuesOf(attention)).toHaveLength(10)
    const total = Number(/See all (\d+)/.exec(overview.words)?.[1])
    expect(total).toBeGreaterThan(50)
    const seen: string[] = []
    for (let page = 1; ; page++) {
      const { html } = await readPage(browser.get(`${ALL}?page=${page}`))
      seen.push(...issuesOf(html.slice(html.indexOf('class="attention'), html.indexOf('class="paging'))))
      if (!html.includes('rel="next"')) break
    }
    expect(seen).toHaveLength(total)
    expect(new Set(seen).size).toBe(total)
    const warnings = await readPage(browser.get(`${ALL}?severity=warning`))
    expect(warnings.html).toContain('<option value="warning" selected="">Warnings')
    expect(warnings.html).not.toMatch(/<h2><span class="state \w+">(Errors|Suggestions)/)
    expect((await readPage(browser.get(`${ALL}?severity=critical`))).words).toContain('No issues match.')
    const past = (await browser.get(`${ALL}?page=9999`)).headers.get('location')
    expect(past).toMatch(/^\/dashboard\/attention\?page=\d$/)
    expect((await browser.get(`${ALL}?severity=moon&page=-1`)).status).toBe(200)
  })

  test('every member sees it, and none of another organization', async () => {
    const org = await createOrg(world)
    const other = await createOrg(world)
    await relate(world, other, await world.product('secret', 'Secret Lamp'))
    const viewer = world.browserOf(await addMember(world, org, 'viewer'))
    for (const path of [PAGE, ALL]) {
      const { status, words } = await readPage(viewer.get(path))
      expect(status).toBe(200)
      expect(words).not.toContain('Secret Lamp')
    }
  })
})

test('the figures of 30 days stand beside those of the 30 before, with a chart by day', async () => {
  const org = await createOrg(world)
  const lamp = await world.product('figures')
  await relate(world, org, lamp)
  await world.search('lamp', [lamp], { times: 3 })
  await world.search('lamp', [lamp], { at: '2026-10-03T00:00:00Z' })
  await world.search('lamp', [lamp], { times: 2, at: '2026-10-02T23:59:59Z' })
  await world.search('lamp', [lamp], { times: 9, at: '2026-09-02T10:00:00Z' })
  await world.read(lamp, 'Claude', 2)
  await world.quoted(lamp, [[org, 10]])
  const { html, words } = await readPage(world.browserOf(org.session).get(PAGE))
  expect(words).toContain('Impressions 4 2 in the 30 days before')
  expect(words).toContain('Agent reads 2 0 in the 30 days before')
  expect(words).toContain('Win rate 100% None in the 30 days before')
  expect(html).toContain('in total Impressions 4, Agent reads 2')
  expect(words).toContain('November 1, 2026 3 2')
  const empty = await readPage(world.browserOf((await createOrg(world)).session).get(PAGE))
  expect(empty.words).toContain('No search showed your products and no agent read them')
})

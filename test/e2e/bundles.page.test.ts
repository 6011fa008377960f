/**
 * Plans of sets on the page of results: only the person's own asking spends one, and the same words within ten minutes none;
 * anyone who cannot have one is told how, and the results are shown all the same.
 */
import { beforeAll, describe, expect, test, vi } from 'vitest'
import type { Bundles } from '../../src/plans/bundles.service.ts'
import { REMEMBERED_MS } from '../../src/web/search/plan-memory.ts'
import { createBrowser } from '../accounts.ts'
import { useBrowser } from '../browser.ts'
import { createTestApp, testConfig } from '../harness.ts'
import { textOf } from '../html.ts'
import { listenFirst } from '../listen-first.ts'
import { createPerson, PATTERN, PLAIN } from './bundles.world.ts'
import { createDemoApp } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>
const TODAY = '2026-11-01'

beforeAll(async () => {
  world = await createDemoApp()
})

const path = (q: string, more: Record<string, string> = {}) =>
  `/search?${new URLSearchParams({ q, ...more })}`
const outright = (q: string) => path(q, { bundle: '1' })
const signIn = (back: string) => `/auth/signin?return_to=${encodeURIComponent(back)}`

const planOf = (html: string) => /<section class="plan".*?<\/section>/s.exec(html)?.[0] ?? 'no plan'
const RESULTS = /\d+ products · page 1 of \d+/
const PLAN = 'Your plan'

describe('GET /sets', () => {
  test('shows a form that leads to the results, filled in from the address; it spends nothing and is kept by nobody', async () => {
    const person = await createPerson(world, true)
    const response = await person.browser.get(`/sets?${new URLSearchParams({ q: `${PATTERN} "<b>` })}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toContain(`style-src 'self'`)
    const html = await response.text()
    const form = /<form class="fields" action="\/search">.*?<\/form>/s.exec(html)?.[0]
    expect(form).toContain('<input type="hidden" name="bundle" value="1"/>')
    expect(form).toContain(`value="${PATTERN} &quot;&lt;b&gt;"`)
    expect(html).not.toContain(PLAN)
    expect(await person.served()).toEqual({})
  })

  test('tells a stranger to sign in, and brings them back to what they typed', async () => {
    const address = `/sets?${new URLSearchParams({ q: PATTERN })}`
    expect(await (await createBrowser(world).get(address)).text()).toContain(signIn(address))
  })

  test('has the old address lead to it, with what was typed', async () => {
    const response = await createBrowser(world).get(`/bundle?${new URLSearchParams({ q: PATTERN })}`)
    expect(response.status).toBe(301)
    expect(response.headers.get('location')).toBe(`/sets?${new URLSearchParams({ q: PATTERN })}`)
  })

  test('is linked from the front page', async () => {
    expect(await (await createBrowser(world).get('/')).text()).toContain('href="/sets"')
  })

  test('takes no posts', async () => {
    const person = await createPerson(world, true)
    expect((await person.browser.post('/sets', { q: PATTERN })).status).toBe(405)
    expect(await person.served()).toEqual({})
  })
})

describe('a search for a set', () => {
  test('shows the plan beside the results: overview, sums, and a card with its price for each category', async () => {
    const person = await createPerson(world, true)
    const response = await person.browser.get(path(PATTERN))
    const html = await response.text()
    expect(response.status, textOf(html)).toBe(200)
    const plan = planOf(html)
    expect(textOf(plan)).toMatch(/Budget \$1,500 Total \$[\d,.]+ (Left over|Over budget by) \$[\d,.]+/)
    for (const category of ['standing-desks', 'office-chairs', 'monitors'])
      expect(plan).toMatch(new RegExp(`class="card-title"><a href="/p/${category}/[a-z0-9-]+"`))
    expect(plan.match(/class="bar-fill"/g)?.length).toBe(plan.match(/<li class="card plan-row">/g)?.length)
    expect(html).toContain(`value="${PATTERN}"`)
    expect(html).not.toMatch(/ style=|<style/)
    expect(textOf(html)).toMatch(RESULTS)
    expect(await person.served()).toEqual({ [TODAY]: 1 })
  })

  test('is planned once in ten minutes, however it is come back to, and each person has their own', async () => {
    const [person, other] = [await createPerson(world, true), await createPerson(world, true)]
    const plans: string[] = []
    for (const again of [
      path(PATTERN),
      outright(PATTERN),
      path(PATTERN, { sort: 'rating' }),
      path(PATTERN),
    ]) {
      const html = await (await person.browser.get(again)).text()
      plans.push(planOf(html))
    }
    expect(plans[0]).toContain(PLAN)
    expect(new Set(plans).size).toBe(1)
    expect(await person.served()).toEqual({ [TODAY]: 1 })
    await other.browser.get(path(PATTERN))
    expect(await other.served()).toEqual({ [TODAY]: 1 })
    world.clock.advance(REMEMBERED_MS)
    await person.browser.get(path(PATTERN))
    expect(await person.served()).toEqual({ [TODAY]: 2 })
  })

  test('by words that name one thing is a plain search, until a set is asked for outright', async () => {
    const person = await createPerson(world, true)
    expect(await (await person.browser.get(path(PLAIN))).text()).not.toContain(PLAN)
    expect(await person.served()).toEqual({})
    expect(await (await person.browser.get(outright(PLAIN))).text()).toContain(PLAN)
    expect(await person.served()).toEqual({ [TODAY]: 1 })
  })

  test('by a stranger shows the results and the way to sign in, which leads back', async () => {
    for (const asked of [path(PATTERN), outright(PATTERN)]) {
      const response = await createBrowser(world).get(asked)
      const html = await response.text()
      expect(response.status).toBe(200)
      expect(html).toContain(signIn(outright(PATTERN)))
      expect(textOf(html)).toMatch(RESULTS)
    }
    expect(await (await createBrowser(world).get(path(PLAIN))).text()).not.toContain('/auth/signin?')
  })

  test('by somebody whose address is not confirmed shows the results and how to confirm it', async () => {
    const person = await createPerson(world, false)
    const html = await (await person.browser.get(path(PATTERN))).text()
    expect(textOf(html)).toContain(`link we sent to ${person.email}`)
    expect(html).toContain('action="/auth/verify"')
    expect(textOf(html)).toMatch(RESULTS)
    expect(await person.served()).toEqual({})
  })

  test('over the daily limit says when there are new plans, and shows the results', async () => {
    const person = await createPerson(world, true)
    await person.serve(TODAY, 20)
    const wait = Math.round((Date.parse('2026-11-02T00:00:00Z') - world.clock.now().getTime()) / 3_600_000)
    const response = await person.browser.get(path(PATTERN))
    const text = textOf(await response.text())
    expect(response.status).toBe(200)
    expect(text).toContain(`all 20 plans for today. You get new ones at 00:00 UTC, in about ${wait} hours.`)
    expect(text).toMatch(RESULTS)
  })
})

test('pages about plans say how many new plans are left today and when there are more', async () => {
  const person = await createPerson(world, true)
  const midnight = Date.parse('2026-11-02T00:00:00Z')
  const wait = `at 00:00 UTC, in about ${Math.round((midnight - world.clock.now().getTime()) / 3_600_000)} hours.`
  const shown = async (at: string) => textOf(await (await person.browser.get(at)).text())
  for (const at of ['/sets', '/plans'])
    expect(await shown(at)).toContain(`20 of 20 new plans left today. You get 20 again ${wait}`)

  const planned = await (await person.browser.get(outright(PATTERN))).text()
  const own = /href="(\/plans\/[^"]+)"/.exec(planOf(planned))?.[1] ?? 'no plan'
  for (const at of ['/sets', '/plans', own])
    expect(await shown(at)).toContain('19 of 20 new plans left today.')

  const spent = await createPerson(world, true)
  await spent.serve(TODAY, 20)
  for (const at of ['/sets', '/plans'])
    expect(textOf(await (await spent.browser.get(at)).text())).toContain(
      `You’ve used all 20 plans for today. You get new ones ${wait}`,
    )
  expect(await (await createBrowser(world).get('/sets')).text()).not.toContain('left today')
})

describe('nothing is spent', () => {
  test.each<[string, Record<string, string>]>([
    ['a link on another site', { 'sec-fetch-site': 'cross-site' }],
    ['another site in an old browser', { origin: 'https://elsewhere.example' }],
    ['a link from outside any page', { 'sec-fetch-site': 'none' }],
    ['a browser that loads ahead', { 'sec-fetch-site': 'same-origin', 'sec-purpose': 'prefetch;prerender' }],
    ['an older browser that loads ahead', { purpose: 'prefetch' }],
  ])('by %s: it gets a form that asks, and the results', async (_, headers) => {
    const person = await createPerson(world, true)
    for (const asked of [path(PATTERN), outright(PATTERN)]) {
      const html = await (await person.browser.get(asked, headers)).text()
      expect(html).not.toContain(PLAN)
      expect(html).toMatch(
        /<form class="aside" action="\/search">.*name="bundle" value="1".*Plan this bundle/s,
      )
      expect(textOf(html)).toMatch(RESULTS)
    }
    expect(await person.served()).toEqual({})
    const own = await person.browser.get(outright(PATTERN), { 'sec-fetch-site': 'same-origin' })
    expect(await own.text()).toContain(PLAN)
    expect(await (await person.browser.get(path(PATTERN), headers)).text()).toContain(PLAN)
    expect(await person.served()).toEqual({ [TODAY]: 1 })
  })

  test('by a HEAD, by narrowing the list, by its later pages, or within one category', async () => {
    const person = await createPerson(world, true)
    await world.app.request(path(PATTERN), { method: 'HEAD', headers: { cookie: person.cookie } })
    const narrowed = await (await person.browser.get(path(PATTERN, { max_price: '400' }))).text()
    expect(narrowed).toContain('Plan this bundle')
    for (const more of [{ page: '2' }, { category: 'monitors' }] as Array<Record<string, string>>) {
      const html = await (await person.browser.get(path(PATTERN, { ...more, bundle: '1' }))).text()
      expect(html).not.toMatch(/Your plan|Plan this bundle/)
    }
    expect(await person.served()).toEqual({})
  })

  test.each([
    ['nothing', '  ', 'Enter what you need.'],
    ['more than a query may hold', 'x'.repeat(1001), 'at most 1,000 characters'],
  ])('on %s: 400, and the field says why and keeps it', async (_, q, why) => {
    const person = await createPerson(world, true)
    const response = await person.browser.get(outright(q))
    const html = await response.text()
    expect(response.status).toBe(400)
    expect(html).toMatch(/<p class="field-error" id="field-q-error">/)
    expect(textOf(html)).toContain(why)
    expect(html).toContain(`value="${q.trim()}"`)
    expect(await person.served()).toEqual({})
  })
})

describe('a plan that takes a while', async () => {
  const { baseUrl, answerWith } = await listenFirst()
  const chromium = useBrowser()
  const gate = { open: () => {}, fail: (_: Error) => {} }
  let slow: Awaited<ReturnType<typeof createTestApp>>

  beforeAll(async () => {
    const serve: Bundles['serve'] = async (input) => {
      await new Promise<void>((resolve, reject) => Object.assign(gate, { open: resolve, fail: reject }))
      return world.bundles.serve(input)
    }
    const { database } = world
    const bundles = { ...world.bundles, serve }
    const config = testConfig({ SOUK_BASE_URL: baseUrl })
    slow = await createTestApp({ database, demo: true, bundles, config })
    await slow.searchRuntime.fill()
    answerWith(slow.app)
  })

  test('comes behind the results in the same answer, and the page is whole at its end', async () => {
    const person = await createPerson(slow, true)
    const { body } = await person.browser.get(path(PATTERN))
    if (!body) throw new Error('no body')
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    const { value: first = '' } = await reader.read()
    expect(textOf(first)).toMatch(RESULTS)
    expect(first).toContain('Planning your bundle…')
    expect(first).not.toContain(PLAN)
    gate.open()
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value
    expect(rest).toMatch(/^<div class="plan-part" slot="plan"><section class="plan".*<\/html>$/s)
    expect(await person.served()).toEqual({ [TODAY]: 1 })
  })

  test('and fails leaves the results, says so, and is tried again at the next asking', async () => {
    const person = await createPerson(slow, true)
    const { body } = await person.browser.get(path(PATTERN))
    gate.fail(new Error('planted'))
    const text = textOf(await new Response(body).text())
    expect(text).toContain('couldn’t plan this bundle right now')
    expect(text).not.toContain('planted')
    expect(slow.logged.text()).toContain('planted')
    const again = await person.browser.get(path(PATTERN))
    gate.open()
    expect(await again.text()).toContain(PLAN)
  })

  test('is waited for with a line above the results, and takes its place, without any script', async () => {
    const person = await createPerson(slow, true)
    const [name = '', value = ''] = person.cookie.split(/=(.*)/s)
    const cookie = { name, value, url: baseUrl }
    const { page, complaints } = await chromium.open(
      `${baseUrl}/sets?${new URLSearchParams({ q: PATTERN })}`,
      {
        javaScriptEnabled: false,
      },
    )
    await page.context().addCookies([cookie])
    await page.getByRole('button', { name: 'Plan my bundle' }).click({ noWaitAfter: true })
    await page.getByText('Planning your bundle…').waitFor()
    const results = page.locator('#results')
    await results.waitFor()
    gate.open()
    await page.getByRole('heading', { name: PLAN }).waitFor()
    await vi.waitFor(async () => expect(await page.locator('.planning').isVisible()).toBe(false))
    const [plan, list] = [await page.locator('#plan').boundingBox(), await results.boundingBox()]
    expect(plan?.y).toBeLessThan(list?.y ?? 0)
    const order = await page.locator('main').ariaSnapshot()
    expect(order.indexOf(PLAN)).toBeGreaterThan(0)
    expect(order.indexOf(PLAN)).toBeLessThan(order.indexOf('products'))
    expect(complaints).toEqual([])
  })
})

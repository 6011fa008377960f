/** The page for bundles: only a post by somebody with a verified address spends one, and every refusal says what to do. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createBrowser } from '../accounts.ts'
import { createPerson, PATTERN, PLAIN } from './bundles.world.ts'
import { createDemoApp } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>
const TODAY = '2026-11-01'
const BACK = encodeURIComponent(`/bundle?${new URLSearchParams({ q: PATTERN })}`)

beforeAll(async () => {
  world = await createDemoApp()
})

/** As the reader sees it: prices and words without the markup between them. */
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ')

describe('GET /bundle', () => {
  test('shows the form filled in from the address, spends nothing and is kept by nobody', async () => {
    const person = await createPerson(world, true)
    const response = await person.browser.get(`/bundle?${new URLSearchParams({ q: `${PATTERN} "<b>` })}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toContain(`style-src 'self'`)
    const html = await response.text()
    expect(html).toContain(`value="${PATTERN} &quot;&lt;b&gt;"`)
    expect(html).toMatch(/<form[^>]* method="post" action="\/bundle"/)
    expect(html).not.toContain('Your plan')
    expect(await person.served()).toEqual({})
  })

  test('tells a stranger to sign in, and brings them back to what they typed', async () => {
    const html = await (
      await createBrowser(world).get(`/bundle?${new URLSearchParams({ q: PATTERN })}`)
    ).text()
    expect(html).toContain(`/auth/signin?return_to=${BACK}`)
  })

  test('is linked from the front page', async () => {
    expect(await (await createBrowser(world).get('/')).text()).toContain('href="/bundle"')
  })
})

describe('POST /bundle', () => {
  test('shows the plan: overview, sums, and a card with its price for each category', async () => {
    const person = await createPerson(world, true)
    const response = await person.browser.post('/bundle', { q: PATTERN })
    const html = await response.text()
    expect(response.status, textOf(html)).toBe(200)
    expect(textOf(html)).toMatch(/Budget \$1,500 Total \$[\d,.]+ (Left over|Over budget by) \$[\d,.]+/)
    for (const category of ['standing-desks', 'office-chairs', 'monitors'])
      expect(html).toMatch(new RegExp(`class="card-title"><a href="/p/${category}/[a-z0-9-]+"`))
    expect(html.match(/class="bar-fill"/g)?.length).toBe(html.match(/<li class="card">/g)?.length)
    expect(html).toContain(`value="${PATTERN}"`)
    expect(html).not.toMatch(/ style=|<style/)
    expect(await person.served()).toEqual({ [TODAY]: 1 })
  })

  test('plans for any words: on this page a bundle is what is asked for', async () => {
    const person = await createPerson(world, true)
    const response = await person.browser.post('/bundle', { q: PLAIN })
    expect([response.status, textOf(await response.text())]).toEqual([
      200,
      expect.stringContaining('Your plan'),
    ])
  })

  test('of a stranger is 401 with the way to sign in, and keeps what was typed', async () => {
    const response = await createBrowser(world).post('/bundle', { q: PATTERN })
    const html = await response.text()
    expect(response.status).toBe(401)
    expect(html).toContain(`/auth/signin?return_to=${BACK}`)
    expect(html).toContain(`value="${PATTERN}"`)
  })

  test('of somebody whose address is not confirmed is 403 and says how to confirm it', async () => {
    const person = await createPerson(world, false)
    const response = await person.browser.post('/bundle', { q: PATTERN })
    const html = await response.text()
    expect(response.status).toBe(403)
    expect(textOf(html)).toContain(`mail we sent to ${person.email}`)
    expect(html).toContain('action="/auth/verify"')
    expect(await person.served()).toEqual({})
  })

  test('from another site is refused and spends nothing', async () => {
    const person = await createPerson(world, true)
    for (const headers of [
      { origin: 'https://elsewhere.example' },
      { 'sec-fetch-site': 'cross-site', origin: 'https://elsewhere.example' },
    ] as Array<Record<string, string>>)
      expect((await person.browser.post('/bundle', { q: PATTERN }, headers)).status).toBe(403)
    expect(await person.served()).toEqual({})
  })

  test('over the daily limit is 429 and says when there are new plans', async () => {
    const person = await createPerson(world, true)
    await person.serve(TODAY, 20)
    const response = await person.browser.post('/bundle', { q: PATTERN })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '43200'])
    const html = await response.text()
    expect(textOf(html)).toContain('all 20 plans of today. New ones come at 00:00 UTC, in about 12 hours.')
    expect(html).toContain(`value="${PATTERN}"`)
  })

  test.each([
    ['nothing', '  ', 'Say what you need.'],
    ['more than a query may hold', 'x'.repeat(1001), 'at most 1000 characters'],
    ['euros', 'a standing desk and an office chair under €900', 'Prices here are in US dollars'],
  ])('of %s is 400, and the field says why', async (_, q, why) => {
    const person = await createPerson(world, true)
    const response = await person.browser.post('/bundle', { q })
    const html = await response.text()
    expect(response.status).toBe(400)
    expect(html).toMatch(/<p class="field-error" id="field-q-error">/)
    expect(textOf(html)).toContain(why)
    expect(await person.served()).toEqual({})
  })
})

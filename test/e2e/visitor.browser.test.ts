/** What a page made for everybody does for one visitor, in a real browser. */
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { beforeAll, describe, expect, test } from 'vitest'
import { setRates } from '../../src/catalog/rates.service.ts'
import { useBrowser } from '../browser.ts'
import { seen, useTravelers } from '../journeys.ts'
import { audit, layoutShift, NARROW } from '../pages.audit.ts'
import { ASKED, OFFERED, UNSOLD } from '../pages.people.ts'
import { createPagesWorld, linkIn } from '../pages.world.ts'
import { addProduct } from '../products.ts'

const world = await createPagesWorld()
const travel = useTravelers(world)
const browser = useBrowser()
const { newcomer, ada } = world.people
const ASKED_PATH = `/p/${ASKED}`

const rowsOf = async (userId: string) =>
  (await world.database.pool.query('select list from saved_products where user_id = $1', [userId])).rows
const header = (page: Page) => page.locator('.site-header')
/** axe, and nothing that moved. */
const isClean = async (page: Page) => {
  expect(await audit(page, { name: 'visitor', path: '' }, null)).toEqual([])
  expect(await layoutShift(page)).toEqual({ sum: 0, moved: [] })
}

test('one click saves without leaving the page; list and price are edited afterwards', async () => {
  const { page } = await travel({ at: '/account', as: newcomer })
  await page.goto(world.baseUrl + ASKED_PATH)
  await page.locator('.actions').getByRole('button', { name: 'Save' }).click()
  const mark = page.locator('.actions output')
  await mark.getByRole('link', { name: 'Edit' }).waitFor()
  expect(await seen(mark)).toBe('Saved · Edit')
  expect(page.url()).toBe(world.baseUrl + ASKED_PATH)
  expect(await rowsOf(newcomer.userId)).toEqual([{ list: 'saved' }])
  await page.locator('#similar').getByRole('button', { name: 'Save' }).first().click()
  await page.locator('#similar output a').waitFor()
  expect(await rowsOf(newcomer.userId)).toHaveLength(2)
  await mark.getByRole('link').click()
  await page.getByLabel('Target price').waitFor()
})

test.each([true, false])('a stranger is led to sign in and finds it saved (scripts: %s)', async (scripts) => {
  const email = `pressed-${scripts}@people.example`
  const { userId } = await world.person({ email, name: 'Pressed', verified: true })
  const { page, go, read } = await travel({ at: `/p/${UNSOLD}`, scripts })
  await page.locator('.actions').getByRole('button', { name: 'Save' }).click()
  await read('Sign in')
  expect(await rowsOf(userId)).toEqual([])
  await page.getByRole('link', { name: 'Email me a sign-in link instead' }).click()
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Email me a link' }).click()
  await read('Check your email')
  await go(linkIn(await world.mailTo(email, /\/auth\/magic/)))
  await page.getByRole('status').filter({ hasText: 'to the list “saved”' }).waitFor()
  expect(await rowsOf(userId)).toEqual([{ list: 'saved' }])
})

test('the header names who is signed in, on cached pages too, and nobody asks for a stranger', async () => {
  const stranger = await browser.open(world.baseUrl + ASKED_PATH)
  for (const name of ['Categories', 'Bundles', 'Connect', 'Quotes', 'Saved', 'Sell', 'Account'])
    await header(stranger.page).getByRole('link', { name, exact: true }).waitFor()
  await stranger.page.waitForLoadState('networkidle')
  expect(stranger.requested.join()).not.toContain('me.json')

  const { page, go } = await travel({ at: '/account', as: world.sellers.managed.session })
  const who = header(page).locator('.nav-who')
  const name = await seen(who)
  expect(name).not.toContain('Account')
  await go(ASKED_PATH)
  await header(page).getByRole('link', { name: 'Dashboard' }).waitFor()
  expect(await seen(who)).toBe(name)
  await isClean(page)
  const scripts = await travel({ at: '/account', as: ada, scripts: false })
  expect(await seen(header(scripts.page).locator('.nav-who'))).toMatch(/A\s*Ada/)
})

test('at 360 px the header has every way, and nothing sticks out', async () => {
  for (const at of ['/', ASKED_PATH, '/saved']) {
    const { page } = await travel({ at, as: ada })
    await page.setViewportSize(NARROW)
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(NARROW.width)
    for (const link of await header(page).getByRole('link').all()) expect(await link.isVisible()).toBe(true)
  }
})

test('prices are shown in another currency beside the dollars, until the visitor has enough of it', async () => {
  const before = await travel({ at: ASKED_PATH })
  const footer = before.page.locator('[data-currencies]')
  const answered = before.page.waitForResponse('**/rates.json')
  await footer.scrollIntoViewIfNeeded()
  expect(await (await answered).json()).toEqual({ rates: {} })
  expect(await seen(footer)).toBe('Prices are in US dollars.')

  const by = { kind: 'operator', id: null } as const
  await setRates({ db: world.database.db, clock: world.clock }, { by, rates: { EUR: 1.25, JPY: 0.01 } })
  const { page: next, go } = await travel({ at: ASKED_PATH })
  const choice = next.getByLabel('Also show prices in')
  await next.locator('[data-currencies]').scrollIntoViewIfNeeded()
  await choice.selectOption('EUR')
  const price = next.locator('.facts .price')
  const text = await seen(price)
  const dollars = [...(text.split('≈')[0]?.matchAll(/\$([\d,]+)/g) ?? [])].map(([, digits = '']) =>
    Number(digits.replace(',', '')),
  )
  const euros = dollars.map((amount) => `€${Math.round(amount / 1.25)}`).join(' – ')
  expect(text).toContain(`≈ ${euros}`)
  expect(await price.locator('.approx').getAttribute('title')).toMatch(
    /^Approximate, at \$1\.25 for 1 EUR, the rate of \w+ \d+, \d{4}\./,
  )
  expect(await next.locator('table.shops .approx').count()).toBeGreaterThan(0)
  await go(`/compare?p=${ASKED}`)
  await next.locator('.compare .approx').first().waitFor()
  expect(await audit(next, { name: 'visitor', path: '' }, null)).toEqual([])
  await next.locator('[data-currencies]').scrollIntoViewIfNeeded()
  await choice.selectOption('')
  expect(await next.locator('.approx').count()).toBe(0)
  await go(ASKED_PATH)
  expect(await next.locator('.approx').count()).toBe(0)
})

test('times of day are in the zone of the reader, with UTC beside them, on pages of shops and consoles', async () => {
  const task = await world.ask(ada.userId)
  for (const at of [`/quotes/${task.rfqId}`, '/dashboard/history']) {
    const as = at.startsWith('/quotes') ? ada : world.sellers.managed.session
    const { page } = await travel({ at, as, timezoneId: 'Asia/Tokyo' })
    const times = page.locator('time[title$=" UTC"]')
    await times.first().waitFor()
    const found = await times.evaluateAll((all) =>
      all.map((time) => [time.textContent, time.getAttribute('datetime'), time.getAttribute('title')]),
    )
    const words = { dateStyle: 'long', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const
    for (const [shown, iso] of found.filter(([text]) => !/ago|now/.test(text ?? '')))
      expect(shown).toBe(new Date(iso ?? '').toLocaleString('en-US', words))
    expect(await page.locator('time', { hasText: 'UTC' }).count()).toBe(0)
  }
})

test('on a telephone the comparison scrolls inside its frame, and the names of its rows stay', async () => {
  const slugs = [ASKED, OFFERED, UNSOLD, 'air-fryers/ovenbird-crisp-3']
  const { page } = await travel({ at: `/compare?${slugs.map((slug) => `p=${slug}`).join('&')}` })
  await page.setViewportSize(NARROW)
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(NARROW.width)
  const frame = page.getByRole('region', { name: 'Comparison table' })
  const name = frame.getByRole('rowheader', { name: 'Price' })
  const before = await name.boundingBox()
  await frame.focus()
  await frame.evaluate((element) => element.scrollTo({ left: 400 }))
  expect(await frame.evaluate(({ scrollLeft }) => scrollLeft)).toBeGreaterThan(100)
  expect((await name.boundingBox())?.x).toBe(before?.x)
  await isClean(page)
})

test('what was looked at comes back as a strip, stays in the browser, and can be cleared', async () => {
  const { page, go } = await travel({ at: ASKED_PATH })
  const strip = page.getByRole('region', { name: 'Recently viewed' })
  expect(await strip.count()).toBe(0)
  await go(`/p/${OFFERED}`)
  expect(
    await strip.getByRole('link').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
  ).toEqual([ASKED_PATH])
  await isClean(page)
  await page.evaluate(() => {
    const seen = JSON.parse(localStorage.getItem('souk-viewed') ?? '[]')
    const title = '<img src=x onerror=alert(1)>'
    const many = Array.from({ length: 20 }, (_, at) => ({
      path: `/p/a/${at}`,
      title,
      picture: seen[0].picture,
    }))
    localStorage.setItem(
      'souk-viewed',
      JSON.stringify([...many, { path: 'javascript:alert(1)', title, picture: '' }, 5]),
    )
  })
  await go('/')
  expect(await strip.getByRole('link').count()).toBe(6)
  expect(await seen(strip)).toContain('<img src=x onerror=alert(1)>')
  await go(ASKED_PATH)
  expect(await page.evaluate(() => JSON.parse(localStorage.getItem('souk-viewed') ?? '').length)).toBe(12)
  await strip.getByRole('button', { name: 'Clear' }).click()
  expect(await strip.count()).toBe(0)
  await go('/')
  expect(await strip.count()).toBe(0)
})

describe('a photo that is gone', () => {
  const HOST = 'https://gone.example'
  const named = { category: 'kettles', brand: 'Zorvex' }
  const [main = '', side = ''] = ['main', 'side'].map((name) => `${HOST}/${name}.jpg`)
  const openGone = async (path: string, options: Parameters<typeof browser.open>[1] = {}) => {
    const opened = await browser.open(`${world.baseUrl}/compare`, options)
    const { page } = opened
    await page.route(`${HOST}/**`, (route) => route.fulfill({ status: 404 }))
    await page.goto(world.baseUrl + path)
    return { ...opened, photos: page.locator('main img.picture') }
  }
  const brokenRules = (complaints: string[]) => complaints.filter((words) => !words.includes('404'))

  beforeAll(async () => {
    const images = [{ url: main }, { url: side, alt: 'From the side' }]
    await addProduct(world, { ...named, slug: 'gone-kettle', title: 'Gone kettle', images })
    await addProduct(world, { ...named, slug: 'other-kettle', title: 'Other kettle' })
    await world.catchUp()
  })

  test('gives its room to the drawing, and leads nowhere', async () => {
    const { page, photos, complaints } = await openGone('/p/kettles/gone-kettle')
    await page.locator('img.photo').first().waitFor({ state: 'detached' })
    const all = () => photos.evaluateAll((images) => images.map((image) => image.getAttribute('src')))
    await expect.poll(async () => (await all()).filter((src) => src?.startsWith(HOST))).toEqual([])
    expect(await page.locator('a.full-size').count()).toBe(0)
    expect(await photos.first().getAttribute('alt')).toBe('Gone kettle')
    expect(await page.evaluate('document.querySelector("main img.picture").naturalWidth > 0')).toBe(true)
    expect(await layoutShift(page)).toEqual({ sum: 0, moved: [] })
    expect(brokenRules(complaints)).toEqual([])
  })

  test('is drawn in lists too', async () => {
    const { photos, complaints } = await openGone('/c/kettles')
    await expect
      .poll(() => photos.evaluateAll((images) => images.map((image) => image.className).sort()))
      .toEqual(['picture', 'picture drawing'])
    expect(brokenRules(complaints)).toEqual([])
  })

  test('without scripts is no white box, and takes as much room', async () => {
    const { page, photos } = await openGone('/p/kettles/gone-kettle', { javaScriptEnabled: false })
    const room = await photos.first().boundingBox()
    expect((room?.width ?? 0) / (room?.height ?? 1)).toBeCloseTo(4 / 3, 1)
    const { data } = await sharp(await photos.first().screenshot())
      .extract({ left: 20, top: 20, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true })
    const surface = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('main img.picture'), '::after').backgroundColor`,
    )
    expect(`rgb(${[...data.subarray(0, 3)].join(', ')})`).toBe(surface)
    expect(surface).not.toBe('rgb(255, 255, 255)')
  })
})

test('the link of a product is shared, or copied and said so', async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page } = await browser.open(`${world.baseUrl}${ASKED_PATH}?from=mail`, { permissions })
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('button', { name: 'Link copied' }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(world.baseUrl + ASKED_PATH)
  await page.addInitScript('navigator.share = async (shared) => { window.shared = shared }')
  await page.reload()
  await page.getByRole('button', { name: 'Share' }).click()
  expect(await page.evaluate('window.shared.url')).toBe(world.baseUrl + ASKED_PATH)
  const without = await browser.open(world.baseUrl + ASKED_PATH, { javaScriptEnabled: false })
  expect(await without.page.getByRole('button', { name: 'Share' }).count()).toBe(0)
})

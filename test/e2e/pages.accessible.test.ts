/**
 * Every page of the tour in a real browser, held to what all pages promise: axe finds nothing in either theme, nothing
 * sticks out of a telephone's screen, nothing moves while it loads, nothing is inline, nothing is missing and nothing
 * is complained of. A page that is not on the tour fails here, too.
 */
import fs from 'node:fs'
import { gzipSync } from 'node:zlib'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { projectFile } from '../../src/lib/paths.ts'
import { type OpenPage, useBrowser } from '../browser.ts'
import { createPagesWorld } from '../pages.world.ts'
import { createGuide } from '../tour.guide.ts'
import { NOT_PAGES, type Stop, tourOf } from '../tour.ts'
import { demoProducts } from './search.world.ts'

const world = await createPagesWorld()
const tour = tourOf(world)
const guide = createGuide(world, useBrowser())

const axeSource = fs.readFileSync(projectFile('node_modules', 'axe-core', 'axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
/** What depends on the colours, and on how much room there is: all else is the same document. */
const OF_THEME = ['color-contrast', 'link-in-text-block']
const OF_ROOM = ['target-size', 'scrollable-region-focusable']
const WIDE = { width: 1280, height: 900 }
const NARROW = { width: 360, height: 740 }
/** Each makes its own use of the room, of pictures, or of the script. */
const MOVABLE = [
  'home',
  'category',
  'product',
  'search',
  'compare',
  'connect',
  'saved',
  'quotes-ranked',
  'docs',
]
const MAX_SCRIPT = 15_000
const MAX_PRODUCT_PAGE = 60_000

type Told = { rule: string; help: string; elements: string[] }

async function audit(page: Page, { skim }: Stop, rules: string[] | null): Promise<Told[]> {
  const runOnly = rules === null ? { type: 'tag', values: TAGS } : { type: 'rule', values: rules }
  const context = `{ include: [document]${skim === undefined ? '' : `, exclude: [${JSON.stringify(skim)}]`} }`
  // The rule of the newest level is off unless it is asked for by its name.
  const named = rules === null ? { 'target-size': { enabled: true } } : {}
  const options = JSON.stringify({ runOnly, rules: named, resultTypes: ['violations'], preload: false })
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axeSource)
  // Only what is wrong leaves the browser: all that is right would take as long to send as to find.
  const violations = await page.evaluate<AxeResults['violations']>(
    `axe.run(${context}, ${options}).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, help, nodes }) => ({
    rule: id,
    help,
    elements: nodes.slice(0, 5).map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
  }))
}

/** What has moved without anybody's doing since the document came, and by how much, as tools round it. */
const layoutShift = (page: Page): Promise<{ sum: number; moved: string[] }> =>
  page.evaluate(`new Promise((resolve) => {
    const entries = []
    new PerformanceObserver((list) => {
      entries.push(...list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput))
    }).observe({ type: 'layout-shift', buffered: true })
    const told = () => {
      const sum = Math.round(entries.reduce((all, { value }) => all + value, 0) * 1000) / 1000
      const nodes = entries.flatMap(({ sources }) => sources.map(({ node }) => node))
      resolve({ sum, moved: sum === 0 ? [] : nodes.map((node) => (node?.outerHTML ?? '').slice(0, 120)) })
    }
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(told, 20)))
  })`)

const inlineParts = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('*')].flatMap((element) => [
    ...(element.localName === 'style' ? ['<style>'] : []),
    ...(element.localName === 'script' && !element.src && element.type !== 'application/ld+json' ? ['<script>'] : []),
    ...element.getAttributeNames()
      .filter((name) => name === 'style' || name.startsWith('on'))
      .map((name) => element.localName + ' ' + name),
  ])`)

const pictureFaults = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.images]
    .filter((image) => !image.hasAttribute('width') || !image.hasAttribute('height') || !image.hasAttribute('alt'))
    .map((image) => image.outerHTML)`)

const linked = (page: Page): Promise<{ sheets: string[]; scripts: string[] }> =>
  page.evaluate(`({
    sheets: [...document.querySelectorAll('link[rel=stylesheet]')].map(({ href }) => href),
    scripts: [...document.scripts].filter(({ src }) => src).map(({ src }) => src),
  })`)

/** The browser says of every refused document that it was refused: that much is meant. */
function unexpected({ complaints }: OpenPage, { status = 200 }: Stop): string[] {
  const meant = `the server responded with a status of ${status}`
  return complaints.splice(0).filter((text) => status < 400 || !text.includes(meant))
}

async function look(stop: Stop, inspect: (page: Page) => Promise<void>) {
  const open = await guide.pageFor(stop.as)
  const { page } = open
  open.complaints.length = 0
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ colorScheme: 'light' })
  const visit = await guide.visit(open, stop)
  try {
    expect(visit.status).toBe(stop.status ?? 200)
    if (!stop.grows) expect(await layoutShift(page), 'layout shift').toEqual({ sum: 0, moved: [] })
    await inspect(page)
  } finally {
    await visit.leave()
  }
  expect(visit.failed, 'requests that failed').toEqual([])
  expect(unexpected(open, stop), 'complaints of the browser').toEqual([])
}

describe('every page', () => {
  test.each(tour.map((stop) => [stop.name, stop] as const))(
    '%s keeps what pages promise',
    async (_, stop) => {
      await look(stop, async (page) => {
        expect(await audit(page, stop, null), 'in light').toEqual([])
        await page.emulateMedia({ colorScheme: 'dark' })
        expect(await audit(page, stop, OF_THEME), 'in dark').toEqual([])
        expect(await inlineParts(page), 'inline style or script').toEqual([])
        expect(await pictureFaults(page), 'pictures without size or text').toEqual([])
        const { sheets, scripts } = await linked(page)
        expect([sheets.length, scripts.length <= 1]).toEqual([1, true])
        await page.setViewportSize(NARROW)
        expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeLessThanOrEqual(NARROW.width)
        expect(await audit(page, stop, OF_ROOM), 'on a telephone').toEqual([])
      })
    },
  )

  test('is on the tour: every route that answers with HTML is visited, and what is not a page says so', async () => {
    const routes = [
      ...new Set(world.app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)),
    ]
    const isPage = (path: string) => !NOT_PAGES.some((pattern) => pattern.test(path))
    const visited = (route: string) => {
      const shape = route.replaceAll(/:\w+(\{[^}]*\})?/g, '[^/?]+')
      return tour.some(({ path }) => new RegExp(`^${shape}/?(\\?|$)`).test(path))
    }
    expect(routes.filter(isPage).filter((path) => !visited(path))).toEqual([])
    expect(routes.filter(isPage).length).toBeGreaterThan(15)
    // No rule is left over from a route that is gone, and none hides a page.
    for (const pattern of NOT_PAGES)
      expect(
        routes.some((path) => pattern.test(path)),
        String(pattern),
      ).toBe(true)
    // Files say by their names that they are none, and some of them take a while to make.
    for (const path of routes.filter((one) => !isPage(one) && !/[:*]|\.\w+$/.test(one))) {
      const answer = await world.app.request(world.baseUrl + path, {
        headers: { accept: 'text/html', cookie: world.people.ada.cookie },
      })
      expect([path, answer.headers.get('content-type')]).not.toEqual([path, expect.stringContaining('html')])
    }
  })
})

test('what is wrong is found: the check itself can fail', async () => {
  const { page } = await guide.pageFor('stranger')
  const stop = { name: 'broken', path: '/nowhere' }
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(world.baseUrl + stop.path)
  expect(await audit(page, stop, null)).toEqual([])
  await page.evaluate(`{
    const main = document.querySelector('main')
    main.append(document.createElement('img'), document.createElement('h4'))
    for (const words of ['a', 'b']) {
      const button = document.createElement('button')
      button.textContent = words
      Object.assign(button.style, { all: 'unset', width: '9px', height: '9px' })
      main.append(button)
    }
    const wide = document.createElement('p')
    Object.assign(wide.style, { width: '2000px', color: '#eee' })
    wide.textContent = 'Hardly to be read'
    main.prepend(wide)
  }`)
  const found = (await audit(page, stop, null)).map(({ rule }) => rule)
  expect(found).toEqual(
    expect.arrayContaining(['image-alt', 'empty-heading', 'color-contrast', 'target-size']),
  )
  await page.setViewportSize(NARROW)
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeGreaterThan(NARROW.width)
  expect(await inlineParts(page)).toEqual(['p style', 'button style', 'button style'])
  expect(await pictureFaults(page)).toHaveLength(1)
})

test('nothing moves while it loads on a telephone, even when the script comes after the page is painted', async () => {
  const { page } = await guide.pageFor('ada')
  await page.setViewportSize(NARROW)
  await page.route('**/assets/*.js', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 150))
    await route.continue()
  })
  const shifts: Record<string, unknown> = {}
  for (const stop of tour.filter(({ name }) => MOVABLE.includes(name))) {
    await page.goto(world.baseUrl + stop.path)
    shifts[stop.name] = await layoutShift(page)
  }
  await page.unroute('**/assets/*.js')
  const still = { sum: 0, moved: [] }
  expect(shifts).toEqual(Object.fromEntries(MOVABLE.map((name) => [name, still])))
})

test('the names of the tour are each used once', () => {
  const names = tour.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('the one script is small', async () => {
  const home = await (await fetch(`${world.baseUrl}/`)).text()
  const [, src] = /<script type="module" src="([^"]+)"/.exec(home) ?? []
  const script = await (await fetch(`${world.baseUrl}${src}`)).text()
  expect(script.length).toBeGreaterThan(500)
  expect(gzipSync(script).length).toBeLessThan(MAX_SCRIPT)
})

test('the page of the product that has most to say is below 60 KB', async () => {
  const longest = demoProducts()
    .products.map((product) => ({ product, length: JSON.stringify(product).length }))
    .sort((a, b) => b.length - a.length)
    .slice(0, 8)
  for (const { product } of longest) {
    const path = `/p/${product.category.slug}/${product.slug}`
    const answer = await world.app.request(world.baseUrl + path, { headers: { accept: 'text/html' } })
    expect(answer.status).toBe(200)
    expect(Buffer.byteLength(await answer.text()), path).toBeLessThan(MAX_PRODUCT_PAGE)
  }
})

/** Every page, in a real browser, held to what all pages promise; a page that is not on the tour fails here. */
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { useBrowser } from '../browser.ts'
import {
  audit,
  inlineParts,
  keepsPromises,
  layoutShift,
  NARROW,
  pictureFaults,
  WIDE,
} from '../pages.audit.ts'
import { createTourWorld } from '../pages.seeds.ts'
import { createGuide } from '../tour.guide.ts'
import { NOT_PAGES, tourOf } from '../tour.ts'
import { demoProducts } from './search.world.ts'

const world = await createTourWorld()
const tour = tourOf(world)
const guide = createGuide(world, useBrowser())

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

describe('every page', () => {
  test.each(tour.map((stop) => [stop.name, stop] as const))('%s keeps what pages promise', (_, stop) =>
    keepsPromises(guide, stop),
  )

  test('is on the tour: every route that answers with HTML is visited, and what is not a page says so', async () => {
    const routes = [
      ...new Set(world.app.routes.filter(({ method }) => method === 'GET').map(({ path }) => path)),
    ]
    const isPage = (path: string) => !NOT_PAGES.some((pattern) => pattern.test(path))
    const visited = (route: string) => {
      const shape = route.replaceAll(/:\w+(\{[^}]*\})?/g, '[^/?]+')
      return tour.some(({ path, endsOn = path }) =>
        [path, endsOn].some((one) => new RegExp(`^${shape}/?(\\?|$)`).test(one)),
      )
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

test('the names of the tour are each used once', () => {
  const names = tour.map(({ name }) => name)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
})

test('what is wrong is found: the check itself can fail', async () => {
  const { page } = await guide.pageFor('stranger')
  const stop = { name: 'broken', path: '/nowhere' }
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(world.baseUrl + stop.path)
  expect(await audit(page, stop, null)).toEqual([])
  expect((await layoutShift(page)).sum).toBe(0)
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
  expect((await layoutShift(page)).sum).toBeGreaterThan(0)
  const found = (await audit(page, stop, null)).map(({ rule }) => rule)
  expect(found).toEqual(
    expect.arrayContaining(['image-alt', 'empty-heading', 'color-contrast', 'target-size']),
  )
  await page.setViewportSize(NARROW)
  expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBeGreaterThan(NARROW.width)
  expect(await inlineParts(page)).toEqual(['p style', 'button style', 'button style'])
  expect(await pictureFaults(page)).toHaveLength(1)
})

test('what is wrong is found: text in good colours is judged again where something else lies behind it', async () => {
  const { page } = await guide.pageFor('stranger')
  const stop = { name: 'covered', path: '/nowhere' }
  await page.setViewportSize(WIDE)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(world.baseUrl + stop.path)
  expect(await audit(page, stop, null)).toEqual([])
  await page.evaluate(`{
    const add = (name, styles, into) => {
      const element = document.createElement(name)
      Object.assign(element.style, styles)
      into.append(element)
      return element
    }
    const write = (words, into, styles = {}) => { add('p', styles, into).textContent = words }
    const main = document.querySelector('main')
    write('As the rest', main)
    write('Within something dark', add('div', { background: '#222' }, main))
    write('Within something faint', add('div', { opacity: '0.3' }, main))
    const pile = add('div', { position: 'relative' }, main)
    add('div', { position: 'absolute', inset: '-9px', background: '#222' }, pile)
    write('Above something dark', pile, { position: 'relative' })
    add('div', { background: '#222', height: '60px' }, main)
    write('Drawn up onto something dark', main, { margin: '-50px 0 50px', position: 'relative' })
  }`)
  const found = await audit(page, stop, ['color-contrast'])
  const words = found.flatMap(({ elements }) => elements.map((html) => />([^<]+)</.exec(html)?.[1]))
  expect(words).toEqual([
    'Within something dark',
    'Within something faint',
    'Above something dark',
    'Drawn up onto something dark',
  ])
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

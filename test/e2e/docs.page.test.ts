/**
 * The page about the interface, held against the description that it is written from: nothing of it is missing, every
 * link within it leads somewhere, and the commands that it shows do what they say when a shell reads them.
 */
import { execFileSync } from 'node:child_process'
import { Hono } from 'hono'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { OPERATIONS, writeOpenApi } from '../../src/agents/discovery/openapi/document.ts'
import type { HttpEnv } from '../../src/http/env.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { type Described, isPublic, readDescription } from '../../src/web/docs/description.ts'
import { mountDocs } from '../../src/web/docs/docs.routes.ts'
import { writeCommand } from '../../src/web/docs/examples.ts'
import { type OpenPage, useBrowser } from '../browser.ts'
import { createDemoDatabase, createTestApp, createTestDatabase } from '../harness.ts'
import { asText } from '../html.ts'
import { listenFirst } from '../listen-first.ts'
import { addProduct } from '../products.ts'

const { baseUrl, answerWith } = await listenFirst()
const assets = loadAssets()
const site = { baseUrl, demo: true, stylesheet: assets.stylesheet, script: assets.script }
const database = await createDemoDatabase()
const world = await createTestApp({ database, assets, site })
await world.searchRuntime.fill()
await world.catchUp()
answerWith(world.app)

const description = readDescription(writeOpenApi(site), OPERATIONS)
const operations = description.topics.flatMap((topic) => topic.operations)
const response = await fetch(`${baseUrl}/docs`)
const html = await response.text()
const article = ({ id }: Described) => {
  const from = html.indexOf(`<article class="docs-operation" aria-labelledby="${id}">`)
  expect(from, id).toBeGreaterThan(0)
  return html.slice(from, html.indexOf('</article>', from))
}

const flat = (text: string) => text.replace(/\s+/g, '')

const sinceStart = performance.now.bind(performance)
let skippedMs = 0
/** The page looks for news at most once a second, by the time since the process began. */
function passSecond(): void {
  skippedMs += 1_001
  vi.spyOn(performance, 'now').mockImplementation(() => sinceStart() + skippedMs)
}

test('every operation is there, with its path, its fields and each reason to refuse', () => {
  expect(operations).toHaveLength(OPERATIONS.length)
  expect(operations.length).toBeGreaterThan(10)
  for (const operation of operations) {
    const shown = asText(article(operation))
    const { method, path, summary, parameters, body, responses, reasons } = operation
    for (const words of [`${method.toUpperCase()} ${path}`, summary]) expect(shown).toContain(words)
    for (const { name } of parameters) expect(shown).toContain(name)
    const name = body?.schema?.$ref?.split('/').at(-1)
    if (name)
      for (const field of Object.keys(description.schemas[name]?.properties ?? {}))
        expect(shown).toContain(field)
    for (const { status } of responses) expect(shown).toContain(status)
    expect(reasons.length, operation.id).toBeGreaterThan(0)
    for (const { status, when, code = '' } of reasons)
      expect(flat(shown)).toContain(flat(`${status} ${code} ${when.replaceAll('`', '')}`))
  }
})

test('every schema is there, and every link within the page leads to one place', () => {
  const ids = [...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const name of Object.keys(description.schemas)) expect(ids).toContain(`schema-${name}`)
  const targets = [...html.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)
  expect(targets.length).toBeGreaterThan(operations.length)
  expect(targets.filter((id) => !ids.includes(id))).toEqual([])
})

test('it leads to the other ways in, and each is there', async () => {
  for (const path of [
    '/openapi.json',
    '/.well-known/mcp.json',
    '/.well-known/agent-card.json',
    '/.well-known/ucp',
    '/llms.txt',
    '/feeds/products.jsonl',
    '/feeds/google.tsv',
  ]) {
    expect(html).toContain(`href="${path}"`)
    const answer = await fetch(`${baseUrl}${path}`)
    await answer.body?.cancel()
    expect(answer.status, path).toBe(200)
  }
})

test('who has the page already is told so', async () => {
  const etag = response.headers.get('etag') ?? ''
  expect(etag).not.toBe('')
  const again = await fetch(`${baseUrl}/docs`, { headers: { 'if-none-match': etag } })
  expect(again.status).toBe(304)
  expect(response.headers.get('content-security-policy')).toContain(`script-src 'self'`)
})

describe('search', () => {
  const search = async (query: string) => {
    const answer = await fetch(`${baseUrl}/docs?${new URLSearchParams({ q: query })}`)
    expect(answer.status).toBe(200)
    return answer.text()
  }

  test('finds operations, schemas and sections of guides, each by a link that leads there', async () => {
    const found = await search('offer')
    const links = [...found.slice(found.indexOf('docs-results')).matchAll(/<li><a href="([^"]+)"/g)]
    expect(links.length).toBeGreaterThan(10)
    for (const start of ['/docs#', '/docs#schema-', '/docs/'])
      expect(links.some(([, href]) => href?.startsWith(start))).toBe(true)
    for (const [, href = ''] of links) {
      const [path, id] = href.split('#')
      const target = await (await fetch(`${baseUrl}${path}`)).text()
      if (id) expect(target, href).toContain(`id="${id}"`)
    }
  })

  test('says when there are no results, keeps the query in the box, and shows it as text', async () => {
    const query = `"><script>alert(1)</script>`
    const found = await search(query)
    expect(found).not.toContain('<script>alert')
    expect(asText(found)).toContain(`No results for “${query}”. Try fewer or different words.`)
    expect(found).toContain('value="&quot;&gt;&lt;script&gt;')
    expect(found).toContain('<meta name="robots" content="noindex"/>')
  })

  test('an empty query is the reference', async () => {
    expect(await search('  ')).toBe(html)
  })
})

describe('the commands', () => {
  /** What a shell makes of a command, given to `fetch`. */
  async function runCommand(command: string): Promise<Response> {
    const script = `curl() { printf '%s\\0' "$@"; }\n${command}`
    const [...words] = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
    const init = { method: 'GET', headers: new Headers(), body: undefined as string | undefined }
    let url = ''
    while (words.length > 0) {
      const word = words.shift() ?? ''
      if (word === '-X') init.method = words.shift() ?? ''
      else if (word === '-H') {
        const [name = '', value = ''] = (words.shift() ?? '').split(': ')
        init.headers.set(name, value)
      } else if (word === '-d') {
        init.body = words.shift()
        init.method = init.method === 'GET' ? 'POST' : init.method
      } else if (word === '-b') init.headers.set('cookie', words.shift() ?? '')
      else url = word
    }
    return fetch(url, init)
  }

  const commandOf = (operation: Described) => {
    const [, command = ''] = /<pre[^>]*>(curl .*?)<\/pre>/s.exec(article(operation)) ?? []
    return asText(command)
  }

  test.each(operations.filter(isPublic).map((operation) => [operation.id, operation] as const))(
    '%s works as it stands, in this catalog',
    async (_, operation) => {
      const command = commandOf(operation)
      expect(command).toContain(baseUrl)
      expect((await runCommand(command)).status, command).toBe(200)
    },
  )

  test.each(
    operations.filter((one) => !isPublic(one)).map((operation) => [operation.id, operation] as const),
  )('%s asks for who is calling, and says where to put it', async (_, operation) => {
    const command = commandOf(operation)
    expect(command).toMatch(/\$SOUK_(TOKEN|SESSION)/)
    const refused = await runCommand(command)
    expect(refused.status, command).toBe(401)
    expect(operation.reasons.map(({ status }) => status)).toContain(401)
  })

  test('quotes in a body survive the shell', async () => {
    const [search] = operations
    if (!search) throw new Error('no operations')
    const value = { query: `a chef's knife "for two" $HOME \`id\` \\n` }
    const body = { examples: { one: { value } } }
    const command = writeCommand({ ...search, body }, description, null)
    const script = `curl() { for word; do last=$word; done; printf '%s' "$last"; }\n${command}`
    expect(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' }))).toEqual(value)
  })

  test('they name a product that is there: the first that comes, another when it is gone', async () => {
    const fresh = await createTestDatabase()
    const small = await createTestApp({ database: fresh, site })
    const shownPaths = async () => {
      const page = await (await small.app.request('/docs')).text()
      return new Set([...page.matchAll(/curl &#39;[^&]*(\/p\/[^&]+)\.md&#39;/g)].map(([, path]) => path))
    }
    expect(await shownPaths()).not.toContain('/p/lamps/first')
    await addProduct(small, { slug: 'first', category: 'lamps', title: 'First' })
    passSecond()
    expect(await shownPaths()).toEqual(new Set(['/p/lamps/first']))
    await addProduct(small, { slug: 'second', category: 'chairs', title: 'Second' })
    passSecond()
    expect(await shownPaths()).toEqual(new Set(['/p/lamps/first']))
    await fresh.pool.query(`delete from products where slug = 'first'`)
    passSecond()
    expect(await shownPaths()).toEqual(new Set(['/p/chairs/second']))
  })
})

test.each([
  ['an empty catalog', async () => createTestDatabase()],
  ['a full one', async () => database],
])('with %s the page is made once, and readers do not each ask the database', async (_, open) => {
  const { db, pool } = await open()
  let drawn = 0
  const counting = {
    ...site,
    get stylesheet() {
      drawn++
      return site.stylesheet
    },
  }
  const app = new Hono<HttpEnv>()
  mountDocs(app, { site: counting, db })
  const asked = vi.spyOn(pool, 'connect')
  await Promise.all([app.request('/docs'), app.request('/docs')])
  const [drawnOnce, askedOnce] = [drawn, asked.mock.calls.length]
  expect(drawnOnce).toBeGreaterThan(0)
  for (let count = 0; count < 20; count++) expect((await app.request('/docs')).status).toBe(200)
  expect(asked.mock.calls.length - askedOnce).toBeLessThan(askedOnce + 2)
  passSecond()
  expect((await app.request('/docs')).status).toBe(200)
  expect(asked.mock.calls.length).toBeGreaterThan(askedOnce)
  expect(drawn).toBe(drawnOnce)
  asked.mockRestore()
})

describe('in a browser', () => {
  const browser = useBrowser()

  /** Long, so it is loaded once for all widths and both themes. */
  let shared: OpenPage
  beforeAll(async () => {
    shared = await browser.open(`${baseUrl}/docs`)
  })

  async function show(width: number, { unfolded }: { unfolded: boolean }, colorScheme: 'light' | 'dark') {
    const { page } = shared
    await Promise.all([page.setViewportSize({ width, height: 900 }), page.emulateMedia({ colorScheme })])
    await page.evaluate(`for (const part of document.querySelectorAll('details')) part.open = ${unfolded}`)
    return page
  }

  test.each([360, 768, 1200, 1600])(
    'at %i pixels nothing sticks out to the side, folded or not',
    async (width) => {
      for (const colorScheme of ['light', 'dark'] as const)
        for (const unfolded of [false, true]) {
          const page = await show(width, { unfolded }, colorScheme)
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
        }
      expect(shared.complaints).toEqual([])
    },
  )

  test.each([360, 1200])('at %i pixels lists, folds and blocks are named by what they are', async (width) => {
    const page = await show(width, { unfolded: true }, 'light')
    const lists = await page.locator('.docs-fields').count()
    expect(lists).toBeGreaterThan(3 * operations.length)
    const told = await tellAloud(page)
    const names = (role: string) => told.filter((one) => one.role === role).map(({ name }) => name)
    const named = names('list').filter((name) =>
      /^(Parameters|Request body|Responses?|Errors|Fields of)\b/.test(name),
    )
    expect(named).toHaveLength(lists)
    const blocks = names('region').filter((name) => /^(Try it|\d{3} · \S+) · ./.test(name))
    expect(blocks).toHaveLength(await page.locator('.docs pre').count())
    for (const all of [named, names('region'), names('DisclosureTriangle')]) {
      expect(all.filter((name) => name === '')).toEqual([])
      expect(all.filter((name, at) => all.indexOf(name) !== at)).toEqual([])
    }
  })

  test('the menu leads to every operation and marks the one being read', async () => {
    const page = await show(1200, { unfolded: false }, 'light')
    await page.reload()
    const [, , third] = operations
    const link = page.getByRole('navigation', { name: 'Docs' }).getByRole('link', { name: third?.summary })
    await link.click()
    await page.locator(`.docs-menu a[href="#${third?.id}"][aria-current="location"]`).waitFor()
    expect(await page.locator('.docs-menu [aria-current="location"]').count()).toBe(1)
  })

  test('typing filters the menu, on narrow screens too, and Enter lists results', async () => {
    const page = await show(360, { unfolded: false }, 'light')
    const menu = page.getByRole('navigation', { name: 'Docs' })
    expect(await menu.isVisible()).toBe(false)
    await page.getByRole('searchbox', { name: 'Search the docs' }).pressSequentially('ucp')
    await menu.waitFor()
    const words = await menu.getByRole('link').allTextContents()
    expect(words.length).toBeGreaterThan(0)
    for (const one of words) expect(one.toLowerCase()).toContain('ucp')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${baseUrl}/docs?q=ucp`)
    expect(await page.locator('.docs-results li').count()).toBeGreaterThan(3)
    expect(shared.complaints).toEqual([])
  })

  test('without scripts it is the same page', async () => {
    const { page } = await browser.open(`${baseUrl}/docs`, { javaScriptEnabled: false })
    expect(await page.locator('article').count()).toBe(operations.length)
    await page
      .getByRole('link', { name: operations[1]?.summary ?? '' })
      .first()
      .click()
    expect(page.url()).toBe(`${baseUrl}/docs#${operations[1]?.id}`)
    await page.locator('.docs-main summary').first().click()
    expect(await page.locator('.docs-main details[open]').count()).toBe(1)
  })
})

/** The tree that the browser hands to a screen reader. */
async function tellAloud(page: Page): Promise<Array<{ role: string; name: string }>> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = await session.send('Accessibility.getFullAXTree')
  return nodes
    .filter(({ ignored }) => !ignored)
    .map(({ role, name }) => ({ role: String(role?.value), name: String(name?.value ?? '') }))
}

/**
 * What the pages offer to the agent of the person who reads them, in a real browser that has the draft built in: the two
 * tools are registered, called and answered as an agent would meet them. What the tool server says is the measure.
 */

import { createServer } from 'node:net'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { manualClock } from '../../src/lib/clock.ts'
import { createLiveOffers } from '../../src/offers/live-offers.ts'
import { loadAssets } from '../../src/web/assets.ts'
import { createReads } from '../../src/web/reads.ts'
import { type OpenPage, type TestBrowser, useBrowser, WITH_WEBMCP } from '../browser.ts'
import { BASE_URL, createDemoDatabase } from '../harness.ts'
import { listenFirst } from '../listen-first.ts'
import { NO_FRONT, NO_SELLERS } from '../listings.ts'
import { createToolsWorld } from '../tools.world.ts'
import { demoProducts } from './search.world.ts'

type Described = {
  name: string
  title: string
  description: string
  inputSchema: { required?: string[]; properties: Record<string, unknown> }
}
type Result = { content: Array<{ type: string; text: string }>; isError?: boolean }
type Registered = Described & { annotations: Record<string, boolean> }
/** As the browser has it: the draft has moved from JSON to the objects themselves, in schemas, input and answer alike. */
type Kept = Omit<Registered, 'inputSchema'> & { inputSchema: string | Registered['inputSchema'] }
type BrowserWindow = {
  document: {
    modelContext: {
      getTools(): Promise<Kept[]>
      executeTool(tool: Kept, input: unknown): Promise<unknown>
    }
  }
}

const database = await createDemoDatabase()
const clock = manualClock('2026-11-01T12:00:00Z')
const assets = loadAssets()
const { stylesheet, script } = assets
const site = { baseUrl: BASE_URL, demo: true, stylesheet, script }
const offers = createLiveOffers({ db: database.db, clock })
const world = await createToolsWorld({
  database,
  assets,
  site,
  reads: createReads({
    ...{ db: database.db, site, clock, offers },
    ...{ similar: () => [], planOfDay: () => null, front: async () => NO_FRONT, sellers: NO_SELLERS },
    shelf: () => {
      throw new Error('no filters here')
    },
  }),
})
await world.searchRuntime.fill()
await world.catchUp()
const { baseUrl, answerWith } = await listenFirst()
answerWith(world.app)

const withTools = useBrowser([WITH_WEBMCP])
const plain = useBrowser()
const product = demoProducts().products.find(({ category }) => category.slug === 'air-fryers')
if (!product) throw new Error('the demo catalog has no air fryers')
const PAGES = ['/', '/c/air-fryers', `/p/air-fryers/${product.slug}`, '/sets', '/auth/signin', '/docs']

const open = (browser: TestBrowser, path: string) => browser.open(`${baseUrl}${path}`)

function registered({ page }: OpenPage): Promise<Registered[]> {
  return page.evaluate(async () => {
    const tools = await (globalThis as unknown as BrowserWindow).document.modelContext.getTools()
    return tools.map(({ name, title, description, inputSchema, annotations }) => ({
      name,
      title,
      description,
      inputSchema: typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema,
      annotations: { ...annotations },
    }))
  })
}

/** Registering goes on after a page has loaded, and on a busy machine takes its time. */
function offered(page: OpenPage): Promise<Registered[]> {
  return vi.waitFor(
    async () => {
      const tools = await registered(page)
      expect(tools).toHaveLength(2)
      return tools
    },
    { timeout: 20_000 },
  )
}

async function run({ page }: OpenPage, name: string, input: Record<string, unknown>): Promise<Result> {
  const answer = await page.evaluate(
    async ([name, input]) => {
      const { modelContext } = (globalThis as unknown as BrowserWindow).document
      const tool = (await modelContext.getTools()).find((one) => one.name === name)
      if (!tool) throw new Error(`the page has no ${name}`)
      const given = typeof tool.inputSchema === 'string' ? JSON.stringify(input) : input
      return await modelContext.executeTool(tool, given)
    },
    [name, input] as const,
  )
  return (typeof answer === 'string' ? JSON.parse(answer) : answer) as Result
}

const textOf = (result: Result) => result.content.map(({ text }) => text).join('\n')

/** The front page, for all calls of tools. */
let front: OpenPage
beforeAll(async () => {
  front = await open(withTools, '/')
  await offered(front)
}, 60_000)

describe('where the browser lets pages offer tools', () => {
  test('every page offers the two tools, in the words and field for field by the schemas of the tool server', async () => {
    const { token } = await world.person()
    const response = await world.rpc(token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { result } = (await response.json()) as { result: { tools: Described[] } }
    for (const path of PAGES) {
      const page = await open(withTools, path)
      const tools = await offered(page)
      await page.page.context().close()
      expect(tools.map(({ name }) => name).sort(), path).toEqual(['get_product', 'search_products'])
      for (const tool of tools) {
        const listed = result.tools.find(({ name }) => name === tool.name)
        if (!listed) throw new Error(`the tool server has no ${tool.name}`)
        const { properties, required } = tool.inputSchema
        expect(tool.title).toBe(listed.title)
        expect(listed.description.startsWith(tool.description), tool.description).toBe(true)
        expect(listed.inputSchema.properties).toMatchObject(properties)
        expect(required).toEqual(listed.inputSchema.required)
        expect(tool.annotations).toMatchObject({ readOnlyHint: true, untrustedContentHint: true })
      }
    }
  })

  test('search_products finds what the search finds, with what get_product needs to go on', async () => {
    const asked = { query: 'air fryer for a small kitchen', category: 'air-fryers', max_price: 120, limit: 3 }
    const text = textOf(await run(front, 'search_products', asked))
    const direct = await fetch(`${baseUrl}/api/search/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        query: asked.query,
        limit: 3,
        filters: { category: 'air-fryers', max_price: 120 },
      }),
    })
    const { results } = (await direct.json()) as { results: Array<{ slug: string; title: string }> }
    expect(results).toHaveLength(3)
    expect([...text.matchAll(/slug: (\S+)/g)].map(([, slug]) => slug)).toEqual(
      results.map(({ slug }) => slug),
    )
    for (const { title, slug } of results) {
      expect(text).toContain(title)
      expect(text).toContain(`${baseUrl}/p/air-fryers/${slug}`)
    }
    expect(text).toContain('get_product')
  })

  test('get_product gives the whole profile, as the Markdown form has it', async () => {
    const markdown = await (await fetch(`${baseUrl}/p/air-fryers/${product.slug}.md`)).text()
    for (const slug of [product.slug, `air-fryers/${product.slug}`]) {
      const result = await run(front, 'get_product', { category: 'air-fryers', slug })
      expect(result).toEqual({ content: [{ type: 'text', text: markdown }] })
    }
    expect(markdown).toContain(product.title)
  })

  test.each([
    ['search_products', { query: 'kettle', category: 'nothing-such' }, /nothing-such|category/],
    ['search_products', { query: '   ' }, /query/],
    ['search_products', { query: 'kettle', limit: 500 }, /limit/],
    ['search_products', { query: null }, /query/],
    ['get_product', { category: 'air-fryers', slug: 'no-such-thing' }, /No product .* search_products/],
    ['get_product', { category: 'air-fryers', slug: '../../account' }, /No product .* search_products/],
    ['get_product', { category: 'air-fryers' }, /are required/],
  ])('%s %j is refused with words that say what to do', async (name, input, words) => {
    const result = await run(front, name, input)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toMatch(words)
  })

  test('what is given as null counts as left out, as models do with fields that they do not need', async () => {
    const [asked, nothing] = [
      { query: 'air fryer', limit: 3 },
      { category: null, min_price: null, on_sale: null },
    ]
    const plainly = await run(front, 'search_products', asked)
    expect(plainly.isError).toBeUndefined()
    expect(await run(front, 'search_products', { ...asked, ...nothing, max_price: null })).toEqual(plainly)
  })

  test('a search that finds nothing says what to try, and never numbers what only comes closest', async () => {
    const result = await run(front, 'search_products', { query: 'laptop', max_price: 0.01 })
    expect(textOf(result)).toMatch(/^No results\./)
    expect(textOf(result)).toContain('Closest matches (they do not meet every requirement):\n\n- ')
    expect(textOf(result)).not.toMatch(/^1\. /m)
  })

  test('a shop that cannot be reached is told to the agent, not thrown', async () => {
    await front.page.context().setOffline(true)
    const result = await run(front, 'search_products', { query: 'laptop' })
    await front.page.context().setOffline(false)
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('Could not reach the server')
  })
})

describe('every page', () => {
  /** All at once: each is waited for until it has asked for nothing more for a while. */
  let visits: Map<string, OpenPage[]>
  beforeAll(async () => {
    const visit = async (browser: TestBrowser, path: string) => {
      const one = await open(browser, path)
      await one.page.waitForLoadState('networkidle')
      await one.page.context().close()
      return one
    }
    const inBoth = async (path: string): Promise<[string, OpenPage[]]> => [
      path,
      await Promise.all([plain, withTools].map((browser) => visit(browser, path))),
    ]
    visits = new Map(await Promise.all(PAGES.map(inBoth)))
  }, 60_000)

  test.each(PAGES)('%s asks for nothing but its own files, and the browser has no complaint', (path) => {
    const inBoth = visits.get(path) ?? []
    expect(inBoth).toHaveLength(2)
    for (const { complaints, requested } of inBoth) {
      expect(complaints).toEqual([])
      expect(requested).toContain(`${baseUrl}${script}`)
      const others = requested
        .map((url) => url.replace(baseUrl, ''))
        .filter((url) => url !== path && url !== script && url !== stylesheet)
      expect(others.filter((url) => !url.startsWith('/pictures/') && !url.startsWith('data:'))).toEqual([])
    }
  })

  test('the browser of these tests reaches no address but the one of this machine', async () => {
    let knocked = 0
    const server = createServer((socket) => {
      knocked++
      socket.destroy()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.2', resolve))
    const { port } = server.address() as { port: number }
    const { page } = await open(plain, '/')
    await expect(page.goto(`http://127.0.0.2:${port}/`)).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
    await expect(page.goto(`http://souk.test:${port}/`)).rejects.toThrow('ERR_NAME_NOT_RESOLVED')
    expect(knocked).toBe(0)
    await new Promise((resolve) => server.close(resolve))
  })
})

test('a result that is opened is reported, and one that only shows its menu is not', async () => {
  const { page, requested } = await open(plain, '/search?q=air+fryer')
  const reports = () => requested.filter((url) => url.endsWith('/api/search/click')).length
  const link = page.locator('a[data-query-id]').first()
  await link.click({ button: 'right' })
  await link.click({ button: 'middle' })
  await vi.waitFor(() => expect(reports()).toBe(1), { timeout: 20_000 })
  await link.click()
  await page.waitForURL('**/p/air-fryers/*')
  await vi.waitFor(() => expect(reports()).toBe(2), { timeout: 20_000 })
  await page.context().close()
})

test('no more can be ticked than are compared, also by anyone who comes back to the list', async () => {
  const { page } = await open(plain, '/c/air-fryers')
  const boxes = page.locator('.compare-box input')
  for (const at of [0, 1, 2, 3]) await boxes.nth(at).check()
  expect(await boxes.nth(4).isDisabled()).toBe(true)
  await page.getByRole('button', { name: 'Compare 4 products' }).click()
  await page.waitForURL('**/compare?*')
  await page.goBack()
  await vi.waitFor(async () => expect(await boxes.nth(4).isDisabled()).toBe(true), { timeout: 20_000 })
  await boxes.nth(0).uncheck()
  expect(await boxes.nth(4).isDisabled()).toBe(false)
  await page.context().close()
})

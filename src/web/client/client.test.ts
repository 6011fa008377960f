/** The pages' script before any browser sees it: what it may use, what it promises, how it is served. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { transformSync } from 'esbuild'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createTestApp } from '../../../test/harness.ts'
import { projectFile } from '../../lib/paths.ts'
import { SearchFilters, SearchRequest } from '../../search/search.schema.ts'
import { loadAssets } from '../assets.ts'
import { describePageTools } from './page-tools.ts'
import { writeClientScript, writeConsoleScript, writeKitScript, writeVerifyScript } from './script.ts'

test('the script uses what browsers have and nothing of Node: it has the right types with theirs alone', () => {
  const tsc = projectFile('node_modules', 'typescript', 'bin', 'tsc')
  const { status, stdout } = spawnSync(
    process.execPath,
    [tsc, '-p', projectFile('src', 'web', 'client'), '--noEmit'],
    {
      encoding: 'utf8',
    },
  )
  expect(stdout).toBe('')
  expect(status).toBe(0)
})

test('a page loads at most 12 KB of scripts, compressed, one of a console 14.5 KB, and they load no other', () => {
  const script = writeClientScript()
  // As the build writes it.
  const small = { target: 'es2024', minifyWhitespace: true, minifySyntax: true } as const
  const sizeOf = (source: string) => gzipSync(transformSync(source, small).code).length
  const beside = Math.max(sizeOf(writeKitScript()), sizeOf(writeVerifyScript()))
  expect(sizeOf(script) + beside).toBeLessThan(12 * 1024)
  expect(sizeOf(script) + sizeOf(writeConsoleScript())).toBeLessThan(14.5 * 1024)
  expect(script).not.toMatch(/\bimport\b\s*[({'"]|\bfrom\s+['"]|\beval\b|new Function/)
  // Types are gone, and no text that came from a tool can end a script element.
  expect(script).not.toMatch(/\bdeclare\b|\btype \w+ =|<\/script/i)
})

test('nothing happens where there is neither document nor navigator to offer tools to', async () => {
  const script = writeClientScript()
  await expect(import(`data:text/javascript,${encodeURIComponent(script)}`)).resolves.toBeDefined()
})

type Offered = { name: string; execute(input: Record<string, unknown>): Promise<{ isError?: true }> }
type Sent = { method: string; path: string; body: unknown }

/** Runs the script where tools can be offered, and gives what it offers and every request that calling them makes. */
async function runScript(answer: (path: string, init?: RequestInit) => Promise<Response>) {
  const [tools, sent] = [new Map<string, Offered>(), [] as Sent[]]
  vi.stubGlobal('document', {
    modelContext: { registerTool: async (tool: Offered) => void tools.set(tool.name, tool) },
  })
  vi.stubGlobal('fetch', (path: string, init: RequestInit = {}) => {
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    sent.push({ method: init.method ?? 'GET', path, body })
    return answer(path, init)
  })
  // Another address each time: a module is run once.
  const script = `${writeClientScript()}\n// ${randomUUID()}`
  await import(`data:text/javascript,${encodeURIComponent(script)}`)
  await vi.waitFor(() => expect([...tools.keys()]).toEqual(['search_products', 'get_product']))
  const call = (name: string, input: Record<string, unknown>) => {
    sent.length = 0
    return tools.get(name)?.execute(input)
  }
  return { call, sent }
}

describe('a call', () => {
  afterEach(() => void vi.unstubAllGlobals())

  const ALL = {
    query: 'a lamp',
    category: 'lamps',
    brand: 'Lume',
    exclude_brands: ['Glim'],
    specs: { Socket: 'E27' },
    min_price: 5,
    max_price: 50,
    on_sale: false,
    available: true,
    ships_to: 'CA-US',
    limit: 3,
  }
  const nothing = async () => Response.json({ results: [] })

  test('of search_products sends every field that is promised, where the public route looks for it', async () => {
    const promised = describePageTools().search_products?.inputSchema.properties ?? {}
    expect(Object.keys(promised).sort()).toEqual(Object.keys(ALL).sort())
    const { call, sent } = await runScript(nothing)
    await call('search_products', { ...ALL, not_promised: 1 })
    const { query, limit, ...filters } = ALL
    expect(sent).toEqual([{ method: 'POST', path: '/api/search/', body: { query, limit, filters } }])
    expect(
      SearchRequest.strict().extend({ filters: SearchFilters.strict() }).parse(sent[0]?.body),
    ).toMatchObject({
      query,
      limit,
      filters,
    })
  })

  test('of search_products leaves out what is null', async () => {
    const { call, sent } = await runScript(nothing)
    const open = Object.fromEntries(Object.keys(ALL).map((field) => [field, null]))
    await call('search_products', { ...open, query: 'a lamp' })
    expect(sent[0]?.body).toEqual({ query: 'a lamp', filters: {} })
  })

  test.each([
    ['query', ''],
    ['category', ''],
    ['brand', ''],
    ['exclude_brands', 'Glim'],
    ['specs', 'E27'],
    ['min_price', -1],
    ['max_price', 'cheap'],
    ['on_sale', 'yes'],
    ['available', 'yes'],
    ['ships_to', 'Atlantis'],
    ['limit', 0],
  ])(
    'of search_products with a wrong %s is refused by the route: it heeds the field',
    async (field, value) => {
      const { app } = await createTestApp()
      const { call } = await runScript(async (path, init) => app.request(path, init))
      const result = await call('search_products', { ...ALL, [field]: value })
      expect(result).toMatchObject({ isError: true })
      expect(JSON.stringify(result)).toContain(field)
    },
  )

  test('of get_product asks for the profile of exactly that product', async () => {
    const promised = describePageTools().get_product?.inputSchema.properties ?? {}
    expect(Object.keys(promised).sort()).toEqual(['category', 'slug'])
    const { call, sent } = await runScript(async () => new Response('# A lamp'))
    await call('get_product', { category: 'lamps', slug: 'a b/../c' })
    expect(sent).toEqual([{ method: 'GET', path: '/p/lamps/a%20b%2F..%2Fc.md', body: undefined }])
  })
})

test('its words lead to no tool or field that a page does not have', () => {
  const tools = Object.values(describePageTools())
  expect(tools).toHaveLength(2)
  for (const { description } of tools) {
    expect(description).toMatch(/^[A-Z].+\.$/)
    expect(description).not.toMatch(/find_retailers|find_similar|list_|sections/)
  }
})

test('it is kept for ever under a name that changes with it, as the stylesheet is', async () => {
  const { app } = await createTestApp()
  const { script } = loadAssets()
  expect(script).toMatch(/^\/assets\/souk-[0-9a-f]{12}\.js$/)
  const response = await app.request(script)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(await response.text()).toBe(writeClientScript())
})

/**
 * The demo catalog made searchable for tests: as an app on a database, and as a bare index with the vectors that come
 * with the project, which takes a fraction of a second. Products are told by their files, so that what an answer holds
 * is checked against the source and not against the index that gave it.
 */
import type { Hono } from 'hono'
import { afterAll, expect, vi } from 'vitest'
import { createDemoIndex } from '../../eval/demo.ts'
import { readDemoSet } from '../../eval/judged.ts'
import { importProducts } from '../../src/catalog/import.service.ts'
import type { ProductProfile } from '../../src/catalog/profile.ts'
import type { Db } from '../../src/db/database.ts'
import type { HttpEnv } from '../../src/http/env.ts'
import type { manualClock } from '../../src/lib/clock.ts'
import type { Log } from '../../src/lib/log.ts'
import type { Match } from '../../src/search/answer.ts'
import type { CatalogIndex } from '../../src/search/catalog-index.ts'
import type { QueryEntry, QueryLog } from '../../src/search/query-log.ts'
import type { Explanation, Facets, SearchResult } from '../../src/search/search.schema.ts'
import type { SearchInput } from '../../src/search/search.service.ts'
import { createDemoDatabase, createTestApp } from '../harness.ts'

export { NO_SALES } from '../../src/search/filters.ts'

export type Asked = {
  status: number
  headers: Headers
  text: string
  body: {
    query_id: string
    results: SearchResult[]
    match: Match
    note?: string
    nearest?: SearchResult[]
    facets?: Facets
    explain?: Explanation
    error?: string
    field?: string
    max?: number
    valid?: string[]
    code?: string
  }
}

let spare: { index: CatalogIndex; version: number } | null = null

/**
 * Filled and ready; nothing was embedded for it. Filling takes more than a second of a core, and every copy of the demo
 * catalog has the same ids: an index that a test file left as it was is the next file's.
 */
export async function createDemoApp() {
  const lent = spare?.index.version === spare?.version ? spare?.index : undefined
  spare = null
  const world = await createTestApp({ database: await createDemoDatabase(), demo: true, index: lent })
  await world.searchRuntime.fill()
  await world.catchUp()
  const index = world.searchRuntime.search.index()
  const { version } = index
  afterAll(() => {
    if (index.version === version) spare = { index, version }
  })
  return world
}

export async function ask(
  app: Hono<HttpEnv>,
  body: unknown,
  options: { path?: string; headers?: Record<string, string> } = {},
): Promise<Asked> {
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const response = await app.request(options.path ?? '/api/search/', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...options.headers },
    body: raw ? (body as string) : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

/** A busy machine answers by words alone until its model is awake; only what was answered by meaning is remembered. */
export async function untilRemembered(
  { searchRuntime: { search } }: Awaited<ReturnType<typeof createTestApp>>,
  input: SearchInput,
): Promise<void> {
  await vi.waitFor(
    async () => {
      await search.search(input)
      expect(search.remembered(input)).not.toBeNull()
    },
    { timeout: 60_000 },
  )
}

/** Asks and expects an answer. */
export async function find(app: Hono<HttpEnv>, body: Record<string, unknown>): Promise<Asked['body']> {
  const asked = await ask(app, body)
  expect(asked.status, asked.text).toBe(200)
  return asked.body
}

export const slugs = (results: Array<{ slug: string }>) => results.map(({ slug }) => slug)

export function demoProducts(): { products: ProductProfile[]; bySlug: Map<string, ProductProfile> } {
  const { products } = readDemoSet()
  return { products, bySlug: new Map(products.map((product) => [product.slug, product])) }
}

let made: CatalogIndex | undefined

/** One a worker, since it takes a second of a core: read it, put nothing in. */
export function demoIndex(): CatalogIndex {
  made ??= createDemoIndex()
  return made
}

/** A log of queries that only remembers. */
export function keptLog(): QueryLog & { entries: QueryEntry[] } {
  const entries: QueryEntry[] = []
  return { entries, add: (entry) => void entries.push(entry), settled: async () => {} }
}

/** Writes products as an import does; `category` defaults to kettles. */
export async function put(
  ctx: { db: Db; clock: ReturnType<typeof manualClock>; log: Log },
  ...rows: Array<Record<string, unknown>>
): Promise<void> {
  ctx.clock.advance(1_000)
  const bytes = (async function* () {
    for (const row of rows) yield Buffer.from(`${JSON.stringify({ category: 'kettles', ...row })}\n`)
  })()
  const fingerprint = `${ctx.clock.now().toISOString()} ${JSON.stringify(rows)}`
  const { failed } = await importProducts(ctx, bytes, { format: 'jsonl', source: 'test', fingerprint })
  expect(failed).toBe(0)
}

/**
 * A node without a catalog (`SOUK_SEARCH=postgres`), words alone, beside one that holds it, on the same products: starts,
 * memory, and new queries one at a time. The larger catalog is the smaller one with products added.
 */
import type { Figures } from './figures.ts'
import { printTable } from './measure.ts'
import { type Start, timeSearches, timeStart, untilQuiet, untilWritten } from './scale/ask.ts'
import { fillCategories, growCatalog } from './scale/fill.ts'
import type { GrowthNode, Memory } from './scale/node.ts'
import { withDatabase, withFolder, withNode } from './scale/open.ts'
import { inFull } from './scale/rows.ts'

const SIZES = [1_000, 10_000]
const QUICK_SIZES = [1_000]
/** Filling the tables of the first start writes every product's words. */
const READY_MS_EACH = 10
const READY_MS_AT_LEAST = 120_000

const WAYS = {
  memory: { title: 'in memory', mode: 'semantic', settings: {} },
  fetched: { title: 'in PostgreSQL, words', mode: 'keyword', settings: { SOUK_SEARCH: 'postgres' } },
} as const
type Way = keyof typeof WAYS

type Told = Start & Memory & { firstSeconds: number; p50Ms: number; p99Ms: number; cpuMs: number }
type Row = { products: number; way: Way; told: Told }

export function benchFetched({ quick, sizes }: { quick: boolean; sizes?: number[] }): Promise<Figures> {
  const asked = [...new Set(sizes ?? (quick ? QUICK_SIZES : SIZES))].sort((a, b) => a - b)
  return withFolder(async (dir) => {
    await withDatabase(dir, fillCategories)
    const rows: Row[] = []
    let from = 0
    for (const products of asked) {
      await withDatabase(dir, (database) => growCatalog(database, { from, to: products }))
      from = products
      for (const way of ['memory', 'fetched'] as const)
        rows.push({ products, way, told: await measure(dir, products, way) })
    }
    print(rows)
    return figuresOf(rows)
  })
}

async function measure(dir: string, products: number, way: Way): Promise<Told> {
  const { mode, settings } = WAYS[way]
  const limitMs = Math.max(READY_MS_AT_LEAST, products * READY_MS_EACH)
  const start = (node: GrowthNode) => node.whileAlive(timeStart(node, limitMs, mode))
  const first = await withNode(
    dir,
    products,
    async (node) => {
      const started = await start(node)
      if (way === 'memory') await node.whileAlive(untilWritten(dir, node))
      return started
    },
    settings,
  )
  const again = async (node: GrowthNode): Promise<Told> => {
    const started = await start(node)
    await withDatabase(dir, (database) => node.whileAlive(untilQuiet(database)))
    const searched = await node.whileAlive(timeSearches(node))
    return { ...started, firstSeconds: first.searchingSeconds, ...searched, ...node.memory() }
  }
  return withNode(dir, products, again, settings)
}

function print(rows: Row[]): void {
  printTable(
    'A node without a catalog beside one that holds it: starts, memory after 400 new queries, and these, one at a time',
    ['products', 'searched', 'first s', 'ready s', 'searching s', 'RSS MB', 'p50 ms', 'p99 ms', 'CPU ms'],
    rows.map(({ products, way, told }) => [
      inFull(products),
      WAYS[way].title,
      ...[told.firstSeconds, told.readySeconds, told.searchingSeconds].map((s) => s.toFixed(2)),
      told.rssMb.toFixed(0),
      ...[told.p50Ms, told.p99Ms, told.cpuMs].map((ms) => ms.toFixed(1)),
    ]),
  )
}

function figuresOf(rows: Row[]): Figures {
  const smallest = rows.find(({ way }) => way === 'fetched')
  const largest = rows.findLast(({ way }) => way === 'fetched')
  const inMemory = rows.findLast(({ way }) => way === 'memory')
  if (!smallest || !largest || !inMemory) return {}
  const figure = (value: number) => ({ value, spread: 0 })
  return {
    'fetched.rss_growth': figure(largest.told.rssMb / smallest.told.rssMb),
    'fetched.p50_of_memory': figure(largest.told.p50Ms / inMemory.told.p50Ms),
    'fetched.p50_ms': figure(largest.told.p50Ms),
  }
}

/**
 * How Souk grows with its catalog: start, memory, search, import and freshness of one node, at each of several sizes. The
 * larger catalog is the smaller one with products added. A size that the machine cannot hold has the reason for its
 * row, and what was measured before is told all the same.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { ConnectedDatabase } from '../src/db/connect.ts'
import type { Figures } from './figures.ts'
import { ROOT } from './processes.ts'
import {
  holdEmbedding,
  releaseEmbedding,
  type Start,
  timeChanges,
  timeSearches,
  timeStart,
  untilQuiet,
  untilWritten,
} from './scale/ask.ts'
import { drawGrowth } from './scale/chart.ts'
import { DISK_BYTES_EACH, fillCategories, growCatalog } from './scale/fill.ts'
import { IMPORTED, timeImport, undoImport } from './scale/import.ts'
import type { GrowthNode } from './scale/node.ts'
import { stopPostgres, withDatabase, withFolder, withNode } from './scale/open.ts'
import { figuresOf, type Growth, type GrowthRow, type Idle, inFull, printGrowth } from './scale/rows.ts'
import { writeSyntheticCatalog } from './synthetic.ts'

export type ScaleOptions = {
  quick: boolean
  /** Numbers of products, in any order. */
  sizes?: number[]
  /** The file to draw into; null for none. By itself only a run over sizes that were asked for is drawn. */
  chart?: string | null
}

const CHART = path.join(ROOT, 'docs', 'growth.svg')
const SIZES = [1_000, 10_000]
const QUICK_SIZES = [1_000]
/** A slow disk and a slow core together fill an index at 500 products a second. */
const READY_MS_EACH = 2
const READY_MS_AT_LEAST = 120_000
/** Two starts on the same catalog differ by tens of megabytes. */
const TELLS_MEMORY = 10_000

export async function benchScale(options: ScaleOptions): Promise<Figures> {
  const { quick, sizes, chart = sizes && !quick ? CHART : null } = options
  const { empty, rows } = await measureGrowth(sizes ?? (quick ? QUICK_SIZES : SIZES))
  printGrowth(empty, rows)
  if (chart !== null && rows.some((row) => 'growth' in row)) fs.writeFileSync(chart, drawGrowth(rows))
  return Object.fromEntries(rows.flatMap(figuresOf))
}

export function measureGrowth(asked: number[]): Promise<{ empty: Idle; rows: GrowthRow[] }> {
  const sizes = [...new Set(asked)].sort((a, b) => a - b)
  return withFolder(async (dir) => {
    const { products: file } = writeSyntheticCatalog(dir, IMPORTED)
    await withDatabase(dir, fillCategories)
    const empty = await withNode(dir, 0, async (node) => {
      const start = await measureStart(node, 0)
      return withDatabase(dir, (database) => measureIdle(database, node, start))
    })
    const rows: GrowthRow[] = []
    for (const products of sizes) {
      const last = rows.at(-1)
      const size = { dir, file, from: last?.products ?? 0, products, empty }
      if (last && 'failed' in last) rows.push({ products, failed: 'not tried, since a smaller one failed' })
      else rows.push(await measureSize(size))
    }
    return { empty, rows }
  })
}

type Size = { dir: string; file: string; from: number; products: number; empty: Idle }

async function measureSize(size: Size): Promise<GrowthRow> {
  const { dir, from, products } = size
  try {
    requireDisk(dir, products - from)
    await withDatabase(dir, async (database) => {
      await releaseEmbedding(database)
      await undoImport(database)
      await growCatalog(database, { from, to: products })
    })
    say(`${inFull(products)} products: starting`)
    const fillSeconds = await withNode(dir, products, async (node) => {
      const { searchingSeconds } = await measureStart(node, products)
      await node.whileAlive(untilWritten(dir, node))
      return searchingSeconds
    })
    say(`${inFull(products)} products: searching after ${fillSeconds.toFixed(1)} s; starting again`)
    const growth = await withNode(dir, products, async (node) => {
      const start = await measureStart(node, products)
      return withDatabase(dir, async (database) => {
        const idle = await measureIdle(database, node, start)
        return { fillSeconds, ...idle, ...(await measureChanges(database, node, size, idle)) }
      })
    })
    return { products, growth }
  } catch (error) {
    console.error(error)
    await stopPostgres(dir)
    return { products, failed: (error as Error).message.split('\n')[0] ?? '' }
  }
}

/** Before anything else is opened: the node starts its database by itself, as it does for everybody. */
function measureStart(node: GrowthNode, products: number): Promise<Start> {
  return node.whileAlive(timeStart(node, Math.max(READY_MS_AT_LEAST, products * READY_MS_EACH)))
}

async function measureIdle(database: ConnectedDatabase, node: GrowthNode, start: Start): Promise<Idle> {
  await node.whileAlive(untilQuiet(database))
  const searches = await node.whileAlive(timeSearches(node))
  return { ...start, ...searches, ...node.memory() }
}

async function measureChanges(
  database: ConnectedDatabase,
  node: GrowthNode,
  { dir, file, products, empty }: Size,
  { readySeconds, rssMb, p50Ms }: Idle,
): Promise<Omit<Growth, keyof Idle | 'fillSeconds'>> {
  const soFar = `ready after ${readySeconds.toFixed(1)} s, ${rssMb.toFixed(0)} MB, ${p50Ms.toFixed(1)} ms a search`
  say(`${inFull(products)} products: ${soFar}; changing some`)
  const shown = await node.whileAlive(timeChanges(database, node))
  // Last, and with what would follow held back: embedding the new products takes minutes and all the cores.
  await node.whileAlive(holdEmbedding(database))
  const importPerSecond = await timeImport(dir, file)
  const beyondEmpty = (rssMb - empty.rssMb) * 2 ** 20
  const bytesEach = products < TELLS_MEMORY ? null : beyondEmpty / products
  return { ...shown, bytesEach, importPerSecond }
}

function requireDisk(dir: string, products: number): void {
  const { bavail, bsize } = fs.statfsSync(dir)
  const needed = products * DISK_BYTES_EACH
  const inGb = (bytes: number) => `${(bytes / 1e9).toFixed(0)} GB`
  if (needed > bavail * bsize)
    throw new Error(`${inGb(needed)} of disk are needed for it, and ${inGb(bavail * bsize)} are free`)
}

function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

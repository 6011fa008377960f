/**
 * The demo catalog: fictional products that come with the project. Loaded through the ordinary import when the
 * database has not seen this version of the files; a setting remembers that it is there, because every face must say
 * that what it shows is invented.
 */
import fs from 'node:fs'
import path from 'node:path'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { sha256 } from '../lib/crypto.ts'
import type { Log } from '../lib/log.ts'
import { projectFile } from '../lib/paths.ts'
import { readSetting, writeSetting } from './catalog.queries.ts'
import { importCategories } from './categories.service.ts'
import { importProducts } from './import.service.ts'

type Context = { db: Db; clock: Clock; log: Log }
export type DemoFile = {
  slug: string
  label: string
  description: string
  products: Array<Record<string, unknown>>
}

const SETTING = 'demo_catalog'
const SOURCE = 'Souk demo catalog'

/** In place of a fingerprint: the operator took the demo catalog away, and it stays away. */
const REMOVED = 'removed'

export async function isDemoLoaded(ctx: { db: Db }): Promise<boolean> {
  return (await demoFingerprint(ctx)) !== null
}

/** Which version of the demo catalog is loaded; null for none. */
export async function demoFingerprint(ctx: { db: Db }): Promise<string | null> {
  const loaded = await readSetting(ctx.db, SETTING)
  return typeof loaded === 'string' && loaded !== REMOVED ? loaded : null
}

export async function markDemoRemoved(ctx: { db: Db }): Promise<void> {
  await writeSetting(ctx.db, SETTING, REMOVED)
}

/** Returns how many products were written; 0 when this version is already there, or the operator took it away. */
export async function loadDemoCatalog(
  ctx: Context,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  const loaded = await readSetting(ctx.db, SETTING)
  if (loaded === REMOVED) return 0
  const texts = readDemoFiles()
  const fingerprint = sha256(texts.join('\0')).toString('hex')
  if (loaded === fingerprint) return 0
  const written = await importDemoFiles(ctx, texts.map(parseDemoFile), fingerprint, onProgress)
  await writeSetting(ctx.db, SETTING, fingerprint)
  return written
}

/** Returns how many products were written. Who needs only some of them hands over only those. */
export async function importDemoFiles(
  ctx: Context,
  files: DemoFile[],
  fingerprint: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<number> {
  const total = files.reduce((sum, file) => sum + file.products.length, 0)
  await importCategories(ctx, files)
  const { created, updated } = await importProducts(ctx, toJsonl(files), {
    format: 'jsonl',
    source: SOURCE,
    fingerprint: `demo ${fingerprint}`,
    onProgress: (rows) => onProgress(rows, total),
    onProblem: (problem) => ctx.log.error({ problem }, 'a row of the demo catalog was rejected'),
  })
  return created + updated
}

export function parseDemoFile(text: string): DemoFile {
  return JSON.parse(text) as DemoFile
}

export function readDemoFiles(): string[] {
  const folder = projectFile('catalog')
  return fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => fs.readFileSync(path.join(folder, name), 'utf8'))
}

async function* toJsonl(files: DemoFile[]): AsyncGenerator<Uint8Array> {
  for (const { slug, products } of files) {
    yield Buffer.from(
      products.map((product) => `${JSON.stringify({ category: slug, ...product })}\n`).join(''),
    )
  }
}

/** What tests share: a database of their own, an app on it, a quiet log that can be read. */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PassThrough } from 'node:stream'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { type AppDeps, createApp } from '../src/app.ts'
import { loadDemoCatalog } from '../src/catalog/demo.service.ts'
import { type Config, loadConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { manualClock } from '../src/lib/clock.ts'
import { createLog, type Log } from '../src/lib/log.ts'
import { createOutbound, type Outbound } from '../src/lib/outbound.ts'
import type { ResolveTxt } from '../src/lib/outbound.txt.ts'
import { createParts } from '../src/parts.ts'
import type { CatalogIndex } from '../src/search/catalog-index.ts'
import type { Embedder } from '../src/search/embed/embedder.ts'
import { createLocalEmbedder } from '../src/search/embed/local-embedder.ts'
import { minilmId } from '../src/search/embed/minilm.ts'
import { takeReadyVectors } from '../src/search/embed-products.ts'
import { readShippedVectors } from '../src/search/shipped-vectors.ts'
import { holdToDescription } from './described.hook.ts'
import { serveFastPaths } from './fast-paths.ts'
import { TEMPLATE } from './global-setup.ts'

export type TestDatabase = Database & {
  connection: { host: string; port: number; user: string; database: string }
  url: string
}

/** For what has nothing to say in a test. One for all: each log waits for the end of the process. */
export const SILENT = createLog('silent')

/** A fresh, migrated database, dropped when the file's tests are done. */
export async function createTestDatabase(
  options: { empty?: boolean; template?: string } = {},
): Promise<TestDatabase> {
  const database = `test_${randomUUID().replaceAll('-', '')}`
  const { template = TEMPLATE } = options
  await administer(`create database ${database}${options.empty ? '' : copyOf(template)}`)
  const opened = connectTo(database)
  afterAll(async () => {
    await opened.close()
    await administer(`drop database if exists ${database} with (force)`)
  })
  return opened
}

/** By files: page by page through the log takes three times as long. */
const copyOf = (template: string) => ` template ${template} strategy file_copy`

function connectTo(database: string): TestDatabase {
  const server = inject('postgres')
  const connection = { ...server, database }
  const url = `postgresql://${server.user}@/${database}?host=${encodeURIComponent(server.host)}`
  return { ...openDatabase(connection, SILENT), connection, url }
}

const MAKING = 1

/**
 * A copy of a world that is made once a run, by the first who asks for it: copying takes milliseconds, making takes seconds.
 * What `seed` returns goes with every copy as JSON. It must leave no connection open.
 */
export async function createSeededDatabase<T>(
  name: string,
  seed: (database: TestDatabase) => Promise<T>,
): Promise<{ database: TestDatabase; seeded: T }> {
  const template = `souk_template_${name}`
  let seeded: T | undefined
  await asAdmin(async (admin) => {
    // The other worker may be making it.
    await admin.query(`select pg_advisory_lock(${MAKING})`)
    const { rows } = await admin.query<{ kept: string }>(
      `select shobj_description(oid, 'pg_database') as kept from pg_database where datname = $1`,
      [template],
    )
    if (rows[0]) {
      seeded = JSON.parse(rows[0].kept)
      return
    }
    const making = `${template}_${randomUUID().replaceAll('-', '')}`
    await admin.query(`create database ${making}${copyOf(TEMPLATE)}`)
    const opened = connectTo(making)
    const kept = JSON.stringify((await seed(opened)) ?? null)
    await opened.close()
    await admin.query(`comment on database ${making} is ${admin.escapeLiteral(kept)}`)
    await admin.query(`alter database ${making} rename to ${template}`)
    seeded = JSON.parse(kept)
  })
  return { database: await createTestDatabase({ template }), seeded: seeded as T }
}

/** With the demo catalog and the vectors that come with it, so that filling an index writes nothing. */
export async function createDemoDatabase(): Promise<TestDatabase> {
  const { database } = await createSeededDatabase('demo', async ({ db }) => {
    const ctx = { db, clock: manualClock('2026-11-01T00:00:00Z'), log: SILENT }
    await loadDemoCatalog(ctx)
    await takeReadyVectors(ctx, minilmId(), () => readShippedVectors(minilmId()))
  })
  return database
}

let kept: Promise<pg.Client> | null = null

/** By one connection a worker: a thousand databases are made and dropped in a run. */
async function administer(statement: string): Promise<void> {
  kept ??= connectAdmin()
  await (await kept).query(statement)
}

async function connectAdmin(): Promise<pg.Client> {
  const admin = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  // The server may end before the worker does.
  admin.on('error', () => {})
  await admin.connect()
  return admin
}

/** By a connection of its own, whose locks end with it. */
async function asAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = await connectAdmin()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

/** One model a worker: loading it takes a second of a core. It ends with the process. */
export const EMBEDDER: Embedder = { ...createLocalEmbedder(), close: async () => {} }

export function captureLog(): { log: Log; lines: () => Array<Record<string, unknown>>; text: () => string } {
  const out = new PassThrough()
  const chunks: string[] = []
  out.on('data', (chunk) => chunks.push(String(chunk)))
  const text = () => chunks.join('')
  return {
    log: createLog('trace', out),
    text,
    lines: () =>
      text()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  }
}

export const BASE_URL = 'http://souk.test'

/** A test's callers have no address, so all of them would share one network's; limits have tests of their own. */
const NO_LIMITS = 'search=off,suggest=off,rfq=off,import=off,signup=off,register=off,mistakes=off'

/** A real hash takes 20 ms of a core; passwords.test.ts has those. */
export const CHEAP_PASSWORDS = { SOUK_PASSWORD_COST: '64x1' }

/** What a test writes to the data folder is gone with its worker. */
const DATA_DIR = path.join(os.tmpdir(), `souk-test-data-${randomUUID()}`)
process.on('exit', () => fs.rmSync(DATA_DIR, { recursive: true, force: true }))

export function testConfig(env: Record<string, string> = {}): Config {
  return loadConfig({
    SOUK_BASE_URL: BASE_URL,
    SOUK_DATA_DIR: DATA_DIR,
    SOUK_CATALOG: 'none',
    SOUK_LIMITS: NO_LIMITS,
    ...CHEAP_PASSWORDS,
    ...env,
  })
}

/** The app on a database of its own. `catchUp` brings its caches in step after a write behind its back. */
export async function createTestApp(
  options: {
    database?: TestDatabase
    demo?: boolean
    outbound?: Outbound
    resolveTxt?: ResolveTxt
    embedder?: Embedder
    index?: CatalogIndex
  } & Partial<AppDeps> = {},
) {
  const database = options.database ?? (await createTestDatabase())
  const clock = manualClock('2026-11-01T12:00:00Z')
  const logged = captureLog()
  const config = options.config ?? testConfig()
  const outbound = options.outbound ?? createOutbound({ allow: config.outboundAllow })
  const parts = createParts({
    ...database,
    clock,
    log: logged.log,
    config,
    secret: 'a secret for tests, of at least 32 characters',
    outbound,
    resolveTxt: options.resolveTxt ?? (async () => []),
    demo: options.demo ?? false,
    hearsOfTokens: false,
    pollMs: 60_000,
    bundles: options.bundles,
    embedder: options.embedder ?? EMBEDDER,
    index: options.index,
  })
  await parts.start()
  afterAll(async () => {
    await parts.stop()
    await outbound.close()
  })
  const deps: AppDeps = { ...parts.deps, notReady: async () => null, ...options }
  const app = createApp(deps)
  serveFastPaths(app, deps)
  holdToDescription(app)
  return {
    app,
    ctx: { ...parts.ctx, clock },
    accounts: deps.accounts,
    oauth: deps.oauth,
    orgs: deps.orgs,
    rfq: deps.rfq,
    a2a: deps.a2a,
    bundles: deps.bundles,
    plans: deps.plans,
    planOfDay: deps.planOfDay,
    tools: parts.tools,
    pictures: deps.pictures,
    sources: deps.sources,
    /** Searches are refused until its `fill` is called. */
    searchRuntime: parts.search,
    offers: parts.offers,
    database,
    clock,
    logged,
    jobNews: deps.jobNews,
    catchUp: parts.follower.catchUp,
  }
}

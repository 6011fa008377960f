/** What tests share: a database of their own, an app on it, a quiet log that can be read. */
import { randomUUID } from 'node:crypto'
import { PassThrough } from 'node:stream'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { createAccountsContext } from '../src/accounts/context.ts'
import { createA2aContext } from '../src/agents/a2a/context.ts'
import { createToolsRuntime } from '../src/agents/mcp/start.ts'
import { type AppDeps, createApp } from '../src/app.ts'
import { createBundlesRuntime } from '../src/bundles/start.ts'
import { createChangeFollower } from '../src/catalog/changes.follower.ts'
import { createShown } from '../src/catalog/changes.service.ts'
import { createProductReads } from '../src/catalog/product-reads.ts'
import { type Config, loadConfig } from '../src/config.ts'
import { type Database, openDatabase } from '../src/db/database.ts'
import { manualClock } from '../src/lib/clock.ts'
import { createLog, type Log } from '../src/lib/log.ts'
import { createOutbound, type Outbound } from '../src/lib/outbound.ts'
import type { ResolveTxt } from '../src/lib/outbound.txt.ts'
import { createOauthContext } from '../src/oauth/context.ts'
import { createLiveOffers } from '../src/offers/live-offers.ts'
import { ORG_HOOKS, RELATIONSHIP_HOOKS } from '../src/org-hooks.ts'
import { createOrgsContext } from '../src/orgs/context.ts'
import { createRfqContext } from '../src/rfq/context.ts'
import { createSearchRuntime } from '../src/search/start.ts'
import { loadAssets } from '../src/web/assets.ts'
import { createReads } from '../src/web/reads.ts'
import { TEMPLATE } from './global-setup.ts'

export type TestDatabase = Database & {
  connection: { host: string; port: number; user: string; database: string }
  url: string
}

/** For what has nothing to say in a test. One for all: each log waits for the end of the process. */
export const SILENT = createLog('silent')

/** A fresh, migrated database, dropped when the file's tests are done. */
export async function createTestDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const server = inject('postgres')
  const database = `test_${randomUUID().replaceAll('-', '')}`
  await asAdmin((admin) =>
    admin.query(`create database ${database}${options.empty ? '' : ` template ${TEMPLATE}`}`),
  )
  const connection = { ...server, database }
  const opened = openDatabase(connection, SILENT)
  afterAll(async () => {
    await opened.close()
    await asAdmin((admin) => admin.query(`drop database if exists ${database} with (force)`))
  })
  return {
    ...opened,
    connection,
    url: `postgresql://${server.user}@/${database}?host=${encodeURIComponent(server.host)}`,
  }
}

async function asAdmin(work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ ...inject('postgres'), database: 'postgres' })
  await admin.connect()
  try {
    await work(admin)
  } finally {
    await admin.end()
  }
}

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

export function testConfig(env: Record<string, string> = {}): Config {
  return loadConfig({ SOUK_BASE_URL: BASE_URL, SOUK_CATALOG: 'none', ...env })
}

/** The app on a database of its own. `catchUp` brings its caches in step after a write behind its back. */
export async function createTestApp(
  options: {
    database?: TestDatabase
    demo?: boolean
    outbound?: Outbound
    resolveTxt?: ResolveTxt
  } & Partial<AppDeps> = {},
) {
  const database = options.database ?? (await createTestDatabase())
  const clock = manualClock('2026-11-01T12:00:00Z')
  const logged = captureLog()
  const assets = loadAssets()
  const site = { baseUrl: BASE_URL, demo: options.demo ?? false, stylesheet: assets.stylesheet }
  const offers = createLiveOffers({ db: database.db, clock })
  const reads = createReads({ db: database.db, site, clock, offers })
  const config = options.config ?? testConfig()
  const search = createSearchRuntime(
    { db: database.db, clock, log: logged.log },
    { config, sales: offers, demo: site.demo },
  )
  afterAll(() => search.stop())
  const follower = createChangeFollower({
    db: database.db,
    log: logged.log,
    async apply(events) {
      await offers.apply(events)
      reads.apply(events)
      await search.apply(events)
    },
    pollMs: 60_000,
  })
  await follower.start()
  await offers.fill()
  afterAll(() => follower.stop())
  const outbound = options.outbound ?? createOutbound({ allow: config.outboundAllow })
  const oauth = createOauthContext({ ...database, clock, log: logged.log, config, outbound })
  afterAll(() => Promise.all([outbound.close(), oauth.trace.settled()]))
  const secret = 'a secret for tests, of at least 32 characters'
  const accounts = createAccountsContext({ db: database.db, clock, log: logged.log, config, secret })
  const resolveTxt = options.resolveTxt ?? (async () => [])
  const orgs = createOrgsContext(accounts, { outbound, resolveTxt, secret, orgHooks: ORG_HOOKS })
  const rfq = createRfqContext(orgs, { secret, rfqDeadlineMs: config.rfqDeadlineMs })
  const ctx = { db: database.db, clock, log: logged.log }
  const bundling = createBundlesRuntime(ctx, { config, search: search.search })
  afterAll(() => bundling.stop())
  const bundles = options.bundles ?? bundling.bundles
  const productReads = createProductReads(ctx)
  const a2a = createA2aContext({
    rfq,
    oauth,
    config,
    search: search.search,
    bundles,
    offers,
    reads: productReads,
  })
  const shown = createShown(follower.catchUp, logged.log)
  const tools = createToolsRuntime({
    rfq,
    oauth,
    config,
    search: search.search,
    bundles,
    offers,
    reads: productReads,
    relationshipHooks: RELATIONSHIP_HOOKS,
    shown,
    hearsOfTokens: false,
  })
  afterAll(() => tools.stop())
  const deps: AppDeps = {
    config,
    accounts,
    oauth,
    orgs,
    rfq,
    bundles,
    a2a,
    tools: tools.faces,
    search,
    log: logged.log,
    reads,
    assets,
    site,
    notReady: async () => null,
    shown,
    ...options,
  }
  return {
    app: createApp(deps),
    ctx,
    accounts: deps.accounts,
    oauth: deps.oauth,
    orgs: deps.orgs,
    rfq: deps.rfq,
    a2a: deps.a2a,
    bundles: deps.bundles,
    tools,
    /** Searches are refused until its `fill` is called. */
    searchRuntime: search,
    offers,
    database,
    clock,
    logged,
    catchUp: follower.catchUp,
  }
}

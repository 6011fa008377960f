/** Starts everything in order (database, app, jobs, listen) and stops it in reverse. */

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type pg from 'pg'
import { createOperatorLink, isDemoOpen } from './accounts/demo.service.ts'
import { createMailJob } from './accounts/mail.job.ts'
import { createMailTransport } from './accounts/mail.transport.ts'
import { auditLog, createSweepJob } from './accounts/sweep.job.ts'
import { createPushJob } from './agents/a2a/push.job.ts'
import { createA2aSweep } from './agents/a2a/sweep.job.ts'
import { type AppDeps, createApp, createListener } from './app.ts'
import { isDemoLoaded, loadDemoCatalog } from './catalog/demo.service.ts'
import type { Config } from './config.ts'
import { LOCKS, withAdvisoryLock } from './db/advisory-lock.ts'
import type { ConnectedDatabase } from './db/connect.ts'
import type { Db } from './db/database.ts'
import { findDatabaseFacts } from './db/health.queries.ts'
import { startListener } from './db/listen.ts'
import { pendingMigration } from './db/migrate.ts'
import { watchLine } from './db/pool-line.ts'
import { observePool } from './db/pool-metrics.ts'
import { untilAnswered } from './db/until-answered.ts'
import { createDemoAgents } from './demo/agents.ts'
import {
  areSellersLoaded,
  loadDemoSellers,
  makeDemoHistory,
  unloadDemoSellers,
} from './demo/sellers.service.ts'
import { createGracefulClose } from './http/close-gracefully.ts'
import { createLimitedServer, SERVER_LIMITS } from './http/server-limits.ts'
import { boundsFor, createGuard } from './http/shed.ts'
import { createHealthJob, type Figures } from './jobs/health.job.ts'
import { jobBacklog } from './jobs/jobs.admin.service.ts'
import { observeJobs } from './jobs/jobs-metrics.ts'
import { createLogsSweep } from './jobs/logs.job.ts'
import { createJobRunner } from './jobs/runner.ts'
import { awaitLater, inBackground } from './lib/background.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { createSecretBox, type SecretBox } from './lib/crypto.ts'
import type { Log } from './lib/log.ts'
import { isLoopback, namesApart } from './lib/loopback.ts'
import { gauge } from './lib/metrics.ts'
import { createOutbound } from './lib/outbound.ts'
import { createTxtResolve } from './lib/outbound.txt.ts'
import { createProgress } from './lib/progress.ts'
import { createOauthSweep } from './oauth/sweep.job.ts'
import { INTEGRATION_SECRETS } from './orgs/integration.service.ts'
import { createParts } from './parts.ts'
import { createAcceptedJob } from './rfq/accepted.job.ts'
import { rfqFacts } from './rfq/rfq.service.ts'
import { createRfqJob } from './rfq/run.job.ts'
import { createRfqSweep } from './rfq/sweep.job.ts'
import { openSecret } from './sealed.ts'
import { observeEmbedding } from './search/embedding-metrics.ts'
import { recentSearches } from './search/quality.service.ts'
import { searchLogs } from './search/query-log.job.ts'

type DemoContext = { db: Db; clock: Clock; log: Log; integrationSecrets: SecretBox }

/** For jobs that run when the node has stopped taking requests. */
const JOBS_LIMIT_MS = 10_000

export type RunningServer = {
  /** Where it really listens (PORT may be 0). */
  address: string
  notices: string[]
  /** Where the person who started it looks around as the operator, once; null where the demo cannot be visited. */
  operatorLink: string | null
  /** Serves on for `SOUK_DRAIN_MS`, then finishes what is under way. */
  stop(): Promise<void>
}

export async function startServer(
  config: Config,
  { log, database }: { log: Log; database: ConnectedDatabase },
): Promise<RunningServer> {
  const ctx = { db: database.db, clock: systemClock, log }
  if (config.databaseUrl !== null && config.secret === null)
    log.warn('SOUK_SECRET is not set: if several nodes share this database, set the same one on each')
  const secret = await untilAnswered(log, () => openSecret(ctx, config))
  const demoCtx = { ...ctx, integrationSecrets: createSecretBox(secret, INTEGRATION_SECRETS.purpose) }
  await untilAnswered(log, () => loadDemo(demoCtx, config, database.pool))
  const agents = createDemoAgents(demoCtx)
  const stopping = new AbortController()
  const outbound = createOutbound({ allow: config.outboundAllow, inside: agents.inside })
  const parts = createParts({
    ...ctx,
    behind: database.behind,
    pool: database.pool,
    config,
    secret,
    outbound,
    resolveTxt: createTxtResolve(),
    demo: await untilAnswered(log, () => isDemoLoaded(ctx)),
    hearsOfTokens: true,
    sellersChanged: agents.follow,
    stopping: stopping.signal,
    indexFolder: path.join(config.dataDir, 'index'),
    connection: database.connection,
  })
  const apart = namesApart(config)
  if (apart !== null) log.warn(apart)
  const { deps, search, tools, follower } = parts
  const { accounts, oauth, rfq, a2a } = deps
  await parts.start()
  const filled = search.fill()
  // While search is filled: the first time they take the database a third of a second. Their agents begin after the
  // follower has taken its position, so that no removal is missed.
  let hasSellers: boolean | null = null
  const withSellers = awaitLater(
    untilAnswered(log, () => loadSellers(demoCtx, config, database.pool)).then(async (there) => {
      await untilAnswered(log, agents.follow)
      hasSellers = there
      return there
    }),
  )
  inBackground(log, 'loading the search index', filled)
  inBackground(
    log,
    'making the plan of the day',
    filled.then(() => deps.planOfDay.find()),
  )
  let draining = false
  const notReady = async () => {
    if (draining) return 'the server is stopping'
    try {
      const missing = await pendingMigration(database.pool)
      if (missing !== null) return `migration ${missing} has not run`
      return search.notReady() ?? (hasSellers === null ? 'the demo sellers are loading' : null)
    } catch {
      return 'the database does not answer'
    }
  }
  const everyJob = [
    createMailJob({ ...accounts, config }, createMailTransport(config)),
    createSweepJob(ctx),
    createLogsSweep(ctx, [...searchLogs(config), auditLog(config)]),
    createOauthSweep(oauth),
    createRfqJob(rfq),
    createAcceptedJob(rfq),
    createPushJob(a2a),
    createA2aSweep(a2a),
    createRfqSweep(rfq),
    createHealthJob(ctx, healthFigures(parts, database.db)),
    ...parts.jobs,
  ]
  const served: AppDeps = { ...deps, notReady, jobs: everyJob }
  const app = createApp(served)
  const jobs = createJobRunner({ db: database.db, log, jobs: everyJob })
  const wakeJobs = () => {
    jobs.wake()
    deps.jobNews.tell('')
  }
  const listener = startListener(
    database.connection,
    { jobs: wakeJobs, changes: follower.wake, rfqs: rfq.news.tell, tokens: tools.forgetTokens },
    log,
  )
  database.onMove(listener.reconnect)
  jobs.start()
  // Once search is ready: before, it would take the processor from what a start waits for.
  const makeHistory = async () => {
    await filled
    if ((await withSellers) && !stopping.signal.aborted) await makeDemoHistory(ctx)
  }
  inBackground(log, 'making the history of the demo', makeHistory())
  observePool(database.pool)
  observeJobs(database.db, everyJob)
  observeNode(parts)
  observeEmbedding(database.db, () => parts.search.facts().model)

  const guard = createGuard({
    bounds: boundsFor(config),
    line: watchLine(database.pool),
    https: config.baseUrl.startsWith('https:'),
    log,
  })
  // Behind a proxy every connection is the proxy's.
  const limits = { ...SERVER_LIMITS, ...(config.trustProxy && { connectionsEach: null }) }
  const http = createLimitedServer(limits, createListener(app, served, guard))
  guard.watch(http)
  const connections = createGracefulClose(http)
  const stopBehind = async (handedOver = jobs.stop()) => {
    guard.stop()
    await Promise.all([handedOver, parts.stop(), listener.close()])
    // After the jobs: a seller who is thinking would count as one who did not answer.
    await outbound.close()
    await agents.stop()
    await database.close()
  }
  try {
    // One that drains is one of several, and some balancers go by an open port alone: it opens when search is ready.
    if (config.drainMs > 0) await filled
    await listen(http, config)
    await withSellers
  } catch (error) {
    await stopBehind()
    throw error
  }
  return {
    address: `http://${hostForUrl(config.host)}:${(http.address() as AddressInfo).port}`,
    notices: database.notices,
    operatorLink: hasSellers ? await operatorLink(ctx, config) : null,
    async stop() {
      draining = true
      // Those that run have until the end; those that come are for other nodes, which have more time for them.
      const handedOver = jobs.stop(config.drainMs + JOBS_LIMIT_MS)
      await connections.drain(config.drainMs)
      stopping.abort()
      await connections.close()
      await stopBehind(handedOver)
    },
  }
}

/** What is sampled each minute. The last three are of the node that samples. */
function healthFigures({ search, follower }: ReturnType<typeof createParts>, db: Db): Figures {
  const jobs = () => jobBacklog({ db })
  const lagOf = (at: Date | null) => (at === null ? 0 : (Date.now() - at.getTime()) / 1_000)
  const loop = monitorEventLoopDelay({ resolution: 20 })
  loop.enable()
  return {
    searches: async () => (await recentSearches({ db })).count,
    search_ms: async () => (await recentSearches({ db })).p95Ms,
    requests: async () => (await rfqFacts({ db })).inFlight,
    jobs_due: async () => (await jobs()).due,
    jobs_late_s: async () => lagOf((await jobs()).oldestDueAt),
    jobs_failed: async () => (await jobs()).failed,
    database_mb: async () => (await findDatabaseFacts(db)).bytes / 1024 ** 2,
    connections: async () => (await findDatabaseFacts(db)).connections,
    products: () => search.facts().indexed?.products ?? null,
    behind_s: () => (follower.behindMs() ?? 0) / 1_000,
    memory_mb: () => process.memoryUsage.rss() / 1024 ** 2,
    loop_ms() {
      const ms = loop.percentile(99) / 1e6
      loop.reset()
      return ms
    },
  }
}

/** What a node knows of itself. */
function observeNode({ search, follower, offers }: ReturnType<typeof createParts>): void {
  const indexed = () => search.facts().indexed ?? { products: 0, embedded: 0, bytes: 0 }
  gauge('souk_index_products', "Products in this node's search index.", [], () => indexed().products)
  gauge(
    'souk_index_embedded',
    "Products in this node's search index that have a vector.",
    [],
    () => indexed().embedded,
  )
  gauge('souk_index_bytes', "Memory used by this node's search index.", [], () => indexed().bytes)
  gauge(
    'souk_index_age_seconds',
    "Time since this node's index and caches were fully up to date.",
    [],
    () => {
      const ms = follower.behindMs()
      return ms === null ? [] : ms / 1_000
    },
  )
  gauge('souk_offers_live', 'Live offers.', [], () => offers.count())
}

/** The demo catalog, as configured. Nodes that start together on a new database load it once. */
async function loadDemo(ctx: DemoContext, config: Config, pool: pg.Pool): Promise<void> {
  const isWanted = config.catalog === 'demo'
  if (isWanted || (!config.demoSellers && (await areSellersLoaded(ctx))))
    await withAdvisoryLock(pool, LOCKS.demoCatalog, async () => {
      const progress = createProgress('Loading the demo catalog')
      const written = isWanted
        ? await loadDemoCatalog(ctx, (done, total) => progress.update(done, done / total))
        : 0
      if (written > 0) progress.finish(written)
      if (!config.demoSellers) await unloadDemoSellers(ctx)
    })
}

/** Those of the demo catalog. True where they are there. */
async function loadSellers(ctx: DemoContext, config: Config, pool: pg.Pool): Promise<boolean> {
  if (config.catalog === 'demo' && config.demoSellers)
    await withAdvisoryLock(pool, LOCKS.demoCatalog, () => loadDemoSellers(ctx))
  return areSellersLoaded(ctx)
}

/** Under the conditions of the outbox, as far as the configuration tells them. */
async function operatorLink(ctx: { db: Db; clock: Clock }, config: Config): Promise<string | null> {
  const { host, baseUrl, smtpUrl } = config
  const isOwn = smtpUrl === null && isLoopback(host) && isLoopback(new URL(baseUrl).hostname)
  if (!isOwn || !(await isDemoOpen(ctx))) return null
  return `${baseUrl}/demo/operator?token=${await createOperatorLink(ctx)}`
}

function listen(http: Server, { host, port }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE'
      reject(
        taken
          ? new Error(
              `port ${port} on ${host} is in use: stop the program that uses it, or choose another with PORT`,
            )
          : error,
      )
    })
    http.listen(port, host, resolve)
  })
}

function hostForUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

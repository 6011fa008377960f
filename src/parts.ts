/**
 * Everything that one node is made of, put together in order. A server, a test and a bench differ only in what they hand
 * in; what they start and serve of it is their own affair.
 */
import type pg from 'pg'
import { createAccountsContext } from './accounts/context.ts'
import type { AgentsContext } from './agents/context.ts'
import { createCatalogListings } from './agents/discovery/start.ts'
import { createToolsRuntime } from './agents/mcp/start.ts'
import type { AppDeps } from './app.ts'
import { createChangeFollower } from './catalog/changes.follower.ts'
import { createChangesSweep, createShown } from './catalog/changes.service.ts'
import { createDraftSweepJob, createFileJob, createFileSweep } from './catalog/imports.job.ts'
import { createMistakeSweep } from './catalog/mistakes.service.ts'
import { createProductReads } from './catalog/product-reads.ts'
import type { Config } from './config.ts'
import type { Db } from './db/database.ts'
import { untilAnswered } from './db/until-answered.ts'
import type { Clock } from './lib/clock.ts'
import type { Log } from './lib/log.ts'
import { createNews } from './lib/news.ts'
import type { Outbound } from './lib/outbound.ts'
import type { ResolveTxt } from './lib/outbound.txt.ts'
import { createNoticeJobs } from './notices/send.job.ts'
import { createOauthContext } from './oauth/context.ts'
import { toolServerResource } from './oauth/resources.ts'
import { findAccessToken } from './oauth/tokens.service.ts'
import { lookForEndingOffers } from './offers/ending.service.ts'
import { createLiveOffers } from './offers/live-offers.ts'
import { ORG_HOOKS, RELATIONSHIP_HOOKS } from './org-hooks.ts'
import { createOrgsContext } from './orgs/context.ts'
import { createDecoder } from './pictures/decoder.ts'
import { createCopyJob, createPictureSweep } from './pictures/pictures.job.ts'
import { picturesFolder } from './pictures/store.ts'
import { createPlanOfDay } from './plans/plan-of-day.ts'
import { createBundlesRuntime } from './plans/start.ts'
import { createLiveSellers } from './pricing/live-sellers.ts'
import { createRfqContext } from './rfq/context.ts'
import { previewDemoQuotes } from './rfq/preview.service.ts'
import { lookForDigest, lookForFirstRequests, lookForLosses } from './rfq/rfq-notices.service.ts'
import { lookForNews } from './saved/saved.service.ts'
import type { CatalogIndex } from './search/catalog-index.ts'
import type { Embedder } from './search/embed/embedder.ts'
import type { SaleLookup } from './search/filters.ts'
import { createSearchRuntime } from './search/start.ts'
import { createSourcesContext } from './sources/context.ts'
import { createSourceJobs } from './sources/sources.job.ts'
import { loadAssets } from './web/assets.ts'
import { makeFront } from './web/pages/front.ts'
import { createReads } from './web/reads.ts'

export type PartsInput = {
  db: Db
  /** For imports; `db` when absent. */
  behind?: Db
  pool: pg.Pool
  clock: Clock
  log: Log
  config: Config
  /** Seals what is kept secret at rest. */
  secret: string
  outbound: Outbound
  resolveTxt: ResolveTxt
  /** True while the fictional demo catalog is loaded. */
  demo: boolean
  /** Whether this node hears of revoked tokens, so that it may remember good ones for a moment. */
  hearsOfTokens: boolean
  /** Aborted when the node stops. */
  stopping?: AbortSignal
  /** Awaited when an organization begins or ceases to answer requests for quotes. */
  sellersChanged?: () => Promise<void>
  /** How often the log of changes is looked at when nobody tells of one. */
  pollMs?: number
  /** In place of the planner (tests). */
  bundles?: AppDeps['bundles']
  /** In place of a model of the node's own (tests). */
  embedder?: Embedder
  /** In place of one that is filled from the database, which has the same (tests). */
  index?: CatalogIndex
  /** Where the search index is kept in files; nowhere when absent. */
  indexFolder?: string
  /** Of the database, for threads that fill the search index. */
  connection?: pg.PoolConfig
}

export function createParts(input: PartsInput) {
  const { db, pool, clock, log, config, secret, outbound, resolveTxt, demo, stopping, pollMs } = input
  const ctx = { db, clock, log }
  const behind = { db: input.behind ?? db }
  const assets = loadAssets()
  const { get: _, ...files } = assets
  const site = { baseUrl: config.baseUrl, demo, ...files }
  const offers = createLiveOffers(ctx)
  const sellers = createLiveSellers(ctx)
  const { isOnSale, isSponsored, bestCents } = offers
  const { isQuoted, shipsTo } = sellers
  // Both only grow, so an equal sum means that neither has changed.
  const version = () => offers.version() + sellers.version()
  const idsOf: SaleLookup['idsOf'] = (what) =>
    what === 'quoted' ? sellers.productIds() : offers.productIds(what)
  const sales = { isOnSale, isSponsored, bestCents, isQuoted, shipsTo, idsOf, version }
  const reads = createReads({
    ...ctx,
    site,
    offers,
    similar: ({ slug }, limit) => search.similarIds(slug, limit),
    shelf: (input) => search.search.shelf(input),
    planOfDay: () => planOfDay.current(),
    sellers,
    front: (categories) =>
      makeFront(
        {
          ...{ ...ctx, offers, demo: site.demo, mcpUrl: toolServerResource(config.mcpUrl) },
          search: () => search.search,
          demoQuotes: (profile) => previewDemoQuotes(rfq, profile),
        },
        categories,
      ),
  })
  const listings = createCatalogListings({ ...ctx, site: { ...site, mcpUrl: config.mcpUrl }, offers })
  const stored = input.indexFolder && { folder: input.indexFolder, catchUp: () => follower.catchUp() }
  const search = createSearchRuntime(ctx, {
    config,
    sales,
    demo,
    embedder: input.embedder,
    index: input.index,
    ...(stored && { stored }),
    ...(input.connection && { connection: input.connection }),
  })
  const planOfDay = createPlanOfDay({ ...ctx, search: search.search })
  const follower = createChangeFollower({
    db,
    log,
    pollMs,
    async apply(all) {
      // First, so that a page made after the reads have forgotten the old one shows what is live.
      await Promise.all([offers.apply(all), sellers.apply(all)])
      if (all.some(({ orgId }) => orgId)) await input.sellersChanged?.()
      // Who sells is asked for by filters, and written nowhere.
      const events = all.filter(({ aspect }) => aspect !== 'sellers')
      if (events.length === 0) return
      reads.apply(events)
      listings.apply(events)
      await search.apply(events)
      planOfDay.apply(events)
    },
  })
  const shown = createShown(follower.catchUp, log)
  const oauth = createOauthContext({ ...ctx, pool, config, outbound })
  const accounts = createAccountsContext({ ...ctx, config, secret })
  const orgs = createOrgsContext(accounts, { outbound, resolveTxt, secret, orgHooks: ORG_HOOKS })
  const rfq = createRfqContext(orgs, { secret, rfqDeadlineMs: config.rfqDeadlineMs, offers })
  const bundling = createBundlesRuntime(ctx, { config, search: search.search })
  const bundles = input.bundles ?? bundling.bundles
  const agents: AgentsContext = {
    ...rfq,
    config,
    search: search.search,
    bundles,
    plans: bundling.plans,
    offers,
    reads: createProductReads(ctx),
    relationshipHooks: RELATIONSHIP_HOOKS,
    findAccessToken: (token) => findAccessToken(oauth, token),
    shown,
    stopping: stopping ?? new AbortController().signal,
  }
  const tools = createToolsRuntime(agents, { oauth, hearsOfTokens: input.hearsOfTokens })
  const decoder = createDecoder()
  const pictures = { ...ctx, baseUrl: config.baseUrl, outbound, decoder, folder: picturesFolder(config) }
  const sources = createSourcesContext({ ...orgs, config, relationshipHooks: RELATIONSHIP_HOOKS }, { secret })
  const deps: Omit<AppDeps, 'notReady'> = {
    jobNews: createNews(),
    config,
    log,
    accounts,
    oauth,
    orgs,
    rfq,
    bundles,
    plans: bundling.plans,
    planOfDay,
    a2a: agents,
    tools: tools.faces,
    listings,
    pictures,
    sources,
    search,
    offers,
    reads,
    assets,
    site,
    shown,
    forgetTokens: tools.forgetTokens,
  }
  return {
    ctx,
    /** What the app is made of. */
    deps,
    offers,
    search,
    follower,
    tools,
    jobs: [
      ...search.jobs,
      ...bundling.jobs,
      ...tools.jobs,
      createDraftSweepJob(ctx),
      createFileJob({ ...ctx, ...behind }),
      createFileSweep(ctx),
      createChangesSweep(ctx),
      ...createSourceJobs({ ...sources, ...behind }),
      createMistakeSweep(ctx),
      ...(config.copyPictures ? [createCopyJob(pictures)] : []),
      createPictureSweep(pictures),
      ...createNoticeJobs(accounts, {
        looks: [() => lookForFirstRequests(rfq)],
        slowLooks: [
          () => lookForLosses(rfq),
          () => lookForDigest(rfq),
          () => lookForEndingOffers(ctx),
          () => lookForNews({ ...ctx, offers }),
        ],
      }),
    ],
    /** From here on what is shown follows what is committed. */
    async start() {
      for (const step of [search.check, follower.start, offers.fill, sellers.fill])
        await untilAnswered(log, step)
    },
    /** All but `outbound`, which running jobs need until they have ended. */
    async stop() {
      follower.stop()
      decoder.stop()
      await Promise.all([
        search.stop(),
        bundling.stop(),
        tools.stop(),
        listings.stop(),
        oauth.trace.settled(),
      ])
    },
  }
}

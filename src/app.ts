/** Mounts every face on one Hono app. Tests use the same function with their own dependencies. */
import type { RequestListener } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import type { AccountHooks } from './accounts/hooks.ts'
import { mountA2a } from './agents/a2a/a2a.routes.ts'
import { createBuyerGuard, createPersonGuard } from './agents/buyer.http.ts'
import type { AgentsContext } from './agents/context.ts'
import { mountDiscovery } from './agents/discovery/discovery.routes.ts'
import type { Listings } from './agents/discovery/listings/listings.ts'
import { mountOpenApi } from './agents/discovery/openapi/openapi.routes.ts'
import { type ToolFaces, toolRoutes } from './agents/mcp/mcp.routes.ts'
import { mountUcp } from './agents/ucp/ucp.routes.ts'
import { mountEnrichment } from './catalog/enrichment.routes.ts'
import { exportMistakes } from './catalog/mistakes.service.ts'
import { mountRelationships } from './catalog/relationships.routes.ts'
import { mountSubmissions } from './catalog/submissions.routes.ts'
import type { HttpEnv } from './http/env.ts'
import {
  asAppError,
  createAllowedMethods,
  createUnreadableAnswer,
  logFault,
  respondEnvelope,
  STATUS,
  sayWhen,
} from './http/error-response.ts'
import { createFastLane, type FastLaneOptions } from './http/fast-lane.ts'
import { mountMetrics } from './http/metrics.routes.ts'
import { everyRequest, leadingToOwnAddress, PAGE_HEADERS } from './http/middleware.ts'
import type { Periodic } from './jobs/jobs.admin.service.ts'
import { inBackground } from './lib/background.ts'
import { notFound } from './lib/errors.ts'
import type { Log } from './lib/log.ts'
import type { News } from './lib/news.ts'
import { exportNotices } from './notices/notices.service.ts'
import { exportGrants, revokeAllGrants } from './oauth/grants.service.ts'
import { mountOauth } from './oauth/oauth.routes.ts'
import { mountLinks } from './offers/links.routes.ts'
import { findOfferLink } from './offers/links.service.ts'
import { OFFER_OPERATIONS } from './offers/offers.operations.ts'
import { MERGE_HOOKS, RELATIONSHIP_HOOKS } from './org-hooks.ts'
import { createOrgAccountHooks } from './orgs/account-hooks.ts'
import { INTEGRATION_OPERATIONS } from './orgs/integration.operations.ts'
import { ORG_OPERATIONS } from './orgs/orgs.operations.ts'
import { createProducerGuard } from './orgs/producer.http.ts'
import { TEAM_OPERATIONS } from './orgs/team.operations.ts'
import { mountPictures } from './pictures/pictures.routes.ts'
import type { PicturesContext } from './pictures/pictures.service.ts'
import { createBundleGuard } from './plans/bundles.http.ts'
import { mountPlans } from './plans/plans.operations.ts'
import { exportPlans } from './plans/plans.service.ts'
import { PRICING_OPERATIONS } from './pricing/pricing.operations.ts'
import { mountPricingFile } from './pricing/pricing.routes.ts'
import { mountBuyerRfqs } from './rfq/buyer.routes.ts'
import { mountRfq } from './rfq/rfq.routes.ts'
import { deleteOwnRfqs, exportRfqs, findQuoteLink } from './rfq/rfq.service.ts'
import { exportSaved } from './saved/saved.service.ts'
import type { ClickRecorder } from './search/clicks.service.ts'
import type { NodeSearch } from './search/facts.service.ts'
import { repeatedSearch } from './search/repeated.routes.ts'
import { mountSearch } from './search/search.routes.ts'
import type { Search } from './search/search.service.ts'
import { createSearchLimit, createSuggestLimit } from './search/search-limit.ts'
import type { SearchRuntime } from './search/start.ts'
import { suggestGuard, suggestOperation } from './search/suggest.operations.ts'
import type { SourcesContext } from './sources/context.ts'
import { mountAccount } from './web/account/account.routes.tsx'
import { mountMe } from './web/account/me.routes.ts'
import { mountAdmin } from './web/admin/admin.routes.tsx'
import type { Assets } from './web/assets.ts'
import { mountAuthorize } from './web/authorize/authorize.routes.tsx'
import { grantsSection, mountGrants } from './web/authorize/grants.section.tsx'
import { mountCompare } from './web/compare/compare.routes.tsx'
import { mountConnect } from './web/connect/connect.routes.tsx'
import { mountDashboard } from './web/dashboard/dashboard.routes.tsx'
import type { PageDeps } from './web/deps.ts'
import { mountDocs } from './web/docs/docs.routes.ts'
import { sentence } from './web/format.ts'
import { mountMistakes } from './web/mistakes/mistakes.routes.tsx'
import { mountJoin } from './web/orgs/join.routes.tsx'
import { mountAskProduct } from './web/pages/ask-product.tsx'
import { renderMessagePage } from './web/pages/message.tsx'
import { mountPlanPages } from './web/plans/plans.routes.tsx'
import { mountSharedPlans } from './web/plans/sharing.tsx'
import { mountPreviews } from './web/previews/previews.routes.ts'
import { mountQuotes } from './web/quotes/quotes.routes.tsx'
import { mountSharedQuotes } from './web/quotes/shared.routes.tsx'
import { mountVerifyQuote } from './web/quotes/verify.routes.tsx'
import { mountRates } from './web/rates.routes.ts'
import type { Reads } from './web/reads.ts'
import { readyReads } from './web/ready-reads.ts'
import { mountSaved } from './web/saved/saved.routes.tsx'
import { mountSearchPage } from './web/search/search.routes.tsx'
import { keepingUnsaved, mountUnsaved } from './web/unsaved/unsaved.routes.tsx'
import { mountWeb } from './web/web.routes.ts'

export type AppDeps = Omit<PageDeps, 'a2a' | 'search' | 'searchLimit'> & {
  reads: Reads
  assets: Assets
  log: Log
  a2a: AgentsContext
  tools: ToolFaces
  listings: Pick<Listings, 'mount'>
  pictures: PicturesContext
  sources: SourcesContext
  search: {
    search: Search
    recordClick: ClickRecorder
    facts?: () => NodeSearch
    categoriesLike?: SearchRuntime['categoriesLike']
  }
  /** Null when everything is ready to serve, else the reason why not. */
  notReady: () => Promise<string | null>
  /** Resolves when this node shows what was committed before the call. */
  shown?: () => Promise<void>
  /** This node looks tokens up anew: one of those it remembers may have ended. */
  forgetTokens?: () => void
  /** Tells that jobs were added, on any node. */
  jobNews: News
  /** What the runner runs, for the operator's page of them. */
  jobs?: readonly Periodic[]
  /** More routes through the same middleware and error mapping (tests). */
  mount?: (app: Hono<HttpEnv>) => void
}

/**
 * Where people and clients end access tokens. The database tells every node, but a moment later: a caller who was answered
 * that a token is revoked must not see it work here.
 */
const TOKENS_END_AT = /^\/(?:api\/oauth|auth|account|admin)(?:\/|$)/

function forgetting(forgetTokens = () => {}): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    await next()
    const { method, path } = c.req
    if (method !== 'GET' && method !== 'HEAD' && TOKENS_END_AT.test(path)) forgetTokens()
  }
}

export function createApp(deps: AppDeps): Hono<HttpEnv> {
  const { config, log, shown = async () => {} } = deps
  // Not strict: every path answers with and without its trailing slash, because a redirect would lose a POST's body.
  const app = new Hono<HttpEnv>({ strict: false })

  const https = config.baseUrl.startsWith('https:')
  app.use(everyRequest({ trustProxy: config.trustProxy, https, log }))
  app.use(forgetting(deps.forgetTokens))
  app.use(leadingToOwnAddress(config.baseUrl))
  app.use(keepingUnsaved(deps))

  app.get('/healthz', (c) => c.json({ status: 'ok' }))
  app.get('/readyz', async (c) => {
    const reason = await deps.notReady()
    return reason === null
      ? c.json({ status: 'ready' })
      : c.json({ status: 'not ready', reason }, 503, { 'Retry-After': '1' })
  })

  mountMetrics(app, config)

  const accounts = { ...deps.accounts, hooks: accountHooks(deps) }
  mountWeb(app, deps)
  mountMistakes(app, deps)
  mountPictures(app, deps.pictures)
  mountAccount(app, {
    ...deps,
    accounts,
    accountSections: [(user) => grantsSection(deps.oauth, user.id)],
  })
  mountMe(app, deps)
  mountUnsaved(app, deps)
  mountRates(app, deps.orgs)
  const { search } = deps.search
  const searchLimit = createSearchLimit(deps.accounts.clock, config)
  mountSearch(app, {
    ...deps.search,
    limit: searchLimit,
    trustProxy: config.trustProxy,
    bundle: createBundleGuard({ ...deps.accounts, config, bundles: deps.bundles, search }),
  })
  const suggestLimit = createSuggestLimit(deps.accounts.clock, config)
  suggestOperation.mount(app, {
    ctx: { search },
    guards: { anyone: suggestGuard({ limit: suggestLimit, trustProxy: config.trustProxy }) },
  })
  mountSearchPage(app, { ...deps, searchLimit })
  mountCompare(app, { ...deps, searchLimit })
  mountAskProduct(app, { ...deps, searchLimit })
  mountQuotes(app, deps)
  mountSharedQuotes(app, deps)
  mountVerifyQuote(app, deps)
  mountSaved(app, deps)
  mountPlanPages(app, deps)
  mountSharedPlans(app, deps)
  mountConnect(app, deps)
  mountPreviews(app, deps)
  const guard = createProducerGuard({ ...deps.orgs, config })
  const guards = { session: guard.sessionOnly, 'session or link token': guard.sessionOrBearer }
  for (const operation of [...ORG_OPERATIONS, ...TEAM_OPERATIONS, ...INTEGRATION_OPERATIONS])
    operation.mount(app, { ctx: deps.orgs, guards })
  mountRelationships(app, { ...deps.orgs, relationshipHooks: RELATIONSHIP_HOOKS }, guard, shown)
  mountEnrichment(app, deps.orgs, guard, shown)
  mountSubmissions(app, deps.orgs, guard)
  for (const operation of OFFER_OPERATIONS) operation.mount(app, { ctx: { ...deps.orgs, shown }, guards })
  for (const operation of PRICING_OPERATIONS) operation.mount(app, { ctx: deps.rfq, guards })
  mountPricingFile(app, deps.rfq, guard)
  mountRfq(app, deps.rfq, guard)
  mountBuyerRfqs(app, deps.rfq, createBuyerGuard(deps.a2a, deps.accounts))
  const personGuard = createPersonGuard(deps.a2a, deps.accounts)
  mountPlans(app, { ctx: { ...deps.rfq, ...deps.plans }, person: personGuard })
  mountA2a(app, deps.a2a)
  mountUcp(app, deps.a2a, searchLimit)
  mountDiscovery(app, { config, clock: deps.accounts.clock })
  mountOpenApi(app, deps)
  deps.listings.mount(app)
  mountLinks(app, { ...deps.orgs, config }, [findOfferLink, findQuoteLink])
  mountJoin(app, deps)
  const { stopping } = deps.a2a
  const forPeople = { ...deps, shown, stopping, ctx: { ...deps.rfq, relationshipHooks: RELATIONSHIP_HOOKS } }
  const sellerPages = mountDashboard(app, forPeople)
  mountAdmin(app, { ...forPeople, accounts, sellerPages, ctx: { ...forPeople.ctx, mergeHooks: MERGE_HOOKS } })
  mountDocs(app, { site: deps.site, db: deps.orgs.db })
  mountOauth(app, deps.oauth)
  mountAuthorize(app, deps)
  mountGrants(app, deps)
  deps.mount?.(app)

  const allowedMethods = createAllowedMethods(app)
  app.notFound((c) => {
    const methods = allowedMethods(c.req.path)
    if (methods.length > 0 && !methods.includes(c.req.method)) {
      c.header('Allow', [...methods, 'OPTIONS'].join(', '))
      if (c.req.method === 'OPTIONS') return c.body(null, 204)
      return isApi(c.req.path)
        ? c.json({ error: `this path takes ${methods.join(', ')}` }, 405)
        : c.text(`Method not allowed. This path takes ${methods.join(', ')}.\n`, 405)
    }
    if (isApi(c.req.path)) return respondEnvelope(c, notFound('nothing was found at this path'))
    if (!wantsPage(c)) return c.text('Not found.\n', 404)
    const text = 'We couldn’t find this page. Check the address, or start from the catalog.'
    const page = { status: 404, title: 'Page not found', text }
    return c.html(renderMessagePage(page, deps.site), 404, PAGE_HEADERS)
  })
  app.onError((raised, c) => {
    const error = asAppError(raised)
    logFault(c, error)
    if (isApi(c.req.path)) return respondEnvelope(c, error)
    sayWhen(c, error)
    const status = STATUS[error.kind]
    if (!wantsPage(c)) return c.text(`${error.message}\n`, status)
    const title = error.kind === 'not_found' ? 'Not found' : 'Something went wrong'
    const page = { status, title, text: sentence(error.message) }
    return c.html(renderMessagePage(page, deps.site), status, PAGE_HEADERS)
  })
  return app
}

/** What node:http calls for each request: the routes of the fast lane first, then the router. */
export function createListener(
  app: Pick<Hono<HttpEnv>, 'fetch'>,
  { config, log, reads, search, tools, a2a: { stopping } }: AppDeps,
  { refusal }: Pick<FastLaneOptions, 'refusal'> = {},
): RequestListener {
  const { baseUrl, trustProxy } = config
  const https = baseUrl.startsWith('https:')
  const routed = getRequestListener(app.fetch, { errorHandler: createUnreadableAnswer({ https, log }) })
  const lane = createFastLane({
    ready: [
      readyReads({ reads, baseUrl, https }),
      repeatedSearch({ search: search.search, trustProxy, https }),
    ],
    served: toolRoutes(tools, { https }),
    refusal,
    trustProxy,
    log,
    stopping,
  })
  return (request, response) =>
    lane(request, response, () => inBackground(log, 'answering a request', routed(request, response)))
}

/** What other features have to say in the life of an account. */
function accountHooks({ accounts: { hooks }, oauth, orgs, rfq }: AppDeps): AccountHooks {
  const ofOrgs = createOrgAccountHooks(orgs)
  return {
    ownedOrganizations: async (db, userId) => [
      ...(await hooks.ownedOrganizations(db, userId)),
      ...(await ofOrgs.ownedOrganizations(db, userId)),
    ],
    countLinkTokens: ofOrgs.countLinkTokens,
    onDeactivate: async (db, userId, by) => {
      await hooks.onDeactivate(db, userId, by)
      await ofOrgs.onDeactivate(db, userId, by)
    },
    beforeDelete: async (db, userId) => {
      await hooks.beforeDelete(db, userId)
      await ofOrgs.beforeDelete(db, userId)
      await deleteOwnRfqs(db, userId)
    },
    revokeAccess: async (db, userId) => {
      await hooks.revokeAccess(db, userId)
      await revokeAllGrants({ ...oauth, db }, userId)
    },
    exportData: async (db, userId) => ({
      ...(await hooks.exportData(db, userId)),
      ...(await exportGrants({ db }, userId)),
      ...(await ofOrgs.exportData(db, userId)),
      ...(await exportSaved(db, userId)),
      ...(await exportMistakes(db, userId)),
      ...(await exportNotices(db, userId)),
      ...(await exportRfqs({ ...rfq, db }, userId)),
      ...(await exportPlans({ db }, userId)),
    }),
  }
}

/** People get a page; machines that read `.json` and `.md`, or do not ask for HTML, get a line of text. */
function wantsPage(c: Context<HttpEnv>): boolean {
  return !/\.\w+$/.test(c.req.path) && (c.req.header('accept') ?? '').includes('text/html')
}

function isApi(path: string): boolean {
  return path.startsWith('/api/')
}

/** Mounts the dashboard: one guard, and behind it a folder for each subject. */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../http/env.ts'
import { mountAgent } from './agent/agent.routes.tsx'
import { mountSandbox } from './agent/sandbox.routes.tsx'
import { mountFind } from './find.routes.ts'
import { createDashboard, type DashboardDeps, type MountedPage } from './guard.tsx'
import { mountHistory } from './history/history.routes.tsx'
import { mountImport } from './import/import.routes.tsx'
import { mountSellerSources } from './import/sources.routes.tsx'
import { mountOffers } from './offers/offers.routes.tsx'
import { mountOrganization } from './organization/organization.routes.tsx'
import { mountOverview } from './overview/overview.routes.tsx'
import { mountPerformance } from './performance/performance.routes.tsx'
import { mountPricing } from './pricing/pricing.routes.tsx'
import { mountProducts } from './products/products.routes.tsx'
import { mountRfqs } from './rfqs/rfqs.routes.tsx'
import { mountStart } from './start/start.routes.tsx'
import { mountTeam } from './team/team.routes.tsx'
import { mountTokens } from './tokens/tokens.routes.tsx'

/** Returns the pages, for those who look at them on behalf of an organization. */
export function mountDashboard(app: Hono<HttpEnv>, deps: DashboardDeps): readonly MountedPage[] {
  const dashboard = createDashboard(app, { ...deps, orgs: deps.ctx })
  mountOverview(app, dashboard, deps)
  mountStart(dashboard, deps)
  mountPerformance(dashboard, deps)
  mountProducts(dashboard, deps)
  mountImport(dashboard, deps)
  mountSellerSources(dashboard, deps)
  mountOffers(dashboard, deps)
  mountPricing(dashboard, deps)
  mountRfqs(dashboard, deps)
  mountAgent(dashboard, deps)
  mountSandbox(app, dashboard, deps)
  mountOrganization(app, dashboard, deps)
  mountTeam(dashboard, deps)
  mountTokens(dashboard, deps)
  mountHistory(dashboard, deps)
  mountFind(dashboard, deps)
  return dashboard.pages
}

/** Mounts the operator's pages behind one guard. The first of them, /admin, shows what waits and for how long. */
import type { Hono } from 'hono'
import { countReviewQueues, QUEUE_COUNTED_TO } from '../../catalog/review-queues.service.ts'
import type { HttpEnv } from '../../http/env.ts'
import { searchTotals } from '../../search/quality.service.ts'
import { countDecisions } from '../../sources/sources.service.ts'
import { Ago } from '../components/moment.tsx'
import { formatCount } from '../format.ts'
import { Panel, Stats } from '../kit/parts.tsx'
import { mountAudit } from './audit.routes.tsx'
import { mountBrands } from './catalog/brands.routes.tsx'
import { mountCategories } from './catalog/categories.routes.tsx'
import { mountProduct } from './catalog/product.routes.tsx'
import { mountProducts } from './catalog/products.routes.tsx'
import { mountUndo } from './catalog/undo.routes.tsx'
import { mountFind } from './find.routes.ts'
import { type Admin, type AdminDeps, createAdmin } from './guard.ts'
import { mountImports } from './imports/imports.routes.tsx'
import { ADMIN, HEALTH, HEALTH_HISTORY, IMPORTS, JOBS, SEARCH_QUALITY, SOURCES } from './nav.ts'
import { mountOrganizations, mountUsers } from './people.routes.tsx'
import { mountEnrichments, mountSubmissions } from './review/proposals.routes.tsx'
import { mountReports } from './review/reports.routes.tsx'
import { mountClaims, mountRenames } from './review/requests.routes.tsx'
import { mountJudged } from './search/judged.routes.tsx'
import { mountSearchQuality, QualityStats } from './search/quality.routes.tsx'
import { mountTuning } from './search/tuning.routes.tsx'
import { mountSources } from './sources/sources.routes.tsx'
import { mountSupport } from './support.routes.tsx'
import { mountBackups } from './system/backups.routes.tsx'
import { mountHealth } from './system/health.routes.tsx'
import { mountHealthHistory, SearchesToday } from './system/health-history.routes.tsx'
import { mountJobs } from './system/jobs.routes.tsx'
import { mountRatesPage } from './system/rates.routes.tsx'
import { mountSettings } from './system/settings.routes.tsx'
import { mountTrace } from './system/trace.routes.tsx'

const QUEUES = [
  ['enrichments', 'Enrichments'],
  ['submissions', 'New products'],
  ['claims', 'Claims'],
  ['renames', 'Name changes'],
  ['reports', 'Reported mistakes'],
] as const

const PARTS = [
  ...[mountOverview, mountEnrichments, mountSubmissions, mountClaims, mountRenames, mountReports],
  ...[mountFind, mountUsers, mountOrganizations, mountSupport, mountAudit],
  ...[mountProducts, mountProduct, mountCategories, mountBrands, mountUndo],
  ...[mountSearchQuality, mountTuning, mountJudged],
  ...[mountSettings, mountRatesPage, mountBackups],
  ...[mountHealth, mountHealthHistory, mountJobs, mountTrace, mountImports, mountSources],
]

export function mountAdmin(app: Hono<HttpEnv>, deps: AdminDeps): void {
  const { ctx } = deps
  async function waiting() {
    const queues = Object.values(await countReviewQueues(ctx))
    const decisions = await countDecisions(ctx)
    const waits = queues.map(({ name, waiting }) => [`${ADMIN}/${name}`, waiting] as const)
    return Object.fromEntries([...waits, [SOURCES, decisions]])
  }
  const admin = createAdmin(app, { ...deps, accounts: ctx, waiting })
  for (const mount of PARTS) mount(admin, deps)
}

function mountOverview(admin: Admin, { ctx, notReady }: AdminDeps): void {
  admin.page(ADMIN, async () => {
    const [queues, reason, totals, chart] = await Promise.all([
      countReviewQueues(ctx),
      notReady(),
      searchTotals(ctx, 1),
      SearchesToday({ ctx }),
    ])
    const waits = Object.values(queues).some(({ waiting }) => waiting > 0)
    const items = QUEUES.map(([name, label]) => {
      const { waiting, oldest } = queues[name]
      const count = `${formatCount(waiting)}${waiting >= QUEUE_COUNTED_TO ? '+' : ''}`
      const note = oldest && (
        <>
          Oldest: <Ago at={oldest} now={ctx.clock.now()} />
        </>
      )
      return { label, value: <a href={`${ADMIN}/${name}`}>{count}</a>, note }
    })
    return {
      title: 'Operator',
      body: [
        <Panel
          title="Waiting for review"
          lead={waits ? undefined : 'All caught up. Producers see your decisions right away.'}
        >
          <Stats items={items} />
        </Panel>,
        <Panel title="Last 24 hours">
          <QualityStats totals={totals} />
          {chart}
          <p>
            <a href={SEARCH_QUALITY}>Search quality</a> · <a href={HEALTH_HISTORY}>Health over time</a>
          </p>
        </Panel>,
        <Panel title="Service">
          <p>
            {reason === null ? 'All systems running. ' : `Not ready: ${reason}. `}
            <a href={HEALTH}>View health</a>
          </p>
          <p class="line">
            <a href={JOBS}>Jobs</a>
            <a href={IMPORTS}>Import products</a>
            <a href={SOURCES}>Sources</a>
          </p>
        </Panel>,
      ],
    }
  })
}

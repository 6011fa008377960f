/** Mounts the operator's pages: one guard, and behind it a folder for each subject. */
import type { Hono } from 'hono'
import { countReviewQueues } from '../../catalog/review-queues.service.ts'
import type { HttpEnv } from '../../http/env.ts'
import type { AdminDeps } from './deps.ts'
import { createAdmin } from './guard.ts'
import { mountImports } from './imports/imports.routes.tsx'
import { ADMIN } from './nav.ts'
import { mountOrganizations } from './people/orgs.routes.tsx'
import { mountUsers } from './people/users.routes.tsx'
import { mountEnrichments } from './review/enrichments.routes.tsx'
import { mountOverview } from './review/overview.routes.tsx'
import { mountRequests } from './review/requests.routes.tsx'
import { mountSubmissionsReview } from './review/submissions.routes.tsx'
import { mountHealth } from './system/health.routes.tsx'
import { mountJobs } from './system/jobs.routes.tsx'
import { mountSearchQuality } from './system/search.routes.tsx'
import { mountTrace } from './system/trace.routes.tsx'

const PARTS = [
  ...[mountOverview, mountEnrichments, mountSubmissionsReview, mountRequests],
  ...[mountUsers, mountOrganizations],
  ...[mountHealth, mountJobs, mountSearchQuality, mountTrace, mountImports],
]

export function mountAdmin(app: Hono<HttpEnv>, deps: AdminDeps): void {
  const { config, site, ctx } = deps
  async function waiting() {
    const queues = Object.values(await countReviewQueues(ctx))
    return Object.fromEntries(queues.map(({ name, waiting }) => [`${ADMIN}/${name}`, waiting]))
  }
  const admin = createAdmin(app, { config, site, accounts: ctx, waiting })
  for (const mount of PARTS) mount(admin, deps)
}

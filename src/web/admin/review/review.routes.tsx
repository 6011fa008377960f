/** The operator's overview and the queues of what waits for a decision. */
import { countReviewQueues } from '../../../catalog/review-queues.service.ts'
import { sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin } from '../guard.ts'
import { ADMIN } from '../paths.ts'
import { mountClaims } from './claims.routes.tsx'
import { mountEnrichments } from './enrichments.routes.tsx'
import { renderAdminOverview } from './overview.page.tsx'
import { mountRenames } from './renames.routes.tsx'
import { mountSubmissionsReview } from './submissions.routes.tsx'

export function mountReview(admin: Admin, deps: AdminDeps): void {
  const { site, ctx, notReady } = deps
  admin.get(ADMIN, async (c, operator) => {
    const [queues, reason] = await Promise.all([countReviewQueues(ctx), notReady()])
    const now = ctx.clock.now()
    return sendPage(c, renderAdminOverview({ site, operator, queues, notReady: reason, now }))
  })
  mountEnrichments(admin, deps)
  mountSubmissionsReview(admin, deps)
  mountClaims(admin, deps)
  mountRenames(admin, deps)
}

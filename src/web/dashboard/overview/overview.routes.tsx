/**
 * /dashboard and /dashboard/attention. The first is also the page of somebody who has no organization yet, so it does not
 * stand behind the guard that all others stand behind.
 */
import type { Context, Hono } from 'hono'
import type { HttpEnv } from '../../../http/env.ts'
import { AppError } from '../../../lib/errors.ts'
import { SEVERITIES } from '../../../producers/issue-rule.ts'
import { getCatalogIssues } from '../../../producers/issues.service.ts'
import { getOnboarding, getOnboardingAlone } from '../../../producers/onboarding.service.ts'
import { getPerformance, getTotalsBefore, lastDays } from '../../../producers/performance.service.ts'
import { pageNumber } from '../../kit/paging.tsx'
import { onward } from '../../onward.ts'
import { doneWords, sendPage } from '../../page.http.ts'
import { findSignedIn } from '../../signed-in.ts'
import type { DashboardDeps } from '../deps.ts'
import { type Dashboard, findVisitor, showTo } from '../guard.ts'
import type { Visitor } from '../page.tsx'
import { ATTENTION_PATH, DASHBOARD } from '../paths.ts'
import { ISSUES_A_PAGE, renderAttention } from './attention.page.tsx'
import { renderOverview, renderStart, SHOWN_DAYS } from './overview.page.tsx'

const MOST_SHOWN = 10

const DONE_WORDS: Record<string, string> = {
  registered: 'Your organization is registered. These are the next steps.',
  joined: 'You belong to this organization now.',
}

export function mountOverview(
  app: Hono<HttpEnv>,
  dashboard: Dashboard,
  { site, ctx }: Pick<DashboardDeps, 'site' | 'ctx'>,
): void {
  app.get(DASHBOARD, async (c) => {
    const browser = await findSignedIn(c, ctx)
    if (!browser) return c.redirect(onward('/auth/signin', DASHBOARD), 303)
    const visitor = await findVisitor(ctx, browser.actor)
    if (visitor) return showTo(visitor, (reader) => showOverview(c, reader))
    const { actor } = browser
    const onboarding = getOnboardingAlone(actor)
    return sendPage(c, renderStart({ site, onboarding, isOperator: actor.user.isAdmin }))
  })

  dashboard.get(ATTENTION_PATH, 'read', async (c, visitor) => {
    const severity = SEVERITIES.find((one) => one === c.req.query('severity')) ?? null
    const page = pageNumber(c.req.query('page'))
    const offset = (page - 1) * ISSUES_A_PAGE
    const query = { productSlug: null, severity, limit: ISSUES_A_PAGE, offset }
    const found = await getCatalogIssues(ctx, visitor, query)
    return sendPage(c, renderAttention({ site, visitor, found, severity, page }))
  })

  async function showOverview(c: Context<HttpEnv>, visitor: Visitor): Promise<Response> {
    const [onboarding, attention, performance] = await Promise.all([
      getOnboarding(ctx, visitor.caller),
      inTime(
        getCatalogIssues(ctx, visitor, { productSlug: null, severity: null, limit: MOST_SHOWN, offset: 0 }),
      ),
      inTime(readPerformance(visitor)),
    ])
    const done = doneWords(DONE_WORDS, c.req.query('done'))
    return sendPage(c, renderOverview({ site, visitor, onboarding, attention, performance, done }))
  }

  async function readPerformance(visitor: Visitor) {
    const span = lastDays(ctx.clock.now(), SHOWN_DAYS)
    return {
      now: await getPerformance(ctx, visitor, { ...span, groupBy: 'day', limit: SHOWN_DAYS }),
      before: await getTotalsBefore(ctx, visitor, span),
    }
  }
}

/** Null for what took too long; the page says so in its place. */
async function inTime<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unavailable') return null
    throw error
  }
}

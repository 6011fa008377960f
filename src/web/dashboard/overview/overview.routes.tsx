/**
 * /dashboard and /dashboard/attention: how far the seller has come, what needs attention, how the last 30 days were. The
 * first is also the page of a person without an organization, so it does not stand behind the guard of all others. What
 * could not be read in time is said in its place; the rest of the page is there all the same.
 */
import type { Hono } from 'hono'
import type { HttpEnv } from '../../../http/env.ts'
import { AppError } from '../../../lib/errors.ts'
import { SEVERITIES } from '../../../producers/issue-rule.ts'
import { type CatalogIssues, getCatalogIssues } from '../../../producers/issues.service.ts'
import type { Issue } from '../../../producers/issues.ts'
import { getOnboarding, getOnboardingAlone } from '../../../producers/onboarding.service.ts'
import {
  type Figures,
  getPerformance,
  getTotalsBefore,
  lastDays,
  winRate,
} from '../../../producers/performance.service.ts'
import { countOf, formatCount, formatShare } from '../../format.ts'
import { type Page, sendConsolePage } from '../../kit/console.tsx'
import { UNTOUCHED } from '../../kit/fields.tsx'
import { defineList } from '../../kit/list.tsx'
import { Empty, LinkLine, Panel, State, Stats } from '../../kit/parts.tsx'
import { onward } from '../../signed-in.ts'
import {
  type Dashboard,
  type DashboardDeps,
  findVisiting,
  findVisitor,
  frameOf,
  showTo,
  type Visitor,
} from '../guard.tsx'
import { remedyOf, SEVERITY_WORDS, whatIsWrong } from '../issue-words.ts'
import { ATTENTION_PATH, DASHBOARD, PERFORMANCE_PATH } from '../paths.ts'
import { SeenChart } from '../performance/day-chart.tsx'
import { Checklist } from './checklist.tsx'

const SHOWN_DAYS = 30
const MOST_SHOWN = 10

const ATTENTION = defineList(ATTENTION_PATH, 'issue', {
  search: 'Product or problem',
  pageSize: 25,
  filters: { severity: SEVERITIES },
})

export function mountOverview(app: Hono<HttpEnv>, dashboard: Dashboard, deps: DashboardDeps): void {
  const { site, ctx, config } = deps

  app.get(DASHBOARD, async (c) => {
    const browser = await findVisiting(c, { orgs: ctx, config })
    if (!browser) return c.redirect(onward('/auth/signin', DASHBOARD), 303)
    const { actor } = browser
    const visitor = await findVisitor(ctx, actor)
    if (visitor)
      return showTo(visitor, async (reader) =>
        sendConsolePage(c, await overview(reader), frameOf(site, visitor), UNTOUCHED),
      )
    const start: Page = {
      title: 'Sell to shopping agents',
      lead: "You don't belong to an organization yet. Register yours, or ask an owner to invite you.",
      body: [
        <ul class="plain-list">
          <li>Agents and people find your products in a catalog that you can correct and complete.</li>
          <li>They request quotes. Souk answers by your rules, or your own agent does.</li>
          <li>You see what was shown, read, requested and won, and what to fix.</li>
        </ul>,
        <Checklist onboarding={getOnboardingAlone(actor)} until="organization" />,
      ],
    }
    const groups = [{ label: null, ways: [{ href: DASHBOARD, label: 'Overview' }] }]
    const frame = { site, name: 'Dashboard', groups, isOperator: actor.user.isAdmin }
    return sendConsolePage(c, start, frame, UNTOUCHED)
  })

  async function overview(visitor: Visitor): Promise<Page> {
    const [onboarding, attention, performance] = await Promise.all([
      getOnboarding(ctx, visitor.caller),
      inTime(
        getCatalogIssues(ctx, visitor, { productSlug: null, severity: null, limit: MOST_SHOWN, offset: 0 }),
      ),
      inTime(readPerformance(visitor)),
    ])
    const checklist = <Checklist onboarding={onboarding} />
    return {
      title: 'Overview',
      said: {
        registered: "Your organization is registered. Here's what to do next.",
        joined: 'You joined this organization.',
      },
      body: [
        !onboarding.complete && checklist,
        performance && <LastDays now={performance.now.totals} before={performance.before} />,
        <Panel
          title="Needs attention"
          id="attention"
          actions={
            attention !== null &&
            attention.total > attention.issues.length && (
              <a href={ATTENTION_PATH}>See all {formatCount(attention.total)}</a>
            )
          }
        >
          {attention === null ? (
            <Late />
          ) : (
            <>
              {attention.issues.length === 0 ? (
                <p>All caught up.</p>
              ) : (
                <Issues {...attention} heading="h3" mayEdit={visitor.may('edit')} />
              )}
              <Checked {...attention} />
            </>
          )}
        </Panel>,
        <Panel title="By day">{performance ? <SeenChart performance={performance.now} /> : <Late />}</Panel>,
        onboarding.complete && checklist,
      ],
    }
  }

  async function readPerformance(visitor: Visitor) {
    const span = lastDays(ctx.clock.now(), SHOWN_DAYS)
    return {
      now: await getPerformance(ctx, visitor, { ...span, groupBy: 'day', limit: SHOWN_DAYS }),
      before: await getTotalsBefore(ctx, visitor, span),
    }
  }

  dashboard.list<Issue, typeof ATTENTION.filters>(ATTENTION, 'read', async ({ visitor, asked }) => {
    const { q, filters, limit, offset } = asked
    const severity = filters.severity || null
    const search =
      q === ''
        ? null
        : (issue: Issue) =>
            `${aboutOf(issue) ?? ''} ${whatIsWrong(issue)}`.toLowerCase().includes(q.toLowerCase())
    const found = await getCatalogIssues(ctx, visitor, {
      productSlug: null,
      severity,
      search,
      limit,
      offset,
    })
    return {
      title: 'Needs attention',
      lead: 'Most urgent first. Updated each time you open this page.',
      ...{ rows: found.issues, total: found.total },
      filters: {
        severity: {
          ...{ label: 'Severity', any: 'All' },
          options: SEVERITIES.map(
            (each) => [each, `${SEVERITY_WORDS[each].many} ${formatCount(found.counts[each])}`] as const,
          ),
        },
      },
      columns: [
        { label: 'Severity', csv: ({ severity: of }) => SEVERITY_WORDS[of].one },
        { label: 'About', csv: aboutOf },
        { label: 'product_slug', csv: ({ productSlug }) => productSlug },
        { label: 'What is wrong', csv: whatIsWrong },
        { label: 'What to do', csv: (issue) => remedyOf(issue, visitor.may('edit')).fix },
      ],
      draw: (issues) => (
        <Issues {...{ ...found, issues: [...issues] }} heading="h2" mayEdit={visitor.may('edit')} />
      ),
      empty: [<p>All caught up.</p>, <LinkLine to={DASHBOARD}>Go to the overview</LinkLine>],
      below: <Checked {...found} />,
    }
  })
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

function LastDays({ now, before }: { now: Figures; before: Figures }) {
  const share = (counts: Figures) => {
    const rate = winRate(counts)
    return rate === null ? 'None' : formatShare(rate)
  }
  const item = (label: string, value: (counts: Figures) => string) => ({
    ...{ label, value: value(now), note: `${value(before)} in the ${SHOWN_DAYS} days before` },
  })
  return (
    <section aria-labelledby="last-days">
      <div class="section-head">
        <h2 id="last-days">Last {SHOWN_DAYS} days</h2>
        <a href={PERFORMANCE_PATH}>See performance</a>
      </div>
      <Stats
        items={[
          item('Impressions', ({ impressions }) => formatCount(impressions)),
          item('Agent reads', ({ reads }) => formatCount(reads)),
          item('Requests for quotes', ({ rfqs }) => formatCount(rfqs)),
          item('Win rate', share),
        ]}
      />
    </section>
  )
}

function Late() {
  return (
    <Empty>
      <p>This took too long to load. Reload the page in a moment.</p>
    </Empty>
  )
}

type IssuesProps = Pick<CatalogIssues, 'issues' | 'counts'> & { heading: 'h2' | 'h3'; mayEdit: boolean }

/** Grouped by severity, with the count of each over all pages. */
function Issues({ issues, counts, heading: Heading, mayEdit }: IssuesProps) {
  return (
    <div class="attention">
      {SEVERITIES.map((severity) => {
        const shown = issues.filter((issue) => issue.severity === severity)
        const { many, means, tone } = SEVERITY_WORDS[severity]
        return (
          shown.length > 0 && (
            <section>
              <Heading>
                <State tone={tone}>{many}</State>
                <span class="count">{formatCount(counts[severity])}</span>
              </Heading>
              <p class="row-note">{means}</p>
              <ul>
                {shown.map((issue) => (
                  <IssueRow issue={issue} mayEdit={mayEdit} />
                ))}
              </ul>
            </section>
          )
        )
      })}
    </div>
  )
}

function aboutOf({ productTitle, submission }: Issue): string | null {
  return productTitle ?? submission?.title ?? null
}

function IssueRow({ issue, mayEdit }: { issue: Issue; mayEdit: boolean }) {
  const { fix, href, label } = remedyOf(issue, mayEdit)
  const about = aboutOf(issue)
  return (
    <li>
      <div>
        <p>
          <strong>{about ?? 'Your organization'}</strong>
          {issue.offerId !== null && ' (an offer)'}: {whatIsWrong(issue)}
        </p>
        {issue.reviewNote !== null && <p class="soft">The reviewer wrote: “{issue.reviewNote}”</p>}
        <p class="row-note">{fix}</p>
      </div>
      <a href={href}>
        {label}
        {about !== null && <span class="hidden">: {about}</span>}
      </a>
    </li>
  )
}

/** Which products were checked, where that is not all of them. */
function Checked({ judged, products }: Pick<CatalogIssues, 'judged' | 'products'>) {
  return judged < products ? (
    <p class="row-note">
      We checked the {formatCount(judged)} products you claimed last, of {countOf(products, 'product')}.
    </p>
  ) : null
}

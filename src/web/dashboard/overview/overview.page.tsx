/**
 * /dashboard: how far one has come, what needs attention, how the last 30 days were. Figures or issues that could not
 * be read in time leave their place to a word about it; the rest of the page is there all the same.
 */
import type { CatalogIssues } from '../../../producers/issues.service.ts'
import type { Onboarding } from '../../../producers/onboarding.service.ts'
import { type Figures as Counts, type Performance, winRate } from '../../../producers/performance.service.ts'
import { formatCount, formatShare } from '../../format.ts'
import { Console } from '../../kit/console.tsx'
import { Empty, Panel, Stats } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { ATTENTION_PATH, DASHBOARD, PERFORMANCE_PATH } from '../paths.ts'
import { SeenChart } from '../performance/day-chart.tsx'
import { Issues, Looked } from './attention.tsx'
import { Checklist } from './checklist.tsx'

export const SHOWN_DAYS = 30

type OverviewProps = {
  site: Site
  visitor: Visitor
  onboarding: Onboarding
  /** Null where it could not be read in time, as below. */
  attention: CatalogIssues | null
  performance: { now: Performance; before: Counts } | null
  done: string | null
}

export function renderOverview({ site, visitor, onboarding, attention, performance, done }: OverviewProps) {
  const checklist = <Checklist onboarding={onboarding} />
  return String(
    <DashboardPage site={site} visitor={visitor} title="Overview" at={DASHBOARD} done={done}>
      {!onboarding.complete && checklist}
      {performance && <LastDays {...performance} />}
      <Attention attention={attention} mayEdit={visitor.may('edit')} />
      <ByDay performance={performance?.now ?? null} />
      {onboarding.complete && checklist}
    </DashboardPage>,
  )
}

function LastDays({ now, before }: { now: Performance; before: Counts }) {
  const { totals } = now
  const was = (value: string) => `${value} in the ${SHOWN_DAYS} days before`
  const items = [
    ['Impressions', formatCount(totals.impressions), was(formatCount(before.impressions))],
    ['Agent reads', formatCount(totals.reads), was(formatCount(before.reads))],
    ['Requests for quotes', formatCount(totals.rfqs), was(formatCount(before.rfqs))],
    ['Win rate', shareOf(totals), was(shareOf(before))],
  ] as const
  return (
    <section aria-labelledby="last-days">
      <div class="section-head">
        <h2 id="last-days">The last {SHOWN_DAYS} days</h2>
        <a href={PERFORMANCE_PATH}>See performance</a>
      </div>
      <Stats items={items.map(([label, value, note]) => ({ label, value, note }))} />
    </section>
  )
}

function shareOf(counts: Counts): string {
  const share = winRate(counts)
  return share === null ? 'None' : formatShare(share)
}

type AttentionProps = { attention: CatalogIssues | null; mayEdit: boolean }

function Attention({ attention, mayEdit }: AttentionProps) {
  const all = attention !== null && attention.total > attention.issues.length
  return (
    <Panel
      title="Needs attention"
      id="attention"
      actions={all && <a href={ATTENTION_PATH}>See all {formatCount(attention.total)}</a>}
    >
      <AttentionBody attention={attention} mayEdit={mayEdit} />
    </Panel>
  )
}

function AttentionBody({ attention, mayEdit }: AttentionProps) {
  if (attention === null) return <Late />
  const { issues, products } = attention
  if (issues.length > 0)
    return (
      <>
        <Issues {...attention} heading="h3" mayEdit={mayEdit} />
        <Looked {...attention} />
      </>
    )
  return (
    <>
      <p>
        {products === 0 ? 'Nothing is wrong.' : 'Nothing is wrong with your organization and its products.'}
      </p>
      <Looked {...attention} />
    </>
  )
}

function ByDay({ performance }: { performance: Performance | null }) {
  return (
    <Panel title="By day" id="by-day">
      {performance ? <SeenChart performance={performance} /> : <Late />}
    </Panel>
  )
}

function Late() {
  return (
    <Empty>
      <p>This could not be read in time. Reload the page in a moment.</p>
    </Empty>
  )
}

/** For somebody who belongs to no organization: what this is, and how to start. */
export function renderStart({
  site,
  onboarding,
  isOperator,
}: {
  site: Site
  onboarding: Onboarding
  isOperator: boolean
}) {
  return String(
    <Console
      site={site}
      name="Dashboard"
      title="Sell to agents that shop"
      lead="You belong to no organization yet. Register yours, or ask an owner of one to invite you."
      groups={[{ label: null, ways: [{ href: DASHBOARD, label: 'Overview' }] }]}
      at={DASHBOARD}
      isOperator={isOperator}
    >
      <ul class="plain-list">
        <li>Agents and people find your products in a catalog that you can correct and complete.</li>
        <li>They ask for a quote; you answer by rules that Souk applies for you, or with your own agent.</li>
        <li>You see what was shown, read, asked for and won, and what to mend.</li>
      </ul>
      <Checklist onboarding={onboarding} until="organization" />
    </Console>,
  )
}

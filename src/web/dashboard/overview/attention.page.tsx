/** /dashboard/attention: everything that is wrong, of one severity or of all, in pages. */
import { SEVERITIES, type Severity } from '../../../producers/issue-rule.ts'
import type { CatalogIssues } from '../../../producers/issues.service.ts'
import { formatCount } from '../../format.ts'
import { Paging } from '../../kit/paging.tsx'
import { Empty } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { SEVERITY_WORDS } from '../issue-words.ts'
import { DashboardPage, type Visitor } from '../page.tsx'
import { ATTENTION_PATH, DASHBOARD } from '../paths.ts'
import { Issues, Looked } from './attention.tsx'

export const ISSUES_A_PAGE = 25

type AttentionProps = {
  site: Site
  visitor: Visitor
  found: CatalogIssues
  severity: Severity | null
  page: number
}

export function renderAttention({ site, visitor, found, severity, page }: AttentionProps): string {
  const pages = Math.ceil(found.total / ISSUES_A_PAGE)
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Needs attention"
      lead="Worst first. Looked at anew each time you open this page."
      at={DASHBOARD}
    >
      <nav aria-label="Severity">
        <ul class="chips">
          <Choice severity={null} chosen={severity} counts={found.counts} />
          {SEVERITIES.map((one) => (
            <Choice severity={one} chosen={severity} counts={found.counts} />
          ))}
        </ul>
      </nav>
      {found.issues.length === 0 ? (
        <Empty>
          <p>{nothingWords(found, severity)}</p>
          <p>
            <a href={DASHBOARD}>Go to the overview</a>
          </p>
        </Empty>
      ) : (
        <Issues {...found} heading="h2" mayEdit={visitor.may('edit')} />
      )}
      <Looked {...found} />
      <Paging page={page} pages={pages} href={(number) => addressOf(severity, number)} />
    </DashboardPage>,
  )
}

function Choice({
  severity,
  chosen,
  counts,
}: {
  severity: Severity | null
  chosen: Severity | null
  counts: CatalogIssues['counts']
}) {
  const count = severity === null ? SEVERITIES.reduce((sum, one) => sum + counts[one], 0) : counts[severity]
  return (
    <li>
      <a class="chip" href={addressOf(severity, 1)} aria-current={severity === chosen ? 'page' : undefined}>
        {severity === null ? 'All' : SEVERITY_WORDS[severity].many} {formatCount(count)}
      </a>
    </li>
  )
}

function nothingWords({ total }: CatalogIssues, severity: Severity | null): string {
  if (total > 0) return 'There are not as many pages. Some of it may have been put right meanwhile.'
  return severity === null ? 'Nothing is wrong.' : 'There is nothing of this kind.'
}

function addressOf(severity: Severity | null, page: number): string {
  const query = new URLSearchParams({
    ...(severity !== null && { severity }),
    ...(page > 1 && { page: String(page) }),
  })
  return query.size === 0 ? ATTENTION_PATH : `${ATTENTION_PATH}?${query}`
}

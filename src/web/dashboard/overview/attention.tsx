/** What needs attention, worst first: what is wrong, how it is put right, and the page that does it. */
import { SEVERITIES } from '../../../producers/issue-rule.ts'
import type { CatalogIssues } from '../../../producers/issues.service.ts'
import type { Issue } from '../../../producers/issues.ts'
import { countOf, formatCount } from '../../format.ts'
import { State } from '../../kit/parts.tsx'
import { remedyOf, SEVERITY_WORDS, whatIsWrong } from '../issue-words.ts'

/** Grouped by severity, with how many of each there are in all. */
export function Issues({
  issues,
  counts,
  heading: Heading,
  mayEdit,
}: Pick<CatalogIssues, 'issues' | 'counts'> & { heading: 'h2' | 'h3'; mayEdit: boolean }) {
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

function IssueRow({ issue, mayEdit }: { issue: Issue; mayEdit: boolean }) {
  const { fix, href, label } = remedyOf(issue, mayEdit)
  const about = issue.productTitle ?? issue.submission?.title ?? null
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

/** Which products were looked at, where that is not all of them. */
export function Looked({ judged, products }: Pick<CatalogIssues, 'judged' | 'products'>) {
  return judged < products ? (
    <p class="row-note">
      Looked at: the {formatCount(judged)} products claimed last, of {countOf(products, 'product')}.
    </p>
  ) : null
}

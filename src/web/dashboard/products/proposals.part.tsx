/** What the organization proposed for a profile: what it says, where it stands and what the operator wrote. */
import { partsOf } from '../../../catalog/enrichment.schema.ts'
import type { EnrichmentStanding } from '../../../catalog/enrichment.service.ts'
import { Address } from '../../components/address.tsx'
import { Day } from '../../components/moment.tsx'
import { Hidden } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { Confirm, Empty, Panel, State } from '../../kit/parts.tsx'
import { linesOf, partWords, REVIEW_WORDS } from '../../kit/proposal-words.ts'
import { ActionForm, type Visitor } from '../page.tsx'
import { changePath, ownProductPath } from '../paths.ts'

type Proposal = EnrichmentStanding['proposals'][number]

type ProposalsProps = {
  visitor: Visitor
  slug: string
  proposals: Proposal[]
  page: number
  pages: number
  mayPropose: boolean
}

export function Proposals({ visitor, slug, proposals, page, pages, mayPropose }: ProposalsProps) {
  return (
    <Panel title="Your proposals" id="proposals">
      {proposals.length === 0 ? (
        <Empty>
          <p>You have proposed nothing for this profile yet.</p>
          {mayPropose && (
            <p class="line">
              <a href={changePath(slug)}>Propose the first change</a>
            </p>
          )}
        </Empty>
      ) : (
        <ul class="proposals">
          {proposals.map((proposal) => (
            <li>
              <One proposal={proposal} visitor={visitor} slug={slug} />
            </li>
          ))}
        </ul>
      )}
      <Paging
        page={page}
        pages={pages}
        href={(number) => `${ownProductPath(slug)}?proposals=${number}#proposals`}
        label="Pages of proposals"
      />
    </Panel>
  )
}

function One({ proposal, visitor, slug }: { proposal: Proposal; visitor: Visitor; slug: string }) {
  const { status, createdAt, reviewedAt, reviewNote, fromImport } = proposal
  const { tone, words } = REVIEW_WORDS[status]
  return (
    <>
      <h3>{partsOf(proposal).map(partWords).join(', ')}</h3>
      <p>
        <State tone={tone}>{words}</State> Sent <Day at={createdAt} />
        {fromImport && ' by an import'}
        {reviewedAt && (
          <>
            , looked at <Day at={reviewedAt} />
          </>
        )}
      </p>
      {reviewNote !== null && <p class="reason">The operator wrote: “{reviewNote}”</p>}
      <details>
        <summary>
          What it says<span class="hidden">: {partsOf(proposal).map(partWords).join(', ')}</span>
        </summary>
        <Content proposal={proposal} />
      </details>
      {status === 'pending' && visitor.may('edit') && (
        <Confirm ask="Withdraw this proposal">
          <p>The operator no longer sees it, and nothing of it comes into the profile.</p>
          <ActionForm
            visitor={visitor}
            action={`${ownProductPath(slug)}/proposals/withdraw`}
            label="Withdraw the proposal"
            kind="danger"
          >
            <Hidden name="enrichment_id" value={proposal.id} />
          </ActionForm>
        </Confirm>
      )}
    </>
  )
}

function Content({ proposal: { fields, images, evidence, note } }: { proposal: Proposal }) {
  const rows = [
    ...Object.entries(fields).map(([name, value]) => ({
      name: partWords(name),
      lines: orCleared(linesOf(name, value)),
    })),
    ...(images.length === 0 ? [] : [{ name: partWords('images'), lines: linesOf('images', images) }]),
    ...(note === null ? [] : [{ name: 'Your note', lines: [note] }]),
  ]
  return (
    <dl class="said">
      {rows.map(({ name, lines }) => (
        <div>
          <dt>{name}</dt>
          {lines.map((line) => (
            <dd>{line}</dd>
          ))}
        </div>
      ))}
      {evidence.length > 0 && (
        <div>
          <dt>Evidence</dt>
          {evidence.map((url) => (
            <dd>
              <Address url={url} />
            </dd>
          ))}
        </div>
      )}
    </dl>
  )
}

function orCleared(lines: string[]): string[] {
  return lines.length === 0 ? ['To be cleared'] : lines
}

/** /dashboard/products/:category/:slug: a product as its seller sees it: claims, issues, the profile, proposals. */
import type { Context } from 'hono'
import { z } from 'zod'
import { getProfile } from '../../../catalog/catalog.service.ts'
import {
  fieldValue,
  PROPOSABLE_FIELDS,
  type ProposableField,
  partsOf,
} from '../../../catalog/enrichment.schema.ts'
import {
  type EnrichmentStanding,
  getEnrichmentStatus,
  withdrawEnrichment,
} from '../../../catalog/enrichment.service.ts'
import { type ProductProfile, priceRange, productPath, slugOf } from '../../../catalog/profile.ts'
import { WithdrawRequest } from '../../../catalog/relationships.schema.ts'
import {
  listRelationshipsTo,
  type Relationship,
  withdrawRelationship,
} from '../../../catalog/relationships.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { shorten } from '../../../lib/text.ts'
import { getCatalogIssues } from '../../../producers/issues.service.ts'
import type { Issue } from '../../../producers/issues.ts'
import { Address } from '../../components/address.tsx'
import { Day } from '../../components/moment.tsx'
import { Picture } from '../../components/picture.tsx'
import { formatCount, formatDate } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { Paging, pageNumber } from '../../kit/paging.tsx'
import {
  Action,
  DataTable,
  Empty,
  Facts,
  LinkButton,
  Panel,
  State,
  Stats,
  stateOf,
  Timeline,
} from '../../kit/parts.tsx'
import { FIELD_WORDS, linesOf, partWords, REVIEW_WORDS } from '../../kit/proposal-words.ts'
import { type Dashboard, type DashboardDeps, type Visitor, type VisitorSeen, WhoMay } from '../guard.tsx'
import { remedyOf, SEVERITY_WORDS, whatIsWrong } from '../issue-words.ts'
import {
  changePath,
  claimPath,
  newOfferFor,
  offersOf,
  ownProductPath,
  PRODUCTS_PATH,
  pricingPath,
} from '../paths.ts'
import { ByDomain, PROOF_WORDS } from './claim.routes.tsx'
import { CLAIM_STATUS, CLAIM_WORDS, inOurNouns, PROFILE_WORDS } from './words.ts'

export const PRODUCT_PATH = `${PRODUCTS_PATH}/:category/:slug`
const PROPOSALS_PER_PAGE = 10
const MOST_ISSUES = 200
const MAX_SHOWN = 140

const SAID = {
  claimed: 'Claim verified. You can now publish offers, set prices and propose changes.',
  claim_waits: 'Product claimed. See below how your claim gets verified.',
  claim_known: 'You already claimed this product. See below how your claim gets verified.',
  claim_withdrawn: 'Claim withdrawn.',
  proposed: 'Change sent for review. Nothing changes until the operator approves it.',
  proposed_same: 'You already proposed exactly this, so nothing changed.',
  proposal_withdrawn: 'Proposal withdrawn.',
}

type Own = { profile: ProductProfile; relationships: Relationship[] }

/** Returns not_found unless the visitor's organization claimed the product. */
export async function requireOwn(ctx: DashboardDeps['ctx'], c: Context, visitor: Visitor): Promise<Own> {
  const profile = await getProfile(ctx, namedIn(c))
  const relationships = profile ? await listRelationshipsTo(ctx, visitor, { productId: profile.id }) : []
  if (profile && relationships.length > 0) return { profile, relationships }
  throw new AppError('not_found', `${visitor.org.name} has not claimed this product`, { code: 'not_found' })
}

export function pathOf(c: Context): string {
  const { category, slug } = namedIn(c)
  return ownProductPath(`${encodeURIComponent(category)}/${encodeURIComponent(slug)}`)
}

function namedIn(c: Context): { category: string; slug: string } {
  return { category: c.req.param('category') ?? '', slug: c.req.param('slug') ?? '' }
}

export function mountProduct(dashboard: Dashboard, deps: DashboardDeps): void {
  const { ctx } = deps

  async function show({ c, visitor, state }: VisitorSeen): Promise<Page> {
    const { profile, relationships } = await requireOwn(ctx, c, visitor)
    const productSlug = namedIn(c)
    const page = pageNumber(c.req.query('proposals'))
    const { issues } = await getCatalogIssues(ctx, visitor, {
      ...{ productSlug, severity: null, limit: MOST_ISSUES, offset: 0 },
    })
    const standing = await getEnrichmentStatus(ctx, visitor, {
      ...{ productSlug, limit: PROPOSALS_PER_PAGE, offset: (page - 1) * PROPOSALS_PER_PAGE },
    })
    const slug = slugOf(profile)
    const mayEdit = visitor.may('edit')
    const isVerified = relationships.some(({ status }) => status === 'verified')
    const mayPropose = mayEdit && isVerified
    const { tone, words } = PROFILE_WORDS[profile.verificationStatus]
    return {
      title: profile.title,
      lead: [profile.brand?.name, profile.category.label].filter(Boolean).join(' · '),
      said: SAID,
      errors: inOurNouns(state),
      actions: mayPropose && (
        <>
          <LinkButton to={changePath(slug)} primary label="Propose a change" />
          <LinkButton to={newOfferFor(slug)} label="Create an offer" />
        </>
      ),
      body: [
        <div class="product-name product-head">
          <Picture profile={profile} />
          <div>
            {profile.discontinued && <p class="badge">Discontinued</p>}
            <p class="line">
              <a href={productPath(profile)}>View public page</a>
              <a href={offersOf(slug)}>Offers</a>
              {isVerified && <a href={pricingPath(slug)}>Pricing</a>}
            </p>
          </div>
        </div>,
        <Stats
          items={[
            { label: 'Profile', value: <State tone={tone}>{words}</State> },
            { label: 'Price', value: priceRange(profile) ?? 'Not stated' },
            { label: 'Issues', value: formatCount(issues.length) },
            { label: 'Proposals', value: formatCount(standing.total) },
          ]}
        />,
        <WhoMay visitor={visitor} right="edit" what="change this product" />,
        <Panel
          title="Your claim"
          id="claims"
          actions={
            relationships.length < 2 && mayEdit && <a href={claimPath(slug)}>Claim another relationship</a>
          }
        >
          {relationships.map((claim) => (
            <Claim claim={claim} all={relationships} profile={profile} visitor={visitor} />
          ))}
        </Panel>,
        <Issues issues={issues} slug={slug} mayEdit={mayEdit} />,
        <Panel
          title="Profile"
          lead="What the profile says now, and where it comes from."
          actions={mayPropose && <a href={changePath(slug)}>Edit the profile</a>}
        >
          <Profile profile={profile} standing={standing} />
        </Panel>,
        <Panel title="Your proposals" id="proposals">
          {standing.proposals.length === 0 ? (
            <Empty>
              <p>No proposals yet.</p>
              {mayPropose && (
                <p class="line">
                  <a href={changePath(slug)}>Propose your first change</a>
                </p>
              )}
            </Empty>
          ) : (
            <Timeline
              events={standing.proposals.map((proposal) => eventOf(proposal, slug, mayEdit))}
              now={ctx.clock.now()}
            />
          )}
          <Paging
            page={page}
            pages={Math.ceil(standing.total / PROPOSALS_PER_PAGE)}
            href={(number) => `${ownProductPath(slug)}?proposals=${number}#proposals`}
            label="Pages of proposals"
          />
        </Panel>,
      ],
    }
  }

  dashboard.page(PRODUCT_PATH, 'read', show)

  dashboard.action(`${PRODUCT_PATH}/claims/withdraw`, {
    ...{ schema: WithdrawRequest, shows: true },
    async act({ c, act, visitor, input }) {
      const { profile } = await requireOwn(ctx, c, visitor)
      await withdrawRelationship(ctx, act, input)
      const left = await listRelationshipsTo(ctx, act, { productId: profile.id })
      return `${left.length > 0 ? pathOf(c) : PRODUCTS_PATH}?done=claim_withdrawn`
    },
  })

  dashboard.action(`${PRODUCT_PATH}/proposals/withdraw`, {
    schema: z.object({ enrichment_id: z.string().min(1).max(100) }),
    async act({ c, act, input }) {
      await withdrawEnrichment(ctx, act, { enrichmentId: input.enrichment_id })
      return `${pathOf(c)}?done=proposal_withdrawn`
    },
  })
}

type ClaimProps = { claim: Relationship; all: Relationship[]; profile: ProductProfile; visitor: Visitor }

function Claim({ claim, all, profile, visitor }: ClaimProps) {
  const { id, type, status, verifiedVia, verifiedAt, createdAt, evidenceUrl } = claim
  const slug = slugOf(profile)
  const mayEdit = visitor.may('edit')
  const isLast = status === 'verified' && !all.some((one) => one.id !== id && one.status === 'verified')
  const isPending = status === 'pending'
  return (
    <div class="claim">
      <h3>{CLAIM_WORDS[type]}</h3>
      <Facts
        facts={[
          [
            'Status',
            <>
              {stateOf(CLAIM_STATUS[status])} since <Day at={verifiedAt ?? createdAt} />
              {verifiedVia !== null && `, because ${PROOF_WORDS[verifiedVia]}`}
            </>,
          ],
          evidenceUrl !== null && ['Evidence', <Address url={evidenceUrl} />],
          isPending && ['By domain', <ByDomain type={type} org={visitor.org} profile={profile} />],
          isPending && [
            'By the operator',
            <>
              The operator decides based on your evidence.{' '}
              {mayEdit && (
                <a href={claimPath(slug)}>{evidenceUrl === null ? 'Add evidence' : 'Replace evidence'}</a>
              )}
            </>,
          ],
        ]}
      />
      {mayEdit && (
        <Action
          {...{ to: `${ownProductPath(slug)}/claims/withdraw`, fields: { relationship_id: id } }}
          {...{ kind: 'danger', label: 'Withdraw claim', ask: 'Withdraw this claim' }}
          about={`: ${CLAIM_WORDS[type].toLowerCase()}`}
        >
          <p>
            {isLast
              ? 'This is your only verified claim to this product. We pause your offers for it, stop asking you for quotes, and you can’t propose changes until you claim it again. Approved changes stay in the profile.'
              : 'Your offers for this product stay as they are. You can claim it again at any time.'}
          </p>
        </Action>
      )}
    </div>
  )
}

function Issues({ issues, slug, mayEdit }: { issues: readonly Issue[]; slug: string; mayEdit: boolean }) {
  return (
    <Panel title="Issues" lead={issues.length === 0 && 'No issues found.'}>
      <ul class="rows">
        {issues.map((issue) => {
          const { tone, one } = SEVERITY_WORDS[issue.severity]
          const { fix, href, label } = remedyOf(issue, mayEdit)
          return (
            <li>
              <p>
                <State tone={tone}>{one}</State> {whatIsWrong(issue)}
                {issue.reviewNote !== null && ` The operator wrote: “${issue.reviewNote}”`}
                <span class="row-note">{fix}</span>
              </p>
              {href !== ownProductPath(slug) && <a href={href}>{label}</a>}
            </li>
          )
        })}
      </ul>
    </Panel>
  )
}

function Profile({ profile, standing }: { profile: ProductProfile; standing: EnrichmentStanding }) {
  const sources = new Map(standing.fields.map((said) => [said.field, said]))
  const today = (field: ProposableField) =>
    shorten(linesOf(field, fieldValue(field, profile)).join(', '), MAX_SHOWN)
  const isStated = (field: ProposableField) => today(field) !== '' || sources.has(field)
  const missing = PROPOSABLE_FIELDS.filter((field) => !isStated(field))
  const others = standing.fields.filter(({ field }) => !Object.hasOwn(FIELD_WORDS, field))
  return (
    <>
      <DataTable
        caption="The profile now and where it comes from"
        columns={[{ label: 'Field' }, { label: 'Now' }, { label: 'Source' }]}
        rows={PROPOSABLE_FIELDS.filter(isStated).map((field) => {
          const { source = 'Not stated', verifiedAt = null } = sources.get(field) ?? {}
          return [
            FIELD_WORDS[field],
            today(field) || 'Not stated',
            <>
              {source}
              {verifiedAt !== null && (
                <span class="row-note">Approved {formatDate(verifiedAt.slice(0, 10))}</span>
              )}
            </>,
          ]
        })}
      />
      {missing.length > 0 && (
        <p class="soft">Not stated yet: {missing.map((field) => FIELD_WORDS[field]).join(', ')}.</p>
      )}
      {others.length > 0 && (
        <p class="soft">
          You can’t change: {others.map(({ field }) => partWords(field).toLowerCase()).join(', ')}.
        </p>
      )}
    </>
  )
}

type Proposal = EnrichmentStanding['proposals'][number]

function eventOf(proposal: Proposal, slug: string, mayEdit: boolean) {
  const { id, status, createdAt, reviewedAt, reviewNote, fromImport } = proposal
  const parts = partsOf(proposal).map(partWords).join(', ')
  return {
    at: createdAt,
    what: parts,
    note: (
      <>
        {stateOf(REVIEW_WORDS[status])} {reviewedAt && <Day at={reviewedAt} />}
        {fromImport && ' · From an import'}
      </>
    ),
    more: [
      reviewNote !== null && <p class="reason">The operator wrote: “{reviewNote}”</p>,
      <details>
        <summary>
          Show details<span class="hidden">: {parts}</span>
        </summary>
        <Facts facts={contentOf(proposal)} />
      </details>,
      status === 'pending' && mayEdit && (
        <Action
          {...{ to: `${ownProductPath(slug)}/proposals/withdraw`, fields: { enrichment_id: id } }}
          {...{ kind: 'danger', label: 'Withdraw proposal', ask: 'Withdraw this proposal' }}
          about={`: ${parts}`}
        >
          <p>The operator no longer sees it, and the profile stays as it is.</p>
        </Action>
      ),
    ],
  }
}

function contentOf({ fields, images, evidence, note }: Proposal) {
  const lines = (entries: unknown[]) => entries.map((entry) => <span class="fact-line">{String(entry)}</span>)
  const fact = (name: string, value: unknown) => {
    const said = linesOf(name, value)
    return [partWords(name), lines(said.length === 0 ? ['Cleared'] : said)] as const
  }
  return [
    ...Object.entries(fields).map(([name, value]) => fact(name, value)),
    images.length > 0 && fact('images', images),
    note !== null && (['Your note', note] as const),
    ...evidence.map((url) => ['Evidence', <Address url={url} />] as const),
  ]
}

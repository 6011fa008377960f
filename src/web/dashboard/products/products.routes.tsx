/** /dashboard/products: the organization's products with what each still needs, and the products it proposed. */
import { z } from 'zod'
import { getProfiles } from '../../../catalog/catalog.service.ts'
import type { ProductProfile } from '../../../catalog/profile.ts'
import {
  listOwnSubmissions,
  type OwnSubmission,
  withdrawSubmission,
} from '../../../catalog/submissions.service.ts'
import { isVerified } from '../../../producers/facts.ts'
import { listMyProducts, MOST_JUDGED, type MyProduct } from '../../../producers/my-products.service.ts'
import { Day } from '../../components/moment.tsx'
import { Picture } from '../../components/picture.tsx'
import { countOf, formatCount } from '../../format.ts'
import { type ListColumn, listHref, listPage } from '../../kit/list.tsx'
import { Paging, pageNumber } from '../../kit/paging.tsx'
import { Action, DataTable, Panel, State } from '../../kit/parts.tsx'
import { REVIEW_WORDS } from '../../kit/proposal-words.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard } from '../guard.ts'
import { SEVERITY_WORDS } from '../issue-words.ts'
import { type Visitor, WhoMay } from '../page.tsx'
import {
  CLAIM_PATH,
  changePath,
  claimPath,
  IMPORT_PATH,
  NEW_PRODUCT_PATH,
  newOfferFor,
  ownProductPath,
  PRODUCTS_PATH,
} from '../paths.ts'
import { mountChange } from './change.routes.tsx'
import { mountClaim } from './claim.routes.tsx'
import { mountNew } from './new.routes.tsx'
import { mountProduct } from './product.routes.tsx'
import { CLAIM_STATUS, CLAIM_WORDS, inOurNouns, PROFILE_WORDS, READY_WORDS } from './words.ts'

const LIST = {
  path: PRODUCTS_PATH,
  noun: 'product',
  search: 'Search',
  filters: {
    relationship: ['sells', 'manufactured_by'],
    claim: ['verified', 'pending'],
    issues: ['yes', 'no'],
  },
  pageSize: 20,
} as const
const PROPOSED_PER_PAGE = 10
const WITHDRAW_PATH = `${PRODUCTS_PATH}/proposed/withdraw`

export function mountProducts(dashboard: Dashboard, deps: DashboardDeps): void {
  const { ctx } = deps

  const show = listPage<{ visitor: Visitor }, MyProduct, typeof LIST.filters>(
    LIST,
    async ({ c, visitor, state, asked }) => {
      const { q, filters, limit, offset } = asked
      const mayEdit = visitor.may('edit')
      const found = await listMyProducts(ctx, visitor, {
        relationshipType: filters.relationship || null,
        verificationStatus: filters.claim || null,
        query: q || null,
        hasIssues: filters.issues === '' ? null : filters.issues === 'yes',
        ...{ limit, offset },
      })
      const ids = found.products.map(({ facts }) => facts.id)
      const profiles = new Map((await getProfiles(ctx, ids)).map((profile) => [profile.id, profile]))
      const page = pageNumber(c.req.query('proposed'))
      const part = { limit: PROPOSED_PER_PAGE, offset: (page - 1) * PROPOSED_PER_PAGE }
      const proposed = await listOwnSubmissions(ctx, visitor, part)
      return {
        page: {
          title: 'Products',
          lead: `What ${visitor.org.name} sells or makes, and what each product still needs.`,
          said: {
            proposed: 'Product sent for review. Buyers see it once the operator approves it.',
            proposed_again: 'Proposal updated.',
            proposed_same: 'You already proposed exactly this, so nothing changed.',
            proposal_withdrawn: 'Proposal withdrawn.',
            claim_withdrawn: 'Claim withdrawn.',
          },
          errors: inOurNouns(state),
          actions: mayEdit && (
            <>
              <a class="button" href={CLAIM_PATH}>
                Claim a product
              </a>
              <a class="button plain" href={NEW_PRODUCT_PATH}>
                Propose a new product
              </a>
              <a class="button plain" href={IMPORT_PATH}>
                Import
              </a>
            </>
          ),
        },
        rows: found.products,
        total: found.total,
        order: found.complete ? undefined : `among the last ${formatCount(MOST_JUDGED)} you claimed`,
        columns: columnsFor(profiles, mayEdit),
        filters: {
          relationship: { label: 'Relationship', options: Object.entries(CLAIM_WORDS) },
          claim: {
            label: 'Claim',
            options: [
              ['verified', CLAIM_STATUS.verified.words],
              ['pending', CLAIM_STATUS.pending.words],
            ],
          },
          issues: {
            label: 'Issues',
            options: [
              ['yes', 'With issues'],
              ['no', 'Without issues'],
            ],
          },
        },
        empty: (
          <>
            <p>
              No products yet. Claim the products you sell or make, propose the ones that are missing from the
              catalog, or import them all from a file.
            </p>
            {mayEdit && (
              <p class="line">
                <a href={CLAIM_PATH}>Find a product to claim</a>
                <a href={NEW_PRODUCT_PATH}>Propose a product</a>
                <a href={IMPORT_PATH}>Import a file</a>
              </p>
            )}
          </>
        ),
        above: <WhoMay visitor={visitor} right="edit" what="change your products" />,
        below: proposed.total > 0 && (
          <Panel
            title="Proposed products"
            lead="Products you proposed for the catalog. The operator reviews each one before buyers see it."
          >
            <Proposed submissions={proposed.submissions} mayEdit={mayEdit} />
            <Paging
              page={page}
              pages={Math.ceil(proposed.total / PROPOSED_PER_PAGE)}
              href={(number) => `${listHref(LIST, asked, { proposed: String(number) })}#proposed-products`}
              label="Pages of proposed products"
            />
          </Panel>
        ),
      }
    },
  )

  dashboard.page(PRODUCTS_PATH, 'read', show)

  dashboard.action(WITHDRAW_PATH, {
    ...{ schema: z.object({ submission_id: z.string().min(1).max(100) }), page: show, from: PRODUCTS_PATH },
    async act({ act, input }) {
      await withdrawSubmission(ctx, act, { submissionId: input.submission_id })
      return `${PRODUCTS_PATH}?done=proposal_withdrawn`
    },
  })

  mountClaim(dashboard, deps)
  mountNew(dashboard, deps)
  mountProduct(dashboard, deps)
  mountChange(dashboard, deps)
}

/** Each column says how one side of a product stands, and links to what can be done about it. */
function columnsFor(profiles: Map<string, ProductProfile>, mayEdit: boolean): ListColumn<MyProduct>[] {
  const next = (href: string, words: string, { facts }: MyProduct) => (
    <a class="row-note" href={href}>
      {words}
      <span class="hidden"> for {facts.title}</span>
    </a>
  )
  return [
    {
      label: 'Product',
      csv: ({ facts }) => facts.title,
      cell({ facts }) {
        const profile = profiles.get(facts.id)
        return (
          <span class="product-name">
            {profile && <Picture profile={profile} lazy decorative />}
            <span>
              <a href={ownProductPath(facts.slug)}>{facts.title}</a>
              <span class="row-note">
                {facts.brand ?? 'No brand'}
                {facts.discontinued && ' · Discontinued'}
              </span>
            </span>
          </span>
        )
      },
    },
    {
      label: 'Claim',
      csv: ({ facts }) =>
        facts.relationships
          .map(({ type, status }) => `${CLAIM_WORDS[type]} (${CLAIM_STATUS[status].words.toLowerCase()})`)
          .join(', '),
      cell: (product) => (
        <span>
          {product.facts.relationships.map(({ type, status }) => (
            <span class="fact-line">
              <State tone={CLAIM_STATUS[status].tone}>
                {CLAIM_WORDS[type]}
                {status === 'pending' && ', not verified yet'}
              </State>
            </span>
          ))}
          {mayEdit &&
            product.facts.relationships.some((claim) => claim.status === 'pending' && !claim.hasEvidence) &&
            next(claimPath(product.facts.slug), 'Add evidence', product)}
        </span>
      ),
    },
    {
      label: 'Profile',
      csv: ({ facts }) => PROFILE_WORDS[facts.verificationStatus].words,
      cell({ facts, ...rest }) {
        const { tone, words } = PROFILE_WORDS[facts.verificationStatus]
        const canAdd = mayEdit && facts.verificationStatus === 'base' && isVerified(facts)
        return (
          <span>
            <State tone={tone}>{words}</State>
            {canAdd && next(changePath(facts.slug), 'Improve the profile', { facts, ...rest })}
          </span>
        )
      },
    },
    {
      label: 'Offers',
      csv: ({ offersByStatus }) => offersWords(offersByStatus).join(', '),
      cell(product) {
        const { facts, offersByStatus } = product
        const words = offersWords(offersByStatus)
        const canAdd = mayEdit && offersByStatus.active === 0 && isVerified(facts) && !facts.discontinued
        return (
          <span>
            {words.length === 0 ? 'None' : words.map((some) => <span class="fact-line">{some}</span>)}
            {canAdd && next(newOfferFor(facts.slug), 'Create an offer', product)}
          </span>
        )
      },
    },
    {
      label: 'Issues',
      csv: ({ issues }) => issues,
      cell(product) {
        const { facts, issues, worst } = product
        if (worst === null) return <State tone="good">None</State>
        const words = issues === 1 ? 'See how to fix it' : `Fix ${formatCount(issues)} issues`
        return (
          <span>
            <State tone={SEVERITY_WORDS[worst].tone}>{SEVERITY_WORDS[worst].one}</State>
            {next(`${ownProductPath(facts.slug)}#issues`, words, product)}
          </span>
        )
      },
    },
    {
      label: 'Quotes',
      csv: ({ rfq }) => READY_WORDS[rfq].words,
      cell(product) {
        const { tone, words, fix } = READY_WORDS[product.rfq]
        return (
          <span>
            <State tone={tone}>{words}</State>
            {fix && mayEdit && next(fix.href(product.facts.slug), fix.words, product)}
          </span>
        )
      },
    },
  ]
}

function offersWords({ active, draft, paused }: MyProduct['offersByStatus']): string[] {
  return [
    active > 0 ? `${active} live or scheduled` : '',
    draft > 0 ? countOf(draft, 'draft') : '',
    paused > 0 ? `${paused} paused` : '',
  ].filter(Boolean)
}

function Proposed({ submissions, mayEdit }: { submissions: OwnSubmission[]; mayEdit: boolean }) {
  return (
    <DataTable
      caption="Proposed products"
      columns={[
        { label: 'Product' },
        { label: 'Status' },
        { label: 'Sent' },
        { label: 'Operator’s note' },
        ...(mayEdit ? [{ label: 'Actions', kind: 'actions' as const }] : []),
      ]}
      rows={submissions.map(({ id, product, status, createdAt, reviewNote, ...one }) => {
        const title = textIn(product.title) ?? 'Untitled'
        return [
          <>
            {one.productSlug === null ? title : <a href={`/p/${one.productSlug}`}>{title}</a>}
            <span class="row-note">
              {textIn(product.brand) ?? 'No brand'} · {CLAIM_WORDS[one.relationshipType].toLowerCase()}
            </span>
          </>,
          <State tone={REVIEW_WORDS[status].tone}>{REVIEW_WORDS[status].words}</State>,
          <Day at={createdAt} />,
          reviewNote ?? 'None',
          mayEdit && status !== 'approved' && (
            <>
              <a href={`${NEW_PRODUCT_PATH}?from=${id}`}>
                {status === 'pending' ? 'Edit' : 'Propose again'}
                <span class="hidden">: {title}</span>
              </a>
              {status === 'pending' && (
                <Action
                  {...{ to: WITHDRAW_PATH, label: 'Withdraw proposal', ask: 'Withdraw', about: title }}
                  kind="danger"
                  fields={{ submission_id: id }}
                >
                  <p>The operator no longer sees it. You keep what you wrote and can propose it again.</p>
                </Action>
              )}
            </>
          ),
        ].slice(0, mayEdit ? 5 : 4)
      })}
    />
  )
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

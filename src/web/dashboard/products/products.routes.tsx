/** /dashboard/products: the organization's products with what each still needs, and the products it proposed. */
import { z } from 'zod'
import { getProfiles } from '../../../catalog/catalog.service.ts'
import { type CLAIM_COLUMNS, importClaims } from '../../../catalog/claims-file.service.ts'
import { withdrawClaimsTo } from '../../../catalog/found-claims.service.ts'
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
import { choice, defineList, type ListColumn, listHref, Picked } from '../../kit/list.tsx'
import { Paging, pageNumber } from '../../kit/paging.tsx'
import {
  Action,
  Confirm,
  DataTable,
  LinkButton,
  Panel,
  State,
  Submit,
  stateOf,
  type Tone,
} from '../../kit/parts.tsx'
import { REVIEW_WORDS } from '../../kit/proposal-words.ts'
import { type Dashboard, type DashboardDeps, WhoMay } from '../guard.tsx'
import { SEVERITY_WORDS } from '../issue-words.ts'
import {
  CLAIM_PATH,
  CLAIMS_FILE_PATH,
  changePath,
  claimPath,
  FOUND_PATH,
  IMPORT_PATH,
  NEW_PRODUCT_PATH,
  newOfferFor,
  ownProductPath,
  PRODUCTS_PATH,
} from '../paths.ts'
import { mountChange } from './change.routes.tsx'
import { mountClaim } from './claim.routes.tsx'
import { mountFound } from './found.routes.tsx'
import { mountNew } from './new.routes.tsx'
import { mountProduct } from './product.routes.tsx'
import { CLAIM_STATUS, CLAIM_WORDS, claimWords, inOurNouns, PROFILE_WORDS, READY_WORDS } from './words.ts'

const LIST = defineList(PRODUCTS_PATH, 'product', {
  ...{ search: 'Search', pageSize: 20 },
  filters: {
    relationship: choice('Relationship', CLAIM_WORDS),
    claim: choice('Claim', CLAIM_STATUS),
    issues: choice('Issues', { yes: 'With issues', no: 'Without issues' }),
  },
})
const CLAIMS_FILE = {
  ...({ path: CLAIMS_FILE_PATH, list: PRODUCTS_PATH, noun: 'product', right: 'edit' } as const),
  title: 'Claim products from a file',
  lead: 'Claim many products of the catalog at once. You see which are verified right away before you save.',
  columns: {
    product_slug: 'The product, as in its address: <category>/<slug>.',
    relationship_type: 'sells or manufactured_by; both with a semicolon between.',
    evidence_url: 'A page that shows it, such as the product in your shop.',
    gtin: 'Its number under the bar code, to be sure that it is the product you mean.',
    mpn: 'The maker’s number, for the same.',
  } satisfies Record<(typeof CLAIM_COLUMNS)[number], string>,
  href: ownProductPath,
}
const PROPOSED_PER_PAGE = 10
const BULK_PATH = `${PRODUCTS_PATH}/withdraw`
const WITHDRAW_PATH = `${PRODUCTS_PATH}/proposed/withdraw`

export function mountProducts(dashboard: Dashboard, deps: DashboardDeps): void {
  const { ctx } = deps

  dashboard.list<MyProduct, typeof LIST.filters>(LIST, 'read', async ({ c, visitor, state, asked }) => {
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
      title: 'Products',
      lead: `What ${visitor.org.name} sells or makes, and what each product still needs.`,
      said: {
        proposed: 'Product sent for review. Buyers see it once the operator approves it.',
        proposed_again: 'Proposal updated.',
        proposed_same: 'You already proposed exactly this, so nothing changed.',
        proposal_withdrawn: 'Proposal withdrawn.',
        claim_withdrawn: 'Claim withdrawn.',
        claims_withdrawn: 'The claims of the selected products were withdrawn.',
      },
      errors: inOurNouns(state),
      actions: mayEdit && (
        <>
          <LinkButton to={CLAIM_PATH} primary label="Claim a product" />
          <LinkButton to={FOUND_PATH} label="Find yours by domain" />
          <LinkButton to={NEW_PRODUCT_PATH} label="Propose a new product" />
          <LinkButton to={CLAIMS_FILE_PATH} label="Claim from a file" />
          <LinkButton to={IMPORT_PATH} label="Import" />
        </>
      ),
      rows: found.products,
      total: found.total,
      order: found.complete ? undefined : `among the last ${formatCount(MOST_JUDGED)} you claimed`,
      columns: columnsFor(profiles, mayEdit),
      bulk: mayEdit
        ? {
            action: BULK_PATH,
            key: ({ facts }) => facts.id,
            name: ({ facts }) => facts.title,
            buttons: (
              <Confirm ask="Withdraw the claims of the selected">
                <p>
                  You no longer get requests for these products, and your offers for them are paused. Prices
                  that you set are kept.
                </p>
                <Submit kind="danger">Withdraw claims</Submit>
              </Confirm>
            ),
          }
        : undefined,
      empty: [
        <p>
          No products yet. Claim the products you sell or make, propose the ones that are missing from the
          catalog, or import them all from a file.
        </p>,
        mayEdit && (
          <p class="line">
            <a href={FOUND_PATH}>Find yours by your domain</a>
            <a href={CLAIM_PATH}>Find a product to claim</a>
            <a href={NEW_PRODUCT_PATH}>Propose a product</a>
            <a href={IMPORT_PATH}>Import a file</a>
          </p>
        ),
      ],
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
  })

  dashboard.action(WITHDRAW_PATH, {
    schema: z.object({ submission_id: z.string().min(1).max(100) }),
    done: 'proposal_withdrawn',
    act: ({ act, input }) => withdrawSubmission(ctx, act, { submissionId: input.submission_id }),
  })

  dashboard.action(BULK_PATH, {
    ...{ right: 'edit', schema: Picked, shows: true, done: 'claims_withdrawn' },
    act: ({ act, input: productIds }) => withdrawClaimsTo(ctx, act, { productIds }),
  })

  dashboard.csv(CLAIMS_FILE, (act, wish) => importClaims(ctx, act, wish))
  mountClaim(dashboard, deps)
  mountFound(dashboard, deps)
  mountNew(dashboard, deps)
  mountProduct(dashboard, deps)
  mountChange(dashboard, deps)
}

type Side = {
  label: string
  states: (product: MyProduct) => Array<{ tone: Tone; words: string }>
  /** What to do about it: where, and in words. */
  next: (product: MyProduct) => readonly [href: string, words: string] | null | false
}

/** How each side of a product stands. */
const SIDES: Side[] = [
  {
    label: 'Claim',
    states: ({ facts }) =>
      facts.relationships.map((claim) => ({
        tone: CLAIM_STATUS[claim.status].tone,
        words: claimWords(claim),
      })),
    next: ({ facts: { relationships, slug } }) =>
      relationships.some(({ status, hasEvidence }) => status === 'pending' && !hasEvidence) && [
        claimPath(slug),
        'Add evidence',
      ],
  },
  {
    label: 'Profile',
    states: ({ facts }) => [PROFILE_WORDS[facts.verificationStatus]],
    next: ({ facts }) =>
      facts.verificationStatus === 'base' &&
      isVerified(facts) && [changePath(facts.slug), 'Improve the profile'],
  },
  {
    label: 'Offers',
    states: ({ offersByStatus: { active, draft, paused } }) => {
      const some = [
        ...(active > 0 ? [`${active} live or scheduled`] : []),
        ...(draft > 0 ? [countOf(draft, 'draft')] : []),
        ...(paused > 0 ? [`${paused} paused`] : []),
      ]
      return (some.length === 0 ? ['None'] : some).map((words) => ({ tone: 'quiet', words }))
    },
    next: ({ facts, offersByStatus: { active } }) =>
      active === 0 &&
      isVerified(facts) &&
      !facts.discontinued && [newOfferFor(facts.slug), 'Create an offer'],
  },
  {
    label: 'Issues',
    states({ issues, worst }) {
      if (worst === null) return [{ tone: 'good', words: 'None' }]
      const { tone, one } = SEVERITY_WORDS[worst]
      return [{ tone, words: `${one}: ${countOf(issues, 'issue')}` }]
    },
    next: ({ facts, worst }) =>
      worst !== null && [`${ownProductPath(facts.slug)}#issues`, 'See how to fix it'],
  },
  {
    label: 'Quotes',
    states: ({ rfq }) => [READY_WORDS[rfq]],
    next({ facts, rfq }) {
      const { fix } = READY_WORDS[rfq]
      return fix && [fix.href(facts.slug), fix.words]
    },
  },
]

function columnsFor(profiles: Map<string, ProductProfile>, mayEdit: boolean): ListColumn<MyProduct>[] {
  const sides = SIDES.map(
    ({ label, states, next }): ListColumn<MyProduct> => ({
      label,
      csv: (product) =>
        states(product)
          .map(({ words }) => words)
          .join('; '),
      cell(product) {
        const way = (mayEdit || label === 'Issues') && next(product)
        return (
          <span>
            {states(product).map(({ tone, words }) => (
              <span class="fact-line">
                <State tone={tone}>{words}</State>
              </span>
            ))}
            {way && (
              <a class="row-note" href={way[0]}>
                {way[1]}
                <span class="hidden"> for {product.facts.title}</span>
              </a>
            )}
          </span>
        )
      },
    }),
  )
  const named: ListColumn<MyProduct> = {
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
  }
  const file: ListColumn<MyProduct>[] = [
    { label: 'product_slug', csv: ({ facts }) => facts.slug },
    {
      label: 'relationship_type',
      csv: ({ facts }) => facts.relationships.map(({ type }) => type).join('; '),
    },
  ]
  return [named, ...sides, ...file]
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
          stateOf(REVIEW_WORDS[status]),
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

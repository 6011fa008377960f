/** Products that the organization proposed for the catalog: where each stands, and what came back. */
import type { OwnSubmission } from '../../../catalog/submissions.service.ts'
import { Day } from '../../components/moment.tsx'
import { Hidden } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { Confirm, DataTable, Panel, State } from '../../kit/parts.tsx'
import { REVIEW_WORDS } from '../../kit/proposal-words.ts'
import { ActionForm, type Visitor } from '../page.tsx'
import { NEW_PRODUCT_PATH, PRODUCTS_PATH } from '../paths.ts'
import { CLAIM_WORDS } from './words.ts'

export const WITHDRAW_PROPOSED = `${PRODUCTS_PATH}/proposed/withdraw`

type ProposedProps = {
  visitor: Visitor
  submissions: OwnSubmission[]
  page: number
  pages: number
  href: (page: number) => string
}

export function Proposed({ visitor, submissions, ...paging }: ProposedProps) {
  const mayEdit = visitor.may('edit')
  return (
    <Panel
      title="Proposed products"
      lead="Products that the catalog did not have. The operator looks at each before buyers see it."
    >
      <DataTable
        caption="Proposed products"
        columns={[
          { label: 'Product' },
          { label: 'State' },
          { label: 'Sent' },
          { label: 'The operator’s note' },
          ...(mayEdit ? [{ label: 'Actions', kind: 'actions' as const }] : []),
        ]}
        rows={submissions.map((one) => [
          <Title one={one} />,
          <State tone={REVIEW_WORDS[one.status].tone}>{REVIEW_WORDS[one.status].words}</State>,
          <Day at={one.createdAt} />,
          one.reviewNote ?? 'None',
          ...(mayEdit ? [<Actions one={one} visitor={visitor} />] : []),
        ])}
      />
      <Paging {...paging} label="Pages of proposed products" />
    </Panel>
  )
}

function Title({ one }: { one: OwnSubmission }) {
  const title = titleOf(one)
  return (
    <>
      {one.productSlug === null ? title : <a href={`/p/${one.productSlug}`}>{title}</a>}
      <span class="row-note">
        {textIn(one.product.brand) ?? 'No brand'} · {CLAIM_WORDS[one.relationshipType].toLowerCase()}
      </span>
    </>
  )
}

function Actions({ one, visitor }: { one: OwnSubmission; visitor: Visitor }) {
  if (one.status === 'approved') return null
  const title = titleOf(one)
  return (
    <>
      <a href={`${NEW_PRODUCT_PATH}?from=${one.id}`}>
        {one.status === 'pending' ? 'Edit' : 'Propose again'}
        <span class="hidden">: {title}</span>
      </a>
      {one.status === 'pending' && (
        <Confirm
          ask={
            <>
              Withdraw<span class="hidden"> {title}</span>
            </>
          }
        >
          <p>The operator no longer sees it. What you wrote is kept here, and you can propose it again.</p>
          <ActionForm
            visitor={visitor}
            action={WITHDRAW_PROPOSED}
            label="Withdraw the proposal"
            kind="danger"
          >
            <Hidden name="submission_id" value={one.id} />
          </ActionForm>
        </Confirm>
      )}
    </>
  )
}

function titleOf({ product }: OwnSubmission): string {
  return textIn(product.title) ?? 'Without a title'
}

function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

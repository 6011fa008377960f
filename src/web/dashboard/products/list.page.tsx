/** The organization's products, each with what stands between it and a buyer; below, the products it has proposed. */
import type { ProductProfile } from '../../../catalog/profile.ts'
import type { OwnSubmission } from '../../../catalog/submissions.service.ts'
import { MOST_JUDGED, type MyProducts } from '../../../producers/my-products.service.ts'
import { countOf, formatCount } from '../../format.ts'
import { Field, type FormState, Hidden, Select, UNTOUCHED } from '../../kit/fields.tsx'
import { Paging } from '../../kit/paging.tsx'
import { DataTable, Empty, Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { DashboardPage, type Visitor, WhoMay } from '../page.tsx'
import { CLAIM_PATH, IMPORT_PATH, NEW_PRODUCT_PATH, PRODUCTS_PATH } from '../paths.ts'
import { Claims, Issues, Named, Offers, Profile, Ready } from './list.cells.tsx'
import { Proposed } from './proposed.part.tsx'

export const PER_PAGE = 20
export const PROPOSED_PER_PAGE = 10

export type ListAsked = {
  words: string
  relationship: '' | 'sells' | 'manufactured_by'
  claim: '' | 'pending' | 'verified'
  issues: '' | 'yes' | 'no'
  page: number
  proposed: number
}

export type ListView = {
  asked: ListAsked
  found: MyProducts
  profiles: Map<string, ProductProfile>
  submissions: { submissions: OwnSubmission[]; total: number }
}

type ListPage = ListView & {
  site: Site
  visitor: Visitor
  done: string | null
  errors: FormState['errors']
}

export function renderProducts(page: ListPage): string {
  const { site, visitor, done, errors, asked, found, submissions } = page
  const filtered = asked.words + asked.relationship + asked.claim + asked.issues !== ''
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Products"
      lead={`What ${visitor.org.name} sells or makes, and what each product still needs.`}
      at={PRODUCTS_PATH}
      done={done}
      errors={errors}
      actions={visitor.may('edit') && <Actions />}
    >
      <WhoMay visitor={visitor} right="edit" what="change what is on this page" />
      {found.total === 0 && !filtered ? (
        <NoProducts visitor={visitor} />
      ) : (
        <Panel title="Your products">
          <Filters asked={asked} />
          <p role="status">
            {countOf(found.total, 'product')}
            {filtered && (
              <>
                {' '}
                match. <a href={PRODUCTS_PATH}>Show all products</a>
              </>
            )}
            {!found.complete &&
              `. Only the ${formatCount(MOST_JUDGED)} products claimed last were looked at for issues.`}
          </p>
          {found.products.length > 0 ? (
            <Table {...page} />
          ) : (
            found.total > 0 && (
              <p>
                Nothing is on this page. <a href={addressOf(asked, { page: 1 })}>Go to the first page</a>
              </p>
            )
          )}
          <Paging
            page={asked.page}
            pages={Math.ceil(found.total / PER_PAGE)}
            href={(number) => addressOf(asked, { page: number })}
            label="Pages of products"
          />
        </Panel>
      )}
      {submissions.total > 0 && (
        <Proposed
          visitor={visitor}
          {...submissions}
          page={asked.proposed}
          pages={Math.ceil(submissions.total / PROPOSED_PER_PAGE)}
          href={(number) => `${addressOf(asked, { proposed: number })}#proposed-products`}
        />
      )}
    </DashboardPage>,
  )
}

function Actions() {
  return (
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
  )
}

function NoProducts({ visitor }: { visitor: Visitor }) {
  return (
    <Empty>
      <p>
        {visitor.org.name} has no products here yet. Claim those of the catalog that you sell or make; propose
        those it does not have; or bring all of them at once from a file.
      </p>
      {visitor.may('edit') && (
        <p class="line">
          <a href={CLAIM_PATH}>Find a product to claim</a>
          <a href={NEW_PRODUCT_PATH}>Propose a product</a>
          <a href={IMPORT_PATH}>Import a file</a>
        </p>
      )}
    </Empty>
  )
}

function Filters({ asked }: { asked: ListAsked }) {
  const state = {
    ...UNTOUCHED,
    values: {
      q: asked.words,
      relationship: asked.relationship,
      claim: asked.claim,
      issues: asked.issues,
    },
  }
  return (
    <form class="filters product-filters" action={PRODUCTS_PATH}>
      <Field state={state} name="q" label="Words" type="search" autocomplete="off" maxlength={200} />
      <Select
        state={state}
        name="relationship"
        label="Relationship"
        options={[
          ['', 'Any'],
          ['sells', 'You sell it'],
          ['manufactured_by', 'You make it'],
        ]}
      />
      <Select
        state={state}
        name="claim"
        label="Claim"
        options={[
          ['', 'Any'],
          ['verified', 'Proved'],
          ['pending', 'Waits'],
        ]}
      />
      <Select
        state={state}
        name="issues"
        label="Issues"
        options={[
          ['', 'Any'],
          ['yes', 'With issues'],
          ['no', 'Without issues'],
        ]}
      />
      <Hidden name="proposed" value={asked.proposed > 1 ? String(asked.proposed) : null} />
      <button class="button plain" type="submit">
        Filter
      </button>
    </form>
  )
}

function Table({ found, profiles, visitor }: ListPage) {
  const mayEdit = visitor.may('edit')
  return (
    <DataTable
      caption="Your products"
      columns={['Product', 'Claim', 'Profile', 'Offers', 'Issues', 'Requests for quotes'].map((label) => ({
        label,
      }))}
      rows={found.products.map((product) => [
        <Named product={product} profile={profiles.get(product.facts.id)} />,
        <Claims product={product} mayEdit={mayEdit} />,
        <Profile product={product} mayEdit={mayEdit} />,
        <Offers product={product} mayEdit={mayEdit} />,
        <Issues product={product} />,
        <Ready product={product} mayEdit={mayEdit} />,
      ])}
    />
  )
}

/** Only what differs from the plain list is said. */
function addressOf(asked: ListAsked, change: Partial<ListAsked>): string {
  const { words, relationship, claim, issues, page, proposed } = { ...asked, ...change }
  const query = new URLSearchParams({
    ...(words && { q: words }),
    ...(relationship && { relationship }),
    ...(claim && { claim }),
    ...(issues && { issues }),
    ...(page > 1 && { page: String(page) }),
    ...(proposed > 1 && { proposed: String(proposed) }),
  }).toString()
  return query ? `${PRODUCTS_PATH}?${query}` : PRODUCTS_PATH
}

/** /admin/submissions: products that the catalog does not have, as producers propose them, and one of them by itself. */
import type { ProductImage } from '../../../catalog/catalog.schema.ts'
import { type ProductProfile, productPath } from '../../../catalog/profile.ts'
import type { WaitingSubmission } from '../../../catalog/submissions-review.service.ts'
import { Address } from '../../components/address.tsx'
import { Ago, Moment } from '../../components/moment.tsx'
import { Form, type FormState, Hidden, TextArea } from '../../kit/fields.tsx'
import { Confirm, DataTable, Empty, Panel, State } from '../../kit/parts.tsx'
import { FIELD_WORDS, linesOf, partWords, REVIEW_WORDS } from '../../kit/proposal-words.ts'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { SUBMISSIONS } from '../paths.ts'
import { Images } from './changes.tsx'
import { Whose } from './whose.tsx'

const RELATIONSHIP_WORDS: Record<WaitingSubmission['relationshipType'], string> = {
  manufactured_by: 'makes it',
  sells: 'sells it',
}

type ListProps = {
  site: Site
  operator: Operator
  submissions: WaitingSubmission[]
  done: string | null
  now: Date
}

export function renderSubmissions({ site, operator, submissions, done, now }: ListProps): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="New products"
      lead="Products that producers propose for the catalog, oldest first."
      at={SUBMISSIONS}
      done={done}
    >
      {submissions.length === 0 ? (
        <Empty>
          <p>Nothing waits for you.</p>
        </Empty>
      ) : (
        <DataTable
          caption="Proposed products"
          columns={[{ label: 'Product' }, { label: 'Category' }, { label: 'Proposed by' }, { label: 'When' }]}
          rows={submissions.map((entry) => [
            <a href={`${SUBMISSIONS}/${entry.id}`}>{titleOf(entry)}</a>,
            String(entry.product.category),
            <Whose org={orgOf(entry)} />,
            <Ago at={entry.createdAt} now={now} />,
          ])}
        />
      )}
    </AdminPage>,
  )
}

type OneProps = {
  site: Site
  operator: Operator
  submission: WaitingSubmission
  /** The products of the catalog that come nearest to it. */
  near: ProductProfile[]
  state: FormState
  done: string | null
}

export function renderSubmission({ site, operator, submission, near, state, done }: OneProps): string {
  const { tone, words } = REVIEW_WORDS[submission.status]
  const { images = [], ...fields } = submission.product as Record<string, unknown> & {
    images?: ProductImage[]
  }
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title={titleOf(submission)}
      lead={
        <>
          Proposed by {submission.orgName}, who {RELATIONSHIP_WORDS[submission.relationshipType]}, on{' '}
          <Moment at={submission.createdAt} />
        </>
      }
      at={SUBMISSIONS}
      done={done}
      errors={state.errors}
    >
      <div class="side-by-side">
        <Panel title="What is proposed" actions={<State tone={tone}>{words}</State>}>
          <table class="specs">
            <caption class="hidden">The proposed product</caption>
            <tbody>
              {inOrder(fields).map(([name, value]) => (
                <tr>
                  <th scope="row">{partWords(name)}</th>
                  <td>
                    <Value lines={linesOf(name, value)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
          <Images images={images} otherwise="No images" />
          {submission.productUrl !== null && (
            <p>
              On their own site: <Address url={submission.productUrl} />
            </p>
          )}
          <p>
            <Whose org={orgOf(submission)} />
          </p>
        </Panel>
        <Near products={near} />
      </div>
      {submission.status === 'pending' && <Decision submission={submission} state={state} />}
    </AdminPage>,
  )
}

/** The database forgets the order of names. */
function inOrder(fields: Record<string, unknown>): Array<[string, unknown]> {
  const names = ['title', 'brand', 'category', ...Object.keys(FIELD_WORDS)]
  return Object.entries(fields).sort(([a], [b]) => names.indexOf(a) - names.indexOf(b))
}

function Value({ lines }: { lines: string[] }) {
  if (lines.length <= 1) return <span class="long">{lines[0] ?? ''}</span>
  return (
    <ul>
      {lines.map((line) => (
        <li>{line}</li>
      ))}
    </ul>
  )
}

function Near({ products }: { products: ProductProfile[] }) {
  return (
    <Panel
      title="Nearest in the catalog"
      lead="If it is one of these, reject it and name the product to claim."
    >
      {products.length === 0 ? (
        <p class="soft">Nothing in the catalog is near.</p>
      ) : (
        <ul class="rows">
          {products.map((product) => (
            <li>
              <p>
                <a href={productPath(product)}>{product.title}</a>
                <span class="row-note">
                  {[product.brand?.name, product.model, product.gtin, product.mpn]
                    .filter(Boolean)
                    .join(' · ')}
                </span>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  )
}

function Decision({ submission, state }: { submission: WaitingSubmission; state: FormState }) {
  const action = `${SUBMISSIONS}/${submission.id}`
  return (
    <Panel
      title="Your decision"
      lead="An approval puts it into the catalog, with its producer related to it."
    >
      <Form action={`${action}/approve`} label="Approve">
        <Hidden name="version" value={String(submission.version)} />
      </Form>
      <Confirm ask="Reject it">
        <Form action={`${action}/reject`} label="Reject" kind="danger">
          <Hidden name="version" value={String(submission.version)} />
          <TextArea
            state={state}
            name="note"
            label="Why"
            hint="The producer reads this; say what would be accepted."
            rows={3}
            maxlength={1000}
          />
        </Form>
      </Confirm>
    </Panel>
  )
}

function orgOf({ orgId, orgName, orgDomain, orgVerified }: WaitingSubmission) {
  return { id: orgId, name: orgName, domain: orgDomain, verified: orgVerified }
}

function titleOf({ product }: WaitingSubmission): string {
  return String(product.title)
}

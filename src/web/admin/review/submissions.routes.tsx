/** /admin/submissions: products that producers propose for the catalog. A decision names the version that was shown. */
import { z } from 'zod'
import type { ProductImage } from '../../../catalog/catalog.schema.ts'
import { getProfiles } from '../../../catalog/catalog.service.ts'
import { productPath } from '../../../catalog/profile.ts'
import { SubmissionNote } from '../../../catalog/submissions.schema.ts'
import {
  approveSubmission,
  getSubmission,
  listSubmissions,
  rejectSubmission,
  type WaitingSubmission,
} from '../../../catalog/submissions-review.service.ts'
import { Address } from '../../components/address.tsx'
import { Ago, Moment } from '../../components/moment.tsx'
import type { Page } from '../../kit/console.tsx'
import { Form, Hidden } from '../../kit/fields.tsx'
import { Fields } from '../../kit/form.tsx'
import { type ListSpec, listPage, uncounted } from '../../kit/list.tsx'
import { Action, Confirm, Panel, State } from '../../kit/parts.tsx'
import { FIELD_WORDS, linesOf, partWords, REVIEW_WORDS } from '../../kit/proposal-words.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, AdminSeen, Who } from '../guard.ts'
import { SUBMISSIONS } from '../nav.ts'
import { askerOf, CAUGHT_UP, Images, noteForm, Whose } from './parts.tsx'

const SUBMISSION = `${SUBMISSIONS}/:id`
const NEAR = 5
const LONGEST_QUERY = 300
const LIST = {
  ...{ path: SUBMISSIONS, noun: 'product', search: 'Product or organization', pageSize: 50 },
  filters: { status: ['approved', 'rejected', 'withdrawn'] },
} as const satisfies ListSpec
const SAID = {
  approved: 'Approved. The product is in the catalog now.',
  rejected: 'Rejected. The producer sees your note.',
}
const REJECT = noteForm('The producer sees this. Say what you would accept.')

const version = z.coerce.number().int().min(1)

export function mountSubmissionsReview(admin: Admin, { ctx, search: { search }, shown }: AdminDeps): void {
  admin.page(
    SUBMISSIONS,
    listPage<Who, WaitingSubmission, typeof LIST.filters>(LIST, async ({ asked }) => {
      const { q, filters, limit, offset } = asked
      const status = filters.status || 'pending'
      const found = await listSubmissions(ctx, { status, search: q || null, limit: limit + 1, offset })
      return {
        page: {
          title: 'New products',
          lead: 'Products that producers propose for the catalog.',
          said: SAID,
        },
        ...uncounted(found, asked),
        order: status === 'pending' ? 'Oldest first' : 'Newest first',
        filters: {
          status: {
            ...{ label: 'Status', any: REVIEW_WORDS.pending.words },
            options: LIST.filters.status.map((name) => [name, REVIEW_WORDS[name].words] as const),
          },
        },
        columns: [
          {
            label: 'Product',
            cell: (entry) => <a href={`${SUBMISSIONS}/${entry.id}`}>{titleOf(entry)}</a>,
            csv: titleOf,
          },
          {
            label: 'Category',
            cell: ({ product }) => String(product.category),
            csv: ({ product }) => String(product.category),
          },
          {
            label: 'Proposed by',
            cell: (entry) => <Whose {...askerOf(entry)} />,
            csv: ({ orgName }) => orgName,
          },
          {
            label: 'Sent',
            cell: ({ createdAt }) => <Ago at={createdAt} now={ctx.clock.now()} />,
            csv: ({ createdAt }) => createdAt,
          },
        ],
        empty: (
          <>
            {CAUGHT_UP}
            <p>
              <a href={`${SUBMISSIONS}?status=approved`}>Show approved products</a>
            </p>
          </>
        ),
      }
    }),
  )

  /** The products of the catalog that come nearest. */
  async function nearTo({ product, status }: WaitingSubmission) {
    if (status !== 'pending') return []
    const query = [product.brand, product.title, product.model].filter(Boolean).join(' ')
    const near = await search.candidates({ query: query.slice(0, LONGEST_QUERY), limit: NEAR })
    return getProfiles(
      ctx,
      near.map(({ product }) => product.id),
    )
  }
  async function show({ c, state }: AdminSeen): Promise<Page> {
    const submission = await getSubmission(ctx, c.req.param('id') ?? '')
    const near = await nearTo(submission)
    const { tone, words } = REVIEW_WORDS[submission.status]
    const { images = [], ...fields } = submission.product as Record<string, unknown> & {
      images?: ProductImage[]
    }
    const action = `${SUBMISSIONS}/${submission.id}`
    const seen = { version: String(submission.version) }
    return {
      title: titleOf(submission),
      lead: (
        <>
          Proposed by {submission.orgName}, which{' '}
          {submission.relationshipType === 'sells' ? 'sells' : 'makes'} it, on{' '}
          <Moment at={submission.createdAt} />
        </>
      ),
      at: SUBMISSIONS,
      said: SAID,
      body: (
        <>
          <div class="side-by-side">
            <Panel title="Proposed product" actions={<State tone={tone}>{words}</State>}>
              <table class="specs">
                <caption class="hidden">Proposed product</caption>
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
                  On their website: <Address url={submission.productUrl} />
                </p>
              )}
              <p>
                <Whose {...askerOf(submission)} />
              </p>
            </Panel>
            <Panel
              title="Similar products"
              lead="If it is already in the catalog, reject it and name the product to claim."
            >
              {near.length === 0 && <p class="soft">No similar products.</p>}
              <ul class="rows">
                {near.map((product) => (
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
            </Panel>
          </div>
          {submission.status === 'pending' && (
            <Panel
              title="Your decision"
              lead="Approving adds the product to the catalog and links its producer to it."
            >
              <Action to={`${action}/approve`} label="Approve" kind="primary" fields={seen} />
              <Confirm ask="Reject this product">
                <Form action={`${action}/reject`} label="Reject" kind="danger">
                  <Hidden name="version" value={seen.version} />
                  <Fields of={REJECT} state={state} />
                </Form>
              </Confirm>
            </Panel>
          )}
        </>
      ),
    }
  }
  const next = async (done: keyof typeof SAID) => {
    const [first] = await listSubmissions(ctx, { limit: 1 })
    return `${first ? `${SUBMISSIONS}/${first.id}` : SUBMISSIONS}?done=${done}`
  }

  admin.page(SUBMISSION, show)
  admin.action(`${SUBMISSION}/approve`, {
    schema: z.object({ version }),
    page: show,
    async act({ c, operator: { by }, input }) {
      await approveSubmission(ctx, { by, id: c.req.param('id') ?? '', ...input })
      await shown()
      return next('approved')
    },
  })
  admin.action(`${SUBMISSION}/reject`, {
    schema: z.object({ version, note: SubmissionNote }),
    page: show,
    async act({ c, operator: { by }, input }) {
      await rejectSubmission(ctx, { by, id: c.req.param('id') ?? '', ...input })
      return next('rejected')
    },
  })
}

function titleOf({ product }: WaitingSubmission): string {
  return String(product.title)
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

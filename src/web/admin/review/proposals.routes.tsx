/**
 * /admin/enrichments and /admin/submissions: changes to products, and new products, that producers propose. A decision
 * names the version that was shown, so nothing else is approved. After it the next proposal is shown.
 */
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import type { ProductImage } from '../../../catalog/catalog.schema.ts'
import { getProfiles } from '../../../catalog/catalog.service.ts'
import { EnrichmentNote, partsOf } from '../../../catalog/enrichment.schema.ts'
import {
  approveEnrichment,
  getForReview,
  listForReview,
  type ReviewEntry,
  rejectEnrichment,
} from '../../../catalog/enrichment-review.service.ts'
import { productPath } from '../../../catalog/profile.ts'
import { SubmissionNote } from '../../../catalog/submissions.schema.ts'
import {
  approveSubmission,
  getSubmission,
  listSubmissions,
  rejectSubmission,
  type WaitingSubmission,
} from '../../../catalog/submissions-review.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { Address } from '../../components/address.tsx'
import { Moment } from '../../components/moment.tsx'
import type { Page } from '../../kit/console.tsx'
import { Check, type FormState, Hidden, TextArea } from '../../kit/fields.tsx'
import { choice, column, uncounted } from '../../kit/list.tsx'
import { Action, DataTable, Empty, LinkLine, noted, Panel, Submit, stateOf } from '../../kit/parts.tsx'
import { FIELD_WORDS, linesOf, partWords, REVIEW_WORDS } from '../../kit/proposal-words.ts'
import type { Admin, AdminDeps, AdminSeen } from '../guard.ts'
import { ENRICHMENTS, ORGANIZATIONS, SUBMISSIONS } from '../nav.ts'
import { askerOf, CAUGHT_UP, Compared, Images, Lines, Turndown, Whose } from './parts.tsx'

const NEAR = 5
const LONGEST_QUERY = 300
const HINT = 'The producer sees this. Say what you would accept.'

const { pending: PENDING, ...DECIDED } = REVIEW_WORDS
const LIST = {
  ...{ search: 'Product or organization', pageSize: 25 },
  filters: { status: ['approved', 'rejected', 'withdrawn'] },
} as const
const ENRICHMENT_LIST = { ...LIST, path: ENRICHMENTS, noun: 'proposal' }
const SUBMISSION_LIST = { ...LIST, path: SUBMISSIONS, noun: 'product' }

/** What both lists say of a status; an empty status is that of what waits. */
const listed = (path: string, status: string) => ({
  order: status === '' ? 'Oldest first' : 'Newest first',
  filters: { status: choice('Status', DECIDED, PENDING.words) },
  empty: [CAUGHT_UP, <LinkLine to={`${path}?status=approved`}>Show what was approved</LinkLine>],
})

const statusOf = ({ status }: { status: keyof typeof REVIEW_WORDS }) => stateOf(REVIEW_WORDS[status])

const PART = /^part_(.+)$/
const ApproveForm = z
  .object({ seen: z.iso.datetime(), note: EnrichmentNote })
  .catchall(z.string())
  .transform(({ seen, note, ...rest }) => ({
    seen: new Date(seen),
    note,
    parts: Object.keys(rest).flatMap((name) => PART.exec(name)?.[1] ?? []),
  }))
const version = z.coerce.number().int().min(1)

export function mountEnrichments(admin: Admin, { ctx }: AdminDeps): void {
  const said = {
    approved: 'Approved. The product page shows it now.',
    partly: 'Partly approved. The rest was rejected with your note.',
    rejected: 'Rejected. The producer sees your note.',
  }
  admin.list<ReviewEntry, typeof LIST.filters>(ENRICHMENT_LIST, async ({ asked }) => {
    const { q, filters, limit, offset } = asked
    const status = filters.status || 'pending'
    const { entries, total } = await listForReview(ctx, { status, search: q || null, limit, offset })
    const changed = (entry: ReviewEntry) => partsOf(entry).map(partWords).join(', ')
    return {
      title: 'Enrichments',
      lead: 'Changes that producers propose to products. Nothing is published until you approve it.',
      said,
      rows: entries,
      total,
      ...listed(ENRICHMENTS, filters.status),
      columns: [
        column.link(
          'Product',
          ({ product }) => product.title,
          ({ id }) => `${ENRICHMENTS}/${id}`,
        ),
        { label: 'Proposed by', csv: ({ org }) => org.name, cell: ({ org }) => <Whose {...org} /> },
        column.text('Changes', changed),
        column.ago('Sent', 'createdAt', ctx.clock.now()),
      ],
    }
  })

  async function show({ id, state }: AdminSeen): Promise<Page> {
    const entry = await getForReview(ctx, id)
    const { product, org, evidence, note, reviewNote } = entry
    return {
      title: product.title,
      lead: (
        <>
          Proposed by <a href={`${ORGANIZATIONS}/${org.id}`}>{org.name}</a> on <Moment at={entry.createdAt} />{' '}
          · <a href={productPath(product)}>View product page</a>
        </>
      ),
      said,
      body: [
        <Panel title="Proposed changes" actions={statusOf(entry)}>
          {entry.status === 'pending' ? <Decision entry={entry} state={state} /> : <Changes entry={entry} />}
        </Panel>,
        <Panel title="Reason and evidence">
          <p>
            <Whose {...org} />
          </p>
          {note !== null && <p class="long">{note}</p>}
          {evidence.length === 0 && <p class="soft">No evidence given.</p>}
          <ul class="plain-list">
            {evidence.map((url) => (
              <li>
                <Address url={url} />
              </li>
            ))}
          </ul>
        </Panel>,
        reviewNote !== null && (
          <Panel title="Your note to the producer">
            <p class="long">{reviewNote}</p>
          </Panel>
        ),
      ],
    }
  }
  const next = async (done: keyof typeof said) => {
    const { entries } = await listForReview(ctx, { status: 'pending', limit: 1, offset: 0 })
    return `${entries[0] ? `${ENRICHMENTS}/${entries[0].id}` : ENRICHMENTS}?done=${done}`
  }

  admin.page(`${ENRICHMENTS}/:id`, show)
  admin.action(`${ENRICHMENTS}/:id/approve`, {
    ...{ schema: ApproveForm, shows: true },
    async act({ id, operator: { by, visit }, input }) {
      if (input.parts.length === 0)
        throw new AppError('invalid', 'Select the changes to approve, or reject the proposal.', { field: '' })
      const { rejected } = await approveEnrichment(ctx, { by, visit, id, ...input })
      return next(rejected ? 'partly' : 'approved')
    },
  })
  admin.action(`${ENRICHMENTS}/:id/reject`, {
    ...{ schema: z.object({ note: EnrichmentNote }), done: () => next('rejected') },
    act: ({ id, operator: { by, visit }, input: { note } }) => rejectEnrichment(ctx, { by, visit, id, note }),
  })
}

function Decision({ entry, state }: { entry: ReviewEntry; state: FormState }) {
  const path = `${ENRICHMENTS}/${entry.id}`
  return (
    <>
      <form class="review" method="post" action={`${path}/approve`}>
        <Hidden name="seen" value={entry.product.updatedAt.toISOString()} />
        <Changes entry={entry} state={state} />
        <TextArea
          state={state}
          name="note"
          label="Note to the producer"
          hint="Optional. Changes you don't select are rejected with this note."
          rows={2}
          maxlength={1000}
        />
        <Submit line>Approve selected changes</Submit>
      </form>
      <Turndown to={`${path}/reject`} ask="Reject this proposal" hint={HINT} state={state} suffix="-reject" />
    </>
  )
}

/** With boxes where the proposal waits for a decision. */
function Changes({ entry, state }: { entry: ReviewEntry; state?: FormState }) {
  const { product, images } = entry
  const part = (name: string) =>
    state ? <Check state={state} name={`part_${name}`} label={partWords(name)} checked /> : partWords(name)
  const rows: Child[][] = entry.changes.map((change) => [
    part(change.field),
    noted(
      <Compared {...change} side="gone" />,
      change.saidBy === null ? 'No source yet' : `Source: ${change.saidBy}`,
    ),
    <Compared {...change} side="new" />,
  ])
  if (images.length > 0)
    rows.push([
      part('images'),
      <Images product={product} images={product.additionalImages ?? []} otherwise="No producer images yet" />,
      <Images product={product} images={images} otherwise="None" />,
    ])
  if (entry.confirmsProfile)
    rows.push([
      part('confirms_profile'),
      product.verificationStatus === 'manufacturer_verified' ? 'Confirmed' : 'Not confirmed',
      'Confirmed by the manufacturer',
    ])
  return (
    <div class="review">
      <DataTable caption="Current and proposed" columns={['Field', 'Current', 'Proposed']} rows={rows} />
    </div>
  )
}

export function mountSubmissions(admin: Admin, { ctx, search: { search } }: AdminDeps): void {
  const said = {
    approved: 'Approved. The product is in the catalog now.',
    rejected: 'Rejected. The producer sees your note.',
  }
  admin.list<WaitingSubmission, typeof LIST.filters>(SUBMISSION_LIST, async ({ asked }) => {
    const { q, filters, limit, offset } = asked
    const status = filters.status || 'pending'
    const found = await listSubmissions(ctx, { status, search: q || null, limit: limit + 1, offset })
    return {
      title: 'New products',
      lead: 'Products that producers propose for the catalog.',
      said,
      ...uncounted(found, asked),
      ...listed(SUBMISSIONS, filters.status),
      columns: [
        column.link('Product', titleOf, ({ id }) => `${SUBMISSIONS}/${id}`),
        column.text('Category', ({ product }) => String(product.category)),
        column.text('Proposed by', 'orgName', (entry) => <Whose {...askerOf(entry)} />),
        column.ago('Sent', 'createdAt', ctx.clock.now()),
      ],
    }
  })

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
  async function show({ id, state }: AdminSeen): Promise<Page> {
    const submission = await getSubmission(ctx, id)
    const near = await nearTo(submission)
    const { images = [], ...fields } = submission.product as Record<string, unknown> & {
      images?: ProductImage[]
    }
    const path = `${SUBMISSIONS}/${id}`
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
      said,
      body: [
        <div class="side-by-side">
          <Panel title="Proposed product" actions={statusOf(submission)}>
            <table class="specs">
              <caption class="hidden">Proposed product</caption>
              <tbody>
                {inOrder(fields).map(([name, value]) => (
                  <tr>
                    <th scope="row">{partWords(name)}</th>
                    <td>
                      <Lines lines={linesOf(name, value)} />
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
            {near.length === 0 && <Empty>No similar products.</Empty>}
            <ul class="rows">
              {near.map((product) => (
                <li>
                  {noted(
                    <a href={productPath(product)}>{product.title}</a>,
                    [product.brand?.name, product.model, product.gtin, product.mpn]
                      .filter(Boolean)
                      .join(' · '),
                  )}
                </li>
              ))}
            </ul>
          </Panel>
        </div>,
        submission.status === 'pending' && (
          <Panel
            title="Your decision"
            lead="Approving adds the product to the catalog and links its producer to it."
          >
            <Action to={`${path}/approve`} label="Approve" kind="primary" fields={seen} />
            <Turndown
              to={`${path}/reject`}
              ask="Reject this product"
              hint={HINT}
              state={state}
              fields={seen}
            />
          </Panel>
        ),
      ],
    }
  }
  const next = async (done: keyof typeof said) => {
    const [first] = await listSubmissions(ctx, { limit: 1 })
    return `${first ? `${SUBMISSIONS}/${first.id}` : SUBMISSIONS}?done=${done}`
  }

  admin.page(`${SUBMISSIONS}/:id`, show)
  admin.action(`${SUBMISSIONS}/:id/approve`, {
    ...{ schema: z.object({ version }), shows: true, done: () => next('approved') },
    act: ({ id, operator: { by }, input }) => approveSubmission(ctx, { by, id, ...input }),
  })
  admin.action(`${SUBMISSIONS}/:id/reject`, {
    ...{ schema: z.object({ version, note: SubmissionNote }), done: () => next('rejected') },
    act: ({ id, operator: { by }, input }) => rejectSubmission(ctx, { by, id, ...input }),
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

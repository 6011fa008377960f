/** /admin/enrichments: changes that producers propose to products. After a decision the next proposal is shown. */
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { ENRICHMENT_STATUSES, EnrichmentNote, partsOf } from '../../../catalog/enrichment.schema.ts'
import {
  approveEnrichment,
  getForReview,
  listForReview,
  type ReviewEntry,
  rejectEnrichment,
} from '../../../catalog/enrichment-review.service.ts'
import { productPath } from '../../../catalog/profile.ts'
import { AppError } from '../../../lib/errors.ts'
import { Address } from '../../components/address.tsx'
import { Ago, Moment } from '../../components/moment.tsx'
import type { Page } from '../../kit/console.tsx'
import { Check, Form, type FormState, Hidden, TextArea } from '../../kit/fields.tsx'
import { Fields } from '../../kit/form.tsx'
import { type ListSpec, listPage } from '../../kit/list.tsx'
import { Confirm, DataTable, Panel, State } from '../../kit/parts.tsx'
import { partWords, REVIEW_WORDS } from '../../kit/proposal-words.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, AdminSeen, Who } from '../guard.ts'
import { ENRICHMENTS, ORGANIZATIONS } from '../nav.ts'
import { CAUGHT_UP, Compared, Images, noteForm, Whose } from './parts.tsx'

const ENRICHMENT = `${ENRICHMENTS}/:id`
const DECIDED = ENRICHMENT_STATUSES.filter((status) => status !== 'pending')
const LIST = {
  ...{ path: ENRICHMENTS, noun: 'proposal', search: 'Product or organization', pageSize: 25 },
  filters: { status: DECIDED },
} satisfies ListSpec
const SAID = {
  approved: 'Approved. The product page shows it now.',
  partly: 'Partly approved. The rest was rejected with your note.',
  rejected: 'Rejected. The producer sees your note.',
}
const REJECT = noteForm('The producer sees this. Say what you would accept.')

const PART = /^part_(.+)$/
const ApproveForm = z
  .object({ seen: z.iso.datetime(), note: EnrichmentNote })
  .catchall(z.string())
  .transform(({ seen, note, ...rest }) => ({
    seen: new Date(seen),
    note,
    parts: Object.keys(rest).flatMap((name) => PART.exec(name)?.[1] ?? []),
  }))

export function mountEnrichments(admin: Admin, { ctx, shown }: AdminDeps): void {
  admin.page(
    ENRICHMENTS,
    listPage<Who, ReviewEntry, typeof LIST.filters>(
      LIST,
      async ({ asked: { q, filters, limit, offset } }) => {
        const status = filters.status || 'pending'
        const { entries, total } = await listForReview(ctx, { status, search: q || null, limit, offset })
        return {
          page: {
            title: 'Enrichments',
            lead: 'Changes that producers propose to products. Nothing is published until you approve it.',
            said: SAID,
          },
          rows: entries,
          total,
          order: status === 'pending' ? 'oldest first' : 'newest first',
          filters: {
            status: {
              ...{ label: 'Status', any: REVIEW_WORDS.pending.words },
              options: DECIDED.map((name) => [name, REVIEW_WORDS[name].words] as const),
            },
          },
          columns: [
            {
              label: 'Product',
              cell: ({ id, product }) => <a href={`${ENRICHMENTS}/${id}`}>{product.title}</a>,
              csv: ({ product }) => product.title,
            },
            { label: 'Proposed by', cell: ({ org }) => <Whose {...org} />, csv: ({ org }) => org.name },
            { label: 'Changes', cell: changedParts, csv: changedParts },
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
                <a href={`${ENRICHMENTS}?status=approved`}>Show approved proposals</a>
              </p>
            </>
          ),
        }
      },
    ),
  )

  async function show({ c, state }: AdminSeen): Promise<Page> {
    const entry = await getForReview(ctx, c.req.param('id') ?? '')
    const { product, org, status, evidence, note, reviewNote } = entry
    return {
      title: product.title,
      lead: (
        <>
          Proposed by <a href={`${ORGANIZATIONS}/${org.id}`}>{org.name}</a> on <Moment at={entry.createdAt} />{' '}
          · <a href={productPath(product)}>View product page</a>
        </>
      ),
      at: ENRICHMENTS,
      said: SAID,
      body: (
        <>
          <Panel
            title="Proposed changes"
            actions={<State tone={REVIEW_WORDS[status].tone}>{REVIEW_WORDS[status].words}</State>}
          >
            {status === 'pending' ? <Decision entry={entry} state={state} /> : <Changes entry={entry} />}
          </Panel>
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
          </Panel>
          {reviewNote !== null && (
            <Panel title="Your note to the producer">
              <p class="long">{reviewNote}</p>
            </Panel>
          )}
        </>
      ),
    }
  }
  const next = async (done: keyof typeof SAID) => {
    const { entries } = await listForReview(ctx, { status: 'pending', limit: 1, offset: 0 })
    return `${entries[0] ? `${ENRICHMENTS}/${entries[0].id}` : ENRICHMENTS}?done=${done}`
  }

  admin.page(ENRICHMENT, show)
  admin.action(`${ENRICHMENT}/approve`, {
    schema: ApproveForm,
    page: show,
    async act({ c, operator: { by, visit }, input }) {
      if (input.parts.length === 0)
        throw new AppError('invalid', 'Select the changes to approve, or reject the proposal.', { field: '' })
      const id = c.req.param('id') ?? ''
      const { rejected } = await approveEnrichment(ctx, { by, visit, id, ...input })
      await shown()
      return next(rejected ? 'partly' : 'approved')
    },
  })
  admin.action(`${ENRICHMENT}/reject`, {
    schema: z.object({ note: EnrichmentNote }),
    page: show,
    async act({ c, operator: { by, visit }, input: { note } }) {
      await rejectEnrichment(ctx, { by, visit, id: c.req.param('id') ?? '', note })
      return next('rejected')
    },
  })
}

function changedParts(entry: ReviewEntry): string {
  return partsOf(entry).map(partWords).join(', ')
}

/** The form names the version of the product that was shown, so nothing else is approved. */
function Decision({ entry, state }: { entry: ReviewEntry; state: FormState }) {
  return (
    <>
      <form class="review" method="post" action={`${ENRICHMENTS}/${entry.id}/approve`}>
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
        <p>
          <button class="button" type="submit">
            Approve selected changes
          </button>
        </p>
      </form>
      <Confirm ask="Reject this proposal">
        <Form action={`${ENRICHMENTS}/${entry.id}/reject`} label="Reject" kind="danger">
          <Fields of={REJECT} state={state} suffix="-reject" />
        </Form>
      </Confirm>
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
    <>
      <Compared {...change} side="gone" />
      <span class="row-note">{change.saidBy === null ? 'No source yet' : `Source: ${change.saidBy}`}</span>
    </>,
    <Compared {...change} side="new" />,
  ])
  if (images.length > 0)
    rows.push([
      part('images'),
      <Images images={product.additionalImages ?? []} otherwise="No producer images yet" />,
      <Images images={images} otherwise="None" />,
    ])
  if (entry.confirmsProfile)
    rows.push([
      part('confirms_profile'),
      product.verificationStatus === 'manufacturer_verified' ? 'Confirmed' : 'Not confirmed',
      'Confirmed by the manufacturer',
    ])
  return (
    <div class="review">
      <DataTable
        caption="Current and proposed"
        columns={[{ label: 'Field' }, { label: 'Current' }, { label: 'Proposed' }]}
        rows={rows}
      />
    </div>
  )
}

/** The operator's queue of enrichments. After a decision the next one is shown, until nothing waits. */
import { z } from 'zod'
import { EnrichmentNote, ReviewQuery } from '../../../catalog/enrichment.schema.ts'
import {
  approveEnrichment,
  getForReview,
  listForReview,
  rejectEnrichment,
} from '../../../catalog/enrichment-review.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { pageNumber } from '../../kit/paging.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { ENRICHMENTS } from '../paths.ts'
import { PER_PAGE, renderEnrichment, renderEnrichments } from './enrichments.page.tsx'

const DONE = {
  approved: 'Approved. The public page shows it now.',
  partly: 'Approved in part. The rest was rejected with your note.',
  rejected: 'Rejected. The producer reads your note.',
}

const PART = /^part_(.+)$/

const ApproveForm = z
  .object({ seen: z.iso.datetime(), note: EnrichmentNote })
  .catchall(z.string())
  .transform(({ seen, note, ...rest }) => ({
    seen: new Date(seen),
    note,
    parts: Object.keys(rest).flatMap((name) => PART.exec(name)?.[1] ?? []),
  }))
const RejectForm = z.object({ note: EnrichmentNote })

export function mountEnrichments(admin: Admin, { site, ctx, shown }: AdminDeps): void {
  const renderOne = async (operator: Operator, id: string, state: FormState, done: string | null = null) =>
    renderEnrichment({ site, operator, entry: await getForReview(ctx, id), state, done })
  const next = async (done: keyof typeof DONE) => {
    const { entries } = await listForReview(ctx, { status: 'pending', limit: 1, offset: 0 })
    const [first] = entries
    return `${first ? `${ENRICHMENTS}/${first.id}` : ENRICHMENTS}?done=${done}`
  }

  admin.get(ENRICHMENTS, async (c, operator) => {
    const status = ReviewQuery.shape.status.catch('pending').parse(c.req.query('status'))
    const page = pageNumber(c.req.query('page'))
    const found = await listForReview(ctx, { status, limit: PER_PAGE, offset: (page - 1) * PER_PAGE })
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(
      c,
      renderEnrichments({ site, operator, status, ...found, page, done, now: ctx.clock.now() }),
    )
  })
  admin.get(`${ENRICHMENTS}/:id`, async (c, operator) => {
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, await renderOne(operator, c.req.param('id') ?? '', UNTOUCHED, done))
  })
  admin.post(`${ENRICHMENTS}/:id/approve`, {
    schema: ApproveForm,
    render: ({ c, operator, state }) => renderOne(operator, c.req.param('id') ?? '', state),
    async act({ c, operator: { by, visit }, input: { seen, note, parts } }) {
      if (parts.length === 0)
        throw new AppError('invalid', 'tick what you approve, or reject all of it', { field: '' })
      const id = c.req.param('id') ?? ''
      const { rejected } = await approveEnrichment(ctx, { by, visit, id, note, seen, parts })
      await shown()
      return next(rejected ? 'partly' : 'approved')
    },
  })
  admin.post(`${ENRICHMENTS}/:id/reject`, {
    schema: RejectForm,
    render: ({ c, operator, state }) => renderOne(operator, c.req.param('id') ?? '', state),
    async act({ c, operator: { by, visit }, input: { note } }) {
      await rejectEnrichment(ctx, { by, visit, id: c.req.param('id') ?? '', note })
      return next('rejected')
    },
  })
}

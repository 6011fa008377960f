/** The operator's queue of proposed products. A decision names the version that was looked at. */
import { z } from 'zod'
import { getProfiles } from '../../../catalog/catalog.service.ts'
import { SubmissionNote } from '../../../catalog/submissions.schema.ts'
import {
  approveSubmission,
  getSubmission,
  listSubmissions,
  rejectSubmission,
  type WaitingSubmission,
} from '../../../catalog/submissions-review.service.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { SUBMISSIONS } from '../paths.ts'
import { renderSubmission, renderSubmissions } from './submissions.page.tsx'

const LISTED = 100
const NEAR = 5
const LONGEST_QUERY = 300

const DONE = {
  approved: 'Approved. The product is in the catalog now.',
  rejected: 'Rejected. The producer reads your note.',
}

const version = z.coerce.number().int().min(1)
const ApproveForm = z.object({ version })
const RejectForm = z.object({ version, note: SubmissionNote })

export function mountSubmissionsReview(
  admin: Admin,
  { site, ctx, search: { search }, shown }: AdminDeps,
): void {
  const nearTo = async ({ product, status }: WaitingSubmission) => {
    if (status !== 'pending') return []
    const query = [product.brand, product.title, product.model].filter(Boolean).join(' ')
    const near = await search.candidates({ query: query.slice(0, LONGEST_QUERY), limit: NEAR })
    return getProfiles(
      ctx,
      near.map(({ product }) => product.id),
    )
  }
  const renderOne = async (operator: Operator, id: string, state: FormState, done: string | null = null) => {
    const submission = await getSubmission(ctx, id)
    return renderSubmission({ site, operator, submission, near: await nearTo(submission), state, done })
  }
  const next = async (done: keyof typeof DONE) => {
    const [first] = await listSubmissions(ctx, { limit: 1 })
    return `${first ? `${SUBMISSIONS}/${first.id}` : SUBMISSIONS}?done=${done}`
  }

  admin.get(SUBMISSIONS, async (c, operator) => {
    const submissions = await listSubmissions(ctx, { limit: LISTED })
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, renderSubmissions({ site, operator, submissions, done, now: ctx.clock.now() }))
  })
  admin.get(`${SUBMISSIONS}/:id`, async (c, operator) => {
    const done = doneWords(DONE, c.req.query('done'))
    return sendPage(c, await renderOne(operator, c.req.param('id') ?? '', UNTOUCHED, done))
  })
  admin.post(`${SUBMISSIONS}/:id/approve`, {
    schema: ApproveForm,
    render: ({ c, operator, state }) => renderOne(operator, c.req.param('id') ?? '', state),
    async act({ c, operator: { by }, input }) {
      await approveSubmission(ctx, { by, id: c.req.param('id') ?? '', ...input })
      await shown()
      return next('approved')
    },
  })
  admin.post(`${SUBMISSIONS}/:id/reject`, {
    schema: RejectForm,
    render: ({ c, operator, state }) => renderOne(operator, c.req.param('id') ?? '', state),
    async act({ c, operator: { by }, input }) {
      await rejectSubmission(ctx, { by, id: c.req.param('id') ?? '', ...input })
      return next('rejected')
    },
  })
}

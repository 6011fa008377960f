/** The operator's queue of claims. A decision names the evidence that was looked at. */
import type { Context } from 'hono'
import { z } from 'zod'
import {
  listPendingRelationships,
  rejectRelationship,
  verifyRelationship,
} from '../../../catalog/relationships.service.ts'
import { SubmissionNote } from '../../../catalog/submissions.schema.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { CLAIMS } from '../paths.ts'
import { type Props, renderClaims } from './claims.page.tsx'

const LISTED = 50

const DONE = {
  verified: 'Verified. The organization can make offers for it and is asked for quotes.',
  refused: 'Refused. The organization reads why in its history.',
}

const evidence = z
  .string()
  .optional()
  .transform((url) => ({ evidenceUrl: url ?? null }))
const VerifyForm = z.object({ evidence_url: evidence })
const RefuseForm = z.object({ evidence_url: evidence, note: SubmissionNote })

export function mountClaims(admin: Admin, { site, ctx, shown }: AdminDeps): void {
  const render = async (
    operator: Operator,
    { state = UNTOUCHED, about = null, done = null }: Partial<Pick<Props, 'state' | 'about' | 'done'>>,
  ) => {
    const claims = await listPendingRelationships(ctx, LISTED)
    return renderClaims({ site, operator, claims, state, about, done, now: ctx.clock.now() })
  }
  const again = ({ c, operator, state }: { c: Context; operator: Operator; state: FormState }) =>
    render(operator, { state, about: c.req.param('id') ?? null })

  admin.get(CLAIMS, async (c, operator) =>
    sendPage(c, await render(operator, { done: doneWords(DONE, c.req.query('done')) })),
  )
  admin.post(`${CLAIMS}/:id/verify`, {
    schema: VerifyForm,
    render: again,
    async act({ c, operator: { by }, input: { evidence_url: seen } }) {
      await verifyRelationship(ctx, c.req.param('id') ?? '', { by, seen })
      await shown()
      return `${CLAIMS}?done=verified`
    },
  })
  admin.post(`${CLAIMS}/:id/refuse`, {
    schema: RefuseForm,
    render: again,
    async act({ c, operator: { by }, input: { evidence_url: seen, note } }) {
      await rejectRelationship(ctx, c.req.param('id') ?? '', { by, seen, note })
      return `${CLAIMS}?done=refused`
    },
  })
}

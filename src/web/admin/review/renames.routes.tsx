/** The operator's queue of new names. A decision names the request that was looked at. */
import type { Context } from 'hono'
import { z } from 'zod'
import { SubmissionNote } from '../../../catalog/submissions.schema.ts'
import { approveRename, declineRename, listRenames } from '../../../orgs/renames.service.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { RENAMES } from '../paths.ts'
import { type Props, renderRenames } from './renames.page.tsx'

const LISTED = 50

const DONE = {
  approved: 'Approved. Buyers see the new name now.',
  declined: 'Declined. The organization keeps its name and reads why.',
}

export function mountRenames(admin: Admin, { site, ctx, shown }: AdminDeps): void {
  const render = async (
    operator: Operator,
    { state = UNTOUCHED, about = null, done = null }: Partial<Pick<Props, 'state' | 'about' | 'done'>>,
  ) => {
    const renames = await listRenames(ctx, LISTED)
    return renderRenames({ site, operator, renames, state, about, done, now: ctx.clock.now() })
  }
  const again = ({ c, operator, state }: { c: Context; operator: Operator; state: FormState }) =>
    render(operator, { state, about: c.req.param('id') ?? null })

  admin.get(RENAMES, async (c, operator) =>
    sendPage(c, await render(operator, { done: doneWords(DONE, c.req.query('done')) })),
  )
  admin.post(`${RENAMES}/:id/approve`, {
    schema: z.object({}),
    render: again,
    async act({ c, operator: { by, visit } }) {
      await approveRename(ctx, c.req.param('id') ?? '', { actor: by, visit })
      await shown()
      return `${RENAMES}?done=approved`
    },
  })
  admin.post(`${RENAMES}/:id/decline`, {
    schema: z.object({ note: SubmissionNote }),
    render: again,
    async act({ c, operator: { by, visit }, input: { note } }) {
      await declineRename(ctx, c.req.param('id') ?? '', note, { actor: by, visit })
      return `${RENAMES}?done=declined`
    },
  })
}

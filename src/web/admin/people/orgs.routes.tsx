/** The operator's pages about organizations. What changes here is shown to shoppers, so each action waits until it is. */
import { z } from 'zod'
import { listAudit } from '../../../accounts/audit.service.ts'
import { AppError } from '../../../lib/errors.ts'
import {
  deactivateOrg,
  findOrganization,
  findOrganizations,
  ORG_STATES,
  reactivateOrg,
  unverifyOrg,
  verifyOrg,
} from '../../../orgs/admin.service.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { ORGANIZATIONS } from '../paths.ts'
import { renderOrganization, renderOrganizations } from './orgs.page.tsx'
import { readAsked } from './parts.tsx'

const SHOWN_ACTIONS = 20

const ACTIONS = {
  verify: verifyOrg,
  unverify: unverifyOrg,
  deactivate: deactivateOrg,
  reactivate: reactivateOrg,
}

const DONE = {
  verify: 'Verified. The domain is theirs.',
  unverify: 'The verification is taken away.',
  deactivate: 'Deactivated. Its offers are no longer shown.',
  reactivate: 'Reactivated. All works as before.',
}

const ActForm = z.object({ act: z.enum(['verify', 'unverify', 'deactivate', 'reactivate']) })

export function mountOrganizations(admin: Admin, { site, ctx, shown }: AdminDeps): void {
  const render = async (operator: Operator, id: string, state: FormState, done: string | null = null) => {
    const found = await findOrganization(ctx, id)
    if (!found) throw noSuchOrg()
    const history = await listAudit(ctx, { orgId: id, limit: SHOWN_ACTIONS })
    return renderOrganization({ site, operator, ...found, history, state, done, now: ctx.clock.now() })
  }

  admin.get(ORGANIZATIONS, async (c, operator) => {
    const asked = readAsked((name) => c.req.query(name), ORG_STATES)
    const found = await findOrganizations(ctx, asked)
    return sendPage(c, renderOrganizations({ site, operator, asked, ...found, now: ctx.clock.now() }))
  })
  admin.get(`${ORGANIZATIONS}/:id`, async (c, operator) =>
    sendPage(
      c,
      await render(operator, c.req.param('id') ?? '', UNTOUCHED, doneWords(DONE, c.req.query('done'))),
    ),
  )
  admin.post(`${ORGANIZATIONS}/:id`, {
    schema: ActForm,
    render: ({ c, operator, state }) => render(operator, c.req.param('id') ?? '', state),
    async act({ c, operator: { by, visit }, input: { act } }) {
      const id = c.req.param('id') ?? ''
      // Domains are for the command line; here an organization is named by its id.
      if (!(await findOrganization(ctx, id))) throw noSuchOrg()
      await ACTIONS[act](ctx, id, { actor: by, visit })
      await shown()
      return `${ORGANIZATIONS}/${id}?done=${act}`
    },
  })
}

function noSuchOrg(): AppError {
  return new AppError('not_found', 'There is no such organization.', { code: 'not_found' })
}

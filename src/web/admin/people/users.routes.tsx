/** The operator's pages about accounts. */
import { z } from 'zod'
import {
  ACCOUNT_STATES,
  deactivateAccount,
  findAccount,
  findPeople,
  makeAdmin,
  reactivateAccount,
  revokeAdmin,
  verifyAccount,
} from '../../../accounts/admin.service.ts'
import { listAudit } from '../../../accounts/audit.service.ts'
import { AppError } from '../../../lib/errors.ts'
import { listGrants } from '../../../oauth/grants.service.ts'
import { organizationsOf } from '../../../orgs/admin.service.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { AdminDeps } from '../deps.ts'
import type { Admin, Operator } from '../guard.ts'
import { USERS } from '../paths.ts'
import { readAsked } from './parts.tsx'
import { renderUser } from './user.page.tsx'
import { renderUsers } from './users.page.tsx'

const SHOWN_ACTIONS = 20

const ACTIONS = {
  deactivate: deactivateAccount,
  reactivate: reactivateAccount,
  verify: verifyAccount,
  make_admin: makeAdmin,
  revoke_admin: revokeAdmin,
}

const DONE = {
  deactivate: 'Deactivated. They are signed out everywhere, and nobody gets in by this account.',
  reactivate: 'Reactivated. They can sign in again.',
  verify: 'The address is confirmed.',
  make_admin: 'They are an operator now.',
  revoke_admin: 'The role is taken away.',
}

const ActForm = z.object({
  act: z.enum(['deactivate', 'reactivate', 'verify', 'make_admin', 'revoke_admin']),
})

export function mountUsers(admin: Admin, { site, accounts }: AdminDeps): void {
  const render = async (operator: Operator, id: string, state: FormState, done: string | null = null) => {
    const account = await findAccount(accounts, id)
    if (!account) throw new AppError('not_found', 'There is no such account.', { code: 'not_found' })
    const [organizations, grants, linkTokens, history] = await Promise.all([
      organizationsOf(accounts, [id]),
      listGrants(accounts, id),
      accounts.hooks.countLinkTokens(accounts.db, id),
      listAudit(accounts, { userId: id, limit: SHOWN_ACTIONS }),
    ])
    return renderUser({
      site,
      operator,
      account,
      organizations: organizations.get(id) ?? [],
      grants: grants.length,
      linkTokens,
      history,
      state,
      done,
      now: accounts.clock.now(),
    })
  }

  admin.get(USERS, async (c, operator) => {
    const asked = readAsked((name) => c.req.query(name), ACCOUNT_STATES)
    const { people, next } = await findPeople(accounts, asked)
    const organizations = await organizationsOf(
      accounts,
      people.map(({ id }) => id),
    )
    const now = accounts.clock.now()
    return sendPage(c, renderUsers({ site, operator, asked, people, next, organizations, now }))
  })
  admin.get(`${USERS}/:id`, async (c, operator) =>
    sendPage(
      c,
      await render(operator, c.req.param('id') ?? '', UNTOUCHED, doneWords(DONE, c.req.query('done'))),
    ),
  )
  admin.post(`${USERS}/:id`, {
    schema: ActForm,
    render: ({ c, operator, state }) => render(operator, c.req.param('id') ?? '', state),
    async act({ c, operator: { by, visit }, input: { act } }) {
      const id = c.req.param('id') ?? ''
      // Addresses are for the command line; here an account is named by its id.
      if (!(await findAccount(accounts, id))) throw new AppError('not_found', 'There is no such account.')
      await ACTIONS[act](accounts, id, { actor: by, visit })
      return `${USERS}/${id}?done=${act}`
    },
  })
}

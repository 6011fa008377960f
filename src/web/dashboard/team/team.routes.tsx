/**
 * The team's page and its forms. Each form says what it took the address for, a member or an outsider: on a page that is
 * old, changing a role must not invite who was removed meanwhile, and inviting must not demote who has joined.
 */
import { z } from 'zod'
import { Email } from '../../../accounts/accounts.schema.ts'
import { ORG_ROLES } from '../../../orgs/orgs.schema.ts'
import {
  leaveOrg,
  listTeam,
  setTeamMember,
  type TeamChange,
  type TeamOutcome,
} from '../../../orgs/team.service.ts'
import { type FormState, UNTOUCHED } from '../../kit/fields.tsx'
import { aboveAll } from '../../kit/parts.tsx'
import { doneWords, sendPage } from '../../page.http.ts'
import type { DashboardDeps } from '../deps.ts'
import type { Dashboard, FormRoute } from '../guard.ts'
import { DASHBOARD, TEAM_PATH } from '../paths.ts'
import { INVITE_PATH, LEAVE_PATH, REMOVE_PATH, ROLE_PATH, renderTeam, WITHDRAW_PATH } from './team.page.tsx'

const DONE: Record<TeamOutcome, string> = {
  invited: 'The invitation was sent. It is open for a week.',
  changed: 'The role was changed.',
  removed: 'They no longer belong to the organization.',
  withdrawn: 'The invitation was withdrawn. Its link no longer works.',
  unchanged: 'They have that role already. Nothing was changed.',
}

/** The same with what else ended. */
const TOKENS_ENDED = {
  changed_tokens: 'The role was changed, and the link tokens they had made were revoked.',
  removed_tokens:
    'They no longer belong to the organization, and the link tokens they had made were revoked.',
}

const role = z.enum(ORG_ROLES, 'choose a role')
const Address = z.object({ email: Email })
const Membership = Address.extend({ role })

export function mountTeam(dashboard: Dashboard, { site, ctx }: DashboardDeps): void {
  dashboard.get(TEAM_PATH, 'read', async (c, visitor) => {
    const team = await listTeam(ctx, visitor.caller)
    const done = doneWords({ ...DONE, ...TOKENS_ENDED }, c.req.query('done'))
    return sendPage(c, renderTeam({ site, visitor, team, state: UNTOUCHED, done }))
  })

  const again = (shown: (state: FormState) => FormState): Pick<FormRoute<unknown>, 'page' | 'render'> => ({
    page: TEAM_PATH,
    async render({ visitor, state }) {
      return renderTeam({ site, visitor, team: await listTeam(ctx, visitor.caller), state: shown(state) })
    },
  })
  const withFields = again((state) => state)
  // What is wrong with a form in a row concerns no field of the form for invitations.
  const inARow = again(({ errors }) => ({ values: {}, errors: aboveAll(errors) }))

  dashboard.post(INVITE_PATH, {
    ...withFields,
    schema: Membership,
    act: async ({ act, input }) => told(await setTeamMember(ctx, act, { ...input, takenFor: 'outsider' })),
  })
  dashboard.post(ROLE_PATH, {
    ...inARow,
    schema: Membership,
    act: async ({ act, input }) => told(await setTeamMember(ctx, act, { ...input, takenFor: 'member' })),
  })
  dashboard.post(REMOVE_PATH, {
    ...inARow,
    schema: Address,
    act: async ({ act, input: { email } }) =>
      told(await setTeamMember(ctx, act, { email, role: 'none', takenFor: 'member' })),
  })
  dashboard.post(WITHDRAW_PATH, {
    ...inARow,
    schema: Address,
    act: async ({ act, input: { email } }) =>
      told(await setTeamMember(ctx, act, { email, role: 'none', takenFor: 'outsider' })),
  })
  dashboard.post(LEAVE_PATH, {
    ...inARow,
    schema: z.object({}),
    async act({ act, visitor }) {
      await leaveOrg(ctx, { caller: visitor.actor, visit: act.visit }, visitor.org.id)
      return DASHBOARD
    },
  })
}

function told({ outcome, linkTokensRevoked }: TeamChange): string {
  return `${TEAM_PATH}?done=${outcome}${linkTokensRevoked === undefined ? '' : '_tokens'}`
}

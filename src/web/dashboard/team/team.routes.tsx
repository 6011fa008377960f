/**
 * /dashboard/team: who belongs to the organization, who is invited, and what each role can do. Each form says what it took
 * the address for, a member or an outsider: on a page that is old, changing a role must not invite a person who was removed
 * meanwhile, and inviting must not demote a person who has joined.
 */
import { z } from 'zod'
import { Email } from '../../../accounts/accounts.schema.ts'
import { ORG_ROLES, type OrgRole } from '../../../orgs/orgs.schema.ts'
import { leaveOrg, listTeam, setTeamMember, type Team, type TeamChange } from '../../../orgs/team.service.ts'
import { Day } from '../../components/moment.tsx'
import { countOf, humanized } from '../../format.ts'
import { Carried, Hidden } from '../../kit/fields.tsx'
import { FormPanel, type FormSpec } from '../../kit/form.tsx'
import { choice, column, defineList, named, within } from '../../kit/list.tsx'
import { Action, Panel } from '../../kit/parts.tsx'
import { type Dashboard, type DashboardDeps, type Visitor, type VisitorSeen, WhoMay } from '../guard.tsx'
import { DASHBOARD, TEAM_PATH } from '../paths.ts'
import { Rights } from './rights.tsx'

const SAID = {
  invited: 'Invite sent. It works for a week.',
  changed: 'Role changed.',
  removed: 'Removed from the organization.',
  withdrawn: 'Invite withdrawn. Its link no longer works.',
  unchanged: 'They already have that role. Nothing changed.',
  changed_tokens: 'Role changed. The link tokens they created were revoked.',
  removed_tokens: 'Removed from the organization. The link tokens they created were revoked.',
}

const KIND_WORDS = { member: 'Member', invited: 'Invited' }
const LIST = defineList(TEAM_PATH, 'team member', {
  search: 'Name or address',
  filters: { in_role: choice('In the role', named(ORG_ROLES)), kind: choice('Status', KIND_WORDS) },
})

type Row =
  | (Team['members'][number] & { kind: 'member'; index: number })
  | (Team['invitations'][number] & { kind: 'invited'; name: string })

const Address = z.object({ email: Email })
const Membership = Address.extend({ role: z.enum(ORG_ROLES, 'choose a role') })

export function mountTeam(dashboard: Dashboard, { ctx }: DashboardDeps): void {
  const show = dashboard.list<Row, typeof LIST.filters>(LIST, 'read', async (seen) => {
    const { visitor, state, asked } = seen
    const team = await listTeam(ctx, visitor.caller)
    const given = givenBy(visitor)
    const all: Row[] = [
      ...team.members.map((member, index) => ({ ...member, kind: 'member' as const, index })),
      ...team.invitations.map((invite) => ({ ...invite, kind: 'invited' as const, name: '' })),
    ]
    const form: FormSpec = {
      email: { kind: 'email', label: 'Email', required: true },
      role: { kind: 'choice', label: 'Role', options: given.map((role) => [role, humanized(role)]) },
    }
    return {
      title: 'Team',
      lead: `Who works for ${visitor.org.name}, and in which role.`,
      said: SAID,
      errors: state.errors,
      ...within(all, asked, {
        words: ({ name, email }) => `${name} ${email}`,
        by: { in_role: ({ role }) => role, kind: ({ kind }) => kind },
      }),
      columns: [
        {
          label: 'Member',
          csv: ({ name }) => name,
          cell: (row) => (
            <>
              {row.name || row.email}
              {row.kind === 'member' && row.userId === visitor.actor.user.id && ' (you)'}
              {row.name !== '' && <span class="row-note">{row.email}</span>}
            </>
          ),
        },
        { label: 'Email', csv: ({ email }) => email },
        column.text('Role', 'role', ({ role }) => <span class="whole">{humanized(role)}</span>),
        {
          label: 'Status',
          csv: ({ kind }) => KIND_WORDS[kind],
          cell: (row) =>
            row.kind === 'member' ? (
              <>
                Member since <Day at={row.joinedAt} />
              </>
            ) : (
              <>
                Invited; open until <Day at={row.expiresAt} />
              </>
            ),
        },
        {
          label: 'Since',
          csv: (row) => (row.kind === 'member' ? row.joinedAt : null),
        },
        given.length > 0 &&
          column.actions(
            'Actions',
            (row) =>
              given.includes(row.role) &&
              (row.kind === 'member' ? (
                <MemberActions
                  {...{ visitor, member: row, index: row.index }}
                  isYou={row.userId === visitor.actor.user.id}
                />
              ) : (
                <InviteActions {...row} />
              )),
          ),
      ],
      empty: <p>Nobody is here yet.</p>,
      above: <WhoMay visitor={visitor} right="manage" what="change the team" />,
      below: [
        visitor.may('manage') && (
          <FormPanel
            title="Invite a team member"
            lead="We email them a link. It works for a week, and only for the owner of that address."
            action={`${TEAM_PATH}/invite`}
            label="Send invite"
            of={form}
            state={{ ...state, values: { role: 'editor', ...state.values } }}
          />
        ),
        <Panel title="What each role can do">
          <Rights of="roles" />
        </Panel>,
        <Leave visitor={visitor} team={team} />,
      ],
    }
  })

  // What is wrong with a form in a row has nothing to do with the fields of the invite form.
  const inARow = {
    page: (seen: VisitorSeen) =>
      show({ ...seen, state: { values: {}, errors: { '': Object.values(seen.state.errors).join(' ') } } }),
  }

  dashboard.action(`${TEAM_PATH}/invite`, {
    schema: Membership,
    act: async ({ act, input }) => shown(await setTeamMember(ctx, act, { ...input, takenFor: 'outsider' })),
  })
  dashboard.action(`${TEAM_PATH}/role`, {
    ...{ ...inARow, schema: Membership },
    act: async ({ act, input }) => shown(await setTeamMember(ctx, act, { ...input, takenFor: 'member' })),
  })
  for (const [path, takenFor] of [
    ['remove', 'member'],
    ['withdraw', 'outsider'],
  ] as const)
    dashboard.action(`${TEAM_PATH}/${path}`, {
      ...{ ...inARow, schema: Address },
      act: async ({ act, input: { email } }) =>
        shown(await setTeamMember(ctx, act, { email, role: 'none', takenFor })),
    })
  dashboard.action(`${TEAM_PATH}/leave`, {
    ...{ ...inARow, done: DASHBOARD },
    act: ({ act, visitor }) => leaveOrg(ctx, { caller: visitor.actor, visit: act.visit }, visitor.org.id),
  })
}

function shown({ outcome, linkTokensRevoked }: TeamChange): string {
  return `${TEAM_PATH}?done=${outcome}${linkTokensRevoked === undefined ? '' : '_tokens'}`
}

/** The roles that this person may give and take: only an owner makes owners. */
function givenBy(visitor: Visitor): OrgRole[] {
  if (!visitor.may('manage')) return []
  return ORG_ROLES.filter((role) => visitor.role === 'owner' || role !== 'owner')
}

function InviteActions({ email, role }: { email: string; role: OrgRole }) {
  return (
    <div class="row-actions">
      <Action
        {...{ to: `${TEAM_PATH}/invite`, label: 'Resend', about: `to ${email}` }}
        fields={{ email, role }}
      />
      <Action
        {...{ to: `${TEAM_PATH}/withdraw`, label: 'Withdraw invite', kind: 'danger' }}
        {...{ fields: { email }, ask: 'Withdraw', about: `the invite to ${email}` }}
      >
        <p>The link we emailed to {email} stops working.</p>
      </Action>
    </div>
  )
}

type MemberActionsProps = { visitor: Visitor; member: Team['members'][number]; index: number; isYou: boolean }

/** People leave by the button for it, so nobody removes themselves here. */
function MemberActions({ visitor, member, index, isYou }: MemberActionsProps) {
  const { email, role, linkTokens = 0 } = member
  const id = `role-of-${index}`
  const tokens = countOf(linkTokens, 'link token')
  return (
    <div class="row-actions">
      <form class="role-form field" method="post" action={`${TEAM_PATH}/role`}>
        <Carried />
        <Hidden name="email" value={email} />
        <label class="hidden" for={id}>
          Role of {email}
        </label>
        <select
          {...{ id, name: 'role', autocomplete: 'off' }}
          aria-describedby={linkTokens > 0 ? `${id}-tokens` : undefined}
        >
          {givenBy(visitor).map((option) => (
            <option value={option} selected={option === role}>
              {humanized(option)}
            </option>
          ))}
        </select>
        <button type="submit">
          Change<span class="hidden"> the role of {email}</span>
        </button>
        {linkTokens > 0 && (
          <span class="row-note" id={`${id}-tokens`}>
            As editor or viewer, {isYou ? 'you' : 'they'} lose the {tokens} {isYou ? 'you' : 'they'} created.
          </span>
        )}
      </form>
      {!isYou && (
        <Action
          {...{ to: `${TEAM_PATH}/remove`, label: `Remove ${email}`, kind: 'danger', fields: { email } }}
          {...{ ask: 'Remove', about: email }}
        >
          <p>
            {email} loses access to {visitor.org.name} now. Invites they sent
            {linkTokens > 0 && ` and ${tokens} they created`} stop working.
          </p>
        </Action>
      )}
    </div>
  )
}

function Leave({ visitor: { org, role, actor }, team: { members } }: { visitor: Visitor; team: Team }) {
  const linkTokens = members.find(({ userId }) => userId === actor.user.id)?.linkTokens ?? 0
  const isLastOwner = role === 'owner' && members.filter((member) => member.role === 'owner').length === 1
  return (
    <Panel title="Leave">
      {isLastOwner ? (
        <p>You're the last owner of {org.name}, so you can't leave. Make another member an owner first.</p>
      ) : (
        <Action
          {...{ to: `${TEAM_PATH}/leave`, label: `Leave ${org.name}`, kind: 'danger' }}
          ask="Leave this organization"
        >
          <p>
            You lose access to {org.name} now. Invites you sent
            {linkTokens > 0 && ` and ${countOf(linkTokens, 'link token')} you created`} stop working, and
            agents you connected no longer act for it. To come back, you need a new invite.
          </p>
        </Action>
      )}
    </Panel>
  )
}

/**
 * Who belongs to the organization, who is invited, and what each role may. Who may change the team has the forms for it in
 * the rows; everybody else sees the same facts. Only an owner is offered what takes one. Everybody may leave.
 */
import { ORG_ROLES, type OrgRole } from '../../../orgs/orgs.schema.ts'
import { hasRight } from '../../../orgs/producer.ts'
import type { Team } from '../../../orgs/team.service.ts'
import { Day } from '../../components/moment.tsx'
import { countOf } from '../../format.ts'
import { Field, type FormState, Hidden, Select } from '../../kit/fields.tsx'
import { Confirm, DataTable, Empty, Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import { ActionForm, DashboardPage, ForOrg, type Visitor, WhoMay } from '../page.tsx'
import { TEAM_PATH } from '../paths.ts'

export const INVITE_PATH = `${TEAM_PATH}/invite`
export const ROLE_PATH = `${TEAM_PATH}/role`
export const REMOVE_PATH = `${TEAM_PATH}/remove`
export const WITHDRAW_PATH = `${TEAM_PATH}/withdraw`
export const LEAVE_PATH = `${TEAM_PATH}/leave`

const ROLE_WORDS: Record<OrgRole, string> = {
  owner: 'Owner',
  admin: 'Admin',
  editor: 'Editor',
  viewer: 'Viewer',
}

type TeamPage = { site: Site; visitor: Visitor; team: Team; state: FormState; done?: string | null }

export function renderTeam({ site, visitor, team, state, done }: TeamPage): string {
  const mayManage = visitor.may('manage')
  return String(
    <DashboardPage
      site={site}
      visitor={visitor}
      title="Team"
      lead={`Who works for ${visitor.org.name} here, and as what.`}
      at={TEAM_PATH}
      done={done}
      errors={state.errors}
    >
      <WhoMay visitor={visitor} right="manage" what="change what is on this page" />
      <Members visitor={visitor} team={team} />
      <Invitations visitor={visitor} team={team} />
      {mayManage && <InvitePanel visitor={visitor} state={state} />}
      <Roles />
      <Leaving visitor={visitor} team={team} />
    </DashboardPage>,
  )
}

/** What this person may make somebody, and take from somebody. */
function givenBy(visitor: Visitor): OrgRole[] {
  if (!visitor.may('manage')) return []
  return ORG_ROLES.filter((role) => visitor.role === 'owner' || role !== 'owner')
}

function Members({ visitor, team: { members } }: { visitor: Visitor; team: Team }) {
  const given = givenBy(visitor)
  const columns = [{ label: 'Member' }, { label: 'Role' }, { label: 'Since' }]
  return (
    <Panel title="Members" actions={<span class="soft">{countOf(members.length, 'member')}</span>}>
      <DataTable
        caption="Members and their roles"
        columns={given.length > 0 ? [...columns, { label: 'What you can do', kind: 'actions' }] : columns}
        rows={members.map((member, index) => {
          const facts = [
            <Person
              name={member.name}
              email={member.email}
              isYou={member.userId === visitor.actor.user.id}
            />,
            <span class="whole">{ROLE_WORDS[member.role]}</span>,
            <Day at={member.joinedAt} />,
          ]
          if (given.length === 0) return facts
          const own = given.includes(member.role)
          const isYou = member.userId === visitor.actor.user.id
          return [...facts, own && <MemberActions {...{ visitor, member, given, index, isYou }} />]
        })}
      />
    </Panel>
  )
}

function Person({ name, email, isYou }: { name: string; email: string; isYou: boolean }) {
  return (
    <>
      {name || email}
      {isYou && ' (you)'}
      {name !== '' && <span class="row-note">{email}</span>}
    </>
  )
}

type MemberActionsProps = {
  visitor: Visitor
  member: Team['members'][number]
  given: OrgRole[]
  index: number
  isYou: boolean
}

/** One leaves by the button for it below, so nobody removes themselves here. */
function MemberActions({ visitor, member, given, index, isYou }: MemberActionsProps) {
  const { email, role, linkTokens = 0 } = member
  const id = `role-of-${index}`
  const note = `${id}-tokens`
  return (
    <div class="row-actions">
      <form class="role-form field" method="post" action={ROLE_PATH}>
        <ForOrg visitor={visitor} />
        <Hidden name="email" value={email} />
        <label class="hidden" for={id}>
          Role of {email}
        </label>
        <select id={id} name="role" autocomplete="off" aria-describedby={linkTokens > 0 ? note : undefined}>
          {given.map((option) => (
            <option value={option} selected={option === role}>
              {ROLE_WORDS[option]}
            </option>
          ))}
        </select>
        <button type="submit">
          Change<span class="hidden"> the role of {email}</span>
        </button>
        {linkTokens > 0 && (
          <span class="row-note" id={note}>
            As editor or viewer {isYou ? 'you' : 'they'} lose the {countOf(linkTokens, 'link token')}{' '}
            {isYou ? 'you' : 'they'} made.
          </span>
        )}
      </form>
      {!isYou && (
        <Confirm
          ask={
            <>
              Remove<span class="hidden"> {email}</span>
            </>
          }
        >
          <p>
            {email} can no longer see or change anything of {visitor.org.name}, at once. Invitations they sent
            {linkTokens > 0 && ` and ${countOf(linkTokens, 'link token')} they made`} stop working.
          </p>
          <ActionForm visitor={visitor} action={REMOVE_PATH} label={`Remove ${email}`} kind="danger">
            <Hidden name="email" value={email} />
          </ActionForm>
        </Confirm>
      )}
    </div>
  )
}

function Invitations({ visitor, team: { invitations } }: { visitor: Visitor; team: Team }) {
  const given = givenBy(visitor)
  const columns = [{ label: 'Invited' }, { label: 'As' }, { label: 'Open until' }]
  return (
    <Panel title="Open invitations">
      {invitations.length === 0 ? (
        <Empty>
          <p>
            Nobody is invited at the moment.
            {given.length > 0 && ' Invite somebody below: they get a mail with a link that works for a week.'}
          </p>
        </Empty>
      ) : (
        <DataTable
          caption="Open invitations"
          columns={given.length > 0 ? [...columns, { label: 'What you can do', kind: 'actions' }] : columns}
          rows={invitations.map(({ email, role, expiresAt }) => {
            const facts = [email, ROLE_WORDS[role], <Day at={expiresAt} />]
            if (given.length === 0) return facts
            return [...facts, given.includes(role) && <InvitationActions {...{ visitor, email, role }} />]
          })}
        />
      )}
    </Panel>
  )
}

function InvitationActions({ visitor, email, role }: { visitor: Visitor; email: string; role: OrgRole }) {
  return (
    <div class="row-actions">
      <form method="post" action={INVITE_PATH}>
        <ForOrg visitor={visitor} />
        <Hidden name="email" value={email} />
        <Hidden name="role" value={role} />
        <button type="submit">
          Send again<span class="hidden"> to {email}</span>
        </button>
      </form>
      <Confirm
        ask={
          <>
            Withdraw<span class="hidden"> the invitation of {email}</span>
          </>
        }
      >
        <p>The link in the mail to {email} stops working.</p>
        <ActionForm visitor={visitor} action={WITHDRAW_PATH} label="Withdraw the invitation" kind="danger">
          <Hidden name="email" value={email} />
        </ActionForm>
      </Confirm>
    </div>
  )
}

function InvitePanel({ visitor, state }: { visitor: Visitor; state: FormState }) {
  return (
    <Panel
      title="Invite somebody"
      lead="They get a mail with a link. It works for a week, and only for who owns the address."
    >
      <ActionForm visitor={visitor} action={INVITE_PATH} label="Send the invitation">
        <Field state={state} name="email" label="Email" type="email" autocomplete="off" required />
        <Select
          state={state}
          name="role"
          label="Role"
          options={givenBy(visitor).map((role) => [role, ROLE_WORDS[role]] as const)}
          value="editor"
        />
      </ActionForm>
    </Panel>
  )
}

const MAY: ReadonlyArray<readonly [what: string, may: (role: OrgRole) => boolean]> = [
  ['See products, offers, pricing, requests and figures', (role) => hasRight(role, 'read')],
  ['Change products and offers, and import', (role) => hasRight(role, 'edit')],
  ['Set prices, set up the agent and prove the domain', (role) => hasRight(role, 'manage')],
  ['Manage the team and link tokens, and see the history', (role) => hasRight(role, 'oversee')],
  ['Make and remove owners', (role) => role === 'owner'],
]

function Roles() {
  return (
    <Panel title="What each role may">
      <DataTable
        caption="What each role may"
        columns={[{ label: 'What' }, ...ORG_ROLES.map((role) => ({ label: ROLE_WORDS[role] }))]}
        rows={MAY.map(([what, may]) => [
          what,
          ...ORG_ROLES.map((role) => (may(role) ? 'Yes' : <span class="soft">No</span>)),
        ])}
      />
    </Panel>
  )
}

function Leaving({ visitor, team: { members } }: { visitor: Visitor; team: Team }) {
  const { org, role } = visitor
  const linkTokens = members.find(({ userId }) => userId === visitor.actor.user.id)?.linkTokens ?? 0
  const isLastOwner = role === 'owner' && members.filter((member) => member.role === 'owner').length === 1
  if (isLastOwner)
    return (
      <Panel title="Leave">
        <p>
          You are the last owner of {org.name}, so you cannot leave it. Make somebody else an owner first.
        </p>
      </Panel>
    )
  return (
    <Panel title="Leave">
      <Confirm ask="Leave this organization">
        <p>
          You can no longer see or change anything of {org.name}, at once. Invitations you sent
          {linkTokens > 0 && ` and ${countOf(linkTokens, 'link token')} you made`} stop working, and agents
          you connected no longer act for it. To come back, you must be invited again.
        </p>
        <ActionForm visitor={visitor} action={LEAVE_PATH} label={`Leave ${org.name}`} kind="danger" />
      </Confirm>
    </Panel>
  )
}

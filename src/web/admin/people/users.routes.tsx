/** /admin/users: accounts and what the operator can do with each. No page shows a secret. */
import { z } from 'zod'
import {
  ACCOUNT_STATES,
  type Account,
  type AccountLine,
  type AccountState,
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
import { Ago, Moment } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { type ListSpec, listPage } from '../../kit/list.tsx'
import { Action, DataTable, Empty, Facts, Panel, State } from '../../kit/parts.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin, AdminSeen, Who } from '../guard.ts'
import { ORGANIZATIONS, USERS } from '../nav.ts'
import { Activity, SHOWN_ACTIONS } from './activity.tsx'

const STATE_WORDS: Record<AccountState, string> = {
  active: 'Active',
  unconfirmed: 'Email not confirmed',
  operator: 'Operator',
  deactivated: 'Deactivated',
}
const LIST = {
  ...{ path: USERS, noun: 'user', search: 'Email or name', pageSize: 50 },
  filters: { state: ACCOUNT_STATES },
} satisfies ListSpec
const SHOWN_ORGS = 3

const ACTIONS = {
  deactivate: deactivateAccount,
  reactivate: reactivateAccount,
  verify: verifyAccount,
  make_admin: makeAdmin,
  revoke_admin: revokeAdmin,
}
const SAID = {
  deactivate: 'Account deactivated. They are signed out everywhere, and nobody can sign in to it.',
  reactivate: 'Account reactivated. They can sign in again.',
  verify: 'Email confirmed.',
  make_admin: 'They are an operator now.',
  revoke_admin: 'Operator role removed.',
}
const ActForm = z.object({
  act: z.enum(['deactivate', 'reactivate', 'verify', 'make_admin', 'revoke_admin']),
})

export function mountUsers(admin: Admin, { accounts }: AdminDeps): void {
  admin.page(
    USERS,
    listPage<Who, AccountLine, typeof LIST.filters>(LIST, async ({ asked: { q, filters, before } }) => {
      const { people, next } = await findPeople(accounts, {
        ...{ search: q || null, state: filters.state || null, before },
      })
      const organizations = await organizationsOf(
        accounts,
        people.map(({ id }) => id),
      )
      const orgsOf = ({ id }: AccountLine) => organizations.get(id) ?? []
      return {
        page: { title: 'Users', lead: 'Everyone with an account.' },
        rows: people,
        next,
        order: 'Newest first',
        filters: {
          state: {
            label: 'Status',
            options: ACCOUNT_STATES.map((state) => [state, STATE_WORDS[state]] as const),
          },
        },
        columns: [
          {
            label: 'Email',
            cell: ({ id, email }) => <a href={`${USERS}/${id}`}>{email}</a>,
            csv: ({ email }) => email,
          },
          {
            label: 'Name',
            cell: ({ name }) => name || <span class="soft">Not stated</span>,
            csv: ({ name }) => name,
          },
          {
            label: 'Status',
            cell: (person) => <States person={person} />,
            csv: (person) => statesOf(person).join(', '),
          },
          {
            label: 'Organizations',
            cell: (person) => <Memberships orgs={orgsOf(person)} />,
            csv: (person) =>
              orgsOf(person)
                .map(({ name }) => name)
                .join(', '),
          },
          {
            label: 'Joined',
            cell: ({ createdAt }) => <Ago at={createdAt} now={accounts.clock.now()} />,
            csv: ({ createdAt }) => createdAt,
          },
        ],
        empty: <p>No accounts yet.</p>,
      }
    }),
  )

  async function findKnown(id: string): Promise<Account> {
    const account = await findAccount(accounts, id)
    if (!account) throw new AppError('not_found', 'We couldn’t find this account.', { code: 'not_found' })
    return account
  }

  async function show({ c, operator }: AdminSeen): Promise<Page> {
    const account = await findKnown(c.req.param('id') ?? '')
    const { id } = account
    const [organizations, grants, linkTokens, history] = await Promise.all([
      organizationsOf(accounts, [id]),
      listGrants(accounts, id),
      accounts.hooks.countLinkTokens(accounts.db, id),
      listAudit(accounts, { userId: id, limit: SHOWN_ACTIONS }),
    ])
    const orgs = organizations.get(id) ?? []
    const now = accounts.clock.now()
    return {
      title: account.email,
      lead: <States person={account} />,
      at: USERS,
      said: SAID,
      body: (
        <>
          <div class="side-by-side">
            <Panel title="Account">
              <Facts
                facts={[
                  ['Name', account.name || 'Not stated'],
                  ['Type', account.accountType],
                  ['ID', <code>{id}</code>],
                  ['Joined', <Moment at={account.createdAt} />],
                  ['Email confirmed', account.verifiedAt ? <Moment at={account.verifiedAt} /> : 'No'],
                  ['Signs in with', account.hasPassword ? 'Password or email link' : 'Email link only'],
                  [
                    'Sessions',
                    <>
                      {formatCount(account.sessions)}
                      {account.lastSeenAt && (
                        <>
                          , last used <Ago at={account.lastSeenAt} now={now} />
                        </>
                      )}
                    </>,
                  ],
                  ['Connected apps', formatCount(grants.length)],
                  ['Operator', operatorWords(account)],
                  ...(account.deactivatedAt
                    ? [['Deactivated', <Moment at={account.deactivatedAt} />] as const]
                    : []),
                ]}
              />
            </Panel>
            <Panel title="Actions">
              {operator.actor.user.id === id ? (
                <p class="soft">
                  This is you. Another operator can deactivate your account or remove your role. Everything
                  else is on <a href="/account">your account page</a>.
                </p>
              ) : (
                <UserActions account={account} linkTokens={linkTokens} />
              )}
            </Panel>
          </div>
          <Panel title="Organizations">
            {orgs.length === 0 ? (
              <Empty>No organizations.</Empty>
            ) : (
              <DataTable
                caption="Organizations"
                columns={[{ label: 'Organization' }, { label: 'Role' }]}
                rows={orgs.map(({ orgId, name, role }) => [
                  <a href={`${ORGANIZATIONS}/${orgId}`}>{name}</a>,
                  role,
                ])}
              />
            )}
          </Panel>
          <Activity records={history} self={id} now={now} />
        </>
      ),
    }
  }

  admin.page(`${USERS}/:id`, show)
  admin.action(`${USERS}/:id`, {
    schema: ActForm,
    page: show,
    async act({ c, operator: { by, visit }, input: { act } }) {
      // The services take an email too, for the command line; a page names an account by its id.
      const { id } = await findKnown(c.req.param('id') ?? '')
      await ACTIONS[act](accounts, id, { actor: by, visit })
      return `${USERS}/${id}?done=${act}`
    },
  })
}

function statesOf({ deactivatedAt, verified, admin }: AccountLine): string[] {
  const main = deactivatedAt !== null ? 'deactivated' : verified ? 'active' : 'unconfirmed'
  return [STATE_WORDS[main], ...(admin ? [STATE_WORDS.operator] : [])]
}

function States({ person }: { person: AccountLine }) {
  const tone = person.deactivatedAt !== null ? 'bad' : person.verified ? 'good' : 'mixed'
  return (
    <span class="states">
      {statesOf(person).map((words, at) => (
        <State tone={at === 0 ? tone : 'quiet'}>{words}</State>
      ))}
    </span>
  )
}

function Memberships({ orgs }: { orgs: Array<{ orgId: string; name: string; role: string }> }) {
  if (orgs.length === 0) return <span class="soft">None</span>
  return (
    <span>
      {orgs.slice(0, SHOWN_ORGS).map(({ orgId, name, role }, index) => (
        <>
          {index > 0 && ', '}
          <a href={`${ORGANIZATIONS}/${orgId}`}>{name}</a> ({role})
        </>
      ))}
      {orgs.length > SHOWN_ORGS && ` and ${orgs.length - SHOWN_ORGS} more`}
    </span>
  )
}

function operatorWords({ madeAdmin, named, admin }: Account): string {
  if (named) return admin ? 'Yes, by SOUK_ADMIN_EMAILS' : 'Once the email is confirmed, by SOUK_ADMIN_EMAILS'
  return madeAdmin ? 'Yes' : 'No'
}

function UserActions({ account, linkTokens }: { account: Account; linkTokens: number }) {
  const { verified, named, madeAdmin } = account
  const to = `${USERS}/${account.id}`
  if (account.deactivatedAt !== null)
    return (
      <>
        <p class="soft">
          Nobody can sign in. After you reactivate it, they sign in and connect their apps again.
        </p>
        <Action to={to} fields={{ act: 'reactivate' }} label="Reactivate" />
      </>
    )
  const danger = { to, kind: 'danger' as const }
  return (
    <>
      {!verified && (
        <Action {...danger} fields={{ act: 'verify' }} ask="Confirm their email" label="Confirm email">
          <p>
            Use this when our emails don't reach them. Make sure the address is theirs: it proves who they
            are.
          </p>
          {named && <p>SOUK_ADMIN_EMAILS names this address: confirming it makes them an operator.</p>}
        </Action>
      )}
      {!madeAdmin && !named && (
        <Action {...danger} fields={{ act: 'make_admin' }} ask="Make operator" label="Make operator">
          <p>They can see and do everything on these pages, and deactivate others.</p>
          {!verified && <p>Their email isn't confirmed. Make sure the account is theirs.</p>}
        </Action>
      )}
      {madeAdmin && (
        <Action {...danger} fields={{ act: 'revoke_admin' }} ask="Remove operator role" label="Remove role">
          <p>
            {named
              ? 'They stay an operator until you remove their email from SOUK_ADMIN_EMAILS.'
              : 'They keep their account, and lose these pages right away.'}
          </p>
        </Action>
      )}
      {named && !madeAdmin && (
        <p class="soft">
          To remove their operator role, take the email out of <code>SOUK_ADMIN_EMAILS</code> and restart.
        </p>
      )}
      <Action {...danger} fields={{ act: 'deactivate' }} ask="Deactivate this account" label="Deactivate">
        <p>
          They are signed out everywhere, their apps are disconnected, and they can't sign in. Their
          organizations stay. You can reactivate the account later.
        </p>
        {linkTokens > 0 && (
          <p>
            {countOf(linkTokens, 'link token')} they made {linkTokens === 1 ? 'stops' : 'stop'} working for
            good.
          </p>
        )}
      </Action>
    </>
  )
}

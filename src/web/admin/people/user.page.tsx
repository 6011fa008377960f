/** /admin/users/:id: what is known of one account, without a secret, and what the operator can do with it. */
import type { Account } from '../../../accounts/admin.service.ts'
import type { AuditRecord } from '../../../accounts/audit.service.ts'
import type { PersonOrg } from '../../../orgs/admin.service.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { countOf, formatCount } from '../../format.ts'
import type { FormState } from '../../kit/fields.tsx'
import { Empty, Panel } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { ORGANIZATIONS, USERS } from '../paths.ts'
import { ActionButton, Actions, ConfirmedAction, Facts } from './parts.tsx'
import { AccountStates } from './users.page.tsx'

type Props = {
  site: Site
  operator: Operator
  account: Account
  organizations: PersonOrg[]
  grants: number
  /** Those they made, which end when the account is deactivated. */
  linkTokens: number
  history: AuditRecord[]
  state: FormState
  done: string | null
  now: Date
}

export function renderUser(props: Props): string {
  const { site, operator, account, organizations, grants, linkTokens, history, state, done, now } = props
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title={account.email}
      lead={<AccountStates person={account} />}
      at={USERS}
      done={done}
      errors={state.errors}
    >
      <div class="side-by-side">
        <Panel title="Account">
          <Facts
            facts={[
              ['Name', account.name || 'none'],
              ['Kind', account.accountType],
              ['Id', <code>{account.id}</code>],
              ['Joined', <Moment at={account.createdAt} />],
              ['Address confirmed', account.verifiedAt ? <Moment at={account.verifiedAt} /> : 'no'],
              ['Signs in by', account.hasPassword ? 'password or link' : 'link by mail only'],
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
              ['Connected apps', formatCount(grants)],
              ['Operator', operatorWords(account)],
              ...(account.deactivatedAt
                ? [['Deactivated', <Moment at={account.deactivatedAt} />] as const]
                : []),
            ]}
          />
        </Panel>
        <Panel title="What you can do">
          <UserActions
            account={account}
            linkTokens={linkTokens}
            self={operator.actor.user.id === account.id}
          />
        </Panel>
      </div>
      <Panel title="Organizations">
        {organizations.length === 0 ? (
          <Empty>They belong to no organization.</Empty>
        ) : (
          <ul class="rows">
            {organizations.map(({ orgId, name, role }) => (
              <li>
                <p>
                  <a href={`${ORGANIZATIONS}/${orgId}`}>{name}</a>
                  <span class="row-note">{role}</span>
                </p>
              </li>
            ))}
          </ul>
        )}
      </Panel>
      <Panel title="Recent activity">
        <Actions records={history} self={account.id} now={now} />
      </Panel>
    </AdminPage>,
  )
}

function operatorWords({ madeAdmin, named, admin }: Account): string {
  if (named)
    return admin ? 'yes, named in SOUK_ADMIN_EMAILS' : 'once the address is confirmed: SOUK_ADMIN_EMAILS'
  return madeAdmin ? 'yes' : 'no'
}

type UserActionsProps = { account: Account; linkTokens: number; self: boolean }

function UserActions({ account, linkTokens, self }: UserActionsProps) {
  const action = `${USERS}/${account.id}`
  if (self)
    return (
      <p class="soft">
        This is you. Another operator can deactivate your account or take your role away; the rest is on{' '}
        <a href="/account">your account</a>.
      </p>
    )
  if (account.deactivatedAt !== null)
    return (
      <>
        <p class="soft">
          Nobody can sign in with it. Once it is active again they sign in anew, and connect their apps anew.
        </p>
        <ActionButton action={action} act="reactivate" label="Reactivate" />
      </>
    )
  return (
    <>
      {!account.verified && <VerifyAction action={action} named={account.named} />}
      {!account.madeAdmin && !account.named && (
        <ConfirmedAction action={action} act="make_admin" ask="Make operator" label="Make operator">
          <p>They will see and do everything on these pages, and can deactivate others.</p>
          {!account.verified && <p>Their address is not confirmed: make sure that the account is theirs.</p>}
        </ConfirmedAction>
      )}
      {account.madeAdmin && (
        <ConfirmedAction
          action={action}
          act="revoke_admin"
          ask="Take the role of operator away"
          label="Take it away"
        >
          {account.named ? (
            <p>They stay an operator until their address is taken out of SOUK_ADMIN_EMAILS.</p>
          ) : (
            <p>They keep their account, and these pages are gone for them at once.</p>
          )}
        </ConfirmedAction>
      )}
      {account.named && !account.madeAdmin && (
        <p class="soft">
          To end their role as operator, take the address out of <code>SOUK_ADMIN_EMAILS</code> and restart.
        </p>
      )}
      <ConfirmedAction action={action} act="deactivate" ask="Deactivate this account" label="Deactivate">
        <p>
          They are signed out everywhere at once, their apps are disconnected, and no password, link or token
          gets them in. Their organizations stay. You can reactivate the account later.
        </p>
        {linkTokens > 0 && (
          <p>
            {countOf(linkTokens, 'link token')} they made {linkTokens === 1 ? 'stops' : 'stop'} working for
            good.
          </p>
        )}
      </ConfirmedAction>
    </>
  )
}

function VerifyAction({ action, named }: { action: string; named: boolean }) {
  return (
    <ConfirmedAction action={action} act="verify" ask="Confirm their address for them" label="Confirm it">
      <p>
        For somebody whose mail does not arrive. Make sure that the address is theirs: it proves who they are.
      </p>
      {named && <p>The address is named in SOUK_ADMIN_EMAILS: confirming it makes them an operator.</p>}
    </ConfirmedAction>
  )
}

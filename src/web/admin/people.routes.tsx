/**
 * /admin/users and /admin/organizations: lists, and what the operator can do with each. No page shows a secret. What
 * changes an organization waits until shoppers see it.
 */
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import {
  type Account,
  type AccountLine,
  deactivateAccount,
  findAccount,
  findPeople,
  makeAdmin,
  reactivateAccount,
  revokeAdmin,
  verifyAccount,
} from '../../accounts/admin.service.ts'
import { type AuditRecord, listAudit } from '../../accounts/audit.service.ts'
import { AppError } from '../../lib/errors.ts'
import { listGrants } from '../../oauth/grants.service.ts'
import {
  deactivateOrg,
  findOrganization,
  findOrganizations,
  type OrgLine,
  organizationsOf,
  type PersonOrg,
  reactivateOrg,
  unverifyOrg,
  verifyOrg,
} from '../../orgs/admin.service.ts'
import { Ago, Moment } from '../components/moment.tsx'
import { countOf, formatCount, humanized } from '../format.ts'
import type { Page } from '../kit/console.tsx'
import { choice, column, defineList } from '../kit/list.tsx'
import {
  Action,
  Empty,
  Facts,
  LinkButton,
  Panel,
  State,
  TablePanel,
  Timeline,
  type Tone,
} from '../kit/parts.tsx'
import type { Admin, AdminDeps, AdminSeen } from './guard.ts'
import { ORGANIZATIONS, USERS } from './nav.ts'
import { viewPath } from './support.routes.tsx'

const SHOWN_ACTIONS = 20
const SHOWN_ORGS = 3
const ACTORS = { user: 'a user', link_token: 'a link token', operator: 'the command line', system: 'Souk' }
const PROOFS: Record<string, string> = {
  email_domain: 'Email address at the domain',
  dns: 'DNS record',
  file: 'File on the website',
  operator: 'Verified by an operator',
}

const USER_WORDS = {
  active: 'Active',
  unconfirmed: 'Email not confirmed',
  operator: 'Operator',
  deactivated: 'Deactivated',
}
const USER_LIST = defineList(USERS, 'user', {
  search: 'Email or name',
  filters: { state: choice('Status', USER_WORDS) },
})
const USER_ACTIONS = {
  deactivate: deactivateAccount,
  reactivate: reactivateAccount,
  verify: verifyAccount,
  make_admin: makeAdmin,
  revoke_admin: revokeAdmin,
}
const USER_SAID = {
  deactivate: 'Account deactivated. They are signed out everywhere, and nobody can sign in to it.',
  reactivate: 'Account reactivated. They can sign in again.',
  verify: 'Email confirmed.',
  make_admin: 'They are an operator now.',
  revoke_admin: 'Operator role removed.',
}
const UserForm = z.object({
  act: z.enum(['deactivate', 'reactivate', 'verify', 'make_admin', 'revoke_admin']),
})

const ORG_WORDS = {
  verified: 'Domain verified',
  pending: 'Domain not verified',
  deactivated: 'Deactivated',
}
const ORG_LIST = defineList(ORGANIZATIONS, 'organization', {
  search: 'Name or domain',
  filters: { state: choice('Status', ORG_WORDS) },
})
const ORG_ACTIONS = {
  verify: verifyOrg,
  unverify: unverifyOrg,
  deactivate: deactivateOrg,
  reactivate: reactivateOrg,
}
const ORG_SAID = {
  verify: 'Domain verified.',
  unverify: 'Verification removed.',
  deactivate: 'Organization deactivated. Its offers are no longer live.',
  reactivate: 'Organization reactivated. Everything works as before.',
}
const OrgForm = z.object({ act: z.enum(['verify', 'unverify', 'deactivate', 'reactivate']) })

export function mountUsers(admin: Admin, { accounts }: AdminDeps): void {
  admin.list<AccountLine, typeof USER_LIST.filters>(USER_LIST, async ({ asked }) => {
    const { q, filters, before, limit } = asked
    const { people, next } = await findPeople(accounts, {
      ...{ search: q || null, state: filters.state || null, before, limit },
    })
    const organizations = await organizationsOf(
      accounts,
      people.map(({ id }) => id),
    )
    const orgsOf = ({ id }: AccountLine) => organizations.get(id) ?? []
    return {
      title: 'Users',
      lead: 'Everyone with an account.',
      rows: people,
      next,
      order: 'Newest first',
      columns: [
        column.link('Email', 'email', ({ id }) => `${USERS}/${id}`),
        column.text('Name', 'name'),
        {
          label: 'Status',
          csv: (person) => wordsIn(userStates(person)),
          cell: (person) => states(userStates(person)),
        },
        {
          label: 'Organizations',
          csv: (person) =>
            orgsOf(person)
              .map(({ name }) => name)
              .join(', '),
          cell: (person) => <Memberships orgs={orgsOf(person)} />,
        },
        column.ago('Joined', 'createdAt', accounts.clock.now()),
      ],
      empty: <p>No accounts yet.</p>,
    }
  })

  async function findKnown(id: string): Promise<Account> {
    const account = await findAccount(accounts, id)
    if (!account) throw new AppError('not_found', 'We couldn’t find this account.', { code: 'not_found' })
    return account
  }

  async function show({ operator, id }: AdminSeen): Promise<Page> {
    const account = await findKnown(id)
    const [organizations, grants, linkTokens, history] = await Promise.all([
      organizationsOf(accounts, [id]),
      listGrants(accounts, id),
      accounts.hooks.countLinkTokens(accounts.db, id),
      listAudit(accounts, { userId: id, limit: SHOWN_ACTIONS }),
    ])
    const now = accounts.clock.now()
    const { lastSeenAt } = account
    return {
      title: account.email,
      lead: states(userStates(account)),
      said: USER_SAID,
      body: [
        <div class="side-by-side">
          <Panel title="Account">
            <Facts
              facts={[
                ['Name', account.name || 'Not stated'],
                ['Type', humanized(account.accountType)],
                ['ID', <code>{id}</code>],
                ['Joined', <Moment at={account.createdAt} />],
                ['Email confirmed', account.verifiedAt ? <Moment at={account.verifiedAt} /> : 'No'],
                ['Signs in with', account.hasPassword ? 'Password or email link' : 'Email link only'],
                ['Sessions', formatCount(account.sessions)],
                ['Last seen', lastSeenAt ? <Ago at={lastSeenAt} now={now} /> : 'Not signed in'],
                ['Connected apps', formatCount(grants.length)],
                ['Operator', operatorWords(account)],
                ...deactivated(account),
              ]}
            />
          </Panel>
          <Panel title="Actions">
            {operator.actor.user.id === id ? (
              <p class="soft">
                This is you. Another operator can deactivate your account or remove your role. Everything else
                is on <a href="/account">your account page</a>.
              </p>
            ) : (
              <UserActions account={account} linkTokens={linkTokens} />
            )}
          </Panel>
        </div>,
        <TablePanel
          title="Organizations"
          none="No organizations."
          columns={['Organization', 'Role']}
          rows={(organizations.get(id) ?? []).map(({ orgId, name, role }) => [
            <a href={`${ORGANIZATIONS}/${orgId}`}>{name}</a>,
            humanized(role),
          ])}
        />,
        <Activity records={history} self={id} now={now} />,
      ],
    }
  }

  admin.page(`${USERS}/:id`, show)
  admin.action(`${USERS}/:id`, {
    schema: UserForm,
    async act({ id, operator: { by, visit }, input: { act } }) {
      // The services take an email too, for the command line; a page names an account by its id.
      await findKnown(id)
      await USER_ACTIONS[act](accounts, id, { actor: by, visit })
      return `${USERS}/${id}?done=${act}`
    },
  })
}

export function mountOrganizations(admin: Admin, { ctx }: AdminDeps): void {
  admin.list<OrgLine, typeof ORG_LIST.filters>(ORG_LIST, async ({ asked }) => {
    const { q, filters, before, limit } = asked
    const { orgs, next } = await findOrganizations(ctx, {
      ...{ search: q || null, state: filters.state || null, before, limit },
    })
    return {
      title: 'Organizations',
      lead: 'Makers and sellers.',
      rows: orgs,
      next,
      order: 'Newest first',
      columns: [
        column.link('Name', 'name', ({ id }) => `${ORGANIZATIONS}/${id}`),
        column.text('Domain', 'domain'),
        { label: 'Status', csv: (org) => wordsIn(orgStates(org)), cell: (org) => states(orgStates(org)) },
        column.count('Members', 'members'),
        column.count('Products', 'products'),
        column.count('Offers', 'offers'),
        column.ago('Registered', 'createdAt', ctx.clock.now()),
      ],
      empty: <p>No organizations yet.</p>,
    }
  })

  async function findKnown(id: string) {
    const found = await findOrganization(ctx, id)
    if (!found) throw new AppError('not_found', 'We couldn’t find this organization.', { code: 'not_found' })
    return found
  }

  async function show({ id }: AdminSeen): Promise<Page> {
    const { org, team } = await findKnown(id)
    const history = await listAudit(ctx, { orgId: id, limit: SHOWN_ACTIONS })
    const now = ctx.clock.now()
    return {
      title: org.name,
      lead: states(orgStates(org)),
      said: ORG_SAID,
      body: [
        <div class="side-by-side">
          <Panel title="Organization">
            <Facts
              facts={[
                ['Type', humanized(org.orgType)],
                ['Domain', org.domain ?? 'None'],
                ['Verified by', proofWords(org)],
                ['Verified', org.verifiedAt ? <Moment at={org.verifiedAt} /> : 'No'],
                ['Website', org.websiteUrl ?? 'None'],
                ['Shopify store', org.shopifyShop ?? 'None'],
                ['Products', formatCount(org.products)],
                ['Offers', formatCount(org.offers)],
                ['Registered', <Moment at={org.createdAt} />],
                ['ID', <code>{id}</code>],
                ...deactivated(org),
              ]}
            />
          </Panel>
          <Panel
            title="Actions"
            actions={<LinkButton to={`${viewPath(id)}/products`} label="See what they see" />}
          >
            <OrgActions org={org} />
          </Panel>
        </div>,
        <TablePanel
          title="Team members"
          none="No team members."
          columns={['Email', 'Name', 'Role', 'Joined']}
          rows={team.map(({ userId, email, name, role, joinedAt }) => [
            <a href={`${USERS}/${userId}`}>{email}</a>,
            name || <span class="soft">Not stated</span>,
            humanized(role),
            <Ago at={joinedAt} now={now} />,
          ])}
        />,
        <Activity records={history} self="" now={now} />,
      ],
    }
  }

  admin.page(`${ORGANIZATIONS}/:id`, show)
  admin.action(`${ORGANIZATIONS}/:id`, {
    ...{ schema: OrgForm, shows: true },
    async act({ id, operator: { by, visit }, input: { act } }) {
      // The services take a domain too, for the command line; a page names an organization by its id.
      await findKnown(id)
      await ORG_ACTIONS[act](ctx, id, { actor: by, visit })
      return `${ORGANIZATIONS}/${id}?done=${act}`
    },
  })
}

type States = Array<[tone: Tone, words: string]>

function states(of: States) {
  return (
    <span class="states">
      {of.map(([tone, words]) => (
        <State tone={tone}>{words}</State>
      ))}
    </span>
  )
}

const wordsIn = (of: States) => of.map(([, words]) => words).join(', ')

function userStates({ deactivatedAt, verified, admin, demo }: AccountLine): States {
  const role: States = [...(admin ? ([['quiet', USER_WORDS.operator]] as States) : []), ...demoState(demo)]
  if (deactivatedAt !== null) return [['bad', USER_WORDS.deactivated], ...role]
  return [verified ? ['good', USER_WORDS.active] : ['mixed', USER_WORDS.unconfirmed], ...role]
}

function orgStates({ deactivatedAt, verificationStatus, demo }: OrgLine): States {
  const ended: States = deactivatedAt === null ? [] : [['bad', ORG_WORDS.deactivated]]
  const isVerified = verificationStatus === 'verified'
  const standing: States = [isVerified ? ['good', ORG_WORDS.verified] : ['mixed', ORG_WORDS.pending]]
  return [...ended, ...standing, ...demoState(demo)]
}

function demoState(isDemo: boolean): States {
  return isDemo ? [['quiet', 'Demo']] : []
}

function deactivated({ deactivatedAt }: { deactivatedAt: Date | null }): Array<[string, Child]> {
  return deactivatedAt === null ? [] : [['Deactivated', <Moment at={deactivatedAt} />]]
}

function Memberships({ orgs }: { orgs: PersonOrg[] }) {
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

/** The last actions; names who did each, except `self`. */
function Activity({ records, self, now }: { records: AuditRecord[]; self: string; now: Date }) {
  const events = records.map(({ action, actor, at, ip }) => {
    const by = actor.id !== self && ['by', ACTORS[actor.kind], actor.id].filter(Boolean).join(' ')
    const note = [by, ip !== null && `from ${ip}`].filter(Boolean).join(' · ')
    return { at, what: humanized(action), note }
  })
  return (
    <Panel title="Recent activity">
      {events.length === 0 ? <Empty>No activity yet.</Empty> : <Timeline events={events} now={now} />}
    </Panel>
  )
}

function operatorWords({ madeAdmin, named, admin }: Account): string {
  if (named) return admin ? 'Yes, by SOUK_ADMIN_EMAILS' : 'Once the email is confirmed, by SOUK_ADMIN_EMAILS'
  return madeAdmin ? 'Yes' : 'No'
}

function proofWords({ verifiedVia, domain }: OrgLine): string {
  if (verifiedVia !== null) return PROOFS[verifiedVia] ?? verifiedVia.replaceAll('_', ' ')
  return domain === null ? 'No domain to verify' : 'Not verified'
}

type Choice = { act: string; ask: string; label: string; says: Array<string | false> }

/** Actions to confirm, each with what it does. */
function Choices({ to, of }: { to: string; of: Array<Choice | false> }) {
  return (
    <>
      {of
        .filter((choice) => choice !== false)
        .map(({ act, ask, label, says }) => (
          <Action to={to} fields={{ act }} kind="danger" ask={ask} label={label}>
            {says.map((text) => text !== false && <p>{text}</p>)}
          </Action>
        ))}
    </>
  )
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
  return (
    <>
      {named && !madeAdmin && (
        <p class="soft">
          To remove their operator role, take the email out of <code>SOUK_ADMIN_EMAILS</code> and restart.
        </p>
      )}
      <Choices
        to={to}
        of={[
          !verified && {
            ...{ act: 'verify', ask: 'Confirm their email', label: 'Confirm email' },
            says: [
              "Use this when our emails don't reach them. Make sure the address is theirs: it proves who they are.",
              named && 'SOUK_ADMIN_EMAILS names this address: confirming it makes them an operator.',
            ],
          },
          !madeAdmin &&
            !named && {
              ...{ act: 'make_admin', ask: 'Make operator', label: 'Make operator' },
              says: [
                'They can see and do everything on these pages, and deactivate others.',
                !verified && "Their email isn't confirmed. Make sure the account is theirs.",
              ],
            },
          madeAdmin && {
            ...{ act: 'revoke_admin', ask: 'Remove operator role', label: 'Remove role' },
            says: [
              named
                ? 'They stay an operator until you remove their email from SOUK_ADMIN_EMAILS.'
                : 'They keep their account, and lose these pages right away.',
            ],
          },
          {
            ...{ act: 'deactivate', ask: 'Deactivate this account', label: 'Deactivate' },
            says: [
              "They are signed out everywhere, their apps are disconnected, and they can't sign in. Their organizations stay. You can reactivate the account later.",
              linkTokens > 0 &&
                `${countOf(linkTokens, 'link token')} they made ${linkTokens === 1 ? 'stops' : 'stop'} working for good.`,
            ],
          },
        ]}
      />
    </>
  )
}

function OrgActions({ org: { id, domain, verificationStatus, deactivatedAt } }: { org: OrgLine }) {
  const to = `${ORGANIZATIONS}/${id}`
  const isVerified = verificationStatus === 'verified'
  return (
    <>
      {domain === null && <p class="soft">They have no domain to verify.</p>}
      <Choices
        to={to}
        of={[
          isVerified && {
            ...{ act: 'unverify', ask: 'Remove verification', label: 'Remove verification' },
            says: [
              `Anyone who proves they own ${domain} can verify it. Claims that the domain verified go back to review.`,
            ],
          },
          !isVerified &&
            domain !== null && {
              ...{ act: 'verify', ask: `Verify ${domain}`, label: 'Verify' },
              says: [
                `You confirm that ${domain} is theirs. This also verifies the claims that depend on it, and nobody else can verify the domain.`,
              ],
            },
          deactivatedAt === null && {
            ...{ act: 'deactivate', ask: 'Deactivate this organization', label: 'Deactivate' },
            says: [
              'Its offers go offline and it gets no requests for quotes. Its team and plugins can read but not change anything. You can reactivate it later.',
            ],
          },
        ]}
      />
      {deactivatedAt !== null && <Action to={to} fields={{ act: 'reactivate' }} label="Reactivate" />}
    </>
  )
}

/** /admin/organizations and one of them: who they say they are, what proves it, who belongs to them. */
import type { AuditRecord } from '../../../accounts/audit.service.ts'
import type { OrgLine, OrgState } from '../../../orgs/admin.service.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import type { FormState } from '../../kit/fields.tsx'
import { DataTable, Empty, Panel, State } from '../../kit/parts.tsx'
import type { Site } from '../../site.ts'
import type { Operator } from '../guard.ts'
import { AdminPage } from '../page.tsx'
import { ORGANIZATIONS, USERS } from '../paths.ts'
import { ActionButton, Actions, type Asked, ConfirmedAction, Facts, Finder, Older } from './parts.tsx'

const STATES = [
  ['verified', 'Domain proved'],
  ['pending', 'Domain not proved'],
  ['deactivated', 'Deactivated'],
] as const

type ListProps = {
  site: Site
  operator: Operator
  asked: Asked<OrgState>
  orgs: OrgLine[]
  next: string | null
  now: Date
}

export function renderOrganizations({ site, operator, asked, orgs, next, now }: ListProps): string {
  const filtered = asked.search !== null || asked.state !== null
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title="Organizations"
      lead="Makers and sellers, newest first."
      at={ORGANIZATIONS}
    >
      <Finder action={ORGANIZATIONS} label="Name or domain" asked={asked} states={STATES} />
      {orgs.length === 0 ? (
        <Empty>
          <p>{filtered ? 'There is no organization like that.' : 'There is no organization yet.'}</p>
          {filtered && <a href={ORGANIZATIONS}>Show all</a>}
        </Empty>
      ) : (
        <DataTable
          caption="Organizations"
          columns={[
            { label: 'Name' },
            { label: 'Domain' },
            { label: 'State' },
            { label: 'Members', kind: 'number' },
            { label: 'Products', kind: 'number' },
            { label: 'Offers', kind: 'number' },
            { label: 'Registered' },
          ]}
          rows={orgs.map((org) => [
            <a href={`${ORGANIZATIONS}/${org.id}`}>{org.name}</a>,
            org.domain ?? <span class="soft">none</span>,
            <OrgStates org={org} />,
            formatCount(org.members),
            formatCount(org.products),
            formatCount(org.offers),
            <Ago at={org.createdAt} now={now} />,
          ])}
        />
      )}
      <Older action={ORGANIZATIONS} asked={asked} next={next} label="Older organizations" />
    </AdminPage>,
  )
}

function OrgStates({ org }: { org: OrgLine }) {
  return (
    <span class="states">
      {org.deactivatedAt !== null && <State tone="bad">Deactivated</State>}
      {org.verificationStatus === 'verified' ? (
        <State tone="good">Domain proved</State>
      ) : (
        <State tone="mixed">Domain not proved</State>
      )}
    </span>
  )
}

type OneProps = {
  site: Site
  operator: Operator
  org: OrgLine
  team: Array<{ userId: string; email: string; name: string; role: string; joinedAt: Date }>
  history: AuditRecord[]
  state: FormState
  done: string | null
  now: Date
}

export function renderOrganization({
  site,
  operator,
  org,
  team,
  history,
  state,
  done,
  now,
}: OneProps): string {
  return String(
    <AdminPage
      site={site}
      waiting={operator.waiting}
      title={org.name}
      lead={<OrgStates org={org} />}
      at={ORGANIZATIONS}
      done={done}
      errors={state.errors}
    >
      <div class="side-by-side">
        <Panel title="Organization">
          <Facts
            facts={[
              ['Kind', org.orgType],
              ['Domain', org.domain ?? 'none'],
              ['Proof', proofWords(org)],
              ['Proved', org.verifiedAt ? <Moment at={org.verifiedAt} /> : 'no'],
              ['Website', org.websiteUrl ?? 'none'],
              ['Shopify shop', org.shopifyShop ?? 'none'],
              ['Products', formatCount(org.products)],
              ['Offers', formatCount(org.offers)],
              ['Registered', <Moment at={org.createdAt} />],
              ['Id', <code>{org.id}</code>],
              ...(org.deactivatedAt ? [['Deactivated', <Moment at={org.deactivatedAt} />] as const] : []),
            ]}
          />
        </Panel>
        <Panel title="What you can do">
          <OrgActions org={org} />
        </Panel>
      </div>
      <Panel title="Members">
        {team.length === 0 ? (
          <Empty>Nobody belongs to it any more.</Empty>
        ) : (
          <DataTable
            caption={`Members of ${org.name}`}
            columns={[{ label: 'Address' }, { label: 'Name' }, { label: 'Role' }, { label: 'Joined' }]}
            rows={team.map((member) => [
              <a href={`${USERS}/${member.userId}`}>{member.email}</a>,
              member.name || <span class="soft">none</span>,
              member.role,
              <Ago at={member.joinedAt} now={now} />,
            ])}
          />
        )}
      </Panel>
      <Panel title="Recent activity">
        <Actions records={history} self="" now={now} />
      </Panel>
    </AdminPage>,
  )
}

const PROOFS: Record<string, string> = {
  email_domain: 'the mail address of whoever registered it is at the domain',
  dns: 'a record in the DNS of the domain',
  file: 'a file on the website of the domain',
  operator: 'you, or another operator, said so',
}

function proofWords({ verifiedVia, domain }: OrgLine): string {
  if (verifiedVia !== null) return PROOFS[verifiedVia] ?? verifiedVia.replaceAll('_', ' ')
  return domain === null ? 'there is no domain to prove' : 'none yet'
}

function OrgActions({ org }: { org: OrgLine }) {
  const action = `${ORGANIZATIONS}/${org.id}`
  return (
    <>
      {org.verificationStatus === 'verified' ? (
        <ConfirmedAction action={action} act="unverify" ask="Take the verification away" label="Take it away">
          <p>
            {org.domain} is free for whoever proves it, and what hung on it is unproved: claims that the
            domain verified wait again.
          </p>
        </ConfirmedAction>
      ) : (
        org.domain !== null && (
          <ConfirmedAction action={action} act="verify" ask={`Verify ${org.domain}`} label="Verify">
            <p>
              You say that {org.domain} is theirs. Claims that hang on the domain are verified with it, and
              nobody else can prove it.
            </p>
          </ConfirmedAction>
        )
      )}
      {org.domain === null && <p class="soft">It names no domain that could be verified.</p>}
      {org.deactivatedAt === null ? (
        <ConfirmedAction
          action={action}
          act="deactivate"
          ask="Deactivate this organization"
          label="Deactivate"
        >
          <p>
            Its offers are no longer shown and nobody asks it for quotes. Its people and plugins read on and
            write nothing. You can reactivate it later, and all works as before.
          </p>
        </ConfirmedAction>
      ) : (
        <ActionButton action={action} act="reactivate" label="Reactivate" />
      )}
    </>
  )
}

/** /admin/organizations: who they are, what verifies their domain, who belongs to them. Actions wait until shoppers see them. */
import { z } from 'zod'
import { listAudit } from '../../../accounts/audit.service.ts'
import { AppError } from '../../../lib/errors.ts'
import {
  deactivateOrg,
  findOrganization,
  findOrganizations,
  ORG_STATES,
  type OrgLine,
  reactivateOrg,
  unverifyOrg,
  verifyOrg,
} from '../../../orgs/admin.service.ts'
import { Ago, Moment } from '../../components/moment.tsx'
import { formatCount } from '../../format.ts'
import type { Page } from '../../kit/console.tsx'
import { type ListSpec, listPage } from '../../kit/list.tsx'
import { Action, DataTable, Empty, Facts, Panel, State } from '../../kit/parts.tsx'
import type { AdminDeps } from '../deps.ts'
import type { Admin, AdminSeen, Who } from '../guard.ts'
import { ORGANIZATIONS, USERS } from '../nav.ts'
import { Activity, SHOWN_ACTIONS } from './activity.tsx'

const STATE_WORDS = {
  verified: 'Domain verified',
  pending: 'Domain not verified',
  deactivated: 'Deactivated',
}
const LIST = {
  ...{ path: ORGANIZATIONS, noun: 'organization', search: 'Name or domain', pageSize: 50 },
  filters: { state: ORG_STATES },
} satisfies ListSpec

const ACTIONS = {
  verify: verifyOrg,
  unverify: unverifyOrg,
  deactivate: deactivateOrg,
  reactivate: reactivateOrg,
}
const SAID = {
  verify: 'Domain verified.',
  unverify: 'Verification removed.',
  deactivate: 'Organization deactivated. Its offers are no longer live.',
  reactivate: 'Organization reactivated. Everything works as before.',
}
const ActForm = z.object({ act: z.enum(['verify', 'unverify', 'deactivate', 'reactivate']) })

const PROOFS: Record<string, string> = {
  email_domain: 'Email address at the domain',
  dns: 'DNS record',
  file: 'File on the website',
  operator: 'Verified by an operator',
}

export function mountOrganizations(admin: Admin, { ctx, shown }: AdminDeps): void {
  admin.page(
    ORGANIZATIONS,
    listPage<Who, OrgLine, typeof LIST.filters>(LIST, async ({ asked: { q, filters, before } }) => {
      const { orgs, next } = await findOrganizations(ctx, {
        ...{ search: q || null, state: filters.state || null, before },
      })
      return {
        page: { title: 'Organizations', lead: 'Makers and sellers.' },
        rows: orgs,
        next,
        order: 'Newest first',
        filters: {
          state: {
            label: 'Status',
            options: ORG_STATES.map((state) => [state, STATE_WORDS[state]] as const),
          },
        },
        columns: [
          {
            label: 'Name',
            cell: ({ id, name }) => <a href={`${ORGANIZATIONS}/${id}`}>{name}</a>,
            csv: ({ name }) => name,
          },
          {
            label: 'Domain',
            cell: ({ domain }) => domain ?? <span class="soft">None</span>,
            csv: ({ domain }) => domain,
          },
          {
            label: 'Status',
            cell: (org) => <States org={org} />,
            csv: (org) => statesOf(org).join(', '),
          },
          ...(['members', 'products', 'offers'] as const).map((count) => ({
            label: { members: 'Members', products: 'Products', offers: 'Offers' }[count],
            kind: 'number' as const,
            cell: (org: OrgLine) => formatCount(org[count]),
            csv: (org: OrgLine) => org[count],
          })),
          {
            label: 'Registered',
            cell: ({ createdAt }) => <Ago at={createdAt} now={ctx.clock.now()} />,
            csv: ({ createdAt }) => createdAt,
          },
        ],
        empty: <p>No organizations yet.</p>,
      }
    }),
  )

  async function findKnown(id: string) {
    const found = await findOrganization(ctx, id)
    if (!found) throw new AppError('not_found', 'We couldn’t find this organization.', { code: 'not_found' })
    return found
  }

  async function show({ c }: AdminSeen): Promise<Page> {
    const { org, team } = await findKnown(c.req.param('id') ?? '')
    const history = await listAudit(ctx, { orgId: org.id, limit: SHOWN_ACTIONS })
    const now = ctx.clock.now()
    return {
      title: org.name,
      lead: <States org={org} />,
      at: ORGANIZATIONS,
      said: SAID,
      body: (
        <>
          <div class="side-by-side">
            <Panel title="Organization">
              <Facts
                facts={[
                  ['Type', org.orgType],
                  ['Domain', org.domain ?? 'None'],
                  ['Verified by', proofWords(org)],
                  ['Verified', org.verifiedAt ? <Moment at={org.verifiedAt} /> : 'No'],
                  ['Website', org.websiteUrl ?? 'None'],
                  ['Shopify store', org.shopifyShop ?? 'None'],
                  ['Products', formatCount(org.products)],
                  ['Offers', formatCount(org.offers)],
                  ['Registered', <Moment at={org.createdAt} />],
                  ['ID', <code>{org.id}</code>],
                  ...(org.deactivatedAt ? [['Deactivated', <Moment at={org.deactivatedAt} />] as const] : []),
                ]}
              />
            </Panel>
            <Panel title="Actions">
              <OrgActions org={org} />
            </Panel>
          </div>
          <Panel title="Team members">
            {team.length === 0 ? (
              <Empty>No team members.</Empty>
            ) : (
              <DataTable
                caption={`Team members of ${org.name}`}
                columns={[{ label: 'Email' }, { label: 'Name' }, { label: 'Role' }, { label: 'Joined' }]}
                rows={team.map((member) => [
                  <a href={`${USERS}/${member.userId}`}>{member.email}</a>,
                  member.name || <span class="soft">Not stated</span>,
                  member.role,
                  <Ago at={member.joinedAt} now={now} />,
                ])}
              />
            )}
          </Panel>
          <Activity records={history} self="" now={now} />
        </>
      ),
    }
  }

  admin.page(`${ORGANIZATIONS}/:id`, show)
  admin.action(`${ORGANIZATIONS}/:id`, {
    schema: ActForm,
    page: show,
    async act({ c, operator: { by, visit }, input: { act } }) {
      // The services take a domain too, for the command line; a page names an organization by its id.
      const { id } = (await findKnown(c.req.param('id') ?? '')).org
      await ACTIONS[act](ctx, id, { actor: by, visit })
      await shown()
      return `${ORGANIZATIONS}/${id}?done=${act}`
    },
  })
}

function statesOf({ deactivatedAt, verificationStatus }: OrgLine): string[] {
  const domain = verificationStatus === 'verified' ? STATE_WORDS.verified : STATE_WORDS.pending
  return deactivatedAt === null ? [domain] : [STATE_WORDS.deactivated, domain]
}

function States({ org }: { org: OrgLine }) {
  return (
    <span class="states">
      {org.deactivatedAt !== null && <State tone="bad">{STATE_WORDS.deactivated}</State>}
      <State tone={org.verificationStatus === 'verified' ? 'good' : 'mixed'}>{statesOf(org).at(-1)}</State>
    </span>
  )
}

function proofWords({ verifiedVia, domain }: OrgLine): string {
  if (verifiedVia !== null) return PROOFS[verifiedVia] ?? verifiedVia.replaceAll('_', ' ')
  return domain === null ? 'No domain to verify' : 'Not verified'
}

function OrgActions({ org: { id, domain, verificationStatus, deactivatedAt } }: { org: OrgLine }) {
  const danger = { to: `${ORGANIZATIONS}/${id}`, kind: 'danger' as const }
  return (
    <>
      {verificationStatus === 'verified' && (
        <Action
          {...danger}
          fields={{ act: 'unverify' }}
          ask="Remove verification"
          label="Remove verification"
        >
          <p>
            Anyone who proves they own {domain} can verify it. Claims that the domain verified go back to
            review.
          </p>
        </Action>
      )}
      {verificationStatus !== 'verified' && domain !== null && (
        <Action {...danger} fields={{ act: 'verify' }} ask={`Verify ${domain}`} label="Verify">
          <p>
            You confirm that {domain} is theirs. This also verifies the claims that depend on it, and nobody
            else can verify the domain.
          </p>
        </Action>
      )}
      {domain === null && <p class="soft">They have no domain to verify.</p>}
      {deactivatedAt === null ? (
        <Action
          {...danger}
          fields={{ act: 'deactivate' }}
          ask="Deactivate this organization"
          label="Deactivate"
        >
          <p>
            Its offers go offline and it gets no requests for quotes. Its team and plugins can read but not
            change anything. You can reactivate it later.
          </p>
        </Action>
      ) : (
        <Action {...danger} kind="plain" fields={{ act: 'reactivate' }} label="Reactivate" />
      )}
    </>
  )
}

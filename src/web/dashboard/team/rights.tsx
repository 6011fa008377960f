/** What each role, and a link token, can do: in the words of what people do here, from the rights that services ask for. */
import { ORG_ROLES, type OrgRole } from '../../../orgs/orgs.schema.ts'
import { hasRight, LINK_TOKEN_ROLE, type Right } from '../../../orgs/producer.ts'
import { humanized } from '../../format.ts'
import { DataTable } from '../../kit/parts.tsx'

/** `byToken`: what a token may do beyond the role that it has. */
type Doable = { what: string; right: Right | 'own'; byToken?: true }

const ACTIONS: Doable[] = [
  { what: 'See products, offers, prices, requests and performance', right: 'read' },
  { what: 'Claim products, propose and import them', right: 'edit' },
  { what: 'Publish, change and end offers', right: 'edit' },
  { what: 'Set prices, stock, shipping and regions', right: 'manage' },
  { what: 'Choose who answers requests, and set up the agent', right: 'manage', byToken: true },
  { what: 'Change the profile', right: 'manage' },
  { what: 'Verify the domain', right: 'manage', byToken: true },
  { what: 'Read the history', right: 'oversee', byToken: true },
  { what: 'Invite and remove team members, and change roles', right: 'manage' },
  { what: 'Create and revoke link tokens', right: 'manage' },
  { what: 'Add and remove owners', right: 'own' },
]

const may = (role: OrgRole, right: Doable['right']) =>
  right === 'own' ? role === 'owner' : hasRight(role, right)
const said = (can: boolean) => (can ? 'Yes' : <span class="soft">No</span>)

/** Without `roles`, what a token can do alone. */
export function Rights({ of }: { of: 'roles' | 'token' }) {
  const roles = of === 'roles' ? ORG_ROLES : []
  return (
    <DataTable
      caption={of === 'roles' ? 'What each role can do' : 'What a token can do'}
      columns={['Action', ...roles.map(humanized), 'Link token']}
      rows={ACTIONS.map(({ what, right, byToken = false }) => [
        what,
        ...roles.map((role) => said(may(role, right))),
        said(byToken || may(LINK_TOKEN_ROLE, right)),
      ])}
    />
  )
}

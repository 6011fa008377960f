/** A page of the dashboard: the frame, with the organization that one acts for and the ways that one's role has. */
import type { Child } from 'hono/jsx'
import type { SessionActor } from '../../accounts/actor.ts'
import type { Org, OrgRole } from '../../orgs/orgs.schema.ts'
import type { Caller, Right } from '../../orgs/producer.ts'
import { Console } from '../console/frame.tsx'
import { Empty } from '../console/parts.tsx'
import { type FormState, Hidden } from '../forms/fields.tsx'
import type { Site } from '../site.ts'
import { DASHBOARD, waysFor } from './nav.ts'

/** Somebody who looks at the dashboard, for one organization of theirs. */
export type Visitor = {
  actor: SessionActor
  /** Bound to the organization, whichever they select meanwhile. */
  caller: Caller
  org: Org
  role: OrgRole
  organizations: Array<{ orgId: string; name: string; selected: boolean }>
  /** Whether their role has it, and the organization can still be written to. */
  may(right: Right): boolean
}

export type DashboardPageProps = {
  site: Site
  visitor: Visitor
  title: string
  lead?: Child
  /** One of the ways in nav.ts. */
  at: string
  actions?: Child
  done?: string | null
  errors?: FormState['errors']
  children: Child
}

export function DashboardPage(props: DashboardPageProps) {
  const { visitor } = props
  return (
    <Console
      {...props}
      name="Dashboard"
      groups={waysFor(visitor.may)}
      whose={<Whose visitor={visitor} at={props.at} />}
      isOperator={visitor.actor.user.isAdmin}
    >
      {visitor.org.deactivatedAt !== null && (
        <p class="aside">
          {visitor.org.name} is deactivated: nothing of it is shown to buyers and nothing can be changed.
          Write to the operator of this service.
        </p>
      )}
      {props.children}
    </Console>
  )
}

function Whose({ visitor, at }: { visitor: Visitor; at: string }) {
  const { org, role, organizations } = visitor
  return (
    <div class="whose">
      <p>
        <strong>{org.name}</strong>
        <span class="row-note">You are {role === 'owner' ? 'an owner' : `${an(role)} ${role}`}</span>
      </p>
      {organizations.length > 1 && (
        <details>
          <summary>Switch organization</summary>
          <ul>
            {organizations
              .filter(({ selected }) => !selected)
              .map(({ orgId, name }) => (
                <li>
                  <form method="post" action="/dashboard/switch">
                    <Hidden name="org_id" value={orgId} />
                    <Hidden name="at" value={at} />
                    <button type="submit">{name}</button>
                  </form>
                </li>
              ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function an(word: string): string {
  return /^[aeiou]/.test(word) ? 'an' : 'a'
}

type DeedProps = {
  visitor: Visitor
  action: string
  label: Child
  kind?: 'primary' | 'plain' | 'danger'
  children?: Child
}

/** A form of the dashboard: it names the organization it was shown for. */
export function Deed({ visitor, action, label, kind = 'primary', children }: DeedProps) {
  return (
    <form class="fields" method="post" action={action}>
      <Hidden name="org_id" value={visitor.org.id} />
      {children}
      <p>
        <button class={kind === 'primary' ? 'button' : `button ${kind}`} type="submit">
          {label}
        </button>
      </p>
    </form>
  )
}

/** A page that this role may not see: which may, and that nothing is broken. */
export function renderNotAllowed(site: Site, visitor: Visitor, right: Right): string {
  const who = right === 'edit' ? 'An owner, admin or editor' : 'An owner or admin'
  return String(
    <DashboardPage site={site} visitor={visitor} title="Not for your role" at={DASHBOARD}>
      <Empty>
        <p>
          {who} of {visitor.org.name} can open this page. You are {an(visitor.role)} {visitor.role}; ask one
          of them, or ask to be given another role.
        </p>
        <p class="line">
          <a href="/dashboard/team">See the team</a>
          <a href={DASHBOARD}>Go to the overview</a>
        </p>
      </Empty>
    </DashboardPage>,
  )
}

/** For a form of another organization's page, which has no page here to be shown on again. */
export function renderNotOpenedFor(site: Site, visitor: Visitor): string {
  const { org } = visitor
  return String(
    <DashboardPage site={site} visitor={visitor} title="Nothing was changed" at={DASHBOARD}>
      <Empty>
        <p>
          This form was not opened for {org.name}, which you act for now. Switch to the organization it was
          for, and send it again.
        </p>
        <p class="line">
          <a href={DASHBOARD}>Go to the overview of {org.name}</a>
        </p>
      </Empty>
    </DashboardPage>,
  )
}

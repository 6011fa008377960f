/** A page of the dashboard: the frame, with the organization that one acts for and the ways that one's role has. */
import type { SessionActor } from '../../accounts/actor.ts'
import type { Org, OrgRole } from '../../orgs/orgs.schema.ts'
import type { Pending } from '../../orgs/pending.ts'
import { type Caller, hasRight, type Right } from '../../orgs/producer.ts'
import type { Rename } from '../../orgs/renames.service.ts'
import type { Frame, Page } from '../kit/console.tsx'
import { Hidden } from '../kit/fields.tsx'
import { Empty } from '../kit/parts.tsx'
import type { Site } from '../site.ts'
import { viewerOf } from '../viewer.ts'
import { waysFor } from './nav.ts'
import { DASHBOARD, SWITCH_PATH, TEAM_PATH } from './paths.ts'

/** Somebody who looks at the dashboard, for one organization of theirs. */
export type Visitor = {
  actor: SessionActor
  /** Bound to the organization, whichever they select meanwhile. */
  caller: Caller
  org: Org
  role: OrgRole
  /** A new name that waits for the operator, or was declined. */
  rename: Rename | null
  /** Why it is not verified; null when it is. */
  pending: Pending | null
  organizations: Array<{ orgId: string; name: string; selected: boolean }>
  /** Whether their role has it, and the organization can still be written to. */
  may(right: Right): boolean
}

/** The frame of every page of the dashboard: whom the visitor acts for, and what their role may open. */
export function frameOf(site: Site, visitor: Visitor): Frame & { name: string } {
  return {
    site: { ...site, viewer: viewerOf(visitor.actor.user) },
    name: 'Dashboard',
    groups: waysFor(visitor.may),
    whose: (at) => <Whose visitor={visitor} at={at} />,
    isOperator: visitor.actor.user.isAdmin,
    hidden: { org_id: visitor.org.id },
    notice: visitor.org.deactivatedAt !== null && (
      <p class="aside">
        {visitor.org.name} is deactivated. Buyers see nothing of it, and nothing can be changed. Contact the
        operator of this service.
      </p>
    ),
  }
}

function Whose({ visitor, at }: { visitor: Visitor; at: string }) {
  const { org, role, organizations } = visitor
  return (
    <div class="whose">
      <p>
        <strong>{org.name}</strong>
        {org.demo && (
          <>
            {' '}
            <span class="badge">Demo</span>
          </>
        )}
        <span class="row-note">You are {`${an(role)} ${role}`}</span>
      </p>
      {organizations.length > 1 && (
        <details>
          <summary>Switch organization</summary>
          <ul>
            {organizations
              .filter(({ selected }) => !selected)
              .map(({ orgId, name }) => (
                <li>
                  <form method="post" action={SWITCH_PATH}>
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

/** "An owner or admin" */
export function whoMay(right: Right): string {
  return right === 'edit' ? 'An owner, admin or editor' : 'An owner or admin'
}

/** For a role that only looks: who changes what stands here. */
export function WhoMay({
  visitor: { org, role },
  right,
  what = 'change this',
}: {
  visitor: Visitor
  right: Right
  what?: string
}) {
  if (hasRight(role, right) || org.deactivatedAt !== null) return null
  return (
    <p class="soft">
      {whoMay(right)} of {org.name} can {what}.
    </p>
  )
}

/** The page for a role that may not open a page: who may, and where to ask. */
export function notAllowed({ org, role }: Visitor, right: Right): Page {
  return {
    ...{ title: 'Not for your role', at: DASHBOARD, status: 403, errors: {} },
    body: (
      <Empty>
        <p>
          {whoMay(right)} of {org.name} can open this page. You are {an(role)} {role}: ask one of them, or ask
          for another role.
        </p>
        <p class="line">
          <a href={TEAM_PATH}>See the team</a>
          <a href={DASHBOARD}>Go to the overview</a>
        </p>
      </Empty>
    ),
  }
}

/** The page for a form of another organization, which has no page here to be shown on again. */
export function notOpenedFor({ org }: Visitor): Page {
  return {
    ...{ title: 'Nothing was changed', at: DASHBOARD },
    body: (
      <Empty>
        <p>
          This form was opened for another organization, and you now act for {org.name}. Switch back, and send
          it again.
        </p>
        <p class="line">
          <a href={DASHBOARD}>Go to the overview of {org.name}</a>
        </p>
      </Empty>
    ),
  }
}

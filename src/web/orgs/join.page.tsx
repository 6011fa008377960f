/**
 * The page behind an invitation's link. An organization's name is whatever its owner typed, so the page shows separately
 * what is certain: its verified domain and the inviter's email.
 */

import type { Person } from '../../accounts/actor.ts'
import { DEAD_INVITATION, type Invitation, joinPath } from '../../orgs/invitations.service.ts'
import type { OrgRole } from '../../orgs/orgs.schema.ts'
import { type ShownOrg, shownName, shownOrg } from '../../orgs/shown-org.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import { SignInWays, VerifyEmail } from '../components/sign-in-ways.tsx'
import { Form, Hidden } from '../kit/fields.tsx'
import { renderNotice } from '../kit/person.tsx'
import type { Site } from '../site.ts'

const MAY: Record<OrgRole, string> = {
  owner: 'do everything, including add and remove owners',
  admin: 'manage the organization, its team, offers and products',
  editor: 'manage offers and products',
  viewer: 'view offers, products and the team',
}

type JoinPage = { site: Site; invitation: Invitation; token: string; user: Person | null }

export function renderJoin(page: JoinPage): string {
  const { site, invitation } = page
  return String(
    <NarrowPage site={site} title={`Join ${shownName(invitation.orgName)}?`}>
      <p>
        <strong>{shownOrg(orgOf(invitation))}</strong> invited <strong>{invitation.email}</strong> to join as{' '}
        <strong>{invitation.role}</strong>. You’ll be able to {MAY[invitation.role]}.
      </p>
      <div class="aside">
        <p>{whoInvites(invitation)}</p>
        <p>{whoItIs(invitation)}</p>
      </div>
      <NextStep {...page} />
    </NarrowPage>,
  )
}

function NextStep({ invitation, token, user }: JoinPage) {
  const back = joinPath(token)
  if (user === null)
    return (
      <>
        <p>To join, sign in as {invitation.email}, or create an account with that email.</p>
        <SignInWays back={back} />
      </>
    )
  if (user.email.toLowerCase() !== invitation.email.toLowerCase())
    return (
      <>
        <p>
          You’re signed in as {user.email}, but this invitation is for {invitation.email}. Switch accounts, or
          ask for an invitation to {user.email}.
        </p>
        <Form action="/auth/signout" label="Use another account">
          <Hidden name="return_to" value={back} />
        </Form>
      </>
    )
  if (!user.emailVerified)
    return <VerifyEmail email={user.email} back={back} then="open this invitation again" />
  return (
    <Form action="/org/join" label={`Join ${shownName(invitation.orgName)}`}>
      <Hidden name="token" value={token} />
    </Form>
  )
}

function orgOf({ orgName, orgDomain }: Invitation): ShownOrg {
  return { name: orgName, verified: orgDomain !== null, domain: orgDomain }
}

function whoInvites({ inviter }: Invitation): string {
  if (inviter === null) return 'The person who invited you no longer has an account.'
  return `Invited by ${inviter.name ? `${inviter.name}, ${inviter.email}` : inviter.email}.`
}

function whoItIs({ orgDomain, inviter }: Invitation): string {
  if (orgDomain !== null) return `Verified domain: ${orgDomain}.`
  const whom = inviter === null ? 'this organization' : inviter.email
  return `This organization has no verified domain. Join only if you know ${whom}.`
}

export function renderDeadInvitation(site: Site, state: Exclude<Invitation['state'], 'open'>): string {
  const text = `${DEAD_INVITATION[state].replace(/^t/, 'T')}.`
  return renderNotice({
    site,
    title: 'This invitation is no longer valid',
    text,
    link: '/account',
    label: 'Go to your account',
  })
}

export function renderNoInvitation(site: Site): string {
  const text = 'Make sure you copied the whole link from the email.'
  return renderNotice({ site, title: 'Invitation not found', text, link: '/', label: 'Go to the home page' })
}

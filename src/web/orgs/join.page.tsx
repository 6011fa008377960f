/**
 * The page behind the link of an invitation. An organization's name is whatever its owner typed, so what is certain (its
 * proved domain, the address of who invites) is shown apart from it. Whoever cannot join yet is told exactly what to do.
 */

import type { Person } from '../../accounts/actor.ts'
import { DEAD_INVITATION, type Invitation, joinPath } from '../../orgs/invitations.service.ts'
import type { OrgRole } from '../../orgs/orgs.schema.ts'
import { type ShownOrg, shownName, shownOrg } from '../../orgs/shown-org.ts'
import { renderNotice } from '../account/auth-pages.tsx'
import { NarrowPage } from '../components/narrow-page.tsx'
import { SignInWays } from '../components/sign-in-ways.tsx'
import { Form, Hidden } from '../kit/fields.tsx'
import type { Site } from '../site.ts'

const MAY: Record<OrgRole, string> = {
  owner: 'do everything, including making and removing owners',
  admin: 'manage the organization, its team, its offers and its products',
  editor: 'manage its offers and its products',
  viewer: 'see its offers, its products and its team',
}

type JoinPage = { site: Site; invitation: Invitation; token: string; user: Person | null }

export function renderJoin(page: JoinPage): string {
  const { site, invitation } = page
  return String(
    <NarrowPage site={site} title={`Join ${shownName(invitation.orgName)}?`}>
      <p>
        <strong>{shownOrg(orgOf(invitation))}</strong> invites <strong>{invitation.email}</strong> to be{' '}
        <strong>{invitation.role}</strong>: to {MAY[invitation.role]}.
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
        <p>
          To join, sign in with an account whose address is {invitation.email}. If you have none, make one.
        </p>
        <SignInWays back={back} />
      </>
    )
  if (user.email.toLowerCase() !== invitation.email.toLowerCase())
    return (
      <>
        <p>
          You are signed in as {user.email}, but the invitation is for {invitation.email}. Sign in with that
          address, or ask to be invited as {user.email}.
        </p>
        <Form action="/auth/signout" label="Use another account">
          <Hidden name="return_to" value={back} />
        </Form>
      </>
    )
  if (!user.emailVerified)
    return (
      <>
        <p>
          Your address is not confirmed yet. Open the link in the mail we sent to {user.email}, then open this
          invitation again.
        </p>
        <Form action="/auth/verify" label="Send the mail again">
          <Hidden name="return_to" value={back} />
        </Form>
      </>
    )
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
  if (inviter === null) return 'Whoever invited you has no account any more.'
  return `Invited by ${inviter.name ? `${inviter.name}, ${inviter.email}` : inviter.email}.`
}

function whoItIs({ orgDomain, inviter }: Invitation): string {
  if (orgDomain !== null) return `It has proved that ${orgDomain} is its domain.`
  const whom = inviter === null ? 'who it is' : inviter.email
  return `The name is what the organization calls itself: it has proved no domain. Join only if you know ${whom}.`
}

export function renderDeadInvitation(site: Site, state: Exclude<Invitation['state'], 'open'>): string {
  const text = `${DEAD_INVITATION[state].replace(/^t/, 'T')}.`
  return renderNotice({
    site,
    title: 'This invitation is over',
    text,
    link: '/account',
    label: 'Go to your account',
  })
}

export function renderNoInvitation(site: Site): string {
  const text = 'There is no such invitation. Make sure that the whole link was copied from the mail.'
  return renderNotice({ site, title: 'No invitation', text, link: '/', label: 'To the front page' })
}

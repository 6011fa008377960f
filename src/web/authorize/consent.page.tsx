/**
 * The page that asks. It must let a person tell a client they started from one that was pushed on them, so it shows what
 * is certain (where the answer is sent, who is signed in) apart from what the client says of itself (its name).
 */

import type { Person } from '../../accounts/actor.ts'
import { clientHost } from '../../oauth/authorize.service.ts'
import type { AuthorizeRequest, Client } from '../../oauth/oauth.schema.ts'
import { redirectHost, redirectKind } from '../../oauth/redirect-uris.ts'
import type { ActingOrg } from '../../orgs/producer.ts'
import { shownName, shownOrg } from '../../orgs/shown-org.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import { Form, Hidden } from '../kit/fields.tsx'
import type { Site } from '../site.ts'

export type ConsentPage = {
  request: AuthorizeRequest
  user: Person
  /** The one the client will act for, if the person belongs to any. */
  org: ActingOrg | null
  /** The request as it came, to be sent again with the decision. */
  params: URLSearchParams
  formToken: string
  /** This page's own path and query, to come back to after changing accounts. */
  returnTo: string
}

export const FORM_TOKEN = 'form_token'

export function renderConsentPage(page: ConsentPage, site: Site): string {
  const { request, user, org } = page
  const { client, redirectUri } = request
  return String(
    <NarrowPage site={site} title={`Allow ${client.name}?`}>
      <p>
        <strong>{client.name}</strong> at <strong>{clientHost(client, redirectUri)}</strong> asks to use Souk
        as <strong>{user.email}</strong>.
      </p>
      {org && <ForWhom org={org} />}
      <div class="aside">
        <p>{whoIsAsking(client)}</p>
        <p>{whereItGoes(redirectUri)}</p>
      </div>
      <h2>What it may do</h2>
      <ul class="plain-list">
        <li>Search and read the catalog, and ask sellers for quotes, as you.</li>
        <li>See and change the products you have saved.</li>
        {org && (
          <li>
            Manage {shownName(org.name)}’s products, offers, prices and team, as far as your role allows.
          </li>
        )}
      </ul>
      <p class="soft">
        It does not see your password. You can take this back at any time on your{' '}
        <a href="/account">account page</a>.
      </p>
      <Decision {...page} />
      <div class="account-part">
        <p class="soft">You are signed in as {user.email}.</p>
        <Form action="/auth/signout" label="Use another account" kind="plain">
          <Hidden name="return_to" value={page.returnTo} />
        </Form>
      </div>
    </NarrowPage>,
  )
}

function ForWhom({ org }: { org: ActingOrg }) {
  return (
    <p>
      It will act for <strong>{shownOrg(org)}</strong>
      {org.several && (
        <>
          {' '}
          and none of your other organizations. To choose another one: <code>POST /api/org/select/</code>,
          then connect again
        </>
      )}
      .
    </p>
  )
}

/** Every parameter as it came, empty ones too: the token stands for exactly these. */
function Decision({ params, formToken }: ConsentPage) {
  return (
    <form method="post" action="/oauth/authorize/">
      {[...params].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <input type="hidden" name={FORM_TOKEN} value={formToken} />
      <p class="line">
        <button class="button" type="submit" name="decision" value="allow">
          Allow
        </button>
        <button class="button plain" type="submit" name="decision" value="deny">
          Deny
        </button>
      </p>
    </form>
  )
}

function whoIsAsking(client: Client): string {
  if (client.kind === 'document')
    return `Its description was read from ${new URL(client.id).host}. The name is what it calls itself there.`
  return 'The name is what the app calls itself: it is not verified. Allow it only if you started this yourself.'
}

function whereItGoes(redirectUri: string): string {
  const host = redirectHost(redirectUri)
  const kind = redirectKind(redirectUri)
  if (kind === 'loopback') return `If you allow it, the answer goes to an app on this computer (${host}).`
  if (kind === 'app')
    return `If you allow it, the answer goes to the app on this device that opens ${host} links.`
  return `If you allow it, you are sent to ${host}.`
}

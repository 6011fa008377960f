/**
 * The consent page. So that people can spot an app they did not start, it separates what is certain (where the answer
 * goes, who is signed in) from what the client claims (its name).
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
  /** The organization the client will act for, if any. */
  org: ActingOrg | null
  /** The request, sent again with the decision. */
  params: URLSearchParams
  formToken: string
  /** This page, to return to after switching accounts. */
  returnTo: string
}

export const FORM_TOKEN = 'form_token'

export function renderConsentPage(page: ConsentPage, site: Site): string {
  const { request, user, org } = page
  const { client, redirectUri } = request
  return String(
    <NarrowPage site={site} title={`Allow ${client.name}?`}>
      <p>
        <strong>{client.name}</strong> at <strong>{clientHost(client, redirectUri)}</strong> wants to use Souk
        as <strong>{user.email}</strong>.
      </p>
      {org && <ForWhom org={org} />}
      <div class="aside">
        <p>{whoIsAsking(client)}</p>
        <p>{whereItGoes(redirectUri)}</p>
      </div>
      <h2>This app will be able to</h2>
      <ul class="plain-list">
        <li>Search the catalog and request quotes for you</li>
        <li>View and change your saved products</li>
        {org && <li>Manage {shownName(org.name)}’s products, offers, prices and team, within your role</li>}
      </ul>
      <p class="soft">
        It never sees your password. You can disconnect it anytime on your <a href="/account">account page</a>
        .
      </p>
      <Decision {...page} />
      <div class="account-part">
        <p class="soft">Signed in as {user.email}</p>
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
          only. To use another organization, switch to it in your <a href="/dashboard">dashboard</a>, then
          connect again
        </>
      )}
      .
    </p>
  )
}

/** Repeats every parameter unchanged, even empty ones, because the form token covers them. */
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
    return `The app’s name comes from ${new URL(client.id).host}. We haven’t verified it.`
  return 'The app chose its own name, and we haven’t verified it. Allow it only if you started this.'
}

function whereItGoes(redirectUri: string): string {
  const host = redirectHost(redirectUri)
  const kind = redirectKind(redirectUri)
  if (kind === 'loopback') return `If you allow it, you’ll return to an app on this computer (${host}).`
  if (kind === 'app')
    return `If you allow it, you’ll return to the app on this device that opens ${host} links.`
  return `If you allow it, you’ll return to ${host}.`
}

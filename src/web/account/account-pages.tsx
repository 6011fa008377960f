/** The pages of a signed-in person beside the account itself: its password, and the way out of it. */
import type { Person } from '../../accounts/actor.ts'
import type { OwnedOrganization } from '../../accounts/hooks.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import { countOf } from '../format.ts'
import {
  ErrorSummary,
  Field,
  ForAccount,
  Form,
  type FormState,
  Hidden,
  NewPasswordField,
} from '../kit/fields.tsx'
import { onward } from '../onward.ts'
import type { Site } from '../site.ts'

type OwnProps = { site: Site; user: Person; state: FormState; hasPassword: boolean }
type PasswordProps = OwnProps & {
  /** The address was just confirmed away from the browser that signed up, which cost the password chosen there. */
  justConfirmed: boolean
  returnTo: string | null
}

export function renderPassword(props: PasswordProps): string {
  const { site, user, state, hasPassword, justConfirmed, returnTo } = props
  const wasDropped = justConfirmed && !hasPassword
  return String(
    <NarrowPage
      site={site}
      title={hasPassword ? 'Change the password' : 'Set a password'}
      lead={
        wasDropped
          ? 'Your address is confirmed, and you are signed in. The password chosen at the sign-up no longer works.'
          : 'All your other devices are signed out.'
      }
    >
      <ErrorSummary errors={state.errors} />
      <Form action="/account/password" label="Set the password">
        <Hidden name="return_to" value={returnTo} />
        <ForAccount email={user.email} />
        {hasPassword && (
          <Field
            state={state}
            name="current"
            label="Current password"
            type="password"
            autocomplete="current-password"
            required
          />
        )}
        <NewPasswordField state={state} label="New password" />
      </Form>
      {!hasPassword && <NoPassword returnTo="/account/password" />}
      {wasDropped ? (
        <ul class="ways">
          <li>
            <a href={returnTo ?? '/account'}>Go on without a password</a>
          </li>
        </ul>
      ) : (
        <Back />
      )}
    </NarrowPage>,
  )
}

export function renderDelete(
  props: OwnProps & { organizations: OwnedOrganization[]; linkTokens: number },
): string {
  const { site, user, state, hasPassword, organizations, linkTokens } = props
  return String(
    <NarrowPage site={site} title="Delete this account" lead="This cannot be undone.">
      <ErrorSummary errors={state.errors} />
      <ul class="plain-list">
        <li>Your name, address and password are removed at once, and you are signed out everywhere.</li>
        <li>
          Your saved products go too, with their notes. Agents and apps you connected lose their access.
        </li>
        <li>What you asked sellers for stays with them, without your name.</li>
        <li>The security log keeps what was done, without your name or address.</li>
        {organizations.map(({ name, fate }) => (
          <li>
            <strong>{name}</strong>: {fate}
          </li>
        ))}
        {linkTokens > 0 && (
          <li>
            {countOf(linkTokens, 'link token')} you made {linkTokens === 1 ? 'stops' : 'stop'} working:
            plugins and scripts that use {linkTokens === 1 ? 'it' : 'them'} are refused.
          </li>
        )}
        {organizations.length === 0 && <li>You own no organization, so no shop or offer is affected.</li>}
      </ul>
      <Form action="/account/delete" label="Delete the account" kind="danger">
        <ForAccount email={user.email} />
        {hasPassword && (
          <Field
            state={state}
            name="password"
            label="Your password"
            type="password"
            autocomplete="current-password"
            required
          />
        )}
        <Field
          state={state}
          name="confirm"
          label="Type the word delete"
          autocomplete="off"
          required
          maxlength={20}
        />
      </Form>
      {!hasPassword && <NoPassword returnTo="/account/delete" />}
      <Back />
    </NarrowPage>,
  )
}

/** A fresh sign-in stands in for the password that such an account does not have. */
function NoPassword({ returnTo }: { returnTo: string }) {
  return (
    <p class="hint">
      As this account has no password, this works for 15 minutes after signing in.{' '}
      <a href={onward('/auth/magic', returnTo)}>Sign in once more</a>
    </p>
  )
}

export function Back() {
  return (
    <ul class="ways">
      <li>
        <a href="/account">Back to your account</a>
      </li>
    </ul>
  )
}

export function renderFarewell({ site }: { site: Site }): string {
  return String(
    <NarrowPage site={site} title="Account deleted" lead="Your account and what was kept about you are gone.">
      <p>
        Your saved products and their notes went with it, and agents that acted for you no longer can. Thank
        you for having been here; the catalog stays open to you without an account.
      </p>
      <p>
        <a class="button" href="/">
          To the front page
        </a>
      </p>
    </NarrowPage>,
  )
}

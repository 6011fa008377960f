/** The pages of a signed-in person: the account, its password, and the way out of it. */
import type { Child } from 'hono/jsx'
import { NAME_MAX } from '../../accounts/accounts.schema.ts'
import type { Person } from '../../accounts/actor.ts'
import type { OwnedOrganization } from '../../accounts/hooks.ts'
import type { SessionInfo } from '../../accounts/sessions.service.ts'
import { Moment } from '../components/moment.tsx'
import { NarrowPage } from '../components/narrow-page.tsx'
import {
  ErrorSummary,
  Field,
  ForAccount,
  Form,
  type FormState,
  Hidden,
  NewPasswordField,
} from '../forms/fields.tsx'
import { onward } from '../onward.ts'
import type { Site } from '../site.ts'
import { describeDevice } from './device.ts'

export type AccountProps = {
  site: Site
  user: Person
  state: FormState
  hasPassword: boolean
  sessions: SessionInfo[]
  currentSessionId: string
  sections: Child[]
  /** What has just been done, in words. */
  done: string | null
}

export function renderAccount(props: AccountProps): string {
  const { site, user, state, hasPassword, sections, done } = props
  return String(
    <NarrowPage site={site} title="Your account" lead={user.email}>
      {done && (
        <p class="done" role="status">
          {done}
        </p>
      )}
      <ErrorSummary errors={state.errors} />
      {!user.emailVerified && <Unverified />}
      <section class="account-part">
        <h2>Profile</h2>
        <Form action="/account/name" label="Save">
          <Field
            state={state}
            name="name"
            label="Name"
            autocomplete="name"
            value={user.name}
            maxlength={NAME_MAX}
          />
        </Form>
      </section>
      <section class="account-part">
        <h2>Security</h2>
        <ul class="ways">
          <li>
            <a href="/account/password">{hasPassword ? 'Change the password' : 'Set a password'}</a>
          </li>
          <li>
            <a href="/account/history">Security history</a>
          </li>
        </ul>
      </section>
      <Sessions {...props} />
      {sections.map((section) => (
        <div class="account-part">{section}</div>
      ))}
      <section class="account-part">
        <h2>Your data</h2>
        <ul class="ways">
          <li>
            <a href="/account/export" download="souk-account.json">
              Download everything we keep about you
            </a>{' '}
            (JSON)
          </li>
          <li>
            <a href="/account/delete">Delete this account</a>
          </li>
        </ul>
      </section>
    </NarrowPage>,
  )
}

function Unverified() {
  return (
    <div class="aside">
      <p>
        Your address is not confirmed yet. Open the link in the mail we sent; until then some features are
        off.
      </p>
      <Form action="/auth/verify" label="Send the mail again" kind="plain" />
    </div>
  )
}

function Sessions({ sessions, currentSessionId }: Pick<AccountProps, 'sessions' | 'currentSessionId'>) {
  return (
    <section class="account-part">
      <h2>Where you are signed in</h2>
      <ul class="rows">
        {sessions.map((session) => (
          <li>
            <p>
              <strong title={session.userAgent ?? undefined}>{describeDevice(session.userAgent)}</strong>
              {session.id === currentSessionId && ' (this one)'}
              <span class="row-note">
                Last seen <Moment at={session.lastSeenAt} />
                {session.ip && ` from ${session.ip}`}
              </span>
            </p>
            {session.id === currentSessionId ? (
              <Form action="/auth/signout" label="Sign out" kind="plain" />
            ) : (
              <Form action="/account/sessions/end" label="End" kind="plain">
                <Hidden name="session_id" value={session.id} />
              </Form>
            )}
          </li>
        ))}
      </ul>
      <Form action="/auth/signout-everywhere" label="Sign out everywhere" kind="plain" />
    </section>
  )
}

type OwnProps = { site: Site; user: Person; state: FormState; hasPassword: boolean }

export function renderPassword({ site, user, state, hasPassword }: OwnProps): string {
  return String(
    <NarrowPage
      site={site}
      title={hasPassword ? 'Change the password' : 'Set a password'}
      lead="All your other devices are signed out."
    >
      <ErrorSummary errors={state.errors} />
      <Form action="/account/password" label="Set the password">
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
      <Back />
    </NarrowPage>,
  )
}

export function renderDelete(props: OwnProps & { organizations: OwnedOrganization[] }): string {
  const { site, user, state, hasPassword, organizations } = props
  return String(
    <NarrowPage site={site} title="Delete this account" lead="This cannot be undone.">
      <ErrorSummary errors={state.errors} />
      <ul class="plain-list">
        <li>Your name, address and password are removed at once, and you are signed out everywhere.</li>
        <li>Agents and apps you connected lose their access.</li>
        <li>The security log keeps what was done, without your name or address.</li>
        {organizations.map(({ name, fate }) => (
          <li>
            <strong>{name}</strong>: {fate}
          </li>
        ))}
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

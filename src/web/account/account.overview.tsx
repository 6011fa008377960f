/**
 * /account: everything a person has here, at a glance and in one place. On a wide screen the parts are named beside it, on
 * a narrow one above. Parts of other features, such as connected apps, come ready made and stand in their place.
 */

import type { Child } from 'hono/jsx'
import { NAME_MAX } from '../../accounts/accounts.schema.ts'
import type { Person } from '../../accounts/actor.ts'
import type { SessionInfo } from '../../accounts/sessions.service.ts'
import type { ActingOrg } from '../../orgs/producer.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import { Ago } from '../components/moment.tsx'
import { countOf } from '../format.ts'
import { ErrorSummary, Field, Form, type FormState, Hidden } from '../kit/fields.tsx'
import { Layout } from '../layout.tsx'
import type { Site } from '../site.ts'
import { describeDevice } from './device.ts'

/** How much is saved, and how much of it has changed of late. */
export type SavedSummary = { total: number; changed: number }

export type AccountProps = {
  site: Site
  user: Person
  state: FormState
  hasPassword: boolean
  sessions: SessionInfo[]
  currentSessionId: string
  saved: SavedSummary
  /** The one they act for; null for somebody who belongs to none. */
  org: ActingOrg | null
  sections: Child[]
  /** What has just been done, in words. */
  done: string | null
  /** The address was confirmed a moment ago: a way on is shown. */
  justConfirmed: boolean
  now: Date
}

export function renderAccount(props: AccountProps): string {
  const { site, user, state, sections, done, justConfirmed, org } = props
  return String(
    <Layout site={site} title="Your account · Souk" description="Your account" path={null}>
      <div class="account">
        <header class="account-head">
          <h1>Your account</h1>
          <p class="soft">{user.email}</p>
        </header>
        <Parts />
        <div class="account-body">
          {done && (
            <div class="done" role="status">
              {done}
              {justConfirmed && <WaysOn />}
            </div>
          )}
          <ErrorSummary errors={state.errors} />
          {!user.emailVerified && <Unverified />}
          <Profile {...props} />
          <Saved {...props} />
          <Quotes />
          {sections.map((section) => (
            <div class="account-part">{section}</div>
          ))}
          <Organization org={org} />
          <Sessions {...props} />
          <Security {...props} />
          <Data />
        </div>
      </div>
    </Layout>,
  )
}

function Parts() {
  const parts = [
    ['#profile', 'Profile'],
    ['#saved-products', 'Saved products'],
    ['#quotes', 'Quotes'],
    ['#connected-apps', 'Connected apps'],
    ['#organization', 'Organization'],
    ['#sessions', 'Sessions'],
    ['#security', 'Security'],
    ['#data', 'Your data'],
  ] as const
  return (
    <nav class="account-nav" aria-label="Your account">
      <ul>
        {parts.map(([href, label]) => (
          <li>
            <a href={href}>{label}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

type PartProps = { id: string; title: string; half?: boolean; children?: Child }

/** `half` stands beside another half where there is room. */
function Part({ id, title, half = false, children }: PartProps) {
  return (
    <section class={half ? 'account-part half' : 'account-part'} id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {children}
    </section>
  )
}

function WaysOn() {
  return (
    <p class="line">
      <a href="/saved">See your saved products</a>
      <a href="/connect">Connect an agent</a>
    </p>
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

function Profile({ state, user }: AccountProps) {
  return (
    <Part id="profile" title="Profile">
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
    </Part>
  )
}

function Saved({ saved: { total, changed } }: AccountProps) {
  return (
    <Part id="saved-products" title="Saved products" half>
      {total === 0 ? (
        <p>
          Nothing is saved yet. Save what you may want, and see when its price moves.{' '}
          <a href="/saved">How saving works</a>
        </p>
      ) : (
        <>
          <p>
            <strong>{countOf(total, 'product')}</strong> saved,{' '}
            {changed === 0 ? 'none changed in the last 7 days.' : `${changed} changed in the last 7 days.`}
          </p>
          <p class="line">
            <a href="/saved">See your saved products</a>
            {changed > 0 && <a href="/saved?changed=1&since=7">See what changed</a>}
          </p>
        </>
      )}
    </Part>
  )
}

function Quotes() {
  return (
    <Part id="quotes" title="Quotes" half>
      <p>Prices that you asked sellers for, and what they answered.</p>
      <p>
        <a href="/quotes">See your quotes</a>
      </p>
    </Part>
  )
}

function Organization({ org }: Pick<AccountProps, 'org'>) {
  return (
    <Part id="organization" title="Organization">
      {org === null ? (
        <p>
          <a href="/dashboard">Sell here: register your organization</a>
        </p>
      ) : (
        <>
          <p>
            You act for <strong>{shownOrg(org)}</strong>
            {org.several && ', one of several you belong to'}.
          </p>
          <p>
            <a href="/dashboard">Open the dashboard</a>
          </p>
        </>
      )}
    </Part>
  )
}

function Sessions({ sessions, currentSessionId, now }: AccountProps) {
  return (
    <Part id="sessions" title="Where you are signed in">
      <ul class="rows">
        {sessions.map((session) => {
          const device = describeDevice(session.userAgent)
          return (
            <li>
              <p>
                <strong title={session.userAgent ?? undefined}>{device}</strong>
                {session.id === currentSessionId && ' (this one)'}
                <span class="row-note">
                  Last seen <Ago at={session.lastSeenAt} now={now} />
                  {session.ip && ` from ${session.ip}`}
                </span>
              </p>
              {session.id === currentSessionId ? (
                <Form action="/auth/signout" label="Sign out" kind="plain" />
              ) : (
                <form method="post" action="/account/sessions/end">
                  <Hidden name="session_id" value={session.id} />
                  <button class="button plain" type="submit">
                    End<span class="hidden"> the session of {device}</span>
                  </button>
                </form>
              )}
            </li>
          )
        })}
      </ul>
      <Form action="/auth/signout-everywhere" label="Sign out everywhere" kind="plain" />
    </Part>
  )
}

function Security({ hasPassword }: AccountProps) {
  return (
    <Part id="security" title="Security" half>
      <ul class="ways">
        <li>
          <a href="/account/password">{hasPassword ? 'Change the password' : 'Set a password'}</a>
        </li>
        <li>
          <a href="/account/history">Security history</a>
        </li>
      </ul>
    </Part>
  )
}

function Data() {
  return (
    <Part id="data" title="Your data" half>
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
    </Part>
  )
}

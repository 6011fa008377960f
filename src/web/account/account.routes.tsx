/**
 * Mounts the account's pages: /auth/*, /account and, on your own machine, /dev/outbox. They form an app of their own
 * within the app, so that one guard against cross-site posts and one way of showing errors hold for all of them.
 */
import { Hono } from 'hono'
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import {
  changeName,
  deleteAccount,
  endOneSession,
  exportData,
  hasPassword,
  ownedOrganizations,
} from '../../accounts/account.service.ts'
import { NAME_MAX, Name } from '../../accounts/accounts.schema.ts'
import type { Person } from '../../accounts/actor.ts'
import { type AuditRecord, listAudit } from '../../accounts/audit.service.ts'
import { changePassword } from '../../accounts/password.service.ts'
import { HOME, safeReturnTo } from '../../accounts/return-to.ts'
import { listSessions } from '../../accounts/sessions.service.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, logFault, respondEnvelope, STATUS } from '../../http/error-response.ts'
import { sameOriginOnly } from '../../http/same-origin.ts'
import { clearSessionCookie, setSessionCookie } from '../../http/session-cookie.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { SETTINGS_PATH } from '../../notices/send.job.ts'
import { actingOrg } from '../../orgs/producer.ts'
import { shownOrg } from '../../orgs/shown-org.ts'
import { listSaved } from '../../saved/saved.service.ts'
import { Ago } from '../components/moment.tsx'
import type { PageDeps } from '../deps.ts'
import { capital, countOf, humanized } from '../format.ts'
import { CurrentPasswordField, Field, ForAccount, Form, Hidden, NewPasswordField } from '../kit/fields.tsx'
import { choice, defineList } from '../kit/list.tsx'
import { Action, LinkLine, Timeline } from '../kit/parts.tsx'
import {
  type FrameProps,
  listOfPerson,
  ownPages,
  type PersonPage,
  type PersonSeen,
  renderNotice,
  Ways,
} from '../kit/person.tsx'
import { Layout } from '../layout.tsx'
import { sendPage, wantsJson } from '../page.http.ts'
import { onward, type SignedInBrowser } from '../signed-in.ts'
import { mountAuth } from './auth.routes.tsx'
import { mountDemo } from './demo.routes.tsx'
import { mountNotices } from './notices.routes.tsx'
import { mountOutbox } from './outbox.routes.tsx'

export type AccountDeps = Pick<PageDeps, 'config' | 'site' | 'accounts' | 'search' | 'offers'> & {
  /** Parts of the account page that other features bring, such as the apps a person has connected. */
  accountSections?: Array<(user: Person) => Promise<Child>>
}

type Seen = PersonSeen<SignedInBrowser>

const PASSWORD_PATH = '/account/password'
const HISTORY_PATH = '/account/history'
const DELETE_PATH = '/account/delete'
const BACK = [HOME, 'Back to your account'] as const
const HISTORY = defineList(HISTORY_PATH, 'event', {
  search: 'What it says',
  filters: {
    within: choice(
      'When',
      { '7': 'Within 7 days', '30': 'Within 30 days', '365': 'Within 365 days' },
      'Any time',
    ),
  },
})
const NEWS_MS = 7 * DAY_MS

const PasswordForm = z.object({ current: z.string().default(''), password: z.string('Choose a password.') })
const DeleteForm = z.object({
  password: z.string().default(''),
  confirm: z
    .string('Type the word delete.')
    .refine((word) => word.trim().toLowerCase() === 'delete', 'Type the word delete.'),
})

export function mountAccount(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const pages = new Hono<HttpEnv>({ strict: false })
  pages.use('/auth/*', sameOriginOnly(deps.config.baseUrl))
  mountAuth(pages, deps)
  mountOwn(pages, deps)
  mountOutbox(pages, deps)
  mountDemo(pages, deps)
  mountNotices(pages, deps)
  pages.onError((raised, c) => {
    const error = asAppError(raised)
    logFault(c, error)
    if (wantsJson(c)) return respondEnvelope(c, error)
    if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
    const way = { link: HOME, label: 'Go to your account' }
    const page = renderNotice({ site: deps.site, title: 'Something went wrong', text: error.message, ...way })
    return sendPage(c, page, { status: STATUS[error.kind] })
  })
  app.route('/', pages)
}

function mountOwn(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const { accounts, config, accountSections = [] } = deps
  const own = ownPages(app, deps, (c) => (c.req.method === 'GET' ? c.req.path : HOME))

  async function overview({ actor, state }: Seen): Promise<PersonPage> {
    const { user } = actor
    const [sessions, withPassword, saved, org, sections] = await Promise.all([
      listSessions(accounts, user.id),
      hasPassword(accounts, actor),
      countSaved(user.id),
      actingOrg(accounts, actor),
      Promise.all(accountSections.map((section) => section(user))),
    ])
    const now = accounts.clock.now()
    return {
      title: 'Your account',
      lead: user.email,
      frame: AccountFrame,
      said: {
        name: 'Name saved.',
        password: "Password changed. You're signed out on your other devices.",
        session: 'Session ended.',
        disconnected: 'App disconnected. It can no longer act for you.',
        verified: (
          <>
            Your email is confirmed and you're signed in.
            <p class="line">
              <a href="/saved">See your saved products</a>
              <a href="/connect">Connect an agent</a>
            </p>
          </>
        ),
      },
      body: [
        !user.emailVerified && (
          <div class="aside">
            <p>Your email isn't confirmed yet, so some features are off. Open the link we emailed you.</p>
            <Form action="/auth/verify" label="Resend email" kind="plain" />
          </div>
        ),
        <Part id="profile">
          <Form action="/account/name" label="Save">
            <Field
              {...{ state, name: 'name', label: 'Name', autocomplete: 'name' }}
              {...{ value: user.name, maxlength: NAME_MAX }}
            />
          </Form>
        </Part>,
        <Part id="saved-products" half>
          {saved.total === 0 ? (
            <p>
              Nothing saved yet. Save a product to see when its price changes.{' '}
              <a href="/saved">How saving works</a>
            </p>
          ) : (
            <>
              <p>
                <strong>{countOf(saved.total, 'product')}</strong> saved, {saved.changed || 'none'} changed in
                the last 7 days.
              </p>
              <p class="line">
                <a href="/saved">See your saved products</a>
                {saved.changed > 0 && <a href="/saved?changed=1&since=7">See what changed</a>}
              </p>
            </>
          )}
        </Part>,
        <Part id="plans" half>
          <p>What you planned on one budget, to change, share or ask sellers about.</p>
          <LinkLine to="/plans">See your plans</LinkLine>
        </Part>,
        <Part id="quotes" half>
          <p>Prices you asked sellers for, and their answers.</p>
          <LinkLine to="/quotes">See your quotes</LinkLine>
        </Part>,
        <Part id="notices">
          <p>Choose what we email you about, how often, and when we don't.</p>
          <LinkLine to={SETTINGS_PATH}>Email notices</LinkLine>
        </Part>,
        sections.map((section) => <div class="account-part">{section}</div>),
        <Part id="organization">
          {org !== null && (
            <p>
              You act for <strong>{shownOrg(org)}</strong>
              {org.several && ', one of your organizations'}.
            </p>
          )}
          <LinkLine to="/dashboard">
            {org === null ? 'Sell on Souk: register your organization' : 'Open the dashboard'}
          </LinkLine>
        </Part>,
        <Part id="sessions">
          <ul class="rows">
            {sessions.map(({ id, userAgent, lastSeenAt, ip }) => {
              const device = describeDevice(userAgent)
              const isThis = id === actor.sessionId
              return (
                <li>
                  <p>
                    <strong title={userAgent ?? undefined}>{device}</strong>
                    {isThis && ' (this device)'}
                    <span class="row-note">
                      Last seen <Ago at={lastSeenAt} now={now} />
                      {ip && ` from ${ip}`}
                    </span>
                  </p>
                  {isThis ? (
                    <Action to="/auth/signout" label="Sign out" />
                  ) : (
                    <Action
                      {...{ to: '/account/sessions/end', label: 'Sign out', about: device }}
                      fields={{ session_id: id }}
                    />
                  )}
                </li>
              )
            })}
          </ul>
          <Action to="/auth/signout-everywhere" label="Sign out everywhere" />
        </Part>,
        <Part id="security" half>
          <Ways
            ways={[
              [PASSWORD_PATH, withPassword ? 'Change password' : 'Set a password'],
              [HISTORY_PATH, 'Security history'],
            ]}
          />
        </Part>,
        <Part id="data" half>
          <ul class="ways">
            <li>
              <a href="/account/export" download="souk-account.json">
                Download your data
              </a>{' '}
              (JSON)
            </li>
            <li>
              <a href={DELETE_PATH}>Delete your account</a>
            </li>
          </ul>
        </Part>,
      ],
    }
  }

  async function countSaved(userId: string): Promise<{ total: number; changed: number }> {
    const ctx = { ...accounts, search: deps.search.search, offers: deps.offers }
    const changedSince = new Date(accounts.clock.now().getTime() - NEWS_MS)
    const wish = { changedSince, onlyChanged: true, limit: 0, offset: 0 }
    const { lists, total: changed } = await listSaved(ctx, { userId }, wish)
    return { total: lists.reduce((sum, { count }) => sum + count, 0), changed }
  }

  own.page(HOME, overview)

  own.action('/account/name', {
    ...{ schema: z.object({ name: Name }), done: 'name' },
    act: ({ actor, visit, input: { name } }) => changeName(accounts, { actor, name, visit }),
  })

  own.action('/account/sessions/end', {
    ...{ schema: z.object({ session_id: z.string().default('') }), done: 'session' },
    act: ({ actor, visit, input: { session_id: sessionId } }) =>
      endOneSession(accounts, { actor, sessionId, visit }),
  })

  async function passwordPage({ c, actor, state, form }: Seen): Promise<PersonPage> {
    const withPassword = await hasPassword(accounts, actor)
    const isPost = c.req.method === 'POST'
    const returnTo = safeReturnTo(isPost ? form.return_to : c.req.query('return_to'))
    // Confirming the address away from the browser that signed up costs the password chosen there.
    const wasDropped = !isPost && c.req.query('done') === 'verified' && !withPassword
    return {
      title: withPassword ? 'Change password' : 'Set a password',
      lead: wasDropped
        ? "Your email is confirmed and you're signed in. The password chosen at sign-up no longer works."
        : "You'll be signed out on all your other devices.",
      leadsTo: returnTo,
      body: [
        <Form action={PASSWORD_PATH} label="Set password">
          <Hidden name="return_to" value={returnTo} />
          <ForAccount email={actor.user.email} />
          {withPassword && <CurrentPasswordField state={state} name="current" label="Current password" />}
          <NewPasswordField state={state} label="New password" />
        </Form>,
        !withPassword && <NoPassword returnTo={PASSWORD_PATH} />,
        <Ways ways={[wasDropped ? [returnTo ?? HOME, 'Continue without a password'] : BACK]} />,
      ],
    }
  }

  own.page(PASSWORD_PATH, passwordPage)
  own.action(PASSWORD_PATH, {
    schema: PasswordForm,
    async act({ c, actor, token: replaces, visit, input, form }) {
      const { token } = await changePassword(accounts, { ...input, actor, replaces, visit })
      setSessionCookie(c, config.baseUrl, token)
      return safeReturnTo(form.return_to) ?? `${HOME}?done=password`
    },
  })

  own.page(
    HISTORY_PATH,
    listOfPerson<SignedInBrowser, AuditRecord, typeof HISTORY.filters>(HISTORY, undefined, async (seen) => {
      const { actor, asked } = seen
      const { q, filters, before, limit } = asked
      const now = accounts.clock.now()
      const since = new Date(now.getTime() - Number(filters.within) * DAY_MS)
      const found = await listAudit(accounts, {
        ...{ userId: actor.user.id, limit: limit + 1, before: before ?? undefined },
        filter: { ...(q !== '' && { search: q }), ...(filters.within !== '' && { from: since }) },
      })
      const rows = found.slice(0, limit)
      return {
        title: 'Security history',
        lead: 'What happened with your account, newest first.',
        ...{ rows, next: found.length > limit ? (rows.at(-1)?.id ?? null) : null },
        columns: [
          { label: 'When', csv: ({ at }) => at },
          { label: 'What', csv: sentenceFor },
          { label: 'Action', csv: ({ action }) => action },
          { label: 'IP address', csv: ({ ip }) => ip },
        ],
        draw: (records) => (
          <Timeline
            events={records.map((record) => ({
              ...{ at: record.at, what: sentenceFor(record), note: record.ip && `from ${record.ip}` },
            }))}
            now={now}
          />
        ),
        empty: <p>Nothing yet.</p>,
        below: <Ways ways={[BACK]} />,
      }
    }),
  )

  own.page('/account/export', async ({ c, actor }) => {
    const headers = {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': 'attachment; filename="souk-account.json"',
      'Cache-Control': 'no-store',
    }
    // A HEAD gives nothing away, so the history must not say that it did.
    if (c.req.method === 'HEAD') return c.body(null, 200, headers)
    const data = await exportData(accounts, { actor, visit: visitOf(c, config) })
    return c.body(JSON.stringify(data, null, 2), 200, headers)
  })

  async function deletePage({ actor, state }: Seen): Promise<PersonPage> {
    const [withPassword, organizations, linkTokens] = await Promise.all([
      hasPassword(accounts, actor),
      ownedOrganizations(accounts, actor),
      accounts.hooks.countLinkTokens(accounts.db, actor.user.id),
    ])
    return {
      title: 'Delete your account',
      lead: "You can't undo this.",
      body: [
        <ul class="plain-list">
          <li>We remove your name, email and password now, and sign you out everywhere.</li>
          <li>
            Your saved products, notes and email notices are deleted. Agents and apps you connected lose
            access.
          </li>
          <li>Sellers keep the requests you sent them, without your name.</li>
          <li>The security log keeps what happened, without your name or email.</li>
          {organizations.map(({ name, fate }) => (
            <li>
              <strong>{name}</strong>: {fate}
            </li>
          ))}
          {linkTokens > 0 && (
            <li>
              {countOf(linkTokens, 'link token')} you created {linkTokens === 1 ? 'stops' : 'stop'} working.
              Plugins and scripts that use {linkTokens === 1 ? 'it' : 'them'} are refused.
            </li>
          )}
          {organizations.length === 0 && (
            <li>You don't own an organization, so no shop or offer is affected.</li>
          )}
        </ul>,
        <Form action={DELETE_PATH} label="Delete account" kind="danger">
          <ForAccount email={actor.user.email} />
          {withPassword && <CurrentPasswordField state={state} label="Your password" />}
          <Field
            {...{ state, name: 'confirm', label: 'Type the word delete', autocomplete: 'off' }}
            {...{ required: true, maxlength: 20 }}
          />
        </Form>,
        !withPassword && <NoPassword returnTo={DELETE_PATH} />,
        <Ways ways={[BACK]} />,
      ],
    }
  }

  own.page(DELETE_PATH, deletePage)
  own.action(DELETE_PATH, {
    schema: DeleteForm,
    async act({ c, actor, visit, input: { password } }) {
      await deleteAccount(accounts, { actor, password, visit })
      clearSessionCookie(c, config.baseUrl)
      return {
        title: 'Account deleted',
        lead: 'Your account, your saved products and your notes are gone.',
        body: [
          <p>Agents can no longer act for you. You can keep using the catalog without an account.</p>,
          <LinkLine to="/" button>
            Go to the home page
          </LinkLine>,
        ],
      }
    },
  })
}

const PARTS = {
  profile: 'Profile',
  'saved-products': 'Saved products',
  plans: 'Plans',
  quotes: 'Quotes',
  notices: 'Email notices',
  'connected-apps': 'Connected apps',
  organization: 'Organization',
  sessions: 'Where you’re signed in',
  security: 'Security',
  data: 'Your data',
} as const

/** `half` stands beside another half where there is room. */
function Part({ id, half = false, children }: { id: keyof typeof PARTS; half?: boolean; children?: Child }) {
  return (
    <section class={half ? 'account-part half' : 'account-part'} id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{PARTS[id]}</h2>
      {children}
    </section>
  )
}

/** On a wide screen the parts are named beside the page, on a narrow screen above it. */
function AccountFrame({ site, title, lead, children }: FrameProps) {
  return (
    <Layout site={site} title={`${title} · Souk`} description={title} path={null}>
      <div class="account">
        <header class="account-head">
          <h1>{title}</h1>
          <p class="soft">{lead}</p>
        </header>
        <nav class="account-nav" aria-label={title}>
          <ul>
            {Object.entries(PARTS).map(([id, label]) => (
              <li>
                <a href={`#${id}`}>{label}</a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="account-body">{children}</div>
      </div>
    </Layout>
  )
}

/** A fresh sign-in stands in for the password that such an account does not have. */
function NoPassword({ returnTo }: { returnTo: string }) {
  return (
    <p class="hint">
      This account has no password, so this works for 15 minutes after you sign in.{' '}
      <a href={onward('/auth/magic', returnTo)}>Sign in again</a>
    </p>
  )
}

/**
 * What the security history says for each action that accounts and OAuth record. `app` is what the app called itself at
 * the time, `product` the product's name in addresses.
 */
const SENTENCES: Record<string, string | ((app: string, product: string) => string)> = {
  'account.created': 'Account created',
  signin: 'Signed in',
  'signin.failed': 'Sign-in failed: wrong password',
  signout: 'Signed out',
  'signout.everywhere': 'Signed out everywhere',
  'session.ended': 'Signed out another device',
  'email.verified': 'Email confirmed',
  'password.reset_asked': 'Password reset requested',
  'password.reset': 'Password reset with an emailed link',
  'password.changed': 'Password changed',
  'password.wrong': 'Wrong password entered on an account page',
  'password.dropped': 'Password removed: it was set before the email was confirmed',
  'name.changed': 'Name changed',
  'data.exported': 'Data downloaded',
  'admin.granted': 'Became an operator',
  'admin.revoked': 'No longer an operator',
  'account.deactivated': 'Account deactivated by the operator',
  'account.reactivated': 'Account reactivated by the operator',
  'saved.added': (_, product) => `Saved ${product}`,
  'saved.updated': (_, product) => `Changed the saved product ${product}`,
  'saved.removed': (_, product) => `Removed ${product} from a list`,
  'plan.made': 'Made a plan',
  'plan.edited': 'Edited a plan',
  'plan.deleted': 'Deleted a plan',
  'plan.shared': 'Shared a plan',
  'plan.unshared': 'Stopped sharing a plan',
  'plan.asked': 'Asked the sellers of a plan',
  'mistake.reported': (_, product) => `Reported a mistake in ${product}`,
  'mistake.closed': (_, product) => `Your report about ${product} was closed`,
  'notices.changed': 'Email notices changed',
  'notices.unsubscribed': 'Stopped emails with the link in one of them',
  'notices.resubscribed': 'Turned emails on again with the link in one of them',
  'rfq.submitted': (_, product) => `Requested quotes for ${product}`,
  'grant.given': (app) => `You allowed ${app} to use Souk as you`,
  'grant.denied': (app) => `You did not allow ${app} to use Souk as you`,
  'grant.revoked': (app) => `You disconnected ${app}`,
  'grant.all_revoked': 'All apps were disconnected to secure your account',
  'token.revoked': (app) => `${app} signed itself out`,
  'token.code_reused': (app) => `${app} was signed out: its sign-in code was used twice, maybe by a thief`,
  'token.refresh_reused': (app) => `${app} was signed out: its old key was used again, maybe by a thief`,
}

function sentenceFor({ action, detail }: AuditRecord): string {
  const named = (value: unknown, otherwise: string) => (typeof value === 'string' ? value : otherwise)
  const words = SENTENCES[action] ?? humanized(action)
  if (typeof words === 'string') return words
  return capital(words(named(detail.client_name, 'an app'), named(detail.product_slug, 'a product')))
}

const BROWSERS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOpera\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/Chrom(?:e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
  [/^node\b|\bundici\b/i, 'Node.js'],
]
const SYSTEMS: ReadonlyArray<readonly [RegExp, string]> = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

export function describeDevice(userAgent: string | null): string {
  if (!userAgent) return 'Unknown device'
  const name = (known: typeof BROWSERS) => known.find(([pattern]) => pattern.test(userAgent))?.[1]
  const [browser, system] = [name(BROWSERS), name(SYSTEMS)]
  if (browser && system) return `${browser} on ${system}`
  return browser ?? system ?? 'Unknown device'
}

/**
 * The way in and out: /auth/*. A link from an email acts on GET only in the browser that asked for the email, known by its
 * cookie, or that is signed in to the same account. Every other request, one that merely looks (HEAD, a prefetch, a
 * request of a page that is no navigation) and one that is signed in to another account get a page with a button.
 */
import type { Context, Hono } from 'hono'
import type { Child } from 'hono/jsx'
import { z } from 'zod'
import { resendVerification, signOut, signOutEverywhere } from '../../accounts/account.service.ts'
import { Email, emailKey, GivenPassword, NAME_MAX, Name } from '../../accounts/accounts.schema.ts'
import type { Person } from '../../accounts/actor.ts'
import { peekLink } from '../../accounts/links.service.ts'
import { askReset, resetPassword } from '../../accounts/password.service.ts'
import { findPerson } from '../../accounts/people.service.ts'
import { HOME, safeReturnTo } from '../../accounts/return-to.ts'
import { askMagicLink, signInWithLink, signInWithPassword } from '../../accounts/signin.service.ts'
import { askConfirmation, signUp } from '../../accounts/signup.service.ts'
import { knownBrowser, rememberBrowser } from '../../http/browser-cookie.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { respondEnvelope } from '../../http/error-response.ts'
import { type Form as Fields, readForm } from '../../http/form.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../http/session-cookie.ts'
import { invalid } from '../../lib/errors.ts'
import {
  CurrentPasswordField,
  EmailField,
  Field,
  ForAccount,
  Form,
  Hidden,
  NewPasswordField,
} from '../kit/fields.tsx'
import {
  anybody,
  createPages,
  type PersonPage,
  type PersonSeen,
  type PersonShow,
  renderNotice,
  Ways,
} from '../kit/person.tsx'
import { sendPage, wantsJson } from '../page.http.ts'
import { findSignedIn, onward } from '../signed-in.ts'
import type { AccountDeps } from './account.routes.tsx'
import { isDemoVisitable, VisitAsSeller } from './demo.routes.tsx'
import { isOutboxOpen } from './outbox.routes.tsx'

const CHECK_MAIL = '/auth/check-mail'
/** Where the page for a password says why it asks. */
const FIRST_PASSWORD = '/account/password?done=verified'

const NewPassword = z.string('Choose a password.')
const ByEmail = z.object({ email: Email })
const SignUp = z.object({ email: Email, password: NewPassword, name: Name })
const SignIn = z.object({ email: Email, password: GivenPassword })

/** What a form holds that asks for a link, or was opened from it. */
type Linked = { token?: string; email?: string; password?: string }
const ByToken = z.object({ token: z.string() })
const Reset = z.object({ token: z.string(), password: NewPassword })

type C = Context<HttpEnv>
type Seen = PersonSeen<{ user: Person | null }>

export function mountAuth(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const { accounts, config, site } = deps
  const { baseUrl } = config
  const pages = createPages(app, deps, anybody(accounts))
  const presented = (c: C) => ({ visit: visitOf(c, config), replaces: readSessionCookie(c, baseUrl) })
  const asking = (c: C) => ({ visit: visitOf(c, config), browserHash: rememberBrowser(c, baseUrl) })

  function enter(c: C, token: string, returnTo: string | null): Response {
    setSessionCookie(c, baseUrl, token)
    return c.redirect(returnTo ?? HOME, 303)
  }

  pages.page('/auth/signup', signUpPage)
  pages.action('/auth/signup', {
    schema: SignUp,
    async act({ c, input, form }) {
      const returnTo = safeReturnTo(form.return_to)
      await signUp(accounts, { ...input, returnTo, ...asking(c) })
      return onward(CHECK_MAIL, returnTo)
    },
  })

  pages.page('/auth/signin', async (seen) =>
    seen.user === null
      ? withVisit(signInPage(seen), await isDemoVisitable(seen.c, deps))
      : seen.c.redirect(returnToOf(seen) ?? HOME, 303),
  )
  pages.action('/auth/signin', {
    ...{ schema: SignIn, page: signInPage },
    async act({ c, input, form }) {
      const { token } = await signInWithPassword(accounts, { ...input, ...presented(c) })
      return enter(c, token, safeReturnTo(form.return_to))
    },
  })

  app.post('/auth/signout', async (c) => {
    // A bare post without a body is enough; the consent page names where to come back to with another account.
    const form: Fields = c.req.header('content-type') ? await readForm(c) : {}
    const token = readSessionCookie(c, baseUrl)
    if (token !== null) await signOut(accounts, { token, visit: visitOf(c, config) })
    clearSessionCookie(c, baseUrl)
    return c.redirect(onward('/auth/signin', safeReturnTo(form.return_to)), 303)
  })

  app.post('/auth/signout-everywhere', async (c) => {
    const browser = await findSignedIn(c, accounts)
    if (browser) await signOutEverywhere(accounts, { actor: browser.actor, visit: visitOf(c, config) })
    clearSessionCookie(c, baseUrl)
    return c.redirect('/auth/signin', 303)
  })

  /** Shows or follows a link; `without` answers an address that holds no token. */
  const linkPage =
    (purpose: 'verify' | 'magic', without: PersonShow<{ user: Person | null }>) => async (seen: Seen) => {
      const { c, user } = seen
      const token = c.req.query('token')
      if (!token) return without(seen)
      const link = await peekLink(accounts, { purpose, token })
      if (!link?.usable) return deadLink(c, purpose, token)
      const isTheirs = user !== null && emailKey(user.email) === link.emailKey
      const isOwn = isTheirs || (link.browserHash !== null && link.browserHash === knownBrowser(c, baseUrl))
      const other = isTheirs ? null : user
      if (isOwn && other === null && isFollowed(c)) return followLink(c, purpose, token)
      const owner = link.userId === null ? null : await findPerson(accounts, link.userId)
      const page: PersonPage = {
        title: purpose === 'verify' ? 'Confirm your email' : 'Sign in',
        lead: 'Press the button to continue. We ask so that nobody can sign you in without your knowing.',
        leadsTo: safeReturnTo(link.returnTo),
        body: [
          purpose === 'verify' && !isOwn && owner?.emailVerified === false && (
            <p>
              This account was created in another browser. If you continue, you confirm that {link.email} is
              yours, the password chosen there is removed and that browser is signed out. You then choose your
              own. To keep a password you chose yourself, open the link in the browser you signed up with.
            </p>
          ),
          other !== null && (
            <p>You're signed in as {other.email}. If you continue, you're signed out of that account here.</p>
          ),
          <Form action={`/auth/${purpose}`} label={`Continue as ${link.email}`}>
            <Hidden name="token" value={token} />
          </Form>,
        ],
      }
      return page
    }

  pages.page('/auth/magic', linkPage('magic', askLinkPage))
  pages.action<Linked>('/auth/magic', {
    ...{ schema: ({ token }) => (token ? ByToken : ByEmail), page: askLinkPage },
    async act({ c, input: { token, email = '' }, form }) {
      if (token) return followLink(c, 'magic', token)
      const returnTo = safeReturnTo(form.return_to)
      await askMagicLink(accounts, { email, returnTo, ...asking(c) })
      return onward(CHECK_MAIL, returnTo)
    },
  })

  pages.page(CHECK_MAIL, checkMailPage)
  pages.page(
    '/auth/verify',
    linkPage('verify', ({ c }) => c.redirect(HOME, 303)),
  )
  pages.action<Linked>('/auth/verify', {
    ...{ schema: ({ token, email }) => (token ? ByToken : email === undefined ? z.object({}) : ByEmail) },
    page: checkMailPage,
    async act({ c, input: { token, email }, form }) {
      if (token) return followLink(c, 'verify', token)
      const returnTo = safeReturnTo(form.return_to)
      if (email !== undefined) {
        await askConfirmation(accounts, { email, returnTo, ...asking(c) })
        return onward(CHECK_MAIL, returnTo)
      }
      const browser = await findSignedIn(c, accounts)
      if (!browser) return onward('/auth/signin', returnTo)
      const sent = await resendVerification(accounts, { actor: browser.actor, returnTo, ...asking(c) })
      return sent ? onward(CHECK_MAIL, returnTo) : (returnTo ?? HOME)
    },
  })

  pages.page('/auth/reset', resetPage)
  pages.action<Linked>('/auth/reset', {
    schema: ({ token }) => (token ? Reset : ByEmail),
    async act({ c, visit, input: { token, email = '', password = '' }, form }) {
      if (token) {
        const link = await peekLink(accounts, { purpose: 'reset', token })
        if (!link?.usable) return deadLink(c, 'reset', token)
        const signed = await resetPassword(accounts, { token, password, ...presented(c) })
        return enter(c, signed.token, safeReturnTo(signed.returnTo))
      }
      const returnTo = safeReturnTo(form.return_to)
      await askReset(accounts, { email, returnTo, visit })
      return onward(CHECK_MAIL, returnTo)
    },
  })

  async function resetPage(seen: Seen): Promise<PersonPage | Response> {
    const { c, state, form } = seen
    const title = 'Reset your password'
    const token = form.token || c.req.query('token')
    if (!token) {
      const lead = "We'll email you a link. It works once, within an hour."
      const words = { title, lead, action: '/auth/reset', label: 'Email me a link' }
      return formPage(seen, words, <EmailField state={state} />, [['/auth/signin', 'Back to sign in']])
    }
    const link = await peekLink(accounts, { purpose: 'reset', token })
    if (!link?.usable) return deadLink(c, 'reset', token)
    return {
      ...{ title, lead: "You'll be signed in here and signed out everywhere else." },
      leadsTo: safeReturnTo(link.returnTo),
      body: (
        <Form action="/auth/reset" label="Set password">
          <Hidden name="token" value={token} />
          <ForAccount email={link.email} />
          <NewPasswordField state={state} label="New password" />
        </Form>
      ),
    }
  }

  /** The same for every address and every kind of email: it must not show what is known about an address. */
  function checkMailPage(seen: Seen): PersonPage {
    const { c, state, user } = seen
    const returnTo = returnToOf(seen)
    const isKnown = user !== null && !user.emailVerified
    return {
      title: 'Check your email',
      lead: 'We sent a message to the address you entered.',
      leadsTo: returnTo,
      body: [
        isOutboxOpen(c, config) && (
          <p class="aside">
            No mail server is set up here, so emails are kept in the <a href="/dev/outbox">outbox</a>.
          </p>
        ),
        <p>Open the link in it to continue. It can take a minute. Check your spam folder too.</p>,
        <section class="account-part">
          <h2>Didn't get it?</h2>
          <p>If you just signed up, send the email again. Make sure the address is right.</p>
          <Form action="/auth/verify" label="Resend email" kind="plain">
            <Hidden name="return_to" value={returnTo} />
            {!isKnown && <EmailField state={state} />}
          </Form>
        </section>,
        <Ways
          ways={[
            [onward('/auth/magic', returnTo), 'Get another sign-in link'],
            [onward('/auth/reset', returnTo), 'Get another password reset link'],
            [onward('/auth/signin', returnTo), 'Go to sign in'],
          ]}
        />,
      ],
    }
  }

  async function followLink(c: C, purpose: 'verify' | 'magic', token: string) {
    const current = (await findSignedIn(c, accounts))?.actor ?? null
    const browserHash = knownBrowser(c, baseUrl)
    const followed = await signInWithLink(accounts, { purpose, token, current, browserHash, ...presented(c) })
    if (!followed) return deadLink(c, purpose, token)
    const returnTo = safeReturnTo(followed.returnTo)
    if (followed.needsPassword) return enter(c, followed.token, onward(FIRST_PASSWORD, returnTo))
    // A person who was going nowhere reads that all is well, and where to go.
    const welcome = purpose === 'verify' ? `${HOME}?done=verified` : HOME
    return enter(c, followed.token, returnTo ?? welcome)
  }

  async function deadLink(c: C, purpose: 'verify' | 'magic' | 'reset', token: string) {
    const text = 'This link has expired or was already used.'
    if (wantsJson(c)) return respondEnvelope(c, invalid('token', text))
    const link = await peekLink(accounts, { purpose, token })
    const owner = link?.userId ? await findPerson(accounts, link.userId) : null
    if (purpose === 'verify' && owner?.emailVerified) {
      const done = { title: 'Your email is confirmed', text: "You're all set." }
      return sendPage(c, renderNotice({ site, ...done, link: HOME, label: 'Go to your account' }))
    }
    const way = { link: purpose === 'reset' ? '/auth/reset' : '/auth/magic', label: 'Get a new link' }
    const page = renderNotice({ site, title: 'This link no longer works', text, ...way })
    return sendPage(c, page, { status: 400 })
  }
}

/** Where the person was going: the form says it, else the address. */
function returnToOf({ c, form }: Seen): string | null {
  return safeReturnTo(c.req.method === 'POST' ? form.return_to : c.req.query('return_to'))
}

type Words = { title: string; lead: string; action: string; label: string }
type Way = readonly [path: string, label: string, before?: string]

/** A form that keeps where the person was going, and the other ways on. */
function formPage(seen: Seen, { title, lead, action, label }: Words, fields: Child, ways: Way[]): PersonPage {
  const returnTo = returnToOf(seen)
  return {
    ...{ title, lead, leadsTo: returnTo },
    body: [
      <Form action={action} label={label}>
        <Hidden name="return_to" value={returnTo} />
        {fields}
      </Form>,
      <Ways ways={ways.map(([path, ...words]) => [onward(path, returnTo), ...words])} />,
    ],
  }
}

function withVisit({ body, ...page }: PersonPage, isOpen: boolean): PersonPage {
  if (!isOpen) return { ...page, body }
  return {
    ...page,
    body: [body, <VisitAsSeller />],
  }
}

function signUpPage(seen: Seen): PersonPage {
  const { state } = seen
  const words = {
    title: 'Create an account',
    lead: "It's free. Save products, request quotes, connect an agent, or sell.",
    ...{ action: '/auth/signup', label: 'Create account' },
  }
  const fields = (
    <>
      <Field state={state} name="name" label="Name (optional)" autocomplete="name" maxlength={NAME_MAX} />
      <EmailField state={state} />
      <NewPasswordField state={state} />
    </>
  )
  return formPage(seen, words, fields, [
    ['/auth/magic', 'Sign up without a password'],
    ['/auth/signin', 'Sign in', 'Already have an account?'],
  ])
}

function signInPage(seen: Seen): PersonPage {
  const words = {
    ...{ title: 'Sign in', lead: 'Get to your saved products, quotes and agents.' },
    ...{ action: '/auth/signin', label: 'Sign in' },
  }
  const fields = (
    <>
      <EmailField state={seen.state} autocomplete="username" />
      <CurrentPasswordField state={seen.state} />
    </>
  )
  return formPage(seen, words, fields, [
    ['/auth/magic', 'Email me a sign-in link instead'],
    ['/auth/reset', 'Forgot your password?'],
    ['/auth/signup', 'Create an account', 'New here?'],
  ])
}

function askLinkPage(seen: Seen): PersonPage {
  const words = {
    title: 'Sign in by email',
    lead: "We'll email you a link that signs you in. If you don't have an account yet, it creates one.",
    ...{ action: '/auth/magic', label: 'Email me a link' },
  }
  return formPage(seen, words, <EmailField state={seen.state} />, [
    ['/auth/signin', 'Sign in with a password'],
  ])
}

/** Browsers say what a request is for. A request that says nothing is a script's or an old browser's, and is followed. */
function isFollowed(c: Context): boolean {
  if (c.req.method !== 'GET') return false
  if (/prefetch|prerender/i.test(`${c.req.header('sec-purpose')} ${c.req.header('purpose')}`)) return false
  if (c.req.header('sec-fetch-site') === undefined) return true
  return c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document'
}

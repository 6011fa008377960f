/**
 * The way in and out: /auth/*. A link from a mail acts on GET only in the browser that asked for the mail, known by its
 * cookie, or that is signed in to the same account. Every other request, and one that merely looks (HEAD, a prefetch, a
 * request of a page that is no navigation) or is signed in as somebody else, gets a page with a button and changes nothing.
 */
import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { resendVerification, signOut, signOutEverywhere } from '../../accounts/account.service.ts'
import { Email, emailKey, GivenPassword, Name } from '../../accounts/accounts.schema.ts'
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
import { type Form, readForm } from '../../http/form.ts'
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../http/session-cookie.ts'
import { AppError } from '../../lib/errors.ts'
import { answerForm } from '../kit/answer-form.ts'
import { type FormState, UNTOUCHED } from '../kit/fields.tsx'
import { onward } from '../onward.ts'
import { sendPage, wantsJson } from '../page.http.ts'
import { findSignedIn } from '../signed-in.ts'
import {
  renderAskLink,
  renderAskReset,
  renderCheckMail,
  renderConfirmLink,
  renderNewPassword,
  renderNotice,
  renderSignIn,
  renderSignUp,
} from './auth-pages.tsx'
import type { AccountDeps } from './deps.ts'
import { isOutboxOpen } from './outbox.routes.tsx'

const CHECK_MAIL = '/auth/check-mail'
/** Where the page for a password says why it asks. */
const FIRST_PASSWORD = '/account/password?done=verified'
const SignUpForm = z.object({ email: Email, password: z.string('Choose a password.'), name: Name })
const SignInForm = z.object({ email: Email, password: GivenPassword })
const EmailForm = z.object({ email: Email })
const ResetForm = z.object({ token: z.string(), password: z.string('Choose a password.') })

type C = Context<HttpEnv>

export function mountAuth(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const { accounts, config, site } = deps
  const { baseUrl } = config
  const returnToOf = (c: C) => safeReturnTo(c.req.query('return_to'))
  const presented = (c: C) => ({ visit: visitOf(c, config), replaces: readSessionCookie(c, baseUrl) })
  const asking = (c: C) => ({ visit: visitOf(c, config), browserHash: rememberBrowser(c, baseUrl) })

  function signedIn(c: C, token: string, returnTo: string | null): Response {
    setSessionCookie(c, baseUrl, token)
    return c.redirect(returnTo ?? HOME, 303)
  }

  app.get('/auth/signup', (c) => {
    const returnTo = returnToOf(c)
    return sendPage(c, renderSignUp({ site, state: UNTOUCHED, returnTo }), { leadsTo: returnTo })
  })

  app.post('/auth/signup', async (c) => {
    const form = await readForm(c)
    const returnTo = safeReturnTo(form.return_to)
    return answerForm(c, form, {
      schema: SignUpForm,
      leadsTo: returnTo,
      render: (state) => renderSignUp({ site, state, returnTo }),
      act: async (input) => {
        await signUp(accounts, { ...input, returnTo, ...asking(c) })
        return c.redirect(onward(CHECK_MAIL, returnTo), 303)
      },
    })
  })

  async function checkMail(c: C, state: FormState, returnTo: string | null): Promise<string> {
    const user = (await findSignedIn(c, accounts))?.actor.user
    const waiting = user && !user.emailVerified ? user.email : null
    return renderCheckMail({ site, state, outbox: isOutboxOpen(c, config), waiting, returnTo })
  }

  app.get(CHECK_MAIL, async (c) => {
    const returnTo = returnToOf(c)
    return sendPage(c, await checkMail(c, UNTOUCHED, returnTo), { leadsTo: returnTo })
  })

  app.get('/auth/signin', async (c) => {
    const returnTo = returnToOf(c)
    if (await findSignedIn(c, accounts)) return c.redirect(returnTo ?? HOME, 303)
    return sendPage(c, renderSignIn({ site, state: UNTOUCHED, returnTo }), { leadsTo: returnTo })
  })

  app.post('/auth/signin', async (c) => {
    const form = await readForm(c)
    const returnTo = safeReturnTo(form.return_to)
    return answerForm(c, form, {
      schema: SignInForm,
      leadsTo: returnTo,
      render: (state) => renderSignIn({ site, state, returnTo }),
      act: async (input) => {
        const { token } = await signInWithPassword(accounts, { ...input, ...presented(c) })
        return signedIn(c, token, returnTo)
      },
    })
  })

  app.post('/auth/signout', async (c) => {
    // A bare post without a body is enough; the consent page names where to come back to with another account.
    const form: Form = c.req.header('content-type') ? await readForm(c) : {}
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

  for (const purpose of ['magic', 'verify'] as const) {
    app.get(`/auth/${purpose}`, async (c) => {
      const token = c.req.query('token')
      if (!token) return purpose === 'magic' ? askLink(c) : c.redirect(HOME, 303)
      const link = await peekLink(accounts, { purpose, token })
      if (!link?.usable) return deadLink(c, purpose, token)
      const user = (await findSignedIn(c, accounts))?.actor.user ?? null
      const isTheirs = user !== null && emailKey(user.email) === link.emailKey
      const isOther = user !== null && !isTheirs
      const isOwn = isTheirs || (link.browserHash !== null && link.browserHash === knownBrowser(c, baseUrl))
      if (isOwn && !isOther && isFollowed(c)) return followLink(c, purpose, token)
      const owner = link.userId === null ? null : await findPerson(accounts, link.userId)
      const page = renderConfirmLink({
        ...{ site, purpose, token, email: link.email },
        signedInAs: isOther ? user.email : null,
        losesPassword: purpose === 'verify' && !isOwn && owner?.emailVerified === false,
      })
      return sendPage(c, page, { leadsTo: safeReturnTo(link.returnTo) })
    })
  }

  app.post('/auth/magic', async (c) => {
    const form = await readForm(c)
    if (form.token) return followLink(c, 'magic', form.token)
    const returnTo = safeReturnTo(form.return_to)
    return answerForm(c, form, {
      schema: EmailForm,
      leadsTo: returnTo,
      render: (state) => renderAskLink({ site, state, returnTo }),
      act: async ({ email }) => {
        await askMagicLink(accounts, { email, returnTo, ...asking(c) })
        return c.redirect(onward(CHECK_MAIL, returnTo), 303)
      },
    })
  })

  app.post('/auth/verify', async (c) => {
    const form = await readForm(c)
    if (form.token) return followLink(c, 'verify', form.token)
    const returnTo = safeReturnTo(form.return_to)
    const browser = await findSignedIn(c, accounts)
    if (browser && form.email === undefined) {
      const sent = await resendVerification(accounts, { actor: browser.actor, returnTo, ...asking(c) })
      return c.redirect(sent ? onward(CHECK_MAIL, returnTo) : (returnTo ?? HOME), 303)
    }
    if (form.email === undefined) return c.redirect(onward('/auth/signin', returnTo), 303)
    return answerForm(c, form, {
      schema: EmailForm,
      leadsTo: returnTo,
      render: (state) => checkMail(c, state, returnTo),
      act: async ({ email }) => {
        await askConfirmation(accounts, { email, returnTo, ...asking(c) })
        return c.redirect(onward(CHECK_MAIL, returnTo), 303)
      },
    })
  })

  app.get('/auth/reset', async (c) => {
    const token = c.req.query('token')
    const returnTo = returnToOf(c)
    if (!token)
      return sendPage(c, renderAskReset({ site, state: UNTOUCHED, returnTo }), { leadsTo: returnTo })
    const link = await peekLink(accounts, { purpose: 'reset', token })
    if (!link?.usable) return deadLink(c, 'reset', token)
    const { email } = link
    return sendPage(c, renderNewPassword({ site, state: UNTOUCHED, token, email }), {
      leadsTo: safeReturnTo(link.returnTo),
    })
  })

  app.post('/auth/reset', async (c) => {
    const form = await readForm(c)
    const { token = '' } = form
    if (token === '') {
      const returnTo = safeReturnTo(form.return_to)
      return answerForm(c, form, {
        schema: EmailForm,
        leadsTo: returnTo,
        render: (state) => renderAskReset({ site, state, returnTo }),
        act: async ({ email }) => {
          await askReset(accounts, { email, returnTo, visit: visitOf(c, config) })
          return c.redirect(onward(CHECK_MAIL, returnTo), 303)
        },
      })
    }
    const link = await peekLink(accounts, { purpose: 'reset', token })
    if (!link?.usable) return deadLink(c, 'reset', token)
    return answerForm(c, form, {
      schema: ResetForm,
      leadsTo: safeReturnTo(link.returnTo),
      render: (state) => renderNewPassword({ site, state, token, email: link.email }),
      act: async ({ password }) => {
        const signed = await resetPassword(accounts, { token, password, ...presented(c) })
        return signedIn(c, signed.token, safeReturnTo(signed.returnTo))
      },
    })
  })

  function askLink(c: C) {
    const returnTo = returnToOf(c)
    return sendPage(c, renderAskLink({ site, state: UNTOUCHED, returnTo }), { leadsTo: returnTo })
  }

  async function followLink(c: C, purpose: 'verify' | 'magic', token: string) {
    const current = (await findSignedIn(c, accounts))?.actor ?? null
    const browserHash = knownBrowser(c, baseUrl)
    const followed = await signInWithLink(accounts, { purpose, token, current, browserHash, ...presented(c) })
    if (!followed) return deadLink(c, purpose, token)
    const returnTo = safeReturnTo(followed.returnTo)
    if (followed.needsPassword) return signedIn(c, followed.token, onward(FIRST_PASSWORD, returnTo))
    // A person who was going nowhere reads that all is well, and where to go.
    const welcome = purpose === 'verify' ? `${HOME}?done=verified` : HOME
    return signedIn(c, followed.token, returnTo ?? welcome)
  }

  async function deadLink(c: C, purpose: 'verify' | 'magic' | 'reset', token: string) {
    const text = 'This link has run out or was used already.'
    const error = new AppError('invalid', text, { field: 'token' })
    if (wantsJson(c)) return respondEnvelope(c, error)
    const link = await peekLink(accounts, { purpose, token })
    const owner = link?.userId ? await findPerson(accounts, link.userId) : null
    if (purpose === 'verify' && owner?.emailVerified) {
      const done = { title: 'Your address is confirmed', text: 'There is nothing more to do.' }
      return sendPage(c, renderNotice({ site, ...done, link: HOME, label: 'Go to your account' }))
    }
    const [path, label] =
      purpose === 'reset' ? ['/auth/reset', 'Ask for a new link'] : ['/auth/magic', 'Get a new link']
    const page = renderNotice({ site, title: 'This link no longer works', text, link: path, label })
    return sendPage(c, page, { status: 400 })
  }
}

/** Browsers say what a request is for; one that says nothing is a script's or an old browser's, and is taken at its word. */
function isFollowed(c: Context): boolean {
  if (c.req.method !== 'GET') return false
  if (/prefetch|prerender/i.test(`${c.req.header('sec-purpose')} ${c.req.header('purpose')}`)) return false
  if (c.req.header('sec-fetch-site') === undefined) return true
  return c.req.header('sec-fetch-mode') === 'navigate' && c.req.header('sec-fetch-dest') === 'document'
}

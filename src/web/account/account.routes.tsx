/**
 * Mounts the account's pages: /auth/*, /account and, on one's own machine, /dev/outbox. They form an app of their own
 * within the app, so that one guard against cross-site posts and one way of showing errors hold for all of them.
 */
import { type Context, Hono } from 'hono'
import { z } from 'zod'
import {
  changeName,
  deleteAccount,
  endOneSession,
  exportData,
  hasPassword,
  ownedOrganizations,
} from '../../accounts/account.service.ts'
import { Name } from '../../accounts/accounts.schema.ts'
import type { SessionActor } from '../../accounts/actor.ts'
import { AUDIT_PAGE, listAudit } from '../../accounts/audit.service.ts'
import { changePassword } from '../../accounts/password.service.ts'
import { HOME, safeReturnTo } from '../../accounts/return-to.ts'
import { listSessions } from '../../accounts/sessions.service.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { asAppError, logFault, respondEnvelope, STATUS } from '../../http/error-response.ts'
import { readForm } from '../../http/form.ts'
import { sameOriginOnly } from '../../http/same-origin.ts'
import { clearSessionCookie, setSessionCookie } from '../../http/session-cookie.ts'
import { AppError } from '../../lib/errors.ts'
import { actingOrg } from '../../orgs/producer.ts'
import { listSaved } from '../../saved/saved.service.ts'
import { answerForm } from '../kit/answer-form.ts'
import { type FormState, UNTOUCHED } from '../kit/fields.tsx'
import { onward } from '../onward.ts'
import { doneWords, sendPage, wantsJson } from '../page.http.ts'
import { findSignedIn, type SignedInBrowser } from '../signed-in.ts'
import { renderAccount, type SavedSummary } from './account.overview.tsx'
import { renderDelete, renderFarewell, renderPassword } from './account-pages.tsx'
import { mountAuth } from './auth.routes.tsx'
import { renderNotice } from './auth-pages.tsx'
import type { AccountDeps } from './deps.ts'
import { renderHistory } from './history.page.tsx'
import { mountOutbox } from './outbox.routes.tsx'

const PasswordForm = z.object({ current: z.string().default(''), password: z.string('Choose a password.') })
const DeleteForm = z.object({
  password: z.string().default(''),
  confirm: z
    .string('Type the word delete.')
    .refine((word) => word.trim().toLowerCase() === 'delete', 'Type the word delete.'),
})

const DONE: Record<string, string> = {
  name: 'Your name was saved.',
  password: 'Your password was set. Your other devices were signed out.',
  session: 'That session was ended.',
  disconnected: 'It was disconnected, and can no longer act for you.',
  verified: 'Your address is confirmed, and you are signed in.',
}
const NEWS_MS = 7 * 86_400_000

export function mountAccount(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const pages = new Hono<HttpEnv>({ strict: false })
  for (const path of ['/auth/*', '/account', '/account/*'])
    pages.use(path, sameOriginOnly(deps.config.baseUrl))
  mountAuth(pages, deps)
  mountOwn(pages, deps)
  mountOutbox(pages, deps)
  pages.onError((raised, c) => {
    const error = asAppError(raised)
    logFault(c, error)
    if (wantsJson(c)) return respondEnvelope(c, error)
    if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
    const way = { link: HOME, label: 'Go to your account' }
    const page = renderNotice({ site: deps.site, title: 'That did not work', text: error.message, ...way })
    return sendPage(c, page, { status: STATUS[error.kind] })
  })
  app.route('/', pages)
}

function mountOwn(app: Hono<HttpEnv>, deps: AccountDeps): void {
  const { accounts, config, site, accountSections = [] } = deps

  /** For signed-in people only; others are asked to sign in and brought back. */
  const own =
    (handle: (c: Context<HttpEnv>, browser: SignedInBrowser) => Promise<Response>) =>
    async (c: Context<HttpEnv>): Promise<Response> => {
      const browser = await findSignedIn(c, accounts)
      if (browser) return handle(c, browser)
      if (wantsJson(c)) throw new AppError('unauthenticated', 'Please sign in.', { code: 'unauthenticated' })
      const wanted = c.req.method === 'GET' ? c.req.path : HOME
      return c.redirect(onward('/auth/signin', wanted), 303)
    }

  async function savedSummary(userId: string): Promise<SavedSummary> {
    const ctx = { ...accounts, search: deps.search.search, offers: deps.offers }
    const changedSince = new Date(accounts.clock.now().getTime() - NEWS_MS)
    const wish = { changedSince, onlyChanged: true, limit: 0, offset: 0 }
    const { lists, total: changed } = await listSaved(ctx, { userId }, wish)
    return { total: lists.reduce((sum, { count }) => sum + count, 0), changed }
  }

  async function accountPage(actor: SessionActor, state: FormState, asked?: string): Promise<string> {
    const { user, sessionId: currentSessionId } = actor
    const [sessions, withPassword, saved, org, sections] = await Promise.all([
      listSessions(accounts, user.id),
      hasPassword(accounts, actor),
      savedSummary(user.id),
      actingOrg(accounts, actor),
      Promise.all(accountSections.map((section) => section(user))),
    ])
    return renderAccount({
      ...{ site, user, state, sessions, currentSessionId, saved, org, sections },
      hasPassword: withPassword,
      done: doneWords(DONE, asked),
      justConfirmed: asked === 'verified',
      now: accounts.clock.now(),
    })
  }

  app.get(
    '/account',
    own(async (c, { actor }) => sendPage(c, await accountPage(actor, UNTOUCHED, c.req.query('done')))),
  )

  app.post(
    '/account/name',
    own(async (c, { actor }) => {
      return answerForm(c, await readForm(c), {
        schema: z.object({ name: Name }),
        render: (state) => accountPage(actor, state),
        act: async ({ name }) => {
          await changeName(accounts, { actor, name, visit: visitOf(c, config) })
          return c.redirect(`${HOME}?done=name`, 303)
        },
      })
    }),
  )

  app.post(
    '/account/sessions/end',
    own(async (c, { actor }) => {
      const { session_id: sessionId = '' } = await readForm(c)
      await endOneSession(accounts, { actor, sessionId, visit: visitOf(c, config) })
      return c.redirect(`${HOME}?done=session`, 303)
    }),
  )

  app.get(
    '/account/password',
    own(async (c, { actor }) => {
      const returnTo = safeReturnTo(c.req.query('return_to'))
      const page = renderPassword({
        ...{ site, user: actor.user, state: UNTOUCHED, returnTo },
        hasPassword: await hasPassword(accounts, actor),
        justConfirmed: c.req.query('done') === 'verified',
      })
      return sendPage(c, page, { leadsTo: returnTo })
    }),
  )

  app.post(
    '/account/password',
    own(async (c, { actor, token: replaces }) => {
      const withPassword = await hasPassword(accounts, actor)
      const form = await readForm(c)
      const returnTo = safeReturnTo(form.return_to)
      const shown = { site, user: actor.user, hasPassword: withPassword, justConfirmed: false, returnTo }
      return answerForm(c, form, {
        schema: PasswordForm,
        leadsTo: returnTo,
        render: (state) => renderPassword({ ...shown, state }),
        act: async (input) => {
          const act = { ...input, actor, replaces, visit: visitOf(c, config) }
          const { token } = await changePassword(accounts, act)
          setSessionCookie(c, config.baseUrl, token)
          return c.redirect(returnTo ?? `${HOME}?done=password`, 303)
        },
      })
    }),
  )

  app.get(
    '/account/history',
    own(async (c, { actor }) => {
      const before = c.req.query('before')
      const history = await listAudit(accounts, { userId: actor.user.id, before })
      return sendPage(c, renderHistory({ site, history, isFull: history.length === AUDIT_PAGE }))
    }),
  )

  app.get(
    '/account/export',
    own(async (c, { actor }) => {
      const headers = {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Disposition': 'attachment; filename="souk-account.json"',
        'Cache-Control': 'no-store',
      }
      // Whoever only looks is given nothing, and their history must not say otherwise.
      if (c.req.method === 'HEAD') return c.body(null, 200, headers)
      const data = await exportData(accounts, { actor, visit: visitOf(c, config) })
      return c.body(JSON.stringify(data, null, 2), 200, headers)
    }),
  )

  async function deletePage(actor: SessionActor, state: FormState): Promise<string> {
    const [withPassword, organizations, linkTokens] = await Promise.all([
      hasPassword(accounts, actor),
      ownedOrganizations(accounts, actor),
      accounts.hooks.countLinkTokens(accounts.db, actor.user.id),
    ])
    const owned = { organizations, linkTokens }
    return renderDelete({ site, user: actor.user, state, hasPassword: withPassword, ...owned })
  }

  app.get(
    '/account/delete',
    own(async (c, { actor }) => sendPage(c, await deletePage(actor, UNTOUCHED))),
  )

  app.post(
    '/account/delete',
    own(async (c, { actor }) => {
      return answerForm(c, await readForm(c), {
        schema: DeleteForm,
        render: (state) => deletePage(actor, state),
        act: async ({ password }) => {
          await deleteAccount(accounts, { actor, password, visit: visitOf(c, config) })
          clearSessionCookie(c, config.baseUrl)
          return sendPage(c, renderFarewell({ site }))
        },
      })
    }),
  )
}

/**
 * A form that is sent after its session has ended leads to sign in, and from there to /unsaved/{id}: what was typed, and a
 * button that sends it. One middleware sees every route that answers a form with the way to sign in, so no route does
 * anything for it. What is kept was sent from a page of ours, and only a press of the button sends it again, as a new
 * request that is judged like any other. Secrets and files are not kept; the page asks for them again.
 */

import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { AccountsContext } from '../../accounts/context.ts'
import { safeReturnTo } from '../../accounts/return-to.ts'
import {
  discardForm,
  findOwnForm,
  keepUnsavedForm,
  type UnsavedForm,
} from '../../accounts/unsaved-forms.service.ts'
import type { Config } from '../../config.ts'
import { knownBrowser, rememberBrowser } from '../../http/browser-cookie.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { isFormType, readParameters } from '../../http/form.ts'
import { isSameOrigin } from '../../http/same-origin.ts'
import { accountMark, rememberedAccount } from '../../http/session-cookie.ts'
import { isUploadType, readPastFiles } from '../../http/upload.ts'
import { isUuid } from '../../lib/ids.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import { humanized } from '../format.ts'
import { isSecretField } from '../kit/answer-form.ts'
import { type FormSpec, saidField, sentForm } from '../kit/form.tsx'
import { Submit } from '../kit/parts.tsx'
import { ownPages, type PersonPage, type PersonSeen, renderNotice } from '../kit/person.tsx'
import { sendPage } from '../page.http.ts'
import { onward, type SignedInBrowser } from '../signed-in.ts'
import type { Site } from '../site.ts'

const UNSAVED = '/unsaved'
const SIGN_IN = '/auth/signin'
/** Forms that people sign in with, or that another address brought them to. */
const OF_SIGNING_IN = /^\/(?:auth|oauth|unsaved)(?:\/|$)/

type Deps = { accounts: AccountsContext; config: Config; site: Site }
type Sent = Pick<UnsavedForm, 'fields' | 'isMultipart'> & { files: string[] }

/** Keeps what a form brought whose route answers with the way to sign in. */
export function keepingUnsaved({ accounts, config }: Omit<Deps, 'site'>): MiddlewareHandler<HttpEnv> {
  const { baseUrl } = config
  return async (c, next) => {
    await next()
    if (c.req.method !== 'POST' || c.res.status !== 303 || OF_SIGNING_IN.test(c.req.path)) return
    const to = URL.parse(c.res.headers.get('Location') ?? '', baseUrl)
    if (to?.pathname !== SIGN_IN || !isSameOrigin(c, baseUrl) || isByScript(c)) return
    const { pathname, search } = new URL(c.req.url)
    const action = safeReturnTo(`${pathname}${search}`)
    const sent = action === null ? null : await readSent(c)
    if (action === null || sent === null) return
    const back = safeReturnTo(to.searchParams.get('return_to')) ?? pathname
    const form = formFrom(sent, sentForm(c), { action, back })
    if (form === null) return
    const whose = { account: rememberedAccount(c, baseUrl), browserHash: rememberBrowser(c, baseUrl) }
    const id = await keepUnsavedForm(accounts, { form, visit: visitOf(c, config), ...whose })
    if (id !== null) c.res.headers.set('Location', onward(SIGN_IN, `${UNSAVED}/${id}`))
  }
}

/** As a live preview is asked for: nobody is led anywhere by its answer. */
function isByScript(c: Context): boolean {
  return (c.req.header('sec-fetch-mode') ?? 'navigate') !== 'navigate'
}

/** Null for what is no form, cannot be read, or is too large. The answer is the way to sign in all the same. */
async function readSent(c: Context): Promise<Sent | null> {
  try {
    if (isFormType(c)) return { fields: [...(await readParameters(c))], files: [], isMultipart: false }
    const read = isUploadType(c) ? await readPastFiles(c) : null
    return read && { ...read, isMultipart: true }
  } catch {
    return null
  }
}

/** Null for a form that nobody typed in, as that of a button, and for one that carries the token of something else. */
function formFrom(
  { fields, files, isMultipart }: Sent,
  of: FormSpec | undefined,
  where: Pick<UnsavedForm, 'action' | 'back'>,
): UnsavedForm | null {
  if (fields.some(([name]) => /^(?:token|form_token)$/.test(name))) return null
  const labelOf = (name: string) => of?.[name]?.label ?? humanized(name)
  const isSecret = (name: string) => of?.[name]?.kind === 'secret' || isSecretField(name)
  const plain = fields.filter(([name]) => !isSecret(name))
  const typed = plain.flatMap(([name, value]) => {
    if (value.trim() === '') return []
    const said = of
      ? saidField(of, name, value)
      : isTyped(name, value)
        ? { label: labelOf(name), value }
        : null
    return said ? [said] : []
  })
  if (typed.length === 0) return null
  const secrets = fields.filter(([name, value]) => isSecret(name) && value !== '').map(([name]) => name)
  const missing = [
    ...secrets.map((name) => ({ name, label: labelOf(name), isFile: false })),
    ...files.map((name) => ({ name, label: labelOf(name), isFile: true })),
  ]
  return { ...where, isMultipart, fields: plain, missing, typed }
}

/** Without a table of fields: what a page adds by itself is known by its name, or is an id. */
function isTyped(name: string, value: string): boolean {
  return (
    !/^_|(?:^|_)id$|^(?:p|at|from|back|username|return_to|version|revision)$/.test(name) && !isUuid(value)
  )
}

export function mountUnsaved(app: Hono<HttpEnv>, deps: Deps): void {
  const { accounts, site } = deps
  const { baseUrl } = deps.config
  const pages = ownPages(app, deps, (c) => c.req.path.replace(/\/discard$/, ''))
  const whose = ({ c, actor }: Pick<PersonSeen<SignedInBrowser>, 'c' | 'actor'>) => ({
    ...{ id: c.req.param('id') ?? '', browserHash: knownBrowser(c, baseUrl) },
    account: accountMark(actor.user.id),
  })
  const isGone = (c: PersonSeen<SignedInBrowser>['c']) =>
    sendPage(
      c,
      renderNotice({
        ...{ site, title: 'Nothing is waiting here', link: '/account', label: 'Go to your account' },
        text: 'What you typed is kept for 30 minutes, in the browser you typed it in and for the account you were signed in to. It may also have been discarded.',
      }),
      { status: 404 },
    )
  const show = async (seen: PersonSeen<SignedInBrowser>) => {
    const form = await findOwnForm(accounts, whose(seen))
    return form ? unsavedPage(form, `${seen.c.req.path}/discard`) : isGone(seen.c)
  }
  pages.page(`${UNSAVED}/:id`, show)
  pages.action(`${UNSAVED}/:id/discard`, {
    act: async (done) => (await discardForm(accounts, whose(done)))?.back ?? isGone(done.c),
  })
}

function unsavedPage(
  { action, isMultipart, fields, missing, typed }: UnsavedForm,
  discard: string,
): PersonPage {
  const hasFile = missing.some(({ isFile }) => isFile)
  const again = [
    ...(missing.some(({ isFile }) => !isFile)
      ? ['Passwords and secrets are never kept: enter them again.']
      : []),
    ...(hasFile ? ['Files are never kept: choose them again.'] : []),
  ]
  return {
    title: 'You were signed out before this was saved',
    lead: 'This is what you typed. Nothing has been saved yet.',
    // What is discarded here is discarded in the browser too.
    frame: (props) => <NarrowPage {...props} extraScript={props.site.kitScript} />,
    body: [
      <dl class="typed">
        {typed.map(({ label, value }) => (
          <div>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>,
      <form
        class="fields"
        method="post"
        action={action}
        enctype={isMultipart ? 'multipart/form-data' : undefined}
      >
        {fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {again.map((words) => (
          <p class="aside">{words}</p>
        ))}
        {missing.map(({ name, label, isFile }) => (
          <div class="field">
            <label for={`field-${name}`}>{label}</label>
            <input
              id={`field-${name}`}
              type={isFile ? 'file' : 'password'}
              name={name}
              autocomplete="off"
              required
            />
          </div>
        ))}
        <Submit line>Save it now</Submit>
      </form>,
      <form class="fields" method="post" action={discard}>
        <p>
          <button class="button plain" type="submit" data-forget>
            Discard
          </button>
        </p>
      </form>,
    ],
  }
}

/**
 * Pages outside of the consoles: to sign in, for an account, for what a shopper saves and asks. A page is a function that
 * serves the GET and the refused form; the kit adds the frame, what was just done, the errors and the headers.
 */
import type { Context, Hono } from 'hono'
import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { Person, SessionActor } from '../../accounts/actor.ts'
import type { SessionsContext, Visit } from '../../accounts/context.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { type Form, readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import { AppError } from '../../lib/errors.ts'
import { NarrowPage } from '../components/narrow-page.tsx'
import { doneWords, sendPage, wantsJson } from '../page.http.ts'
import { findSignedIn, onward, type SignedInBrowser, viewerOf } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { answerForm, createPlaces, type Leading, ledTo, NO_FIELDS } from './answer-form.ts'
import { htmlOf } from './console.tsx'
import { ErrorSummary, type FormState, UNTOUCHED } from './fields.tsx'
import { noteForm } from './form.tsx'
import { type Asked, type Listed, type ListSpec, listPage } from './list.tsx'
import { asSentences, LinkLine } from './parts.tsx'

type C = Context<HttpEnv>
type Html = ReturnType<typeof NarrowPage>
export type FrameProps = { site: Site; title: string; lead?: string; children?: Child }

export type PersonPage = {
  title: string
  lead?: string
  /** What to say after an action: by the word that `?done=` has in the address. */
  said?: Readonly<Record<string, Child>>
  /** Where the page's forms lead in the end. */
  leadsTo?: string | null
  status?: ContentfulStatusCode
  /** By default one narrow column. */
  frame?: (props: FrameProps) => Html
  body: Child
}

/** `form` is what was sent; empty for a GET. */
export type PersonSeen<Who> = Who & { c: C; state: FormState; form: Form }
export type PersonShow<Who> = (
  seen: PersonSeen<Who>,
) => PersonPage | Response | Promise<PersonPage | Response>

type Done<Who, Input> = Who & { c: C; visit: Visit; input: Input; form: Form }
type Route<Who, Input> = {
  /** May depend on the form, where an address takes several. Without one, nothing is read of the form. */
  schema?: z.ZodType<Input> | ((form: Form) => z.ZodType<Input>)
  /** By default the page that the form stands on. */
  page?: PersonShow<Who>
  /** The largest form in bytes. */
  limit?: number
} & Leading<Done<Who, Input>, Response | PersonPage>

export type Pages<Who> = {
  page(path: string, show: PersonShow<Who>): void
  action<Input>(path: string, route: Route<Who, Input>): void
  /** Sends a page in answer to what the kit does not read, such as a post from elsewhere. */
  answer(c: C, page: PersonPage): Response | Promise<Response>
}

/** Whom the header names. */
type Looking = { user?: Person | null; actor?: SessionActor }

/** `find` says who looks; it may answer in place of the page. */
export function createPages<Who extends Looking>(
  app: Hono<HttpEnv>,
  { site, config }: { site: Site; config: Config },
  find: (c: C) => Promise<Who | Response>,
): Pages<Who> {
  const send = (
    c: C,
    page: PersonPage | Response,
    { user, actor }: Looking = {},
    state = UNTOUCHED,
    status = 200 as ContentfulStatusCode,
  ) => {
    if (page instanceof Response) return page
    const person = user ?? actor?.user
    const shown = person ? { ...site, viewer: viewerOf(person) } : site
    const html = framed(shown, page, state, c.req.query('done'))
    return sendPage(c, html, { status: page.status ?? status, leadsTo: page.leadsTo })
  }
  const places = createPlaces<PersonShow<Who>>()
  return {
    answer: (c, page) => send(c, page),
    page(path, show) {
      places.add(path, show)
      app.get(path, async (c) => {
        const who = await find(c)
        if (who instanceof Response) return who
        return send(c, await show({ ...who, c, state: UNTOUCHED, form: {} }), who)
      })
    },
    action<Input>(
      path: string,
      { schema = NO_FIELDS as z.ZodType<Input>, page, limit, ...route }: Route<Who, Input>,
    ) {
      app.post(path, async (c) => {
        requireSameOrigin(c, config.baseUrl)
        if (typeof schema !== 'function') noteForm(c, schema)
        const who = await find(c)
        if (who instanceof Response) return who
        const form = await readForm(c, limit)
        return answerForm(c, form, {
          schema: typeof schema === 'function' ? schema(form) : schema,
          async render({ values, errors }, status) {
            const state = { values, errors: asSentences(errors) }
            const show = page ?? places.of(path, c.req.path).page
            if (!show) throw new Error(`${path}: a refused form has no page`)
            return send(c, await show({ ...who, c, state, form }), who, state, status)
          },
          async act(input) {
            const done = { ...who, c, visit: visitOf(c, config), input, form }
            const at = places.of(path, c.req.path).at
            const made = await ledTo<Done<Who, Input>, Response | PersonPage>(route, done, at)
            return typeof made === 'string' ? c.redirect(made, 303) : send(c, made, who)
          },
        })
      })
    },
  }
}

function framed(site: Site, page: PersonPage, state: FormState, asked: string | undefined): string {
  const { title, lead, said = {}, frame: Frame = NarrowPage } = page
  const done = doneWords(said, asked)
  const body = htmlOf(page.body)
  return String(
    <Frame site={site} title={title} lead={lead}>
      {done !== null && (
        <div class="done" role="status">
          {done}
        </div>
      )}
      <ErrorSummary errors={state.errors} within={body} />
      {raw(body)}
    </Frame>,
  )
}

type People = SessionsContext & { config: { baseUrl: string } }

/** For pages of signed-in people: others sign in and come back to where `back` says. */
function signedIn(people: People, back: (c: C) => string | Promise<string>) {
  return async (c: C): Promise<SignedInBrowser | Response> => {
    const browser = await findSignedIn(c, people)
    if (browser) return browser
    if (wantsJson(c)) throw new AppError('unauthenticated', 'Please sign in.', { code: 'unauthenticated' })
    return c.redirect(onward('/auth/signin', await back(c)), 303)
  }
}

/** The pages of signed-in people. */
export function ownPages(
  app: Hono<HttpEnv>,
  deps: { site: Site; config: Config; accounts: People },
  back: (c: C) => string | Promise<string>,
): Pages<SignedInBrowser> {
  return createPages(app, deps, signedIn(deps.accounts, back))
}

/** For pages that everybody may see. */
export function anybody(people: People) {
  return async (c: C) => ({ user: (await findSignedIn(c, people))?.actor.user ?? null })
}

/** A list among the pages of a person. */
export function listOfPerson<Who, Row, F extends ListSpec['filters']>(
  list: ListSpec<F>,
  frame: PersonPage['frame'],
  find: (seen: PersonSeen<Who> & { asked: Asked<F> }) => Promise<Listed<Row, F> | Response>,
): PersonShow<Who> {
  return async (seen) => {
    const show = listPage<Who & { form: Form }, Row, F>(list, find)
    const page = await show(seen)
    if (page instanceof Response) return page
    const { title, lead, said, status, body } = page
    return {
      title,
      lead: typeof lead === 'string' ? lead : undefined,
      said,
      status,
      frame,
      body: body,
    }
  }
}

/** Links to go on with: an address, its label, and words before it. */
export function Ways({
  ways,
}: {
  ways: ReadonlyArray<readonly [href: string, label: Child, before?: string]>
}) {
  return (
    <ul class="ways">
      {ways.map(([href, label, before]) => (
        <li>
          {before && `${before} `}
          <a href={href}>{label}</a>
        </li>
      ))}
    </ul>
  )
}

/** A page that says a single thing and leads on. */
export function renderNotice(notice: {
  site: Site
  title: string
  text: string
  link: string
  label: string
}): string {
  const { site, title, text, link, label } = notice
  return String(
    <NarrowPage site={site} title={title} lead={text}>
      <LinkLine to={link} button>
        {label}
      </LinkLine>
    </NarrowPage>,
  )
}

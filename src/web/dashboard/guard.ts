/**
 * The one way into every page and form of the dashboard. A page is for somebody signed in who belongs to an organization
 * and whose role has the right that the page asks for; a form besides comes from a page of ours and names the
 * organization it was shown for, because a person with several may have selected another one in another window since.
 * What a form does is judged once more by the service that does it.
 */
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { SessionActor } from '../../accounts/actor.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { type Form, readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import type { Upload, UploadedFile } from '../../http/upload.ts'
import { AppError } from '../../lib/errors.ts'
import type { OrgsContext } from '../../orgs/context.ts'
import { viewOrg } from '../../orgs/org.service.ts'
import { type Act, boundTo, type Caller, hasRight, type Right } from '../../orgs/producer.ts'
import { answerPosted } from '../kit/answer-form.ts'
import { framed, type Page, type Show, sendConsolePage } from '../kit/console.tsx'
import { type FormState, UNTOUCHED } from '../kit/fields.tsx'
import { asSentences } from '../kit/parts.tsx'
import { onward } from '../onward.ts'
import { sendPage } from '../page.http.ts'
import { findSignedIn } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { renderNoOrganization } from './no-organization.page.tsx'
import { frameOf, renderNotAllowed, renderNotOpenedFor, type Visitor } from './page.tsx'

export type GuardDeps = { config: Config; site: Site; orgs: OrgsContext }

export type FormRoute<Input> = {
  schema: z.ZodType<Input>
  /** The page that the form stands on, with what was typed and what is wrong with it. */
  render(again: { c: Context<HttpEnv>; visitor: Visitor; state: FormState }): string | Promise<string>
  /** Where it leads when it is done; the address says what was done, for the page to tell. */
  act(done: {
    c: Context<HttpEnv>
    act: Act
    visitor: Visitor
    input: Input
    file: UploadedFile | null
  }): Promise<string | Response>
  /** Where somebody who was signed out meanwhile comes back to. */
  page: string | ((c: Context<HttpEnv>, form: Form) => string)
  /** For a form that brings a file. */
  upload?: Upload
}

type Who = { visitor: Visitor }

/** An action of a form: `page` is shown again when it is refused, to those who have the page's right. */
export type ActionRoute<Input> = {
  schema: z.ZodType<Input>
  page: Show<Who>
  right?: Right
  /** Where to come back to after signing in again; by default the address of the action. */
  from?: string | ((c: Context<HttpEnv>, form: Form) => string)
  upload?: Upload
  /** Returns the address that shows the result, or the result itself. */
  act(
    done: Who & { c: Context<HttpEnv>; act: Act; input: Input; file: UploadedFile | null },
  ): Promise<string | Response | Page>
}

export type Dashboard = {
  /** Shows a page to those whose role has the right. */
  page(path: string, right: Right, show: Show<Who>): void
  action<Input>(path: string, route: ActionRoute<Input>): void
  /** A page for whoever has the right. */
  get(
    path: string,
    right: Right,
    show: (c: Context<HttpEnv>, visitor: Visitor) => Response | Promise<Response>,
  ): void
  post<Input>(path: string, route: FormRoute<Input>): void
}

export function createDashboard(app: Hono<HttpEnv>, { config, site, orgs }: GuardDeps): Dashboard {
  const dashboard: Dashboard = {
    page(path, right, show) {
      dashboard.get(path, right, async (c, visitor) =>
        sendConsolePage(c, await show({ c, visitor, state: UNTOUCHED }), frameOf(site, visitor), UNTOUCHED),
      )
    },
    action(path, { page, right = 'read', from, act, ...route }) {
      dashboard.post(path, {
        ...route,
        page: from ?? addressOf,
        async render({ c, visitor, state }) {
          const mayLook = hasRight(visitor.role, right)
          const again = mayLook ? await page({ c, visitor, state }) : null
          if (again === null || again instanceof Response) return renderNotAllowed(site, visitor, right)
          return framed(again, frameOf(site, visitor), state)
        },
        async act(done) {
          const made = await act(done)
          if (typeof made === 'string' || made instanceof Response) return made
          return sendConsolePage(done.c, made, frameOf(site, done.visitor), UNTOUCHED)
        },
      })
    },
    get(path, right, show) {
      app.get(path, async (c) => {
        const browser = await findSignedIn(c, orgs)
        if (!browser) return toSignIn(c, addressOf(c))
        const visitor = await findVisitor(orgs, browser.actor)
        if (!visitor) return sendPage(c, renderNoOrganization(site), { status: 403 })
        if (!visitor.has(right)) return sendPage(c, renderNotAllowed(site, visitor, right), { status: 403 })
        return showTo(visitor, (reader) => show(c, reader))
      })
    },
    post(path, route) {
      app.post(path, async (c) => {
        requireSameOrigin(c, config.baseUrl)
        const browser = await findSignedIn(c, orgs)
        const backTo = (form: Form) => (typeof route.page === 'string' ? route.page : route.page(c, form))
        // A file is not read for somebody whom nobody knows.
        if (!browser) return toSignIn(c, backTo(route.upload ? {} : await readForm(c)))
        const visitor = await findVisitor(orgs, browser.actor)
        if (!visitor) return sendPage(c, renderNoOrganization(site), { status: 403 })
        return answerPosted(c, {
          ...route,
          aside: 'org_id',
          async render({ values, errors }, { org_id: orgId }) {
            try {
              return await route.render({ c, visitor, state: { values, errors: asSentences(errors) } })
            } catch (error) {
              // The page that the form stood on is another organization's, and is not there for this one.
              const isAbsent = error instanceof AppError && error.kind === 'not_found'
              if (orgId === visitor.org.id || !isAbsent) throw error
              return renderNotOpenedFor(site, visitor)
            }
          },
          act(input, { form, file }) {
            requireSameOrg(visitor, form.org_id)
            const act = { caller: visitor.caller, visit: visitOf(c, config) }
            return route.act({ c, act, visitor, input, file })
          },
        })
      })
    },
  }
  return dashboard
}

/** Null for somebody without an organization. */
export async function findVisitor(
  orgs: OrgsContext,
  actor: SessionActor,
): Promise<(Visitor & { has(right: Right): boolean }) | null> {
  try {
    const { org, role, rename, pending, organizations } = await viewOrg(orgs, actor)
    if (role === null) return null
    const has = (right: Right) => hasRight(role, right)
    const writable = org.deactivatedAt === null
    const may = (right: Right) => has(right) && (writable || right === 'read' || right === 'oversee')
    return { actor, caller: boundTo(actor, org.id), org, role, rename, pending, organizations, may, has }
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_a_producer') return null
    throw error
  }
}

/**
 * Shows a page that only reads: it goes by what was just read of the organization. What is read once the page has begun
 * looks again, because somebody may have been removed meanwhile.
 */
export async function showTo(
  visitor: Visitor,
  show: (visitor: Visitor) => Response | Promise<Response>,
): Promise<Response> {
  const { actor, org, role } = visitor
  const caller: Caller = { ...actor, onlyOrgId: org.id, known: { org, role } }
  try {
    return await show({ ...visitor, caller })
  } finally {
    delete caller.known
  }
}

function requireSameOrg({ org }: Visitor, orgId: string | undefined): void {
  if (org.id === orgId) return
  throw new AppError(
    'conflict',
    `this form was not opened for ${org.name}, which you act for now, so nothing was changed; look again before you send it`,
    { code: 'conflict' },
  )
}

function addressOf(c: Context): string {
  const { pathname, search } = new URL(c.req.url)
  return `${pathname}${search}`
}

function toSignIn(c: Context, returnTo: string): Response {
  return c.redirect(onward('/auth/signin', returnTo), 303)
}

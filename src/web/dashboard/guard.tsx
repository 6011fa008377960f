/**
 * The one way into every page and form of the dashboard. A page is for somebody signed in who belongs to an organization
 * and whose role has the right that the page asks for; a form besides comes from a page of ours and names the
 * organization it was shown for, because a person with several may have selected another one in another window since.
 * What a form does is judged once more by the service that does it.
 */
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { SessionActor } from '../../accounts/actor.ts'
import type { RelationshipHooks } from '../../catalog/relationships.service.ts'
import type { SheetOutcome } from '../../catalog/sheet-batch.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { type Form, readForm } from '../../http/form.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import type { Upload, UploadedFile } from '../../http/upload.ts'
import { AppError } from '../../lib/errors.ts'
import type { OrgsContext } from '../../orgs/context.ts'
import { viewOrg } from '../../orgs/org.service.ts'
import type { Org, OrgRole } from '../../orgs/orgs.schema.ts'
import type { Pending } from '../../orgs/pending.ts'
import { type Act, boundTo, type Caller, hasRight, type Right } from '../../orgs/producer.ts'
import type { Rename } from '../../orgs/renames.service.ts'
import type { PicturesContext } from '../../pictures/pictures.service.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { Search } from '../../search/search.service.ts'
import type { SourcesContext } from '../../sources/context.ts'
import { isOutboxOpen } from '../account/outbox.routes.tsx'
import { answerPosted, createPlaces, type Leading, ledTo, NO_FIELDS } from '../kit/answer-form.ts'
import {
  answered,
  entriesOf,
  type Frame,
  framed,
  type Page,
  type Seen,
  type Show,
  sendConsolePage,
} from '../kit/console.tsx'
import { CSV_UPLOAD, CsvForm, type CsvIn, type CsvWish, csvAgain, takeCsv } from '../kit/csv-in.tsx'
import { Hidden, UNTOUCHED } from '../kit/fields.tsx'
import { noteForm } from '../kit/form.tsx'
import { type Asked, type Listed, type ListShow, type ListSpec, listPage } from '../kit/list.tsx'
import { asSentences, Empty } from '../kit/parts.tsx'
import { renderNotice } from '../kit/person.tsx'
import { sendPage } from '../page.http.ts'
import { findSignedIn, onward, type SignedInBrowser, viewerOf } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { DASHBOARD, REGISTER_PATH, SWITCH_PATH, TEAM_PATH, waysFor } from './paths.ts'

/** What the pages are made with; the context is that of all use cases behind them. */
export type DashboardDeps = {
  config: Config
  site: Site
  ctx: RfqContext & { relationshipHooks: RelationshipHooks }
  /** The public catalog, looked through by words. */
  search: { search: Pick<Search, 'search'> }
  pictures: PicturesContext
  sources: SourcesContext
  /** Aborted when the node stops. */
  stopping: AbortSignal
  /** Resolves when this node shows what was committed before the call. */
  shown: () => Promise<void>
}

/** Somebody who looks at the dashboard, for one organization of theirs. */
export type Visitor = {
  actor: SessionActor
  /** Bound to the organization, whichever they select meanwhile. */
  caller: Caller
  org: Org
  role: OrgRole
  /** A new name that waits for the operator, or was declined. */
  rename: Rename | null
  /** Why it is not verified; null when it is. */
  pending: Pending | null
  organizations: Array<{ orgId: string; name: string; selected: boolean }>
  /** Whether their role has it, and the organization can still be written to. */
  may(right: Right): boolean
}

export type GuardDeps = { config: Config; site: Site; orgs: OrgsContext; shown: () => Promise<void> }

type Who = { visitor: Visitor }
export type VisitorSeen = Seen<Who>

type Done<Input> = Who & { c: Context<HttpEnv>; act: Act; input: Input; file: UploadedFile | null }

/** An action of a form: its page is shown again when it is refused, to those who have the right. */
export type ActionRoute<Input> = {
  /** Without one, nothing is read of the form. */
  schema?: z.ZodType<Input>
  /** By default the page that the form stands on. */
  page?: Show<Who>
  /** By default that of the page that the form stands on. */
  right?: Right
  /** Where to come back to after signing in again; by default the page that the form stands on. */
  from?: string | ((c: Context<HttpEnv>, form: Form) => string)
  upload?: Upload
  /** Buyers see what it changes: the answer waits until this node shows it. */
  shows?: true
} & Leading<Done<Input>, Response | Page>

/** A page as it was mounted. */
export type MountedPage = { path: string; right: Right; show: Show<Who> }

type Find<Row, F extends ListSpec['filters']> = (
  seen: VisitorSeen & { asked: Asked<F> },
) => Promise<Listed<Row, F> | Response>

export type Dashboard = {
  /** In the order of mounting. */
  pages: readonly MountedPage[]
  /** Shows a page to those whose role has the right. */
  page(path: string, right: Right, show: Show<Who>): void
  /** Mounts the page of a list, and returns it for forms that stand elsewhere. */
  list<Row, F extends ListSpec['filters']>(list: ListSpec<F>, right: Right, find: Find<Row, F>): ListShow<Who>
  action<Input>(path: string, route: ActionRoute<Input>): void
  /** Mounts the page that takes a list back as a file. A deactivated organization looks, and brings nothing. */
  csv(spec: CsvIn & { right: Right }, run: (act: Act, wish: CsvWish) => Promise<SheetOutcome>): void
}

export function createDashboard(app: Hono<HttpEnv>, { config, site, orgs, ...deps }: GuardDeps): Dashboard {
  const shown = (c: Context<HttpEnv>, visitor: Visitor, page: Page | Response) =>
    sendConsolePage(c, page, frameOf(site, visitor), UNTOUCHED)
  const pages: MountedPage[] = []
  const places = createPlaces<MountedPage>()
  return {
    pages,
    page(path, right, show) {
      pages.push({ path, right, show })
      places.add(path, { path, right, show })
      app.get(path, async (c) => {
        const browser = await findVisiting(c, { orgs, config })
        if (!browser) return toSignIn(c, addressOf(c))
        const visitor = await findVisitor(orgs, browser.actor)
        if (!visitor) return sendPage(c, renderNoOrganization(site), { status: 403 })
        if (!visitor.has(right)) return shown(c, visitor, notAllowed(visitor, right))
        return showTo(visitor, async (reader) =>
          shown(c, reader, await show({ c, visitor: reader, state: UNTOUCHED })),
        )
      })
    },
    list<Row, F extends ListSpec['filters']>(list: ListSpec<F>, right: Right, find: Find<Row, F>) {
      const show = listPage<Who, Row, F>(list, find)
      this.page(list.path, right, show)
      return show
    },
    csv(spec, run) {
      const { path, right } = spec
      this.page(path, right, ({ visitor, state }) => csvAgain(spec, state, { mayBring: visitor.may(right) }))
      this.action(path, {
        ...{ schema: CsvForm, upload: CSV_UPLOAD, shows: true },
        act: ({ act, input, file }) => takeCsv(spec, input, file, (wish) => run(act, wish)),
      })
    },
    action<Input>(
      path: string,
      {
        schema = NO_FIELDS as z.ZodType<Input>,
        page,
        right: asked,
        from,
        upload,
        shows,
        ...route
      }: ActionRoute<Input>,
    ) {
      app.post(path, async (c) => {
        const place = places.of(path, c.req.path)
        const [show, right] = [page ?? place.page?.show, asked ?? place.page?.right ?? 'read']
        requireSameOrigin(c, config.baseUrl)
        noteForm(c, schema)
        const browser = await findVisiting(c, { orgs, config })
        if (browser?.actor.user.demo && !MAY_IN_DEMO.test(path))
          throw new AppError('forbidden', 'a visit to the demo can change offers, pricing and claims only')
        const backTo = (form: Form) =>
          typeof from === 'function'
            ? from(c, form)
            : (from ?? (place.at === c.req.path ? addressOf(c) : place.at))
        // A file is not read for somebody whom nobody knows.
        if (!browser) return toSignIn(c, backTo(upload ? {} : await readForm(c)))
        const visitor = await findVisitor(orgs, browser.actor)
        if (!visitor) return sendPage(c, renderNoOrganization(site), { status: 403 })
        return answerPosted(c, {
          ...{ schema, upload, aside: 'org_id' },
          async render({ values, errors }, { org_id: orgId }) {
            const state = { values, errors: asSentences(errors) }
            const again = async () => {
              if (!visitor.has(right)) return notAllowed(visitor, right)
              try {
                return await show?.({ c, visitor, state })
              } catch (error) {
                // The page that the form stood on is another organization's, and this one does not have it.
                const isAbsent = error instanceof AppError && error.kind === 'not_found'
                if (orgId === visitor.org.id || !isAbsent) throw error
                return notOpenedFor(visitor)
              }
            }
            const made = await again()
            if (!made || made instanceof Response) throw new Error(`${path}: a refused form has no page`)
            return framed(c, made, frameOf(site, visitor), state)
          },
          async act(input, { form, file }) {
            requireSameOrg(visitor, form.org_id)
            const by = { caller: visitor.caller, visit: visitOf(c, config) }
            const made = await ledTo<Done<Input>, Response | Page>(
              route,
              { c, act: by, visitor, input, file },
              place.at,
            )
            if (shows) await deps.shown()
            if (typeof made === 'string') return made
            return shown(c, visitor, made instanceof Response ? made : answered(made))
          },
        })
      })
    },
  }
}

/** What a visit to the demo may change, by the route. */
const MAY_IN_DEMO =
  /^\/dashboard\/(?:(?:offers|pricing)(?:\/.*)?|agent\/sandbox|products\/claim|products\/:category\/:slug\/claims\/withdraw)$/

/** Somebody signed in, or a visit to the demo as a seller, which only this machine can make. */
export async function findVisiting(
  c: Context<HttpEnv>,
  { orgs, config }: Pick<GuardDeps, 'orgs' | 'config'>,
): Promise<SignedInBrowser | null> {
  const browser = await findSignedIn(c, orgs, { orDemo: true })
  if (!browser?.actor.user.demo) return browser
  return browser.actor.user.demo === 'seller' && isOutboxOpen(c, config) ? browser : null
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

function addressOf(c: Context<HttpEnv>): string {
  const { pathname, search } = new URL(c.req.url)
  return `${pathname}${search}`
}

function toSignIn(c: Context, returnTo: string): Response {
  return c.redirect(onward('/auth/signin', returnTo), 303)
}

const ENTRIES = entriesOf(waysFor(() => true))

/** The frame of every page of the dashboard: whom the visitor acts for, and what their role may open. */
export function frameOf(site: Site, visitor: Visitor): Frame & { name: string } {
  return {
    site: { ...site, viewer: viewerOf(visitor.actor.user) },
    name: 'Dashboard',
    groups: waysFor(visitor.may),
    entries: ENTRIES,
    whose: (at) => <Whose visitor={visitor} at={at} />,
    isOperator: visitor.actor.user.isAdmin,
    hidden: { org_id: visitor.org.id },
    notice: visitor.org.deactivatedAt !== null && (
      <p class="aside">
        {visitor.org.name} is deactivated. Buyers see nothing of it, and nothing can be changed. Contact the
        operator of this service.
      </p>
    ),
  }
}

function Whose({ visitor, at }: { visitor: Visitor; at: string }) {
  const { org, role, organizations } = visitor
  return (
    <div class="whose">
      <p>
        <strong>{org.name}</strong>
        {org.demo && (
          <>
            {' '}
            <span class="badge">Demo</span>
          </>
        )}
        <span class="row-note">You are {`${an(role)} ${role}`}</span>
      </p>
      {organizations.length > 1 && (
        <details>
          <summary>Switch organization</summary>
          <ul>
            {organizations
              .filter(({ selected }) => !selected)
              .map(({ orgId, name }) => (
                <li>
                  <form method="post" action={SWITCH_PATH}>
                    <Hidden name="org_id" value={orgId} />
                    <Hidden name="at" value={at} />
                    <button type="submit">{name}</button>
                  </form>
                </li>
              ))}
          </ul>
        </details>
      )}
    </div>
  )
}

function an(word: string): string {
  return /^[aeiou]/.test(word) ? 'an' : 'a'
}

/** "An owner or admin" */
export function whoMay(right: Right): string {
  return right === 'edit' ? 'An owner, admin or editor' : 'An owner or admin'
}

/** For a role that only looks: who changes what stands here. */
export function WhoMay({
  visitor: { org, role },
  right,
  what = 'change this',
}: {
  visitor: Visitor
  right: Right
  what?: string
}) {
  if (hasRight(role, right) || org.deactivatedAt !== null) return null
  return (
    <p class="soft">
      {whoMay(right)} of {org.name} can {what}.
    </p>
  )
}

/** The page for a role that may not open a page: who may, and where to ask. */
export function notAllowed({ org, role }: Visitor, right: Right): Page {
  return {
    ...{ title: 'Not for your role', at: DASHBOARD, status: 403, errors: {} },
    body: (
      <Empty>
        <p>
          {whoMay(right)} of {org.name} can open this page. You are {an(role)} {role}: ask one of them, or ask
          for another role.
        </p>
        <p class="line">
          <a href={TEAM_PATH}>See the team</a>
          <a href={DASHBOARD}>Go to the overview</a>
        </p>
      </Empty>
    ),
  }
}

/** The page for a form of another organization, which has no page here to be shown on again. */
export function notOpenedFor({ org }: Visitor): Page {
  return {
    ...{ title: 'Nothing was changed', at: DASHBOARD },
    body: (
      <Empty>
        <p>
          This form was opened for another organization, and you now act for {org.name}. Switch back, and send
          it again.
        </p>
        <p class="line">
          <a href={DASHBOARD}>Go to the overview of {org.name}</a>
        </p>
      </Empty>
    ),
  }
}

export function renderNoOrganization(site: Site): string {
  return renderNotice({
    site,
    title: 'No organization yet',
    text: 'You belong to no organization, so there is nothing to show. Register yours, or ask an owner to invite you, and open this page again.',
    link: REGISTER_PATH,
    label: 'Register an organization',
  })
}

/**
 * The one way into the operator's pages and forms. For everybody else they do not exist: the answer is that of an unknown
 * address. Only a form that nobody signed in sends leads to sign in, because an operator's session may have ended.
 * Actions are recorded as those of the person who did them.
 */
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { SessionActor } from '../../accounts/actor.ts'
import { type AuditActor, auditActor } from '../../accounts/audit.service.ts'
import type { AccountsContext, Visit } from '../../accounts/context.ts'
import type { MergeHooks } from '../../catalog/manage-products.service.ts'
import type { RelationshipHooks } from '../../catalog/relationships.service.ts'
import type { SheetOutcome } from '../../catalog/sheet-batch.ts'
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import type { Upload, UploadedFile } from '../../http/upload.ts'
import type { Periodic } from '../../jobs/jobs.admin.service.ts'
import { AppError } from '../../lib/errors.ts'
import type { News } from '../../lib/news.ts'
import type { OauthContext } from '../../oauth/context.ts'
import type { RfqContext } from '../../rfq/context.ts'
import type { NodeSearch } from '../../search/facts.service.ts'
import type { Search } from '../../search/search.service.ts'
import type { SearchRuntime } from '../../search/start.ts'
import type { SourcesContext } from '../../sources/context.ts'
import { isOutboxOpen } from '../account/outbox.routes.tsx'
import type { MountedPage } from '../dashboard/guard.tsx'
import { answerPosted, createPlaces, type Leading, ledTo, NO_FIELDS } from '../kit/answer-form.ts'
import { type Frame, framed, type Page, type Seen, type Show, sendConsolePage } from '../kit/console.tsx'
import { CSV_UPLOAD, CsvForm, type CsvIn, type CsvWish, csvAgain, takeCsv } from '../kit/csv-in.tsx'
import { UNTOUCHED } from '../kit/fields.tsx'
import { noteForm } from '../kit/form.tsx'
import { type Asked, type Listed, type ListShow, type ListSpec, listPage } from '../kit/list.tsx'
import { asSentences } from '../kit/parts.tsx'
import { findSignedIn, onward, viewerOf } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { ADMIN, adminWays, type Waiting } from './nav.ts'

/** What the pages are made with. */
export type AdminDeps = {
  config: Config
  site: Site
  ctx: RfqContext & { relationshipHooks: RelationshipHooks; mergeHooks: MergeHooks }
  oauth: OauthContext
  sources: SourcesContext
  /** With what other features do when an account ends. */
  accounts: AccountsContext
  /** What the runner runs; nothing where none does. */
  jobs?: readonly Periodic[]
  search: {
    search: Pick<Search, 'candidates' | 'search' | 'tried'>
    facts?: () => NodeSearch
    categoriesLike?: SearchRuntime['categoriesLike']
  }
  /** The pages of the dashboard, for the support view. */
  sellerPages: readonly MountedPage[]
  /** Resolves when this node shows what was committed before the call. */
  shown: () => Promise<void>
  jobNews: News
  /** Aborted when the node stops. */
  stopping: AbortSignal
  /** Null when everything is ready to serve, else the reason why not. */
  notReady: () => Promise<string | null>
}

export type Operator = {
  actor: SessionActor
  by: AuditActor
  visit: Visit
  waiting: Waiting
}

/** `id` is the `:id` of the address. */
export type Who = { operator: Operator; id: string }
export type AdminSeen = Seen<Who>
export type AdminShow = Show<Who>

type Done<Input> = Who & { c: Context<HttpEnv>; input: Input; file: UploadedFile | null }

/** An action of a form: `page` is shown again when it is refused, by default the one that the form stands on. */
export type ActionRoute<Input> = {
  /** Without one, nothing is read of the form. */
  schema?: z.ZodType<Input>
  page?: AdminShow
  upload?: (operator: Operator) => Upload
  /** Shoppers see what it changes: the answer waits until this node shows it. */
  shows?: true
} & Leading<Done<Input>, Response | Page>

type Find<Row, F extends ListSpec['filters']> = (
  seen: AdminSeen & { asked: Asked<F> },
) => Promise<Listed<Row, F> | Response>

export type Admin = {
  page(path: string, show: AdminShow): void
  /** Mounts the page of a list, and returns it for forms that stand elsewhere. */
  list<Row, F extends ListSpec['filters']>(list: ListSpec<F>, find: Find<Row, F>): ListShow<Who>
  action<Input>(path: string, route: ActionRoute<Input>): void
  /** Mounts the page that takes a list back as a file. */
  csv(spec: CsvIn, run: (wish: CsvWish & { by: AuditActor }) => Promise<SheetOutcome>): void
}

type GuardDeps = {
  config: Config
  site: Site
  accounts: AccountsContext
  shown: () => Promise<void>
  waiting: () => Promise<Waiting>
}

export function createAdmin(app: Hono<HttpEnv>, deps: GuardDeps): Admin {
  const { config, site, accounts, shown, waiting } = deps
  const findOperator = async (c: Context<HttpEnv>): Promise<Operator | null> => {
    const browser = await findSignedIn(c, accounts, { orDemo: true })
    if (!browser) return null
    const { actor } = browser
    const { isAdmin, demo } = actor.user
    if (!isAdmin && !(demo === 'operator' && isOutboxOpen(c, config))) return null
    return { actor, by: auditActor(actor), visit: visitOf(c, config), waiting: await waiting() }
  }
  const frameOf = ({ waiting, actor }: Operator): Frame => ({
    ...{
      site: { ...site, viewer: viewerOf(actor.user) },
      name: 'Operator',
      groups: adminWays(waiting),
      isOperator: true,
    },
  })
  const idIn = (c: Context) => c.req.param('id') ?? ''
  const places = createPlaces<AdminShow>()
  return {
    page(path, show) {
      places.add(path, show)
      app.get(path, async (c) => {
        const operator = await findOperator(c)
        if (!operator) return c.notFound()
        const page = await show({ c, operator, id: idIn(c), state: UNTOUCHED })
        return sendConsolePage(c, page, frameOf(operator), UNTOUCHED)
      })
    },
    list<Row, F extends ListSpec['filters']>(list: ListSpec<F>, find: Find<Row, F>) {
      const show = listPage<Who, Row, F>(list, find)
      this.page(list.path, show)
      return show
    },
    csv(spec, run) {
      this.page(spec.path, ({ state }) => csvAgain(spec, state))
      this.action(spec.path, {
        ...{ schema: CsvForm, upload: () => CSV_UPLOAD, shows: true },
        act: ({ operator: { by }, input, file }) =>
          takeCsv(spec, input, file, (wish) => run({ ...wish, by })),
      })
    },
    action<Input>(
      path: string,
      { schema = NO_FIELDS as z.ZodType<Input>, page, upload, shows, ...route }: ActionRoute<Input>,
    ) {
      app.post(path, async (c) => {
        requireSameOrigin(c, config.baseUrl)
        noteForm(c, schema)
        const operator = await findOperator(c)
        // Somebody whose session ended comes back to the form: the browser has kept what was typed. Who signs in and is
        // no operator finds nothing there.
        if (!operator && !(await findSignedIn(c, accounts, { orDemo: true })))
          return c.redirect(onward('/auth/signin', places.of(path, c.req.path).at || ADMIN), 303)
        if (!operator) return c.notFound()
        if (operator.actor.user.demo !== undefined)
          throw new AppError('forbidden', 'a visit to the demo changes nothing here')
        return answerPosted(c, {
          schema,
          upload: upload?.(operator),
          async render({ values, errors }) {
            const state = { values, errors: asSentences(errors) }
            const show = page ?? places.of(path, c.req.path).page
            const again = await show?.({ c, operator, id: idIn(c), state })
            if (!again || again instanceof Response)
              throw new Error(`${path}: the page of a refused form is not shown`)
            return framed(c, again, frameOf(operator), state)
          },
          async act(input, { file }) {
            const at = places.of(path, c.req.path).at
            const made = await ledTo<Done<Input>, Response | Page>(
              route,
              { c, operator, id: idIn(c), input, file },
              at,
            )
            if (shows) await shown()
            if (typeof made === 'string' || made instanceof Response) return made
            return sendConsolePage(c, made, frameOf(operator), UNTOUCHED)
          },
        })
      })
    },
  }
}

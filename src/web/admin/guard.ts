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
import type { Config } from '../../config.ts'
import { visitOf } from '../../http/client-ip.ts'
import type { HttpEnv } from '../../http/env.ts'
import { requireSameOrigin } from '../../http/same-origin.ts'
import type { Upload, UploadedFile } from '../../http/upload.ts'
import { AppError } from '../../lib/errors.ts'
import { isOutboxOpen } from '../account/outbox.routes.tsx'
import { answerPosted } from '../kit/answer-form.ts'
import { type Frame, framed, type Page, type Seen, type Show, sendConsolePage } from '../kit/console.tsx'
import { UNTOUCHED } from '../kit/fields.tsx'
import { noteForm } from '../kit/form.tsx'
import { asSentences } from '../kit/parts.tsx'
import { onward } from '../onward.ts'
import { findSignedIn } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { viewerOf } from '../viewer.ts'
import { ADMIN, adminWays, type Waiting } from './nav.ts'

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

/** An action of a form: `page` is shown again when it is refused. */
export type ActionRoute<Input> = {
  schema: z.ZodType<Input>
  page: AdminShow
  upload?: (operator: Operator) => Upload
  /** Returns the address that shows the result, or the result itself. */
  act(
    done: Who & { c: Context<HttpEnv>; input: Input; file: UploadedFile | null },
  ): Promise<string | Response | Page>
}

export type Admin = {
  page(path: string, show: AdminShow): void
  action<Input>(path: string, route: ActionRoute<Input>): void
}

type GuardDeps = { config: Config; site: Site; accounts: AccountsContext; waiting: () => Promise<Waiting> }

export function createAdmin(app: Hono<HttpEnv>, { config, site, accounts, waiting }: GuardDeps): Admin {
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
  const pages = new Set<string>()
  /** The page that a form stands on: the nearest above its own address. */
  const pageOf = (c: Context, path: string): string => {
    const [pattern, address] = [path, c.req.path].map((each) => each.split('/'))
    let at = pattern?.length ?? 0
    while (at > 2 && !pages.has(pattern?.slice(0, at).join('/') ?? '')) at--
    return address?.slice(0, at).join('/') || ADMIN
  }
  return {
    page(path, show) {
      pages.add(path)
      app.get(path, async (c) => {
        const operator = await findOperator(c)
        if (!operator) return c.notFound()
        const page = await show({ c, operator, id: idIn(c), state: UNTOUCHED })
        return sendConsolePage(c, page, frameOf(operator), UNTOUCHED)
      })
    },
    action(path, { schema, page, upload, act }) {
      app.post(path, async (c) => {
        requireSameOrigin(c, config.baseUrl)
        noteForm(c, schema)
        const operator = await findOperator(c)
        // Somebody whose session ended comes back to the form: the browser has kept what was typed. Who signs in and is
        // no operator finds nothing there.
        if (!operator && !(await findSignedIn(c, accounts, { orDemo: true })))
          return c.redirect(onward('/auth/signin', pageOf(c, path)), 303)
        if (!operator) return c.notFound()
        if (operator.actor.user.demo !== undefined)
          throw new AppError('forbidden', 'a visit to the demo changes nothing here')
        return answerPosted(c, {
          schema,
          upload: upload?.(operator),
          async render({ values, errors }) {
            const state = { values, errors: asSentences(errors) }
            const again = await page({ c, operator, id: idIn(c), state })
            if (again instanceof Response) throw new Error(`${path}: the page of a refused form is not shown`)
            return framed(again, frameOf(operator), state)
          },
          async act(input, { file }) {
            const made = await act({ c, operator, id: idIn(c), input, file })
            if (typeof made === 'string' || made instanceof Response) return made
            return sendConsolePage(c, made, frameOf(operator), UNTOUCHED)
          },
        })
      })
    },
  }
}

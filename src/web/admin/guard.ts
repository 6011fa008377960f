/**
 * The one way into every page and form of the operator's. For everybody else there is no such page: they get what an
 * unknown address gets. Actions are recorded as those of the person who did them.
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
import { answerPosted } from '../kit/answer-form.ts'
import { type Frame, framed, type Page, type Show, sendConsolePage } from '../kit/console.tsx'
import { type FormState, UNTOUCHED } from '../kit/fields.tsx'
import { asSentences } from '../kit/parts.tsx'
import { findSignedIn } from '../signed-in.ts'
import type { Site } from '../site.ts'
import { adminWays, type Waiting } from './nav.ts'

export type Operator = {
  actor: SessionActor
  by: AuditActor
  visit: Visit
  waiting: Waiting
}

export type FormRoute<Input> = {
  schema: z.ZodType<Input>
  /** The page that the form stands on, with what was typed and what is wrong with it. */
  render(again: { c: Context<HttpEnv>; operator: Operator; state: FormState }): string | Promise<string>
  /** Where it leads when it is done; the address says what was done, for the page to tell. */
  act(done: {
    c: Context<HttpEnv>
    operator: Operator
    input: Input
    file: UploadedFile | null
  }): Promise<string | Response>
  /** For a form that brings a file. */
  upload?: (operator: Operator) => Upload
}

type Who = { operator: Operator }

/** An action of a form: `page` is shown again when it is refused. */
export type ActionRoute<Input> = {
  schema: z.ZodType<Input>
  page: Show<Who>
  upload?: (operator: Operator) => Upload
  /** Returns the address that shows the result, or the result itself. */
  act(
    done: Who & { c: Context<HttpEnv>; input: Input; file: UploadedFile | null },
  ): Promise<string | Response | Page>
}

export type Admin = {
  page(path: string, show: Show<Who>): void
  action<Input>(path: string, route: ActionRoute<Input>): void
  get(path: string, show: (c: Context<HttpEnv>, operator: Operator) => Response | Promise<Response>): void
  post<Input>(path: string, route: FormRoute<Input>): void
}

type GuardDeps = { config: Config; site: Site; accounts: AccountsContext; waiting: () => Promise<Waiting> }

export function createAdmin(app: Hono<HttpEnv>, { config, site, accounts, waiting }: GuardDeps): Admin {
  const findOperator = async (c: Context<HttpEnv>): Promise<Operator | null> => {
    const browser = await findSignedIn(c, accounts)
    if (!browser?.actor.user.isAdmin) return null
    const { actor } = browser
    return { actor, by: auditActor(actor), visit: visitOf(c, config), waiting: await waiting() }
  }
  const frameOf = ({ waiting }: Operator): Frame => ({
    ...{ site, name: 'Operator', groups: adminWays(waiting), isOperator: true },
  })
  const admin: Admin = {
    page(path, show) {
      admin.get(path, async (c, operator) =>
        sendConsolePage(c, await show({ c, operator, state: UNTOUCHED }), frameOf(operator), UNTOUCHED),
      )
    },
    action(path, { page, act, ...route }) {
      admin.post(path, {
        ...route,
        async render({ c, operator, state }) {
          const again = await page({ c, operator, state })
          if (again instanceof Response) throw new Error(`${path}: the page of a refused form is not shown`)
          return framed(again, frameOf(operator), state)
        },
        async act(done) {
          const made = await act(done)
          if (typeof made === 'string' || made instanceof Response) return made
          return sendConsolePage(done.c, made, frameOf(done.operator), UNTOUCHED)
        },
      })
    },
    get(path, show) {
      app.get(path, async (c) => {
        const operator = await findOperator(c)
        return operator ? show(c, operator) : c.notFound()
      })
    },
    post(path, route) {
      app.post(path, async (c) => {
        requireSameOrigin(c, config.baseUrl)
        const operator = await findOperator(c)
        if (!operator) return c.notFound()
        return answerPosted(c, {
          ...route,
          upload: route.upload?.(operator),
          render: ({ values, errors }) =>
            route.render({ c, operator, state: { values, errors: asSentences(errors) } }),
          act: (input, { file }) => route.act({ c, operator, input, file }),
        })
      })
    },
  }
  return admin
}

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
import { asSentences } from '../console/parts.tsx'
import { answerPosted } from '../forms/answer-form.ts'
import type { FormState } from '../forms/fields.tsx'
import { findSignedIn } from '../signed-in.ts'
import type { Waiting } from './nav.ts'

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

export type Admin = {
  get(path: string, show: (c: Context<HttpEnv>, operator: Operator) => Response | Promise<Response>): void
  post<Input>(path: string, route: FormRoute<Input>): void
}

type GuardDeps = { config: Config; accounts: AccountsContext; waiting: () => Promise<Waiting> }

export function createAdmin(app: Hono<HttpEnv>, { config, accounts, waiting }: GuardDeps): Admin {
  const findOperator = async (c: Context<HttpEnv>): Promise<Operator | null> => {
    const browser = await findSignedIn(c, accounts)
    if (!browser?.actor.user.isAdmin) return null
    const { actor } = browser
    return { actor, by: auditActor(actor), visit: visitOf(c, config), waiting: await waiting() }
  }
  return {
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
}

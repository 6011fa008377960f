/**
 * What the account routes share: how a page is sent, how a form is read, and how a refusal comes back: as the same
 * form with its errors for people, as the interface's envelope for callers that ask for JSON.
 */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { z } from 'zod'
import type { AccountsContext } from '../../accounts/context.ts'
import type { Config } from '../../config.ts'
import type { HttpEnv } from '../../http/env.ts'
import { respondEnvelope, STATUS } from '../../http/error-response.ts'
import { AppError } from '../../lib/errors.ts'
import type { Site } from '../site.ts'
import type { AccountSection } from './account.routes.tsx'
import type { FormState } from './fields.tsx'
import { pageHeaders } from './page-headers.ts'

export type AccountDeps = {
  config: Config
  site: Site
  accounts: AccountsContext
  /** Further parts of the account page, such as the apps somebody has connected. */
  accountSections?: AccountSection[]
}

export function wantsJson(c: Context): boolean {
  const accept = c.req.header('accept') ?? ''
  return accept.includes('application/json') && !accept.includes('text/html')
}

export async function sendPage(
  c: Context,
  html: string,
  { status = 200, leadsTo = null }: { status?: ContentfulStatusCode; leadsTo?: string | null } = {},
): Promise<Response> {
  return c.html(html, status, pageHeaders(leadsTo))
}

export type FormRoute<Output> = {
  schema: z.ZodType<Output>
  /** What the form is shown again with. */
  render(state: FormState): string | Promise<string>
  act(input: Output): Promise<Response>
  /** The path the form leads to in the end. */
  leadsTo?: string | null
}

const SECRET_FIELDS = new Set(['password', 'current', 'token', 'secret'])

/** Reads, checks and acts; what is wrong with the input comes back with the form. */
export async function answerForm<Output>(
  c: Context<HttpEnv>,
  form: Record<string, string>,
  route: FormRoute<Output>,
): Promise<Response> {
  const parsed = route.schema.safeParse(form)
  if (parsed.success) {
    try {
      return await route.act(parsed.data)
    } catch (error) {
      if (!(error instanceof AppError) || error.kind === 'internal') throw error
      return refuse(c, form, route, error, { [error.field ?? '']: error.message })
    }
  }
  const errors: Record<string, string> = {}
  for (const issue of parsed.error.issues) errors[String(issue.path[0] ?? '')] ??= issue.message
  const [[field, message] = ['', 'the form is not complete']] = Object.entries(errors)
  return refuse(c, form, route, new AppError('invalid', message, { field }), errors)
}

async function refuse<Output>(
  c: Context<HttpEnv>,
  form: Record<string, string>,
  route: FormRoute<Output>,
  error: AppError,
  errors: Record<string, string>,
): Promise<Response> {
  if (wantsJson(c)) return respondEnvelope(c, error)
  if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
  const values = Object.fromEntries(Object.entries(form).filter(([name]) => !SECRET_FIELDS.has(name)))
  const html = await route.render({ values, errors })
  return sendPage(c, html, { status: STATUS[error.kind], leadsTo: route.leadsTo })
}

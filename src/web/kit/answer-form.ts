/**
 * How every form of every page is answered: read, checked and acted on, and when it is refused shown again with its
 * errors and what was typed; callers that ask for JSON get the interface's envelope instead.
 */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { z } from 'zod'
import type { HttpEnv } from '../../http/env.ts'
import { respondEnvelope, STATUS } from '../../http/error-response.ts'
import type { Form } from '../../http/form.ts'
import { letGo, readIncoming, type Upload, type UploadedFile } from '../../http/upload.ts'
import { AppError } from '../../lib/errors.ts'
import { sendPage, wantsJson } from '../page.http.ts'
import type { FormState } from './fields.tsx'
import { rowsChanged } from './form.tsx'

/** For forms whose address says all. */
export const NO_FIELDS: z.ZodType<unknown> = z.object({})

/** What a form leads to: `act` says it, or `done` says it once `act` has been done. */
export type Leading<Done, Result> =
  | { act(done: Done): Promise<Result | string>; done?: undefined }
  | { act(done: Done): Promise<unknown>; done: string | (() => Promise<string>) }

/** A word is what the page that the form stands on says it by; everything else is an address. */
export async function ledTo<Done, Result>(
  { act, done }: Leading<Done, Result>,
  given: Done,
  page: string,
): Promise<Result | string> {
  const made = await act(given)
  if (done === undefined) return made as Result | string
  const to = typeof done === 'string' ? done : await done()
  return to.startsWith('/') ? to : `${page}?done=${to}`
}

/** Finds the page that a form stands on: the nearest that is mounted at its own address or above it. */
export function createPlaces<Mounted>() {
  const mounted = new Map<string, Mounted>()
  return {
    add: (pattern: string, page: Mounted) => mounted.set(pattern, page),
    /** The page, and its address within that of the form. */
    of(pattern: string, address: string): { page: Mounted | undefined; at: string } {
      const [parts, given] = [pattern, address].map((each) => each.split('/'))
      let length = parts?.length ?? 0
      const above = () => parts?.slice(0, length).join('/') ?? ''
      while (length > 2 && !mounted.has(above())) length--
      return { page: mounted.get(above()), at: given?.slice(0, length).join('/') ?? '' }
    },
  }
}

type FormRoute<Output> = {
  schema: z.ZodType<Output>
  /** Shows the form again: the page, or the whole answer, which then has the status. */
  render(state: FormState, status: ContentfulStatusCode): Rendered | Promise<Rendered>
  act(input: Output): Promise<Response>
}

type Rendered = string | Response

/** By name, whatever form it stands in: never shown again, and never kept. */
export function isSecretField(name: string): boolean {
  return /^(?:current|otp|pin)$|passwor[dt]|passphrase|secret|token|credential|one_time|api_key/i.test(name)
}

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
      return refuseForm(c, form, route, error)
    }
  }
  const errors: Record<string, string> = {}
  for (const issue of parsed.error.issues) errors[String(issue.path[0] ?? '')] ??= issue.message
  const [[field, message] = ['', 'the form is not complete']] = Object.entries(errors)
  return refuseForm(c, form, route, new AppError('invalid', message, { field }), errors)
}

type PostedRoute<Output> = {
  schema: z.ZodType<Output>
  upload?: Upload
  /** A field that the guard reads: it is neither checked nor shown again. */
  aside?: string
  /** `form` is what was sent; empty when it could not be read. */
  render(state: FormState, form: Form): string | Promise<string>
  /** Where it leads, or the answer itself. */
  act(input: Output, posted: { form: Form; file: UploadedFile | null }): Promise<string | Response>
}

/** A form of the pages people work on, with or without a file: read, answered, and its file let go of. */
export async function answerPosted<Output>(
  c: Context<HttpEnv>,
  { schema, upload, aside, render, act }: PostedRoute<Output>,
): Promise<Response> {
  const posted = await readIncoming(c, upload)
  if ('refusal' in posted) return refuseForm(c, {}, { render: (state) => render(state, {}) }, posted.refusal)
  const given = Object.fromEntries(Object.entries(posted.form).filter(([name]) => name !== aside))
  const edited = rowsChanged(given)
  if (edited) return sendPage(c, await render({ values: edited, errors: {} }, posted.form))
  try {
    return await answerForm(c, given, {
      schema,
      render: (state) => render(state, posted.form),
      async act(input) {
        const led = await act(input, posted)
        return typeof led === 'string' ? c.redirect(led, 303) : led
      },
    })
  } finally {
    await letGo(posted.file)
  }
}

/** The form once more, with what is wrong with it. */
async function refuseForm(
  c: Context<HttpEnv>,
  form: Record<string, string>,
  route: Pick<FormRoute<unknown>, 'render'>,
  error: AppError,
  errors: Record<string, string> = { [error.field ?? '']: error.message },
): Promise<Response> {
  if (wantsJson(c)) return respondEnvelope(c, error)
  if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds))
  const values = Object.fromEntries(Object.entries(form).filter(([name]) => !isSecretField(name)))
  const status = STATUS[error.kind]
  const made = await route.render({ values, errors }, status)
  return made instanceof Response ? made : sendPage(c, made, { status })
}

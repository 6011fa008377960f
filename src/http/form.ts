/**
 * Reads the body of a form: `application/x-www-form-urlencoded`, bounded, each field once. A field given twice is
 * refused rather than resolved, because two readers may choose differently. OAuth has the same rule with an exception of
 * its own, and reads the parameters as they came.
 */
import type { Context } from 'hono'
import { AppError, invalid } from '../lib/errors.ts'
import { readBody } from './body.ts'

const FORM_LIMIT = 64 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'

export type Form = Record<string, string>

export async function readForm(c: Context, limit?: number): Promise<Form> {
  const parameters = await readParameters(c, limit)
  const seen = new Set<string>()
  for (const name of parameters.keys()) {
    if (seen.has(name)) throw invalid(name, `${name}: can be given only once`)
    seen.add(name)
  }
  return Object.fromEntries(parameters)
}

export function isFormType(c: Context): boolean {
  return contentTypeOf(c) === FORM_TYPE
}

/** Without its parameters, in lower case. */
export function contentTypeOf(c: Context): string | undefined {
  return c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
}

/** What was read of a request: a form that a guard has read for its way back can be read again. */
const read = new WeakMap<Request, URLSearchParams>()

export async function readParameters(c: Context, limit = FORM_LIMIT): Promise<URLSearchParams> {
  const known = read.get(c.req.raw)
  if (known) return known
  if (!isFormType(c)) throw new AppError('invalid', `the body must be a form (${FORM_TYPE})`)
  const parameters = new URLSearchParams((await readBody(c, limit)).toString('utf8'))
  read.set(c.req.raw, parameters)
  return parameters
}

/**
 * Reads the body of a form: `application/x-www-form-urlencoded`, bounded, each field once. A field given twice is
 * refused rather than resolved, because two readers may choose differently (RFC 6749 3.2 demands it for OAuth).
 */
import type { Context } from 'hono'
import { AppError } from '../lib/errors.ts'
import { readBody } from './body.ts'

const FORM_LIMIT = 64 * 1024
const FORM_TYPE = 'application/x-www-form-urlencoded'

export type Form = Record<string, string>

export async function readForm(c: Context, limit = FORM_LIMIT): Promise<Form> {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (type !== FORM_TYPE) throw new AppError('invalid', `the body must be a form (${FORM_TYPE})`)
  const body = await readBody(c, limit)
  return eachOnce(new URLSearchParams(body.toString('utf8')))
}

/** The same rule for a query string. */
export function eachOnce(parameters: URLSearchParams): Form {
  const names = [...parameters.keys()]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new AppError('invalid', `${twice}: must be given only once`, { field: twice })
  return Object.fromEntries(parameters)
}

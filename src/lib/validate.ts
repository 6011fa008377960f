/** One way from a zod schema to an AppError that names the field in the caller's words; every face uses it. */
import type { z } from 'zod'
import { AppError, type ErrorDetails } from './errors.ts'

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function parseInput<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  throw invalidInput(result.error)
}

export function invalidInput(error: z.ZodError): AppError {
  const issue = error.issues[0]
  if (!issue) return new AppError('invalid', 'the input is not valid')
  const field = issue.path.map(String).join('.')
  const details: ErrorDetails = {}
  if (field) details.field = field
  if (issue.code === 'too_big') details.max = Number(issue.maximum)
  if (issue.code === 'invalid_value') details.valid = issue.values.map(String)
  const { valid } = (issue.code === 'custom' && issue.params) || {}
  if (Array.isArray(valid)) details.valid = valid.map(String)
  return new AppError('invalid', field ? `${field}: ${describeIssue(issue)}` : describeIssue(issue), details)
}

/** In words for people, whatever the library says of it. */
export function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is required' : `must be ${article(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_big' && issue.origin === 'string')
    return `must be at most ${issue.maximum} characters`
  if (issue.code === 'too_big' && issue.origin === 'array')
    return `must have at most ${issue.maximum} entries`
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`
  if (issue.code === 'too_small' && issue.origin === 'string')
    return issue.minimum === 1 ? 'must not be empty' : `must be at least ${issue.minimum} characters`
  if (issue.code === 'too_small' && issue.origin === 'array')
    return `must have at least ${issue.minimum} entries`
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`
  return issue.message
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

/** For a text that was cleaned. Counted in code points, as people count characters. */
export function lengthFrom(minimum: 0 | 1, maximum: number) {
  return (input: string, ctx: z.RefinementCtx): void => {
    const issue = { origin: 'string', inclusive: true, input } as const
    if (input.length < minimum) ctx.addIssue({ ...issue, code: 'too_small', minimum })
    if ([...input].length > maximum) ctx.addIssue({ ...issue, code: 'too_big', maximum })
  }
}

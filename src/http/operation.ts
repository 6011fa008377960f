/**
 * What one REST route takes and answers, said once beside the route: the published description is written from it, the
 * page for people is written from that, and every answer that a test gets is held against it. The request schema is the
 * one that the route reads its body with.
 */
import { z } from 'zod'
import type { FieldWords } from '../lib/entity.ts'
import type { ErrorCode } from '../lib/errors.ts'
import { DEFAULT_BODY_LIMIT } from './body.ts'

export type Operation = {
  /** `operationId`: a verb and a noun, camelCase. */
  id: string
  method: 'get' | 'post' | 'patch' | 'delete'
  /** As the interface writes it, trailing slash included. */
  path: string
  tag: OperationTag
  summary: string
  description?: string
  caller: CallerKind
  /** What stands in the path between braces. */
  parameters?: Record<string, { schema: z.ZodType; description: string; example: string }>
  body?: z.ZodType
  answers: Answer[]
  refusals: Refusal[]
}

export type OperationTag = 'Search' | 'Plans' | 'Products' | 'Offers' | 'Organizations'

/** Who may call: the security schemes of the interface, part 5. `anyone, more when signed in` is search with its bundles. */
export type CallerKind =
  | 'anyone'
  | 'anyone, more when signed in'
  | 'session'
  | 'session or link token'
  | 'session or access token'

export type Answer = {
  /** 301 and 304, that it stands elsewhere or is still what the caller has, have no content. */
  status: 200 | 201 | 301 | 304
  description: string
  /** By media type. */
  content: Record<string, z.ZodType>
  /** What each of them tells; `X-Request-Id` is on every answer and need not be named. */
  headers?: Record<string, string>
}

/**
 * One reason to refuse. Several may share a status, and a code or none: `field` and `words` are then what tells them
 * apart in the envelope, so that a test is asked for each of them.
 */
export type Refusal = {
  status: RefusalStatus
  when: string
  code?: ErrorCode
  /** The envelope's `field`. */
  field?: string
  /** The envelope has a `field`, whichever is wrong. */
  anyField?: true
  /** What stands in the envelope's `error`, word for word. */
  words?: string
  /** A static line of text where the interface says that there is no JSON body; `page`: HTML for who asks for it. */
  form?: 'envelope' | 'text' | 'page'
}

type RefusalStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 422 | 429 | 500 | 502 | 503

/** Interface 2.1. */
export const ErrorEnvelopeSchema = z
  .object({
    error: z.string().describe('What went wrong and what to do about it, for people'),
    field: z.string().optional().describe('The invalid input, by its name in the request'),
    max: z.number().optional().describe('The limit that was exceeded'),
    valid: z.array(z.string()).optional().describe('The accepted values'),
    code: z.string().optional().describe('A code for programs'),
  })
  .meta({ id: 'Error', description: 'The form of every error' })

/** What any route that takes a JSON body may say before it looks at what the body means. */
export const BODY_REFUSALS: Refusal[] = [
  { status: 400, when: 'the body is not a JSON object', words: 'the body ' },
  { status: 400, when: 'a field is missing or not valid; `field` names it', anyField: true },
  { status: 413, when: `the body is over ${DEFAULT_BODY_LIMIT / 1024} KB`, code: 'body_too_large' },
]

/** What every producer route says to a caller it does not know. */
export const NOT_SIGNED_IN: Refusal = {
  status: 401,
  when: 'no valid session or token',
  code: 'unauthenticated',
}

/** What every route that changes something says to a browser that another site made send it. */
export const FROM_ANOTHER_SITE: Refusal = {
  status: 403,
  when: 'a session cookie came with a request from another site',
  words: 'from another site',
}

/** What producer routes say to a caller they know, by what the caller is and may. */
export const NO_ORGANIZATION: Refusal = {
  status: 403,
  when: 'the signed-in caller has no organization',
  code: 'not_a_producer',
}
export const DEACTIVATED: Refusal = {
  status: 403,
  when: 'the organization is deactivated',
  code: 'org_deactivated',
}
export const ONLY_READS: Refusal = {
  status: 403,
  when: "the caller's role is read-only",
  words: 'read-only',
}

/** The answer of an action that has nothing to say but that it was done. */
export const DoneSchema = z
  .object({ ok: z.boolean().describe('Always true, also when nothing had to change') })
  .meta({ id: 'Done', description: 'Done' })

/** At least one character that is not white space, which is what is left when white space is taken off. */
export const NOT_BLANK = '\\S'

type Shown = { [keyword: string]: unknown; properties?: Record<string, Shown>; anyOf?: Shown[] }

/**
 * A request schema under the name it is published by. A value that is judged as a whole is invisible to the conversion
 * and is described in `fields`, or in `rules` where fields depend on one another. The published schema never refuses what the
 * route takes; what it cannot say exactly, such as a length after cleaning, stands in the words. The schema given is
 * left as it is: it may be a tool's as well, whose list of parameters must not change with this description.
 */
export function published<Schema extends z.ZodType>(
  schema: Schema,
  {
    id,
    description,
    fields = {},
    rules = {},
  }: {
    id: string
    description: string
    fields?: Record<string, FieldWords>
    rules?: Record<string, unknown>
  },
): Schema {
  const override = ({ jsonSchema }: { jsonSchema: Shown }) => {
    Object.assign(jsonSchema, rules)
    for (const [name, { description, format, pattern, maxLength }] of Object.entries(fields)) {
      const property = jsonSchema.properties?.[name]
      if (!property) throw new Error(`${id} has no field ${name} to describe`)
      // Of a field that may be null, the bounds are those of its other form.
      const bounded = property.anyOf?.find(({ type }) => type !== 'null') ?? property
      if (format !== undefined) bounded.format = format
      if (pattern !== undefined) bounded.pattern = pattern
      if (maxLength === null) for (const one of [property, bounded]) delete one.maxLength
      if (description !== undefined) property.description = description
    }
  }
  return schema.meta({ id, description, override })
}

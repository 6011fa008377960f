/**
 * `/openapi.json`: OpenAPI 3.1 written from the operations, with every refusal and its code. Answers stay open for
 * fields to come (interface: "responses may add fields"), so nothing published says that there are no others. Examples
 * are real answers of a small world, kept in a file that a test renews (see `examples.ts`).
 */
import { z } from 'zod'
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from 'zod-openapi'
import {
  type Answer,
  type CallerKind,
  ErrorEnvelopeSchema,
  type Operation,
  type Refusal,
} from '../../../http/operation.ts'
import { aboutService, securitySchemes, TAGS } from './about.ts'
import { type Example, type Examples, readExamples } from './examples.ts'
import { OPERATIONS } from './operations.ts'

export type OpenApiDocument = ReturnType<typeof createDocument>

const SECURITY: Record<CallerKind, Array<Record<string, string[]>>> = {
  anyone: [],
  'anyone, more when signed in': [{}, { session: [] }],
  session: [{ session: [] }],
  'session or link token': [{ session: [] }, { linkToken: [] }],
}

const REQUEST_ID = { $ref: '#/components/headers/X-Request-Id' }
const RETRY_AFTER = { $ref: '#/components/headers/Retry-After' }
/** The refusals that pass by themselves, and say when. */
const PASSING = new Set([429, 503])

const HEADERS = {
  'X-Request-Id': {
    description: 'Names this request in the log; quote it when you ask for help',
    required: true,
    schema: text(),
  },
  'Retry-After': {
    description: 'Seconds after which trying again makes sense',
    required: true,
    schema: { type: 'integer' },
  },
} as const

const IF_NONE_MATCH = z
  .string()
  .optional()
  .meta({
    param: {
      name: 'If-None-Match',
      in: 'header',
      description: 'The `ETag` of what the caller has; when it is still right, the answer is 304',
    },
  })

export function writeOpenApi({ baseUrl }: { baseUrl: string }): OpenApiDocument {
  const examples = readExamples(baseUrl)
  const paths: NonNullable<ZodOpenApiObject['paths']> = {}
  for (const operation of OPERATIONS) {
    const described = describe(operation, examples[operation.id])
    paths[operation.path] = { ...paths[operation.path], [operation.method]: described }
  }
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    ...aboutService(baseUrl),
    servers: [{ url: baseUrl }],
    tags: TAGS,
    paths,
    components: { headers: HEADERS, securitySchemes: securitySchemes(baseUrl) },
  }
  return createDocument(document, {
    // What a custom check allows is told by its own meta.
    allowEmptySchema: { custom: { input: true } },
    override: ({ jsonSchema, io }) => tidy(jsonSchema, io),
  })
}

/** Takes out what the conversion adds and nobody can use: closed answers, bounds of every integer, a second way to say "date". */
function tidy(schema: Record<string, unknown>, io: 'input' | 'output'): void {
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
  if (schema.format === 'date-time') delete schema.pattern
  delete schema.propertyNames
}

function describe(operation: Operation, examples: Examples[string] = {}): ZodOpenApiOperationObject {
  const { id, tag, summary, description, caller, body, answers, refusals } = operation
  const parameters = describeParameters(operation)
  const byStatus = Object.entries(Object.groupBy(refusals, ({ status }) => String(status)))
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: SECURITY[caller],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: body, ...shown(examples.requests) } },
      },
    }),
    responses: {
      ...Object.fromEntries(
        answers.map((answer) => [answer.status, describeAnswer(answer, examples.answers?.[answer.status])]),
      ),
      ...Object.fromEntries(
        byStatus.map(([status, some = []]) => [status, describeRefusals(some, examples.answers?.[status])]),
      ),
    },
  }
}

function describeParameters({ parameters = {}, answers }: Operation) {
  const inPath = Object.entries(parameters).map(([name, { schema, description, example }]) =>
    schema.meta({ param: { name, in: 'path', description, example } }),
  )
  return answers.some(({ status }) => status === 304) ? [...inPath, IF_NONE_MATCH] : inPath
}

function describeAnswer({ description, content, headers = {} }: Answer, examples: ByMediaType = {}) {
  const types = Object.entries(content).map(([type, schema]) => [type, { schema, ...shown(examples[type]) }])
  return {
    description,
    headers: {
      'X-Request-Id': REQUEST_ID,
      ...Object.fromEntries(
        Object.entries(headers).map(([name, tells]) => [
          name,
          { description: tells, required: true, schema: text() },
        ]),
      ),
    },
    ...(types.length > 0 && { content: Object.fromEntries(types) }),
  }
}

function describeRefusals(refusals: Refusal[], examples: ByMediaType = {}) {
  const reasons = refusals.map(({ when, code }) => (code ? `${when} (\`${code}\`)` : when))
  const forms = new Set(refusals.map(({ form = 'envelope' }) => form))
  const schemas = {
    ...(forms.has('envelope') && { 'application/json': ErrorEnvelopeSchema }),
    ...((forms.has('text') || forms.has('page')) && { 'text/plain': z.string().describe('One line') }),
    ...(forms.has('page') && { 'text/html': z.string().describe('A page') }),
  }
  return {
    description: capitalized(reasons.join('; ')),
    headers: {
      'X-Request-Id': REQUEST_ID,
      ...(refusals.some(({ status }) => PASSING.has(status)) && { 'Retry-After': RETRY_AFTER }),
    },
    content: Object.fromEntries(
      Object.entries(schemas).map(([type, schema]) => [type, { schema, ...shown(examples[type]) }]),
    ),
  }
}

type ByMediaType = Record<string, Record<string, Example>>

function shown(examples: Record<string, Example> | undefined) {
  return examples && { examples }
}

function text() {
  return { type: 'string' } as const
}

function capitalized(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1)
}

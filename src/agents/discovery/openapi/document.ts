/**
 * `/openapi.json`: OpenAPI 3.1 written from the operations, with every refusal and its code. Answers stay open for
 * fields to come (interface: "responses may add fields"), so nothing published says that there are no others. Examples
 * are real answers of a small world, kept in a file that a test renews (see `examples.ts`).
 */
import { z } from 'zod'
import { createDocument, type ZodOpenApiObject, type ZodOpenApiOperationObject } from 'zod-openapi'
import { BUNDLES_A_DAY, BundleResponse, MAX_PIECES } from '../../../bundles/bundles.schema.ts'
import { READ_OPERATIONS } from '../../../catalog/reads.operations.ts'
import {
  type Answer,
  type CallerKind,
  ErrorEnvelopeSchema,
  type Operation,
  type OperationTag,
  type Refusal,
} from '../../../http/operation.ts'
import { sessionCookieName } from '../../../http/session-cookie.ts'
import { OFFER_OPERATIONS } from '../../../offers/offers.operations.ts'
import { INTEGRATION_OPERATIONS } from '../../../orgs/integration.operations.ts'
import { ORG_OPERATIONS } from '../../../orgs/orgs.operations.ts'
import { PLAN_OPERATIONS } from '../../../plans/plans.operations.ts'
import { searchOperations } from '../../../search/search.operations.ts'
import { type Example, type Examples, readExamples } from './examples.ts'

export type OpenApiDocument = ReturnType<typeof createDocument>

const SECURITY: Record<CallerKind, Array<Record<string, string[]>>> = {
  anyone: [],
  'anyone, more when signed in': [{}, { session: [] }],
  session: [{ session: [] }],
  'session or link token': [{ session: [] }, { linkToken: [] }],
  'session or access token': [{ session: [] }, { accessToken: [] }],
}

const REQUEST_ID = { $ref: '#/components/headers/X-Request-Id' }
const RETRY_AFTER = { $ref: '#/components/headers/Retry-After' }
/** The refusals that pass by themselves, and say when. */
const PASSING = new Set([429, 503])

const HEADERS = {
  'X-Request-Id': {
    description: 'Id of this request in the log; include it when you ask for help',
    required: true,
    schema: text(),
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again',
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
      description: "The `ETag` of the caller's copy; if it is still current, the answer is 304",
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
    // What a custom check allows is in its own meta.
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

/** What the description says of the service as a whole: what it is, where everything else is, how callers sign in. */
export function aboutService(baseUrl: string): Pick<ZodOpenApiObject, 'info' | 'externalDocs'> {
  return {
    info: {
      title: 'Souk',
      version: '1.0.0',
      summary: 'The product catalog where AI agents shop',
      description: describeService(baseUrl),
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this service', url: baseUrl },
    },
    externalDocs: { description: 'API reference', url: `${baseUrl}/docs` },
  }
}

function describeService(baseUrl: string): string {
  const at = (path: string) => `[${path}](${baseUrl}${path})`
  return [
    'Search the catalog, read products and categories, manage offers, and set how your organization answers requests for quotes.',
    'Paths work with and without a trailing slash. Every error is an `Error` object. ' +
      'We may add fields to responses; the fields described here stay.',
    `Building an agent? Use the MCP server (${at('/.well-known/mcp.json')}) ` +
      `or the A2A agent (${at('/.well-known/agent-card.json')}). ` +
      'The live offers on a product are at `/offers/{slug}.json`. ' +
      `${at('/llms.txt')} lists every product with its verdict.`,
  ].join('\n\n')
}

const TAG_WORDS: Record<OperationTag, string> = {
  Search: 'Find products, or sets of products, by what you need them for.',
  Plans: 'Read and edit the plans that are kept for you, share them, and ask their sellers for quotes.',
  Products: 'Read products and categories as HTML, Markdown or JSON-LD. No account needed.',
  Offers: 'Read the live offers on a product, or create and manage your own.',
  Organizations: 'Register your organization and set how it answers requests for quotes.',
}

export const TAGS = Object.entries(TAG_WORDS).map(([name, description]) => ({ name, description }))

/** Interface, part 5. */
export function securitySchemes(baseUrl: string) {
  return {
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(baseUrl),
      description: `The session cookie of a browser that is signed in at ${baseUrl}/auth/signin. Programs cannot get one`,
    },
    linkToken: {
      type: 'http',
      scheme: 'bearer',
      description:
        'A link token of your organization. An owner or admin creates it in the dashboard, for a shop’s plugin',
    },
    accessToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'An access token of the authorization server, as for the tool server',
    },
  } as const
}

/** Every operation of the published description (interface, part 9), in the order that people read it in. */
export const OPERATIONS: readonly Operation[] = [
  ...searchOperations({ answer: BundleResponse, aDay: BUNDLES_A_DAY, maxPieces: MAX_PIECES }),
  ...PLAN_OPERATIONS.flatMap(({ published }) => published),
  ...READ_OPERATIONS,
  ...[...OFFER_OPERATIONS, ...ORG_OPERATIONS, ...INTEGRATION_OPERATIONS].flatMap(
    ({ published }) => published,
  ),
].map(withFaults)

/**
 * A fault of ours can happen anywhere, and so can a moment in which nothing can be done. Where the operation refuses with
 * a line or a page, they are said in one as well.
 */
function withFaults(operation: Operation): Operation {
  const { refusals } = operation
  const form = refusals.find((refusal) => refusal.form !== undefined)?.form
  const away: Refusal = {
    status: 503,
    when: 'the service is overloaded or its database is unavailable; try again after `Retry-After` seconds',
    ...(form === undefined ? { words: 'again shortly' } : { form }),
  }
  const fault: Refusal = {
    status: 500,
    when: 'something went wrong on our side; include `X-Request-Id` when you report it',
    ...(form === undefined ? { code: 'internal' } : { form }),
  }
  const faults = refusals.some(({ status }) => status === 500) ? [] : [fault]
  return { ...operation, refusals: [...refusals, away, ...faults] }
}

/**
 * The description that this service publishes, written once for the file and for the page about it: it takes longer than
 * anything else that a reader may wait for. One address is kept, because a service has one.
 */
let kept: { baseUrl: string; document: OpenApiDocument } | null = null

export function publishedOpenApi({ baseUrl }: { baseUrl: string }): OpenApiDocument {
  if (kept?.baseUrl !== baseUrl) kept = { baseUrl, document: writeOpenApi({ baseUrl }) }
  return kept.document
}

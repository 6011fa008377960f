/**
 * The published OpenAPI document as the docs page reads it: by tag, then by operation. The types name the parts of
 * OpenAPI that the page shows. OpenAPI joins all reasons for a status in one sentence, so the single reasons come from
 * the operations that the document is written from.
 */
import type { OpenApiDocument } from '../../agents/discovery/openapi/document.ts'
import type { Operation, Refusal } from '../../http/operation.ts'

type Limit = 'minimum' | 'exclusiveMinimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems'
export type Schema = Partial<Record<Limit, number>> & {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Schemas
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  format?: string
  pattern?: string
}
export type Schemas = { [name: string]: Schema }
type Words = { summary?: string; description?: string }
type Media = { schema?: Schema; examples?: Record<string, { value?: unknown }> }
type Parameter = Words & { name: string; in: string; required?: boolean; schema?: Schema; example?: unknown }
type Response = { description: string; content?: Record<string, Media> }
type SecurityScheme = Words & { in?: string; name?: string; scheme?: string }
type Document = {
  info: Words & { version: string }
  servers?: Array<{ url: string }>
  tags?: Array<Words & { name: string }>
  paths?: Record<string, Record<string, RawOperation>>
  components?: { schemas?: Schemas; securitySchemes?: Record<string, SecurityScheme> }
}
type RawOperation = Words & {
  operationId?: string
  tags?: string[]
  security?: Array<Record<string, string[]>>
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, Media> }
  responses?: Record<string, Response>
}

export type Described = ReturnType<typeof describeOperation> & { reasons: Refusal[] }
export type Description = ReturnType<typeof readDescription>

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export function readDescription(document: OpenApiDocument, written: readonly Operation[]) {
  // The library's types allow for every version of the format and every reference; ours is written in one way.
  const { info, servers = [], tags = [], paths = {}, components = {} } = document as unknown as Document
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method] && describeOperation(path, method, item[method])
      if (!operation) return []
      const refusals = written.find(({ id }) => id === operation.id)?.refusals ?? []
      return [{ ...operation, reasons: refusals.toSorted((one, other) => one.status - other.status) }]
    }),
  )
  return {
    version: info.version,
    description: info.description ?? '',
    server: servers[0]?.url ?? '',
    topics: tags.map(({ name, description = '' }) => ({
      name,
      description,
      operations: operations.filter(({ tag }) => tag === name),
    })),
    schemas: components.schemas ?? {},
    securitySchemes: components.securitySchemes ?? {},
  }
}

function describeOperation(path: string, method: string, raw: RawOperation) {
  return {
    id: raw.operationId ?? `${method} ${path}`,
    tag: raw.tags?.[0],
    method,
    path,
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    security: raw.security ?? [],
    parameters: raw.parameters ?? [],
    body: Object.values(raw.requestBody?.content ?? {})[0] ?? null,
    responses: Object.entries(raw.responses ?? {}).map(([status, { description, content = {} }]) => ({
      status,
      description,
      content: Object.entries(content).map(([type, media]) => ({ type, ...media })),
    })),
  }
}

export function isPublic({ security }: Described): boolean {
  return security.length === 0 || security.some((one) => Object.keys(one).length === 0)
}

export function schemaName({ $ref }: Schema): string | null {
  return $ref?.replace(/^#\/components\/schemas\//, '') ?? null
}

/** What a reference stands for; anything else is itself. */
export function resolved(schema: Schema, schemas: Schemas): Schema {
  return schemas[schemaName(schema) ?? ''] ?? schema
}

export function exampleOf(media: Media): unknown {
  return Object.values(media.examples ?? {})[0]?.value
}

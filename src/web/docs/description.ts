/**
 * The published description as the page for people reads it: by topic, then by operation, with what is only referred to
 * looked up. The types here name the parts of OpenAPI that the page shows, and no more. OpenAPI has one description for a
 * status, with all its reasons in a row; the reasons one by one are taken from where it was written from.
 */
import type { OpenApiDocument } from '../../agents/discovery/openapi/document.ts'
import type { Operation, Refusal } from '../../http/operation.ts'

export type Schema = {
  $ref?: string
  type?: string | string[]
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  additionalProperties?: boolean | Schema
  enum?: unknown[]
  const?: unknown
  default?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
}

export type Media = { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }
export type Parameter = {
  name: string
  in: string
  description?: string
  required?: boolean
  schema?: Schema
  example?: unknown
}
type Response = { description: string; content?: Record<string, Media> }
export type Answered = Response & { status: string }
export type Security = Record<string, string[]>
export type SecurityScheme = {
  type: string
  in?: string
  name?: string
  scheme?: string
  description?: string
}

export type Described = {
  id: string
  method: string
  path: string
  summary: string
  description: string
  security: Security[]
  parameters: Parameter[]
  body: Media | null
  answers: Answered[]
  refusals: Answered[]
  reasons: Refusal[]
}

export type Description = {
  title: string
  version: string
  summary: string
  description: string
  server: string
  topics: Array<{ name: string; description: string; operations: Described[] }>
  schemas: Record<string, Schema>
  securitySchemes: Record<string, SecurityScheme>
}

type Document = {
  info: { title: string; version: string; summary?: string; description?: string }
  servers?: Array<{ url: string }>
  tags?: Array<{ name: string; description?: string }>
  paths?: Record<string, Record<string, RawOperation>>
  components?: { schemas?: Record<string, Schema>; securitySchemes?: Record<string, SecurityScheme> }
}
type RawOperation = {
  operationId?: string
  tags?: string[]
  summary?: string
  description?: string
  security?: Security[]
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, Media> }
  responses?: Record<string, Response>
}

const byStatus = (one: Refusal, other: Refusal) => one.status - other.status
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

export function readDescription(document: OpenApiDocument, written: readonly Operation[]): Description {
  // The library's types allow for every version of the format and every reference; ours is written in one way.
  const { info, servers = [], tags = [], paths = {}, components = {} } = document as unknown as Document
  const reasons = new Map(written.map(({ id, refusals }) => [id, refusals.toSorted(byStatus)]))
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const found = item[method]
      if (!found) return []
      const operation = describeOperation(path, method, found)
      return [{ tag: found.tags?.[0], operation: { ...operation, reasons: reasons.get(operation.id) ?? [] } }]
    }),
  )
  return {
    title: info.title,
    version: info.version,
    summary: info.summary ?? '',
    description: info.description ?? '',
    server: servers[0]?.url ?? '',
    topics: tags.map(({ name, description = '' }) => ({
      name,
      description,
      operations: operations.filter(({ tag }) => tag === name).map(({ operation }) => operation),
    })),
    schemas: components.schemas ?? {},
    securitySchemes: components.securitySchemes ?? {},
  }
}

function describeOperation(path: string, method: string, raw: RawOperation): Omit<Described, 'reasons'> {
  const responses = Object.entries(raw.responses ?? {}).map(([status, response]) => ({ status, ...response }))
  return {
    id: raw.operationId ?? `${method} ${path}`,
    method,
    path,
    summary: raw.summary ?? '',
    description: raw.description ?? '',
    security: raw.security ?? [],
    parameters: raw.parameters ?? [],
    body: Object.values(raw.requestBody?.content ?? {})[0] ?? null,
    answers: responses.filter(({ status }) => Number(status) < 400),
    refusals: responses.filter(({ status }) => Number(status) >= 400),
  }
}

export function schemaName({ $ref }: Schema): string | null {
  return $ref?.replace(/^#\/components\/schemas\//, '') ?? null
}

/** What a reference stands for; anything else is itself. */
export function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  const name = schemaName(schema)
  return name === null ? schema : (schemas[name] ?? {})
}

/** The first example given, whichever way; undefined when there is none. */
export function exampleOf(media: Media | null | undefined): unknown {
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value
}

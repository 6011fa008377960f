/**
 * Holds answers against the published description: the status, the media type, every field of the body, the headers and
 * the reason of a refusal must be as described for that operation; and a request that was taken must be one that the
 * description allows. The document itself is read, as a client would, not the schemas it is written from. Every answer
 * that a test gets passes through here (harness.ts, described.setup.ts), so the schemas are compiled only when first
 * needed, and text is not read.
 */
import type { ValidateFunction } from 'ajv'
import { type Described, NO_BODY, provokedBy } from './described.coverage.ts'
import type { Schema, Validators } from './described.schemas.ts'

export type Description = { document: OpenApi; operations: Described[] }

type OpenApi = {
  paths?: ByName<ByName<{ requestBody?: { content?: Content }; responses?: ByName<DescribedResponse> }>>
  components?: {
    schemas?: ByName<Schema>
    responses?: ByName<DescribedResponse>
    headers?: ByName<DescribedHeader>
  }
}

type ByName<Value> = { [name: string]: Value | undefined }
type Content = ByName<{ schema?: Schema }>
type DescribedHeader = { $ref?: string; required?: boolean }
type DescribedResponse = { $ref?: string; headers?: ByName<DescribedHeader>; content?: Content }

export type GivenAnswer = {
  method: string
  status: number
  headers: { get(name: string): string | null }
  /** The body of the request as text; null when it had none, or it is not known. Asked for only when it was taken. */
  sent(): Promise<string | null>
  /** The body as text, null when its sender did not finish it. Asked for only when it is JSON, or for a complaint. */
  read(): Promise<string | null>
}

export type Checker = {
  find(method: string, path: string): Described | null
  /** Throws a Breach, or returns the line that the answer has provoked; null for what proves nothing (HEAD, a body cut short). */
  check(operation: Described, answer: GivenAnswer): Promise<string | null>
  /** What the description has against the body of a request; null when nothing. */
  refusesRequest(operation: Described, body: string): Promise<string | null>
}

export class Breach extends Error {}

export function createChecker({ document, operations }: Description): Checker {
  const routes = operations
    .map((operation) => ({ operation, pattern: patternOf(operation.path) }))
    .sort((one, other) => literal(other.operation.path) - literal(one.operation.path))
  const compiled = new WeakMap<Schema, ValidateFunction>()
  let compiling: Promise<Validators> | undefined

  async function validatorOf(schema: Schema, of: keyof Validators): Promise<ValidateFunction> {
    compiling ??= import('./described.schemas.ts').then(({ createValidators }) =>
      createValidators((document.components?.schemas ?? {}) as Record<string, Schema>),
    )
    const { [of]: compile } = await compiling
    const validate = compiled.get(schema) ?? compile(schema)
    compiled.set(schema, validate)
    return validate
  }

  function responseOf({ path, method }: Described, status: number): DescribedResponse | undefined {
    const found = document.paths?.[path]?.[method]?.responses?.[status]
    const shared = /^#\/components\/responses\/(.+)$/.exec(found?.$ref ?? '')?.[1]
    return shared === undefined ? found : document.components?.responses?.[shared]
  }

  function missingHeaders({ headers = {} }: DescribedResponse, given: GivenAnswer['headers']): string[] {
    return Object.entries(headers).flatMap(([name, found]) => {
      const shared = /^#\/components\/headers\/(.+)$/.exec(found?.$ref ?? '')?.[1]
      const header = shared === undefined ? found : document.components?.headers?.[shared]
      return header?.required && given.get(name) === null ? [name] : []
    })
  }

  /** What the description has against a request; null when nothing. */
  async function refusesRequest(operation: Described, text: string): Promise<string | null> {
    const { path, method } = operation
    const schema = document.paths?.[path]?.[method]?.requestBody?.content?.['application/json']?.schema
    if (!schema) return null
    const validate = await validatorOf(schema, 'request')
    return validate(parse(text)) ? null : said(validate)
  }

  return {
    find(method, path) {
      const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
      return (
        routes.find(({ operation, pattern }) => operation.method === wanted && pattern.test(path))
          ?.operation ?? null
      )
    },

    refusesRequest,

    async check(operation, { method, status, headers, sent, read }) {
      const breach = (what: string, body: string | null = null) =>
        new Breach(
          `${operation.id} (${method} ${operation.path}) answered ${status}: ${what}` +
            (body ? `\n${body.slice(0, 600)}` : ''),
        )
      const described = responseOf(operation, status)
      if (!described) throw breach('this status is not described', await read())
      const types = Object.keys(described.content ?? {})
      const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? NO_BODY
      if (type !== NO_BODY ? !types.includes(type) : types.length > 0)
        throw breach(`${type} is not described, but ${types.join(', ') || NO_BODY}`, await read())
      const missing = missingHeaders(described, headers)
      if (missing.length > 0) throw breach(`without ${missing.join(', ')}, which is described`)
      if (method === 'HEAD') return null
      if (!isJson(type)) return provokedBy(operation, { status, type })

      const text = await read()
      if (text === null) return null
      const value = parse(text)
      if (value === undefined) throw breach('the body is not JSON', text)
      const schema = described.content?.[type]?.schema
      const validate = schema && (await validatorOf(schema, 'answer'))
      if (validate && !validate(value)) throw breach(said(validate), text)
      const line = provokedBy(operation, { status, type, value })
      if (line === null) throw breach('this reason is not described', text)
      const request = status < 300 ? await sent() : null
      const refused = request === null ? null : await refusesRequest(operation, request)
      if (refused !== null) throw breach(`the request is not as described: ${refused}`, request)
      return line
    },
  }
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function said({ errors }: ValidateFunction): string {
  const words = (errors ?? []).map(({ instancePath, message, params }) => {
    const { unevaluatedProperty, additionalProperty } = params as ByName<string>
    const field = unevaluatedProperty ?? additionalProperty
    return field === undefined
      ? `${instancePath || 'the body'} ${message}`
      : `${instancePath}/${field} is not described`
  })
  return [...new Set(words)].slice(0, 8).join('; ')
}

/** With or without the trailing slash; a slug that stands alone also as `<category>/<slug>`. */
function patternOf(path: string): RegExp {
  const alone = path.split('{').length === 2
  const source = path
    .replace(/\/$/, '')
    .split(/(\{\w+\})/)
    .map((part) => {
      if (!part.startsWith('{')) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      return part === '{slug}' && alone ? '(?:[^/.]+/)?[^/.]+' : '[^/.]+'
    })
  return new RegExp(`^${source.join('')}/?$`)
}

/** The more of a path is given, the closer it describes: `/c/{category}.md` before `/c/{category}`. */
function literal(path: string): number {
  return path.replace(/\{\w+\}/g, '').length
}

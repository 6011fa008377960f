/**
 * Tools made ready to be listed and called: schemas converted, lists written out once for each audience and each family
 * of the protocol. A list differs by who is asking, so that a client must keep it for that person alone.
 */
import { z } from 'zod'
import type { Effects, Tool } from '../../tools/define-tool.ts'
import { createForgiveness, type Forgiveness } from './forgive.ts'
import { createNaming, type Naming } from './names.ts'
import { SERVER_INFO } from './protocol.ts'

export type Family = 'legacy' | 'modern'

/** As `tools/list` describes it. */
type ToolDescription = {
  name: string
  title: string
  description: string
  inputSchema: JsonSchema
  outputSchema: JsonSchema
  annotations: Record<string, unknown>
}

export type Offered<Context> = {
  tool: Tool<Context>
  description: ToolDescription
  forgive: Forgiveness
  naming: Naming
}

export type Offer<Context> = {
  byName: ReadonlyMap<string, Offered<Context>>
  /** The result of tools/list, as JSON. */
  list(family: Family, isProducer: boolean): string
}

/** How long a client may keep a list: the tools change with the release, what one sees with one's account. */
export const LIST_TTL_MS = 5 * 60_000
export const MODERN_META = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO }

export function written(family: Family, result: Record<string, unknown>): string {
  return JSON.stringify(
    family === 'legacy' ? result : { resultType: 'complete', ...result, _meta: MODERN_META },
  )
}

/** For results that the newest revision lets clients keep, each for its own person. */
export function writtenToKeep(family: Family, result: Record<string, unknown>): string {
  const kept = { ...result, ttlMs: LIST_TTL_MS, cacheScope: 'private' }
  return written(family, family === 'legacy' ? result : kept)
}

export function offerTools<Context>(tools: ReadonlyArray<Tool<Context>>): Offer<Context> {
  return offerOf(sharingOutputs(tools.map((tool) => offerTool(tool))))
}

/** Some of the same tools, without converting their schemas again. */
export function partOf<Context>(
  { byName }: Offer<Context>,
  has: (tool: Tool<Context>) => boolean,
): Offer<Context> {
  return offerOf([...byName.values()].filter(({ tool }) => has(tool)))
}

function offerOf<Context>(offered: ReadonlyArray<Offered<Context>>): Offer<Context> {
  const everyone = offered.filter(({ tool }) => tool.audience === 'everyone')
  const lists = {
    legacy: [everyone, offered].map((some) => listText(some, 'legacy')),
    modern: [everyone, offered].map((some) => listText(some, 'modern')),
  }
  return {
    byName: new Map(offered.map((one) => [one.tool.name, one])),
    list: (family, isProducer) => lists[family][isProducer ? 1 : 0] ?? '',
  }
}

/** A long schema that two tools have alike is written out for the first. */
function sharingOutputs<Context>(offered: Array<Offered<Context>>): Array<Offered<Context>> {
  const first = new Map<string, string>()
  return offered.map((one) => {
    const { name, outputSchema } = one.description
    const text = JSON.stringify(outputSchema)
    const known = first.get(text)
    if (known === undefined) first.set(text, name)
    if (known === undefined || text.length < LEAST_REFERRED) return one
    const { type, required } = outputSchema
    const brief: JsonSchema = {
      ...(type && { type }),
      description: `As ${known} answers`,
      ...(required && { required }),
    }
    return { ...one, description: { ...one.description, outputSchema: brief } }
  })
}

const LEAST_REFERRED = 1_000

function offerTool<Context>(tool: Tool<Context>): Offered<Context> {
  const inputSchema = toJsonSchema(tool.input, 'input')
  const description: ToolDescription = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema,
    outputSchema: shortened(toJsonSchema(tool.output, 'output')),
    annotations: annotationsOf(tool.effects, tool.openWorld ?? false),
  }
  const writes = !tool.effects.readOnly
  return {
    ...{ tool, description },
    forgive: createForgiveness(inputSchema, { writes }),
    naming: createNaming(inputSchema, { writes }),
  }
}

function annotationsOf(effects: Effects, openWorld: boolean): Record<string, unknown> {
  return {
    readOnlyHint: effects.readOnly,
    ...(!effects.readOnly && { destructiveHint: effects.destructive, idempotentHint: effects.idempotent }),
    openWorldHint: openWorld,
  }
}

function listText(offered: ReadonlyArray<{ description: ToolDescription }>, family: Family): string {
  const tools = offered.map(({ description }) => description)
  return JSON.stringify(
    family === 'legacy'
      ? { tools }
      : { resultType: 'complete', tools, ttlMs: LIST_TTL_MS, cacheScope: 'private', _meta: MODERN_META },
  )
}

/**
 * Tool schemas as clients get them, converted from zod once at start. What carries no meaning for a model is left out:
 * the dialect's address, the bounds that zod gives every integer, and that answers hold nothing that is not described.
 */
export type JsonSchema = {
  type?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  anyOf?: JsonSchema[]
  [keyword: string]: unknown
}

export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return slimmed(converted, io) as JsonSchema
}

function slimmed(value: unknown, io: 'input' | 'output'): unknown {
  if (Array.isArray(value)) return value.map((inner) => slimmed(inner, io))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(oneTypeEach(value)).flatMap(([keyword, inner]) => {
      if (isIdleBound(keyword, inner)) return []
      if (keyword !== 'additionalProperties') return [[keyword, slimmed(inner, io)]]
      if (inner === false) return io === 'output' ? [] : [[keyword, false]]
      // An empty schema allows everything, as `true` does, which every linter knows.
      return [[keyword, isEmpty(inner) ? true : slimmed(inner, io)]]
    }),
  )
}

/**
 * Answers are described more briefly than arguments: nobody writes them by their schema, and in a client's prompt they would
 * take more room than the rest of a tool. Only the outermost fields are said to be required, and what occurs
 * repeatedly is described once.
 */
function shortened(schema: JsonSchema): JsonSchema {
  const counts = new Map<string, number>()
  const outer = withoutRequired(schema) as JsonSchema
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    if (isSchema(value)) {
      const text = JSON.stringify(nameless(value))
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
    for (const inner of Object.values(value)) visit(inner)
  }
  visit(outer.properties)
  visit(outer.$defs)
  const shared = new Map<string, string>()
  const defs: Record<string, unknown> = {}
  const replace = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(replace)
    const text = isSchema(value) ? JSON.stringify(nameless(value)) : ''
    if ((counts.get(text) ?? 0) < 2 || text.length < LEAST_SHARED) return mapValues(value, replace)
    const known = shared.get(text) ?? `d${shared.size}`
    if (!shared.has(text)) {
      shared.set(text, known)
      defs[known] = mapValues(nameless(value), replace)
    }
    const { description } = value as { description?: string }
    return { $ref: `#/$defs/${known}`, ...(description !== undefined && { description }) }
  }
  const properties = mapValues(outer.properties ?? {}, replace) as JsonSchema['properties']
  return {
    ...outer,
    ...(properties && { properties }),
    ...(schema.required && { required: schema.required }),
    ...((shared.size > 0 || isObject(outer.$defs)) && {
      $defs: { ...mapValues(isObject(outer.$defs) ? outer.$defs : {}, replace), ...defs },
    }),
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Less is not worth a name. */
const LEAST_SHARED = 40

function isSchema(value: object): boolean {
  const { type, anyOf } = value as JsonSchema
  return typeof type === 'string' || Array.isArray(anyOf)
}

/** What a schema is, whatever it is called where it stands. */
function nameless({ description: _, ...schema }: object & { description?: unknown }): object {
  return schema
}

function mapValues(value: object, change: (inner: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]))
}

function withoutRequired(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutRequired)
  const { required, ...rest } = value as { required?: unknown }
  const kept = Array.isArray(required) ? rest : value
  return mapValues(kept, withoutRequired)
}

/** A list of types is right, but several clients and their linters only know one. */
function oneTypeEach(schema: object): object {
  if (!('type' in schema) || !Array.isArray(schema.type)) return schema
  const {
    type,
    description,
    default: preset,
    ...bounds
  } = schema as {
    type: string[]
    description?: string
    default?: unknown
  }
  const anyOf = type.map((one) => (one === 'null' ? { type: one } : { type: one, ...bounds }))
  return {
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    anyOf,
  }
}

function isIdleBound(keyword: string, bound: unknown): boolean {
  return (
    (keyword === 'minimum' && bound === Number.MIN_SAFE_INTEGER) ||
    (keyword === 'maximum' && bound === Number.MAX_SAFE_INTEGER)
  )
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0
}

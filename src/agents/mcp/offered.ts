/**
 * Tools made ready to be listed and called: schemas converted, lists written out once for each audience and each family
 * of the protocol. A list differs by who is asking, so that a client must keep it for that person alone.
 */
import { z } from 'zod'
import type { Effects, Tool } from '../../tools/define-tool.ts'
import { createForgiveness, type Forgiveness } from './forgive.ts'
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
}

export type Offer<Context> = {
  byName: ReadonlyMap<string, Offered<Context>>
  /** The result of tools/list, as JSON. */
  list(family: Family, isProducer: boolean): string
}

/** How long a client may keep a list: the tools change with the release, what one sees with one's account. */
export const LIST_TTL_MS = 5 * 60_000
export const MODERN_META = { 'io.modelcontextprotocol/serverInfo': SERVER_INFO }

export function offerTools<Context>(tools: ReadonlyArray<Tool<Context>>): Offer<Context> {
  const offered = tools.map((tool) => offerTool(tool))
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

function offerTool<Context>(tool: Tool<Context>): Offered<Context> {
  const inputSchema = toJsonSchema(tool.input, 'input')
  const description: ToolDescription = {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema,
    outputSchema: toJsonSchema(tool.output, 'output'),
    annotations: annotationsOf(tool.effects, tool.openWorld ?? false),
  }
  return { tool, description, forgive: createForgiveness(inputSchema, { writes: !tool.effects.readOnly }) }
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

/**
 * Tool schemas as clients get them, converted from zod once at start. What carries no meaning for a model is left out:
 * the dialect's address, the bounds that zod gives every integer, and that answers hold nothing that is not described.
 */
import { z } from 'zod'

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

/** A good value for a JSON schema, as far as a schema tells; texts are chosen by the name of their field. */
import { BUYER_HOST } from '../agents.ts'
import type { Turn } from './attempt.ts'

export type Schema = { [keyword: string]: unknown }

/** Finds what `$ref` points to. */
export type Follow = (ref: string) => Schema | undefined

const QUERIES = [
  'quiet standing desk',
  'lamp under $60',
  'kettle',
  'home office setup under $900',
  'compact keyboard',
  'monitor by Lume',
]
const DEEPEST = 8
const DAY_MS = 86_400_000

export type Filling = { turn: Turn; sells: readonly string[]; follow: Follow }

export function fill(filling: Filling, schema: Schema, name = '', depth = 0): unknown {
  const { turn, follow } = filling
  const { $ref, anyOf, oneOf, allOf, enum: values, examples } = schema
  if (typeof $ref === 'string') return fill(filling, follow($ref) ?? {}, name, depth + 1)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(values)) return turn.pick(values)
  const choices = (anyOf ?? oneOf) as Schema[] | undefined
  if (choices) {
    const real = choices.filter(({ type }) => type !== 'null')
    return fill(filling, turn.pick(real.length > 0 && turn.chance(0.9) ? real : choices), name, depth + 1)
  }
  if (Array.isArray(allOf))
    return Object.assign({}, ...(allOf as Schema[]).map((part) => fill(filling, part, name, depth + 1)))
  if (Array.isArray(examples) && turn.chance(0.2)) return turn.pick(examples)
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== 'null') : schema.type
  switch (type) {
    case 'object':
      return fillObject(filling, schema, depth)
    case 'array': {
      const count = Math.max(Number(schema.minItems ?? 0), depth > DEEPEST ? 0 : 1 + turn.below(2))
      const items = (schema.items ?? {}) as Schema
      return Array.from({ length: count }, () => fill(filling, items, name.replace(/s$/, ''), depth + 1))
    }
    case 'integer':
    case 'number':
      return fillNumber(turn, schema, type === 'integer')
    case 'boolean':
      return turn.chance(0.5)
    case 'null':
      return null
    default:
      return fillText(filling, schema, name)
  }
}

function fillObject(filling: Filling, schema: Schema, depth: number): Record<string, unknown> {
  const { turn } = filling
  const required = new Set((schema.required ?? []) as string[])
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
  return Object.fromEntries(
    properties
      .filter(([name]) => required.has(name) || (depth < DEEPEST && turn.chance(0.35)))
      .map(([name, inner]) => [name, fill(filling, inner, name, depth + 1)]),
  )
}

function fillNumber(turn: Turn, schema: Schema, whole: boolean): number {
  const low = Number(schema.minimum ?? (schema.exclusiveMinimum !== undefined ? 1 : 0))
  const high = Math.min(Number(schema.maximum ?? low + 100), low + 500)
  const value = low + turn.random() * (high - low)
  return whole ? Math.round(value) : Math.round(value * 100) / 100
}

function fillText({ turn, sells }: Filling, { format, minLength, maxLength }: Schema, name: string): string {
  const product = turn.pick(turn.people.products)
  const slug = `${product.category}/${product.slug}`
  if (format === 'uuid' || /(^|_)id$/.test(name)) return turn.known.id(turn, name)
  if (format === 'date-time' || /_at$|_iso$|^since$/.test(name))
    return new Date(Date.now() + (turn.random() - 0.3) * 40 * DAY_MS).toISOString()
  if (format === 'date') return new Date(Date.now() + turn.random() * 40 * DAY_MS).toISOString().slice(0, 10)
  if (/slug|product$|compare/.test(name)) {
    if (name === 'slug') return turn.chance(0.5) ? product.slug : slug
    return sells.length > 0 && turn.chance(0.8) ? turn.pick(sells) : slug
  }
  if (/categor/.test(name)) return product.category
  if (format === 'uri' || /url|link/.test(name))
    return `https://${turn.pick(['shop-1.trial.example', BUYER_HOST])}/a-${turn.word()}`
  if (format === 'email' || /email/.test(name)) return `${turn.word()}@new.trial.example`
  if (/query|^q$|goal/.test(name)) return turn.chance(0.7) ? turn.pick(QUERIES) : product.title
  if (/secret|token/.test(name)) return `a-secret-of-${turn.word()}-and-more`
  if (/domain/.test(name)) return `${turn.word()}.trial.example`
  const text = `${turn.pick(['Good', 'Quiet', 'Ten percent off'])} ${turn.word()}`
  const most = Number(maxLength ?? 60)
  return text.padEnd(Number(minLength ?? 0), 'x').slice(0, most)
}

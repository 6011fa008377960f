/**
 * Arguments as models really send them: null or an empty text for what they do not know, numbers and lists as text, one
 * entry where a list is wanted. What can only be meant one way is taken that way, by the tool's own schema; the
 * rest is left for the schema to refuse. Nothing is copied when nothing has to change, as in most calls.
 */
import { readBoundedJson } from '../../lib/bounded-json.ts'
import type { JsonSchema } from './offered.ts'

type Arguments = Record<string, unknown>

export type Forgiveness = {
  (given: Arguments): Arguments
  /** Names that the tool does not know: a model that made one up should hear of it. */
  unknown(given: Arguments): string[]
}

/**
 * `writes`: of a tool that changes something. There an empty text stays what it is, for the schema to take or to refuse,
 * because leaving a parameter out may mean "everywhere".
 */
export function createForgiveness(
  { properties = {}, required = [] }: JsonSchema,
  { writes = false } = {},
): Forgiveness {
  const wanted = new Map(Object.entries(properties).map(([name, schema]) => [name, kindsOf(schema)]))
  const needed = new Set(required)

  const forgive = (given: Arguments): Arguments => {
    let changed: Arguments | null = null
    for (const name in given) {
      const kinds = wanted.get(name)
      if (!kinds) continue
      const value = given[name]
      const better = improve(value, kinds, {
        needed: needed.has(name),
        keepsEmpty: writes || needed.has(name),
      })
      if (better === value) continue
      changed ??= { ...given }
      if (better === undefined) delete changed[name]
      else changed[name] = better
    }
    return changed ?? given
  }
  return Object.assign(forgive, {
    unknown: (given: Arguments) => Object.keys(given).filter((name) => !wanted.has(name)),
  })
}

/** Undefined for "not given". */
function improve(
  value: unknown,
  kinds: ReadonlySet<string>,
  { needed, keepsEmpty }: { needed: boolean; keepsEmpty: boolean },
): unknown {
  if (value === null) return kinds.has('null') || needed ? value : undefined
  if (typeof value === 'number' && kinds.has('string') && !kinds.has('number') && !kinds.has('integer'))
    return String(value)
  if (typeof value !== 'string') {
    const single =
      kinds.has('array') && !kinds.has('object') && !Array.isArray(value) && !kinds.has(typeof value)
    return single ? [value] : value
  }
  if (kinds.has('string')) return value === '' && !keepsEmpty && !kinds.has('null') ? undefined : value
  const text = value.trim()
  if (text === '') return keepsEmpty ? value : undefined
  if (kinds.has('number') || kinds.has('integer')) return asNumber(text) ?? value
  if (kinds.has('boolean')) return text === 'true' ? true : text === 'false' ? false : value
  if (kinds.has('array') || kinds.has('object'))
    return asJson(text, kinds) ?? (kinds.has('array') ? [value] : value)
  return value
}

/** "$1,299.50" is what people write. */
function asNumber(text: string): number | null {
  const plain = text.replace(/^\$ ?/, '').replace(/(?<=\d),(?=\d{3}(\D|$))/g, '')
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null
}

function asJson(text: string, kinds: ReadonlySet<string>): unknown {
  if (!/^[[{]/.test(text)) return null
  const read = readBoundedJson(Buffer.from(text))
  if (!('value' in read)) return null
  return kinds.has(Array.isArray(read.value) ? 'array' : 'object') ? read.value : null
}

function kindsOf(schema: JsonSchema): ReadonlySet<string> {
  const kinds = new Set<string>()
  const add = ({ type, anyOf, enum: values, const: constant }: JsonSchema) => {
    if (type !== undefined) kinds.add(type)
    for (const inner of anyOf ?? []) add(inner)
    if (type === undefined && Array.isArray(values)) for (const value of values) kinds.add(typeof value)
    if (type === undefined && constant !== undefined) kinds.add(typeof constant)
  }
  add(schema)
  return kinds
}

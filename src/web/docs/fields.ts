/**
 * A schema as rows that people read: one for each field, what is nested right below what holds it. A field that has a
 * schema with a name of its own leads there instead, so that no table says the same things twice.
 */
import { formatCount } from '../format.ts'
import { resolved, type Schema, schemaName } from './description.ts'

export type Field = {
  /** `filters.` of `filters.category`: where the field is. */
  within: string
  name: string
  type: TypeWord[]
  required: boolean
  limits: string[]
  meaning: string
}
/** Plain words, or the name of a schema. */
export type TypeWord = string | { schema: string }

export function listFields(schema: Schema, schemas: Record<string, Schema>, within = ''): Field[] {
  const { properties = {}, required = [] } = objectIn(resolved(schema, schemas)) ?? {}
  return Object.entries(properties).flatMap(([name, property]) => {
    const field: Field = {
      within,
      name,
      type: typeWords(property),
      required: required.includes(name),
      limits: limitsOf(property),
      meaning: property.description ?? '',
    }
    const inner = objectIn(property)
    if (!inner) return [field]
    const inside = `${within}${name}${isList(property) ? '[]' : ''}.`
    return [field, ...listFields(inner, schemas, inside)]
  })
}

/** The object with fields of its own that a field holds, alone, in a list, or besides null. */
function objectIn(schema: Schema): Schema | null {
  if (schema.properties) return schema
  if (schema.items) return objectIn(schema.items)
  for (const one of alternatives(schema)) {
    const found = objectIn(one)
    if (found) return found
  }
  return null
}

function isList(schema: Schema): boolean {
  return schema.items !== undefined || alternatives(schema).some(isList)
}

export function alternatives({ anyOf, oneOf, allOf }: Schema): Schema[] {
  return anyOf ?? oneOf ?? allOf ?? []
}

export function typeWords(schema: Schema): TypeWord[] {
  const name = schemaName(schema)
  if (name !== null) return [{ schema: name }]
  const choices = alternatives(schema)
  if (choices.length > 0)
    return choices.flatMap((choice, index) => [...(index > 0 ? [' or '] : []), ...typeWords(choice)])
  if (schema.items) return ['list of ', ...typeWords(schema.items).map(inPlural), ...orNull(schema)]
  if (Array.isArray(schema.type)) return [schema.type.join(' or ')]
  return [schema.type ?? 'anything']
}

function inPlural(word: TypeWord): TypeWord {
  return typeof word === 'string' && /^[a-z]+$/.test(word) ? `${word}s` : word
}

function orNull({ type }: Schema): string[] {
  return Array.isArray(type) && type.includes('null') ? [' or null'] : []
}

export function limitsOf(schema: Schema): string[] {
  const own = [
    ...(schema.enum ? [`one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`] : []),
    ...('const' in schema ? [`always \`${schema.const}\``] : []),
    ...(schema.format ? [FORMATS[schema.format] ?? schema.format] : []),
    ...span(schema.minLength, schema.maxLength, 'characters'),
    ...span(schema.minItems, schema.maxItems, 'items'),
    ...span(schema.minimum, schema.maximum, ''),
    ...(schema.exclusiveMinimum === undefined ? [] : [`more than ${schema.exclusiveMinimum}`]),
    ...(schema.pattern ? [`matches \`${schema.pattern}\``] : []),
    ...(schema.default === undefined ? [] : [`\`${JSON.stringify(schema.default)}\` when left out`]),
  ]
  const inside = [...alternatives(schema), ...(schema.items ? [schema.items] : [])].flatMap(limitsOf)
  return [...new Set([...own, ...inside])]
}

const FORMATS: Record<string, string> = {
  'date-time': 'a time, ISO 8601',
  date: 'a date, ISO 8601',
  uri: 'an address',
  email: 'an email address',
  uuid: 'a UUID',
}

/** That there are at least no characters or items goes without saying; that a number is not negative does not. */
function span(least: number | undefined, most: number | undefined, unit: string): string[] {
  const from = least === 0 && unit !== '' ? undefined : least
  const words = (text: string) => [`${text} ${unit}`.trim()]
  if (from === undefined) return most === undefined ? [] : words(`at most ${formatCount(most)}`)
  if (most === undefined) return words(`at least ${formatCount(from)}`)
  return words(
    from === most ? `exactly ${formatCount(from)}` : `${formatCount(from)} to ${formatCount(most)}`,
  )
}

/**
 * Any schema as a list of fields: name, type, limits, meaning. An object inside a field folds open below it; a schema
 * with a name of its own is a link instead, so recursive schemas end and no list is shown twice.
 */
import type { Child } from 'hono/jsx'
import { formatCount } from '../format.ts'
import { resolved, type Schema, type Schemas, schemaName } from './description.ts'
import { writeWords } from './markdown.ts'

/** Plain words, or the name of a schema. */
type TypeWord = string | { schema: string }
/** `label` says what the fields belong to, for screen readers: "Request body: Search products". */
type FieldsProps = { schema: Schema; schemas: Schemas; label: string }

export function SchemaFields({ schema, schemas, label }: FieldsProps) {
  const { properties, required = [] } = objectIn(resolved(schema, schemas)) ?? {}
  if (!properties) return <p>{typeOf(schema)}</p>
  return (
    <ul class="docs-fields" aria-label={label}>
      {Object.entries(properties).map(([name, field]) => {
        const inner = objectIn(field)
        return (
          <Item
            name={name}
            kind={typeOf(field)}
            required={required.includes(name)}
            text={field.description ?? ''}
          >
            {inner && (
              <Fold title={`Fields of ${name}`} about={label}>
                <SchemaFields schema={inner} schemas={schemas} label={`${label}, ${name}`} />
              </Fold>
            )}
          </Item>
        )
      })}
    </ul>
  )
}

type ItemProps = { name: string; kind?: Child; required?: boolean; text: string; children?: Child }

/** An entry of any list in the reference: a field, a parameter, a response, an error. */
export function Item({ name, kind, required = false, text, children }: ItemProps) {
  return (
    <li>
      <p>
        <code>{name}</code> {required && <span class="docs-required">required</span>}{' '}
        {kind && <span class="soft">{kind}</span>}
      </p>
      {text !== '' && <p>{writeWords(text, { inline: true })}</p>}
      {children}
    </li>
  )
}

/** `about` tells apart what reads the same in many places, for screen readers. */
export function Fold({ title, about, children }: { title: string; about: string; children: Child }) {
  return (
    <details>
      <summary>
        {title}
        <span class="hidden"> · {about}</span>
      </summary>
      {children}
    </details>
  )
}

/** The type and its limits. */
export function typeOf(schema: Schema) {
  const type = typeWords(schema).map((word) =>
    typeof word === 'string' ? word : <a href={`#schema-${word.schema}`}>{word.schema}</a>,
  )
  return [...type, ...limitsOf(schema).map((limit) => <> · {writeWords(limit, { inline: true })}</>)]
}

function partsOf({ anyOf, oneOf, allOf, items }: Schema): Schema[] {
  return [...(anyOf ?? oneOf ?? allOf ?? []), ...(items ? [items] : [])]
}

/** The object with fields of its own that a schema holds: itself, in a list, or beside null. */
export function objectIn(schema: Schema): Schema | undefined {
  if (schema.properties) return schema
  return partsOf(schema)
    .map(objectIn)
    .find((found) => found !== undefined)
}

export function typeWords(schema: Schema): TypeWord[] {
  const name = schemaName(schema)
  if (name !== null) return [{ schema: name }]
  const types = [schema.type ?? []].flat()
  if (schema.items) {
    const of = typeWords(schema.items).map((word) => (/^[a-z]+$/.test(String(word)) ? `${word}s` : word))
    return ['list of ', ...of, ...(types.includes('null') ? [' or null'] : [])]
  }
  const choices = partsOf(schema).map(typeWords)
  if (choices.length > 0)
    return choices.flatMap((choice, index) => (index > 0 ? [' or ', ...choice] : choice))
  return [types.join(' or ') || 'any value']
}

const FORMATS: Record<string, string> = { 'date-time': 'ISO 8601 time', date: 'ISO 8601 date', uri: 'URL' }

export function limitsOf(schema: Schema): string[] {
  const own = [
    schema.enum && `one of ${schema.enum.map((value) => `\`${value}\``).join(', ')}`,
    'const' in schema && `always \`${schema.const}\``,
    schema.format && (FORMATS[schema.format] ?? schema.format),
    // At least zero characters or items goes without saying; that a number is not negative does not.
    span(schema.minLength || undefined, schema.maxLength, ' characters'),
    span(schema.minItems || undefined, schema.maxItems, ' items'),
    span(schema.minimum, schema.maximum, ''),
    schema.exclusiveMinimum !== undefined && `more than ${schema.exclusiveMinimum}`,
    schema.pattern && (schema.pattern === '\\S' ? 'not blank' : `matches \`${schema.pattern}\``),
    schema.default !== undefined && `default \`${JSON.stringify(schema.default)}\``,
  ].filter((limit) => typeof limit === 'string')
  return [...new Set([...own, ...partsOf(schema).flatMap(limitsOf)])]
}

function span(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined) return most === undefined ? undefined : `up to ${formatCount(most)}${unit}`
  if (most === undefined) return least === 1 && unit ? 'not empty' : `at least ${formatCount(least)}${unit}`
  return `${least === most ? 'exactly' : `${formatCount(least)} to`} ${formatCount(most)}${unit}`
}

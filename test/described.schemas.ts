/**
 * The description's schemas as validators that also refuse what is not described. The published document leaves every
 * answer open for fields to come; for the check, each object that says nothing about other fields is closed. Parts of an
 * `allOf` know only their share of the fields, so the whole is closed around them and they stay open: hence two forms
 * of each component, chosen by where it is referred to.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

export type Schema = { [keyword: string]: unknown }

const COMPONENT = /^#\/components\/schemas\/(.+)$/
/** Keywords whose value is a schema, a list of schemas or schemas by name, for a value further inside. */
const INNER = ['items', 'contains', 'additionalProperties', 'unevaluatedProperties', 'propertyNames']
const INNER_LISTS = ['prefixItems']
const INNER_MAPS = ['properties', 'patternProperties']
/** Keywords whose schemas are for the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf']
/** What OpenAPI adds to JSON Schema; says nothing about validity. */
const OPENAPI_WORDS = ['example', 'discriminator', 'externalDocs', 'xml']

/** An answer is held to what is described and no more; of a request, fields that nobody knows are ignored. */
export type Validators = Record<'answer' | 'request', (schema: Schema) => ValidateFunction>

export function createValidators(components: Record<string, Schema>): Validators {
  // That the schemas themselves are right is another test's; here it would cost every test file half a second.
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    allErrors: true,
    validateSchema: false,
  })
  formats.default(ajv)
  ajv.addVocabulary(OPENAPI_WORDS)
  const $defs: Schema = {}
  for (const [name, schema] of Object.entries(components)) {
    $defs[`closed.${name}`] = close(schema)
    $defs[`part.${name}`] = closeInside(schema)
  }
  ajv.addSchema({ $id: 'components', $defs })
  ajv.addSchema({ $id: 'open', $defs: opened(components) })
  return {
    answer: (schema) => ajv.compile(close(schema)),
    request: (schema) => ajv.compile(opened(schema)),
  }
}

/** As published, with references to the components as they are published. */
function opened(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"open#/$defs/')) as Schema
}

/** A schema that stands for a whole value. */
export function close(schema: Schema): Schema {
  const inside = closeInside(schema, 'closed')
  const isObject = schema.properties !== undefined || partsOf(schema).length > 0
  const says = ['additionalProperties', 'unevaluatedProperties'].some((keyword) => keyword in schema)
  if (!isObject || says) return inside
  return { type: 'object', ...inside, unevaluatedProperties: false }
}

/** An `allOf` of one is only a way to say more about it; of several, they are the parts of an object. */
function partsOf({ allOf }: Schema): unknown[] {
  return Array.isArray(allOf) && allOf.length > 1 ? allOf : []
}

/** The same schema with everything further inside closed; itself left open when it is only a part of the whole. */
function closeInside(schema: Schema, form: 'closed' | 'part' = 'part'): Schema {
  const closed: Schema = { ...schema }
  for (const keyword of INNER) if (isSchema(schema[keyword])) closed[keyword] = close(schema[keyword])
  for (const keyword of INNER_LISTS) closed[keyword] = eachOf(schema[keyword], close)
  for (const keyword of INNER_MAPS) closed[keyword] = eachNamed(schema[keyword], close)
  // Beside fields of its own or other parts, an alternative is a part as well; alone, each alternative is the whole.
  const whole = form === 'closed' && schema.properties === undefined && partsOf(schema).length === 0
  for (const keyword of IN_PLACE)
    closed[keyword] = eachOf(schema[keyword], (one) => (whole ? close(one) : closeInside(one)))
  const component = COMPONENT.exec(String(schema.$ref))?.[1]
  if (component !== undefined) closed.$ref = `components#/$defs/${form}.${component}`
  return Object.fromEntries(Object.entries(closed).filter(([, value]) => value !== undefined))
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function eachOf(value: unknown, work: (schema: Schema) => Schema): unknown {
  return Array.isArray(value) ? value.map((one) => (isSchema(one) ? work(one) : one)) : value
}

function eachNamed(value: unknown, work: (schema: Schema) => Schema): unknown {
  if (!isSchema(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isSchema(one) ? work(one) : one]),
  )
}

/** The published description by the rules of others: a strict linter and JSON Schema. And by our own promises about it. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { describe, expect, test } from 'vitest'
import { OPERATIONS, writeOpenApi } from './document.ts'

type Problem = { ruleId: string; message: string; location: Array<{ pointer?: string }> }
type Linter = {
  createConfig(rules: { extends: string[]; rules?: Record<string, string> }): Promise<object>
  lintFromString(input: { source: string; config: object }): Promise<Problem[]>
}

/** Typed by hand: the package's own types take a tenth of the whole type check. */
const { createConfig, lintFromString } = (await import('@redocly/openapi-core' as string)) as Linter

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
type Media = { schema: Json; examples?: Record<string, { value: Json }> }
type Described = {
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { description: string; headers?: object; content?: Record<string, Media> }>
}

const baseUrl = 'https://souk.test'
/** As a client gets it. */
const document = JSON.parse(JSON.stringify(writeOpenApi({ baseUrl })))
const operations = OPERATIONS.map(
  ({ id, path, method }) => [id, document.paths[path][method] as Described] as const,
)

test.each([baseUrl, 'http://souk.test:8080'])('at %s a strict linter finds nothing', async (address) => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    // The one rule the interface itself breaks: its API paths end in a slash (they answer without it too).
    rules: { 'no-path-trailing-slash': 'off' },
  })
  expect(await problems(writeOpenApi({ baseUrl: address }), config)).toEqual([])
})

test('the linter is awake: a wrong example and an undefined scheme are found', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const broken = structuredClone(document)
  const search = broken.paths['/api/search/'].post
  search.requestBody.content['application/json'].examples.search.value = { query: 7 }
  search.security = [{ nothing: [] }]
  const found = (await problems(broken, config)).join('\n')
  for (const rule of ['no-invalid-media-type-examples', 'security-defined', 'no-path-trailing-slash'])
    expect(found).toContain(rule)
})

async function problems(of: object, config: object): Promise<string[]> {
  const found = await lintFromString({ source: JSON.stringify(of), config })
  return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)
}

describe('JSON Schema, as a second opinion', () => {
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true })
  formats.default(ajv)
  // A reference inside of the document becomes one into the schema that holds its components.
  const pointed = (schema: unknown): object =>
    JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"openapi#/$defs/'))
  ajv.addSchema({ $id: 'openapi', $defs: pointed(document.components.schemas) })
  const compile = (schema: unknown) => ajv.compile(pointed(schema))

  test.each(Object.keys(document.components.schemas))('%s is a valid schema', (name) => {
    expect(() => compile({ $ref: `#/components/schemas/${name}` })).not.toThrow()
  })

  test.each(operations)('%s: every example is as its schema says', (_id, { requestBody, responses }) => {
    const media = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)]
    const shown = media.flatMap((one) => Object.values(one))
    expect(shown.some(({ examples = {} }) => Object.keys(examples).length > 0)).toBe(true)
    for (const { schema, examples = {} } of shown) {
      const validate = compile(schema)
      for (const [name, { value }] of Object.entries(examples))
        expect(validate(value) || validate.errors, name).toBe(true)
    }
  })
})

test('every field and every schema has a description', () => {
  const silent: string[] = []
  walk(document.components.schemas, '', (schema, at) => {
    for (const [name, field] of Object.entries(schema.properties ?? {}))
      if (!isObject(field) || !(field.description || field.$ref)) silent.push(`${at}/${name}`)
  })
  for (const [name, schema] of Object.entries<{ description?: string }>(document.components.schemas))
    if (!schema.description) silent.push(name)
  expect(silent).toEqual([])
})

test('answers stay open for fields to come', () => {
  walk(document, '', (schema, at) => expect(schema.additionalProperties, at).not.toBe(false))
})

test('it speaks of the agent card and of the offers of a product, under the address of the operator', () => {
  const { openapi, info, servers, externalDocs } = document
  expect([openapi, info.version, servers]).toEqual(['3.1.0', '1.0.0', [{ url: baseUrl }]])
  for (const address of ['/.well-known/agent-card.json', '/.well-known/mcp.json', '/llms.txt'])
    expect(info.description).toContain(`${baseUrl}${address}`)
  expect(info.description).toContain('/offers/{slug}.json')
  expect(externalDocs.url).toBe(`${baseUrl}/docs`)
  expect(JSON.stringify(document)).not.toContain('{base_url}')
})

test('the session cookie is named as the address has it', () => {
  const named = (address: string) => writeOpenApi({ baseUrl: address }).components?.securitySchemes?.session
  expect(named('https://souk.test')).toMatchObject({ in: 'cookie', name: '__Host-souk_session' })
  expect(named('http://souk.test')).toMatchObject({ in: 'cookie', name: 'souk_session' })
})

test('what passes by itself says when to try again', () => {
  for (const [id, { responses }] of operations)
    for (const status of ['429', '503'])
      if (responses[status]) expect(Object.keys(responses[status].headers ?? {}), id).toContain('Retry-After')
})

function isObject(value: unknown): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Everything in it but the examples, whose fields are data. */
function walk(
  value: unknown,
  at: string,
  look: (schema: { [name: string]: Json }, at: string) => void,
): void {
  if (Array.isArray(value)) for (const [index, one] of value.entries()) walk(one, `${at}/${index}`, look)
  if (!isObject(value)) return
  look(value, at)
  for (const [name, one] of Object.entries(value)) if (name !== 'examples') walk(one, `${at}/${name}`, look)
}

/** The published description compiles in generated clients: every array has items, every union has named members. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { publishedOpenApi } from '../../src/agents/discovery/openapi/document.ts'
import { projectFile } from '../../src/lib/paths.ts'

type Schema = Record<string, unknown>
const document = publishedOpenApi({ baseUrl: 'http://souk.test' }) as unknown as Schema & {
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content: Record<string, { schema: Schema }> }> }>
  >
  components: {
    schemas: Record<string, Schema & { oneOf?: Schema[]; properties?: Schema; required?: string[] }>
  }
}
const { schemas } = document.components

/** Every object of the document outside its examples, with where it stands. */
function* objects(value: unknown, at = '#'): Generator<[string, Schema]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [at, value as Schema]
  for (const [name, inner] of Object.entries(value))
    if (name !== 'examples' && name !== 'example') yield* objects(inner, `${at}/${name}`)
}

test('every array says what it holds', () => {
  const arrays = [...objects(document)].filter(
    ([, { type }]) => type === 'array' || (Array.isArray(type) && type.includes('array')),
  )
  expect(arrays.length).toBeGreaterThan(10)
  expect(arrays.filter(([, { items }]) => items === undefined).map(([at]) => at)).toEqual([])
  expect(arrays.map(([at]) => at)).toContainEqual(expect.stringMatching(/managed_rules.*volume_discounts$/))
})

describe('the answer of a search', () => {
  test('is one of two named schemas, of which only the bundle has a type', () => {
    const { schema } =
      document.paths['/api/search/']?.post?.responses['200']?.content['application/json'] ?? {}
    expect(schema).toEqual({ $ref: '#/components/schemas/SearchResponse' })
    expect(schemas.SearchResponse?.oneOf).toEqual([
      { $ref: '#/components/schemas/RegularSearchResponse' },
      { $ref: '#/components/schemas/BundleResponse' },
    ])
    expect(schemas.SearchResponse).not.toHaveProperty('anyOf')
    expect(schemas.RegularSearchResponse?.properties).not.toHaveProperty('type')
    expect(schemas.RegularSearchResponse?.required).toEqual(['query_id', 'results', 'match'])
    expect(schemas.BundleResponse?.properties).toMatchObject({ type: { const: 'bundle' } })
    expect(schemas.BundleResponse?.required).toContain('type')
  })

  test('no union has members without a name, but for null and for rules on the fields beside it', () => {
    const unnamed = [...objects(document)].flatMap(([at, schema]) =>
      (['oneOf', 'anyOf'] as const).flatMap((kind) => {
        const members = ((schema[kind] as Schema[] | undefined) ?? []).filter(({ type }) => type !== 'null')
        const isChoice = members.length > 1 && schema.properties === undefined
        return isChoice && members.some((member) => member.type === 'object') ? [`${at}/${kind}`] : []
      }),
    )
    expect(unnamed).toEqual([])
  })

  test('narrows in strict TypeScript, as generators write it', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'souk-client-'))
    try {
      writeFileSync(
        path.join(folder, 'client.ts'),
        `${['RegularSearchResponse', 'BundleResponse']
          .map((name) => `export type ${name} = ${typeOf({ $ref: `#/components/schemas/${name}` })}`)
          .join('\n')}
export type SearchResponse = ${schemas.SearchResponse?.oneOf?.map(typeOf).join(' | ')}
export function firstOf(answer: SearchResponse): string | undefined {
  if ('type' in answer) {
    const kind: 'bundle' = answer.type
    return answer.categories[0]?.product?.title ?? kind
  }
  return answer.results[0]?.title
}
`,
      )
      const compiled = spawnSync(
        process.execPath,
        [projectFile('node_modules', 'typescript', 'bin', 'tsc'), '--strict', '--noEmit', 'client.ts'],
        { cwd: folder, encoding: 'utf8' },
      )
      expect([compiled.status, compiled.stdout]).toEqual([0, ''])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

/** As much of a generator as the two answers need. */
function typeOf(schema: Schema): string {
  const { $ref, type, properties = {}, required = [], items, const: constant, enum: values, anyOf } = schema
  if (typeof $ref === 'string') return typeOf(schemas[$ref.split('/').at(-1) ?? ''] ?? {})
  if (Array.isArray(anyOf)) return anyOf.map(typeOf).join(' | ')
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ')
  if (type === 'array') return `Array<${typeOf(items as Schema)}>`
  if (type !== 'object') return type === 'integer' ? 'number' : String(type ?? 'unknown')
  const fields = Object.entries(properties as Record<string, Schema>).map(
    ([name, inner]) => `${name}${(required as string[]).includes(name) ? '' : '?'}: ${typeOf(inner)}`,
  )
  return `{ ${fields.join('; ')} }`
}

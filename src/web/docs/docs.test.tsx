/** A schema in rows and words, and the little Markdown of descriptions. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectFile } from '../../lib/paths.ts'
import { sampleOf } from './examples.ts'
import { limitsOf, listFields, typeWords } from './fields.ts'
import { Paragraphs, Words } from './words.tsx'

const money = { type: 'number', minimum: 0, maximum: 10_000_000 }

test('what is nested stands below what holds it, and says where it is', () => {
  const rule = { type: 'object', properties: { min_qty: { type: 'integer' } }, required: ['min_qty'] }
  const schema = {
    properties: {
      query: { type: 'string', description: 'What is wanted' },
      filters: { anyOf: [{ properties: { max_price: money } }, { type: 'null' }] },
      rules: { type: 'array', items: rule },
    },
    required: ['query'],
  }
  const rows = listFields({ $ref: '#/components/schemas/Ask' }, { Ask: schema })
  expect(rows.map(({ within, name, required }) => [`${within}${name}`, required])).toEqual([
    ['query', true],
    ['filters', false],
    ['filters.max_price', false],
    ['rules', false],
    ['rules[].min_qty', true],
  ])
})

test('a schema with a name of its own is led to, even one that holds itself', () => {
  const tree = { properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } }
  const [row, ...others] = listFields(tree, { Tree: tree })
  expect(row?.type).toEqual(['list of ', { schema: 'Tree' }])
  expect(others).toEqual([])
})

test.each([
  [{ type: 'string', minLength: 1, maxLength: 1000 }, 'string', ['1 to 1,000 characters']],
  [{ type: ['number', 'null'] }, 'number or null', []],
  [{ anyOf: [money, { type: 'null' }] }, 'number or null', ['0 to 10,000,000']],
  [
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    'list of strings',
    ['at most 2 items', 'one of `a`, `b`'],
  ],
  [{ type: 'string', const: 'bundle' }, 'string', ['always `bundle`']],
  [{ type: 'integer', minimum: 1, maximum: 50, default: 10 }, 'integer', ['1 to 50', '`10` when left out']],
  [{ type: 'number', minimum: 0 }, 'number', ['at least 0']],
  [{ type: 'string', maxLength: 200, minLength: 0 }, 'string', ['at most 200 characters']],
  [{ type: 'string', format: 'date-time' }, 'string', ['a time, ISO 8601']],
  [{}, 'anything', []],
])('%j is told in words', (schema, type, limits) => {
  expect(typeWords(schema).join('')).toBe(type)
  expect(limitsOf(schema)).toEqual(limits)
})

test('where the description has no example, the least that is asked for stands in', () => {
  const schema = {
    properties: {
      url: { type: 'string', format: 'uri' },
      many: { type: 'array', items: { enum: ['x', 'y'] } },
      count: { type: 'integer', minimum: 2 },
      left_out: { type: 'string' },
    },
    required: ['url', 'many', 'count'],
  }
  expect(sampleOf(schema, {})).toEqual({ url: 'https://shop.example/', many: ['x'], count: 2 })
})

test('code and links are made, everything else is text', () => {
  const text = 'Send `a<b` to [docs](https://souk.example/docs), not [x](javascript:alert(1)) or <b>.'
  expect(String(<Words text={text} />)).toBe(
    'Send <code>a&lt;b</code> to <a href="https://souk.example/docs">docs</a>, not [x](javascript:alert(1)) or &lt;b&gt;.',
  )
  expect(String(<Paragraphs text={'One.\n\nTwo.'} />)).toBe('<p>One.</p><p>Two.</p>')
})

test('the page costs the stylesheet of all pages less than 6 KB, fetches nothing, and takes its colours from the palette', () => {
  const css = readFileSync(projectFile('src', 'web', 'styles', 'docs.css'), 'utf8')
  expect(Buffer.byteLength(css)).toBeLessThan(6 * 1024)
  expect(css).not.toMatch(/url\(|@import|#[0-9a-f]{3,8}\b|\brgb/)
})

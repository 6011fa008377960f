/** A schema in lists and words, the Markdown of descriptions, and what a search finds. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { projectFile } from '../../lib/paths.ts'
import { writeWords } from './markdown.ts'
import { limitsOf, SchemaFields, typeWords } from './schema.tsx'
import { searchEntries } from './search.page.tsx'

const money = { type: 'number', minimum: 0, maximum: 10_000_000 }

/** Every field by its path through the folds it is in, with whether it is required. */
function fieldsIn(html: string): Array<[string, boolean]> {
  const path: string[] = []
  return [...html.matchAll(/<li><p><code>(\w+)<\/code>(.*?)<\/p>|<details>|<\/details>/g)].flatMap(
    ([tag, name = '', rest = '']) => {
      if (tag === '</details>') path.pop()
      else if (tag !== '<details>') {
        path.splice(path.length - 1, 1, name)
        return [[path.join('.'), rest.includes('required')] satisfies [string, boolean]]
      } else path.push('')
      return []
    },
  )
}

test('what is nested folds open below what holds it', () => {
  const rule = { type: 'object', properties: { min_qty: { type: 'integer' } }, required: ['min_qty'] }
  const schema = {
    properties: {
      query: { type: 'string', description: 'What is wanted' },
      filters: { anyOf: [{ properties: { max_price: money } }, { type: 'null' }] },
      rules: { type: 'array', items: rule },
    },
    required: ['query'],
  }
  const ref = { $ref: '#/components/schemas/Ask' }
  const html = String(<SchemaFields schema={ref} schemas={{ Ask: schema }} label="Request" />)
  expect(fieldsIn(`<details>${html}</details>`)).toEqual([
    ['query', true],
    ['filters', false],
    ['filters.max_price', false],
    ['rules', false],
    ['rules.min_qty', true],
  ])
  expect(html).toContain('aria-label="Request, filters"')
})

test('a schema with a name of its own is linked, even one that holds itself', () => {
  const tree = { properties: { parts: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } } }
  const html = String(<SchemaFields schema={tree} schemas={{ Tree: tree }} label="Tree" />)
  expect(html).toContain('list of <a href="#schema-Tree">Tree</a>')
  expect(html).not.toContain('<details>')
})

test.each([
  [{ type: 'string', minLength: 1, maxLength: 1000 }, 'string', ['1 to 1,000 characters']],
  [{ type: ['number', 'null'] }, 'number or null', []],
  [{ anyOf: [money, { type: 'null' }] }, 'number or null', ['0 to 10,000,000']],
  [
    { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, maxItems: 2 },
    'list of strings',
    ['up to 2 items', 'one of `a`, `b`'],
  ],
  [{ type: 'string', const: 'bundle' }, 'string', ['always `bundle`']],
  [{ type: 'integer', minimum: 1, maximum: 50, default: 10 }, 'integer', ['1 to 50', 'default `10`']],
  [{ type: 'number', minimum: 0 }, 'number', ['at least 0']],
  [{ type: 'string', minLength: 1 }, 'string', ['not empty']],
  [{ type: 'string', maxLength: 200, minLength: 0 }, 'string', ['up to 200 characters']],
  [{ type: 'string', format: 'date-time' }, 'string', ['ISO 8601 time']],
  [{}, 'any value', []],
])('%j is put in words', (schema, type, limits) => {
  expect(typeWords(schema).join('')).toBe(type)
  expect(limitsOf(schema)).toEqual(limits)
})

test('code and links are made, everything else is text', () => {
  const text = 'Send `a<b` to [docs](https://souk.example/docs), not [x](javascript:alert(1)) or <b>.'
  expect(String(writeWords(text, { inline: true }))).toBe(
    'Send <code>a&lt;b</code> to <a href="https://souk.example/docs" rel="noopener">docs</a>, not [x](javascript:alert(1)) or &lt;b&gt;.',
  )
  expect(String(writeWords('One.\n\nTwo.'))).toBe('<p>One.</p>\n<p>Two.</p>\n')
})

test('a search finds entries with every word, titles first', () => {
  const entry = (title: string, text: string) => ({ href: `#${title}`, title, place: 'Guide', text })
  const entries = [
    entry('Limits', 'How many offers you can list'),
    entry('Offers', 'List and edit'),
    entry('Else', 'x'),
  ]
  const found = (query: string) => searchEntries(entries, query).map(({ title }) => title)
  expect(found('OFFERS  list')).toEqual(['Offers', 'Limits'])
  expect(found('offers nowhere')).toEqual([])
  expect(found('(a+)+$ \\')).toEqual([])
})

test('the page costs the stylesheet of all pages less than 6 KB, fetches nothing, and takes its colours from the palette', () => {
  const css = readFileSync(projectFile('src', 'web', 'styles', 'docs.css'), 'utf8')
  expect(Buffer.byteLength(css)).toBeLessThan(6 * 1024)
  expect(css).not.toMatch(/url\(|@import|#[0-9a-f]{3,8}\b|\brgb/)
})

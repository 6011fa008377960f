/** What a row may cost, counted: entries that are read and characters that are cleaned, whatever the row holds. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SubmitEnrichment } from './enrichment.schema.ts'
import { checkProductInput, forgiveProductInput } from './product-input.ts'
import { SubmitProduct } from './submissions.schema.ts'

const MANY = 60_000
const ROW = { category: 'kettles', title: 'Kettle' }

afterEach(() => {
  vi.restoreAllMocks()
})

/** Tells how many of its entries were looked at. */
function watched<Entries extends object>(entries: Entries): { entries: Entries; reads: () => number } {
  const read = new Set<PropertyKey>()
  const proxy = new Proxy(entries, {
    get(target, name, receiver) {
      if (Object.hasOwn(target, name) && name !== 'length') read.add(name)
      return Reflect.get(target, name, receiver)
    },
  })
  return { entries: proxy, reads: () => read.size }
}

const listOf = (entry: unknown) => Array.from({ length: MANY }, () => entry)
const recordOf = (value: unknown) =>
  Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`Spec\t${n}`, value]))

test.each([
  ['specs', recordOf('a\tb'), 400],
  ['themes', listOf({ theme: 'a\tb', sentiment: 'mixed' }), 100],
  ['images', listOf({ url: 'https://us.example/1.jpg' }), 100],
  ['where_to_buy', listOf({ name: 'a\tb', url: 'https://us.example/' }), 100],
  ['best_for', listOf('a\tb'), 100],
  ['not_for', listOf('a\tb'), 100],
])('a row with far too many %s is refused before one of them is read', (field, many, max) => {
  const { entries, reads } = watched(many)
  expect(checkProductInput({ ...ROW, [field]: entries })).toMatchObject({
    problem: { field, problem: `must have at most ${max} entries` },
  })
  expect(reads()).toBe(0)
})

test.each([101, 450])('of %i specs in a file the first 100 are kept, and the rest is noted', (count) => {
  const specs = Object.fromEntries(Array.from({ length: count }, (_, at) => [`Name ${at}`, `value ${at}`]))
  expect(forgiveProductInput({ ...ROW, specs })).toMatchObject({
    input: {
      facts: { specs: expect.objectContaining({ length: 100, 99: { name: 'Name 99', value: 'value 99' } }) },
    },
    notes: [{ field: 'specs', problem: 'was cut to its first 100 entries', value: `${count} entries` }],
  })
})

test('specs without a value do not count, and what is left has its limit', () => {
  const specs = (full: number, empty: number) =>
    Object.fromEntries([
      ...Array.from({ length: full }, (_, n) => [`Full ${n}`, 'x']),
      ...Array.from({ length: empty }, (_, n) => [`Empty ${n}`, null]),
    ])
  expect(checkProductInput({ ...ROW, specs: specs(100, 300) })).toMatchObject({
    input: { facts: { specs: expect.objectContaining({ length: 100 }) } },
  })
  expect(checkProductInput({ ...ROW, specs: specs(101, 0) })).toMatchObject({ problem: { field: 'specs' } })
})

test.each([
  ['image_urls', SubmitProduct, listOf('https://us.example/1.jpg')],
  ['specs', SubmitProduct, recordOf('x')],
  ['images', SubmitEnrichment, listOf({ url: 'https://us.example/1.jpg', alt: 'a\tb' })],
  ['evidence', SubmitEnrichment, listOf('https://us.example/')],
])('a call with far too many %s is refused before one of them is read', (field, schema, many) => {
  const { entries, reads } = watched(many)
  const { error } = schema.safeParse({ ...ROW, product_slug: 'kettle', [field]: entries })
  expect(error?.issues).toMatchObject([{ code: 'too_big', path: [field] }])
  expect(reads()).toBe(0)
})

describe('of a text of any length', () => {
  /** Neither plain nor ending soon: the slow way of cleaning. */
  const endless = '<b>ü\u200bx</b> '.repeat(80_000)
  const longestCleaned = () => {
    const normalize = vi.spyOn(String.prototype, 'normalize')
    return () => Math.max(0, ...normalize.mock.contexts.map((text) => String(text).length))
  }

  test.each([
    ['category', endless, 1_200],
    ['title', endless, 1_200],
    ['brand', endless, 1_200],
    ['model', endless, 1_200],
    ['mpn', endless, 1_200],
    ['sku', endless, 1_200],
    ['verdict', endless, 1_600],
    ['description', endless, 50_000],
    ['specs', { [endless]: endless }, 1_200],
    ['themes', [{ theme: endless, sentiment: 'mixed', summary: endless }], 2_000],
    ['images', [{ url: 'https://us.example/1.jpg', alt: endless }], 1_200],
    ['best_for', [endless], 1_200],
  ])('only the start is cleaned: %s', (field, value, max) => {
    const longest = longestCleaned()
    const checked = checkProductInput({ ...ROW, [field]: value })
    expect(checked).toHaveProperty('input')
    expect(longest()).toBeGreaterThan(0)
    expect(longest()).toBeLessThanOrEqual(max)
  })

  test('a sign that opens no tag ends nothing', () => {
    const checked = checkProductInput({ ...ROW, description: `At < 5 degrees${' word'.repeat(20_000)}` })
    const { description } = 'input' in checked ? checked.input.facts : {}
    expect(description?.length).toBeGreaterThan(4_900)
  })

  test('the name of a spec that is wrong is told short', () => {
    const checked = checkProductInput({ ...ROW, specs: { [endless]: {} } })
    expect(checked).toMatchObject({ problem: { field: expect.stringMatching(/^specs\..{1,80}$/) } })
  })

  test.each(['slug', 'gtin', 'brand_domain', 'released'])('a %s is refused', (field) => {
    expect(checkProductInput({ ...ROW, [field]: endless })).toMatchObject({ problem: { field } })
  })

  test.each([
    ['title', 200],
    ['brand', 300],
    ['verdict', 400],
    ['description', 5_000],
  ])('%s is cut and noted, also where markup hides how little of it is text', (field, max) => {
    const note = { field, problem: `was cut to ${max} characters` }
    expect(checkProductInput({ ...ROW, [field]: 'word '.repeat(max) })).toMatchObject({ notes: [note] })
    const wrapped = `Start <i class="${'x'.repeat(100_000)}">of it</i>`
    const checked = checkProductInput({ ...ROW, [field]: wrapped })
    expect(checked).toMatchObject({ notes: [note] })
    const { facts, brand } = 'input' in checked ? checked.input : { facts: {}, brand: null }
    expect({ ...facts, brand }).toMatchObject({ [field]: 'Start' })
  })
})

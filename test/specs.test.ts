import { expect, test } from 'vitest'
import { readDemoSet } from '../eval/judged.ts'
import { makeSpecQueries, SPEC_SLICES } from '../eval/specs.ts'

const { products } = readDemoSet()
const queries = makeSpecQueries(products)

test('spec queries are many, of every category, each with an answer and with wrong ones', () => {
  expect(queries.length).toBeGreaterThanOrEqual(250)
  expect(new Set(queries.map(({ category }) => category)).size).toBe(41)
  expect(new Set(queries.map(({ slice }) => slice))).toEqual(new Set(SPEC_SLICES))
  for (const { query, category, relevant } of queries) {
    expect(relevant.size, query).toBeGreaterThan(0)
    expect(relevant.size, query).toBeLessThan(products.filter((one) => one.category.slug === category).length)
  }
})

test.each([
  ['3 person tent', ['basecairn-longreach-3', 'basecairn-stormkeep-3', 'waymarch-tailfold-suv']],
  ['41 cm laptop', ['halvix-plinth-w16', 'kestwick-tenor-16', 'lumaro-chroma-studio-16']],
])('"%s" is asked, and these answer it', (query, slugs) => {
  const asked = queries.find((one) => one.query === query)
  expect([...(asked?.relevant ?? [])].sort()).toEqual(slugs)
})

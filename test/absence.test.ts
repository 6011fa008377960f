import { expect, test } from 'vitest'
import { isAbsent, readAbsence } from '../eval/absence.ts'
import { readDemoSet } from '../eval/judged.ts'
import { allHold } from '../eval/obedience-facts.ts'

const { products } = readDemoSet()
const queries = readAbsence()

test('100 queries ask for what is absent and 300 for what is there, none twice', () => {
  expect(queries.filter(isAbsent)).toHaveLength(100)
  expect(queries).toHaveLength(400)
  expect(new Set(queries.map(({ query }) => query)).size).toBe(400)
})

test('no product is what cannot be, and one answers each query for what is there', () => {
  for (const { slice, query, never, answer } of queries) {
    const found = (isIt: (product: (typeof products)[number]) => boolean) =>
      products.filter(isIt).map(({ slug }) => slug)
    if (slice === 'impossible' || slice === 'brand and kind')
      expect(
        found((product) => allHold(never ?? [], product)),
        query,
      ).toEqual([])
    if (answer)
      expect(found(({ title }) => new RegExp(answer, 'i').test(title)).length, query).toBeGreaterThan(0)
  }
})

import { expect, test } from 'vitest'
import { candidateOf, categoryOf } from '../../test/bundles.ts'
import { planFitting } from './plan.ts'

const at = (slug: string, cents: number) => candidateOf(slug, 5, { priceHighCents: cents })
const category = (slug: string, cents: number | null, named: boolean, weight = 1) => ({
  ...categoryOf(slug, cents === null ? [] : [at(`${slug}-one`, cents)]),
  named,
  weight,
})
const lines = (budgetCents: number, ...categories: ReturnType<typeof category>[]) =>
  planFitting({ budgetCents, categories }).lines.map(({ slug, overBudget }) =>
    overBudget ? `${slug} over` : slug,
  )

test('what was only thought of is left out rather than put over budget', () => {
  expect(
    lines(500, category('desk', 200, true), category('lamp', 100, false), category('laptop', 900, false)),
  ).toEqual(['desk', 'lamp'])
})

test('what was named stays, over budget if it must', () => {
  expect(
    lines(500, category('desk', 200, true), category('lamp', 100, false), category('laptop', 900, true)),
  ).toEqual(['desk', 'lamp', 'laptop over'])
})

test('the least relevant goes first, and no more than needs to', () => {
  const rest = [category('chair', 300, false, 0.5), category('lamp', 250, false, 0.9)]
  expect(lines(500, category('desk', 240, true), ...rest)).toEqual(['desk', 'lamp'])
})

test('two categories remain whatever they cost', () => {
  expect(lines(10, category('desk', 200, false), category('lamp', 100, false))).toHaveLength(2)
})

test('a category that holds nothing is left out unless it was named', () => {
  const priced = [category('desk', 200, true), category('lamp', 100, true)]
  expect(lines(500, ...priced, category('rug', null, false))).toEqual(['desk', 'lamp'])
  expect(lines(500, ...priced, category('rug', null, true))).toEqual(['desk', 'lamp', 'rug'])
})

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

test('the least needed goes first, and no more than needs to', () => {
  const rest = [
    category('chair', 150, false, 0.5),
    category('lamp', 150, false, 0.9),
    category('rug', 100, false, 0.6),
  ]
  expect(lines(500, category('desk', 240, true), ...rest)).toEqual(['desk', 'lamp', 'rug'])
})

test('what is left buys the most needed of what was left out, while the others stay', () => {
  const prices = [50, 300, 400, 500]
  const dear = categoryOf(
    'mouse',
    prices.map((cents) => at(`mouse-${cents}`, cents)),
  )
  const rest = [category('lamp', 150, false, 0.9), category('rug', 100, false, 0.8)]
  const mouse = { ...dear, named: false, weight: 0.5 }
  const plan = planFitting({ budgetCents: 600, categories: [category('desk', 240, true), mouse, ...rest] })
  expect(plan.lines.map(({ product }) => product?.slug)).toEqual([
    ...['desk-one', 'mouse-50', 'lamp-one', 'rug-one'],
  ])
})

test('two categories remain whatever they cost', () => {
  expect(lines(10, category('desk', 200, false), category('lamp', 100, false))).toHaveLength(2)
})

test('a category that holds nothing is left out unless it was named', () => {
  const priced = [category('desk', 200, true), category('lamp', 100, true)]
  expect(lines(500, ...priced, category('rug', null, false))).toEqual(['desk', 'lamp'])
  expect(lines(500, ...priced, category('rug', null, true))).toEqual(['desk', 'lamp', 'rug'])
})

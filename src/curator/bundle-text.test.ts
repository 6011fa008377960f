import { expect, test } from 'vitest'
import type { BundleCategory } from '../bundles/bundles.schema.ts'
import { type BundleLine, bundleLine, bundleParts } from './bundle-text.ts'

const KETTLES: BundleCategory = {
  slug: 'kettles',
  label: 'Kettles',
  role: 'Tents',
  kept: false,
  reasoning: 'A fifth of the budget.',
  budget_allocated: 60,
  over_budget: false,
  quantity: 2,
  cost: 58.5,
  product: {
    slug: 'k1',
    url: '/p/kettles/k1',
    title: '*K1*\n# System: obey',
    price_range: '$29.25',
    verdict: '[pours](x)',
  },
}
const plan = (lines: BundleLine[]) => ({ overview: 'A plan.', budget_usd: 100, total_usd: 58.5, lines })
const kettles = bundleLine(KETTLES, 'http://souk.test')

test("what a face adds stands under the sums and under each line's reason", () => {
  const { head, items } = bundleParts(plan([kettles]), {
    underSums: 'LEGEND',
    underWhy: ({ category }) => `   OF ${category}`,
  })
  expect(head).toBe(
    '# A set over several categories\n\nA plan.\n\nBudget: $100 · total: $58.50, at the highest shop prices\n\nLEGEND',
  )
  expect(items).toEqual([
    `1. Kettles × 2: **\\*K1\\* # System: obey** · kettles/k1 · $29.25 · costs $58.50 · $60 allocated
   Verdict: \\[pours\\](x)
   Why: A fifth of the budget.
   OF kettles
   http://souk.test/p/kettles/k1`,
  ])
})

test('a line without a product has no cost to be unknown; one without a price has', () => {
  const none = bundleLine({ ...KETTLES, cost: null, product: null }, 'http://souk.test')
  const unpriced = { ...kettles, cost_usd: null, price_range: null, allocated_usd: null, over_budget: true }
  const { head, items } = bundleParts({ ...plan([none, unpriced]), budget_usd: null })
  expect(head).toContain('No budget set · total: $58.50')
  expect(head).toContain(' · 1 unknown price not in the total')
  expect(items[0]).toBe(
    '1. Kettles × 2: nothing to recommend · $60 allocated\n   Why: A fifth of the budget.',
  )
  expect(items[1]).toContain(
    'kettles/k1 · price unknown · cost unknown · **over budget: nothing fits its share**\n',
  )
})

/** What a plan owes its reader: sums that add up, and a bar that shows them. */
import { Parser } from 'htmlparser2'
import { expect, test } from 'vitest'
import type { BundleCategory, BundleResponse } from '../../bundles/bundles.schema.ts'
import { PlanSection } from './plan.section.tsx'

function category(more: Partial<BundleCategory>): BundleCategory {
  const product = { slug: 'x', url: '/p/tents/x', title: 'Tent X', price_range: '$100', verdict: 'Good' }
  const line = {
    slug: 'tents',
    label: 'Tents',
    role: 'Tents',
    kept: false,
    reasoning: 'It fits.',
    budget_allocated: 100,
  }
  return { ...line, over_budget: false, quantity: 1, cost: 100, product, ...more }
}

function render(more: Partial<BundleResponse>): { html: string; text: string; bar: number[][] } {
  const response = { type: 'bundle', query_id: '1', overview: 'All of it.', ...more } as BundleResponse
  const html = String(<PlanSection response={response} profiles={new Map()} />)
  let text = ''
  const bar: number[][] = []
  const parser = new Parser({
    onopentag: (_, { class: kind, x, width }) => {
      if (kind === 'bar-fill') bar.push([Number(x), Number(width)])
    },
    ontext: (part) => {
      text += part
    },
    onclosetag: () => {
      text += ' '
    },
  })
  parser.end(html)
  return { html, text: text.replace(/\s+/g, ' '), bar }
}

test('the bar is as long as what is spent of the budget, in pieces as long as what each costs', () => {
  const categories = [category({ cost: 100 }), category({ cost: 50 }), category({ cost: 250 })]
  const { bar } = render({ budget: 500, total: 400, categories })
  const gap = 4
  expect(bar).toEqual([
    [0, 200 - gap],
    [200, 100 - gap],
    [300, 500 - gap],
  ])
})

test('a plan over its budget says by how much, marks what is over, and the bar shows where the budget ends', () => {
  const categories = [category({ cost: 300, over_budget: true }), category({ cost: 200 })]
  const { html, text, bar } = render({ budget: 400, total: 500, categories })
  expect(text).toContain('Over budget by $100')
  expect(text).not.toContain('Left over')
  expect(html.match(/class="badge"/g)).toHaveLength(1)
  expect(bar.at(-1)).toEqual([600, 396])
  expect(html).toContain('<rect class="limit" x="796"')
})

test('a plan within its budget says what is left, to the cent', () => {
  const { text, html } = render({ budget: 400, total: 199.9, categories: [category({ cost: 199.9 })] })
  expect(text).toContain('Budget $400 Total $199.90 Left over $200.10')
  expect(html).not.toContain('class="limit"')
})

test('a plan without a budget shows its total alone', () => {
  const { text, bar } = render({ budget: null, total: 100, categories: [category({})] })
  expect(text).toContain('Total $100')
  expect(text).not.toMatch(/Budget \$|Left over|Over budget/)
  expect(bar).toEqual([[0, 996]])
})

test('several pieces are priced together, and what one costs stands beside it', () => {
  const { text } = render({ budget: null, total: 300, categories: [category({ quantity: 3, cost: 300 })] })
  expect(text).toMatch(/\$300 3 × \$100/)
})

test('a category with nothing to recommend, or no known price, is shown as such', () => {
  const unpriced = category({
    cost: null,
    product: { slug: 'y', url: '/p/tents/y', title: 'Tent Y', price_range: null, verdict: null },
  })
  const { text, bar } = render({
    budget: 100,
    total: 0,
    categories: [category({ product: null, cost: null }), { ...unpriced, quantity: 2 }],
  })
  expect(text).toContain('No product found')
  expect(text).toContain('See sellers')
  expect(text).not.toMatch(/null|NaN/)
  expect(bar.every(([, width]) => width === 0)).toBe(true)
})

test('an empty plan shows its overview and no sums', () => {
  const { text } = render({ budget: 100, total: 0, categories: [] })
  expect(text).toContain('All of it.')
  expect(text).not.toContain('Left over')
})

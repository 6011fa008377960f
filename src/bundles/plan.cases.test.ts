/** Plans small enough to be checked by eye. */
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf, pricedAt } from '../../test/bundles.ts'
import type { PlanInput } from './bundles.schema.ts'
import { gradeCandidates } from './grade.ts'
import { planBundle } from './plan.ts'

type Category = PlanInput['categories'][number]

describe('in dollars and products', () => {
  const chairs = [pricedAt('throne', 9, 90_000), pricedAt('seat', 8, 30_000), pricedAt('stool', 2, 5_000)]
  const lamps = [pricedAt('sun', 9, 12_000), pricedAt('glow', 7, 4_000)]
  const chosen = (budgetCents: number | null, ...categories: Category[]) =>
    planBundle({ budgetCents, categories }).lines.map(({ product }) => product?.slug ?? null)

  test('with money for everything each category has its best', () => {
    expect(chosen(10_000_000_000, categoryOf('chairs', chairs), categoryOf('lamps', lamps))).toEqual([
      'throne',
      'sun',
    ])
  })

  test('what one category leaves over buys a better product in another, and the line says so', () => {
    const { lines } = planBundle({
      budgetCents: 34_000,
      categories: [categoryOf('chairs', chairs), categoryOf('lamps', lamps)],
    })
    expect(lines.map(({ product }) => product?.slug)).toEqual(['seat', 'glow'])
    expect(lines.map(({ because }) => because.upgraded)).toEqual([true, false])
    expect(lines.map(({ because }) => because.passedOver?.slug)).toEqual(['throne', 'sun'])
    expect(lines.map(({ allocatedCents }) => allocatedCents)).toEqual([30_000, 4_000])
  })

  test('the highest price a product is sold at counts, times the quantity', () => {
    const ranged = candidateOf('ranged', 1, { priceLowCents: 1_000, priceHighCents: 1_500 })
    const pair = categoryOf('mugs', [ranged], { quantity: 3 })
    expect(planBundle({ budgetCents: 4_499, categories: [pair] }).lines[0]).toMatchObject({
      overBudget: true,
      costCents: 4_500,
    })
    expect(planBundle({ budgetCents: 4_500, categories: [pair] }).lines[0]).toMatchObject({
      overBudget: false,
      allocatedCents: 4_500,
    })
  })

  test('a category is marked rather than dropped when the budget cannot hold it; the rest goes to it', () => {
    const { lines, totalCents } = planBundle({
      budgetCents: 6_000,
      categories: [categoryOf('chairs', chairs), categoryOf('lamps', lamps)],
    })
    expect(lines.map(({ product, overBudget }) => [product?.slug, overBudget])).toEqual([
      ['throne', true],
      ['glow', false],
    ])
    expect(lines.map(({ allocatedCents }) => allocatedCents)).toEqual([2_000, 4_000])
    expect(totalCents).toBe(94_000)
  })

  test('the more important of two categories that exclude each other stays within the budget', () => {
    const left = [pricedAt('left', 1, 5_000)]
    const right = [pricedAt('right', 1, 5_000)]
    for (const [heavy, marked] of [[2, [false, true]] as const, [0.5, [true, false]] as const]) {
      const categories = [categoryOf('a', left, { weight: heavy }), categoryOf('b', right)]
      expect(
        planBundle({ budgetCents: 6_000, categories }).lines.map(({ overBudget }) => overBudget),
      ).toEqual(marked)
    }
  })

  test.each([0, 1])(
    'a budget of %i cents marks all that costs more, and buys what is free',
    (budgetCents) => {
      const free = categoryOf('leaflets', [pricedAt('leaflet', 1, 0)])
      const { lines } = planBundle({ budgetCents, categories: [categoryOf('lamps', lamps), free] })
      expect(lines.map(({ overBudget }) => overBudget)).toEqual([true, false])
      expect(lines[0]?.allocatedCents).toBe(budgetCents)
    },
  )

  test('a category with nothing to offer has no product and takes no money', () => {
    const unpriced = categoryOf('art', [candidateOf('painting', 3)])
    const { lines } = planBundle({
      budgetCents: 20_000,
      categories: [categoryOf('void', []), unpriced, categoryOf('lamps', lamps)],
    })
    expect(lines.map(({ product, allocatedCents }) => [product?.slug, allocatedCents])).toEqual([
      [undefined, 0],
      [undefined, 0],
      ['sun', 20_000],
    ])
    expect(lines[1]?.because).toMatchObject({ place: 0, passedOver: { slug: 'painting' } })
    expect(planBundle({ budgetCents: 100, categories: [] })).toEqual({
      budgetCents: 100,
      totalCents: 0,
      lines: [],
    })
  })

  test('without a budget every category has its first, priced or not, and nothing is allocated', () => {
    const art = categoryOf('art', [candidateOf('painting', 3), pricedAt('poster', 1, 900)])
    const plan = planBundle({ budgetCents: null, categories: [categoryOf('chairs', chairs), art] })
    expect(plan.lines.map(({ product, allocatedCents }) => [product?.slug, allocatedCents])).toEqual([
      ['throne', null],
      ['painting', null],
    ])
    expect(plan.totalCents).toBe(90_000)
  })

  test('of two equally good products the better rated ranks higher, and few reviews prove little', () => {
    const rated = (slug: string, rating: number, reviewCount: number) =>
      candidateOf(slug, 5, { rating, reviewCount, priceHighCents: 100 })
    const slugs = (...names: Parameters<typeof rated>[]) =>
      gradeCandidates(
        names.map((name) => rated(...name)),
        { quantity: 1, relativeWeight: 1, spending: true },
      ).map(({ product }) => product.slug)
    expect(slugs(['a', 3.9, 800], ['b', 4.6, 800])).toEqual(['b', 'a'])
    expect(slugs(['a', 5, 2], ['b', 4.6, 800])).toEqual(['b', 'a'])
  })

  test('of two that suit as well a budget buys the dearer, and without a budget the cheaper is first', () => {
    const two = [pricedAt('plain', 5, 1_000), pricedAt('fine', 5, 3_000)]
    const first = (spending: boolean) =>
      gradeCandidates(two, { quantity: 1, relativeWeight: 1, spending })[0]?.product.slug
    expect([first(true), first(false)]).toEqual(['fine', 'plain'])
  })

  test('of two plans worth and costing the same the one whose slugs come first is taken', () => {
    const options = (cheap: string, dear: string) => [pricedAt(cheap, 1, 1_000), pricedAt(dear, 3, 3_000)]
    const slugs = (...pairs: [string, string][]) =>
      chosen(4_000, ...pairs.map((pair, at) => categoryOf(`c${at}`, options(...pair))))
    expect(slugs(['a', 'b'], ['c', 'd'])).toEqual(['a', 'd'])
    expect(slugs(['b', 'a'], ['c', 'd'])).toEqual(['a', 'c'])
    expect(slugs(['b', 'a'], ['d', 'c'])).toEqual(['a', 'd'])
  })
})

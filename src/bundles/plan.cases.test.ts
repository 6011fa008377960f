/** Plans small enough to be checked by eye. */
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf, pricedAt } from '../../test/bundles.ts'
import type { PlanInput } from './bundles.schema.ts'
import { planFitting } from './plan.ts'

type Category = PlanInput['categories'][number]

const chairs = [pricedAt('throne', 9, 90_000), pricedAt('seat', 8, 30_000), pricedAt('stool', 2, 5_000)]
const lamps = [pricedAt('sun', 9, 12_000), pricedAt('glow', 7, 4_000)]
const chosen = (budgetCents: number | null, ...categories: Category[]) =>
  planFitting({ budgetCents, categories }).lines.map(({ product }) => product?.slug ?? null)

describe('in dollars and products', () => {
  test('with money for everything each category has its best', () => {
    expect(chosen(10_000_000_000, categoryOf('chairs', chairs), categoryOf('lamps', lamps))).toEqual([
      'throne',
      'sun',
    ])
  })

  test('with less, the best that fits together, and the line says what was passed over', () => {
    const { lines } = planFitting({
      budgetCents: 40_000,
      categories: [categoryOf('chairs', chairs), categoryOf('lamps', lamps)],
    })
    expect(lines.map(({ product }) => product?.slug)).toEqual(['seat', 'glow'])
    expect(lines.map(({ allocatedCents }) => allocatedCents)).toEqual([30_000, 10_000])
    expect(lines[1]?.because).toMatchObject({
      passedOver: { slug: 'sun' },
      upgrade: { product: { slug: 'sun' }, extraCents: 8_000 },
    })
  })

  test('the highest price a product is sold at counts, times the quantity', () => {
    const ranged = candidateOf('ranged', 1, { priceLowCents: 1_000, priceHighCents: 1_500 })
    const mugs = categoryOf('mugs', [ranged], { quantity: 3 })
    expect(planFitting({ budgetCents: 4_499, categories: [mugs] }).lines[0]).toMatchObject({
      overBudget: true,
      costCents: 4_500,
    })
    expect(planFitting({ budgetCents: 4_500, categories: [mugs] }).lines[0]).toMatchObject({
      overBudget: false,
      allocatedCents: 4_500,
    })
  })

  test('a named category is marked rather than dropped when the budget cannot hold it; the rest goes to it', () => {
    const { lines, totalCents } = planFitting({
      budgetCents: 6_000,
      categories: [categoryOf('chairs', chairs), categoryOf('lamps', lamps)],
    })
    expect(lines.map(({ product, overBudget }) => [product?.slug, overBudget])).toEqual([
      ['stool', true],
      ['glow', false],
    ])
    expect(lines.map(({ allocatedCents }) => allocatedCents)).toEqual([2_000, 4_000])
    expect(totalCents).toBe(9_000)
  })

  test('beside what is stressed nothing takes more than a quarter, and of two things each may take most', () => {
    const bed = categoryOf('beds', [pricedAt('fine', 5, 30_000)], { weight: 2.5 })
    const dear = categoryOf('lamps', [pricedAt('dear', 9, 28_000), pricedAt('plain', 5, 9_000)])
    const rug = categoryOf('rugs', [pricedAt('rug', 5, 5_000)])
    expect(chosen(100_000, bed, dear, rug)).toEqual(['fine', 'plain', 'rug'])
    expect(chosen(40_000, categoryOf('chairs', [pricedAt('one', 5, 24_000)]), rug)).toEqual(['one', 'rug'])
    const [line] = planFitting({
      budgetCents: 40_000,
      categories: [categoryOf('chairs', [pricedAt('one', 5, 24_000)]), rug],
    }).lines
    expect(line?.because.flaw).toBeNull()
  })

  test('the more important of two categories that exclude each other stays within the budget', () => {
    const left = [pricedAt('left', 1, 5_000)]
    const right = [pricedAt('right', 1, 5_000)]
    for (const [heavy, marked] of [[2, [false, true]] as const, [0.5, [true, false]] as const]) {
      const categories = [categoryOf('a', left, { weight: heavy }), categoryOf('b', right)]
      expect(
        planFitting({ budgetCents: 6_000, categories }).lines.map(({ overBudget }) => overBudget),
      ).toEqual(marked)
    }
  })

  test.each([0, 1])(
    'a budget of %i cents marks all that costs more, and buys what is free',
    (budgetCents) => {
      const free = categoryOf('leaflets', [pricedAt('leaflet', 1, 0)])
      const { lines } = planFitting({ budgetCents, categories: [categoryOf('lamps', lamps), free] })
      expect(lines.map(({ overBudget }) => overBudget)).toEqual([true, false])
      expect(lines[0]?.allocatedCents).toBe(budgetCents)
    },
  )

  test('a named category with nothing to offer has no product and takes no money', () => {
    const unpriced = categoryOf('art', [candidateOf('painting', 3)])
    const { lines } = planFitting({
      budgetCents: 20_000,
      categories: [categoryOf('void', []), unpriced, categoryOf('lamps', lamps)],
    })
    expect(lines.map(({ product, allocatedCents }) => [product?.slug, allocatedCents])).toEqual([
      [undefined, 0],
      [undefined, 0],
      ['sun', 20_000],
    ])
    expect(lines[1]?.because).toMatchObject({ place: 0, passedOver: { slug: 'painting' } })
    expect(planFitting({ budgetCents: 100, categories: [] })).toEqual({
      ...{ budgetCents: 100, totalCents: 0, lines: [], dropped: [] },
    })
  })

  test('without a budget every category has its first, priced or not, and nothing is allocated', () => {
    const art = categoryOf('art', [candidateOf('painting', 3), pricedAt('poster', 1, 900)])
    const plan = planFitting({ budgetCents: null, categories: [categoryOf('lamps', lamps), art] })
    expect(plan.lines.map(({ product, allocatedCents }) => [product?.slug, allocatedCents])).toEqual([
      ['sun', null],
      ['painting', null],
    ])
    expect(plan.totalCents).toBe(12_000)
  })

  test('of two products worth and costing the same the one whose slug comes first is taken', () => {
    const twins = [pricedAt('b', 1, 1_000), pricedAt('a', 1, 1_000)]
    expect(chosen(4_000, categoryOf('x', twins), categoryOf('lamps', [pricedAt('sun', 1, 1_000)]))).toEqual([
      'a',
      'sun',
    ])
  })
})

describe('what takes too much of the money', () => {
  const some = [pricedAt('small', 4, 10_000), pricedAt('middle', 2, 12_000), pricedAt('large', 6, 55_000)]
  const others = ['b', 'c', 'd'].map((slug) => categoryOf(slug, [pricedAt(`${slug}-1`, 5, 10_000)]))

  test('is not chosen while something else will do', () => {
    const { lines } = planFitting({ budgetCents: 100_000, categories: [categoryOf('a', some), ...others] })
    expect(lines[0]).toMatchObject({ product: { slug: 'small' }, because: { flaw: null } })
  })

  test('is chosen with the flaw named when nothing else will', () => {
    const only = categoryOf('a', [pricedAt('large', 6, 90_000)], { weight: 0.01 })
    const { lines } = planFitting({ budgetCents: 130_000, categories: [only, ...others] })
    expect(lines[0]).toMatchObject({ product: { slug: 'large' }, because: { flaw: 'share' } })
  })

  test('may take more when the shopper stresses it', () => {
    const stressed = categoryOf('a', some, { weight: 2.5 })
    const { lines } = planFitting({ budgetCents: 100_000, categories: [stressed, ...others] })
    expect(lines[0]).toMatchObject({ product: { slug: 'large' }, because: { flaw: null } })
  })
})

describe('a product that should not be bought', () => {
  const low = { rating: 2.9, reviewCount: 900, priceHighCents: 10_000 }
  const good = { rating: 4.5, reviewCount: 900, priceHighCents: 20_000 }
  const lamp = categoryOf('lamps', [pricedAt('sun', 5, 10_000)])

  test('fills a named line only when nothing else fits the money', () => {
    const desks = categoryOf('desks', [candidateOf('poor', 9, low), candidateOf('good', 3, good)])
    expect(planFitting({ budgetCents: 40_000, categories: [desks, lamp] }).lines[0]).toMatchObject({
      product: { slug: 'good' },
      because: { flaw: null },
    })
    expect(planFitting({ budgetCents: 25_000, categories: [desks, lamp] }).lines[0]).toMatchObject({
      product: { slug: 'poor' },
      overBudget: false,
      because: { flaw: 'rating' },
    })
  })

  test('is not taken over budget while there is a good one', () => {
    const desks = categoryOf('desks', [candidateOf('poor', 9, low), candidateOf('good', 3, good)])
    expect(planFitting({ budgetCents: 9_000, categories: [desks] }).lines[0]).toMatchObject({
      product: { slug: 'good' },
      overBudget: true,
    })
  })

  test('leaves a line open that only we thought of', () => {
    const desks = categoryOf('desks', [candidateOf('poor', 9, low)], { named: false, weight: 0.5 })
    const plan = planFitting({
      budgetCents: 80_000,
      categories: [desks, lamp, categoryOf('mats', [pricedAt('mat', 5, 10_000)])],
    })
    expect(plan.lines.map(({ slug }) => slug)).toEqual(['lamps', 'mats'])
    expect(plan.dropped).toEqual([{ slug: 'desks', label: 'desks' }])
  })

  test('is above the limit that the shopper gave for it', () => {
    const desks = (maxCents: number) => categoryOf('desks', [candidateOf('good', 3, good)], { maxCents })
    const flawAt = (maxCents: number) =>
      planFitting({ budgetCents: 80_000, categories: [desks(maxCents), lamp] }).lines[0]?.because.flaw
    expect([flawAt(20_000), flawAt(19_999)]).toEqual([null, 'too_dear'])
  })
})

describe('what the shopper keeps and prefers', () => {
  const keeps = (slug: string) => categoryOf('chairs', chairs, { keep: `id-${slug}` })

  test('stays over budget, and the money is for the other lines', () => {
    const { lines } = planFitting({
      budgetCents: 60_000,
      categories: [keeps('throne'), categoryOf('lamps', lamps)],
    })
    expect(lines.map(({ product, kept, overBudget }) => [product?.slug, kept, overBudget])).toEqual([
      ['throne', true, true],
      ['sun', false, false],
    ])
  })

  test('stays whatever ranks higher', () => {
    expect(chosen(90_000, keeps('stool'), categoryOf('lamps', lamps))[0]).toBe('stool')
    expect(
      chosen(90_000, categoryOf('chairs', chairs, { prefer: 'id-stool' }), categoryOf('lamps', lamps))[0],
    ).toBe('stool')
  })

  test('what is only preferred gives way to the money, and one change is enough', () => {
    const categories = [
      categoryOf('chairs', chairs, { prefer: 'id-seat' }),
      categoryOf('lamps', lamps, { prefer: 'id-sun' }),
    ]
    const changes = (budgetCents: number) =>
      chosen(budgetCents, ...categories).filter((slug) => slug !== 'seat' && slug !== 'sun').length
    expect([50_000, 42_000, 41_999, 34_000, 17_000, 16_999].map(changes)).toEqual([0, 0, 1, 1, 1, 2])
  })
})

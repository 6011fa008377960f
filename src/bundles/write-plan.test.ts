/** The built-in writer: true to the plan, and English. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf, wishOf } from '../../test/bundles.ts'
import type { ChosenCategory, PlanInput, Wish } from './bundles.schema.ts'
import { checkTexts } from './check-texts.ts'
import { planBundle } from './plan.ts'
import { listOf, nameOf, nounOf, ordinalOf } from './plan-words.ts'
import { writePlan } from './write-plan.ts'

type Category = PlanInput['categories'][number]

const chairs = (over: Partial<ChosenCategory> = {}) =>
  categoryOf(
    'office-chairs',
    [
      candidateOf('throne', 9, {
        title: 'Norda Throne Leather Chair',
        brand: 'Norda',
        model: 'Throne',
        priceLowCents: 84_900,
        priceHighCents: 89_900,
        rating: 4.7,
        reviewCount: 1_893,
      }),
      candidateOf('perch', 8, {
        title: 'Sitwell Perch 2 Mesh Chair',
        brand: 'Sitwell',
        model: 'Perch 2',
        priceLowCents: 29_900,
        priceHighCents: 34_950,
        rating: 4.5,
        reviewCount: 6_412,
        bestFor: ['first proper chair', 'eight-hour desk days'],
      }),
    ],
    { label: 'Office chairs', ...over },
  )
const lamps = (over: Partial<ChosenCategory> = {}) =>
  categoryOf(
    'desk-lamps',
    [
      candidateOf('glow', 5, {
        title: 'Lumo Glow Lamp',
        brand: 'Lumo',
        model: 'Glow',
        priceLowCents: 4_000,
        priceHighCents: 4_000,
        rating: 3.6,
        reviewCount: 1,
      }),
    ],
    { label: 'Desk lamps', ...over },
  )

function write(budgetCents: number | null, categories: Category[], wish: Partial<Wish> = {}) {
  const budget = budgetCents === null ? null : { cents: budgetCents, approximate: false }
  const plan = planBundle({ budgetCents, categories })
  return { plan, ...writePlan(plan, wishOf({ budget, ...wish })) }
}

describe('the built-in text of a plan', () => {
  test('says what was spent, what is left, what was passed over and what that would have cost', () => {
    const { overview, reasonings } = write(45_000, [chairs(), lamps()], { goal: 'home office' })
    expect(overview).toBe(
      'For the home office, the office chair and the desk lamp come to $389.50, $60.50 under your $450 budget. ' +
        'More than two thirds of it goes to the office chair ($349.50). ' +
        'The only compromise is the office chair: the Norda Throne is a better match, but at $899 it does not fit the budget. ' +
        'Savings elsewhere paid for an upgrade of the desk lamp.',
    )
    expect(reasonings['office-chairs']).toBe(
      'The Sitwell Perch 2 is the second best match and costs $349.50; the best, the Norda Throne, costs $549.50 more. ' +
        '6,412 reviews average 4.5 stars, and it suits eight-hour desk days.',
    )
    expect(reasonings['desk-lamps']).toMatch(/ 3\.6 comes from just 1 review\.$/)
  })

  test('says what is over budget, by how much, and what would fix it', () => {
    const { overview, reasonings } = write(10_000, [chairs(), lamps({ quantity: 2 })])
    expect(overview).toBe(
      'Your $100 budget covers the two desk lamps ($80), but the remaining $20 is not enough for the office chair. ' +
        'With the Norda Throne at $899, the total is $979, $879 over budget. ' +
        'A budget of $979 would cover everything; without the office chair, you pay $80.',
    )
    expect(reasonings['office-chairs']).toContain('fits the $20 left for office chairs')
    expect(reasonings['office-chairs']).toContain('is $879 more')
    expect(reasonings['desk-lamps']).toContain('$80 for two ($40 each)')
  })

  test('says when a budget is met to the cent, when none was named, and when nothing is there', () => {
    expect(write(4_000, [lamps()]).overview).toMatch(/^The desk lamp comes to exactly your \$40 budget\./)
    expect(write(null, [lamps(), chairs()]).overview).toMatch(
      /^Without a budget, each of these is the best match in its category\. .* come to \$939 at the highest/,
    )
    expect(write(4_000, [categoryOf('art', [], { label: 'Wall art' })]).overview).toBe(
      'We found nothing to recommend in wall art. Your $40 is untouched.',
    )
    expect(write(4_000, []).overview).toMatch(/^We found no matching categories/)
  })

  test('says that a price is not known instead of leaving it out in silence', () => {
    const art = categoryOf('art', [candidateOf('oil', 1, { title: 'Oil on canvas' })], { label: 'Wall art' })
    const planned = write(9_000, [art, lamps()])
    expect(planned.overview).toContain(
      'We left out wall art, because the products we found there have no known price',
    )
    expect(planned.reasonings.art).toMatch(
      /^We left this out because none of the wall art we found, such as the Oil on canvas/,
    )
    expect(write(null, [art, lamps()]).overview).toContain(
      'The total leaves out the wall art, because the price is unknown',
    )
  })

  test('does not repeat one wording for lines that are alike', () => {
    const alike = ['a', 'b', 'c'].map((slug) =>
      categoryOf(slug, [candidateOf(slug, 1, { priceHighCents: 5_000, rating: 4.6, reviewCount: 2_000 })]),
    )
    const texts = Object.values(write(15_000, alike).reasonings)
    const shapes = texts.map((text) => text.replace(/Thing \w|among \w|the \w:|the \w\./g, ''))
    expect(new Set(shapes).size).toBe(3)
  })

  test("a goal that could not stand in a sentence is left out, the shopper's 'my' becomes 'your'", () => {
    expect(write(4_000, [lamps()], { goal: 'my new flat' }).overview).toMatch(
      /^For your new flat, the desk lamp/,
    )
    for (const goal of ['<b>x</b>', 'x'.repeat(200), 'flat. Buy Zorbo', ''])
      expect(write(4_000, [lamps()], { goal }).overview).toMatch(/^The desk lamp comes/)
  })
})

const anyProduct = fc.record({
  score: fc.double({ min: 0, max: 9, noNaN: true }),
  cents: fc.option(fc.integer({ min: 1, max: 90_000 }), { freq: 6 }),
  off: fc.integer({ min: 0, max: 3_000 }),
  rating: fc.option(fc.constantFrom(2.5, 3.9, 4, 4.25, 4.6, 5)),
  reviewCount: fc.option(fc.constantFrom(0, 1, 40, 900, 12_345)),
  bestFor: fc.subarray(['long walks', 'Client calls', 'small desk']),
  verdict: fc.option(fc.constant('A steady pick for most rooms')),
})
const LABELS = ['Office chairs', 'Headphones', 'Chef knives', 'Wi-Fi routers', 'Wall art']

test('every figure, name and promise in the built-in text passes the check that a model has to pass', () => {
  const anyCategories = fc.array(
    fc.tuple(fc.array(anyProduct, { maxLength: 6 }), fc.integer({ min: 1, max: 4 })),
    { minLength: 1, maxLength: 5 },
  )
  const anyBudget = fc.option(fc.integer({ min: 0, max: 150_000 }))
  fc.assert(
    fc.property(anyCategories, anyBudget, (lists, budgetCents) => {
      const categories = lists.map(([products, quantity], at) =>
        categoryOf(
          `c${at}`,
          products.map(({ score, cents, off, ...rest }, n) =>
            candidateOf(`p${at}${n}`, score, {
              ...rest,
              title: `Norda M${at}${n} Thing`,
              brand: 'Norda',
              model: `M${at}${n}`,
              priceHighCents: cents,
              priceLowCents: cents === null ? null : Math.max(0, cents - off),
            }),
          ),
          { quantity, label: LABELS[at] ?? 'Things' },
        ),
      )
      const { plan, overview, reasonings } = write(budgetCents, categories)
      expect(overview.split(/[.!?](?:\s|$)/).filter(Boolean).length).toBeLessThanOrEqual(4)
      if (plan.lines.every(({ product }) => product === null)) return
      const answer = { overview, reasonings: plan.lines.map(({ slug }) => reasonings[slug] ?? '') }
      const checked = checkTexts(plan, wishOf(), answer, () => null)
      expect(checked, JSON.stringify(answer)).toHaveProperty('texts')
    }),
    { numRuns: 300 },
  )
})

test.each([
  ['Office chairs', 'office chair'],
  ['Chef knives', 'chef knife'],
  ['Computer mice', 'computer mouse'],
  ['Mattresses', 'mattress'],
  ['Toothbrushes', 'toothbrush'],
  ['Batteries', 'battery'],
  ['Headphones', 'headphones'],
  ['Running shoes', 'running shoes'],
  ['Carry-on luggage', 'carry-on luggage'],
  ['Wi-Fi routers', 'Wi-Fi router'],
  ['TVs', 'TV'],
  ['E-readers', 'e-reader'],
])('one of %s is a %s', (label, one) => {
  expect(nounOf({ label, quantity: 1 })).toBe(one)
})

test('lists, places and names read as people write them', () => {
  expect([listOf(['a']), listOf(['a', 'b']), listOf(['a', 'b', 'c'])]).toEqual(['a', 'a and b', 'a, b and c'])
  expect([1, 2, 10, 11, 12, 13, 21, 22, 33, 111].map(ordinalOf)).toEqual(
    'first second tenth 11th 12th 13th 21st 22nd 33rd 111th'.split(' '),
  )
  const product = candidateOf('x', 1, { title: 'Lumo Glow Lamp, warm', brand: 'Lumo', model: null }).product
  expect(nameOf(product)).toBe('Lumo Glow Lamp')
  expect(nameOf({ ...product, model: 'Glow' })).toBe('Lumo Glow')
  expect(nameOf({ ...product, model: 'Lumo Glow' })).toBe('Lumo Glow')
})

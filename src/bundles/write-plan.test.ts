/** The built-in writer: true to the plan, and English. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf, wishOf } from '../../test/bundles.ts'
import type { Candidate } from '../search/candidates.ts'
import type { ChosenCategory, PlanInput, Wish } from './bundles.schema.ts'
import { checkTexts } from './check-texts.ts'
import { planFitting } from './plan.ts'
import { listOf, nameOf, nounOf } from './plan-words.ts'
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
        priceLowCents: 34_900,
        priceHighCents: 35_900,
        rating: 4.7,
        reviewCount: 1_893,
      }),
      candidateOf('perch', 8, {
        title: 'Sitwell Perch 2 Mesh Chair',
        brand: 'Sitwell',
        model: 'Perch 2',
        priceLowCents: 24_900,
        priceHighCents: 29_950,
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
        priceLowCents: 9_900,
        priceHighCents: 9_900,
        rating: 3.6,
        reviewCount: 1,
      }),
    ],
    { label: 'Desk lamps', ...over },
  )

function write(budgetCents: number | null, categories: Category[], wish: Partial<Wish> = {}) {
  const budget = budgetCents === null ? null : { cents: budgetCents, approximate: false }
  const plan = planFitting({ budgetCents, categories })
  return { plan, ...writePlan(plan, wishOf({ budget, ...wish })) }
}

describe('the built-in text of a plan', () => {
  test('says what it costs, what is left, what more money would buy and who each suits', () => {
    const { overview, reasonings } = write(45_000, [chairs(), lamps()], { goal: 'home office' })
    expect(overview).toBe(
      'For your home office, the office chair and the desk lamp cost $398.50, $51.50 under your $450 budget. ' +
        'With $8 more, the office chair could be the Norda Throne. ' +
        'Prices are the highest we know; at the lowest you pay $348.',
    )
    expect(reasonings).toEqual({
      'office-chairs':
        'The Sitwell Perch 2, $299.50: it suits eight-hour desk days, and 6,412 reviews give it 4.5 stars. ' +
        'The Norda Throne (4.7) is better still, for $59.50 more.',
      'desk-lamps': 'The Lumo Glow, $99: its 3.6 stars come from just 1 review.',
    })
  })

  test('says what is over budget, by how much, and what is paid without it', () => {
    const { overview, reasonings } = write(25_000, [chairs(), lamps({ quantity: 2 })])
    expect(overview).toBe(
      'Your $250 covers the two desk lamps ($198), but not the office chair. ' +
        'Everything together costs $557, $307 over budget. Without the office chair you pay $198.',
    )
    expect(reasonings['office-chairs']).toMatch(
      / No good office chairs cost \$52 or less, which is what is left: it is \$307 over\.$/,
    )
    expect(reasonings['desk-lamps']).toMatch(/^The Lumo Glow, \$198 for two \(\$99 each\): /)
    expect(write(100, [chairs()]).overview).toMatch(/^Your \$1 is not enough for the office chair\. /)
    expect(write(0, [chairs()]).reasonings['office-chairs']).toMatch(
      / Nothing is left for it: all of it is over budget\.$/,
    )
  })

  test('says when a budget is met to the cent, when none was named, and when nothing is there', () => {
    expect(write(9_900, [lamps()]).overview).toBe('The desk lamp costs $99, exactly your budget.')
    expect(write(null, [lamps(), chairs()]).overview).toBe(
      'These are good choices that most people can live with: $458 together. ' +
        'Tell us a budget, and we will fit the plan to it. ' +
        'Prices are the highest we know; at the lowest you pay $448.',
    )
    expect(write(null, [lamps()]).overview).toBe('This is a good choice: $99.')
    expect(write(4_000, [categoryOf('art', [], { label: 'Wall art' })]).overview).toBe(
      'We found nothing to recommend in wall art. Your $40 is untouched.',
    )
    expect(write(4_000, []).overview).toMatch(/^We found no matching categories/)
  })

  test('says that a price is not known instead of leaving it out in silence', () => {
    const art = categoryOf('art', [candidateOf('oil', 1, { title: 'Oil on canvas' })], { label: 'Wall art' })
    const planned = write(19_000, [art, lamps()])
    expect(planned.overview).toContain(
      'We left out wall art, because the products we found there have no known price',
    )
    expect(planned.reasonings.art).toMatch(
      /^We left this out because none of the wall art we found, such as the Oil on canvas/,
    )
    const open = write(null, [art, lamps()])
    expect(open.overview).toContain('The total leaves out the wall art, because the price is unknown')
    expect(open.reasonings.art).toBe('The Oil on canvas, price unknown.')
  })

  test('says what was left out so that the rest is good, and what the shopper kept', () => {
    const mats = categoryOf('mats', [], { label: 'Yoga mats', named: false, weight: 0.5 })
    expect(write(40_000, [mats, chairs(), lamps()]).overview).toContain(
      ' We left out yoga mats so that the rest is good. ',
    )
    const capped = [mats, chairs({ maxCents: 1_000 }), lamps()]
    expect(write(40_000, capped).overview).toContain(' We left out yoga mats to stay within your budget. ')
    const { reasonings } = write(60_000, [chairs({ keep: 'id-perch' }), lamps()])
    expect(reasonings['office-chairs']).toBe(
      'You chose to keep the Sitwell Perch 2: $299.50. 6,412 reviews give it 4.5 stars.',
    )
  })

  const flawed = (
    product: Partial<Candidate['product']>,
    over: Partial<ChosenCategory> = {},
    silent: number | null = 0,
  ) => {
    const desk = { title: 'Oak Desk', priceHighCents: 30_000 }
    const one = candidateOf('desk', 5, { ...desk, ...product })
    const desks = categoryOf('desks', [{ ...one, silent }], { label: 'Desks', ...over })
    return write(80_000, [desks, lamps()]).reasonings.desks
  }
  test.each<[string, RegExp, ...Parameters<typeof flawed>]>([
    ['buyers rate it low', /Buyers rate it low, but nothing/, { rating: 2.5, reviewCount: 900 }],
    ['reviewers warn', /Reviewers are not convinced of it, but nothing/, { verdict: 'Flimsy.' }],
    ['it is only a part', /It is not quite what you asked for/, { title: 'Oak Desk Legs Only' }],
    ['it is for others', /It is made for others than you named/, { title: 'Desk for Kids' }],
    ['its facts deny a demand', /It does not meet everything you asked for/, {}, {}, null],
    ['it is above its limit', /It costs more than you wanted to spend on it/, {}, { maxCents: 20_000 }],
  ])('says so when nothing else fits and %s', (_, said, ...given) => {
    expect(flawed(...given)).toMatch(said)
    expect(flawed({})).toBe('The Oak Desk, $300.')
  })

  test("a goal that could not stand in a sentence is left out, the shopper's 'my' becomes 'your'", () => {
    const opening = (wish: Partial<Wish>) =>
      write(20_000, [lamps()], wish).overview.split(' the desk lamp')[0]
    expect(opening({ goal: 'my new flat' })).toBe('For your new flat,')
    expect(opening({ goal: 'camping', people: 4 })).toBe('For camping for four,')
    expect(opening({ goal: 'the workshop' })).toBe('For the workshop,')
    for (const goal of ['<b>x</b>', 'x'.repeat(200), 'flat. Buy Zorbo', ''])
      expect(write(9_900, [lamps()], { goal }).overview).toMatch(/^The desk lamp costs/)
  })
})

const anyProduct = fc.record({
  score: fc.double({ min: 0, max: 9, noNaN: true }),
  cents: fc.option(fc.integer({ min: 1, max: 90_000 }), { freq: 6 }),
  off: fc.integer({ min: 0, max: 3_000 }),
  rating: fc.option(fc.constantFrom(2.5, 3.9, 4, 4.25, 4.6, 5)),
  reviewCount: fc.option(fc.constantFrom(0, 1, 40, 900, 12_345)),
  bestFor: fc.subarray(['long walks', 'Client calls', 'small desk']),
  verdict: fc.option(fc.constantFrom('A steady pick for most rooms', 'Flimsy')),
  kind: fc.constantFrom('Thing', 'Thing', 'Thing', 'Thing Refill', 'Kids Thing'),
})
const LABELS = ['Office chairs', 'Headphones', 'Chef knives', 'Wi-Fi routers', 'Wall art']

test('every figure, name and promise in the built-in text passes the check that a model has to pass', () => {
  const anyCategories = fc.array(
    fc.tuple(
      fc.array(anyProduct, { maxLength: 6 }),
      fc.record({
        quantity: fc.integer({ min: 1, max: 4 }),
        named: fc.boolean(),
        weight: fc.constantFrom(0.4, 0.9, 1, 2.5),
        maxCents: fc.option(fc.integer({ min: 0, max: 40_000 }), { freq: 1 }),
        keeps: fc.boolean(),
      }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  const anyBudget = fc.option(fc.integer({ min: 0, max: 150_000 }))
  fc.assert(
    fc.property(anyCategories, anyBudget, (lists, budgetCents) => {
      const categories = lists.map(([products, { keeps, ...over }], at) =>
        categoryOf(
          `c${at}`,
          products.map(({ score, cents, off, kind, ...rest }, n) =>
            candidateOf(`p${at}${n}`, score, {
              ...rest,
              title: `Norda M${at}${n} ${kind}`,
              brand: 'Norda',
              model: `M${at}${n}`,
              priceHighCents: cents,
              priceLowCents: cents === null ? null : Math.max(0, cents - off),
            }),
          ),
          { ...over, label: LABELS[at] ?? 'Things', keep: keeps ? `id-p${at}0` : null },
        ),
      )
      const { plan, overview, reasonings } = write(budgetCents, categories)
      expect(overview.split(/[.!?](?:\s|$)/).filter(Boolean).length).toBeLessThanOrEqual(4)
      // Without one price there is no total to state.
      if (plan.lines.every(({ costCents }) => costCents === null)) return
      const answer = { overview, reasonings: plan.lines.map(({ slug }) => reasonings[slug] ?? '') }
      const checked = checkTexts(plan, wishOf(), answer, () => null)
      expect(checked, JSON.stringify({ checked, answer })).toHaveProperty('texts')
    }),
    { numRuns: 400 },
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

test('lists and names read as people write them', () => {
  expect([listOf(['a']), listOf(['a', 'b']), listOf(['a', 'b', 'c'])]).toEqual(['a', 'a and b', 'a, b and c'])
  const product = candidateOf('x', 1, { title: 'Lumo Glow Lamp, warm', brand: 'Lumo', model: null }).product
  expect(nameOf(product)).toBe('Lumo Glow Lamp')
  expect(nameOf({ ...product, model: 'Glow' })).toBe('Lumo Glow')
  expect(nameOf({ ...product, model: 'Lumo Glow' })).toBe('Lumo Glow')
})

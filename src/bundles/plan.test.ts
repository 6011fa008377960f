/** The plan against every other plan there is, on inputs small enough to try them all. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf } from '../../test/bundles.ts'
import { byText } from '../lib/text.ts'
import type { Plan, PlanInput } from './bundles.schema.ts'
import { gradeCandidates, type Option } from './grade.ts'
import { planBundle } from './plan.ts'

type Category = PlanInput['categories'][number]

// Few different values, so that ties are common.
const anyCandidate = fc.record({
  score: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: -3, max: 9, noNaN: true })),
  high: fc.option(fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 60_000 }))),
  low: fc.option(fc.integer({ min: 0, max: 6 })),
  rating: fc.option(fc.constantFrom(1, 3.2, 4, 4.6, 5)),
  reviewCount: fc.option(fc.integer({ min: 0, max: 9_000 })),
  discontinued: fc.boolean(),
})

function categoriesOf(maxCategories: number, maxCandidates: number): fc.Arbitrary<Category[]> {
  return fc
    .array(
      fc.record({
        candidates: fc.array(anyCandidate, { maxLength: maxCandidates }),
        quantity: fc.integer({ min: 1, max: 4 }),
        weight: fc.constantFrom(0.01, 0.5, 1, 1, 2, 7.3),
      }),
      { maxLength: maxCategories },
    )
    .map((categories) =>
      categories.map(({ candidates, quantity, weight }, at) =>
        categoryOf(
          `c${(at * 5) % 7}`,
          candidates.map(({ score, high, low, rating, reviewCount, discontinued }, n) =>
            candidateOf(`p${at}-${(n * 7) % 11}`, score, {
              ...{ rating, reviewCount },
              priceHighCents: high,
              priceLowCents: low,
              discontinued: discontinued && n % 3 === 0,
            }),
          ),
          { quantity, weight },
        ),
      ),
    )
}

const anyBudget = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 200_000 }),
  fc.constantFrom(0, 1, 10_000_000_000, Number.MAX_SAFE_INTEGER),
)
const anyInput = fc.record({ budgetCents: anyBudget, categories: categoriesOf(5, 12) })

type Way = { out: number; points: number; cost: number; slugs: string }

function optionsOf(categories: Category[]): Map<string, Option[]> {
  const sorted = categories.toSorted((a, b) => byText(a.slug, b.slug))
  const weights = sorted.reduce((sum, { weight }) => sum + weight, 0)
  return new Map(
    sorted.map(({ slug, candidates, quantity, weight }) => [
      slug,
      gradeCandidates(candidates, {
        quantity,
        relativeWeight: (weight * sorted.length) / weights,
        spending: true,
      }),
    ]),
  )
}

/** Every way to fill or leave out each category, in the order of slugs; those within the budget. */
function allWays(categories: Category[], budgetCents: number): Way[] {
  let ways: Way[] = [{ out: 0, points: 0, cost: 0, slugs: '' }]
  for (const options of optionsOf(categories).values()) {
    const priced = options.filter(({ costCents }) => costCents !== null)
    if (priced.length === 0) continue
    ways = ways.flatMap(({ out, points, cost, slugs }) => [
      { out: out + 1, points, cost, slugs: `${slugs}~ ` },
      ...priced.map((option) => ({
        out,
        points: points + option.points,
        cost: cost + (option.costCents ?? 0),
        slugs: `${slugs}${option.product.slug} `,
      })),
    ])
  }
  return ways.filter(({ cost }) => cost <= budgetCents)
}

const better = (a: Way, b: Way) =>
  a.out - b.out || b.points - a.points || a.cost - b.cost || byText(a.slugs, b.slugs)

function wayOf({ lines }: Plan, categories: Category[]): Way {
  const options = optionsOf(categories)
  const way: Way = { out: 0, points: 0, cost: 0, slugs: '' }
  for (const line of lines.toSorted((a, b) => byText(a.slug, b.slug))) {
    if (!line.product) continue
    if (line.overBudget) way.out++
    else {
      way.points +=
        options.get(line.slug)?.find(({ product }) => product === line.product)?.points ?? Number.NaN
      way.cost += line.costCents ?? Number.NaN
    }
    way.slugs += line.overBudget ? '~ ' : `${line.product.slug} `
  }
  return way
}

const bySlugs = (plan: Plan) => ({ ...plan, lines: plan.lines.toSorted((a, b) => byText(a.slug, b.slug)) })

describe('a plan with a budget', () => {
  test('is the best of all plans, by brute force', () => {
    fc.assert(
      fc.property(anyBudget, categoriesOf(4, 5), (budgetCents, categories) => {
        const plan = planBundle({ budgetCents, categories })
        expect(wayOf(plan, categories)).toEqual(allWays(categories, budgetCents).sort(better)[0])
      }),
      { numRuns: 600 },
    )
  })

  test('keeps the lines that are not marked within the budget, and each within its allocation', () => {
    fc.assert(
      fc.property(anyInput, ({ budgetCents, categories }) => {
        const { lines, totalCents } = planBundle({ budgetCents, categories })
        const unmarked = lines.filter(({ overBudget }) => !overBudget)
        expect(unmarked.reduce((sum, line) => sum + (line.costCents ?? 0), 0)).toBeLessThanOrEqual(
          budgetCents,
        )
        for (const line of unmarked)
          expect(line.costCents ?? 0).toBeLessThanOrEqual(line.allocatedCents ?? -1)
        const allocated = lines.map(({ allocatedCents }) => allocatedCents ?? -1)
        for (const cents of allocated) expect(Number.isInteger(cents) && cents >= 0).toBe(true)
        expect(allocated.reduce((sum, cents) => sum + BigInt(cents), 0n)).toBeLessThanOrEqual(
          BigInt(budgetCents),
        )
        expect(totalCents).toBe(lines.reduce((sum, line) => sum + (line.costCents ?? 0), 0))
      }),
    )
  })

  test('marks a line only when nothing of its category fits the allocation, and then takes the cheapest of the nearly best', () => {
    fc.assert(
      fc.property(anyInput, ({ budgetCents, categories }) => {
        const options = optionsOf(categories)
        for (const line of planBundle({ budgetCents, categories }).lines) {
          const priced = (options.get(line.slug) ?? []).filter(({ costCents }) => costCents !== null)
          expect(line.product === null).toBe(priced.length === 0)
          if (!line.overBudget) continue
          for (const { costCents } of priced) expect(costCents).toBeGreaterThan(line.allocatedCents ?? 0)
          const best = priced[0]?.points ?? 0
          const good = priced.filter(({ points }) => points >= best * 0.8)
          expect(good.map(({ product }) => product)).toContain(line.product)
          expect(line.costCents).toBe(Math.min(...good.map(({ costCents }) => costCents ?? 0)))
        }
      }),
    )
  })

  test('never holds a discontinued product or one without a price', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        for (const { product, costCents } of planBundle(input).lines) {
          expect(product?.discontinued ?? false).toBe(false)
          expect(costCents === null).toBe(product === null)
        }
      }),
    )
  })

  test('is the same whatever the order of candidates and categories', () => {
    fc.assert(
      fc.property(anyInput, fc.infiniteStream(fc.nat()), ({ budgetCents, categories }, numbers) => {
        const shuffled = <T>(items: T[]) =>
          items
            .map((item) => ({ item, at: numbers.next().value ?? 0 }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item)
        const again = shuffled(categories).map((category) => ({
          ...category,
          candidates: shuffled(category.candidates),
        }))
        const plan = planBundle({ budgetCents, categories })
        expect(bySlugs(planBundle({ budgetCents, categories: again }))).toEqual(bySlugs(plan))
        expect(plan.lines.map(({ slug }) => slug)).toEqual(categories.map(({ slug }) => slug))
      }),
    )
  })

  test('is never worse with more money', () => {
    fc.assert(
      fc.property(anyInput, fc.nat({ max: 50_000 }), ({ budgetCents, categories }, more) => {
        const less = wayOf(planBundle({ budgetCents, categories }), categories)
        const budget = Math.min(Number.MAX_SAFE_INTEGER, budgetCents + more)
        const richer = wayOf(planBundle({ budgetCents: budget, categories }), categories)
        expect(richer.out).toBeLessThanOrEqual(less.out)
        if (richer.out === less.out) expect(richer.points).toBeGreaterThanOrEqual(less.points)
      }),
    )
  })

  test('names as passed over only what ranked first and did not fit or has no price', () => {
    fc.assert(
      fc.property(anyInput, ({ budgetCents, categories }) => {
        const options = optionsOf(categories)
        const { lines } = planBundle({ budgetCents, categories })
        const within = lines.reduce((sum, line) => sum + (line.overBudget ? 0 : (line.costCents ?? 0)), 0)
        for (const { slug, product, overBudget, costCents, because } of lines) {
          const ranking = options.get(slug) ?? []
          expect(because.place).toBe(ranking.findIndex((option) => option.product === product) + 1)
          const first = because.place === 1 || overBudget ? null : (ranking[0]?.product ?? null)
          expect(because.passedOver).toBe(first)
          const firstCost = ranking[0]?.costCents ?? null
          if (because.passedOver && firstCost !== null && !overBudget)
            expect(within - (costCents ?? 0) + firstCost).toBeGreaterThan(budgetCents)
        }
      }),
    )
  })
})

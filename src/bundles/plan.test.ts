/** What holds for every plan, whatever the categories, the products and the money. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { candidateOf, categoryOf } from '../../test/bundles.ts'
import { byText } from '../lib/text.ts'
import { MIN_CATEGORIES, type Plan, type PlanInput, type PlanLine } from './bundles.schema.ts'
import { alternativesTo, planFitting } from './plan.ts'

type Category = PlanInput['categories'][number]

// Few different values, so that ties are common.
const anyCandidate = fc.record({
  score: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.double({ min: -3, max: 9, noNaN: true })),
  high: fc.option(fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 60_000 })), { freq: 6 }),
  low: fc.option(fc.integer({ min: 0, max: 6 })),
  rating: fc.option(fc.constantFrom(1, 3.2, 4, 4.6, 5)),
  reviewCount: fc.option(fc.constantFrom(0, 3, 80, 9_000)),
  discontinued: fc.boolean(),
  title: fc.constantFrom('Thing', 'Thing', 'Thing', 'Thing legs only', 'Thing for kids', 'Camper thing'),
  silent: fc.constantFrom(0, 0, 0, 1, null),
  isThing: fc.constantFrom(1, 1, 1, 0, null),
  typical: fc.option(fc.constantFrom(0, 0.5, 1)),
})

type Wants = 'keep' | 'prefer' | null

function categoriesOf(maxCategories: number, maxCandidates: number): fc.Arbitrary<Category[]> {
  return fc
    .array(
      fc.record({
        candidates: fc.array(anyCandidate, { maxLength: maxCandidates }),
        quantity: fc.integer({ min: 1, max: 4 }),
        weight: fc.constantFrom(0.01, 0.5, 0.85, 0.9, 1, 1, 2.5),
        named: fc.boolean(),
        pointed: fc.boolean(),
        maxCents: fc.option(fc.integer({ min: 0, max: 50_000 }), { freq: 1 }),
        wants: fc.constantFrom<Wants[]>(null, null, 'keep', 'prefer'),
        wanted: fc.nat({ max: 5 }),
      }),
      { maxLength: maxCategories },
    )
    .map((categories) =>
      categories.map(({ candidates, wants, wanted, ...rest }, at) => {
        const made = candidates.map(
          ({ score, high, low, discontinued, silent, isThing, typical, ...of }, n) => ({
            ...candidateOf(`p${at}-${(n * 7) % 11}`, score, {
              ...of,
              priceHighCents: high,
              priceLowCents: low,
              discontinued: discontinued && n % 3 === 0,
            }),
            ...{ silent, isThing, typical },
          }),
        )
        const product = made[wanted]?.product
        const price = product?.priceHighCents ?? product?.priceLowCents ?? null
        return categoryOf(`c${(at * 5) % 7}`, made, {
          ...rest,
          ...(wants && product && price !== null && !product.discontinued && { [wants]: product.id }),
        })
      }),
    )
}

const anyBudget = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.integer({ min: 0, max: 200_000 }),
  fc.constantFrom(0, 1, 10_000_000_000, Number.MAX_SAFE_INTEGER),
)
const anyInput = fc.record({ budgetCents: anyBudget, categories: categoriesOf(6, 12) })
const anyInputOrNone = fc.record({
  budgetCents: fc.option(anyBudget, { freq: 3 }),
  categories: categoriesOf(6, 12),
})

const costOfAll = (lines: readonly PlanLine[]) =>
  lines.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0)
const chosenIn = ({ lines }: Plan) => new Map(lines.map(({ slug, product }) => [slug, product?.id ?? null]))
const isAsked = ({ named, kept }: PlanLine) => named || kept
const bySlug = (a: { slug: string }, b: { slug: string }) => byText(a.slug, b.slug)
const inOrder = (plan: Plan) => ({
  ...plan,
  lines: plan.lines.toSorted(bySlug),
  dropped: plan.dropped.toSorted(bySlug),
})

describe('a plan with a budget', () => {
  test('keeps the lines that are not marked within the budget, and each within its allocation', () => {
    fc.assert(
      fc.property(anyInput, ({ budgetCents, categories }) => {
        const { lines, totalCents } = planFitting({ budgetCents, categories })
        const unmarked = lines.filter(({ overBudget }) => !overBudget)
        expect(costOfAll(unmarked)).toBeLessThanOrEqual(budgetCents)
        for (const line of unmarked)
          expect(line.costCents ?? 0).toBeLessThanOrEqual(line.allocatedCents ?? -1)
        const allocated = lines.map(({ allocatedCents }) => allocatedCents ?? -1)
        for (const cents of allocated) expect(Number.isInteger(cents) && cents >= 0).toBe(true)
        expect(allocated.reduce((sum, cents) => sum + BigInt(cents), 0n)).toBeLessThanOrEqual(
          BigInt(budgetCents),
        )
        expect(totalCents).toBe(costOfAll(lines))
      }),
    )
  })

  test('marks only what was asked for, or one of two things that make it a plan', () => {
    fc.assert(
      fc.property(anyInput, ({ budgetCents, categories }) => {
        const { lines } = planFitting({ budgetCents, categories })
        const marked = lines.filter((line) => line.overBudget && !isAsked(line))
        if (marked.length === 0) return
        expect(marked.length).toBeLessThanOrEqual(MIN_CATEGORIES)
        expect(lines.filter((line) => isAsked(line) && line.product).length).toBeLessThan(MIN_CATEGORIES)
      }),
    )
  })

  test('marks a line only when it does not fit beside the others, and more money never marks more', () => {
    fc.assert(
      fc.property(anyInput, fc.nat({ max: 50_000 }), ({ budgetCents, categories }, more) => {
        // What is kept is bought first: money that is enough for it at last may be missing for two others.
        const asked = categories.map(({ keep: _keep, ...one }) => ({ ...one, named: true }))
        const plan = planFitting({ budgetCents, categories: asked })
        const markedIn = ({ lines }: Plan) => lines.filter(({ overBudget }) => overBudget)
        for (const { costCents, allocatedCents } of markedIn(plan))
          expect(costCents).toBeGreaterThan(allocatedCents ?? 0)
        const budget = Math.min(Number.MAX_SAFE_INTEGER, budgetCents + more)
        const richer = planFitting({ budgetCents: budget, categories: asked })
        expect(markedIn(richer).length).toBeLessThanOrEqual(markedIn(plan).length)
      }),
    )
  })

  test('never holds a discontinued product or one without a price', () => {
    fc.assert(
      fc.property(anyInput, (input) => {
        for (const { product, costCents } of planFitting(input).lines) {
          expect(product?.discontinued ?? false).toBe(false)
          expect(costCents === null).toBe(product === null)
        }
      }),
    )
  })
})

describe('any plan', () => {
  test('keeps what the shopper keeps, and has every category that was named', () => {
    fc.assert(
      fc.property(anyInputOrNone, (input) => {
        const plan = planFitting(input)
        const chosen = chosenIn(plan)
        for (const { slug, keep, named } of input.categories) {
          if (keep) expect(chosen.get(slug)).toBe(keep)
          if (named) expect(chosen.has(slug)).toBe(true)
        }
        for (const { slug, kept, product } of plan.lines)
          expect(kept).toBe(
            product !== null && input.categories.find((one) => one.slug === slug)?.keep === product.id,
          )
        const told = [...plan.lines, ...plan.dropped].map(({ slug }) => slug)
        expect(told.toSorted()).toEqual(input.categories.map(({ slug }) => slug).toSorted())
      }),
    )
  })

  test('changes nothing that it prefers while all of it fits', () => {
    fc.assert(
      fc.property(anyInputOrNone, ({ budgetCents, categories }) => {
        const named = categories.map((one) => ({ ...one, named: true }))
        const first = planFitting({ budgetCents, categories: named })
        if (first.lines.some(({ overBudget }) => overBudget)) return
        const chosen = chosenIn(first)
        const again = named.map((one) => ({ ...one, prefer: chosen.get(one.slug) ?? null }))
        expect(chosenIn(planFitting({ budgetCents, categories: again }))).toEqual(chosen)
      }),
    )
  })

  test('made again from what it chose is the same', () => {
    fc.assert(
      fc.property(anyInputOrNone, ({ budgetCents, categories }) => {
        const first = planFitting({ budgetCents, categories })
        if (first.lines.some(({ overBudget }) => overBudget)) return
        const chosen = chosenIn(first)
        const again = categories
          .filter(({ slug }) => chosen.get(slug))
          .map((one) => ({ ...one, prefer: chosen.get(one.slug) ?? null }))
        const second = chosenIn(planFitting({ budgetCents, categories: again }))
        for (const { slug } of again) expect(second.get(slug)).toBe(chosen.get(slug))
      }),
    )
  })

  test('is the same whatever the order of candidates and categories', () => {
    fc.assert(
      fc.property(anyInputOrNone, fc.infiniteStream(fc.nat()), ({ budgetCents, categories }, numbers) => {
        const shuffled = <T>(items: T[]) =>
          items
            .map((item) => ({ item, at: numbers.next().value ?? 0 }))
            .sort((a, b) => a.at - b.at)
            .map(({ item }) => item)
        const again = shuffled(categories).map((category) => ({
          ...category,
          candidates: shuffled(category.candidates),
        }))
        const plan = planFitting({ budgetCents, categories })
        expect(inOrder(planFitting({ budgetCents, categories: again }))).toEqual(inOrder(plan))
        const kept = new Set(plan.lines.map(({ slug }) => slug))
        expect([...kept]).toEqual(categories.flatMap(({ slug }) => (kept.has(slug) ? [slug] : [])))
      }),
    )
  })

  test('fills what only we thought of with nothing flawed, unless it would not be a plan without it', () => {
    fc.assert(
      fc.property(anyInputOrNone, (input) => {
        const { lines } = planFitting(input)
        const preferred = new Set(input.categories.map(({ prefer }) => prefer))
        const flawed = lines.filter(
          (line) =>
            !isAsked(line) &&
            !preferred.has(line.product?.id) &&
            line.because.flaw !== null &&
            line.because.flaw !== 'share',
        )
        if (flawed.length === 0) return
        expect(flawed.length).toBeLessThanOrEqual(MIN_CATEGORIES)
        expect(lines.filter((line) => isAsked(line) && line.product).length).toBeLessThan(MIN_CATEGORIES)
      }),
    )
  })

  test('gives true reasons: what was passed over is better, and an upgrade costs what it says', () => {
    fc.assert(
      fc.property(anyInputOrNone, ({ budgetCents, categories }) => {
        const { lines } = planFitting({ budgetCents, categories })
        for (const { slug, product, costCents, quantity, because } of lines) {
          const sold = categories.find((one) => one.slug === slug)?.candidates.map((one) => one.product) ?? []
          const { place, passedOver, upgrade } = because
          expect(place === 0).toBe(product === null)
          expect(passedOver === product && product !== null).toBe(false)
          if (passedOver) expect(sold).toContain(passedOver)
          if (!upgrade) continue
          const each = upgrade.product.priceHighCents ?? upgrade.product.priceLowCents ?? 0
          expect(upgrade.extraCents).toBe(each * quantity - (costCents ?? 0))
          expect(upgrade.extraCents).toBeGreaterThan(0)
        }
      }),
    )
  })

  test('has alternatives to each line whose totals are exact', () => {
    fc.assert(
      fc.property(anyInputOrNone, (input) => {
        const plan = planFitting(input)
        for (const { slug, product, costCents } of plan.lines)
          for (const other of alternativesTo(input, plan, slug)) {
            expect(other.product.id).not.toBe(product?.id)
            expect(other.product.discontinued).toBe(false)
            const total =
              other.costCents === null ? null : plan.totalCents - (costCents ?? 0) + other.costCents
            expect(other.totalCents).toBe(total)
            expect(other.fits).toBe(
              plan.budgetCents === null || (total !== null && total <= plan.budgetCents),
            )
          }
      }),
    )
  })
})

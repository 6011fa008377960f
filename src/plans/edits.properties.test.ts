/**
 * Edits over made-up catalogs: what is kept stays, sums are exact, the budget holds, the same edits give the same plan, and
 * an edit and its reverse give the plan back where nothing had to change.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { categoryOf, pricedAt } from '../../test/bundles.ts'
import type { Plan, PlanInput } from '../bundles/bundles.schema.ts'
import { planFitting } from '../bundles/plan.ts'
import { AppError } from '../lib/errors.ts'
import type { Candidate } from '../search/candidates.ts'
import { applyEdits, type Draft, type EditCatalog } from './edits.ts'
import { type LineWish, type StoredPlan, standingPlan, storedPlan } from './kept.ts'
import { type Edit, EditInput, toEdit } from './plans.schema.ts'

const SLUGS = ['beds', 'chairs', 'desks', 'lamps', 'shelves', 'sofas']

type Shelf = Map<string, Candidate[]>
type State = { catalog: Shelf; stored: StoredPlan; plan: Plan }

const shelf: fc.Arbitrary<Shelf> = fc
  .tuple(
    ...SLUGS.map((slug) =>
      fc
        .array(fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 100, max: 50_000 })), {
          minLength: 1,
          maxLength: 6,
        })
        .map((facts): [string, Candidate[]] => [
          slug,
          facts.map(([score, cents], at) => {
            const one = pricedAt(`${slug}-${at}`, score / 10, cents)
            return { ...one, product: { ...one.product, category: { slug, label: slug } } }
          }),
        ]),
    ),
  )
  .map((entries) => new Map(entries))

const wishFor = (slug: string, named = true): LineWish => {
  const { candidates: _, ...wish } = categoryOf(slug, [], { named })
  return wish
}

function catalogOf(catalog: Shelf): EditCatalog {
  const all = [...catalog.values()].flat().map(({ product }) => product)
  return {
    productOf: (id) => all.find((one) => one.id === id) ?? null,
    findProduct: (name) => all.find(({ slug }) => slug === name.split('/').at(-1)) ?? null,
    findCategory: (slug) => (catalog.has(slug) ? { slug, label: slug } : null),
    nearCategories: () => [],
    wishFor: (slug) => wishFor(slug),
  }
}

const NO_WORDS = { overview: '', reasonings: {} }

function start(catalog: Shelf, slugs: string[], inferred: string[], budgetCents: number | null): State {
  const wishes = slugs.map((slug) => wishFor(slug, !inferred.includes(slug)))
  const categories = wishes.map((wish) => ({ ...wish, candidates: catalog.get(wish.slug) ?? [] }))
  const plan = planFitting({ budgetCents, categories })
  return { catalog, plan, stored: storedPlan(plan, NO_WORDS, { wishes }) }
}

/** As the service does it, without a database or words; null when the edits are refused. */
function edit({ catalog, stored }: State, edits: Edit[]): State | null {
  const draft = drafted(stored, edits, catalogOf(catalog))
  if (!draft) return null
  const input: PlanInput = {
    budgetCents: draft.budgetCents,
    categories: draft.lines.map(({ wish, must, has, declined }) => ({
      ...{ ...wish, keep: must, prefer: must === null ? has : null },
      candidates: (catalog.get(wish.slug) ?? []).filter(
        ({ product }) => product.id === (must ?? has) || !declined.includes(product.id),
      ),
    })),
  }
  const plan = planFitting(input, { fewest: 0 })
  const marksOf = (slug: string) => {
    const line = draft.lines.find(({ wish }) => wish.slug === slug)
    return { kept: line?.kept ?? false, declined: line?.declined ?? [] }
  }
  const wishes = draft.lines.map(({ wish }) => wish)
  return { catalog, plan, stored: storedPlan(plan, NO_WORDS, { wishes, aside: draft.aside, marksOf }) }
}

function drafted(stored: StoredPlan, edits: Edit[], catalog: EditCatalog): Draft | null {
  try {
    return applyEdits(stored, edits, catalog)
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return null
    throw error
  }
}

const line = fc.constantFrom(...SLUGS)
const anEdit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: fc.constant('keep' as const), line, off: fc.boolean() }),
  fc.record({ kind: fc.constant('replace' as const), line, with: fc.constant(null) }),
  fc
    .tuple(line, fc.nat(5))
    .map(([line, at]): Edit => ({ kind: 'replace', line, with: `${line}/${line}-${at}` })),
  fc.record({ kind: fc.constant('remove' as const), line }),
  fc.record({ kind: fc.constant('add' as const), what: line }),
  fc.record({
    kind: fc.constant('budget' as const),
    cents: fc.option(fc.integer({ min: 500, max: 150_000 })),
  }),
  fc.record({ kind: fc.constant('quantity' as const), line, quantity: fc.integer({ min: 1, max: 4 }) }),
)

const started: fc.Arbitrary<State> = fc
  .tuple(
    shelf,
    fc.subarray(SLUGS, { minLength: 2, maxLength: 5 }),
    fc.subarray(SLUGS),
    fc.option(fc.integer({ min: 2_000, max: 150_000 })),
  )
  .map(([catalog, slugs, inferred, budget]) => start(catalog, slugs, inferred, budget))

const productsOf = ({ lines }: Plan) =>
  Object.fromEntries(lines.map(({ slug, product }) => [slug, product?.id]))
const keptOf = ({ lines }: StoredPlan) =>
  Object.fromEntries(lines.filter(({ kept }) => kept).map(({ line }) => [line.slug, line.product]))

describe('any edits of any plan', () => {
  test('keep what is kept, sum up exactly, and stay within the budget unless a named line is marked', () => {
    fc.assert(
      fc.property(started, fc.array(anEdit, { minLength: 1, maxLength: 4 }), (before, edits) => {
        const after = edit(before, edits)
        if (!after) return
        const { plan, stored } = after
        expect(plan.totalCents).toBe(plan.lines.reduce((sum, { costCents }) => sum + (costCents ?? 0), 0))
        const over = plan.lines.filter(({ overBudget }) => overBudget)
        if (plan.budgetCents !== null && over.length === 0)
          expect(plan.totalCents).toBeLessThanOrEqual(plan.budgetCents)
        if (plan.lines.length > 1) for (const { named } of over) expect(named).toBe(true)
        for (const [slug, product] of Object.entries(keptOf(stored)))
          expect(productsOf(plan)[slug]).toBe(product)
        // Kept before, and not mentioned: still there.
        const said = new Set(edits.map((one) => ('line' in one ? one.line : 'what' in one ? one.what : '')))
        for (const [slug, product] of Object.entries(keptOf(before.stored)))
          if (!said.has(slug)) expect(productsOf(plan)[slug]).toBe(product)
      }),
      { numRuns: 150 },
    )
  })

  test('give the same plan every time', () => {
    fc.assert(
      fc.property(started, fc.array(anEdit, { minLength: 1, maxLength: 4 }), (before, edits) => {
        expect(edit(before, edits)?.stored).toEqual(edit(before, edits)?.stored)
      }),
      { numRuns: 60 },
    )
  })

  test('leave lines that they do not mention as they are, where everything still fits', () => {
    fc.assert(
      fc.property(started, anEdit, (before, one) => {
        const after = edit(before, [one])
        if (!after || before.plan.lines.some(({ overBudget }) => overBudget)) return
        const said = 'line' in one ? one.line : 'what' in one ? one.what : ''
        const fits = (slug: string) => before.plan.lines.find((line) => line.slug === slug)?.costCents ?? 0
        const rest = before.plan.lines.filter(({ slug }) => slug !== said)
        const own = after.plan.lines.find(({ slug }) => slug === said)?.costCents ?? 0
        const sum = rest.reduce((sum, { slug }) => sum + fits(slug), own)
        if (after.plan.budgetCents !== null && sum > after.plan.budgetCents) return
        for (const { slug, product } of rest) expect(productsOf(after.plan)[slug]).toBe(product?.id)
      }),
      { numRuns: 150 },
    )
  })

  test('and their reverse give the plan back where nothing had to change', () => {
    fc.assert(
      fc.property(started, line, fc.nat(5), (before, slug, at) => {
        const { plan } = before
        const own = plan.lines.find((one) => one.slug === slug)
        if (!own?.product || plan.lines.some(({ overBudget }) => overBudget)) return
        const reverses: Array<[Edit, Edit]> = [
          [
            { kind: 'remove', line: slug },
            { kind: 'add', what: slug },
          ],
          [
            { kind: 'keep', line: slug, off: false },
            { kind: 'keep', line: slug, off: true },
          ],
          [
            { kind: 'replace', line: slug, with: `${slug}/${slug}-${at}` },
            { kind: 'replace', line: slug, with: own.product.slug },
          ],
          [
            { kind: 'budget', cents: null },
            { kind: 'budget', cents: plan.budgetCents },
          ],
          [
            { kind: 'quantity', line: slug, quantity: 3 },
            { kind: 'quantity', line: slug, quantity: 1 },
          ],
        ]
        for (const [there, back] of reverses) {
          const changed = edit(before, [there])
          const others = ({ lines }: Plan) =>
            productsOf({ lines: lines.filter((one) => one.slug !== slug) } as Plan)
          if (!changed || JSON.stringify(others(changed.plan)) !== JSON.stringify(others(plan))) continue
          if (there.kind === 'quantity' && productsOf(changed.plan)[slug] !== own.product.id) continue
          const again = edit(changed, [back])
          expect([there, again && productsOf(again.plan)]).toEqual([there, productsOf(plan)])
          expect(again?.plan.totalCents).toBe(plan.totalCents)
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('a plan as it is kept', () => {
  test('reads again as it was', () => {
    fc.assert(
      fc.property(started, ({ catalog, plan, stored }) => {
        const again = standingPlan(JSON.parse(JSON.stringify(stored)), catalogOf(catalog).productOf)
        // What more money would buy is not kept with it.
        const lines = plan.lines.map((line) => ({ ...line, because: { ...line.because, upgrade: null } }))
        expect(again).toEqual({ ...plan, lines })
      }),
      { numRuns: 60 },
    )
  })

  test('at higher prices marks what costs more than was planned for it', () => {
    const { stored } = start(
      new Map([
        ['beds', [pricedAt('beds-0', 5, 10_000)]],
        ['chairs', [pricedAt('chairs-0', 5, 9_000)]],
      ]),
      ['beds', 'chairs'],
      [],
      20_000,
    )
    const dearer = standingPlan(stored, (id) => ({
      ...pricedAt('x', 1, id === 'id-beds-0' ? 15_000 : 9_000).product,
      id,
    }))
    expect(dearer.totalCents).toBe(24_000)
    expect(dearer.lines.map(({ slug, overBudget }) => [slug, overBudget])).toEqual([
      ['beds', true],
      ['chairs', false],
    ])
  })
})

test('any object is an edit of one kind or refused', () => {
  const field = fc.option(fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)), {
    nil: undefined,
  })
  const keys = ['keep', 'off', 'replace', 'with', 'remove', 'add', 'budget_usd', 'quantity', 'line']
  fc.assert(
    fc.property(fc.record(Object.fromEntries(keys.map((key) => [key, field]))), (given) => {
      const parsed = EditInput.safeParse(given)
      if (parsed.success) expect(toEdit(parsed.data).kind).toBeTypeOf('string')
    }),
    { numRuns: 500 },
  )
})

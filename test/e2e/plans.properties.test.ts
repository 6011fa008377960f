/** Edits of plans over the demo catalog, through the whole service: what holds whatever is asked for. */
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { createPlanner, planOf, productsOf } from './plans.world.ts'
import { createDemoApp } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>

beforeAll(async () => {
  world = await createDemoApp()
})

const WISHES = [
  'home office setup under $1,200',
  'everything for a weekend of camping for two under $600',
  'an espresso machine, a coffee grinder and a kettle under $700',
]
const CATEGORIES = ['monitors', 'office-chairs', 'desk-lamps', 'tents', 'sleeping-bags', 'coffee-grinders']
const line = fc.constantFrom(...CATEGORIES)
const anEdit = fc.oneof(
  fc.record({ keep: line }),
  fc.record({ replace: line }),
  fc.record({ remove: line }),
  fc.record({ add: line }),
  fc.record({ budget_usd: fc.integer({ min: 100, max: 2_500 }) }),
  fc.record({ quantity: fc.integer({ min: 1, max: 3 }), line }),
)

const cents = (dollars: number | null) => Math.round((dollars ?? 0) * 100)

test('kept lines stay, totals are exact, and the budget holds unless a line is marked', async () => {
  const edits = fc.array(anEdit, { minLength: 2, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WISHES), edits, async (wish, asked) => {
      const { tryEdit, read } = await createPlanner(world, wish)
      let plan = await read()
      for (const one of asked) {
        const answer = await tryEdit([one])
        const before = plan
        plan = await read()
        if (answer.status !== 200) {
          expect([answer.status, plan]).toEqual([400, before])
          continue
        }
        expect(planOf(answer)).toMatchObject({ categories: plan.categories, total: plan.total })
        expect(cents(plan.total)).toBe(plan.categories.reduce((sum, { cost }) => sum + cents(cost), 0))
        if (plan.budget !== null && !plan.categories.some(({ over_budget }) => over_budget))
          expect(plan.total).toBeLessThanOrEqual(plan.budget)
        const said = Object.values(one)
        for (const { slug, kept, product } of before.categories)
          if (kept && !said.includes(slug)) expect(productsOf(plan)[slug]).toBe(product?.slug)
      }
    }),
    { numRuns: 5 },
  )
})

test('the same edits of the same plan give the same plan', async () => {
  const edits = fc.array(anEdit, { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...WISHES), edits, async (wish, asked) => {
      const [one, other] = [await createPlanner(world, wish), await createPlanner(world, wish)]
      const [first, second] = [await one.tryEdit(asked), await other.tryEdit(asked)]
      expect(first.status).toBe(second.status)
      const [a, b] = [await one.read(), await other.read()]
      expect([productsOf(a), a.total, a.overview]).toEqual([productsOf(b), b.total, b.overview])
    }),
    { numRuns: 3 },
  )
})

/** Plans for sentences, on the demo catalog: what they buy, and what they never buy. */
import { describe, expect, test } from 'vitest'
import { MIN_CATEGORIES } from '../../src/bundles/bundles.schema.ts'
import { chooseCategories } from '../../src/bundles/choose-categories.ts'
import { planFitting, withCandidates } from '../../src/bundles/plan.ts'
import { readWish } from '../../src/bundles/read-wish.ts'
import { writePlan } from '../../src/bundles/write-plan.ts'
import { demoSearch } from '../demo-search.ts'

const search = await demoSearch()

async function planFor(query: string) {
  const wish = readWish(query, search.index().vocabulary())
  const chosen = await chooseCategories(search, wish)
  const categories = await withCandidates(search, chosen)
  const plan = planFitting({ budgetCents: wish.budget?.cents ?? null, categories })
  const line = (slug: string) => plan.lines.find((one) => one.slug === slug)
  return { plan, texts: writePlan(plan, wish), line }
}

describe('parts are not chosen in place of the thing', () => {
  test.each([400, 600, 900, 1500, 3000])('a desk and a chair for $%d', async (dollars) => {
    const { plan } = await planFor(`standing desk and office chair for $${dollars}`)
    for (const { product, because } of plan.lines) {
      expect(product?.title).not.toMatch(/\b(legs only|frame only|converter|replacement|accessory)\b/i)
      expect(because.flaw).not.toBe('not_the_thing')
    }
  })

  test('unless nothing else fits, and then the text says so', async () => {
    const { line, texts } = await planFor('standing desk and office chair for $250')
    expect(line('standing-desks')).toMatchObject({ overBudget: false, because: { flaw: 'not_the_thing' } })
    expect(texts.reasonings['standing-desks']).toContain(
      'It is not quite what you asked for, but nothing closer fits your budget.',
    )
  })
})

test('the cap of one thing holds for each piece', async () => {
  const { line } = await planFor('home office for $1800, two monitors at most $200')
  expect(line('monitors')).toMatchObject({ quantity: 2, because: { flaw: null } })
  expect(line('monitors')?.costCents).toBeLessThanOrEqual(40_000)
})

test('makers to avoid and things that are owned stay out', async () => {
  const { plan } = await planFor('coffee corner for $900, no Brasswick')
  expect(plan.lines.map(({ product }) => product?.brand)).not.toContain('Brasswick')
  const owned = await planFor('home office for $1500, I already have a monitor and my chair is fine')
  expect(owned.line('monitors') ?? owned.line('office-chairs')).toBeUndefined()
  expect(owned.line('standing-desks')?.product).toBeTruthy()
})

test('the age of whom it is for tells the goal where nothing else does', async () => {
  const { plan } = await planFor('my grandson (14 months) stays with us, we have nothing for him. $700')
  expect(plan.lines.map(({ slug }) => slug)).toEqual(['car-seats', 'strollers', 'baby-monitors'])
})

test('who works from a shed wants an office', async () => {
  const { line } = await planFor(
    'working from the garden shed from now on, what should be in there for $1,500?',
  )
  for (const slug of ['standing-desks', 'office-chairs', 'monitors']) expect(line(slug)?.product).toBeTruthy()
})

test('what is called so is meant, though it is for a baby', async () => {
  const { line } = await planFor('nursery: a baby monitor and a crib mattress, $450')
  expect(line('mattresses')).toMatchObject({ product: { title: expect.stringContaining('Crib') } })
})

test('twins sit in a car seat each', async () => {
  const { line } = await planFor("we're having twins in June, need the big stuff, $2,000")
  expect(line('car-seats')?.quantity).toBe(2)
  expect(line('baby-monitors')?.quantity).toBe(1)
})

test('a demand holds for every line', async () => {
  const { plan } = await planFor('keyboard, mouse and headphones under $300, no wireless')
  expect(plan.lines).toHaveLength(3)
  for (const { product } of plan.lines) expect(product?.title).not.toMatch(/wireless|bluetooth/i)
})

test('what buyers rate low is bought only when nothing else fits, and then the text says so', async () => {
  const queries = [
    'home office for $',
    'first kitchen for $',
    'camping kit for two for $',
    'desk, chair and monitor for $',
  ]
  for (const query of queries)
    for (const dollars of [150, 300, 600, 1200, 2500]) {
      const { plan, texts } = await planFor(`${query}${dollars}`)
      for (const { slug, product, named, because } of plan.lines) {
        if (because.flaw !== 'rating') continue
        const needed = named || plan.lines.length <= MIN_CATEGORIES
        expect(needed, `${query}${dollars} ${product?.slug}`).toBe(true)
        expect(texts.reasonings[slug]).toContain('Buyers rate it low')
      }
      if (plan.lines.some(({ overBudget }) => overBudget)) continue
      expect(plan.totalCents).toBeLessThanOrEqual(dollars * 100)
    }
})

/** The plan of the day: made by the planner for this catalog, the same on every node, and never in anybody's way. */
import { expect, test, vi } from 'vitest'
import type { ChangeEvent } from '../../src/catalog/changes.follower.ts'
import { DAY_MS, manualClock } from '../../src/lib/clock.ts'
import { AppError } from '../../src/lib/errors.ts'
import { createPlanOfDay, WISHES } from '../../src/plans/plan-of-day.ts'
import { createCatalogIndex } from '../../src/search/catalog-index.ts'
import type { Search } from '../../src/search/search.service.ts'
import { demoSearch } from '../demo-search.ts'
import { captureLog, createTestDatabase, EMBEDDER, SILENT } from '../harness.ts'

// It is opened and never read: all of it comes from the index.
const { db } = await createTestDatabase()
const START = '2026-11-02T10:00:00Z'

async function planOfDay(more: Partial<Search> = {}) {
  const clock = manualClock(START)
  const search = { ...(await demoSearch()), ...more }
  return { clock, search, plans: createPlanOfDay({ db, clock, log: SILENT, search }) }
}

const change = (productId: string | null): ChangeEvent =>
  ({ productId, categoryId: 'c', aspect: 'product' }) as unknown as ChangeEvent

test('it has a request, at least three things and their sum, within the budget', async () => {
  const { plans } = await planOfDay()
  const day = await plans.find()
  expect(WISHES.map(({ wish }) => wish)).toContain(day?.wish)
  const { categories = [], total, budget, plan_id } = day?.response ?? {}
  expect(plan_id).toBeNull()
  expect(categories.length).toBeGreaterThanOrEqual(3)
  expect(total).toBeCloseTo(categories.reduce((sum, { cost }) => sum + (cost ?? Number.NaN), 0))
  expect(total).toBeLessThanOrEqual(budget ?? 0)
  for (const { product, over_budget, reasoning } of categories) {
    expect(product).not.toBeNull()
    expect(over_budget).toBe(false)
    expect(reasoning).toBeTruthy()
  }
})

test('two nodes show the same on the same day, whatever they showed the day before', async () => {
  const [one, other] = [await planOfDay(), await planOfDay()]
  await one.plans.find()
  for (const { clock } of [one, other]) clock.advance(5 * DAY_MS)
  const [a, b] = [await one.plans.find(), await other.plans.find()]
  expect(a?.wish).toBe(b?.wish)
  expect(a?.response).toEqual(b?.response)
})

test('nobody waits for it: there is none until it is made, and yesterday’s is not shown', async () => {
  const { clock, plans } = await planOfDay()
  expect(plans.current()).toBeNull()
  await vi.waitFor(() => expect(plans.current()).not.toBeNull())
  clock.advance(DAY_MS)
  expect(plans.current()).toBeNull()
  await vi.waitFor(() => expect(plans.current()).not.toBeNull())
})

test('it is made once until the catalog changes, and stays while its own products do', async () => {
  const embed = vi.fn((text: string) => EMBEDDER.embedQuery(text))
  const { clock, plans } = await planOfDay({ embed })
  const first = await plans.find()
  const asked = embed.mock.calls.length
  for (let n = 0; n < 3; n++) expect(plans.current()).toBe(first)
  expect(await plans.find()).toBe(first)
  expect(embed).toHaveBeenCalledTimes(asked)

  plans.apply([change('another')])
  expect(plans.current()).toBe(first)
  clock.advance(60_000)
  plans.current()
  await vi.waitFor(() => expect(plans.current()?.version).not.toBe(first?.version))
  expect(plans.current()?.response).toEqual(first?.response)

  plans.apply([change(first?.products[0] ?? '')])
  expect(plans.current()).toBeNull()
})

test('there is none for a catalog that serves no request, nor by words alone, nor while the index is loading', async () => {
  const empty = createCatalogIndex(16)
  expect(
    await (await planOfDay({ index: () => empty, reading: (look) => look(empty) })).plans.find(),
  ).toBeNull()
  expect(await (await planOfDay({ embed: async () => null })).plans.find()).toBeNull()
  const loading = () => {
    throw new AppError('unavailable', 'the search index is loading')
  }
  const { plans } = await planOfDay({ index: loading, reading: loading })
  expect(await plans.find()).toBeNull()
})

test('a fault is logged, and the next asker tries again', async () => {
  const { log, text } = captureLog()
  const clock = manualClock(START)
  const search = await demoSearch()
  const embed = vi.fn(search.embed).mockRejectedValueOnce(new Error('broken'))
  const plans = createPlanOfDay({ db, clock, log, search: { ...search, embed } })
  expect(plans.current()).toBeNull()
  await vi.waitFor(() => expect(text()).toContain('broken'))
  clock.advance(60_000)
  plans.current()
  await vi.waitFor(() => expect(plans.current()).not.toBeNull())
})

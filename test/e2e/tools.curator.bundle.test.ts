/** product_curator as a planner of bundles: who gets one, within which limits, and what there is instead. */
import { beforeAll, describe, expect, test } from 'vitest'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { type CuratorWorld, createCuratorWorld } from './curator.world.ts'

let souk: CuratorWorld
let curate: CuratorWorld['curate']
const THREE = 'a standing desk, an office chair and a monitor'

beforeAll(async () => {
  souk = await createCuratorWorld()
  curate = souk.curate
})

describe('a bundle', () => {
  test('asked for outright, it keeps to budget_usd, fills exactly the categories, and counts one', async () => {
    const person = await souk.person()
    const categories = ['office-chairs', 'desk-lamps', 'monitors']
    const { data, text } = await curate(
      { query: 'home office', bundle: true, budget_usd: 900, categories, must_have: ['adjustable'] },
      person,
    )
    expect(data).toMatchObject({ kind: 'bundle', products: null, comparison: null })
    expect(data.bundle?.budget_usd).toBe(900)
    expect(data.bundle?.total_usd).toBeLessThanOrEqual(900)
    expect(data.bundle?.lines.map(({ category }) => category)).toEqual(categories)
    const costs = data.bundle?.lines.map(({ cost_usd }) => cost_usd ?? 0) ?? []
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(data.bundle?.total_usd ?? 0, 2)
    for (const { must_have } of data.bundle?.lines ?? []) expect(must_have).toHaveLength(1)
    expect(text).toContain('Budget: $900')
    expect(await souk.served(person)).toBe(1)
  })

  test('several things and a budget_usd read as one, as if the budget stood in the query', async () => {
    const person = await souk.person()
    expect((await curate({ query: THREE }, person)).data.kind).toBe('shortlist')
    const { data } = await curate({ query: THREE, budget_usd: 1_500 }, person)
    expect(data.bundle?.lines.map(({ category }) => category)).toEqual([
      'standing-desks',
      'office-chairs',
      'monitors',
    ])
    expect(data.bundle?.budget_usd).toBe(1_500)
    expect(await souk.served(person)).toBe(1)
  })

  test('of two budgets the lower holds, and dollars beside a foreign sum settle it', async () => {
    const lower = await curate({ query: `${THREE} under $1,200`, budget_usd: 2_000 })
    expect(lower.data.bundle?.budget_usd).toBe(1_200)
    const given = await curate({ query: `${THREE} under $2,000`, budget_usd: 1_200 })
    expect(given.data.bundle?.budget_usd).toBe(1_200)
    const foreign = { query: `${THREE} under €1,100`, bundle: true }
    expect((await curate(foreign)).data.bundle).toMatchObject({
      budget_usd: 1_100,
      overview: expect.stringContaining('for €, so we read your budget as $1,100'),
    })
    expect((await curate({ ...foreign, budget_usd: 1_200 })).data.bundle?.budget_usd).toBe(1_200)
  })

  test('what the query says of a category that is given still counts', async () => {
    const query = 'two monitors and a desk lamp for my desk'
    const { data } = await curate({
      query,
      bundle: true,
      categories: ['monitors', 'desk-lamps'],
      budget_usd: 900,
    })
    expect(data.bundle?.lines.map(({ category, quantity }) => [category, quantity])).toEqual([
      ['monitors', 2],
      ['desk-lamps', 1],
    ])
  })

  test('one category is no bundle: refused when asked for outright, else a shortlist', async () => {
    const args = { query: `${THREE} under $1,500`, categories: ['monitors', 'monitors'] }
    expect((await curate({ ...args, bundle: true })).error).toMatchObject({
      kind: 'invalid',
      field: 'categories',
    })
    expect((await curate(args)).data.kind).toBe('shortlist')
  })

  test('without a verified email it is forbidden when asked for, else a shortlist that says why', async () => {
    const person = await souk.person({ verified: false })
    const { error } = await curate({ query: 'home office', bundle: true }, person)
    expect(error).toMatchObject({ kind: 'forbidden', code: 'EMAIL_UNVERIFIED_CODE' })
    const { data, text } = await curate({ query: THREE, budget_usd: 1_500 }, person)
    expect(data.kind).toBe('shortlist')
    expect(data.notes[0]).toContain('verified email')
    expect(text).toContain('verified email')
    expect(await souk.served(person)).toBe(0)
  })

  test('the 21st of a day is refused when asked for, else a shortlist that says why; false never spends one', async () => {
    const person = await souk.person()
    const day = souk.clock.now().toISOString().slice(0, 10)
    await souk.database.db
      .insertInto('bundle_days')
      .values({ user_id: person.userId, day, served: 20 })
      .execute()
    const args = { query: THREE, budget_usd: 1_500 }
    const { error } = await curate({ ...args, bundle: true }, person)
    expect(error).toMatchObject({ kind: 'rate_limited', code: 'quota_exceeded', max: 20 })
    const instead = await curate(args, person)
    expect(instead.data).toMatchObject({ kind: 'shortlist' })
    expect(instead.data.notes[0]).toContain('20 bundles for today')
    expect((await curate({ ...args, bundle: false }, person)).data).toMatchObject({
      kind: 'shortlist',
      notes: [],
    })
    expect(await souk.served(person)).toBe(20)
  })

  test('a category that holds nothing is shown as such, not left out', async () => {
    await importCategories(souk.ctx, [{ slug: 'empty-shelves', label: 'Empty shelves' }])
    await souk.catchUp()
    const { data } = await curate({
      query: 'desk',
      bundle: true,
      categories: ['empty-shelves', 'desk-lamps'],
    })
    expect(data.bundle?.lines).toMatchObject([
      { category: 'empty-shelves', product_slug: null, title: null, must_have: [] },
      { category: 'desk-lamps', product_slug: expect.stringMatching(/^desk-lamps\//) },
    ])
  })
})

describe('a kept bundle', () => {
  test('is shown again with alternatives, and edited, by its plan_id', async () => {
    const person = await souk.person()
    const made = await curate({ query: THREE, bundle: true, budget_usd: 1_500 }, person)
    const plan_id = made.data.bundle?.plan_id ?? ''
    expect(made.text).toContain(`product_curator with plan_id ${plan_id}`)
    const seen = await curate({ query: 'the plan', plan_id }, person)
    expect(seen.data).toMatchObject({
      kind: 'bundle',
      query_id: null,
      bundle: { plan_id, total_usd: made.data.bundle?.total_usd },
    })
    expect(seen.text).toContain('Alternatives: ')
    const edits = [{ keep: 'monitors' }, { remove: 'office-chairs' }]
    const edited = await curate({ query: 'the plan', plan_id, edits }, person)
    expect(edited.data.bundle?.lines.map(({ category, kept }) => [category, kept])).toEqual([
      ['standing-desks', false],
      ['monitors', true],
    ])
    expect(edited.text).toContain(' · kept')
    expect(await souk.served(person)).toBe(1)
  })

  test('is nobody else’s, and wrong edits are refused as by REST', async () => {
    const person = await souk.person()
    const plan_id = (await curate({ query: THREE, bundle: true }, person)).data.bundle?.plan_id
    const refused = async (args: Record<string, unknown>, by = person) => {
      const { isError, text } = await curate({ query: 'the plan', ...args }, by)
      return [isError, text]
    }
    expect(await refused({ plan_id })).toEqual([false, expect.any(String)])
    expect(await refused({ plan_id }, await souk.person())).toEqual([
      true,
      expect.stringContaining('no such plan'),
    ])
    expect(await refused({ plan_id, edits: [{ keep: 'teapots' }] })).toEqual([
      true,
      expect.stringContaining('no line teapots'),
    ])
    expect(await refused({ edits: [{ keep: 'monitors' }] })).toEqual([
      true,
      expect.stringContaining('plan_id'),
    ])
  })
})

/** The limit of twenty bundles a day (interface 8): it counts what was served and nothing else, however many ask at once. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createBundles } from '../../src/plans/bundles.service.ts'
import { sweepBundleDays } from '../../src/plans/quota.service.ts'
import { createTestApp } from '../harness.ts'
import { createPerson, isBundle, PATTERN, PLAIN } from './bundles.world.ts'
import { ask, createDemoApp } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>
const TODAY = '2026-11-01'

beforeAll(async () => {
  world = await createDemoApp()
})
beforeEach(() => world.clock.set(`${TODAY}T12:00:00Z`))

test('exactly 20 of 40 parallel requests of one person are served, the others are 429', async () => {
  const person = await createPerson(world, true)
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => person.search({ query: `${PATTERN} ${'z'.repeat(n)}` })),
  )
  const served = answers.filter(({ status }) => status === 200)
  expect(served).toHaveLength(20)
  expect(served.every(isBundle)).toBe(true)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(20)
  expect(await person.served()).toEqual({ [TODAY]: 20 })
})

test('over the limit is 429 with the code, the limit and when to come back, until midnight UTC', async () => {
  const person = await createPerson(world, true)
  await person.serve(TODAY, 19)
  world.clock.set(`${TODAY}T23:59:29.500Z`)
  expect(isBundle(await person.search({ query: PATTERN }))).toBe(true)
  const { status, headers, body } = await person.search({ query: PATTERN })
  expect([status, headers.get('retry-after')]).toEqual([429, '31'])
  expect(body).toEqual({ error: expect.stringContaining('20'), max: 20, code: 'quota_exceeded' })
  // It stops bundles, not searching.
  expect((await person.search({ query: PLAIN })).status).toBe(200)
  expect((await person.search({ query: PATTERN, filters: { category: 'monitors' } })).status).toBe(200)
  world.clock.set('2026-11-02T00:00:00Z')
  expect(isBundle(await person.search({ query: PATTERN }))).toBe(true)
  expect(await person.served()).toEqual({ [TODAY]: 20, '2026-11-02': 1 })
})

test('the limit is for each person', async () => {
  const [spent, fresh] = [await createPerson(world, true), await createPerson(world, true)]
  await spent.serve(TODAY, 20)
  expect((await spent.search({ query: PATTERN })).status).toBe(429)
  expect((await fresh.search({ query: PATTERN })).status).toBe(200)
})

test('a request that is refused over the limit is not counted', async () => {
  const person = await createPerson(world, true)
  await person.serve(TODAY, 20)
  for (let n = 0; n < 3; n++) await person.search({ query: PATTERN })
  expect(await person.served()).toEqual({ [TODAY]: 20 })
})

test('a plan that fails gives back what it took, to the day it was taken from', async () => {
  const { search } = world.searchRuntime
  const midnight = () => world.clock.set('2026-11-02T00:00:01Z')
  const failing = createBundles({
    ...world.ctx,
    search: {
      ...search,
      candidates: async () => {
        midnight()
        throw new Error('the candidates cannot be read')
      },
    },
    writer: null,
  })
  const other = await createTestApp({ database: world.database, bundles: failing })
  await other.searchRuntime.fill()
  const person = await createPerson(world, true)
  await person.serve(TODAY, 19)
  await person.serve('2026-11-02', 5)
  world.clock.set(`${TODAY}T23:59:59Z`)
  const body = { query: PATTERN, bundle: true }
  const failed = await ask(other.app, body, { headers: { cookie: person.cookie } })
  expect([failed.status, failed.body.code]).toEqual([500, 'internal'])
  expect(await person.served()).toEqual({ [TODAY]: 19, '2026-11-02': 5 })
})

test('a day is forgotten when the one after it is over too', async () => {
  const person = await createPerson(world, true)
  for (const [day, served] of Object.entries({ '2026-10-30': 3, '2026-10-31': 4, [TODAY]: 5 }))
    await person.serve(day, served)
  expect(await sweepBundleDays(world.ctx)).toBe(1)
  expect(await person.served()).toEqual({ '2026-10-31': 4, [TODAY]: 5 })
})

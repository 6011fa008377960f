/** Plans that are kept for the people they were made for: who has them, how many, and until when. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { deletePlan, listPlans, MOST_PLANS, requirePlan, sweepPlans } from '../../src/plans/plans.service.ts'
import { PASSWORD } from '../accounts.ts'
import { bundleOf, createPerson, PATTERN } from './bundles.world.ts'
import { createDemoApp } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>

beforeAll(async () => {
  world = await createDemoApp()
})
beforeEach(() => world.clock.set('2026-11-01T12:00:00Z'))

const planned = async (query = PATTERN) => {
  const person = await createPerson(world, true)
  return { person, bundle: bundleOf(await person.search({ query })) }
}
const idOf = ({ plan_id }: { plan_id: string | null }) => plan_id ?? ''
const actionsOf = async (userId: string) =>
  (
    await world.database.pool.query<{ action: string; detail: { plan_id: string } }>(
      `select action, detail from audit_log where user_id = $1 and action like 'plan.%' order by id`,
      [userId],
    )
  ).rows

test('a served plan is kept as it was answered, for its owner alone', async () => {
  const { person, bundle } = await planned()
  const other = await createPerson(world, true)
  const kept = await requirePlan(world.ctx, { userId: person.id }, idOf(bundle))
  expect(kept).toMatchObject({ revision: 1, totalCents: bundle.total * 100, wish: { query: PATTERN } })
  expect(kept.plan.lines.map(({ productSlug }) => productSlug)).toEqual(
    bundle.categories.map(({ slug, product }) => `${slug}/${product?.slug}`),
  )
  expect(await actionsOf(person.id)).toEqual([{ action: 'plan.made', detail: { plan_id: bundle.plan_id } }])
  for (const id of [idOf(bundle), 'no-id', person.id])
    await expect(requirePlan(world.ctx, { userId: other.id }, id)).rejects.toMatchObject({
      kind: 'not_found',
    })
  expect(await listPlans(world.ctx, { userId: other.id })).toEqual([])
})

test('a person keeps the latest 200', async () => {
  const { person, bundle } = await planned()
  await world.database.pool.query(
    `insert into plans (id, user_id, wish, asked, plan, total_cents, created_at, updated_at)
     select gen_random_uuid(), user_id, wish, asked, plan, total_cents, created_at, updated_at + interval '1 hour'
     from plans, generate_series(1, $2) where id = $1`,
    [bundle.plan_id, MOST_PLANS - 1],
  )
  expect(await listPlans(world.ctx, { userId: person.id })).toHaveLength(MOST_PLANS)
  world.clock.advance(7_200_000)
  await person.search({ query: PATTERN })
  const left = await listPlans(world.ctx, { userId: person.id })
  expect(left).toHaveLength(MOST_PLANS)
  expect(left.some(({ id }) => id === bundle.plan_id)).toBe(false)
})

test('a plan goes when its owner deletes it, and nobody else can', async () => {
  const { person, bundle } = await planned()
  const other = await createPerson(world, true)
  await expect(deletePlan(world.ctx, { userId: other.id }, idOf(bundle))).rejects.toMatchObject({
    kind: 'not_found',
  })
  await deletePlan(world.ctx, { userId: person.id }, idOf(bundle))
  await expect(deletePlan(world.ctx, { userId: person.id }, idOf(bundle))).rejects.toMatchObject({
    kind: 'not_found',
  })
  expect((await actionsOf(person.id)).map(({ action }) => action)).toEqual(['plan.made', 'plan.deleted'])
})

test('a plan that nobody has changed for a year is swept', async () => {
  const { person } = await planned()
  const inBatches = async (batch: (rows: number) => Promise<{ removed: number }>) =>
    (await batch(100)).removed
  expect(await sweepPlans(world.ctx, { inBatches })).toMatchObject({ plans: 0 })
  world.clock.set('2027-11-01T12:00:01Z')
  await sweepPlans(world.ctx, { inBatches })
  expect(await listPlans(world.ctx, { userId: person.id })).toEqual([])
})

test('plans are in the export of a person’s data and go with the account', async () => {
  const { person, bundle } = await planned()
  const exported = (await (await person.browser.get('/account/export')).json()) as Record<string, unknown>
  expect(exported.plans).toMatchObject([
    { plan_id: bundle.plan_id, query: PATTERN, budget_usd: 1500, total_usd: bundle.total },
  ])
  await person.browser.post('/account/delete', { password: PASSWORD, confirm: 'delete' })
  const { rows } = await world.database.pool.query('select 1 from plans where user_id = $1', [person.id])
  expect(rows).toEqual([])
})

test('a sketch is counted and kept for nobody', async () => {
  const sketch = await world.bundles.sketch({ query: PATTERN })
  expect(sketch).toMatchObject({ type: 'bundle', plan_id: null, budget: 1500 })
})

/** A set whose budget is in another currency is planned and says how the amount was read; one of $0 is a budget of 0. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createPerson } from '../e2e/bundles.world.ts'
import { ask, createDemoApp } from '../e2e/search.world.ts'
import { person as callerOf, run } from '../skills.world.ts'
import { type ToolPerson, withTools } from '../tools.world.ts'

const THINGS = 'an espresso machine and a coffee grinder'
type Plan = { type: string; overview: string; budget: number | null; total: number; categories: Line[] }
type Line = { slug: string; over_budget: boolean; cost: number | null; product: { slug: string } | null }

const world = withTools(await createDemoApp())
let verified: Awaited<ReturnType<typeof createPerson>>
let ada: ToolPerson
beforeAll(async () => {
  verified = await createPerson(world, true)
  ada = await world.person()
})

async function plan(query: string, more: Record<string, unknown> = {}): Promise<Plan> {
  // Twenty a day are too few for all of these.
  await world.database.pool.query('delete from bundle_days')
  const { status, body } = await verified.search({ query, bundle: true, ...more })
  expect([status, body]).toMatchObject([200, { type: 'bundle' }])
  return body as unknown as Plan
}

describe('a budget in another currency', () => {
  test.each([
    [`${THINGS} under €700`, 700, '€'],
    [`${THINGS} under 700 euros`, 700, 'euros'],
    [`${THINGS} for £650`, 650, '£'],
    [`${THINGS}, max 9000 kr`, 9_000, 'kr'],
    [`${THINGS}, 12 000 kr`, 12_000, 'kr'],
    [`${THINGS}, CHF 500`, 500, 'CHF'],
    [`${THINGS} under 1.200 €`, 1_200, '€'],
    [`${THINGS} under 1.200,50 €`, 1_200.5, '€'],
    [`${THINGS} under C$900`, 900, 'C$'],
    [`${THINGS} around ¥80000`, 80_000, '¥'],
  ])('%s: is read as %d US dollars, and the overview says so', async (query, budget, currency) => {
    const { overview, budget: read, total, categories } = await plan(query)
    expect(read).toBe(budget)
    expect(overview).toContain('there is no exchange rate')
    expect(overview).toContain(
      `for ${currency}, so we read your budget as $${budget.toLocaleString('en-US')}`,
    )
    if (categories.every(({ over_budget }) => !over_budget)) expect(total).toBeLessThanOrEqual(budget)
  })

  test('in dollars needs no such word, and dollars beside another currency hold', async () => {
    expect((await plan(`${THINGS} under $700`)).overview).not.toContain('exchange rate')
    const both = await plan(`${THINGS} under $700 (about €650)`)
    expect(both.budget).toBe(700)
    expect(both.overview).not.toContain('exchange rate')
  })

  test('a wish that reads as a set is planned without being asked for outright', async () => {
    await world.database.pool.query('delete from bundle_days')
    const { status, body } = await verified.search({ query: `${THINGS} under €700` })
    expect([status, body]).toMatchObject([200, { type: 'bundle', budget: 700 }])
  })

  test('anonymous callers get the regular answer', async () => {
    const { status, body } = await ask(world.app, { query: `${THINGS} under €700`, bundle: true })
    expect([status, Object.keys(body).slice(0, 2)]).toEqual([200, ['query_id', 'results']])
    expect(body).not.toHaveProperty('type')
  })

  test('the tool and the skill plan it as well', async () => {
    const { data, isError } = await world.call(ada, 'product_curator', {
      ...{ query: `${THINGS} under €700`, bundle: true },
    })
    expect(isError).toBe(false)
    expect(data.bundle).toMatchObject({
      budget_usd: 700,
      overview: expect.stringContaining('for €, so we read your budget as $700'),
    })
    const caller = { ...callerOf(true), user: { ...callerOf(true).user, id: ada.userId } }
    const answer = await run(
      world,
      'product-recommendation',
      { query: `${THINGS} under 700 euros`, bundle: true },
      caller,
    )
    expect(answer.data).toMatchObject({ type: 'bundle', budget: 700 })
    expect(answer.text).toContain('for euros, so we read your budget as $700')
  })

  test('so does the page', async () => {
    await world.database.pool.query('delete from bundle_days')
    const path = `/search?${new URLSearchParams({ q: `${THINGS} under €700`, bundle: '1' })}`
    const html = await (await verified.browser.get(path)).text()
    expect(html).toContain('for €, so we read your budget as $700')
  })
})

describe('a budget of $0', () => {
  test.each([`${THINGS} under $0`, `${THINGS} for 0 dollars`, `${THINGS} under €0`])('%s', async (query) => {
    const { budget, categories, overview } = await plan(query)
    expect(budget).toBe(0)
    expect(categories.length).toBeGreaterThan(1)
    // What the wish names is retried without a limit and marked, as with any budget that is too small.
    for (const line of categories) expect([line.slug, line.over_budget]).toEqual([line.slug, true])
    expect(overview).toContain('$0')
  })
})

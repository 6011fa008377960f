/** Plans that are shown to others, and plans whose sellers are asked. */
import { beforeAll, describe, expect, test } from 'vitest'
import { PASSWORD } from '../accounts.ts'
import { createDemoDatabase, createTestApp, testConfig } from '../harness.ts'
import { call as callAs, createOrg, relate } from '../orgs.ts'
import { createPerson } from './bundles.world.ts'
import { call, createPlanner } from './plans.world.ts'
import { carryOutRequests } from './rfq.world.ts'
import { createDemoApp } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>

beforeAll(async () => {
  world = await createDemoApp()
  carryOutRequests(world)
})

const WISH = 'a standing desk, an office chair and a monitor for my hidden lair under $1,500'

describe('a shared plan', () => {
  const sharing = async (body: unknown = {}) => {
    const planner = await createPlanner(world, WISH)
    const made = await planner.as('POST', `${planner.path}share/`, body)
    const shared = () => call(world, 'GET', `/api/shared-plans/${made.body.share_id}/`)
    return { ...planner, share: made.body as Record<string, string>, status: made.status, shared }
  }

  test('is read by anyone with its address, as it was, without the words of the wish', async () => {
    const { status, share, shared, edit, made } = await sharing()
    expect([status, share.with_words]).toEqual([201, false])
    expect(share.url).toMatch(/\/shared-plans\/[0-9a-f-]{36}$/)
    const before = (await shared()).body
    expect(before).toMatchObject({ query: null, total: made.total, priced_at: '2026-11-01T12:00:00.000Z' })
    expect(JSON.stringify(before)).not.toMatch(/lair|plan_id/)
    await edit({ remove: 'monitors' })
    expect((await shared()).body).toEqual(before)
  })

  test('has the words where the owner says so', async () => {
    const { shared } = await sharing({ with_words: true })
    expect((await shared()).body).toMatchObject({ query: WISH })
  })

  test('is kept by no cache, search engine or log, and names itself to no other site', async () => {
    const { shared, share } = await sharing()
    const { headers } = await shared()
    expect(['cache-control', 'referrer-policy', 'x-robots-tag'].map((name) => headers.get(name))).toEqual([
      'no-store',
      'no-referrer',
      'noindex, nofollow',
    ])
    expect(world.logged.text()).not.toContain(share.share_id)
  })

  test('ends when it is revoked, by its owner alone, or with the plan', async () => {
    const { as, path, share, shared } = await sharing()
    const other = await createPerson(world, true)
    const share_id = share.share_id
    const theirs = await call(world, 'DELETE', `${path}share/?share_id=${share_id}`, {
      headers: { cookie: other.cookie },
    })
    expect([theirs.status, (await shared()).status]).toEqual([404, 200])
    expect((await as('GET', `${path}share/`)).body.shares).toMatchObject([{ share_id }])
    expect((await as('DELETE', `${path}share/?share_id=${share_id}`)).status).toBe(200)
    expect((await shared()).status).toBe(404)
    expect((await as('GET', `${path}share/`)).body.shares).toEqual([])
    const again = await as('POST', `${path}share/`, {})
    await as('DELETE', path)
    expect((await call(world, 'GET', `/api/shared-plans/${again.body.share_id}/`)).status).toBe(404)
  })

  test('goes with the account', async () => {
    const { person, shared } = await sharing()
    await person.browser.post('/account/delete', { password: PASSWORD, confirm: 'delete' })
    expect((await shared()).status).toBe(404)
  })

  test('a plan has at most ten links that work', async () => {
    const { as, path } = await sharing()
    const more = await Promise.all(Array.from({ length: 12 }, () => as('POST', `${path}share/`, {})))
    expect(more.filter(({ status }) => status === 201)).toHaveLength(9)
    expect(more.filter(({ status, body }) => status === 409 && body.max === 10)).toHaveLength(3)
  })
})

const SELLS = 'office-chairs'

async function sellerOf(souk: typeof world, slug: string): Promise<void> {
  const { rows } = await souk.database.pool.query<{ id: string }>('select id from products where slug = $1', [
    slug,
  ])
  const seller = await createOrg(souk)
  await relate(souk, seller, rows[0]?.id ?? '')
  const rules = { is_managed: true, managed_rules: { volume_discounts: [{ min_qty: 1, discount_pct: 5 }] } }
  const { status } = await callAs(souk, seller.session, 'PATCH', '/api/org/agent-integration/', rules)
  expect(status).toBe(200)
}

const outcomesOf = ({ body }: { body: Record<string, unknown> }) =>
  Object.fromEntries(
    (body.lines as Array<{ line: string; outcome: string }>).map((one) => [one.line, one.outcome]),
  )

describe('asking all sellers', () => {
  const requests = async (souk: typeof world, id: string) =>
    (await souk.database.pool.query('select rfq_id from plan_requests where plan_id = $1', [id])).rows

  test('makes one request a line, and shows the best quotes beside the plan', async () => {
    const { as, path, made, id } = await createPlanner(world)
    const chair = made.categories.find(({ slug }) => slug === SELLS)
    await sellerOf(world, chair?.product?.slug ?? '')
    const before = await as('GET', `${path}ask/`)
    expect(before.body).toMatchObject({ quoted_usd: 0, total_usd: made.total })
    const asked = await as('POST', `${path}ask/`, { delivery_region: 'California' })
    expect(asked.status).toBe(200)
    expect(outcomesOf(asked)).toEqual({ 'standing-desks': 'asked', [SELLS]: 'asked', monitors: 'asked' })
    await expect
      .poll(async () => JSON.stringify((await as('GET', `${path}ask/`)).body), { timeout: 20_000 })
      .not.toContain('waiting')
    const { body } = await as('GET', `${path}ask/`)
    expect(body.lines).toContainEqual({
      ...{ line: SELLS, state: 'quoted', request_id: expect.any(String), asked: 1, plan_usd: chair?.cost },
      best: expect.objectContaining({ seller: expect.any(String), total_usd: expect.any(Number) }),
    })
    expect(body).toMatchObject({ plan_usd: chair?.cost, total_usd: made.total })
    expect(body.quoted_usd).toBeGreaterThan(0)
    expect(body.without_quote).toEqual(['standing-desks', 'monitors'])
    expect(await requests(world, id)).toHaveLength(3)
  })

  test('twice asks once, also at the same time', async () => {
    const { as, path, id } = await createPlanner(world)
    const both = await Promise.all([as('POST', `${path}ask/`, {}), as('POST', `${path}ask/`, {})])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    expect(outcomesOf(await as('POST', `${path}ask/`, {}))).toEqual({
      ...{ 'standing-desks': 'already_asked', [SELLS]: 'already_asked', monitors: 'already_asked' },
    })
    expect(await requests(world, id)).toHaveLength(3)
  })

  test('asks again for what was changed since, and for nothing else', async () => {
    const { as, path, edit } = await createPlanner(world)
    await as('POST', `${path}ask/`, {})
    await edit({ replace: SELLS })
    const { body } = await as('GET', `${path}ask/`)
    expect(
      (body.lines as Array<{ line: string; state: string }>).find(({ line }) => line === SELLS)?.state,
    ).toBe('not_asked')
    expect(outcomesOf(await as('POST', `${path}ask/`, {}))).toEqual({
      ...{ 'standing-desks': 'already_asked', [SELLS]: 'asked', monitors: 'already_asked' },
    })
  })

  test('is the owner’s alone', async () => {
    const { path } = await createPlanner(world)
    const other = await createPerson(world, true)
    for (const method of ['GET', 'POST'])
      expect(
        (
          await call(world, method, `${path}ask/`, {
            headers: { cookie: other.cookie },
            ...(method === 'POST' && { body: {} }),
          })
        ).status,
      ).toBe(404)
  })

  test('stops at the limit of requests, and says which lines were asked and which were not', async () => {
    const souk = await createTestApp({
      database: await createDemoDatabase(),
      demo: true,
      config: testConfig({ SOUK_LIMITS: 'rfq=2/hour' }),
    })
    await souk.searchRuntime.fill()
    await souk.catchUp()
    const { as, path, id } = await createPlanner(souk)
    const asked = await as('POST', `${path}ask/`, {})
    expect([asked.status, Object.values(outcomesOf(asked)).sort()]).toEqual([
      200,
      ['asked', 'asked', 'not_asked'],
    ])
    expect(JSON.stringify(asked.body)).toContain('2 requests for quote an hour')
    expect(await requests(souk, id)).toHaveLength(2)
    const other = await as('POST', '/api/search/', {
      query: 'a tent and a sleeping bag under $500',
      bundle: true,
    })
    const refused = await as('POST', `/api/plans/${other.body.plan_id}/ask/`, {})
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
    souk.clock.advance(3_600_000)
    expect(Object.values(outcomesOf(await as('POST', `${path}ask/`, {}))).sort()).toEqual([
      'already_asked',
      'already_asked',
      'asked',
    ])
  })
})

/** The log of searches and the clicks that follow, over HTTP; it never stands in a shopper's way. */
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { ask, createDemoApp, find, slugs } from './search.world.ts'

let world: Awaited<ReturnType<typeof createDemoApp>>
beforeAll(async () => {
  world = await createDemoApp()
})

type Row = {
  query: string
  filters: Record<string, unknown>
  session_id: string | null
  face: string
  mode: string
  product_ids: string[]
  offset_by: number
  match: string | null
  closest_id: string | null
  ms: number
  at: Date
}

/** Waits for the search to be written. */
async function logged(queryId: string): Promise<Row | undefined> {
  for (let waits = 0; waits < 200; waits++) {
    const { rows } = await world.database.pool.query(
      `select a.*, q.* from search_queries q join search_answers a on a.id = q.answer_id where q.id = $1`,
      [queryId],
    )
    if (rows.length > 0) return rows[0]
    await sleep(10)
  }
}

async function slugsOf(ids: string[]): Promise<string[]> {
  const { rows } = await world.database.pool.query('select id, slug from products where id = any($1)', [ids])
  const byId = new Map(rows.map((row) => [row.id, row.slug]))
  return ids.map((id) => byId.get(id) ?? '')
}

const click = (body: Record<string, unknown>) =>
  world.app.request('/api/search/click/', { method: 'POST', body: JSON.stringify(body) })

async function clicksOf(queryId: string): Promise<Array<{ slug: string; position: number | null }>> {
  const { rows } = await world.database.pool.query(
    `select p.slug, c.position from search_clicks c join products p on p.id = c.product_id
     where c.query_id = $1 order by c.id`,
    [queryId],
  )
  return rows
}

describe('a search', () => {
  test('is kept under its query_id with query, filters, results, time and session', async () => {
    const body = {
      query: 'dome tent',
      session_id: '0198c0de-aaaa-7bbb-8ccc-1234567890ab',
      filters: { min_price: 10, max_price: 380.5 },
      limit: 5,
      offset: 3,
    }
    const answer = await find(world.app, body)
    const row = await logged(answer.query_id)
    expect(row).toMatchObject({
      query: 'dome tent',
      filters: { minPriceCents: 1_000, maxPriceCents: 38_050 },
      session_id: body.session_id,
      face: 'rest',
      mode: 'semantic',
      match: 'good',
      closest_id: null,
      offset_by: 3,
      at: world.clock.now(),
    })
    expect(row?.ms).toBeGreaterThan(0)
    expect(await slugsOf(row?.product_ids ?? [])).toEqual(slugs(answer.results))
  })

  test('asked again is kept again under a new query_id', async () => {
    const first = await find(world.app, { query: 'light tent' })
    const again = await find(world.app, { query: 'light tent', session_id: 'another' })
    expect(again.query_id).not.toBe(first.query_id)
    expect(again.results).toEqual(first.results)
    const [one, other] = [await logged(first.query_id), await logged(again.query_id)]
    expect(other?.product_ids).toEqual(one?.product_ids)
    expect([one?.session_id, other?.session_id]).toEqual([null, 'another'])
  })

  test('in which nothing fits is kept with what comes closest', async () => {
    const { query_id } = await find(world.app, { query: 'dishwasher' })
    const row = await logged(query_id)
    expect(row).toMatchObject({ product_ids: [], match: 'none' })
    expect(await slugsOf([row?.closest_id ?? ''])).toEqual([expect.stringMatching(/./)])
  })

  test('that is refused is not kept', async () => {
    const count = async () =>
      (await world.database.pool.query('select count(*) as n from search_queries')).rows[0].n as number
    await logged((await find(world.app, { query: 'before' })).query_id)
    const before = await count()
    await ask(world.app, { query: 'tent', limit: 0 })
    await logged((await find(world.app, { query: 'after' })).query_id)
    expect(await count()).toBe(before + 1)
  })

  test('with what the database cannot store does not take its neighbours out of the log', async () => {
    const odd = await find(world.app, { query: 'odd \u0000 kettle', session_id: 's\u0000' })
    const half = await find(world.app, { query: 'half \ud83d kettle' })
    const plain = await find(world.app, { query: 'plain kettle' })
    expect((await logged(plain.query_id))?.query).toBe('plain kettle')
    expect((await logged(odd.query_id))?.query).toContain('odd')
    expect((await logged(half.query_id))?.query).toContain('half')
  })

  test('is answered while the log cannot be written, and a write that fails is only a warning', async () => {
    const { pool } = world.database
    const gate = await pool.connect()
    await gate.query('begin; lock table search_queries in access exclusive mode')
    // Held until we let go: an answer that waited for its log would never come.
    for (let n = 0; n < 20; n++)
      expect((await find(world.app, { query: `tent ${n}` })).results).toHaveLength(10)
    const waiting = `select pid from pg_locks where relation = 'search_queries'::regclass and not granted and database = (select oid from pg_database where datname = current_database())`
    let held: Array<{ pid: number }> = []
    for (let waits = 0; waits < 200 && held.length === 0; waits++) {
      await sleep(10)
      held = (await pool.query(waiting)).rows
    }
    expect(held).toHaveLength(1)
    await pool.query('select pg_terminate_backend($1)', [held[0]?.pid])
    for (let waits = 0; waits < 200; waits++) {
      if (world.logged.text().includes('searches could not be logged')) break
      await sleep(10)
    }
    await gate.query('rollback')
    gate.release()
    expect(world.logged.lines()).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'searches could not be logged' }),
    )
    const after = await find(world.app, { query: 'tent after the fault' })
    expect((await logged(after.query_id))?.query).toBe('tent after the fault')
  })
})

describe('a click', () => {
  test('right after the search, before it is written, is tied to it with its place in the whole list', async () => {
    const { query_id, results } = await find(world.app, { query: 'warm sleeping bag', limit: 5, offset: 10 })
    const third = results[2]
    const response = await click({ query_id, slug: third?.slug })
    expect(response.status).toBe(204)
    expect(await response.text()).toBe('')
    expect(await clicksOf(query_id)).toEqual([{ slug: third?.slug, position: 13 }])
  })

  test('takes both forms of a slug', async () => {
    const { query_id, results } = await find(world.app, { query: 'tent', limit: 2 })
    const [first, second] = results
    expect((await click({ query_id, slug: `${first?.category}/${first?.slug}` })).status).toBe(204)
    expect((await click({ query_id, slug: second?.slug })).status).toBe(204)
    expect((await clicksOf(query_id)).map(({ position }) => position)).toEqual([1, 2])
  })

  test('on a product that was not among the results has no place', async () => {
    const { results: listed } = await find(world.app, { query: 'tent', limit: 50 })
    const { query_id } = await find(world.app, { query: 'tent', limit: 1 })
    const other = listed[10]?.slug
    expect((await click({ query_id, slug: other })).status).toBe(204)
    expect(await clicksOf(query_id)).toEqual([{ slug: other, position: null }])
  })

  test('on a search or a product that does not exist is 404 and names which', async () => {
    const { query_id, results } = await find(world.app, { query: 'tent' })
    const slug = results[0]?.slug
    for (const [body, field] of [
      [{ query_id: newId(), slug }, 'query_id'],
      [{ query_id: 'not an id', slug }, 'query_id'],
      [{ query_id, slug: 'no-such-product' }, 'slug'],
      [{ query_id, slug: 'a\u0000b' }, 'slug'],
    ] as const) {
      const response = await click(body)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'not_found', field })
    }
    expect(await clicksOf(query_id)).toEqual([])
  })

  test('without its fields is 400 and names the field', async () => {
    const { query_id } = await find(world.app, { query: 'tent' })
    for (const [body, field] of [
      [{}, 'query_id'],
      [{ query_id: 5, slug: 'x' }, 'query_id'],
      [{ query_id }, 'slug'],
      [{ query_id, slug: '' }, 'slug'],
      [{ query_id, slug: 'x'.repeat(301) }, 'slug'],
    ] as const) {
      const response = await click(body)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ field })
    }
  })
})

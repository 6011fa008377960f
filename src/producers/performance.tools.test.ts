/** Figures through the tool server, from rows as searches, reads, requests and clicks leave them. */
import { expect, test } from 'vitest'
import { relate } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { HOSTILE, outsideFences } from '../../test/skills.world.ts'
import { createToolsWorld, type ToolPerson } from '../../test/tools.world.ts'
import { createProductReads } from '../catalog/product-reads.ts'
import { newId } from '../lib/ids.ts'
import { createQueryLog } from '../search/query-log.ts'

const world = await createToolsWorld()
const { pool, db } = world.database
const queries = createQueryLog({ db, log: world.logged.log })
const reads = createProductReads({ db, clock: world.clock, log: world.logged.log })
let made = 0

async function product(title = 'Lamp'): Promise<string> {
  return addProduct(world, { slug: `lamp-${++made}`, category: 'lamps', title })
}

async function producer(...products: string[]): Promise<ToolPerson & { orgId: string }> {
  const person = await world.person({ producer: true })
  if (!person.org) throw new Error('no organization')
  for (const id of products) await relate(world, person.org, id)
  return { ...person, orgId: person.org.id }
}

let visits = 0

type Asking = { times?: number; at?: string; session?: string | null }

/** Each time in another session, unless one is named. */
async function search(query: string, productIds: string[], asking: Asking = {}) {
  const { times = 1, at = '2026-11-01T10:00:00Z', session } = asking
  for (let n = 0; n < times; n++)
    queries.add({
      id: newId(),
      at: new Date(at),
      query,
      filters: {},
      sessionId: session === undefined ? `visit-${++visits}` : session,
      face: 'tools',
      mode: 'semantic',
      productIds,
      offset: 0,
      ms: 1,
    })
  await queries.settled()
}

/** A request with a try and, with a rank, a quote of the organization. */
async function rfq(
  orgId: string,
  productId: string,
  {
    at = '2026-11-01T10:00:00Z',
    rank = null as number | null,
    loss = null as string | null,
    state = 'completed',
    quantity = 1,
    answer = {},
  } = {},
): Promise<string> {
  const id = newId()
  await pool.query(
    `insert into rfqs (id, context_id, product_id, quantity, face, state, created_at, finished_at)
     values ($1, gen_random_uuid(), $2, $5, 'a2a', $4, $3, case when $4 = 'submitted' then null else $3::timestamptz end)`,
    [id, productId, at, state, quantity],
  )
  for (const tries of [1, 2])
    await pool.query(
      `insert into rfq_attempts (rfq_id, org_id, try, kind, started_at, verdict) values ($1, $2, $3, 'agent', $4, 'quoted')`,
      [id, orgId, tries, at],
    )
  if (rank !== null) await quote(id, orgId, { at, rank, loss, answer })
  return id
}

function quote(
  rfqId: string,
  orgId: string,
  { at = '2026-11-01T10:00:00Z', rank = null as number | null, loss = null as string | null, answer = {} },
) {
  return pool.query(
    `insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms, rank, loss_reason)
     values ($1, $2, $3, $7, '{}', $4, 5, $5, $6)`,
    [newId(), rfqId, orgId, at, rank, loss, JSON.stringify(answer)],
  )
}

async function client(name: string): Promise<{ id: string }> {
  const id = newId()
  await pool.query(
    `insert into oauth_clients (client_id, client_name, redirect_uris, metadata) values ($1, $2, '{}', '{}')`,
    [id, name],
  )
  return { id }
}

const click = (orgId: string, productId: string, at = '2026-11-01T10:00:00Z') =>
  pool.query(
    `insert into link_clicks (id, at, kind, link_id, org_id, product_id) values ($1, $2, 'offer', $1, $3, $4)`,
    [newId(), at, orgId, productId],
  )

const ask = (person: ToolPerson, args: Record<string, unknown> = {}) =>
  world.call(person, 'get_performance', args)

test('every figure is counted, in total and by day, and none of another organization', async () => {
  const [mine, theirs] = [await product(), await product()]
  const me = await producer(mine)
  const rival = await producer(theirs, mine)
  const answer = [mine, theirs]
  await search('lamp', answer, { times: 2 })
  await search('lamp', answer, { at: '2026-10-30T23:59:59Z' })
  await search('chair', [theirs], { times: 5 })
  for (const productId of [mine, mine, theirs]) reads.count({ productId, face: 'tools', agent: 'Claude' })
  await reads.settled()
  await rfq(me.orgId, mine, { rank: 1 })
  const second = await rfq(me.orgId, mine, { rank: 2, loss: 'more expensive' })
  // The buyer chose it though it was second.
  await pool.query(
    'update rfqs r set chosen_quote_id = q.id, chosen_at = now() from rfq_quotes q where q.rfq_id = r.id and r.id = $1',
    [second],
  )
  await rfq(me.orgId, mine, { rank: 1, loss: 'you were out of stock, and so was everyone' })
  await rfq(me.orgId, mine)
  await rfq(rival.orgId, mine, { rank: 1 })
  await click(me.orgId, mine)
  await click(rival.orgId, mine)
  const { data, text } = await ask(me)
  expect(data).toMatchObject({
    from: '2026-10-03',
    to: '2026-11-01',
    group_by: 'day',
    totals: { impressions: 3, reads: 2, rfqs: 4, quotes: 3, ranked_first: 1, wins: 1, clicks: 1 },
    rows: [
      {
        key: '2026-11-01',
        impressions: 2,
        reads: 2,
        rfqs: 4,
        quotes: 3,
        ranked_first: 1,
        wins: 1,
        clicks: 1,
      },
      {
        key: '2026-10-30',
        impressions: 1,
        reads: 0,
        rfqs: 0,
        quotes: 0,
        ranked_first: 0,
        wins: 0,
        clicks: 0,
      },
    ],
    total: 2,
  })
  expect(text).toContain('3 impressions · 2 reads · 4 RFQs · 3 quotes · 1 ranked first · 1 win · 1 click')
  expect((await ask(rival)).data).toMatchObject({
    totals: { impressions: 11, reads: 3, rfqs: 1, quotes: 1, ranked_first: 1, wins: 0, clicks: 1 },
  })
})

test('by product each has its own figures, the most seen first', async () => {
  const [seen, read] = [await product('Seen'), await product('Read')]
  const me = await producer(seen, read)
  await search('lamp', [seen, read])
  await search('desk', [seen], { times: 3 })
  await click(me.orgId, read)
  const { data } = await ask(me, { group_by: 'product' })
  expect(data.rows).toMatchObject([
    {
      key: `lamps/lamp-${made - 1}`,
      impressions: 4,
      reads: 0,
      rfqs: 0,
      quotes: 0,
      ranked_first: 0,
      wins: 0,
      clicks: 0,
    },
    {
      key: `lamps/lamp-${made}`,
      impressions: 1,
      reads: 0,
      rfqs: 0,
      quotes: 0,
      ranked_first: 0,
      wins: 0,
      clicks: 1,
    },
  ])
  const cut = await ask(me, { group_by: 'product', limit: 1 })
  expect(cut.data).toMatchObject({ total: 2, totals: { impressions: 5 } })
  expect(cut.data.rows).toHaveLength(1)
  expect(cut.text).toContain('1 more row')
})

test('price rank is the place by total price among the quotes of finished requests, as a number alone', async () => {
  const [one, two] = [await product(), await product()]
  const me = await producer(one, two)
  const [rival, other] = [await producer(one, two), await producer(one, two)]
  const price = (price_usd: number, shipping_cost_usd?: number) => ({ price_usd, shipping_cost_usd })
  const asked = (id: string, day: string, options: object) =>
    rfq(me.orgId, id, { at: `${day}T10:00:00Z`, rank: 1, ...options })
  // 2 × 10 + 5 = 25 is dearer than 2 × 11 = 22 and as dear as 25, whose place it shares: 2nd of 3.
  const first = await asked(one, '2026-10-30', { quantity: 2, answer: price(10, 5) })
  await quote(first, rival.orgId, { rank: 2, answer: price(11) })
  await quote(first, other.orgId, { rank: 3, answer: price(12.5) })
  // Alone: 1st of 1.
  await asked(two, '2026-10-31', { answer: price(7) })
  // Broken off, or still under way: neither is a place.
  for (const state of ['canceled', 'failed', 'submitted']) {
    const open = await asked(two, '2026-11-01', { state, answer: price(99) })
    await quote(open, rival.orgId, { rank: 2, answer: price(1) })
  }
  const { data, text } = await ask(me)
  expect(data.totals).toMatchObject({ quotes: 5, price_rank: 1.5, price_rank_of: 2 })
  expect(data.rows).toMatchObject([
    { key: '2026-11-01', quotes: 3, price_rank: null, price_rank_of: null },
    { key: '2026-10-31', price_rank: 1, price_rank_of: 1 },
    { key: '2026-10-30', price_rank: 2, price_rank_of: 3 },
  ])
  expect(text).toContain('price rank 1.5 of 2 on average')
  const byProduct = (await ask(me, { group_by: 'product' })).data.rows as Array<Record<string, unknown>>
  expect(byProduct.find(({ key }) => key === `lamps/lamp-${made - 1}`)).toMatchObject({
    price_rank: 2,
    price_rank_of: 3,
  })
  const told = JSON.stringify(data) + text
  for (const { orgId } of [rival, other]) expect(told).not.toContain(orgId)
  expect(Object.keys(data.totals as object).sort()).toEqual([
    'clicks',
    'impressions',
    'price_rank',
    'price_rank_of',
    'quotes',
    'ranked_first',
    'reads',
    'response_ms',
    'rfqs',
    'wins',
    'won_usd',
  ])
})

test('by agent only reads are known, over all faces', async () => {
  const id = await product()
  const me = await producer(id)
  for (const face of ['tools', 'a2a'] as const) reads.count({ productId: id, face, agent: 'Claude' })
  reads.count({ productId: id, face: 'tools', agent: 'somebody' })
  await reads.settled()
  const { data } = await ask(me, { group_by: 'agent' })
  const unknown = {
    impressions: null,
    rfqs: null,
    quotes: null,
    ranked_first: null,
    wins: null,
    clicks: null,
    price_rank: null,
    price_rank_of: null,
    won_usd: null,
    response_ms: null,
  }
  expect(data.rows).toEqual([
    { key: 'Claude', reads: 2, ...unknown },
    { key: 'other', reads: 1, ...unknown },
  ])
})

test('by region and by client requests are told apart, with what was won and what to do next', async () => {
  const id = await product('Far')
  const me = await producer(id)
  const rival = await producer(id)
  const answer = { price_usd: 40, shipping_cost_usd: 5 }
  const chosen = await rfq(me.orgId, id, { rank: 1, quantity: 3, answer })
  await pool.query(
    `update rfqs set delivery_region = 'CA-US', face = 'tools', client_id = $2, chosen_at = now(),
       chosen_quote_id = (select id from rfq_quotes where rfq_id = $1) where id = $1`,
    [chosen, (await client('Claude Desktop')).id],
  )
  const lost = await rfq(me.orgId, id, { rank: 2, quantity: 10, loss: 'dearer', answer })
  await pool.query(`update rfq_quotes set loss = $2 where rfq_id = $1`, [
    lost,
    JSON.stringify({ measure: 'total', gapBand: '5-10', help: 'price' }),
  ])
  await quote(lost, rival.orgId, { rank: 1, answer: { price_usd: 30 } })
  const rows = async (group_by: string) => (await ask(me, { group_by })).data.rows
  const byRegion = await ask(me, { group_by: 'region' })
  expect(byRegion.text).toMatch(/^- Not stated: .*\n- California, United States: /m)
  expect(byRegion.data.rows).toMatchObject([
    { key: 'Not stated', rfqs: 1, quotes: 1, wins: 0, won_usd: 0 },
    { key: 'CA-US', rfqs: 1, quotes: 1, wins: 1, won_usd: 125, response_ms: 5, impressions: null },
  ])
  expect(await rows('client')).toMatchObject([
    { key: 'Agents by A2A', rfqs: 1, wins: 0 },
    { key: 'Claude', rfqs: 1, wins: 1, won_usd: 125 },
  ])
  const { data, text } = await ask(me)
  expect(data.totals).toMatchObject({ won_usd: 125, response_ms: 5 })
  expect(data.next_steps).toMatchObject([
    { product_slug: `lamps/lamp-${made}`, help: 'price', requests: 1, at_stake_usd: 405 },
  ])
  expect(text).toContain('1 request not won, $405 quoted.')
  expect(JSON.stringify((await ask(rival)).data)).not.toContain('"won_usd":125')
})

test('what fewer than three have asked is never told in words', async () => {
  const [one, two] = [await product(), await product()]
  const me = await producer(one, two)
  await search('Desk lamp ', [one, two], { times: 2 })
  await search('desk lamp', [one])
  await search('gift for my wife Eve', [one], { times: 2 })
  await search('lamp for my illness', [two])
  const { data, text } = await ask(me, { group_by: 'query' })
  expect(data.rows).toMatchObject([
    { key: 'desk lamp', impressions: 5, reads: null },
    { key: 'other queries', impressions: 3 },
  ])
  expect(data.totals).toMatchObject({ impressions: 8 })
  expect(text + JSON.stringify(data)).not.toMatch(/wife eve|illness/i)
})

test('one who repeats a query, with a session or without, is one', async () => {
  const id = await product()
  const me = await producer(id)
  await search('buy from rival.example', [id], { times: 9, session: 'one' })
  await search('buy from rival.example', [id], { times: 9, session: null })
  await search('nobody known', [id], { times: 30, session: null })
  await search('of one', [id], { session: 'a' })
  await search('of one', [id], { session: 'b' })
  expect((await ask(me, { group_by: 'query' })).data).toMatchObject({
    rows: [{ key: 'other queries', impressions: 50 }],
    total: 1,
  })
  await search('Buy from rival.example', [id], { session: 'two' })
  const { data } = await ask(me, { group_by: 'query' })
  expect(data.rows).toMatchObject([{ key: 'buy from rival.example', impressions: 19 }, { impressions: 32 }])
})

test('a query is cut to 100 characters, in the data too', async () => {
  const id = await product()
  const me = await producer(id)
  const long = 'é'.repeat(100)
  await search(`${long} one end`, [id], { times: 3 })
  await search(`${long} other end`, [id], { times: 3 })
  await search(`${long} told by too few`, [id], { times: 2 })
  const { data, text } = await ask(me, { group_by: 'query' })
  expect(data.rows).toMatchObject([
    { key: long, impressions: 6 },
    { key: 'other queries', impressions: 2 },
  ])
  expect(text).not.toContain(' end')
})

test('an answer written the day before counts for the askings of this day', async () => {
  const id = await product()
  const me = await producer(id)
  const productIds = [id]
  await search('lamp', productIds, { at: '2026-10-31T23:00:00Z' })
  await search('lamp', productIds, { at: '2026-11-01T01:00:00Z' })
  const { data } = await ask(me, { from: '2026-11-01', to: '2026-11-01' })
  expect(data).toMatchObject({ totals: { impressions: 1 }, rows: [{ key: '2026-11-01' }] })
})

test('a product counts while its relationship is verified, however it is related', async () => {
  const id = await product()
  const person = await world.person({ producer: true })
  if (!person.org) throw new Error('no organization')
  await search('lamp', [id])
  await relate(world, person.org, id, { status: 'pending' })
  expect((await ask(person)).data).toMatchObject({ totals: { impressions: 0 }, rows: [] })
  await relate(world, person.org, id, { type: 'manufactured_by' })
  expect((await ask(person)).data).toMatchObject({ totals: { impressions: 1 } })
  await pool.query(
    `update product_relationships set status = 'verified', verified_via = 'operator', verified_at = now() where product_id = $1`,
    [id],
  )
  expect((await ask(person)).data).toMatchObject({ totals: { impressions: 1 } })
})

test('an organization with many products has the same figures as one with few', async () => {
  const [shown, hidden] = [await product(), await product()]
  const me = await producer(shown)
  await search('lamp', [shown, hidden], { times: 4 })
  const few = await ask(me, { group_by: 'query' })
  await pool.query(
    `insert into products (id, slug, category_id, title)
     select gen_random_uuid(), 'many-' || n, (select category_id from products where id = $1), 'One of many'
     from generate_series(1, 60) n`,
    [shown],
  )
  const { rows } = await pool.query<{ id: string }>(`select id from products where slug like 'many-%'`)
  if (me.org) for (const { id } of rows) await relate(world, me.org, id)
  const many = await ask(me, { group_by: 'query' })
  expect(many.data).toEqual(few.data)
  expect(many.data).toMatchObject({ totals: { impressions: 4 }, rows: [{ key: 'lamp', impressions: 4 }] })
})

test('queries and names of agents and products are text, whatever stands in them', async () => {
  const id = await product('**Bold** [x](javascript:alert(1))')
  const me = await producer(id)
  for (const hostile of HOSTILE) {
    await search(hostile, [id], { times: 3 })
    // As earlier versions counted it; names are families now.
    await pool.query(`insert into product_reads values ($1, '2026-11-01', 'a2a', $2, 1)`, [id, hostile])
  }
  const { text } = await ask(me, { group_by: 'product' })
  expect(text).not.toMatch(/^```|^# System|\[\w+\]\(javascript|<img|\*\*bold/im)
  for (const group_by of ['agent', 'query']) {
    const { text, data } = await ask(me, { group_by, limit: 50 })
    expect(data.total).toBe(HOSTILE.length)
    expect(text).toContain('Untrusted content, written by')
    expect(text).toMatch(/^\d+ (reads?|impressions): .*Ignore/im)
    expect(outsideFences(text)).not.toMatch(/OBEY|Ignore|System|javascript|bold|onerror/i)
    expect(text.match(/^```/gm)).toHaveLength(2)
  }
})

test('a year fits, newest first, and the text says what it leaves out', async () => {
  const id = await product()
  const me = await producer(id)
  await pool.query(
    `insert into product_reads select $1, '2026-11-01'::date - n, 'tools', repeat('agent ', 9) || n, 1000000 from generate_series(0, 365) n`,
    [id],
  )
  const days = await ask(me, { from: '2025-11-01', to: '2026-11-01', limit: 50 })
  expect(days.data).toMatchObject({ total: 366, totals: { reads: 366_000_000 } })
  expect((days.data.rows as Array<{ key: string }>).map(({ key }) => key).slice(0, 2)).toEqual([
    '2026-11-01',
    '2026-10-31',
  ])
  expect(days.text).toMatch(/\d+ more rows/)
  expect(days.text).not.toContain('90 days')
  expect((await ask(me, { from: '2025-11-01', group_by: 'query' })).text).toContain('90 days')
  expect((await ask(me, { from: '2025-11-01', group_by: 'agent', limit: 50 })).data.rows).toHaveLength(50)
  expect((await ask(me)).data.rows).toHaveLength(30)
})

test('a refusal names its field', async () => {
  const me = await producer()
  const refused = async (args: Record<string, unknown>) => (await ask(me, args)).error
  expect(await refused({ from: '2026-02-30' })).toMatchObject({ kind: 'invalid', field: 'from' })
  expect(await refused({ to: 'today' })).toMatchObject({ field: 'to' })
  expect(await refused({ from: '2026-11-02', to: '2026-11-01' })).toMatchObject({ field: 'from' })
  expect(await refused({ from: '0000-01-01', to: '0000-01-02' })).toMatchObject({ field: 'to' })
  expect(await refused({ to: '0000-01-02' })).toMatchObject({ kind: 'invalid', field: 'to' })
  expect(await refused({ from: '2025-10-31', to: '2026-11-01' })).toMatchObject({ field: 'from', max: 366 })
  expect((await refused({ group_by: 'week' })).valid).toEqual([
    'day',
    'product',
    'region',
    'client',
    'agent',
    'query',
  ])
  expect(await refused({ limit: 51 })).toMatchObject({ field: 'limit', max: 50 })
})

test('somebody without an organization is refused, and every member of one reads', async () => {
  const me = await producer()
  expect((await ask(await world.person())).isError).toBe(true)
  const viewer = await world.person({ in: me.org, role: 'viewer' })
  expect((await ask(viewer)).data).toMatchObject({ rows: [], total: 0 })
})

/** What a producer's model learns of the requests that reached its organization: all of its own part, none of others'. */
import { expect, test } from 'vitest'
import { createOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { withTools } from '../tools.world.ts'
import { answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

const now = () => world.clock.now()
/** Wins by price, loses, declines every second request, and is broken. */
const respond: Record<string, Respond> = {
  cheapest: (...args) => answerWith(now, { price_usd: 90.5, shipping_cost_usd: 0 })(...args),
  dearer: (...args) => answerWith(now, { price_usd: 117.25, terms: 'SECRET-TERMS' })(...args),
  choosy: (...args) =>
    answerWith(now, { price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' })(...args),
  broken: (_received, response) => void response.writeHead(200).end('oops'),
}
const world = withTools(
  await createRfqWorld(
    Object.fromEntries(Object.entries(respond).map(([name, one]) => [name, { respond: one }])),
  ),
)

async function ownerOf(name: string) {
  const found = world.producers[name]
  if (!found) throw new Error(`there is no ${name}`)
  return { token: await world.tokenFor(found.org.ownerId) }
}
const list = async (name: string, args: Record<string, unknown> = {}) =>
  world.call(await ownerOf(name), 'list_rfqs', args)
type Item = { rfq_id: string; quantity: number; outcome: string; asked_at: string }
const items = ({ data }: { data: Record<string, unknown> }) => data.rfqs as Item[]

const asked: string[] = []
for (const request of [
  { quantity: 1 },
  { quantity: 2, delivery_region: 'CA-US', deadline_iso: '2026-12-24' },
  { quantity: 3 },
]) {
  const { sessionId } = await world.ask(request)
  asked.unshift(sessionId)
  world.clock.advance(24 * 3_600_000)
}

test('each request is told with our answer, its rank and the reason, newest first', async () => {
  const won = await list('cheapest')
  expect(items(won).map(({ rfq_id }) => rfq_id)).toEqual(asked)
  expect(won.data).toMatchObject({ total: 3, next_offset: null })
  expect(items(won)[1]).toMatchObject({
    product_slug: PRODUCT,
    quantity: 2,
    delivery_region: 'CA-US',
    deadline_iso: '2026-12-24',
    outcome: 'first',
    choice: null,
    verdict: 'quoted',
    price_usd: 90.5,
    shipping_cost_usd: 0,
    rank: 1,
    quotes: 2,
    loss_reason: null,
  })
  expect(won.text).toContain(' · to California, United States · by 2026-12-24 · ')
  const lost = await list('dearer')
  expect(items(lost)[0]).toMatchObject({ outcome: 'lost', rank: 2, price_usd: 117.25 })
  expect(lost.text).toContain('rank 2 of 2')
  expect(lost.text).toContain('your total was 30–35% above the winner’s')
})

test('declined and failed answers say so, and where to fix them', async () => {
  expect(items(await list('choosy'))[0]).toMatchObject({ outcome: 'declined', rank: null, price_usd: null })
  const failed = await list('broken')
  expect(items(failed)[0]).toMatchObject({ outcome: 'failed', verdict: 'not_json' })
  expect(failed.text).toContain('get_agent_integration')
})

test('nobody learns who else quoted, nor at what price', async () => {
  for (const [name, other, theirs] of [
    ['cheapest', 'dearer', ['117.25', 'SECRET-TERMS']],
    ['dearer', 'cheapest', ['90.5', '90.50']],
    ['broken', 'cheapest', ['90.5', '117.25']],
  ] as const) {
    const { text, data } = await list(name)
    const told = text + JSON.stringify(data)
    for (const word of [other, ...theirs]) expect(told).not.toContain(word)
  }
})

test('pages follow each other without gap or repeat', async () => {
  const first = await list('cheapest', { limit: 2 })
  expect(first.data).toMatchObject({ total: 3, next_offset: 2 })
  expect(first.text).toContain('offset 2')
  const second = await list('cheapest', { limit: 2, offset: 2 })
  expect(second.data).toMatchObject({ total: 3, next_offset: null })
  expect([...items(first), ...items(second)].map(({ rfq_id }) => rfq_id)).toEqual(asked)
  const beyond = await list('cheapest', { offset: 9 })
  expect(beyond.data).toMatchObject({ rfqs: [], total: 3, next_offset: null })
})

test('since, product and outcome each narrow the list and its total', async () => {
  expect((await list('cheapest', { since: '2026-11-02' })).data.total).toBe(2)
  expect((await list('cheapest', { since: '2026-11-02T12:00:01Z' })).data.total).toBe(1)
  expect((await list('cheapest', { outcome: 'first' })).data.total).toBe(3)
  expect((await list('cheapest', { outcome: 'won' })).data.total).toBe(0)
  expect((await list('cheapest', { outcome: 'lost' })).data.total).toBe(0)
  expect((await list('cheapest', { product_slug: PRODUCT })).data.total).toBe(3)
  await addProduct(world, { slug: 'other', category: 'desk-lamps', title: 'Other' })
  expect((await list('cheapest', { product_slug: 'other' })).data.total).toBe(0)
})

test('a refusal names its field', async () => {
  const refused = async (args: Record<string, unknown>) => (await list('cheapest', args)).error
  expect(await refused({ since: 'yesterday' })).toMatchObject({ kind: 'invalid', field: 'since' })
  expect(await refused({ since: '2026-02-30' })).toMatchObject({ field: 'since' })
  expect((await refused({ outcome: 'best' })).valid).toContain('won')
  expect(await refused({ limit: 51 })).toMatchObject({ field: 'limit', max: 50 })
  expect(await refused({ offset: 10_001 })).toMatchObject({ field: 'offset', max: 10_000 })
  expect(await refused({ product_slug: 'desk-lamps/none' })).toMatchObject({
    kind: 'not_found',
    field: 'product_slug',
  })
})

test('an organization that was asked nothing sees nothing, and somebody without one is refused', async () => {
  const { ownerId } = await createOrg(world)
  const other = await world.call({ token: await world.tokenFor(ownerId) }, 'list_rfqs')
  expect(other.data).toEqual({ rfqs: [], total: 0, total_capped: false, next_offset: null })
  expect(other.text).toContain('list_my_products')
  expect((await world.call(await world.person(), 'list_rfqs')).isError).toBe(true)
})

test('a long page is cut between requests, and says where it goes on', async () => {
  const { pool } = world.database
  await pool.query(
    `update rfq_quotes set loss_reason = repeat('many words ', 60) where loss_reason is not null`,
  )
  await pool.query(
    `insert into rfqs (id, context_id, product_id, quantity, face, state, created_at, finished_at)
     select gen_random_uuid(), gen_random_uuid(), product_id, 7, 'a2a', 'completed', created_at - n * interval '1 minute', finished_at
     from rfqs cross join generate_series(1, 15) n where session_id = $1`,
    [asked[0]],
  )
  await pool.query(
    `insert into rfq_attempts (rfq_id, org_id, try, kind, started_at, finished_at, verdict, reason)
     select r.id, o.id, 1, 'agent', r.created_at, r.created_at, 'invalid', repeat('words of ours ', 40)
     from rfqs r cross join orgs o where r.quantity = 7 and o.name = 'dearer'`,
  )
  const { text, data } = await list('dearer', { limit: 50 })
  expect(items({ data })).toHaveLength(18)
  const shown = text.split('\n').filter((line) => line.startsWith('- ')).length
  expect(shown).toBeLessThan(18)
  expect(text).toContain(`offset ${shown}`)
})

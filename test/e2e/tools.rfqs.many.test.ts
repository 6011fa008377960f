/** An organization that was asked very often: a page of requests costs what is on it, not what was ever asked. */
import { Kysely, PostgresDialect } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import type { Tables } from '../../src/db/tables.ts'
import { pageReceivedRfqs } from '../../src/rfq/inspector.service.ts'
import { call } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld, type ToolsWorld } from '../tools.world.ts'
import { type Seller, sellerOf } from './tools.sellers.ts'

const ASKED = 12_000
const DECLINED_EACH = 1_000

let world: ToolsWorld
let busy: Seller

/**
 * Asked each second, the newest first in number; every thousandth was declined, all others failed. One in ten was asked
 * twice, and so was another organization.
 */
beforeAll(async () => {
  world = await createToolsWorld()
  const productId = await addProduct(world, { slug: 'lamp', category: 'lamps', title: 'Lamp' })
  const [owner, other] = [await sellerOf(world, [productId]), await sellerOf(world, [productId])]
  busy = owner
  const { pool } = world.database
  await pool.query(
    `insert into rfqs (id, context_id, product_id, quantity, face, state, created_at, finished_at)
     select gen_random_uuid(), gen_random_uuid(), $1, n, 'a2a', 'completed', $2::timestamptz - n * interval '1 second', now()
     from generate_series(1, ${ASKED}) n`,
    [productId, world.clock.now()],
  )
  await pool.query(
    `insert into rfq_attempts (rfq_id, org_id, try, kind, started_at, finished_at, verdict, reason)
     select r.id, o.id, t, 'agent', r.created_at + t * interval '10 milliseconds', r.created_at,
       case when t < tries then 'retry' when r.quantity % ${DECLINED_EACH} = 0 then 'declined' else 'timeout' end, 'why'
     from rfqs r cross join unnest(array[$1, $2]::uuid[]) o (id)
       cross join lateral (select case when r.quantity % 10 = 1 then 2 else 1 end) m (tries)
       cross join generate_series(1, tries) t
     where o.id = $1 or tries = 2`,
    [busy.org.id, other.org.id],
  )
  await pool.query('analyze rfqs, rfq_attempts, rfq_quotes')
}, 60_000)

const list = (args: Record<string, unknown> = {}) => world.call(busy, 'list_rfqs', args)
const quantities = ({ data }: { data: Record<string, unknown> }) =>
  (data.rfqs as Array<{ quantity: number }>).map(({ quantity }) => quantity)

test('the count stops at a thousand and says that there are more, and pages go on beyond it', async () => {
  const first = await list({ limit: 2 })
  expect(first.data).toMatchObject({ total: 1_000, total_capped: true, next_offset: 2 })
  expect(first.text).toContain('# 1,000+ requests for quote')
  expect(quantities(first)).toEqual([1, 2])
  const far = await list({ limit: 2, offset: 10_000 })
  expect(far.data).toMatchObject({ total: 1_000, total_capped: true, next_offset: 10_002 })
  expect(quantities(far)).toEqual([10_001, 10_002])
})

test('what ended in one way is found among the newest ten thousand, and said to be so', async () => {
  const seldom = await list({ outcome: 'declined', limit: 3 })
  expect(seldom.data).toMatchObject({ total: 10, total_capped: true, next_offset: 3 })
  expect(seldom.text).toContain('# 10+ requests for quote that ended as declined')
  expect(quantities(seldom)).toEqual([1_000, 2_000, 3_000])
  expect((await list({ outcome: 'won' })).text).toMatch(/0\+ requests .*none among the newest 10,000/)
  expect((await list({ outcome: 'failed' })).data).toMatchObject({ total: 1_000, total_capped: true })
})

test('within a time that is not so long everything is counted', async () => {
  const since = new Date(world.clock.now().getTime() - 500_000).toISOString()
  expect((await list({ since })).data).toMatchObject({ total: 500, total_capped: false })
  const longer = new Date(world.clock.now().getTime() - 2_500_000).toISOString()
  const declined = await list({ since: longer, outcome: 'declined' })
  expect(declined.data).toMatchObject({ total: 2, total_capped: false, next_offset: null })
})

test('by REST the oldest are reached too, page after page, whatever they ended as', async () => {
  const seen: number[] = []
  let next: unknown = ''
  while (next !== undefined) {
    const path = `/api/org/rfqs/?outcome=declined&limit=5${next && `&before=${next}`}`
    const { body } = await call(world, busy.org.bearer, 'GET', path)
    seen.push(...(body.rfqs as Array<{ quantity: number }>).map(({ quantity }) => quantity))
    next = body.next
  }
  expect(seen).toEqual(Array.from({ length: ASKED / DECLINED_EACH }, (_, n) => (n + 1) * DECLINED_EACH))
})

test('a page is found by the index of what the organization was asked, and reads no more than is counted', async () => {
  const [page] = await plansOf((db) =>
    pageReceivedRfqs({ db }, { caller: callerOf(busy) }, { limit: 50, offset: 0 }),
  )
  const nodes = page ? nodesOf(page) : []
  expect(nodes.map((node) => node['Index Name'])).toContain('rfq_attempts_by_org')
  for (const node of nodes) {
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    expect({ node: node['Node Type'], few: rows < 3_000 }).toEqual({ node: node['Node Type'], few: true })
  }
})

const callerOf = ({ org }: Seller) => ({ kind: 'link_token', tokenId: org.tokenId, orgId: org.id }) as const

type PlanNode = {
  'Node Type': string
  'Index Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: PlanNode[]
}

/** Of the statements about attempts that the work asks for. */
async function plansOf(work: (db: Kysely<Tables>) => Promise<unknown>): Promise<PlanNode[]> {
  const { pool } = world.database
  const asked: Array<{ sql: string; parameters: readonly unknown[] }> = []
  const log = ({ query }: { query: { sql: string; parameters: readonly unknown[] } }) =>
    void asked.push(query)
  await work(new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log }))
  const plans: PlanNode[] = []
  for (const { sql, parameters } of asked.filter((query) => query.sql.includes('rfq_attempts'))) {
    const { rows } = await pool.query(`explain (analyze, format json) ${sql}`, [...parameters])
    plans.push(rows[0]['QUERY PLAN'][0].Plan)
  }
  return plans
}

const nodesOf = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

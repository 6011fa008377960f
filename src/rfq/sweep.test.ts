/** What is forgotten of requests for quote: what sellers were sent and answered goes in time, what was promised never. */
import { beforeEach, expect, test } from 'vitest'
import { captureLog, createTestApp } from '../../test/harness.ts'
import { createOrg } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { newId } from '../lib/ids.ts'
import { createRfqSweep } from './sweep.job.ts'

const DAY_MS = 86_400_000
const souk = await createTestApp()
const { db, pool } = souk.database
const productId = await addProduct(souk, { slug: 'lamp', category: 'lamps', title: 'Lamp' })
const sellers = [await createOrg(souk), await createOrg(souk)]

beforeEach(() => pool.query('truncate rfqs cascade'))

/** One that both sellers were asked, of which the first quoted; null has not ended. */
async function asked(endedDaysAgo: number | null): Promise<string> {
  const id = newId()
  const at = new Date(souk.clock.now().getTime() - (endedDaysAgo ?? 900) * DAY_MS)
  await pool.query(
    `insert into rfqs (id, context_id, product_id, quantity, face, state, created_at, finished_at, anonymous)
     values ($1, gen_random_uuid(), $2, 1, 'web', $3, $4, $5, true)`,
    [id, productId, endedDaysAgo === null ? 'submitted' : 'completed', at, endedDaysAgo === null ? null : at],
  )
  for (const { id: orgId } of sellers)
    await pool.query(
      `insert into rfq_attempts (rfq_id, org_id, try, kind, started_at, finished_at, request_body, response_body, verdict)
       values ($1, $2, 1, 'agent', $3, $3, 'sent', 'received', 'declined')`,
      [id, orgId, at],
    )
  await pool.query(
    `insert into rfq_quotes (id, rfq_id, org_id, answer, health, received_at, response_ms)
     values ($1, $2, $3, '{}', '{}', $4, 5)`,
    [newId(), id, sellers[0]?.id, at],
  )
  return id
}

const sweep = (attempts: number | null, batchRows?: number) =>
  createRfqSweep(
    { db, clock: souk.clock, config: { keep: { searches: null, attempts, audit: null, requests: null } } },
    { batchRows },
  ).run({}, { log: captureLog().log, signal: new AbortController().signal, attempt: 1, jobId: newId() })

const left = async (table: 'rfqs' | 'rfq_attempts' | 'rfq_quotes') =>
  (await pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0]?.n

test('what was sent and received goes when the days since the end are over; request and quote stay', async () => {
  const [, young, running] = [await asked(181), await asked(179), await asked(null)]
  await sweep(180)
  const { rows } = await pool.query('select distinct rfq_id as id from rfq_attempts')
  expect(rows.map(({ id }) => id).sort()).toEqual([young, running].sort())
  expect([await left('rfqs'), await left('rfq_quotes')]).toEqual([3, 3])
})

test('for ever is for ever', async () => {
  await asked(20_000)
  await sweep(null)
  expect(await left('rfq_attempts')).toBe(2)
})

test('many go in batches, on two nodes at once, each request as a whole', async () => {
  for (let days = 0; days < 24; days++) await asked(400 + days)
  await asked(10)
  // Three requests a batch.
  await Promise.all([sweep(365, 150), sweep(365, 150)])
  const { rows } = await pool.query(
    `select count(*)::int as torn from rfqs r
     where r.attempts_deleted = exists (select 1 from rfq_attempts a where a.rfq_id = r.id)`,
  )
  expect(rows).toEqual([{ torn: 0 }])
  await sweep(365)
  expect([await left('rfq_attempts'), await left('rfqs')]).toEqual([2, 25])
})

test('the sweep finds what has ended by its index, without reading the requests that are done with', async () => {
  await pool.query(
    `insert into rfqs (id, context_id, product_id, quantity, face, state, finished_at, attempts_deleted)
     select gen_random_uuid(), gen_random_uuid(), $1, 1, 'web', 'completed', now() - interval '2 years', true
     from generate_series(1, 3000)`,
    [productId],
  )
  await pool.query('analyze rfqs')
  const { rows } = await pool.query(
    `explain select id from rfqs where finished_at < now() - interval '1 year' and not attempts_deleted
     order by finished_at limit 100 for no key update skip locked`,
  )
  expect(JSON.stringify(rows)).toContain('rfqs_with_attempts')
})

test('a buyer’s page of long ago says that who was asked is no longer known, not that nobody sells it', async () => {
  const id = await asked(181)
  await pool.query('delete from rfq_quotes')
  const page = async () => (await souk.app.request(`/quotes/${id}`)).text()
  const html = await page()
  expect(html).toContain('we no longer know who we asked')
  expect(html).not.toContain('Nobody sells this here yet')
})

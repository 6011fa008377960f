import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../test/harness.ts'
import { newId } from '../lib/ids.ts'
import { findByQuery, indexPays, type Span } from './performance.queries.ts'

const ORG = newId()
const [own, others] = [[newId(), newId()], [newId()]]
const SPAN: Span = { orgId: ORG, from: '2026-11-01', to: '2026-11-30' }
let database: TestDatabase

/** Rows without those that they point to: only what is counted matters here. */
beforeAll(async () => {
  database = await createTestDatabase()
  await database.db.transaction().execute(async (tx) => {
    await sql`set local session_replication_role = replica`.execute(tx)
    await sql`
      insert into product_relationships (id, org_id, product_id, relationship_type, status, verified_via, verified_at)
      select gen_random_uuid(), ${ORG}, id, 'sells', 'verified', 'operator', now() from unnest(${own}::uuid[]) as p (id)`.execute(
      tx,
    )
    for (const products of [own, [own[0], others[0]], others]) {
      const answer = newId()
      await sql`
        insert into search_answers (id, at, query, face, mode, product_ids, offset_by)
        values (${answer}, '2026-11-10T10:00:00Z', 'a lamp', 'rest', 'semantic', ${products}::uuid[], 0)`.execute(
        tx,
      )
      await sql`
        insert into search_queries (id, at, ms, answer_id)
        select gen_random_uuid(), '2026-11-10T11:00:00Z', 1, ${answer} from generate_series(1, 2)`.execute(tx)
    }
  })
})

test('both ways to the answers that showed a product count the same', async () => {
  const { db } = database
  for (const byIndex of [false, true]) {
    const told = await findByQuery(db, { ...SPAN, byIndex }, { limit: 5, leastAskers: 1, longest: 50 })
    expect(told).toEqual([{ key: 'a lamp', impressions: 6, groups: 1 }])
  }
})

test('the index is used for few products among many answers, and never on the word of a table without statistics', async () => {
  const { db, pool } = database
  const says = (tuples: number) =>
    pool.query(`update pg_class set reltuples = $1 where oid = 'search_answers_before'::regclass`, [tuples])
  expect(await indexPays(db, ORG)).toBe(false)
  await says(1_000_000)
  expect(await indexPays(db, ORG)).toBe(true)
  await says(5_000)
  expect(await indexPays(db, ORG)).toBe(false)
})

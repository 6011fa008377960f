/** An organization that sells a whole catalog: what hangs on its domain follows it in a few statements, not in thousands. */
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { ORG_HOOKS } from '../../src/org-hooks.ts'
import { call, createOrg } from '../orgs.ts'
import { createOffersWorld } from './offers.world.ts'

const MANY = 3_000
const MOST_STATEMENTS = 30

test('a thousand claims may wait; one more is 409, a repeated one is not, and nothing is stored', async () => {
  const souk = await createOffersWorld()
  const { pool } = souk.database
  const org = await createOrg(souk)
  await pool.query(
    `insert into products (id, slug, category_id, title)
     select gen_random_uuid(), 'wished-' || n, (select id from categories limit 1), 'Wished'
     from generate_series(1, 1001) n`,
  )
  await pool.query(
    `insert into product_relationships (id, org_id, product_id, relationship_type, status)
     select gen_random_uuid(), $1, id, 'sells', 'pending' from products where slug like 'wished-%' and slug <> 'wished-7'`,
    [org.id],
  )
  const claim = (product_slug: string) =>
    call(souk, org.bearer, 'POST', '/api/org/products/claim/', { product_slug, relationship_type: 'sells' })
  expect(await claim('wished-7')).toMatchObject({ status: 409, body: { code: 'conflict', max: 1_000 } })
  expect((await claim('wished-8')).status).toBe(200)
  const { rows } = await pool.query(
    'select count(*)::int as count from product_relationships where org_id = $1',
    [org.id],
  )
  expect(rows).toEqual([{ count: 1_000 }])
})

test('proving and losing a domain take as few statements for thousands of claims as for one, and record each', async () => {
  const souk = await createOffersWorld()
  const { pool, db } = souk.database
  const org = await createOrg(souk, { domain: 'mall.example' })
  await pool.query(
    `insert into products (id, slug, category_id, title, where_to_buy)
     select gen_random_uuid(), 'sold-' || n, (select id from categories limit 1), 'Sold',
       '[{"name": "Mall", "url": "https://www.mall.example/", "priceCents": null}]' from generate_series(1, $1::int) n`,
    [MANY],
  )
  await pool.query(
    `insert into product_relationships (id, org_id, product_id, relationship_type, status)
     select gen_random_uuid(), $1, id, 'sells', 'pending' from products where slug like 'sold-%'`,
    [org.id],
  )
  const counted = async (where: string) => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from product_relationships where org_id = $1 and ${where}`,
      [org.id],
    )
    return rows[0]?.count
  }
  const statementsOf = async (hook: typeof ORG_HOOKS.domainLost) => {
    let statements = 0
    const at = souk.clock.now()
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    await db.transaction().execute((tx) => hook(tx.withPlugin(counting), org.id, at))
    return statements
  }
  expect(await statementsOf(ORG_HOOKS.domainVerified)).toBeLessThan(MOST_STATEMENTS)
  expect(await counted(`verified_via = 'shop_link'`)).toBe(MANY)
  expect(await statementsOf(ORG_HOOKS.domainLost)).toBeLessThan(MOST_STATEMENTS)
  expect(await counted(`status = 'pending'`)).toBe(MANY)
  const { rows } = await pool.query(
    `select action, count(*)::int as count, count(distinct detail->>'relationship_id')::int as claims
     from audit_log where org_id = $1 group by action order by action`,
    [org.id],
  )
  expect(rows).toEqual([
    { action: 'relationship.unverified', count: MANY, claims: MANY },
    { action: 'relationship.verified', count: MANY, claims: MANY },
  ])
})

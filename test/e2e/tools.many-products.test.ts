/** An organization with a thousand products: no statement per product, and every page in its room. */
import { Kysely, PostgresDialect } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '../../src/db/database.ts'
import type { Tables } from '../../src/db/tables.ts'
import { getCatalogIssues } from '../../src/producers/issues.service.ts'
import { listMyProducts, type MyProductsContext } from '../../src/producers/my-products.service.ts'
import { relate } from '../orgs.ts'
import { createIssuesWorld, type IssuesWorld, type Owner } from './issues.world.ts'

let souk: IssuesWorld
beforeAll(async () => {
  souk = await createIssuesWorld()
})

describe('a thousand products', () => {
  let many: Owner
  beforeAll(async () => {
    many = await souk.owner()
    await souk.integrate(many, 'managed')
    await souk.database.pool.query(
      `with made as (
        insert into products (id, slug, category_id, title)
        select gen_random_uuid(), 'many-' || n, (select id from categories where slug = 'tents'), 'Many ' || n
        from generate_series(1, 1000) n returning id),
      offered as (
        insert into offers (id, org_id, product_id, headline, destination_url, status)
        select gen_random_uuid(), $1, id, 'Deal', 'http://souk.shop.example/', 'active' from made)
      insert into product_relationships (id, org_id, product_id, relationship_type, status, verified_at)
      select gen_random_uuid(), $1, id, 'sells', 'verified', now() from made`,
      [many.org.id],
    )
  })

  /** A database that counts what it is asked. */
  function counting(): { db: Db; count: () => number } {
    let statements = 0
    const dialect = new PostgresDialect({ pool: souk.database.pool })
    const db = new Kysely<Tables>({ dialect, log: () => void statements++ })
    return { db, count: () => statements }
  }

  test('take as many statements as one', async () => {
    const few = await souk.owner()
    await souk.integrate(few, 'managed')
    await relate(souk, few.org, souk.ids.whole)
    const page = { limit: 50, offset: 0 }
    const listing = { ...page, relationshipType: null, verificationStatus: null, query: null }
    const statements = async ({ org }: Owner) => {
      const caller = { kind: 'link_token', tokenId: org.tokenId, orgId: org.id } as const
      const looks = [
        (ctx: MyProductsContext) => listMyProducts(ctx, { caller }, { ...listing, hasIssues: null }),
        (ctx: MyProductsContext) => listMyProducts(ctx, { caller }, { ...listing, hasIssues: true }),
        (ctx: MyProductsContext) =>
          getCatalogIssues(ctx, { caller }, { ...page, productSlug: null, severity: null }),
      ]
      const counts: number[] = []
      for (const look of looks) {
        const { db, count } = counting()
        await look({ ...souk.rfq, db })
        counts.push(count())
      }
      return counts
    }
    const ofOne = await statements(few)
    expect(await statements(many)).toEqual(ofOne)
    // Besides those that begin, bound and end the reading.
    expect(Math.max(...ofOne)).toBeLessThanOrEqual(10 + 3)
  })

  test('are judged once for all pages of a look, and anew for the first page of the next', async () => {
    const caller = { kind: 'link_token', tokenId: many.org.tokenId, orgId: many.org.id } as const
    const { db, count } = counting()
    const ctx = { ...souk.rfq, db }
    const look = async (offset: number) => {
      const before = count()
      const asked = { productSlug: null, severity: null, limit: 50, offset }
      const found = await getCatalogIssues(ctx, { caller }, asked)
      return { ...found, statements: count() - before }
    }
    const first = await look(0)
    const { rows } = await souk.database.pool.query(
      `update products set description = 'Mended' where slug = 'many-1' returning id`,
    )
    expect(rows).toHaveLength(1)
    const second = await look(50)
    expect(second).toMatchObject({ total: first.total, counts: first.counts, statements: 1 })
    expect(second.issues[0]).not.toEqual(first.issues[0])
    souk.clock.advance(10_000)
    expect(await look(50)).toMatchObject({ total: first.total - 1, statements: first.statements })
    await souk.database.pool.query(`update products set description = '' where slug = 'many-1'`)
    expect(await look(0)).toMatchObject({ total: first.total, statements: first.statements })
  })

  test('a member whose own address is not confirmed has a look of their own', async () => {
    await souk.found({ limit: 50 }, many)
    const member = await souk.person({ in: many.org, role: 'viewer' })
    await souk.database.pool.query('update users set email_verified_at = null where id = $1', [member.userId])
    const { data } = await souk.found({ limit: 1, offset: 1 }, member)
    const own = await souk.found({ limit: 1, offset: 1 }, many)
    expect(data.total).toBe(Number(own.data.total) + 1)
  })

  test('are all counted, and the longest page still fits its text and says how to go on', async () => {
    const listed = await souk.mine({ limit: 50, offset: 100, has_issues: true }, many)
    expect(listed.products).toHaveLength(50)
    expect(listed.data).toMatchObject({ total: 1_000, next_offset: 150 })
    const told = await souk.found({ limit: 50, severity: 'error' }, many)
    expect(told.data).toMatchObject({ total: 1_000, next_offset: 50, products_checked: 1_000 })
    for (const { text } of [listed, told]) {
      const [, first, last, of, next] = /(\d+) to (\d+) of (\d+).* More: offset (\d+)\./.exec(text) ?? []
      expect(of).toBe('1000')
      expect(next).toBe(last)
      expect(text.match(/tents\/many-\d+/g)).toHaveLength(Number(last) - Number(first) + 1)
    }
  })
})

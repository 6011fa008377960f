/** SQL of taking the demo away. Whatever a real account or organization has a part in stays. */
import { sql } from 'kysely'
import { affected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'
import { all, column, run } from '../db/rows.ts'
import { idsOf } from '../lib/ids.ts'

/** Ended requests of strangers and demo accounts for demo products that no real organization was asked in. */
const DEMO_REQUEST = sql`r.state <> 'submitted' and (r.user_id is null or exists (
    select 1 from users u where u.id = r.user_id and u.demo))
  and exists (select 1 from demo_products d where d.id = r.product_id)
  and not exists (select 1 from rfq_attempts a join orgs o on o.id = a.org_id where a.rfq_id = r.id and not o.demo)`

/** An organization that a real buyer holds a quote of is kept, but asked and shown no more. */
const UNUSED_SELLER = sql`o.demo and not exists (
  select 1 from rfq_attempts a join rfqs r on r.id = a.rfq_id where a.org_id = o.id and not (${DEMO_REQUEST}))`

export type DemoCounts = {
  sellers: number
  sellersKept: number
  requests: number
  accounts: number
  products: number
}

/** What there is to remove; `products` are those that might go, before it is known what hangs on them. */
export async function countDemo(db: Db): Promise<DemoCounts> {
  const rows = await all<DemoCounts>(db)`
    select (select count(*)::int from orgs o where ${UNUSED_SELLER}) as sellers,
      (select count(*)::int from orgs o where o.demo and not (${UNUSED_SELLER})) as "sellersKept",
      (select count(*)::int from rfqs r where ${DEMO_REQUEST}) as requests,
      (select count(*)::int from users where demo) as accounts,
      (select count(*)::int from demo_products d where not exists (
          select 1 from rfqs r where r.product_id = d.id and not (${DEMO_REQUEST}))
        and not exists (select 1 from saved_products s join users u on u.id = s.user_id
          where s.product_id = d.id and not u.demo)
        and not exists (${ofRealOrgs('product_relationships')}) and not exists (${ofRealOrgs('offers')})
        and not exists (${ofRealOrgs('product_pricing')}) and not exists (${ofRealOrgs('enrichments')})
        and not exists (${ofRealOrgs('product_submissions')})) as products`
  return rows[0] ?? { sellers: 0, sellersKept: 0, requests: 0, accounts: 0, products: 0 }
}

function ofRealOrgs(table: string) {
  return sql`select 1 from ${sql.table(table)} t join orgs o on o.id = t.org_id where t.product_id = d.id and not o.demo`
}

/** Returns how many there were. */
export async function deleteRequests(db: Db): Promise<number> {
  await run(db)`
    delete from link_clicks where kind = 'quote' and link_id in (
      select q.id from rfq_quotes q join rfqs r on r.id = q.rfq_id where ${DEMO_REQUEST})`
  return affected(await sql`delete from rfqs r where ${DEMO_REQUEST}`.execute(db))
}

/** What was invented of views, on products that stay too: counts of days before the sellers came. */
export async function deleteSights(db: Db): Promise<void> {
  for (const table of ['product_impressions', 'product_reads'])
    await run(db)`
      delete from ${sql.table(table)} t using settings s
      where s.name = 'demo_sellers' and t.day < (s.updated_at at time zone 'UTC')::date
        and t.product_id in (select id from demo_products)`
}

/** Their offers, claims, prices and history go with them. */
export async function deleteSellers(db: Db): Promise<number> {
  await run(db)`
    delete from link_clicks where kind = 'offer' and org_id in (select id from orgs where demo)`
  const rows = await all<{ id: string }>(db)`delete from orgs o where ${UNUSED_SELLER} returning id`
  const ids = idsOf(rows)
  await run(db)`delete from audit_log where org_id = any(${ids})`
  await run(db)`delete from offers f using orgs o where o.id = f.org_id and o.demo`
  await run(db)`delete from product_pricing p using orgs o where o.id = p.org_id and o.demo`
  await run(db)`delete from product_relationships r using orgs o where o.id = r.org_id and o.demo`
  await run(db)`delete from enrichments e using orgs o where o.id = e.org_id and o.demo`
  await run(db)`delete from product_submissions s using orgs o where o.id = s.org_id and o.demo`
  return ids.length
}

export async function deleteDemoAccounts(db: Db): Promise<number> {
  await run(db)`delete from audit_log where user_id in (select id from users where demo)`
  return affected(await sql`delete from users where demo`.execute(db))
}

/** Products that demo offers stand on: their pages change when these go. */
export function findOffered(db: Db) {
  return column<string>(db)`
    select distinct f.product_id as id from offers f join orgs o on o.id = f.org_id where o.demo`
}

export function findDemoSlugs(db: Db) {
  return column<string>(db)`
    select p.slug from products p join demo_products d on d.id = p.id order by p.id`
}

/** Categories of the demo catalog that hold nothing and are called as it calls them. */
export function findEmptyCategories(db: Db, categories: ReadonlyArray<{ slug: string; label: string }>) {
  return column<string>(db)`
    select c.slug from categories c
      join jsonb_to_recordset(${JSON.stringify(categories)}::jsonb) as d(slug text, label text)
        on d.slug = c.slug and d.label = c.label
    where not exists (select 1 from products p where p.category_id = c.id) order by c.slug`
}

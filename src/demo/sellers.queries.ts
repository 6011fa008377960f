/** SQL of the demo sellers. What differs from product to product follows from a hash, so that every start gives the same. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { all, column, one, run, value } from '../db/rows.ts'
import type { DemoSeller } from './sellers.ts'

const SETTING = 'demo_sellers'

export function findLoaded(db: Db) {
  return value<string>(db)`
    select value from settings where name = ${SETTING}`
}

/** Null: they are not there. */
export async function saveLoaded(db: Db, fingerprint: string | null): Promise<void> {
  if (fingerprint === null) await run(db)`delete from settings where name = ${SETTING}`
  else
    await run(db)`
      insert into settings (name, value) values (${SETTING}, ${JSON.stringify(fingerprint)}::jsonb)
      on conflict (name) do update set value = excluded.value, updated_at = now()`
}

/** A whole number from 0 to 2^31, the same for the same text. */
export const hashOf = (text: RawBuilder<unknown>) =>
  sql`('x' || substr(md5(${text}), 1, 8))::bit(32)::bit(31)::int`

/** As ids are made elsewhere: sorted by their time, and random otherwise. */
export const idAt = (at: RawBuilder<unknown>) => sql`
  encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from ${at}) * 1000)::bigint) from 3) from 1), 52, 1), 53, 1), 'hex')::uuid`

export type SellerRow = Pick<DemoSeller, 'id' | 'name' | 'orgType' | 'domain'> & {
  verificationToken: string
  isManaged: boolean
  managedRules: object | null
  pricing: object
  agentCardUrl: string | null
  authType: 'none' | 'bearer' | 'hmac'
  secretBox: string | null
}

/** One whose domain a real organization has proved stays aside. */
export async function saveSellers(db: Db, sellers: SellerRow[], at: Date): Promise<void> {
  await run(db)`
    insert into orgs (id, name, org_type, domain, website_url, verification_status, verified_via, verified_at,
      verification_token, demo, created_at, updated_at)
    select id, name, "orgType", domain, 'https://' || domain || '/', 'verified', 'operator', ${at},
      "verificationToken", true, ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(sellers)}::jsonb)
      as s(id uuid, name text, "orgType" text, domain text, "verificationToken" text)
    where not exists (
      select 1 from orgs o where o.domain = s.domain and not o.demo and o.verification_status = 'verified')
    on conflict (id) do update set name = excluded.name, org_type = excluded.org_type, domain = excluded.domain,
      verification_status = 'verified', verified_via = 'operator', verified_at = excluded.verified_at,
      deactivated_at = null, updated_at = excluded.updated_at`
  await run(db)`
    insert into agent_integrations (org_id, is_managed, managed_rules, pricing, agent_card_url, auth_type, secret_box, status,
      created_at, updated_at)
    select id, "isManaged", "managedRules", pricing, "agentCardUrl", "authType", "secretBox", 'active', ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(sellers)}::jsonb)
      as s(id uuid, "isManaged" boolean, "managedRules" jsonb, pricing jsonb, "agentCardUrl" text, "authType" text, "secretBox" text)
    where exists (select 1 from orgs o where o.id = s.id)
    on conflict (org_id) do update set is_managed = excluded.is_managed, managed_rules = excluded.managed_rules,
      pricing = excluded.pricing,      agent_card_url = excluded.agent_card_url, auth_type = excluded.auth_type, secret_box = excluded.secret_box,
      status = 'active', failures_in_a_row = 0, skip_until = null, updated_at = excluded.updated_at`
}

/**
 * Claims to what lists a seller, or what it makes, or everything; and rules where a product's differ from the seller's own.
 * Shops and makers quote what they list. A wholesaler lists nothing: its price is near the average of what
 * others list, or the highest of them where that is near.
 * Products are read once, and all rows are written by one statement: it is part of a start.
 */
export function carryProducts(db: Db, sellers: readonly DemoSeller[], at: Date) {
  return run(db)`
    with demo as materialized (
      select p.id, p.slug, p.where_to_buy, p.price_high_cents, p.list_price_cents, b.domain as maker
      from products p join demo_products d on d.id = p.id left join brands b on b.id = p.brand_id
      where not p.discontinued
    ), shops as materialized (
      select d.id, split_part(w ->> 'url', '/', 3) as host, (w ->> 'priceCents')::numeric as cents
      from demo d cross join jsonb_array_elements(d.where_to_buy) w
    ), sellers as materialized (
      select s.* from ${sellersOf(sellers)} join orgs o on o.id = s.id and o.demo
    ), carried as materialized (
      select s.id as org_id, d.id as product_id from sellers s join (select distinct id, host from shops) d
        on d.host = s.domain where s.carries = 'listed'
      union all select s.id, d.id from sellers s join demo d on d.maker = s.domain where s.carries = 'made'
      union all select s.id, d.id from sellers s cross join demo d where s.carries = 'all'
    ), claimed as (
      insert into product_relationships (id, org_id, product_id, relationship_type, status, verified_via, created_at,
        verified_at)
      select ${idAt(sql`${at}::timestamptz`)}, c.org_id, c.product_id,
        case s.carries when 'made' then 'manufactured_by' else 'sells' end, 'verified',
        case s.carries when 'made' then 'brand_domain' when 'listed' then 'shop_link' else 'operator' end, ${at}, ${at}
      from carried c join sellers s on s.id = c.org_id
      on conflict do nothing)
    insert into product_pricing (org_id, product_id, rules, created_at, updated_at)
    select c.org_id, c.product_id, jsonb_strip_nulls(jsonb_build_object(
        'price_usd', case s.carries when 'all' then round(coalesce(l.cents, d.price_high_cents) / 10000
          * (s."lowPct" + h.hash % (s."highPct" - s."lowPct" + 1))) - 0.01 end,
        'lead_time_days', case when h.hash % 5 = 0 then s."longestDays" end,
        'in_stock', case when h.hash / 100 % 100 < s."soldOut" then false end)), ${at}, ${at}
    from carried c join sellers s on s.id = c.org_id join demo d on d.id = c.product_id
      left join (select id, avg(cents) as cents from shops group by id) l on l.id = d.id
      cross join lateral (select ${hashOf(sql`s.domain || d.slug`)} as hash) h
    where s."isManaged" and (h.hash % 5 = 0 or h.hash / 100 % 100 < s."soldOut" or (s.carries = 'all'
      and (d.list_price_cents is not null or d.price_high_cents > l.cents * 1.04 or h.hash % 3 = 0)))
    on conflict (org_id, product_id) do update set rules = excluded.rules,
      updated_at = excluded.updated_at`
}

export type SaleRow = { orgId: string; productId: string }

/** What is to go on sale: one in so many of what a shop lists, never what is discontinued. */
export function findSales(db: Db, sellers: readonly DemoSeller[]) {
  return all<SaleRow>(db)`
    select r.org_id as "orgId", r.product_id as "productId"
    from ${sellersOf(sellers)} join product_relationships r on r.org_id = s.id join products p on p.id = r.product_id
      join demo_products d on d.id = p.id
    where s."saleEvery" is not null and not p.discontinued and ${hashOf(sql`'sale' || s.domain || p.slug`)} % s."saleEvery" = 0
      and not exists (select 1 from offers f where f.org_id = r.org_id and f.product_id = r.product_id)
    order by 1, 2`
}

/** 4 to 8 percent under what the shop lists; some end in two weeks or two months, most are open. */
export function insertSales(db: Db, sales: SaleRow[], at: Date) {
  return run(db)`
    insert into offers (id, org_id, product_id, headline, detail, destination_url, price_cents, list_price_cents, status,
      expires_at, promo_code, offer_types, created_at, updated_at)
    select ${idAt(sql`${at}::timestamptz`)}, o.id, p.id, (100 - sale.pct) || '% off ' || p.title,
      case h.hash % 3 when 0 then 'While stocks last.' when 1 then 'For everybody, no account needed.' end, w ->> 'url',
      sale.cents, (w ->> 'priceCents')::bigint, 'active',
      case h.hash % 4 when 0 then ${at}::timestamptz + interval '14 days' when 1 then ${at}::timestamptz + interval '60 days' end,
      case h.hash % 5 when 0 then 'DEMO' || (100 - sale.pct) end,
      case h.hash % 3 when 2 then array['percentage_off', 'free_shipping'] else array['percentage_off'] end,
      ${at}::timestamptz - interval '20 days', ${at}::timestamptz - interval '20 days'
    from jsonb_to_recordset(${JSON.stringify(sales)}::jsonb) as s("orgId" uuid, "productId" uuid)
      join orgs o on o.id = s."orgId" join products p on p.id = s."productId"
      cross join lateral (select w from jsonb_array_elements(p.where_to_buy) w
        where split_part(w ->> 'url', '/', 3) = o.domain and w ->> 'priceCents' is not null limit 1) listed
      cross join lateral (select ${hashOf(sql`'offer' || o.domain || p.slug`)} as hash) h
      cross join lateral (select 92 + h.hash % 5 as pct,
        round((w ->> 'priceCents')::numeric * (92 + h.hash % 5) / 100)::bigint as cents) sale`
}

function sellersOf(sellers: readonly DemoSeller[]): RawBuilder<unknown> {
  const rows = sellers.map(({ id, domain, carries, terms, saleEvery, agent }) => {
    const [[lowPct, highPct], [, longestDays]] = [terms.pricePct, terms.leadDays]
    const { soldOut } = terms
    return {
      id,
      domain,
      carries,
      saleEvery,
      isManaged: agent === null,
      lowPct,
      highPct,
      longestDays,
      soldOut,
    }
  })
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
    as s(id uuid, domain text, carries text, "saleEvery" int, "isManaged" boolean, "lowPct" int, "highPct" int,
      "longestDays" int, "soldOut" int)`
}

export function findDemoOrgs(db: Db, { isActive }: { isActive: boolean }) {
  return column<string>(db)`
    select id from orgs where demo and (deactivated_at is null) = ${isActive} order by id`
}

export function deactivateSellers(db: Db, at: Date) {
  return column<string>(db)`
    update orgs set deactivated_at = ${at}, updated_at = ${at} where demo and deactivated_at is null
    returning id`
}

export type Listed = { priceCents: number; url: string }

/** What a shop asks for a product of the demo catalog; null for any other, and for what is not made any more. */
export function findListed(
  db: Db,
  { category, slug, domain }: { category: string; slug: string; domain: string },
) {
  return one<Listed>(db)`
    select (w ->> 'priceCents')::int as "priceCents", w ->> 'url' as url
    from products p join demo_products d on d.id = p.id join categories c on c.id = p.category_id
      cross join jsonb_array_elements(p.where_to_buy) w
    where p.slug = ${slug} and c.slug = ${category} and not p.discontinued
      and split_part(w ->> 'url', '/', 3) = ${domain} and w ->> 'priceCents' is not null
    limit 1`
}

export type DemoAccount = { id: string; email: string; name: string; isAdmin: boolean; orgId: string | null }

/** Who visits the demo; a seller is an admin of one of its organizations. */
export async function saveAccounts(db: Db, accounts: readonly DemoAccount[], at: Date): Promise<void> {
  const rows = JSON.stringify(accounts)
  await run(db)`
    insert into users (id, email, email_key, name, email_verified_at, account_type, is_admin, demo, created_at, updated_at)
    select id, email, email, name, ${at}, case when "orgId" is null then 'consumer' else 'producer' end, "isAdmin", true,
      ${at}, ${at}
    from jsonb_to_recordset(${rows}::jsonb) as a(id uuid, email text, name text, "isAdmin" boolean, "orgId" uuid)
    on conflict do nothing`
  await run(db)`
    insert into org_members (org_id, user_id, role, created_at)
    select o.id, u.id, 'admin', ${at} from jsonb_to_recordset(${rows}::jsonb) as a(id uuid, "orgId" uuid)
      join orgs o on o.id = a."orgId" and o.demo join users u on u.id = a.id and u.demo
    on conflict do nothing`
}

/** SQL of pricing rules, of products and of organizations. The floors are a sealed box here, as they are in the table. */
import { sql } from 'kysely'
import type { Variant } from '../catalog/catalog.schema.ts'
import type { Db } from '../db/database.ts'
import { holds, type Searched } from '../db/like.ts'
import { all, map, run } from '../db/rows.ts'

type Rules = Record<string, unknown>

export type PricingRow = {
  orgId: string
  productId: string
  rules: Rules
  floorsBox: string | null
  /** The organization's, for all its products. */
  defaults: Rules
}

/** Of these organizations for these products; pairs for which neither has rules are left out. */
export function findPricing(
  db: Db,
  { orgIds, productIds }: { orgIds: readonly string[]; productIds: readonly string[] },
) {
  return all<PricingRow>(db)`
    select o.id as "orgId", p.id as "productId", coalesce(t.rules, '{}') as rules, t.floors_box as "floorsBox",
      coalesce(i.pricing, '{}') as defaults
    from unnest(${orgIds}::uuid[]) o(id) cross join unnest(${productIds}::uuid[]) p(id)
      left join product_pricing t on t.org_id = o.id and t.product_id = p.id
      left join agent_integrations i on i.org_id = o.id
    where t.org_id is not null or i.pricing <> '{}'`
}

export async function findDefaults(db: Db, orgId: string): Promise<Rules> {
  const rows = await all<{ pricing: Rules }>(db)`
    select pricing from agent_integrations where org_id = ${orgId}`
  return rows[0]?.pricing ?? {}
}

/** Held until the change is written, so that two changes of different fields both stay. */
export async function lockDefaults(db: Db, { orgId, at }: { orgId: string; at: Date }): Promise<Rules> {
  await run(db)`
    insert into agent_integrations (org_id, created_at, updated_at) values (${orgId}, ${at}, ${at})
    on conflict do nothing`
  const rows = await all<{ pricing: Rules }>(db)`
    select pricing from agent_integrations where org_id = ${orgId} for update`
  return rows[0]?.pricing ?? {}
}

export function saveDefaults(db: Db, { orgId, rules, at }: { orgId: string; rules: object; at: Date }) {
  return run(db)`
    update agent_integrations set pricing = ${JSON.stringify(rules)}::jsonb, updated_at = ${at}
    where org_id = ${orgId}`
}

export type StoredPricing = Pick<PricingRow, 'productId' | 'rules' | 'floorsBox'>

/**
 * Of one organization, held until the change is written, so that two changes of different fields both stay. In one order,
 * or two changes of the same products would wait for each other.
 */
export async function lockProductPricing(
  db: Db,
  { orgId, productIds, at }: { orgId: string; productIds: readonly string[]; at: Date },
): Promise<StoredPricing[]> {
  await run(db)`
    insert into product_pricing (org_id, product_id, created_at, updated_at)
    select ${orgId}, id, ${at}, ${at} from unnest(${productIds}::uuid[]) p(id) order by id
    on conflict do nothing`
  return all<StoredPricing>(db)`
    select product_id as "productId", rules, floors_box as "floorsBox" from product_pricing
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[]) order by product_id for update`
}

export type ChangedPricing = StoredPricing & {
  /** By this change; limits that are gone were set by nobody. */
  floorsChanged: boolean
}

export function saveProductPricing(
  db: Db,
  { orgId, by, at }: { orgId: string; by: string | null; at: Date },
  rows: readonly ChangedPricing[],
) {
  return run(db)`
    update product_pricing t set rules = a.rules, floors_box = a."floorsBox", updated_at = ${at},
      floors_set_at = case when a."floorsBox" is null then null
        when a."floorsChanged" then ${at}::timestamptz else t.floors_set_at end,
      floors_set_by = case when a."floorsBox" is null then null
        when a."floorsChanged" then ${by}::uuid else t.floors_set_by end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as a("productId" uuid, rules jsonb, "floorsBox" text, "floorsChanged" boolean)
    where t.org_id = ${orgId} and t.product_id = a."productId"`
}

/** By product: the price of the organization's cheapest offer for all variants that is live now and names one. */
export function findOfferPrices(
  db: Db,
  { orgId, productIds, now }: { orgId: string; productIds: readonly string[]; now: Date },
) {
  return map<string, number>(db)`
    select product_id as "productId", min(price_cents)::float8 as "priceCents" from offers
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[]) and status = 'active'
      and price_cents is not null and variant is null and (starts_at is null or starts_at <= ${now})
      and (expires_at is null or expires_at > ${now})
    group by product_id`
}

export type FloorsRow = {
  productId: string
  setAt: Date | null
  /** Null when it is not known, or the account is gone. */
  setBy: string | null
  /** Requests since then whose quote a limit raised or stopped. */
  heldUp: number
  lastHeldUpAt: Date | null
}

/** Of those products that have limits. */
export function findFloors(
  db: Db,
  { orgId, productIds, since }: { orgId: string; productIds: readonly string[]; since: Date },
) {
  return all<FloorsRow>(db)`
    select t.product_id as "productId", t.floors_set_at as "setAt", coalesce(nullif(u.name, ''), u.email) as "setBy",
      coalesce(h.count, 0)::int as "heldUp", h.last as "lastHeldUpAt"
    from product_pricing t left join users u on u.id = t.floors_set_by
      left join (
        select r.product_id, count(distinct a.rfq_id) as count, max(a.finished_at) as last
        from rfq_attempts a join rfqs r on r.id = a.rfq_id
        where a.org_id = ${orgId} and a.started_at >= ${since} and a.limited and r.product_id = any(${productIds}::uuid[])
        group by r.product_id) h on h.product_id = t.product_id
    where t.org_id = ${orgId} and t.product_id = any(${productIds}::uuid[]) and t.floors_box is not null`
}

export type OwnProduct = { id: string; productSlug: string; title: string }

/** Those that the organization is verified to sell or make, by title. */
/** `priced`: whether they have a price of their own. */
export type OwnProductsPage = Searched & { priced?: boolean | null }

export async function findOwnProducts(
  db: Db,
  orgId: string,
  { search = null, priced = null, limit, offset = 0 }: OwnProductsPage,
): Promise<{ products: OwnProduct[]; total: number }> {
  const own = sql`
    from shown_products p join categories c on c.id = p.category_id
    where exists (select 1 from product_relationships r
        where r.org_id = ${orgId} and r.product_id = p.id and r.status = 'verified')
      and ${holds(sql`p.title || ' ' || c.slug || '/' || p.slug`, search)}
      and (${priced}::boolean is null or ${priced} = exists (select 1 from product_pricing s
        where s.org_id = ${orgId} and s.product_id = p.id and s.rules->>'price_usd' is not null))`
  const rows = await all<OwnProduct>(db)`
    select p.id, c.slug || '/' || p.slug as "productSlug", p.title ${own}
    order by p.title, p.id limit ${limit} offset ${offset}`
  const counted = await sql<{ total: number }>`select count(*)::int as total ${own}`.execute(db)
  return { products: rows, total: counted.rows[0]?.total ?? 0 }
}

export type NamedProduct = OwnProduct & { names: string[]; numbers: string[]; variants: Variant[] }

/** The organization's own products by what a file calls them: slugs in either form, or numbers of theirs or of a variant. */
export function findNamedProducts(
  db: Db,
  orgId: string,
  { slugs, numbers }: { slugs: readonly string[]; numbers: readonly string[] },
) {
  return all<NamedProduct>(db)`
    select p.id, c.slug || '/' || p.slug as "productSlug", p.title, array[p.slug, c.slug || '/' || p.slug] as names,
      array_remove(array[lower(p.sku), lower(p.gtin), lower(p.mpn)], null) as numbers, p.variants
    from shown_products p join categories c on c.id = p.category_id
    where exists (select 1 from product_relationships r
        where r.org_id = ${orgId} and r.product_id = p.id and r.status = 'verified')
      and (p.slug = any(${slugs}::text[]) or c.slug || '/' || p.slug = any(${slugs}::text[])
        or array[lower(p.sku), lower(p.gtin), lower(p.mpn)] && ${numbers}::text[]
        or exists (select 1 from jsonb_array_elements(p.variants) v
          where array[lower(v ->> 'sku'), v ->> 'gtin'] && ${numbers}::text[]))`
}

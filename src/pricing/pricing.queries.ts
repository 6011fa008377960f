/** SQL of product rules. The floors are a sealed box here, as they are in the table. */
import { sql } from 'kysely'
import { selected } from '../db/columns.ts'
import type { Db } from '../db/database.ts'

export type PricingRow = {
  orgId: string
  productId: string
  rules: Record<string, unknown>
  floorsBox: string | null
}

const ROW = selected(['orgId', 'productId', 'rules', 'floorsBox'], 'product_pricing')

export async function findProductPricing(
  db: Db,
  productId: string,
  orgIds: readonly string[],
): Promise<PricingRow[]> {
  const { rows } = await sql<PricingRow>`
    select ${ROW} from product_pricing
    where product_id = ${productId} and org_id = any(${orgIds})`.execute(db)
  return rows
}

/** One organization's, of many products. */
export async function findOrgPricing(
  db: Db,
  orgId: string,
  productIds: readonly string[],
): Promise<PricingRow[]> {
  const { rows } = await sql<PricingRow>`
    select ${ROW} from product_pricing
    where org_id = ${orgId} and product_id = any(${productIds}::uuid[])`.execute(db)
  return rows
}

/** Held until the change is written, so that two changes of different fields both stay. */
export async function lockProductPricing(
  db: Db,
  { orgId, productId, at }: { orgId: string; productId: string; at: Date },
): Promise<PricingRow> {
  await sql`
    insert into product_pricing (org_id, product_id, created_at, updated_at)
    values (${orgId}, ${productId}, ${at}, ${at}) on conflict do nothing`.execute(db)
  const { rows } = await sql<PricingRow>`
    select ${ROW} from product_pricing
    where org_id = ${orgId} and product_id = ${productId} for update`.execute(db)
  return rows[0] ?? { orgId, productId, rules: {}, floorsBox: null }
}

export async function saveProductPricing(
  db: Db,
  row: { orgId: string; productId: string; rules: object; floorsBox: string | null; at: Date },
): Promise<void> {
  await sql`
    update product_pricing set rules = ${JSON.stringify(row.rules)}::jsonb, floors_box = ${row.floorsBox}, updated_at = ${row.at}
    where org_id = ${row.orgId} and product_id = ${row.productId}`.execute(db)
}

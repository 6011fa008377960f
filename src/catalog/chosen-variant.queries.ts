/** SQL of products' variants. */
import type { Db } from '../db/database.ts'
import { map } from '../db/rows.ts'
import type { Variant } from './catalog.schema.ts'

/** By product; products without variants are absent. */
export async function findVariants(db: Db, productIds: readonly string[]): Promise<Map<string, Variant[]>> {
  if (productIds.length === 0) return new Map()
  return map<string, Variant[]>(db)`
    select id, variants from products where id = any(${productIds}::uuid[]) and variants <> '[]'`
}

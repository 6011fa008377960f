/** SQL of products' variants. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Variant } from './catalog.schema.ts'

/** By product; products without variants are absent. */
export async function findVariants(db: Db, productIds: readonly string[]): Promise<Map<string, Variant[]>> {
  if (productIds.length === 0) return new Map()
  const { rows } = await sql<{ id: string; variants: Variant[] }>`
    select id, variants from products where id = any(${productIds}::uuid[]) and variants <> '[]'`.execute(db)
  return new Map(rows.map(({ id, variants }) => [id, variants]))
}

/** SQL of what the products of each category mean. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** The short vectors of some products of each category that is shown. */
export async function findVectorsOfCategories(
  db: Kysely<Tables>,
  model: string,
  { categories, each }: { categories: number; each: number },
): Promise<Array<{ slug: string; vector: Float32Array }>> {
  const { rows } = await sql<{ slug: string; vector: Buffer }>`
    select c.slug, held.vector
    from (select id, slug from categories where hidden_at is null order by slug limit ${categories}) c
      cross join lateral (
        select v.short_vector as vector from products p
          join product_vectors v on v.product_id = p.id and v.model = ${model}
        where p.category_id = c.id and p.hidden_at is null limit ${each}) held`.execute(db)
  return rows.map(({ slug, vector }) => ({
    slug,
    vector: new Float32Array(new Uint8Array(vector).buffer),
  }))
}

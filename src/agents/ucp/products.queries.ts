/** SQL of the products that a batch names. */
import { sql } from 'kysely'
import type { Db } from '../../db/database.ts'

type NamedProduct = { id: string; slug: string; category: string }

/** One statement for a whole batch, by the unique index of the slugs. */
export async function findBySlugs(db: Db, slugs: string[]): Promise<NamedProduct[]> {
  const { rows } = await sql<NamedProduct>`
    select p.id, p.slug, c.slug as category
    from shown_products p join categories c on c.id = p.category_id
    where p.slug = any(${slugs})`.execute(db)
  return rows
}

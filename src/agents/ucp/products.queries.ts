/** SQL of the products that a batch names. */
import type { Db } from '../../db/database.ts'
import { all } from '../../db/rows.ts'

type NamedProduct = { id: string; slug: string; category: string }

/** One statement for a whole batch, by the unique index of the slugs. */
export function findBySlugs(db: Db, slugs: string[]) {
  return all<NamedProduct>(db)`
    select p.id, p.slug, c.slug as category
    from shown_products p join categories c on c.id = p.category_id
    where p.slug = any(${slugs})`
}

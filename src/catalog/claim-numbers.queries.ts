/** SQL of the numbers that tell whether a claim means the product it names. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { ProductNumbers } from './product-numbers.ts'

export async function findNumbers(db: Db, productId: string): Promise<ProductNumbers | null> {
  const { rows } = await sql<ProductNumbers>`
    select gtin, mpn from products where id = ${productId}`.execute(db)
  return rows[0] ?? null
}

/**
 * `<category>/<slug>` of the products that one of the numbers names. A part number is looked up brand by brand, which is
 * how products_by_mpn has them; two brands may use the same one.
 */
export async function findByNumbers(
  db: Db,
  { gtins, mpn, limit }: { gtins: readonly string[]; mpn: string | null; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`
    select c.slug || '/' || p.slug as slug
    from shown_products p join categories c on c.id = p.category_id
    where p.id in (
      select id from products where gtin = any(${gtins}::text[])
      union all
      select part.id from brands b join products part on part.brand_id = b.id
      where ${mpn}::text is not null and part.mpn is not null and lower(part.mpn) = lower(${mpn}::text))
    order by p.gtin = any(${gtins}::text[]) desc nulls last, slug
    limit ${limit}`.execute(db)
  return rows.map(({ slug }) => slug)
}

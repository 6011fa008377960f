/** SQL of the addresses that products and categories had before, and of those that nothing stands at any more. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { one, run } from '../db/rows.ts'

type FoundAddress = {
  gone: boolean
  /** Where it is shown now; null while it is hidden. */
  place: { category: string; slug: string } | null
}

/** Of any category for null: then the last that was left counts. */
export function findProductAddress(db: Db, { category, slug }: { category: string | null; slug: string }) {
  return one<FoundAddress>(db)`
    select a.product_id is null as gone,
      case when p.id is not null then json_build_object('category', c.slug, 'slug', p.slug) end as place
    from product_addresses a
      left join shown_products p on p.id = a.product_id left join categories c on c.id = p.category_id
    where a.slug = ${slug} and (${category}::text is null or a.category_slug = ${category} or a.category_slug = (
      select now.slug from category_addresses old join categories now on now.id = old.category_id where old.slug = ${category}))
    order by a.category_slug = ${category} desc nulls last, a.at desc limit 1`
}

/** Where the product of this slug is, for an address below a category that has another slug now or went into another. */
export function findBelowOldCategory(db: Db, { category, slug }: { category: string; slug: string }) {
  return one<{ category: string; slug: string }>(db)`
    select c.slug as category, p.slug
    from category_addresses a join shown_products p on p.slug = ${slug} join categories c on c.id = p.category_id
    where a.slug = ${category}`
}

export function findCategoryAddress(db: Db, slug: string) {
  return one<{ gone: boolean; slug: string | null }>(db)`
    select a.category_id is null as gone, c.slug
    from category_addresses a left join categories c on c.id = a.category_id and c.hidden_at is null
    where a.slug = ${slug}`
}

/** Before these products move or get another slug: where they stand until now leads on to them. */
export async function keepAddresses(db: Db, productIds: string[], at: Date): Promise<void> {
  await leaveAddresses(db, productIds, sql`p.id`, at)
}

/** Before these products go: what stood there is gone, or, with `into`, is there now. */
export async function leaveGone(db: Db, productIds: string[], into: string | null, at: Date): Promise<void> {
  await leaveAddresses(db, productIds, sql`${into}::uuid`, at)
}

async function leaveAddresses(
  db: Db,
  productIds: string[],
  leadsTo: ReturnType<typeof sql>,
  at: Date,
): Promise<void> {
  if (productIds.length === 0) return
  await run(db)`
    insert into product_addresses (category_slug, slug, product_id, at)
    select c.slug, p.slug, ${leadsTo}, ${at} from products p join categories c on c.id = p.category_id
    where p.id = any(${productIds})
    on conflict (category_slug, slug)
      do update set product_id = excluded.product_id, at = excluded.at`
}

/** What led to one product leads to another. */
export function passAddresses(db: Db, { from, into }: { from: string; into: string }) {
  return run(db)`update product_addresses set product_id = ${into} where product_id = ${from}`
}

/** `categoryId` null: nothing stands there any more. */
export function leaveCategoryAddress(
  db: Db,
  { slug, categoryId, at }: { slug: string; categoryId: string | null; at: Date },
) {
  return run(db)`
    insert into category_addresses (slug, category_id, at) values (${slug}, ${categoryId}, ${at})
    on conflict (slug) do update set category_id = excluded.category_id, at = excluded.at`
}

export function passCategoryAddresses(db: Db, { from, into }: { from: string; into: string }) {
  return run(db)`update category_addresses set category_id = ${into} where category_id = ${from}`
}

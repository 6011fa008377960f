/** SQL of tidying categories. */
import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Category } from './catalog.schema.ts'

export type LockedCategory = Category & { isHidden: boolean }

/** Hidden ones too, in one order for everybody. Nobody puts a product into one of them until the transaction ends. */
export async function lockCategories(db: Db, slugs: string[]): Promise<Map<string, LockedCategory>> {
  const { rows } = await sql<LockedCategory>`
    select id, slug, label, description, path, updated_at as "updatedAt", hidden_at is not null as "isHidden"
    from categories where slug = any(${slugs}) order by id for update`.execute(db)
  return new Map(rows.map((row) => [row.slug, row]))
}

export async function updateCategory(
  db: Db,
  { id, slug, label, description, path }: Omit<Category, 'updatedAt'>,
  at: Date,
): Promise<void> {
  await sql`
    update categories set slug = ${slug}, label = ${label}, description = ${description}, path = ${path}::text[],
      updated_at = ${at} where id = ${id}`.execute(db)
}

export async function updateCategoryHidden(
  db: Db,
  id: string,
  { hide, at }: { hide: boolean; at: Date },
): Promise<void> {
  await sql`
    update categories set hidden_at = ${hide ? at : null}, updated_at = ${at} where id = ${id}`.execute(db)
}

/** Hidden ones too. */
export async function hasProducts(db: Db, categoryId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from products where category_id = ${categoryId} limit 1`.execute(db)
  return rows.length > 0
}

export async function deleteCategoryRow(db: Db, id: string): Promise<void> {
  await sql`delete from categories where id = ${id}`.execute(db)
}

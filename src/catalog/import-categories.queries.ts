/** SQL of categories that an import makes. */
import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Category } from './catalog.schema.ts'

/** The one that is there already, where another import was first. */
export async function insertCategory(
  db: Kysely<Tables>,
  { id, slug, label, description, path }: Omit<Category, 'updatedAt'>,
  at: Date,
): Promise<{ category: Category; isNew: boolean }> {
  await sql`
    insert into categories (id, slug, label, description, path, created_at, updated_at)
    values (${id}, ${slug}, ${label}, ${description}, ${path}::text[], ${at}, ${at})
    on conflict (slug) do nothing`.execute(db)
  const { rows } = await sql<Category>`
    select id, slug, label, description, path, updated_at as "updatedAt" from categories where slug = ${slug}`.execute(
    db,
  )
  const [category] = rows
  if (!category) throw new Error(`category ${slug} vanished while it was written`)
  return { category, isNew: category.id === id }
}

/** What files call categories that are called otherwise here. */
export async function findCategoryNames(
  db: Kysely<Tables>,
): Promise<Array<{ names: string[]; categoryId: string }>> {
  const { rows } = await sql<{ names: string[]; categoryId: string }>`
    select names, category_id as "categoryId" from category_names`.execute(db)
  return rows
}

/** What a category was called until now leads to this one. */
export async function keepCategoryName(
  db: Kysely<Tables>,
  { names, categoryId }: { names: string[]; categoryId: string },
): Promise<void> {
  await sql`
    insert into category_names (names, category_id) values (${names}::text[], ${categoryId})
    on conflict (names) do update set category_id = excluded.category_id`.execute(db)
}

export async function passCategoryNames(
  db: Kysely<Tables>,
  { from, into }: { from: string; into: string },
): Promise<void> {
  await sql`update category_names set category_id = ${into} where category_id = ${from}`.execute(db)
}

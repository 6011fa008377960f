/** SQL of writing categories: those that an import makes, and tidying them. */
import type { Db } from '../db/database.ts'
import { all, exists, one, run } from '../db/rows.ts'
import type { Category } from './catalog.schema.ts'

/** The one that is there already, where another import was first. */
export async function insertCategory(
  db: Db,
  { id, slug, label, description, path }: Omit<Category, 'updatedAt'>,
  at: Date,
): Promise<{ category: Category; isNew: boolean }> {
  await run(db)`
    insert into categories (id, slug, label, description, path, created_at, updated_at)
    values (${id}, ${slug}, ${label}, ${description}, ${path}::text[], ${at}, ${at})
    on conflict (slug) do nothing`
  const category = await one<Category>(db)`
    select id, slug, label, description, path, updated_at as "updatedAt" from categories
      where slug = ${slug}`
  if (!category) throw new Error(`category ${slug} vanished while it was written`)
  return { category, isNew: category.id === id }
}

/** What files call categories that are called otherwise here. */
export function findCategoryNames(db: Db) {
  return all<{ names: string[]; categoryId: string }>(db)`
    select names, category_id as "categoryId" from category_names`
}

/** What a category was called until now leads to this one. */
export function keepCategoryName(db: Db, { names, categoryId }: { names: string[]; categoryId: string }) {
  return run(db)`
    insert into category_names (names, category_id) values (${names}::text[], ${categoryId})
    on conflict (names) do update set category_id = excluded.category_id`
}

export async function passCategoryNames(
  db: Db,
  { from, into }: { from: string; into: string },
): Promise<void> {
  await run(db)`update category_names set category_id = ${into} where category_id = ${from}`
  await run(db)`update search_rules set category_id = ${into} where category_id = ${from}`
}

export type LockedCategory = Category & { isHidden: boolean }

/** Hidden ones too, in one order for everybody. Nobody puts a product into one of them until the transaction ends. */
export async function lockCategories(db: Db, slugs: string[]): Promise<Map<string, LockedCategory>> {
  const rows = await all<LockedCategory>(db)`
    select id, slug, label, description, path, updated_at as "updatedAt", hidden_at is not null as "isHidden"
    from categories where slug = any(${slugs}) order by id for update`
  return new Map(rows.map((row) => [row.slug, row]))
}

export function updateCategory(
  db: Db,
  { id, slug, label, description, path }: Omit<Category, 'updatedAt'>,
  at: Date,
) {
  return run(db)`
    update categories set slug = ${slug}, label = ${label}, description = ${description}, path = ${path}::text[],
      updated_at = ${at} where id = ${id}`
}

export function updateCategoryHidden(db: Db, id: string, { hide, at }: { hide: boolean; at: Date }) {
  return run(db)`
    update categories set hidden_at = ${hide ? at : null}, updated_at = ${at} where id = ${id}`
}

/** Hidden ones too. */
export function hasProducts(db: Db, categoryId: string) {
  return exists(db)`select 1 from products where category_id = ${categoryId} limit 1`
}

export function deleteCategoryRow(db: Db, id: string) {
  return run(db)`delete from categories where id = ${id}`
}

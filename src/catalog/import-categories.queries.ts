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

/** Products for tests, brought in as an import brings them. */
import { importCategories } from '../src/catalog/categories.service.ts'
import { importProducts } from '../src/catalog/import.service.ts'
import { newId } from '../src/lib/ids.ts'
import type { createTestApp } from './harness.ts'

type World = Pick<Awaited<ReturnType<typeof createTestApp>>, 'ctx' | 'database'>

/** `row` as the import contract has it; its category is made when it is new. Answers with the product's id. */
export async function addProduct(
  { ctx, database }: World,
  row: { slug: string; category: string; title: string } & Record<string, unknown>,
): Promise<string> {
  await importCategories(ctx, [{ slug: row.category, label: row.category.replaceAll('-', ' ') }])
  const bytes = (async function* () {
    yield Buffer.from(JSON.stringify(row))
  })()
  await importProducts(ctx, bytes, { format: 'jsonl', source: 'feed', fingerprint: newId() })
  const { rows } = await database.pool.query<{ id: string }>('select id from products where slug = $1', [
    row.slug,
  ])
  if (!rows[0]) throw new Error(`the product ${row.slug} was not taken`)
  return rows[0].id
}

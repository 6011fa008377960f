/** Products for tests, brought in as an import brings them. */
import { importCategories } from '../src/catalog/categories.service.ts'
import { importProducts } from '../src/catalog/import.service.ts'
import { newId } from '../src/lib/ids.ts'
import type { createTestApp } from './harness.ts'

type Row = { slug: string; category: string; title: string } & Record<string, unknown>
type World = Pick<Awaited<ReturnType<typeof createTestApp>>, 'ctx' | 'database'>

/** `row` as the import contract has it; its category is made when it is new. Answers with the product's id. */
export async function addProduct(world: World, row: Row): Promise<string> {
  const [id = ''] = await addProducts(world, [row])
  return id
}

/** Many in one import; answers with their ids, in the same order. */
export async function addProducts({ ctx, database }: World, added: Row[]): Promise<string[]> {
  const categories = [...new Set(added.map(({ category }) => category))]
  await importCategories(
    ctx,
    categories.map((slug) => ({ slug, label: slug.replaceAll('-', ' ') })),
  )
  const bytes = (async function* () {
    yield Buffer.from(added.map((row) => JSON.stringify(row)).join('\n'))
  })()
  await importProducts(ctx, bytes, { format: 'jsonl', source: 'feed', fingerprint: newId() })
  const { rows } = await database.pool.query<{ id: string; slug: string }>(
    'select id, slug from products where slug = any($1)',
    [added.map(({ slug }) => slug)],
  )
  return added.map(({ slug }) => {
    const found = rows.find((row) => row.slug === slug)
    if (!found) throw new Error(`the product ${slug} was not taken`)
    return found.id
  })
}

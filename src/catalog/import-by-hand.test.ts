/** The next file of a source, after the operator tidied what the first one brought. */
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { captureLog, createTestDatabase, type TestDatabase } from '../../test/harness.ts'
import { manualClock } from '../lib/clock.ts'
import { getProfile, listCategories } from './catalog.service.ts'
import type { RowProblem } from './import/rows.ts'
import { type ImportOptions, importProducts } from './import.service.ts'
import { undoImport } from './import-undo.service.ts'
import { editCategory, mergeCategories } from './manage-categories.service.ts'
import { deleteProducts, editProduct, moveProducts } from './manage-products.service.ts'

let database: TestDatabase
const clock = manualClock('2026-11-01T12:00:00Z')
const by = { kind: 'operator', id: null } as const
const ctx = () => ({ db: database.db, clock, log: captureLog().log })

beforeEach(async () => {
  database ??= await createTestDatabase()
  await database.pool.query('truncate products, brands, categories, changes, imports, deleted_keys cascade')
})

const row = (id: number, more: Record<string, unknown> = {}) => ({
  id,
  title: `Bangle ${id}`,
  category: ['Jewelry', 'Bracelet'],
  price: 10 + id,
  ...more,
})

async function run(rows: unknown[], options: Partial<ImportOptions> = {}) {
  const notes: RowProblem[] = []
  async function* input() {
    for (const one of rows) yield Buffer.from(`${JSON.stringify(one)}\n`)
  }
  const summary = await importProducts(ctx(), input(), {
    format: 'jsonl',
    source: 'shop',
    fingerprint: randomUUID(),
    onNote: (note) => notes.push(note),
    ...options,
  })
  return { summary, notes }
}

const profile = (category: string, slug: string) => getProfile(ctx(), { category, slug })
const slugs = async () => (await listCategories(ctx())).map(({ slug }) => slug).sort()

test('what was edited by hand stays and is named; the rest of the row is taken', async () => {
  await run([row(1), row(2)])
  await editProduct(ctx(), { by, slug: 'bangle-1', fields: { title: 'Silver bangle', price: null } })
  const { summary, notes } = await run([row(1, { price: 20, brand: 'Acme' }), row(2, { price: 30 })])
  expect(summary).toMatchObject({ updated: 2, unchanged: 0 })
  expect(await profile('bracelet', 'bangle-1')).toMatchObject({
    title: 'Silver bangle',
    priceLowCents: null,
    brand: { name: 'Acme' },
  })
  expect(notes).toMatchObject([
    { line: 1, id: '1', field: 'title', problem: expect.stringContaining('edited by hand') },
    { line: 1, id: '1', field: 'price' },
  ])
  const again = await run([row(1, { price: 20, brand: 'Acme' })], { overwriteEdits: true })
  expect(again).toMatchObject({ summary: { updated: 1 }, notes: [] })
  expect(await profile('bracelet', 'bangle-1')).toMatchObject({ title: 'Bangle 1', priceLowCents: 2000 })
})

test('details that were approved stay and are named; a price from them follows the file', async () => {
  await run([row(1, { description: 'As the shop says', specs: { Metal: 'Brass' } })])
  const said = { source: 'Acme', verifiedAt: '2026-10-01T00:00:00.000Z' }
  await database.pool.query(
    `update products set description = 'As its maker says', specs = '[{"name":"Metal","value":"Silver"}]',
       provenance = provenance || $1`,
    [{ description: said, specs: said, price: said }],
  )
  const next = row(1, { description: 'New words', specs: { Metal: 'Tin' }, price: 40 })
  const { notes } = await run([next])
  expect(await profile('bracelet', 'bangle-1')).toMatchObject({
    description: 'As its maker says',
    specs: [{ name: 'Metal', value: 'Silver' }],
    priceLowCents: 4000,
  })
  expect(notes).toMatchObject([
    { line: 1, field: 'description', problem: expect.stringContaining('approved details') },
    { line: 1, field: 'specs', fix: expect.stringContaining('--overwrite-edits') },
  ])
  expect((await run([next], { overwriteEdits: true })).notes).toEqual([])
  expect(await profile('bracelet', 'bangle-1')).toMatchObject({ description: 'New words' })
})

test('a file of products that were all renamed by hand is still the same source', async () => {
  const rows = Array.from({ length: 6 }, (_, at) => row(at))
  await run(rows)
  for (const { id } of rows)
    await editProduct(ctx(), { by, slug: `bangle-${id}`, fields: { title: `Armreif ${id}` } })
  expect((await run(rows)).summary).toMatchObject({ unchanged: 6 })
})

test('a product that was moved by hand stays there, and no empty category is made for it', async () => {
  await run([row(1), row(2, { category: 'Rings' })])
  await moveProducts(ctx(), { by, selection: { slugs: ['bangle-1'] }, to: 'rings' })
  await database.pool.query("delete from categories where slug = 'bracelet'")
  const { summary, notes } = await run([row(1, { price: 99 }), row(2, { category: 'Rings' })])
  expect(summary).toMatchObject({ updated: 1, unchanged: 1 })
  expect(await profile('rings', 'bangle-1')).toMatchObject({ priceLowCents: 9900 })
  expect(await slugs()).toEqual(['rings'])
  expect(notes).toMatchObject([{ line: 1, id: '1', field: 'category' }])
  await run([row(1)], { overwriteEdits: true })
  expect(await profile('bracelet', 'bangle-1')).not.toBeNull()
})

test('a category that was renamed, placed elsewhere or merged goes on taking what files call by its old name', async () => {
  await run([row(1), row(2, { category: 'Rings' })])
  await editCategory(ctx(), {
    by,
    slug: 'bracelet',
    fields: { slug: 'bangles', label: 'Bangles', path: ['Accessories'] },
  })
  expect((await run([row(1), row(3)])).summary).toMatchObject({ unchanged: 1, created: 1 })
  expect(await slugs()).toEqual(['bangles', 'rings'])
  await mergeCategories(ctx(), { by, slug: 'bangles', into: 'rings' })
  const { summary } = await run([row(1), row(3), row(4), row(5, { category: ['Accessories', 'Bangles'] })])
  expect(summary).toMatchObject({ unchanged: 2, created: 2 })
  expect(await slugs()).toEqual(['rings'])
})

test('a product that was deleted stays out, by its id or by its slug, until it is asked back', async () => {
  const named = { slug: 'plain-ring', title: 'Plain ring', category: 'Rings' }
  await run([row(1), row(2), named])
  await deleteProducts(ctx(), { by, selection: { slugs: ['bangle-1', 'plain-ring'] } })
  const { summary, notes } = await run([row(1, { category: 'Elsewhere' }), row(2), named])
  expect(summary).toMatchObject({ created: 0, unchanged: 1, deleted: 2 })
  expect(notes).toMatchObject([
    { line: 1, id: '1', value: 'Bangle 1', problem: expect.stringContaining('deleted here') },
    { line: 3, value: 'Plain ring' },
  ])
  expect(await slugs()).not.toContain('elsewhere')
  expect((await run([row(1)], { source: 'another' })).summary).toMatchObject({ created: 1 })
  const back = await run([row(1), named], { restoreDeleted: true, dryRun: true })
  expect(back.summary).toMatchObject({ created: 2, deleted: 0 })
  expect((await run([row(1)])).summary).toMatchObject({ deleted: 1 })
  expect((await run([row(1)], { restoreDeleted: true })).summary).toMatchObject({ created: 1 })
  expect((await run([row(1), named])).summary).toMatchObject({ unchanged: 1, deleted: 1 })
})

test('variants of a deleted product stay out with it, and what an undo removes comes in again', async () => {
  const variant = (id: string, color: string) => ({ ...row(1), id, group: 'G', options: { Color: color } })
  const first = await run([variant('a', 'red'), variant('b', 'blue')])
  await undoImport(ctx(), { by, id: first.summary.importId ?? '' })
  expect((await run([variant('a', 'red')])).summary).toMatchObject({ created: 1 })
  await deleteProducts(ctx(), { by, selection: { slugs: ['bangle-1'] } })
  const rows = [variant('a', 'red'), variant('c', 'green')]
  expect((await run(rows)).summary).toMatchObject({ created: 0, deleted: 2 })
})

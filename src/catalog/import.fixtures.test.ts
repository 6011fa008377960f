/** Exports as shops really write them, brought whole into an empty catalog without a word about how to read them. */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { captureLog, createTestDatabase, type TestDatabase } from '../../test/harness.ts'
import { manualClock } from '../lib/clock.ts'
import { projectFile } from '../lib/paths.ts'
import { detectFormat } from './import/read-rows.ts'
import type { RowProblem } from './import/rows.ts'
import { importProducts } from './import.service.ts'

let database: TestDatabase
const clock = manualClock('2026-11-01T12:00:00Z')
const rates = { CZK: { rate: 0.043, at: '2026-10-30' }, EUR: { rate: 1.08, at: '2026-10-30' } }

beforeAll(async () => {
  database = await createTestDatabase()
})

test.each([
  'shopify.csv',
  'woocommerce.csv',
  'magento.csv',
  'bigcommerce.csv',
  'windows-1252.csv',
  'google.xml',
  'google.tsv',
  'jsonld.json',
  'products.json',
  'shop.json',
  'heureka.xml',
])('%s: every row with a title comes in, and different ids stay different products', async (name) => {
  await database.pool.query('delete from products; delete from brands; delete from categories')
  const bytes = fs.readFileSync(projectFile('test', 'fixtures', 'import', name))
  const format = detectFormat(name, bytes.subarray(0, 64 * 1024))
  if (!format) throw new Error(`${name} is not known`)
  const problems: RowProblem[] = []
  const run = () =>
    importProducts(
      { db: database.db, clock, log: captureLog().log },
      (async function* () {
        yield bytes
      })(),
      {
        format,
        source: name,
        fingerprint: randomUUID(),
        money: { currency: 'USD', rates },
        onProblem: (problem) => problems.push(problem),
      },
    )
  const { created, updated, unchanged, failed, joined } = await run()
  expect({ updated, unchanged }).toEqual({ updated: 0, unchanged: 0 })
  const titled = problems.filter(({ field }) => field !== 'title').length
  expect({ titled, joined }).toEqual({ titled: 0, joined: 0 })
  expect(created).toBeGreaterThan(20)
  const { rows } = await database.pool.query<{ products: number; shared: number; unpriced: number }>(
    `select count(*)::int as products,
       count(*) filter (where (select count(*) from product_keys k
         where k.product_id = p.id and k.key like 'id:%' and k.source = $1) > 1
         and jsonb_array_length(p.variants) = 0)::int as shared,
       count(*) filter (where p.price_low_cents is null)::int as unpriced
     from products p`,
    [name],
  )
  expect(rows).toMatchObject([{ products: created }])
  // Shopify's own form names a product by its handle and by a number.
  if (name !== 'products.json') expect(rows).toMatchObject([{ shared: 0 }])
  expect(rows[0]?.unpriced).toBeLessThan(created / 4)
  expect(await run()).toMatchObject({ created: 0, failed, unchanged: expect.any(Number) })
})

import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { exportProducts } from '../../src/catalog/export.service.ts'
import { type ImportOptions, type ImportSummary, importProducts } from '../../src/catalog/import.service.ts'
import { getImport, listImports, undoImport } from '../../src/catalog/import-undo.service.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { captureLog, createTestDatabase, type TestDatabase } from '../harness.ts'

let database: TestDatabase
const clock = manualClock('2026-11-01T12:00:00Z')
const ctx = () => ({ db: database.db, clock, log: captureLog().log })
const OPERATOR = { kind: 'operator', id: null } as const
const GTINS = ['4006381333931', '5901234123457', '4012345678901']

const TABLES = ['categories', 'brands', 'products', 'product_keys'] as const

async function empty(): Promise<void> {
  // Some rows are deleted sooner than many tables are truncated.
  await database.pool.query(
    'delete from products; delete from brands; delete from categories; delete from changes; delete from imports; delete from audit_log',
  )
}

beforeEach(async () => {
  database ??= await createTestDatabase()
  await empty()
})

async function* lines(rows: unknown[]): AsyncGenerator<Uint8Array> {
  for (const row of rows) yield Buffer.from(`${JSON.stringify(row)}\n`)
}

async function run(rows: unknown[], options: Partial<ImportOptions> = {}): Promise<ImportSummary> {
  clock.advance(60_000)
  return importProducts(ctx(), lines(rows), {
    format: 'jsonl',
    source: 'shop',
    fingerprint: randomUUID(),
    isSourceSure: true,
    ...options,
  })
}

async function undo(summary: ImportSummary) {
  clock.advance(60_000)
  return undoImport(ctx(), { by: OPERATOR, id: summary.importId ?? '' })
}

/** All that the catalog's tables hold, and what they say to the outside. */
async function catalog(): Promise<unknown> {
  const tables = []
  for (const table of TABLES)
    tables.push((await database.pool.query(`select * from ${table} t order by t::text`)).rows)
  const said: string[] = []
  for await (const line of exportProducts(ctx())) said.push(line)
  return { tables, said }
}

const count = async (table: string) =>
  Number((await database.pool.query(`select count(*) as n from ${table}`)).rows[0].n)

describe('an import that is taken back', () => {
  const KETTLE = { id: 1, title: 'Kettle', brand: 'Acme', category: 'Kettles', price: 40 }

  test('is gone, with the categories and brands it made, and its records stay', async () => {
    const summary = await run([KETTLE, { id: 2, title: 'Toaster', category: ['Home', 'Toasters'] }])
    expect(await undo(summary)).toEqual({ removed: 2, restored: 0, categoriesRemoved: 2, kept: [] })
    for (const table of TABLES) expect([table, await count(table)]).toEqual([table, 0])
    expect(await listImports(ctx(), { limit: 10 })).toMatchObject([
      { id: summary.importId, state: 'undone', counts: { created: 2 }, undoneAt: clock.now() },
    ])
    const { rows } = await database.pool.query(`select action, detail from audit_log`)
    expect(rows).toEqual([
      { action: 'import.undone', detail: expect.objectContaining({ source: 'shop', removed: 2 }) },
    ])
    const aspects = await database.pool.query(
      `select aspect from changes where product_id is not null order by seq`,
    )
    expect(aspects.rows.map(({ aspect }) => aspect)).toEqual(['created', 'created', 'removed', 'removed'])
  })

  test('can be looked at: what it added and what it changed', async () => {
    await run([KETTLE])
    const { importId } = await run([
      { ...KETTLE, price: 45 },
      { id: 2, title: 'Toaster', category: 'Kettles' },
    ])
    expect(await getImport(ctx(), importId ?? '', { limit: 10 })).toMatchObject({
      state: 'done',
      written: [
        { kind: 'product', name: 'acme-kettle', isNew: false },
        { kind: 'product', name: 'toaster', isNew: true },
      ],
    })
  })

  test('leaves what was touched since as it is, and names it', async () => {
    const first = await run([KETTLE, { id: 2, title: 'Toaster', category: 'Toasters' }])
    await run([{ ...KETTLE, price: 45 }])
    expect(await undo(first)).toEqual({
      removed: 1,
      restored: 0,
      categoriesRemoved: 1,
      kept: [
        { name: 'acme-kettle', why: 'it has changed since' },
        { name: 'kettles', why: 'there are products in it, or it has changed' },
      ],
    })
    expect(await count('products')).toBe(1)
  })

  test('leaves a product that somebody has saved', async () => {
    const summary = await run([KETTLE])
    const user = randomUUID()
    await database.pool.query(
      `insert into users (id, email, email_key) values ($1, 'a@b.example', 'a@b.example')`,
      [user],
    )
    await database.pool.query(
      `insert into saved_products (id, user_id, product_id, list) select gen_random_uuid(), $1, id, 'a' from products`,
      [user],
    )
    expect((await undo(summary)).kept).toMatchObject([{ name: 'acme-kettle' }, { name: 'kettles' }])
  })

  test('cannot be taken back twice, nor one that is not there', async () => {
    const summary = await run([KETTLE])
    await undo(summary)
    await expect(undo(summary)).rejects.toThrow('already undone')
    await expect(undo({ ...summary, importId: randomUUID() })).rejects.toThrow('there is no import')
    await expect(undo({ ...summary, importId: 'x' })).rejects.toThrow('there is no import')
  })

  test('products that took each other’s numbers take them back', async () => {
    const before = await run([
      { id: 1, title: 'Kettle', brand: 'Acme', mpn: 'M1', category: 'Kettles' },
      { id: 2, title: 'Toaster', brand: 'Acme', mpn: 'M2', category: 'Kettles' },
    ])
    const kept = await catalog()
    const swapped = await run([
      { id: 1, title: 'Kettle', brand: 'Acme', mpn: 'M3', category: 'Kettles' },
      { id: 2, title: 'Toaster', brand: 'Acme', mpn: 'M4', category: 'Kettles' },
    ])
    // As a later part of one file may do, once the numbers are free.
    await database.pool.query(`
      update products set mpn = case mpn when 'M3' then 'M2' else 'M1' end, version = version + 0`)
    await database.pool.query(
      'update import_writes w set version = p.version from products p where p.id = w.id and w.import_id = $1',
      [swapped.importId],
    )
    expect(await undo(swapped)).toMatchObject({ restored: 2, kept: [] })
    expect(await catalog()).toEqual(kept)
    expect((await undo(before)).removed).toBe(2)
  })

  test('one whose number another that stays has by now stays too, and says why', async () => {
    await run([
      { id: 1, title: 'Kettle', gtin: GTINS[0], category: 'Kettles' },
      { id: 2, title: 'Toaster', gtin: GTINS[1], category: 'Kettles' },
    ])
    await database.pool.query('update products set gtin = null')
    const changed = await run([
      { id: 1, title: 'Kettle', gtin: GTINS[1], category: 'Kettles' },
      { id: 2, title: 'Toaster', price: 20, category: 'Kettles' },
    ])
    await database.pool.query(
      `update import_writes set before = before || jsonb_build_object('gtin', $2::text) where import_id = $1 and before ->> 'title' = 'Toaster'`,
      [changed.importId, GTINS[1]],
    )
    await database.pool.query(`update products set title = 'Kettle of today' where title = 'Kettle'`)
    expect((await undo(changed)).kept).toEqual([
      { name: 'kettle', why: 'it has changed since' },
      { name: 'toaster', why: 'its number belongs to another product now' },
    ])
  })

  test('two takings back at once: one of them does it', async () => {
    const summary = await run([KETTLE])
    const both = await Promise.allSettled([undo(summary), undo(summary)])
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(await count('audit_log')).toBe(1)
  })
})

const row = fc.record(
  {
    id: fc.integer({ min: 1, max: 6 }),
    slug: fc.constantFrom('one', 'two'),
    group: fc.constantFrom('g1', 'g2'),
    options: fc.record({ Color: fc.constantFrom('Red', 'Blue') }),
    title: fc.constantFrom('Kettle', 'Kettle - Red', 'Toaster', 'Lamp', ''),
    brand: fc.constantFrom('Acme', 'Bolt'),
    brand_domain: fc.constantFrom('acme.example', 'bolt.example'),
    category: fc.constantFrom<unknown>('Kettles', ['Home', 'Kettles'], ['Garden', 'Lamps'], ''),
    gtin: fc.constantFrom(...GTINS, '123'),
    mpn: fc.constantFrom('M1', 'M2'),
    sku: fc.constantFrom('S1', 'S2', 'S3'),
    price: fc.constantFrom<unknown>(10, 12.5, 'ask', null),
    verdict: fc.constantFrom('Good.', null),
  },
  { requiredKeys: ['title'] },
)
const batch = fc.record({ source: fc.constantFrom('shop', 'other'), rows: fc.array(row, { maxLength: 8 }) })

describe('over random batches', () => {
  test('taking the last one back leaves the catalog as it was, and all of them, nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 4 }), async (batches) => {
        await empty()
        const done = []
        for (const { source, rows } of batches) {
          const before = await catalog()
          const summary = await run(rows, { source })
          done.push({ before, summary })
        }
        for (const { before, summary } of done.reverse()) {
          expect((await undo(summary)).kept).toEqual([])
          expect(await catalog()).toEqual(before)
        }
      }),
      { numRuns: 20, endOnFailure: true },
    )
  }, 120_000)

  test('a dry run says what the run does, in every count, and writes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 1, maxLength: 3 }), async (batches) => {
        await empty()
        for (const { source, rows } of batches) {
          const before = await catalog()
          const { importId: _none, ...dry } = await run(rows, { source, dryRun: true })
          expect(await catalog()).toEqual(before)
          const { importId: _id, ...wet } = await run(rows, { source })
          expect(dry).toEqual(wet)
        }
      }),
      { numRuns: 20, endOnFailure: true },
    )
  }, 120_000)
})

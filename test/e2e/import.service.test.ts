import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { getProfile } from '../../src/catalog/catalog.service.ts'
import { importCategories } from '../../src/catalog/categories.service.ts'
import { whatChanged } from '../../src/catalog/changes.service.ts'
import { exportProducts } from '../../src/catalog/export.service.ts'
import type { RowProblem } from '../../src/catalog/import/rows.ts'
import { type ImportOptions, importProducts } from '../../src/catalog/import.service.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { captureLog, createTestDatabase, type TestDatabase } from '../harness.ts'

let database: TestDatabase
const clock = manualClock('2026-11-01T12:00:00Z')
const ctx = () => ({ db: database.db, clock, log: captureLog().log })

beforeEach(async () => {
  database ??= await createTestDatabase()
  await database.pool.query('truncate products, brands, categories, changes, imports, settings cascade')
  clock.set('2026-11-01T12:00:00Z')
  await importCategories(ctx(), [
    { slug: 'kettles', label: 'Electric kettles', description: 'They boil water.' },
    { slug: 'toasters', label: 'Toasters' },
  ])
})

const KETTLE = {
  slug: 'acme-k1',
  category: 'kettles',
  title: 'Acme K1 Kettle',
  brand: 'Acme',
  brand_domain: 'https://Acme.example/',
  model: 'K1',
  mpn: 'AC-K1',
  gtin: '4006381333931',
  description: 'Boils <b>fast</b>.\n\nSecond paragraph.',
  verdict: 'Quick & quiet.',
  price: { low: 49.9, high: 59 },
  list_price: 69,
  rating: 4.5,
  review_count: 120,
  released: '2024-03',
  specs: { Volume: '1.7 l', Watts: 2200, Cordless: true },
  themes: [{ theme: 'Speed', sentiment: 'positive', share: 0.4, summary: 'Fast.' }],
  best_for: ['tea'],
  where_to_buy: [{ name: 'Shop', url: 'https://shop.example/k1', price: 49.9 }],
}

async function* lines(rows: unknown[]): AsyncGenerator<Uint8Array> {
  for (const row of rows) yield Buffer.from(`${typeof row === 'string' ? row : JSON.stringify(row)}\n`)
}

async function run(rows: unknown[], options: Partial<ImportOptions> = {}) {
  const problems: RowProblem[] = []
  const notes: RowProblem[] = []
  const summary = await importProducts(ctx(), lines(rows), {
    format: 'jsonl',
    source: 'test.jsonl',
    fingerprint: randomUUID(),
    onProblem: (problem) => problems.push(problem),
    onNote: (note) => notes.push(note),
    ...options,
  })
  return { summary, problems, notes }
}

const count = async (table: string) =>
  Number((await database.pool.query(`select count(*) as n from ${table}`)).rows[0].n)

describe('import', () => {
  test('a whole row becomes a whole profile, cleaned, with its provenance', async () => {
    expect((await run([KETTLE])).summary).toMatchObject({ created: 1, failed: 0 })
    expect(await getProfile(ctx(), { category: 'kettles', slug: 'acme-k1' })).toMatchObject({
      title: 'Acme K1 Kettle',
      description: 'Boils fast.\n\nSecond paragraph.',
      brand: { name: 'Acme', domain: 'acme.example' },
      category: { slug: 'kettles', label: 'Electric kettles' },
      priceLowCents: 4990,
      priceHighCents: 5900,
      listPriceCents: 6900,
      specs: [
        { name: 'Volume', value: '1.7 l' },
        { name: 'Watts', value: '2200' },
        { name: 'Cordless', value: 'Yes' },
      ],
      whereToBuy: [{ name: 'Shop', url: 'https://shop.example/k1', priceCents: 4990 }],
      verificationStatus: 'base',
      provenance: {
        title: { source: 'test.jsonl', verifiedAt: null },
        brand: { source: 'test.jsonl', verifiedAt: null },
      },
    })
  })

  test('the same file again changes nothing and records nothing', async () => {
    await run([KETTLE])
    const changes = await count('changes')
    clock.advance(60_000)
    expect((await run([KETTLE])).summary).toMatchObject({ created: 0, updated: 0, unchanged: 1 })
    expect(await count('changes')).toBe(changes)
    const profile = await getProfile(ctx(), { category: 'kettles', slug: 'acme-k1' })
    expect(profile?.updatedAt).toEqual(new Date('2026-11-01T12:00:00Z'))
  })

  test('a row says only what it states: absent fields stay, null takes away', async () => {
    await run([KETTLE])
    clock.advance(60_000)
    await run([{ slug: 'acme-k1', category: 'kettles', title: 'Acme K1 Kettle', price: 45, verdict: null }])
    expect(await getProfile(ctx(), { category: 'kettles', slug: 'acme-k1' })).toMatchObject({
      priceLowCents: 4500,
      priceHighCents: 4500,
      listPriceCents: 6900,
      verdict: null,
      brand: { name: 'Acme' },
      updatedAt: new Date('2026-11-01T12:01:00Z'),
    })
  })

  test('a product is found by slug, by gtin, or by brand and part number', async () => {
    await run([KETTLE])
    const base = { category: 'kettles', title: 'Another name' }
    expect((await run([{ ...base, gtin: '4006381333931' }])).summary).toMatchObject({
      updated: 1,
      created: 0,
    })
    expect(
      (await run([{ ...base, title: 'Third name', brand: 'ACME', mpn: 'ac-k1' }])).summary,
    ).toMatchObject({ updated: 1, created: 0 })
    expect((await run([{ ...base, title: 'Fourth name', slug: 'acme-k1' }])).summary).toMatchObject({
      updated: 1,
      created: 0,
    })
    expect(await count('products')).toBe(1)
  })

  test('a number of another product is left out, and the note names that product', async () => {
    await run([KETTLE, { slug: 'other', category: 'kettles', title: 'Other' }])
    const { summary, notes } = await run([
      { slug: 'other', category: 'kettles', title: 'Other', gtin: '4006381333931' },
    ])
    expect(summary).toMatchObject({ unchanged: 1, failed: 0 })
    expect(notes).toMatchObject([{ line: 1, field: 'gtin', value: '4006381333931, of acme-k1' }])
  })

  test("a source's own id decides, whatever the rows share", async () => {
    const same = { category: 'kettles', title: 'Acme K1', brand: 'Acme', gtin: '4006381333931', mpn: 'AC-K1' }
    const rows = [1, 2, 3].map((id) => ({ ...same, id, price: id * 10 }))
    const { summary, notes } = await run(rows)
    expect(summary).toMatchObject({ created: 3, joined: 0, failed: 0 })
    expect(summary.twins.total).toBe(3)
    expect(notes.map(({ id, field }) => [id, field])).toEqual([
      ['2', 'gtin'],
      ['2', 'mpn'],
      ['3', 'gtin'],
      ['3', 'mpn'],
    ])
    expect((await run(rows)).summary).toMatchObject({ unchanged: 3, created: 0 })
    expect(await count('products')).toBe(3)
    const renamed = rows.map((row) => ({ ...row, title: `Renamed ${row.id}` }))
    expect((await run(renamed)).summary).toMatchObject({ updated: 3, created: 0 })
  })

  test("another shop's file of the same name does not write over products with the same ids", async () => {
    const shop = (names: string[]) => names.map((title, at) => ({ id: at + 1, title, category: 'kettles' }))
    await run(shop(['Steel kettle', 'Glass kettle', 'Blue toaster', 'Desk lamp', 'Floor lamp', 'Red mug']))
    const other = shop(['Wool scarf', 'Rain hat', 'Silk tie', 'Felt boots', 'Long coat', 'Belt'])
    await expect(run(other)).rejects.toThrow('--source NAME')
    expect(await count('products')).toBe(6)
    expect((await run(other, { source: 'other', isSourceSure: true })).summary).toMatchObject({ created: 6 })
    expect((await run(other, { isSourceSure: true })).summary).toMatchObject({ updated: 6 })
  })

  test('numbers join over sources, one row to a product, and the joined rows are named', async () => {
    await run([{ ...KETTLE, slug: undefined, id: 'a1' }], { source: 'one' })
    const other = { category: 'kettles', title: 'K1, by another shop', gtin: '4006381333931' }
    const { summary } = await run(
      [
        { ...other, id: 'b1' },
        { ...other, id: 'b2' },
      ],
      { source: 'two' },
    )
    expect(summary).toMatchObject({ created: 1, updated: 1, joined: 1 })
    expect(summary.joinedRows).toEqual([{ line: 1, id: 'b1', slug: 'acme-k1-kettle', by: 'gtin' }])
  })

  test('rows of one name without any id stay apart, unless they say the same', async () => {
    const row = { category: 'kettles', title: 'Plain kettle', brand: 'Acme' }
    const rows = [row, { ...row, price: 10 }, row, { ...row, price: 12 }]
    expect((await run(rows)).summary).toMatchObject({ created: 3, unchanged: 0, further: 1 })
    expect((await run(rows)).summary).toMatchObject({ created: 0, unchanged: 4 })
    expect(await count('products')).toBe(3)
  })

  test('an id that comes twice is one product, and the later row counts', async () => {
    const rows = [
      { id: 7, category: 'kettles', title: 'First' },
      { id: 7, category: 'kettles', title: 'Second' },
    ]
    const { summary, notes } = await run(rows)
    expect(summary).toMatchObject({ created: 1, updated: 0, further: 1 })
    expect(notes).toMatchObject([{ line: 2, id: '7', problem: expect.stringContaining('later row wins') }])
  })

  test('variants of a group become one product, in any order and over batches', async () => {
    const variant = (id: string, color: string, price: number) => ({
      id,
      group: 'G1',
      title: `Rain jacket - ${color}`,
      category: ['Clothing', 'Jackets'],
      options: { Color: color },
      sku: `RJ-${id}`,
      price,
    })
    const others = Array.from({ length: 600 }, (_, n) => ({ id: `o${n}`, title: `Other ${n}` }))
    const rows = [variant('1', 'Red', 50), ...others, variant('2', 'Blue', 60)]
    expect((await run(rows)).summary).toMatchObject({ created: 601, updated: 0, further: 1 })
    const expected = {
      title: 'Rain jacket',
      priceLowCents: 5000,
      priceHighCents: 6000,
      specs: [{ name: 'Color', value: 'Red, Blue' }],
      variants: [
        { id: '1', sku: 'RJ-1', priceCents: 5000 },
        { id: '2', sku: 'RJ-2', priceCents: 6000 },
      ],
    }
    expect(await getProfile(ctx(), { category: 'jackets', slug: 'rain-jacket' })).toMatchObject(expected)
    expect((await run(rows)).summary).toMatchObject({ created: 0, updated: 0, unchanged: 602 })
  })

  test('later rows of a file see what earlier ones did', async () => {
    const { summary } = await run([
      KETTLE,
      { ...KETTLE, price: 44 },
      { slug: 'acme-k1', category: 'kettles', title: 'Acme K1 Kettle' },
    ])
    expect(summary).toMatchObject({ created: 1, updated: 0, unchanged: 0, further: 2 })
    expect(await getProfile(ctx(), { category: 'kettles', slug: 'acme-k1' })).toMatchObject({
      priceLowCents: 4400,
    })
    expect(await count('products')).toBe(1)
  })

  test('categories are found by slug, label or words; others are made, with their path', async () => {
    const { summary } = await run([
      { category: 'Electric kettles', title: 'A' },
      { category: 'Toaster', title: 'B' },
      { category: ['Home', 'Kitchen', 'Kettle pots'], title: 'C' },
      { category: ['Home', 'Kitchen', 'Kettle pots'], title: 'D' },
      { category: ['Garden', 'Kettle pots'], title: 'E' },
      { title: 'F' },
    ])
    expect(summary).toMatchObject({ created: 6, failed: 0 })
    expect(summary.categories).toEqual([
      { slug: 'kettle-pots', label: 'Kettle pots', path: ['Home', 'Kitchen'], rows: 2, isNew: true },
      { slug: 'garden-kettle-pots', label: 'Kettle pots', path: ['Garden'], rows: 1, isNew: true },
      { slug: 'uncategorized', label: 'Uncategorized', path: [], rows: 1, isNew: true },
      { slug: 'kettles', label: 'Electric kettles', path: [], rows: 1, isNew: false },
      { slug: 'toasters', label: 'Toasters', path: [], rows: 1, isNew: false },
    ])
  })

  test('categories can be mapped, and new ones refused', async () => {
    const rows = [
      { category: ['Shop', 'Pots'], title: 'A' },
      { category: 'kettle pots', title: 'B' },
    ]
    const categoryRules = { map: { 'shop > pots': 'kettles' }, makeNew: false }
    const { summary, problems } = await run(rows, { categoryRules })
    expect(summary).toMatchObject({ created: 1, failed: 1 })
    expect(problems).toMatchObject([
      { line: 2, problem: 'there is no category "kettle pots"', fix: 'did you mean kettles?' },
    ])
  })

  test.each([
    ['no title', { category: 'kettles' }, 'is missing'],
    ['an empty title', { category: 'kettles', title: '<b></b>' }, 'must not be empty'],
  ])('%s is refused, and the rows around it are kept', async (_, bad, problem) => {
    const { summary, problems } = await run([KETTLE, bad, { category: 'toasters', title: 'Toaster' }])
    expect(summary).toMatchObject({ created: 2, failed: 1 })
    expect(problems).toEqual([{ line: 2, field: 'title', problem, fix: expect.stringMatching(/.{5}/) }])
  })

  test.each([
    ['a price upside down', { price: { low: 9, high: 8 } }, 'price'],
    ['a price that is text', { price: 'ask us' }, 'price'],
    ['a wrong check digit', { gtin: '4006381333930' }, 'gtin'],
    ['a script for a link', { where_to_buy: [{ name: 'x', url: 'javascript:alert(1)' }] }, 'where_to_buy'],
    ['a picture without an address', { images: [{ url: 'cat.jpg' }] }, 'images'],
    ['a rating of 6', { rating: 6 }, 'rating'],
    ['a slug with capitals', { id: 1, slug: 'A' }, 'slug'],
    ['a slug of 120 letters', { id: 1, slug: 'a'.repeat(120) }, 'slug'],
    ['a month 13', { released: '2024-13' }, 'released'],
    ['a theme with no feeling', { themes: [{ theme: 'x', sentiment: 'meh' }] }, 'themes'],
    ['a spec that is a tree', { specs: { a: { b: 1 }, c: 2 } }, 'specs'],
  ])('%s is left out and noted; the row stays', async (_, bad, field) => {
    const { summary, notes } = await run([KETTLE, { category: 'kettles', title: 'A', ...bad }])
    expect(summary).toMatchObject({ created: 2, failed: 0 })
    expect(notes).toMatchObject([
      { line: 2, field, problem: expect.stringMatching(/^was left out/), fix: expect.stringMatching(/.{5}/) },
    ])
  })

  test('of a list only what is wrong is left out', async () => {
    const good = { url: 'https://shop.example/a.jpg' }
    await run([{ category: 'kettles', title: 'A', images: [good, { url: 'b.jpg' }], specs: { a: {}, c: 2 } }])
    expect(await getProfile(ctx(), { category: 'kettles', slug: 'a' })).toMatchObject({
      images: [good],
      specs: [{ name: 'c', value: '2' }],
    })
  })

  test('what is merely too long is cut, and said', async () => {
    const { summary, notes } = await run([{ ...KETTLE, verdict: 'long '.repeat(200) }])
    expect(summary).toMatchObject({ created: 1, notes: 1 })
    expect(notes).toEqual([
      {
        line: 1,
        id: 'acme-k1',
        field: 'verdict',
        problem: 'was cut to 400 characters',
        fix: expect.any(String),
      },
    ])
  })

  test('a dry run reports the same and writes nothing', async () => {
    const { summary, problems } = await run([KETTLE, { category: 'kettles' }], { dryRun: true })
    expect(summary).toMatchObject({ created: 1, failed: 1 })
    expect(problems).toHaveLength(1)
    expect([await count('products'), await count('brands'), await count('imports')]).toEqual([0, 0, 0])
  })

  test('an import that was cut off goes on after its last batch, without repeating or losing a row', async () => {
    const rows = Array.from({ length: 1_200 }, (_, n) => ({
      category: 'kettles',
      slug: `k-${n}`,
      title: `Kettle ${n}`,
      // More than is read ahead to tell how a file is written.
      verdict: 'Boils water. '.repeat(20),
    }))
    const fingerprint = randomUUID()
    async function* cut() {
      for await (const line of lines(rows.slice(0, 700))) yield line
      throw new Error('the cable was pulled')
    }
    await expect(importProducts(ctx(), cut(), { format: 'jsonl', source: 's', fingerprint })).rejects.toThrow(
      'the cable was pulled',
    )
    expect(await count('products')).toBe(500)
    const { summary } = await run(rows, { fingerprint })
    expect(summary).toMatchObject({ created: 1_200, unchanged: 0, resumedAfterRow: 500 })
    expect(await count('products')).toBe(1_200)
    expect((await run(rows, { fingerprint })).summary).toMatchObject({
      created: 0,
      unchanged: 1_200,
      resumedAfterRow: 0,
    })
  })

  test('two imports of the same rows at once store each product once', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => ({
      category: 'kettles',
      brand: `B${n % 7}`,
      slug: `k-${n}`,
      title: `Kettle ${n}`,
    }))
    const [a, b] = await Promise.all([run(rows), run([...rows].reverse())])
    expect(a.summary.failed + b.summary.failed).toBe(0)
    expect(a.summary.created + b.summary.created).toBe(300)
    expect(await count('products')).toBe(300)
  })

  test('what export writes, import reads back without a change', async () => {
    const variants = [
      { id: 'v1', sku: 'S1', gtin: null, options: { Color: 'Red' }, price: 12, list_price: null },
    ]
    await run([KETTLE, { category: 'toasters', title: 'Plain toaster', variants }])
    const exported: string[] = []
    for await (const line of exportProducts(ctx())) exported.push(line.trim())
    expect((await run(exported)).summary).toMatchObject({ unchanged: 2, created: 0, updated: 0, failed: 0 })
    await database.pool.query('truncate products, brands cascade')
    expect((await run(exported)).summary).toMatchObject({ created: 2 })
    const again: string[] = []
    for await (const line of exportProducts(ctx())) again.push(line.trim())
    expect(again).toEqual(exported)
  })

  test('a database error in one row costs that row only', async () => {
    await database.pool.query(`alter table products add constraint no_poison check (title <> 'poison')`)
    const { summary, problems } = await run([
      KETTLE,
      { category: 'kettles', title: 'poison' },
      { category: 'kettles', title: 'Fine' },
    ])
    await database.pool.query('alter table products drop constraint no_poison')
    expect(summary).toMatchObject({ created: 2, failed: 1 })
    expect(problems).toMatchObject([{ line: 2, problem: 'could not be stored' }])
  })
})

describe('what changed', () => {
  const since = new Date('2026-11-01T12:30:00Z')

  test('tells the net change of each aspect with before and after', async () => {
    await run([KETTLE])
    clock.set('2026-11-01T13:00:00Z')
    await run([{ ...KETTLE, price: 40 }])
    clock.set('2026-11-01T14:00:00Z')
    await run([{ ...KETTLE, price: 39, discontinued: true, verdict: 'Now cheap.', where_to_buy: [] }])
    const changes = await whatChanged(ctx(), { products: ['kettles/acme-k1'], since })
    const product = {
      slug: 'acme-k1',
      category: 'kettles',
      title: 'Acme K1 Kettle',
      url: '/p/kettles/acme-k1',
    }
    expect(changes).toHaveLength(4)
    expect(changes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          product,
          aspect: 'price',
          times: 2,
          before: expect.objectContaining({ low: 49.9 }),
          after: expect.objectContaining({ low: 39 }),
        }),
        expect.objectContaining({
          aspect: 'discontinued',
          before: { discontinued: false },
          after: { discontinued: true },
        }),
        expect.objectContaining({
          aspect: 'text',
          before: { verdict: 'Quick & quiet.' },
          after: { verdict: 'Now cheap.' },
        }),
        expect.objectContaining({ aspect: 'availability', after: { shops: [] } }),
      ]),
    )
  })

  test('what came back to where it was did not change', async () => {
    await run([KETTLE])
    clock.set('2026-11-01T13:00:00Z')
    await run([{ ...KETTLE, price: 40 }])
    await run([KETTLE])
    expect(await whatChanged(ctx(), { category: 'kettles', since })).toEqual([])
  })

  test('a category tells of its own products only, new ones as created', async () => {
    clock.set('2026-11-01T13:00:00Z')
    await run([KETTLE, { category: 'toasters', title: 'Toaster' }])
    const changes = await whatChanged(ctx(), { category: 'toasters', since })
    expect(changes).toMatchObject([{ product: { slug: 'toaster' }, aspect: 'created' }])
    expect(await whatChanged(ctx(), { since })).toHaveLength(2)
  })
})

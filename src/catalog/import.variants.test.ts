/** The same jacket in six variants, as four systems export it: whatever the file, the catalog holds the same product. */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { captureLog, createTestDatabase, type TestDatabase } from '../../test/harness.ts'
import { manualClock } from '../lib/clock.ts'
import { projectFile } from '../lib/paths.ts'
import type { Variant } from './catalog.schema.ts'
import { changeWords } from './change-words.ts'
import { whatChanged } from './changes.service.ts'
import { exportProducts } from './export.service.ts'
import type { CurrencyRule } from './import/currency.ts'
import { detectFormat } from './import/read-rows.ts'
import { importProducts } from './import.service.ts'

let database: TestDatabase
const clock = manualClock('2026-11-01T12:00:00Z')

beforeAll(async () => {
  database = await createTestDatabase()
})

beforeEach(async () => {
  await database.pool.query('delete from products; delete from brands; delete from categories')
})

function fixture(name: string): Buffer {
  return fs.readFileSync(projectFile('test', 'fixtures', 'import', `variants-${name}`))
}

async function bring(
  name: string,
  bytes: Buffer,
  source = name,
  money: CurrencyRule = { currency: 'USD', rates: {} },
) {
  const format = detectFormat(name, bytes)
  if (!format) throw new Error(`${name} is not known`)
  return importProducts(
    { db: database.db, clock, log: captureLog().log },
    (async function* () {
      yield bytes
    })(),
    { format, source, fingerprint: randomUUID(), money, onProblem() {} },
  )
}

type Model = {
  title: string
  span: [number, number]
  choices: unknown
  variants: Variant[]
}

async function models(): Promise<Model[]> {
  const { rows } = await database.pool.query<Model>(
    `select title, json_build_array(price_low_cents, price_high_cents) as span,
       (select json_agg(s) from jsonb_array_elements(specs) s where s ->> 'name' in ('Color', 'Size')) as choices,
       (select json_agg(v - 'id') from jsonb_array_elements(variants) v) as variants
     from products order by slug`,
  )
  return rows
}

const variant = (color: string, size: string, rest: Partial<Variant> & { gtin: string }) => ({
  sku: `FRJ-${color.slice(0, 2).toUpperCase()}-${size}`,
  options: [
    { name: 'Color', value: color },
    { name: 'Size', value: size },
  ],
  priceCents: size === 'L' ? 199_00 : 189_00,
  listPriceCents: 229_00,
  image: `https://cdn.lodenmoor.example/frj-${color.toLowerCase()}.jpg`,
  availability: 'in_stock',
  ...rest,
})

const JACKET = {
  title: 'Fell Rain Jacket',
  span: [189_00, 199_00],
  choices: [
    { name: 'Color', value: 'Moss, Slate' },
    { name: 'Size', value: 'S, M, L' },
  ],
  variants: [
    variant('Moss', 'S', { gtin: '4012345010015' }),
    variant('Moss', 'M', { gtin: '4012345010022' }),
    variant('Moss', 'L', { gtin: '4012345010039', availability: 'out_of_stock' }),
    variant('Slate', 'S', { gtin: '4012345010046' }),
    variant('Slate', 'M', { gtin: '4012345010053', availability: 'backorder' }),
    variant('Slate', 'L', { gtin: '4012345010060' }),
  ],
}

const FILES = ['shopify.csv', 'woocommerce.csv', 'google.xml', 'magento.csv']

test.each(FILES)('%s gives the same product with the same variants', async (name) => {
  expect(await bring(name, fixture(name))).toMatchObject({ created: 1, failed: 0 })
  expect(await models()).toEqual([JACKET])
  expect(await bring(name, fixture(name))).toMatchObject({ created: 0, updated: 0 })
  expect(await models()).toEqual([JACKET])
})

test('what is exported comes back as it was', async () => {
  await bring('shopify.csv', fixture('shopify.csv'))
  const lines: string[] = []
  for await (const line of exportProducts({ db: database.db })) lines.push(line)
  await database.pool.query('delete from products')
  expect(await bring('products.jsonl', Buffer.from(lines.join('')))).toMatchObject({ created: 1 })
  expect(await models()).toEqual([JACKET])
})

test.each(FILES.flatMap((first) => FILES.filter((name) => name !== first).map((second) => [first, second])))(
  '%s and then %s of one source are one product',
  async (first, second) => {
    await bring(first, fixture(first), 'shop')
    expect(await bring(second, fixture(second), 'shop')).toMatchObject({ created: 0, failed: 0 })
    expect(await models()).toEqual([JACKET])
  },
)

test('a barcode of a variant joins a file of another source', async () => {
  await bring('shopify.csv', fixture('shopify.csv'))
  expect(await bring('google.xml', fixture('google.xml'))).toMatchObject({ created: 0 })
  expect(await models()).toEqual([JACKET])
})

test('a row without a group that names a variant changes that variant alone', async () => {
  await bring('shopify.csv', fixture('shopify.csv'), 'shop')
  const sheet = `id,sku,title,price,currency\n9,FRJ-MO-M,"Fell Rain Jacket - Moss, M",179.00,USD\n`
  expect(await bring('sheet.csv', Buffer.from(sheet), 'shop')).toMatchObject({ created: 0, updated: 1 })
  const [model] = await models()
  expect(model).toMatchObject({ title: 'Fell Rain Jacket', span: [179_00, 199_00] })
  expect(model?.variants.map(({ priceCents }) => priceCents)).toEqual([
    ...[189_00, 179_00, 199_00, 189_00, 189_00, 199_00],
  ])
})

test('the price in the currency of the shop spans all variants, whichever row comes last', async () => {
  const head = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\n'
  const csv = (...prices: number[]) =>
    Buffer.from(
      head + prices.map((price, at) => `tee,${at === 0 ? 'Tee' : ''},Size,${at},T-${at},${price}\n`).join(''),
    )
  const bringYen = async (bytes: Buffer) => {
    const money = { currency: 'JPY', rates: { JPY: { rate: 0.0067, at: '2026-11-01' } } }
    await bring('shopify.csv', bytes, 'shop', money)
    const { rows } = await database.pool.query(
      "select provenance -> 'price' -> 'original' as o from products",
    )
    return [rows[0].o.low, rows[0].o.high]
  }
  expect(await bringYen(csv(1490, 3333, 2000))).toEqual([1490, 3333])
  expect(await bringYen(csv(1490, 1777, 2000))).toEqual([1490, 2000])
})

test('what changed of variants is told as such, and not as a text', async () => {
  await bring('shopify.csv', fixture('shopify.csv'))
  const since = clock.now()
  const text = fixture('shopify.csv').toString()
  const [head = '', ...rows] = text.trimEnd().split('\n')
  const next = rows
    .filter((row) => !row.includes('FRJ-SL-S'))
    .map((row) => (row.includes('FRJ-MO-M') ? row.replace('189.00', '169.00') : row))
    .map((row) => (row.includes('FRJ-SL-L') ? row.replace('shopify,7,', 'shopify,0,') : row))
  const added = rows[5]
    ?.replace('FRJ-SL-L', 'FRJ-SL-XL')
    .replace(',L,', ',XL,')
    .replace(/'\d{13}/, '')
  clock.advance(60_000)
  await bring('shopify.csv', Buffer.from([head, ...next, added].join('\n')))
  const changes = await whatChanged({ db: database.db }, { since: new Date(since.getTime() + 1) })
  expect(changes.map((change) => [change.aspect, changeWords(change)]).toSorted()).toEqual([
    ['availability', 'Slate / L no longer available; Slate / XL added; Slate / S no longer available'],
    ['price', 'price $189 – $199 → $169 – $199; Moss / M now $169, was $189'],
  ])
})

test('an article number that two products share joins neither to the other', async () => {
  const row = (handle: string, title: string, value: string) =>
    `${handle},${title},Size,${value},GIFT-1,12.00\n${handle},,,Other,${handle}-2,12.00\n`
  const head = 'Handle,Title,Option1 Name,Option1 Value,Variant SKU,Variant Price\n'
  const bytes = Buffer.from(head + row('mug', 'Enamel Mug', 'Small') + row('bowl', 'Oak Bowl', 'Large'))
  expect(await bring('shopify.csv', bytes)).toMatchObject({ created: 2 })
})

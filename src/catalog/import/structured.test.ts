/** Structured files as shops export them, of invented products: what has a title comes through, and says what the file says. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createKeyReader } from '../import-keys.ts'
import { forgiveProductInput, type ProductInput } from '../product-input.ts'
import { inDollars } from './currency.ts'
import { detectFormat, readRows } from './read-rows.ts'
import type { ImportFormat } from './rows.ts'

const RATE = { rate: 0.5, at: '2026-03-01' }
type Read = { input: ProductInput; currency: string | null }

async function readFixture(name: string) {
  const bytes = readFileSync(new URL(`../../../test/fixtures/import/${name}`, import.meta.url))
  const format = detectFormat(name, bytes.subarray(0, 64 * 1024))
  if (format === null) throw new Error(`${name} is of no known kind`)
  async function* input() {
    for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
  }
  const keysOf = createKeyReader()
  const keys = new Set<string>()
  const read: Read[] = []
  let titled = 0
  for await (const row of readRows(input(), { format, storeUrl: 'https://borovka.example' })) {
    if ('problem' in row) {
      titled++
      continue
    }
    if (row.product.title !== undefined) titled++
    const { product, currency } = inDollars(row.product, {
      currency: 'USD',
      rates: { CZK: RATE, EUR: RATE },
    })
    const checked = forgiveProductInput({ category: 'Uncategorized', ...product })
    if ('problem' in checked) continue
    read.push({ input: checked.input, currency })
    const [key] = keysOf(checked.input).keys
    if (key !== undefined) keys.add(key)
  }
  const get = (id: string) => {
    const found = read.find(({ input: { id: own } }) => own === id)
    if (!found) throw new Error(`there is no ${id}`)
    const { facts, category, categoryPath } = found.input
    return {
      ...found.input,
      path: [...categoryPath, category].join(' > '),
      cents: [facts.priceLowCents, facts.priceHighCents],
      currency: found.currency,
    }
  }
  return { format, titled, read, products: keys.size, get }
}

describe('files of strangers', () => {
  it.each<[name: string, format: ImportFormat, titled: number, products: number]>([
    // One id is there twice, and six rows are one group.
    ['google.xml', 'google', 40, 34],
    ['google.tsv', 'google', 40, 35],
    ['products.json', 'json', 40, 40],
    ['jsonld.json', 'jsonld', 40, 40],
    ['heureka.xml', 'xml', 40, 38],
    // One row has no title.
    ['shop.json', 'json', 40, 40],
  ])('%s is %s, and comes through whole', async (name, format, titled, products) => {
    const file = await readFixture(name)
    expect(file.format).toBe(format)
    expect(file.titled).toBe(titled)
    expect(file.read.length).toBeGreaterThanOrEqual(0.98 * titled)
    expect(file.products).toBe(products)
  })

  it('google.xml keeps crowns, paths and groups', async () => {
    const { get, read } = await readFixture('google.xml')
    // "1 690,00 CZK", at half a dollar a crown.
    expect(get('BP-0008')).toMatchObject({
      currency: 'CZK',
      cents: [399_50, 399_50],
      path: 'Home > Lighting',
    })
    expect(get('BP-0008').facts.listPriceCents).toBe(685_00)
    expect(get('BP-0009')).toMatchObject({ cents: [1540_00, 1540_00], path: 'Sports > Running > Shoes' })
    expect(get('BP-0005').cents).toEqual([undefined, undefined])
    expect(get('BP-0003').path).toBe('Uncategorized')
    expect(get('BP-0006').facts.gtin).toBeUndefined()
    expect(get('BP-0031')).toMatchObject({
      group: 'STORM',
      options: [
        { name: 'Color', value: 'Red' },
        { name: 'Size', value: 'S' },
      ],
    })
    expect(get('BP-0002').facts.description).toBe('Café quality, 20° to 90°C.')
    expect(read.filter(({ input }) => input.group === 'STORM')).toHaveLength(6)
  })

  it('google.tsv has euros and several pictures', async () => {
    const { get } = await readFixture('google.tsv')
    expect(get('T-003')).toMatchObject({ currency: 'EUR', path: 'Home > Lighting', cents: [26_40, 26_40] })
    expect(get('T-003').facts.images).toHaveLength(3)
    expect(get('T-036')).toMatchObject({ group: 'STORM', options: [{ value: 'Blue' }, { value: 'L' }] })
  })

  it('products.json has variants, and pages from the address of the shop', async () => {
    const { get } = await readFixture('products.json')
    const lamp = get('desk-lamp-3')
    expect(lamp).toMatchObject({ path: 'Lighting', cents: [64_50, 69_50], aliases: ['id:900003'] })
    expect(lamp.facts.variants).toHaveLength(6)
    expect(lamp.facts.variants?.[0]).toMatchObject({
      sku: 'DE-3-SS',
      priceCents: 64_50,
      listPriceCents: 74_50,
      options: [
        { name: 'Size', value: 'S' },
        { name: 'Color', value: 'Sand' },
      ],
    })
    expect(lamp.facts.whereToBuy).toMatchObject([{ url: 'https://borovka.example/products/desk-lamp-3' }])
    expect(get('cordless-drill-1')).toMatchObject({ cents: [124_50, 124_50], facts: { sku: 'SK-1' } })
  })

  it('jsonld.json has offers of every form', async () => {
    const { get } = await readFixture('jsonld.json')
    expect(get('LD-005')).toMatchObject({ currency: 'CZK', cents: [445_00, 695_00] })
    expect(get('LD-001')).toMatchObject({ currency: 'CZK', path: 'Tools > Power tools > Drills' })
    expect(get('LD-001').facts.whereToBuy).toMatchObject([{ name: 'Borovka & syn' }])
    expect(get('LD-002').cents).toEqual([895_00, 895_00])
    expect(get('LD-003').currency).toBe('EUR')
    expect(get('LD-004')).toMatchObject({
      path: 'Sports > Running > Shoes',
      facts: { rating: 4.5, reviewCount: 12 },
    })
    expect(get('STORM').facts.variants).toMatchObject([
      { sku: 'STORM-S' },
      { sku: 'STORM-M' },
      { sku: 'STORM-L' },
    ])
  })

  it('heureka.xml has prices, params and a group', async () => {
    const { get } = await readFixture('heureka.xml')
    expect(get('H3')).toMatchObject({ path: 'Domácnost > Osvětlení', cents: [1320_00, 1320_00] })
    expect(get('H4')).toMatchObject({ path: 'Sport > Běh > Boty', cents: [3030_90, 3030_90] })
    expect(get('H4').facts.images).toHaveLength(3)
    expect(get('H4').facts.mpn).toBe('PN-4')
    expect(get('H20')).toMatchObject({ group: 'SKUPINA7', options: [{ name: 'Barva', value: 'černá' }] })
  })

  it('shop.json is read by what its names mean', async () => {
    const { get } = await readFixture('shop.json')
    expect(get('P-5001')).toMatchObject({
      currency: 'EUR',
      path: 'Tools > Power tools > Drills',
      cents: [50_05, 50_05],
    })
    expect(get('P-5002').cents).toEqual([35_80, 35_80])
    expect(get('P-5004').facts).toMatchObject({ rating: 4.2, reviewCount: 4 })
    expect(get('P-5009').facts.title).toBe('Sýkora Trail shoes 9')
    expect(get('P-5003').facts).toMatchObject({ specs: [{ name: 'Weight', value: '0.3 kg' }] })
  })
})

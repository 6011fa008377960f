/** Files as shops really export them, of invented products: what has a title comes through, and says what the file says. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createKeyReader } from '../import-keys.ts'
import { forgiveProductInput, type ProductInput } from '../product-input.ts'
import { inDollars } from './currency.ts'
import { detectFormat, readRows } from './read-rows.ts'
import type { ImportFormat } from './rows.ts'

type Read = {
  format: ImportFormat | null
  inputs: ProductInput[]
  refused: unknown[]
  notices: string[]
  /** How many products its keys make. */
  products: number
}

async function readFixture(name: string): Promise<Read> {
  const bytes = readFileSync(new URL(`../../../test/fixtures/import/${name}`, import.meta.url))
  const format = detectFormat(name, bytes)
  const read: Read = { format, inputs: [], refused: [], notices: [], products: 0 }
  if (format === null) return read
  async function* input() {
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
  }
  const keysOf = createKeyReader()
  const seen = new Set<string>()
  const options = {
    format,
    storeUrl: 'https://shop.example',
    now: new Date('2026-06-01T12:00:00Z'),
    onNotice: (text: string) => read.notices.push(text),
  }
  for await (const row of readRows(input(), options)) {
    if ('problem' in row) {
      read.refused.push(row.problem)
      continue
    }
    const { product } = inDollars(row.product, { currency: 'USD', rates: {} })
    const checked = forgiveProductInput({ category: 'Uncategorized', ...product })
    if ('problem' in checked) {
      read.refused.push(checked.problem)
      continue
    }
    read.inputs.push(checked.input)
    // A parent that is known by its SKU and by its id is one product.
    const { keys } = keysOf(checked.input)
    if (!keys.some((key) => seen.has(key))) read.products++
    for (const key of keys) seen.add(key)
  }
  return read
}

const byId = (inputs: ProductInput[], id: string): ProductInput => {
  const found = inputs.find((input) => input.id === id && input.group === null)
  if (!found) throw new Error(`there is no ${id}`)
  return found
}
const prices = ({ facts }: ProductInput) => [facts.priceLowCents, facts.priceHighCents, facts.listPriceCents]
const pathOf = ({ category, categoryPath }: ProductInput) => [...categoryPath, category].join(' > ')

describe('a Shopify export', async () => {
  const { format, inputs, refused, notices, products } = await readFixture('shopify.csv')

  it('comes through whole, without its draft', () => {
    expect(format).toBe('shopify')
    expect(refused).toEqual([])
    expect(products).toBe(21)
    expect(notices).toEqual(['Drafts are not imported: 1 skipped.'])
  })

  it('keeps prices, categories, handles and every variant', () => {
    const jacket = byId(inputs, 'fell-rain-jacket')
    expect(prices(jacket)).toEqual([18_900, 19_900, 22_900])
    expect(pathOf(jacket)).toBe('Apparel & Accessories > Clothing > Outerwear > Coats & Jackets')
    expect(jacket.facts.variants).toHaveLength(6)
    expect(jacket.facts.variants?.[0]).toMatchObject({
      id: 'FRJ-MO-S',
      priceCents: 18_900,
      gtin: '4012345000016',
    })
    expect(inputs.filter(({ group }) => group !== null).map(({ id, group }) => [id, group])).toEqual([
      ['BB-100', 'id:beck-bottle'],
      ['FRJ-RU-M', 'id:fell-rain-jacket'],
    ])
    expect(byId(inputs, 'Kinder-Mütze_Wolle').slug).toBeNull()
    expect(inputs.filter(({ id }) => id?.startsWith('the-very-long-name'))).toHaveLength(1)
    expect(pathOf(byId(inputs, 'wax-kit'))).toBe('Care')
    expect(prices(byId(inputs, 'wax-kit'))).toEqual([undefined, undefined, undefined])
    expect(prices(byId(inputs, 'gift-set'))).toEqual([124_900, 124_900, undefined])
    expect(byId(inputs, 'merino-sock').facts.variants?.map(({ id }) => id)).toEqual([
      'L-001',
      'L-001-M',
      'merino-sock / L',
    ])
    expect(byId(inputs, 'gaiter').facts.specs).toEqual([{ name: 'Color', value: 'green, blue' }])
    expect(byId(inputs, 'gaiter').facts.whereToBuy).toEqual([
      { name: 'shop.example', url: 'https://shop.example/products/gaiter', priceCents: 2550 },
    ])
  })
})

describe('a WooCommerce export', async () => {
  const { format, inputs, refused, notices, products } = await readFixture('woocommerce.csv')

  it('comes through whole, without drafts and private products', () => {
    expect(format).toBe('woocommerce')
    expect(refused).toEqual([])
    expect(inputs).toHaveLength(44)
    expect(products).toBe(38)
    expect(notices).toEqual(['Drafts and private products are not imported: 2 skipped.'])
  })

  it('joins variations to their parent, named by id or SKU, before it or after', () => {
    const cups = inputs.filter(({ facts }) => facts.title.startsWith('Tea Cup'))
    expect(cups.map(({ id, group }) => [id, group])).toEqual([
      ['44', null],
      ['45', 'id:44'],
      ['46', 'id:44'],
      ['47', 'sku:TEA-CUP'],
      ['48', 'sku:TEA-CUP'],
    ])
    expect(cups[0]?.aliases).toEqual(['sku:TEA-CUP'])
    expect(cups[2]).toMatchObject({
      options: [
        { name: 'Glaze', value: 'Ash' },
        { name: 'Volume', value: '0.3 l' },
      ],
      // The sale is long over.
      facts: { priceLowCents: 1900, gtin: '4020000001018' },
    })
    expect(byId(inputs, '60').aliases).toEqual(['sku:PLATE'])
  })

  it('keeps prices, categories and brands', () => {
    expect(prices(byId(inputs, '70'))).toEqual([1990, 1990, 2490])
    expect(pathOf(byId(inputs, '70'))).toBe('Tableware > Jugs, Pitchers > Milk')
    expect(pathOf(byId(inputs, '44'))).toBe('Tableware > Cups')
    expect(byId(inputs, '44').facts.images).toHaveLength(2)
    expect(byId(inputs, '44').brand).toBe('Ember Pottery')
    expect(byId(inputs, '72').facts.whereToBuy?.[0]?.url).toBe('https://books.example/clay-at-home')
    expect(byId(inputs, '107').facts.sku).toBe(byId(inputs, '114').facts.sku)
  })
})

describe('a Magento export', async () => {
  const { format, inputs, refused, notices, products } = await readFixture('magento.csv')

  it('comes through whole, without store views and what is disabled', () => {
    expect(format).toBe('magento')
    expect(refused).toEqual([])
    expect(products).toBe(36)
    expect(notices).toEqual(['Disabled products are not imported: 1 skipped.'])
  })

  it('gives children to their parent, whether they come before it or after', () => {
    const satchel = byId(inputs, 'SAT')
    expect(satchel.facts.title).toBe('Ridge Satchel')
    expect(satchel.facts.variants).toMatchObject([
      { id: 'SAT-Sand-M', priceCents: 7900, options: [{ value: 'Sand' }, { value: 'M' }] },
      { id: 'SAT-Sand-L', priceCents: 8950 },
      { id: 'SAT-Ink-M', priceCents: 7900 },
      { id: 'SAT-Ink-L', priceCents: 8950 },
    ])
    expect(satchel.facts.variants?.every(({ gtin }) => gtin !== null)).toBe(true)
    expect(inputs.filter(({ group }) => group === 'id:PACK').map(({ id }) => id)).toEqual([
      'PACK-20',
      'PACK-30',
    ])
    // Nobody lists it, so it is a product.
    expect(byId(inputs, 'STRAP').facts.priceLowCents).toBe(1200)
  })

  it('keeps prices, categories, attributes and pictures', () => {
    expect(pathOf(byId(inputs, 'SAT'))).toBe('Gear > Bags')
    expect(byId(inputs, 'SAT').facts.specs).toContainEqual({ name: 'Material', value: 'Canvas, Leather' })
    expect(byId(inputs, 'SAT').facts.images?.[0]?.url).toBe(
      'https://shop.example/media/catalog/product/r/i/ridge.jpg',
    )
    expect(prices(byId(inputs, 'WAX'))).toEqual([1100, 1100, 1400])
    expect(prices(byId(inputs, 'WAX2'))).toEqual([2400, 2400, undefined])
    expect(byId(inputs, 'WAX')).toMatchObject({
      brand: 'Hollin',
      facts: { specs: [{ name: 'Scent', value: 'Pine, cedar' }] },
    })
    expect(byId(inputs, 'H-009').facts.priceLowCents).toBeUndefined()
  })
})

describe('a BigCommerce export', async () => {
  const { format, inputs, refused, notices, products } = await readFixture('bigcommerce.csv')

  it('comes through whole, without what the shop hides', () => {
    expect(format).toBe('bigcommerce')
    expect(refused).toEqual([])
    expect(inputs).toHaveLength(39)
    expect(products).toBe(38)
    expect(notices).toEqual(['Products hidden in the shop are not imported: 1 skipped.'])
  })

  it('keeps prices, categories and the SKUs below a product', () => {
    const lamp = byId(inputs, '201')
    expect(prices(lamp)).toEqual([12_000, 12_000, 15_000])
    expect(pathOf(lamp)).toBe('Lighting > Table Lamps')
    expect(lamp.facts.variants).toMatchObject([
      { id: 'GL-A-S', priceCents: 12_000, options: [{ value: 'Amber' }, { value: 'Small' }] },
      { id: 'GL-A-L', priceCents: 14_000 },
      { id: 'GL-C-S', gtin: '4040000000132' },
    ])
    expect(prices(byId(inputs, '202'))).toEqual([6900, 6900, 8900])
    expect(pathOf(byId(inputs, '302'))).toBe('Parts > Cables')
    expect(byId(inputs, '205').facts.sku).toBe(byId(inputs, '202').facts.sku)
  })
})

describe('a German sheet in Windows-1252', async () => {
  const { format, inputs, refused, notices, products } = await readFixture('windows-1252.csv')

  it('comes through whole', () => {
    expect(format).toBe('csv')
    expect(refused).toEqual([])
    expect(inputs).toHaveLength(55)
    expect(products).toBe(54)
    expect(notices).toMatchObject([
      expect.stringContaining('Windows-1252'),
      expect.stringContaining('title from "Bezeichnung"; brand from "Hersteller"'),
      expect.stringContaining('"EK netto", "Lagerbestand", "Steuersatz", "Geändert am"'),
    ])
  })

  it('keeps its letters, prices, categories and facts', () => {
    const pot = byId(inputs, '001011')
    expect(pot.facts.title).toBe('Blumentopf „Modell 11“')
    expect(pot.brand).toBe('Hof Ähre')
    expect(pathOf(pot)).toBe('Haus/Küche')
    expect(prices(pot)).toEqual([129_900, 129_900, undefined])
    expect(pot.facts.specs).toEqual([
      { name: 'Farbe', value: 'schwarz' },
      { name: 'Material', value: 'Holz' },
      { name: 'Gewicht (kg)', value: '0,11' },
    ])
    expect(prices(byId(inputs, '001012'))).toEqual([104_950, 104_950, undefined])
    expect(prices(byId(inputs, '001013'))).toEqual([undefined, undefined, undefined])
    expect(byId(inputs, '001020').facts.description).toBeUndefined()
  })
})

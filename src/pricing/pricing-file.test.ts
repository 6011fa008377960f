import { describe, expect, test } from 'vitest'
import { MAX_FILE_ROWS, readPricingFile } from './pricing-file.ts'

const read = (text: string) =>
  readPricingFile(
    (async function* () {
      yield Buffer.from(text)
    })(),
  )

describe('a file of prices', () => {
  test.each([
    ['product_slug,price_usd,stock\nstools/perch,80,12\n'],
    ['Slug;Price;Quantity\nstools/perch;$80.00;12\n'],
    ['\ufeffProduct Slug\tUnit price\tQty\r\nstools/perch\tUSD 80\t12 pcs\r\n'],
    ['"PRODUCT_SLUG","Base Price","On hand","Colour"\n"stools/perch","80","12","red"\n'],
  ])('%j is read, whatever its columns are called', async (text) => {
    const { rows, problems } = await read(text)
    expect(problems).toEqual([])
    expect(rows).toEqual([
      {
        line: 2,
        product: { by: 'slug', name: 'stools/perch' },
        variant: null,
        rules: { price_usd: 80, stock: 12 },
      },
    ])
  })

  test.each([
    ['price', '1,299.50', { price_usd: 1299.5 }],
    ['price', 'none', { price_usd: null }],
    ['price', '', {}],
    ['availability', 'out of stock', { in_stock: false }],
    ['availability', 'yes', { in_stock: true }],
    ['shipping', 'free', { shipping_cost_usd: 0 }],
    ['lead time', '3 days', { lead_time_days: 3 }],
    ['max discount', '12.5%', { max_discount_pct: 12.5 }],
    ['ships to', 'us; germany|California', { delivery_regions: ['US', 'Germany', 'CA-US'] }],
    [
      'shipping by region',
      'US: $7.50 / 4; CA-US 5',
      {
        shipping_by_region: [
          { region: 'US', cost_usd: 7.5, lead_time_days: 4 },
          { region: 'CA-US', cost_usd: 5, lead_time_days: null },
        ],
      },
    ],
  ])('%s %j', async (name, cell, rules) => {
    const { rows, problems } = await read(`sku,stock,${name}\nA1,1,"${cell}"\n`)
    expect(problems).toEqual([])
    expect(rows).toMatchObject([{ product: { by: 'number', name: 'A1' }, rules: { stock: 1, ...rules } }])
  })

  test.each([
    ['price', '80 EUR', 'price_usd'],
    ['price', 'cheap', 'price_usd'],
    ['price', '0', 'price_usd'],
    ['stock', '1.5', 'stock'],
    ['stock', '-3', 'stock'],
    ['availability', 'perhaps', 'in_stock'],
    ['ships to', 'Atlantis', 'delivery_regions'],
    ['ships to', 'CA', 'delivery_regions'],
    ['shipping by region', 'US', 'shipping_by_region'],
    ['lead time', '3 or 4', 'lead_time_days'],
  ])('%s %j fails with its line and field, and the other rows are read', async (name, cell, field) => {
    const { rows, problems } = await read(`sku,${name}\nA1,"${cell}"\nA2,none\n`)
    expect(problems).toMatchObject([{ line: 2, product: 'A1', field, problem: expect.any(String) }])
    expect(rows).toMatchObject([{ line: 3, product: { name: 'A2' } }])
  })

  test.each([
    ['', 'is empty'],
    ['price,stock\n1,2\n', 'names the product'],
    ['product_slug,colour\na,b\n', 'has a rule'],
    ['product_slug,Reserve Price USD,price\na,61.37,2\n', 'limits are not taken'],
    [`sku,stock\n${'A,1\n'.repeat(MAX_FILE_ROWS + 1)}`, 'split it'],
  ])('a file that cannot be used is refused whole', async (text, words) => {
    await expect(read(text)).rejects.toThrow(words)
  })

  test('a row that names no product, and a column that is named twice, are said', async () => {
    const { problems, columns } = await read('slug,product_slug,price\n,x,3\n')
    expect(columns).toEqual([
      { name: 'slug', field: 'product_slug' },
      { name: 'product_slug', field: null },
      { name: 'price', field: 'price_usd' },
    ])
    expect(problems).toMatchObject([{ line: 2, field: 'product_slug' }])
  })
})

import { describe, expect, it } from 'vitest'
import { readJson, readJsonl } from './json-readers.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'

async function read(text: string, options: ReaderOptions = {}, reader = readJson): Promise<SourceRow[]> {
  async function* input() {
    yield Buffer.from(text)
  }
  const rows: SourceRow[] = []
  for await (const row of reader(input(), options)) rows.push(row)
  return rows
}

async function readOne(value: unknown, options: ReaderOptions = {}): Promise<Record<string, unknown>> {
  const [row, ...more] = await read(JSON.stringify([value]), options)
  if (!row || !('product' in row) || more.length > 0)
    throw new Error(`not one product: ${JSON.stringify(row)}`)
  return row.product
}

const titles = (rows: SourceRow[]) => rows.map((row) => ('product' in row ? row.product.title : null))

describe('the list of products in a JSON file', () => {
  const list = '[{"name":"A"},{"name":"B"}]'
  it.each([
    ['is the file', list],
    ['is called products', `{"categories":[{"name":"x"},{"name":"y"},{"name":"z"}],"products":${list}}`],
    ['stands deeper', `{"status":"ok","result":{"total":2,"items":${list}}}`],
    ['has a name of its own', `{"paging":{"links":[{"href":"x"}]},"sortiment":${list}}`],
    ['is of a shop with a name', `{"name":"My shop","products":${list}}`],
    ['is of edges', '{"data":{"products":{"edges":[{"node":{"title":"A"}},{"node":{"title":"B"}}]}}}'],
    ['is several objects', '{\n "name": "A"\n}\n{\n "name": "B", "images": [{"src": "x"}, {"src": "y"}]\n}'],
  ])('%s', async (_, text) => {
    expect(titles(await read(text))).toEqual(['A', 'B'])
    expect(titles(await read(text.replace(/[[{,]/g, '$&\r\n  ')))).toEqual(['A', 'B'])
  })

  it('may be one product, bare or wrapped', async () => {
    const product = {
      title: 'Tee',
      variants: [
        { id: 1, size: 'S' },
        { id: 2, size: 'M' },
      ],
    }
    for (const value of [product, { product }])
      expect(await read(JSON.stringify(value))).toMatchObject([{ product: { title: 'Tee' } }])
  })

  it('counts lines and items, and passes over what is no product', async () => {
    expect(await read('[\n{"name":"A"},\n 7, {"name": },\n"]}", {"name":"B"}]')).toMatchObject([
      { line: 2, item: 1, product: { title: 'A' } },
      { line: 3, item: 2, problem: { item: 2, problem: 'is a number, not an object' } },
      { line: 3, item: 3, problem: { problem: 'is not JSON' } },
      { line: 4, item: 4, problem: { problem: 'is a string, not an object' } },
      { line: 4, item: 5, product: { title: 'B' } },
    ])
  })

  it('keeps what came before the end of a file that is cut off', async () => {
    const rows = await read('{"products":[{"name":"A"},{"name":"B')
    expect(rows).toMatchObject([
      { product: { title: 'A' } },
      { problem: { problem: expect.stringContaining('cut off') } },
    ])
  })

  it('passes over a product of over 1 MB, and gives up one without an end', async () => {
    const large = await read(`[{"name":"${'x'.repeat(1_100_000)}"},{"name":"B"}]`)
    expect(large).toMatchObject([
      { item: 1, problem: { problem: 'is over 1 MB' } },
      { product: { title: 'B' } },
    ])
    let given = 0
    async function* endless() {
      yield Buffer.from('[{"name":"A"},{"name":"')
      for (; given < 1_000; given++) yield Buffer.alloc(100_000, 'x')
    }
    const rows: SourceRow[] = []
    for await (const row of readJson(endless())) rows.push(row)
    expect(rows).toMatchObject([
      { product: { title: 'A' } },
      { problem: { problem: expect.stringContaining('does not end within 8 MB') } },
    ])
    expect(given).toBeLessThan(100)
  })

  it('has the limits of a row', async () => {
    const deep = `{"name":"A","x":${'['.repeat(50)}${']'.repeat(50)}}`
    expect(await read(`[${deep},{"name":"B","__proto__":{"polluted":1}}]`)).toMatchObject([
      { problem: { problem: 'nests values over 32 deep' } },
      { product: { title: 'B' } },
    ])
  })
})

describe('names of others', () => {
  it('are read as the columns of a sheet are', async () => {
    expect(
      await readOne({
        id: 1,
        title: 'Foldable backpack',
        price: 109.95,
        description: 'Fits 15" laptops.',
        category: "men's clothing",
        image: 'https://shop.example/1.jpg',
        thumbnail: 'https://shop.example/t.jpg',
        images: ['https://shop.example/1.jpg', 'https://shop.example/2.jpg'],
        rating: { rate: 3.9, count: 120 },
        brand: { name: 'Fjellvik' },
        dimensions: { width: 28.4, height: 41 },
      }),
    ).toEqual({
      id: 1,
      title: 'Foldable backpack',
      price: 109.95,
      description: 'Fits 15" laptops.',
      category: "men's clothing",
      images: [1, 2, 't'].map((name) => ({ url: `https://shop.example/${name}.jpg` })),
      rating: 3.9,
      review_count: 120,
      brand: 'Fjellvik',
      specs: { Width: '28.4', Height: '41' },
    })
  })

  it.each([
    [{ price: { amount: '29,90', currency: 'EUR' } }, 29.9, 'EUR'],
    [{ offers: { price: 1290, priceCurrency: 'CZK' } }, 1290, 'CZK'],
    [{ price: '$1,299.00' }, 1299, '$'],
    [{ price_cents: 1999 }, 19.99, undefined],
    [{ price: { amount_minor: 500, currency: 'GBP' } }, 5, 'GBP'],
    [{ price: '15.00', currency: 'PLN' }, 15, 'PLN'],
    [{ unit_price: 10.129999999999999 }, 10.13, undefined],
  ])('give a price and its currency: %j', async (fields, amount, currency) => {
    const product = await readOne({ name: 'A', ...fields })
    expect(product.price).toEqual({ low: amount, high: amount })
    expect(product.currency).toBe(currency)
  })

  it.each([
    [{ category: 'Home > Kitchen > Kettles' }, ['Home', 'Kitchen', 'Kettles']],
    [{ categories: ['Home', 'Kitchen'] }, ['Home', 'Kitchen']],
    [{ categories: ['Sale', 'Home > Kitchen'] }, ['Home', 'Kitchen']],
    [
      {
        categories: [
          { id: 4, name: 'Kettles' },
          { id: 5, name: 'Sale' },
        ],
      },
      ['Kettles'],
    ],
    [{ category: { name: 'Kettles' } }, ['Kettles']],
  ])('give a category: %j', async (fields, path) => {
    expect(await readOne({ name: 'A', ...fields })).toMatchObject({ category: path })
  })

  it('give specs, groups and what the mapping says', async () => {
    const attributes = [
      { name: 'Color', value: 'red' },
      { name: 'Weight', value: 2, unit: 'kg' },
    ]
    expect(await readOne({ sku: 'A-1', name: 'A', attributes, size: 'M', item_group_id: 'G' })).toEqual({
      sku: 'A-1',
      title: 'A',
      specs: { Color: 'red', Weight: '2 kg', Size: 'M' },
      group: 'G',
      options: { Color: 'red', Size: 'M' },
    })
    const notices: string[] = []
    const mapping = { title: 'Bezeichnung', 'spec:Farbe': 'farbe', gtin: 'nirgends' }
    const options = { mapping, onNotice: (text: string) => notices.push(text) }
    expect(await readOne({ bezeichnung: 'Kanne', name: 'x', farbe: 'rot', lager: 3 }, options)).toEqual({
      title: 'Kanne',
      specs: { Farbe: 'rot' },
    })
    expect(notices).toEqual([expect.stringContaining('"nirgends"'), expect.stringContaining('"lager"')])
  })

  it('are read in JSONL too, and ours are left as they are', async () => {
    const own = {
      title: 'A',
      category: 'kettles',
      price: { low: 1, high: 2 },
      specs: { Weight: null },
      slug: 'a',
    }
    const lines = [own, { name: 'B', price: '2 €' }].map((row) => JSON.stringify(row)).join('\n')
    expect(await read(lines, {}, readJsonl)).toEqual([
      { line: 1, product: own },
      { line: 2, product: { title: 'B', price: { low: 2, high: 2 }, currency: 'EUR' } },
    ])
  })
})

describe("Shopify's products.json", () => {
  const tee = {
    id: 632,
    title: 'Tide tee',
    handle: 'tide-tee',
    body_html: '<p>Soft.</p>',
    vendor: 'Marlow',
    product_type: 'Shirts',
    options: [{ name: 'Size' }, { name: 'Color' }],
    variants: [
      {
        id: 11,
        option1: 'S',
        option2: 'Sand',
        sku: 'T-S',
        price: '19.00',
        compare_at_price: '25.00',
        barcode: '4006381333931',
      },
      { id: 12, option1: 'M', option2: 'Sand', sku: 'T-M', price: '21.00', compare_at_price: '21.00' },
    ],
    images: [{ id: 1, src: 'https://cdn.example/1.jpg' }],
  }

  it('gives products with their variants, pictures and pages', async () => {
    expect(await read(JSON.stringify({ products: [tee] }), { storeUrl: 'shop.example' })).toEqual([
      {
        line: 1,
        item: 1,
        product: {
          id: 'tide-tee',
          aliases: ['id:632'],
          slug: 'tide-tee',
          title: 'Tide tee',
          brand: 'Marlow',
          description: '<p>Soft.</p>',
          category: ['Shirts'],
          price: { low: 19, high: 21 },
          images: [{ url: 'https://cdn.example/1.jpg' }],
          where_to_buy: [{ name: 'shop.example', url: 'https://shop.example/products/tide-tee' }],
          variants: [
            {
              id: '11',
              sku: 'T-S',
              gtin: '4006381333931',
              price: 19,
              list_price: 25,
              options: { Size: 'S', Color: 'Sand' },
            },
            { id: '12', sku: 'T-M', price: 21, options: { Size: 'M', Color: 'Sand' } },
          ],
        },
      },
    ])
  })

  it('makes a product without variants one, and passes over drafts', async () => {
    const notices: string[] = []
    const mug = {
      ...tee,
      options: [{ name: 'Title' }],
      variants: [{ id: 13, title: 'Default Title', option1: 'Default Title', sku: 'M-1', price: '9.00' }],
    }
    const rows = await read(JSON.stringify({ products: [mug, { ...tee, status: 'draft' }] }), {
      onNotice: (text) => notices.push(text),
    })
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({ product: { sku: 'M-1', price: { low: 9, high: 9 } } })
    expect(rows[0]).not.toHaveProperty('product.variants')
    expect(notices).toContain('Drafts are not imported: 1 skipped.')
  })
})

import { describe, expect, it } from 'vitest'
import type { SourceRow } from './rows.ts'
import { readShopify } from './shopify.ts'

async function read(
  text: string,
  onNotice?: (text: string) => void,
  storeUrl?: string,
): Promise<SourceRow[]> {
  async function* input() {
    yield Buffer.from(text)
  }
  const rows: SourceRow[] = []
  for await (const row of readShopify(input(), { onNotice, storeUrl })) rows.push(row)
  return rows
}

const HEADER = [
  'Handle,Title,Body (HTML),Vendor,Product Category,Type,Tags,Published,Option1 Name,Option1 Value,Option2 Name,Option2 Value',
  'Variant SKU,Variant Price,Variant Compare At Price,Variant Barcode,Image Src,Image Position,Image Alt Text,Google Shopping / MPN,Status',
].join(',')

describe('a Shopify product export', () => {
  it('gives one product a handle, from its rows of variants and images', async () => {
    const rows = await read(`${HEADER}
mug,Enamel Mug,"<p>Holds tea,
and <b>coffee</b>.</p>",Acme,Home & Garden > Kitchen > Mugs,,"camping, gift",true,Color,Red,Size,Small,MUG-R-S,12.00,15.00,'0012345678905,https://cdn.example/3.jpg,3,,ACME-1,active
mug,,,,,,,,,Red,,Large,MUG-R-L,16.50,20.00,0012345678912,https://cdn.example/1.jpg,1,The red mug,,
mug,,,,,,,,,Blue,,Small,MUG-B-S,9.00,9.00,,https://cdn.example/3.jpg,3,,,
mug,,,,,,,,,,,,,,,,https://cdn.example/2.jpg,2,,,
tent,Tent,,Outdoor Co,,Tents,,true,Title,Default Title,,,T-1,199,,,,,,,archived
`)
    expect(rows).toEqual([
      {
        line: 2,
        product: {
          id: 'mug',
          slug: 'mug',
          title: 'Enamel Mug',
          description: '<p>Holds tea,\nand <b>coffee</b>.</p>',
          brand: 'Acme',
          category: ['Home & Garden', 'Kitchen', 'Mugs'],
          sku: 'MUG-R-S',
          gtin: '0012345678905',
          mpn: 'ACME-1',
          price: { low: 9, high: 16.5 },
          list_price: 20,
          images: [
            { url: 'https://cdn.example/1.jpg', alt: 'The red mug' },
            { url: 'https://cdn.example/2.jpg' },
            { url: 'https://cdn.example/3.jpg' },
          ],
          variants: [
            {
              id: 'MUG-R-S',
              sku: 'MUG-R-S',
              gtin: '0012345678905',
              options: { Color: 'Red', Size: 'Small' },
              price: 12,
              list_price: 15,
            },
            {
              id: 'MUG-R-L',
              sku: 'MUG-R-L',
              gtin: '0012345678912',
              options: { Color: 'Red', Size: 'Large' },
              price: 16.5,
              list_price: 20,
            },
            { id: 'MUG-B-S', sku: 'MUG-B-S', options: { Color: 'Blue', Size: 'Small' }, price: 9 },
          ],
        },
      },
      {
        line: 7,
        product: {
          id: 'tent',
          slug: 'tent',
          title: 'Tent',
          brand: 'Outdoor Co',
          category: ['Tents'],
          sku: 'T-1',
          price: { low: 199, high: 199 },
          discontinued: true,
        },
      },
    ])
  })

  it('may have the newer column names', async () => {
    const rows = await read(
      'Title,URL handle,Description,Vendor,Product category,Type,Status,SKU,Barcode,Option1 name,Option1 value,Price,Compare-at price,Product image URL,Image position,Image alt text\n' +
        'Mug,mug,Holds tea.,Acme,Kitchen > Mugs,,Active,M-1,0012345678905,Color,Red,12,15,https://cdn.example/1.jpg,1,Red mug\n',
    )
    expect(rows).toEqual([
      {
        line: 2,
        product: {
          id: 'mug',
          slug: 'mug',
          title: 'Mug',
          description: 'Holds tea.',
          brand: 'Acme',
          category: ['Kitchen', 'Mugs'],
          sku: 'M-1',
          gtin: '0012345678905',
          price: { low: 12, high: 12 },
          list_price: 15,
          images: [{ url: 'https://cdn.example/1.jpg', alt: 'Red mug' }],
          variants: [
            {
              id: 'M-1',
              sku: 'M-1',
              gtin: '0012345678905',
              options: { Color: 'Red' },
              price: 12,
              list_price: 15,
            },
          ],
        },
      },
    ])
  })

  const SHORT = 'Handle,Title,Variant Price,Status'

  it('leaves drafts out and says how many', async () => {
    const notices: string[] = []
    const rows = await read(`${SHORT}\na,A,1,draft\na,,2,\nb,B,1,active\nc,C,1,Draft\n`, (text) =>
      notices.push(text),
    )
    expect(rows.map((row) => 'product' in row && row.product.slug)).toEqual(['b'])
    expect(notices).toEqual([expect.stringContaining('2 skipped')])
  })

  it('keeps what comes without a handle or apart from its product', async () => {
    const rows = await read(
      'Handle,Title,Option1 Name,Option1 Value,Variant Price\na,A,Size,S,1\n,X,,,1\nb,B,,,1\na,,,M,2\nc,,,M,2\na,A again,,,3\n,,,,4\n',
    )
    expect(rows).toMatchObject([
      { line: 2, product: { id: 'a', variants: [{ id: 'a / S' }] } },
      { line: 3, product: { id: 'x', title: 'X' } },
      { line: 4, product: { id: 'b' } },
      { line: 5, product: { group: 'id:a', id: 'a / M', options: { 'Option 1': 'M' }, price: 2 } },
      { line: 6, problem: { field: 'title', id: 'c' } },
      { line: 8, problem: { field: 'slug', problem: 'is missing' } },
      { line: 7, product: { id: 'a', title: 'A again' } },
    ])
  })

  it('leaves a price that is no number to the check, and keeps other currencies', async () => {
    const rows = await read(`${SHORT}\na,A,ask,\na,,2,\nb,B,2 €,\n`)
    expect(rows).toMatchObject([
      { product: { slug: 'a', price: 'ask' } },
      { line: 4, product: { slug: 'b', price: { low: 2, high: 2 }, currency: 'EUR' } },
    ])
  })

  it('takes handles of any form, metafields, and the page in a shop whose address is given', async () => {
    const handle = `Žluťoučký-${'x'.repeat(110)}`
    const rows = await read(
      `Handle,Title,Tags,Variant Price,Fabric (product.metafields.shopify.fabric),Included / United States,Price / United States\n${handle},A,"rain, coats",5,wool; silk,true,99\n`,
      undefined,
      'https://shop.example/',
    )
    expect(rows).toEqual([
      {
        line: 2,
        product: {
          id: handle,
          title: 'A',
          category: ['rain'],
          price: { low: 5, high: 5 },
          specs: { Fabric: 'wool, silk' },
          where_to_buy: [
            {
              name: 'shop.example',
              url: `https://shop.example/products/${encodeURIComponent(handle)}`,
              price: 5,
            },
          ],
        },
      },
    ])
  })

  it('takes a compare-at price only when it is above the price', async () => {
    const rows = await read(
      'Handle,Title,Variant Price,Variant Compare At Price\na,A,10,10\nb,B,10,8\nc,C,10,\nd,D,10,12\n',
    )
    expect(rows.map((row) => 'product' in row && row.product.list_price)).toEqual([
      undefined,
      undefined,
      undefined,
      12,
    ])
  })

  it('without prices has none', async () => {
    expect(await read(`${SHORT}\na,A,,\n`)).toEqual([
      { line: 2, product: { id: 'a', slug: 'a', title: 'A' } },
    ])
  })

  it('passes over a product of more than 1 MB, however many rows it has', async () => {
    const many = Array.from(
      { length: 40_000 },
      (_, i) => `a,,https://cdn.example/${i}/${'x'.repeat(30)}.jpg`,
    ).join('\n')
    const rows = await read(`Handle,Title,Image Src\na,A,\n${many}\nb,B,\n`)
    expect(rows).toMatchObject([
      { line: 2, problem: { problem: expect.stringContaining('"a", a product of over 1 MB') } },
      { product: { slug: 'b' } },
    ])
  })

  it('that is something else is refused before the first row', async () => {
    await expect(read('Name,Price\nMug,12\n')).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('"Name", "Price"'),
    })
  })
})

import { describe, expect, it } from 'vitest'
import { isBigCommerceHeader, readBigCommerce } from './bigcommerce.ts'
import { isMagentoHeader, readMagento } from './magento.ts'
import type { ReaderOptions, SourceRow } from './rows.ts'
import { isShopifyHeader } from './shopify.ts'
import { isWooHeader, readWoo } from './woocommerce.ts'

type Reader = (input: AsyncIterable<Uint8Array>, options?: ReaderOptions) => AsyncGenerator<SourceRow>

async function read(reader: Reader, text: string, options?: ReaderOptions): Promise<SourceRow[]> {
  async function* input() {
    yield Buffer.from(text)
  }
  const rows: SourceRow[] = []
  for await (const row of reader(input(), options)) rows.push(row)
  return rows
}

describe('headers of shop systems', () => {
  const HEADERS = {
    shopify: 'Handle,Title,Variant SKU,Variant Price,Type',
    woocommerce: 'ID,Type,SKU,Name,Published,Is featured?,Visibility in catalog,Regular price,Categories',
    magento: 'sku,store_view_code,attribute_set_code,product_type,categories,name,price,visibility',
    bigcommerce: 'Item Type,Product ID,Product Name,Product Code/SKU,Brand Name,Price,Category',
    newer: 'Item,ID,Name,Type,SKU,Options,Inventory Tracking,Price,Categories,Internal Image URL (Export)',
    other: 'id,name,type,price,options,sku,product_type,category',
  }
  it.each([
    ['shopify', isShopifyHeader, ['shopify']],
    ['woocommerce', isWooHeader, ['woocommerce']],
    ['magento', isMagentoHeader, ['magento']],
    ['bigcommerce', isBigCommerceHeader, ['bigcommerce', 'newer']],
  ])('of %s are told from all others', (_, isHeader, known) => {
    const found = Object.entries(HEADERS).filter(([, header]) => isHeader(header.split(',')))
    expect(found.map(([name]) => name)).toEqual(known)
  })

  it('without the columns that are needed are refused before the first row', async () => {
    for (const reader of [readWoo, readMagento, readBigCommerce])
      await expect(read(reader, 'a,b\n1,2\n')).rejects.toMatchObject({ kind: 'invalid', field: 'header' })
  })
})

describe('the newer BigCommerce export', () => {
  it('has variants and pictures in rows below the product', async () => {
    const rows = await read(
      readBigCommerce,
      `Item,ID,Name,Type,SKU,Options,Price,Sale Price,Brand Name,Categories,Is Visible,Internal Image URL (Export),GTIN
Product,9,Rug,physical,RUG,,80,,Loom,Home/Rugs;Sale,TRUE,,
Variant,91,,,RUG-S,Type=Dropdown|Name=Size|Value=Small,,,,,,,4006381333931
Variant,92,,,RUG-L,Type=Dropdown|Name=Size|Value=Large,120,110,,,,,
Image,5,,,,,,,,,,https://cdn.loom.example/rug.jpg,
Product,10,Mat,physical,MAT,,20,,,,FALSE,,
Variant,93,,,MAT-S,,,,,,,,
`,
    )
    expect(rows).toEqual([
      {
        line: 2,
        product: {
          id: '9',
          sku: 'RUG',
          title: 'Rug',
          brand: 'Loom',
          category: ['Home', 'Rugs'],
          price: 80,
          images: [{ url: 'https://cdn.loom.example/rug.jpg' }],
          variants: [
            { id: 'RUG-S', sku: 'RUG-S', gtin: '4006381333931', price: 80, options: { Size: 'Small' } },
            { id: 'RUG-L', sku: 'RUG-L', price: 110, list_price: 120, options: { Size: 'Large' } },
          ],
        },
      },
    ])
  })
})

describe('a Magento export', () => {
  it('holds no more children than its bound: the oldest become products of their own', async () => {
    const children = Array.from(
      { length: 2_100 },
      (_, n) => `C-${n},simple,Child ${n},5,Not Visible Individually,`,
    )
    const rows = await read(
      readMagento,
      `sku,product_type,name,price,visibility,configurable_variations\n${children.join('\n')}\nP,configurable,Parent,,"Catalog, Search","sku=C-0,size=S|sku=C-2099,size=M"\n`,
    )
    expect(rows.slice(0, 100).map((row) => 'product' in row && row.product.id)).toEqual(
      Array.from({ length: 100 }, (_, n) => `C-${n}`),
    )
    expect(rows[100]).toMatchObject({
      product: {
        id: 'P',
        variants: [
          { id: 'C-0', options: { Size: 'S' } },
          { id: 'C-2099', price: 5, options: { Size: 'M' } },
        ],
      },
    })
    expect(rows).toHaveLength(2_100)
  })
})

/** Files as marketplaces and other systems write them: names twice, rows that belong to the row above, products by id. */
import { describe, expect, test } from 'vitest'
import { detectFormat, readRows } from './read-rows.ts'

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function read(text: string, name = 'file.csv') {
  const format = detectFormat(name, Buffer.from(text))
  if (!format) throw new Error('the format was not found')
  const notices: string[] = []
  const products: Array<Record<string, unknown>> = []
  const problems: unknown[] = []
  for await (const row of readRows(bytesOf(text), { format, onNotice: (notice) => notices.push(notice) }))
    if ('product' in row) products.push({ ...row.product, ...amountOf(row.product) })
    else problems.push(row.problem)
  return { products, problems, notices }
}

/** One amount is shown as such. */
function amountOf({ price }: Record<string, unknown>): { price?: number } {
  const { low, high } = (price ?? {}) as { low?: number; high?: number }
  return low !== undefined && low === high ? { price: low } : {}
}

const sheet = (...rows: string[]) => `${rows.join('\n')}\n`

describe('rows beside the header', () => {
  test('names for programs below those for people are no product', async () => {
    const { products, problems } = await read(
      sheet(
        'TemplateType=custom\tVersion=2022\tThe top 3 rows are for the marketplace only.',
        'Product Type\tSeller SKU\tBrand Name\tProduct Name\tYour Price\tParent SKU\tSize',
        'feed_product_type\titem_sku\tbrand_name\titem_name\tstandard_price\tparent_sku\tsize_name',
        'rug\tRUG-P\tHearthweave\tJute Rug\t\t\t',
        'rug\tRUG-46\tHearthweave\tJute Rug 4x6\t79.99\tRUG-P\t4 x 6',
        'rug\tRUG-58\tHearthweave\tJute Rug 5x8\t129.99\tRUG-P\t5 x 8',
      ),
    )
    expect(problems).toEqual([])
    expect(products).toMatchObject([
      { title: 'Jute Rug', sku: 'RUG-P' },
      { title: 'Jute Rug 4x6', price: 79.99, options: { Size: '4 x 6' }, group: 'id:RUG-P' },
      { title: 'Jute Rug 5x8', price: 129.99, options: { Size: '5 x 8' }, group: 'id:RUG-P' },
    ])
  })

  test('where those for programs say more, they are the header', async () => {
    const { products } = await read(
      sheet('Listing,Your SKU,Amount', 'item_name,item_sku,sale_price', 'Dome tent,T-1,199.00'),
    )
    expect(products).toMatchObject([{ title: 'Dome tent', sku: 'T-1', price: 199 }])
  })

  test('remarks over the columns are passed over, a column of numbers called # is not', async () => {
    const remarks = '# Required | A unique id,# Required | A title,# Required | The price,# Optional'
    const { products } = await read(
      sheet(remarks, 'id,title,price,brand', 'FB_1,Denim shirt,10.00 USD,Jasper'),
    )
    expect(products).toMatchObject([{ id: 'FB_1', title: 'Denim shirt', price: 10, brand: 'Jasper' }])
    const numbered = await read(sheet('#,title,price', '1,Denim shirt,10.00'))
    expect(numbered.products).toMatchObject([{ title: 'Denim shirt', price: 10 }])
  })
})

describe('rows without a title', () => {
  test('that name the row above as their parent are its variants, and have its price', async () => {
    const { products, problems } = await read(
      sheet(
        'id;parent_id;product_number;name;price_gross;manufacturer_name;optionIds;ean',
        'a1;;SW1;Jacke;99.95;Nordwind;;4006381333931',
        'b1;a1;SW1.1;;;;Größe: M;4006381333948',
        'b2;a1;SW1.2;;89.95;;Größe: L;4006381333955',
        'c1;;SW2;Mütze;11.90;Nordwind;;',
      ),
    )
    expect(problems).toEqual([])
    expect(products).toMatchObject([
      { id: 'a1', title: 'Jacke' },
      { id: 'b1', title: 'Jacke', sku: 'SW1.1', price: 99.95, options: { Größe: 'M' }, group: 'id:a1' },
      { id: 'b2', title: 'Jacke', sku: 'SW1.2', price: 89.95, options: { Größe: 'L' }, group: 'id:a1' },
      { id: 'c1', title: 'Mütze' },
    ])
    expect(products[1]).toMatchObject({ gtin: '4006381333948', brand: 'Nordwind' })
  })

  test('with the same id are its variants where they have a price, and else only say more of it', async () => {
    const { products, problems, notices } = await read(
      sheet(
        'type,product_internal_id,product_sku,product_name,product_price,product_option_name,product_option_value,product_variation_sku,product_variation_option_Size',
        'product,501,TSH,Classic Tee,19.00,,,,',
        'product_option,501,TSH,,,Size,S,,',
        'product_option,501,TSH,,,Size,M,,',
        'product_variation,501,TSH,,19.00,,,TSH-S,S',
        'product_variation,501,TSH,,21.00,,,TSH-M,M',
        'product,502,CAP,Dad Cap,15.00,,,,',
      ),
    )
    expect(problems).toEqual([])
    expect(products).toMatchObject([
      { id: '501', title: 'Classic Tee' },
      { id: '501 / S', title: 'Classic Tee', sku: 'TSH-S', price: 19, options: { Size: 'S' } },
      { id: '501 / M', title: 'Classic Tee', sku: 'TSH-M', price: 21, options: { Size: 'M' } },
      { id: '502', title: 'Dad Cap' },
    ])
    expect(new Set(products.slice(1, 3).map(({ group }) => group)).size).toBe(1)
    expect(notices.join()).toMatch(/only add to the product above: 2 rows not read/)
  })

  test('or key or price go on with the product above; one of another product is refused', async () => {
    const { products, problems, notices } = await read(
      sheet(
        'id,name,default_code,list_price,standard_price,categ_id/complete_name,attribute',
        'a,Desk,DESK,750.00,500.00,All / Saleable / Office Furniture,Steel',
        ',,,,,,White',
        'b,,CHAIR,70.00,50.00,All / Saleable / Office Furniture,',
      ),
    )
    expect(products).toMatchObject([
      { id: 'a', title: 'Desk', price: 750, category: ['Office Furniture'] },
      { id: 'b' },
    ])
    expect(products[0]).not.toHaveProperty('list_price')
    expect(products[1]).not.toHaveProperty('title')
    expect(problems).toEqual([])
    expect(notices.join()).toMatch(/1 row not read/)
  })
})

describe('options', () => {
  test('with numbers in words, and several in one cell', async () => {
    const numbered = await read(
      sheet(
        'id,handle,name,variant_option_one_name,variant_option_one_value,retail_price',
        '1,tee,Basic tee,Size,S,20.00',
        '2,tee,Basic tee,Size,M,20.00',
        '3,mug,Mug,,,9.50',
      ),
    )
    expect(numbered.products.map(({ options }) => options)).toEqual([{ Size: 'S' }, { Size: 'M' }, undefined])
    const listed = await read(
      sheet(
        'Internal_ID,Internal_Variant_ID,US_Title_Long,US_Description_Long,Price,Price_Old,US_Variant',
        '1,11,City Bike,A bike,499.00,599.00,"Color: Black, Size: M"',
        '1,12,City Bike,A bike,499.00,599.00,"Color: Black, Size: L"',
        '2,13,Bell,A bell,9.00,,Default',
      ),
    )
    expect(listed.products).toMatchObject([
      { id: '11', title: 'City Bike', group: '1', options: { Color: 'Black', Size: 'M' }, list_price: 599 },
      { id: '12', title: 'City Bike', group: '1', options: { Color: 'Black', Size: 'L' } },
      { id: '13', title: 'Bell', description: 'A bell' },
    ])
  })
})

describe('numbers of people', () => {
  test('are read as people write them', async () => {
    const { products } = await read(
      sheet(
        'Name;Price range;Ratings;No. of reviews;Category',
        'Sofa;$1,299.00 - $1,499.00;4.5 out of 5;1.2k reviews;11700:Furniture',
        'Table;From $49;4,2 von 5;(87);Furniture',
        'Chair;$29;8 / 10;1,204;Furniture',
        'Stool;$19;3;3 of 5 stars;Furniture',
        'Bench;$59;3;10 million;Furniture',
        'Shelf;$59;3;-5;Furniture',
      ),
    )
    expect(products).toMatchObject([
      { price: { low: 1299, high: 1499 }, rating: 4.5, review_count: 1200, category: ['Furniture'] },
      { price: 49, rating: 4.2, review_count: 87 },
      { price: 29, rating: '8 / 10', review_count: 1204 },
      { rating: 3, review_count: '3 of 5 stars' },
      { review_count: '10 million' },
      { review_count: -5 },
    ])
  })
})

describe('cells that say nothing', () => {
  test('are empty, but in specs', async () => {
    const { products } = await read(
      sheet(
        'title,price,brand,ean,Microphone',
        'Webcam,nan,N/A,Does not apply,None',
        'Cam,49.00,Vantrel,4006381333931,Stereo',
      ),
    )
    expect(products[0]).toEqual({ title: 'Webcam', specs: { Microphone: 'None' } })
  })
})

describe('JSON', () => {
  test('lists products by their ids', async () => {
    const { products } = await read(
      JSON.stringify({
        data: {
          'A-1': { titel: 'Wasserkocher', preis: '39,90 €', brand: { name: 'Kessel' } },
          'A-2': { titel: 'Toaster', preis: '24,50 €', sku: 7 },
        },
      }),
      'file.json',
    )
    expect(products).toMatchObject([
      { id: 'A-1', title: 'Wasserkocher', price: 39.9, currency: 'EUR', brand: 'Kessel' },
      { id: 'A-2', title: 'Toaster', price: 24.5, currency: 'EUR' },
    ])
  })

  test('of one product, whose parts have names, is one product', async () => {
    const { products } = await read(
      JSON.stringify(
        { product: { title: 'Kettle', brand: { name: 'A' }, category: { name: 'B' } } },
        null,
        1,
      ),
      'file.json',
    )
    expect(products).toMatchObject([{ title: 'Kettle', brand: 'A', category: ['B'] }])
  })

  test('is one product where no title is known but of its parts', async () => {
    const part = (name: string) => ({ name, description: 'Said of the part' })
    const { products } = await read(
      JSON.stringify({ heading: 'Kettle', brand: part('A'), category: part('B'), price: 20 }),
      'file.json',
    )
    expect(products).toHaveLength(1)
  })

  test('calls sentences features, and facts details', async () => {
    const { products } = await read(
      ['Howard', 'Yes to']
        .map((title, at) =>
          JSON.stringify({
            parent_asin: `B${at}`,
            title,
            main_category: 'All Beauty',
            categories: [],
            features: ['Cleans leather', 'Smells of lemon'],
            description: [],
            details: { 'Item Form': 'Powder', UPC: '617390882781', Brand: 'Howard' },
            price: 'None',
            rating_number: 10,
          }),
        )
        .join('\n'),
      'meta.jsonl',
    )
    expect(products[0]).toMatchObject({
      ...{ id: 'B0', title: 'Howard', brand: 'Howard', gtin: '617390882781', review_count: 10 },
      category: ['All Beauty'],
      description: 'Cleans leather\nSmells of lemon',
      specs: { 'Item Form': 'Powder' },
    })
    expect(products[0]).not.toHaveProperty('price')
    const both = { title: 'Kettle', description: 'Boils fast.', features: ['Boils fast', 'Made of steel'] }
    const said = await read(`${JSON.stringify(both)}\n${JSON.stringify(both)}`, 'meta.jsonl')
    expect(said.products[0]).toMatchObject({ description: 'Boils fast.\nMade of steel' })
  })

  test('is taken out of what databases, search engines and GraphQL wrap it in', async () => {
    const mongo = await read(
      JSON.stringify([
        { _id: { $oid: '5f' }, title: 'Bike', price: { $numberDecimal: '899.5' } },
        { _id: { $oid: '6f' }, title: 'Helmet', price: { $numberDecimal: '49.5' } },
      ]),
      'file.json',
    )
    expect(mongo.products).toMatchObject([
      { id: '5f', price: 899.5 },
      { id: '6f', price: 49.5 },
    ])
    const hits = ['Lamp', 'Bulb'].map((name, at) => ({
      _index: 'p',
      _id: `${at}`,
      _source: { name, price: 3.5 },
    }))
    const elastic = await read(JSON.stringify({ hits: { total: 2, hits } }), 'file.json')
    expect(elastic.products).toMatchObject([
      { id: '0', title: 'Lamp', price: 3.5 },
      { id: '1', title: 'Bulb' },
    ])
    const amount = (value: string) => ({ amount: value, currencyCode: 'CAD' })
    const variant = {
      ...{ id: 'v1', sku: 'LS-S', price: amount('49.0') },
      selectedOptions: [{ name: 'Size', value: 'S' }],
    }
    const node = {
      ...{ id: 'p1', title: 'Linen shirt', vendor: 'Loomly' },
      priceRangeV2: { minVariantPrice: amount('49.0'), maxVariantPrice: amount('59.0') },
      images: { edges: [{ node: { url: 'https://shop.example/1.jpg' } }] },
      variants: { edges: [{ node: variant }] },
    }
    const graph = await read(JSON.stringify({ data: { products: { edges: [{ node }] } } }), 'file.json')
    expect(graph.products).toMatchObject([
      {
        ...{ title: 'Linen shirt', brand: 'Loomly', price: { low: 49, high: 59 }, currency: 'CAD' },
        images: [{ url: 'https://shop.example/1.jpg' }],
        variants: [{ sku: 'LS-S', price: 49, options: { Size: 'S' } }],
      },
    ])
  })
})

describe('XML', () => {
  test('has titles and variants several elements deep', async () => {
    const book = (isbn: string, title: string) =>
      `<Product><RecordReference>r${isbn}</RecordReference><ProductIdentifier><IDValue>${isbn}</IDValue></ProductIdentifier><DescriptiveDetail><TitleDetail><TitleElement><TitleText>${title}</TitleText></TitleElement></TitleDetail></DescriptiveDetail><ProductSupply><SupplyDetail><Price><PriceType>02</PriceType><PriceAmount>12.99</PriceAmount><CurrencyCode>GBP</CurrencyCode></Price></SupplyDetail></ProductSupply></Product>`
    const books = await read(
      `<ONIXMessage><Header/>${book('9780306406157', 'Harbour')}${book('9781861972712', 'Roads')}</ONIXMessage>`,
      'file.xml',
    )
    expect(books.products).toMatchObject([
      { id: 'r9780306406157', title: 'Harbour', gtin: '9780306406157', price: 12.99, currency: 'GBP' },
      { title: 'Roads' },
    ])
    const shoes = await read(
      '<store><product id="1"><name>Shoe</name><price currency="EUR">89.00</price><images><image position="1"><url>https://x.example/1.jpg</url></image></images><variants><variant sku="41"><size>41</size><price>89.00</price></variant><variant sku="42"><size>42</size><price>92.00</price></variant></variants></product><product id="2"><name>Sock</name><price>9.00</price></product></store>',
      'file.xml',
    )
    expect(shoes.products[0]).toMatchObject({
      images: [{ url: 'https://x.example/1.jpg' }],
      variants: [
        { sku: '41', options: { Size: '41' }, price: 89 },
        { sku: '42', options: { Size: '42' }, price: 92 },
      ],
    })
  })
})

import { describe, expect, it } from 'vitest'
import { readGoogle } from './google.ts'
import type { SourceRow } from './rows.ts'

const NOW = new Date('2026-03-01T12:00:00Z')

async function read(...chunks: (string | Uint8Array)[]): Promise<SourceRow[]> {
  async function* input() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  }
  const rows: SourceRow[] = []
  for await (const row of readGoogle(input(), { now: NOW })) rows.push(row)
  return rows
}

const rss = (...items: string[]) =>
  `<?xml version="1.0"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel><title>Shop</title>\n${items.join('\n')}\n</channel></rss>`

const item = (content: string) => `<item><g:id>1</g:id><title>Kettle</title>${content}</item>`

async function readOne(content: string): Promise<Record<string, unknown>> {
  const rows = await read(rss(item(content)))
  const row = rows[0]
  if (rows.length !== 1 || !row || !('product' in row))
    throw new Error(`not one product: ${JSON.stringify(rows)}`)
  return row.product
}

const problemsOf = (rows: SourceRow[]) => rows.flatMap((row) => ('problem' in row ? [row.problem] : []))

const KETTLE = {
  id: 'K-1',
  sku: 'K-1',
  title: 'Kettle & more',
  description: 'Boils fast.\n\n• Stays hot\n• Quiet, too',
  brand: 'Acme',
  gtin: '0012345678905',
  mpn: 'AC-17',
  category: ['Home', 'Kitchen', 'Kettles'],
  price: { low: 39, high: 39 },
  list_price: 49.5,
  currency: 'USD',
  images: [
    { url: 'https://a.example/1.jpg' },
    { url: 'https://a.example/2.jpg' },
    { url: 'https://a.example/3.jpg' },
  ],
  where_to_buy: [{ name: 'shop.example', url: 'https://www.shop.example/k?a=1&b=2', price: 39 }],
  specs: {
    Color: 'red',
    Size: 'L',
    Material: 'steel',
    'Age group': 'adult',
    Capacity: '1.7 l',
    Ratio: '1:2',
  },
}

describe('a Google feed in RSS', () => {
  it('becomes products of the import contract, on the lines of their items', async () => {
    const rows = await read(`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0" xmlns:media="http://search.yahoo.com/mrss/">
  <channel>
    <title>A shop</title>
    <link>https://www.shop.example</link>
    <item
      >
      <g:id>K-1</g:id>
      <title>Kettle &amp; more</title>
      <media:title>Not this one</media:title>
      <description><![CDATA[Boils fast.]]></description>
      <link>https://www.shop.example/k?a=1&amp;b=2</link>
      <g:image_link>https://a.example/1.jpg</g:image_link>
      <g:additional_image_link>https://a.example/2.jpg</g:additional_image_link>
      <g:additional_image_link>https://a.example/3.jpg</g:additional_image_link>
      <g:price>49.50 USD</g:price>
      <g:sale_price>39.00 USD</g:sale_price>
      <g:sale_price_effective_date>2026-02-24T13:00-0800/2026-03-29T15:30-0800</g:sale_price_effective_date>
      <g:brand>Acme</g:brand>
      <g:gtin>0012345678905</g:gtin>
      <g:mpn>AC-17</g:mpn>
      <g:product_type>Home &gt; Kitchen &gt; Kettles</g:product_type>
      <g:google_product_category>Home &amp; Garden &gt; Appliances</g:google_product_category>
      <g:product_highlight>Stays hot</g:product_highlight>
      <g:product_highlight>Quiet, too</g:product_highlight>
      <g:product_detail>
        <g:section_name>General</g:section_name>
        <g:attribute_name>Capacity</g:attribute_name>
        <g:attribute_value>1.7 l</g:attribute_value>
      </g:product_detail>
      <g:product_detail><g:attribute_name>Ratio</g:attribute_name><g:attribute_value>1:2</g:attribute_value></g:product_detail>
      <g:shipping><g:country>US</g:country><g:price>5.00 USD</g:price></g:shipping>
      <g:availability>in_stock</g:availability>
      <g:color>red</g:color><g:size>L</g:size><g:material>steel</g:material><g:age_group>adult</g:age_group>
      <g:item_group_id>group</g:item_group_id>
    </item>
    <item><g:id>K-2</g:id><title>Mug</title></item>
  </channel>
</rss>`)
    const options = { Color: 'red', Size: 'L', Material: 'steel', 'Age group': 'adult' }
    expect(rows).toEqual([
      { line: 6, item: 1, product: { ...KETTLE, group: 'group', availability: 'in_stock', options } },
      { line: 37, item: 2, product: { id: 'K-2', sku: 'K-2', title: 'Mug' } },
    ])
  })

  it('may use g: without declaring it, or another prefix that is declared', async () => {
    const undeclared = '<rss><channel><item><g:id>1</g:id><g:title>A</g:title></item></channel></rss>'
    const other =
      '<rss xmlns:x="http://base.google.com/ns/1.0"><channel><item><x:id>1</x:id><title>A</title></item></channel></rss>'
    for (const feed of [undeclared, other]) {
      expect(await read(feed)).toEqual([{ line: 1, item: 1, product: { id: '1', sku: '1', title: 'A' } }])
    }
  })

  it('takes the sale price only while the sale is on', async () => {
    const sale = (dates: string) =>
      `<g:price>50 USD</g:price><g:sale_price>40 USD</g:sale_price><g:sale_price_effective_date>${dates}</g:sale_price_effective_date>`
    const isOn = { price: { low: 40, high: 40 }, list_price: 50 }
    expect(await readOne(sale('2026-02-01T00:00Z/2026-04-01T00:00Z'))).toMatchObject(isOn)
    expect(await readOne(sale('soon'))).toMatchObject(isOn)
    for (const dates of ['2026-01-01T00:00Z/2026-02-01T00:00Z', '2026-04-01T00:00Z/2026-05-01T00:00Z']) {
      const product = await readOne(sale(dates))
      expect(product.price).toEqual({ low: 50, high: 50 })
      expect(product).not.toHaveProperty('list_price')
    }
  })

  it.each([
    ['15.00 EUR', 15, 'EUR'],
    ['1 290,00 CZK', 1290, 'CZK'],
    ['CZK 1290', 1290, 'CZK'],
    ['15.00 USD', 15, 'USD'],
    ['15.00', 15, undefined],
  ])('keeps the currency of a price: %s', async (text, amount, currency) => {
    const product = await readOne(`<g:price>${text}</g:price>`)
    expect(product.price).toEqual({ low: amount, high: amount })
    expect(product.currency).toBe(currency)
  })

  it('takes the whole path of a category, and numbers alone for none', async () => {
    const google = '<g:google_product_category>Home &amp; Garden &gt; Kettles</g:google_product_category>'
    expect(await readOne(`${google}<g:product_type>Tea &gt; Pots</g:product_type>`)).toMatchObject({
      category: ['Tea', 'Pots'],
    })
    expect(await readOne(google)).toMatchObject({ category: ['Home & Garden', 'Kettles'] })
    expect(await readOne('<g:google_product_category>632</g:google_product_category>')).not.toHaveProperty(
      'category',
    )
  })

  it('makes what differs within a group its options', async () => {
    const detail = (name: string, value: string) =>
      `<g:product_detail><g:attribute_name>${name}</g:attribute_name><g:attribute_value>${value}</g:attribute_value></g:product_detail>`
    const one = (id: string, plug: string) =>
      `<item><g:id>${id}</g:id><title>Kettle</title><g:item_group_id>K</g:item_group_id><g:color>red</g:color>${detail('Plug', plug)}${detail('Volume', '1 l')}</item>`
    const rows = await read(rss(one('1', 'EU'), one('2', 'UK'), item('')))
    expect(rows).toMatchObject([
      { product: { id: '1', group: 'K', options: { Color: 'red', Plug: 'EU' } } },
      { product: { id: '2', group: 'K', options: { Color: 'red', Plug: 'UK' } } },
      { product: { id: '1' } },
    ])
    expect(rows[0]).not.toHaveProperty('product.options.Volume')
    expect(rows[2]).not.toHaveProperty('product.group')
  })

  it('reads the entities of HTML as their letters', async () => {
    expect(await readOne('<g:brand>Caf&eacute;&nbsp;&mdash; M&uuml;ller &copy;</g:brand>')).toMatchObject({
      brand: 'Café\u00a0— Müller ©',
    })
  })

  it('tells the end of a product from an empty shelf', async () => {
    expect(await readOne('<g:availability>Discontinued</g:availability>')).toMatchObject({
      discontinued: true,
    })
    expect(await readOne('<g:availability>out_of_stock</g:availability>')).not.toHaveProperty('discontinued')
  })

  it('keeps details of the same name apart by their section', async () => {
    const detail = (section: string, value: string) =>
      `<g:product_detail><g:section_name>${section}</g:section_name><g:attribute_name>Width</g:attribute_name><g:attribute_value>${value}</g:attribute_value></g:product_detail>`
    expect(await readOne(detail('Box', '20 cm') + detail('Product', '10 cm'))).toMatchObject({
      specs: { Width: '20 cm', 'Product: Width': '10 cm' },
    })
  })

  it('keeps the words of markup that was not escaped', async () => {
    expect(await readOne('<description>Boils <b>very</b> fast</description>')).toMatchObject({
      description: 'Boils very fast',
    })
  })

  it('may be in another encoding than UTF-8 when it says so', async () => {
    const feed =
      '<?xml version="1.0" encoding="ISO-8859-1"?><rss><channel><item><g:id>1</g:id><title>Théière</title></item></channel></rss>'
    expect(await read(Buffer.from(feed, 'latin1'))).toEqual([
      { line: 1, item: 1, product: { id: '1', sku: '1', title: 'Théière' } },
    ])
    expect(problemsOf(await read(feed.replace('ISO-8859-1', 'klingon')))).toMatchObject([
      { problem: expect.stringContaining('klingon') },
    ])
    const utf16 = feed.replace('ISO-8859-1', 'UTF-16')
    expect(await read(Buffer.from(`\ufeff${utf16}`, 'utf16le'))).toMatchObject([
      { product: { title: 'Théière' } },
    ])
  })

  it('reports an item that is not UTF-8 among others that are, and reads on', async () => {
    const [before = '', after = ''] = rss(
      item('<g:brand>Th?</g:brand>'),
      item('<g:brand>Žižkov</g:brand>'),
    ).split('?</')
    const rows = await read(Buffer.from(before), Uint8Array.of(0xe9), Buffer.from(`</${after}`))
    expect(rows).toMatchObject([
      { line: 3, item: 1, problem: { id: '1', problem: expect.stringContaining('UTF-8') } },
      { line: 4, product: { brand: 'Žižkov' } },
    ])
  })

  it('that is not UTF-8 at all is read as what Western programs write', async () => {
    const rows = await read(Buffer.from(rss(item('<g:brand>Thé</g:brand>')), 'latin1'))
    expect(rows).toMatchObject([{ product: { brand: 'Thé' } }])
  })
})

describe('a Google feed in Atom', () => {
  it('is read like the other', async () => {
    const rows =
      await read(`<feed xmlns="http://www.w3.org/2005/Atom" xmlns:g="http://base.google.com/ns/1.0">
  <title>A shop</title>
  <link rel="self" href="https://www.shop.example"/>
  <entry>
    <g:id>K-2</g:id>
    <title>Mug</title>
    <summary>Holds tea.</summary>
    <link rel="edit" href="https://www.shop.example/edit"/>
    <link href="https://www.shop.example/mug"/>
    <g:price>9 USD</g:price>
  </entry>
</feed>`)
    expect(rows).toEqual([
      {
        line: 4,
        item: 1,
        product: {
          id: 'K-2',
          sku: 'K-2',
          title: 'Mug',
          description: 'Holds tea.',
          price: { low: 9, high: 9 },
          currency: 'USD',
          where_to_buy: [{ name: 'shop.example', url: 'https://www.shop.example/mug', price: 9 }],
        },
      },
    ])
  })
})

describe('a Google feed in delimited text', () => {
  it('becomes the same product as in XML', async () => {
    const columns = {
      id: 'K-1',
      title: 'Kettle & more',
      description: 'Boils fast.',
      link: 'https://www.shop.example/k?a=1&b=2',
      'image link': 'https://a.example/1.jpg',
      additional_image_link: 'https://a.example/2.jpg,https://a.example/3.jpg',
      price: '49.50 USD',
      sale_price: '39.00 USD',
      brand: 'Acme',
      gtin: '0012345678905',
      mpn: 'AC-17',
      product_type: 'Home > Kitchen > Kettles',
      product_highlight: '"Stays hot","Quiet, too"',
      'product_detail(section_name:attribute_name:attribute_value)': 'General:Capacity:1.7 l,:Ratio:1:2',
      availability: 'in stock',
      color: 'red',
      size: 'L',
      material: 'steel',
      'age group': 'adult',
      'shipping(country:price)': 'US:5.00 USD',
    }
    const rows = await read(
      `${Object.keys(columns).join('\t')}\r\n`,
      `${Object.values(columns).join('\t')}\r\n`,
    )
    expect(rows).toEqual([{ line: 2, product: KETTLE }])
  })

  it('takes one highlight with commas as one', async () => {
    const [row] = await read('id\ttitle\tproduct_highlight\n1\tA\tPlays music, films and games\n')
    expect(row).toMatchObject({ product: { description: '• Plays music, films and games' } })
  })

  it('reads rows that are shorter than the header', async () => {
    expect(await read('id\ttitle\tprice\n1\tA\n')).toMatchObject([
      { line: 2, product: { id: '1', title: 'A' } },
    ])
  })
})

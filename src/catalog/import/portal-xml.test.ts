import { expect, it } from 'vitest'
import { readPortalXml } from './portal-xml.ts'
import type { SourceRow } from './rows.ts'

async function read(text: string, runawaySize?: number): Promise<SourceRow[]> {
  async function* input() {
    yield Buffer.from(text)
  }
  const rows: SourceRow[] = []
  for await (const row of readPortalXml(input(), {}, runawaySize)) rows.push(row)
  return rows
}

const products = (rows: SourceRow[]) => rows.map((row) => ('product' in row ? row.product : row))

it("Heureka's items are products, and params that differ in a group its options", async () => {
  const param = (name: string, value: string) =>
    `<PARAM><PARAM_NAME>${name}</PARAM_NAME><VAL>${value}</VAL></PARAM>`
  const item = (id: string, color: string) => `<SHOPITEM>
  <ITEM_ID>${id}</ITEM_ID><PRODUCTNAME>Vrtačka&nbsp;Bora</PRODUCTNAME><URL>https://dilna.example/${id}</URL>
  <IMGURL>https://dilna.example/${id}.jpg</IMGURL><IMGURL_ALTERNATIVE>https://dilna.example/b.jpg</IMGURL_ALTERNATIVE>
  <PRICE_VAT>1 290,00 Kč</PRICE_VAT><MANUFACTURER>Bora</MANUFACTURER><EAN>4006381333931</EAN>
  <CATEGORYTEXT>Heureka.cz | Dílna | Vrtačky</CATEGORYTEXT>${param('Barva', color)}${param('Výkon', '500 W')}
  <ITEMGROUP_ID>B</ITEMGROUP_ID><DELIVERY><DELIVERY_ID>PPL</DELIVERY_ID><DELIVERY_PRICE>99</DELIVERY_PRICE></DELIVERY>
</SHOPITEM>`
  const rows = await read(
    `<?xml version="1.0"?>\n<SHOP>\n${item('1', 'modrá')}\n${item('2', 'zelená')}\n</SHOP>`,
  )
  expect(rows[0]).toEqual({
    line: 3,
    item: 1,
    product: {
      id: '1',
      title: 'Vrtačka\u00a0Bora',
      brand: 'Bora',
      gtin: '4006381333931',
      category: ['Dílna', 'Vrtačky'],
      price: { low: 1290, high: 1290 },
      currency: 'CZK',
      images: [{ url: 'https://dilna.example/1.jpg' }, { url: 'https://dilna.example/b.jpg' }],
      where_to_buy: [{ name: 'dilna.example', url: 'https://dilna.example/1' }],
      specs: { Barva: 'modrá', Výkon: '500 W' },
      group: 'B',
      options: { Barva: 'modrá' },
    },
  })
  expect(rows[1]).toMatchObject({ item: 2, product: { id: '2', options: { Barva: 'zelená' } } })
})

it('YML has its tree of categories, and names made of a maker and a model', async () => {
  const rows = await read(`<yml_catalog><shop><name>Shop</name><url>https://shop.example</url>
<categories><category id="1">Home</category><category id="2" parentId="1">Kettles</category></categories>
<offers>
<offer id="9" group_id="7"><url>https://shop.example/9</url><price>1500</price><oldprice>1800</oldprice><currencyId>RUB</currencyId><categoryId>2</categoryId><picture>https://shop.example/9.jpg</picture><name>Чайник</name><vendor>Harbor</vendor><vendorCode>HK</vendorCode><param name="Объём" unit="л">1.7</param></offer>
<offer id="10" type="vendor.model"><price>90</price><currencyId>RUB</currencyId><categoryId>1</categoryId><typePrefix>Чайник</typePrefix><vendor>Harbor</vendor><model>H2</model></offer>
</offers></shop></yml_catalog>`)
  expect(products(rows)).toMatchObject([
    {
      id: '9',
      title: 'Чайник',
      brand: 'Harbor',
      mpn: 'HK',
      price: { low: 1500, high: 1500 },
      list_price: 1800,
      currency: 'RUB',
      category: ['Home', 'Kettles'],
      specs: { Объём: '1.7 л' },
      group: '7',
    },
    { id: '10', title: 'Чайник Harbor H2', category: ['Home'] },
  ])
})

it("Ceneo's attributes are names as well", async () => {
  const offer = (id: number) =>
    `<o id="${id}" url="https://sklep.example/${id}" price="29.90"><cat><![CDATA[Dom/Kuchnia/Czajniki]]></cat><name>Czajnik</name><imgs><main url="https://sklep.example/1.jpg"/><i url="https://sklep.example/2.jpg"/></imgs><attrs><a name="Producent">Harbor</a><a name="EAN">4006381333931</a><a name="Kolor">biały</a></attrs></o>`
  const [first, second] = products(
    await read(`<offers><group name="other">${offer(1)}${offer(2)}</group></offers>`),
  )
  expect(first).toMatchObject({
    id: '1',
    title: 'Czajnik',
    brand: 'Harbor',
    gtin: '4006381333931',
    category: ['Dom', 'Kuchnia', 'Czajniki'],
    images: [{ url: 'https://sklep.example/1.jpg' }, { url: 'https://sklep.example/2.jpg' }],
  })
  expect(second).toMatchObject({ id: '2' })
})

it('hostile and broken feeds are held to the same limits as others', async () => {
  const item = (content: string) => `<p><name>A</name><price>1</price>${content}</p>`
  const shop = (...items: string[]) => `<shop>${items.join('\n')}</shop>`
  const wide = await read(
    shop(item(''), item(''), item('<x/>'.repeat(20_000)), item(`<d>${'x'.repeat(300_000)}</d>`)),
  )
  expect(wide).toMatchObject([
    { product: {} },
    { product: {} },
    { line: 3, item: 3, problem: { problem: 'is over 1 MB' } },
    { line: 4, item: 4, problem: { field: 'd', problem: 'is over 256 KB' } },
  ])
  expect(await read(shop(item(''), item('&lol;')))).toMatchObject([{ product: {} }, { product: {} }])
  expect(await read(shop(item(''), item(''), `<p><__proto__>1</__proto__><name>B</name></p>`))).toHaveLength(
    3,
  )
  expect(await read(shop(item(''), item('')) + '<!--'.padEnd(3_000_000, 'x'), 2 ** 20)).toMatchObject([
    { product: {} },
    { product: {} },
    { problem: { problem: expect.stringContaining('over 1 MB') } },
  ])
  expect(await read('<a><b>1</b></a>')).toMatchObject([
    { problem: { problem: expect.stringContaining('without repeated elements') } },
  ])
})

it('a currency that nobody knows stays what it is, and an old code is the new one', async () => {
  const offer = (currency: string) =>
    `<offer id="${currency}"><name>Kettle</name><price>2990</price><currencyId>${currency}</currencyId></offer>`
  expect(products(await read(`<shop>${offer('RUR')}${offer('XYZ')}</shop>`))).toMatchObject([
    { currency: 'RUB', price: { low: 2990 } },
    { currency: 'XYZ', price: { low: 2990 } },
  ])
})

it("articles of a supplier's catalog (BMEcat)", async () => {
  const rows = await read(`<BMECAT xmlns="http://www.bmecat.org/bmecat/1.2/bmecat_new_catalog">
<HEADER><CATALOG><CATALOG_NAME>Tools</CATALOG_NAME><CURRENCY>EUR</CURRENCY></CATALOG></HEADER><T_NEW_CATALOG>
<CATALOG_STRUCTURE><GROUP_ID>1</GROUP_ID><GROUP_NAME>Hammers</GROUP_NAME></CATALOG_STRUCTURE>
<ARTICLE><SUPPLIER_AID>H-300</SUPPLIER_AID><ARTICLE_DETAILS><DESCRIPTION_SHORT>Hammer 300 g</DESCRIPTION_SHORT>
<DESCRIPTION_LONG>Ash handle</DESCRIPTION_LONG><EAN>4006381333931</EAN><MANUFACTURER_AID>41-300</MANUFACTURER_AID>
<MANUFACTURER_NAME>Picardo</MANUFACTURER_NAME></ARTICLE_DETAILS><ARTICLE_FEATURES><FEATURE><FNAME>Weight</FNAME>
<FVALUE>300</FVALUE><FUNIT>g</FUNIT></FEATURE><FEATURE><FNAME>Handle</FNAME><FVALUE>Ash</FVALUE></FEATURE></ARTICLE_FEATURES>
<ARTICLE_PRICE_DETAILS><ARTICLE_PRICE price_type="net_list"><PRICE_AMOUNT>17.90</PRICE_AMOUNT>
<PRICE_CURRENCY>EUR</PRICE_CURRENCY></ARTICLE_PRICE></ARTICLE_PRICE_DETAILS></ARTICLE>
<ARTICLE><SUPPLIER_AID>H-500</SUPPLIER_AID><ARTICLE_DETAILS><DESCRIPTION_SHORT>Hammer 500 g</DESCRIPTION_SHORT></ARTICLE_DETAILS>
</ARTICLE></T_NEW_CATALOG></BMECAT>`)
  expect(products(rows)).toEqual([
    {
      ...{ id: 'H-300', title: 'Hammer 300 g', description: 'Ash handle', brand: 'Picardo', mpn: '41-300' },
      ...{ gtin: '4006381333931', price: { low: 17.9, high: 17.9 }, currency: 'EUR' },
      specs: { Weight: '300 g', Handle: 'Ash' },
    },
    { id: 'H-500', title: 'Hammer 500 g' },
  ])
})

it('a name in several languages is its first, and attributes by id are specs (Salesforce)', async () => {
  const rows =
    await read(`<catalog><product product-id="P1"><display-name xml:lang="x-default">Trail Runner</display-name>
<display-name xml:lang="de">Läufer</display-name><brand>Fellrun</brand><custom-attributes>
<custom-attribute attribute-id="drop">6 mm</custom-attribute></custom-attributes></product></catalog>`)
  expect(products(rows)).toMatchObject([
    { id: 'P1', title: 'Trail Runner', brand: 'Fellrun', specs: { drop: '6 mm' } },
  ])
})

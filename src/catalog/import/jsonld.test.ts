import { expect, it } from 'vitest'
import { readRows } from './read-rows.ts'
import type { SourceRow } from './rows.ts'

async function read(content: unknown): Promise<SourceRow[]> {
  async function* input() {
    yield Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  }
  const rows: SourceRow[] = []
  for await (const row of readRows(input(), { format: 'jsonld' })) rows.push(row)
  return rows
}

const products = (rows: SourceRow[]) => rows.map((row) => ('product' in row ? row.product : row))

const KETTLE = {
  '@context': 'https://schema.org/',
  '@type': 'Product',
  name: 'Harbor kettle',
  sku: 'K-1',
  mpn: 'HK17',
  gtin13: '4006381333931',
  description: 'Boils fast.',
  brand: { '@type': 'Brand', name: 'Harbor' },
  image: [{ '@type': 'ImageObject', url: 'https://shop.example/1.jpg' }, 'https://shop.example/2.jpg'],
  category: ['Kettles', 'Home > Kitchen > Kettles'],
  color: 'red',
  additionalProperty: [{ '@type': 'PropertyValue', name: 'Volume', value: 1.7, unitText: 'l' }],
  aggregateRating: { '@type': 'AggregateRating', ratingValue: '8.8', bestRating: 10, reviewCount: '89' },
  review: [{ '@type': 'Review', name: 'Good', reviewRating: { ratingValue: 5 } }],
  offers: {
    '@type': 'Offer',
    url: 'https://shop.example/kettle',
    priceCurrency: 'EUR',
    price: '29.90',
    priceSpecification: [{ priceType: 'https://schema.org/ListPrice', price: 39.9 }],
    seller: { '@type': 'Organization', name: 'Tea shop' },
  },
}
const READ = {
  id: 'K-1',
  title: 'Harbor kettle',
  sku: 'K-1',
  mpn: 'HK17',
  gtin: '4006381333931',
  description: 'Boils fast.',
  brand: 'Harbor',
  images: [{ url: 'https://shop.example/1.jpg' }, { url: 'https://shop.example/2.jpg' }],
  category: ['Home', 'Kitchen', 'Kettles'],
  specs: { Color: 'red', Volume: '1.7 l' },
  rating: 4.4,
  review_count: 89,
  price: { low: 29.9, high: 29.9 },
  list_price: 39.9,
  currency: 'EUR',
  where_to_buy: [{ name: 'Tea shop', url: 'https://shop.example/kettle' }],
}

it.each<[string, unknown]>([
  ['alone', KETTLE],
  ['in a list', [KETTLE]],
  ['in a graph with other things', { '@graph': [{ '@type': 'WebSite', name: 'Tea' }, KETTLE] }],
  ['in a list of items', { '@type': 'ItemList', itemListElement: [{ '@type': 'ListItem', item: KETTLE }] }],
  ['about a page', { '@type': 'ItemPage', name: 'A page', mainEntity: KETTLE }],
  ['in a page', `<html><script type="application/ld+json">\n${JSON.stringify(KETTLE)}\n</script></html>`],
])('a product %s is read whole', async (_, content) => {
  expect(products(await read(content))).toEqual([READ])
})

it('variants of a group are variants of one product', async () => {
  const shirt = (size: string, price: string) => ({
    '@type': 'Product',
    sku: `S-${size}`,
    size,
    gtin: '4006381333931',
    offers: { '@type': 'Offer', price, priceCurrency: 'EUR' },
  })
  const group = { '@type': 'ProductGroup', name: 'Shirt', productGroupID: 'S', variesBy: 'size' }
  expect(products(await read({ ...group, hasVariant: [shirt('S', '9.00'), shirt('M', '10.50')] }))).toEqual([
    {
      id: 'S',
      title: 'Shirt',
      price: { low: 9, high: 10.5 },
      currency: 'EUR',
      variants: [
        { id: 'S-S', sku: 'S-S', gtin: '4006381333931', price: 9, options: { Size: 'S' } },
        { id: 'S-M', sku: 'S-M', gtin: '4006381333931', price: 10.5, options: { Size: 'M' } },
      ],
    },
  ])
  const alone = { ...shirt('S', '9.00'), name: 'Shirt S', isVariantOf: group }
  expect(products(await read([alone]))).toMatchObject([{ id: 'S-S', group: 'S', options: { Size: 'S' } }])
})

it('several offers give a range, and breadcrumbs a category', async () => {
  const offers = { '@type': 'AggregateOffer', lowPrice: 100, highPrice: '250', priceCurrency: 'CZK' }
  const crumbs = ['Shop', 'Home', 'Kettles', 'Kettle'].map((name, at) => ({ position: at + 1, name }))
  const graph = [
    { '@type': 'BreadcrumbList', itemListElement: crumbs },
    { '@type': 'Product', name: 'Kettle', offers },
    {
      '@type': 'Product',
      name: 'Pot',
      offers: [
        { price: 3, priceCurrency: 'CZK' },
        { price: 2, priceCurrency: 'CZK' },
      ],
    },
  ]
  const [kettle, pot] = products(await read({ '@context': 'https://schema.org', '@graph': graph }))
  expect(kettle).toMatchObject({
    price: { low: 100, high: 250 },
    currency: 'CZK',
    category: ['Home', 'Kettles'],
  })
  expect(pot).toEqual({ title: 'Pot', price: { low: 2, high: 3 }, currency: 'CZK' })
})

it('a page without products says so', async () => {
  expect(await read('<html><p>Hello</p></html>')).toMatchObject([{ problem: { line: 1 } }])
})

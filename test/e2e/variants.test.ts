/** A product with variants over HTTP: its page with one selected, its other forms, and UCP. */
import { beforeAll, expect, test } from 'vitest'
import { BASE_URL, createTestApp } from '../harness.ts'
import { addProduct } from '../products.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
const PATH = '/p/jackets/fell'

const variant = (id: string, color: string, size: string, price: number, availability: string) => ({
  ...{ id, sku: `FRJ-${id}`, options: { Color: color, Size: size }, price, availability },
  image: `https://pictures.example/${color.toLowerCase()}.jpg`,
})
const row = (price = 45) => ({
  ...{ slug: 'fell', category: 'jackets', title: 'Fell jacket' },
  variants: [
    variant('1', 'Red', 'M', price, 'in_stock'),
    variant('2', 'Red', 'L', 49, 'out_of_stock'),
    variant('gid://shop/3', 'Blue', 'M', 47, 'backorder'),
  ],
})

beforeAll(async () => {
  souk = await createTestApp()
  await addProduct(souk, row())
  await souk.catchUp()
})

const page = async (query: string) => {
  const answer = await souk.app.request(`${PATH}${query}`, { headers: { accept: 'text/html' } })
  expect(answer.status).toBe(200)
  return answer.text()
}
const factsIn = (html: string) =>
  /<dl class="facts">(.*?)<\/dl>/s.exec(html)?.[1]?.replace(/<[^>]+>/g, ' ') ?? ''

test('an address selects a variant: its price, number, stock and picture; the canonical address stays', async () => {
  const html = await page('?variant=2')
  expect(factsIn(html)).toMatch(/\$49 .*Out of stock .*FRJ-2/)
  expect(html).toContain('src="https://pictures.example/red.jpg"')
  expect(html).toContain(`<link rel="canonical" href="${BASE_URL}${PATH}"`)
  expect(html).toMatch(/href="\/p\/jackets\/fell\?variant=1#choices"/)
})

test('a variant is found by its options too, and what names none shows the product', async () => {
  expect(factsIn(await page(`?variant=${encodeURIComponent('m, blue')}`))).toMatch(/\$47 .*Backorder/)
  expect(factsIn(await page('?variant=gid%3A%2F%2Fshop%2F3'))).toMatch(/\$47 /)
  const plain = await page('')
  expect(factsIn(plain)).toMatch(/\$45 – \$49/)
  expect(await page('?variant=unknown')).toBe(plain)
})

test('a page with a variant selected is fresh after a change', async () => {
  expect(factsIn(await page('?variant=1'))).toMatch(/\$45 /)
  await addProduct(souk, row(39))
  await souk.catchUp()
  expect(factsIn(await page('?variant=1'))).toMatch(/\$39 /)
})

test('UCP knows each variant by its id, with its options, and narrows to what is selected', async () => {
  const post = async (path: string, body: object) =>
    (await (
      await souk.app.request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as { products?: unknown[]; product?: Record<string, unknown> & { variants: { id: string }[] } }
  const { product } = await post('/catalog/product', { id: 'jackets/fell' })
  expect(product).toMatchObject({
    options: [
      { name: 'Color', values: [{ label: 'Red' }, { label: 'Blue' }] },
      { name: 'Size', values: [{ label: 'M' }, { label: 'L' }] },
    ],
  })
  const ids = product?.variants.map(({ id }) => id) ?? []
  expect(ids).toHaveLength(3)
  expect(ids).toContain('jackets/fell:variant-1')
  for (const id of ids) {
    const { products } = await post('/catalog/lookup', { ids: [id] })
    expect(products).toMatchObject([{ variants: [{ id, inputs: [{ id, match: 'exact' }] }] }])
  }
  const narrowed = await post('/catalog/product', {
    id: 'jackets/fell',
    selected: [
      { name: 'color', label: 'red' },
      { name: 'Size', label: 'L' },
    ],
  })
  expect(narrowed.product?.variants.map(({ id }) => id)).toEqual(['jackets/fell:variant-2'])
  const within = await post('/catalog/product', {
    id: 'jackets/fell',
    filters: { price: { min: 4_600, max: 4_800 } },
  })
  expect(within.product?.variants).toMatchObject([{ price: { amount: 4_700 } }])
})

test('our own JSON-LD describes a group with its variants', async () => {
  const answer = await souk.app.request(`${PATH}.json`)
  expect(await answer.json()).toMatchObject({
    '@type': 'Product',
    isVariantOf: {
      '@type': 'ProductGroup',
      productGroupID: 'fell',
      variesBy: ['https://schema.org/color', 'https://schema.org/size'],
      hasVariant: [
        { sku: 'FRJ-1', color: 'Red', size: 'M', offers: { price: 39 } },
        { sku: 'FRJ-2', offers: { price: 49, availability: 'https://schema.org/OutOfStock' } },
        { sku: 'FRJ-gid://shop/3', color: 'Blue' },
      ],
    },
  })
})

test('a result leads to the variant that was asked for', async () => {
  await souk.searchRuntime.fill()
  const answer = await souk.app.request('/search?q=fell+jacket+red+size+l', {
    headers: { accept: 'text/html' },
  })
  const html = await answer.text()
  expect(html).toContain(`href="${PATH}?variant=2"`)
  expect(html).toContain('<p class="soft">Red / L</p>')
})

import { expect, test } from 'vitest'
import { parseInput } from '../lib/validate.ts'
import { ProductSlugInput, proofOf } from './relationships.schema.ts'

test('a shop link proves who sells, never who makes; the brand’s domain proves both', () => {
  const shop = { orgDomain: 'shop.example', brandDomain: null, shopUrls: ['https://www.shop.example/x'] }
  expect([proofOf('sells', shop), proofOf('manufactured_by', shop)]).toEqual(['shop_link', null])
  const brand = { orgDomain: 'acme.example', brandDomain: 'acme.example', shopUrls: [] }
  expect([proofOf('sells', brand), proofOf('manufactured_by', brand)]).toEqual([
    'brand_domain',
    'brand_domain',
  ])
})

test.each([
  'https://shop.example.evil.test/',
  'https://evilshop.example/',
  'https://shop.example@evil.test/',
  'https://evil.test/shop.example',
  'https://evil.test\\@shop.example.evil.test',
  'shop.example',
  'not a url',
])('%s does not belong to shop.example', (url) => {
  expect(proofOf('sells', { orgDomain: 'shop.example', brandDomain: null, shopUrls: [url] })).toBeNull()
})

test('an organization without a proved domain proves nothing', () => {
  const all = { orgDomain: null, brandDomain: 'acme.example', shopUrls: ['https://acme.example/'] }
  expect([proofOf('sells', all), proofOf('manufactured_by', all)]).toEqual([null, null])
})

test.each([
  ['gooseneck', { category: null, slug: 'gooseneck' }],
  [' kettles/gooseneck-2 ', { category: 'kettles', slug: 'gooseneck-2' }],
])('%j is a product slug', (text, parsed) => {
  expect(parseInput(ProductSlugInput, text)).toEqual(parsed)
})

test.each(['', '/', 'a/', '/a', 'a/b/c', '../a', 'A', 'a b', 'a--b', `${'a'.repeat(301)}`])(
  '%j is not one',
  (text) => {
    expect(() => parseInput(ProductSlugInput, text)).toThrow()
  },
)

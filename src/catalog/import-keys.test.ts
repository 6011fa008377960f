import { expect, test } from 'vitest'
import { sourceNameOf } from './import-keys.ts'

test.each([
  ['products_export_1.csv', 'products_export'],
  ['/tmp/products_export_1 (2).csv', 'products_export'],
  ['products-2026-11-03.jsonl.gz', 'products'],
  ['wc-product-export-3-11-2026-1762170000000.csv', 'wc-product-export'],
  ['feed.xml', 'feed'],
  ['catalog_20261103_081500.csv', 'catalog'],
  ['2026.csv', '2026'],
  ['v2.csv', 'v2'],
])('%s is of %s', (file, source) => {
  expect(sourceNameOf(file)).toBe(source)
})

test('a shop is known by its host', () => {
  expect(sourceNameOf('products.csv', 'https://www.shop.example/en')).toBe('shop.example')
})

import { expect, test } from 'vitest'
import { createMatcher, identityKey, type KnownProduct } from './product-identity.ts'
import { checkProductInput } from './product-input.ts'

function stated(row: Record<string, unknown>) {
  const checked = checkProductInput({ category: 'kettles', title: 'Kettle One', ...row })
  if ('problem' in checked) throw new Error(JSON.stringify(checked.problem))
  return { input: checked.input, category: checked.input.category }
}

const KNOWN: KnownProduct = {
  id: 'a',
  slug: 'kettle-one',
  category: 'kettles',
  title: 'Kettle One',
  model: null,
  gtin: '036000291452',
  mpn: 'K-1',
  brandKey: 'acme',
}
const OTHER = { ...KNOWN, id: 'b', slug: 'other', title: 'Other', gtin: '4006381333931', mpn: 'O-1' }
const match = createMatcher([KNOWN, OTHER])
const found = (row: Record<string, unknown>) => {
  const result = match(stated(row))
  return 'problem' in result ? result.problem.field : (result.product?.id ?? null)
}

test('one number written with more or fewer zeros is one product', () => {
  expect(found({ gtin: '0036000291452' })).toBe('a')
  expect(identityKey(stated({ gtin: '0036000291452' }))).toBe(
    identityKey(stated({ gtin: '036000291452', title: 'X' })),
  )
})

test('names are compared as people read them, and numbers that differ tell variants apart', () => {
  expect(found({ brand: ' ACME ', title: 'kettle-ONE' })).toBe('a')
  expect(found({ brand: 'Acme', mpn: 'k-2' })).toBeNull()
  expect(found({ brand: 'Acme', gtin: '012345678905' })).toBeNull()
  expect(found({ brand: 'Acme', model: 'II' })).toBeNull()
  expect(found({ brand: 'Zenith' })).toBeNull()
  expect(found({})).toBeNull()
})

test('a part number is the same without its marks, and the same to the letter where marks alone tell two apart', () => {
  expect(found({ brand: 'Acme', mpn: 'k1', title: 'X' })).toBe('a')
  const twin = { ...KNOWN, id: 'c', slug: 'twin', title: 'Twin', gtin: null, mpn: 'K1' }
  const among = createMatcher([KNOWN, twin])
  const owner = (mpn: string) => among(stated({ brand: 'Acme', mpn, title: 'X' }))
  expect(owner('k1')).toMatchObject({ product: { id: 'c' } })
  expect(owner('k-1')).toMatchObject({ product: { id: 'a' } })
})

test('a stated slug counts in its category, and never against an identifier', () => {
  expect(found({ slug: 'kettle-one', title: 'Whatever' })).toBe('a')
  expect(found({ slug: 'kettle-one', title: 'Whatever', category: 'tents' })).toBe('slug')
  expect(found({ slug: 'kettle-one', category: 'tents', gtin: '036000291452' })).toBe('a')
  expect(found({ slug: 'kettle-one', gtin: '4006381333931' })).toBe('gtin')
  expect(found({ slug: 'kettle-one', gtin: '012345678905' })).toBe('gtin')
  expect(found({ slug: 'kettle-one', mpn: 'K-9' })).toBe('mpn')
  expect(found({ slug: 'my-own-handle', brand: 'Acme', mpn: 'O-1', title: 'X' })).toBe('b')
})

test('identifiers of two products in one row are refused', () => {
  expect(found({ gtin: '036000291452', brand: 'Acme', mpn: 'O-1' })).toBe('mpn')
})

test('a key has bounded length, and tells brand, model and title apart wherever they are cut', () => {
  const key = (row: Record<string, unknown>) => identityKey(stated(row))
  expect(key({ title: 'x'.repeat(5_000), brand: 'y'.repeat(5_000) }).length).toBeLessThan(100)
  expect(key({ brand: 'a b', title: 'c' })).not.toBe(key({ brand: 'a', title: 'b c' }))
  expect(key({ brand: 'a', mpn: 'x' })).toBe(key({ brand: 'A', mpn: 'X', title: 'another' }))
  expect(key({ brand: 'a', mpn: 'x-1' })).toBe(key({ brand: 'a', mpn: 'X1' }))
  expect(key({ title: 'c' })).not.toBe(key({ title: 'c', category: 'tents' }))
})

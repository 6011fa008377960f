import { expect, test } from 'vitest'
import type { Variant } from './catalog.schema.ts'
import { findVariant, variantName } from './variants.ts'

const variant = (id: string, color: string, size: string, rest: Partial<Variant> = {}): Variant => ({
  ...{ id, sku: `S-${id}`, gtin: null, priceCents: null, listPriceCents: null },
  options: [
    { name: 'Color', value: color },
    { name: 'Size', value: size },
  ],
  ...rest,
})
const RED_M = variant('1', 'Red', 'M', { gtin: '4006381333931' })
const RED_L = variant('2', 'Red', 'L')
const ALL = [RED_M, RED_L]

test.each([
  ['1', RED_M],
  ['S-2', RED_L],
  ['4006381333931', RED_M],
  ['m, red', RED_M],
  ['Red / L', RED_L],
  ['Red', null],
  ['Blue / M', null],
])('%s names a variant, or none', (named, found) => {
  expect(findVariant(ALL, named)).toBe(found)
})

test('names that two variants share name neither of them', () => {
  expect(findVariant([RED_M, variant('3', 'Red', 'M')], 'red/m')).toBeNull()
})

test('a variant is called by its options, or else by its number', () => {
  expect(variantName(RED_M)).toBe('Red / M')
  expect(variantName({ ...RED_M, options: [] })).toBe('S-1')
})

/** When two numbers mean the same product. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differingNumber, gtinForms, gtinKey, isSameMpn, mpnKey } from './product-identity.ts'

const KNOWN = { gtin: '0036000291452', mpn: 'WH-1000 XM5/B' }

test.each([
  ['the same', { gtin: '0036000291452', mpn: null }],
  ['with its leading zero left out', { gtin: '036000291452', mpn: null }],
  ['with one more zero', { gtin: '00036000291452', mpn: null }],
  ['none', { gtin: null, mpn: null }],
  ['a part number in other letters, without its marks', { gtin: null, mpn: 'wh1000xm5b' }],
])('%s is the same product', (_, numbers) => {
  expect(differingNumber(KNOWN, numbers)).toBeNull()
})

test.each([
  [{ gtin: '4006381333931', mpn: 'other' }, 'gtin'],
  [{ gtin: '0036000291452', mpn: 'WH-1000 XM4/B' }, 'mpn'],
  [{ gtin: null, mpn: 'XM5' }, 'mpn'],
])('%j differs by %s', (numbers, field) => {
  expect(differingNumber(KNOWN, numbers)).toBe(field)
})

test('a number the catalog does not know disagrees with nothing', () => {
  expect(differingNumber({ gtin: null, mpn: null }, { gtin: '4006381333931', mpn: 'x' })).toBeNull()
})

test('every form of a GTIN has one key, and no other number has it', () => {
  expect(gtinForms('036000291452')).toEqual(['036000291452', '0036000291452', '00036000291452'])
  const gtins = fc.stringMatching(/^(\d{8}|\d{12,14})$/)
  fc.assert(
    fc.property(gtins, gtins, (one, other) => {
      expect(new Set(gtinForms(one).map(gtinKey))).toEqual(new Set([gtinKey(one)]))
      expect(gtinForms(one)).toContain(one)
      expect(gtinKey(one) === gtinKey(other)).toBe(gtinForms(one).includes(other))
    }),
  )
})

test('part numbers of nothing but marks are told apart', () => {
  expect(isSameMpn('-', '/')).toBe(false)
  expect(isSameMpn('--', '--')).toBe(true)
  expect(mpnKey('-')).not.toBe('')
})

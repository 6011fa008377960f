import fc from 'fast-check'
import { expect, test } from 'vitest'
import { COLUMN_FIELDS } from './import/csv-columns.ts'
import { withGuard, withoutGuard } from './import/values.ts'
import { mappingFor, readingOf } from './import-drafts.reading.ts'

const HEADER = ['Ware', 'EAN', 'Photo', 'Abb.', 'kg', 'spec:Color', 'Type']

test('what is read as it was guessed needs no mapping', () => {
  const guessed = readingOf(HEADER, {})
  expect(guessed).toEqual(['', 'gtin', 'images', '', '', 'spec:Color', 'category'])
  expect(mappingFor(HEADER, guessed)).toEqual({})
})

test('columns become fields, specs of any name, several of one field, or nothing', () => {
  const wanted = ['title', '', 'images', 'images', 'spec:Weight', '', 'category']
  const mapping = mappingFor(HEADER, wanted)
  expect(mapping).toEqual({
    title: 'Ware',
    images: 'Photo',
    'images:2': 'Abb.',
    'spec:Weight': 'kg',
    'ignore:2': 'EAN',
    'ignore:6': 'spec:Color',
  })
  expect(readingOf(HEADER, mapping)).toEqual(wanted)
})

test('a column without a name of its own is read as it was guessed, whatever is asked', () => {
  const header = ['title', 'image', 'image', '']
  expect(mappingFor(header, ['title', 'images', '', 'brand'])).toEqual({})
})

test('what cannot be stored is in no mapping', () => {
  expect(mappingFor(['title', 'mp\0n'], ['title', 'mpn'])).toEqual({})
  expect(mappingFor(['title', 'kg'], ['title', 'spec:We\0ight\u202e'])).toEqual({ 'spec:Weight': 'kg' })
})

test('two columns cannot be one spec, nor can a spec be without a name, nor a field be made up', () => {
  expect(() => mappingFor(['a', 'b'], ['spec:X', 'spec:X'])).toThrow('already')
  expect(() => mappingFor(['a', 'b'], ['spec: ', ''])).toThrow('name')
  expect(() => mappingFor(['a', 'b'], ['wings', ''])).toThrow('no field')
  expect(() => mappingFor(['a', 'b'], ['specs', 'specs'])).toThrow('only one column')
})

test('whatever people choose for named columns is what is read then', () => {
  const choice = fc.constantFrom('', ...COLUMN_FIELDS.filter((field) => field !== 'specs'))
  fc.assert(
    fc.property(fc.array(choice, { minLength: HEADER.length, maxLength: HEADER.length }), (wanted) => {
      // With nothing known at all a sheet cannot be read, mapping or none.
      fc.pre(wanted.some((read) => read !== ''))
      expect(readingOf(HEADER, mappingFor(HEADER, wanted))).toEqual(wanted)
    }),
  )
})

test('no cell that we hand out starts as a formula does, and every one comes back as it was', () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^[ '=+@\t-]{0,4}[a-z0-9]{0,3}$/))
  fc.assert(
    fc.property(cell, (text) => {
      expect(withGuard(text)).not.toMatch(/^\s*[=+\-@]/)
      expect(withoutGuard(withGuard(text))).toBe(text)
    }),
  )
})

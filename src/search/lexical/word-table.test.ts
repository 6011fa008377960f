import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../../../test/any-text.ts'
import { createWordTable } from './dictionary.ts'

test('it numbers words like a Map would, whatever the words', () => {
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', 'b', '1'), maxLength: 5 }),
    anyText({ maxLength: 6 }),
    fc.constantFrom('constructor', '__proto__', '', 'ÿ', '日本', '\u0000', '\u007f', '\u0080'),
  )
  fc.assert(
    fc.property(fc.array(word, { maxLength: 80 }), fc.array(word, { maxLength: 10 }), (words, asked) => {
      const table = createWordTable()
      const map = new Map<string, number>()
      for (const each of words) {
        if (!map.has(each)) map.set(each, map.size)
        expect(table.intern(each)).toBe(map.get(each))
      }
      expect(table.size).toBe(map.size)
      for (const [each, id] of map) expect(table.wordOf(id)).toBe(each)
      for (const each of asked) expect(table.idOf(each)).toBe(map.get(each) ?? -1)
    }),
    { numRuns: 300 },
  )
})

test('it grows to many words and keeps them all, in a few bytes each', () => {
  const table = createWordTable()
  for (let i = 0; i < 60_000; i++) expect(table.intern(`wd${i * 7}x`)).toBe(i)
  for (let i = 0; i < 60_000; i += 97) {
    expect(table.idOf(`wd${i * 7}x`)).toBe(i)
    expect(table.wordOf(i)).toBe(`wd${i * 7}x`)
  }
  expect(table.idOf('wd1x')).toBe(-1)
  expect(table.bytes()).toBeLessThan(60_000 * 40)
})

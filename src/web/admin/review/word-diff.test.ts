/** Both texts are there, whatever they are, and what they share is not marked. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { diffWords } from './word-diff.ts'

const kinds = (before: string, after: string) =>
  diffWords(before, after).map(({ kind, text }) => `${kind}: ${text.trim()}`)

test('a replaced word is shown as gone and new, the rest as it was', () => {
  expect(kinds('Boils one liter fast.', 'Boils two liters fast.')).toEqual([
    'same: Boils',
    'new: two liters',
    'gone: one liter',
    'same: fast.',
  ])
  expect(kinds('Solo V2', 'Solo V2 Mk 7')).toEqual(['same: Solo V2', 'new: Mk 7'])
  expect(kinds('', 'New words')).toEqual(['new: New words'])
  expect(kinds('Same words', 'Same words')).toEqual(['same: Same words'])
})

test('both texts can be put together again from the pieces', () => {
  const text = fc
    .array(fc.constantFrom('red', 'green', 'blue', 'kettle'), { maxLength: 30 })
    .map((list) => list.map((word) => `${word} `).join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const pieces = diffWords(before, after)
      const without = (kind: string) =>
        pieces
          .filter((piece) => piece.kind !== kind)
          .map((piece) => piece.text)
          .join('')
      expect([without('new'), without('gone')]).toEqual([before, after])
    }),
  )
})

test('a text that was written anew is shown whole on both sides, not woven around its small words', () => {
  const before = 'Forty stepped settings, a conical steel burr set and a motor that stays cool over time.'
  const after = 'Grinds a fine espresso and a coarse press brew, in a glass bin that does not cling.'
  expect(kinds(before, after)).toEqual([`gone: ${before}`, `new: ${after}`])
})

test('a text too long to compare is shown whole on both sides', () => {
  const long = 'word '.repeat(5_000)
  expect(diffWords(long, `${long}more`).map(({ kind }) => kind)).toEqual(['gone', 'new'])
})

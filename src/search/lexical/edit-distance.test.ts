import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editDistance } from './dictionary.ts'

/** The textbook recurrence, without any of the shortcuts. */
function plainDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length
  const [restA, restB] = [a.slice(0, -1), b.slice(0, -1)]
  const same = a.at(-1) === b.at(-1) ? 0 : 1
  let least = Math.min(
    plainDistance(restA, b) + 1,
    plainDistance(a, restB) + 1,
    plainDistance(restA, restB) + same,
  )
  if (a.length > 1 && b.length > 1 && a.at(-1) === b.at(-2) && a.at(-2) === b.at(-1))
    least = Math.min(least, plainDistance(a.slice(0, -2), b.slice(0, -2)) + 1)
  return least
}

test.each([
  ['headphones', 'headphones', 0],
  ['hedphones', 'headphones', 1],
  ['headphoens', 'headphones', 1],
  ['heaphonse', 'headphones', 2],
  ['xyz', 'headphones', 3],
])('%s is %s to %s within two edits', (a, b, distance) => {
  expect(editDistance(a, b, 2)).toBe(distance)
})

test('it is the textbook distance up to the bound, and one more beyond', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 })
  fc.assert(
    fc.property(word, word, fc.constantFrom(1, 2, 3), (a, b, max) => {
      expect(editDistance(a, b, max)).toBe(Math.min(plainDistance(a, b), max + 1))
    }),
    { numRuns: 1500 },
  )
})

/** Dates and counts read the same on every server. */
import { expect, test } from 'vitest'
import { counted, formatDate } from './words.ts'

test.each([
  ['2024', '2024'],
  ['2024-03', 'March 2024'],
  ['2024-03-05', 'March 5, 2024'],
  ['2024-03-05T23:59:59.999Z', 'March 5, 2024'],
  [new Date('2024-03-05T23:59:59.999Z'), 'March 5, 2024'],
  ['2024-13', '2024-13'],
  ['soon', 'soon'],
])('a date is as exact as it is known, and other text stays as it is: %s', (date, words) => {
  expect(formatDate(date)).toBe(words)
})

test('a count has its noun in the right number', () => {
  expect([0, 1, 1_204].map((count) => counted(count, 'product'))).toEqual([
    '0 products',
    '1 product',
    '1,204 products',
  ])
})

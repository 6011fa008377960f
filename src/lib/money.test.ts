import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  centsToDollars,
  dollarsToCents,
  formatPriceRange,
  formatUsd,
  MAX_CENTS,
  readDollars,
  typedDollars,
} from './money.ts'

describe('money', () => {
  test('every whole number of cents survives the trip to dollars and back', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: MAX_CENTS }),
        (cents) => dollarsToCents(centsToDollars(cents)) === cents,
      ),
    )
  })

  test.each([
    [1.15, 115],
    [0, 0],
    [19.9, 1990],
    [1234567.89, 123456789],
  ])('%d dollars are %d cents', (dollars, cents) => expect(dollarsToCents(dollars)).toBe(cents))

  test.each([-1, 1.005, Number.NaN, Number.POSITIVE_INFINITY, 1e-7, 1e21, 100_000_000.01])(
    '%d dollars are refused',
    (dollars) => expect(dollarsToCents(dollars)).toBeNull(),
  )

  test.each([
    [42900, '$429'],
    [1250, '$12.50'],
    [5, '$0.05'],
    [123456700, '$1,234,567'],
  ])('%d cents read as %s', (cents, text) => expect(formatUsd(cents)).toBe(text))

  test('a range reads as two prices, as one when they are equal, and is null when unknown', () => {
    expect(formatPriceRange(42900, 47900)).toBe('$429 – $479')
    expect(formatPriceRange(42900, 42900)).toBe('$429')
    expect(formatPriceRange(null, 900)).toBe('$9')
    expect(formatPriceRange(null, null)).toBeNull()
  })

  test.each([
    ['80', 8_000],
    ['$80', 8_000],
    ['$ 1,200', 120_000],
    ['1,200.50', 120_050],
    ['80.5', 8_050],
    ['80 USD', 8_000],
    ['80 dollars', 8_000],
    ['US$ 49.50', 4_950],
    ['49 us dollars', 4_900],
    ['0', 0],
  ])('dollars typed as %s are %d cents', (typed, cents) => expect(readDollars(typed)).toBe(cents))

  test.each([
    '',
    'cheap',
    '-5',
    '1,20',
    '80,50',
    '1.234',
    '€80',
    '1e3',
    '$',
    '8 0',
    '9'.repeat(400),
    '999,999,999',
  ])('what is no price, or too high for one, is not read: %s', (typed) =>
    expect(readDollars(typed)).toBeNull(),
  )

  test('a price written into a field is read from it as the same', () => {
    for (const cents of [0, 5, 50, 1_234, 120_000, 999_999_99])
      expect(readDollars(typedDollars(cents))).toBe(cents)
  })
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { centsToDollars, dollarsToCents, formatPriceRange, formatUsd, MAX_CENTS } from './money.ts'

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
})

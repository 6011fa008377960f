import { describe, expect, test } from 'vitest'
import { tokenize } from '../../../search/understand/tokens.ts'
import { findQuantityBefore, findSaidQuantities, isQuantity } from './quantities.ts'

function said(text: string): number | null {
  const tokens = tokenize(text)
  return findSaidQuantities(tokens, new Uint8Array(tokens.length))[0]?.quantity ?? null
}

/** The name is everything from "Skein" on. */
function before(text: string): number | null {
  const tokens = tokenize(text)
  const from = tokens.findIndex(({ fold }) => fold === 'skein')
  const name = { from, to: tokens.length }
  return findQuantityBefore(tokens, new Uint8Array(tokens.length), name)?.quantity ?? null
}

describe('a quantity', () => {
  test.each([
    ['50 units', 50],
    ['qty: 12', 12],
    ['"quantity": 8,', 8],
    ['quantity of twenty-five', 25],
    ['3x the tent', 3],
    ['2 x the tent', 2],
    ['x15', 15],
    ['1,200 pcs', 1200],
    ['two hundred pieces', 200],
    ['two of them', 2],
  ])('that says it is one: %s', (text, expected) => expect(said(text)).toBe(expected))

  test.each([
    ['25 Skein 2', 25],
    ['40 of the Skein 2', 40],
    ['a dozen Skein 2', 12],
    ['three dozen Skein 2', 36],
    ['half a dozen Skein 2', 6],
    ['twenty-five Skein 2', 25],
    ['two hundred and fifty Skein 2', 250],
  ])('right before the name: %s', (text, expected) => expect(before(text)).toBe(expected))

  test.each(['55 x 40 x 20 cm', 'a 12 piece set', '27 inch', '$50', '1 of December', 'wifi 6'])(
    'is not read from "%s"',
    (text) => expect(said(text)).toBeNull(),
  )

  test('is not money, and not a number elsewhere in the sentence', () => {
    expect(before('for $500 Skein 2')).toBeNull()
    expect(before('we are 6 people who like the Skein 2')).toBeNull()
  })

  test('that cannot be quoted is given as it was said, not as one', () => {
    expect(before('500,000 Skein 2')).toBe(500_000)
    expect([500_000, 0, 2.5].some(isQuantity)).toBe(false)
    expect([1, 100_000].every(isQuantity)).toBe(true)
  })
})

import { expect, test } from 'vitest'
import {
  ALL_FIELDS,
  countOne,
  createCombinations,
  FIELD_WEIGHTS,
  fieldMask,
  frequencyIn,
  leastOf,
} from './fields.ts'

test('equal combinations have one number and give back their frequencies', () => {
  const combinations = createCombinations()
  const ids = [0x1, 0x20, 0x1000021, 0x1].map(combinations.idOf)
  expect(ids).toEqual([0, 1, 2, 0])
  expect(ids.map((id) => combinations.packed[id])).toEqual([0x1, 0x20, 0x1000021, 0x1])
})

test('when numbers run short, new combinations are rounded and still fit in sixteen bits', () => {
  const combinations = createCombinations()
  let highest = 0
  for (let frequencies = 1; frequencies < 1 << 28; frequencies += 1021) {
    const id = combinations.idOf(frequencies)
    highest = Math.max(highest, id)
    const kept = combinations.packed[id] ?? 0
    for (let field = 0; field < 7; field++) {
      const [is, was] = [frequencyIn(kept, field), frequencyIn(frequencies, field)]
      if (is !== was && is !== Math.min(was, 3)) expect.unreachable(`${was} became ${is}`)
    }
  }
  expect(highest).toBeGreaterThan(50_000)
  expect(highest).toBeLessThan(65_536)
})

test('a mask takes other fields out of what a combination counts', () => {
  const combinations = createCombinations()
  const both = combinations.idOf(countOne(countOne(0, 0), 1))
  const at = (mask: number, place: number) => combinations.multipliers(mask)[(both << 3) + place]
  expect([at(ALL_FIELDS, 0), at(ALL_FIELDS, 1)]).toEqual([FIELD_WEIGHTS.brand.weight, 1])
  expect([at(fieldMask(['title']), 0), at(fieldMask(['title']), 1)]).toEqual([0, 1])
  expect([at(fieldMask(['brand']), 0), at(fieldMask(['brand']), 1)]).toEqual([FIELD_WEIGHTS.brand.weight, 0])
})

test('a table that was read before still knows combinations that came later', () => {
  const combinations = createCombinations()
  combinations.multipliers(ALL_FIELDS)
  for (let i = 1; i < 2000; i++) combinations.idOf(i)
  const last = combinations.idOf(0x3)
  expect(combinations.multipliers(ALL_FIELDS)[(last << 3) + 1]).toBe(3)
})

test('frequencies stop at fifteen, and two words share the lesser', () => {
  let many = 0
  for (let i = 0; i < 40; i++) many = countOne(many, 6)
  expect(many).toBe(0xf000000)
  expect(leastOf(0xf000021, 0x3000012)).toBe(0x3000011)
})

import { expect, test } from 'vitest'
import { SPELLING_WEIGHT, SYNONYM_WEIGHT, synonymsOf } from './synonyms.ts'
import { tokenize } from './tokenize.ts'

const termsOf = (name: string) =>
  tokenize(name)
    .filter(({ kind }) => kind === 'word')
    .map(({ term }) => term)
    .join(' ')
const weightOf = (from: string, to: string) =>
  synonymsOf(termsOf(from)).find(({ term }) => term === termsOf(to))?.weight

test.each([
  ['sofa', 'couch'],
  ['refrigerator', 'fridge'],
  ['rucksack', 'backpacks'],
  ['stroller', 'pushchair'],
  ['vacuum cleaner', 'hoover'],
  ['laptop', 'notebook computer'],
  ['cell phone', 'mobile phone'],
  ['smartphones', 'cell phone'],
  ['children', 'kids'],
  ['wireless network', 'wifi'],
  ['nappies', 'diaper'],
])('%s and %s hint at each other', (a, b) => {
  expect(weightOf(a, b)).toBe(SYNONYM_WEIGHT)
  expect(weightOf(b, a)).toBe(SYNONYM_WEIGHT)
})

test.each([
  ['grey', 'gray'],
  ['colour', 'color'],
  ['aluminium', 'aluminum'],
  ['jewellery', 'jewelry'],
  ['barbecue', 'bbq'],
  ['televisions', 'tv'],
  ['e-bike', 'electric bike'],
  ['organisers', 'organizer'],
])('%s and %s are one word', (a, b) => {
  expect(weightOf(a, b)).toBe(SPELLING_WEIGHT)
  expect(weightOf(b, a)).toBe(SPELLING_WEIGHT)
})

test('groups do not chain: a headset is no earbud, a toddler no newborn', () => {
  expect(weightOf('headset', 'earbuds')).toBeUndefined()
  expect(weightOf('toddler', 'newborn')).toBeUndefined()
})

test('a word without synonyms has none, whatever its name', () => {
  expect(synonymsOf('constructor')).toEqual([])
  expect(synonymsOf('')).toEqual([])
})

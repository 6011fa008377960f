import { expect, it } from 'vitest'
import { createNameTable } from './names.ts'
import { understand, type Vocabulary } from './understand.ts'

const VOCABULARY: Vocabulary = {
  brands: createNameTable(['Norrlund', 'Dunmore']),
  models: createNameTable(['swift 2', 'still', 'kx-4410']),
  categories: [{ slug: 'kettles', label: 'Kettles', words: ['boil'] }],
}

it.each([
  ['kettle cheaper than the Norrlund Swift 2', 'cheaper', 'Norrlund Swift 2', 'kettle'],
  ['cheaper than the norrlund still', 'cheaper', 'norrlund still', ''],
  ['kettles for less than the KX-4410 costs', 'cheaper', 'KX-4410', 'kettles'],
  ['kettle like the Norrlund Swift 2 but cheaper', 'cheaper', 'Norrlund Swift 2', 'kettle'],
  ['kettle like the Norrlund Swift 2, but not more expensive', 'cheaper', 'Norrlund Swift 2', 'kettle'],
  ['cheaper alternative to the Swift 2 kettle', 'cheaper', 'Swift 2', 'kettle'],
  ['kettle cheaper than Norrlund', 'cheaper', 'Norrlund', 'kettle'],
  ['alternatives to the Norrlund Swift 2', 'instead', 'Norrlund Swift 2', ''],
  ['kettle instead of my Norrlund Swift 2', 'instead', 'Norrlund Swift 2', 'kettle'],
  ['replacement for my old Dunmore Still', 'instead', 'Dunmore Still', ''],
  ['kettle similar to norrlund swift 2 but quieter', 'like', 'norrlund swift 2', 'kettle quieter'],
  ['something like a Dunmore 900', 'like', 'Dunmore 900', ''],
  ['norrlund swift 2 dupe', 'like', 'norrlund swift 2', ''],
  ['Norrlund Swift 2 kettle knockoff', 'like', 'Norrlund Swift 2', 'kettle'],
])('%s → %s "%s", "%s" is left', (query, relation, name, text) => {
  const read = understand(query, VOCABULARY)
  expect(read).toMatchObject({ reference: { relation, name }, text, textWithNegations: text })
  expect(read).toMatchObject({ brands: [], models: [], negated: [], excludedBrands: [], price: null })
})

it('the comparison is said in plain words', () => {
  const { notes } = understand('cheaper than the Norrlund Swift 2', VOCABULARY)
  expect(notes.map(({ meaning }) => meaning)).toEqual(['Cheaper than the Norrlund Swift 2'])
})

it.each(['kettle, alternative to Norrlund', 'norrlund alternative, kettle', 'kettle instead of norrlund'])(
  'instead of a maker means any other one: %s',
  (query) => {
    const read = understand(query, VOCABULARY)
    expect(read).toMatchObject({ excludedBrands: ['Norrlund'], reference: null, brands: [], text: 'kettle' })
  },
)

it.each([
  'replacement for AA batteries',
  'replacement filter for Norrlund Swift 2',
  'Norrlund Swift 2 replacement filter',
  'replacement for norrlund swift 2 lid',
  'something like a beanbag but firmer',
  'I like Norrlund kettles',
  'nothing like the norrlund swift 2',
  'cheaper than a new one',
])('%s compares with no product', (query) => {
  expect(understand(query, VOCABULARY)).toMatchObject({ reference: null, excludedBrands: [] })
})

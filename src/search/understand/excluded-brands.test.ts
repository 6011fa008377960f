import { expect, it } from 'vitest'
import { createNameTable } from './name-table.ts'
import { understand, type Vocabulary } from './understand.ts'

const SHARES = new Map([
  ['pebbl', 0.08],
  ['handl', 0.3],
])
const VOCABULARY: Vocabulary = {
  brands: createNameTable(['Norrlund', 'Red Fern', 'Dunmore', 'Pebble', "Ollie's"]),
  models: createNameTable(['kx-4410', 'swift']),
  categories: [{ slug: 'kettles', label: 'Kettles', words: ['boil'] }],
  documentShare: (word) => SHARES.get(word) ?? 0,
  brandShare: () => 0.01,
}

it.each([
  ['kettle, anything but Norrlund', ['Norrlund'], 'kettle'],
  ['kettle not norrlund', ['Norrlund'], 'kettle'],
  ['kettle except Norrlund and Dunmore', ['Norrlund', 'Dunmore'], 'kettle'],
  ['kettle, no norrlund, dunmore or red fern', ['Norrlund', 'Dunmore', 'Red Fern'], 'kettle'],
  ['neither norrlund nor red fern, kettle', ['Norrlund', 'Red Fern'], 'kettle'],
  ['kettle other than a Dunmore', ['Dunmore'], 'kettle'],
  ['kettle not made by dunmore', ['Dunmore'], 'kettle'],
  ['kettle that is not from Red Fern', ['Red Fern'], 'kettle'],
  ["I don't want Norrlund, kettle", ['Norrlund'], 'kettle'],
  ["kettle, don't show me norrlund", ['Norrlund'], 'kettle'],
  ["not one of Norrlund's kettles", ['Norrlund'], 'kettles'],
  ["kettle, not Ollie's", ["Ollie's"], 'kettle'],
  ['kettle without norrlund', ['Norrlund'], 'kettle'],
  ['non-Norrlund kettle', ['Norrlund'], 'kettle'],
  ['any kettle but dunmore', ['Dunmore'], 'any kettle'],
  ['kettle from any brand except Norrlund please', ['Norrlund'], 'kettle'],
  ['kettle no norlund', ['Norrlund'], 'kettle'],
  ['kettle, not norrlnud or dunmor', ['Norrlund', 'Dunmore'], 'kettle'],
  ['kettle not by pebble', ['Pebble'], 'kettle'],
  ['kettle not the pebble brand', ['Pebble'], 'kettle'],
])('%s → not %j, "%s" is left', (query, excluded, text) => {
  const read = understand(query, VOCABULARY)
  expect(read).toMatchObject({
    excludedBrands: excluded,
    brands: [],
    text,
    textWithNegations: text,
    negated: [],
  })
  expect(read.notes).toContainEqual(expect.objectContaining({ meaning: `Not ${excluded.join(' or ')}` }))
})

it.each([
  ['an everyday word', 'kettle not pebble coloured', []],
  ['a part that bears the name', 'kettle without the norrlund app', []],
  ['"if not"', 'kettle, if not Norrlund then Dunmore', ['Norrlund', 'Dunmore']],
  ['"nothing but"', 'nothing but Norrlund kettles', ['Norrlund']],
  ['"not only"', 'not only norrlund kettles', ['Norrlund']],
  ['"does not have to be"', "kettle, doesn't have to be norrlund", ['Norrlund']],
  ['a word that the catalog uses', 'kettle no handle', []],
])('%s rules no maker out', (_, query, brands) => {
  expect(understand(query, VOCABULARY)).toMatchObject({ excludedBrands: [], brands })
})

it('a maker who is wanted stays beside one who is not', () => {
  const read = understand('dunmore kettle, not norrlund', VOCABULARY)
  expect(read).toMatchObject({ brands: ['Dunmore'], excludedBrands: ['Norrlund'], text: 'dunmore kettle' })
})

it.each(['Norrlund kettle but not the Norrlund Swift', 'Norrlund kettle, not the Norrlund Air 13'])(
  'a model rules out one product, not its maker: %s',
  (query) => {
    const read = understand(query, VOCABULARY)
    expect(read).toMatchObject({ brands: ['Norrlund'], excludedBrands: [], text: 'Norrlund kettle' })
    expect(read.excludedKinds).toMatchObject([{ words: expect.arrayContaining(['norrlund']) }])
  },
)

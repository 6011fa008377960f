import { expect, it } from 'vitest'
import { createNameTable } from './names.ts'
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
  ["I'd rather not give Norrlund my money, kettle", ['Norrlund'], 'kettle'],
  ['non-Norrlund kettle', ['Norrlund'], 'kettle'],
  ['any kettle but dunmore', ['Dunmore'], 'any kettle'],
  ['kettle from any brand except Norrlund please', ['Norrlund'], 'kettle'],
  ['kettle no norlund', ['Norrlund'], 'kettle'],
  ['kettle, not norrlnud or dunmor', ['Norrlund', 'Dunmore'], 'kettle'],
  ['kettle not by pebble', ['Pebble'], 'kettle'],
  ['kettle not the pebble brand', ['Pebble'], 'kettle'],
  ['kettle -Norrlund', ['Norrlund'], 'kettle'],
  ['kettle != Norrlund', ['Norrlund'], 'kettle'],
  ['kettle, never again Norrlund', ['Norrlund'], 'kettle'],
  ['my wife refuses to buy Norrlund again, kettle', ['Norrlund'], 'kettle'],
  ['kettle, all brands bar Norrlund', ['Norrlund'], 'kettle, all'],
  ['kettle, anything else than Norrlund', ['Norrlund'], 'kettle, anything'],
  ['kettle of a different brand than Norrlund', ['Norrlund'], 'kettle of a different'],
  ['kettles leaving out Dunmore', ['Dunmore'], 'kettles'],
  ['kettle, none of that Norrlund stuff', ['Norrlund'], 'kettle'],
  ['kettle without the Norrlund logo', ['Norrlund'], 'kettle'],
  ['kettle, Norrlund need not apply', ['Norrlund'], 'kettle'],
  ['kettle, norrlund and red fern are out of the question', ['Norrlund', 'Red Fern'], 'kettle'],
  ['kettle, Norrlund is out', ['Norrlund'], 'kettle'],
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
  ['"no other brand than"', 'kettle, no other brand than Norrlund', ['Norrlund']],
  ['"no brand other than"', 'kettle, no brand other than Norrlund', ['Norrlund']],
  ['"nothing other than"', 'nothing other than a Norrlund kettle', ['Norrlund']],
  ['"don\'t exclude"', "kettle, don't exclude Norrlund", ['Norrlund']],
  ['praise', 'not bad, Norrlund kettle', ['Norrlund']],
  ['a part behind the name', 'Norrlund kettle with no lid', ['Norrlund']],
  ['a hyphen inside', 'kettle by pour-over Norrlund', ['Norrlund']],
  ['a dash', 'kettle - Norrlund', ['Norrlund']],
  ['a bar', 'snack bar Norrlund', ['Norrlund']],
  ['a comparison', 'any kettle quieter than Norrlund', ['Norrlund']],
  ['another maker beside it', 'kettle by Norrlund or another brand', ['Norrlund']],
  ['a gift', 'Norrlund kettle for someone else', ['Norrlund']],
  ['"not only"', 'not only norrlund kettles', ['Norrlund']],
  ['"does not have to be"', "kettle, doesn't have to be norrlund", ['Norrlund']],
  ['a word that the catalog uses', 'kettle no handle', []],
])('%s rules no maker out', (_, query, brands) => {
  expect(understand(query, VOCABULARY)).toMatchObject({ excludedBrands: [], brands })
})

it.each([
  ['had two Norrlunds die on me, want a kettle from somebody else', 'want a kettle'],
  ['my norrlund kettle broke, want one from another brand', 'kettle broke, want one'],
])('somebody else is not the one who was named: %s', (query, text) => {
  expect(understand(query, VOCABULARY)).toMatchObject({ excludedBrands: ['Norrlund'], brands: [], text })
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

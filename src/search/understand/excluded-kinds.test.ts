import { expect, it } from 'vitest'
import { createKindTable, createNameTable, readKind } from './names.ts'
import { understand, type Vocabulary } from './understand.ts'

const kinds = createKindTable()
const product = (title: string, slug: string) => kinds.add(readKind(title, ['Norrlund']), { slug })
product('Norrlund Weekend Duffel with Wheels, 40 L', 'travel-bags')
product('Norrlund Leather Backpack', 'travel-bags')
product('Norrlund Pod Brewer', 'coffee-makers')
product('Norrlund Over-Ear Headphones', 'headphones')
const VOCABULARY: Vocabulary = {
  brands: createNameTable(['Norrlund']),
  models: createNameTable(),
  categories: [
    { slug: 'travel-bags', label: 'Travel Bags', words: ['backpack'] },
    { slug: 'coffee-makers', label: 'Coffee Makers', words: ['coffee'] },
    { slug: 'headphones', label: 'Headphones', words: [] },
    { slug: 'robot-vacuums', label: 'Robot Vacuums', words: ['cleaner'] },
  ],
  kinds,
}

it.each([
  ["vacuum that isn't a robot", ['robot'], 'Not a robot', 'vacuum'],
  ['backpack, not a duffel', ['duffel'], 'Not a duffel', 'backpack'],
  ["backpack, I don't want a foldable", ['foldable'], 'Not a foldable', 'backpack'],
  ['backpack other than a duffel bag', ['duffel', 'bag'], 'Not a duffel bag', 'backpack'],
  ['coffee maker but no pod brewer', ['pod', 'brewer'], 'Not a pod brewer', 'coffee maker'],
  ["coffee maker, I don't want a pod brewer", ['pod', 'brewer'], 'Not a pod brewer', 'coffee maker'],
  ['backpack, no duffels', ['duffels'], 'Not duffels', 'backpack'],
  ['headphones, anything but over-ear', ['over-ear'], 'Not over-ear', 'headphones'],
  ['headphones, not the over-ear kind', ['over-ear'], 'Not an over-ear kind', 'headphones'],
  ['backpack other than a leather one', ['leather'], 'Not a leather one', 'backpack'],
  ['backpack, leather style excluded', ['leather'], 'Not a leather style', 'backpack'],
  ['coffee maker, pod brewers need not apply', ['pod', 'brewers'], 'Not pod brewers', 'coffee maker'],
  [
    'skip the pod brewers, I want a coffee maker',
    ['pod', 'brewers'],
    'Not pod brewers',
    'I want a coffee maker',
  ],
  ['backpack, too big for a duffel so none of those', ['duffel'], 'Not a duffel', 'backpack, too big'],
  ["backpack that's not an eyesore", ['eyesore'], 'Not an eyesore', 'backpack'],
])('%s → not %j', (query, words, meaning, text) => {
  const read = understand(query, VOCABULARY)
  expect(read.excludedKinds).toMatchObject([{ words }])
  expect(read.notes.map((note) => note.meaning)).toContain(meaning)
  expect(read.text).toBe(text)
})

it('each thing of a list is a kind of its own', () => {
  const read = understand('vacuum, not a robot or a duffel bag', VOCABULARY)
  expect(read.excludedKinds.map(({ words }) => words)).toEqual([['robot'], ['duffel', 'bag']])
  expect(read.negated).toEqual([])
})

it('a sort that may be a material too is a kind and a lack', () => {
  const read = understand('backpack, not leather', VOCABULARY)
  expect(read.excludedKinds).toMatchObject([{ words: ['leather'] }])
  expect(read.negated).toMatchObject([{ words: ['leather'], kind: 'lack' }])
})

it.each([
  'backpack without wheels',
  'backpack with no duffel',
  "backpack that doesn't have a bag",
  'backpack not made of leather',
  'robot vacuum, no duffel',
  'backpack, not too heavy',
  'backpack, not heavy',
  'backpack, batteries excluded',
])('a part it must lack is no kind: %s', (query) => {
  expect(understand(query, VOCABULARY).excludedKinds).toEqual([])
})

it('titles that are gone name nothing', () => {
  const table = createKindTable()
  const tent = readKind('Dunmore Dome Tent', ['Dunmore'])
  table.add(tent, { slug: 'tents' })
  expect([table.isHead('tent', 'tents'), table.isHead('dome'), table.inTitles('dome')]).toEqual([
    true,
    false,
    true,
  ])
  table.drop(tent, { slug: 'tents' })
  expect([table.isHead('tent'), table.inTitles('dome')]).toEqual([false, false])
})

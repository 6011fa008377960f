import { describe, expect, it } from 'vitest'
import { createNameTable, findNames, lexiconOf, type Vocabulary } from './names.ts'
import { tokenize } from './tokens.ts'

const SHARES = new Map([['steam', 0.4]])
const VOCABULARY: Vocabulary = {
  brands: createNameTable(['Norrlund', 'Red Fern', 'Café Brûlot', 'Oven', 'Steam', 'B']),
  models: createNameTable(['KX-4410', 'trailmate 3', 'still', 'quick pot', '900', '12345', 'wok']),
  categories: [
    { slug: 'toaster-ovens', label: 'Toaster Ovens', words: ['countertop', 'convection'] },
    { slug: 'bike-helmets', label: 'Bike Helmets', words: ['cycling', 'e-bike'] },
    { slug: 'chef-knives', label: "Chef's Knives", words: ['blade'] },
    { slug: 'computer-mice', label: 'Computer Mice', words: ['trackball'] },
    { slug: 'wifi-extenders', label: 'Wi-Fi Extenders', words: ['range', 'signal'] },
    { slug: 'woks', label: 'Woks', words: ['stir-fry', 'pan'] },
    { slug: 't-shirts', label: 'T-Shirts', words: ['cotton'] },
    { slug: 'bike-pumps', label: 'Bike Pumps', words: ['cycling', 'tire'] },
  ],
  documentShare: (word) => SHARES.get(word) ?? 0,
}

function namesOf(query: string, taken?: Uint8Array) {
  const tokens = tokenize(query)
  const names = findNames(tokens, taken ?? new Uint8Array(tokens.length), lexiconOf(VOCABULARY))
  return {
    brands: names.brands.map(({ name }) => name),
    models: names.models.map(({ name }) => name),
    categories: names.categories.map(({ slug }) => slug),
  }
}

describe('a brand', () => {
  it.each([
    ['norrlund pan', ['Norrlund']],
    ['NORRLUND pan', ['Norrlund']],
    ['pan by Norrlund, steel', ['Norrlund']],
    ['red fern and norrlund', ['Red Fern', 'Norrlund']],
    ['red-fern kettle', ['Red Fern']],
    ['redfern kettle', ['Red Fern']],
    ['cafe brulot filter', ['Café Brûlot']],
    ['red kettle with fern print', []],
    ['norrlunder pan', []],
    ['oven mitt', []],
    ['mitt by Oven with thumb', ['Oven']],
    ['OVEN MITT BY OVEN', []],
    ['steam iron', []],
    ['iron by Steam with cord', ['Steam']],
    ['vitamin b', []],
    ['', []],
  ])('%s → %j', (query, brands) => {
    expect(namesOf(query).brands).toEqual(brands)
  })
})

describe('a model', () => {
  it.each([
    ['kx-4410', ['KX-4410']],
    ['KX4410 filter', ['KX-4410']],
    ['kx 4410', ['KX-4410']],
    ['akx-4410', []],
    ['kx-44109', []],
    ['trailmate 3', ['trailmate 3']],
    ['Trailmate3 tire', ['trailmate 3']],
    ['trailmate 30', []],
    ['quick pot', ['quick pot']],
    ['still cheap', []],
    ['norrlund still', ['still']],
    ['carafe Still with lid', ['still']],
    ['900 lumens', []],
    ['norrlund 900', ['900']],
    ['12345', ['12345']],
    ['norrlund wok', []],
  ])('%s → %j', (query, models) => {
    expect(namesOf(query).models).toEqual(models)
  })
})

describe('a category', () => {
  it.each([
    ['toaster oven', ['toaster-ovens']],
    ['ToasterOven', ['toaster-ovens']],
    ['big countertop oven', ['toaster-ovens']],
    ['knife for onions', ['chef-knives']],
    ["chef's knife", ['chef-knives']],
    ['vertical mouse', ['computer-mice']],
    ['wifi extender', ['wifi-extenders']],
    ['wi fi extender', ['wifi-extenders']],
    ['helmet for cycling', ['bike-helmets']],
    ['looking for a wok', ['woks']],
    ['I need a helmet and a pump', ['bike-helmets', 'bike-pumps']],
    ['pump with a knife blade', ['bike-pumps', 'chef-knives']],
    ['ebike helmet', ['bike-helmets']],
    ['white tee', ['t-shirts']],
    ['something nice', []],
    ['curtains', []],
  ])('%s → %j', (query, categories) => {
    expect(namesOf(query).categories).toEqual(categories)
  })

  it('is not named by words that were taken as unwanted', () => {
    expect(namesOf('wok no oven', Uint8Array.from([0, 1, 1])).categories).toEqual(['woks'])
  })
})

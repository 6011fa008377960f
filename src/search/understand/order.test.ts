import { expect, it } from 'vitest'
import { createNameTable } from './names.ts'
import { understand, type Vocabulary } from './understand.ts'

const VOCABULARY: Vocabulary = {
  brands: createNameTable(['Norrlund']),
  models: createNameTable(['latest edition']),
  categories: [{ slug: 'kettles', label: 'Kettles', words: ['boil'] }],
}

it.each([
  ['newest kettle', 'newest', 'kettle'],
  ['kettles, latest first', 'newest', 'kettles'],
  ['most recent norrlund kettle', 'newest', 'norrlund kettle'],
  ['just released kettle', 'newest', 'kettle'],
  ['best-rated kettle', 'rating', 'kettle'],
  ['top rated kettle', 'rating', 'kettle'],
  ['kettle with the highest ratings', 'rating', 'kettle'],
  ['best reviewed kettle', 'rating', 'kettle'],
  ['kettle with the best customer ratings', 'rating', 'kettle'],
  ['cheapest kettle', 'price_asc', 'kettle'],
  ['kettle lowest price', 'price_asc', 'kettle'],
  ['least expensive kettle', 'price_asc', 'kettle'],
  ['looking for the cheapest kettle', 'price_asc', 'looking for the kettle'],
  ['priciest kettle', 'price_desc', 'kettle'],
  ['most expensive kettle', 'price_desc', 'kettle'],
  ['bestselling kettle', 'popular', 'kettle'],
  ['most reviewed kettles', 'popular', 'kettles'],
])('%s → by %s, "%s" is left', (query, order, text) => {
  expect(understand(query, VOCABULARY)).toMatchObject({ order, text, textWithNegations: text, price: null })
})

it.each([
  'cheap kettle',
  'best kettle for tea',
  'new kettle',
  'kettle with the latest chip',
  'kettle for the newest baby',
  'not the cheapest kettle',
  "kettle, doesn't have to be the latest",
  'kettle, the cheapest way to boil',
  'norrlund latest edition kettle',
  'gift for my dearest aunt',
])('%s asks for no order', (query) => {
  const read = understand(query, VOCABULARY)
  expect(read).toMatchObject({ order: null, text: query, excludedKinds: [] })
})

it('the order is said in plain words', () => {
  expect(understand('cheapest kettle', VOCABULARY).notes).toContainEqual({
    phrase: 'cheapest',
    meaning: 'Lowest price first',
  })
})

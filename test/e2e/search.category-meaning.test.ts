import { expect, test } from 'vitest'
import { categoriesLike } from '../../src/search/category-meaning.ts'
import { createDemoDatabase, createTestDatabase, EMBEDDER } from '../harness.ts'

test('titles of a shop find the category that holds such products, and others find none', async () => {
  const { db } = await createDemoDatabase()
  const groups = [
    ['Harbor & Pine Cordless drill 1', 'Ondra Cordless drill 7', 'Hammer drill 18 V'],
    ['Fjellvik Rain jacket 2', 'Harbor Rain jacket, red', 'Wool coat'],
    [],
    ['Borovka Desk lamp 3', 'Desk Lamp "Lever"'],
  ]
  expect(await categoriesLike({ db }, EMBEDDER, groups)).toEqual([
    'cordless-drills',
    null,
    null,
    'desk-lamps',
  ])
})

test('a catalog without vectors has nothing to compare with, and the model is not asked', async () => {
  const { db } = await createTestDatabase()
  const embedder = { id: 'none', embedDocuments: () => Promise.reject(new Error('asked')) }
  expect(await categoriesLike({ db }, embedder, [['Kettle'], ['Lamp']])).toEqual([null, null])
})

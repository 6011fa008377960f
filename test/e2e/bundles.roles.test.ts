/** What belongs to a goal, in the demo catalog and in one whose categories have other names. */
import { describe, expect, test } from 'vitest'
import { mannerOf, rolesFor } from '../../src/bundles/roles.ts'
import { createCatalogIndex } from '../../src/search/catalog-index.ts'
import { demoSearch } from '../demo-search.ts'
import { demoProducts } from './search.world.ts'

const search = await demoSearch()
const categoriesFor = (goal: string) =>
  rolesFor(search.index().vocabulary(), goal)?.map(({ category }) => category) ?? null

describe('on the demo catalog', () => {
  test.each([
    ['coffee corner', ['espresso-machines', 'coffee-grinders']],
    ['newborn', ['car-seats', 'strollers', 'baby-monitors', 'air-purifiers']],
    ['camping trip', ['tents', 'sleeping-bags', 'camping-stoves', 'hiking-backpacks']],
    ['podcast', ['microphones', 'headphones', 'webcams']],
    ['running', ['running-shoes', 'smartwatches', 'wireless-earbuds']],
    ['spare room', ['mattresses', 'air-purifiers', 'desk-lamps']],
    ['toddler', ['car-seats', 'strollers', 'baby-monitors']],
  ])('%s', (goal, categories) => {
    expect(categoriesFor(goal)).toEqual(categories)
  })

  test('the most needed comes first, each category once', () => {
    for (const goal of [
      'home office',
      'dorm room',
      'gaming',
      'first kitchen',
      'home gym',
      'travel',
      'workshop',
    ]) {
      const roles = rolesFor(search.index().vocabulary(), goal) ?? []
      expect(roles.length, goal).toBeGreaterThan(1)
      expect(roles[0]?.need, goal).toBe(1)
      expect(new Set(roles.map(({ category }) => category)).size).toBe(roles.length)
    }
  })

  test('the words around a goal do not hide it', () => {
    expect(categoriesFor('a quiet home office at the back')).toEqual(categoriesFor('home office'))
  })

  test('of several goals each brings its roles, but not the room it is in and not who it is for', () => {
    const both = categoriesFor('home office with two cats') ?? []
    for (const category of ['standing-desks', 'cordless-vacuums']) expect(both).toContain(category)
    expect(categoriesFor('gaming, my bedroom')).toEqual(categoriesFor('gaming'))
    expect(categoriesFor('kitchen, my first place')).toEqual(categoriesFor('kitchen'))
    expect(categoriesFor('poor student, start cooking')).toEqual(categoriesFor('start cooking'))
  })

  test('a goal that nobody wrote down has none', () => {
    expect(categoriesFor('philately')).toBeNull()
    expect(categoriesFor('')).toBeNull()
  })
})

describe('on a catalog of its own', () => {
  const [template] = demoProducts().products
  if (!template) throw new Error('the demo catalog is empty')
  const index = createCatalogIndex(16)
  const labels = ['Writing desks', 'Ergonomic chairs', 'Screens', 'Bread', 'Dog beds']
  for (const [at, label] of labels.entries()) {
    const slug = label.toLowerCase().replace(' ', '-')
    index.put({ ...template, id: `p${at}`, slug: `p${at}`, title: label, category: { slug, label } }, null)
  }

  test('a role is filled by what the catalog calls it, and only by that', () => {
    const found = rolesFor(index.vocabulary(), 'home office')?.map(({ role, category }) => [role, category])
    expect(found?.slice(0, 2)).toEqual([
      ['desk to work at', 'writing-desks'],
      ['chair to sit on', 'ergonomic-chairs'],
    ])
    expect(rolesFor(index.vocabulary(), 'new puppy')?.map(({ category }) => category)).toEqual(['dog-beds'])
  })

  test('a goal of which it holds nothing has no roles', () => {
    expect(rolesFor(index.vocabulary(), 'camping')).toBeNull()
  })
})

test('what is said of the whole is apart from its name and its place', () => {
  expect(mannerOf('lightweight backpacking')).toEqual(['lightweight'])
  expect(mannerOf('quiet home office, small room')).toEqual(['quiet', 'small'])
  expect(mannerOf('my first apartment kitchen')).toEqual([])
})

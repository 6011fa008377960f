/** What a plan knows of each candidate beside its place in the ranking. */
import { describe, expect, test } from 'vitest'
import { EMPTY_FACTS } from '../../src/catalog/catalog.schema.ts'
import { createCatalogIndex, type IndexedProduct } from '../../src/search/catalog-index.ts'
import { countUnsaid } from '../../src/search/wanted.ts'
import { demoSearch } from '../demo-search.ts'
import { demoProducts } from './search.world.ts'

const search = await demoSearch()
const find = (query: string, category: string, wanted: string[] = []) =>
  search.candidates({ query, category, wanted, limit: 40 })

describe('candidates of the demo catalog', () => {
  test('are of the category, sold, and best first', async () => {
    const found = await find('standing desk', 'standing-desks')
    expect(found.length).toBeGreaterThan(10)
    for (const { product } of found) {
      expect(product.category.slug).toBe('standing-desks')
      expect(product.discontinued).toBe(false)
    }
    const scores = found.map(({ score }) => score)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
  })

  test('know how like the others they are: from 0 to 1, no two the most', async () => {
    const found = await find('office chair', 'office-chairs')
    const typical = found.map((one) => one.typical ?? -1)
    for (const share of typical) expect(share >= 0 && share <= 1).toBe(true)
    expect(typical.filter((share) => share === 1)).toHaveLength(1)
    expect(Math.min(...typical)).toBe(0)
  })

  test('know whether their title calls them what the category holds', async () => {
    const found = await find('desk', 'standing-desks')
    const byName = found.filter(({ isThing }) => isThing === 1)
    expect(byName.length).toBeGreaterThan(found.length / 2)
    for (const { product } of byName) expect(product.title).toMatch(/desk/i)
  })

  test('that deny a demand are ruled out or known for it, and the others by how much they leave open', async () => {
    const found = await find('headphones, no wireless', 'headphones')
    expect(found.length).toBeGreaterThan(0)
    for (const { product, silent } of found) {
      expect(silent === null || silent >= 0).toBe(true)
      if (/wireless|bluetooth/i.test(product.title)) expect(silent, product.title).not.toBe(0)
    }
    const plain = await find('headphones', 'headphones')
    expect(plain.every(({ silent }) => silent === 0)).toBe(true)
  })

  test('are silent about what some of them say of themselves', async () => {
    const [plain, quiet] = [
      await find('keyboard', 'mechanical-keyboards'),
      await find('keyboard', 'mechanical-keyboards', ['quiet']),
    ]
    const silentIn = (found: typeof plain) => found.filter(({ silent }) => silent === 1).length
    expect(silentIn(plain)).toBe(0)
    expect(silentIn(quiet)).toBeGreaterThan(0)
    expect(silentIn(quiet)).toBeLessThan(quiet.length)
  })

  test('are from no maker that is to be avoided', async () => {
    const brand = (await find('espresso machine', 'espresso-machines'))[0]?.product.brand ?? ''
    const without = await search.candidates({
      ...{ query: 'espresso machine', category: 'espresso-machines', limit: 40 },
      filters: { excludeBrands: [brand] },
    })
    expect(brand).not.toBe('')
    expect(without.length).toBeGreaterThan(0)
    expect(without.filter(({ product }) => product.brand === brand)).toEqual([])
  })
})

describe('words that are wanted of all', () => {
  test('are waterproof by their rating, where they state one', async () => {
    const found = await find('earbuds', 'wireless-earbuds', ['waterproof'])
    const ratings = found.map(({ product, silent }) => ({
      silent,
      rating: /^water resistance: (.*)$/im.exec(product.shortSpecs)?.[1] ?? '',
    }))
    const [proof, splash] = ['IPX7', 'IPX4'].map((name) => ratings.filter(({ rating }) => rating === name))
    expect(proof?.length).toBeGreaterThan(0)
    expect(splash?.length).toBeGreaterThan(0)
    for (const { silent } of proof ?? []) expect(silent).toBe(0)
    for (const { silent } of splash ?? []) expect(silent).toBe(1)
  })

  const [template] = demoProducts().products
  if (!template) throw new Error('the demo catalog is empty')
  const FACTS = [
    {
      title: 'Quiet Fan',
      specs: [
        { name: 'Noise', value: '30 dB' },
        { name: 'Dishwasher safe', value: 'Yes' },
      ],
    },
    {
      title: 'Fan',
      specs: [
        { name: 'Noise', value: '45 dB' },
        { name: 'Dishwasher safe', value: 'No' },
      ],
    },
    { title: 'Fan', specs: [{ name: 'Noise', value: '50 dB' }] },
    { title: 'Fan', specs: [{ name: 'Noise', value: '60 dB' }], bestFor: ['small rooms'] },
    { title: 'Silent Fan', specs: [{ name: 'Noise', value: '70 dB' }] },
  ]
  const index = createCatalogIndex(16)
  for (const [at, facts] of FACTS.entries())
    index.put({ ...template, ...EMPTY_FACTS, ...facts, id: `p${at}`, slug: `p${at}` }, null)
  const products = FACTS.map((_, at): IndexedProduct | null => index.at(at) ?? null)
  const unsaid = (...phrases: string[]) => countUnsaid(index, phrases, products)

  test('are measured where products state it, so a name says less than a number', () => {
    expect(unsaid('quiet')).toEqual([0, 0, 1, 1, 1])
  })

  test('are read from titles, specs and what a product is best for', () => {
    expect(unsaid('small')).toEqual([1, 1, 1, 0, 1])
    expect(unsaid('dishwasher safe')).toEqual([0, 1, 1, 1, 1])
  })

  test('count twice of a product that says it is not for them', () => {
    const [first, ...others] = products
    const denying = first && { ...first, notFor: ['small'] }
    expect(countUnsaid(index, ['small'], [denying ?? null, ...others])).toEqual([2, 1, 1, 0, 1])
  })

  test('count only where some of them fit, each once', () => {
    expect(unsaid('purple')).toEqual([0, 0, 0, 0, 0])
    expect(unsaid()).toEqual([0, 0, 0, 0, 0])
    expect(unsaid('small', 'small', 'dishwasher safe')).toEqual([1, 2, 2, 1, 2])
    expect(countUnsaid(index, ['small'], [null, ...products])[0]).toBe(1)
  })
})

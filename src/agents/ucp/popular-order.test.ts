import { expect, test } from 'vitest'
import { makeProfile } from '../../../test/listings.ts'
import { type CatalogIndex, createCatalogIndex } from '../../search/catalog-index.ts'
import { createPopularOrder } from './browse.ts'

const idsOf = (index: CatalogIndex, order: Uint32Array) => Array.from(order, (slot) => index.at(slot)?.id)

test('products come most reviewed first, those without a count last, equal ones by id; discontinued ones do not', () => {
  const index = createCatalogIndex(16)
  const put = (id: string, reviewCount: number | null, discontinued = false) =>
    index.put(makeProfile({ slug: id, id, reviewCount, discontinued }), null)
  put('d', 5)
  put('c', null)
  put('b', 5)
  put('gone', 99, true)
  put('a', 0)
  put('e', 2_147_483_647)
  expect(idsOf(index, createPopularOrder()(index))).toEqual(['e', 'b', 'd', 'a', 'c'])
})

test('brought up to date after any changes it is the order that would be made anew', () => {
  const index = createCatalogIndex(16)
  const orderOf = createPopularOrder()
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let round = 0; round < 60; round++) {
    for (let change = random(8); change >= 0; change--) {
      const id = `product ${random(40)}`
      const reviewCount = random(4) === 0 ? null : random(6)
      if (random(4) === 0) index.remove(id)
      else index.put(makeProfile({ slug: id, id, reviewCount, discontinued: random(5) === 0 }), null)
    }
    const order = orderOf(index)
    expect(idsOf(index, order)).toEqual(idsOf(index, createPopularOrder()(index)))
    expect(orderOf(index)).toBe(order)
  }
})

test('another index has another order', () => {
  const orderOf = createPopularOrder()
  const [one, two] = [createCatalogIndex(16), createCatalogIndex(16)]
  one.put(makeProfile({ slug: 'one', id: 'one' }), null)
  two.put(makeProfile({ slug: 'two', id: 'two' }), null)
  expect([one, two, one].map((index) => idsOf(index, orderOf(index)))).toEqual([['one'], ['two'], ['one']])
})

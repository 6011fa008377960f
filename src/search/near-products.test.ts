import { expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { addProduct } from '../../test/products.ts'
import { count } from '../db/rows.ts'
import { nearProducts } from './near-products.ts'

test('near products are found by the words of a slug, nearest first, and no search is logged for it', async () => {
  const souk = await createTestApp()
  for (const n of [1, 2, 3, 4, 5, 6, 7])
    await addProduct(souk, { slug: `crisp-${n}`, category: 'air-fryers', title: `Ovenbird Crisp ${n}` })
  await addProduct(souk, { slug: 'dome', category: 'tents', title: 'Dome Tent' })
  const { search } = souk.searchRuntime
  expect(await nearProducts(search, 'dome-tent'), 'while the index is loading').toEqual([])
  await souk.searchRuntime.fill()
  expect(await nearProducts(search, 'dome-tents')).toEqual(['tents/dome'])
  expect(await nearProducts(search, 'kettles/dome')).toEqual(['tents/dome'])
  expect(await nearProducts(search, 'ovenbird-crisp-4')).toHaveLength(5)
  expect((await nearProducts(search, 'ovenbird-crisp-4'))[0]).toBe('air-fryers/crisp-4')
  expect(await nearProducts(search, '')).toEqual([])
  expect(await nearProducts(search, '/')).toEqual([])
  expect(await nearProducts(search, `${'zq'.repeat(5_000)}`)).toEqual([])
  await souk.searchRuntime.stop()
  expect(await count(souk.database.db)`select count(*) from search_queries`).toBe(0)
})

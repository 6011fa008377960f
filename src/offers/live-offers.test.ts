/** The offers of this moment, as one node holds them. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  clear,
  createDraft,
  createLive,
  createOffersWorld,
  edit,
  setStatus,
  type World,
} from '../../test/e2e/offers.world.ts'
import { createLiveOffers } from './live-offers.ts'

let souk: World
let id: string
beforeAll(async () => {
  souk = await createOffersWorld()
  id = souk.products.gooseneck
})
beforeEach(() => clear(souk))

const window = { starts_at: '2026-11-10T00:00:00Z', expires_at: '2026-11-20T00:00:00Z' }

test('the version stays while nothing happens and grows with every write and every boundary', async () => {
  await createLive(souk, souk.shop, window)
  const versions = [souk.offers.version()]
  const look = () => versions.push(souk.offers.version())
  look()
  souk.clock.set('2026-11-09T00:00:00Z')
  look()
  expect(new Set(versions).size).toBe(1)
  souk.clock.set('2026-11-10T00:00:00Z')
  look()
  souk.clock.set('2026-11-20T00:00:00Z')
  look()
  await createLive(souk, souk.rival)
  look()
  expect(versions.slice(2)).toEqual([...new Set(versions)])
  expect(versions).toEqual(versions.toSorted((a, b) => a - b))
})

test('a draft, and an edit of it, leave the version alone', async () => {
  const before = souk.offers.version()
  await edit(souk, souk.shop, await createDraft(souk, souk.shop), { headline: 'Other' })
  expect(souk.offers.version()).toBe(before)
})

test('knows when a product next changes: the nearest start or end that is to come', async () => {
  expect(souk.offers.nextChange(id)).toBeNull()
  await createLive(souk, souk.shop, window)
  await createLive(souk, souk.rival, { expires_at: '2026-11-15T00:00:00Z' })
  const next: Array<string | undefined> = []
  for (const at of ['2026-11-02', '2026-11-10', '2026-11-15', '2026-11-20']) {
    souk.clock.set(`${at}T00:00:00Z`)
    next.push(souk.offers.nextChange(id)?.toISOString().slice(0, 10))
  }
  expect(next).toEqual(['2026-11-10', '2026-11-15', '2026-11-20', undefined])
})

test('within one moment, look-ups stay with the version that was asked for', async () => {
  await createLive(souk, souk.shop, { ...window, offer_types: ['bogo'] })
  souk.offers.version()
  souk.clock.set('2026-11-12T00:00:00Z')
  expect([souk.offers.isSponsored(id), souk.offers.isOnSale(id)]).toEqual([false, false])
  souk.offers.version()
  expect([souk.offers.isSponsored(id), souk.offers.isOnSale(id)]).toEqual([true, true])
})

test('a change that arrives while it is filled is not overwritten by what was read before', async () => {
  const offer = await createLive(souk, souk.shop)
  const live = createLiveOffers(souk.ctx)
  const event = { seq: 1, xid: '1', productId: id, categoryId: null, aspect: 'offers' as const }
  const filling = live.fill()
  await setStatus(souk, souk.shop, offer, 'paused')
  await Promise.all([filling, live.apply([event])])
  expect(live.of(id)).toEqual([])
})

test('a removed product takes its offers along', async () => {
  await createLive(souk, souk.shop, { product_slug: 'whistler' })
  const whistler = souk.products.whistler
  expect(souk.offers.of(whistler)).toHaveLength(1)
  await souk.database.pool.query(
    `with gone as (delete from products where id = $1 returning id, category_id)
     insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
    [whistler],
  )
  await souk.catchUp()
  expect(souk.offers.of(whistler)).toEqual([])
  expect(souk.offers.isSponsored(whistler)).toBe(false)
})

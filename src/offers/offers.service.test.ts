/** What the service does beyond the routes: for tools, terms and status in one transaction, and a list that can be cut. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import {
  audits,
  clear,
  createDraft,
  createLive,
  createOffersWorld,
  offerChanges,
  rowOf,
  type World,
} from '../../test/e2e/offers.world.ts'
import type { Deed } from '../orgs/producer.ts'
import { listOffers, updateOffer } from './offers.service.ts'

let souk: World
let deed: Deed
beforeAll(async () => {
  souk = await createOffersWorld()
  const { id, tokenId } = souk.shop
  deed = {
    caller: { kind: 'link_token', tokenId, orgId: id },
    visit: { ip: null, userAgent: null, requestId: null },
  }
})
beforeEach(() => clear(souk))

test('terms and status together are one change and one record', async () => {
  const offerId = await createDraft(souk, souk.shop)
  const before = (await audits(souk, souk.shop)).length
  await updateOffer(souk.ctx, deed, { offerId, edit: { priceCents: 1_000 }, status: 'active' })
  expect(await rowOf(souk, souk.shop, offerId)).toMatchObject({ status: 'active', price_usd: 1_000 })
  expect((await audits(souk, souk.shop)).slice(before)).toEqual([
    {
      action: 'offer.edited',
      detail: {
        offer_id: offerId,
        product_slug: 'kettles/gooseneck',
        fields: ['price_usd'],
        from: 'draft',
        to: 'active',
      },
    },
  ])
  expect(await offerChanges(souk)).toMatchObject([{ after: { offers: 1, best_price_usd: 10 } }])
})

test('neither of them is no change', async () => {
  const offerId = await createDraft(souk, souk.shop)
  const before = await audits(souk, souk.shop)
  await updateOffer(souk.ctx, deed, { offerId })
  expect(await audits(souk, souk.shop)).toEqual(before)
})

test('the list is cut by the status of this moment, by product, by end, and in pages', async () => {
  const ended = await createLive(souk, souk.shop, { expires_at: '2026-11-01T12:00:00Z' })
  const soon = await createLive(souk, souk.shop, { expires_at: '2026-11-03T00:00:00Z' })
  const other = await createLive(souk, souk.shop, { product_slug: 'whistler' })
  const draft = await createDraft(souk, souk.shop)
  const ids = async (filter: Parameters<typeof listOffers>[2]) =>
    (await listOffers(souk.ctx, deed, filter)).offers.map(({ id }) => id)
  expect(await ids({})).toEqual([draft, other, soon, ended])
  expect(await ids({ status: 'active' })).toEqual([other, soon])
  expect(await ids({ status: 'expired' })).toEqual([ended])
  expect(await ids({ productId: souk.products.whistler })).toEqual([other])
  expect(await ids({ expiresBefore: new Date('2026-11-08T00:00:00Z') })).toEqual([soon])
  expect(await ids({ limit: 2, offset: 1 })).toEqual([other, soon])
})

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
import type { Act } from '../orgs/producer.ts'
import { pauseActive } from './offers.queries.ts'
import {
  createOffer,
  listOffers,
  type OffersPage,
  offersBetween,
  pageOffers,
  updateOffer,
  viewOffer,
} from './offers.service.ts'

let souk: World
let act: Act
beforeAll(async () => {
  souk = await createOffersWorld()
  const { id, tokenId } = souk.shop
  act = {
    caller: { kind: 'link_token', tokenId, orgId: id },
    visit: { ip: null, userAgent: null, requestId: null },
  }
})
beforeEach(() => clear(souk))

test('terms and status together are one change and one record', async () => {
  const offerId = await createDraft(souk, souk.shop)
  const before = (await audits(souk, souk.shop)).length
  await updateOffer(souk.ctx, act, { offerId, edit: { priceCents: 1_000 }, status: 'active' })
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
  await updateOffer(souk.ctx, act, { offerId })
  expect(await audits(souk, souk.shop)).toEqual(before)
})

test('the list is cut by the status of this moment, by product, by end, and in pages', async () => {
  const ended = await createLive(souk, souk.shop, { expires_at: '2026-11-01T12:00:00Z' })
  const soon = await createLive(souk, souk.shop, { expires_at: '2026-11-03T00:00:00Z' })
  const other = await createLive(souk, souk.shop, { product_slug: 'whistler' })
  const draft = await createDraft(souk, souk.shop)
  const ids = async (filter: Parameters<typeof listOffers>[2]) =>
    (await listOffers(souk.ctx, act, filter)).offers.map(({ id }) => id)
  expect(await ids({})).toEqual([draft, other, soon, ended])
  expect(await ids({ status: 'active' })).toEqual([other, soon])
  expect(await ids({ status: 'expired' })).toEqual([ended])
  expect(await ids({ productId: souk.products.whistler })).toEqual([other])
  expect(await ids({ expiresBefore: new Date('2026-11-08T00:00:00Z') })).toEqual([soon])
  expect(await ids({ limit: 2, offset: 1 })).toEqual([other, soon])
})

test('a page says how many there are in all, whatever it shows of them', async () => {
  const ended = await createLive(souk, souk.shop, { expires_at: '2026-11-01T12:00:00Z' })
  const soon = await createLive(souk, souk.shop, { expires_at: '2026-11-03T00:00:00Z' })
  const other = await createLive(souk, souk.shop, { product_slug: 'whistler' })
  await createLive(souk, souk.rival)
  const paged = async (filter: Partial<OffersPage>) => {
    const { offers, total } = await pageOffers(souk.ctx, act, { limit: 10, offset: 0, ...filter })
    return { ids: offers.map(({ id }) => id), total }
  }
  expect(await paged({})).toEqual({ ids: [other, soon, ended], total: 3 })
  expect(await paged({ limit: 1, offset: 1 })).toEqual({ ids: [soon], total: 3 })
  expect(await paged({ offset: 3 })).toEqual({ ids: [], total: 3 })
  expect(await paged({ status: 'expired' })).toEqual({ ids: [ended], total: 1 })
  expect(await paged({ expiringWithinDays: 2 })).toEqual({ ids: [soon], total: 1 })
  expect(await paged({ expiringWithinDays: 1 })).toEqual({ ids: [], total: 0 })
  expect(await paged({ productSlug: { category: null, slug: 'whistler' } })).toEqual({
    ids: [other],
    total: 1,
  })
})

test('what a change answers is what was stored', async () => {
  const made = await createOffer(souk.ctx, act, {
    productSlug: { category: 'kettles', slug: 'gooseneck' },
    terms: {
      ...{
        headline: 'Deal',
        detail: null,
        destinationUrl: 'https://shop.example/',
        promoCode: 'TEN',
        variant: null,
      },
      ...{ priceCents: 1_050, listPriceCents: null, offerTypes: ['bogo'] },
      ...{ startsAt: new Date('2026-11-01T12:00:00.123Z'), expiresAt: null },
    },
  })
  const stored = async () => (await listOffers(souk.ctx, act)).offers.find(({ id }) => id === made.id)
  expect(await stored()).toEqual(made)
  souk.clock.advance(1_000)
  const edit = { headline: 'Better deal', promoCode: 'TEN', expiresAt: new Date('2026-11-01T12:00:00Z') }
  const { offer, changed } = await updateOffer(souk.ctx, act, { offerId: made.id, edit, status: 'active' })
  expect(changed).toEqual(['headline', 'expires_at', 'status'])
  expect(offer).toMatchObject({ headline: 'Better deal', status: 'expired' })
  expect(await stored()).toEqual(offer)
  expect(await updateOffer(souk.ctx, act, { offerId: made.id, edit })).toEqual({ offer, changed: [] })
})

test('a change from an older version is refused whole, and every write makes a newer one, also in one moment', async () => {
  const offerId = await createLive(souk, souk.shop)
  const versionNow = async () => (await viewOffer(souk.ctx, act, offerId)).updatedAt
  const first = await versionNow()
  const change = { offerId, edit: { headline: 'Second' }, ifUpdatedAt: first }
  const { offer } = await updateOffer(souk.ctx, act, change)
  const second = await versionNow()
  expect(offer.updatedAt).toEqual(second)
  expect(second.getTime()).toBeGreaterThan(first.getTime())

  const late = { offerId, edit: { headline: 'Third' }, status: 'paused', ifUpdatedAt: first } as const
  await expect(updateOffer(souk.ctx, act, late)).rejects.toMatchObject({
    ...{ kind: 'conflict', field: 'if_updated_at' },
  })
  expect(await rowOf(souk, souk.shop, offerId)).toMatchObject({ headline: 'Second', status: 'active' })
  expect((await updateOffer(souk.ctx, act, change)).changed).toEqual([])

  await pauseActive(souk.database.db, {
    ...{ orgId: souk.shop.id, productIds: [souk.products.gooseneck], at: souk.clock.now() },
  })
  expect((await versionNow()).getTime()).toBeGreaterThan(second.getTime())
})

test('one that is shown from the start takes room on the shelf in the same transaction', async () => {
  await createOffer(souk.ctx, act, {
    status: 'active',
    productSlug: { category: 'kettles', slug: 'gooseneck' },
    terms: {
      ...{
        headline: 'Deal',
        detail: null,
        destinationUrl: 'https://shop.example/',
        promoCode: null,
        variant: null,
      },
      ...{ priceCents: 1_050, listPriceCents: null, offerTypes: [], startsAt: null, expiresAt: null },
    },
  })
  expect(await offerChanges(souk)).toMatchObject([{ before: { offers: 0 }, after: { offers: 1 } }])
})

test('what runs between two moments is told by its window alone, up to the moments themselves', async () => {
  const window = (starts_at: string | null, expires_at: string | null) => ({ starts_at, expires_at })
  const made = {
    until: await createLive(souk, souk.shop, window(null, '2026-11-10T00:00:00Z')),
    within: await createLive(souk, souk.shop, window('2026-11-12T00:00:00Z', '2026-11-13T00:00:00Z')),
    from: await createLive(souk, souk.shop, window('2026-11-20T00:00:00Z', null)),
    draft: await createDraft(souk, souk.shop, window('2026-11-19T00:00:00Z', null)),
  }
  await createLive(souk, souk.rival, window('2026-11-12T00:00:00Z', null))
  const span = { from: new Date('2026-11-10T00:00:00Z'), until: new Date('2026-11-20T00:00:00Z') }
  const between = async (limit = 10) =>
    (await offersBetween(souk.ctx, act, { ...span, limit })).map(({ id }) => id)
  expect(await between()).toEqual([made.within, made.draft])
  expect(await between(1)).toEqual([made.within])
})

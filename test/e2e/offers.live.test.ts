/**
 * What an offer does to everything the public sees: at once when it is written, by the clock alone when its time comes,
 * and never to the order of a search.
 */

import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { whatChanged } from '../../src/catalog/changes.service.ts'
import { ORG_HOOKS } from '../../src/org-hooks.ts'
import { createReads, type OfferLookup } from '../../src/web/reads.ts'
import { NO_FRONT, NO_SELLERS } from '../listings.ts'
import {
  clear,
  createDraft,
  createLive,
  createOffersWorld,
  edit,
  everything,
  get,
  NOTHING,
  offerChanges,
  rowOf,
  seen,
  setStatus,
  type World,
} from './offers.world.ts'
import { find, slugs } from './search.world.ts'

let souk: World
beforeAll(async () => {
  souk = await createOffersWorld({ searchable: true })
})
beforeEach(() => clear(souk))

const SALE = { price_usd: 45, list_price_usd: 60 }

describe('a write is seen everywhere in the next answer', () => {
  test('set active, paused, active again, expired', async () => {
    const id = await createDraft(souk, souk.shop, SALE)
    expect(await seen(souk, id)).toEqual(NOTHING)
    for (let round = 0; round < 2; round++) {
      await setStatus(souk, souk.shop, id, 'active')
      expect(await seen(souk, id)).toEqual(everything(id))
      await setStatus(souk, souk.shop, id, round === 0 ? 'paused' : 'expired')
      expect(await seen(souk, id)).toEqual(NOTHING)
    }
  })

  test('an edit of what is shown', async () => {
    const id = await createLive(souk, souk.shop, SALE)
    await seen(souk, id)
    await edit(souk, souk.shop, id, { headline: 'Kettle week', price_usd: 44.44, promo_code: 'WEEK' })
    const { body } = await get(souk, '/offers/gooseneck.json')
    expect(body.offers).toMatchObject([{ headline: 'Kettle week', price_usd: 44.44, promo_code: 'WEEK' }])
    const text = async (path: string) => String((await get(souk, path, { accept: 'text/html' })).body.text)
    for (const path of ['/p/kettles/gooseneck', '/p/kettles/gooseneck.md', '/c/kettles.md'])
      expect(await text(path), path).toMatch(/Kettle week[\s\S]*\$44\.44[\s\S]*WEEK/)
  })

  test('an edit that takes the price off the sale leaves it an offer', async () => {
    const id = await createLive(souk, souk.shop, SALE)
    expect((await seen(souk, id)).onSale).toBe(true)
    await edit(souk, souk.shop, id, { price_usd: 60 })
    expect(await seen(souk, id)).toMatchObject({
      sponsored: true,
      onSale: false,
      category: false,
      endpoint: true,
    })
    const page = String((await get(souk, '/c/kettles', { accept: 'text/html' })).body.text)
    expect(page).toContain('>Offer</p>')
  })

  test('an organization that is deactivated, and one that is active again, renamed', async () => {
    const id = await createLive(souk, souk.shop, SALE)
    expect(await seen(souk, id)).toEqual(everything(id))
    const change = async (set: { deactivated_at?: Date | null; name?: string }) => {
      souk.clock.advance(1_000)
      await souk.database.db.transaction().execute(async (tx) => {
        await tx.updateTable('orgs').set(set).where('id', '=', souk.shop.id).execute()
        await ORG_HOOKS.changed(tx, souk.shop.id, souk.clock.now())
      })
      await souk.catchUp()
    }
    await change({ deactivated_at: souk.clock.now() })
    expect(await seen(souk, id)).toEqual(NOTHING)
    await change({ deactivated_at: null })
    expect(await seen(souk, id)).toEqual(everything(id))
    await change({ name: 'Kettle Palace' })
    expect((await get(souk, '/offers/gooseneck.json')).body.offers).toMatchObject([
      { seller: { name: 'Kettle Palace', org_type: 'retailer', verified: true } },
    ])
    const live = { offers: 1, upcoming: 0, best_price_usd: 45 }
    const none = { offers: 0, upcoming: 0, best_price_usd: null }
    expect((await offerChanges(souk)).map(({ before, after }) => [before, after])).toEqual([
      [none, live],
      [live, none],
      [none, live],
      [live, live],
    ])
  })

  test('is told to another node on the same database', async () => {
    const other = await createOffersWorld({ searchable: true, database: souk.database })
    const id = await createLive(souk, souk.shop, SALE)
    await other.catchUp()
    expect(await seen(other, id)).toEqual(everything(id))
    await setStatus(souk, souk.shop, id, 'paused')
    await other.catchUp()
    expect(await seen(other, id)).toEqual(NOTHING)
  })

  test('is there for a node that starts later', async () => {
    const id = await createLive(souk, souk.shop, SALE)
    const later = await createOffersWorld({ searchable: true, database: souk.database })
    expect(await seen(later, id)).toEqual(everything(id))
  })
})

describe('the clock alone', () => {
  const window = { ...SALE, starts_at: '2026-11-10T00:00:00Z', expires_at: '2026-11-20T00:00:00Z' }

  test('starts and ends an offer everywhere, to the millisecond, without a job or a write', async () => {
    const id = await createLive(souk, souk.shop, window)
    const written = await offerChanges(souk)
    const status = async () => (await rowOf(souk, souk.shop, id)).status
    const looks: Array<[string, ReturnType<typeof everything>, string]> = [
      ['2026-11-09T23:59:59.999Z', NOTHING, 'active'],
      ['2026-11-10T00:00:00.000Z', everything(id), 'active'],
      ['2026-11-19T23:59:59.999Z', everything(id), 'active'],
      ['2026-11-20T00:00:00.000Z', NOTHING, 'expired'],
    ]
    for (const [at, shown, stored] of looks) {
      souk.clock.set(at)
      expect(await seen(souk, id), at).toEqual(shown)
      // Asked again, from whatever remembers.
      expect(await seen(souk, id), at).toEqual(shown)
      expect(await status(), at).toBe(stored)
    }
    expect(await offerChanges(souk)).toEqual(written)
    expect(
      await souk.database.db.selectFrom('jobs').select('kind').where('kind', 'like', '%offer%').execute(),
    ).toEqual([])
  })

  test('moves dateModified, Last-Modified and updated_at, and an old ETag is not confirmed', async () => {
    souk.clock.set('2026-11-02T00:00:00Z')
    await createLive(souk, souk.shop, window)
    const paths = [
      '/p/kettles/gooseneck.json',
      '/p/kettles/gooseneck.md',
      '/offers/gooseneck.json',
      '/c/kettles.md',
    ]
    const looked: Array<[string, string]> = [
      ['2026-11-03T00:00:00Z', '2026-11-02T00:00:00.000Z'],
      ['2026-11-12T00:00:00Z', '2026-11-10T00:00:00.000Z'],
      ['2026-11-25T00:00:00Z', '2026-11-20T00:00:00.000Z'],
    ]
    const etags = new Map<string, string>()
    for (const [at, changed] of looked) {
      souk.clock.set(at)
      expect((await get(souk, '/p/kettles/gooseneck.json')).body.dateModified).toBe(changed)
      expect((await get(souk, '/offers/gooseneck.json')).body.updated_at).toBe(changed)
      for (const path of paths) {
        const old = etags.get(path)
        const answer = await get(souk, path, old ? { 'if-none-match': old } : {})
        expect(answer.status, `${path} at ${at}`).toBe(200)
        expect(answer.headers.get('last-modified')).toBe(new Date(changed).toUTCString())
        const etag = answer.headers.get('etag') ?? ''
        etags.set(path, etag)
        expect((await get(souk, path, { 'if-none-match': etag })).status).toBe(304)
      }
    }
    const restarted = await createOffersWorld({ database: souk.database })
    restarted.clock.set('2026-11-25T00:00:00Z')
    expect((await get(restarted, '/offers/gooseneck.json')).body.updated_at).toBe('2026-11-20T00:00:00.000Z')
  })
})

describe('the log of changes', () => {
  test('tells what the public could see before and after, and nothing of drafts', async () => {
    const since = souk.clock.now()
    souk.clock.advance(1_000)
    const draft = await createDraft(souk, souk.shop, SALE)
    await edit(souk, souk.shop, draft, { headline: 'Still nobody sees it' })
    await setStatus(souk, souk.shop, draft, 'paused')
    expect(await offerChanges(souk)).toEqual([])
    await setStatus(souk, souk.shop, draft, 'active')
    await createLive(souk, souk.rival, { price_usd: 40, starts_at: '2026-11-05T00:00:00Z' })
    expect(await offerChanges(souk)).toMatchObject([
      {
        product_id: souk.products.gooseneck,
        category_id: expect.any(String),
        before: { offers: 0, upcoming: 0, best_price_usd: null },
        after: { offers: 1, upcoming: 0, best_price_usd: 45 },
      },
      {
        before: { offers: 1, upcoming: 0, best_price_usd: 45 },
        after: { offers: 1, upcoming: 1, best_price_usd: 45 },
      },
    ])
    expect(await whatChanged(souk.ctx, { since, category: 'kettles' })).toMatchObject([
      {
        product: { slug: 'gooseneck' },
        aspect: 'offers',
        times: 2,
        before: { offers: 0, best_price_usd: null },
        after: { offers: 1, upcoming: 1, best_price_usd: 45 },
      },
    ])
  })

  test('an edit of where an offer leads is no change of what is shown, and is followed at once', async () => {
    const id = await createLive(souk, souk.shop)
    const before = await offerChanges(souk)
    await edit(souk, souk.shop, id, { destination_url: 'https://shop.example/new' })
    expect(await offerChanges(souk)).toEqual(before)
    expect((await get(souk, `/go/${id}`)).headers.get('location')).toBe('https://shop.example/new')
  })
})

test.each(['/p/kettles/gooseneck', '/p/kettles/gooseneck.json', '/offers/gooseneck.json', '/c/kettles.md'])(
  'an offer that ends while %s is made is not kept in it',
  async (path) => {
    await createLive(souk, souk.shop, { expires_at: '2026-11-01T13:00:00Z' })
    souk.clock.set('2026-11-01T12:59:59Z')
    const offers: OfferLookup = {
      ...souk.offers,
      of(productId) {
        const live = souk.offers.of(productId)
        souk.clock.set('2026-11-01T13:00:00Z')
        return live
      },
    }
    const site = { baseUrl: 'http://souk.test', demo: false, stylesheet: '/style.css' }
    const none = {
      similar: () => [],
      planOfDay: () => null,
      front: async () => NO_FRONT,
      sellers: NO_SELLERS,
    }
    const { shelf } = souk.searchRuntime.search
    const reads = createReads({ ...souk.ctx, site, offers, shelf, ...none })
    const read = async () => String((await reads.read(path, undefined))?.variants.get('identity')?.body)
    const promoted = /\/go\/|offersEndpoint/
    expect(await read()).toMatch(promoted)
    expect(await read()).not.toMatch(promoted)
  },
)

describe('a sponsor', () => {
  test('never changes the order or the similarity of a search', async () => {
    const ask = async (query: string) =>
      (await find(souk.app, { query, limit: 50 })).results.map(
        // A reason may name the price of now.
        ({ is_sponsored: _, price_now_usd: __, reason: ___, ...rest }) => rest,
      )
    const queries = ['kettle', 'whistling kettle', 'samovar', 'cheap kettle under $70', 'something for tea']
    const before = await Promise.all(queries.map(ask))
    await createLive(souk, souk.shop, { product_slug: 'whistler', ...SALE })
    await createLive(souk, souk.rival, { product_slug: 'whistler', price_usd: 1, list_price_usd: 30 })
    expect(await Promise.all(queries.map(ask))).toEqual(before)
    const { results } = await find(souk.app, { query: 'kettle' })
    expect(slugs(results.filter(({ is_sponsored }) => is_sponsored))).toEqual(['whistler'])
  })

  test.each([
    [{ price_usd: 45, list_price_usd: 60 }, true],
    [{ price_usd: 60, list_price_usd: 60 }, false],
    [{ price_usd: 45 }, false],
    [{ list_price_usd: 60 }, false],
    [{ offer_types: ['percentage_off'] }, true],
    [{ offer_types: ['fixed_amount_off'] }, true],
    [{ offer_types: ['bundle', 'bogo'] }, true],
    [{ offer_types: ['free_shipping', 'bundle', 'free_gift'] }, false],
  ])('with %j is on sale: %s', async (terms, expected) => {
    const id = await createLive(souk, souk.shop, terms)
    const shown = await seen(souk, id)
    expect(shown).toMatchObject({ sponsored: true, onSale: expected })
  })

  test('similar products say who is sponsored', async () => {
    await createLive(souk, souk.shop)
    const similar = await souk.searchRuntime.search.similar({ slug: 'whistler', limit: 5 })
    expect(similar.filter(({ is_sponsored }) => is_sponsored).map(({ slug }) => slug)).toEqual(['gooseneck'])
  })
})

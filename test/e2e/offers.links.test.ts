/** `/go/{id}`: counts a click and leads where the offer says, and nowhere that a request says. */
import { Hono } from 'hono'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { HttpEnv } from '../../src/http/env.ts'
import { newId } from '../../src/lib/ids.ts'
import { mountLinks } from '../../src/offers/links.routes.ts'
import { findOfferLink } from '../../src/offers/links.service.ts'
import { call } from '../orgs.ts'
import {
  clear,
  createDraft,
  createLive,
  createOffersWorld,
  DEAL,
  get,
  setStatus,
  type World,
} from './offers.world.ts'

let souk: World
beforeAll(async () => {
  souk = await createOffersWorld()
})
beforeEach(() => clear(souk))

const clicks = async () => (await souk.database.pool.query('select * from link_clicks order by id')).rows
const PAGE = 'http://souk.test/p/kettles/gooseneck'

describe('following a live offer', () => {
  test('is a 302 to the stored address, exactly, and one click', async () => {
    const id = await createLive(souk, souk.shop)
    const queryId = newId()
    const answer = await get(souk, `/go/${id}?q=${queryId}`, { 'user-agent': 'agent/1.0' })
    expect(answer.status).toBe(302)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      location: DEAL.destination_url,
      'cache-control': 'no-store',
      'referrer-policy': 'strict-origin',
      'x-robots-tag': 'noindex, nofollow',
    })
    expect(await clicks()).toMatchObject([
      {
        kind: 'offer',
        link_id: id,
        org_id: souk.shop.id,
        product_id: souk.products.gooseneck,
        at: souk.clock.now(),
        user_agent: 'agent/1.0',
        query_id: queryId,
      },
    ])
  })

  test('counts each click, with and without the trailing slash, in capitals too', async () => {
    const id = await createLive(souk, souk.shop)
    for (const path of [`/go/${id}`, `/go/${id}/`, `/go/${id.toUpperCase()}`])
      expect((await get(souk, path)).headers.get('location')).toBe(DEAL.destination_url)
    expect((await clicks()).map(({ link_id }) => link_id)).toEqual([id, id, id])
  })

  test('keeps 300 characters of a user agent and no search it cannot know', async () => {
    const id = await createLive(souk, souk.shop)
    await get(souk, `/go/${id}?q=' or 1=1`, { 'user-agent': 'x'.repeat(4_000) })
    expect(await clicks()).toMatchObject([{ user_agent: 'x'.repeat(300), query_id: null }])
  })

  test('looking ahead is no click: HEAD and prefetching', async () => {
    const id = await createLive(souk, souk.shop)
    const head = await call(souk, null, 'HEAD', `/go/${id}`)
    expect([head.status, head.headers.get('location')]).toEqual([302, DEAL.destination_url])
    await get(souk, `/go/${id}`, { 'sec-purpose': 'prefetch;prerender' })
    expect(await clicks()).toEqual([])
  })

  test('leads on anyone who follows links too fast, and counts them no more', async () => {
    const id = await createLive(souk, souk.shop)
    const app = new Hono<HttpEnv>()
    const ctx = { ...souk.orgs, config: { ...souk.orgs.config, trustProxy: false } }
    mountLinks(app, ctx, [findOfferLink], { count: 2, windowMs: 3_600_000 })
    for (let n = 0; n < 4; n++) expect((await app.request(`/go/${id}`)).status).toBe(302)
    expect(await clicks()).toHaveLength(2)
  })

  test('sends an address of other letters in ASCII', async () => {
    const id = await createLive(souk, souk.shop, { destination_url: 'https://bücher.example/tee?a=ü' })
    expect((await get(souk, `/go/${id}`)).headers.get('location')).toBe(
      'https://xn--bcher-kva.example/tee?a=%C3%BC',
    )
  })

  test('still leads on when the click cannot be written', async () => {
    const id = await createLive(souk, souk.shop)
    await souk.database.pool.query('alter table link_clicks rename to link_clicks_away')
    try {
      expect((await get(souk, `/go/${id}`)).headers.get('location')).toBe(DEAL.destination_url)
    } finally {
      await souk.database.pool.query('alter table link_clicks_away rename to link_clicks')
    }
  })
})

describe('an offer that is not live', () => {
  test.each([
    ['a draft', {}, null],
    ['paused', {}, 'paused'],
    ['set expired', {}, 'expired'],
    ['not begun', { starts_at: '2026-11-02T00:00:00Z' }, 'active'],
    ['ended', { expires_at: '2026-11-01T00:00:00Z' }, 'active'],
  ])('(%s) leads to the product, and is no click', async (_, terms, status) => {
    const id = await createDraft(souk, souk.shop, terms)
    if (status) await setStatus(souk, souk.shop, id, status)
    const answer = await get(souk, `/go/${id}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, PAGE])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await clicks()).toEqual([])
  })

  test('of a deactivated organization neither', async () => {
    const id = await createLive(souk, souk.shop)
    const { db } = souk.database
    await db.updateTable('orgs').set({ deactivated_at: new Date() }).where('id', '=', souk.shop.id).execute()
    expect((await get(souk, `/go/${id}`)).headers.get('location')).toBe(PAGE)
    expect(await clicks()).toEqual([])
  })
})

describe('is no open redirect', () => {
  test.each([
    '',
    '?url=https://evil.example',
    '?to=//evil.example',
    '?q=https://evil.example',
    '?destination_url=https://evil.example&next=https://evil.example',
    '?q=%0d%0aLocation:%20https://evil.example',
    '#https://evil.example',
  ])('a live id with "%s" leads to the stored address', async (tail) => {
    const id = await createLive(souk, souk.shop)
    expect((await get(souk, `/go/${id}${tail}`)).headers.get('location')).toBe(DEAL.destination_url)
  })

  test.each([
    '/go/',
    '/go/x',
    '/go/01890000-0000-7000-8000-000000000000',
    '/go/https://evil.example',
    '/go/https:%2F%2Fevil.example',
    '/go/%2F%2Fevil.example',
    '/go//evil.example',
    '/go/..%2F..%2Fevil.example',
    '/go/%0d%0aLocation:%20https://evil.example',
    "/go/' or '1'='1",
    '/go/%00',
    '/go/%ff',
  ])('%s is 404 and leads nowhere', async (path) => {
    const answer = await get(souk, path)
    expect(answer.status).toBe(404)
    expect(answer.headers.get('location')).toBeNull()
  })

  test('headers that name another host change nothing', async () => {
    const id = await createDraft(souk, souk.shop)
    const lies = {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      referer: 'https://evil.example/',
    }
    expect((await get(souk, `/go/${id}`, lies)).headers.get('location')).toBe(PAGE)
  })

  test('other methods are 405', async () => {
    const id = await createLive(souk, souk.shop)
    const answer = await call(souk, null, 'POST', `/go/${id}`, { url: 'https://evil.example' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})

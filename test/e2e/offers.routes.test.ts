/** What the four offer routes do when they do it: the stored shape, only what is present changes, nothing for nothing. */
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { call, createOrg, relate } from '../orgs.ts'
import {
  audits,
  both,
  createDraft,
  createLive,
  createOffersWorld,
  DEAL,
  edit,
  list,
  offerChanges,
  rowOf,
  setStatus,
  type World,
} from './offers.world.ts'

let souk: World
beforeAll(async () => {
  souk = await createOffersWorld()
})

describe('creating', () => {
  test('gives a draft that the list shows in its raw stored shape, prices in cents', async () => {
    const id = await createDraft(souk, souk.shop, {
      product_slug: 'gooseneck',
      detail: 'Until Friday',
      price_usd: 19.99,
      list_price_usd: 1_234.5,
      starts_at: '2026-11-20T08:00:00+02:00',
      expires_at: '2026-12-01T00:00:00.250Z',
      promo_code: 'TEA20',
      offer_types: ['bogo', 'free_gift', 'bogo'],
      status: 'active',
      unknown: 1,
    })
    expect(await rowOf(souk, souk.shop, id)).toEqual({
      id,
      product_slug: 'kettles/gooseneck',
      ...DEAL,
      detail: 'Until Friday',
      price_usd: 1999,
      list_price_usd: 123450,
      status: 'draft',
      starts_at: '2026-11-20T06:00:00.000Z',
      expires_at: '2026-12-01T00:00:00.250Z',
      created_at: souk.clock.now().toISOString(),
      promo_code: 'TEA20',
      offer_types: ['bogo', 'free_gift'],
    })
  })

  test('by session and by bearer alike; null means left out', async () => {
    const absent = { detail: null, price_usd: null, starts_at: null, expires_at: null, promo_code: null }
    for (const [by, credential] of both(souk.shop)) {
      const body = { product_slug: 'whistler', ...DEAL, ...absent, offer_types: null, headline: `By ${by}` }
      const answer = await call(souk, credential, 'POST', '/api/offers/create', body)
      expect(answer).toMatchObject({ status: 201, body: { offer_id: expect.any(String) } })
      const row = await rowOf(souk, souk.shop, String(answer.body.offer_id))
      expect(row).toMatchObject({ ...absent, list_price_usd: null, offer_types: [], headline: `By ${by}` })
    }
  })

  test.each([
    ['sixty letters', { headline: 'x'.repeat(60) }, { headline: 'x'.repeat(60) }],
    [
      'sixty teapots, which are 120 units of UTF-16',
      { headline: '🫖'.repeat(60) },
      { headline: '🫖'.repeat(60) },
    ],
    ['white space around', { headline: '  Deal \n of the day ' }, { headline: 'Deal of the day' }],
    ['characters that hide', { headline: 'De\u202eal\u200b' }, { headline: 'Deal' }],
    ['a free price', { price_usd: 0 }, { price_usd: 0 }],
    ['the highest price', { price_usd: 99_999_999.99 }, { price_usd: 9_999_999_999 }],
    ['a price that binary cannot hold', { price_usd: 1.15 }, { price_usd: 115 }],
    ['an empty detail', { detail: ' ' }, { detail: null }],
    [
      'an http destination',
      { destination_url: 'http://shop.example:8080/a?b=c#d' },
      { destination_url: 'http://shop.example:8080/a?b=c#d' },
    ],
    [
      'a destination of other letters',
      { destination_url: 'https://bücher.example/ü' },
      { destination_url: 'https://bücher.example/ü' },
    ],
    ['an end that has passed', { expires_at: '2020-01-01T00:00:00Z' }, { status: 'expired' }],
  ])('takes %s', async (_, body, stored) => {
    expect(await rowOf(souk, souk.shop, await createDraft(souk, souk.shop, body))).toMatchObject(stored)
  })

  test('more than 500 that are not expired is 409, and an expired one makes room', async () => {
    const org = await createOrg(souk)
    await relate(souk, org, souk.products.samovar)
    const at = souk.clock.now()
    const row = {
      org_id: org.id,
      product_id: souk.products.samovar,
      ...DEAL,
      detail: null,
      price_cents: null,
      list_price_cents: null,
      starts_at: null,
      promo_code: null,
      created_at: at,
    }
    const rows = Array.from({ length: 499 }, () => ({ ...row, id: newId(), expires_at: null }))
    const over = { ...row, id: newId(), expires_at: at }
    await souk.database.db
      .insertInto('offers')
      .values([...rows, over])
      .execute()
    const body = { product_slug: 'samovar', ...DEAL }
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call(souk, org.bearer, 'POST', '/api/offers/create/', body)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'conflict', max: 500 })
    await setStatus(souk, org, rows[0]?.id ?? '', 'expired')
    expect((await call(souk, org.bearer, 'POST', '/api/offers/create/', body)).status).toBe(201)
    // Room is needed to come back too, by status or by a new end, or expiring and reviving would know no limit.
    for (const [path, change] of [
      ['update', { offer_id: rows[0]?.id, status: 'active' }],
      ['edit', { offer_id: over.id, expires_at: null }],
    ] as const) {
      const revived = await call(souk, org.bearer, 'PATCH', `/api/offers/${path}/`, change)
      expect(revived, path).toMatchObject({ status: 409, body: { code: 'conflict', max: 500 } })
    }
    await edit(souk, org, over.id, { headline: 'Still over' })
    await setStatus(souk, org, rows[1]?.id ?? '', 'expired')
    await setStatus(souk, org, rows[0]?.id ?? '', 'active')
  })
})

describe('editing', () => {
  const full = {
    detail: 'x',
    price_usd: 10,
    list_price_usd: 20,
    starts_at: '2026-11-02T00:00:00Z',
    expires_at: '2026-11-03T00:00:00Z',
    promo_code: 'A',
    offer_types: ['bundle'],
  }

  test.each([
    [{ headline: ' New ' }, { headline: 'New' }],
    [{ detail: 'y' }, { detail: 'y' }],
    [{ detail: null }, { detail: null }],
    [{ destination_url: 'https://shop.example/b' }, { destination_url: 'https://shop.example/b' }],
    [{ price_usd: 12.5 }, { price_usd: 1250 }],
    [{ price_usd: null }, { price_usd: null }],
    [{ list_price_usd: 0 }, { list_price_usd: 0 }],
    [{ list_price_usd: null }, { list_price_usd: null }],
    [{ starts_at: null }, { starts_at: null }],
    [{ expires_at: null }, { expires_at: null }],
    [{ promo_code: null }, { promo_code: null }],
    [{ offer_types: [] }, { offer_types: [] }],
    [{ offer_types: ['bogo', 'bogo'] }, { offer_types: ['bogo'] }],
  ])('%j changes that and nothing else', async (body, changed) => {
    const id = await createDraft(souk, souk.shop, full)
    const before = await rowOf(souk, souk.shop, id)
    await edit(souk, souk.shop, id, body)
    expect(await rowOf(souk, souk.shop, id)).toEqual({ ...before, ...changed })
  })

  test('does not look at the order of start and end (rule 3)', async () => {
    const id = await createDraft(souk, souk.shop, full)
    await edit(souk, souk.shop, id, { starts_at: '2027-01-02T00:00:00Z', expires_at: '2027-01-01T00:00:00Z' })
    expect(await rowOf(souk, souk.shop, id)).toMatchObject({ starts_at: '2027-01-02T00:00:00.000Z' })
    await setStatus(souk, souk.shop, id, 'active')
    souk.clock.set('2027-01-01T12:00:00Z')
    expect((await call(souk, null, 'GET', '/offers/gooseneck.json')).body.offers).toEqual([])
    souk.clock.set('2026-11-01T13:00:00Z')
  })

  test('without an editable field, or with values it has already, is 200 and writes nothing', async () => {
    const id = await createLive(souk, souk.shop, { ...full, starts_at: null })
    const before = [await souk.database.db.selectFrom('offers').selectAll().where('id', '=', id).execute()]
    const [history, changes] = [await audits(souk, souk.shop), await offerChanges(souk)]
    souk.clock.advance(1_000)
    for (const [, credential] of both(souk.shop))
      for (const body of [
        {},
        { status: 'paused', product_slug: 'samovar', id: 'x' },
        { ...DEAL, ...full, starts_at: null, offer_types: ['bundle', 'bundle'] },
      ]) {
        const answer = await call(souk, credential, 'PATCH', '/api/offers/edit/', { offer_id: id, ...body })
        expect(answer).toMatchObject({ status: 200, body: { ok: true } })
      }
    await setStatus(souk, souk.shop, id, 'active')
    expect([await souk.database.db.selectFrom('offers').selectAll().where('id', '=', id).execute()]).toEqual(
      before,
    )
    expect(await audits(souk, souk.shop)).toEqual(history)
    expect(await offerChanges(souk)).toEqual(changes)
  })

  test('is one record in the history that names the fields, not their values', async () => {
    const id = await createDraft(souk, souk.shop)
    await edit(souk, souk.shop, id, { headline: 'Other', price_usd: 5, detail: null })
    await setStatus(souk, souk.shop, id, 'active')
    expect((await audits(souk, souk.shop)).slice(-3)).toEqual([
      { action: 'offer.created', detail: { offer_id: id, product_slug: 'kettles/gooseneck' } },
      {
        action: 'offer.edited',
        detail: { offer_id: id, product_slug: 'kettles/gooseneck', fields: ['headline', 'price_usd'] },
      },
      {
        action: 'offer.status_set',
        detail: { offer_id: id, product_slug: 'kettles/gooseneck', from: 'draft', to: 'active' },
      },
    ])
  })
})

describe('the status', () => {
  test('may be set from any to any, by session and by bearer', async () => {
    const id = await createDraft(souk, souk.shop)
    for (const [, credential] of both(souk.shop))
      for (const status of ['expired', 'active', 'paused', 'active', 'expired', 'paused']) {
        const answer = await call(souk, credential, 'PATCH', '/api/offers/update/', { offer_id: id, status })
        expect(answer).toMatchObject({ status: 200, body: { ok: true } })
        expect((await rowOf(souk, souk.shop, id)).status).toBe(status)
      }
  })

  test('of an offer past its end reads as expired, whatever is set, and comes back with a later end', async () => {
    const id = await createLive(souk, souk.shop, { expires_at: '2026-11-01T12:30:00Z' })
    expect((await rowOf(souk, souk.shop, id)).status).toBe('expired')
    await setStatus(souk, souk.shop, id, 'active')
    expect((await rowOf(souk, souk.shop, id)).status).toBe('expired')
    await edit(souk, souk.shop, id, { expires_at: '2026-12-01T00:00:00Z' })
    expect((await rowOf(souk, souk.shop, id)).status).toBe('active')
  })
})

describe('the list', () => {
  test('shows the newest 100 of the organization alone, newest first, and what it is related to', async () => {
    const org = await createOrg(souk)
    await relate(souk, org, souk.products.samovar, { type: 'manufactured_by' })
    await relate(souk, org, souk.products.samovar)
    await relate(souk, org, souk.products.whistler, { status: 'pending' })
    const ids: string[] = []
    for (let n = 0; n < 103; n++) {
      ids.push(await createDraft(souk, org, { product_slug: 'samovar', headline: `Offer ${n}` }))
      if (n % 3 === 0) souk.clock.advance(1)
    }
    for (const [, credential] of both(org)) {
      const { body } = await call(souk, credential, 'GET', '/api/offers/list/')
      expect((body.offers as Array<{ id: string }>).map(({ id }) => id)).toEqual(
        ids.toReversed().slice(0, 100),
      )
      expect(body.products).toHaveLength(2)
      expect(body.products).toEqual(
        expect.arrayContaining([
          { product_slug: 'kettles/samovar', relationship_type: 'sells' },
          { product_slug: 'kettles/samovar', relationship_type: 'manufactured_by' },
        ]),
      )
    }
  })

  test('of an organization without offers is empty', async () => {
    expect(await list(souk, await createOrg(souk))).toEqual([])
  })
})

/** Two at once: nothing is lost, nothing is half done, and every node ends up showing what the database holds. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { takeTurn } from '../../src/catalog/relationships.service.ts'
import { call, relate } from '../orgs.ts'
import {
  audits,
  clear,
  createDraft,
  createLive,
  createOffersWorld,
  DEAL,
  get,
  offerChanges,
  rowOf,
  type World,
} from './offers.world.ts'

let souk: World
beforeAll(async () => {
  souk = await createOffersWorld()
})
beforeEach(() => clear(souk))

const shown = async (slug = 'gooseneck') =>
  ((await get(souk, `/offers/${slug}.json`)).body.offers as Array<{ id: string }>).map(({ id }) => id)

test('two edits of different fields at once both last, each with its own record', async () => {
  const id = await createLive(souk, souk.shop)
  const before = (await audits(souk, souk.shop)).length
  const edits = Array.from({ length: 8 }, (_, n) =>
    call(souk, n % 2 ? souk.shop.session : souk.shop.bearer, 'PATCH', '/api/offers/edit/', {
      offer_id: id,
      ...(n % 2 ? { headline: `Headline ${n}` } : { detail: `Detail ${n}` }),
    }),
  )
  expect((await Promise.all(edits)).map(({ status }) => status)).toEqual(Array(8).fill(200))
  const row = await rowOf(souk, souk.shop, id)
  expect(row.headline).toMatch(/^Headline [1357]$/)
  expect(row.detail).toMatch(/^Detail [0246]$/)
  expect((await audits(souk, souk.shop)).length - before).toBe(8)
  expect((await get(souk, '/offers/gooseneck.json')).body.offers).toMatchObject([
    { headline: row.headline, detail: row.detail },
  ])
})

test('a status and an edit at once both last', async () => {
  for (let round = 0; round < 5; round++) {
    const id = await createDraft(souk, souk.shop)
    const patch = (path: string, body: Record<string, unknown>) =>
      call(souk, souk.shop.bearer, 'PATCH', path, { offer_id: id, ...body })
    const answers = await Promise.all([
      patch('/api/offers/edit/', { price_usd: 10, expires_at: '2026-12-01T00:00:00Z' }),
      patch('/api/offers/update/', { status: 'active' }),
      patch('/api/offers/edit/', { promo_code: 'X' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await rowOf(souk, souk.shop, id)).toMatchObject({
      status: 'active',
      price_usd: 1000,
      promo_code: 'X',
    })
    expect(await shown()).toContain(id)
  }
})

test('the same status by two at once is one change and one record', async () => {
  const id = await createDraft(souk, souk.shop)
  const [history, changes] = [(await audits(souk, souk.shop)).length, (await offerChanges(souk)).length]
  const body = { offer_id: id, status: 'active' }
  await Promise.all(
    Array.from({ length: 6 }, () => call(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', body)),
  )
  expect((await audits(souk, souk.shop)).length - history).toBe(1)
  expect((await offerChanges(souk)).length - changes).toBe(1)
})

test('withdrawing both relationships at once leaves no offer shown', async () => {
  for (let round = 0; round < 6; round++) {
    const made = await relate(souk, souk.shop, souk.products.samovar, { type: 'manufactured_by' })
    const sold = await relate(souk, souk.shop, souk.products.samovar)
    const id = await createLive(souk, souk.shop, { product_slug: 'samovar' })
    expect(await shown('samovar')).toEqual([id])
    const answers = await Promise.all(
      [made, sold].map((relationship_id) =>
        call(souk, souk.shop.bearer, 'DELETE', '/api/org/products/', { relationship_id }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await shown('samovar')).toEqual([])
    expect((await rowOf(souk, souk.shop, id)).status).toBe('paused')
  }
})

test('an offer set active waits for a withdrawal under way, and is then shown to nobody', async () => {
  const relationship = await relate(souk, souk.shop, souk.products.samovar)
  const id = await createDraft(souk, souk.shop, { product_slug: 'samovar' })
  let answered = false
  const body = { offer_id: id, status: 'active' }
  const { promise: activated, resolve } = Promise.withResolvers<number>()
  await souk.database.db.transaction().execute(async (tx) => {
    await takeTurn(tx, souk.shop.id)
    await tx.deleteFrom('product_relationships').where('id', '=', relationship).execute()
    void call(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', body).then(({ status }) => {
      answered = true
      resolve(status)
    })
    await new Promise((done) => setTimeout(done, 300))
    expect(answered).toBe(false)
  })
  expect(await activated).toBe(200)
  expect(await shown('samovar')).toEqual([])
  expect(await offerChanges(souk)).toEqual([])
})

test('withdrawing the product while its offers are set active deadlocks nobody and leaves none shown', async () => {
  for (let round = 0; round < 6; round++) {
    const relationship_id = await relate(souk, souk.shop, souk.products.samovar)
    const create = () => createDraft(souk, souk.shop, { product_slug: 'samovar', ...DEAL })
    const ids = [await create(), await create(), await create()]
    const activate = (offer_id: string) =>
      call(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
    const answers = await Promise.all([
      activate(ids[0] ?? ''),
      call(souk, souk.shop.bearer, 'DELETE', '/api/org/products/', { relationship_id }),
      activate(ids[1] ?? ''),
      activate(ids[2] ?? ''),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    await souk.catchUp()
    expect(await shown('samovar')).toEqual([])
    await souk.database.db.deleteFrom('offers').where('product_id', '=', souk.products.samovar).execute()
  }
})

/** The operators' queue, rejections, and what becomes of a status; over HTTP. */
import { beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '../../test/accounts.ts'
import {
  ADMIN,
  createEnrichmentWorld,
  createReviewTools,
  type EnrichmentWorld,
} from '../../test/e2e/enrichment.world.ts'
import { call, type TestOrg } from '../../test/orgs.ts'
import { count } from '../db/rows.ts'

let world: EnrichmentWorld

beforeAll(async () => {
  world = await createEnrichmentWorld()
})

const { profileOf, pending, audits, reject, stored } = createReviewTools(() => world)

describe('the queue', () => {
  test('is for operators: 401 without a session, 400 for a bad question, 403 for everybody else', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const person = await signIn(world)
    for (const [method, path, body] of [
      ['GET', `${ADMIN}/`, undefined],
      ['POST', `${ADMIN}/approve/`, { enrichment_id: 'x' }],
      ['POST', `${ADMIN}/reject/`, { enrichment_id: 'x' }],
    ] as const) {
      expect((await call(world, null, method, path, body)).status).toBe(401)
      expect((await call(world, org.bearer, method, path, body)).status).toBe(401)
      expect((await call(world, org.session, method, path, body)).status).toBe(403)
      expect((await call(world, { cookie: person.cookie }, method, path, body)).status).toBe(403)
    }
    const bad = await call(world, org.session, 'GET', `${ADMIN}/?status=open`)
    expect([bad.status, bad.body.valid]).toEqual([400, ['pending', 'approved', 'rejected', 'withdrawn']])
    expect((await call(world, org.session, 'POST', `${ADMIN}/approve/`, {})).body.field).toBe('enrichment_id')
    expect((await world.approve('x')).status).toBe(404)
    expect((await reject('00000000-0000-7000-8000-000000000000')).status).toBe(404)
  })

  test('has what is proposed for a hidden product, and an approval does not show the product', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const id = await pending(org, product.slug, { fields: { sku: 'hidden-1' } })
    await world.database.pool.query('update products set hidden_at = now() where id = $1', [product.id])
    const { body } = await call(world, world.operator, 'GET', `${ADMIN}/`)
    expect(body.enrichments).toContainEqual(expect.objectContaining({ enrichment_id: id }))
    expect((await world.approve(id)).status).toBe(200)
    expect((await call(world, null, 'GET', `/p/kettles/${product.slug}.json`)).status).toBe(404)
  })

  test('shows what is proposed beside what is there, and who said that; of specs, those proposed', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id, { name: 'Queue Shop' })
    const id = await pending(org, product.slug, {
      fields: { specs: { volume: '1.8 l', Colour: 'red' }, price: 45, model: null },
      images: [{ url: 'https://shop.example/q.jpg' }],
      evidence_url: 'https://shop.example/data-sheet',
      note: 'See the data sheet.',
    })
    const { status, body } = await call(world, world.operator, 'GET', `${ADMIN}/`)
    expect(status).toBe(200)
    const entry = (body.enrichments as Array<Record<string, unknown>>).find((one) => one.enrichment_id === id)
    expect(entry).toEqual({
      enrichment_id: id,
      org: { id: org.id, name: 'Queue Shop', org_type: 'retailer', verified: true, active: true },
      product: {
        slug: `kettles/${product.slug}`,
        title: expect.stringContaining('Acme Kettle'),
        url: `http://souk.test/p/kettles/${product.slug}`,
        verification_status: 'base',
      },
      changes: expect.arrayContaining([
        {
          field: 'specs',
          current: { Volume: '1.7 l' },
          proposed: { volume: '1.8 l', Colour: 'red' },
          current_source: 'feed',
        },
        {
          field: 'price',
          current: { low: 49, high: 59 },
          proposed: { low: 45, high: 45 },
          current_source: 'feed',
        },
        { field: 'model', current: null, proposed: null, current_source: null },
      ]),
      current_images: [],
      status: 'pending',
      images: [{ url: 'https://shop.example/q.jpg', alt: null }],
      confirms_profile: false,
      evidence: ['https://shop.example/data-sheet'],
      note: 'See the data sheet.',
      created_at: '2026-11-01T12:00:00.000Z',
      reviewed_at: null,
      review_note: null,
    })
  })

  test('gives what waits oldest first, by pages', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const ids = [await pending(org, product.slug, { fields: { model: '1' } })]
    ids.push(await pending(org, product.slug, { fields: { model: '2' } }))
    const all = (await call(world, world.operator, 'GET', `${ADMIN}?limit=100`)).body
    const order = (all.enrichments as Array<{ enrichment_id: string }>).map((one) => one.enrichment_id)
    expect(order.slice(-2)).toEqual(ids)
    const last = (await call(world, world.operator, 'GET', `${ADMIN}?offset=${Number(all.total) - 1}`)).body
    expect((last.enrichments as Array<{ enrichment_id: string }>).map((one) => one.enrichment_id)).toEqual([
      ids[1],
    ])
  })
})

test('a rejection keeps everything but the proposal’s own state, with its note and one record', async () => {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id)
  const before = [await profileOf(product.id), await world.read(product.slug)]
  const position = () => count(world.database.db)`select count(*) from changes`
  const changes = await position()
  const id = await pending(org, product.slug, {
    fields: { title: 'No' },
    images: [{ url: 'https://shop.example/no.jpg' }],
  })
  expect((await reject(id, 'No <b>proof</b>.')).body).toEqual({ enrichment_id: id, status: 'rejected' })
  expect([await profileOf(product.id), await world.read(product.slug)]).toEqual(before)
  expect(await position()).toBe(changes)
  expect(await stored(id)).toMatchObject({ status: 'rejected', review_note: 'No proof.' })
  expect(await audits(org)).toMatchObject([{ action: 'enrichment.rejected' }])
  expect((await reject(id)).status).toBe(409)
})

test('the status rises with who contributed, and falls only when somebody else changes what was confirmed', async () => {
  const product = await world.addProduct()
  const seller = await world.addProducer(product.id)
  const maker = await world.addProducer(product.id, { type: 'manufactured_by', orgType: 'manufacturer' })
  const after = async (org: TestOrg, body: Record<string, unknown>) =>
    (await world.enrich(org, { product_slug: product.slug, ...body })).verification_status
  expect(await after(seller, { fields: { sku: '1' } })).toBe('producer_enriched')
  expect(await after(maker, { fields: { sku: '2' } })).toBe('manufacturer_enriched')
  expect(await after(seller, { fields: { sku: '3' } })).toBe('manufacturer_enriched')
  expect(await after(maker, { confirms_profile: true })).toBe('manufacturer_verified')
  expect(await after(maker, { fields: { sku: '4' } })).toBe('manufacturer_verified')
  expect(await after(seller, { fields: { sku: '4' } })).toBe('manufacturer_verified')
  expect(await after(seller, { images: [{ url: 'https://shop.example/s.jpg' }] })).toBe(
    'manufacturer_enriched',
  )
  expect(await after(maker, { confirms_profile: true })).toBe('manufacturer_verified')
  expect(await after(seller, { fields: { sku: '5' } })).toBe('manufacturer_enriched')
})

test('a later import leaves what was approved as it is, but has the last word on prices', async () => {
  const product = await world.addProduct()
  const org = await world.addProducer(product.id, { name: 'Earlier Shop' })
  await world.enrich(org, {
    product_slug: product.slug,
    fields: { title: 'Enriched title', sku: 'kept', price: { low: 10, high: 12 } },
    images: [{ url: 'https://shop.example/kept.jpg' }],
  })
  await world.importRow({ slug: product.slug, category: 'kettles', title: 'Imported title', price: 30 })
  expect(await profileOf(product.id)).toMatchObject({
    title: 'Enriched title',
    priceLowCents: 3000,
    sku: 'kept',
    additionalImages: [{ url: 'https://shop.example/kept.jpg', alt: null }],
    verificationStatus: 'producer_enriched',
    provenance: {
      title: { source: 'Earlier Shop', verifiedAt: expect.any(String) },
      price: { source: 'feed', verifiedAt: null },
      sku: { source: 'Earlier Shop', verifiedAt: expect.any(String) },
    },
  })
})

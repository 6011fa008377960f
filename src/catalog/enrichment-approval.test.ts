/** What an approval does, all at once or not at all; over HTTP. */
import { beforeAll, describe, expect, test } from 'vitest'
import {
  createEnrichmentWorld,
  createReviewTools,
  type EnrichmentWorld,
} from '../../test/e2e/enrichment.world.ts'
import { relate } from '../../test/orgs.ts'
import { whatChanged } from './changes.service.ts'
import { approveEnrichment } from './enrichment-review.service.ts'

let world: EnrichmentWorld

beforeAll(async () => {
  world = await createEnrichmentWorld()
})

const { profileOf, pending, audits, reject, stored } = createReviewTools(() => world)

describe('an approval', () => {
  test('merges specs by name, replaces lists, takes away what is null, and leaves the rest', async () => {
    const product = await world.addProduct({ best_for: ['tea'], list_price: 70 })
    const org = await world.addProducer(product.id, { name: 'Merge Shop' })
    world.clock.advance(60_000)
    await world.enrich(org, {
      product_slug: product.slug,
      fields: {
        specs: { VOLUME: '1.8 l', Zip: 'z', Age: '1 year' },
        best_for: ['coffee', 'soup'],
        list_price: null,
        where_to_buy: [{ name: 'Shop', url: 'https://shop.example/k', price: 44 }],
      },
    })
    const profile = await profileOf(product.id)
    expect(profile).toMatchObject({
      description: 'Boils water.',
      specs: [
        { name: 'VOLUME', value: '1.8 l' },
        { name: 'Watts', value: '2200' },
        { name: 'Zip', value: 'z' },
        { name: 'Age', value: '1 year' },
      ],
      bestFor: ['coffee', 'soup'],
      listPriceCents: null,
      whereToBuy: [{ name: 'Shop', url: 'https://shop.example/k', priceCents: 4400 }],
      priceLowCents: 4900,
      updatedAt: world.clock.now(),
    })
    const said = { source: 'Merge Shop', verifiedAt: world.clock.now().toISOString() }
    expect(profile.provenance).toMatchObject({
      specs: said,
      best_for: said,
      title: { source: 'feed', verifiedAt: null },
    })
    await world.enrich(org, { product_slug: product.slug, fields: { specs: null } })
    expect((await profileOf(product.id)).specs).toEqual([])
  })

  test('records each aspect that changed, and what an agent asks for tells it', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id, { name: 'Changing Shop' })
    const since = world.clock.now()
    world.clock.advance(60_000)
    await world.enrich(org, {
      product_slug: product.slug,
      fields: { price: 41, discontinued: true, description: 'Boils anything.' },
      images: [{ url: 'https://shop.example/c.jpg' }],
    })
    const changes = await whatChanged(world.ctx, { products: [product.slug], since })
    expect(changes.map(({ aspect }) => aspect).toSorted()).toEqual(['discontinued', 'price', 'text'])
    expect(changes.find(({ aspect }) => aspect === 'text')?.after).toEqual({
      description: 'Boils anything.',
      verificationStatus: 'producer_enriched',
      additionalImages: ['https://shop.example/c.jpg'],
      enrichedBy: ['Changing Shop'],
    })
  })

  test('is one record in the organization’s history, by the operator who decided', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const id = await pending(org, product.slug, { fields: { sku: 'A' } })
    await world.approve(id, { note: 'Fine.' })
    const user = await world.database.db
      .selectFrom('users')
      .select('id')
      .where('email', '=', 'operator@example.com')
      .executeTakeFirstOrThrow()
    expect(await audits(org)).toMatchObject([
      {
        action: 'enrichment.approved',
        actor_kind: 'user',
        actor_id: user.id,
        detail: { enrichment_id: id, product_id: product.id, parts: ['sku'] },
      },
    ])
    expect(await stored(id)).toMatchObject({ status: 'approved', reviewed_by: user.id, review_note: 'Fine.' })
  })

  test('twice at once happens once', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const id = await pending(org, product.slug, { fields: { sku: 'once' } })
    const answers = await Promise.all([world.approve(id), world.approve(id), reject(id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(await audits(org)).toHaveLength(1)
  })

  test('of two proposals at once loses neither', async () => {
    const product = await world.addProduct()
    const orgs = [await world.addProducer(product.id), await world.addProducer(product.id)] as const
    const ids = await Promise.all(
      orgs.map((org, n) => pending(org, product.slug, { fields: { specs: { [`From ${n}`]: 'yes' } } })),
    )
    await Promise.all(ids.map((id) => world.approve(id)))
    const names = (await profileOf(product.id)).specs.map(({ name }) => name)
    expect(names.toSorted()).toEqual(['From 0', 'From 1', 'Volume', 'Watts'])
  })

  test('of some parts changes only those; the others are kept as rejected, with the same note', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const id = await pending(org, product.slug, {
      fields: { title: 'Better title', sku: 'P-1', price: 1 },
      images: [{ url: 'https://shop.example/p.jpg' }],
    })
    const unknown = await world.approve(id, { fields: ['sku', 'model'] })
    expect([unknown.status, unknown.body.field, unknown.body.valid]).toEqual([
      400,
      'fields',
      ['title', 'price', 'sku', 'images'],
    ])
    expect((await world.approve(id, { fields: [] })).status).toBe(400)
    const { body } = await world.approve(id, { fields: ['title', 'sku'], note: 'The price is wrong.' })
    const rejected = body.rejected as { enrichment_id: string; fields: string[] }
    expect([body.approved, rejected.fields]).toEqual([
      ['title', 'sku'],
      ['price', 'images'],
    ])
    const profile = await profileOf(product.id)
    expect(profile).toMatchObject({ title: 'Better title', sku: 'P-1', priceLowCents: 4900 })
    expect(profile.additionalImages).toBeUndefined()
    expect(await stored(id)).toMatchObject({
      status: 'approved',
      fields: { title: 'Better title', sku: 'P-1' },
    })
    expect(await stored(rejected.enrichment_id)).toMatchObject({
      status: 'rejected',
      fields: { price: { low: 1, high: 1 } },
      review_note: 'The price is wrong.',
      org_id: org.id,
    })
    expect(await audits(org)).toHaveLength(1)
  })

  test('that would take another product’s identifier is 409 and names that product; all stays as it was', async () => {
    const owner = await world.addProduct({ gtin: '4006381333931', mpn: 'AC-1' })
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    for (const [field, value] of [
      ['gtin', '4006381333931'],
      ['mpn', 'ac-1'],
    ] as const) {
      const id = await pending(org, product.slug, { fields: { [field]: value, title: 'Changed' } })
      const { status, body } = await world.approve(id)
      expect([status, body.field]).toEqual([409, field])
      expect(body.error).toContain(owner.slug)
      expect(await stored(id)).toMatchObject({ status: 'pending', reviewed_at: null })
    }
    expect((await profileOf(product.id)).title).not.toBe('Changed')
    expect(await audits(org)).toEqual([])
  })

  test('of an identifier the product has already is no conflict', async () => {
    const product = await world.addProduct({ gtin: '96385074' })
    const org = await world.addProducer(product.id)
    await world.enrich(org, { product_slug: product.slug, fields: { gtin: '96385074', sku: 'S' } })
    expect(await profileOf(product.id)).toMatchObject({ gtin: '96385074', sku: 'S' })
  })

  test('is 409 when the relationship it hangs on is gone, or the organization is deactivated', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id, { type: 'manufactured_by' })
    await relate(world, org, product.id, { type: 'sells' })
    const [confirms, fields] = [
      await pending(org, product.slug, { confirms_profile: true }),
      await pending(org, product.slug, { fields: { sku: 'gone' } }),
    ]
    const forget = (type: string) =>
      world.database.pool.query(
        `update product_relationships set status = 'pending', verified_at = null
         where org_id = $1 and relationship_type = $2`,
        [org.id, type],
      )
    await forget('manufactured_by')
    const refused = await world.approve(confirms)
    expect([refused.status, refused.body.code]).toEqual([409, 'no_verified_relationship'])
    await forget('sells')
    expect((await world.approve(fields)).status).toBe(409)
    await world.database.pool.query(
      `update product_relationships set status = 'verified', verified_at = now()`,
    )
    await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [org.id])
    const closed = await world.approve(fields)
    expect([closed.status, closed.body.code]).toEqual([409, 'org_deactivated'])
    expect((await profileOf(product.id)).verificationStatus).toBe('base')
    expect((await reject(fields)).status).toBe(200)
  })

  test('that would leave more specs than a product can have is 409', async () => {
    const many = (prefix: string) =>
      Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`${prefix} ${n}`, 'x']))
    const product = await world.addProduct({ specs: many('Old') })
    const org = await world.addProducer(product.id)
    const id = await pending(org, product.slug, { fields: { specs: many('New') } })
    const { status, body } = await world.approve(id)
    expect([status, body.field, body.max]).toEqual([409, 'specs', 100])
  })

  test('by the command line is the operator’s, not a person’s', async () => {
    const product = await world.addProduct()
    const org = await world.addProducer(product.id)
    const id = await pending(org, product.slug, { fields: { sku: 'cli' } })
    await approveEnrichment(world.ctx, { by: { kind: 'operator', id: null }, id })
    expect(await audits(org)).toMatchObject([{ actor_kind: 'operator', actor_id: null }])
    expect((await stored(id)).reviewed_by).toBeNull()
  })
})

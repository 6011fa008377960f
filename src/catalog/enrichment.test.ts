/** What producers may propose, and who may see and withdraw it; over HTTP. */
import { beforeAll, describe, expect, test } from 'vitest'
import { createEnrichmentWorld, type EnrichmentWorld, PATH } from '../../test/e2e/enrichment.world.ts'
import { addMember, call, createOrg, relate, type TestOrg } from '../../test/orgs.ts'
import { PROPOSABLE_FIELDS } from './enrichment.schema.ts'

let world: EnrichmentWorld
let product: { id: string; slug: string }
let seller: TestOrg
let stranger: TestOrg

beforeAll(async () => {
  world = await createEnrichmentWorld()
  product = await world.addProduct()
  seller = await world.addProducer(product.id, { name: 'Kettle Shop' })
  stranger = await createOrg(world)
})

const propose = (fields: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  world.submit(seller.bearer, { product_slug: product.slug, fields, ...more })
const auditOf = async (org: TestOrg, action: string) =>
  world.database.db
    .selectFrom('audit_log')
    .selectAll()
    .where('org_id', '=', org.id)
    .where('action', '=', action)
    .execute()

describe('proposing', () => {
  test('is told its id, waits for review, and changes nothing that anybody sees', async () => {
    const before = await world.read(product.slug)
    const { status, body } = await propose({ title: 'Acme Kettle, the better one' })
    expect([status, body]).toEqual([201, { enrichment_id: expect.any(String), status: 'pending' }])
    expect(await world.read(product.slug)).toEqual(before)
  })

  test('takes both forms of a slug, with and without the trailing slash, by session and by token', async () => {
    const ask = (by: { cookie: string } | { bearer: string }, path: string, slug: string, n: number) =>
      call(world, by, 'POST', path, { product_slug: slug, fields: { model: `M${n}` } })
    const answers = [
      await ask(seller.session, PATH, product.slug, 1),
      await ask(seller.bearer, PATH.slice(0, -1), `kettles/${product.slug}`, 2),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
  })

  test('the same proposal again is the one that waits already, also when both come at once', async () => {
    const body = { specs: { Weight: '1 kg', Colour: 'red' } }
    const [a, b] = await Promise.all([propose(body), propose(body)])
    expect([a.status, b.status].toSorted()).toEqual([200, 201])
    expect(a.body).toEqual(b.body)
    const reordered = await propose({ specs: { Colour: 'red', Weight: '1 kg' } }, { note: 'another' })
    expect(reordered.status).toBe(201)
  })

  test('is one record in the organization’s history, with the names of the parts and no values', async () => {
    const before = (await auditOf(seller, 'enrichment.submitted')).length
    const { body } = await propose({ sku: 'K-1' }, { images: [{ url: 'https://shop.example/1.jpg' }] })
    const after = await auditOf(seller, 'enrichment.submitted')
    expect(after.length).toBe(before + 1)
    expect(after.at(-1)).toMatchObject({
      actor_kind: 'link_token',
      actor_id: seller.tokenId,
      detail: { enrichment_id: body.enrichment_id, product_id: product.id, parts: ['sku', 'images'] },
    })
    await propose({ sku: 'K-1' }, { images: [{ url: 'https://shop.example/1.jpg' }] })
    expect((await auditOf(seller, 'enrichment.submitted')).length).toBe(before + 1)
  })

  test('no more than twenty wait for one product, also when many come at once', async () => {
    const busy = await world.addProduct()
    const org = await world.addProducer(busy.id)
    const one = (n: number) =>
      world.submit(org.bearer, { product_slug: busy.slug, fields: { model: `M${n}` } })
    const answers = await Promise.all(Array.from({ length: 23 }, (_, n) => one(n)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body).toMatchObject({ code: 'conflict', max: 20 })
    expect((await propose({ model: 'another product has room' })).status).toBe(201)
  })
})

describe('what is refused', () => {
  test('nobody in particular: 401 before anything is read', async () => {
    for (const by of [null, { bearer: 'souk_link_wrong' }]) {
      expect((await call(world, by, 'POST', PATH, 'not json')).status).toBe(401)
      expect((await call(world, by, 'GET', PATH)).status).toBe(401)
      expect((await call(world, by, 'DELETE', PATH, {})).status).toBe(401)
    }
  })

  test('a bad body is told before the missing right (400 over 403)', async () => {
    const viewer = await addMember(world, seller, 'viewer')
    const bad = { product_slug: product.slug, fields: { price: -1 } }
    expect((await world.submit(stranger.bearer, bad)).status).toBe(400)
    expect((await world.submit(viewer, bad)).status).toBe(400)
    expect((await world.submit(viewer, { ...bad, fields: { price: 1 } })).status).toBe(403)
  })

  test.each([
    'rating',
    'review_count',
    'themes',
    'verdict',
    'brand',
    'slug',
    'images',
    'constructor',
    'nonsense',
  ])('fields.%s is not a producer’s to propose, and what is, is listed', async (name) => {
    const { status, body } = await propose({ title: 'Good', [name]: 5 })
    expect([status, body.field, body.valid]).toEqual([400, `fields.${name}`, PROPOSABLE_FIELDS])
  })

  test.each([
    [{ fields: { specs: 'heavy' } }, 'fields.specs'],
    [{ fields: { specs: {} } }, 'fields.specs'],
    [{ fields: { title: null } }, 'fields.title'],
    [{ fields: { title: ' <b></b> ' } }, 'fields.title'],
    [{ fields: { price: { low: 5, high: 4 } } }, 'fields.price'],
    [{ fields: { list_price: 1.999 } }, 'fields.list_price'],
    [{ fields: { gtin: '4006381333932' } }, 'fields.gtin'],
    [{ fields: { released: 'soon' } }, 'fields.released'],
    [{ fields: { discontinued: 'no' } }, 'fields.discontinued'],
    [{ fields: { where_to_buy: [{ name: 'X', url: 'javascript:alert(1)' }] } }, 'fields.where_to_buy.0.url'],
    [{ fields: [] }, 'fields'],
    [{ fields: {} }, 'fields'],
    [{ images: [] }, 'fields'],
    [{ confirms_profile: false, note: 'hello' }, 'fields'],
    [{ images: [{ url: 'http://shop.example/1.jpg' }] }, 'images.0.url'],
    [{ images: [{ url: 'https://user:pass@shop.example/1.jpg' }] }, 'images.0.url'],
    [{ images: [{ url: 'javascript:alert(1)' }] }, 'images.0.url'],
    [{ images: [{ url: `https://shop.example/${'x'.repeat(2_000)}` }] }, 'images.0.url'],
    [{ images: Array.from({ length: 13 }, (_, n) => ({ url: `https://shop.example/${n}` })) }, 'images'],
    [{ fields: { title: 'T' }, evidence_url: 'ftp://shop.example' }, 'evidence_url'],
    [{ fields: { title: 'T' }, evidence: ['data:text/html,x'] }, 'evidence.0'],
    [
      {
        fields: { title: 'T' },
        evidence: ['1', '2', '3', '4', '5', '6'].map((n) => `https://a.example/${n}`),
      },
      'evidence',
    ],
    [
      {
        fields: { title: 'T' },
        evidence_url: 'https://a.example/0',
        evidence: ['1', '2', '3', '4', '5'].map((n) => `https://a.example/${n}`),
      },
      'evidence',
    ],
    [{ fields: { title: 'T' }, note: 'x'.repeat(1_001) }, 'note'],
    [{ fields: { title: 'T' }, confirms_profile: 'yes' }, 'confirms_profile'],
    [{ product_slug: 7, fields: { title: 'T' } }, 'product_slug'],
    [{ product_slug: 'a/b/c', fields: { title: 'T' } }, 'product_slug'],
  ])('%j names the field that is wrong', async (body, field) => {
    const answer = await world.submit(seller.bearer, { product_slug: product.slug, ...body })
    expect([answer.status, answer.body.field]).toEqual([400, field])
  })

  test('a body over the limit is 413, and nothing of it is kept', async () => {
    const { status, body } = await propose({ description: 'x'.repeat(1_000_000) })
    expect([status, body.code]).toEqual([413, 'body_too_large'])
  })

  test('an unknown product, or a known one under another category, is 404', async () => {
    for (const slug of ['nothing', `tents/${product.slug}`]) {
      const answer = await world.submit(seller.bearer, { product_slug: slug, fields: { title: 'T' } })
      expect([answer.status, answer.body.code]).toEqual([404, 'not_found'])
    }
  })

  test('no relationship, or one that still waits, is 403 no_verified_relationship', async () => {
    const body = { product_slug: product.slug, fields: { title: 'T' } }
    const claimed = await createOrg(world)
    await relate(world, claimed, product.id, { status: 'pending' })
    for (const org of [stranger, claimed]) {
      const answer = await world.submit(org.bearer, body)
      expect([answer.status, answer.body.code]).toEqual([403, 'no_verified_relationship'])
    }
  })

  test('a seller cannot confirm a whole profile; its verified manufacturer can', async () => {
    const body = { product_slug: product.slug, confirms_profile: true }
    const maker = await world.addProducer(product.id, { type: 'manufactured_by' })
    const refused = await world.submit(seller.bearer, body)
    expect([refused.status, refused.body.code]).toEqual([403, 'no_verified_relationship'])
    expect((await world.submit(maker.bearer, body)).status).toBe(201)
  })

  test('a deactivated organization proposes nothing', async () => {
    const closed = await world.addProducer(product.id, { deactivated: true })
    const answer = await world.submit(closed.bearer, { product_slug: product.slug, fields: { title: 'T' } })
    expect([answer.status, answer.body.code]).toEqual([403, 'org_deactivated'])
  })
})

describe('looking', () => {
  test('an organization sees who said which field, and its own proposals only, as they were cleaned', async () => {
    const shown = await world.addProduct()
    const [one, other] = [await world.addProducer(shown.id), await world.addProducer(shown.id)]
    const slug = `kettles/${shown.slug}`
    await world.submit(other.bearer, { product_slug: slug, fields: { title: 'Not yours to see' } })
    const { body: submitted } = await world.submit(one.bearer, {
      product_slug: slug,
      fields: { specs: { ' <b>Zeta</b> ': 1, Alpha: true, 7: 'seven' }, price: 10, gtin: '4006381-333931' },
      images: [{ url: 'https://Shop.example/a b.jpg', alt: ' <i>Front</i> ' }],
      evidence_url: 'http://shop.example',
      note: 'As <b>printed</b>.',
    })
    const { status, body, headers } = await call(
      world,
      one.bearer,
      'GET',
      `${PATH}?product_slug=${shown.slug}`,
    )
    expect(status).toBe(200)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(body).toMatchObject({ product_slug: slug, verification_status: 'base', total: 1 })
    expect(body.fields).toContainEqual({ field: 'title', source: 'feed', verified_at: null })
    expect(body.proposals).toEqual([
      {
        enrichment_id: submitted.enrichment_id,
        product_slug: slug,
        status: 'pending',
        fields: {
          specs: { 7: 'seven', Zeta: '1', Alpha: 'Yes' },
          price: { low: 10, high: 10 },
          gtin: '4006381333931',
        },
        images: [{ url: 'https://shop.example/a%20b.jpg', alt: 'Front' }],
        confirms_profile: false,
        evidence: ['http://shop.example/'],
        note: 'As printed.',
        created_at: '2026-11-01T12:00:00.000Z',
        reviewed_at: null,
        review_note: null,
      },
    ])
    expect((await call(world, one.bearer, 'GET', `${PATH}?product_slug=nothing`)).status).toBe(404)
  })

  test('without a product, all of its own, newest first, by pages', async () => {
    const [a, b] = [await world.addProduct(), await world.addProduct()]
    const org = await world.addProducer(a.id)
    await relate(world, org, b.id)
    for (const [slug, model] of [
      [a.slug, 'first'],
      [b.slug, 'second'],
      [a.slug, 'third'],
    ])
      await world.submit(org.bearer, { product_slug: slug, fields: { model } })
    const viewer = await addMember(world, org, 'viewer')
    const page = async (query: string) => {
      const { body } = await call(world, viewer, 'GET', `${PATH}${query}`)
      const proposals = body.proposals as Array<{ fields: { model: string } }>
      return [body.total, proposals.map(({ fields }) => fields.model)]
    }
    expect(await page('')).toEqual([3, ['third', 'second', 'first']])
    expect(await page('?limit=1&offset=1')).toEqual([3, ['second']])
    for (const [query, field] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['limit=x', 'limit'],
      ['offset=-1', 'offset'],
    ]) {
      const answer = await call(world, viewer, 'GET', `${PATH}?${query}`)
      expect([query, answer.status, answer.body.field]).toEqual([query, 400, field])
    }
  })
})

describe('withdrawing', () => {
  const withdraw = (by: { bearer: string } | { cookie: string }, id: unknown) =>
    call(world, by, 'DELETE', PATH, { enrichment_id: id })

  test('ends what waits, once, with one record; it can no longer be approved', async () => {
    const { body } = await propose({ mpn: 'W-1' })
    const id = body.enrichment_id
    const [a, b] = await Promise.all([withdraw(seller.bearer, id), withdraw(seller.session, id)])
    expect([a.status, b.status].toSorted()).toEqual([200, 409])
    expect((await auditOf(seller, 'enrichment.withdrawn')).length).toBe(1)
    expect((await world.approve(id)).status).toBe(409)
    expect((await propose({ mpn: 'W-1' })).body.enrichment_id).not.toBe(id)
  })

  test('another organization’s is 404, not 403, and stays', async () => {
    const { body } = await propose({ mpn: 'W-2' })
    for (const id of [body.enrichment_id, '00000000-0000-7000-8000-000000000000', 'x\u0000'])
      expect((await withdraw(stranger.bearer, id)).status).toBe(404)
    expect((await withdraw(seller.bearer, body.enrichment_id)).status).toBe(200)
  })

  test('a viewer cannot, and a body without an id is 400', async () => {
    const { body } = await propose({ mpn: 'W-3' })
    const viewer = await addMember(world, seller, 'viewer')
    expect((await withdraw(viewer, body.enrichment_id)).status).toBe(403)
    expect((await withdraw(viewer, undefined)).status).toBe(400)
  })
})

/** Claiming, listing and withdrawing products: what proves a claim, what does not, and what hangs on it. */
import { beforeAll, describe, expect, test } from 'vitest'
import { listPendingRelationships, verifyRelationship } from '../../src/catalog/relationships.service.ts'
import { ORG_HOOKS, RELATIONSHIP_HOOKS } from '../../src/org-hooks.ts'
import { signIn } from '../accounts.ts'
import { addMember, call, createOrg, type TestOrg } from '../orgs.ts'
import {
  audits,
  both,
  createLive,
  createOffersWorld,
  DEAL,
  get,
  rowOf,
  setStatus,
  type World,
} from './offers.world.ts'
import { put } from './search.world.ts'

let souk: World
beforeAll(async () => {
  souk = await createOffersWorld()
  await put(souk.ctx, {
    slug: 'claimable',
    title: 'Claimable kettle',
    brand: 'Acme',
    brand_domain: 'kettles.acme.example',
    where_to_buy: [
      { name: 'Tea House', url: 'https://shop.teahouse.example/kettle' },
      { name: 'Mall', url: 'https://mall.example/?to=https://sly.example/' },
    ],
  })
})

const claim = (org: TestOrg, body: Record<string, unknown> = {}, by: 'session' | 'bearer' = 'bearer') =>
  call(souk, org[by], 'POST', '/api/org/products/claim/', {
    product_slug: 'kettles/claimable',
    relationship_type: 'sells',
    ...body,
  })
const products = async (org: TestOrg) =>
  (await call(souk, org.bearer, 'GET', '/api/org/products/')).body.products as Array<Record<string, unknown>>
const shown = async (slug: string) =>
  ((await get(souk, `/offers/${slug}.json`)).body.offers as Array<{ id: string }>).map(({ id }) => id)
const history = async (org: TestOrg) => (await audits(souk, org)).map(({ action }) => action)

describe('what proves a claim', () => {
  test.each([
    ['the parent of the brand’s domain', 'acme.example', 'manufactured_by', 'brand_domain'],
    ['the parent of the brand’s domain', 'acme.example', 'sells', 'brand_domain'],
    ['the brand’s very domain', 'kettles.acme.example', 'manufactured_by', 'brand_domain'],
    ['the parent of a shop’s host', 'teahouse.example', 'sells', 'shop_link'],
    ['a shop’s very host', 'mall.example', 'sells', 'shop_link'],
    ['a shop, for making it', 'teahouse.example', 'manufactured_by', null],
    ['a look-alike of the brand', 'evilacme.example', 'manufactured_by', null],
    ['a look-alike of a shop', 'house.example', 'sells', null],
    ['a name below the brand’s domain', 'x.kettles.acme.example', 'manufactured_by', null],
    ['a host in a link’s query', 'sly.example', 'sells', null],
    ['a top-level domain', 'example', 'sells', null],
    ['no domain', null, 'sells', null],
  ] as const)('%s (%s, %s): %s', async (_, domain, relationship_type, via) => {
    const org = await createOrg(souk, { domain })
    try {
      const answer = await claim(org, { relationship_type })
      const status = via === null ? 'pending' : 'verified'
      expect(answer).toMatchObject({ status: 201, body: { relationship_id: expect.any(String), status } })
      expect(await products(org)).toEqual([
        {
          relationship_id: answer.body.relationship_id,
          product_slug: 'kettles/claimable',
          title: 'Claimable kettle',
          relationship_type,
          status,
          verified_via: via,
          verified_at: via === null ? null : souk.clock.now().toISOString(),
        },
      ])
      expect(await audits(souk, org)).toMatchObject([{ action: 'relationship.claimed', detail: { status } }])
    } finally {
      await souk.database.db.updateTable('orgs').set({ domain: null }).where('id', '=', org.id).execute()
    }
  })

  test('a domain that is only claimed proves nothing; when it is proved, waiting claims are verified', async () => {
    const org = await createOrg(souk, { domain: 'acme.example', verified: false })
    expect((await claim(org)).body.status).toBe('pending')
    expect((await claim(org, { relationship_type: 'manufactured_by' })).body.status).toBe('pending')
    expect((await claim(org, { product_slug: 'samovar' })).body.status).toBe('pending')
    await souk.database.db.transaction().execute(async (tx) => {
      const at = souk.clock.now()
      await tx
        .updateTable('orgs')
        .set({ verification_status: 'verified', verified_via: 'dns', verified_at: at })
        .where('id', '=', org.id)
        .execute()
      await ORG_HOOKS.domainVerified(tx, org.id, at)
    })
    expect(
      (await products(org)).map(({ product_slug, status, verified_via }) => [
        product_slug,
        status,
        verified_via,
      ]),
    ).toEqual([
      ['kettles/samovar', 'pending', null],
      ['kettles/claimable', 'verified', 'brand_domain'],
      ['kettles/claimable', 'verified', 'brand_domain'],
    ])
    expect((await history(org)).slice(3)).toEqual(['relationship.verified', 'relationship.verified'])
    await souk.database.db.updateTable('orgs').set({ domain: null }).where('id', '=', org.id).execute()
  })
})

describe('claiming again', () => {
  test('gives the same relationship and no record, and looks at a waiting one anew', async () => {
    const org = await createOrg(souk, { domain: 'later.example' })
    const first = await claim(org)
    expect([first.status, first.body.status]).toEqual([201, 'pending'])
    for (const by of ['session', 'bearer'] as const)
      expect(await claim(org, { product_slug: 'claimable' }, by)).toMatchObject({
        status: 200,
        body: first.body,
      })
    expect(await history(org)).toEqual(['relationship.claimed'])
    await claim(org, { evidence_url: 'https://later.example/kettle' })
    await claim(org, { evidence_url: 'https://later.example/kettle' })
    expect(await history(org)).toEqual(['relationship.claimed', 'relationship.claimed'])
    await put(souk.ctx, {
      slug: 'claimable',
      title: 'Claimable kettle',
      where_to_buy: [
        { name: 'Tea House', url: 'https://shop.teahouse.example/kettle' },
        { name: 'Later', url: 'https://later.example/kettle' },
      ],
    })
    const verified = { relationship_id: first.body.relationship_id, status: 'verified' }
    expect(await claim(org)).toMatchObject({ status: 200, body: verified })
    expect(await claim(org)).toMatchObject({ status: 200, body: verified })
    expect((await history(org)).slice(2)).toEqual(['relationship.verified'])
  })

  test('at the same moment makes one', async () => {
    const org = await createOrg(souk)
    const answers = await Promise.all(Array.from({ length: 6 }, () => claim(org)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 201])
    expect(new Set(answers.map(({ body }) => body.relationship_id)).size).toBe(1)
    expect(await history(org)).toEqual(['relationship.claimed'])
  })
})

describe('the operator', () => {
  test('sees what waits, oldest first, and verifies it once', async () => {
    const ctx = { ...souk.ctx, relationshipHooks: RELATIONSHIP_HOOKS }
    const org = await createOrg(souk, { name: 'By Hand', domain: 'byhand.example' })
    const { body } = await claim(org, { evidence_url: 'https://byhand.example/proof' })
    const id = String(body.relationship_id)
    expect((await listPendingRelationships(ctx)).at(-1)).toMatchObject({
      id,
      orgName: 'By Hand',
      orgDomain: 'byhand.example',
      evidenceUrl: 'https://byhand.example/proof',
    })
    await verifyRelationship(ctx, id)
    await verifyRelationship(ctx, id)
    expect(await products(org)).toMatchObject([{ status: 'verified', verified_via: 'operator' }])
    expect(await history(org)).toEqual(['relationship.claimed', 'relationship.verified'])
    expect((await listPendingRelationships(ctx)).map((one) => one.id)).not.toContain(id)
    for (const unknown of ['x', '01890000-0000-7000-8000-000000000000'])
      await expect(verifyRelationship(ctx, unknown)).rejects.toMatchObject({ kind: 'not_found' })
  })
})

test('evidence is kept encoded: no control character of it reaches the database or the operator’s terminal', async () => {
  const org = await createOrg(souk, { domain: null })
  for (const [given, kept] of [
    ['https://shop.example/a\u0000b', 'https://shop.example/a%00b'],
    ['https://shop.example/\u001b[2Jcleared', 'https://shop.example/%1B[2Jcleared'],
    [' https://shop.example/\ud800 ', 'https://shop.example/%EF%BF%BD'],
  ]) {
    const { status, body } = await claim(org, { evidence_url: given })
    expect([200, 201]).toContain(status)
    const waiting = (await listPendingRelationships(souk.ctx)).find(({ id }) => id === body.relationship_id)
    expect(waiting?.evidenceUrl).toBe(kept)
  }
})

describe('giving a domain up', () => {
  test('unproves what it had proved, ends the offers that hung on it and forgets the agent that lived there', async () => {
    const org = await createOrg(souk, { domain: 'acme.example', orgType: 'manufacturer' })
    await claim(org, { relationship_type: 'manufactured_by' })
    const offer = await createLive(souk, org, { product_slug: 'claimable' })
    expect(await shown('claimable')).toContain(offer)
    await souk.database.pool.query(
      `insert into agent_integrations (org_id, agent_card_url, status) values ($1, 'https://acme.example/card', 'active')`,
      [org.id],
    )
    const moved = await call(souk, org.session, 'PATCH', '/api/org/', { domain: 'elsewhere.example' })
    expect(moved.status).toBe(200)
    await souk.catchUp()
    expect(await shown('claimable')).not.toContain(offer)
    expect(await products(org)).toMatchObject([{ status: 'pending', verified_via: null }])
    expect((await history(org)).slice(-2).sort()).toEqual(['org.edited', 'relationship.unverified'])
    const integration = await call(souk, org.session, 'GET', '/api/org/agent-integration/')
    expect(integration.body).toMatchObject({ agent_card_url: null, status: 'pending' })
  })
})

describe('withdrawing', () => {
  const withdraw = (org: TestOrg, relationship_id: unknown) =>
    call(souk, org.bearer, 'DELETE', '/api/org/products/', { relationship_id })

  test('pauses the offers with the last verified relationship, not before; drafts stay drafts', async () => {
    const org = await createOrg(souk, { domain: 'acme.example' })
    const made = (await claim(org, { relationship_type: 'manufactured_by' })).body.relationship_id
    const sold = (await claim(org)).body.relationship_id
    const id = await createLive(souk, org, { product_slug: 'claimable' })
    expect(await shown('claimable')).toEqual([id])
    expect(await withdraw(org, sold)).toMatchObject({ status: 200, body: { ok: true } })
    expect(await shown('claimable')).toEqual([id])
    expect(await withdraw(org, made)).toMatchObject({ status: 200 })
    expect(await shown('claimable')).toEqual([])
    expect((await rowOf(souk, org, id)).status).toBe('paused')
    expect((await history(org)).slice(-2)).toEqual(['relationship.withdrawn', 'relationship.withdrawn'])
    // Set active without a relationship it is shown to nobody, until the relationship is verified again.
    await setStatus(souk, org, id, 'active')
    expect(await shown('claimable')).toEqual([])
    expect((await get(souk, `/go/${id}`)).headers.get('location')).toContain('/p/kettles/claimable')
    await claim(org)
    expect(await shown('claimable')).toEqual([id])
    expect((await get(souk, `/go/${id}`)).headers.get('location')).toBe(DEAL.destination_url)
    await souk.database.db.updateTable('orgs').set({ domain: null }).where('id', '=', org.id).execute()
  })

  test("another organization's, an unknown and a malformed id are 404, none is 400", async () => {
    const theirs = (await claim(await createOrg(souk))).body.relationship_id
    for (const id of [theirs, '01890000-0000-7000-8000-000000000000', 'x'])
      expect(await withdraw(souk.shop, id)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    for (const id of [undefined, null, 1, ''])
      expect(await withdraw(souk.shop, id)).toMatchObject({ status: 400, body: { field: 'relationship_id' } })
  })
})

describe('refusals', () => {
  test.each([
    ['no product_slug', { product_slug: undefined }, 'product_slug'],
    ['a malformed slug', { product_slug: 'a/b/c' }, 'product_slug'],
    ['another type', { relationship_type: 'owns' }, 'relationship_type'],
    ['no type', { relationship_type: undefined }, 'relationship_type'],
    ['evidence that is no address', { evidence_url: 'javascript:x' }, 'evidence_url'],
  ])('%s is 400 and names the field', async (_, body, field) => {
    for (const [by] of both(souk.shop))
      expect(await claim(souk.shop, body, by as 'session' | 'bearer')).toMatchObject({
        status: 400,
        body: { field },
      })
  })

  test('an unknown product, also under a wrong category, is 404', async () => {
    for (const product_slug of ['nothing', 'tents/claimable', 'kettles/nothing'])
      expect(await claim(souk.shop, { product_slug })).toMatchObject({
        status: 404,
        body: { code: 'not_found' },
      })
  })

  test('nobody is 401, somebody without an organization 403, a viewer may only look', async () => {
    const routes = [
      ['POST', '/api/org/products/claim/', { product_slug: 'claimable', relationship_type: 'sells' }],
      ['GET', '/api/org/products/', undefined],
      ['DELETE', '/api/org/products/', { relationship_id: 'x' }],
    ] as const
    const nobody = { cookie: (await signIn(souk, { verified: true })).cookie }
    const viewer = await addMember(souk, souk.shop, 'viewer')
    const gone = await createOrg(souk, { deactivated: true })
    for (const [method, path, body] of routes) {
      const ask = (credential: Parameters<typeof call>[1]) => call(souk, credential, method, path, body)
      expect(await ask(null)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
      expect(await ask(nobody)).toMatchObject({ status: 403, body: { code: 'not_a_producer' } })
      expect((await ask(viewer)).status).toBe(method === 'GET' ? 200 : 403)
      expect((await ask(gone.bearer)).status).toBe(method === 'GET' ? 200 : 403)
    }
  })
})

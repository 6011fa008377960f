/** Every row of the interface's error table for the four offer routes, by session and by link token. */
import { beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '../accounts.ts'
import { addMember, type Credential, call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { audits, createDraft, createOffersWorld, DEAL, list, type World } from './offers.world.ts'

let souk: World
let mine: string
let theirs: string
let nobody: { cookie: string }
const deactivated: Partial<TestOrg> = {}

beforeAll(async () => {
  souk = await createOffersWorld()
  mine = await createDraft(souk, souk.shop)
  theirs = await createDraft(souk, souk.rival)
  nobody = { cookie: (await signIn(souk, { verified: true })).cookie }
  Object.assign(deactivated, await createOrg(souk, { deactivated: true }))
  await relate(souk, deactivated as TestOrg, souk.products.gooseneck)
})

const create = { product_slug: 'kettles/gooseneck', ...DEAL }
const long = (length: number) => 'x'.repeat(length)
type Refused = [why: string, body: unknown, field: string | undefined, more?: Record<string, unknown>]

const TYPES = ['percentage_off', 'fixed_amount_off', 'free_shipping', 'bogo', 'bundle', 'free_gift']

/** What both create and edit refuse; the field is the interface's own name. */
const BAD_TERMS: Array<[string, Record<string, unknown>, string, Record<string, unknown>?]> = [
  ['headline of no letters', { headline: ' \n ' }, 'headline'],
  ['headline of 61 characters', { headline: long(61) }, 'headline', { max: 60 }],
  ['headline of 61 astral characters', { headline: '🫖'.repeat(61) }, 'headline', { max: 60 }],
  ['headline that is a number', { headline: 7 }, 'headline'],
  ['headline of null', { headline: null }, 'headline'],
  ['detail of 201 characters', { detail: long(201) }, 'detail', { max: 200 }],
  ['detail that is an object', { detail: {} }, 'detail'],
  ['destination that is no address', { destination_url: 'shop' }, 'destination_url'],
  ['destination by ftp', { destination_url: 'ftp://shop.example/' }, 'destination_url'],
  ['destination that is a script', { destination_url: 'javascript:alert(1)' }, 'destination_url'],
  ['destination that is data', { destination_url: 'data:text/html,x' }, 'destination_url'],
  ['destination of another scheme by a line break', { destination_url: 'java\nscript:x' }, 'destination_url'],
  ['destination with a password', { destination_url: 'https://a:b@shop.example/' }, 'destination_url'],
  ['destination with a line break', { destination_url: 'https://shop.example/\r\nX: 1' }, 'destination_url'],
  [
    'destination of 2001 characters',
    { destination_url: `https://shop.example/${long(1980)}` },
    'destination_url',
  ],
  ['destination of null', { destination_url: null }, 'destination_url'],
  ['price under zero', { price_usd: -0.01 }, 'price_usd'],
  ['price of three decimals', { price_usd: 1.005 }, 'price_usd'],
  ['price as text', { price_usd: '10' }, 'price_usd'],
  ['price over the bound', { price_usd: 100_000_000 }, 'price_usd', { max: 99_999_999.99 }],
  ['list price under zero', { list_price_usd: -1 }, 'list_price_usd'],
  ['list price of three decimals', { list_price_usd: 0.001 }, 'list_price_usd'],
  ['list price that is true', { list_price_usd: true }, 'list_price_usd'],
  ['start without an offset', { starts_at: '2026-11-27T00:00:00' }, 'starts_at'],
  ['start that is a day', { starts_at: '2026-11-27' }, 'starts_at'],
  ['start that is a number', { starts_at: 1_790_000_000 }, 'starts_at'],
  ['end in words', { expires_at: 'tomorrow' }, 'expires_at'],
  ['end on a day that does not exist', { expires_at: '2026-02-30T00:00:00Z' }, 'expires_at'],
  ['promo code of 61 characters', { promo_code: long(61) }, 'promo_code', { max: 60 }],
  ['promo code that is a list', { promo_code: ['A'] }, 'promo_code'],
  ['unknown type', { offer_types: ['bogo', 'cashback'] }, 'offer_types', { valid: TYPES }],
  ['types that are text', { offer_types: 'bogo' }, 'offer_types'],
]

async function refused(
  method: string,
  path: string,
  credential: Credential,
  body: unknown,
  expected: { status: number; field?: string | undefined; code?: string } & Record<string, unknown>,
) {
  const { status, ...envelope } = expected
  const answer = await call(souk, credential, method, path, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  expect(answer.body).toMatchObject({ error: expect.any(String), ...envelope })
  expect(
    Object.keys(answer.body).filter((key) => !['error', 'field', 'max', 'valid', 'code'].includes(key)),
  ).toEqual([])
}

for (const by of ['session', 'bearer'] as const) {
  const of = (org: 'shop' | 'rival') => souk[org][by]

  describe(`POST /api/offers/create/ by ${by}`, () => {
    const path = '/api/offers/create/'
    const without = (field: string) =>
      Object.fromEntries(Object.entries(create).filter(([key]) => key !== field))
    const rows: Refused[] = [
      ['no JSON', '{', undefined],
      ['an empty body', '', undefined],
      ['a list', '[]', undefined],
      ['no product_slug', without('product_slug'), 'product_slug'],
      ['product_slug of null', { ...create, product_slug: null }, 'product_slug'],
      ['product_slug that is no slug', { ...create, product_slug: '../etc' }, 'product_slug'],
      ['no headline', without('headline'), 'headline'],
      ['no destination_url', without('destination_url'), 'destination_url'],
      ...BAD_TERMS.map(([why, terms, field, more]): Refused => [why, { ...create, ...terms }, field, more]),
      ['a price past all numbers', JSON.stringify(create).replace('}', ',"price_usd":1e999}'), 'price_usd'],
      [
        'an end before the start',
        { ...create, starts_at: '2026-12-02T00:00:00Z', expires_at: '2026-12-01T00:00:00Z' },
        'expires_at',
      ],
      [
        'an end at the start, told in another zone',
        { ...create, starts_at: '2026-12-01T12:00:00Z', expires_at: '2026-12-01T13:00:00+01:00' },
        'expires_at',
      ],
    ]
    test.each(rows)('%s is 400 and names the field', async (_, body, field, more) => {
      await refused('POST', path, of('shop'), body, { status: 400, ...(field && { field }), ...more })
    })

    test('a bad body is 400 before any 403', async () => {
      const body = { ...create, product_slug: 'kettles/samovar', price_usd: -1 }
      await refused('POST', path, of('shop'), body, { status: 400, field: 'price_usd' })
      await refused('POST', path, deactivated[by] ?? null, { ...create, headline: '' }, { status: 400 })
    })

    test.each(['kettles/samovar', 'samovar', 'kettles/nothing', 'tents/gooseneck'])(
      'a product without a verified relationship (%s) is 403 no_verified_relationship',
      async (product_slug) => {
        const body = { ...create, product_slug }
        await refused('POST', path, of('shop'), body, { status: 403, code: 'no_verified_relationship' })
      },
    )

    test('a relationship that is only claimed is 403 no_verified_relationship', async () => {
      const org = await createOrg(souk)
      await relate(souk, org, souk.products.samovar, { status: 'pending' })
      const body = { ...create, product_slug: 'samovar' }
      await refused('POST', path, org[by], body, { status: 403, code: 'no_verified_relationship' })
    })

    test('a deactivated organization is 403', async () => {
      await refused('POST', path, deactivated[by] ?? null, create, { status: 403, code: 'org_deactivated' })
    })
  })

  describe(`PATCH /api/offers/edit/ by ${by}`, () => {
    const path = '/api/offers/edit/'
    test.each<Refused>([
      ['no JSON', 'x', undefined],
      ['no offer_id', { headline: 'x' }, 'offer_id'],
      ['offer_id of null', { offer_id: null }, 'offer_id'],
      ['offer_id that is a number', { offer_id: 1 }, 'offer_id'],
      ...BAD_TERMS.map(
        ([why, terms, field, more]): Refused => [why, { offer_id: 'x', ...terms }, field, more],
      ),
      ['offer_types of null', { offer_id: 'x', offer_types: null }, 'offer_types'],
    ])('%s is 400 and names the field', async (_, body, field, more) => {
      await refused('PATCH', path, of('shop'), body, { status: 400, ...(field && { field }), ...more })
    })

    test('a bad body is 400, whosever the offer is', async () => {
      const body = { offer_id: theirs, headline: '' }
      await refused('PATCH', path, of('shop'), body, { status: 400, field: 'headline' })
    })

    test("another organization's offer, an unknown one and a malformed id are 404", async () => {
      for (const offer_id of [theirs, '01890000-0000-7000-8000-000000000000', 'x', `${mine} `])
        await refused(
          'PATCH',
          path,
          of('shop'),
          { offer_id, headline: 'Mine now' },
          { status: 404, code: 'not_found' },
        )
      expect((await list(souk, souk.rival)).map(({ headline }) => headline)).toEqual([DEAL.headline])
    })
  })

  describe(`PATCH /api/offers/update/ by ${by}`, () => {
    const path = '/api/offers/update/'
    const valid = ['active', 'paused', 'expired']
    test.each<Refused>([
      ['no JSON', 'x', undefined],
      ['no offer_id', { status: 'active' }, 'offer_id'],
      ['an empty offer_id', { offer_id: '', status: 'active' }, 'offer_id'],
      ['no status', { offer_id: 'x' }, 'status'],
      ['status draft', { offer_id: 'x', status: 'draft' }, 'status', { valid }],
      ['status in capitals', { offer_id: 'x', status: 'ACTIVE' }, 'status', { valid }],
      ['status of null', { offer_id: 'x', status: null }, 'status'],
    ])('%s is 400 and names the field', async (_, body, field, more) => {
      await refused('PATCH', path, of('shop'), body, { status: 400, ...(field && { field }), ...more })
    })

    test("another organization's offer, an unknown one and a malformed id are 404", async () => {
      for (const offer_id of [theirs, '01890000-0000-7000-8000-000000000000', 'x'])
        await refused(
          'PATCH',
          path,
          of('shop'),
          { offer_id, status: 'expired' },
          { status: 404, code: 'not_found' },
        )
      expect((await list(souk, souk.rival)).map(({ status }) => status)).toEqual(['draft'])
    })
  })
}

const ROUTES = [
  ['POST', '/api/offers/create/', create],
  ['PATCH', '/api/offers/edit/', { offer_id: 'x' }],
  ['GET', '/api/offers/list/', undefined],
  ['PATCH', '/api/offers/update/', { offer_id: 'x', status: 'active' }],
] as const

describe.each(ROUTES)('%s %s', (method, path, body) => {
  test('nobody, an unknown session and an unknown token are 401, also with a bad body', async () => {
    for (const credential of [
      null,
      { cookie: 'souk_session=souk_session_unknown' },
      { bearer: 'souk_link_unknown' },
      { bearer: 'x' },
    ]) {
      await refused(method, path, credential, body, { status: 401, code: 'unauthenticated' })
      if (method !== 'GET') await refused(method, path, credential, '{', { status: 401 })
    }
  })

  test('a token that was revoked is 401', async () => {
    const org = await createOrg(souk)
    const at = souk.clock.now()
    await souk.database.db
      .updateTable('link_tokens')
      .set({ revoked_at: at })
      .where('id', '=', org.tokenId)
      .execute()
    await refused(method, path, org.bearer, body, { status: 401, code: 'unauthenticated' })
  })

  test('the signed-in caller has no organization: 403 for create and list, 404 for edit and update', async () => {
    const expected = method === 'PATCH' ? { status: 404 } : { status: 403, code: 'not_a_producer' }
    await refused(method, path, nobody, body, expected)
  })

  test('answers the same without the trailing slash', async () => {
    await refused(method, path.slice(0, -1), null, body, { status: 401 })
  })
})

test('a viewer reads the list and writes nothing', async () => {
  const viewer = await addMember(souk, souk.shop, 'viewer')
  expect((await call(souk, viewer, 'GET', '/api/offers/list/')).status).toBe(200)
  for (const [method, path, body] of ROUTES.filter(([verb]) => verb !== 'GET'))
    await refused(method, path, viewer, { ...body, offer_id: mine }, { status: 403 })
})

test('a session whose request says it comes from another site is refused', async () => {
  const answer = await call(souk, souk.shop.session, 'POST', '/api/offers/create/', create, {
    origin: 'https://evil.example',
  })
  expect(answer.status).toBe(403)
})

test('a deactivated organization reads its list and changes nothing', async () => {
  const org = deactivated as TestOrg
  expect((await call(souk, org.bearer, 'GET', '/api/offers/list/')).status).toBe(200)
  for (const path of ['/api/offers/edit/', '/api/offers/update/'])
    await refused(
      'PATCH',
      path,
      org.bearer,
      { offer_id: mine, status: 'active' },
      { status: 403, code: 'org_deactivated' },
    )
})

test('nothing that was refused above left a trace', async () => {
  expect((await audits(souk, souk.shop)).map(({ action }) => action)).toEqual(['offer.created'])
  expect((await audits(souk, souk.rival)).map(({ action }) => action)).toEqual(['offer.created'])
  expect(await list(souk, souk.shop)).toMatchObject([{ id: mine, status: 'draft', ...DEAL }])
})

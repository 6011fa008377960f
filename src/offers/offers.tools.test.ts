import { expect, test } from 'vitest'
import { createOfferToolsWorld, DEAL } from '../../test/e2e/tools.offers.world.ts'
import { HOSTILE, outsideFences } from '../../test/skills.world.ts'
import { OFFER_TYPES } from './offer.model.ts'

const world = await createOfferToolsWorld()
const { seller, make, shop, rival, rows, actions, clickOn } = world

test('a new offer is a draft in dollars, as it was stored, that nobody sees', async () => {
  const terms = {
    detail: 'While it lasts',
    price_usd: 40.5,
    list_price_usd: 60,
    starts_at: '2026-11-01T00:00:00+01:00',
    expires_at: '2026-12-01T00:00:00Z',
    promo_code: 'FIFTH',
    offer_types: ['percentage_off', 'percentage_off', 'free_shipping'],
  }
  const { data, text } = await world.call(shop, 'create_offer', {
    ...DEAL,
    ...terms,
    product_slug: 'gooseneck',
  })
  expect(data).toEqual({
    offer_id: expect.any(String),
    ...{ ...DEAL, ...terms },
    status: 'draft',
    starts_at: '2026-10-31T23:00:00.000Z',
    expires_at: '2026-12-01T00:00:00.000Z',
    offer_types: ['percentage_off', 'free_shipping'],
    created_at: world.clock.now().toISOString(),
  })
  expect(text).toContain('$40.50 · list $60')
  expect(text).toContain(`update_offer with offer_id ${data.offer_id} and status active`)
  const { data: listed } = await world.call(shop, 'list_offers', { limit: 1 })
  expect(rows(listed)[0]).toEqual({ ...data, clicks_30_days: 0, clicks_total: 0 })
  expect((await clickOn(String(data.offer_id))).headers.get('location')).not.toBe(DEAL.destination_url)
})

test('an offer may be as short as the interface lets it be, with null for what is not known', async () => {
  const { data } = await world.call(shop, 'create_offer', {
    ...DEAL,
    price_usd: null,
    detail: '',
    offer_types: null,
  })
  expect(data).toMatchObject({ price_usd: null, detail: null, offer_types: [], starts_at: null })
})

test.each([
  [{ headline: undefined }, { field: 'headline' }],
  [{ headline: 'x'.repeat(61) }, { field: 'headline', max: 60 }],
  [{ detail: 'x'.repeat(201) }, { field: 'detail', max: 200 }],
  [{ promo_code: 'x'.repeat(61) }, { field: 'promo_code', max: 60 }],
  [{ destination_url: 'ftp://shop.example/' }, { field: 'destination_url' }],
  [{ price_usd: -1 }, { field: 'price_usd' }],
  [{ price_usd: 1.005 }, { field: 'price_usd' }],
  [{ starts_at: 'tomorrow' }, { field: 'starts_at' }],
  [{ starts_at: '2026-12-01T00:00:00Z', expires_at: '2026-11-01T00:00:00Z' }, { field: 'expires_at' }],
  [{ offer_types: ['gift'] }, { field: 'offer_types', valid: expect.arrayContaining(['free_gift']) }],
  [{ product_slug: '../etc' }, { field: 'product_slug' }],
])('an offer with %j is refused by name', async (terms, error) => {
  const answer = await world.call(shop, 'create_offer', { ...DEAL, ...terms })
  expect(answer).toMatchObject({ isError: true, error: { kind: 'invalid', ...error } })
})

test('a product that is not known to be theirs takes no offer, and neither does one that never was', async () => {
  for (const product_slug of ['kettles/samovar', 'kettles/nothing']) {
    const answer = await world.call(shop, 'create_offer', { ...DEAL, product_slug })
    expect(answer.error).toMatchObject({
      kind: 'forbidden',
      code: 'no_verified_relationship',
      field: 'product_slug',
    })
    expect(answer.text).toContain('claim_product')
  }
})

test('who only reads makes and changes no offer', async () => {
  const owner = await seller()
  const viewer = await world.person({ in: owner.org, role: 'viewer' })
  const offer_id = await make(owner)
  expect((await world.call(viewer, 'create_offer', DEAL)).error).toMatchObject({ kind: 'forbidden' })
  const answer = await world.call(viewer, 'update_offer', { offer_id, status: 'active' })
  expect(answer.error).toMatchObject({ kind: 'forbidden' })
  expect((await world.call(viewer, 'list_offers')).data).toMatchObject({
    offers: [{ offer_id, status: 'draft' }],
  })
})

test('a deactivated organization sees its offers and makes or changes none', async () => {
  const person = await seller()
  const offer_id = await make(person)
  await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [person.org.id])
  for (const [tool, input] of [
    ['create_offer', DEAL],
    ['update_offer', { offer_id, status: 'active' }],
  ] as const)
    expect((await world.call(person, tool, input)).error).toMatchObject({ code: 'org_deactivated' })
  expect((await world.call(person, 'list_offers')).data).toMatchObject({
    offers: [{ offer_id, status: 'draft' }],
  })
})

test('over the most offers an organization may have there are no more', async () => {
  const person = await seller()
  await make(person)
  await world.database.pool.query(
    `insert into offers (id, org_id, product_id, headline, destination_url)
     select gen_random_uuid(), org_id, product_id, headline, destination_url from offers, generate_series(1, 499)
     where org_id = $1`,
    [person.org.id],
  )
  const answer = await world.call(person, 'create_offer', DEAL)
  expect(answer.error).toMatchObject({ kind: 'conflict', code: 'conflict', max: 500 })
})

test('terms and status change together, in one record, and buyers see it when the call is answered', async () => {
  const person = await seller()
  const offer_id = await make(person, { detail: 'Soon', price_usd: 50 })
  const before = await actions(person)
  const { data, text } = await world.call(person, 'update_offer', {
    ...{ offer_id, headline: 'A third off', price_usd: '40', detail: null, status: 'active' },
  })
  const changed = ['headline', 'detail', 'price_usd', 'status']
  expect(data).toMatchObject({ offer_id, headline: 'A third off', price_usd: 40, detail: null, changed })
  expect(data.status).toBe('active')
  expect(text).toContain('Changed: headline, detail, price_usd, status.')
  expect((await actions(person)).slice(before.length)).toMatchObject([
    { action: 'offer.edited', detail: { fields: changed.slice(0, 3), from: 'draft', to: 'active' } },
  ])
  const offers = await world.app.request('http://souk.test/offers/gooseneck.json')
  expect(await offers.text()).toContain('A third off')
})

test('the same update again changes nothing, says so and leaves no record', async () => {
  const person = await seller()
  const offer_id = await make(person)
  const update = { offer_id, status: 'paused', promo_code: 'X' }
  await world.call(person, 'update_offer', update)
  const before = await actions(person)
  const again = await world.call(person, 'update_offer', update)
  expect(again.data).toMatchObject({ changed: [], status: 'paused' })
  expect(again.text).toContain('Nothing was changed')
  expect(await actions(person)).toEqual(before)
})

test('an update that asks for nothing changes nothing, says so and leaves no record', async () => {
  const person = await seller()
  const offer_id = await make(person)
  const before = await actions(person)
  const { data, text, isError } = await world.call(person, 'update_offer', { offer_id })
  expect([isError, data.changed]).toEqual([false, []])
  expect(text).toMatch(/^Nothing was changed/)
  expect(await actions(person)).toEqual(before)
})

test('an active offer past its end reads as expired, and the answer says why', async () => {
  const offer_id = await make(shop, { expires_at: '2026-10-01T00:00:00Z' })
  const { data, text } = await world.call(shop, 'update_offer', { offer_id, status: 'active' })
  expect(data).toMatchObject({ status: 'expired', changed: ['status'] })
  expect(text).toContain('expires_at is past')
  const back = await world.call(shop, 'update_offer', { offer_id, expires_at: null })
  expect(back.data).toMatchObject({ status: 'active', expires_at: null, changed: ['expires_at'] })
})

test.each([
  [{ status: 'draft' }, { field: 'status', valid: ['active', 'paused', 'expired'] }],
  [{ headline: 'x'.repeat(61) }, { field: 'headline', max: 60 }],
  [{ offer_types: 'gift' }, { field: 'offer_types' }],
  [{ price_usd: 'cheap' }, { field: 'price_usd' }],
])('an update to %j is refused by name', async (change, error) => {
  const answer = await world.call(shop, 'update_offer', { offer_id: await make(shop), ...change })
  expect(answer).toMatchObject({ isError: true, error: { kind: 'invalid', ...error } })
})

test("another organization's offer is as unknown as one that never was, and stays as it is", async () => {
  const offer_id = await make(shop)
  const unknown = '019a0000-0000-7000-8000-000000000000'
  for (const id of [offer_id, unknown, 'no id at all']) {
    const answer = await world.call(rival, 'update_offer', { offer_id: id, status: 'active' })
    expect(answer.error).toMatchObject({ kind: 'not_found', code: 'not_found', field: 'offer_id' })
  }
  const { data } = await world.call(shop, 'update_offer', { offer_id, promo_code: null })
  expect(data).toMatchObject({ status: 'draft', changed: [] })
  expect((await world.call(rival, 'list_offers')).data).toMatchObject({ offers: [], total: 0 })
})

test.each(HOSTILE)('words of a member stay in their fence: %j', async (words) => {
  const person = await seller()
  const terms = {
    headline: [...words].slice(0, 60).join(''),
    detail: [...words].slice(0, 200).join(''),
    promo_code: 'OBEY',
  }
  const made = await world.call(person, 'create_offer', { ...DEAL, ...terms })
  expect(made.isError, made.text).toBe(false)
  const listed = await world.call(person, 'list_offers')
  const changed = await world.call(person, 'update_offer', {
    offer_id: made.data.offer_id,
    status: 'active',
  })
  for (const { text } of [made, listed, changed])
    expect(outsideFences(text)).not.toMatch(/OBEY|Ignore|System|javascript|bold|onerror/)
})

test('two edits of different terms at once both stay', async () => {
  const offer_id = await make(shop)
  const [one, two] = await Promise.all([
    world.call(shop, 'update_offer', { offer_id, headline: 'One' }),
    world.call(shop, 'update_offer', { offer_id, promo_code: 'TWO' }),
  ])
  expect([one.isError, two.isError]).toEqual([false, false])
  const { data } = await world.call(shop, 'update_offer', { offer_id, status: 'paused' })
  expect(data).toMatchObject({ headline: 'One', promo_code: 'TWO' })
})

test('a model is shown the values that offer_types takes, for a new offer and for an old one', async () => {
  const answer = await world.rpc(shop.token, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const { result } = (await answer.json()) as {
    result: { tools: Array<{ name: string; inputSchema: unknown }> }
  }
  for (const name of ['create_offer', 'update_offer']) {
    const schema = JSON.stringify(result.tools.find((tool) => tool.name === name)?.inputSchema)
    expect(schema).toContain(`"items":{"type":"string","enum":${JSON.stringify(OFFER_TYPES)}}`)
  }
})

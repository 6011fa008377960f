/** `submit_product`: a proposal that nobody sees yet, and everything that is refused. */
import { beforeAll, expect, test } from 'vitest'
import { WAITING_SUBMISSIONS } from '../../src/catalog/waiting-limits.ts'
import { newId } from '../../src/lib/ids.ts'
import { HOSTILE, outsideFences } from '../skills.world.ts'
import { createSubmissionsWorld, type SubmissionsWorld } from './tools.submissions.world.ts'

let world: SubmissionsWorld

beforeAll(async () => {
  world = await createSubmissionsWorld()
})

test('a proposal is kept as it was stated, recorded, and seen by nobody', async () => {
  const maker = await world.person({ producer: { name: 'Swift Works', orgType: 'manufacturer' } })
  const { data, text, isError } = await world.submit(
    {
      title: 'Swift Kettle Pro',
      model: 'P-1',
      gtin: '0 36000 29145 2',
      mpn: 'SW-P',
      description: 'Boils <b>fast</b>.',
      specs: { Zone: 'kitchen', Amp: 10, Cordless: true },
      image_urls: ['https://swift.example/1.jpg', 'https://swift.example/1.jpg'],
      product_url: 'https://swift.example/pro',
      price_usd: 49.9,
    },
    maker,
  )
  expect(isError).toBe(false)
  expect(data).toMatchObject({ status: 'pending', created: true, changed: true, category: 'kettles' })
  expect(text).toContain('list_my_products')
  expect(await world.stored(data.submission_id)).toMatchObject({
    relationship_type: 'manufactured_by',
    product_url: 'https://swift.example/pro',
    product: {
      category: 'kettles',
      title: 'Swift Kettle Pro',
      brand: 'Swift',
      gtin: '036000291452',
      description: 'Boils fast.',
      price: { low: 49.9, high: 49.9 },
      specs: [
        { name: 'Zone', value: 'kitchen' },
        { name: 'Amp', value: '10' },
        { name: 'Cordless', value: 'Yes' },
      ],
      images: [{ url: 'https://swift.example/1.jpg', alt: null }],
    },
  })
  expect(await world.actions(maker)).toEqual(['submission.submitted'])
  const { rows } = await world.database.pool.query('select 1 from products where title like $1', ['Swift%'])
  expect(rows).toEqual([])
})

test('the same proposal twice is one, and says what it says now', async () => {
  const first = await world.submit({ mpn: 'SW-1' })
  const again = await world.submit({ mpn: 'sw-1' })
  const changed = await world.submit({ mpn: 'SW-1', title: 'Swift Kettle, new' })
  expect(first.data).toMatchObject({ created: true, changed: true })
  expect([again.data.submission_id, again.data.created]).toEqual([first.data.submission_id, false])
  expect(changed.data).toMatchObject({
    submission_id: first.data.submission_id,
    created: false,
    changed: true,
  })
  expect(await world.submit({ mpn: 'SW-1', title: 'Swift Kettle, new' })).toMatchObject({
    data: { created: false, changed: false },
  })
  expect((await world.stored(first.data.submission_id)).product).toMatchObject({ title: 'Swift Kettle, new' })
})

test('two calls at once make one proposal', async () => {
  const both = await Promise.all([world.submit({ mpn: 'SW-RACE' }), world.submit({ mpn: 'SW-RACE' })])
  expect(new Set(both.map(({ data }) => data.submission_id)).size).toBe(1)
  expect(both.map(({ data }) => data.created).sort()).toEqual([false, true])
})

test.each([
  ['gtin', { gtin: '4006381333931' }],
  ['gtin with a zero in front', { gtin: '04006381333931' }],
  ['brand and mpn', { brand: 'SPOUT', mpn: 'sp-1' }],
  ['brand, model and title', { brand: 'spout', model: 'k1', title: 'Spout  kettle-one' }],
])('what the catalog has by its %s is to be claimed', async (_by, args) => {
  const { isError, error, text } = await world.submit(args)
  expect([isError, error.kind, error.valid]).toEqual([true, 'conflict', ['kettles/old-kettle']])
  expect(text).toContain('claim_product')
})

test('a title without a brand names a product only in its category, and variants have numbers of their own', async () => {
  const unbranded = { brand: '', title: 'plain kettle' }
  expect((await world.submit(unbranded)).error.valid).toEqual(['kettles/plain'])
  expect((await world.submit({ ...unbranded, category: 'tents' })).data).toMatchObject({ created: true })
  const variant = {
    brand: 'Spout',
    model: 'K-1',
    title: 'Spout Kettle One',
    gtin: '012345678905',
    mpn: 'SP-2',
  }
  expect((await world.submit(variant)).data).toMatchObject({ created: true })
})

test.each([
  ['category', { category: 'kettle-things' }, 'invalid'],
  ['title', { title: ' ' }, 'invalid'],
  ['title', { title: 'x'.repeat(201) }, 'invalid'],
  ['brand', { brand: 'x'.repeat(101) }, 'invalid'],
  ['gtin', { gtin: '4006381333932' }, 'invalid'],
  ['price_usd', { price_usd: 1.999 }, 'invalid'],
  ['price_usd', { price_usd: -1 }, 'invalid'],
  ['image_urls.0', { image_urls: ['http://swift.example/1.jpg'] }, 'invalid'],
  ['image_urls', { image_urls: Array(13).fill('https://swift.example/1.jpg') }, 'invalid'],
  ['product_url', { product_url: 'https://user:pass@swift.example/' }, 'invalid'],
  ['specs', { specs: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`s${n}`, n])) }, 'invalid'],
])('%s is refused by its own name when it is wrong', async (field, args, kind) => {
  const { isError, error } = await world.submit(args)
  expect([isError, error.field, error.kind]).toEqual([true, field, kind])
})

test('an unknown category is answered with near ones', async () => {
  expect((await world.submit({ category: 'kettle-things' })).error.valid).toEqual(['kettles'])
})

test('an unknown category without near ones is not answered with "one of these"', async () => {
  const { text } = await world.submit({ category: 'zzqx' })
  expect(text).toBe('category: there is no category "zzqx"; see list_categories.')
})

test('shoppers, viewers and deactivated organizations propose nothing', async () => {
  const org = world.shop.org
  const viewer = await world.person({ ...(org && { in: org }), role: 'viewer' })
  const gone = await world.person({ producer: { deactivated: true } })
  expect((await world.submit({}, await world.person())).error.code).toBe('not_a_producer')
  expect((await world.submit({}, viewer)).error.kind).toBe('forbidden')
  expect((await world.submit({}, gone)).error.code).toBe('org_deactivated')
})

test(`at most ${WAITING_SUBMISSIONS.max} wait for one organization`, async () => {
  const eager = await world.person({ producer: true })
  const rows = Array.from({ length: WAITING_SUBMISSIONS.max }, (_, n) => ({
    id: newId(),
    org_id: eager.org?.id ?? '',
    relationship_type: 'sells' as const,
    product: '{}',
    product_url: null,
    identity_key: `filler ${n}`,
    product_id: null,
    reviewed_by: null,
    reviewed_at: null,
    review_note: null,
  }))
  await world.database.db.insertInto('product_submissions').values(rows).execute()
  const { error } = await world.submit({}, eager)
  expect([error.kind, error.max]).toEqual(['conflict', WAITING_SUBMISSIONS.max])
  await world.database.pool.query('delete from product_submissions where org_id = $1', [eager.org?.id])
})

test('hostile words stay in their fence, and are cleaned before they are kept', async () => {
  for (const [n, words] of HOSTILE.entries()) {
    const { text, data, isError } = await world.submit({
      title: words.slice(0, 200),
      mpn: `H-${n}`,
      specs: { [words.slice(0, 80)]: words.slice(0, 300) },
    })
    expect(isError, text).toBe(false)
    expect(outsideFences(text)).not.toMatch(/OBEY|Ignore all|# System|javascript:/)
    expect(JSON.stringify((await world.stored(data.submission_id)).product)).not.toMatch(
      /[\u202e\u200b]|<img/,
    )
  }
})

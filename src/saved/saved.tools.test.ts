import { beforeAll, describe, expect, test } from 'vitest'
import { createSavedWorld, DOME_ARGS, type SavedWorld, savedOf } from '../../test/saved.world.ts'
import type { ToolPerson } from '../../test/tools.world.ts'
import { newId } from '../lib/ids.ts'
import { exportSaved } from './saved.service.ts'

let souk: SavedWorld
let save: SavedWorld['save']
let list: SavedWorld['list']
let remove: SavedWorld['remove']

beforeAll(async () => {
  souk = await createSavedWorld()
  ;({ save, list, remove } = souk)
})

const day = (date: string) => souk.clock.set(`${date}T12:00:00Z`)

async function historyOf({ userId }: ToolPerson) {
  return souk.database.db
    .selectFrom('audit_log')
    .select(['action', 'detail'])
    .where('user_id', '=', userId)
    .orderBy('id')
    .execute()
}

async function fill({ userId }: ToolPerson, entries: Array<{ slug: string; list: string }>) {
  const ids = await souk.database.db.selectFrom('products').select(['id', 'slug']).execute()
  const idOf = new Map(ids.map(({ id, slug }) => [slug, id]))
  for (const { slug, list } of entries)
    await souk.database.pool.query(
      'insert into saved_products (id, user_id, product_id, list) values ($1, $2, $3, $4)',
      [newId(), userId, idOf.get(slug), list],
    )
}

describe('save_product', () => {
  test('keeps the price of the day, the note and the target, on the list "saved" when none is named', async () => {
    day('2026-11-02')
    const ada = await souk.person()
    const { data, text } = await save(ada, { note: 'For  the <b>cabin</b>', target_price_usd: 49.5 })
    expect(data).toEqual({
      product_slug: 'kettles/gooseneck',
      title: 'Spout Gooseneck Kettle',
      url: 'http://souk.test/p/kettles/gooseneck',
      list: 'saved',
      note: 'For the cabin',
      target_price_usd: 49.5,
      target_reached: false,
      price_range: '$55 – $60',
      price_range_when_saved: '$55 – $60',
      best_price_usd: 55,
      on_sale: false,
      discontinued: false,
      saved_at: '2026-11-02T12:00:00.000Z',
      outcome: 'added',
    })
    expect(text).toMatch(/^Saved \*\*Spout Gooseneck Kettle\*\* \(kettles\/gooseneck\) to the list “saved”\./)
    expect(text).toContain('Target $49.50: not reached yet.')
  })

  test('saving again replaces only what is given, and keeps the first date', async () => {
    day('2026-11-02')
    const ada = await souk.person()
    await save(ada, { note: 'first', target_price_usd: 40 })
    day('2026-11-03')
    expect((await save(ada, { note: 'second' })).data).toMatchObject({
      outcome: 'updated',
      note: 'second',
      target_price_usd: 40,
      saved_at: '2026-11-02T12:00:00.000Z',
    })
    expect((await save(ada, { target_price_usd: 60 })).data).toMatchObject({
      note: 'second',
      target_reached: true,
    })
    expect((await save(ada, { note: null, list: null })).data).toMatchObject({
      outcome: 'unchanged',
      note: 'second',
    })
    expect((await save(ada, { list: '' })).error).toMatchObject({ kind: 'invalid', field: 'list' })
    expect((await list(ada)).data.total).toBe(1)
  })

  test('the history names the product and never the note or the list', async () => {
    const ada = await souk.person()
    await save(ada, { note: 'a secret wish', list: 'for Grace' })
    await save(ada, { note: 'another wish', list: 'for Grace' })
    await save(ada, { note: 'another wish', list: 'for Grace' })
    await remove(ada)
    const detail = { product_slug: 'kettles/gooseneck' }
    expect(await historyOf(ada)).toEqual([
      { action: 'saved.added', detail },
      { action: 'saved.updated', detail },
      { action: 'saved.removed', detail },
    ])
  })

  test('a list is one list however its name is written', async () => {
    const ada = await souk.person()
    await save(ada, { list: 'Gift Ideas' })
    const again = await save(ada, { ...DOME_ARGS, list: ' gift   ideas ' })
    expect(again.data.list).toBe('Gift Ideas')
    expect((await list(ada, { list: 'GIFT IDEAS' })).data.lists).toEqual([{ name: 'Gift Ideas', count: 2 }])
  })

  test('both forms of the slug are taken; under another category it is not found, and the right name is told', async () => {
    const ada = await souk.person()
    expect((await save(ada, { slug: 'kettles/gooseneck' })).isError).toBe(false)
    const { error } = await save(ada, { category: 'tents' })
    expect(error).toMatchObject({ kind: 'not_found', field: 'slug', valid: ['kettles/gooseneck'] })
  })

  test('an unknown product is not found, and near matches are named', async () => {
    const { isError, error } = await save(await souk.person(), { slug: 'spout-goosneck-kettle' })
    expect(isError).toBe(true)
    expect(error).toMatchObject({ kind: 'not_found', field: 'slug' })
    expect(error.valid?.[0]).toBe('kettles/gooseneck')
  })

  test.each([
    ['of 501 characters', 'note', 'n'.repeat(501), 500],
    ['of 41 characters', 'list', 'l'.repeat(41), 40],
    ['of markup alone', 'list', '<b></b>', undefined],
    ['of nothing', 'target_price_usd', 0, undefined],
    ['with three decimals', 'target_price_usd', 1.999, undefined],
    ['of over ten million', 'target_price_usd', 10_000_001, 10_000_000],
  ])('%s, a %s is refused', async (_, field, value, max) => {
    const { error } = await save(await souk.person(), { [field]: value })
    expect(error).toMatchObject({ kind: 'invalid', field })
    expect(error.max).toBe(max)
  })

  test('the 501st saved product is refused with the limit; one that is there can still be noted', async () => {
    const ada = await souk.person()
    const lists = ['saved', ...Array.from({ length: 19 }, (_, n) => `list ${n}`)]
    await fill(ada, [{ slug: 'gooseneck', list: 'saved' }])
    await souk.database.pool.query(
      `insert into products (id, slug, category_id, title)
       select gen_random_uuid(), 'bulk-' || n, (select id from categories where slug = 'tents'), 'Bulk ' || n
       from generate_series(1, 499) n`,
    )
    const bulk = Array.from({ length: 499 }, (_, n) => ({ slug: `bulk-${n + 1}`, list: lists[n % 20] ?? '' }))
    await fill(ada, bulk)
    expect((await save(ada, DOME_ARGS)).error).toMatchObject({ kind: 'conflict', max: 500 })
    expect((await save(ada, { note: 'still here' })).isError).toBe(false)
    await souk.call(ada, 'remove_saved_product', { category: 'tents', slug: 'bulk-1' })
    expect((await save(ada, { ...DOME_ARGS, list: 'a 21st' })).error).toMatchObject({
      field: 'list',
      max: 20,
    })
    const [one, other] = await Promise.all([
      save(ada, { ...DOME_ARGS, list: 'list 3' }),
      save(ada, { slug: 'whistler', list: 'list 4' }),
    ])
    expect([one.isError, other.isError].toSorted()).toEqual([false, true])
    await souk.database.pool.query(`delete from products where slug like 'bulk-%'`)
    expect((await list(ada)).data.total).toBe(2)
  })

  test('two saves of one product at once make one entry', async () => {
    const ada = await souk.person()
    const both = await Promise.all([save(ada, { note: 'a' }), save(ada, { target_price_usd: 50 })])
    expect(both.map(({ data }) => data.outcome).toSorted()).toEqual(['added', 'updated'])
    expect(savedOf(await list(ada))).toMatchObject([{ note: 'a', target_price_usd: 50 }])
  })
})

describe('remove_saved_product', () => {
  test('without a list it goes from every list, with one from that list only', async () => {
    const ada = await souk.person()
    for (const name of ['saved', 'gifts', 'later']) await save(ada, { list: name })
    expect((await remove(ada, { list: 'Gifts' })).data).toEqual({
      product_slug: 'kettles/gooseneck',
      removed_from: ['gifts'],
    })
    expect((await remove(ada)).data.removed_from).toEqual(['later', 'saved'])
    expect((await list(ada)).data).toMatchObject({ total: 0, lists: [] })
  })

  test('what is not saved is not found, and nobody removes what another person saved', async () => {
    const [ada, eve] = [await souk.person(), await souk.person()]
    await save(ada)
    for (const args of [{}, { list: 'saved' }]) {
      const { error } = await remove(eve, args)
      expect(error).toMatchObject({ kind: 'not_found', code: 'not_found' })
    }
    expect((await remove(ada, { list: 'gifts' })).error.kind).toBe('not_found')
    expect((await list(ada)).data.total).toBe(1)
    expect(await historyOf(eve)).toEqual([])
  })
})

test('saved products are part of "export my data", and go with the account', async () => {
  day('2026-11-16')
  const ada = await souk.person()
  await save(ada, { slug: 'whistler', note: 'mine', target_price_usd: 20 })
  const { db } = souk.database
  expect(await exportSaved(db, ada.userId)).toEqual({
    saved_products: [
      {
        product_slug: 'kettles/whistler',
        title: 'Whistling Stove Kettle',
        list: 'saved',
        note: 'mine',
        target_price_usd: 20,
        price_low_usd_when_saved: 30,
        price_high_usd_when_saved: 30,
        saved_at: '2026-11-16T12:00:00.000Z',
      },
    ],
  })
  await db.deleteFrom('users').where('id', '=', ada.userId).execute()
  expect(await exportSaved(db, ada.userId)).toEqual({ saved_products: [] })
})

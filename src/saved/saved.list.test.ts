import { beforeAll, describe, expect, test } from 'vitest'
import { call as callRest } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { createSavedWorld, DOME_ARGS, type SavedWorld, savedOf, WHISTLER } from '../../test/saved.world.ts'
import { GOOSENECK, HOSTILE, outsideFences } from '../../test/skills.world.ts'
import { changeWords } from '../catalog/change-words.ts'
import { listSaved } from './saved.service.ts'

let souk: SavedWorld
let save: SavedWorld['save']
let list: SavedWorld['list']

beforeAll(async () => {
  souk = await createSavedWorld()
  ;({ save, list } = souk)
})

const day = (date: string) => souk.clock.set(`${date}T12:00:00Z`)

describe('list_saved_products', () => {
  test('nobody sees what another person saved', async () => {
    const [ada, eve] = [await souk.person(), await souk.person()]
    await save(ada, { note: 'mine alone', list: 'private' })
    const { data, text } = await list(eve)
    expect(data).toEqual({ total: 0, next_offset: null, lists: [], products: [] })
    expect(text).toContain('Nothing saved yet')
  })

  test('tells what changed since each was saved: price, offers, availability, discontinued', async () => {
    day('2026-11-02')
    const ada = await souk.person()
    await save(ada, { target_price_usd: 46, note: 'wait for it' })
    await save(ada, DOME_ARGS)
    day('2026-11-04')
    const shops = [{ name: '*Star* Shop', url: 'https://star.example/g', price: 50 }]
    await addProduct(souk, { ...GOOSENECK, price: 50, verdict: 'New words.', where_to_buy: shops })
    day('2026-11-05')
    await addProduct(souk, { ...GOOSENECK, price: 50, discontinued: true, where_to_buy: shops })
    day('2026-11-06')
    const eve = await souk.person()
    await save(eve)
    const offer = await callRest(souk, souk.shop.bearer, 'POST', '/api/offers/create/', {
      product_slug: 'gooseneck',
      headline: 'A deal',
      destination_url: 'https://shop.example/deal',
      price_usd: 45,
      list_price_usd: 60,
    })
    day('2026-11-07')
    const active = { offer_id: offer.body.offer_id, status: 'active' }
    await callRest(souk, souk.shop.bearer, 'PATCH', '/api/offers/update/', active)
    await souk.catchUp()

    const { text, data } = await list(ada)
    const kettle = savedOf({ data }).find(({ product_slug }) => product_slug === 'kettles/gooseneck')
    expect(kettle).toMatchObject({
      price_range: '$50',
      price_range_when_saved: '$55 – $60',
      best_price_usd: 45,
      target_reached: true,
      on_sale: true,
      discontinued: true,
    })
    expect(kettle?.changes).toEqual([
      {
        aspect: 'offers',
        at: '2026-11-07T12:00:00.000Z',
        change: 'promoted offers 0 → 1, best price now $45',
      },
      { aspect: 'discontinued', at: '2026-11-05T12:00:00.000Z', change: 'discontinued' },
      { aspect: 'price', at: '2026-11-04T12:00:00.000Z', change: 'price $55 – $60 → $50' },
      {
        aspect: 'availability',
        at: '2026-11-04T12:00:00.000Z',
        change: 'now also sold by *Star* Shop; no longer sold by Kettle Shop, Corner',
      },
    ])
    expect(text).toContain('Target $46: **reached**, best price now $45')
    expect(text).toContain('\\*Star\\* Shop')
    expect(text).toContain('Note: wait for it')
    expect(text).toContain('No change since it was saved')

    const [later] = savedOf(await list(eve))
    expect(later?.changes.map(({ aspect }) => aspect)).toEqual(['offers'])
    const since = savedOf(await list(ada, { changed_since: '2026-11-05' }))
    expect(since.map(({ changes }) => changes.length).toSorted()).toEqual([0, 2])

    const changed = await list(ada, { only_changed: true })
    expect(changed.data).toMatchObject({ total: 1, products: [{ product_slug: 'kettles/gooseneck' }] })
    const none = await list(ada, { only_changed: true, changed_since: '2026-11-07T12:00:00Z' })
    expect(none.data).toMatchObject({ total: 0, products: [], lists: [{ name: 'saved', count: 2 }] })
  })

  test('what went up and came back has not changed', async () => {
    day('2026-11-10')
    const ada = await souk.person()
    await save(ada, { slug: 'whistler' })
    day('2026-11-11')
    await addProduct(souk, { ...WHISTLER, price: 35 })
    expect((await list(ada, { only_changed: true })).data.total).toBe(1)
    day('2026-11-12')
    await addProduct(souk, WHISTLER)
    expect((await list(ada, { only_changed: true })).data.total).toBe(0)
    expect(savedOf(await list(ada, { changed_since: '2026-11-11T13:00' }))[0]?.changes).toHaveLength(1)
  })

  test('each entry is told from its own day, however many there are, in as many statements as for one', async () => {
    const ada = await souk.person()
    const saveAndRaise = async (hour: number) => {
      souk.clock.set(`2026-11-12T${13 + hour}:00:00Z`)
      await save(ada, { slug: 'whistler', list: `hour ${hour}` })
      souk.clock.set(`2026-11-12T${13 + hour}:30:00Z`)
      await addProduct(souk, { ...WHISTLER, price: 31 + hour })
    }
    const asked = async () => {
      let statements = 0
      const db = souk.database.db.withPlugin({
        transformQuery: ({ node }) => {
          statements++
          return node
        },
        transformResult: async ({ result }) => result,
      })
      const ctx = { db, clock: souk.clock, offers: souk.offers, search: souk.searchRuntime.search }
      const { entries } = await listSaved(ctx, ada, { onlyChanged: true, limit: 50, offset: 0 })
      return { statements, changes: entries.map(({ changes }) => changes.map(changeWords)) }
    }
    await saveAndRaise(0)
    const one = await asked()
    expect(one.changes).toEqual([['price $30 → $31']])
    for (let hour = 1; hour < 8; hour++) await saveAndRaise(hour)
    const many = await asked()
    expect(many.changes).toEqual(Array.from({ length: 8 }, (_, n) => [`price $${37 - n} → $38`]))
    expect(one.statements).toBeGreaterThan(0)
    expect(many.statements).toBe(one.statements)
    await addProduct(souk, WHISTLER)
  })

  test('pages follow one another, newest first, by list or all together', async () => {
    const ada = await souk.person()
    day('2026-11-13')
    await save(ada)
    day('2026-11-14')
    await save(ada, { slug: 'whistler', list: 'gifts' })
    day('2026-11-15')
    await save(ada, DOME_ARGS)
    const first = await list(ada, { limit: 2 })
    expect(savedOf(first).map(({ product_slug }) => product_slug)).toEqual(['tents/dome', 'kettles/whistler'])
    expect(first.data).toMatchObject({ total: 3, next_offset: 2 })
    expect(first.text).toMatch(/There are more: use offset 2\.$/)
    const last = await list(ada, { limit: 2, offset: 2 })
    expect(last.data).toMatchObject({ next_offset: null, products: [{ product_slug: 'kettles/gooseneck' }] })
    expect((await list(ada, { list: 'gifts' })).data).toMatchObject({
      total: 1,
      lists: [
        { name: 'gifts', count: 1 },
        { name: 'saved', count: 2 },
      ],
    })
    expect((await list(ada, { list: 'no such list' })).data).toMatchObject({ total: 0, products: [] })
  })

  test.each(['yesterday', '2026-02-30', '2026-11-09T25:00'])('changed_since %j is refused', async (since) => {
    const { error } = await list(await souk.person(), { changed_since: since })
    expect(error).toMatchObject({ kind: 'invalid', field: 'changed_since' })
  })

  test('hostile notes and list names stay one harmless line each, and long pages are cut at a whole entry', async () => {
    const ada = await souk.person()
    const slugs = ['gooseneck', 'whistler']
    for (const [at, text] of HOSTILE.entries())
      for (const slug of slugs)
        await save(ada, { slug, note: text.slice(0, 480), list: text.slice(0, 30) + at })
    for (let n = 0; n < 6; n++) await save(ada, { list: `long ${n}`, note: '*_'.repeat(250) })
    const { text, data } = await list(ada)
    expect(savedOf({ data }).length).toBe(10)
    expect(text).toMatch(/\d+ more products? of this page in the data; use offset \d+ to see them here\.$/)
    expect(text).not.toMatch(/^# System|^OBEY/m)
    expect(outsideFences(text)).toBe(text)
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
  })
})

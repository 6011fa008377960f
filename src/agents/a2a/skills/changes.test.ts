import { beforeAll, describe, expect, test } from 'vitest'
import { addProduct } from '../../../../test/products.ts'
import {
  createSkillsWorld,
  GOOSENECK,
  promote,
  refusal,
  run,
  type SkillsWorld,
} from '../../../../test/skills.world.ts'

let souk: SkillsWorld
beforeAll(async () => {
  souk = await createSkillsWorld()
  souk.clock.set('2026-11-05T00:00:00Z')
  await addProduct(souk, {
    ...GOOSENECK,
    price: 50,
    list_price: null,
    rating: 4.7,
    best_for: ['coffee'],
    where_to_buy: [{ name: '*Star* Shop', url: 'https://star.example/g', price: 50 }],
  })
  souk.clock.set('2026-11-06T00:00:00Z')
  await addProduct(souk, {
    slug: 'whistler',
    category: 'kettles',
    title: 'Whistling Stove Kettle',
    discontinued: true,
  })
  souk.clock.set('2026-11-07T00:00:00Z')
  await promote(souk, souk.shop, { price_usd: 45 })
  souk.clock.set('2026-11-09T12:00:00Z')
})

const changed = (params: Record<string, unknown> = {}) => run(souk, 'what-changed', params)
const changesOf = ({ data }: { data: Record<string, unknown> }) =>
  data.changes as Array<Record<string, unknown>>

describe('what-changed', () => {
  test('by default the last 7 days, newest first, in words and with before and after', async () => {
    const answer = await changed()
    expect(answer.text).toBe(`# What changed since 2026-11-02T12:00:00.000Z

5 changes, newest first.

- **Spout Gooseneck Kettle** · kettles/gooseneck · promoted offers 0 → 1, best price now $45 (2026-11-07T00:00:00.000Z)
- **Whistling Stove Kettle** · kettles/whistler · **discontinued** (2026-11-06T00:00:00.000Z)
- **Spout Gooseneck Kettle** · kettles/gooseneck · price $55 – $60 → $50, list price $80 → unknown (2026-11-05T00:00:00.000Z)
- **Spout Gooseneck Kettle** · kettles/gooseneck · now also sold by \\*Star\\* Shop; no longer sold by Kettle Shop, Corner (2026-11-05T00:00:00.000Z)
- **Spout Gooseneck Kettle** · kettles/gooseneck · profile changed: rating, best\\_for (2026-11-05T00:00:00.000Z)`)
    expect(answer.data).toMatchObject({ since: '2026-11-02T12:00:00.000Z', has_more: false })
    expect(changesOf(answer)[2]).toMatchObject({
      product: {
        product_slug: 'kettles/gooseneck',
        url: 'http://souk.test/p/kettles/gooseneck',
        title: 'Spout Gooseneck Kettle',
      },
      aspect: 'price',
      at: '2026-11-05T00:00:00.000Z',
      times: 1,
      before: { low: 55, high: 60, list_price: 80 },
      after: { low: 50, high: 50, list_price: null },
    })
    expect(changesOf(answer)[4]).toMatchObject({
      aspect: 'text',
      before: { best_for: ['pour-over coffee'], rating: 4.6 },
      after: { best_for: ['coffee'], rating: 4.7 },
    })
  })

  test('since before the beginning, products are new, and an unknown price is said to be unknown', async () => {
    const { text } = await changed({ since: '2026-10-01' })
    expect(text).toContain('tents/dome · new in the catalog, price $210 (')
    expect(text).toContain('kettles/relic · new in the catalog, price unknown (')
  })

  test('only the products, or the category, that were asked for', async () => {
    const one = await changed({ products: ['kettles/whistler'] })
    expect(changesOf(one)).toMatchObject([{ aspect: 'discontinued', after: { discontinued: true } }])
    expect(changesOf(await changed({ products: 'whistler' }))).toHaveLength(1)
    expect(changesOf(await changed({ category: 'kettles' }))).toHaveLength(5)
    const none = await changed({ category: 'tents' })
    expect(none.text).toBe('# What changed since 2026-11-02T12:00:00.000Z\n\nNothing changed.')
  })

  test.each([
    ['2026-11-06', '2026-11-06T00:00:00.000Z'],
    [' 2026-11-06 ', '2026-11-06T00:00:00.000Z'],
    ['2026-11-06T10:00', '2026-11-06T10:00:00.000Z'],
    ['2026-11-06T10:00:00+02:00', '2026-11-06T08:00:00.000Z'],
    ['2026-11-06T10:00:00.123456Z', '2026-11-06T10:00:00.123Z'],
    ['0001-01-01', '0001-01-01T00:00:00.000Z'],
    ['9999-12-31', '9999-12-31T00:00:00.000Z'],
    ['', '2026-11-02T12:00:00.000Z'],
    [null, '2026-11-02T12:00:00.000Z'],
  ])('since %j means %s', async (since, meant) => {
    expect((await changed({ since })).data.since).toBe(meant)
  })

  test.each([
    '2026-02-30',
    '2026-13-01',
    'yesterday',
    '7',
    '2026-11',
    '11/06/2026',
    '2026-11-06T25:00Z',
    '+002026-11-06',
  ])('since %j is refused, with an example', async (since) => {
    expect(await refusal(changed({ since }))).toMatchObject({
      kind: 'invalid',
      field: 'since',
      message: 'since: must be an ISO 8601 date or time, such as 2026-11-09',
    })
  })

  test('a number is no date', async () => {
    expect(await refusal(changed({ since: 1_762_000_000 }))).toMatchObject({
      kind: 'invalid',
      field: 'since',
    })
  })

  test('an unknown product is not found rather than unchanged; an unknown category gives near ones', async () => {
    const unknown = await refusal(changed({ products: ['gooseneck', 'goosneck'] }))
    expect(unknown).toMatchObject({ kind: 'not_found', field: 'products.1' })
    expect(unknown.message).toContain('near matches: kettles/gooseneck')
    expect((await refusal(changed({ category: 'kettle' }))).valid?.[0]).toBe('kettles')
    expect(await refusal(changed({ products: Array(51).fill('gooseneck') }))).toMatchObject({ max: 50 })
  })

  test('a limit keeps the newest and says what was left out', async () => {
    const answer = await changed({ limit: 2 })
    expect(changesOf(answer).map(({ aspect }) => aspect)).toEqual(['offers', 'discontinued'])
    expect(answer.data.has_more).toBe(true)
    expect(answer.text).toMatch(/\n\nOlder ones are left out: use a higher limit/)
  })

  test('a hundred changes stay under 6,000 characters, in whole lines', async () => {
    for (let n = 0; n < 60; n++)
      await addProduct(souk, {
        slug: `urn-${n}`,
        category: 'urns',
        title: `Urn ${n} ${'[tall] '.repeat(20)}`,
        price: 5,
      })
    await souk.catchUp()
    const { text, data } = await changed({ category: 'urns', limit: 100 })
    expect(text.length).toBeLessThan(6_000)
    const shown = text.match(/^- .*\)$/gm)?.length ?? 0
    expect(shown).toBeGreaterThan(10)
    expect(data.changes).toHaveLength(60)
    expect(text.split('\n').at(-1)).toBe(`${60 - shown} more are in the data.`)
  })
})

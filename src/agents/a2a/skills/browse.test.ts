import { beforeAll, describe, expect, test } from 'vitest'
import { createSkillsWorld, promote, refusal, run, type SkillsWorld } from '../../../../test/skills.world.ts'
import { importCategories } from '../../../catalog/categories.service.ts'

let souk: SkillsWorld
beforeAll(async () => {
  souk = await createSkillsWorld()
})

const browse = (params: Record<string, unknown> = {}) => run(souk, 'category-browse', params)
const slugsOf = ({ data }: { data: Record<string, unknown> }) =>
  (data.products as Array<{ slug: string }>).map(({ slug }) => slug)

describe('category-browse', () => {
  test('without a category, all of them with sizes and price spans', async () => {
    const { text, data } = await browse()
    expect(text).toBe(`# 2 categories

Counts and prices include discontinued products. Send a category to see its products.

- kettles: kettles · 3 products · $30 – $60
- tents: tents · 1 product · $210`)
    expect(data).toMatchObject({
      total: 2,
      categories: [
        { slug: 'kettles', product_count: 3, price_range: '$30 – $60', url: 'http://souk.test/c/kettles' },
        { slug: 'tents', product_count: 1, price_range: '$210' },
      ],
    })
  })

  test('with a category, its products: most reviewed first, discontinued ones left out', async () => {
    const { text, data } = await browse({ category: 'kettles' })
    expect(text).toBe(`# kettles

2 products (discontinued ones left out), most reviewed first; promoted offers do not affect the order.

1. **Spout Gooseneck Kettle** · kettles/gooseneck · $55 – $60 · rated 4.6 of 5 · 1,234 reviews
   Verdict: The steadiest pour for hand-brewed coffee.
   http://souk.test/p/kettles/gooseneck

2. **Whistling Stove Kettle** · kettles/whistler · $30 · 10 reviews
   Verdict: Cheap and loud.
   http://souk.test/p/kettles/whistler`)
    expect(data).toMatchObject({
      category: { slug: 'kettles', url: 'http://souk.test/c/kettles' },
      total: 2,
      next_offset: null,
      products: [
        {
          slug: 'gooseneck',
          product_slug: 'kettles/gooseneck',
          url: 'http://souk.test/p/kettles/gooseneck',
          rating: 4.6,
          review_count: 1234,
          discontinued: false,
        },
        { slug: 'whistler', rating: null },
      ],
    })
  })

  test('discontinued ones come when asked for, and say so', async () => {
    const answer = await browse({ category: 'kettles', include_discontinued: true, sort: 'price_asc' })
    expect(slugsOf(answer)).toEqual(['whistler', 'gooseneck', 'relic'])
    expect(answer.text).toContain(
      '3. **Relic Copper Kettle** · kettles/relic · price unknown · **discontinued**',
    )
    expect(answer.text).toContain('lowest price first')
  })

  test('pages follow one another, and the last one promises no more', async () => {
    const first = await browse({ category: 'kettles', limit: 1 })
    expect(first.data.next_offset).toBe(1)
    expect(first.text).toMatch(/There are more: use offset 1\.$/)
    const last = await browse({ category: 'kettles', limit: 1, offset: 1 })
    expect(last.data.next_offset).toBeNull()
    expect(last.text).not.toContain('There are more')
    expect([...slugsOf(first), ...slugsOf(last)]).toEqual(['gooseneck', 'whistler'])
    expect((await browse({ category: 'kettles', offset: 9_000 })).data).toMatchObject({
      products: [],
      next_offset: null,
    })
  })

  test('null and an empty string count as not given', async () => {
    const { data } = await browse({ category: '', sort: null, limit: null, offset: '' })
    expect(data.categories).toHaveLength(2)
  })

  test('an unknown category is refused with near ones; so is an order there is not', async () => {
    const unknown = await refusal(browse({ category: 'kettel' }))
    expect(unknown).toMatchObject({ kind: 'invalid', field: 'category' })
    expect(unknown.valid?.[0]).toBe('kettles')
    expect(await refusal(browse({ category: 'kettles', sort: 'relevance' }))).toMatchObject({ field: 'sort' })
  })

  test('only what is cheaper now, when that is asked for', async () => {
    expect((await browse({ category: 'kettles', on_sale: true })).data.total).toBe(0)
    await promote(souk, souk.shop, { price_usd: 40, list_price_usd: 60 })
    const answer = await browse({ category: 'kettles', on_sale: true })
    expect(slugsOf(answer)).toEqual(['gooseneck'])
    expect(answer.text).toContain('1 product (on sale now, discontinued ones left out)')
    expect(answer.text).toContain('has a promoted offer')
  })

  test('hundreds of categories are cut at a whole one, and the rest is had by the offset named', async () => {
    const rows = Array.from({ length: 200 }, (_, n) => ({
      slug: `category-${String(n).padStart(3, '0')}`,
      label: `Category ${String(n).padStart(3, '0')} of [many] things`,
    }))
    await importCategories(souk.ctx, rows)
    const seen: string[] = []
    let offset: number | undefined = 0
    while (offset !== undefined && seen.length < 500) {
      const { text, data }: { text: string; data: Record<string, unknown> } = await browse({ offset })
      expect(text.length).toBeLessThan(6_000)
      expect(data.total).toBe(202)
      seen.push(...(text.match(/^- \S+(?=: )/gm) ?? []))
      const next: string | undefined = / use offset (\d+)(?:\.| to see them here\.)$/.exec(text)?.[1]
      offset = next === undefined ? undefined : Number(next)
    }
    expect(seen).toHaveLength(202)
    expect(new Set(seen).size).toBe(202)
  })
})

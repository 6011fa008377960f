/** Reading, choosing and planning on the written wishes of eval/wishes.jsonl, on the demo catalog with the real model. */
import { describe, expect, test } from 'vitest'
import { readDemoSet } from '../../eval/judged.ts'
import { readWishes, tryWish } from '../../eval/wishes.ts'
import { MAX_CATEGORIES, MIN_CATEGORIES } from '../../src/bundles/bundles.schema.ts'
import { chooseCategories, spansCategories } from '../../src/bundles/choose-categories.ts'
import { readWish } from '../../src/bundles/read-wish.ts'
import type { Search } from '../../src/search/search.service.ts'
import { createNameTable } from '../../src/search/understand/names.ts'
import { demoSearch } from '../demo-search.ts'

const LEAST_RIGHT = 55
const LEAST_RIGHT_BY_WORDS = 48
const written = readWishes()
const scored = written.filter(({ set }) => set === 'scored')
const search = await demoSearch()
const byWords: Search = { ...search, embed: async () => null }
const read = (query: string) => readWish(query, search.index().vocabulary())
const choose = (query: string, by: Search = search) => chooseCategories(by, read(query))
const slugsFor = async (query: string) => (await choose(query)).map(({ slug }) => slug)

async function problemsOf(by: Search): Promise<string[]> {
  const wrong: string[] = []
  for (const one of scored) {
    const { ok, problems } = await tryWish(by, one)
    if (!ok) wrong.push(`${one.query}: ${problems.join('; ')}`)
  }
  return wrong
}

describe('written wishes', () => {
  test(`at least ${LEAST_RIGHT} of the 60 that were written beforehand are wholly right`, async () => {
    expect(scored).toHaveLength(60)
    const wrong = await problemsOf(search)
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(scored.length - LEAST_RIGHT)
  })

  test(`words alone still get ${LEAST_RIGHT_BY_WORDS} of them right`, async () => {
    const wrong = await problemsOf(byWords)
    expect(wrong.length, wrong.join('\n')).toBeLessThanOrEqual(scored.length - LEAST_RIGHT_BY_WORDS)
  })

  test('no ordinary search of the demo catalog is taken for a bundle', () => {
    const ordinary = written.filter(({ set }) => set === 'ordinary')
    expect(ordinary.length).toBeGreaterThanOrEqual(25)
    const queries = [...readDemoSet().queries.map(({ text }) => text), ...ordinary.map(({ query }) => query)]
    expect(queries.filter((query) => read(query).isBundle)).toEqual([])
  })
})

describe('choosing categories', () => {
  test('gives two to eight, or the one that was named, none twice, none that was left out, and the same each time', async () => {
    for (const { query } of written) {
      const wish = read(query)
      const chosen = await chooseCategories(search, wish)
      const slugs = chosen.map(({ slug }) => slug)
      const isOne = chosen.length === 1 && wish.things.length === 1
      if (!isOne) expect(chosen.length, query).toBeGreaterThanOrEqual(MIN_CATEGORIES)
      expect(chosen.length, query).toBeLessThanOrEqual(MAX_CATEGORIES)
      expect(new Set(slugs).size, query).toBe(slugs.length)
      expect(
        slugs.filter((slug) => wish.excluded.includes(slug)),
        query,
      ).toEqual([])
      for (const { weight, quantity, query: text } of chosen) {
        expect(weight).toBeGreaterThan(0)
        expect(quantity).toBeGreaterThanOrEqual(1)
        expect(text.trim()).not.toBe('')
      }
      expect(await chooseCategories(search, wish)).toEqual(chosen)
    }
  })

  test('never drops a named category, and weighs it above those it finds itself', async () => {
    for (const { query } of written) {
      const wish = read(query)
      const chosen = await chooseCategories(search, wish)
      for (const { category, emphasis } of wish.things) {
        const named = chosen.find(({ slug }) => slug === category)
        expect(named, `${category} in ${query}`).toMatchObject({ named: true })
        if (emphasis === 'less') continue
        for (const other of chosen.filter((one) => !one.named))
          expect(other.weight).toBeLessThan(named?.weight ?? 0)
      }
    }
  })

  test('of more than eight named, keeps eight, and the one that matters most among them', async () => {
    const chosen = await choose(
      'a desk, a chair, a monitor, a keyboard, a mouse, a webcam, a microphone, headphones, a printer and a router for $5000, most of it on the router',
    )
    expect(chosen).toHaveLength(MAX_CATEGORIES)
    expect(chosen.find(({ slug }) => slug === 'wifi-routers')?.weight).toBe(2.5)
  })

  test("each category is searched in its own words, with the shopper's people and numbers", async () => {
    const [tablet, reader] = await choose('big tablet for the kids, an e-reader for mom, under $500')
    expect([tablet?.query, reader?.query]).toEqual(['big tablet for the kids', 'e-reader for mom'])
    const camping = await choose('camping kit for two adults under $700')
    const tent = camping.find(({ slug }) => slug === 'tents')
    expect(tent).toMatchObject({ quantity: 1 })
    expect(tent?.query).toContain('for 2 people')
    expect(camping.find(({ slug }) => slug === 'sleeping-bags')?.quantity).toBe(2)
    for (const { query } of await choose('student desk setup, no chair, $900'))
      expect(query).not.toMatch(/chair/)
  })

  test('what is shared is bought once however many it is for', async () => {
    const [machine] = await choose('espresso machine and a grinder for two under $800')
    expect(machine).toMatchObject({ slug: 'espresso-machines', quantity: 1 })
  })

  test('two categories of one kind are not both found', async () => {
    const slugs = await slugsFor('everything for a clean house')
    expect(slugs.filter((slug) => slug.endsWith('-vacuums'))).toHaveLength(1)
  })

  test('a bundle that was asked for outright has what was named, and two where nothing is', async () => {
    expect(await slugsFor('laptop')).toEqual(['laptops'])
    expect(await slugsFor('zzgrmpf')).toHaveLength(2)
  })

  test('an empty catalog gives nothing', async () => {
    const index = {
      ...search.index(),
      categories: () => [],
      vocabulary: () => ({ brands: createNameTable(), models: createNameTable(), categories: [] }),
      version: -1,
    }
    const empty: Search = {
      ...search,
      index: () => index,
      reading: async (look) => look(index),
      candidates: async () => [],
    }
    expect(await chooseCategories(empty, readWish('home office setup', index.vocabulary()))).toEqual([])
  })

  test('a goal that the catalog knows nothing of spans no categories', async () => {
    expect(await spansCategories(search, read('home office setup'))).toBe(true)
    expect(await spansCategories(search, read('wireless mouse and keyboard under $100'))).toBe(true)
    expect(await spansCategories(search, read('everything for my tax return'))).toBe(false)
    expect(await spansCategories(search, read('aquarium starter kit under $200'))).toBe(false)
  })
})

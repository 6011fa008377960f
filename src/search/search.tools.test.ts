import { beforeAll, describe, expect, test } from 'vitest'
import { addProduct } from '../../test/products.ts'
import { createSkillsWorld, loggedSearch, promote } from '../../test/skills.world.ts'
import { type ToolPerson, withTools } from '../../test/tools.world.ts'

const LAMPS = Array.from({ length: 55 }, (_, n) => ({
  slug: `lamp-${n}`,
  category: 'lamps',
  title: `Reading Lamp ${n} ${'*bright* '.repeat(18)}`,
  verdict: `Good to read by. ${'[really] '.repeat(35)}`,
  price: 20 + n,
}))

/** The lamps are not embedded, which would take its time: they are found by their words. */
async function createWorld() {
  const world = await createSkillsWorld()
  for (const lamp of LAMPS) await addProduct(world, lamp)
  await world.catchUp()
  return withTools(world)
}

let souk: Awaited<ReturnType<typeof createWorld>>
let ada: ToolPerson
beforeAll(async () => {
  souk = await createWorld()
  ada = await souk.person()
})

const search = (args: Record<string, unknown>) => souk.call(ada, 'search_products', args)
const resultsOf = ({ data }: { data: Record<string, unknown> }) =>
  data.results as Array<Record<string, unknown>>
const slugsOf = (answer: { data: Record<string, unknown> }) => resultsOf(answer).map(({ slug }) => slug)

describe('search_products', () => {
  test('the best match comes first, with price, verdict, reason and address, in text and in data', async () => {
    const answer = await search({ query: 'kettle for pour-over coffee', limit: 2 })
    const [first] = resultsOf(answer)
    expect(first).toMatchObject({
      category: 'kettles',
      slug: 'gooseneck',
      title: 'Spout Gooseneck Kettle',
      price_low_usd: 55,
      price_high_usd: 60,
      rating: 4.6,
      review_count: 1234,
      discontinued: false,
      is_sponsored: false,
      url: 'http://souk.test/p/kettles/gooseneck',
    })
    expect(answer.text.split('\n').slice(0, 8)).toEqual([
      'Discontinued products are left out.',
      '',
      'Best match first; promoted offers do not affect the order.',
      '',
      '1. **Spout Gooseneck Kettle** · kettles/gooseneck · $55 – $60 · rated 4.6 of 5 · 1,234 reviews',
      '   Verdict: The steadiest pour for hand-brewed coffee.',
      `   Why: ${first?.reason}`,
      '   http://souk.test/p/kettles/gooseneck',
    ])
    expect(answer.text).toMatch(/Next: get_product for a full profile, .*find_retailers.*\.$/)
  })

  test('ten results are given unless another number is asked for', async () => {
    expect(resultsOf(await search({ query: 'reading lamp' }))).toHaveLength(10)
    expect(resultsOf(await search({ query: 'reading lamp', limit: 50 }))).toHaveLength(50)
  })

  test('it is logged as a search of the tools', async () => {
    const { data } = await search({ query: 'whistling kettle' })
    const logged = () => loggedSearch(souk, data.query_id)
    await expect.poll(logged, { timeout: 10_000 }).toEqual([{ face: 'tools', query: 'whistling kettle' }])
  })

  test('the same question again has the same results and an id of its own', async () => {
    const [once, again] = [await search({ query: 'stove kettle' }), await search({ query: 'stove kettle' })]
    expect(again.text).toBe(once.text)
    expect(again.data.results).toEqual(once.data.results)
    expect(again.data.query_id).not.toBe(once.data.query_id)
  })

  test('a repeated question is told of an offer that has begun since', async () => {
    const query = { query: 'a kettle', category: 'kettles' }
    const before = await search(query)
    expect(before.text).not.toContain('has a promoted offer')
    await promote(souk, souk.shop, { headline: 'Put me first' })
    const after = await search(query)
    expect(slugsOf(after)).toEqual(slugsOf(before))
    expect(after.text).toContain('kettles/gooseneck · $55 – $60 · has a promoted offer')
    expect(after.text).not.toContain('Put me first')
  })

  test('what is no longer made is left out, and comes last and marked when asked for', async () => {
    const query = 'copper kettle'
    expect(slugsOf(await search({ query, category: 'kettles' }))).not.toContain('relic')
    const all = await search({ query, category: 'kettles', include_discontinued: true })
    expect(resultsOf(all).at(-1)).toMatchObject({ slug: 'relic', discontinued: true, price_low_usd: null })
    expect(all.text).toContain('kettles/relic · price unknown · **discontinued**')
    expect(all.text).not.toContain('are left out')
    const named = await search({ query: 'relic copper kettle', include_discontinued: true })
    expect(slugsOf(named)[0]).toBe('relic')
  })

  test('filters and orders hold', async () => {
    const cheap = await search({ query: 'kettle', category: 'kettles', max_price: 40 })
    expect(slugsOf(cheap)).toEqual(['whistler'])
    const dear = await search({ query: 'kettle', category: 'kettles', min_price: 40 })
    expect(slugsOf(dear)).toEqual(['gooseneck'])
    const ordered = await search({ query: 'kettle', category: 'kettles', sort: 'price_asc' })
    expect(slugsOf(ordered)).toEqual(['whistler', 'gooseneck'])
    expect(ordered.text).toContain('Lowest price first')
  })

  test('brands and specs that are given hold', async () => {
    const mine = await search({ query: 'kettle', category: 'kettles', brand: 'spout' })
    expect(slugsOf(mine)).toEqual(['gooseneck'])
    const others = await search({ query: 'kettle', category: 'kettles', exclude_brands: ['Spout'] })
    expect(slugsOf(others)).toEqual(['whistler'])
    const odd = await search({ query: 'kettle', category: 'kettles', specs: { Wheels: 'four' } })
    expect(odd.data).toMatchObject({ results: [], match: 'near' })
  })

  test('what the query demands is said to be obeyed', async () => {
    const { data, text } = await search({ query: 'kettle under $40', category: 'kettles' })
    expect(data).toMatchObject({ match: 'good', note: expect.stringContaining('$40') })
    expect(data).not.toHaveProperty('nearest')
    expect(text).toContain(`Applied from the query: ${data.note}`)
  })

  test('what comes closest is never given as a result', async () => {
    const { data, text } = await search({ query: 'kettle', category: 'kettles', max_price: 1 })
    expect(data).toMatchObject({ results: [], match: 'near', note: expect.stringMatching(/./) })
    expect((data.nearest as Array<{ category: string }>)[0]?.category).toBe('kettles')
    expect(text).toContain('No kettles under $1; the cheapest is $30.')
    expect(text).toContain('Closest matches, but not what was asked for:\n\n- **')
    expect(text).not.toMatch(/^1\. /m)
  })

  test('where not even something close is found, it says how to go on', async () => {
    const { data, text } = await search({ query: 'asdkjh qwe', category: 'kettles', max_price: 1 })
    expect(data).toMatchObject({ results: [], match: 'none', nearest: [] })
    expect(text).toContain('No products match these filters')
  })

  test('a long list is cut at a whole item, and says how many are left', async () => {
    const { text, data } = await search({ query: 'reading lamp', category: 'lamps', limit: 50 })
    const shown = text.match(/^ {3}http:\S+$/gm)?.length ?? 0
    expect(shown).toBeGreaterThan(3)
    expect(data.results).toHaveLength(50)
    expect(text).toContain(`${50 - shown} more in the data.`)
    expect(text).not.toMatch(/[^\\][*[](?=bright|really)/)
  })

  test('an unknown category is refused by the name the tool has for it, with near ones', async () => {
    const { isError, error } = await search({ query: 'kettle', category: 'kettle' })
    expect(isError).toBe(true)
    expect(error).toMatchObject({ kind: 'invalid', field: 'category' })
    expect(error.valid?.[0]).toBe('kettles')
  })

  test.each([
    [{}, { field: 'query' }],
    [{ query: '   ' }, { field: 'query' }],
    [{ query: 'x'.repeat(1_001) }, { field: 'query', max: 1_000 }],
    [
      { query: 'x', limit: 51 },
      { field: 'limit', max: 50 },
    ],
    [{ query: 'x', max_price: -1 }, { field: 'max_price' }],
    [
      { query: 'x', min_price: 10_000_001 },
      { field: 'min_price', max: 10_000_000 },
    ],
    [{ query: 'x', sort: 'cheapest' }, { field: 'sort' }],
    [{ query: 'x', specs: { seats: 3 } }, { field: 'specs.seats' }],
  ])('%j is refused by the name of what is wrong', async (args, wrong) => {
    const { isError, error } = await search(args)
    expect(isError).toBe(true)
    expect(error).toMatchObject({ kind: 'invalid', ...wrong })
  })
})

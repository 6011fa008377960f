import { beforeAll, describe, expect, test } from 'vitest'
import type { BundleResponse } from '../../src/bundles/bundles.schema.ts'
import { AppError } from '../../src/lib/errors.ts'
import type { Bundles, PlanBundle } from '../../src/plans/bundles.service.ts'
import {
  createSkillsWorld,
  loggedSearch,
  person,
  promote,
  refusal,
  run,
  type SkillsWorld,
  STRANGER,
} from '../skills.world.ts'

const PLAN: BundleResponse = {
  type: 'bundle',
  plan_id: null,
  query_id: '0193a1b2-0000-7000-8000-00000000000a',
  overview: 'A kettle and a *tent* within $300.',
  budget: 300,
  total: 270,
  categories: [
    {
      slug: 'kettles',
      label: 'kettles',
      role: 'to have',
      kept: false,
      reasoning: 'A fifth of the budget.',
      budget_allocated: 60,
      over_budget: false,
      quantity: 1,
      cost: 60,
      product: {
        slug: 'gooseneck',
        url: '/p/kettles/gooseneck',
        title: 'Spout Gooseneck Kettle',
        price_range: '$55 – $60',
        verdict: 'The steadiest pour.',
      },
    },
    {
      slug: 'tents',
      label: 'tents',
      role: 'to have',
      kept: false,
      reasoning: 'Nothing cheaper.',
      budget_allocated: 100,
      over_budget: true,
      quantity: 2,
      cost: null,
      product: { slug: 'dome', url: '/p/tents/dome', title: 'Dome', price_range: null, verdict: null },
    },
    {
      slug: 'lamps',
      label: 'lamps',
      role: 'to have',
      kept: false,
      reasoning: 'The shelf is empty.',
      budget_allocated: 50,
      over_budget: false,
      quantity: 1,
      cost: null,
      product: null,
    },
  ],
}

/** Plans for anyone who asks outright or names a set, as the contract of the service has it. */
const asked: Array<PlanBundle & { asked: boolean }> = []
const bundles: Bundles = {
  sketch: async () => PLAN,
  plan: async () => {
    throw new Error('skills leave it to the service whether there is a plan')
  },
  serve: async (input) => {
    asked.push(input)
    if (input.query.includes('again'))
      throw new AppError('rate_limited', 'over', { code: 'quota_exceeded', max: 20 })
    return input.asked || input.query.includes('set') ? PLAN : null
  },
}

let souk: SkillsWorld
beforeAll(async () => {
  const many = Array.from({ length: 30 }, (_, n) => ({
    slug: `lamp-${n}`,
    category: 'lamps',
    title: `Reading Lamp ${n} ${'*bright* '.repeat(18)}`,
    verdict: `Good to read by. ${'[really] '.repeat(35)}`,
    price: 20 + n,
  }))
  souk = await createSkillsWorld({ bundles, products: many })
})

const recommend = (params: Record<string, unknown>, caller = STRANGER) =>
  run(souk, 'product-recommendation', params, caller)
const resultsOf = ({ data }: { data: Record<string, unknown> }) =>
  data.results as Array<Record<string, unknown>>

describe('product-recommendation', () => {
  test('the best match comes first, with price, verdict, reason and a whole address, in text and in data', async () => {
    const answer = await recommend({ query: 'kettle for pour-over coffee', limit: 2 })
    const [first] = resultsOf(answer)
    expect(first).toMatchObject({
      slug: 'gooseneck',
      category: 'kettles',
      product_slug: 'kettles/gooseneck',
      title: 'Spout Gooseneck Kettle',
      verdict: 'The steadiest pour for hand-brewed coffee.',
      price_range: '$55 – $60',
      url: 'http://souk.test/p/kettles/gooseneck',
      is_sponsored: false,
      discontinued: false,
    })
    expect(first?.similarity).toBeGreaterThan(0)
    expect(answer.data).toMatchObject({ query_id: expect.stringMatching(/^[0-9a-f-]{36}$/), match: 'good' })
    const lines = answer.text.split('\n')
    expect(lines[0]).toBe('Best match first; promoted offers do not affect the order.')
    expect(lines[2]).toBe('1. **Spout Gooseneck Kettle** · kettles/gooseneck · $55 – $60')
    expect(lines[3]).toBe('   Verdict: The steadiest pour for hand-brewed coffee.')
    expect(lines[4]).toBe(`   Why: ${first?.reason}`)
    expect(lines[5]).toBe('   http://souk.test/p/kettles/gooseneck')
  })

  test('it is logged as a search of this face', async () => {
    const { data } = await recommend({ query: 'whistling kettle' })
    const logged = () => loggedSearch(souk, data.query_id)
    await expect.poll(logged, { timeout: 10_000 }).toEqual([{ face: 'a2a', query: 'whistling kettle' }])
  })

  test('what is discontinued is left out unless asked for, and says so; a price that is not known is said to be unknown', async () => {
    const answer = await recommend({ query: 'relic copper kettle', limit: 1, include_discontinued: true })
    expect(answer.text).toContain(
      '1. **Relic Copper Kettle** · kettles/relic · price unknown · **discontinued**',
    )
    expect(resultsOf(answer)).toMatchObject([{ slug: 'relic', price_range: null, discontinued: true }])
    const without = await recommend({ query: 'relic copper kettle' })
    expect(resultsOf(without).map(({ slug }) => slug)).not.toContain('relic')
  })

  test('filters hold, and a page that is past the end says so', async () => {
    const cheap = await recommend({ query: 'kettle', category: 'kettles', max_price: 40 })
    expect(resultsOf(cheap).map(({ slug }) => slug)).toEqual(['whistler'])
    expect(cheap.data.next_offset).toBeNull()
    const past = await recommend({ query: 'kettle', offset: 500 })
    expect(past).toMatchObject({ text: 'No more results.', data: { next_offset: null } })
  })

  test('what comes closest is never given as a result', async () => {
    const none = await recommend({ query: 'kettle', category: 'kettles', max_price: 1 })
    expect(none.data).toMatchObject({ results: [], match: 'near', next_offset: null })
    const [closest] = none.data.nearest as Array<Record<string, unknown>>
    expect(closest?.url).toBe(`http://souk.test/p/${closest?.product_slug}`)
    expect(none.text).toMatch(/^No kettles under \$1; the cheapest/)
    expect(none.text).toContain('Closest matches, but not what was asked for:\n\n- **')
    expect(none.text).not.toMatch(/^1\. /m)
  })

  test('an unknown category is refused with near ones, a missing query with its name', async () => {
    const wrong = await refusal(recommend({ query: 'kettle', category: 'kettle' }))
    expect(wrong).toMatchObject({ kind: 'invalid', field: 'category' })
    expect(wrong.valid?.[0]).toBe('kettles')
    expect(await refusal(recommend({}))).toMatchObject({ kind: 'invalid', message: 'query: is required' })
    const tooMany = await refusal(recommend({ query: 'x', limit: 51 }))
    expect(tooMany).toMatchObject({ field: 'limit', max: 50 })
  })

  test('a long list is cut at a whole item, says how many are left, and goes on from there', async () => {
    const answer = await recommend({ query: 'reading lamp', category: 'lamps', limit: 30 })
    const two = await recommend({ query: 'reading lamp', category: 'lamps', limit: 2 })
    expect(two.data.next_offset).toBe(2)
    expect(two.text).toMatch(/There are more: use offset 2\.$/)
    expect(answer.text.length).toBeLessThan(6_000)
    expect(resultsOf(answer)).toHaveLength(30)
    const shown = answer.text.match(/^ {3}http:\S+$/gm) ?? []
    expect(shown.length).toBeGreaterThan(3)
    expect(answer.text.split('\n').at(-1)).toBe(
      `${30 - shown.length} more of this page are in the data; use offset ${shown.length} to see them here.`,
    )
    const rest = await recommend({
      query: 'reading lamp',
      category: 'lamps',
      limit: 30,
      offset: shown.length,
    })
    expect(resultsOf(rest)[0]).toEqual(resultsOf(answer)[shown.length])
    expect(rest.text).toContain(`\n${shown.length + 1}. **Reading Lamp`)
  })

  test('a promoted offer is told of and moves nothing', async () => {
    const query = { query: 'a kettle', category: 'kettles' }
    const before = resultsOf(await recommend(query)).map(({ slug }) => slug)
    await promote(souk, souk.shop, { headline: 'Put me first' })
    const after = await recommend(query)
    expect(resultsOf(after).map(({ slug }) => slug)).toEqual(before)
    expect(after.text).toContain('kettles/gooseneck · $55 – $60 · has a promoted offer')
    expect(after.text).not.toContain('Put me first')
  })
})

describe('a bundle', () => {
  test('is served to somebody with a verified email who asks for it, with whole addresses', async () => {
    const caller = person(true)
    const { text, data } = await recommend({ query: 'camp breakfast', bundle: true }, caller)
    expect(asked.at(-1)).toEqual({
      query: 'camp breakfast',
      filters: {},
      userId: caller.user.id,
      asked: true,
      face: 'a2a',
      visit: caller.visit,
    })
    expect(data).toMatchObject({ type: 'bundle', query_id: PLAN.query_id, budget: 300, total: 270 })
    expect(data.categories).toMatchObject([
      {
        slug: 'kettles',
        product: { url: 'http://souk.test/p/kettles/gooseneck', product_slug: 'kettles/gooseneck' },
      },
      { slug: 'tents', over_budget: true, product: { url: 'http://souk.test/p/tents/dome' } },
      { slug: 'lamps', product: null },
    ])
    expect(text).toBe(
      `# A set over several categories

A kettle and a \\*tent\\* within $300.

Budget: $300 · total: $270, at the highest shop prices · 1 unknown price not in the total

1. kettles: **Spout Gooseneck Kettle** · kettles/gooseneck · $55 – $60 · costs $60 · $60 allocated
   Verdict: The steadiest pour.
   Why: A fifth of the budget.
   http://souk.test/p/kettles/gooseneck

2. tents × 2: **Dome** · tents/dome · price unknown · cost unknown · $100 allocated · **over budget: nothing fits its share**
   Why: Nothing cheaper.
   http://souk.test/p/tents/dome

3. lamps: nothing to recommend · $50 allocated
   Why: The shelf is empty.`,
    )
  })

  test('is served for a wish for several things that was not called a bundle', async () => {
    const { data } = await recommend({ query: 'a camping set' }, person(true))
    expect(asked.at(-1)?.asked).toBe(false)
    expect(data.type).toBe('bundle')
  })

  test.each([
    ['a stranger', STRANGER, {}, 'access token'],
    ['somebody whose email is not verified', person(false), {}, 'an account with a verified email'],
    ['a search within a category', person(true), { category: 'kettles' }, 'and you gave one'],
  ])('is not even asked for by %s, who is told why', async (_, caller, more, why) => {
    const before = asked.length
    const { text, data } = await recommend({ query: 'a stove kettle', bundle: true, ...more }, caller)
    expect(asked).toHaveLength(before)
    expect(data.type).toBeUndefined()
    expect(resultsOf({ data }).length).toBeGreaterThan(0)
    expect(text.split('\n')[0]).toContain(why)
  })

  test('gives way to single products where the wish is for one thing', async () => {
    const { text, data } = await recommend({ query: 'a stove kettle' }, person(true))
    expect(resultsOf({ data }).length).toBeGreaterThan(0)
    expect(text).not.toContain('single products')
  })

  test('over the daily limit is refused, not turned into something else', async () => {
    const refused = await refusal(recommend({ query: 'set again' }, person(true)))
    expect(refused).toMatchObject({ kind: 'rate_limited', code: 'quota_exceeded', max: 20 })
  })
})

/** product_curator through the tool server, on the demo catalog: shortlists and comparisons. */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Curated } from '../../src/curator/curator.schema.ts'
import { all, one } from '../../src/db/rows.ts'
import { addProduct } from '../products.ts'
import { HOSTILE, outsideFences } from '../skills.world.ts'
import { type CuratorWorld, createCuratorWorld } from './curator.world.ts'

let souk: CuratorWorld
let curate: CuratorWorld['curate']
beforeAll(async () => {
  souk = await createCuratorWorld()
  curate = souk.curate
})

const slugsOf = ({ data }: { data: Curated }) => (data.products ?? []).map(({ product_slug }) => product_slug)

async function lowestPrices(slugs: string[]): Promise<number[]> {
  const rows = await souk.database.db
    .selectFrom('products')
    .select('price_low_cents')
    .where(
      'slug',
      'in',
      slugs.map((slug) => slug.split('/')[1] ?? ''),
    )
    .execute()
  return rows.map(({ price_low_cents }) => price_low_cents ?? Number.NaN)
}

describe('a shortlist', () => {
  test('holds five products with reasons when nothing else is said, best first', async () => {
    const answer = await curate({ query: 'air fryer for a small kitchen' })
    expect(answer.data).toMatchObject({ kind: 'shortlist', notes: [], comparison: null, bundle: null })
    expect(answer.data.query_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.data.products).toHaveLength(5)
    for (const product of answer.data.products ?? []) {
      expect(product.product_slug).toMatch(/^air-fryers\//)
      expect(product.reasons.length).toBeGreaterThan(0)
      expect(product.discontinued).toBe(false)
      expect(answer.text).toContain(product.url)
    }
  })

  test('keeps to the budget, the categories and the number asked for', async () => {
    const categories = ['coffee-grinders', 'espresso-machines']
    const answer = await curate({
      query: 'a present for a coffee lover',
      budget_usd: 150,
      categories,
      max_items: 8,
    })
    expect(answer.data.products).toHaveLength(8)
    for (const slug of slugsOf(answer)) expect(categories).toContain(slug.split('/')[0])
    for (const cents of await lowestPrices(slugsOf(answer))) expect(cents).toBeLessThanOrEqual(150_00)
    const one = await curate({
      query: 'coffee',
      budget_usd: 150,
      categories: 'coffee-grinders',
      max_items: 1,
    })
    expect(slugsOf(one)).toHaveLength(1)
    expect(slugsOf(one)[0]).toMatch(/^coffee-grinders\//)
  })

  test('a firm budget in the words of the query holds over several categories too', async () => {
    const categories = ['coffee-grinders', 'espresso-machines']
    const answer = await curate({ query: 'something for coffee under $100', categories, bundle: false })
    expect(slugsOf(answer).length).toBeGreaterThan(0)
    for (const cents of await lowestPrices(slugsOf(answer))) expect(cents).toBeLessThanOrEqual(100_00)
  })

  test('what denies a must_have is left out, what states it comes first, each with the place that says so', async () => {
    const answer = await curate({
      query: 'burr coffee grinder',
      must_have: ['quiet', 'no subscription'],
      max_items: 10,
    })
    const quiet = (answer.data.products ?? []).map(({ must_have }) => must_have[0])
    expect(quiet[0]?.met).toBe('says_so')
    expect(quiet[0]?.evidence).toMatch(/quiet/i)
    expect(quiet.every((check) => check?.met !== 'contradicts')).toBe(true)
    expect(answer.data.ruled_out.every(({ evidence }) => evidence !== null)).toBe(true)
    const order = quiet.map((check) => ['says_so', 'not_stated', 'contradicts'].indexOf(check?.met ?? ''))
    expect(order).toEqual(order.toSorted())
    expect(answer.text).toContain('Must have, as stated in profiles: M1 quiet; M2 no subscription')
    expect(answer.text).toContain('Must have: stated M1 · not stated M2')
    for (const slug of slugsOf(answer)) expect(slug).toMatch(/^coffee-grinders\//)
  })

  test.each([
    ['of the whole catalog', {}, {}],
    [
      'of one category',
      { categories: ['coffee-grinders'], budget_usd: 300 },
      { category: 'coffee-grinders', maxPriceCents: 300_00 },
    ],
    ['of two categories', { categories: ['coffee-grinders', 'espresso-machines'] }, {}],
  ])('%s is logged with what was shown, not with what was only looked at', async (_, limits, filters) => {
    const { query_id, ...answer } = (
      await curate({ query: 'burr coffee grinder', must_have: ['quiet'], max_items: 4, ...limits })
    ).data
    expect(answer.products).toHaveLength(4)
    for (const { reasons } of answer.products ?? []) expect(reasons[0]).toMatch(/\S/)
    const find = () => one<{ product_ids: string[] }>(souk.database.db)`
      select a.product_ids, a.face, a.query, a.filters
      from search_queries q join search_answers a on a.id = q.answer_id where q.id = ${query_id}`
    await expect.poll(find, { timeout: 10_000 }).toMatchObject({
      face: 'tools',
      query: 'burr coffee grinder, quiet',
      filters: { excludeDiscontinued: true, ...filters },
    })
    const ids = (await find())?.product_ids ?? []
    const rows = await souk.database.db
      .selectFrom('products')
      .select(['id', 'slug'])
      .where('id', 'in', ids)
      .execute()
    const slugs = new Map(rows.map(({ id, slug }) => [id, slug]))
    expect(ids.map((id) => slugs.get(id))).toEqual(
      answer.products?.map(({ product_slug }) => product_slug.split('/')[1]),
    )
  })

  test('with a must_have too, a firm budget in the words of the query holds', async () => {
    const answer = await curate({ query: 'coffee grinder under $100', must_have: ['quiet'], max_items: 10 })
    expect(slugsOf(answer).length).toBeGreaterThan(0)
    for (const cents of await lowestPrices(slugsOf(answer))) expect(cents).toBeLessThanOrEqual(100_00)
  })

  test('where nothing fits, it says so and what to try', async () => {
    for (const asked of [
      { query: 'air fryer', budget_usd: 0.5 },
      { query: 'asdkjh qwe' },
      { query: 'asdkjh qwe', must_have: ['quiet'] },
    ]) {
      const answer = await curate(asked)
      expect(answer.data.products).toEqual([])
      expect(answer.text).toMatch(/^No (?:products match|[a-z ]+ under) .* Closest: /)
      expect(answer.text).toContain('Try a higher budget_usd')
    }
  })

  test.each([
    ['an unknown category', { categories: ['air-fryer'] }, 'categories.0', undefined],
    ['nine categories', { categories: Array(9).fill('air-fryers') }, 'categories', 8],
    ['eleven requirements', { must_have: Array(11).fill('quiet') }, 'must_have', 10],
    ['eleven items', { max_items: 11 }, 'max_items', 10],
    ['a budget of nothing', { budget_usd: 0 }, 'budget_usd', undefined],
    ['a query of 1,001 characters', { query: 'q'.repeat(1_001) }, 'query', 1_000],
  ])('%s is refused', async (_, args, field, max) => {
    const { isError, error } = await curate({ query: 'air fryer', ...args })
    expect(isError).toBe(true)
    expect(error).toMatchObject({ kind: 'invalid', field })
    expect(error.max).toBe(max)
    if (field === 'categories.0') expect(error.valid?.[0]).toBe('air-fryers')
  })
})

describe('a comparison', () => {
  const FRYERS = ['air-fryers/ovenbird-crisp-4', 'ovenbird-crisp-3', 'air-fryers/ovenbird-crisp-6-window']

  test('has the products in the order given, the specs they share, and a recommendation with its reasons', async () => {
    const answer = await curate({ query: 'for a couple', compare: FRYERS, must_have: ['couples'] })
    const { data, text } = answer
    expect(data).toMatchObject({ kind: 'comparison', query_id: null, bundle: null })
    expect(slugsOf(answer)).toEqual(FRYERS.map((slug) => `air-fryers/${slug.split('/').at(-1)}`))
    expect(data.comparison?.recommended).toBe('air-fryers/ovenbird-crisp-4')
    expect(data.comparison?.reasons).toContain('It states the most requirements: 1 of 1.')
    expect(data.comparison?.specs).toContainEqual({ name: 'Capacity', values: ['4 qt', '3 qt', '6 qt'] })
    expect(data.products?.[0]).toMatchObject({
      best_for: ['couples', 'small kitchens', 'frozen snacks'],
      not_for: ['families of four'],
      must_have: [{ wish: 'couples', met: 'says_so', evidence: 'Best for: couples' }],
    })
    expect(data.products?.[0]?.strengths[0]).toMatch(/^Crisping: /)
    expect(data.products?.[0]?.weaknesses[0]).toMatch(/^Beeper volume: /)
    expect(data.products?.[1]).toMatchObject({ discontinued: true, reasons: ['discontinued'] })
    expect(text).toMatch(/Recommended: \*\*Ovenbird Crisp 4 [^*]+\*\* \(air-fryers\/ovenbird-crisp-4\)/)
    expect(outsideFences(text)).not.toContain('couples;')
  })

  test('what its own profile is not for is never recommended for that', async () => {
    const { data } = await curate({ query: 'whole chicken for a family of four', compare: FRYERS })
    expect(data.comparison?.recommended).toBe('air-fryers/ovenbird-crisp-6-window')
    expect(data.products?.[0]?.reasons).toEqual(['not for families of four, by its own profile'])
  })

  test('none is recommended when each has something against it', async () => {
    const { data, text } = await curate({ query: 'for two', compare: FRYERS, budget_usd: 20 })
    expect(data.comparison?.recommended).toBeNull()
    expect(text).toContain('No recommendation.')
    expect(text).toContain('Against it: discontinued; over the budget of $20')
  })

  test('products of several categories can be compared, and bundle does not get in the way', async () => {
    const before = await souk.served(souk.ada)
    const compare = ['ovenbird-crisp-4', 'coffee-grinders/grindel-conic-40']
    const { data } = await curate({ query: 'grinds coffee beans', compare, bundle: true })
    expect(data.comparison?.recommended).toBe('coffee-grinders/grindel-conic-40')
    expect(await souk.served(souk.ada)).toBe(before)
  })

  test('each compared product counts as read by the agent', async () => {
    const compare = ['headphones/hushfield-lull-2', 'headphones/wrenkin-little-ears']
    await curate({ query: 'for a flight', compare })
    const reads = () => all(souk.database.db)`
      select p.slug, r.face, r.agent, r.reads from product_reads r join products p on p.id = r.product_id
      where p.slug in ('hushfield-lull-2', 'wrenkin-little-ears') order by p.slug`
    const read = { face: 'tools', agent: 'other', reads: 1 }
    await expect.poll(reads, { timeout: 20_000 }).toEqual([
      { slug: 'hushfield-lull-2', ...read },
      { slug: 'wrenkin-little-ears', ...read },
    ])
  })

  test('six long profiles fit the text, and what is left out is said to be in the data', async () => {
    const compare = ['ovenbird-crisp-4', 'ovenbird-crisp-3', 'ovenbird-crisp-6-window', 'ovenbird-twin-9']
    const { text } = await curate({
      query: 'dinner',
      compare: [...compare, 'ovenbird-roost-26', 'ovenbird-pressure-nest-8'],
      must_have: ['dishwasher', 'couples', 'under 60 dB', 'at least 4 qt', 'window', 'presets'],
    })
    expect(text).toMatch(/\n\d+ more lines? in the data\.\n\nNext: get_product/)
  })

  test('an unknown product is refused, named by its place, with near matches', async () => {
    const { isError, error } = await curate({
      query: 'x',
      compare: ['ovenbird-crisp-4', 'ovenbird-crisp-44'],
    })
    expect(isError).toBe(true)
    expect(error).toMatchObject({ kind: 'not_found', field: 'compare.1' })
    expect(error.valid?.join()).toContain('air-fryers/ovenbird-crisp')
  })

  test.each([
    ['seven products', Array.from({ length: 7 }, (_, n) => `p-${n}`), 6],
    ['one product', ['ovenbird-crisp-4'], undefined],
    ['one product twice', ['ovenbird-crisp-4', 'air-fryers/ovenbird-crisp-4'], undefined],
  ])('%s cannot be compared', async (_, compare, max) => {
    const { error } = await curate({ query: 'x', compare })
    expect(error).toMatchObject({ kind: 'invalid', field: 'compare' })
    expect(error.max).toBe(max)
  })
})

test('hostile profiles and requirements stay in their fences and lines, in every kind of answer', async () => {
  const rows = HOSTILE.map((text, at) => ({
    slug: `hostile-${at}`,
    category: at % 2 ? 'traps' : 'snares',
    title: `Zorbulator ${text.slice(0, 150)}`,
    verdict: text,
    description: text,
    specs: { Power: text.slice(0, 400), Quiet: text.slice(0, 400) },
    themes: [{ theme: `Quiet ${text.slice(0, 60)}`, sentiment: 'positive', share: 0.4, summary: text }],
    best_for: [text.slice(0, 100)],
    not_for: [text.slice(0, 100)],
    price: 20 + at,
  }))
  for (const row of rows) await addProduct(souk, row)
  await souk.catchUp()
  const compare = rows.map(({ slug }) => slug)
  const must_have = HOSTILE.map((text) => text.slice(0, 99))
  const answers = [
    await curate({ query: 'zorbulator', must_have: [...must_have, 'quiet'], max_items: 10 }),
    await curate({ query: 'zorbulator', must_have: [...must_have, 'quiet'], compare }),
    await curate({
      query: 'zorbulator',
      must_have,
      categories: ['traps', 'snares'],
      bundle: true,
      budget_usd: 90,
    }),
  ]
  expect(answers.map(({ data }) => data.kind)).toEqual(['shortlist', 'comparison', 'bundle'])
  for (const { text } of answers) {
    expect(text).toContain('Zorbulator')
    expect(outsideFences(text)).not.toMatch(/^(?:#+ System|OBEY|Ignore)/m)
    expect(text.match(/^```/gm)?.length ?? 0).toBeLessThanOrEqual(2)
    expect((text.match(/^```/gm)?.length ?? 0) % 2).toBe(0)
    expect(outsideFences(text)).not.toMatch(/<img|(?<!\\)\[click/)
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/)
  }
})

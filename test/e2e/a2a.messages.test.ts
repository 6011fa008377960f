import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MESSAGES_NOW, readMessages, scoreMessages } from '../../eval/messages.ts'
import { type Routed, routeMessage } from '../../src/agents/a2a/routing/route-message.ts'
import { SKILL_PARAMS } from '../../src/agents/a2a/skills/params.ts'
import { SKILL_IDS } from '../../src/agents/a2a/skills/skill.ts'
import { manualClock } from '../../src/lib/clock.ts'
import { MAX_QUERY } from '../../src/search/search.schema.ts'
import { anyText } from '../any-text.ts'
import { demoSearch } from '../demo-search.ts'

const search = await demoSearch()
const clock = manualClock(MESSAGES_NOW)
const route = (text: string) => routeMessage({ search, clock }, text)

async function paramsOf(text: string): Promise<Record<string, unknown> & { skill: string }> {
  const routed = await route(text)
  return routed.kind === 'skill' ? { ...routed.params, skill: routed.skill } : { skill: 'unclear' }
}

describe('plain messages on the demo catalog', () => {
  test('at least 38 of the 40 scored and 49 of the 60 of strangers reach the right skill with the right parameters', async () => {
    const scores = await scoreMessages(search)
    const wrong = (set: string) =>
      scores
        .filter((score) => score.set === set && !score.right)
        .map(({ message, routed }) => ({ message, routed }))
    expect(scores.filter(({ set }) => set === 'scored')).toHaveLength(40)
    expect(wrong('scored').length, JSON.stringify(wrong('scored'), null, 1)).toBeLessThanOrEqual(2)
    expect(wrong('tuning')).toEqual([])
    expect(wrong('strangers').length, JSON.stringify(wrong('strangers'), null, 1)).toBeLessThanOrEqual(11)
  })

  test('are scored on every skill, and on what is unclear', () => {
    for (const skill of [...SKILL_IDS, 'unclear'])
      expect(readMessages().filter((one) => one.skill === skill).length, skill).toBeGreaterThanOrEqual(8)
  })
})

describe('a message', () => {
  const names = search
    .index()
    .categories()
    .flatMap(({ slug, label }) => [slug, label])
  const products = Array.from({ length: 40 }, (_, step) => search.index().at(step * 20)).flatMap((product) =>
    product ? [product.title, product.slug, `${product.brand} ${product.model}`, product.model ?? ''] : [],
  )
  const turns =
    'quote me|how much for|since|what changed|deals on|tell me about|show me all|cheapest first|top|by|next friday|in|weeks|to Oregon|to France|CA-US|0|-1|1e9|99999999999|2.5|x|qty|a dozen|Dec 31|2026-02-30|/|-|,|under $50|without|hi|ask sellers'.split(
      '|',
    )
  const words = fc.array(fc.constantFrom(...names, ...products, ...turns), { maxLength: 9 })
  const text = fc.oneof(
    anyText({ maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    words.map((list) => list.join(' ')),
  )

  function expectUsable(routed: Routed): void {
    if (routed.kind === 'skill') {
      const parsed = SKILL_PARAMS[routed.skill].safeParse(routed.params)
      expect(parsed.success, `${JSON.stringify(routed)} ${parsed.error?.message}`).toBe(true)
      return
    }
    expect(routed.question).not.toBe('')
    expect(routed.options.length).toBeGreaterThan(0)
  }

  test('of any characters gets parameters its skill accepts, or a question with choices', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (said) => expectUsable(await route(said))),
      { numRuns: 200 },
    )
  })

  test('of any characters is an answer to any question, or gets one with choices', async () => {
    const questions = ['hi', 'quote me 20', 'quote 5 Skein 2 to CA', 'quote Skein 2 by yesterday']
    const more = ['quote Skein 2: 40', 'list all vacuums', 'tell me about the Pip', 'any promo codes?']
    const first = await Promise.all([...questions, ...more].map(route))
    const asked = first.flatMap((routed) => (routed.kind === 'unclear' ? [routed.asked] : []))
    expect(asked).toHaveLength(8)
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...asked), async (said, question) =>
        expectUsable(await routeMessage({ search, clock }, said, question)),
      ),
      { numRuns: 150 },
    )
  })

  test('of any length gives a query as long as a query may be', async () => {
    for (const long of [
      'a quiet blender '.repeat(500),
      '😀'.repeat(3000),
      'ü'.repeat(5000),
      'quote 3 '.repeat(900),
    ]) {
      const routed = await route(long)
      expectUsable(routed)
      if (routed.kind === 'skill')
        expect(String(routed.params.query ?? '').length).toBeLessThanOrEqual(MAX_QUERY)
    }
  })

  test('with hidden and control characters is read as if they were not there', async () => {
    expect(await paramsOf('tell\u0000 me\u0007 about\n\tthe Voltbourne\u200b Metro 3\u202e')).toEqual({
      skill: 'product-lookup',
      product_slug: 'electric-bikes/voltbourne-metro-3',
    })
  })

  test('that names a product with another number is never taken for its neighbour', async () => {
    for (const asked of [
      'quote me 5 Tarnhollow Skein 3',
      'deals on the Lintel 8',
      'Dial 53 specs',
      'Vesper 9',
    ])
      expect((await paramsOf(asked)).product_slug, asked).toBeUndefined()
  })

  test('that only touches a product’s topic is a need', async () => {
    for (const need of [
      'a pocket coffee grinder',
      'something with a passport pocket for my carry-on',
      'a column of books needs a lamp',
      'compact folding bike for a train commute',
    ])
      expect((await paramsOf(need)).skill, need).toBe('product-recommendation')
  })

  test('that asks for a quote without a product offers some of the category it speaks of', async () => {
    const routed = await route('quote for 30 office chairs to Nevada')
    expect(routed).toMatchObject({ kind: 'unclear' })
    if (routed.kind === 'unclear') {
      expect(routed.question).toContain('delivered to Nevada, United States')
      expect(routed.options.every((option) => option.includes('(office-chairs/'))).toBe(true)
    }
  })

  test('gives every product of the catalog when it is called by brand and model', async () => {
    const { index } = search
    const missed: string[] = []
    for (let slot = 0; slot < index().slots; slot++) {
      const product = index().at(slot)
      if (!product?.brand || !product.model) continue
      const { product_slug } = await paramsOf(`tell me about the ${product.brand} ${product.model}`)
      if (product_slug !== `${product.category.slug}/${product.slug}`) missed.push(product.slug)
    }
    expect(missed).toEqual([])
  })

  test('gives a product when it is called by slug, part number or title, every sixth of the catalog tried', async () => {
    const { index } = search
    const missed: string[] = []
    for (let slot = 0; slot < index().slots; slot += 6) {
      const product = index().at(slot)
      if (!product) continue
      const slug = `${product.category.slug}/${product.slug}`
      for (const name of [slug, product.mpn, product.title])
        if (name && (await paramsOf(`promo code for ${name}?`)).product_slug !== slug) missed.push(name)
    }
    expect(missed).toEqual([])
  })
})

import { beforeAll, describe, expect, test } from 'vitest'
import { createSkillsWorld } from '../../test/skills.world.ts'
import { type ToolPerson, withTools } from '../../test/tools.world.ts'

const createWorld = async () => withTools(await createSkillsWorld())

let souk: Awaited<ReturnType<typeof createWorld>>
let ada: ToolPerson
beforeAll(async () => {
  souk = await createWorld()
  ada = await souk.person()
})

const similar = (args: Record<string, unknown>) => souk.call(ada, 'find_similar', args)

describe('find_similar', () => {
  test('the nearest come first, the product itself left out', async () => {
    const { text, data } = await similar({ category: 'kettles', slug: 'gooseneck' })
    const results = data.results as Array<{ slug: string; similarity: number; reason: string }>
    const slugs = results.map(({ slug }) => slug)
    expect(data.product_slug).toBe('kettles/gooseneck')
    expect(slugs).not.toContain('gooseneck')
    expect(slugs.toSorted()).toEqual(['dome', 'whistler'])
    expect(slugs.at(-1)).toBe('dome')
    const near = results.map(({ similarity }) => similarity)
    expect(near).toEqual(near.toSorted((a, b) => b - a))
    expect(text).toMatch(
      /^Similar to \*\*Spout Gooseneck Kettle\*\* \(kettles\/gooseneck\), most similar first:\n/,
    )
    expect(text).toContain('   Why: the same kind of product; costs less')
  })

  test('a highest price and a number of results hold', async () => {
    const cheap = await similar({ category: 'kettles', slug: 'gooseneck', max_price: 30 })
    const slugs = (cheap.data.results as Array<{ slug: string }>).map(({ slug }) => slug)
    expect(slugs).toEqual(['whistler'])
    expect(cheap.text).toContain(', at most $30, most similar first:')
    const one = await similar({ category: 'kettles', slug: 'kettles/gooseneck', limit: 1 })
    expect(one.data.results).toHaveLength(1)
  })

  test('where nothing fits it says so', async () => {
    const { text, data } = await similar({ category: 'kettles', slug: 'gooseneck', max_price: 0.5 })
    expect(data.results).toEqual([])
    expect(text).toMatch(/^Nothing similar to .*, at most \$0\.50\. Try a higher max_price/)
  })

  test.each([
    [
      { category: 'tents', slug: 'gooseneck' },
      { kind: 'not_found', field: 'slug', valid: ['kettles/gooseneck'] },
    ],
    [
      { category: 'kettles', slug: 'zzyzx-qqq' },
      { kind: 'not_found', field: 'slug' },
    ],
    [
      { category: 'kettles', slug: 'gooseneck', limit: 51 },
      { kind: 'invalid', field: 'limit', max: 50 },
    ],
    [
      { category: 'kettles', slug: 'gooseneck', max_price: -1 },
      { kind: 'invalid', field: 'max_price' },
    ],
    [{ slug: 'no-such-kettle' }, { kind: 'invalid', field: 'category' }],
  ])('%j is refused by the name of what is wrong', async (args, wrong) => {
    const { isError, error } = await similar(args)
    expect(isError).toBe(true)
    expect(error).toMatchObject(wrong)
  })
})

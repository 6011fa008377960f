/** Names as models send them: what can only be meant one way is taken that way, by every tool. */
import { beforeAll, describe, expect, test } from 'vitest'
import { BASE_URL } from '../harness.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld, type ToolPerson, type ToolsWorld } from '../tools.world.ts'

let souk: ToolsWorld
let ada: ToolPerson
let shop: ToolPerson
beforeAll(async () => {
  souk = await createToolsWorld()
  for (const [slug, category, title] of [
    ['gooseneck', 'kettles', 'Spout Gooseneck Kettle'],
    ['whistler', 'kettles', 'Spout Whistling Kettle'],
    ['dome', 'tents', 'Dome Tent for Two'],
  ] as const)
    await addProduct(souk, { slug, category, title, price: 50 })
  await souk.catchUp()
  await souk.searchRuntime.fill()
  await souk.catchUp()
  ada = await souk.person()
  shop = await souk.person({ producer: true })
})

const GOOSENECK = 'kettles/gooseneck'

describe('a product is found by', () => {
  test.each<[string, Record<string, unknown>]>([
    ['its slug with the category in it', { slug: GOOSENECK }],
    ['its slug alone', { slug: 'gooseneck' }],
    ['product_slug in place of slug', { product_slug: GOOSENECK }],
    ['the category parameter with all in it', { category: GOOSENECK }],
    ['the address of its page', { slug: `${BASE_URL}/p/${GOOSENECK}` }],
    ['the address of its text, under another name', { url: `${BASE_URL}/p/${GOOSENECK}.md?ref=1` }],
    ['the address of its resource', { slug: `souk://products/${GOOSENECK}` }],
    ['its whole title', { slug: 'spout gooseneck kettle' }],
    ['words that one title has', { title: 'Gooseneck Kettle' }],
    ['its category by label', { category: 'Kettles', slug: 'gooseneck' }],
  ])('%s', async (_, args) => {
    const { data, isError, text } = await souk.call(ada, 'get_product', args)
    expect(isError, text).toBe(false)
    expect(data.product_slug).toBe(GOOSENECK)
    expect(text).not.toContain('Ignored unknown parameters')
  })

  test('each of several, wherever products are listed', async () => {
    const also = [`${BASE_URL}/p/kettles/whistler`, 'Dome Tent for Two']
    const { data } = await souk.call(ada, 'get_product', { slug: GOOSENECK, also })
    expect((data.also as Array<{ product_slug: string }>).map(({ product_slug }) => product_slug)).toEqual([
      'kettles/whistler',
      'tents/dome',
    ])
  })

  test('tools that save and tools of producers alike', async () => {
    const saved = await souk.call(ada, 'save_product', { product: GOOSENECK, list: 'l' })
    expect(saved.data.product_slug).toBe(GOOSENECK)
    const claimed = await souk.call(shop, 'claim_product', { slug: GOOSENECK, relationship_type: 'sells' })
    expect(claimed.data.product_slug).toBe(GOOSENECK)
  })
})

describe('nothing is guessed', () => {
  test('a title of several is answered with them and what to do', async () => {
    const { isError, text, error } = await souk.call(ada, 'get_product', { slug: 'Spout Kettle' })
    expect(isError).toBe(true)
    expect(error.valid?.toSorted()).toEqual(['kettles/gooseneck', 'kettles/whistler'])
    expect(text).toContain('Next: call again with one of these.')
  })

  test('what writes wants a title whole', async () => {
    const part = await souk.call(ada, 'save_product', { slug: 'Gooseneck Kettle', list: 'part' })
    expect(part.isError).toBe(true)
    const whole = await souk.call(ada, 'save_product', { slug: 'Spout Gooseneck Kettle', list: 'whole' })
    expect(whole.data.product_slug).toBe(GOOSENECK)
  })

  test.each(['https://elsewhere.example/p/kettles/gooseneck', `${BASE_URL}/c/kettles`, 'souk://x/y'])(
    '%s is not the address of a product here',
    async (slug) => {
      const { isError, text } = await souk.call(ada, 'get_product', { slug })
      expect(isError).toBe(true)
      expect(text).toContain('not the address of a product page')
    },
  )

  test('two names that differ are not one', async () => {
    const { data, text } = await souk.call(ada, 'get_product', {
      ...{ slug: GOOSENECK, product_slug: 'tents/dome' },
    })
    expect(data.product_slug).toBe(GOOSENECK)
    expect(text).toMatch(/Ignored unknown parameters: product\\?_slug/)
  })

  test('a wrong category is told, not corrected', async () => {
    const { isError, text } = await souk.call(ada, 'get_product', { category: 'tents', slug: 'gooseneck' })
    expect(isError).toBe(true)
    expect(text).toContain('did you mean kettles/gooseneck?')
  })
})

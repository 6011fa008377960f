/** An unknown category is answered with near ones only, and an edit with nothing to change is no mistake. */
import { beforeAll, describe, expect, test } from 'vitest'
import { ask, createDemoApp } from '../e2e/search.world.ts'
import { call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { refusal, run } from '../skills.world.ts'
import { type ToolPerson, withTools } from '../tools.world.ts'

const souk = withTools(await createDemoApp())
let ada: ToolPerson
let shop: ToolPerson & { org: TestOrg }
beforeAll(async () => {
  ada = await souk.person()
  const org = await createOrg(souk)
  await relate(souk, org, await addProduct(souk, { slug: 'perch', category: 'stools', title: 'Perch' }))
  shop = { ...(await souk.person({ in: org, role: 'owner' })), org }
})

const FACES: Array<[string, (category: string) => Promise<{ valid?: readonly string[]; words: string }>]> = [
  [
    'REST',
    async (category) => {
      const { status, body } = await ask(souk.app, { query: 'quiet', filters: { category } })
      expect([status, body.field]).toEqual([400, 'filters.category'])
      return { ...(body.valid && { valid: body.valid }), words: body.error ?? '' }
    },
  ],
  ...['search_products', 'list_category_products'].map((tool): (typeof FACES)[number] => [
    tool,
    async (category) => {
      const { error, text } = await souk.call(ada, tool, { query: 'quiet', category })
      expect(error.field).toBe('category')
      return { ...(error.valid && { valid: error.valid }), words: text }
    },
  ]),
  [
    'A2A',
    async (category) => {
      const { valid, message } = await refusal(run(souk, 'category-browse', { category }))
      return { ...(valid && { valid }), words: message }
    },
  ],
]

describe.each(FACES)('an unknown category in %s', (_face, refused) => {
  test.each([
    ['robot-vacuum', 'robot-vacuums'],
    ['robot-vacums', 'robot-vacuums'],
    ['vaccuums', 'cordless-vacuums'],
    ['tent', 'tents'],
    ['Espresso Machine', 'espresso-machines'],
    ['earbuds', 'wireless-earbuds'],
  ])('%s: lists %s and at most a handful, all of them near', async (asked, meant) => {
    const { valid = [] } = await refused(asked)
    expect(valid).toContain(meant)
    expect(valid.length).toBeLessThanOrEqual(5)
    expect(valid).not.toContain('yoga-mats')
  })

  test.each(['zzzz', 'submarines', '___', 'x'.repeat(100)])(
    '%s: is near nothing, so none is listed and it says where they all are',
    async (asked) => {
      const { valid, words } = await refused(asked)
      expect(valid).toBeUndefined()
      expect(words).toContain('/llms.txt')
    },
  )
})

describe('an edit with nothing to change', () => {
  async function unchanged<Result>(work: () => Promise<Result>): Promise<Result> {
    const state = async () =>
      Promise.all(
        ['offers', 'product_pricing', 'agent_integrations', 'orgs', 'audit_log'].map(
          async (table) => (await souk.database.pool.query(`select * from ${table} order by 1`)).rows,
        ),
      )
    const before = await state()
    const result = await work()
    expect(await state()).toEqual(before)
    return result
  }

  test('is 200 in REST', async () => {
    const offer = { product_slug: 'stools/perch', headline: 'Deal', destination_url: 'https://shop.example/' }
    const made = await call(souk, shop.org.bearer, 'POST', '/api/offers/create/', offer)
    const { offer_id } = made.body
    for (const [path, body] of [
      ['/api/offers/edit/', { offer_id }],
      ['/api/offers/edit/', { offer_id, colour: 'red' }],
      ['/api/offers/edit/', { offer_id, headline: 'Deal' }],
      ['/api/org/pricing/', { product_slug: 'stools/perch' }],
      ['/api/org/', {}],
    ] as const) {
      const answer = await unchanged(() => call(souk, shop.org.session, 'PATCH', path, body))
      expect(answer, path).toMatchObject({ status: 200, body: { ok: true } })
    }
  })

  test('is a plain "nothing was changed" in tools', async () => {
    const created = await souk.call(shop, 'create_offer', {
      ...{ product_slug: 'stools/perch', headline: 'Deal', destination_url: 'https://shop.example/' },
    })
    const { offer_id } = created.data
    for (const [tool, args] of [
      ['update_offer', { offer_id }],
      ['update_offer', { offer_id, headline: 'Deal' }],
      ['set_pricing_rules', {}],
      ['set_pricing_rules', { product_slug: 'stools/perch' }],
      ['set_agent_integration', {}],
    ] as const) {
      const answer = await unchanged(() => souk.call(shop, tool, args))
      expect([answer.isError, answer.text], tool).toEqual([
        false,
        expect.stringMatching(/^Nothing was changed/),
      ])
    }
  })

  test('still asks for the right to edit, and for an offer that is one’s own', async () => {
    const viewer = await souk.person({ in: shop.org, role: 'viewer' })
    for (const tool of ['set_pricing_rules', 'set_agent_integration'])
      expect((await souk.call(viewer, tool, {})).isError).toBe(true)
    const other = await souk.call(shop, 'update_offer', { offer_id: '01900000-0000-7000-8000-000000000000' })
    expect(other.error.kind).toBe('not_found')
  })
})

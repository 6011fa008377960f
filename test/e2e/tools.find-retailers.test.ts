/** find_retailers through the tool server, with sellers that are real servers and the real job runner. */
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { findRetailers } from '../../src/rfq/find-retailers.tools.ts'
import type { ToolCall } from '../../src/tools/define-tool.ts'
import { captureLog } from '../harness.ts'
import { createOrg, relate, call as rest } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { HOSTILE, outsideFences } from '../skills.world.ts'
import { type ToolPerson, withTools } from '../tools.world.ts'
import { type AnswerFields, answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

const TERMS = HOSTILE[0] ?? ''

async function createWorld() {
  const quoting =
    (change: AnswerFields): Respond =>
    (...args) =>
      answerWith(() => world.clock.now(), change)(...args)
  const world = await createRfqWorld({
    swift: { respond: quoting({ price_usd: 90, list_price_usd: 120, terms: TERMS }) },
    thrift: { respond: quoting({ price_usd: 80, shipping_cost_usd: 0 }) },
    vague: {
      respond: quoting({ price_usd: 85, shipping_cost_usd: undefined, estimated_shipping_days: undefined }),
    },
    sorry: {
      respond: quoting({ price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }),
    },
  })
  const row = { category: 'desk-lamps', price: 40 }
  await addProduct(world, { ...row, slug: 'clip', title: 'Clip-on Reading Lamp' })
  await addProduct(world, { ...row, slug: 'banker', title: 'Brass Banker Desk Lamp' })
  const lonely = await addProduct(world, {
    category: 'kettles',
    slug: 'lonely',
    title: 'Lonely Copper Kettle',
    price: 34,
    where_to_buy: [
      { name: 'Corner *Shop*', url: 'https://corner.example/k', price: 33.5 },
      { name: 'Bazaar', url: 'https://bazaar.example/k' },
    ],
  })
  await addProduct(world, { category: 'tents', slug: 'bare', title: 'Bare Tent', price: 99 })
  await world.catchUp()
  await world.searchRuntime.fill()
  const embed = world.searchRuntime.jobs.find(({ kind }) => kind === 'embed-products')
  await embed?.run(
    {},
    { signal: AbortSignal.timeout(60_000), attempt: 1, jobId: newId(), log: captureLog().log },
  )
  await world.catchUp()
  return { ...withTools(world), lonely }
}

let souk: Awaited<ReturnType<typeof createWorld>>
let ada: ToolPerson
beforeAll(async () => {
  souk = await createWorld()
  ada = await souk.person()
}, 90_000)

const find = (args: Record<string, unknown>) => souk.call(ada, 'find_retailers', { query: 'a lamp', ...args })
type QuoteData = Record<string, unknown> & { org: { name: string }; claim_url: string }
const quotesOf = ({ data }: { data: Record<string, unknown> }) => data.quotes as QuoteData[]
const sellersOf = (answer: { data: Record<string, unknown> }) => quotesOf(answer).map(({ org }) => org.name)

async function countRfqs(): Promise<number> {
  const rows = await souk.database.db.selectFrom('rfqs').select('id').execute()
  return rows.length
}

describe('find_retailers', () => {
  test('all sellers of a named product are asked, and their quotes come ranked, signed and with attributed links', async () => {
    const answer = await find({ product_slug: 'lume-one', quantity: 2, delivery_region: 'ca-us' })
    expect(answer.isError).toBe(false)
    expect(answer.data).toMatchObject({
      state: 'completed',
      product_slug: PRODUCT,
      product_title: 'Lume One',
      alternatives: [],
      quantity: 2,
      total_quotes: 3,
      asked: 4,
      answered: 4,
      sellers: expect.any(Array),
      listed_elsewhere: [],
    })
    expect(quotesOf(answer)).toMatchObject([
      {
        rank: 1,
        org: { name: 'thrift' },
        price_usd: 80,
        total_usd: 160,
        shipping_cost_usd: 0,
        in_stock: true,
      },
      {
        rank: 2,
        org: { name: 'swift' },
        price_usd: 90,
        total_usd: 185,
        list_price_usd: 120,
        terms: expect.any(String),
      },
      { rank: 3, org: { name: 'vague' } },
    ])
    for (const field of ['shipping_cost_usd', 'estimated_shipping_days', 'terms'])
      expect(quotesOf(answer)[2]).not.toHaveProperty(field)
    for (const { claim_url, signature } of quotesOf(answer)) {
      expect(claim_url).toMatch(/^http:\/\/souk\.test\//)
      expect(signature).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
      expect(answer.text).toContain(claim_url)
    }
    expect(answer.text).toMatch(/^# Quotes for 2 × desk-lamps\/lume-one\n/)
    expect(answer.text).toMatch(/^Request [0-9a-f-]{36} · to California, United States$/m)
    expect(answer.text).toContain('3 quotes from 4 sellers asked, best first.')
    expect(answer.text).toMatch(
      new RegExp(
        `Next: give the user the Buy link .* request_id ${answer.data.task_id} .* a choice is not an order\\.$`,
      ),
    )
  })

  test('the asker is the person, by their client, and the request is theirs alone', async () => {
    const { data } = await find({ product_slug: PRODUCT })
    const id = String(data.task_id)
    const rfq = await souk.database.db
      .selectFrom('rfqs')
      .select(['face', 'user_id', 'client_id'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(rfq).toEqual({ face: 'tools', user_id: ada.userId, client_id: expect.stringMatching(/./) })
    const read = async ({ token }: ToolPerson) => {
      const body = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id } }
      return (await rest(souk, { bearer: token }, 'POST', '/a2a/', body)).body
    }
    expect(await read(ada)).toMatchObject({ result: { id, status: { state: 'completed' } } })
    const stranger = await read(await souk.person())
    expect(stranger.result).toBeUndefined()
    expect(stranger.error).toMatchObject({ code: -32001 })
  })

  test('a wish in words is searched for, and the text says which product was taken and which others it may be', async () => {
    const answer = await find({ query: 'lume one desk lamp' })
    expect(answer.data).toMatchObject({ product_slug: PRODUCT, total_quotes: 3 })
    const alternatives = answer.data.alternatives as string[]
    expect(alternatives.length).toBeLessThanOrEqual(3)
    expect(alternatives).not.toContain(PRODUCT)
    expect(answer.data.match).toBe('good')
    const candidates = answer.data.candidates as Array<{ product_slug: string }>
    expect(candidates.map(({ product_slug }) => product_slug)).toEqual(alternatives)
    const [first = ''] = answer.text.split('\n')
    expect(first).toContain('Best match: **Lume One** (desk-lamps/lume-one).')
    for (const slug of alternatives) expect(first).toContain(`(${slug}, `)
  })

  test.each([['a lawyer for my divorce in Paris'], ['a desk lamp for at most $1'], ['asdkjh qwe']])(
    'nothing fits "%s", so nobody is asked, and what comes closest is named',
    async (query) => {
      const before = await countRfqs()
      const { isError, data, text } = await find({ query })
      expect(isError).toBe(false)
      expect(data).toMatchObject({ task_id: null, state: 'not_asked', product_slug: null, quotes: [] })
      expect(['near', 'none']).toContain(data.match)
      const candidates = data.candidates as Array<{ product_slug: string; title: string }>
      expect(candidates.length).toBeGreaterThan(0)
      expect(text).toMatch(/^No (?:products match|[a-z ]+ under) .* No seller was asked\.$/m)
      for (const { product_slug, title } of candidates)
        expect(text).toContain(`- **${title}** (${product_slug}, `)
      expect(await countRfqs()).toBe(before)
    },
  )

  test('no more quotes than asked for are given, and the text says how many are left out', async () => {
    const answer = await find({ product_slug: PRODUCT, max_results: 1 })
    expect(sellersOf(answer)).toEqual(['thrift'])
    expect(answer.data.total_quotes).toBe(3)
    expect(answer.text).toContain('2 more quotes left out: use a higher max_results')
    expect(answer.text).not.toContain('swift')
  })

  test('the terms of a seller stay in a fence', async () => {
    const { text } = await find({ product_slug: PRODUCT })
    expect(text).toContain('Quote 2 terms: ')
    expect(text).toContain('Ignore all previous')
    expect(outsideFences(text)).not.toContain('Ignore all previous')
  })

  test('where nobody can be asked, it says who else sells it', async () => {
    const answer = await find({ product_slug: 'kettles/lonely' })
    expect(answer.isError).toBe(false)
    expect(answer.data).toMatchObject({
      state: 'completed',
      total_quotes: 0,
      quotes: [],
      listed_elsewhere: [
        { seller: 'Corner *Shop*', url: 'https://corner.example/k', price_usd: 33.5, promoted: false },
        { seller: 'Bazaar', url: 'https://bazaar.example/k', price_usd: null, promoted: false },
      ],
    })
    expect(answer.text).toContain('No seller of this product takes requests here.')
    expect(answer.text).toContain('- Shop 1: lists $33.50, https://corner.example/k\n')
    expect(answer.text).toContain('\nShop 1: Corner *Shop*\n')
    const shop = await createOrg(souk, { name: 'Kettle Shop', domain: 'kettleshop.example' })
    await relate(souk, shop, souk.lonely)
    const made = await rest(souk, shop.bearer, 'POST', '/api/offers/create/', {
      product_slug: 'lonely',
      headline: 'Deal',
      destination_url: 'https://deal.example/now',
      price_usd: 30,
    })
    const { offer_id } = made.body
    await rest(souk, shop.bearer, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
    await souk.catchUp()
    const again = await find({ product_slug: 'kettles/lonely' })
    expect((again.data.listed_elsewhere as unknown[])[0]).toEqual({
      seller: 'Kettle Shop',
      url: `http://souk.test/go/${offer_id}`,
      price_usd: 30,
      promoted: true,
      org: { name: 'Kettle Shop', org_type: 'retailer', verified: true, domain: 'kettleshop.example' },
    })
    expect(again.text).toContain(`- Shop 1: lists $30 (promoted offer), http://souk.test/go/${offer_id}\n`)
    expect(again.text).toContain('\nShop 1: Kettle Shop · kettleshop.example, verified\n')
  })

  test('where nobody sells it at all, it says so and what to try', async () => {
    const { text, data } = await find({ product_slug: 'tents/bare' })
    expect(data).toMatchObject({ quotes: [], listed_elsewhere: [] })
    expect(text).toContain('No seller of this product takes requests here.')
    expect(text).toContain('find_similar')
  })

  test.each([
    [{ product_slug: 'desk-lamps/lume-won' }, { kind: 'not_found', field: 'product_slug' }],
    [{ product_slug: 'Lume Nothing!' }, { kind: 'invalid', field: 'product_slug' }],
    [{ query: '' }, { kind: 'invalid', field: 'query' }],
    [{ query: 'x'.repeat(1_001) }, { kind: 'invalid', field: 'query', max: 1_000 }],
    [
      { product_slug: PRODUCT, max_results: 21 },
      { kind: 'invalid', field: 'max_results', max: 20 },
    ],
    [
      { product_slug: PRODUCT, quantity: 0 },
      { kind: 'invalid', field: 'quantity' },
    ],
    [
      { product_slug: PRODUCT, quantity: 100_001 },
      { kind: 'invalid', field: 'quantity', max: 100_000 },
    ],
    [
      { product_slug: PRODUCT, delivery_region: 'Atlantis' },
      { kind: 'invalid', field: 'delivery_region' },
    ],
    [
      { product_slug: PRODUCT, delivery_region: 'CA' },
      { kind: 'invalid', field: 'delivery_region', valid: ['CA-US', 'Canada'] },
    ],
    [
      { product_slug: PRODUCT, deadline_iso: 'next week' },
      { kind: 'invalid', field: 'deadline_iso' },
    ],
    [
      { product_slug: PRODUCT, deadline_iso: '2026-10-31' },
      { kind: 'invalid', field: 'deadline_iso' },
    ],
  ])('%j is refused by the name of what is wrong, and nobody is asked', async (args, wrong) => {
    const before = await countRfqs()
    const { isError, error, text } = await find(args)
    expect(isError).toBe(true)
    expect(error).toMatchObject(wrong)
    expect(text.length).toBeGreaterThan(20)
    expect(await countRfqs()).toBe(before)
  })

  test('a deadline that is given is kept to in the order, and said', async () => {
    const { text } = await find({ product_slug: PRODUCT, deadline_iso: '2026-11-20' })
    expect(text).toContain('delivery by 2026-11-20')
  })

  test('anyone who waits hears of each quote as it arrives', async () => {
    const steps: Array<{ done: number; message?: string }> = []
    await findRetailers.run(context(), callOf({ progress: (step) => void steps.push(step) }), {
      ...DEFAULTS,
      product_slug: PRODUCT,
    })
    expect(steps[0]).toEqual({ done: 0, message: `Asking the sellers of ${PRODUCT}` })
    expect(steps.at(-1)).toEqual({ done: 4, total: 4, message: '4 of 4 sellers answered' })
    const done = steps.map((step) => step.done)
    expect(done).toEqual(done.toSorted((a, b) => a - b))
  })

  test('anyone who hangs up is not waited for, and the request goes on', async () => {
    const call = callOf({ signal: () => AbortSignal.abort() })
    const { data } = await findRetailers.run(context(), call, { ...DEFAULTS, product_slug: PRODUCT })
    const state = async () => {
      const rows = await souk.database.db
        .selectFrom('rfqs')
        .select('state')
        .where('id', '=', String(data.task_id))
        .execute()
      return rows[0]?.state
    }
    await expect.poll(state, { timeout: 30_000 }).toBe('completed')
  })
})

const DEFAULTS = { query: 'a lamp', max_results: 5, quantity: 1 }

function context() {
  const { rfq, offers, searchRuntime } = souk
  return { ...rfq, offers, search: searchRuntime.search }
}

function callOf(change: Partial<ToolCall>): ToolCall {
  const user = {
    id: ada.userId,
    email: 'ada@example.com',
    name: 'Ada',
    emailVerified: true,
    accountType: 'consumer' as const,
    isAdmin: false,
  }
  return {
    caller: {
      kind: 'access_token',
      user,
      clientId: 'client',
      clientName: 'Client',
      selectedOrgId: null,
      scope: 'mcp',
      resource: null,
    },
    visit: { ip: null, userAgent: null, requestId: null },
    signal: () => new AbortController().signal,
    progress: () => {},
    ...change,
  }
}

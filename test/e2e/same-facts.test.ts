/**
 * A request says the same through every face. Each situation is made with real sellers on loopback, or with ones that the
 * service answers for, and then read by REST, by the tool, as an A2A task and on the page: the data are equal in every
 * field of the facts, and the words of the page and of the text hold each of them.
 */
import { describe, expect, test } from 'vitest'
import { formatCount, formatDate, usd } from '../../src/lib/words.ts'
import { shownName, shownOrg } from '../../src/orgs/shown-org.ts'
import { RequestFacts } from '../../src/rfq/outcome.ts'
import { momentWords } from '../../src/web/components/moment.tsx'
import { capital, sentence } from '../../src/web/format.ts'
import { createBrowser } from '../accounts.ts'
import { textOf } from '../html.ts'
import { call, createOrg, relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { withTools } from '../tools.world.ts'
import { answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

type Change = Record<string, unknown>
type Name = 'alpha' | 'beta' | 'gamma'

const DECLINE = { price_usd: 0, in_stock: false, claim_url: '', offer_expires_at: '' }
const WRONG = { price_usd: 'a lot' }
/** How each answers now; null not at all. */
const answers: Record<Name, Change | null> = { alpha: {}, beta: {}, gamma: {} }
const respond =
  (name: Name): Respond =>
  (...args) => {
    const change = answers[name]
    if (change) answerWith(() => world.clock.now(), change)(...args)
  }

const base = await createRfqWorld(
  {
    alpha: { respond: respond('alpha') },
    beta: { respond: respond('beta') },
    gamma: { respond: respond('gamma'), verified: false },
  },
  { deadlineMs: 4_000 },
)
const world = withTools(base)
const reader = await world.person()
const lamp = { category: 'desk-lamps' }
const shops = [
  { name: 'Paperclip', url: 'https://paperclip.example/lamp', price: 32.9 },
  { name: 'Bazaar', url: 'https://bazaar.example/lamp' },
  { name: 'Steep', url: 'https://steep.example/lamp', price: 3290 },
]
const listed = await addProduct(world, { ...lamp, slug: 'listed', title: 'Listed Lamp', where_to_buy: shops })
if (base.producers.alpha) await relate(world, base.producers.alpha.org, listed)
await addProduct(world, { ...lamp, slug: 'unsold', title: 'Unsold Lamp', where_to_buy: shops })
const far = await addProduct(world, { ...lamp, slug: 'far', title: 'Far Lamp', list_price: 40 })
const local = await createOrg(world, { name: 'Local Only' })
await relate(world, local, far)
const byRules = { is_managed: true, managed_rules: { volume_discounts: [] } }
await call(world, local.bearer, 'PATCH', '/api/org/agent-integration/', byRules)
const onlyNewYork = { product_slug: 'far', delivery_regions: ['NY-US'] }
await call(world, local.session, 'PATCH', '/api/org/pricing/', onlyNewYork)
await world.catchUp()

const QUOTES: Record<Name, Change> = {
  alpha: { price_usd: 100, shipping_cost_usd: 5, estimated_shipping_days: 3, list_price_usd: 150 },
  beta: { price_usd: 120, shipping_cost_usd: 0, estimated_shipping_days: 2, terms: 'Free returns' },
  gamma: { price_usd: 90, shipping_cost_usd: undefined, estimated_shipping_days: undefined },
}
const ASKED = { quantity: 2, delivery_region: 'CA-US', deadline_iso: '2026-12-01' }

async function situation(change: Partial<Record<Name, Change | null>> = {}, request: Change = {}) {
  Object.assign(answers, QUOTES, change)
  const { rfqId } = await base.ask({ product_slug: PRODUCT, ...ASKED, ...request })
  return rfqId
}

const json = async (path: string, body?: unknown) => {
  const init = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await world.app.request(path, body === undefined ? {} : init)
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const tool = (id: string, more: Change = {}) =>
  world.call(reader, 'find_retailers', { query: '', request_id: id, max_results: 20, ...more })

async function read(id: string) {
  const rest = await json(`/api/rfq/${id}/`)
  const { request_id, ...facts } = rest.body
  expect([rest.status, request_id]).toEqual([200, id])
  const { data, text } = await tool(id)
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id } }
  const { result } = (await json('/a2a/', rpc)).body as {
    result: { artifacts: [{ parts: Array<{ text?: string; data?: Record<string, unknown> }> }] }
  }
  const parts = result.artifacts[0].parts
  const html = await (await createBrowser(world).get(`/quotes/${id}`)).text()
  return {
    rest: RequestFacts.strict().parse(facts),
    tool: Object.fromEntries(Object.keys(RequestFacts.shape).map((name) => [name, data[name]])),
    a2a: parts.find((part) => part.data)?.data,
    texts: [text, parts.find((part) => part.text)?.text ?? ''],
    html,
    page: textOf(html),
  }
}

const N = (count: number, noun: string) => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`

/** What the page says of each field; the compiler misses one that is left out. */
const ON_PAGE: { [Field in keyof RequestFacts]: (facts: RequestFacts) => string[] } = {
  rfq_id: ({ rfq_id }) => [rfq_id],
  state: () => ['Ask again'],
  product_slug: ({ product_slug }) => [`/p/${product_slug}`],
  product_title: ({ product_title }) => [`Quotes for ${product_title}`],
  quantity: ({ quantity }) => [`Quantity ${quantity}`],
  delivery_region: () => ['Deliver to California'],
  deadline_iso: ({ deadline_iso: by }) => (by === null ? [] : [`Needed by ${formatDate(by)}`]),
  asked: ({ asked, total_quotes }) => {
    if (asked === 0) return ['Nobody sells this here yet']
    return total_quotes === 0 ? [`We asked ${N(asked ?? 0, 'seller')}`] : [`from ${N(asked ?? 0, 'seller')}`]
  },
  answered: ({ asked, answered }) => (asked ? [`${answered} of ${N(asked, 'seller')} answered`] : []),
  total_quotes: ({ asked, total_quotes: count }) =>
    count > 0 ? [`${N(count, 'quote')} from`] : asked ? ['No seller gave a quote'] : [],
  quotes: ({ quotes, quantity }) =>
    quotes.flatMap((quote) => [
      `${quote.rank}. ${shownName(quote.org.name)}`,
      `${usd(quote.price_usd)}${quantity > 1 ? ' each' : ''}`,
      `${quantity > 1 ? `Total for ${quantity}` : 'Total'} ${usd(quote.total_usd)}`,
      quote.in_stock ? 'In stock' : 'Out of stock',
      `valid until ${momentWords(new Date(quote.offer_expires_at))}`,
      quote.quote_id,
      quote.signature,
      ...quote.rank_reasons.map(capital),
      ...(quote.terms === undefined ? [] : [quote.terms]),
      ...(quote.list_price_usd === undefined ? [] : [`instead of ${usd(quote.list_price_usd)}`]),
      ...(quote.shipping_cost_usd === undefined
        ? ['Shipping Not stated']
        : [`Shipping ${quote.shipping_cost_usd === 0 ? 'Free' : usd(quote.shipping_cost_usd)}`]),
      quote.estimated_shipping_days === undefined
        ? 'Delivery Not stated'
        : `In ${N(quote.estimated_shipping_days, 'business day')}`,
    ]),
  sellers: ({ sellers }) =>
    (sellers ?? []).flatMap((seller) =>
      seller.outcome === 'quoted' || seller.outcome === 'out_of_stock'
        ? [shownName(seller.name)]
        : [`${shownOrg(seller)} ${capital(seller.org_type)} ${capital(seller.reason)}`],
    ),
  listed_elsewhere: ({ listed_elsewhere, spread, quantity }) => [
    ...(listed_elsewhere.length === 0
      ? []
      : [spread === null ? 'Where else to buy it' : 'Listed for less elsewhere']),
    ...listed_elsewhere.map(({ seller, price_usd: price }) =>
      price === null
        ? `${seller} sells it, price not stated`
        : `${seller} lists ${usd(price)}${quantity > 1 ? ' each' : ''}, not confirmed, shipping not stated`,
    ),
  ],
  spread: ({ spread }) =>
    spread === null || spread.low_usd === spread.high_usd
      ? []
      : [`Totals from ${usd(spread.low_usd)} to ${usd(spread.high_usd)}`],
  best_expires_at: ({ best_expires_at: end }) => (end === null ? [] : [momentWords(new Date(end))]),
  why_first: ({ why_first: why, spread }) =>
    why === null || spread === null ? [] : [`Why first: ${sentence(why)}`],
  chosen: ({ chosen }) =>
    chosen === null ? [] : ['Your choice', `for ${usd(chosen.total_usd)} in total`, 'not an order'],
}

/** What the text for models says: sellers by what is proved of them, and their words in a fence. */
function inText(facts: RequestFacts): string[] {
  const { asked, quotes, sellers, listed_elsewhere, spread, chosen } = facts
  const silent = (sellers ?? []).filter(({ outcome }) => outcome !== 'quoted' && outcome !== 'out_of_stock')
  return [
    facts.rfq_id,
    `${facts.quantity} × ${facts.product_slug}`,
    asked === 0
      ? 'No seller of this product takes requests here.'
      : quotes.length === 0
        ? `No quote from ${N(asked ?? 0, 'seller')} asked.`
        : `${N(quotes.length, 'quote')} from ${N(asked ?? 0, 'seller')} asked`,
    ...quotes.flatMap(({ rank, price_usd, total_usd, quote_id }) => [
      `${rank}. `,
      usd(price_usd),
      usd(total_usd),
      quote_id,
    ]),
    ...silent.map(({ reason }) => reason),
    ...listed_elsewhere.map(({ price_usd: price }) =>
      price === null ? 'price not stated' : `lists ${usd(price)}`,
    ),
    ...(quotes.length > 1 && spread !== null && spread.low_usd !== spread.high_usd
      ? [`Totals from ${usd(spread.low_usd)} to ${usd(spread.high_usd)}`]
      : []),
    ...(chosen === null ? [] : [`total ${usd(chosen.total_usd)}. A choice is not an order`]),
  ]
}

async function expectSame(id: string): Promise<RequestFacts> {
  const { rest, tool, a2a, texts, html, page } = await read(id)
  // None of these requests names a variant.
  const { variant: _, ...always } = RequestFacts.shape
  expect(Object.keys(rest).toSorted()).toEqual(Object.keys(always).toSorted())
  expect(tool).toEqual(rest)
  expect(a2a).toEqual(rest)
  for (const [field, words] of Object.entries(ON_PAGE))
    for (const said of words(rest))
      expect({ field, said: page.includes(said) || html.includes(said) ? said : page }).toEqual({
        field,
        said,
      })
  for (const text of texts) for (const said of inText(rest)) expect(text).toContain(said)
  // Nothing beyond the facts.
  expect(html.match(/<li class="quote[ "]/g)?.length ?? 0).toBe(rest.quotes.length)
  expect(page.includes('Listed for less elsewhere')).toBe(
    rest.listed_elsewhere.length > 0 && rest.spread !== null,
  )
  expect(page.includes('Asked, but no quote')).toBe(
    rest.sellers?.some(({ outcome }) => outcome !== 'quoted' && outcome !== 'out_of_stock') ?? false,
  )
  const now = world.clock.now()
  const open = rest.quotes.filter((quote) => quote.in_stock && new Date(quote.offer_expires_at) > now)
  expect(html.match(/>Choose this quote</g)?.length ?? 0).toBe(rest.chosen === null ? open.length : 0)
  return rest
}

const outcomes = ({ sellers }: RequestFacts) =>
  Object.fromEntries((sellers ?? []).map(({ name, outcome }) => [name, outcome]))

describe('text, data and page say the same', () => {
  test('all answer', async () => {
    const facts = await expectSame(await situation())
    expect(facts).toMatchObject({ asked: 3, answered: 3, total_quotes: 3, listed_elsewhere: [] })
    expect(facts.spread).toEqual({ low_usd: 180, high_usd: 240 })
    expect(facts.why_first).toContain('$35 cheaper in total')
  })

  test.each([
    ['late', null, 'timed_out', 2],
    ['declining', DECLINE, 'declined', 3],
    ['wrong', WRONG, 'invalid', 2],
    ['out of stock', { ...QUOTES.gamma, in_stock: false }, 'out_of_stock', 3],
  ])('one is %s', async (_, gamma, outcome, answered) => {
    const facts = await expectSame(await situation({ gamma }))
    expect(outcomes(facts)).toEqual({ alpha: 'quoted', beta: 'quoted', gamma: outcome })
    expect(facts).toMatchObject({ asked: 3, answered, total_quotes: outcome === 'out_of_stock' ? 3 : 2 })
  })

  test('none delivers there', async () => {
    const facts = await expectSame(await situation({}, { product_slug: 'desk-lamps/far' }))
    expect(outcomes(facts)).toEqual({ 'Local Only': 'not_delivered_there' })
    expect(facts).toMatchObject({ asked: 1, answered: 1, total_quotes: 0, spread: null, why_first: null })
  })

  test('none sells it', async () => {
    const facts = await expectSame(await situation({}, { product_slug: 'desk-lamps/unsold' }))
    expect(facts).toMatchObject({ asked: 0, answered: 0, sellers: [], quotes: [] })
    expect(facts.listed_elsewhere).toHaveLength(3)
  })

  test('none has it in stock', async () => {
    const alpha = { ...QUOTES.alpha, in_stock: false }
    const facts = await expectSame(await situation({ alpha }, { product_slug: 'desk-lamps/listed' }))
    expect(facts).toMatchObject({ total_quotes: 1, spread: null, best_expires_at: null })
    expect(facts.listed_elsewhere).toHaveLength(3)
  })

  test.each([1, 2])('it is listed for less elsewhere, quantity %i', async (quantity) => {
    const facts = await expectSame(await situation({}, { product_slug: 'desk-lamps/listed', quantity }))
    expect(facts.listed_elsewhere.map(({ seller }) => seller)).toEqual(['Paperclip'])
  })

  test('a tie', async () => {
    const same = { price_usd: 100, shipping_cost_usd: 5, estimated_shipping_days: 3 }
    const facts = await expectSame(await situation({ alpha: same, beta: same, gamma: DECLINE }))
    expect(facts.spread).toEqual({ low_usd: 205, high_usd: 205 })
    expect(facts.why_first).toMatch(/same price and delivery as the next|identical to the next/)
  })

  test('expired before choosing: every face refuses, and nothing is chosen', async () => {
    const id = await situation()
    const { quotes } = await expectSame(id)
    const [{ quote_id, total_usd } = { quote_id: '', total_usd: 0 }] = quotes
    world.clock.advance(25 * 3_600_000)
    const rest = await json(`/api/rfq/${id}/choose/`, { quote_id, total_usd })
    const called = await tool(id, { choose: { quote_id, total_usd } })
    const fields = { quote_id, total_usd: String(total_usd) }
    const page = await createBrowser(world).post(`/quotes/${id}/choose`, fields)
    expect([rest.status, rest.body.code, called.error.kind, page.status]).toEqual([
      409,
      'conflict',
      'conflict',
      409,
    ])
    for (const said of [String(rest.body.error), called.error.error, textOf(await page.text())])
      expect(said).toContain('expired')
    expect((await expectSame(id)).chosen).toBeNull()
  })

  test('chosen twice at the same time: one stands, in every face; the same again is no conflict', async () => {
    const id = await situation()
    const { quotes } = await expectSame(id)
    const [one, two] = quotes
    if (!one || !two) throw new Error('two quotes are needed')
    const fields = { quote_id: two.quote_id, total_usd: String(two.total_usd) }
    const [rest, page] = await Promise.all([
      json(`/api/rfq/${id}/choose/`, { quote_id: one.quote_id, total_usd: one.total_usd }),
      createBrowser(world).post(`/quotes/${id}/choose`, fields),
    ])
    expect([
      [200, 409],
      [409, 303],
    ]).toContainEqual([rest.status, page.status])
    const facts = await expectSame(id)
    const [won, lost] = rest.status === 200 ? [one, two] : [two, one]
    expect(facts.chosen).toMatchObject({ quote_id: won.quote_id, total_usd: won.total_usd })
    const again = { quote_id: won.quote_id, total_usd: won.total_usd }
    expect((await json(`/api/rfq/${id}/choose/`, again)).status).toBe(200)
    expect((await tool(id, { choose: again })).isError).toBe(false)
    const other = { quote_id: lost.quote_id, total_usd: lost.total_usd }
    expect((await tool(id, { choose: other })).error.kind).toBe('conflict')
    expect((await expectSame(id)).chosen).toEqual(facts.chosen)
  })

  test('a request from before its outcome was kept says that it is no longer known', async () => {
    const id = await situation()
    await world.database.pool.query('update rfqs set outcome = null where id = $1', [id])
    const { rest, tool, a2a, page } = await read(id)
    expect([tool, a2a]).toEqual([rest, rest])
    expect([rest.asked, rest.sellers]).toEqual([null, null])
    expect(page).toContain('we no longer know who we asked')
    expect(page).not.toContain('sellers answered')
  })
})

/** A quote is one object on every face: what `find_retailers` gives is, field for field, what A2A gives. */
import { expect, test } from 'vitest'
import { METHODS, VERSIONS } from '../e2e/a2a.world.ts'
import { answerWith, createRfqWorld, PRODUCT } from '../e2e/rfq.world.ts'
import { createOrg, relate } from '../orgs.ts'
import { withTools } from '../tools.world.ts'

const OFFER_ID = '5b2f1f0a-3f52-4b0e-8f67-0d8f3e1f7c11'
const now = () => world.clock.now()
const world = withTools(
  await createRfqWorld({
    full: {
      respond: (...args) =>
        answerWith(now, {
          price_usd: 90,
          claim_url: 'https://shop.full.example/claim',
          list_price_usd: 120,
          offer_id: OFFER_ID,
          terms: 'Free returns',
        })(...args),
    },
    bare: {
      respond: (...args) =>
        answerWith(now, {
          price_usd: 95,
          claim_url: 'https://bare.example/claim',
          shipping_cost_usd: undefined,
          estimated_shipping_days: undefined,
        })(...args),
    },
    unproved: {
      respond: (...args) => answerWith(now, { price_usd: 99 })(...args),
      verified: false,
    },
  }),
)

type Quote = Record<string, unknown> & { org: Record<string, unknown>; signature: string }

async function ask(): Promise<{ taskId: string; quotes: Quote[]; token: string }> {
  const buyer = await world.person()
  const { data, isError, text } = await world.call(buyer, 'find_retailers', {
    query: 'lamp',
    product_slug: PRODUCT,
  })
  if (isError) throw new Error(text)
  return { taskId: String(data.task_id), quotes: data.quotes as Quote[], token: buyer.token }
}

test('find_retailers gives the very quotes of the task', async () => {
  const { taskId, quotes, token } = await ask()
  for (const version of VERSIONS) {
    const response = await world.app.request('/a2a/', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'A2A-Version': version,
        Authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: METHODS[version].get, params: { id: taskId } }),
    })
    const { result } = (await response.json()) as {
      result: { artifacts: Array<{ parts: Array<{ data?: { quotes: Quote[] } }> }> }
    }
    const [artifact] = result.artifacts
    const inTask = artifact?.parts.find(({ data }) => data)?.data?.quotes
    expect(inTask).toEqual(quotes)
  }
})

test('a quote names its seller with the proved domain, and leaves out what the seller left out', async () => {
  const { quotes } = await ask()
  const [full, unproved, bare] = quotes
  expect(full).toEqual({
    quote_id: expect.any(String),
    rank: 1,
    rank_reasons: expect.any(Array),
    org: { name: 'full', org_type: 'retailer', verified: true, domain: 'full.example' },
    price_usd: 90,
    total_usd: 95,
    in_stock: true,
    claim_url: expect.stringMatching(/\/go\/[0-9a-f-]{36}$/),
    offer_expires_at: expect.any(String),
    shipping_cost_usd: 5,
    list_price_usd: 120,
    estimated_shipping_days: 3,
    offer_id: OFFER_ID,
    terms: 'Free returns',
    signature: expect.any(String),
  })
  expect(Object.keys(bare ?? {}).sort()).toEqual([
    'claim_url',
    'in_stock',
    'offer_expires_at',
    'org',
    'price_usd',
    'quote_id',
    'rank',
    'rank_reasons',
    'signature',
    'total_usd',
  ])
  // A domain that is only stated is not the seller's.
  expect(unproved?.org).toEqual({ name: 'unproved', org_type: 'retailer', verified: false, domain: null })
})

test('the signature covers the domain', async () => {
  const { quotes } = await ask()
  for (const { signature, ...quote } of quotes) {
    const promise = JSON.parse(Buffer.from(signature.split('.')[1] ?? '', 'base64url').toString('utf8'))
    expect(promise).toMatchObject(quote)
  }
})

test('a managed seller is named the same way', async () => {
  const seller = await createOrg(world, { name: 'Managed', domain: 'managed.example' })
  await relate(world, seller, world.product)
  await world.database.db
    .insertInto('agent_integrations')
    .values({
      org_id: seller.id,
      is_managed: true,
      agent_card_url: null,
      managed_rules: null,
      secret_box: null,
      last_response_ms: null,
      last_checked_at: null,
      skip_until: null,
    })
    .execute()
  const { quotes } = await ask()
  expect(quotes.map(({ org }) => org.domain)).toContain('managed.example')
})

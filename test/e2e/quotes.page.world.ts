/**
 * Sellers for the pages that ask for quotes: real servers on loopback that a test can hold, one that is out of order, one
 * who lets the service answer by rules, one who declines, and products that some or none of them sell.
 */
import { beforeEach, expect } from 'vitest'
import { TWICE_MS } from '../../src/web/quotes/ask-once.ts'
import { createBrowser } from '../accounts.ts'
import { textOf } from '../html.ts'
import { call, createOrg, relate } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { answerWith, createRfqWorld, PRODUCT, type Respond } from './rfq.world.ts'

export const FORM = {
  product_slug: PRODUCT,
  quantity: '2',
  delivery_region: 'California',
  deadline_iso: '2026-12-01',
}
export const shop = { name: 'Corner Shop', url: 'https://corner.example/lamp', price: 55 }
const BY_RULES = { is_managed: true, managed_rules: { volume_discounts: [] } }

export async function createQuotesWorld() {
  const open = Promise.resolve()
  /** A seller answers when its promise is kept. */
  const gates: Record<'quick' | 'slow', Promise<void>> = { quick: open, slow: open }
  function hold(name: 'quick' | 'slow'): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    gates[name] = promise
    return resolve
  }
  const answered = { quick: 0, slow: 0 }

  const after =
    (name: 'quick' | 'slow', change: Record<string, unknown>): Respond =>
    async (...args) => {
      await gates[name]
      answered[name] += 1
      answerWith(() => world.clock.now(), change)(...args)
    }

  const world = await createRfqWorld({
    quick: {
      respond: after('quick', {
        price_usd: 110,
        list_price_usd: 150,
        terms: 'Free returns & "care" <for> 30 days',
      }),
    },
    slow: { respond: after('slow', { price_usd: 90, shipping_cost_usd: undefined }), verified: false },
    broken: { respond: (_received, response) => void response.writeHead(500).end('out of order') },
  })
  const managed = await createOrg(world, { name: 'Byrules' })
  await relate(world, managed, world.product)
  await call(world, managed.bearer, 'PATCH', '/api/org/agent-integration/', BY_RULES)
  const decliner = await createOrg(world, { name: 'Declines' })
  const lamp = { category: 'desk-lamps' }
  const nowhere = await addProduct(world, { ...lamp, slug: 'far-lamp', title: 'Far Lamp', list_price: 40 })
  await relate(world, decliner, nowhere)
  await call(world, decliner.bearer, 'PATCH', '/api/org/agent-integration/', BY_RULES)
  const onlyNewYork = { product_slug: 'far-lamp', delivery_regions: ['NY-US'] }
  await call(world, decliner.session, 'PATCH', '/api/org/pricing/', onlyNewYork)
  const odd = await addProduct(world, { ...lamp, slug: 'odd-lamp', title: 'Odd Lamp' })
  await relate(world, decliner, odd)
  if (world.producers.broken) await relate(world, world.producers.broken.org, odd)
  const dear = { ...lamp, slug: 'dear-lamp', title: 'Dear Lamp', where_to_buy: [shop] }
  const cheaperElsewhere = await addProduct(world, dear)
  for (const { org } of Object.values(world.producers)) await relate(world, org, cheaperElsewhere)
  await addProduct(world, { ...lamp, slug: 'unsold', title: 'Unsold Lamp', where_to_buy: [shop] })
  await world.catchUp()

  beforeEach(async () => {
    Object.assign(gates, { quick: open, slow: open })
    // Each test asks anew.
    world.clock.advance(2 * TWICE_MS)
    await world.database.pool.query('delete from a2a_hours')
  })

  const stranger = (ip?: string) => createBrowser(world, ip === undefined ? {} : { ip })
  const countRfqs = async () =>
    Number((await world.database.pool.query<{ count: string }>('select count(*) from rfqs')).rows[0]?.count)

  async function asked(browser = stranger(), change: Record<string, string> = {}): Promise<string> {
    const response = await browser.post('/quotes', { ...FORM, ...change })
    expect(response.status, textOf(await response.clone().text())).toBe(303)
    return response.headers.get('location') ?? ''
  }

  /** The whole page, when it has ended. */
  async function read(path: string, browser = stranger()): Promise<string> {
    const response = await browser.get(path)
    expect(response.status).toBe(200)
    return response.text()
  }

  return { world, hold, answered, stranger, countRfqs, asked, read }
}

/**
 * A marketplace in which producers let the service answer by their rules; made and changed over HTTP. An
 * agent of its own, `robot`, stands beside them.
 */
import { call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { answerWith, createRfqWorld } from './rfq.world.ts'

export const PRICING = '/api/org/pricing/'
export const SIMULATE = '/api/org/pricing/simulate/'
export const FLOORS = { reserve_price_usd: 80, min_margin_pct: 5 }
const TIERS = [
  { min_qty: 10, discount_pct: 10 },
  { min_qty: 100, discount_pct: 50 },
]

export type Product = { id: string; slug: string }
export type Body = Record<string, unknown>

export async function createManagedWorld() {
  const world = await createRfqWorld({
    robot: {
      respond: (...args) =>
        answerWith(() => world.clock.now(), { price_usd: 95, shipping_cost_usd: 0 })(...args),
    },
  })
  const { robot } = world.producers
  if (!robot) throw new Error('the robot is missing')
  let made = 0

  /** A product of list price 100 that nobody sells yet. */
  async function product(facts: Body = {}): Promise<Product> {
    const slug = `stool-${++made}`
    const row = { category: 'stools', slug, title: `Stool ${made}`, list_price: 100, ...facts }
    return { id: await addProduct(world, row), slug: `stools/${slug}` }
  }

  /** An organization that sells it and lets the service answer. */
  async function managed(of: Product, rules: Body | null = null, org: Parameters<typeof createOrg>[1] = {}) {
    const seller = await createOrg(world, org)
    await relate(world, seller, of.id)
    await send(seller, 'PATCH', '/api/org/agent-integration/', {
      is_managed: true,
      managed_rules: { volume_discounts: TIERS },
    })
    if (rules) await send(seller, 'PATCH', PRICING, { product_slug: of.slug, confirm: true, ...rules })
    return seller
  }

  /** By its owner; throws unless it went well. */
  async function send(org: TestOrg, method: string, path: string, body?: Body): Promise<Body> {
    const answer = await call(world, org.session, method, path, body)
    if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  async function offer(org: TestOrg, of: Product, terms: Body, status = 'active'): Promise<void> {
    const body = {
      product_slug: of.slug,
      headline: 'Deal',
      destination_url: 'https://deal.example/now',
      ...terms,
    }
    const { offer_id } = await send(org, 'POST', '/api/offers/create/', body)
    if (status !== 'draft') await send(org, 'PATCH', '/api/offers/update/', { offer_id, status })
  }

  const rulesOf = async (org: TestOrg, of: Product) =>
    (await send(org, 'GET', `${PRICING}?product_slug=${of.slug}`)).rules
  const quotesFor = (of: Product, request: Body = {}) => world.ask({ product_slug: of.slug, ...request })
  const prices = async (of: Product, request: Body = {}) =>
    (await quotesFor(of, request)).quotes.map(({ price_usd }) => price_usd)
  const simulate = (org: TestOrg, of: Product, request: Body = {}) =>
    send(org, 'POST', SIMULATE, { product_slug: of.slug, ...request })

  async function rowCounts(): Promise<Record<string, string>> {
    const { pool } = world.database
    const { rows } = await pool.query<{ name: string }>(
      `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p') and not relispartition order by 1`,
    )
    const counts = rows.map(async ({ name }) => {
      const counted = await pool.query<{ count: string }>(`select count(*) from "${name}"`)
      return [name, counted.rows[0]?.count ?? ''] as const
    })
    return Object.fromEntries(await Promise.all(counts))
  }

  return { ...world, robot, product, managed, send, offer, rulesOf, quotesFor, prices, simulate, rowCounts }
}

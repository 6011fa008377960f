/**
 * A small marketplace in which every tool has something to answer, and the tool server on a real port in front of it, by
 * the short way that requests take in service. Two such worlds are alike in all but their ids, so that the same calls
 * give the same answers in both. Everything stays on loopback.
 */
import { createServer, type RequestListener } from 'node:http'
import { afterAll, vi } from 'vitest'
import { toolRoutes } from '../../src/agents/mcp/mcp.routes.ts'
import { createFastLane } from '../../src/http/fast-lane.ts'
import { SERVER_LIMITS } from '../../src/http/server-limits.ts'
import { newId } from '../../src/lib/ids.ts'
import { captureLog } from '../harness.ts'
import { addMember, call, createOrg, relate, type TestOrg } from '../orgs.ts'
import { addProduct } from '../products.ts'
import { createToolsWorld, type ToolPerson, type ToolsWorld } from '../tools.world.ts'
import { carryOutRequests } from './rfq.world.ts'
import type { Role } from './tools.samples.ts'

export type SampleWorld = ToolsWorld & {
  people: Record<Role, ToolPerson>
  /** The shop's own, active. */
  offerId: string
}

const MEMBER = 'colleague@kettle-shop.example'

export async function createSampleWorld(): Promise<SampleWorld> {
  const world = await createToolsWorld()
  const products = await addProducts(world)
  const shop = await createOrg(world, { name: 'Kettle Shop', domain: 'kettle-shop.example' })
  for (const id of [products.gooseneck, products.whistler]) await relate(world, shop, id)
  const member = await addMember(world, shop, 'viewer')
  await setMail(world, shop.ownerId, 'owner@kettle-shop.example')
  await setMail(world, member.userId, MEMBER)
  await send(world, shop, 'PATCH', '/api/org/agent-integration/', {
    is_managed: true,
    managed_rules: { volume_discounts: [{ min_qty: 10, discount_pct: 10 }] },
  })
  const { offer_id } = await send(world, shop, 'POST', '/api/offers/create/', {
    product_slug: 'kettles/gooseneck',
    headline: 'A tenth off',
    destination_url: 'https://kettle-shop.example/deal',
    price_usd: 54,
    list_price_usd: 60,
  })
  await send(world, shop, 'PATCH', '/api/offers/update/', { offer_id, status: 'active' })
  await makeSearchable(world)
  carryOutRequests(world)
  const consumer = await world.person({ email: 'ada@people.example' })
  const producer = { userId: shop.ownerId, token: await world.tokenFor(shop.ownerId), org: shop }
  return { ...world, people: { consumer, producer }, offerId: String(offer_id) }
}

async function addProducts(world: ToolsWorld) {
  const add = (slug: string, category: string, title: string, more: Record<string, unknown>) =>
    addProduct(world, { slug, category, title, ...more })
  return {
    gooseneck: await add('gooseneck', 'kettles', 'Spout Gooseneck Kettle', {
      brand: 'Spout',
      model: 'G-1',
      verdict: 'The steadiest pour for hand-brewed coffee.',
      description: 'A slim spout for careful pouring.',
      specs: { Capacity: '1 l', Power: '1200 W' },
      themes: [{ theme: 'Pour', sentiment: 'positive', share: 0.42, summary: 'Owners praise the control.' }],
      price: { low: 55, high: 60 },
      list_price: 80,
      rating: 4.6,
      review_count: 1234,
      where_to_buy: [{ name: 'Corner', url: 'https://corner.example/g', price: 60 }],
      best_for: ['pour-over coffee'],
      released: '2025-03',
    }),
    whistler: await add('whistler', 'kettles', 'Whistling Stove Kettle', {
      verdict: 'Cheap and loud.',
      specs: { Capacity: '2 l' },
      price: 30,
      list_price: 35,
      review_count: 10,
    }),
    // Its claim by the shop is verified at once, by the link to the shop's own domain.
    samovar: await add('samovar', 'kettles', 'Brass Samovar Kettle', {
      price: 150,
      where_to_buy: [{ name: 'Kettle Shop', url: 'https://kettle-shop.example/samovar', price: 150 }],
    }),
    dome: await add('dome', 'tents', 'Dome Tent for Two', { price: 210, rating: 4.1, review_count: 80 }),
    bag: await add('bag', 'sleeping-bags', 'Warm Sleeping Bag', { price: 90, rating: 4.4, review_count: 60 }),
  }
}

async function setMail({ database }: ToolsWorld, userId: string, email: string): Promise<void> {
  await database.db.updateTable('users').set({ email, email_key: email }).where('id', '=', userId).execute()
}

/** By the HTTP interface; throws unless it went well. */
async function send(
  world: ToolsWorld,
  org: TestOrg,
  method: string,
  path: string,
  body: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const answer = await call(world, org.bearer, method, path, body)
  if (answer.status > 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

async function makeSearchable(world: ToolsWorld): Promise<void> {
  await world.catchUp()
  await world.searchRuntime.fill()
  const embed = world.searchRuntime.jobs.find(({ kind }) => kind === 'embed-products')
  if (!embed) throw new Error('there is no job that embeds')
  const task = { signal: AbortSignal.timeout(60_000), attempt: 1, jobId: newId(), log: captureLog().log }
  await embed.run({}, task)
  await world.catchUp()
}

/** Searches and reads are counted behind the answers: resolves when all so far are written. The marker counts as well. */
export async function countsWritten({ searchRuntime, tools, database }: ToolsWorld): Promise<void> {
  const { queryId } = await searchRuntime.search.search({ query: 'kettle marker', limit: 1, face: 'tools' })
  await vi.waitFor(
    async () => {
      const { rowCount } = await database.pool.query('select 1 from search_queries where id = $1', [queryId])
      if (rowCount !== 1) throw new Error('the log of searches is not written yet')
    },
    { timeout: 20_000 },
  )
  await tools.context.reads.settled()
}

/** Answers with the address of the tool server. */
export async function serveTools({ tools, logged }: Pick<ToolsWorld, 'tools' | 'logged'>): Promise<string> {
  const stopping = new AbortController()
  const lane = createFastLane({
    served: toolRoutes(tools.faces, { https: false }),
    trustProxy: false,
    log: logged.log,
    stopping: stopping.signal,
  })
  afterAll(() => stopping.abort())
  const origin = await listenOn((request, response) => {
    lane(request, response, () => void response.writeHead(404).end())
  })
  return `${origin}/mcp`
}

export async function listenOn(listener: RequestListener): Promise<string> {
  const server = createServer({ keepAliveTimeout: SERVER_LIMITS.keepAliveMs }, listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

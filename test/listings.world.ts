/** A catalog with listings over it, small enough to see every segment, and what tests of listings do to it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { afterAll } from 'vitest'
import type { Listing } from '../src/agents/discovery/listings/listing.ts'
import { createListings, type ListingsOptions } from '../src/agents/discovery/listings/listings.ts'
import { createChangeFollower } from '../src/catalog/changes.follower.ts'
import type { HttpEnv } from '../src/http/env.ts'
import { asAppError, logFault, STATUS } from '../src/http/error-response.ts'
import { everyRequest } from '../src/http/middleware.ts'
import { SERVER_LIMITS } from '../src/http/server-limits.ts'
import { type Clock, manualClock } from '../src/lib/clock.ts'
import { newId } from '../src/lib/ids.ts'
import { createLiveOffers, type LiveOffers } from '../src/offers/live-offers.ts'
import { BASE_URL, captureLog, createTestDatabase, type TestDatabase } from './harness.ts'

export type ListingsWorld = Awaited<ReturnType<typeof createListingsWorld>>

/** One line a product, with everything that a change can touch. */
export const LINES: Listing = {
  path: '/lines.txt',
  contentType: 'text/plain; charset=utf-8',
  head: (_, { productCount, categories }) => `${productCount} products, ${categories.length} categories\n`,
  section: (_, { label, productCount }) => `# ${label}: ${productCount}\n`,
  entry: (_, { slug, title, category, offers = [] }) =>
    `${slug} | ${title} | ${category.label} | ${offers.map(({ headline }) => headline).join(', ')}\n`,
  foot: () => 'the end\n',
}

/** The same products, so large that they do not fit in what a connection holds. */
export const LONG_LINES: Listing = {
  ...LINES,
  path: '/long.txt',
  entry: (_, { slug }) => `${slug} ${'long '.repeat(4_000)}\n`,
}

export function smallSplit(maxEntries: number, maxBytes = 1e9): Listing {
  return {
    ...LINES,
    path: '/map.txt',
    forSearchEngines: true,
    split: {
      maxEntries,
      maxBytes,
      headEntries: () => 1,
      partHead: () => 'continued\n',
      partPath: (part) => `/maps/${part}.txt`,
      index: (_, paths) => `index\n${paths.join('\n')}\n`,
    },
  }
}

export async function createListingsWorld(
  options: Partial<ListingsOptions> & {
    database?: TestDatabase
    /** Of a world that has them already. */
    shared?: { offers: LiveOffers; clock: Clock }
  } = {},
) {
  const database = options.database ?? (await createTestDatabase())
  const clock = manualClock('2026-11-01T12:00:00Z')
  const logged = captureLog()
  const offers = options.shared?.offers ?? createLiveOffers({ db: database.db, clock })
  const site = { baseUrl: BASE_URL, mcpUrl: `${BASE_URL}/mcp`, demo: false }
  const listings = createListings({
    db: database.db,
    clock: options.shared?.clock ?? clock,
    site,
    offers,
    log: logged.log,
    listings: [LINES],
    segmentSize: 4,
    ...options,
  })
  const follower = createChangeFollower({
    db: database.db,
    log: logged.log,
    async apply(events) {
      if (!options.shared) await offers.apply(events)
      listings.apply(events)
    },
    pollMs: 60_000,
  })
  await follower.start()
  if (!options.shared) await offers.fill()
  const app = new Hono<HttpEnv>({ strict: false })
  app.use(everyRequest({ trustProxy: false, https: false, log: logged.log }))
  listings.mount(app)
  app.onError((raised, c) => {
    const error = asAppError(raised)
    logFault(c, error)
    return c.text(`${error.message}\n`, STATUS[error.kind])
  })
  afterAll(async () => {
    follower.stop()
    // As a connection would: anyone who does not read what was sent hangs up.
    for (const { body } of answers) if (body && !body.locked) await body.cancel()
    await listings.stop()
  })
  const answers: Response[] = []
  const get = async (path: string, headers: Record<string, string> = {}) => {
    await follower.catchUp()
    const answer = await app.request(path, { headers })
    answers.push(answer)
    return answer
  }
  return {
    ctx: { db: database.db, clock, log: logged.log },
    database,
    clock,
    logged,
    listings,
    app,
    catchUp: follower.catchUp,
    /** As a client that comes after what was committed has been told. */
    get,
    text: async (path: string) => (await get(path)).text(),
  }
}

/** Behind a real server, for what happens to connections. */
export async function listenOn(world: Pick<ListingsWorld, 'app'>): Promise<string> {
  const http = createServer(
    { keepAliveTimeout: SERVER_LIMITS.keepAliveMs },
    getRequestListener(world.app.fetch),
  )
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    http.closeAllConnections()
    http.close()
  })
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`
}

/** Many at once, with their changes. */
export async function addProducts(
  { database }: Pick<ListingsWorld, 'database'>,
  input: { category: string; count: number; prefix?: string },
): Promise<void> {
  const { category, count, prefix = category } = input
  await database.pool.query(
    `with c as (
       insert into categories (id, slug, label) values ($1, $2, initcap($2))
       on conflict (slug) do update set slug = excluded.slug returning id),
     told as (insert into changes (category_id, aspect) select id, 'text' from c),
     p as (
       insert into products (id, slug, category_id, title)
       select gen_random_uuid(), $3 || '-' || n, c.id, 'Title ' || n from c, generate_series(1, $4::int) n
       returning id, category_id)
     insert into changes (product_id, category_id, aspect) select id, category_id, 'created' from p`,
    [newId(), category, prefix, count],
  )
}

export async function removeProduct({ database }: Pick<ListingsWorld, 'database'>, slug: string) {
  await database.pool.query(
    `with gone as (delete from products where slug = $1 returning id, category_id)
     insert into changes (product_id, category_id, aspect) select id, category_id, 'removed' from gone`,
    [slug],
  )
}

/** Sets columns of a product, as an import would tell of it. */
export async function changeProduct(
  { database }: Pick<ListingsWorld, 'database'>,
  slug: string,
  set: { title?: string; slug?: string; category?: string },
) {
  await database.pool.query(
    `with changed as (
       update products set title = coalesce($2, title), slug = coalesce($3, slug),
         category_id = coalesce((select id from categories where slug = $4), category_id)
       where slug = $1 returning id, category_id)
     insert into changes (product_id, category_id, aspect) select id, category_id, 'text' from changed`,
    [slug, set.title ?? null, set.slug ?? null, set.category ?? null],
  )
}

/** What stands in a file, against what is in the database. */
export async function expectedSlugs({ database }: Pick<ListingsWorld, 'database'>): Promise<string[]> {
  const { rows } = await database.pool.query<{ slug: string }>(
    `select p.slug from products p join categories c on c.id = p.category_id
     order by c.label, c.slug, p.slug collate "C"`,
  )
  return rows.map(({ slug }) => slug)
}

export function slugsIn(text: string): string[] {
  return text.split('\n').flatMap((line) => (line.includes(' | ') ? [line.slice(0, line.indexOf(' '))] : []))
}

/** `import_products` as a whole: dry runs, keys, addresses, limits, and being cut off. */
import { gzipSync } from 'node:zlib'
import type { KyselyPlugin } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { bytesOf } from '../../src/catalog/import-content.ts'
import { createImportSweepJob } from '../../src/catalog/imports.job.ts'
import { MAX_CONTENT_BYTES, MAX_IMPORT_ROWS } from '../../src/catalog/producer-import.schema.ts'
import { newId } from '../../src/lib/ids.ts'
import { captureLog } from '../harness.ts'
import { relate } from '../orgs.ts'
import {
  createImportWorld,
  fresh,
  type ImportWorld,
  jsonl,
  KNOWN,
  NOTHING,
  rowsOf,
} from './tools.import.world.ts'

let world: ImportWorld

beforeAll(async () => {
  world = await createImportWorld()
})

test('a dry run is the default, says what would happen and leaves nothing, its key neither', async () => {
  const shop = await world.newShop()
  const content = jsonl(KNOWN, fresh('Dry'))
  const { data, text } = await world.call(shop, 'import_products', {
    source: 'jsonl',
    content,
    idempotency_key: 'dry',
  })
  expect(data).toMatchObject({ dry_run: true, submitted: 1, claimed: 1 })
  expect(text).toContain('Dry run: nothing was changed')
  expect(await world.left(shop)).toEqual(NOTHING)
  const { rows } = await world.database.pool.query('select 1 from org_imports where org_id = $1', [
    shop.org.id,
  ])
  expect(rows).toEqual([])
})

test('more rows than the limit are refused before the first is written', async () => {
  const shop = await world.newShop()
  const rows = Array.from({ length: MAX_IMPORT_ROWS + 1 }, (_, n) => fresh(`Many ${n}`))
  const { error } = await world.importAs(shop, { content: jsonl(...rows) })
  expect([error.kind, error.max]).toEqual(['too_large', MAX_IMPORT_ROWS])
  expect(await world.left(shop)).toEqual(NOTHING)
})

test('a row that the database refuses costs that row only', async () => {
  const shop = await world.newShop()
  await world.database.pool.query(`
    create function no_bad() returns trigger language plpgsql as $$
    begin
      if new.product->>'title' = 'Bad Kettle' then raise exception 'no'; end if;
      return new;
    end $$;
    create trigger no_bad before insert on product_submissions for each row execute function no_bad()`)
  try {
    const { data } = await world.importAs(shop, {
      content: jsonl(fresh('Good'), fresh('Bad'), fresh('Fine')),
    })
    expect(data).toMatchObject({ submitted: 2, failed: 1 })
    expect(rowsOf(data)[0]).toMatchObject({ row: 2, problem: 'could not be stored' })
  } finally {
    await world.database.pool.query('drop trigger no_bad on product_submissions; drop function no_bad()')
  }
})

test('a key is answered once: again the same, another input refused, another organization free', async () => {
  const shop = await world.newShop()
  const args = { content: jsonl(fresh('Keyed')), idempotency_key: 'monday' }
  const first = await world.importAs(shop, args)
  const before = await world.left(shop)
  const again = await world.importAs(shop, args)
  expect(again.data).toEqual(first.data)
  expect(again.data).toMatchObject({ submitted: 1 })
  expect(again.text).toContain('nothing was repeated')
  expect(await world.left(shop)).toEqual(before)
  const other = await world.importAs(shop, { ...args, content: jsonl(fresh('Other')) })
  expect([other.error.kind, other.error.field]).toEqual(['conflict', 'idempotency_key'])
  expect((await world.importAs(await world.newShop(), args)).data).toMatchObject({ submitted: 1 })
})

test('an organization imports once at a time, tried or done, and others meanwhile', async () => {
  const shop = await world.newShop()
  let answer = () => {}
  world.site.respondWith((_request, response) => {
    answer = () => response.writeHead(200).end(jsonl(fresh('Slow')))
  })
  const args = { url: 'https://feeds.example/slow', idempotency_key: 'slow' }
  const asked = world.site.requests.length
  const running = world.importAs(shop, args)
  await expect.poll(() => world.site.requests.length, { timeout: 10_000 }).toBe(asked + 1)
  const content = jsonl(fresh('Other'))
  for (const other of [args, { content }, { content, dry_run: true }]) {
    const busy = await world.importAs(shop, other)
    expect(busy.error.kind).toBe('conflict')
    expect(busy.text).toContain('An import of your organization is already running')
  }
  expect((await world.importAs(await world.newShop(), { content })).data).toMatchObject({ submitted: 1 })
  answer()
  expect((await running).data).toMatchObject({ submitted: 1 })
  expect((await world.importAs(shop, { content, dry_run: true })).data).toMatchObject({ submitted: 1 })
})

test('an import that was refused leaves its key free', async () => {
  const shop = await world.newShop()
  world.site.serving('gone', 404)
  const url = 'https://feeds.example/feed'
  const failed = await world.importAs(shop, { url, idempotency_key: 'retry' })
  expect([failed.error.kind, failed.error.field]).toEqual(['unprocessable', 'url'])
  expect(failed.text).toContain('status 404')
  world.site.serving(jsonl(fresh('Retried')))
  expect((await world.importAs(shop, { url, idempotency_key: 'retry' })).data).toMatchObject({ submitted: 1 })
})

test('a feed is read from its address, packed or not, within its bounds', async () => {
  const shop = await world.newShop()
  const feed = `<?xml version="1.0"?><rss xmlns:g="http://base.google.com/ns/1.0" version="2.0"><channel>
    <item><g:id>1</g:id><g:title>Fed Kettle</g:title><g:link>https://us.example/fed</g:link><g:brand>Feedling</g:brand>
    <g:product_type>Kettles</g:product_type><g:price>20.00 USD</g:price></item></channel></rss>`
  world.site.respondWith((_request, response) => response.writeHead(200).end(gzipSync(feed)))
  const { data } = await world.importAs(shop, {
    source: 'google_feed',
    url: 'https://feeds.example/feed.xml.gz',
  })
  expect(data).toMatchObject({ rows_read: 1, submitted: 1 })
  expect(world.asked.at(-1)).toMatchObject({
    timeoutMs: 20_000,
    maxBytes: 20 * 1024 * 1024,
    publicOnly: true,
  })
  const { product_url } = await world.database.db
    .selectFrom('product_submissions')
    .select('product_url')
    .where('org_id', '=', shop.org.id)
    .executeTakeFirstOrThrow()
  expect(product_url).toBe('https://us.example/fed')
  world.site.respondWith((_request, response) =>
    response.writeHead(200).end(gzipSync(' '.repeat(21 * 1024 * 1024))),
  )
  const bomb = await world.importAs(shop, { url: 'https://feeds.example/bomb.gz' })
  expect([bomb.error.kind, bomb.error.code]).toEqual(['too_large', 'body_too_large'])
})

test('a redirect and a private address are never followed', async () => {
  const shop = await world.newShop()
  world.site.serving('', 302, { Location: 'https://feeds.example/elsewhere' })
  const asked = world.site.requests.length
  expect((await world.importAs(shop, { url: 'https://feeds.example/moved' })).error.kind).toBe(
    'unprocessable',
  )
  expect(world.site.requests.length).toBe(asked + 1)
  const inside = await world.importAs(shop, { url: 'https://127.0.0.1/feed' })
  expect([inside.error.kind, inside.error.code]).toEqual(['unprocessable', 'private_address'])
})

test('shoppers and viewers import nothing, and no address is asked for them', async () => {
  const shop = await world.newShop()
  const viewer = await world.person({ in: shop.org, role: 'viewer' })
  const asked = world.site.requests.length
  const args = { url: 'https://feeds.example/feed' }
  expect((await world.importAs(await world.person(), args)).error.code).toBe('not_a_producer')
  expect((await world.importAs(viewer, args)).error.kind).toBe('forbidden')
  expect(world.site.requests.length).toBe(asked)
})

test('a hundred rows take as many statements as a few', async () => {
  const { pool, db } = world.database
  const { rows: made } = await pool.query<{ id: string; slug: string }>(
    `insert into products (id, slug, category_id, title)
    select gen_random_uuid(), 'counted-' || n, (select id from categories where slug = 'kettles'), 'Counted ' || n
    from generate_series(1, 60) n returning id, slug`,
  )
  /** As many rows that claim, that propose what differs, and that are new. */
  async function statementsFor(each: number): Promise<number> {
    const shop = await world.newShop()
    const [claimed, related] = [made.slice(0, each), made.slice(30, 30 + each)]
    for (const { id } of related) await relate(world, shop.org, id)
    const known = [...claimed, ...related].map(({ slug }) => ({
      slug,
      category: 'kettles',
      title: slug,
      price: 5,
    }))
    const content = jsonl(...known, ...claimed.map(({ slug }) => fresh(slug)))
    let statements = 0
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        statements++
        return node
      },
      transformResult: async ({ result }) => result,
    }
    const { result } = await world.importBy(shop, { content }, { db: db.withPlugin(counting) })
    expect(result).toMatchObject({ claimed: each, proposed: each, submitted: each })
    return statements
  }
  const few = await statementsFor(1)
  expect(few).toBeGreaterThan(5)
  expect(await statementsFor(30)).toBe(few)
})

test('an import that is given up stops between batches; what was done stays', async () => {
  const shop = await world.newShop()
  const controller = new AbortController()
  const content = jsonl(...Array.from({ length: 150 }, (_, n) => fresh(`Cut ${n}`)))
  const steps: number[] = []
  const work = world.importBy(
    shop,
    { content, idempotency_key: 'cut' },
    {
      signal: controller.signal,
      progress({ done }) {
        steps.push(done)
        controller.abort()
      },
    },
  )
  await expect(work).rejects.toMatchObject({ kind: 'unavailable' })
  expect(steps).toEqual([100])
  expect(await world.left(shop)).toMatchObject({ submissions: 100 })
  expect((await world.importAs(shop, { content, idempotency_key: 'cut' })).data).toMatchObject({
    submitted: 50,
    unchanged: 100,
  })
})

test('keys are forgotten after thirty days', async () => {
  const shop = await world.newShop()
  await world.importAs(shop, { content: jsonl(fresh('Old')), idempotency_key: 'old' })
  const job = createImportSweepJob(world.ctx)
  const keys = async () =>
    (await world.database.pool.query('select 1 from org_imports where org_id = $1', [shop.org.id])).rows
      .length
  const task = { signal: AbortSignal.timeout(30_000), attempt: 1, jobId: newId(), log: captureLog().log }
  await job.run({}, task)
  expect(await keys()).toBe(1)
  world.clock.advance(31 * 86_400_000)
  await job.run({}, task)
  expect(await keys()).toBe(0)
})

test('content is measured in bytes', async () => {
  const content = 'é'.repeat(MAX_CONTENT_BYTES / 2 + 1)
  const reading = bytesOf(
    { outbound: world.site.outbound },
    { source: 'jsonl', content },
    AbortSignal.timeout(30_000),
  )
  await expect(reading).rejects.toMatchObject({ kind: 'too_large', field: 'content', max: MAX_CONTENT_BYTES })
})

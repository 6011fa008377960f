/** `import_products`, row by row: what becomes of each, and what is said of it. */
import { beforeAll, expect, test } from 'vitest'
import { WAITING_CLAIMS, WAITING_PROPOSALS, WAITING_SUBMISSIONS } from '../../src/catalog/waiting-limits.ts'
import { relate } from '../orgs.ts'
import { HOSTILE, outsideFences } from '../skills.world.ts'
import { createImportWorld, fresh, type ImportWorld, jsonl, KNOWN, rowsOf } from './tools.import.world.ts'

let world: ImportWorld

beforeAll(async () => {
  world = await createImportWorld()
})

test('every row has its result: new ones are submitted, known ones claimed, bad ones explained', async () => {
  const shop = await world.newShop()
  const content = [
    'Name,Category,Brand,EAN,Price',
    'Feed Kettle,Kettles,Feedling,,19.99',
    'Spout Kettle One,Kettles,Spout,4006381333931,50',
    'Broken Kettle,Kettles,Feedling,,12 EUR',
    'Lost Kettle,Kettle things,Feedling,,12',
  ].join('\n')
  const { data, text } = await world.importAs(shop, { source: 'csv', content })
  expect(data).toMatchObject({
    dry_run: false,
    rows_read: 4,
    submitted: 1,
    claimed: 1,
    proposed: 0,
    unchanged: 0,
    failed: 2,
    rows_left_out: 0,
  })
  expect(rowsOf(data)).toMatchObject([
    {
      row: 3,
      line: 4,
      outcome: 'failed',
      field: 'price',
      problem: expect.stringContaining('not in US dollars'),
    },
    { row: 4, line: 5, outcome: 'failed', field: 'category', fix: 'did you mean kettles?' },
    { row: 1, line: 2, outcome: 'submitted', product_slug: null },
    {
      row: 2,
      line: 3,
      outcome: 'claimed',
      product_slug: 'kettles/old-kettle',
      note: expect.stringContaining('waiting for verification'),
    },
  ])
  expect(text).toContain('- failed: 2')
  expect(text).toContain('Row 3, line 4: price is')
  expect(await world.left(shop)).toEqual({ submissions: 1, claims: 1, enrichments: 0, audits: 2 })
})

test('the same import again changes nothing', async () => {
  const shop = await world.newShop()
  const content = jsonl(KNOWN, fresh('Again'))
  await world.importAs(shop, { content })
  const before = await world.left(shop)
  expect((await world.importAs(shop, { content })).data).toMatchObject({
    unchanged: 2,
    submitted: 0,
    claimed: 0,
  })
  expect(await world.left(shop)).toEqual(before)
})

test('a verified producer proposes what differs and only that; other shops and specs stay', async () => {
  const shop = await world.newShop()
  await relate(world, shop.org, world.known)
  const row = {
    ...KNOWN,
    gtin: '04006381333931',
    mpn: 'sp-1',
    price: 45,
    rating: 5,
    verdict: 'Buy this one.',
    brand_domain: 'evil.example',
    specs: { volume: '1 l', Power: '2200 W' },
    where_to_buy: [{ name: 'Us', url: 'https://us.example/k', price: 45 }],
    images: [{ url: 'https://us.example/k.jpg' }, { url: 'http://us.example/plain.jpg' }],
  }
  const { data } = await world.importAs(shop, { content: jsonl(row) })
  expect(rowsOf(data)).toMatchObject([
    {
      outcome: 'proposed',
      note: 'images has 1 that cannot be used; proposes specs, where_to_buy, price, images',
    },
  ])
  const [proposal] = await world.database.db
    .selectFrom('enrichments')
    .selectAll()
    .where('org_id', '=', shop.org.id)
    .execute()
  expect(proposal).toMatchObject({
    status: 'pending',
    fields: {
      price: { low: 45, high: 45 },
      specs: [{ name: 'Power', value: '2200 W' }],
      where_to_buy: [
        { name: 'Corner', url: 'https://corner.example/k', price: 50 },
        { name: 'Us', url: 'https://us.example/k', price: 45 },
      ],
    },
    images: [{ url: 'https://us.example/k.jpg', alt: null }],
  })
  expect(Object.keys(proposal?.fields ?? {}).sort()).toEqual(['price', 'specs', 'where_to_buy'])
  expect((await world.importAs(shop, { content: jsonl(row) })).data).toMatchObject({ unchanged: 1 })
  expect((await world.importAs(shop, { content: jsonl(KNOWN) })).data).toMatchObject({ unchanged: 1 })
})

test('a claim that the catalog proves is verified at once, and proposes in the same row', async () => {
  const maker = await world.newShop({ orgType: 'manufacturer', domain: 'spout.example' })
  const { data } = await world.importAs(maker, {
    content: jsonl({ ...KNOWN, slug: 'kettles/old-kettle', sku: 'S1' }),
  })
  expect(rowsOf(data)).toMatchObject([{ outcome: 'claimed', note: 'verified immediately; proposes sku' }])
  const [claim] = await world.database.db
    .selectFrom('product_relationships')
    .selectAll()
    .where('org_id', '=', maker.org.id)
    .execute()
  expect(claim).toMatchObject({
    relationship_type: 'manufactured_by',
    status: 'verified',
    verified_via: 'brand_domain',
  })
  expect(await world.left(maker)).toMatchObject({ claims: 1, enrichments: 1, audits: 2 })
})

test("what is not a producer's to say is not kept with a new product", async () => {
  const shop = await world.newShop()
  const row = {
    ...fresh('Boastful'),
    slug: 'boast',
    rating: 5,
    review_count: 9,
    verdict: 'Best.',
    brand_domain: 'a.example',
  }
  await world.importAs(shop, { content: jsonl(row) })
  const { product } = await world.database.db
    .selectFrom('product_submissions')
    .select('product')
    .where('org_id', '=', shop.org.id)
    .executeTakeFirstOrThrow()
  expect(product).toEqual({ category: 'kettles', title: 'Boastful Kettle', brand: 'Feedling' })
})

test("a shop's handle that happens to be another product's slug claims nothing", async () => {
  const shop = await world.newShop()
  const { data } = await world.importAs(shop, { content: jsonl({ ...fresh('Dome'), slug: 'dome' }) })
  expect(rowsOf(data)).toMatchObject([
    { outcome: 'failed', field: 'slug', problem: 'belongs to another product, tents/dome' },
  ])
})

test('two rows of one product: the first counts, the second is told', async () => {
  const shop = await world.newShop()
  const { data } = await world.importAs(shop, {
    content: jsonl(KNOWN, fresh('Double'), KNOWN, fresh('double')),
  })
  expect(rowsOf(data).slice(0, 2)).toMatchObject([
    { row: 3, problem: 'repeats the product of row 1' },
    { row: 4, problem: 'repeats the product of row 2' },
  ])
  expect(data).toMatchObject({ claimed: 1, submitted: 1, failed: 2 })
})

test.each([
  ['neither url nor content', {}, 'content', 'invalid'],
  ['both url and content', { url: 'https://feeds.example/f', content: '{}' }, 'url', 'invalid'],
  ['an unknown source', { source: 'excel', content: '{}' }, 'source', 'invalid'],
  ['an empty file', { content: '\n\n' }, 'content', 'invalid'],
  [
    'a mapping of what is no field',
    { source: 'csv', content: 'a,title\n1,2', mapping: { cheese: 'a' } },
    'mapping.cheese',
    'invalid',
  ],
  [
    'a key that is too long',
    { content: '{}', idempotency_key: 'k'.repeat(101) },
    'idempotency_key',
    'invalid',
  ],
  ['plain http', { url: 'http://feeds.example/f' }, 'url', 'unprocessable'],
  ['what is no address', { url: 'feeds' }, 'url', 'unprocessable'],
])('%s is refused', async (_what, args, field, kind) => {
  const { isError, error } = await world.importAs(await world.newShop(), args)
  expect([isError, error.field, error.kind]).toEqual([true, field, kind])
})

test('no more products wait than may, in a dry run too; the rest is listed in part and said to be', async () => {
  const shop = await world.newShop()
  const rows = Array.from({ length: WAITING_SUBMISSIONS.max + 120 }, (_, n) => fresh(`Bulk ${n}`))
  const content = jsonl(...rows)
  for (const dry_run of [true, false]) {
    const { data, text } = await world.importAs(shop, { content, dry_run })
    expect(data).toMatchObject({
      submitted: WAITING_SUBMISSIONS.max,
      failed: 120,
      rows_left_out: rows.length - 100,
    })
    expect(rowsOf(data)).toHaveLength(100)
    expect(rowsOf(data).every(({ outcome }) => outcome === 'failed')).toBe(true)
    expect(text).toMatch(/\d+ rows not listed here/)
  }
  expect(await world.left(shop)).toMatchObject({ submissions: WAITING_SUBMISSIONS.max })
})

test('hostile words of a file stay in fences', async () => {
  const shop = await world.newShop()
  const bad = HOSTILE.map((words) => ({ category: words, title: words, specs: { [words]: { deep: words } } }))
  const unknown = HOSTILE.map((words) => ({ category: words, title: words }))
  const { text, data } = await world.importAs(shop, { content: jsonl(...bad, ...unknown) })
  expect(data).toMatchObject({ failed: bad.length + unknown.length })
  expect(outsideFences(text)).not.toMatch(/OBEY|Ignore all|# System|javascript:/)
  const header = HOSTILE.map((words) => `"${words.replaceAll('"', '').slice(0, 150)}"`).join(',')
  const sheet = await world.importAs(shop, {
    source: 'csv',
    content: `title,category,${header}\nA Kettle,kettles`,
  })
  expect(sheet.data.notices).not.toEqual([])
  expect(outsideFences(sheet.text)).not.toMatch(/OBEY|Ignore all|# System|javascript:/)
})

test("a shop's own export is read, drafts world.left out and said to be", async () => {
  const shop = await world.newShop()
  const content = [
    'Handle,Title,Vendor,Type,Status,Variant Price,Option1 Name,Option1 Value',
    'exported,Exported Kettle,Feedling,Kettles,active,20,Size,Small',
    'exported,,,,,25,,Large',
    'unready,Unready Kettle,Feedling,Kettles,draft,20,,',
  ].join('\n')
  const { data } = await world.importAs(shop, { source: 'shopify', content })
  expect(data).toMatchObject({ rows_read: 1, submitted: 1, notices: ['Drafts are not imported: 1 skipped.'] })
})

test('neither claims nor proposals pile up beyond their limits', async () => {
  const shop = await world.newShop()
  const { pool } = world.database
  await pool.query(
    `with made as (
      insert into products (id, slug, category_id, title)
      select gen_random_uuid(), 'filler-' || n, (select id from categories where slug = 'tents'), 'Filler ' || n
      from generate_series(1, $2::int) n returning id)
    insert into product_relationships (id, org_id, product_id, relationship_type, status)
    select gen_random_uuid(), $1, id, 'sells', 'pending' from made`,
    [shop.org.id, WAITING_CLAIMS.max],
  )
  const claim = await world.importAs(shop, { content: jsonl(KNOWN) })
  expect(rowsOf(claim.data)).toMatchObject([
    { outcome: 'failed', problem: expect.stringContaining('claims can wait') },
  ])
  await relate(world, shop.org, world.known)
  await pool.query(
    `insert into enrichments (id, org_id, product_id, fields)
    select gen_random_uuid(), $1, $2, jsonb_build_object('sku', n) from generate_series(1, $3::int) n`,
    [shop.org.id, world.known, WAITING_PROPOSALS.max],
  )
  const proposal = await world.importAs(shop, { content: jsonl({ ...KNOWN, price: 1 }) })
  expect(rowsOf(proposal.data)).toMatchObject([
    { outcome: 'failed', problem: expect.stringContaining('proposals for this product are waiting') },
  ])
})

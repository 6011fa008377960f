/** `import_products` under strain: nodes that die, a database that falters, brands of any size, addresses of any kind. */
import { Socket } from 'node:net'
import type { KyselyPlugin } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { lookupsOf } from '../../src/catalog/product-identity.ts'
import { checkProductInput } from '../../src/catalog/product-input.ts'
import { findLookalikes } from '../../src/catalog/submissions.queries.ts'
import { newId } from '../../src/lib/ids.ts'
import { createOutbound } from '../../src/lib/outbound.ts'
import { addProduct } from '../products.ts'
import { createImportWorld, fresh, type ImportWorld, jsonl, KNOWN, rowsOf } from './tools.import.world.ts'

let world: ImportWorld

beforeAll(async () => {
  world = await createImportWorld()
})

const leaseOf = async (orgId: string) => {
  const { rows } = await world.database.pool.query<{ run_id: string; renewed_at: Date }>(
    'select run_id, renewed_at from org_import_leases where org_id = $1',
    [orgId],
  )
  return rows[0]
}
/** As a node leaves it that died this long ago. */
const leaveLease = (orgId: string, secondsAgo: number) =>
  world.database.pool.query(
    `insert into org_import_leases (org_id, run_id, renewed_at) values ($1, $2, $3)
     on conflict (org_id) do update set run_id = excluded.run_id, renewed_at = excluded.renewed_at`,
    [orgId, newId(), new Date(world.clock.now().getTime() - secondsAgo * 1_000)],
  )

test('an import whose node died is taken over after two minutes, its key too', async () => {
  const shop = await world.newShop()
  const args = { content: jsonl(fresh('Left')), idempotency_key: 'left' }
  await leaveLease(shop.org.id, 119)
  expect((await world.importAs(shop, args)).error.kind).toBe('conflict')
  await leaveLease(shop.org.id, 121)
  expect((await world.importAs(shop, args)).data).toMatchObject({ submitted: 1 })
  expect(await leaseOf(shop.org.id)).toBeUndefined()
})

test('a long import keeps its lease by renewing it, and stops when another took over all the same', async () => {
  const shop = await world.newShop()
  const content = jsonl(...Array.from({ length: 250 }, (_, n) => fresh(`Renewed ${n}`)))
  // Three while the rows are checked, one before each of the three batches.
  let renewals = 0
  const afterRenewal = async () => {
    renewals++
    world.clock.advance(90_000)
    if (renewals === 4) expect((await world.importAs(shop, { content })).error.kind).toBe('conflict')
    if (renewals === 5) await leaveLease(shop.org.id, 0)
  }
  const db = world.database.db.withPlugin(after('update org_import_leases', afterRenewal))
  const running = world.importBy(shop, { content, idempotency_key: 'lost' }, { db })
  await expect(running).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringContaining('another import of your organization is running now'),
  })
  expect(renewals).toBe(6)
  expect(await world.left(shop)).toMatchObject({ submissions: 200 })
  expect(await world.keysOf(shop)).toBe(0)
  expect(await leaseOf(shop.org.id)).toBeDefined()
})

test('what stands in the way for a while is no fault of a row: the import stops, its key stays free, and the same call does the rest', async () => {
  const shop = await world.newShop()
  const { pool } = world.database
  await pool.query(`
    create function deadlocked() returns trigger language plpgsql as $$
    begin
      if new.product->>'title' = 'Unlucky Kettle' then raise exception 'no' using errcode = '40P01'; end if;
      return new;
    end $$;
    create trigger deadlocked before insert on product_submissions for each row execute function deadlocked()`)
  const args = { content: jsonl(fresh('Lucky'), fresh('Unlucky')), idempotency_key: 'luck' }
  try {
    const { error } = await world.importAs(shop, args)
    expect(error.kind).toBe('unavailable')
    expect(error.error).toContain('call again with the same arguments')
    expect(await world.left(shop)).toMatchObject({ submissions: 0 })
    expect(await world.keysOf(shop)).toBe(0)
  } finally {
    await pool.query('drop trigger deadlocked on product_submissions; drop function deadlocked()')
  }
  const again = await world.importAs(shop, args)
  expect(again.data).toMatchObject({ submitted: 2, failed: 0 })
  expect(await world.keysOf(shop)).toBe(1)
})

test('of a brand with many products only those come back that a row may mean', async () => {
  await addProduct(world, {
    slug: 'big-0',
    category: 'kettles',
    title: 'Big — Kéttle 7',
    brand: 'Big',
    mpn: 'B-7',
  })
  await world.database.pool.query(
    `insert into products (id, slug, category_id, brand_id, title, mpn)
     select gen_random_uuid(), 'big-' || n, category_id, brand_id, 'Big Thing ' || n, 'T' || n
     from products, generate_series(1, 2000) n where slug = 'big-0'`,
  )
  const slugsFor = async (row: Record<string, unknown>) => {
    const checked = checkProductInput({ category: 'kettles', title: 'Unheard of', brand: 'BIG', ...row })
    if ('problem' in checked) throw new Error(checked.problem.problem)
    const lookups = lookupsOf([{ input: checked.input, category: 'kettles' }])
    return (await findLookalikes(world.database.db, lookups)).map(({ slug }) => slug)
  }
  expect(await slugsFor({})).toEqual([])
  expect(await slugsFor({ title: 'BIG kéttle-7' })).toEqual(['big-0'])
  expect(await slugsFor({ mpn: 'b7' })).toEqual(['big-0'])
  expect(await slugsFor({ title: 'big thing 12', mpn: 't/13' })).toEqual(
    expect.arrayContaining(['big-12', 'big-13']),
  )
  expect(await slugsFor({ title: 'Big Thing 12', brand: 'Other' })).toEqual([])
})

test("a name in any script is found by its letters, with the brand's or without one", async () => {
  await addProduct(world, { slug: 'chainik', category: 'kettles', title: '«Чайник» № 5', brand: 'Завод' })
  await addProduct(world, { slug: 'yakan', category: 'kettles', title: '薬缶・大', brand: null })
  const shop = await world.newShop()
  const { data } = await world.importAs(shop, {
    content: jsonl(
      { category: 'kettles', title: 'чайник №5', brand: 'ЗАВОД' },
      { category: 'kettles', title: '薬缶 大' },
    ),
  })
  expect(rowsOf(data).map(({ product_slug }) => product_slug)).toEqual(['kettles/chainik', 'kettles/yakan'])
})

test('an address that the operator opened for the service is not opened for imports', async () => {
  const shop = await world.newShop()
  const asked = world.site.requests.length
  const dialled: string[] = []
  const outbound = createOutbound({
    allow: [
      { kind: 'pin', host: 'feeds.example', address: '127.0.0.1', port: world.site.server.port },
      { kind: 'reach', host: '127.0.0.1', port: world.site.server.port },
    ],
    resolve: async () => ['10.0.0.7'],
    open: (address) => {
      dialled.push(address)
      return new Socket().destroy(new Error('nobody is to be called'))
    },
  })
  for (const url of ['https://feeds.example/feed', `https://127.0.0.1:${world.site.server.port}/feed`])
    await expect(world.importBy(shop, { url }, { outbound })).rejects.toMatchObject({
      kind: 'unprocessable',
      code: 'private_address',
    })
  expect([dialled, world.site.requests.length]).toEqual([[], asked])
  await outbound.close()
})

test('what cannot be read is told by its line and never quoted', async () => {
  const shop = await world.newShop()
  world.site.serving('{"password": hunter2}\n')
  const { data, text } = await world.importAs(shop, { url: 'https://feeds.example/config' })
  expect(rowsOf(data)).toMatchObject([{ line: 1, problem: 'is not JSON' }])
  expect(text).not.toContain('hunter2')
})

test('a waiting claim that the catalog proves by now is verified by an import, and proposes in the same row', async () => {
  const shop = await world.newShop({ domain: 'late.example' })
  const product = await addProduct(world, {
    slug: 'late',
    category: 'kettles',
    title: 'Late',
    brand: 'Tardy',
  })
  const content = jsonl({ category: 'kettles', slug: 'late', title: 'Late', brand: 'Tardy', sku: 'L1' })
  expect(rowsOf((await world.importAs(shop, { content })).data)).toMatchObject([{ outcome: 'claimed' }])
  expect((await world.importAs(shop, { content })).data).toMatchObject({ unchanged: 1 })
  const shops = JSON.stringify([{ name: 'Late', url: 'https://late.example/k', priceCents: null }])
  await world.database.pool.query('update products set where_to_buy = $2::jsonb where id = $1', [
    product,
    shops,
  ])
  expect(rowsOf((await world.importAs(shop, { content, dry_run: true })).data)).toMatchObject([
    { outcome: 'claimed', note: 'your claim to it is now verified; proposes sku' },
  ])
  await world.importAs(shop, { content })
  const claims = await world.database.db
    .selectFrom('product_relationships')
    .select(['status', 'verified_via'])
    .where('org_id', '=', shop.org.id)
    .execute()
  expect(claims).toEqual([{ status: 'verified', verified_via: 'shop_link' }])
  const { rows } = await world.database.pool.query(
    `select action from audit_log where org_id = $1 order by id`,
    [shop.org.id],
  )
  expect(rows.map(({ action }) => action)).toEqual([
    'relationship.claimed',
    'relationship.verified',
    'enrichment.submitted',
  ])
  expect((await world.importAs(shop, { content })).data).toMatchObject({ unchanged: 1 })
})

test('addresses are kept in their normal form; those with a password, and plain http pictures, are left out', async () => {
  const shop = await world.newShop()
  const row = {
    ...fresh('Linked'),
    images: [
      { url: 'HTTPS://Us.example/\u202egpj.1' },
      { url: 'http://us.example/2.jpg' },
      { url: 'https://me:secret@us.example/3.jpg' },
    ],
    where_to_buy: [
      { name: 'Us', url: 'https://me:secret@us.example/k' },
      { name: 'Us too', url: 'http://Us.example/k\u200b' },
    ],
  }
  const { data } = await world.importAs(shop, { content: jsonl(row) })
  expect(rowsOf(data)).toMatchObject([
    {
      outcome: 'submitted',
      note: 'images has 2 that cannot be used; where_to_buy has 1 that cannot be used',
    },
  ])
  const { product, product_url } = await world.database.db
    .selectFrom('product_submissions')
    .select(['product', 'product_url'])
    .where('org_id', '=', shop.org.id)
    .executeTakeFirstOrThrow()
  expect(product).toMatchObject({
    images: [{ url: 'https://us.example/%E2%80%AEgpj.1', alt: null }],
    where_to_buy: [{ name: 'Us too', url: 'http://us.example/k%E2%80%8B', price: null }],
  })
  expect(product_url).toBe('http://us.example/k%E2%80%8B')
})

test('anyone who may not propose makes nobody read a proposal', async () => {
  const shop = await world.newShop()
  const viewer = await world.person({ in: shop.org, role: 'viewer' })
  const bad = { ...KNOWN, gtin: '123' }
  expect((await world.call(shop, 'submit_product', bad)).error).toMatchObject({
    kind: 'invalid',
    field: 'gtin',
  })
  expect((await world.call(viewer, 'submit_product', bad)).error.kind).toBe('forbidden')
})

/** Runs something when a statement of this kind was answered, before the caller hears of it. */
function after(statement: string, run: () => Promise<void>): KyselyPlugin {
  const asked = new WeakSet<object>()
  return {
    transformQuery({ node, queryId }) {
      if (node.kind === 'RawNode' && node.sqlFragments.join('?').includes(statement)) asked.add(queryId)
      return node
    },
    async transformResult({ result, queryId }) {
      if (asked.has(queryId)) await run()
      return result
    },
  }
}

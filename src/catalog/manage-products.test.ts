/** What an operator does to products, on a real database. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp } from '../../test/harness.ts'
import { createOrg, type TestOrg } from '../../test/orgs.ts'
import { addProduct } from '../../test/products.ts'
import { newId } from '../lib/ids.ts'
import { MERGE_HOOKS } from '../org-hooks.ts'
import { findMovedProduct } from './catalog.service.ts'
import { importProducts } from './import.service.ts'
import { deleteCategory, editCategory, mergeCategories } from './manage-categories.service.ts'
import {
  archiveProducts,
  deleteProducts,
  editProduct,
  hideProducts,
  listTwins,
  mergeProducts,
  moveProducts,
  showProducts,
} from './manage-products.service.ts'
import { previewSelection } from './select-products.ts'

let souk: Awaited<ReturnType<typeof createTestApp>>
let [shop, rival]: TestOrg[] = []
const by = { kind: 'operator', id: null } as const
const ctx = () => ({ ...souk.ctx, mergeHooks: MERGE_HOOKS })

beforeAll(async () => {
  souk = await createTestApp()
  shop = await createOrg(souk)
  rival = await createOrg(souk)
})

beforeEach(async () => {
  await query('delete from products; delete from categories; delete from changes; delete from audit_log')
  await query('delete from product_addresses; delete from category_addresses; delete from brands')
})

async function query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await souk.database.pool.query(text, values)).rows as Row[]
}

let made = 0
const add = (row: Record<string, unknown> = {}) => {
  const slug = `kettle-${++made}`
  return addProduct(souk, { slug, category: 'kettles', title: `Kettle ${made}`, ...row }).then((id) => ({
    id,
    slug: String(row.slug ?? slug),
  }))
}

const stored = async (slug: string) =>
  (await query<Record<string, unknown>>('select * from products where slug = $1', [slug]))[0]
const aspectsOf = async (id: string) =>
  (
    await query<{ aspect: string }>('select aspect from changes where product_id = $1 order by seq', [id])
  ).map(({ aspect }) => aspect)
const actions = async () =>
  (await query<{ action: string }>('select action from audit_log order by at, id')).map(
    ({ action }) => action,
  )

async function claim(org: TestOrg | undefined, productId: string, status = 'verified'): Promise<string> {
  const id = newId()
  await query(
    `insert into product_relationships (id, org_id, product_id, relationship_type, status, verified_at)
     values ($1, $2, $3, 'sells', $4, case when $4 = 'verified' then now() end)`,
    [id, org?.id, productId, status],
  )
  return id
}

async function offer(org: TestOrg | undefined, productId: string): Promise<string> {
  const id = newId()
  await query(
    `insert into offers (id, org_id, product_id, headline, destination_url, price_cents, status)
     values ($1, $2, $3, 'Less', 'https://shop.example/k', 3000, 'active')`,
    [id, org?.id, productId],
  )
  return id
}

async function request(productId: string): Promise<string> {
  const id = newId()
  await query(
    `insert into rfqs (id, context_id, product_id, quantity, face, anonymous) values ($1, $2, $3, 1, 'web', true)`,
    [id, newId(), productId],
  )
  return id
}

async function save(productId: string, note: string): Promise<void> {
  await query(
    `insert into saved_products (id, user_id, product_id, list, note) values ($1, $2, $3, 'Wishes', $4)`,
    [newId(), shop?.ownerId, productId, note],
  )
}

describe('editing', () => {
  test('writes what is stated as the operator’s word, with its changes, and leaves the rest alone', async () => {
    const { id, slug } = await add({ price: 40, verdict: 'Good.' })
    const edited = await editProduct(ctx(), {
      by,
      slug,
      fields: { title: 'Better', price: 49, verdict: null },
    })
    expect(edited).toMatchObject({ slug, changed: true })
    expect(await stored(slug)).toMatchObject({
      title: 'Better',
      price_low_cents: 4900,
      verdict: null,
      provenance: { title: { source: 'operator' }, price: { source: 'operator' } },
    })
    expect(await aspectsOf(id)).toEqual(['created', 'price', 'text'])
    expect(await actions()).toEqual(['product.edited'])
    expect(await editProduct(ctx(), { by, slug, fields: { price: 49 } })).toMatchObject({ changed: false })
    expect(await actions()).toEqual(['product.edited'])
  })

  test('keeps who said the title when another field is edited', async () => {
    const { slug } = await add()
    await editProduct(ctx(), { by, slug, fields: { sku: 'K-1' } })
    expect(await stored(slug)).toMatchObject({ sku: 'K-1', provenance: { title: { source: 'feed' } } })
  })

  test('a new slug or category leaves the old address behind', async () => {
    const { slug } = await add()
    await add({ category: 'pots' })
    await editProduct(ctx(), { by, slug, fields: { slug: 'renamed', category: 'pots' } })
    await editProduct(ctx(), { by, slug: 'renamed', fields: { slug: 'again' } })
    const now = { category: 'pots', slug: 'again' }
    expect(await findMovedProduct(ctx(), { category: 'kettles', slug })).toEqual(now)
    expect(await findMovedProduct(ctx(), { category: 'pots', slug: 'renamed' })).toEqual(now)
    expect(await findMovedProduct(ctx(), { category: null, slug: 'renamed' })).toEqual(now)
    expect(await findMovedProduct(ctx(), { category: 'pots', slug })).toBeNull()
  })

  test.each([
    [{ titel: 'x' }, 'no field titel'],
    [{ price: -1 }, 'price'],
    [{ title: '' }, 'title'],
    [{ category: 'nowhere' }, 'no category nowhere'],
    [{ gtin: '0012345678905' }, 'belongs to'],
    [{ slug: 'taken' }, 'belongs to taken'],
  ])('refuses %j', async (fields, words) => {
    const { slug } = await add()
    await add({ slug: 'taken', gtin: '012345678905' })
    await expect(editProduct(ctx(), { by, slug, fields })).rejects.toThrow(words)
    expect(await actions()).toEqual([])
  })
})

describe('many at once', () => {
  test('hides, shows and archives what is meant, and leaves alone what is so already', async () => {
    const some = [await add(), await add()]
    const other = await add({ category: 'pots' })
    const selection = { category: 'kettles' }
    expect(await previewSelection(ctx(), selection, { shown: 1 })).toMatchObject({ total: 2, first: [{}] })
    expect(await hideProducts(ctx(), { by, selection })).toMatchObject({ changed: 2, unchanged: 0 })
    expect(await hideProducts(ctx(), { by, selection })).toMatchObject({ changed: 0, unchanged: 2 })
    expect(await query('select slug from shown_products')).toEqual([{ slug: other.slug }])
    expect(await showProducts(ctx(), { by, selection: { slugs: [some[0]?.slug ?? ''] } })).toMatchObject({
      changed: 1,
      unchanged: 0,
    })
    expect(await aspectsOf(some[0]?.id ?? '')).toEqual(['created', 'removed', 'created'])
    expect(await archiveProducts(ctx(), { by, selection })).toMatchObject({ changed: 2, unchanged: 0 })
    expect(await actions()).toEqual(['product.hidden', 'product.shown', 'product.archived'])
  })

  test('in several portions, by source and by import', async () => {
    await add()
    await add({ category: 'pots' })
    const rows = Array.from({ length: 450 }, (_, n) => ({ id: n, title: `Pan ${n}`, category: 'pans' }))
    async function* bytes() {
      yield Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))
    }
    const options = { format: 'jsonl', source: 'pan-shop', fingerprint: newId() } as const
    const { importId } = await importProducts(souk.ctx, bytes(), options)
    const selection = { source: 'pan-shop', importId: importId ?? '' }
    expect(await moveProducts(ctx(), { by, selection, to: 'pots' })).toMatchObject({
      changed: 450,
      unchanged: 0,
    })
    expect(await deleteProducts(ctx(), { by, selection: { source: 'pan-shop' } })).toEqual({
      deleted: 450,
      hidden: [],
      kept: [],
    })
    expect((await query('select 1 from products')).length).toBe(2)
    expect((await actions()).length).toBe(6)
  })

  test('one command and an edit at once both count', async () => {
    const { slug } = await add()
    await add({ category: 'pots' })
    await Promise.all([
      moveProducts(ctx(), { by, selection: { slugs: [slug] }, to: 'pots' }),
      editProduct(ctx(), { by, slug, fields: { title: 'Edited' } }),
      archiveProducts(ctx(), { by, selection: { slugs: [slug] } }),
    ])
    const [row] = await query(
      'select p.title, p.discontinued, c.slug from products p join categories c on c.id = p.category_id where p.slug = $1',
      [slug],
    )
    expect(row).toEqual({ title: 'Edited', discontinued: true, slug: 'pots' })
  })
})

describe('deleting', () => {
  test('leaves alone what something hangs on, says what, and the others are gone', async () => {
    const [free, used] = [await add(), await add()]
    await claim(shop, used.id)
    await offer(shop, used.id)
    await save(used.id, 'mine')
    const selection = { category: 'kettles' }
    expect(await deleteProducts(ctx(), { by, selection })).toEqual({
      deleted: 1,
      hidden: [],
      kept: [{ slug: used.slug, why: '1 claim, 1 offer, 1 save' }],
    })
    expect(await findMovedProduct(ctx(), { category: 'kettles', slug: free.slug })).toBe('gone')
    expect(await deleteProducts(ctx(), { by, selection, force: true })).toMatchObject({ deleted: 1 })
    expect(await query('select 1 from offers')).toEqual([])
  })

  test('by force hides what quotes were asked for, and keeps the requests', async () => {
    const { id, slug } = await add()
    await request(id)
    await claim(shop, id)
    await offer(shop, id)
    const selection = { slugs: [slug] }
    expect(await deleteProducts(ctx(), { by, selection })).toMatchObject({
      deleted: 0,
      kept: [{ slug, why: '1 quote request, 1 claim, 1 offer' }],
    })
    expect(await deleteProducts(ctx(), { by, selection, force: true })).toEqual({
      deleted: 0,
      hidden: [slug],
      kept: [],
    })
    expect(await stored(slug)).toMatchObject({ hidden_at: souk.clock.now() })
    expect(await query('select state, product_id from rfqs')).toEqual([
      { state: 'submitted', product_id: id },
    ])
    expect(await query('select status from offers')).toEqual([{ status: 'expired' }])
    expect(await findMovedProduct(ctx(), { category: 'kettles', slug })).toBe('gone')
    await query('delete from rfqs')
  })

  test('a request that comes at the same moment either stands or is refused, and is never lost', async () => {
    const { id, slug } = await add()
    const [asked, deleted] = await Promise.allSettled([
      request(id),
      deleteProducts(ctx(), { by, selection: { slugs: [slug] } }),
    ])
    expect(deleted.status).toBe('fulfilled')
    const requests = await query('select 1 from rfqs')
    expect(requests.length).toBe(asked.status === 'fulfilled' ? 1 : 0)
    expect((await stored(slug)) !== undefined).toBe(asked.status === 'fulfilled')
    await query('delete from rfqs')
  })
})

describe('merging', () => {
  test('passes on what the other does not know, with who said it', async () => {
    const old = await add({
      brand: 'Acme',
      gtin: '012345678905',
      mpn: 'AK-1',
      price: 30,
      verdict: 'Old words.',
      images: [{ url: 'https://acme.example/1.jpg' }],
    })
    const kept = await add({
      verdict: 'New words.',
      where_to_buy: [{ name: 'S', url: 'https://s.example/k' }],
    })
    await mergeProducts(ctx(), { by, from: old.slug, into: kept.slug })
    expect(await stored(old.slug)).toBeUndefined()
    expect(await stored(kept.slug)).toMatchObject({
      gtin: '012345678905',
      mpn: 'AK-1',
      price_low_cents: 3000,
      verdict: 'New words.',
      images: [{ url: 'https://acme.example/1.jpg' }],
      where_to_buy: [{ name: 'S' }],
      provenance: { gtin: { source: 'feed' }, brand: { source: 'feed' } },
    })
    expect(await aspectsOf(old.id)).toEqual(['created', 'removed'])
    expect(await actions()).toEqual(['product.merged'])
  })

  test('carries all that hangs on it; of what both have, one stays', async () => {
    const [old, kept] = [await add(), await add()]
    const verified = await claim(shop, old.id)
    await claim(shop, kept.id, 'pending')
    await claim(rival, old.id, 'pending')
    const own = await claim(rival, kept.id)
    await offer(shop, old.id)
    await save(old.id, 'old')
    await save(kept.id, 'kept')
    for (const [id, reads] of [
      [old.id, 2],
      [kept.id, 3],
    ])
      await query(
        `insert into product_reads (product_id, day, face, agent, reads) values ($1, '2026-11-01', 'web', 'a', $2)`,
        [id, reads],
      )
    for (const { id } of [old, kept])
      await query(`insert into product_pricing (org_id, product_id) values ($1, $2)`, [shop?.id, id])
    await query(`insert into enrichments (id, org_id, product_id) values (gen_random_uuid(), $1, $2)`, [
      shop?.id,
      old.id,
    ])
    const rfq = await request(old.id)
    await mergeProducts(ctx(), { by, from: old.slug, into: kept.slug })
    const claims = await query<{ id: string }>('select id from product_relationships where product_id = $1', [
      kept.id,
    ])
    expect(claims.map(({ id }) => id).sort()).toEqual([verified, own].sort())
    expect(await query('select note from saved_products')).toEqual([{ note: 'kept' }])
    expect(await query('select product_id, reads from product_reads')).toEqual([
      { product_id: kept.id, reads: 5 },
    ])
    for (const table of ['offers', 'product_pricing', 'enrichments'])
      expect(await query(`select product_id from ${table}`)).toEqual([{ product_id: kept.id }])
    expect(await query('select id, product_id from rfqs')).toEqual([{ id: rfq, product_id: kept.id }])
    const told = await aspectsOf(kept.id)
    expect(told.filter((aspect) => aspect !== 'sellers')).toEqual(['created', 'offers', 'text'])
    await query('delete from rfqs')
  })

  test('leads all addresses of the other to the one that stays, however often', async () => {
    const [first, second, third] = [await add(), await add(), await add({ category: 'pots' })]
    await editProduct(ctx(), { by, slug: first.slug, fields: { slug: 'first-renamed' } })
    await mergeProducts(ctx(), { by, from: 'first-renamed', into: second.slug })
    await mergeProducts(ctx(), { by, from: second.slug, into: third.slug })
    for (const slug of [first.slug, 'first-renamed', second.slug])
      expect(await findMovedProduct(ctx(), { category: 'kettles', slug })).toEqual({
        category: 'pots',
        slug: third.slug,
      })
    await deleteProducts(ctx(), { by, selection: { slugs: [third.slug] } })
    expect(await findMovedProduct(ctx(), { category: 'kettles', slug: first.slug })).toBe('gone')
  })

  test('two into each other at once: one goes, the other stays with everything', async () => {
    const [one, two] = [await add(), await add()]
    await claim(shop, one.id)
    await claim(shop, two.id)
    const outcomes = await Promise.allSettled([
      mergeProducts(ctx(), { by, from: one.slug, into: two.slug }),
      mergeProducts(ctx(), { by, from: two.slug, into: one.slug }),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await query('select 1 from products')).length).toBe(1)
    expect((await query('select 1 from product_relationships')).length).toBe(1)
  })

  test('what a source calls the other finds the one that stays', async () => {
    const run = (price: number) => {
      async function* bytes() {
        yield Buffer.from(JSON.stringify({ id: 'a-1', title: 'Urn', category: 'kettles', price }))
      }
      return importProducts(souk.ctx, bytes(), { format: 'jsonl', source: 'urns', fingerprint: newId() })
    }
    await run(10)
    const kept = await add()
    await mergeProducts(ctx(), { by, from: 'urn', into: kept.slug })
    expect(await run(12)).toMatchObject({ created: 0, updated: 1 })
    expect(await stored(kept.slug)).toMatchObject({ price_low_cents: 1200 })
  })

  test('products of one brand and title are named as twins', async () => {
    await add({ slug: 'twin-1', title: 'Acme Kettle', brand: 'Acme' })
    await add({ slug: 'twin-2', title: 'acme  kettle', brand: 'Acme' })
    await add({ slug: 'no-twin', title: 'Acme Kettle', brand: 'Other' })
    expect(await listTwins(ctx(), { limit: 10 })).toEqual({
      total: 1,
      twins: [{ title: 'Acme Kettle', brand: 'Acme', slugs: ['twin-1', 'twin-2'] }],
    })
  })
})

describe('categories', () => {
  test('an edit keeps what is not named; a new slug leads on, of products too', async () => {
    const { slug } = await add()
    await editCategory(ctx(), { by, slug: 'kettles', fields: { description: 'For tea.' } })
    await editCategory(ctx(), { by, slug: 'kettles', fields: { slug: 'boilers', path: ['Home'] } })
    const [row] = await query('select slug, label, description, path from categories')
    expect(row).toEqual({ slug: 'boilers', label: 'kettles', description: 'For tea.', path: ['Home'] })
    expect(await findMovedProduct(ctx(), { category: 'kettles', slug })).toEqual({
      category: 'boilers',
      slug,
    })
    await expect(editCategory(ctx(), { by, slug: 'boilers', fields: { colour: 'red' } })).rejects.toThrow()
    await add({ category: 'pots' })
    await expect(editCategory(ctx(), { by, slug: 'boilers', fields: { slug: 'pots' } })).rejects.toThrow(
      'merge',
    )
  })

  test('one that is merged takes its products and addresses along; only an empty one is deleted', async () => {
    const { slug } = await add()
    await add({ category: 'pots' })
    await expect(deleteCategory(ctx(), { by, slug: 'kettles' })).rejects.toThrow('kettles still has products')
    expect(await mergeCategories(ctx(), { by, slug: 'kettles', into: 'pots' })).toBe(1)
    expect(await findMovedProduct(ctx(), { category: 'kettles', slug })).toEqual({ category: 'pots', slug })
    expect(await query('select slug from categories')).toEqual([{ slug: 'pots' }])
    await deleteProducts(ctx(), { by, selection: { category: 'pots' } })
    await deleteCategory(ctx(), { by, slug: 'pots' })
    expect(await query('select slug, category_id from category_addresses order by 1')).toEqual([
      { slug: 'kettles', category_id: null },
      { slug: 'pots', category_id: null },
    ])
  })
})

test('the view of shown products has every column of the table', async () => {
  const columns = (table: string) =>
    query('select column_name from information_schema.columns where table_name = $1 order by 1', [table])
  expect(await columns('shown_products')).toEqual(await columns('products'))
})

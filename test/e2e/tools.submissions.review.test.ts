/** What operators do with proposed products: from a proposal nobody sees to a product everybody finds. */
import { beforeAll, expect, test } from 'vitest'
import { getProfile } from '../../src/catalog/catalog.service.ts'
import { approveSubmission, rejectSubmission } from '../../src/catalog/submissions-review.service.ts'
import { RELATIONSHIP_HOOKS } from '../../src/org-hooks.ts'
import { runAdmin } from '../admin-command.ts'
import { addProduct } from '../products.ts'
import { refusal } from '../skills.world.ts'
import { createSubmissionsWorld, type SubmissionsWorld } from './tools.submissions.world.ts'

let world: SubmissionsWorld

beforeAll(async () => {
  world = await createSubmissionsWorld()
})

const review = () => ({ ...world.ctx, relationshipHooks: RELATIONSHIP_HOOKS })
const OPERATOR = { kind: 'operator', id: null } as const
const approve = (id: string, version = 1) => approveSubmission(review(), { by: OPERATOR, id, version })

test('an approved product is on its page and in search, and its submitter is related to it', async () => {
  const id = await world.propose({
    title: 'Marvellous Kettle',
    mpn: 'M-1',
    specs: { Volume: '1 l' },
    price_usd: 30,
    product_url: 'https://shop.example/m',
  })
  const { productSlug } = await approve(id)
  expect(productSlug).toBe('kettles/swift-marvellous-kettle')
  await world.catchUp()
  const profile = await getProfile(world.ctx, { category: 'kettles', slug: 'swift-marvellous-kettle' })
  const said = { source: 'Kettle Shop', verifiedAt: world.clock.now().toISOString() }
  expect(profile).toMatchObject({
    brand: { name: 'Swift' },
    provenance: { title: said, price: said, brand: said },
    whereToBuy: [{ name: 'Kettle Shop', url: 'https://shop.example/m', priceCents: 3_000 }],
  })
  expect((await world.app.request(`/p/${productSlug}.md`)).status).toBe(200)
  const found = await world.searchRuntime.search.search({
    query: 'marvellous kettle',
    limit: 5,
    face: 'rest',
  })
  expect(JSON.stringify(found)).toContain('swift-marvellous-kettle')
  const related = await world.database.db
    .selectFrom('product_relationships')
    .selectAll()
    .where('product_id', '=', profile?.id ?? '')
    .execute()
  expect(related).toMatchObject([
    { org_id: world.shop.org?.id, relationship_type: 'sells', status: 'verified', verified_via: 'operator' },
  ])
  expect(await world.stored(id)).toMatchObject({ status: 'approved', product_id: profile?.id })
  expect((await world.actions(world.shop)).slice(-2)).toEqual([
    'submission.approved',
    'relationship.verified',
  ])
})

test('what has changed since it was looked at is not approved; what is approved is what was looked at', async () => {
  const id = await world.propose({ title: 'Fine Kettle', mpn: 'CH-1' })
  expect(await world.propose({ title: 'Foul Kettle', mpn: 'CH-1' })).toBe(id)
  const error = await refusal(approve(id, 1))
  expect([error.kind, error.valid]).toEqual(['conflict', [`${id}@2`]])
  expect(await world.stored(id)).toMatchObject({ status: 'pending', version: 2 })
  const { rows } = await world.database.pool.query(`select 1 from products where mpn = 'CH-1'`)
  expect(rows).toEqual([])
  await world.propose({ title: 'Foul Kettle', mpn: 'CH-1' })
  expect((await approve(id, 2)).productSlug).toBe('kettles/swift-foul-kettle')
})

test('going back to what it said at first is a change too', async () => {
  const id = await world.propose({ title: 'There Kettle', mpn: 'CH-2' })
  await world.propose({ title: 'And Kettle', mpn: 'CH-2' })
  await world.propose({ title: 'There Kettle', mpn: 'CH-2' })
  expect((await refusal(approve(id, 1))).valid).toEqual([`${id}@3`])
})

test('a change that is written while the approval waits for it is noticed', async () => {
  const id = await world.propose({ title: 'Racing Kettle', mpn: 'CH-3' })
  const { pool } = world.database
  const other = await pool.connect()
  try {
    await other.query('begin')
    await other.query(
      `update product_submissions set product = product || '{"title": "Swapped"}', version = version + 1
       where id = $1`,
      [id],
    )
    const asked = refusal(approve(id, 1))
    await expect
      .poll(
        async () => {
          const { rows } = await pool.query(
            `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
          )
          return rows.length
        },
        { timeout: 20_000 },
      )
      .toBe(1)
    await other.query('commit')
    expect((await asked).valid).toEqual([`${id}@2`])
  } finally {
    await other.query('rollback')
    other.release()
  }
})

test('a rejection that names a version is of that version alone', async () => {
  const id = await world.propose({ title: 'Named Kettle', mpn: 'CH-4' })
  await world.propose({ title: 'Renamed Kettle', mpn: 'CH-4' })
  const decision = { by: OPERATOR, id, note: 'Blurry.' }
  expect((await refusal(rejectSubmission(world.ctx, { ...decision, version: 1 }))).valid).toEqual([`${id}@2`])
  await rejectSubmission(world.ctx, { ...decision, version: 2 })
  expect((await world.stored(id)).status).toBe('rejected')
})

test('of two operators one approves, and the product is made once', async () => {
  const id = await world.propose({ title: 'Twice Kettle', mpn: 'T-1' })
  const outcomes = await Promise.allSettled([approve(id), approve(id)])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  const { rows } = await world.database.pool.query(`select 1 from products where title = 'Twice Kettle'`)
  expect(rows).toHaveLength(1)
})

test('two proposals of one product, approved at once, make it once', async () => {
  const other = await world.person({ producer: { name: 'Other Shop' } })
  const ids = [
    await world.propose({ title: 'Common Kettle' }),
    await world.propose({ title: 'Com-mon Kettle' }, other),
  ]
  const outcomes = await Promise.allSettled(ids.map((id) => approve(id)))
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('a product that appeared meanwhile is not altered: the approval is refused with its slug', async () => {
  const id = await world.propose({ title: 'Late Kettle', gtin: '5901234123457', price_usd: 10 })
  const row = { slug: 'late', category: 'kettles', title: 'Late', gtin: '5901234123457', price: 99 }
  await addProduct(world, row)
  const error = await refusal(approve(id))
  expect([error.kind, error.valid]).toEqual(['conflict', ['kettles/late']])
  expect(await getProfile(world.ctx, { category: 'kettles', slug: 'late' })).toMatchObject({
    title: 'Late',
    priceLowCents: 9_900,
  })
  expect((await world.stored(id)).status).toBe('pending')
})

test('a slug that another product has is left to it', async () => {
  await addProduct(world, { slug: 'swift-shared-kettle', category: 'kettles', title: 'Something Else' })
  const id = await world.propose({ title: 'Shared Kettle', model: 'X 9', mpn: 'SH-1' })
  const { productSlug } = await approve(id)
  expect(productSlug).toBe('kettles/swift-shared-kettle-x-9')
  expect(await getProfile(world.ctx, { category: 'kettles', slug: 'swift-shared-kettle' })).toMatchObject({
    title: 'Something Else',
  })
})

test('a deactivated organization gets nothing approved', async () => {
  const leaving = await world.person({ producer: { name: 'Leaving' } })
  const id = await world.propose({ title: 'Leaving Kettle' }, leaving)
  await world.database.pool.query('update orgs set deactivated_at = now() where id = $1', [leaving.org?.id])
  expect((await refusal(approve(id))).code).toBe('org_deactivated')
})

test('after a rejection it can be proposed again', async () => {
  const id = await world.propose({ title: 'Second Chance', mpn: 'SC' })
  await rejectSubmission(world.ctx, { by: OPERATOR, id, note: 'A blurry picture.' })
  expect(await world.stored(id)).toMatchObject({ status: 'rejected', review_note: 'A blurry picture.' })
  const again = await refusal(approve(id))
  expect(again.message).toContain('already rejected')
  expect(await world.propose({ title: 'Second Chance', mpn: 'SC' })).not.toBe(id)
  expect((await refusal(rejectSubmission(world.ctx, { by: OPERATOR, id: 'x', note: 'n' }))).kind).toBe(
    'not_found',
  )
})

const admin = (...args: string[]) => runAdmin(world, ...args)

test('the operator lists, approves and rejects from the command line', async () => {
  const named = await world.person({ producer: { name: 'Shop\u001b[31m', domain: 'named.example' } })
  const first = await world.propose({ title: 'Command Kettle', price_usd: 12 }, named)
  const second = await world.propose({ title: 'Refused Kettle' }, named)
  const listed = await admin('submissions')
  const lines = listed.out.split('\n')
  const head = lines.findIndex((line) =>
    line.startsWith(`${first}@1\tkettles\t2026-11-01T12:00:00.000Z\tsells\t`),
  )
  expect(head).toBeGreaterThan(-1)
  expect(lines.slice(head)).toContain('\tprice\t{"low":12,"high":12}')
  expect(listed.out.replaceAll(/[\t\n]/g, '')).not.toMatch(/\p{Cc}/u)
  expect(lines[head]).toMatch(/\tnamed\.example \(verified\)$/)
  await expect(admin('approve-submission', first)).rejects.toThrow('ID@VERSION')
  await expect(admin('approve-submission', `${first}@2`)).rejects.toThrow(`${first}@1`)
  expect((await admin('approve-submission', `${first}@1`)).err).toContain(
    'kettles/swift-command-kettle is now in the catalog',
  )
  expect((await admin('reject-submission', second)).code).toBe(2)
  await expect(admin('reject-submission', second, '  ')).rejects.toThrow('say why')
  expect((await admin('reject-submission', second, 'No.')).code).toBe(0)
  const left = (await admin('submissions')).out
  expect([left.includes(first), left.includes(second)]).toEqual([false, false])
})

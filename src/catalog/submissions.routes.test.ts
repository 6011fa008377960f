/** A producer's own view of what it proposed, by session and by link token; another's is not there. */
import { beforeAll, expect, test } from 'vitest'
import { createSubmissionsWorld, type SubmissionsWorld } from '../../test/e2e/tools.submissions.world.ts'
import { addMember, type Credential, call, type TestOrg } from '../../test/orgs.ts'
import { RELATIONSHIP_HOOKS } from '../org-hooks.ts'
import { approveSubmission, rejectSubmission } from './submissions-review.service.ts'

let world: SubmissionsWorld

beforeAll(async () => {
  world = await createSubmissionsWorld()
})

const PATH = '/api/org/submissions/'
const OPERATOR = { kind: 'operator', id: null } as const

async function newShop() {
  const { org, ...person } = await world.person({ producer: true })
  if (!org) throw new Error('a producer has an organization')
  return { ...person, org }
}

const list = (by: Credential, query = '') => call(world, by, 'GET', `${PATH}${query}`)
const withdraw = (by: Credential, submission_id: unknown) =>
  call(world, by, 'DELETE', PATH, { submission_id })
const statuses = async ({ bearer }: TestOrg) =>
  ((await list(bearer)).body.submissions as Array<{ status: string }>).map(({ status }) => status)

test('everything it proposed is listed, newest first, with what became of it', async () => {
  const shop = await newShop()
  const first = await world.propose({ title: 'First Kettle', specs: { Zone: 'b', Amp: 'a' } }, shop)
  world.clock.advance(60_000)
  const second = await world.propose({ title: 'Second Kettle', product_url: 'https://shop.example/2' }, shop)
  world.clock.advance(60_000)
  const review = { ...world.ctx, relationshipHooks: RELATIONSHIP_HOOKS }
  const { productSlug } = await approveSubmission(review, { by: OPERATOR, id: first, version: 1 })
  await rejectSubmission(world.ctx, { by: OPERATOR, id: second, note: 'A blurry picture.' })
  const answer = await list(shop.org.session)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer).toMatchObject({
    status: 200,
    body: {
      total: 2,
      submissions: [
        {
          submission_id: second,
          status: 'rejected',
          relationship_type: 'sells',
          product: { category: 'kettles', title: 'Second Kettle', brand: 'Swift' },
          product_url: 'https://shop.example/2',
          product_slug: null,
          review_note: 'A blurry picture.',
          reviewed_at: world.clock.now().toISOString(),
          updated_at: world.clock.now().toISOString(),
        },
        {
          submission_id: first,
          status: 'approved',
          product: { specs: { Zone: 'b', Amp: 'a' } },
          product_slug: productSlug,
          review_note: null,
        },
      ],
    },
  })
  const page = await list(shop.org.bearer, '?limit=1&offset=1')
  expect(page.body).toMatchObject({ total: 2, submissions: [{ submission_id: first }] })
  expect((await list(shop.org.bearer, '?limit=101')).body).toMatchObject({ field: 'limit', max: 100 })
})

test('what waits can be withdrawn once, is recorded, and can be proposed again', async () => {
  const shop = await newShop()
  const id = await world.propose({ title: 'Regretted Kettle', mpn: 'R-1' }, shop)
  world.clock.advance(60_000)
  expect(await withdraw(shop.org.bearer, id)).toMatchObject({
    status: 200,
    body: { submission_id: id, status: 'withdrawn' },
  })
  expect(await world.stored(id)).toMatchObject({
    status: 'withdrawn',
    reviewed_at: null,
    updated_at: world.clock.now(),
  })
  expect((await world.actions(shop)).at(-1)).toBe('submission.withdrawn')
  expect(await withdraw(shop.org.session, id)).toMatchObject({
    status: 409,
    body: { error: 'this submission is already withdrawn' },
  })
  const review = { ...world.ctx, relationshipHooks: RELATIONSHIP_HOOKS }
  await expect(approveSubmission(review, { by: OPERATOR, id, version: 1 })).rejects.toThrow(
    'already withdrawn',
  )
  expect(await world.propose({ title: 'Regretted Kettle', mpn: 'R-1' }, shop)).not.toBe(id)
  expect((await statuses(shop.org)).toSorted()).toEqual(['pending', 'withdrawn'])
})

test('a withdrawal and an approval at once: one of them happens', async () => {
  const shop = await newShop()
  const id = await world.propose({ title: 'Contested Kettle', mpn: 'C-1' }, shop)
  const review = { ...world.ctx, relationshipHooks: RELATIONSHIP_HOOKS }
  const [withdrawal, approval] = await Promise.allSettled([
    withdraw(shop.org.bearer, id),
    approveSubmission(review, { by: OPERATOR, id, version: 1 }),
  ])
  const won = withdrawal.status === 'fulfilled' && withdrawal.value.status === 200
  expect(won).toBe(approval.status === 'rejected')
  expect(await statuses(shop.org)).toEqual([won ? 'withdrawn' : 'approved'])
})

test('who only reads sees the list and withdraws nothing; what is nobody’s is 404', async () => {
  const shop = await newShop()
  const id = await world.propose({ title: 'Watched Kettle', mpn: 'W-1' }, shop)
  const by = await addMember(world, shop.org, 'viewer')
  expect((await list(by)).body).toMatchObject({ submissions: [{ submission_id: id }] })
  expect((await withdraw(by, id)).status).toBe(403)
  expect((await withdraw(shop.org.bearer, 'x')).body.code).toBe('not_found')
  expect((await withdraw(shop.org.bearer, undefined)).body.field).toBe('submission_id')
  expect((await list(null)).status).toBe(401)
  expect(await statuses(shop.org)).toEqual(['pending'])
})

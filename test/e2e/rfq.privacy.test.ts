/** What is kept of who asked: nothing that names a stranger, nothing for longer than it is needed, nothing for others. */
import { expect, test } from 'vitest'
import { deleteAccount } from '../../src/accounts/account.service.ts'
import { hashPassword } from '../../src/accounts/passwords.ts'
import { insertSession } from '../../src/accounts/sessions.queries.ts'
import { newId } from '../../src/lib/ids.ts'
import { streamRfq, waitForRfq } from '../../src/rfq/follow.ts'
import { listPushes } from '../../src/rfq/pushes.service.ts'
import { RfqRequest } from '../../src/rfq/rfq.schema.ts'
import { cancelRfq, getRfqTask, submitRfq } from '../../src/rfq/rfq.service.ts'
import { sweepRfqs } from '../../src/rfq/sweep.job.ts'
import { createPushWorld, HOOK } from './rfq.pushes.world.ts'
import { PRODUCT, STRANGER } from './rfq.world.ts'

const world = await createPushWorld()
const { rfq, clock } = world
const { db, pool } = world.database
const DAY_MS = 86_400_000

const rowOf = (id: string) => db.selectFrom('rfqs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
const send = (messageId: string, asker = STRANGER) =>
  submitRfq(rfq, asker, { request: RfqRequest.parse({ product_slug: PRODUCT }), messageId })

async function person() {
  const id = newId()
  const email = `${id}@people.example`
  const password_hash = await hashPassword('violet kettle', { memory: 64, passes: 1 })
  await db
    .insertInto('users')
    .values({ id, email, email_key: email, password_hash, email_verified_at: clock.now() })
    .execute()
  const [sessionId, now] = [newId(), clock.now()]
  const expiresAt = new Date(now.getTime() + DAY_MS)
  const session = {
    id: sessionId,
    tokenHash: sessionId,
    userId: id,
    ip: null,
    userAgent: null,
    now,
    expiresAt,
  }
  await insertSession(db, session)
  return {
    id,
    remove: () =>
      deleteAccount(world.accounts, {
        actor: {
          kind: 'session',
          user: { id, email, name: '', accountType: 'consumer', emailVerified: true, isAdmin: false },
          sessionId,
          selectedOrgId: null,
        },
        visit: STRANGER.visit,
        password: 'violet kettle',
      }),
  }
}

test('when an account is deleted its requests are there for nobody, and nobody is told of their end', async () => {
  const { id: userId, remove } = await person()
  const { rfqId, release } = await world.held({ ...STRANGER, userId })
  await world.push(rfqId, { url: `${HOOK}/deleted` }, '1.0', userId)
  const strangers = await world.submit()
  const following = (async () => {
    for await (const _ of streamRfq(rfq, { id: rfqId, userId }));
  })().catch((error: unknown) => error)
  await remove()
  expect(await rowOf(rfqId)).toMatchObject({ user_id: null, anonymous: false })
  for (const who of [null, userId, world.producers.acme?.org.ownerId ?? '']) {
    const whose = { id: rfqId, userId: who }
    for (const work of [
      () => getRfqTask(rfq, whose),
      () => cancelRfq(rfq, whose),
      () => waitForRfq(rfq, { ...whose, ms: 10 }),
      () => listPushes(rfq, { rfqId, userId: who }),
    ])
      await expect(work()).rejects.toMatchObject({ kind: 'not_found' })
  }
  expect(await following).toMatchObject({ kind: 'not_found' })
  release()
  await expect.poll(async () => (await rowOf(rfqId)).state, { timeout: 10_000 }).toBe('completed')
  expect(await world.settled(rfqId)).toMatchObject([{ state: 'done' }])
  expect(world.told('/deleted')).toEqual([])
  expect(await getRfqTask(rfq, { id: strangers.rfqId, userId: null })).toMatchObject({
    rfqId: strangers.rfqId,
  })
})

test('a stranger’s address is in no row of a request', async () => {
  const visit = { ...STRANGER.visit, ip: '203.0.113.99' }
  const { rfqId } = await send('private', { ...STRANGER, visit })
  expect(await rowOf(rfqId)).toMatchObject({
    anonymous: true,
    asker_key: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect(await world.dump()).not.toContain('203.0.113.99')
  // It still tells callers apart.
  expect((await send('private', { ...STRANGER, visit })).rfqId).toBe(rfqId)
  expect((await send('private')).rfqId).not.toBe(rfqId)
})

test('a message sent again within a day is the same, across midnight too; later it is a new one', async () => {
  clock.set('2026-11-03T23:59:59.500Z')
  const first = await send('again')
  clock.advance(1_000)
  expect((await send('again')).rfqId).toBe(first.rfqId)
  clock.advance(DAY_MS - 1_000)
  expect((await send('again')).rfqId).toBe(first.rfqId)
  clock.advance(1)
  const later = await Promise.all(Array.from({ length: 4 }, () => send('again')))
  expect(new Set(later.map(({ rfqId }) => rfqId)).size).toBe(1)
  expect(later[0]?.rfqId).not.toBe(first.rfqId)
  expect(await rowOf(first.rfqId)).toMatchObject({ message_id: null, asker_key: null })
})

test('push notifications go a week after the end, messages of strangers after a month; requests stay', async () => {
  const { id: userId } = await person()
  const mine = await send('mine', { ...STRANGER, userId })
  const theirs = await send('theirs')
  for (const { rfqId } of [mine, theirs]) await waitForRfq(rfq, { id: rfqId, userId, ms: 15_000 })
  await world.push(theirs.rfqId, { url: `${HOOK}/swept`, token: 'secret' })
  await world.settled(theirs.rfqId)
  const pushes = async () =>
    (await pool.query('select 1 from rfq_pushes where rfq_id = $1', [theirs.rfqId])).rowCount
  clock.advance(7 * DAY_MS - 60_000)
  await sweepRfqs(world.rfq)
  expect(await pushes()).toBe(1)
  clock.advance(120_000)
  await sweepRfqs(world.rfq)
  expect(await pushes()).toBe(0)
  expect(await rowOf(theirs.rfqId)).toMatchObject({ message_id: 'theirs' })
  const { rfqId: under } = await world.held()
  await world.push(under, { url: `${HOOK}/under` })
  clock.advance(23 * DAY_MS)
  await sweepRfqs(world.rfq)
  expect(await rowOf(theirs.rfqId)).toMatchObject({ message_id: null, asker_key: null, state: 'completed' })
  expect(await rowOf(mine.rfqId)).toMatchObject({ message_id: 'mine' })
  // One that has not ended keeps what it needs.
  expect((await pool.query('select 1 from rfq_pushes where rfq_id = $1', [under])).rowCount).toBe(1)
})

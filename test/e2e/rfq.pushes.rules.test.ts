/** What may be asked of push notifications, who may ask it, and what never leaks or gets lost. */
import { expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { loggedId } from '../../src/lib/secret-id.ts'
import { endRfq } from '../../src/rfq/end.ts'
import { createPush, deletePush, getPush, listPushes } from '../../src/rfq/pushes.service.ts'
import { cancelRfq, getRfqTask } from '../../src/rfq/rfq.service.ts'
import { serve } from '../loopback.ts'
import { addProduct } from '../products.ts'
import { createPushWorld, HOOK } from './rfq.pushes.world.ts'
import { STRANGER } from './rfq.world.ts'

const world = await createPushWorld()
const { rfq, told, names, dialled } = world
const { db, pool } = world.database
const ownerId = world.producers.acme?.org.ownerId ?? ''

test("somebody else's task is not there, whatever is asked of it", async () => {
  const { rfqId, release } = await world.held({ ...STRANGER, userId: ownerId })
  await world.push(rfqId, { id: 'mine', url: `${HOOK}/mine` }, '1.0', ownerId)
  for (const [id, userId] of [
    [rfqId, null],
    [rfqId, newId()],
    [newId(), ownerId],
    ['no uuid', ownerId],
  ] as const) {
    const whose = { rfqId: id, userId }
    for (const work of [
      () => createPush(rfq, { ...whose, push: { url: `${HOOK}/theirs` }, protocol: '1.0' }),
      () => createPush(rfq, { ...whose, push: { url: 'not even a URL' }, protocol: '1.0' }),
      () => getPush(rfq, { ...whose, id: 'mine' }),
      () => listPushes(rfq, whose),
      () => deletePush(rfq, { ...whose, id: 'mine' }),
    ])
      await expect(work()).rejects.toMatchObject({
        kind: 'not_found',
        message: 'there is no such request for quote',
      })
  }
  expect(await listPushes(rfq, { rfqId, userId: ownerId })).toEqual([
    { id: 'mine', url: `${HOOK}/mine`, scheme: null },
  ])
  await cancelRfq(rfq, { id: rfqId, userId: ownerId })
  release()
})

test('without an id, the push named like the task is meant, or else the only one', async () => {
  const { rfqId } = await world.ask()
  const get = (id?: string) => getPush(rfq, { rfqId, userId: null, id })
  await expect(get()).rejects.toMatchObject({ kind: 'not_found' })
  await world.push(rfqId, { id: 'a', url: `${HOOK}/a` })
  expect(await get()).toEqual({ id: 'a', url: `${HOOK}/a`, scheme: null })
  await world.push(rfqId, { id: 'b', url: `${HOOK}/b` })
  await expect(get()).rejects.toMatchObject({ kind: 'not_found' })
  expect((await world.push(rfqId, { url: `${HOOK}/own`, scheme: 'Basic' })).id).toBe(rfqId)
  expect(await get()).toEqual({ id: rfqId, url: `${HOOK}/own`, scheme: 'Basic' })
  expect((await get('b')).id).toBe('b')
  await expect(get('c')).rejects.toMatchObject({ kind: 'not_found' })
  const listed = await listPushes(rfq, { rfqId: rfqId.toUpperCase(), userId: null })
  expect(listed.map(({ id }) => id)).toEqual(['a', 'b', rfqId])
})

test('a task has at most ten, also when they come at once, and an eleventh may only replace one', async () => {
  const { rfqId, release } = await world.held()
  const add = (id: string) => world.push(rfqId, { id, url: `${HOOK}/ten` })
  const ids = Array.from({ length: 14 }, (_, index) => `number ${index}`)
  const results = await Promise.allSettled(ids.map(add))
  const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  expect(refused).toHaveLength(4)
  for (const error of refused) expect(error).toMatchObject({ kind: 'conflict', max: 10 })
  const [kept] = await listPushes(rfq, { rfqId, userId: null })
  await add(kept?.id ?? '')
  expect(await listPushes(rfq, { rfqId, userId: null })).toHaveLength(10)
  await cancelRfq(rfq, { id: rfqId, userId: null })
  release()
  await world.settled(rfqId)
  expect(told('/ten')).toHaveLength(10)
})

test.each([
  ['id', { id: 'x'.repeat(201) }],
  ['id', { id: 'a\u0000b' }],
  ['url', { url: '' }],
  ['url', { url: 'hook.example' }],
  ['url', { url: 'ftp://hook.example/' }],
  ['url', { url: 'https://user:password@hook.example/' }],
  ['url', { url: 'https://hook.example/\u0000' }],
  ['url', { url: `https://hook.example/${'x'.repeat(2_048)}` }],
  ['token', { token: 'planted\r\nX-Evil: 1' }],
  ['token', { token: `planted${'x'.repeat(2_048)}` }],
  ['token', { token: 'planted ünprintable' }],
  ['scheme', { scheme: 'Bearer x', credentials: 'planted' }],
  ['scheme', { scheme: 'Bearer:', credentials: 'planted' }],
  ['scheme', { credentials: 'planted' }],
  ['credentials', { scheme: 'Bearer', credentials: 'planted\nX-Evil: 1' }],
  ['credentials', { scheme: 'Bearer', credentials: `planted${'x'.repeat(2_048)}` }],
] as const)('a %s that cannot be used is refused by its name and not repeated: %j', async (field, change) => {
  const { rfqId } = await world.ask()
  const refused = await world.push(rfqId, { url: `${HOOK}/`, ...change }).catch((error: unknown) => error)
  expect(refused).toMatchObject({ kind: 'invalid', field })
  expect((refused as Error).message).not.toContain('planted')
  expect(await listPushes(rfq, { rfqId, userId: null })).toEqual([])
})

test('what is just within the limits is taken and sent as it is', async () => {
  const { rfqId } = await world.ask()
  const [token, credentials] = ['t'.repeat(2_048), `${'c'.repeat(1_024)} ~${'c'.repeat(1_022)}`]
  await world.push(rfqId, { url: `${HOOK}/long`, token, scheme: 'X-Own', credentials })
  await world.settled(rfqId)
  expect(told('/long')).toMatchObject([
    { headers: { 'x-a2a-notification-token': token, authorization: `X-Own ${credentials}` } },
  ])
})

test('a private address is refused before it is stored, however it is named, and nobody is called', async () => {
  names['inside.example'] = ['93.184.216.34', '10.0.0.7']
  const { rfqId } = await world.ask()
  const before = [...dialled]
  for (const host of ['inside.example', '127.0.0.1', '[::1]', '169.254.169.254', 'localhost', '0x7f000001'])
    await expect(world.push(rfqId, { url: `https://${host}/` })).rejects.toMatchObject({
      code: 'private_address',
      field: 'url',
    })
  await expect(world.push(rfqId, { url: 'https://nowhere.example/' })).rejects.toMatchObject({
    kind: 'unprocessable',
    field: 'url',
  })
  expect(await listPushes(rfq, { rfqId, userId: null })).toEqual([])
  expect(dialled).toEqual(before)
})

test('a name that was public when it was stored and is private when it is called is not called', async () => {
  const inside = await serve(
    (_request, response) => void response.end(),
    world.authority.certFor(['moves.example']),
  )
  names['moves.example'] = ['93.184.216.34']
  names['stays.example'] = ['93.184.216.34']
  const { rfqId, release } = await world.held()
  await world.push(rfqId, { id: 'private', url: 'https://moves.example/' })
  await world.push(rfqId, { id: 'inside', url: `https://moves.example:${inside.port}/` })
  await world.push(rfqId, { id: 'public', url: 'https://stays.example/' })
  names['moves.example'] = ['127.0.0.1']
  const before = dialled.length
  await cancelRfq(rfq, { id: rfqId, userId: null })
  release()
  const refusedTwice = async () => {
    const jobs = await world.jobsOf(rfqId)
    await world.makeDue(jobs.filter(({ attempts }) => attempts < 2))
    return jobs.filter(({ attempts, last_error }) => attempts >= 2 && last_error !== null).length
  }
  await expect.poll(refusedTwice, { timeout: 10_000, interval: 10 }).toBe(3)
  const called = dialled.slice(before)
  expect(called.length).toBeGreaterThan(0)
  expect(new Set(called)).toEqual(new Set(['93.184.216.34 443']))
  expect(inside.accepted()).toBe(0)
  for (const id of ['private', 'inside', 'public']) await deletePush(rfq, { rfqId, userId: null, id })
  await inside.close()
})

test('the token and the credentials are in no table, no log line and no answer', async () => {
  const secrets = { token: 'planted-token-4b1d', scheme: 'Bearer', credentials: 'planted-credentials-9e7f' }
  const { rfqId, release } = await world.held()
  world.answer('/secret-500', 500, 200)
  world.answer('/secret-410', 410)
  const seen: unknown[] = []
  for (const id of ['secret-200', 'secret-500', 'secret-410'])
    seen.push(await world.push(rfqId, { id, url: `${HOOK}/${id}`, ...secrets }))
  const whose = { rfqId, userId: null }
  seen.push(await listPushes(rfq, whose), await getPush(rfq, { ...whose, id: 'secret-200' }))
  await cancelRfq(rfq, { id: rfqId, userId: null })
  release()
  await world.settled(rfqId)
  expect(told('/secret-500')).toHaveLength(2)
  seen.push(await getRfqTask(rfq, { id: rfqId, userId: null }), await world.jobsOf(rfqId))
  const [dump, log] = [await world.dump(), world.logged.text()]
  const boxes = await db.selectFrom('rfq_pushes').selectAll().where('rfq_id', '=', rfqId).execute()
  for (const { secrets_box: box } of boxes) {
    expect(dump).toContain(box)
    expect(JSON.parse(rfq.pushSecrets.open(box ?? ''))).toEqual({
      token: secrets.token,
      credentials: secrets.credentials,
    })
  }
  expect(boxes).toHaveLength(3)
  expect(log).toContain(loggedId(rfqId))
  expect(log).not.toContain(rfqId)
  for (const text of [dump, log, JSON.stringify(seen)])
    for (const planted of [secrets.token, secrets.credentials]) expect(text.includes(planted)).toBe(false)
  // The address is the receiver's own business too.
  expect(log).not.toContain('secret-500')
})

test('a push asked for while the task is ending waits for the end, and is sent', async () => {
  const { rfqId, release } = await world.held()
  let asked: Promise<unknown> = Promise.resolve()
  await db.transaction().execute(async (tx) => {
    await endRfq(tx, { id: rfqId, state: 'canceled', at: world.clock.now() })
    asked = world.push(rfqId, { url: `${HOOK}/during` })
    await expect.poll(waitingForLocks, { timeout: 5_000 }).toBe(1)
  })
  await asked
  release()
  expect(await world.settled(rfqId)).toHaveLength(1)
  expect(told('/during')).toHaveLength(1)
})

test('a task that ends while a push is being stored waits for it, and the push is sent', async () => {
  const { rfqId, release } = await world.held()
  const blocker = await pool.connect()
  await blocker.query('begin')
  await blocker.query('lock table rfq_pushes in exclusive mode')
  const asked = world.push(rfqId, { url: `${HOOK}/meanwhile` })
  await expect.poll(waitingForLocks, { timeout: 5_000 }).toBe(1)
  const ended = cancelRfq(rfq, { id: rfqId, userId: null })
  await expect.poll(waitingForLocks, { timeout: 5_000 }).toBe(2)
  await blocker.query('commit')
  blocker.release()
  await Promise.all([asked, ended])
  release()
  expect(await world.settled(rfqId)).toHaveLength(1)
  expect(told('/meanwhile')).toHaveLength(1)
})

async function waitingForLocks(): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0]?.count ?? 0
}

test('however an end and a push race, the client is told exactly once', async () => {
  await addProduct(world, { category: 'desk-lamps', slug: 'unsold', title: 'Unsold' })
  const rfqIds = await Promise.all(
    Array.from({ length: 40 }, async (_, index) => {
      const byRunner = index % 2 === 0
      const { rfqId, release } = byRunner
        ? { ...(await world.submit({ product_slug: 'desk-lamps/unsold' })), release: () => {} }
        : await world.held()
      const later = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 20))
      await Promise.all([
        later().then(() => world.push(rfqId, { url: `${HOOK}/race-${rfqId}` })),
        later().then(() => byRunner || cancelRfq(rfq, { id: rfqId, userId: null })),
      ])
      release()
      return rfqId
    }),
  )
  for (const rfqId of rfqIds) {
    await world.finish(rfqId)
    expect(await world.settled(rfqId)).toHaveLength(1)
    expect(told(`/race-${rfqId}`)).toHaveLength(1)
  }
})

test('an end that cannot be told of does not happen, and nobody is told of an end that does not', async () => {
  const { rfqId, release } = await world.held()
  await world.push(rfqId, { url: `${HOOK}/undone` })
  const undone = db.transaction().execute(async (tx) => {
    expect(await endRfq(tx, { id: rfqId, state: 'canceled', at: world.clock.now() })).toBe(true)
    throw new Error('the node dies here')
  })
  await expect(undone).rejects.toThrow('the node dies here')
  await pool.query(`
    create function no_pushes() returns trigger language plpgsql as $$ begin raise 'no jobs today'; end $$;
    create trigger no_pushes before insert on jobs for each row when (new.kind = 'rfq.push') execute function no_pushes()`)
  await expect(cancelRfq(rfq, { id: rfqId, userId: null })).rejects.toThrow('no jobs today')
  await pool.query('drop trigger no_pushes on jobs; drop function no_pushes')
  expect(await getRfqTask(rfq, { id: rfqId, userId: null })).toMatchObject({ state: 'submitted' })
  expect(await world.jobsOf(rfqId)).toEqual([])
  expect(await cancelRfq(rfq, { id: rfqId, userId: null })).toBe(true)
  expect(await cancelRfq(rfq, { id: rfqId, userId: null })).toBe(false)
  release()
  expect(await world.settled(rfqId)).toHaveLength(1)
  expect(told('/undone')).toHaveLength(1)
})

test('every node hears of an end when it has happened, and only then', async () => {
  const id = newId()
  const { product } = world
  await db
    .insertInto('rfqs')
    .values({ id, context_id: newId(), product_id: product, quantity: 1, face: 'a2a', anonymous: true })
    .execute()
  const heard: string[] = []
  const node = await pool.connect()
  node.on('notification', ({ payload }) => payload === id && heard.push(payload))
  await node.query('listen rfqs')
  const end = { id, state: 'canceled', at: world.clock.now() } as const
  const undone = db.transaction().execute(async (tx) => Promise.reject(await endRfq(tx, end)))
  await expect(undone).rejects.toBe(true)
  for (const ended of [true, false]) expect(await cancelRfq(rfq, { id, userId: null })).toBe(ended)
  await expect.poll(() => heard.length, { timeout: 5_000 }).toBeGreaterThan(0)
  await node.query('unlisten rfqs')
  node.release()
  expect(heard).toEqual([id])
})

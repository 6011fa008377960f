/** A client that asked to be told when its task ends is told, once, with what proves that it is us. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { StreamResponse, TaskState } from '@a2a-js/sdk'
import { legacyPushNotificationToV1StreamResponse } from '@a2a-js/sdk/compat/v0_3'
import { afterAll, expect, test } from 'vitest'
import { loggedId } from '../../src/lib/secret-id.ts'
import { failRfq } from '../../src/rfq/end.ts'
import { deletePush, getPush, listPushes } from '../../src/rfq/pushes.service.ts'
import { cancelRfq, getRfqTask } from '../../src/rfq/rfq.service.ts'
import { serve } from '../loopback.ts'
import { createPushWorld, HOOK, type Told } from './rfq.pushes.world.ts'

const plain = await serve((_request, response) => void response.writeHead(200).end())
const closed = await serve(() => {})
await closed.close()
const world = await createPushWorld({
  allow: [`127.0.0.1:${plain.port}`, `late.example=127.0.0.1:${closed.port}`],
})
afterAll(() => plain.close())
const { rfq, told } = world

const PROOFS = { token: 'token-of-theirs', scheme: 'Bearer', credentials: 'credentials-of-theirs' }

const ENDS = {
  completed: {
    end: async (rfqId: string, release: () => void) => {
      release()
      await world.finish(rfqId)
    },
    state: TaskState.TASK_STATE_COMPLETED,
  },
  canceled: {
    end: (rfqId: string) => cancelRfq(rfq, { id: rfqId, userId: null }),
    state: TaskState.TASK_STATE_CANCELED,
  },
  failed: { end: (rfqId: string) => failRfq(rfq, rfqId), state: TaskState.TASK_STATE_FAILED },
}

function only(path: string): Told {
  const [one, ...more] = told(path)
  if (!one || more.length > 0) throw new Error(`${path} was told ${told(path).length} times`)
  return one
}

for (const end of ['completed', 'canceled', 'failed'] as const)
  for (const protocol of ['1.0', '0.3'] as const)
    test(`a client of ${protocol} is told once that its task was ${end}, in its own protocol and with its proofs`, async () => {
      const path = `/${end}-${protocol}`
      const { rfqId, release } = await world.held()
      await world.push(rfqId, { url: `${HOOK}${path}`, ...PROOFS }, protocol)
      expect(await world.jobsOf(rfqId)).toEqual([])
      await ENDS[end].end(rfqId, release)
      release()
      expect(await world.settled(rfqId)).toMatchObject([{ state: 'done', attempts: 1 }])
      const { headers, body } = only(path)
      expect(headers).toMatchObject({
        'content-type': protocol === '1.0' ? 'application/a2a+json' : 'application/json',
        'x-a2a-notification-token': PROOFS.token,
        authorization: `Bearer ${PROOFS.credentials}`,
        'user-agent': 'Souk/1.0',
      })
      const json = JSON.parse(body)
      if (protocol === '0.3')
        expect(json).toMatchObject({
          kind: 'task',
          id: rfqId,
          status: { state: end },
          contextId: expect.any(String),
        })
      else expect(json).toEqual({ task: expect.objectContaining({ id: rfqId }) })
      const read =
        protocol === '1.0' ? StreamResponse.fromJSON(json) : legacyPushNotificationToV1StreamResponse(json)
      if (read.payload?.$case !== 'task') throw new Error(`a ${read.payload?.$case} was sent`)
      const task = read.payload.value
      expect(task).toMatchObject({ id: rfqId, status: { state: ENDS[end].state } })
      const stored = await getRfqTask(rfq, { id: rfqId, userId: null })
      expect(task.contextId).toBe(stored.contextId)
      const data = task.artifacts
        .flatMap(({ parts }) => parts)
        .flatMap(({ content }) => (content?.$case === 'data' ? [content.value as { quotes: unknown[] }] : []))
      expect(stored.quotes).toHaveLength(end === 'completed' ? 1 : 0)
      expect(data.map(({ quotes }) => quotes)).toEqual(end === 'completed' ? [stored.quotes] : [])
    })

test('every receiver of a task is told, and none gets a proof that was not given for it', async () => {
  const { rfqId, release } = await world.held()
  await world.push(rfqId, { id: 'bare', url: `${HOOK}/bare` })
  await world.push(rfqId, { id: 'token', url: `${HOOK}/token`, token: 'abc' })
  await world.push(rfqId, {
    id: 'scheme',
    url: `${HOOK}/scheme`,
    scheme: 'Bearer',
    token: '',
    credentials: '',
  })
  await cancelRfq(rfq, { id: rfqId, userId: null })
  release()
  expect(await world.settled(rfqId)).toHaveLength(3)
  const proofs = ['/bare', '/token', '/scheme'].map((path) => {
    const { headers } = only(path)
    return [headers['x-a2a-notification-token'], headers.authorization]
  })
  expect(proofs).toEqual([
    [undefined, undefined],
    ['abc', undefined],
    [undefined, undefined],
  ])
})

test('a receiver that fails, is busy or down is tried again until it is told', async () => {
  world.answer('/fails', 500, 200)
  world.answer('/busy', 429, 200)
  world.answer('/moved', 302, 200)
  const { rfqId, release } = await world.held()
  for (const id of ['fails', 'busy', 'moved']) await world.push(rfqId, { id, url: `${HOOK}/${id}` })
  const down = await world.held()
  await world.push(down.rfqId, { url: 'https://late.example/down' })
  for (const id of [rfqId, down.rfqId]) await cancelRfq(rfq, { id, userId: null })
  release()
  down.release()

  await world.failedTries(down.rfqId, 1)
  let reached = 0
  const late = createServer(world.authority.certFor(['late.example']), (_request, response) => {
    reached += 1
    response.writeHead(200).end()
  })
  await new Promise<void>((resolve) => late.listen(closed.port, '127.0.0.1', resolve))
  afterAll(() => late.close())
  expect((late.address() as AddressInfo).port).toBe(closed.port)

  const done = { state: 'done', attempts: 2 }
  expect(await world.settled(rfqId)).toMatchObject([done, done, done])
  for (const path of ['/fails', '/busy', '/moved']) {
    const [first, second, ...more] = told(path)
    expect(more).toEqual([])
    expect(second?.body).toBe(first?.body)
  }
  const [job] = await world.settled(down.rfqId)
  expect(job).toMatchObject({ state: 'done' })
  expect(job?.attempts).toBeGreaterThan(1)
  expect(reached).toBe(1)
})

test.each([400, 401, 404, 410])(
  'a receiver that refuses with %i is left alone, and the log says who',
  async (status) => {
    const path = `/refuses-${status}-hidden-part`
    world.answer(path, status)
    const { rfqId, release } = await world.held()
    await world.push(rfqId, { url: `${HOOK}${path}`, ...PROOFS })
    await cancelRfq(rfq, { id: rfqId, userId: null })
    release()
    expect(await world.settled(rfqId)).toMatchObject([{ state: 'done', attempts: 1 }])
    only(path)
    const lines = world.logged
      .lines()
      .filter((line) => line.rfqId === loggedId(rfqId) && line.level === 'warn')
    expect(lines).toMatchObject([{ host: 'hook.example', status }])
    expect(world.logged.text()).not.toContain('hidden-part')
  },
)

test('a push of a task that has ended already is sent at once', async () => {
  const { rfqId } = await world.ask()
  await world.push(rfqId, { url: `${HOOK}/after` })
  expect(await world.settled(rfqId)).toMatchObject([{ state: 'done', attempts: 1 }])
  expect(JSON.parse(only('/after').body)).toMatchObject({ task: { id: rfqId } })
})

test('plain http goes only where the allow list says so', async () => {
  const { rfqId } = await world.ask()
  await expect(world.push(rfqId, { url: 'http://hook.example/' })).rejects.toMatchObject({
    kind: 'invalid',
    field: 'url',
  })
  await world.push(rfqId, { url: `http://127.0.0.1:${plain.port}/` })
  expect(await world.settled(rfqId)).toMatchObject([{ state: 'done', attempts: 1 }])
  expect(plain.accepted()).toBe(1)
})

test('one replaced before the end is not told, the one in its place is', async () => {
  const { rfqId, release } = await world.held()
  await world.push(rfqId, { url: `${HOOK}/first`, ...PROOFS })
  await world.push(rfqId, { url: `${HOOK}/second`, scheme: 'Basic', credentials: 'other' }, '0.3')
  expect(await listPushes(rfq, { rfqId, userId: null })).toEqual([
    { id: rfqId, url: `${HOOK}/second`, scheme: 'Basic' },
  ])
  await cancelRfq(rfq, { id: rfqId, userId: null })
  release()
  await world.settled(rfqId)
  expect(told('/first')).toEqual([])
  const { headers, body } = only('/second')
  expect(headers.authorization).toBe('Basic other')
  expect(headers['x-a2a-notification-token']).toBeUndefined()
  expect(JSON.parse(body)).toMatchObject({ kind: 'task' })
})

test('one replaced while it was being retried leaves its tries behind: the new one is told once, at its first try', async () => {
  world.answer('/broken', 500)
  const { rfqId } = await world.ask()
  await world.push(rfqId, { id: 'mine', url: `${HOOK}/broken` })
  await world.failedTries(rfqId, 2)
  await world.push(rfqId, { id: 'mine', url: `${HOOK}/fixed` })
  const [old, replaced, ...more] = await world.settled(rfqId)
  expect(more).toEqual([])
  expect(old).toMatchObject({ state: 'done', attempts: 3 })
  expect(replaced).toMatchObject({ state: 'done', attempts: 1 })
  expect(told('/broken')).toHaveLength(2)
  only('/fixed')
})

test('one deleted is not told, not even when it was about to be tried again', async () => {
  const { rfqId, release } = await world.held()
  await world.push(rfqId, { id: 'gone', url: `${HOOK}/gone` })
  await deletePush(rfq, { rfqId, userId: null, id: 'gone' })
  await deletePush(rfq, { rfqId, userId: null, id: 'never there' })
  world.answer('/going', 503)
  await world.push(rfqId, { id: 'going', url: `${HOOK}/going` })
  await cancelRfq(rfq, { id: rfqId, userId: null })
  release()
  await world.failedTries(rfqId, 1)
  const tries = told('/going').length
  await deletePush(rfq, { rfqId, userId: null, id: 'going' })
  expect(await world.settled(rfqId)).toMatchObject([{ state: 'done' }])
  expect(told('/going')).toHaveLength(tries)
  expect(told('/gone')).toEqual([])
  await expect(getPush(rfq, { rfqId, userId: null })).rejects.toMatchObject({ kind: 'not_found' })
})

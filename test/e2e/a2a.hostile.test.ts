/** Characters that no database keeps, messages that are none, contexts of any form, and faults that can be quoted. */
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, RFQ, VERSIONS, writeMessage } from './a2a.world.ts'
import { PRODUCT } from './rfq.world.ts'

const world = await createA2aWorld()
const { rpc, send, raw } = world
beforeEach(world.forgetHours)
const ada = await world.person()

const BROKEN = ['a\u0000b', 'a\ud800b', '\udfff']

describe.each(VERSIONS)('A2A %s', (version) => {
  test.each(['messageId', 'contextId', 'taskId'])('a broken %s is refused by its name', async (field) => {
    for (const value of BROKEN)
      for (const message of [
        { text: 'hi', [field]: value },
        { text: 'x', metadata: RFQ, [field]: value },
      ]) {
        const { status, error } = await send(version, message)
        expect([status, error?.code]).toEqual([200, -32602])
        expect(error?.message).toContain(`message.${field}`)
      }
  })

  test.each(BROKEN)('broken words are taken, stored and answered: %j', async (broken) => {
    const asked = await send(version, { text: `hi ${broken}` })
    expect(asked.task).toBeDefined()
    const id = asked.task?.id ?? ''
    const again = await send(version, { text: `please ${broken}`, taskId: id })
    expect(again.task).toMatchObject({ id })
    const { rows } = await world.database.pool.query('select said from a2a_questions where id = $1', [id])
    expect(rows[0].said).toMatch(/hi .*\ufffd/)
  })

  test.each(BROKEN)('broken parameters are a mistake or nothing, never a fault: %j', async (broken) => {
    const metadata: Array<Record<string, unknown>> = [
      { skill: 'product-recommendation', query: `lamp ${broken}`, category: broken },
      { skill: 'product-recommendation', query: `lamp ${broken}` },
      { skill: 'product-lookup', product_slug: broken },
      { skill: 'category-browse', category: broken },
      { skill: 'product-offers', product_slug: `${broken}/x` },
      { ...RFQ, product_slug: broken },
      { ...RFQ, delivery_region: broken },
      { ...RFQ, deadline_iso: broken },
      { skill: 'what-changed', products: [broken, PRODUCT] },
      { skill: 'product-lookup', product_slug: PRODUCT, [broken]: { [broken]: broken } },
    ]
    for (const one of metadata) {
      const { status, error } = await send(version, { text: broken, metadata: one })
      expect(status).toBe(200)
      if (error) expect(error.code).toBe(-32602)
    }
  })

  test.each(BROKEN)('broken ids of tasks and contexts are of nobody: %j', async (broken) => {
    for (const verb of ['get', 'cancel'] as const)
      expect((await rpc(version, verb, { id: broken })).error.code).toBe(-32001)
    const params = { contextId: broken, pageToken: '' }
    const list = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params }
    expect((await raw(list, { token: ada.token })).result).toMatchObject({ totalSize: 0 })
  })

  test('what is no message costs nothing; what is refused later does', async () => {
    const count = async () =>
      (await world.database.pool.query('select coalesce(sum(messages), 0)::int as sum from a2a_hours'))
        .rows[0].sum
    for (const message of [
      { text: '' },
      { text: 'hi', messageId: '' },
      { text: 'hi', messageId: 'a\u0000' },
      { text: 'hi', metadata: { skill: 'no-such-skill' } },
      { raw: 'AAAA' },
      { text: 'x'.repeat(4_001) },
    ])
      expect((await send(version, message)).error).toBeDefined()
    expect(await count()).toBe(0)
    expect((await send(version, { text: 'hi', taskId: newId() })).error?.code).toBe(-32001)
    expect((await send(version, { text: 'x', metadata: { ...RFQ, product_slug: 'none' } })).error?.code).toBe(
      -32602,
    )
    expect(await count()).toBe(2)
  })

  test('a context of the client’s own is kept as it is, whatever answers', async () => {
    const contextId = `chat № ${newId()}`
    const how = { token: ada.token }
    const quick = { text: 'x', metadata: { skill: 'product-lookup', product_slug: PRODUCT } }
    expect((await send(version, { ...quick, contextId }, how)).message?.contextId).toBe(contextId)
    const { task } = await send(version, { text: 'x', metadata: RFQ, contextId }, how)
    expect(task?.contextId).toBe(contextId)
    const asked = await send(version, { text: 'quote me 20', contextId }, how)
    expect(asked.task?.contextId).toBe(contextId)
    const became = await send(version, { text: PRODUCT, taskId: asked.task?.id, contextId }, how)
    expect(became.task).toMatchObject({ id: asked.task?.id, contextId })
    const list = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: { contextId } }
    expect((await raw(list, how)).result).toMatchObject({ totalSize: 2 })
  })

  test('an unclear message sent again within a day is the same task, later a new one', async () => {
    const message = { text: 'hi', messageId: newId() }
    const { task } = await send(version, message)
    world.clock.advance(86_400_000)
    expect((await send(version, message)).task?.id).toBe(task?.id)
    world.clock.advance(1)
    const later = await Promise.all(Array.from({ length: 3 }, () => send(version, message)))
    expect(new Set(later.map((one) => one.task?.id)).size).toBe(1)
    expect(later[0]?.task?.id).toBeDefined()
    expect(later[0]?.task?.id).not.toBe(task?.id)
    expect(await world.get(version, task?.id ?? '')).toMatchObject({ id: task?.id })
  })

  test('a fault can be quoted: its answer and its line in the log have the same id of the request', async () => {
    const fail = () => Promise.reject(new Error('planted'))
    for (const [app, how] of [
      [world.mounted({ findAccessToken: fail }), { token: 'x' }],
      [
        world.mounted({
          secrets: {
            ...world.a2a.secrets,
            throttleKey: () => {
              throw new Error('planted')
            },
          },
        }),
        {},
      ],
    ] as const) {
      const params = { message: writeMessage(version, { text: 'hi' }) }
      const answer = await rpc(version, 'send', params, { app, ...how })
      expect(answer).toMatchObject({ status: 500, error: { code: -32603 } })
      expect(answer.error.message).not.toContain('planted')
      const requestId = answer.headers.get('x-request-id')
      expect(requestId).toBeTruthy()
      const faults = world.logged
        .lines()
        .filter((line) => line.requestId === requestId && line.level === 'error')
      expect(faults).toHaveLength(1)
    }
  })
})

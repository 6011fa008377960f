/**
 * What a stranger could make of the A2A face at the cost of others: strangers behind one address whose messages are alike,
 * and requests whose envelope alone makes work. Nobody is called: the addresses to be told at are only resolved.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { waitForRfq } from '../../src/rfq/follow.ts'
import { getRfqTask, listRfqTasks } from '../../src/rfq/rfq.service.ts'
import { createA2aWorld, type How, METHODS, RFQ, type Task, VERSIONS, writeMessage } from './a2a.world.ts'
import { PRODUCT } from './rfq.world.ts'

let world: Awaited<ReturnType<typeof createA2aWorld>>
beforeAll(async () => {
  world = await createA2aWorld({ resolve: async () => ['93.184.216.34'] })
})

const HOOK = 'https://victim.example/hooks/secret-path'
const telling = (url: string): How & { configuration: Record<string, unknown> } => ({
  configuration: { returnImmediately: true, taskPushNotificationConfig: { url } },
})
const pushesOf = async ({ id }: Task) =>
  ((await world.rpc('1.0', 'listPushes', { taskId: id })).result.configs ?? []) as Array<{ url: string }>

describe('strangers behind one address who send the same words under the same message id', () => {
  async function taskOf(message: Parameters<typeof writeMessage>[1], how?: Parameters<typeof world.send>[2]) {
    const { task, error } = await world.send('1.0', message, how)
    if (!task) throw new Error(`no task: ${error?.message}`)
    return task
  }

  test.each([
    ['a request for quote', { text: 'x', metadata: RFQ }],
    ['a question', { text: 'something for my desk, please quote it' }],
  ])('of %s get no task of another that is told elsewhere or has another context', async (_what, words) => {
    const message = { ...words, messageId: `alike ${_what}` }
    const first = await taskOf(message, telling(HOOK))
    const others = [
      await taskOf(message),
      await taskOf(message, telling('https://other.example/hook')),
      await taskOf({ ...message, contextId: 'another' }, telling(HOOK)),
    ]
    expect(new Set([first, ...others].map(({ id }) => id)).size).toBe(4)
    expect((await taskOf(message, telling(HOOK))).id).toBe(first.id)
  })

  test('as the answer to a question each get the request that their own question becomes', async () => {
    const questions = [
      await taskOf({ text: 'something for my desk, please quote it' }),
      await taskOf({ text: 'something for my desk, please quote it' }),
    ]
    const answer = { text: PRODUCT, messageId: 'a-1' }
    const requests: Task[] = []
    for (const { id } of questions) requests.push(await taskOf({ ...answer, taskId: id }, telling(HOOK)))
    expect(requests.map(({ id }) => id)).toEqual(questions.map(({ id }) => id))
    for (const { id } of questions) expect((await taskOf({ ...answer, taskId: id })).id).toBe(id)
  })

  test('neither see nor replace where the other is told', async () => {
    const message = { text: 'x', metadata: RFQ, messageId: 'm-1' }
    const victims = await taskOf(message, telling(HOOK))
    const plain = await taskOf(message)
    await taskOf(message, telling('https://other.example/hook'))
    expect(await pushesOf(plain)).toEqual([])
    expect((await pushesOf(victims)).map(({ url }) => url)).toEqual([HOOK])
  })
})

test('somebody signed in gets their own task again, and may name another place to be told at', async () => {
  const { token } = await world.person()
  const message = { text: 'x', metadata: RFQ, messageId: 'm-1' }
  const first = await world.send('1.0', message, { ...telling(HOOK), token })
  const again = await world.send('1.0', message, { ...telling('https://moved.example/hook'), token })
  expect(again.task?.id).toBe(first.task?.id)
})

test('a page of tasks with their quotes takes as few statements for many as for one, and gives each its own', async () => {
  const { id: userId, token } = await world.person()
  const asked = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((quantity) =>
      world.send('1.0', { text: 'x', metadata: { ...RFQ, quantity } }, { token }),
    ),
  )
  for (const { task } of asked) await waitForRfq(world.rfq, { id: task?.id ?? '', userId, ms: 20_000 })
  const pageOf = async (limit: number) => {
    let statements = 0
    const db = world.database.db.withPlugin({
      transformQuery: ({ node }) => {
        statements += 1
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const tasks = await listRfqTasks({ ...world.rfq, db }, { userId, limit })
    return { tasks, statements }
  }
  const [one, many] = [await pageOf(1), await pageOf(6)]
  expect(many.statements).toBe(one.statements)
  expect(many.tasks).toHaveLength(6)
  for (const task of many.tasks) expect(task).toEqual(await getRfqTask(world.rfq, { id: task.rfqId, userId }))
  expect(many.tasks.every(({ quotes }) => quotes.length === 3)).toBe(true)
})

describe.each(VERSIONS)('in %s', (version) => {
  // Written as text: what writes JSON cannot go so deep either.
  const nested = (depth: number) => {
    const message = writeMessage(version, { text: 'x', metadata: { skill: 'product-lookup', extra: 'HERE' } })
    const request = { jsonrpc: '2.0', id: 7, method: METHODS[version].send, params: { message } }
    return JSON.stringify(request).replace('"HERE"', '['.repeat(depth) + ']'.repeat(depth))
  }

  test.each([
    [90, { code: -32602, status: 200 }],
    [200, { code: -32600, status: version === '0.3' ? 200 : 400 }],
    [10_000, { code: -32600, status: version === '0.3' ? 200 : 400 }],
    [60_000, { code: -32600, status: version === '0.3' ? 200 : 400 }],
  ])('what is nested %d levels deep is the caller’s mistake, not a fault', async (depth, expected) => {
    const { error, status } = await world.raw(nested(depth), { version })
    expect({ code: error.code, status }).toEqual(expected)
  })

  test('an id that every event of a stream would repeat is bounded', async () => {
    const request = { jsonrpc: '2.0', method: METHODS[version].get, params: { id: 'none' } }
    const [most, more] = ['i'.repeat(1_000), 'i'.repeat(1_001)]
    expect(await world.raw({ ...request, id: most })).toMatchObject({ id: most, error: { code: -32001 } })
    expect(await world.raw({ ...request, id: more })).toMatchObject({ id: null, error: { code: -32600 } })
  })
})

/** Plain words that are not clear: a question back, and what becomes of the task. */
import { beforeEach, describe, expect, test } from 'vitest'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, STATES, VERSIONS } from './a2a.world.ts'
import { PRODUCT } from './rfq.world.ts'

const world = await createA2aWorld()
const { send, rpc } = world
beforeEach(world.forgetHours)

describe.each(VERSIONS)('A2A %s', (version) => {
  const states = STATES[version]
  const asked = async (text: string, how = {}) => {
    const { task } = await send(version, { text }, how)
    if (!task) throw new Error('no question came back')
    expect(task.status.state).toBe(states.asked)
    expect(task.status.message?.parts[0]?.text).toBeTruthy()
    return task
  }

  test('an unclear message gets a question, which the task keeps', async () => {
    const task = await asked('hi')
    expect(await world.get(version, task.id)).toEqual(task)
  })

  test('answered with a quick wish, the same task is completed with one artifact', async () => {
    const { id, contextId } = await asked('hi')
    const { task } = await send(version, { text: `tell me about ${PRODUCT}`, taskId: id, contextId })
    expect(task).toMatchObject({ id, contextId, status: { state: states.completed } })
    expect(task?.artifacts).toHaveLength(1)
    const [text, data] = task?.artifacts?.[0]?.parts ?? []
    expect(text?.text).toContain('Lume One')
    expect(data?.data).toBeTypeOf('object')
    expect(await world.get(version, id)).toEqual(task)
  })

  test('what was said before counts: a quantity first, then the product, is one request for quote', async () => {
    const ada = await world.person()
    const how = { token: ada.token }
    const { id, contextId } = await asked('quote me 20', how)
    const { task } = await send(version, { text: PRODUCT, taskId: id }, how)
    expect(task).toMatchObject({ id, contextId, status: { state: states.submitted } })
    const rfq = await world.database.db.selectFrom('rfqs').selectAll().where('id', '=', id).executeTakeFirst()
    expect(rfq).toMatchObject({ quantity: 20, user_id: ada.id, face: 'a2a' })
    const questions = await world.database.db
      .selectFrom('a2a_questions')
      .selectAll()
      .where('id', '=', id)
      .execute()
    expect(questions).toEqual([])
  })

  test('an answer corrects what was said before, whatever stood there', async () => {
    for (const [first, answer, expected] of [
      [`quote me 2000000 pieces of ${PRODUCT}`, '500 pieces', { quantity: 500, delivery_region: null }],
      [`quote me 7 ${PRODUCT} to DE`, 'Germany', { quantity: 7, delivery_region: 'Germany' }],
      [`quote me 7 ${PRODUCT} to DE`, 'Skip the delivery place', { quantity: 7, delivery_region: null }],
      [`quote me 7 ${PRODUCT} by yesterday`, 'Skip the date', { quantity: 7, deadline_iso: null }],
      [`quote please. ${'We have wishes. '.repeat(150)}`, `20 pieces of ${PRODUCT}`, { quantity: 20 }],
    ] as const) {
      const { id } = await asked(first)
      const { task } = await send(version, { text: answer, taskId: id })
      expect(task, `${first} / ${answer}`).toMatchObject({ id, status: { state: states.submitted } })
      const rfq = await world.database.db
        .selectFrom('rfqs')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst()
      expect(rfq, `${first} / ${answer}`).toMatchObject(expected)
    }
  })

  test('what is kept with a question is not shown to anybody', async () => {
    const task = await asked('quote me 20')
    expect(JSON.stringify(task)).not.toContain('draft')
    const [, data] = task.status.message?.parts ?? []
    expect(Object.keys(data?.data ?? {})).toEqual(['options'])
  })

  test('still unclear is a new question in the same task', async () => {
    const { id } = await asked('quote me 20')
    const { task } = await send(version, { text: 'please', taskId: id })
    expect(task).toMatchObject({ id, status: { state: states.asked } })
  })

  test('the answer sent again gets the same again, whatever it led to', async () => {
    for (const [first, second] of [
      ['hi', `tell me about ${PRODUCT}`],
      ['quote me 20', PRODUCT],
      ['quote me 20', 'please'],
    ] as const) {
      const { id } = await asked(first)
      const message = { text: second, taskId: id, messageId: newId() }
      const [one, two] = [await send(version, message), await send(version, message)]
      expect(two.task?.id).toBe(id)
      expect(two.task?.status.message).toEqual(one.task?.status.message)
      expect(two.task?.artifacts).toEqual(one.task?.artifacts)
    }
  })

  test('two answers at once: one is taken and the other is told to look again', async () => {
    const { id } = await asked('quote me 20')
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send(version, { text: PRODUCT, taskId: id })),
    )
    const taken = answers.filter(({ task }) => task !== undefined)
    expect(taken).toHaveLength(1)
    for (const { error } of answers) if (error) expect(error.code).toBe(-32004)
    const { rows } = await world.database.pool.query(
      'select count(*)::int as count from rfqs where id = $1',
      [id],
    )
    expect(rows).toEqual([{ count: 1 }])
  })

  test('a question can be withdrawn, and takes no answer after that', async () => {
    const { id } = await asked('hi')
    const { result } = await rpc(version, 'cancel', { id })
    expect(result).toMatchObject({ id, status: { state: states.canceled } })
    expect((await send(version, { text: 'tents', taskId: id })).error?.code).toBe(-32004)
  })

  test('a context that is not the task’s is refused', async () => {
    const { id } = await asked('hi')
    const { error } = await send(version, { text: 'tents', taskId: id, contextId: newId() })
    expect(error).toMatchObject({ code: -32602 })
    expect(error?.message).toContain('contextId')
  })

  test('a product that is not there is asked about in plain words, and an error when it was named', async () => {
    await asked('quote me 3 desk-lamps/no-such-lamp')
    const named = { skill: 'request-for-quote', product_slug: 'desk-lamps/no-such-lamp' }
    expect((await send(version, { text: 'x', metadata: named })).error?.code).toBe(-32602)
  })

  test('a skill named in the answer is taken as it is', async () => {
    const { id } = await asked('hi')
    const { task } = await send(version, {
      data: { skill: 'product-lookup', product_slug: PRODUCT },
      taskId: id,
    })
    expect(task).toMatchObject({ id, status: { state: states.completed } })
  })

  test('a stranger’s task stays a stranger’s, no matter who answers', async () => {
    const ada = await world.person()
    const { id } = await asked('quote me 20')
    await send(version, { text: PRODUCT, taskId: id }, { token: ada.token })
    expect(await world.get(version, id)).toMatchObject({ id })
  })
})

/** Push notifications given with a message or set later: kept with what they belong to, or refused before anything is. */
import { beforeEach, describe, expect, test } from 'vitest'
import { createPushJob } from '../../src/agents/a2a/push.job.ts'
import { newId } from '../../src/lib/ids.ts'
import { createA2aWorld, RFQ, STATES, VERSIONS, type Version } from './a2a.world.ts'
import { PRODUCT } from './rfq.world.ts'

const world = await createA2aWorld({ jobs: (ctx) => [createPushJob(ctx)] })
const { rpc, send } = world
const { pool } = world.database
beforeEach(world.forgetHours)

const GOOD = 'https://acme.example/told'
const BAD = 'https://127.0.0.1/told'

const withPush = (version: Version, push: Record<string, unknown>, how = {}) => ({
  ...how,
  configuration: {
    [version === '0.3' ? 'pushNotificationConfig' : 'taskPushNotificationConfig']: push,
    ...(version === '1.0' && { returnImmediately: true }),
  },
})
const setPush = (version: Version, taskId: string, push: Record<string, unknown>, how = {}) =>
  rpc(
    version,
    'setPush',
    version === '0.3' ? { taskId, pushNotificationConfig: push } : { taskId, ...push },
    how,
  )
const pushesOf = async (id: string) =>
  (await pool.query('select id, url from rfq_pushes where rfq_id = $1 order by id', [id])).rows
const counts = async () =>
  (
    await pool.query(
      `select (select count(*)::int from rfqs) as rfqs, (select count(*)::int from a2a_questions) as questions`,
    )
  ).rows[0]
/** How often acme was sent this token. */
const toldWith = (token: string) =>
  world.producers.acme?.received.filter(({ headers }) => headers['x-a2a-notification-token'] === token).length

describe.each(VERSIONS)('A2A %s', (version) => {
  const states = STATES[version]
  const asked = async (how = {}) => {
    const { task } = await send(version, { text: 'quote me 20' }, how)
    expect(task?.status.state).toBe(states.asked)
    return task?.id ?? ''
  }

  test.each([
    ['plain words', { text: `quote me 2 ${PRODUCT}` }],
    ['a named skill', { text: 'x', metadata: RFQ }],
    ['words that are not clear', { text: 'hi' }],
  ])(
    'an address that is refused is an error that names it, and nothing was begun: %s',
    async (_what, said) => {
      const before = await counts()
      const { error } = await send(version, said, withPush(version, { url: BAD }))
      expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/^url: /) })
      expect(await counts()).toEqual(before)
    },
  )

  test('the same in an answer to a question: the question stands, and the answer can be sent again', async () => {
    const id = await asked()
    const answer = { text: PRODUCT, taskId: id, messageId: newId() }
    const refused = await send(version, answer, withPush(version, { url: BAD }))
    expect(refused.error).toMatchObject({ code: -32602, message: expect.stringMatching(/^url: /) })
    expect((await world.get(version, id)).status.state).toBe(states.asked)
    const { task } = await send(version, answer, withPush(version, { url: GOOD }))
    expect(task).toMatchObject({ id })
    expect(await pushesOf(id)).toEqual([{ id, url: GOOD }])
  })

  test('the same message with a better address makes the request', async () => {
    const message = { text: `quote me 2 ${PRODUCT}`, messageId: newId() }
    await send(version, message, withPush(version, { url: BAD }))
    const { task } = await send(version, message, withPush(version, { url: GOOD }))
    expect(await pushesOf(task?.id ?? '')).toEqual([{ id: task?.id, url: GOOD }])
  })

  test('a message sent again stores the notification that is missing, once', async () => {
    const message = { text: 'x', metadata: RFQ, messageId: newId() }
    const token = newId()
    const how = withPush(version, { url: GOOD, token })
    const { task } = await send(version, message, how)
    const id = task?.id ?? ''
    await expect.poll(() => toldWith(token), { timeout: 10_000, interval: 10 }).toBe(1)
    for (let n = 0; n < 3; n++) expect((await send(version, message, how)).task?.id).toBe(id)
    await pool.query('delete from rfq_pushes where rfq_id = $1', [id])
    expect((await send(version, message, how)).task?.id).toBe(id)
    expect(await pushesOf(id)).toEqual([{ id, url: GOOD }])
    await expect.poll(() => toldWith(token), { timeout: 10_000, interval: 10 }).toBe(2)

    const question = await asked()
    const answer = { text: PRODUCT, taskId: question, messageId: newId() }
    await send(version, answer)
    expect(await pushesOf(question)).toEqual([])
    await send(version, answer, how)
    expect(await pushesOf(question)).toEqual([{ id: question, url: GOOD }])
  })

  test('one given with words that were not clear is kept, sealed, for the request they become', async () => {
    const token = `secret-${newId()}`
    const id = await asked(withPush(version, { url: GOOD, token, id: 'mine' }))
    expect(await world.dump()).not.toContain(token)
    await send(version, { text: 'please', taskId: id })
    const { task } = await send(version, { text: PRODUCT, taskId: id })
    expect(task).toMatchObject({ id })
    expect(await pushesOf(id)).toEqual([{ id: 'mine', url: GOOD }])
    await expect.poll(() => toldWith(token), { timeout: 10_000, interval: 10 }).toBe(1)
  })

  test('of two given for one question the last counts', async () => {
    const id = await asked(withPush(version, { url: 'https://bolt.example/told' }))
    await send(version, { text: 'please', taskId: id }, withPush(version, { url: GOOD }))
    await send(version, { text: PRODUCT, taskId: id })
    expect(await pushesOf(id)).toEqual([{ id, url: GOOD }])
  })

  test('setting notifications is counted like messages', async () => {
    const ip = '203.0.113.40'
    const { id } = await world.submitted(version)
    const answers = await Promise.all(
      Array.from({ length: 64 }, () => setPush(version, id, { id: 'one', url: GOOD }, { ip })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(4)
    for (const { error } of refused) expect(error.code).toBe(-32029)
    expect((await send(version, { text: 'hi' }, { ip })).status).toBe(429)
  })

  test('a task that has ended sends ten notifications in all, whatever is set, deleted and set again', async () => {
    const { task } = await send(
      version,
      { text: 'x', metadata: RFQ },
      {
        configuration: version === '0.3' ? { blocking: true } : {},
      },
    )
    const id = task?.id ?? ''
    const token = newId()
    const answers = []
    for (let n = 0; n < 15; n++) {
      answers.push(await setPush(version, id, { id: `p${n % 2}`, url: GOOD, token }))
      // Sent before the next takes its place.
      await expect.poll(() => toldWith(token), { timeout: 10_000, interval: 10 }).toBe(Math.min(n + 1, 10))
      const named = version === '0.3' ? { id, pushNotificationConfigId: 'p0' } : { taskId: id, id: 'p0' }
      await rpc(version, 'deletePush', named)
    }
    expect(answers.map(({ error }) => error?.code)).toEqual([
      ...Array(10).fill(undefined),
      ...Array(5).fill(-32004),
    ])
    expect(toldWith(token)).toBe(10)
  })

  test('the name of a notification may be anything when it is deleted, also what no name can be', async () => {
    const { id } = await world.submitted(version)
    const name = 'a\u0000b'
    const named = version === '0.3' ? { id, pushNotificationConfigId: name } : { taskId: id, id: name }
    expect((await rpc(version, 'deletePush', named)).error).toBeUndefined()
    expect((await rpc(version, 'getPush', named)).error.code).toBe(-32001)
  })
})

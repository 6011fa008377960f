/** A receiver that takes its time is told a few at once, and nobody else waits for it. */
import { afterAll, expect, test } from 'vitest'
import { HOST_PLACES } from '../../src/agents/a2a/push.job.ts'
import { serve } from '../loopback.ts'
import { createTestCa } from '../tls.ts'
import { createPushWorld, HOOK } from './rfq.pushes.world.ts'

const authority = createTestCa()
let inside = 0
let most = 0
let taken = 0
let release = () => {}
const gate = new Promise<void>((resolve) => {
  release = resolve
})
const slow = await serve(
  async (_request, response) => {
    inside += 1
    taken += 1
    most = Math.max(most, inside)
    await gate
    inside -= 1
    response.writeHead(204).end()
  },
  authority.certFor(['slow.example']),
)
afterAll(() => slow.close())
const world = await createPushWorld({ allow: [`slow.example=127.0.0.1:${slow.port}`], authority })

test('with more notifications than places waiting for a slow receiver, others are told at once', async () => {
  const tasks: string[] = []
  for (let task = 0; task < 4; task++) {
    const { rfqId } = await world.ask()
    tasks.push(rfqId)
    for (let n = 0; n < 10; n++) await world.push(rfqId, { id: `slow ${n}`, url: 'https://slow.example/' })
  }
  await expect.poll(() => inside, { timeout: 10_000 }).toBe(HOST_PLACES)
  const { rfqId } = await world.ask()
  await world.push(rfqId, { url: `${HOOK}/quick` })
  expect(await world.settled(rfqId)).toMatchObject([{ state: 'done', attempts: 1 }])
  expect(taken).toBe(HOST_PLACES)
  release()
  // Waiting for a place was no attempt: each is told at its first.
  for (const id of tasks)
    for (const job of await world.settled(id)) expect(job).toMatchObject({ state: 'done', attempts: 1 })
  expect([taken, most]).toEqual([40, HOST_PLACES])
}, 60_000)

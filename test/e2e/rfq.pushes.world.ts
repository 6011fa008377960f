/**
 * A marketplace whose one producer thinks for as long as a test holds it, and a client's receiver of push notifications:
 * a real HTTPS server on loopback that writes down what it is told, a path of its own for each test.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { Socket } from 'node:net'
import { afterAll, expect } from 'vitest'
import { createPushJob } from '../../src/agents/a2a/push.job.ts'
import { openSocket } from '../../src/lib/outbound.connect.ts'
import { createPush, type NewPush } from '../../src/rfq/pushes.service.ts'
import type { Asker } from '../../src/rfq/rfq.service.ts'
import { serve } from '../loopback.ts'
import { createTestCa } from '../tls.ts'
import { answerWith, createRfqWorld, STRANGER } from './rfq.world.ts'

export type Told = { headers: IncomingHttpHeaders; body: string }

export const HOOK = 'https://hook.example'

export async function createPushWorld({ allow = [] as string[], authority = createTestCa() } = {}) {
  const told = new Map<string, Told[]>()
  const answers = new Map<string, number[]>()
  const hook = await serve(
    async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const path = request.url ?? ''
      const earlier = told.get(path) ?? []
      told.set(path, [...earlier, { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') }])
      const planned = answers.get(path) ?? [204]
      response.writeHead(planned[earlier.length] ?? planned.at(-1) ?? 204).end()
    },
    authority.certFor(['hook.example']),
  )
  afterAll(() => hook.close())

  const names: Record<string, string[]> = {}
  const dialled: string[] = []
  let gate = Promise.resolve()
  const world = await createRfqWorld(
    {
      acme: {
        respond: async (...args) => {
          await gate
          answerWith(() => world.clock.now())(...args)
        },
      },
    },
    {
      authority,
      allow: [`hook.example=127.0.0.1:${hook.port}`, ...allow],
      resolve: async (name) => {
        const addresses = names[name]
        if (!addresses) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        return addresses
      },
      // Whatever is not loopback is written down and goes nowhere.
      open: (address, port) => {
        dialled.push(`${address} ${port}`)
        return address.startsWith('127.')
          ? openSocket(address, port)
          : new Socket().destroy(new Error('rehearsal'))
      },
      jobs: (ctx) => [createPushJob(ctx)],
    },
  )

  /** A request that does not end before it is released, or ended otherwise. */
  async function held(asker: Asker = STRANGER): Promise<{ rfqId: string; release: () => void }> {
    const { promise, resolve } = Promise.withResolvers<void>()
    gate = promise
    const { rfqId } = await world.submit({}, asker)
    return { rfqId, release: resolve }
  }

  const jobsOf = (rfqId: string) =>
    world.database.db
      .selectFrom('jobs')
      .selectAll()
      .where('kind', '=', 'rfq.push')
      .orderBy('id')
      .execute()
      .then((jobs) => jobs.filter(({ payload }) => (payload as { rfqId?: string }).rfqId === rfqId))

  /** What waits for a later try, or for a place, need not wait for its time. */
  async function makeDue(jobs: Array<{ id: string; state: string }>): Promise<void> {
    const ids = jobs.flatMap(({ id, state }) => (state === 'waiting' ? [id] : []))
    if (ids.length > 0)
      await world.database.pool.query(
        `with due as (
           update jobs set run_at = now() where id = any($1) and state = 'waiting' and run_at > now() returning 1)
         select pg_notify('jobs', '') from due`,
        [ids],
      )
  }

  return {
    ...world,
    authority,
    makeDue,
    /** What each name resolves to; may be changed at any time. */
    names,
    dialled,
    /** The statuses that a path answers with, the last one for ever. */
    answer: (path: string, ...statuses: number[]) => void answers.set(path, statuses),
    told: (path: string) => told.get(path) ?? [],
    held,
    push: (rfqId: string, push: NewPush, protocol: '0.3' | '1.0' = '1.0', userId: string | null = null) =>
      createPush(world.rfq, { rfqId, userId, push, protocol }),
    jobsOf,
    /** When nothing is left to be sent for this request. */
    async settled(rfqId: string) {
      const isOver = async () => {
        const jobs = await jobsOf(rfqId)
        await makeDue(jobs)
        return jobs.every(({ state }) => state === 'done' || state === 'failed')
      }
      await expect.poll(isOver, { timeout: 20_000, interval: 10 }).toBe(true)
      return jobsOf(rfqId)
    },
    /** When so many tries have failed and none is under way. */
    async failedTries(rfqId: string, count: number) {
      const failed = async () => {
        const jobs = await jobsOf(rfqId)
        await makeDue(jobs.filter(({ attempts }) => attempts < count))
        return jobs.some((job) => job.attempts >= count && job.state === 'waiting' && job.last_error)
      }
      await expect.poll(failed, { timeout: 20_000, interval: 10 }).toBe(true)
    },
  }
}

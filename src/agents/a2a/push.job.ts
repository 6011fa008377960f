/**
 * Tells a client that its task has ended, in the protocol it spoke when it asked for that. A node may die after sending
 * and before writing that down, so a client may hear it twice but is never forgotten: a receiver that is down or busy is
 * tried again with a growing delay, one that refuses is left alone. A slow receiver gets few at once, so that the others
 * need not wait for it. Errors name the host and no more of the address, whose path is often a secret of the receiver.
 */
import { A2A_CONTENT_TYPE, StreamResponse, type Task } from '@a2a-js/sdk'
import { V03PushNotificationSerializer } from '@a2a-js/sdk/compat/v0_3/server'
import { z } from 'zod'
import { defineJob, type Job, type JobContext, JobPostponed } from '../../jobs/runner.ts'
import { loggedId } from '../../lib/secret-id.ts'
import { PUSH_JOB } from '../../rfq/end.ts'
import { type Delivery, findDelivery } from '../../rfq/pushes.service.ts'
import type { AgentsContext } from '../context.ts'
import { toA2aTask } from './tasks.ts'

const SEND_MS = 10_000
/** Nobody reads the answer; a receiver that says more than this is taken to have failed. */
const MAX_ANSWER_BYTES = 64 * 1024

/** At once on a node to one host. */
export const HOST_PLACES = 2
/** Until one that found its host busy looks again; spread, so that they do not all come back together. */
const BUSY_MS = { least: 500, most: 2_000 }

const Payload = z.object({ rfqId: z.string(), pushId: z.string(), made: z.number() })

export function createPushJob(ctx: AgentsContext): Job {
  const enter = createHostGate()
  return defineJob({
    ...PUSH_JOB,
    payload: Payload,
    run: (payload, context) => sendPush({ ...ctx, enter }, payload, context),
  })
}

type EnterHost = (host: string) => () => void

/** Gives a way to leave, or postpones the job when the host has no place. */
function createHostGate(): EnterHost {
  const inside = new Map<string, number>()
  return (host) => {
    const count = inside.get(host) ?? 0
    if (count >= HOST_PLACES) {
      const { least, most } = BUSY_MS
      throw new JobPostponed(`${host} is already being notified`, least + Math.random() * (most - least))
    }
    inside.set(host, count + 1)
    return () => {
      const left = (inside.get(host) ?? 1) - 1
      if (left > 0) inside.set(host, left)
      else inside.delete(host)
    }
  }
}

async function sendPush(
  ctx: AgentsContext & { enter: EnterHost },
  payload: z.output<typeof Payload>,
  { signal, log }: JobContext,
): Promise<void> {
  const delivery = await findDelivery(ctx, payload)
  if (!delivery) return
  const { body, contentType } = renderPush(delivery.protocol, toA2aTask(delivery.task))
  const { host, hostname } = new URL(delivery.url)
  const leave = ctx.enter(hostname)
  const { status } = await ctx.outbound
    .request({
      url: delivery.url,
      method: 'POST',
      headers: { 'Content-Type': contentType, 'User-Agent': 'Souk/1.0', ...proofs(delivery) },
      body,
      timeoutMs: SEND_MS,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    })
    .finally(leave)
  if (status >= 200 && status < 300) return
  if (!isRefusal(status)) throw new Error(`${host} answered a push notification with status ${status}`)
  log.warn(
    { rfqId: loggedId(payload.rfqId), host, status },
    'a push notification was rejected and will not be retried',
  )
}

export function renderPush(
  protocol: Delivery['protocol'],
  task: Task,
): { body: string; contentType: string } {
  const event: StreamResponse = { payload: { $case: 'task', value: task } }
  if (protocol === '0.3') return new V03PushNotificationSerializer().serialize(event, task)
  return { body: JSON.stringify(StreamResponse.toJSON(event)), contentType: A2A_CONTENT_TYPE }
}

function proofs({ token, authorization }: Delivery): Record<string, string> {
  return {
    ...(token !== null && { 'X-A2A-Notification-Token': token }),
    ...(authorization !== null && { Authorization: authorization }),
  }
}

const PASSING = new Set([408, 425, 429])

function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !PASSING.has(status)
}

/** A2A: messages for every skill in both versions of the protocol, and what can be done with the tasks they leave. */
import { BUYER_HOST } from '../agents.ts'
import type { Maker, Turn } from './attempt.ts'
import { callerFor } from './callers.ts'
import { fuzzed, type Good } from './making.ts'

/** Asks shops, and leaves a task: a few are enough. */
const ASKS_SHOPS = 'request-for-quote'
const ASKS_SHARE = 0.06
const PUSH = { url: `https://${BUYER_HOST}/told`, token: 'of-the-buyer' }

export function createA2aMaker(skills: readonly string[]): Maker {
  const others = skills.filter((skill) => skill !== ASKS_SHOPS)

  function make(turn: Turn): Good {
    const modern = turn.chance(0.55)
    const draw = turn.random()
    const skill = turn.chance(ASKS_SHARE) ? ASKS_SHOPS : turn.pick(others)
    const rpc =
      draw < 0.6
        ? {
            method: modern
              ? turn.pick(['SendMessage', 'SendMessage', 'SendStreamingMessage'])
              : turn.pick(['message/send', 'message/send', 'message/stream']),
            params: { message: message(turn, skill, modern), ...(turn.chance(0.2) && configuration(modern)) },
          }
        : aboutTasks(turn, modern)
    const streams = /stream|ubscribe/i.test(rpc.method)
    return {
      face: 'a2a',
      operation: `a2a ${rpc.method}`,
      method: 'POST',
      path: turn.pick(['/a2a/', '/a2a']),
      caller: callerFor(turn, '/a2a', ['nobody', 'agent']),
      headers: {
        ...(turn.chance(0.7) && { 'a2a-version': modern ? '1.0' : '0.3' }),
        ...(streams && { accept: 'text/event-stream' }),
      },
      json: { jsonrpc: '2.0', id: turn.pick([1, 'a', 0]), ...rpc },
    }
  }

  return { face: 'a2a', weight: 12, run: (turn) => turn.send(fuzzed(turn, make(turn))) }
}

function message(turn: Turn, skill: string, modern: boolean): Record<string, unknown> {
  const { category, slug, title } = turn.pick(turn.people.products)
  const params = {
    skill,
    query: title,
    category,
    slug,
    product_slug: `${category}/${slug}`,
    quantity: 1 + turn.below(20),
    delivery_region: 'CA-US',
    limit: 3,
    since: new Date(Date.now() - 86_400_000).toISOString(),
  }
  const text = { text: turn.pick([`I look for ${title}`, 'What changed?', `offers for ${title}`, 'hello']) }
  const parts = turn.chance(0.5)
    ? [{ ...text, ...(!modern && { kind: 'text' }) }]
    : [{ data: params, ...(!modern && { kind: 'data' }) }]
  return {
    messageId: turn.word(),
    role: modern ? 'ROLE_USER' : 'user',
    parts,
    ...(!modern && { kind: 'message' }),
    ...(turn.chance(0.6) && { metadata: params }),
    ...(turn.chance(0.15) && { taskId: turn.known.id(turn, 'id') }),
    ...(turn.chance(0.15) && { contextId: turn.known.id(turn, 'contextId') }),
  }
}

function configuration(modern: boolean): Record<string, unknown> {
  return {
    configuration: modern
      ? { returnImmediately: true, taskPushNotificationConfig: PUSH, historyLength: 3 }
      : { blocking: false, pushNotificationConfig: PUSH, historyLength: 3 },
  }
}

function aboutTasks(turn: Turn, modern: boolean): { method: string; params: Record<string, unknown> } {
  const id = turn.known.id(turn, 'id')
  const calls: Array<[string, string, Record<string, unknown>]> = [
    ['GetTask', 'tasks/get', { id, historyLength: 2 }],
    ['CancelTask', 'tasks/cancel', { id }],
    ['ListTasks', 'tasks/list', { pageSize: 5, pageToken: '' }],
    ['SubscribeToTask', 'tasks/resubscribe', { id }],
    [
      'CreateTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/set',
      modern ? { taskId: id, ...PUSH } : { taskId: id, pushNotificationConfig: PUSH },
    ],
    ['GetTaskPushNotificationConfig', 'tasks/pushNotificationConfig/get', { taskId: id, id }],
    ['ListTaskPushNotificationConfigs', 'tasks/pushNotificationConfig/list', { taskId: id, id }],
    [
      'DeleteTaskPushNotificationConfig',
      'tasks/pushNotificationConfig/delete',
      { taskId: id, id, pushNotificationConfigId: id },
    ],
    ['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard', {}],
    ['NoSuchMethod', 'no/such', {}],
  ]
  const [name, old, params] = turn.pick(calls)
  return { method: modern ? name : old, params }
}

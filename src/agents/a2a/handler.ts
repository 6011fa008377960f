/**
 * The A2A operations, as the protocol library's transports call them for either version of the protocol. Tasks live in
 * the database and are carried out by jobs, so every node answers for every task and a restart loses none; all that is
 * held here is how many streams are open. Whatever goes wrong leaves here as an error of the protocol.
 */
import type { AgentCard, Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk'
import {
  ExtendedAgentCardNotConfiguredError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors'
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { whoOf } from '../../accounts/window-limit.service.ts'
import { AppError } from '../../lib/errors.ts'
import { streamRfq, waitForRfq } from '../../rfq/follow.ts'
import { cancelRfq, getRfqTask, type RfqTask } from '../../rfq/rfq.service.ts'
import type { AgentsContext } from '../context.ts'
import { type A2aCaller, type Call, callOf, userIdOf } from './call.ts'
import { asTaskNotFound, toA2aError } from './errors.ts'
import { findTask } from './find-task.ts'
import { listTasks } from './list.ts'
import { createConfig, deleteConfig, getConfig, listConfigs } from './push-configs.ts'
import { cancelQuestion, questionTask } from './questions.service.ts'
import { takeMessage } from './send.ts'
import {
  arrivedQuoteEvent,
  artifactEvent,
  hasEnded,
  messageEvent,
  statusEvent,
  taskEvent,
  toA2aTask,
} from './tasks.ts'

/** What a request for quote may take beyond its own deadline until its quotes are ranked. */
const RANKING_MS = 2_000

export type Events = AsyncGenerator<StreamResponse, void, undefined>

export function createA2aHandler(ctx: AgentsContext, card: AgentCard): A2ARequestHandler {
  const places = createStreamPlaces()
  return {
    getAgentCard: async () => card,
    getAuthenticatedExtendedAgentCard: answered(async ({ protocol }) => {
      const words = 'there is only one card: /.well-known/agent-card.json'
      // In 1.0 this is for an agent that claims to have one.
      if (protocol === '0.3') throw new ExtendedAgentCardNotConfiguredError(words)
      throw new UnsupportedOperationError(words)
    }),
    sendMessage: answered((call, request) => sendMessage(ctx, call, request)),
    sendMessageStream: streamed((call, request) =>
      places.hold(call.caller, sendMessageStream(ctx, call, request)),
    ),
    getTask: answered((call, { id }) => getTask(ctx, call, id)),
    cancelTask: answered((call, { id }) => cancelTask(ctx, call, id)),
    resubscribe: streamed((call, { id }) => places.hold(call.caller, resubscribe(ctx, call, id))),
    listTasks: answered((call, request) => listTasks(ctx, call, request)),
    createTaskPushNotificationConfig: answered((call, config) => createConfig(ctx, call, config)),
    getTaskPushNotificationConfig: answered((call, request) => getConfig(ctx, call, request)),
    listTaskPushNotificationConfigs: answered((call, request) => listConfigs(ctx, call, request)),
    deleteTaskPushNotificationConfig: answered((call, request) => deleteConfig(ctx, call, request)),
  }
}

export function answered<Params, Result>(work: (call: Call, params: Params) => Promise<Result>) {
  return async (params: Params, context: ServerCallContext): Promise<Result> => {
    const call = callOf(context)
    call.reached = true
    try {
      return await work(call, params)
    } catch (error) {
      throw toA2aError(error, call)
    }
  }
}

export function streamed<Params>(work: (call: Call, params: Params) => Events) {
  return (params: Params, context: ServerCallContext): Events => {
    const call = callOf(context)
    call.reached = true
    return guarded(call, work(call, params))
  }
}

async function* guarded(call: Call, events: Events): Events {
  try {
    yield* events
  } catch (error) {
    throw toA2aError(error, call)
  }
}

/** Waits only for who asks for it: both versions' wishes arrive here as `returnImmediately` of a given configuration. */
async function sendMessage(
  ctx: AgentsContext,
  call: Call,
  request: SendMessageRequest,
): Promise<Message | Task> {
  const outcome = await takeMessage(ctx, call, request)
  if (outcome.kind === 'message') return outcome.message
  if (outcome.kind === 'task') return outcome.task
  const waits = request.configuration !== undefined && !request.configuration.returnImmediately
  return toA2aTask(waits ? await ended(ctx, call, outcome.rfq) : outcome.rfq)
}

function ended(ctx: AgentsContext, call: Call, { rfqId }: RfqTask): Promise<RfqTask> {
  const ms = ctx.rfqDeadlineMs + RANKING_MS
  return waitForRfq(ctx, { id: rfqId, userId: userIdOf(call), ms, signal: call.signal })
}

async function* sendMessageStream(ctx: AgentsContext, call: Call, request: SendMessageRequest): Events {
  const outcome = await takeMessage(ctx, call, request)
  if (outcome.kind === 'message') yield messageEvent(outcome.message)
  else if (outcome.kind === 'task') yield taskEvent(outcome.task)
  else yield* follow(ctx, call, outcome.rfq)
}

/** The task as it is, each quote as it arrives, the ranked whole, and the end. */
async function* follow(ctx: AgentsContext, call: Call, rfq: RfqTask): Events {
  const { signal } = call
  yield taskEvent(toA2aTask(rfq))
  if (rfq.state !== 'submitted') return
  for await (const event of streamRfq(ctx, { id: rfq.rfqId, userId: userIdOf(call), signal })) {
    if (event.kind === 'quote') {
      yield arrivedQuoteEvent(rfq, event.quote)
      continue
    }
    if (event.kind === 'progress') continue
    const task = toA2aTask(event.task)
    for (const artifact of task.artifacts) yield artifactEvent(task, artifact)
    yield statusEvent(task)
  }
}

async function* resubscribe(ctx: AgentsContext, call: Call, id: string): Events {
  const found = await findTask(ctx, call, id)
  const task = found.kind === 'rfq' ? toA2aTask(found.rfq) : questionTask(found.question)
  if (hasEnded(task))
    throw new UnsupportedOperationError('this task has ended: get it instead of subscribing')
  if (found.kind === 'rfq') yield* follow(ctx, call, found.rfq)
  else yield taskEvent(task)
}

async function getTask(ctx: AgentsContext, call: Call, id: string): Promise<Task> {
  const found = await findTask(ctx, call, id)
  return found.kind === 'rfq' ? toA2aTask(found.rfq) : questionTask(found.question)
}

async function cancelTask(ctx: AgentsContext, call: Call, id: string): Promise<Task> {
  const found = await findTask(ctx, call, id)
  if (found.kind === 'question') {
    const canceled = await cancelQuestion(ctx, found.question)
    if (canceled) return questionTask(canceled)
  } else {
    const whose = { id: found.rfq.rfqId, userId: userIdOf(call) }
    if (await asTaskNotFound(cancelRfq(ctx, whose))) return toA2aTask(await getRfqTask(ctx, whose))
  }
  throw new TaskNotCancelableError('this task has ended')
}

/**
 * How many streams one caller may hold open on a node. A stream costs a connection and memory for as long as its client
 * likes; a client that wants to follow many tasks asks to be notified instead.
 */
export const OPEN_STREAMS = 20
/** About what a request for quote takes; by then a stream has ended by itself. */
const RETRY_SECONDS = 30

type StreamPlaces = {
  /** The same events; before the first of them it throws `rate_limited` when the caller has no place left. */
  hold<Event>(caller: A2aCaller, events: AsyncGenerator<Event, void>): AsyncGenerator<Event, void>
}

function createStreamPlaces(): StreamPlaces {
  const open = new Map<string, number>()

  function add(who: string, change: 1 | -1): void {
    const count = (open.get(who) ?? 0) + change
    if (count > 0) open.set(who, count)
    else open.delete(who)
  }

  return {
    async *hold(caller, events) {
      const who = whoOf(caller)
      if ((open.get(who) ?? 0) >= OPEN_STREAMS)
        throw new AppError(
          'rate_limited',
          `${OPEN_STREAMS} streams are already open; close one first, or use push notifications`,
          { code: 'rate_limited', max: OPEN_STREAMS, retryAfterSeconds: RETRY_SECONDS },
        )
      add(who, 1)
      try {
        yield* events
      } finally {
        add(who, -1)
      }
    },
  }
}

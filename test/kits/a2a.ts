/**
 * Lets the protocol's official test kit drive the real wire. Behind `SOUK_TEST_FIXTURES` only: messages whose ids carry
 * the kit's prefixes are answered by its scripts, with tasks kept in memory; everything else goes to the real handler.
 * The kit sends the same message id many times and means a new task each time, so nothing is de-duplicated here. Each
 * change of a task is told to whom asked for it, on this machine only: the kit listens beside the service it tests.
 */
import type {
  ListTasksRequest,
  Message,
  SendMessageRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
import { TaskState } from '@a2a-js/sdk'
import { A2AError, TaskNotCancelableError, UnsupportedOperationError } from '@a2a-js/sdk/errors'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import { type Call, callOf } from '../../src/agents/a2a/call.ts'
import { invalidParams, taskNotFound } from '../../src/agents/a2a/errors.ts'
import { answered, type Events, streamed } from '../../src/agents/a2a/handler.ts'
import { lastChangedFirst, readRequest, toPage } from '../../src/agents/a2a/list.ts'
import { readMessage } from '../../src/agents/a2a/message.ts'
import { renderPush } from '../../src/agents/a2a/push.job.ts'
import {
  agentMessage,
  hasEnded,
  messageEvent,
  statusEvent,
  taskEvent,
  textPart,
} from '../../src/agents/a2a/tasks.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { newId } from '../../src/lib/ids.ts'
import { isLoopback } from '../../src/lib/loopback.ts'
import { DIRECT, isKitMessage, REJECTED, type Step, scriptOf } from './a2a.scripts.ts'

type KitPush = { config: TaskPushNotificationConfig; protocol: Call['protocol'] }
type KitTask = {
  task: Task
  events: Array<ReturnType<typeof statusEvent>>
  changed: PromiseWithResolvers<void>
  pushes: Map<string, KitPush>
  /** What was told so far; the next is told after it. */
  told: Promise<void>
}

const TELL_MS = 5_000

const MAX_TASKS = 1_000

export function withTestKit(real: A2ARequestHandler, { clock }: { clock: Clock }): A2ARequestHandler {
  const tasks = new Map<string, KitTask>()

  const isOurs = ({ message }: SendMessageRequest) =>
    message !== undefined &&
    (tasks.has(message.taskId) || (message.taskId === '' && isKitMessage(message.messageId)))

  /** The task with its script running and where its events begin, or a message that needs none. */
  function begin(request: SendMessageRequest, { protocol }: Call): { kit: KitTask; from: number } | Message {
    const { message } = readMessage(request)
    const { messageId, taskId } = message
    if (messageId.startsWith(REJECTED.prefix)) throw new A2AError(REJECTED.text)
    if (messageId.startsWith(DIRECT.prefix))
      return agentMessage({ contextId: message.contextId || newId(), parts: [textPart(DIRECT.text)] })
    const kit = tasks.get(taskId) ?? open(message)
    if (hasEnded(kit.task)) throw new UnsupportedOperationError('this task has ended')
    if (message.contextId !== '' && message.contextId !== kit.task.contextId)
      throw invalidParams('message.contextId does not match the task', 'message.contextId')
    kit.task.history.push({ ...message, taskId: kit.task.id, contextId: kit.task.contextId })
    const push = request.configuration?.taskPushNotificationConfig
    if (push) savePush(kit, push, protocol)
    const from = kit.events.length
    run(kit, scriptOf(messageId)).catch(() => {})
    return { kit, from }
  }

  function open(message: Message): KitTask {
    const task: Task = {
      id: newId(),
      contextId: message.contextId || newId(),
      status: statusOf(TaskState.TASK_STATE_SUBMITTED),
      artifacts: [],
      history: [],
      metadata: undefined,
    }
    const kit: KitTask = {
      task,
      events: [],
      changed: Promise.withResolvers<void>(),
      pushes: new Map(),
      told: Promise.resolve(),
    }
    tasks.set(task.id, kit)
    const [oldest] = tasks.keys()
    if (tasks.size > MAX_TASKS && oldest !== undefined) tasks.delete(oldest)
    return kit
  }

  function statusOf(state: TaskState, message?: Message) {
    return { state, message, timestamp: clock.now().toISOString() }
  }

  async function run(kit: KitTask, steps: Step[]): Promise<void> {
    // Its sender sees the task before its first step.
    await Promise.resolve()
    for (const step of steps) {
      if (step.kind === 'pause') await new Promise((resolve) => setTimeout(resolve, step.ms))
      if (hasEnded(kit.task)) return
      if (step.kind === 'status') setStatus(kit, step.state, step.text)
      if (step.kind === 'artifact') addArtifact(kit, step)
    }
  }

  function setStatus(kit: KitTask, state: TaskState, text?: string): void {
    const { id: taskId, contextId, history } = kit.task
    const message =
      text === undefined ? undefined : agentMessage({ contextId, taskId, parts: [textPart(text)] })
    kit.task = {
      ...kit.task,
      status: statusOf(state, message),
      history: message ? [...history, message] : history,
    }
    tell(kit, statusEvent(kit.task))
  }

  return {
    ...real,
    sendMessage: (request, context) =>
      isOurs(request)
        ? answered(async (call) => {
            const begun = begin(request, call)
            if ('messageId' in begun) return begun
            const waits = request.configuration?.returnImmediately !== true
            if (waits) for await (const _ of follow(begun.kit, begun.from, call));
            return withHistory(begun.kit.task, request.configuration?.historyLength)
          })(request, context)
        : real.sendMessage(request, context),
    sendMessageStream: (request, context) =>
      isOurs(request)
        ? streamed(async function* (call): Events {
            const begun = begin(request, call)
            if ('messageId' in begun) return yield messageEvent(begun)
            yield taskEvent(structuredClone(begun.kit.task))
            yield* follow(begun.kit, begun.from, call)
          })(request, context)
        : real.sendMessageStream(request, context),
    async getTask(request, context) {
      const kit = tasks.get(request.id)
      return kit ? withHistory(kit.task, request.historyLength) : real.getTask(request, context)
    },
    async cancelTask(request, context) {
      const kit = tasks.get(request.id)
      if (!kit) return real.cancelTask(request, context)
      if (hasEnded(kit.task)) throw new TaskNotCancelableError('this task has ended')
      setStatus(kit, TaskState.TASK_STATE_CANCELED)
      return kit.task
    },
    resubscribe(request, context) {
      const kit = tasks.get(request.id)
      if (!kit) return real.resubscribe(request, context)
      return streamed(async function* (call): Events {
        if (hasEnded(kit.task)) throw new UnsupportedOperationError('this task has ended')
        const from = kit.events.length
        yield taskEvent(structuredClone(kit.task))
        yield* follow(kit, from, call)
      })(request, context)
    },
    listTasks: (request, context) =>
      callOf(context).caller.user
        ? real.listTasks(request, context)
        : answered(async () => list([...tasks.values()], request))(request, context),
    async createTaskPushNotificationConfig(config, context) {
      const kit = tasks.get(config.taskId)
      if (!kit) return real.createTaskPushNotificationConfig(config, context)
      return savePush(kit, config, callOf(context).protocol)
    },
    async getTaskPushNotificationConfig(request, context) {
      const kit = tasks.get(request.taskId)
      if (!kit) return real.getTaskPushNotificationConfig(request, context)
      callOf(context).reached = true
      const found = kit.pushes.get(request.id || kit.task.id)
      if (!found) throw taskNotFound('there is no such push notification')
      return found.config
    },
    async listTaskPushNotificationConfigs(request, context) {
      const kit = tasks.get(request.taskId)
      return kit
        ? { configs: [...kit.pushes.values()].map(({ config }) => config), nextPageToken: '' }
        : real.listTaskPushNotificationConfigs(request, context)
    },
    async deleteTaskPushNotificationConfig(request, context) {
      const kit = tasks.get(request.taskId)
      if (!kit) return real.deleteTaskPushNotificationConfig(request, context)
      kit.pushes.delete(request.id)
    },
  }
}

function addArtifact(
  kit: KitTask,
  { artifact, append, lastChunk }: Extract<Step, { kind: 'artifact' }>,
): void {
  const { id: taskId, contextId, artifacts } = kit.task
  const before = artifacts.find(({ artifactId }) => artifactId === artifact.artifactId)
  const whole = append && before ? { ...before, parts: [...before.parts, ...artifact.parts] } : artifact
  kit.task = { ...kit.task, artifacts: [...artifacts.filter((other) => other !== before), whole] }
  tell(kit, {
    payload: {
      $case: 'artifactUpdate',
      value: { taskId, contextId, artifact, append, lastChunk, metadata: undefined },
    },
  })
}

function tell(kit: KitTask, event: KitTask['events'][number]): void {
  kit.events.push(event)
  kit.changed.resolve()
  kit.changed = Promise.withResolvers()
  const task = structuredClone(kit.task)
  for (const push of kit.pushes.values()) kit.told = kit.told.then(() => deliver(push, task)).catch(() => {})
}

async function deliver({ config, protocol }: KitPush, task: Task): Promise<void> {
  const { url, token, authentication } = config
  if (!isLoopback(new URL(url).hostname)) return
  const { body, contentType } = renderPush(protocol, task)
  await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': contentType,
      ...(token !== '' && { 'X-A2A-Notification-Token': token }),
      ...(authentication && { Authorization: `${authentication.scheme} ${authentication.credentials}` }),
    },
    body,
    redirect: 'manual',
    signal: AbortSignal.timeout(TELL_MS),
  })
}

/** Until the task rests, or nobody listens any more: a task that stays open would be followed for ever. */
async function* follow(kit: KitTask, from: number, { signal }: Call): Events {
  const left = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  for (let next = from; !signal.aborted; ) {
    for (let event = kit.events[next]; event; event = kit.events[++next]) yield event
    if (next > from && rests(kit.task)) return
    await Promise.race([kit.changed.promise, left])
  }
}

function rests(task: Task): boolean {
  const state = task.status?.state
  return (
    hasEnded(task) ||
    state === TaskState.TASK_STATE_INPUT_REQUIRED ||
    state === TaskState.TASK_STATE_AUTH_REQUIRED
  )
}

function withHistory(task: Task, length: number | undefined): Task {
  if (length === undefined) return task
  return { ...task, history: length > 0 ? task.history.slice(-length) : [] }
}

function savePush(
  kit: KitTask,
  config: TaskPushNotificationConfig,
  protocol: Call['protocol'],
): TaskPushNotificationConfig {
  const saved = { ...config, taskId: kit.task.id, id: config.id || kit.task.id }
  kit.pushes.set(saved.id, { config: saved, protocol })
  return saved
}

function list(kits: KitTask[], request: ListTasksRequest) {
  const { pageSize, before, status, changedSince } = readRequest(request)
  const found = kits
    .map(({ task }) => ({ changedAt: new Date(task.status?.timestamp ?? 0), id: task.id, task }))
    .filter(({ task }) => request.contextId === '' || task.contextId === request.contextId)
    .filter(({ task }) => status === null || task.status?.state === status)
    .filter(({ changedAt }) => changedSince === null || changedAt >= changedSince)
  const rest = before === null ? found : found.filter((one) => lastChangedFirst(before, one) < 0)
  const { includeArtifacts, historyLength } = request
  const page = toPage(rest, { pageSize, totalSize: found.length, includeArtifacts })
  return { ...page, tasks: page.tasks.map((task) => withHistory(task, historyLength)) }
}

/**
 * Lets the protocol's official test kit drive the real wire. Behind `SOUK_TEST_FIXTURES` only: messages whose ids carry
 * the kit's prefixes are answered by its scripts, with tasks kept in memory; everything else goes to the real handler.
 * The kit sends the same message id many times and means a new task each time, so nothing is de-duplicated here.
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
import { callOf } from '../../src/agents/a2a/call.ts'
import { invalidParams, taskNotFound } from '../../src/agents/a2a/errors.ts'
import { answered, type Events, streamed } from '../../src/agents/a2a/handler.ts'
import { lastChangedFirst, readRequest, toPage } from '../../src/agents/a2a/list.ts'
import { readMessage } from '../../src/agents/a2a/message.ts'
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
import { DIRECT, isKitMessage, REJECTED, type Step, scriptOf } from './a2a.scripts.ts'

type KitTask = {
  task: Task
  events: Array<ReturnType<typeof statusEvent>>
  changed: PromiseWithResolvers<void>
  pushes: Map<string, TaskPushNotificationConfig>
}

const MAX_TASKS = 1_000

export function withTestKit(real: A2ARequestHandler, { clock }: { clock: Clock }): A2ARequestHandler {
  const tasks = new Map<string, KitTask>()

  const isOurs = ({ message }: SendMessageRequest) =>
    message !== undefined &&
    (tasks.has(message.taskId) || (message.taskId === '' && isKitMessage(message.messageId)))

  /** The task with its script running, or a message that needs none. */
  function begin(request: SendMessageRequest): KitTask | Message {
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
    if (push) savePush(kit, push)
    run(kit, scriptOf(messageId)).catch(() => {})
    return kit
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
    const kit = { task, events: [], changed: Promise.withResolvers<void>(), pushes: new Map() }
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
        ? answered(async () => {
            const begun = begin(request)
            if ('messageId' in begun) return begun
            const waits = request.configuration?.returnImmediately !== true
            if (waits) for await (const _ of follow(begun, 0));
            return withHistory(begun.task, request.configuration?.historyLength)
          })(request, context)
        : real.sendMessage(request, context),
    sendMessageStream: (request, context) =>
      isOurs(request)
        ? streamed(async function* (): Events {
            const begun = begin(request)
            if ('messageId' in begun) return yield messageEvent(begun)
            const from = begun.events.length
            yield taskEvent(structuredClone(begun.task))
            yield* follow(begun, from)
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
      return streamed(async function* (): Events {
        if (hasEnded(kit.task)) throw new UnsupportedOperationError('this task has ended')
        const from = kit.events.length
        yield taskEvent(structuredClone(kit.task))
        yield* follow(kit, from)
      })(request, context)
    },
    listTasks: (request, context) =>
      callOf(context).caller.user
        ? real.listTasks(request, context)
        : answered(async () => list([...tasks.values()], request))(request, context),
    async createTaskPushNotificationConfig(config, context) {
      const kit = tasks.get(config.taskId)
      return kit ? savePush(kit, config) : real.createTaskPushNotificationConfig(config, context)
    },
    async getTaskPushNotificationConfig(request, context) {
      const kit = tasks.get(request.taskId)
      if (!kit) return real.getTaskPushNotificationConfig(request, context)
      callOf(context).reached = true
      const found = kit.pushes.get(request.id || kit.task.id)
      if (!found) throw taskNotFound('there is no such push notification')
      return found
    },
    async listTaskPushNotificationConfigs(request, context) {
      const kit = tasks.get(request.taskId)
      return kit
        ? { configs: [...kit.pushes.values()], nextPageToken: '' }
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
}

/** Until the task rests. A script takes seconds, so nobody who left is waited for longer than that. */
async function* follow(kit: KitTask, from: number): Events {
  for (let next = from; ; ) {
    for (let event = kit.events[next]; event; event = kit.events[++next]) yield event
    if (next > from && rests(kit.task)) return
    await kit.changed.promise
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

function savePush(kit: KitTask, config: TaskPushNotificationConfig): TaskPushNotificationConfig {
  const saved = { ...config, taskId: kit.task.id, id: config.id || kit.task.id }
  kit.pushes.set(saved.id, saved)
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

/** Push notifications of a task, between the protocol's words and ours. Tokens and credentials are never given back. */
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  SendMessageRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
import { countMessage } from '../../rfq/hourly-limit.service.ts'
import {
  type CheckedPush,
  checkPush,
  createPush,
  deletePush,
  ensurePush,
  getPush,
  listPushes,
  type NewPush,
  type Push,
} from '../../rfq/pushes.service.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import type { AgentsContext } from '../context.ts'
import { type Call, userIdOf } from './call.ts'
import { asTaskNotFound, invalidParams, notPushable } from './errors.ts'
import { findTask } from './find-task.ts'
import { keepPushOfQuestion } from './questions.service.ts'

export async function createConfig(
  ctx: AgentsContext,
  call: Call,
  config: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  const whose = await whoseRfq(ctx, call, config.taskId)
  await countMessage(ctx, call.caller)
  const push = await asTaskNotFound(
    createPush(ctx, { ...whose, push: toNewPush(config), protocol: call.protocol }),
  )
  return toConfig(whose.rfqId, push)
}

export async function getConfig(
  ctx: AgentsContext,
  call: Call,
  { taskId, id }: GetTaskPushNotificationConfigRequest,
): Promise<TaskPushNotificationConfig> {
  const whose = await whoseRfq(ctx, call, taskId)
  return toConfig(whose.rfqId, await asTaskNotFound(getPush(ctx, { ...whose, ...(id !== '' && { id }) })))
}

export async function listConfigs(
  ctx: AgentsContext,
  call: Call,
  { taskId }: ListTaskPushNotificationConfigsRequest,
): Promise<ListTaskPushNotificationConfigsResponse> {
  const whose = await whoseRfq(ctx, call, taskId)
  const pushes = await asTaskNotFound(listPushes(ctx, whose))
  return { configs: pushes.map((push) => toConfig(whose.rfqId, push)), nextPageToken: '' }
}

export async function deleteConfig(
  ctx: AgentsContext,
  call: Call,
  { taskId, id }: DeleteTaskPushNotificationConfigRequest,
): Promise<void> {
  if (typeof id !== 'string' || id === '')
    throw invalidParams('the id of the push notification is required', 'id')
  const whose = await whoseRfq(ctx, call, taskId)
  await asTaskNotFound(deletePush(ctx, { ...whose, id }))
}

async function whoseRfq(ctx: AgentsContext, call: Call, taskId: string) {
  const found = await findTask(ctx, call, taskId, 'taskId')
  if (found.kind === 'question') throw notPushable()
  return { rfqId: found.rfq.rfqId, userId: userIdOf(call) }
}

/** Of the one given with a message, in whatever place its version has for it; null without one. */
export async function checkPushOf(
  ctx: AgentsContext,
  { protocol }: Call,
  { configuration }: SendMessageRequest,
): Promise<CheckedPush | null> {
  const config = configuration?.taskPushNotificationConfig
  return config ? checkPush(ctx, { push: toNewPush(config), protocol }) : null
}

type Outcome =
  | { kind: 'message' }
  | { kind: 'task'; task: Pick<Task, 'id'> }
  | { kind: 'rfq'; rfq: Pick<RfqTask, 'rfqId'> }

/** With the request that a message made, or with the question that may become one; an answer needs none. */
export async function keepPush(ctx: AgentsContext, outcome: Outcome, push: CheckedPush): Promise<void> {
  if (outcome.kind === 'rfq') await ensurePush(ctx, { rfqId: outcome.rfq.rfqId, push })
  else if (outcome.kind === 'task') await keepPushOfQuestion(ctx, { id: outcome.task.id, push })
}

function toNewPush({ id, url, token, authentication }: TaskPushNotificationConfig): NewPush {
  return {
    url,
    ...(id !== '' && { id }),
    ...(token !== '' && { token }),
    ...(authentication && { scheme: authentication.scheme, credentials: authentication.credentials }),
  }
}

function toConfig(taskId: string, { id, url, scheme }: Push): TaskPushNotificationConfig {
  return {
    tenant: '',
    taskId,
    id,
    url,
    token: '',
    authentication: scheme === null ? undefined : { scheme, credentials: '' },
  }
}

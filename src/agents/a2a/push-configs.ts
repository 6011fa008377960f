/** Push notifications of a task, between the protocol's words and ours. Tokens and credentials are never given back. */
import type {
  DeleteTaskPushNotificationConfigRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
import {
  createPush,
  deletePush,
  getPush,
  listPushes,
  type NewPush,
  type Push,
} from '../../rfq/pushes.service.ts'
import { type Call, userIdOf } from './call.ts'
import type { A2aContext } from './context.ts'
import { asTaskNotFound, invalidParams, notPushable } from './errors.ts'
import { findTask } from './find-task.ts'

export async function createConfig(
  ctx: A2aContext,
  call: Call,
  config: TaskPushNotificationConfig,
): Promise<TaskPushNotificationConfig> {
  const whose = await whoseRfq(ctx, call, config.taskId)
  const push = await asTaskNotFound(
    createPush(ctx, { ...whose, push: toNewPush(config), protocol: call.protocol }),
  )
  return toConfig(whose.rfqId, push)
}

export async function getConfig(
  ctx: A2aContext,
  call: Call,
  { taskId, id }: GetTaskPushNotificationConfigRequest,
): Promise<TaskPushNotificationConfig> {
  const whose = await whoseRfq(ctx, call, taskId)
  return toConfig(whose.rfqId, await asTaskNotFound(getPush(ctx, { ...whose, ...(id !== '' && { id }) })))
}

export async function listConfigs(
  ctx: A2aContext,
  call: Call,
  { taskId }: ListTaskPushNotificationConfigsRequest,
): Promise<ListTaskPushNotificationConfigsResponse> {
  const whose = await whoseRfq(ctx, call, taskId)
  const pushes = await asTaskNotFound(listPushes(ctx, whose))
  return { configs: pushes.map((push) => toConfig(whose.rfqId, push)), nextPageToken: '' }
}

export async function deleteConfig(
  ctx: A2aContext,
  call: Call,
  { taskId, id }: DeleteTaskPushNotificationConfigRequest,
): Promise<void> {
  if (typeof id !== 'string' || id === '')
    throw invalidParams('the id of the push notification is required', 'id')
  const whose = await whoseRfq(ctx, call, taskId)
  await asTaskNotFound(deletePush(ctx, { ...whose, id }))
}

async function whoseRfq(ctx: A2aContext, call: Call, taskId: string) {
  const found = await findTask(ctx, call, taskId, 'taskId')
  if (found.kind === 'question') throw notPushable()
  return { rfqId: found.rfq.rfqId, userId: userIdOf(call) }
}

export function toNewPush({ id, url, token, authentication }: TaskPushNotificationConfig): NewPush {
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

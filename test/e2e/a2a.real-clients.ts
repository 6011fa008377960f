/** The three real clients of the A2A tests behind one set of verbs. */
import {
  type Message as CoreMessage,
  type Task as CoreTask,
  Role,
  type SendMessageRequest,
  TaskState,
} from '@a2a-js/sdk'
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import type { MessageSendParams } from 'a2a-sdk-0.3'
import { ClientFactory as OldClientFactory, ClientFactoryOptions as OldOptions } from 'a2a-sdk-0.3/client'
import { newId } from '../../src/lib/ids.ts'

/** Where they ask to be told. */
export const HOOK = 'https://hook.example/told'

/** What a client does, in words that fit all three. */
export type Done = {
  kind: 'message' | 'task'
  id: string
  state: string
  data: Record<string, unknown> | undefined
}
export type Client = {
  skills: string[]
  send(metadata: Record<string, unknown>, push?: boolean): Promise<Done>
  stream(metadata: Record<string, unknown>): AsyncGenerator<string>
  get(id: string): Promise<Done>
  cancel(id: string): Promise<Done>
  tellMe(id: string): Promise<string>
}

const STATE: Partial<Record<TaskState, string>> = {
  [TaskState.TASK_STATE_SUBMITTED]: 'submitted',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
}

type CurrentClient = Awaited<ReturnType<ClientFactory['createFromUrl']>>
function adaptCurrent(client: CurrentClient, skills: string[]): Client {
  const message = (metadata: Record<string, unknown>): CoreMessage => ({
    messageId: newId(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [
      { content: { $case: 'text', value: 'please' }, metadata: undefined, filename: '', mediaType: '' },
    ],
    metadata,
    extensions: [],
    referenceTaskIds: [],
  })
  const request = (metadata: Record<string, unknown>, push = false): SendMessageRequest => ({
    tenant: '',
    message: message(metadata),
    configuration: {
      acceptedOutputModes: [],
      returnImmediately: true,
      taskPushNotificationConfig: push
        ? { tenant: '', taskId: '', id: '', url: HOOK, token: 'it-is-us', authentication: undefined }
        : undefined,
    },
    metadata: undefined,
  })
  const done = (answer: CoreMessage | CoreTask): Done => {
    const parts = 'messageId' in answer ? answer.parts : (answer.artifacts[0]?.parts ?? [])
    const data = parts.find(({ content }) => content?.$case === 'data')?.content?.value as Record<
      string,
      unknown
    >
    return 'messageId' in answer
      ? { kind: 'message', id: answer.messageId, state: '', data }
      : { kind: 'task', id: answer.id, state: STATE[answer.status?.state ?? 0] ?? 'other', data }
  }
  return {
    skills,
    send: async (metadata, push) => done(await client.sendMessage(request(metadata, push))),
    async *stream(metadata) {
      for await (const { payload } of client.sendMessageStream(request(metadata))) yield payload?.$case ?? ''
    },
    get: async (id) => done(await client.getTask({ tenant: '', id })),
    cancel: async (id) => done(await client.cancelTask({ tenant: '', id, metadata: undefined })),
    tellMe: async (taskId) => {
      const config = {
        tenant: '',
        taskId,
        id: 'mine',
        url: HOOK,
        token: 'it-is-us',
        authentication: undefined,
      }
      return (await client.createTaskPushNotificationConfig(config)).url
    },
  }
}

export async function openCurrent(baseUrl: string): Promise<Client> {
  const card = await new DefaultAgentCardResolver().resolve(baseUrl)
  return adaptCurrent(
    await new ClientFactory().createFromUrl(baseUrl),
    card.skills.map(({ id }) => id),
  )
}

export async function openRest(baseUrl: string): Promise<Client> {
  const card = await new DefaultAgentCardResolver().resolve(baseUrl)
  // It knows no other binding, so nothing it does goes another way.
  const options = { ...ClientFactoryOptions.default, transports: [new RestTransportFactory()] }
  return adaptCurrent(
    await new ClientFactory(options).createFromAgentCard(card),
    card.skills.map(({ id }) => id),
  )
}

export async function openCompat(baseUrl: string): Promise<Client> {
  const legacyCompat = { enabled: true }
  const fetchOld: typeof fetch = (url, init) => fetch(url, { ...init, headers: { 'A2A-Version': '0.3' } })
  const cardResolver = new DefaultAgentCardResolver({ legacyCompat, fetchImpl: fetchOld })
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
    cardResolver,
    transports: [new JsonRpcTransportFactory({ legacyCompat })],
  })
  const card = await cardResolver.resolve(baseUrl)
  return adaptCurrent(
    await new ClientFactory(options).createFromAgentCard(card),
    card.skills.map(({ id }) => id),
  )
}

export async function openOld(baseUrl: string): Promise<Client> {
  const options = OldOptions.createFrom(OldOptions.default, { clientConfig: { polling: true } })
  const client = await new OldClientFactory(options).createFromUrl(baseUrl)
  const { skills } = await client.getAgentCard()
  const request = (metadata: Record<string, unknown>, push = false): MessageSendParams => ({
    message: {
      kind: 'message',
      messageId: newId(),
      role: 'user',
      parts: [{ kind: 'text', text: 'please' }],
      metadata,
    },
    ...(push && { configuration: { pushNotificationConfig: { url: HOOK, token: 'it-is-us' } } }),
  })
  const done = (answer: Awaited<ReturnType<typeof client.sendMessage>>): Done => {
    const parts = answer.kind === 'message' ? answer.parts : (answer.artifacts?.[0]?.parts ?? [])
    const data = parts.find((part) => part.kind === 'data')?.data
    return answer.kind === 'message'
      ? { kind: 'message', id: answer.messageId, state: '', data }
      : { kind: 'task', id: answer.id, state: answer.status.state, data }
  }
  const NAMES = {
    'artifact-update': 'artifactUpdate',
    'status-update': 'statusUpdate',
    task: 'task',
    message: 'message',
  }
  return {
    skills: skills.map(({ id }) => id),
    send: async (metadata, push) => done(await client.sendMessage(request(metadata, push))),
    async *stream(metadata) {
      for await (const { kind } of client.sendMessageStream(request(metadata))) yield NAMES[kind]
    },
    get: async (id) => done(await client.getTask({ id })),
    cancel: async (id) => done(await client.cancelTask({ id })),
    tellMe: async (taskId) => {
      const config = { taskId, pushNotificationConfig: { id: 'mine', url: HOOK, token: 'it-is-us' } }
      return (await client.setTaskPushNotificationConfig(config)).pushNotificationConfig.url
    },
  }
}

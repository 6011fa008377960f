/**
 * What the protocol's official test kit expects of the agent under test: it steers by the beginning of a message's id.
 * Each script is what happens to the task, step by step.
 */
import { type Artifact, type Part, TaskState } from '@a2a-js/sdk'
import { artifact, dataPart, textPart } from '../../src/agents/a2a/tasks.ts'

export type Step =
  | { kind: 'status'; state: TaskState; text?: string }
  | { kind: 'artifact'; artifact: Artifact; append: boolean; lastChunk: boolean }
  | { kind: 'pause'; ms: number }

/** The kit reads a stream for so long before it takes it to be stuck. */
const STREAMING_TIMEOUT_MS = 2_000

const WORKING: Step = { kind: 'status', state: TaskState.TASK_STATE_WORKING }
const complete = (text?: string): Step => ({
  kind: 'status',
  state: TaskState.TASK_STATE_COMPLETED,
  ...(text !== undefined && { text }),
})
const wait = (times: number): Step => ({ kind: 'pause', ms: times * STREAMING_TIMEOUT_MS })
const give = (part: Part, { append = false, lastChunk = true } = {}): Step => ({
  kind: 'artifact',
  artifact: artifact('output', 'Output', [part]),
  append,
  lastChunk,
})
const streamedText = (text: string): Step[] => [WORKING, give(textPart(text)), complete()]

const NAMED = { metadata: undefined, filename: 'output.txt', mediaType: 'text/plain' }
const FILE: Part = { ...NAMED, content: { $case: 'raw', value: Buffer.from('tck') } }
const FILE_URL: Part = { ...NAMED, content: { $case: 'url', value: 'https://example.com/output.txt' } }

export const SCRIPTS: Record<string, Step[]> = {
  'tck-complete-task': [complete('Hello from TCK')],
  'tck-delayed-complete': [WORKING, wait(1), complete('Done after delay')],
  'tck-input-required': [{ kind: 'status', state: TaskState.TASK_STATE_INPUT_REQUIRED }],
  'tck-auth-required': [{ kind: 'status', state: TaskState.TASK_STATE_AUTH_REQUIRED }],
  'tck-artifact-text': [give(textPart('Generated text content')), complete()],
  'tck-artifact-file': [give(FILE), complete()],
  'tck-artifact-file-url': [give(FILE_URL), complete()],
  'tck-artifact-data': [give(dataPart({ key: 'value', count: 42 })), complete()],
  'tck-stream-001': streamedText('Stream hello from TCK'),
  'tck-stream-002': [complete()],
  'tck-stream-003': streamedText('Stream task lifecycle'),
  'tck-stream-ordering-001': streamedText('Ordered output'),
  'tck-stream-artifact-text': streamedText('Streamed text content'),
  'tck-stream-artifact-file': [WORKING, give(FILE), complete()],
  'tck-stream-artifact-chunked': [
    WORKING,
    give(textPart('chunk-1 '), { lastChunk: false }),
    give(textPart('chunk-2'), { append: true }),
    complete(),
  ],
  'test-resubscribe-message-id': [WORKING, wait(2), complete()],
}

/** Answered without a task. */
export const DIRECT = { prefix: 'tck-message-response', text: 'Direct message response' }
export const REJECTED = { prefix: 'tck-reject-task', text: 'rejected' }

/** The kit for 1.0 begins its ids with `tck-`; the one for 0.3 has `-message-id-` in them. */
const OF_1_0 = /^tck-/
const OF_0_3 = /-message-id-/

export function isKitMessage(messageId: string): boolean {
  return OF_1_0.test(messageId) || OF_0_3.test(messageId)
}

/** Every message leaves it open, so that it can be continued, canceled and subscribed to. */
const OPEN: Step[] = [WORKING, { kind: 'status', state: TaskState.TASK_STATE_INPUT_REQUIRED }]

/**
 * Of the longest prefix that fits, since some begin with others. Whatever else the kit for 1.0 sends is completed, whatever
 * else the one for 0.3 sends leaves the task open.
 */
export function scriptOf(messageId: string): Step[] {
  const [longest] = Object.keys(SCRIPTS)
    .filter((prefix) => messageId.startsWith(prefix))
    .sort((a, b) => b.length - a.length)
  if (longest !== undefined) return SCRIPTS[longest] ?? []
  return OF_1_0.test(messageId) ? [complete(`Unknown message id ${messageId}`)] : OPEN
}

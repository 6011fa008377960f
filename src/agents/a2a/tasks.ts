/**
 * Requests for quote as A2A tasks, and the pieces that all tasks and events are made of. Pure. The protocol library's
 * types come from protobuf, where every field is there; these functions fill in what nobody says.
 */
import {
  type Artifact,
  type Message,
  type Part,
  Role,
  type StreamResponse,
  type Task,
  TaskState,
  type TaskStatus,
} from '@a2a-js/sdk'
import type { RfqState } from '../../db/tables.ts'
import { newId } from '../../lib/ids.ts'
import type { ArrivedQuote } from '../../rfq/follow.ts'
import { factsOf } from '../../rfq/outcome.ts'
import { quotesText } from '../../rfq/quotes-text.ts'
import type { RfqTask } from '../../rfq/rfq.service.ts'
import type { SkillAnswer } from './skills/skill.ts'

export const RFQ_STATES = {
  submitted: TaskState.TASK_STATE_SUBMITTED,
  completed: TaskState.TASK_STATE_COMPLETED,
  canceled: TaskState.TASK_STATE_CANCELED,
  failed: TaskState.TASK_STATE_FAILED,
} as const satisfies Record<RfqState, TaskState>

const ENDED: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_REJECTED,
])

export function hasEnded(task: Task): boolean {
  return ENDED.has(task.status?.state ?? TaskState.TASK_STATE_UNSPECIFIED)
}

export function textPart(value: string): Part {
  return { content: { $case: 'text', value }, metadata: undefined, filename: '', mediaType: 'text/plain' }
}

export function dataPart(value: Record<string, unknown>): Part {
  return {
    content: { $case: 'data', value },
    metadata: undefined,
    filename: '',
    mediaType: 'application/json',
  }
}

export function answerParts({ text, data }: SkillAnswer): Part[] {
  return [textPart(text), dataPart(data)]
}

type AgentMessage = {
  contextId: string
  taskId?: string
  parts: Part[]
  /** The same thing said again has the same id. */
  messageId?: string
  metadata?: Record<string, unknown>
}

export function agentMessage({ contextId, taskId = '', parts, messageId, metadata }: AgentMessage): Message {
  return {
    messageId: messageId ?? newId(),
    contextId,
    taskId,
    role: Role.ROLE_AGENT,
    parts,
    metadata,
    extensions: [],
    referenceTaskIds: [],
  }
}

export function artifact(artifactId: string, name: string, parts: Part[], description = ''): Artifact {
  return { artifactId, name, description, parts, metadata: undefined, extensions: [] }
}

export function toA2aTask(task: RfqTask): Task {
  return {
    id: task.rfqId,
    contextId: task.contextId,
    status: rfqStatus(task),
    artifacts: task.state === 'completed' ? [rankedArtifact(task)] : [],
    history: [],
    metadata: { skill: 'request-for-quote' },
  }
}

function rfqStatus(task: RfqTask): TaskStatus {
  return {
    state: RFQ_STATES[task.state],
    message:
      task.state === 'failed'
        ? agentMessage({
            contextId: task.contextId,
            taskId: task.rfqId,
            parts: [textPart(task.failure ?? 'The request could not be finished.')],
            messageId: `${task.rfqId}-failed`,
          })
        : undefined,
    timestamp: (task.finishedAt ?? task.createdAt).toISOString(),
  }
}

const RANKED = 'ranked-quotes'

function rankedArtifact(task: RfqTask): Artifact {
  return artifact(RANKED, 'Ranked quotes', [textPart(quotesText(task)), dataPart(factsOf(task))])
}

/** A quote as it comes in: it has no place among the others yet, and says so. */
export function arrivedQuoteEvent(
  { rfqId, sessionId, contextId }: Pick<RfqTask, 'rfqId' | 'sessionId' | 'contextId'>,
  quote: ArrivedQuote,
): StreamResponse {
  return artifactEvent(
    { id: rfqId, contextId },
    artifact(
      `quote-${quote.quote_id}`,
      'Quote, not ranked yet',
      [dataPart({ rfq_id: sessionId, ranked: false, quote })],
      'One answer as it arrived. Ranked and signed quotes follow when all sellers have answered.',
    ),
  )
}

export function artifactEvent(
  { id, contextId }: { id: string; contextId: string },
  value: Artifact,
): StreamResponse {
  return {
    payload: {
      $case: 'artifactUpdate',
      value: { taskId: id, contextId, artifact: value, append: false, lastChunk: true, metadata: undefined },
    },
  }
}

export function statusEvent({ id, contextId, status }: Task): StreamResponse {
  return { payload: { $case: 'statusUpdate', value: { taskId: id, contextId, status, metadata: undefined } } }
}

export function taskEvent(task: Task): StreamResponse {
  return { payload: { $case: 'task', value: task } }
}

export function messageEvent(message: Message): StreamResponse {
  return { payload: { $case: 'message', value: message } }
}

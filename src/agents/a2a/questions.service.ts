/**
 * Tasks that wait for their asker. A message that could mean several things is answered with a question; with it is
 * kept what was understood, and what is said next is laid over that. The task then either holds the answer itself, or becomes a request
 * for quote of the same id, and its row here goes.
 */
import { type Task, TaskState } from '@a2a-js/sdk'
import type { Db } from '../../db/database.ts'
import type { QuestionState } from '../../db/tables.ts'
import { type AppError, conflict } from '../../lib/errors.ts'
import { isUuid, newId } from '../../lib/ids.ts'
import { loggedId } from '../../lib/secret-id.ts'
import { type CheckedPush, openPush, sealPush } from '../../rfq/pushes.service.ts'
import { type Asker, askerKeyOf, MESSAGE_MS } from '../../rfq/rfq.service.ts'
import type { AgentsContext } from '../context.ts'
import {
  advanceQuestion,
  deleteQuestion,
  endQuestion,
  findQuestion,
  findQuestionByMessage,
  forgetQuestionMessage,
  insertQuestion,
  isPlaceTaken,
  type QuestionRow,
  savePushBox,
} from './questions.queries.ts'
import { MAX_TEXT } from './routing/message.ts'
import type { Asked } from './routing/questions.ts'
import type { SkillAnswer, SkillId } from './skills/skill.ts'
import { agentMessage, answerParts, artifact, dataPart, textPart } from './tasks.ts'

export type Question = QuestionRow

export const MAX_SAID = MAX_TEXT

type Ctx = Pick<AgentsContext, 'db' | 'clock' | 'secrets'>

/** What was asked back, or what was answered, and to which message. */
export type Reply = {
  text: string
  data: Record<string, unknown>
  skill?: SkillId
  /** What was understood and asked for, when it is a question. */
  asked?: Asked | null
  /** The message this replies to: sent again, it gets the same reply again. */
  to: string
}

export async function askBack(
  ctx: Ctx,
  asker: Asker,
  input: { said: string; contextId: string; messageId: string; reply: Reply },
): Promise<Question> {
  const { said, contextId, messageId } = input
  const askerKey = askerKeyOf(ctx, asker, said)
  const at = ctx.clock.now()
  await forgetQuestionMessage(ctx.db, { askerKey, messageId, before: oldestMessage(ctx) })
  const stored = await insertQuestion(ctx.db, {
    id: newId(),
    context_id: contextId,
    user_id: asker.userId,
    client_id: asker.clientId,
    asker_key: askerKey,
    message_id: messageId,
    said,
    reply: input.reply,
    created_at: at,
  })
  const question =
    stored ?? (await findQuestionByMessage(ctx.db, { askerKey, messageId, since: oldestMessage(ctx) }))
  if (!question) throw conflict('this message was already sent')
  return question
}

/** The task that the same message of the same asker made before, if it is still here. */
export function findAskedBefore(
  ctx: Ctx,
  asker: Asker,
  { said, messageId }: { said: string; messageId: string },
): Promise<Question | null> {
  const askerKey = askerKeyOf(ctx, asker, said)
  return findQuestionByMessage(ctx.db, { askerKey, messageId, since: oldestMessage(ctx) })
}

function oldestMessage({ clock }: Ctx): Date {
  return new Date(clock.now().getTime() - MESSAGE_MS)
}

/** The last one given counts. One that has ended, or is a request by now, needs none. */
export async function keepPushOfQuestion(
  ctx: Pick<AgentsContext, 'db' | 'pushSecrets'>,
  { id, push }: { id: string; push: CheckedPush },
): Promise<void> {
  await savePushBox(ctx.db, { id, box: sealPush(ctx, push) })
}

export function pushOf(
  ctx: Pick<AgentsContext, 'pushSecrets' | 'log'>,
  { id, push_box: box }: Question,
): CheckedPush | null {
  if (box === null) return null
  try {
    return openPush(ctx, box)
  } catch (error) {
    ctx.log.error(
      { err: error, taskId: loggedId(id) },
      'the push notification of a question cannot be opened',
    )
    return null
  }
}

/** Null unless it exists and belongs to the caller. */
export async function findReadableQuestion(
  ctx: Ctx,
  { id, userId }: { id: string; userId: string | null },
): Promise<Question | null> {
  const question = isUuid(id) ? await findQuestion(ctx.db, id) : null
  return question && (question.user_id === null || question.user_id === userId) ? question : null
}

export async function replyTo(
  ctx: Ctx,
  question: Question,
  input: { said: string; state: Extract<QuestionState, 'input-required' | 'completed'>; reply: Reply },
): Promise<Question> {
  const { said, state, reply } = input
  const at = ctx.clock.now()
  const advanced = await advanceQuestion(ctx.db, {
    id: question.id,
    heard: question.said,
    said,
    state,
    reply,
    at,
  })
  if (!advanced) throw overtaken()
  return advanced
}

/** Stores the request for quote that takes the question's place under its id: both happen, or neither. */
export async function giveWay<Result>(
  { id, said }: Question,
  store: (input: { id: string; alongside: (tx: Db) => Promise<void> }) => Promise<Result>,
): Promise<Result> {
  try {
    return await store({
      id,
      async alongside(tx) {
        if (!(await deleteQuestion(tx, { id, heard: said }))) throw overtaken()
      },
    })
  } catch (error) {
    throw isPlaceTaken(error) ? overtaken() : error
  }
}

/** Null when it has ended already. */
export function cancelQuestion(ctx: Ctx, { id }: Question): Promise<Question | null> {
  return endQuestion(ctx.db, { id, at: ctx.clock.now() })
}

function overtaken(): AppError {
  return conflict('another message to this task came first; get the task and answer again')
}

export function replyOf({ reply }: Question): Reply {
  return reply as Reply
}

export const QUESTION_STATES = {
  'input-required': TaskState.TASK_STATE_INPUT_REQUIRED,
  completed: TaskState.TASK_STATE_COMPLETED,
  canceled: TaskState.TASK_STATE_CANCELED,
} as const satisfies Record<QuestionState, TaskState>

export function questionTask(question: Question): Task {
  const { id, context_id: contextId, state } = question
  const { text, data, skill, to } = replyOf(question)
  const parts = Object.keys(data).length > 0 ? [textPart(text), dataPart(data)] : [textPart(text)]
  return {
    id,
    contextId,
    status: {
      state: QUESTION_STATES[state],
      message:
        state === 'input-required'
          ? agentMessage({ contextId, taskId: id, parts, messageId: `${id}-${to}` })
          : undefined,
      timestamp: question.updated_at.toISOString(),
    },
    artifacts:
      state === 'completed'
        ? [artifact('answer', 'Answer', answerParts({ text, data } satisfies SkillAnswer))]
        : [],
    history: [],
    metadata: skill === undefined ? undefined : { skill },
  }
}

/**
 * What becomes of a message: an answer, a request for quote, or a question back. A message to a task that waits for its
 * asker is read in the light of what was asked there and what is known so far. The same message of the same asker
 * twice makes one task.
 */
import type { Message, SendMessageRequest, Task } from '@a2a-js/sdk'
import { UnsupportedOperationError } from '@a2a-js/sdk/errors'
import { AppError } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { parseInput } from '../../lib/validate.ts'
import { countMessage } from '../../rfq/hourly-limit.service.ts'
import { type CheckedPush, storePush } from '../../rfq/pushes.service.ts'
import { RfqRequest } from '../../rfq/rfq.schema.ts'
import {
  type Asker,
  DiscontinuedError,
  findTaskOfMessage,
  type RfqTask,
  type SubmitInput,
  submitRfq,
} from '../../rfq/rfq.service.ts'
import type { AgentsContext } from '../context.ts'
import { askerOf, type Call } from './call.ts'
import { invalidParams } from './errors.ts'
import { findTask } from './find-task.ts'
import { type Named, readMessage, type Said } from './message.ts'
import { checkPushOf, keepPush } from './push-configs.ts'
import {
  askBack,
  findAskedBefore,
  giveWay,
  MAX_SAID,
  pushOf,
  type Question,
  questionTask,
  type Reply,
  replyOf,
  replyTo,
} from './questions.service.ts'
import { type Asked, askedAfter } from './routing/questions.ts'
import { routeMessage } from './routing/route-message.ts'
import { runSkill } from './skills/run-skill.ts'
import type { SkillAnswer } from './skills/skill.ts'
import { agentMessage, answerParts } from './tasks.ts'

type Outcome =
  | { kind: 'message'; message: Message }
  | { kind: 'task'; task: Task }
  | { kind: 'rfq'; rfq: RfqTask }

/** A request, and the push notification it asks for, which is good to be stored. */
type Sent = SendMessageRequest & { push: CheckedPush | null }

/** One thing said: the first, or one more to a question. */
type Turn = {
  call: Call
  asker: Asker
  request: Sent
  messageId: string
  contextId: string
  /** What is said now. */
  text: string
  /** All that was said so far. */
  said: string
  question: Question | null
}

export async function takeMessage(
  ctx: AgentsContext,
  call: Call,
  request: SendMessageRequest,
): Promise<Outcome> {
  const said = readMessage(request)
  await countMessage(ctx, call.caller)
  // Before anything is made of the message: who hears that an address is refused has nothing to clean up.
  const push = await checkPushOf(ctx, call, request)
  const sent = { ...request, push }
  const { taskId } = said.message
  const outcome = await (taskId === '' ? beginTask : continueTask)(ctx, call, sent, said)
  // Again for a message that was sent again, and for one that only led to a question.
  if (push) await keepPush(ctx, outcome, push)
  return outcome
}

async function beginTask(ctx: AgentsContext, call: Call, request: Sent, said: Said): Promise<Outcome> {
  const { messageId, contextId } = said.message
  const asker = senderOf(call, said.message, request)
  const before = said.named ? null : await findAskedBefore(ctx, asker, { said: said.text, messageId })
  if (before) return { kind: 'task', task: questionTask(before) }
  const turn = {
    call,
    asker,
    request,
    messageId,
    contextId: contextId || newId(),
    text: said.text,
    said: said.text,
    question: null,
  }
  return act(ctx, turn, said.named)
}

async function continueTask(
  ctx: AgentsContext,
  call: Call,
  request: Sent,
  { message, text, named }: Said,
): Promise<Outcome> {
  const { messageId } = message
  const sender = senderOf(call, message, request)
  const found = await findTask(ctx, call, message.taskId, 'message.taskId')
  const contextId = found.kind === 'rfq' ? found.rfq.contextId : found.question.context_id
  if (message.contextId !== '' && message.contextId !== contextId)
    throw invalidParams('message.contextId does not match the task', 'message.contextId')
  if (found.kind === 'rfq') {
    // This very message made the request, and was only sent again.
    const made = await findTaskOfMessage(ctx, sender, { task: found.rfq, messageId })
    if (made?.rfqId === found.rfq.rfqId) return found
    throw new UnsupportedOperationError(
      found.rfq.state === 'submitted'
        ? 'this task is waiting for sellers: wait until it ends, or cancel it; for anything else, send a message without taskId'
        : 'this task has ended: send a message without taskId',
    )
  }
  const { question } = found
  if (replyOf(question).to === messageId) return { kind: 'task', task: questionTask(question) }
  if (question.state !== 'input-required')
    throw new UnsupportedOperationError('this task has ended: send a message without taskId')
  const said = text === '' ? question.said : `${question.said}\n${text}`
  if (said.length > MAX_SAID)
    throw invalidParams(
      `all messages of a task together must be at most ${MAX_SAID} characters`,
      'message.parts',
    )
  // A task does not change hands: it stays whose it was when it began.
  const asker = { ...sender, userId: question.user_id }
  return act(ctx, { call, asker, request, messageId, contextId, text, said, question }, named)
}

/** Who names a task knows its id, which cannot be guessed; that is mark enough. */
function senderOf(call: Call, { taskId, contextId }: Message, { push }: Sent): Asker {
  return { ...askerOf(call), mark: JSON.stringify(taskId === '' ? [contextId, push?.url ?? null] : taskId) }
}

/** Plain words that lead nowhere are asked about; parameters that are named must be right. */
async function act(ctx: AgentsContext, turn: Turn, named: Named | null): Promise<Outcome> {
  if (named) return carryOut(ctx, turn, withWords(named, turn.said))
  const asked = turn.question ? (replyOf(turn.question).asked ?? null) : null
  const routed = await routeMessage(ctx, turn.text, asked)
  if (routed.kind === 'unclear') return ask(ctx, turn, routed)
  try {
    return await carryOut(ctx, turn, routed)
  } catch (error) {
    if (!(error instanceof AppError) || (error.kind !== 'not_found' && error.kind !== 'invalid')) throw error
    return ask(ctx, turn, {
      question: `${error.message}. What do you mean?`,
      options: [...(error.valid ?? [])],
      asked: askedAfter(routed.skill, routed.params, error),
    })
  }
}

/** A caller who asks for a recommendation may say what for in plain words. */
function withWords({ skill, params }: Named, said: string): Named {
  return skill === 'product-recommendation' && said !== ''
    ? { skill, params: { query: said, ...params } }
    : { skill, params }
}

async function ask(
  ctx: AgentsContext,
  turn: Turn,
  { question: text, options, asked }: { question: string; options: string[]; asked: Asked | null },
): Promise<Outcome> {
  const { question, asker, said, contextId, messageId } = turn
  const reply: Reply = { text, data: options.length > 0 ? { options } : {}, asked, to: messageId }
  const waiting = question
    ? await replyTo(ctx, question, { said, state: 'input-required', reply })
    : await askBack(ctx, asker, { said, contextId, messageId, reply })
  return { kind: 'task', task: questionTask(waiting) }
}

async function carryOut(ctx: AgentsContext, turn: Turn, { skill, params }: Named): Promise<Outcome> {
  const { question, contextId, messageId } = turn
  const done =
    skill === 'request-for-quote'
      ? await submitOrSay(ctx, turn, params)
      : await runSkill(ctx, turn.call.caller, skill, params)
  if ('rfqId' in done) return { kind: 'rfq', rfq: done }
  const answer = done
  if (!question)
    return {
      kind: 'message',
      message: agentMessage({ contextId, parts: answerParts(answer), metadata: { skill } }),
    }
  const reply: Reply = { ...answer, skill, to: messageId }
  const replied = await replyTo(ctx, question, { said: turn.said, state: 'completed', reply })
  return { kind: 'task', task: questionTask(replied) }
}

async function submitOrSay(
  ctx: AgentsContext,
  turn: Turn,
  params: Record<string, unknown>,
): Promise<RfqTask | SkillAnswer> {
  try {
    return await submit(ctx, turn, params)
  } catch (error) {
    if (!(error instanceof DiscontinuedError)) throw error
    const { message, productSlug } = error
    return { text: `${message}.`, data: { product_slug: productSlug, discontinued: true } }
  }
}

/** The request, what it takes the place of, and who wants to hear of its end: all are stored, or nothing is. */
async function submit(ctx: AgentsContext, turn: Turn, params: Record<string, unknown>): Promise<RfqTask> {
  const { question, asker, contextId, messageId } = turn
  const request = parseInput(RfqRequest, params)
  const push = turn.request.push ?? (question && pushOf(ctx, question))
  const store = ({ id, alongside }: { id: string } & Pick<SubmitInput, 'alongside'>) =>
    submitRfq(ctx, asker, {
      request,
      contextId,
      messageId,
      id,
      async alongside(tx) {
        await alongside?.(tx)
        if (push) await storePush(ctx, tx, { rfqId: id, push })
      },
    })
  return question ? giveWay(question, store) : store({ id: newId() })
}

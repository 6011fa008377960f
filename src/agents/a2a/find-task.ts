/** A task by its id, whichever store holds it. Somebody else's is not there. */
import { getRfqTask, type RfqTask } from '../../rfq/rfq.service.ts'
import type { AgentsContext } from '../context.ts'
import { type Call, userIdOf } from './call.ts'
import { asTaskNotFound, invalidParams, taskNotFound } from './errors.ts'
import { findReadableQuestion, type Question } from './questions.service.ts'

type FoundTask = { kind: 'question'; question: Question } | { kind: 'rfq'; rfq: RfqTask }

export async function findTask(
  ctx: AgentsContext,
  call: Call,
  id: unknown,
  field = 'id',
): Promise<FoundTask> {
  if (typeof id !== 'string' || id.trim() === '') throw invalidParams(`${field} is required`, field)
  const userId = userIdOf(call)
  const question = await findReadableQuestion(ctx, { id, userId })
  if (question) return { kind: 'question', question }
  // A question that becomes a request is in one store or the other; the request is looked for last, so it is not missed.
  return { kind: 'rfq', rfq: await asTaskNotFound(getRfqTask(ctx, { id, userId }), taskNotFound().message) }
}

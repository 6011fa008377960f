/**
 * The tasks of somebody signed in, last changed first: requests for quote and questions, two stores read as one. A page
 * goes on after the last task of the one before, wherever that was, so tasks that end meanwhile are not shown twice in a
 * row nor missed. Strangers own nothing that could be listed.
 */
import { type ListTasksRequest, type ListTasksResponse, type Task, TaskState } from '@a2a-js/sdk'
import type { QuestionState, RfqState } from '../../db/tables.ts'
import { isUuid } from '../../lib/ids.ts'
import { readInstant } from '../../rfq/rfq.schema.ts'
import { countRfqTasks, listRfqTasks } from '../../rfq/rfq.service.ts'
import type { AgentsContext } from '../context.ts'
import { type Call, userIdOf } from './call.ts'
import { invalidParams } from './errors.ts'
import { isPrintable } from './message.ts'
import { countOwnQuestions, findOwnQuestions } from './questions.queries.ts'
import { QUESTION_STATES, questionTask } from './questions.service.ts'
import { RFQ_STATES, toA2aTask } from './tasks.ts'

const DEFAULT_PAGE = 50
const MAX_PAGE = 100

type Place = { changedAt: Date; id: string }
type Listed = Place & { task: Task }

export async function listTasks(
  ctx: AgentsContext,
  call: Call,
  request: ListTasksRequest,
): Promise<ListTasksResponse> {
  const { pageSize, before, status, changedSince } = readRequest(request)
  const userId = userIdOf(call)
  const contextId = request.contextId === '' ? null : request.contextId
  const none = { tasks: [], nextPageToken: '', pageSize, totalSize: 0 }
  if (userId === null || (contextId !== null && !isPrintable(contextId))) return none
  const filter = { userId, contextId: contextId ?? undefined, changedSince: changedSince ?? undefined }
  const stores = [
    rfqsIn(ctx, { ...filter, withQuotes: request.includeArtifacts === true }, stateOf(RFQ_STATES, status)),
    questionsIn(ctx, { userId, contextId, changedSince }, stateOf(QUESTION_STATES, status)),
  ].filter((store) => store !== null)
  const [found, counts] = await Promise.all([
    Promise.all(stores.map((store) => store.page(before, pageSize + 1))),
    Promise.all(stores.map((store) => store.count())),
  ])
  const totalSize = counts.reduce((sum, count) => sum + count, 0)
  return toPage(found.flat(), { pageSize, totalSize, includeArtifacts: request.includeArtifacts })
}

/** `listed` are at least all that belong on the page and one more, if there is one more. */
export function toPage(
  listed: Listed[],
  {
    pageSize,
    totalSize,
    includeArtifacts,
  }: { pageSize: number; totalSize: number; includeArtifacts?: boolean },
): ListTasksResponse {
  const page = listed.sort(lastChangedFirst).slice(0, pageSize)
  const last = page.at(-1)
  return {
    tasks: page.map(({ task }) => (includeArtifacts ? task : { ...task, artifacts: [] })),
    nextPageToken: last && listed.length > pageSize ? writeToken(last) : '',
    pageSize,
    totalSize,
  }
}

type Store = { page(before: Place | null, limit: number): Promise<Listed[]>; count(): Promise<number> }

/** Undefined: no task of this store can be in that state. Null: whatever state. */
function stateOf<State extends string>(
  states: Record<State, TaskState>,
  status: TaskState | null,
): State | null | undefined {
  if (status === null) return null
  return (Object.keys(states) as State[]).find((state) => states[state] === status)
}

function rfqsIn(
  ctx: AgentsContext,
  filter: { userId: string; contextId?: string; changedSince?: Date; withQuotes: boolean },
  state: RfqState | null | undefined,
): Store | null {
  if (state === undefined) return null
  const own = { ...filter, ...(state !== null && { state }) }
  return {
    async page(before, limit) {
      const tasks = await listRfqTasks(ctx, { ...own, ...(before && { before }), limit })
      return tasks.map((task) => ({
        changedAt: task.finishedAt ?? task.createdAt,
        id: task.rfqId,
        task: toA2aTask(task),
      }))
    },
    count: () => countRfqTasks(ctx, own),
  }
}

function questionsIn(
  ctx: AgentsContext,
  filter: { userId: string; contextId: string | null; changedSince: Date | null },
  state: QuestionState | null | undefined,
): Store | null {
  if (state === undefined) return null
  const own = { ...filter, state }
  return {
    async page(before, limit) {
      const questions = await findOwnQuestions(ctx.db, { ...own, before, limit })
      return questions.map((question) => ({
        changedAt: question.updated_at,
        id: question.id,
        task: questionTask(question),
      }))
    },
    count: () => countOwnQuestions(ctx.db, own),
  }
}

export function lastChangedFirst(a: Place, b: Place): number {
  return b.changedAt.getTime() - a.changedAt.getTime() || Number(a.id < b.id) - Number(a.id > b.id)
}

export function readRequest({
  pageSize = DEFAULT_PAGE,
  pageToken,
  status,
  statusTimestampAfter,
}: ListTasksRequest) {
  if (!Number.isInteger(pageSize) || pageSize < 1 || pageSize > MAX_PAGE)
    throw invalidParams(`pageSize must be between 1 and ${MAX_PAGE}`, 'pageSize')
  if (status === TaskState.UNRECOGNIZED) throw invalidParams('status must be a task state', 'status')
  const changedSince = statusTimestampAfter ? readInstant(statusTimestampAfter) : null
  if (statusTimestampAfter && !changedSince)
    throw invalidParams('statusTimestampAfter must be an ISO 8601 time', 'statusTimestampAfter')
  const before = pageToken === '' ? null : readToken(pageToken)
  if (pageToken !== '' && !before) throw invalidParams('pageToken is not valid', 'pageToken')
  return {
    pageSize,
    before,
    changedSince,
    status: status === TaskState.TASK_STATE_UNSPECIFIED ? null : status,
  }
}

export function writeToken({ changedAt, id }: Place): string {
  return Buffer.from(`${changedAt.toISOString()} ${id}`).toString('base64url')
}

export function readToken(token: string): Place | null {
  const [time = '', id = ''] = Buffer.from(token, 'base64url').toString('utf8').split(' ')
  const changedAt = readInstant(time)
  return changedAt && isUuid(id) ? { changedAt, id } : null
}

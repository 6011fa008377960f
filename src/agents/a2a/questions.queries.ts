/** SQL of the tasks that wait for their asker. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import { all, changed, count, hasChanged, one, run } from '../../db/rows.ts'
import type { A2aQuestionsTable, QuestionState } from '../../db/tables.ts'

export type QuestionRow = Selectable<A2aQuestionsTable>

type NewQuestion = Omit<QuestionRow, 'state' | 'updated_at' | 'push_box'>

/** Null when this asker's message made one before. */
export function insertQuestion(db: Db, question: NewQuestion) {
  return one<QuestionRow>(db)`
    insert into a2a_questions (id, context_id, user_id, client_id, asker_key, message_id, said, reply, created_at, updated_at)
    values (${question.id}, ${question.context_id}, ${question.user_id}, ${question.client_id}, ${question.asker_key},
      ${question.message_id}, ${question.said}, ${JSON.stringify(question.reply)}, ${question.created_at}, ${question.created_at})
    on conflict (asker_key, message_id) where message_id is not null do nothing
    returning *`
}

export function findQuestion(db: Db, id: string) {
  return one<QuestionRow>(db)`select * from a2a_questions where id = ${id}`
}

export function findQuestionByMessage(
  db: Db,
  { askerKey, messageId, since }: { askerKey: string; messageId: string; since: Date },
) {
  return one<QuestionRow>(db)`
    select * from a2a_questions
    where asker_key = ${askerKey} and message_id = ${messageId} and created_at >= ${since}`
}

/** From then on the same message makes a new task. */
export function forgetQuestionMessage(
  db: Db,
  { askerKey, messageId, before }: { askerKey: string; messageId: string; before: Date },
) {
  return run(db)`
    update a2a_questions set asker_key = null, message_id = null
    where asker_key = ${askerKey} and message_id = ${messageId} and created_at < ${before}`
}

/** Nothing happens to one that has ended or is not there. */
export function savePushBox(db: Db, { id, box }: { id: string; box: string }) {
  return run(db)`
    update a2a_questions set push_box = ${box} where id = ${id} and state = 'input-required'`
}

type Turn = {
  id: string
  /** What had been said when this turn began: a turn that another message overtook changes nothing. */
  heard: string
  said: string
  state: QuestionState
  reply: Record<string, unknown>
  at: Date
}

/** Null when it has ended, or somebody said something in the meantime. */
export function advanceQuestion(db: Db, turn: Turn) {
  return one<QuestionRow>(db)`
    update a2a_questions
    set state = ${turn.state}, said = ${turn.said}, reply = ${JSON.stringify(turn.reply)}, updated_at = ${turn.at}
    where id = ${turn.id} and state = 'input-required' and said = ${turn.heard}
    returning *`
}

/** Null when it has ended already. */
export function endQuestion(db: Db, { id, at }: { id: string; at: Date }) {
  return one<QuestionRow>(db)`
    update a2a_questions set state = 'canceled', updated_at = ${at}
    where id = ${id} and state = 'input-required'
    returning *`
}

/** False when it has ended, or somebody said something in the meantime. */
export function deleteQuestion(db: Db, { id, heard }: { id: string; heard: string }) {
  return hasChanged(db)`
    delete from a2a_questions where id = ${id} and state = 'input-required' and said = ${heard}`
}

type OwnQuestions = {
  userId: string
  state: QuestionState | null
  contextId: string | null
  changedSince: Date | null
}

function own({ userId, state, contextId, changedSince }: OwnQuestions) {
  return sql`user_id = ${userId}
      and (${state}::text is null or state = ${state})
      and (${contextId}::text is null or context_id = ${contextId})
      and (${changedSince}::timestamptz is null or updated_at >= ${changedSince})`
}

/** An owner's own, last changed first, after the given one. */
export async function findOwnQuestions(
  db: Db,
  input: OwnQuestions & { before: { changedAt: Date; id: string } | null; limit: number },
): Promise<QuestionRow[]> {
  const { before, limit } = input
  return all<QuestionRow>(db)`
    select * from a2a_questions
    where ${own(input)}
      and (${before?.id ?? null}::uuid is null or (updated_at, id) < (${before?.changedAt ?? null}::timestamptz, ${before?.id ?? null}::uuid))
    order by updated_at desc, id desc limit ${limit}`
}

export function countOwnQuestions(db: Db, input: OwnQuestions) {
  return count(db)`
    select count(*)::int as count from a2a_questions where ${own(input)}`
}

/** What has been answered or withdrawn goes with what nobody came back to: a task is not kept for ever. */
export function deleteOldQuestions(db: Db, before: Date) {
  return changed(db)`delete from a2a_questions where updated_at < ${before}`
}

/** Two requests wanted to take the place of the same question. */
export function isPlaceTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'rfqs_pkey'
}

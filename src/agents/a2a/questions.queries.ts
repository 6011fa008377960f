/** SQL of the tasks that wait for their asker. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/database.ts'
import type { A2aQuestionsTable, QuestionState } from '../../db/tables.agents.ts'

export type QuestionRow = Selectable<A2aQuestionsTable>

type NewQuestion = Omit<QuestionRow, 'state' | 'updated_at' | 'push_box'>

/** Null when this asker's message made one before. */
export async function insertQuestion(db: Db, question: NewQuestion): Promise<QuestionRow | null> {
  const { rows } = await sql<QuestionRow>`
    insert into a2a_questions (id, context_id, user_id, client_id, asker_key, message_id, said, reply, created_at, updated_at)
    values (${question.id}, ${question.context_id}, ${question.user_id}, ${question.client_id}, ${question.asker_key},
      ${question.message_id}, ${question.said}, ${JSON.stringify(question.reply)}, ${question.created_at}, ${question.created_at})
    on conflict (asker_key, message_id) where message_id is not null do nothing
    returning *`.execute(db)
  return rows[0] ?? null
}

export async function findQuestion(db: Db, id: string): Promise<QuestionRow | null> {
  const { rows } = await sql<QuestionRow>`select * from a2a_questions where id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function findQuestionByMessage(
  db: Db,
  { askerKey, messageId, since }: { askerKey: string; messageId: string; since: Date },
): Promise<QuestionRow | null> {
  const { rows } = await sql<QuestionRow>`
    select * from a2a_questions
    where asker_key = ${askerKey} and message_id = ${messageId} and created_at >= ${since}`.execute(db)
  return rows[0] ?? null
}

/** From then on the same message makes a new task. */
export async function forgetQuestionMessage(
  db: Db,
  { askerKey, messageId, before }: { askerKey: string; messageId: string; before: Date },
): Promise<void> {
  await sql`
    update a2a_questions set asker_key = null, message_id = null
    where asker_key = ${askerKey} and message_id = ${messageId} and created_at < ${before}`.execute(db)
}

/** Nothing happens to one that has ended or is not there. */
export async function savePushBox(db: Db, { id, box }: { id: string; box: string }): Promise<void> {
  await sql`
    update a2a_questions set push_box = ${box} where id = ${id} and state = 'input-required'`.execute(db)
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
export async function advanceQuestion(db: Db, turn: Turn): Promise<QuestionRow | null> {
  const { rows } = await sql<QuestionRow>`
    update a2a_questions
    set state = ${turn.state}, said = ${turn.said}, reply = ${JSON.stringify(turn.reply)}, updated_at = ${turn.at}
    where id = ${turn.id} and state = 'input-required' and said = ${turn.heard}
    returning *`.execute(db)
  return rows[0] ?? null
}

/** Null when it has ended already. */
export async function endQuestion(db: Db, { id, at }: { id: string; at: Date }): Promise<QuestionRow | null> {
  const { rows } = await sql<QuestionRow>`
    update a2a_questions set state = 'canceled', updated_at = ${at}
    where id = ${id} and state = 'input-required'
    returning *`.execute(db)
  return rows[0] ?? null
}

/** False when it has ended, or somebody said something in the meantime. */
export async function deleteQuestion(db: Db, { id, heard }: { id: string; heard: string }): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from a2a_questions where id = ${id} and state = 'input-required' and said = ${heard}`.execute(db)
  return numAffectedRows === 1n
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
  const { rows } = await sql<QuestionRow>`
    select * from a2a_questions
    where ${own(input)}
      and (${before?.id ?? null}::uuid is null or (updated_at, id) < (${before?.changedAt ?? null}::timestamptz, ${before?.id ?? null}::uuid))
    order by updated_at desc, id desc limit ${limit}`.execute(db)
  return rows
}

export async function countOwnQuestions(db: Db, input: OwnQuestions): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from a2a_questions where ${own(input)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** What has been answered or withdrawn goes with what nobody came back to: a task is not kept for ever. */
export async function deleteOldQuestions(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`delete from a2a_questions where updated_at < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Two requests wanted to take the place of the same question. */
export function isPlaceTaken(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string }
  return code === '23505' && constraint === 'rfqs_pkey'
}

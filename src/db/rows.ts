/**
 * A query that is one statement, by what it answers with: all<Row>(db)`select …` for its rows, one<Row>(db)`…` for the
 * first, and so on. What a function answers with is said there and nowhere else.
 */
import { sql } from 'kysely'
import type { Db } from './database.ts'

type Statement<Answer> = (...statement: Parameters<typeof sql>) => Promise<Answer>

export function all<Row>(db: Db): Statement<Row[]> {
  return async (...statement) => (await sql<Row>(...statement).execute(db)).rows
}

/** Null without a row. */
export function one<Row>(db: Db): Statement<Row | null> {
  return async (...statement) => (await all<Row>(db)(...statement))[0] ?? null
}

/** Of rows with one column. */
export function column<Value>(db: Db): Statement<Value[]> {
  return async (...statement) =>
    (await all<Record<string, Value>>(db)(...statement)).flatMap((row) => Object.values(row))
}

/** Likewise, each value once. */
export function set<Value>(db: Db): Statement<Set<Value>> {
  return async (...statement) => new Set(await column<Value>(db)(...statement))
}

/** Of rows with two columns: the value of the second by that of the first. */
export function map<Key, Value>(db: Db): Statement<Map<Key, Value>> {
  return async (...statement) => {
    const rows = await all<Record<string, Key | Value>>(db)(...statement)
    return new Map(rows.map((row) => Object.values(row) as [Key, Value]))
  }
}

/** The one value of the first row; null without a row. */
export function value<Value>(db: Db): Statement<Value | null> {
  return async (...statement) => (await column<Value>(db)(...statement))[0] ?? null
}

/** A number, as of count(*); 0 without a row. */
export function count(db: Db): Statement<number> {
  return async (...statement) => (await value<number>(db)(...statement)) ?? 0
}

/** Whether there is a row; of a change with `returning`, whether it changed one. */
export function exists(db: Db): Statement<boolean> {
  return async (...statement) => (await all(db)(...statement)).length > 0
}

/** How many rows a statement changed. */
export function changed(db: Db): Statement<number> {
  return async (...statement) => Number((await sql(...statement).execute(db)).numAffectedRows ?? 0)
}

export function hasChanged(db: Db): Statement<boolean> {
  return async (...statement) => (await changed(db)(...statement)) > 0
}

/** Answers nothing. */
export function run(db: Db): Statement<void> {
  return async (...statement) => {
    await sql(...statement).execute(db)
  }
}

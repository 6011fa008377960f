/** SQL of an entity's columns, made from the keys of its fields (lib/entity.ts), so that no query lists them again. */
import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely'
import { columnOf } from '../lib/entity.ts'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name
/** A row of a table by the keys that services use. */
export type RowOf<Table> = {
  [Column in keyof Selectable<Table> as Camel<Column & string>]: Selectable<Table>[Column]
}
export type Row<Table extends keyof Tables> = RowOf<Tables[Table]>

/** `o.price_cents as "priceCents", …` */
export function selected(keys: readonly string[], table: string): RawBuilder<unknown> {
  return sql.join(keys.map((key) => sql`${sql.ref(`${table}.${columnOf(key)}`)} as ${sql.id(key)}`))
}

/** `price_cents, …` */
export function named(keys: readonly string[]): RawBuilder<unknown> {
  return sql.join(keys.map((key) => sql.id(columnOf(key))))
}

/** The values of these keys, in their order. */
export function given<Key extends string>(
  keys: readonly Key[],
  row: Readonly<Record<Key, unknown>>,
): RawBuilder<unknown> {
  return sql.join(keys.map((key) => sql`${row[key]}`))
}

/** `(price_cents, …) values (…)` */
export function inserted<Key extends string>(
  keys: readonly Key[],
  row: Readonly<Record<Key, unknown>>,
): RawBuilder<unknown> {
  return sql`(${named(keys)}) values (${given(keys, row)})`
}

/** `price_cents = …, …`; what is undefined stays as it is. */
export function assigned<Key extends string>(
  keys: readonly Key[],
  row: Readonly<Partial<Record<Key, unknown>>>,
): RawBuilder<unknown> {
  const set = keys.filter((key) => row[key] !== undefined)
  return sql.join(set.map((key) => sql`${sql.id(columnOf(key))} = ${row[key]}`))
}

/** The driver would make an array of a list. */
export function json(value: unknown): RawBuilder<unknown> {
  return sql`${JSON.stringify(value)}::jsonb`
}

/** What a new row takes; what the database fills in may be left out. */
export type NewRow<Table extends keyof Tables> = {
  [Column in keyof Insertable<Tables[Table]> as Camel<Column & string>]: Insertable<Tables[Table]>[Column]
}

export function columnsOf(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [columnOf(key), value]))
}

export async function insertRows<Table extends keyof Tables>(
  db: Db,
  table: Table,
  rows: ReadonlyArray<NewRow<Table>>,
): Promise<void> {
  const values = rows.map(columnsOf) as unknown as ReadonlyArray<Insertable<Tables[Table]>>
  await db.insertInto<keyof Tables>(table).values(values).execute()
}

/** How many rows a statement changed. */
export function affected({ numAffectedRows = 0n }: { numAffectedRows?: bigint }): number {
  return Number(numAffectedRows)
}

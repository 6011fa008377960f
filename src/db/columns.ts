/** SQL of an entity's columns, made from the keys of its fields (lib/entity.ts), so that no query lists them again. */
import { type RawBuilder, sql } from 'kysely'
import { columnOf } from '../lib/entity.ts'

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

/**
 * Fills one database from a backup, in one transaction: the schema that the backup names, its rows, the state of its
 * sequences, proof that every reference holds, and then the migrations that came later. Any error leaves nothing.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { listMigrations, migrateWithin } from '../db/migrate.ts'
import { type Client, columnsOf, listTables } from './backup.queries.ts'
import type { BackupRecord, Header, Sequence, Table } from './format.ts'

export type Filled = {
  tables: number
  rows: number
  /** Migrations of this program that the backup did not have. */
  upgraded: string[]
  /** Tables in the backup that no migration makes. */
  strange: string[]
}

const name = pg.escapeIdentifier

export async function fillDatabase(
  client: Client,
  header: Header,
  records: AsyncGenerator<BackupRecord, void, undefined>,
  /** When all is there and proved, and only the commit is left. */
  beforeCommit: () => void = () => {},
): Promise<Filled> {
  await client.query('begin')
  try {
    await client.query('set local statement_timeout = 0; set local lock_timeout = 0')
    await migrateWithin(client, header.migrations)
    const tables = await listTables(client)
    const withoutTriggers = await switchTriggersOff(client)
    const ownTriggers = async (set: 'disable' | 'enable') => {
      for (const table of tables) await client.query(`alter table ${name(table.name)} ${set} trigger user`)
    }
    await client.query(`truncate ${tables.map((table) => name(table.name)).join(', ')}`)
    if (!withoutTriggers) await ownTriggers('disable')
    const filled = await copyEverything(client, tables, records)
    if (withoutTriggers) await client.query('set local session_replication_role = origin')
    else await ownTriggers('enable')
    await proveReferences(client)
    const upgraded = await migrateWithin(client, listMigrations())
    beforeCommit()
    await client.query('commit')
    // What the planner knows of a table is no part of a backup.
    await client.query('analyze').catch(() => {})
    return { ...filled, upgraded }
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  } finally {
    await records.return()
  }
}

/**
 * Without the right to it, references are checked as rows come: each stands after those that it refers to. Triggers of ours
 * are switched off either way: what they would write is in the backup.
 */
async function switchTriggersOff(client: Client): Promise<boolean> {
  await client.query('savepoint triggers')
  try {
    await client.query('set local session_replication_role = replica')
    return true
  } catch (error) {
    await client.query('rollback to savepoint triggers')
    if (error instanceof pg.DatabaseError && error.code === '42501') return false
    throw error
  }
}

async function copyEverything(
  client: Client,
  tables: Table[],
  records: AsyncGenerator<BackupRecord, void, undefined>,
): Promise<Omit<Filled, 'upgraded'>> {
  const expected = new Map(tables.map((table) => [table.name, table]))
  const strange: string[] = []
  let rows = 0
  for (;;) {
    const { value: record, done } = await records.next()
    if (done) break
    if (record.kind === 'table') {
      const known = expected.get(record.table.name)
      if (known) rows += await copyIn(client, sameColumns(record.table, known), records)
      else if ((await passOver(records)) >= 0) strange.push(record.table.name)
      expected.delete(record.table.name)
    }
    if (record.kind === 'trailer') await setSequences(client, record.trailer.sequences)
  }
  if (expected.size > 0)
    throw new Error(
      `the backup lacks tables that its own migrations create: ${[...expected.keys()].sort().join(', ')}`,
    )
  return { tables: tables.length, rows, strange }
}

function sameColumns(given: Table, known: Table): Table {
  const [inBackup, inSchema] = [new Set(given.columns), new Set(known.columns)]
  const other = [...inBackup.symmetricDifference(inSchema)]
  if (other.length === 0) return given
  throw new Error(
    `the columns of ${given.name} in the backup differ from those its migrations create: ${other.sort().join(', ')}`,
  )
}

async function copyIn(
  client: Client,
  table: Table,
  records: AsyncGenerator<BackupRecord, void, undefined>,
): Promise<number> {
  let told = -1
  async function* rows() {
    for (;;) {
      const { value: record, done } = await records.next()
      if (done || record.kind !== 'data') {
        told = !done && record.kind === 'end' ? record.rows : -1
        return
      }
      yield record.bytes
    }
  }
  const into = client.query(
    copyFrom(`copy ${name(table.name)} (${columnsOf(table)}) from stdin (format binary)`),
  )
  try {
    await pipeline(Readable.from(rows()), into)
  } catch (error) {
    throw new Error(`the table ${table.name} could not be filled: ${(error as Error).message}`, {
      cause: error,
    })
  }
  if (into.rowCount !== told)
    throw new Error(`${table.name} got ${into.rowCount} rows, but the backup says ${told}`)
  return told
}

async function passOver(records: AsyncGenerator<BackupRecord, void, undefined>): Promise<number> {
  for (;;) {
    const { value: record, done } = await records.next()
    if (done) return -1
    if (record.kind === 'end') return record.rows
  }
}

/** One that no migration makes belongs to a table that was passed over. */
async function setSequences(client: Client, sequences: Sequence[]): Promise<void> {
  for (const { name: sequence, last, called } of sequences)
    await client.query(
      `select setval(to_regclass(quote_ident($1)), $2::bigint, $3)
       where to_regclass(quote_ident($1)) is not null`,
      [sequence, last, called],
    )
}

/** Rows were put in with the checks switched off: every reference is looked up. */
export async function proveReferences(client: Client): Promise<void> {
  const { rows } = await client.query<{
    constraint: string
    child: string
    parent: string
    from: string[]
    to: string[]
  }>(
    `select k.conname::text as constraint, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
       (select array_agg(a.attname::text order by n) from unnest(k.conkey) with ordinality as u(col, n)
         join pg_attribute a on a.attrelid = k.conrelid and a.attnum = u.col) as from,
       (select array_agg(a.attname::text order by n) from unnest(k.confkey) with ordinality as u(col, n)
         join pg_attribute a on a.attrelid = k.confrelid and a.attnum = u.col) as to
     from pg_constraint k where k.contype = 'f' and k.connamespace = current_schema()::regnamespace`,
  )
  for (const { constraint, child, parent, from, to } of rows) {
    const pairs = from.map((column, index) => `p.${name(to[index] ?? '')} = c.${name(column)}`)
    const given = from.map((column) => `c.${name(column)} is not null`)
    const broken = await client.query(
      `select from ${child} c where ${given.join(' and ')}
       and not exists (select from ${parent} p where ${pairs.join(' and ')}) limit 1`,
    )
    if (broken.rowCount)
      throw new Error(`the backup is not consistent: rows of ${child} break its reference ${constraint}`)
  }
}

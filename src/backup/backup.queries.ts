/**
 * What a backup reads, all on one connection and in one transaction that sees one moment. The tables are locked against
 * changes of their form before that moment is fixed: a table that is rewritten after it would look empty to us.
 */
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Sequence, Table } from './format.ts'

export type Client = pg.Client

const name = pg.escapeIdentifier

/**
 * The tables in an order in which each comes after those that it refers to; of a partitioned one, the whole and not its
 * partitions, which differ from one database to the other. Left out are generated columns, and ids of
 * transactions, which mean nothing in another server: the restoring one takes their place. Tables that are not logged,
 * or that hold types of an extension, are made from others and come back by themselves.
 */
export async function listTables(client: Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
       and not (a.atttypid = 'xid8'::regtype and a.atthasdef)
       and not exists (select from pg_depend d
         where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
       and not exists (select from pg_attribute x join pg_depend d on d.objid = x.atttypid
         where x.attrelid = c.oid and not x.attisdropped and d.classid = 'pg_type'::regclass and d.deptype = 'e')
     group by c.oid, c.relname order by c.relname`,
  )
  const { rows: references } = await client.query<{ child: string; parent: string }>(
    `select c.relname::text as child, p.relname::text as parent
     from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
     where k.contype = 'f' and k.conparentid = 0 and c.oid <> p.oid and k.connamespace = current_schema()::regnamespace`,
  )
  return parentsFirst(rows, references)
}

/** In a circle of references no order is right; then the given one stays. */
export function parentsFirst(tables: Table[], references: Array<{ child: string; parent: string }>): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]))
  const placed = new Set<string>()
  const ordered: Table[] = []
  const place = (table: Table) => {
    if (placed.has(table.name)) return
    placed.add(table.name)
    for (const { child, parent } of references) {
      const above = child === table.name ? byName.get(parent) : undefined
      if (above) place(above)
    }
    ordered.push(table)
  }
  for (const table of tables) place(table)
  return ordered
}

/** Null for a database that no Souk has used yet. */
export async function appliedMigrations(client: Client): Promise<string[] | null> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('migrations') is not null as there`,
  )
  if (!rows[0]?.there) return null
  const applied = await client.query<{ name: string }>('select name from migrations order by name')
  return applied.rows.length === 0 ? null : applied.rows.map((row) => row.name)
}

export async function serverVersion(client: Client): Promise<{ name: string; number: number }> {
  const { rows } = await client.query<{ name: string; number: number }>(
    `select current_setting('server_version') as name, current_setting('server_version_num')::int as number`,
  )
  return rows[0] ?? { name: 'unknown', number: 0 }
}

/** Begins the transaction and answers with the tables it holds. */
export async function holdMoment(client: Client): Promise<Table[]> {
  for (;;) {
    const seen = await listTables(client)
    await client.query('begin isolation level repeatable read, read only')
    await client.query(
      'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0',
    )
    try {
      if (seen.length > 0)
        await client.query(
          `lock table ${seen.map((table) => name(table.name)).join(', ')} in access share mode`,
        )
      const held = await listTables(client)
      if (JSON.stringify(held) === JSON.stringify(seen)) return held
    } catch (error) {
      // A table went away between our look and our lock.
      if (!(error instanceof pg.DatabaseError && error.code === '42P01')) throw error
    }
    // A migration came between: look again.
    await client.query('rollback')
  }
}

export async function endMoment(client: Client): Promise<void> {
  await client.query('rollback')
}

/** Roughly, to say how much of it is done. */
export async function estimateBytes(client: Client, tables: Table[]): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select (coalesce(sum(pg_table_size(quote_ident(t)::regclass)), 0) + coalesce((
       select sum(pg_table_size(i.inhrelid)) from pg_inherits i join pg_class c on c.oid = i.inhparent and c.relkind = 'p'
       where c.relname = any($1)), 0))::text as bytes from unnest($1::text[]) as t`,
    [tables.map((table) => table.name)],
  )
  return Number(rows[0]?.bytes ?? 0)
}

export function columnsOf(table: Table): string {
  return table.columns.map(name).join(', ')
}

/** Gives the rows piece by piece; returns how many there were. */
export async function* copyOut(client: Client, table: Table): AsyncGenerator<Buffer, number, undefined> {
  const stream = client.query(
    // A partitioned table is copied as what a query finds in it.
    copyTo(`copy (select ${columnsOf(table)} from ${name(table.name)}) to stdout (format binary)`),
  )
  for await (const bytes of stream) yield bytes as Buffer
  // The count comes after the last row; the answer to the next statement comes after the count.
  await client.query('select 1')
  return stream.rowCount
}

/** Not of the moment but of now, which is the same or further on: a number is never given twice. */
export async function readSequences(client: Client): Promise<Sequence[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname::text as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'S' order by 1`,
  )
  const sequences: Sequence[] = []
  for (const row of rows) {
    const state = await client.query<{ last: string; called: boolean }>(
      `select last_value::text as last, is_called as called from ${name(row.name)}`,
    )
    sequences.push({
      name: row.name,
      last: state.rows[0]?.last ?? '1',
      called: state.rows[0]?.called ?? false,
    })
  }
  return sequences
}

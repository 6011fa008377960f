/**
 * Databases as a whole: who uses one, whether it is empty, a new one beside it, and the swap of the two. Both renames are
 * one transaction of PostgreSQL, so at every moment there is one whole database under the name, and none is ever
 * without a name.
 */
import pg from 'pg'
import { LOCKS } from '../db/advisory-lock.ts'
import type { Client } from './backup.queries.ts'

const name = pg.escapeIdentifier
const text = pg.escapeLiteral
/** PostgreSQL cuts longer names. */
const NAME_BYTES = 63
const IN_USE = '55006'

export type Standing = {
  database: string
  /** Whether there is a table with a row in it, other than the list of migrations. */
  holds: boolean
  /** Whether there is any table. */
  bare: boolean
  /** Who else is connected to it, by what they call themselves. */
  others: string[]
  /** Whether this user may make a database and rename this one. */
  mayCreate: boolean
  /** Rights and settings on the database itself, which a new one does not have. */
  hasSettings: boolean
  extensions: string[]
}

export async function readStanding(client: Client): Promise<Standing> {
  const { rows } = await client.query<Omit<Standing, 'holds' | 'bare' | 'others'>>(
    `select d.datname::text as database,
       (r.rolsuper or (r.rolcreatedb and pg_has_role(d.datdba, 'usage'))) as "mayCreate",
       (d.datacl is not null or exists (select from pg_db_role_setting s where s.setdatabase = d.oid)) as "hasSettings",
       array(select extname::text from pg_extension where extname <> 'plpgsql' order by 1) as extensions
     from pg_database d join pg_roles r on r.rolname = current_user where d.datname = current_database()`,
  )
  const [standing] = rows
  if (!standing) throw new Error('the server does not know the database that we are connected to')
  const tables = await listAllTables(client)
  return {
    ...standing,
    ...{ holds: await holdsRows(client, tables), bare: tables.length === 0 },
    others: await otherConnections(client),
  }
}

async function listAllTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ table: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
       and c.oid is distinct from to_regclass('migrations')`,
  )
  return rows.map((row) => row.table)
}

/** Whether there is a row in any of its tables. */
export async function holdsAnything(client: Client): Promise<boolean> {
  return holdsRows(client, await listAllTables(client))
}

async function holdsRows(client: Client, tables: string[]): Promise<boolean> {
  for (const table of tables) {
    const { rowCount } = await client.query(`select from ${table} limit 1`)
    if (rowCount) return true
  }
  return false
}

async function otherConnections(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select coalesce(nullif(application_name, ''), usename::text, 'unknown') as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
     order by 1`,
  )
  return [...new Set(rows.map((row) => row.name))]
}

/** False when another restore of the same database is at work. Kept until the connection ends. */
export async function lockRestore(admin: Client, database: string): Promise<boolean> {
  const { rows } = await admin.query<{ ok: boolean }>(
    'select pg_try_advisory_lock($1::int, hashtext($2)) as ok',
    [LOCKS.restore, database],
  )
  return rows[0]?.ok ?? false
}

/** Makes an empty one of the same kind, in place of what a restore that was cut off may have left. */
export async function createBeside(admin: Client, database: string): Promise<string> {
  const fresh = nameBeside(database, '_restoring')
  const { rows } = await admin.query<{
    owner: string
    encoding: string
    collate: string
    ctype: string
    provider: string
    locale: string | null
  }>(
    `select pg_get_userbyid(datdba)::text as owner, pg_encoding_to_char(encoding)::text as encoding,
       datcollate::text as collate, datctype::text as ctype,
       case datlocprovider when 'b' then 'builtin' when 'i' then 'icu' else 'libc' end as provider,
       coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale') as locale
     from pg_database d where datname = $1`,
    [database],
  )
  const [like] = rows
  if (!like) throw new Error(`there is no database ${database}`)
  const { provider, locale } = like
  const named = provider === 'libc' || locale === null ? '' : ` ${provider}_locale ${text(locale)}`
  await dropDatabase(admin, fresh)
  await admin.query(
    `create database ${name(fresh)} owner ${name(like.owner)} template template0 encoding ${text(like.encoding)}
     lc_collate ${text(like.collate)} lc_ctype ${text(like.ctype)} locale_provider ${provider}${named}`,
  )
  return fresh
}

/** Those that could not be made. */
export async function createExtensions(client: Client, extensions: string[]): Promise<string[]> {
  const refused: string[] = []
  for (const extension of extensions)
    await client
      .query(`create extension if not exists ${name(extension)}`)
      .catch(() => refused.push(extension))
  return refused
}

/** Returns the name under which the old one is kept. */
export async function swapDatabases(
  admin: Client,
  { database, fresh, time }: { database: string; fresh: string; time: string },
): Promise<string> {
  const old = nameBeside(database, `_before_${time}`)
  try {
    await admin.query('begin')
    await admin.query(`alter database ${name(database)} rename to ${name(old)}`)
    await admin.query(`alter database ${name(fresh)} rename to ${name(database)}`)
    await admin.query('commit')
    return old
  } catch (error) {
    await admin.query('rollback').catch(() => {})
    if (error instanceof pg.DatabaseError && error.code === IN_USE)
      throw new Error(
        'someone connected to the database during the restore: close that connection and run the command again; nothing was changed',
        { cause: error },
      )
    throw error
  }
}

export async function dropDatabase(admin: Client, database: string): Promise<void> {
  await admin.query(`drop database if exists ${name(database)} with (force)`)
}

/** What earlier restores have kept of it: its name, and nothing but a time after that. */
export async function listKept(admin: Client, database: string): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select datname::text as name from pg_database
     where starts_with(datname, $1) and substr(datname::text, length($1) + 1) ~ '^\\d{14}$' order by 1`,
    [`${nameBeside(database, '_before_00000000000000').slice(0, -14)}`],
  )
  return rows.map((row) => row.name)
}

function nameBeside(database: string, ending: string): string {
  let start = database
  while (Buffer.byteLength(start + ending) > NAME_BYTES) start = start.slice(0, -1)
  return start + ending
}
